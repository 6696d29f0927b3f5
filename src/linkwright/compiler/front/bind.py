"""A function, a model and arrays bound together: which arguments are arrays, of which shapes, and what is decided."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial, update_wrapper
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.algorithms import ALGORITHMS, ARRAYS, FIXED, POSITIONS, VELOCITIES, algorithm_of, facts
from linkwright.dynamics.assembly.method import takes_apart
from linkwright.errors import ArgumentError, InputError
from linkwright.model.build.origins import with_near_origins
from linkwright.model.memo import derived
from linkwright.model.requirement import require_model
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model

INSTEAD = {
    "simulate": "rollout can, lw.bridges.torch(lw.rollout, model, steps=100)",
    "rollout": "use lw.bridges.torch(lw.rollout, model, steps=100), or lw.bridges.jax",
    "resolved_rate": "inverse_kinematics can, lw.bridges.torch(lw.inverse_kinematics, model, targets={frame: (4, 4)})",
    "inverse_kinematics": "use lw.bridges.torch(lw.inverse_kinematics, model, targets={frame: (4, 4)}), or call it in "
    "a function that is compiled",
    "analytic_inverse_kinematics": "inverse_kinematics can; its solver saves code in C, C++, Rust and Python",
}
"""Functions of the library that run in Python, and what is compiled in their place."""

_regrouping: ContextVar[bool] = ContextVar("regrouping", default=True)


def regrouping() -> bool:
    """Return whether the present compilation may use regrouped inertias."""
    return _regrouping.get()


def regrouped(book: Callable[..., Any], model: Model, arguments: Mapping[str, Any]) -> Model:
    """Return the model on which an algorithm is traced, with the same results and fewer operations."""
    if not _regrouping.get() or book not in ALGORITHMS or not regroupable(model):
        return model
    if (form := facts(book).regroup) and not takes_apart(model, **_of_method(arguments)):
        return model.minimal(form)
    near: Model = derived(model, with_near_origins)
    return near


def _of_method(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a method of forward dynamics."""
    options = {name: arguments[name] for name in ("schedule", "partition", "loops", "blocks") if name in arguments}
    return {"method": arguments.get("method"), **options}


@dataclass(frozen=True)
class BoundFunction:
    """A function with its arrays' shapes and everything else decided."""

    name: str
    book: Callable[..., Any]
    """the function as it was written"""
    function: Callable[..., Any]
    """of the arrays alone"""
    shapes: dict[str, tuple[int, ...]]
    model: Model | None
    algorithm: Callable[..., Any] | None = None
    """the algorithm of the library that it is"""
    on_model: Callable[..., Any] | None = None
    """the function of a model and the arrays, where there is one"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """what was bound"""
    regroup: bool = True
    """whether it may run on what takes fewer operations"""

    @property
    def title(self) -> str:
        """Name for messages."""
        return self.name if self.model is None else f"{self.name} of {self.model.name!r}"


def bind(
    function: Callable[..., Any],
    model: Model | None,
    inputs: Mapping[str, Any],
    regroup: bool = True,
    values: Mapping[str, Any] = MappingProxyType({}),
) -> BoundFunction:
    """Decide which arguments are arrays, and of which shapes; the others are bound now.

    ``inputs``: name → shape (a whole number or a tuple of them) of an array; anything else (text, None,
    the frames of ``wrenches``) is bound. Not given: q, q0, q1 are (nq,), v, a, tau, u (nv,), wrench (6,),
    point (3,) unless it is None by default, twists (bodies, 6). ``values``: what is bound as it is, whole numbers too.
    ``regroup``: whether algorithms run on what takes fewer operations: joint-space dynamics on the minimal model.
    """
    book = book_of(function)
    signature = signature_of(function)
    parameters, first = dict(signature.parameters), ""
    name = name_of(function)
    if model is not None:
        require_model(model, name, "the mechanism")
        if model.holds_symbols:
            raise ArgumentError(
                f"{name} cannot be compiled for {model.name!r}, which holds symbols: build the model with numbers; "
                "compile a function that makes the model of its arrays; name parameters, compile(…, "
                "parameters=['payload.mass']); or compile expressions, compile(mass_matrix(model, q), [q, m])"
            )
        if not parameters:
            raise ArgumentError(f"{name} takes no arguments; its first one must be the model")
        first = next(iter(parameters))
        parameters.pop(first)
    unknown = [key for key in (*inputs, *values) if key not in parameters]
    if unknown:
        raise ArgumentError(f"{name} has no argument {unknown[0]!r}; it has {', '.join(parameters) or 'none'}")
    shapes: dict[str, tuple[int, ...]] = {}
    fixed: dict[str, Any] = {}
    frames: tuple[str, ...] = ()
    for key, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ArgumentError(f"{name} takes {stars}{key}; write its arrays out, one argument each")
        if key in values and key != "wrenches":
            fixed[key] = values[key]
        elif key in inputs or key in values:
            given = values.get(key, inputs.get(key))
            if key == "wrenches":
                if not (given is None or isinstance(given, (list, tuple))):
                    raise ArgumentError(f"{name}: wrenches are given by the names of frames, a list; got {given!r}")
                frames = tuple(given or ())
            elif (algorithm_of(book) is None or key in ARRAYS) and (shape := shape_of(given)) is not None:
                shapes[key] = shape
            else:
                fixed[key] = given
        elif model is not None and key in POSITIONS:
            shapes[key] = (model.nq,)
        elif model is not None and key in VELOCITIES:
            shapes[key] = (model.nv,)
        elif model is not None and key == "twists":
            shapes[key] = (len(model.bodies), 6)
        elif key in FIXED and parameter.default is not None:
            shapes[key] = FIXED[key]
        elif parameter.default is parameter.empty:
            if model is None and key == next(iter(parameters)) and _is_of_model(book, parameter):
                raise ArgumentError(
                    f"{name} is a function of a mechanism, its first argument {key!r}, and none is given: "
                    f"compile({name}, model, …)"
                )
            if name in INSTEAD and str(book.__module__).startswith("linkwright."):
                raise ArgumentError(f"{name} cannot be compiled as a function of arrays: {INSTEAD[name]}")
            value = (
                f'{key}="…"' if str(parameter.annotation).startswith("str") else f"its shape, {key}=(3,), or its value"
            )
            raise ArgumentError(f"{name} requires the argument {key!r}: give {value}")
    if model is not None:
        for frame in frames:
            model.frame(frame)

    order = list(shapes)
    n = len(order)

    def named(arrays: tuple[Any, ...]) -> dict[str, Any]:
        arguments = dict(zip(order, arrays[:n], strict=True)) | fixed
        if frames:
            arguments["wrenches"] = dict(zip(frames, arrays[n:], strict=True))
        return arguments

    def called(model: Model, arguments: Mapping[str, Any]) -> Any:
        return arrays_of(call(book, signature, {first: model, **arguments}))

    def of_arrays(*arrays: Any) -> Any:
        if book in ALGORITHMS:  # which compare no arrays; plain ones are faster to trace
            arrays = tuple(map(np.asarray, arrays))
        arguments = named(arrays)
        if model is None:
            return arrays_of(call(book, signature, arguments))
        token = _regrouping.set(regroup and _regrouping.get())
        try:
            return called(regrouped(book, model, arguments), arguments)
        finally:
            _regrouping.reset(token)

    looped = model is not None and bool(model.loops) and book is dynamics.forward_dynamics
    another = looped or bool(fixed.get("actuated"))  # than the function whose derivatives are known
    algorithm = book if regroup and facts(book).regroup and not another else None
    on_model = None if model is None else lambda model, *arrays: called(model, named(arrays))
    return BoundFunction(
        name,
        book,
        of_arrays,
        shapes | {f"wrench {frame}": (6,) for frame in frames},
        model,
        algorithm,
        on_model,
        fixed,
        regroup,
    )


def _is_of_model(book: Callable[..., Any], first: inspect.Parameter) -> bool:
    """Return whether a function's first argument is a model: for algorithms, by its name, or by its type."""
    kind = first.annotation if isinstance(first.annotation, str) else getattr(first.annotation, "__name__", "")
    return algorithm_of(book) is not None or first.name == "model" or kind.rpartition(".")[2] == "Model"


class DerivativeFunction(partial[Any]):
    """A public function made by :func:`derivative`, called as fast as a function, pickled by its function and array."""

    made_of: tuple[Callable[..., Any], str]
    """the function, and the array with respect to which it is differentiated"""

    def __new__(cls, face: Callable[..., Any], made_of: tuple[Callable[..., Any], str]) -> DerivativeFunction:
        made = super().__new__(cls, face)
        made.made_of = made_of
        update_wrapper(made, face)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        from linkwright.compiler.public import derivative

        return derivative, self.made_of

    def __repr__(self) -> str:
        return f"<derivative of {name_of(self.made_of[0])} with respect to {self.made_of[1]}>"


def book_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the algorithm of a public function; another function itself or, if it has no hash, its ``__call__``."""
    if isinstance(function, DerivativeFunction):
        function = function.func
    if inspect.isfunction(function) or inspect.ismethoddescriptor(function):  # public functions are either
        return getattr(function, "book", function)
    if not callable(function):
        raise ArgumentError(
            f"expected a function, or expressions of SymPy or of linkwright.symbols; got {function!r:.200}"
        )
    try:
        hash(function)
    except TypeError:
        return function.__call__  # type: ignore[operator]
    return function


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function: for a partial that of its function, for an object that of its class."""
    while isinstance(function, partial):
        function = function.func
    if getattr(function, "__name__", "__call__") == "__call__":
        function = type(getattr(function, "__self__", function))
    name = function.__name__
    return "function" if name == "<lambda>" else name


def call(function: Callable[..., Any], signature: inspect.Signature, arguments: Mapping[str, Any]) -> Any:
    """Call a function with arguments by name, including its positional-only ones."""
    made = inspect.BoundArguments(signature, {n: arguments[n] for n in signature.parameters if n in arguments})  # type: ignore[arg-type]
    return function(*made.args, **made.kwargs)


def optional_arrays(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arrays of a function that need not be given; kernels do without them by default."""
    parameters = signature_of(function).parameters.values()
    return [p.name for p in parameters if p.name in FIXED and p.default is None]


def arrays_of(result: Any) -> Any:
    """Return the fields of a record as a tuple, and other results unchanged."""
    if not is_dataclass(result) or isinstance(result, type):
        return result
    return tuple(getattr(result, field.name) for field in fields(result))


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function; for a public wrapper, that of its algorithm."""
    book = book_of(function)
    try:
        return inspect.signature(book)
    except (ValueError, TypeError):
        raise ArgumentError(f"{function!r} has no signature; write a function that calls it") from None


def shape_of(given: Any) -> tuple[int, ...] | None:
    """Return a shape; None for other objects."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        given = (given,)
    if isinstance(given, (tuple, list)) and all(isinstance(n, (int, np.integer)) for n in given):
        if any(n < 0 for n in given):
            raise InputError(f"a shape has no negative lengths; got {given!r}")
        return tuple(int(n) for n in given)
    return None
