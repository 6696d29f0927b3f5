"""Public wrappers of the algorithms, which are compiled at their first call.

``mass_matrix(arm, q)`` looks its kernel up in ``arm.memo`` (`model/memo.py`) and calls it. Everything else (the
first call, symbols, a mistake) is an exception on that path, so that it costs nothing.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from linkwright.compiler.front.algorithms import ARRAYS, FIXED, Checked, algorithm_of, facts
from linkwright.compiler.front.bind import (
    BoundFunction,
    DerivativeFunction,
    arrays_of,
    bind,
    book_of,
    call,
    name_of,
    optional_arrays,
    regrouped,
    regrouping,
    signature_of,
)
from linkwright.compiler.front.differentiation import differentiate, given_derivative, replay
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.layout import supported
from linkwright.compiler.native.public_call import PublicFunction
from linkwright.compiler.schedules.composed.algorithms import COMPOSED, composed
from linkwright.compiler.schedules.selection import bodies_in_loops, program
from linkwright.compiler.signatures import batched
from linkwright.dynamics.closed_loops.rows import constraint_rate, constraint_residual
from linkwright.dynamics.forces.actuation import require_closed_state
from linkwright.errors import (
    ArgumentError,
    NoDerivativeError,
    ShapeError,
    TooLargeError,
    add_entry,
    call_explained,
    explained,
    warn,
    wrong_call,
)
from linkwright.expression.graph import Expr
from linkwright.expression.sympy.conversion import on_sympy
from linkwright.model.memo import derived, exact, identity, keep
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model
from linkwright.provided import holds_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

F = TypeVar("F", bound=Callable[..., Any])

_NOTE = """

    Compiled for the mechanism at the first call. Arrays may have any leading batch dimensions, which
    broadcast; symbols give expressions.
    """


MISSING = object()
"""The default of an argument that must be given."""


def public(book: F) -> F:
    """Return the public wrapper of an algorithm: compiled for numbers in batches, and unchanged for symbols."""
    signature, name = inspect.signature(book), name_of(book)
    parameters = list(signature.parameters.values())
    names = [p.name for p in parameters[1:]]
    arrays = [name for name in names if name in ARRAYS]
    fixed = [name for name in names if name not in ARRAYS]
    optional = optional_arrays(book)
    scope: dict[str, Any] = {"_face_tuple": tuple, "_face_list": list, "_face_type": type, "_face_exact": exact}
    scope |= {"__name__": __name__, "_face_identity": identity(book)}
    record = "_face_record" if (result := facts(book).record) is not None else ""
    if result is not None:
        scope[record] = _recorder(result)
    header = []
    for k, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and parameters[k - 1].kind is not p.KEYWORD_ONLY:
            header.append("*_face_more")
        scope[f"_face_default{k}"] = MISSING if p.default is p.empty else p.default
        header.append(f"{p.name}=_face_default{k}")
        if p.kind is p.POSITIONAL_ONLY and all(later.kind is not p.kind for later in parameters[k + 1 :]):
            header.append("/")
    header += ["*_face_more"] * ("*_face_more" not in header) + ["**_face_unknown"]
    # written out, like a dataclass's __init__, since unpacking *args would cost more than the kernel
    keys = {n: n for n in fixed}
    if algorithm_of(book) is None:  # options may be anything
        keys = {n: f"_face_exact({n})" for n in fixed}
    elif "actuated" in fixed:
        keys["actuated"] = "_face_tuple(actuated) if _face_type(actuated) is _face_list else actuated"
    model, required, pushed, usual = parameters[0].name, ", ".join(n for n in arrays if n not in optional), "", ""
    if _usual(book) is not None:  # only arrays are required: the fast path
        same = [
            f"{p.name} is {'None' if p.default is None else f'_face_default{k}'}"
            for k, p in enumerate(parameters)
            if p.name in fixed
        ]
        same += [f"{n} is None" for n in optional]
        condition = " and ".join(same) or "True"
        usual = f"        if {condition}:\n            return {record}({model}.memo[_face_identity]({required}))\n"
    if "wrenches" in fixed:
        key = ", ".join((keys | {"wrenches": "_face_tuple(wrenches)"}).values())
        pushed = (
            f"        if wrenches:\n"
            f"            return {record}({model}.memo[_face_identity, {key}]({required}, *wrenches.values()))\n"
        )
        keys["wrenches"] = "None"
    for n in optional:  # a kernel of its own, with one more array
        key, every = ", ".join(["_face_identity", *keys.values(), repr(n)]), ", ".join(arrays)
        pushed += f"        if {n} is not None:\n            return {record}({model}.memo[{key}]({every}))\n"
    key = ", ".join(["_face_identity", *keys.values()])
    source = (
        f"def face({', '.join(header)}):\n"
        f"    if _face_unknown or _face_more:\n"
        f"        raise _face_wrong([{', '.join(p.name for p in parameters)}], _face_more, _face_unknown)\n"
        f"    try:\n"
        f"{usual}{pushed}"
        f"        return {record}({model}.memo[{key}]({required}))\n"
        f"    except Exception as error:\n"
        f"        return {record}(_face_otherwise(error, {model}, {{{', '.join(f'{n!r}: {n}' for n in names)}}}))\n"
    )

    def wrong(given: list[Any], more: tuple[Any, ...], unknown: dict[str, Any]) -> ArgumentError:
        named = [p.name for p, x in zip(parameters, given, strict=True) if x is not MISSING]
        if more:  # then all arguments are positional
            by_place = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
            return wrong_call(name, signature, [*by_place, *more], [n for n in named if n not in by_place] + [*unknown])
        return wrong_call(name, signature, (), [*named, *unknown])

    def otherwise(error: Exception, first: Any, arguments: dict[str, Any]) -> Any:
        given = [n for n, x in {model: first, **arguments}.items() if x is not MISSING]
        if len(given) < len(parameters):
            raise wrong_call(name, signature, (), given) from None
        named = {model: first, **arguments}
        return call_explained(lambda: _otherwise(book, error, first, arguments), book, (), named)

    scope["_face_otherwise"], scope["_face_wrong"] = otherwise, wrong
    exec(compile(source, f"<linkwright {name}>", "exec"), scope)
    face: Any = functools.wraps(book)(scope.pop("face"))
    add_entry(face)
    text, heading, sections = (inspect.getdoc(book) or "").partition("\n\nParameters\n---")
    face.__doc__ = f"{text}\n\n{inspect.cleandoc(_NOTE)}{heading}{sections}\n"
    face.__signature__ = batched(book)
    face.book = book
    inputs = len(arrays) - len(optional)
    if not supported() or result is not None or not set(names[:inputs]).isdisjoint([*fixed, *optional]):
        return face
    options = [p for p in parameters if p.name in fixed and algorithm_of(book) is not None]
    named = [k for k, p in enumerate(parameters[1 + inputs :]) if p.kind is p.KEYWORD_ONLY or p.name in optional]
    positional, alone = min([*named, len(options)]), bool(usual)
    return PublicFunction(face, Model, Kernel, identity(book), inputs, options, positional, alone)  # type: ignore[return-value]


def _recorder(record: type) -> Callable[[Any], Any]:
    """Return a function of a kernel's results that returns them as a record, as the book of the algorithm does."""
    names = [field.name for field in fields(record)]

    def recorded(results: Any) -> Any:
        return results if isinstance(results, record) else record(**dict(zip(names, results, strict=True)))

    return recorded


def _otherwise(book: Callable[..., Any], error: Exception, model: Any, arguments: dict[str, Any]) -> Any:
    """Handle calls that the fast path cannot: first calls, symbols, and errors to report."""
    name = name_of(book)
    require_model(model, name)
    if model.sweeps_are_recorded:  # in a function of a user's
        return call(book, inspect.signature(book), {next(iter(inspect.signature(book).parameters)): model, **arguments})
    wrenches = arguments.get("wrenches")
    if wrenches is not None and not isinstance(wrenches, dict):
        raise ArgumentError(f"{name}: wrenches is a dict {{frame: (…, 6)}}; got {wrenches!r}") from None
    given = [n for n in optional_arrays(book) if arguments[n] is not None]
    arguments = {n: x for n, x in arguments.items() if n in given or n not in optional_arrays(book)}
    arrays = [x for n, x in arguments.items() if n in ARRAYS] + list((wrenches or {}).values())
    try:
        symbolic = model.holds_symbols or any(
            isinstance(x, (np.ndarray, list, tuple, Expr)) and _holds_symbols(x) for x in arrays
        )
    except ValueError:  # rows of different lengths; the kernel says which
        symbolic = False
    if symbolic:
        return _on_symbols(book, model, arguments)
    own = algorithm_of(book) is None
    fixed = {n: x if own else _tuples(x) for n, x in arguments.items() if n not in ARRAYS}
    if wrenches is not None:
        fixed["wrenches"] = tuple(wrenches) or None

    def make() -> Callable[..., Any]:
        checked = facts(book).checked
        if checked is not None and checked.applies(model, fixed):
            return _checked(checked, model, arguments, fixed)
        return _compiled_or_not(bind(book, model, {n: FIXED[n] for n in given}, values=fixed))

    try:
        key = [x if n == "wrenches" or not own else exact(x) for n, x in fixed.items()] + given
        known = ((identity(book), *key) if key else identity(book)) in model.memo
    except TypeError:
        if own:  # a value that may change unseen: what comes of it is not kept
            return make()(*arrays)
        strange = {n: x for n, x in fixed.items() if not _hashable(x)}
        text = " and ".join(f"{n} = {x!r}" for n, x in strange.items())
        raise ArgumentError(f"{name}: options are names, numbers and lists of them; got {text}") from None
    if known and not isinstance(error, (KeyError, TypeError)):  # it was the kernel that refused
        raise error from None
    usual = _usual(book)
    if given or usual != {n: exact(x) for n, x in fixed.items()}:
        return derived(model, book, *key, make=make)(*arrays)
    kernel = derived(model, book, make=make)
    if any(arguments[n] is not p.default for n, p in inspect.signature(book).parameters.items() if n in fixed):
        keep(model, kernel, book, *key)  # equal to what is usual, not the same: found at once from now on
    return kernel(*arrays)


def _usual(book: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the default options of an algorithm; None if one is required, or mutable."""
    options = [p for p in list(inspect.signature(book).parameters.values())[1:] if p.name not in ARRAYS]
    if all(p.default is None or isinstance(p.default, (str, bool, int, float)) for p in options):
        return {p.name: exact(p.default) for p in options}
    return None


def _hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _checked(checked: Checked, model: Model, arguments: dict[str, Any], fixed: dict[str, Any]) -> Callable[..., Any]:
    """Return the kernel of an algorithm whose results must be checked."""
    kernel = _compiled_or_not(bind(checked.with_status_message, model, {}, values=fixed))
    names = [name for name in arguments if name in ARRAYS]
    tests_loops = checked.closed and bool(model.loops)
    if tests_loops:
        residual, rate = (kernel_of(one, model) for one in (constraint_residual, constraint_rate))

    def looked_at(*arrays: Any) -> Any:
        given = {name: np.asarray(x) for name, x in zip(names, arrays, strict=False)}
        results = kernel(*arrays)
        if tests_loops:
            q, v = given["q"], given["v"]
            require_closed_state(model, v, residual(q), rate(q, v))
        return checked.settled(model, fixed | given, results)

    return looked_at


def _holds_symbols(x: Any) -> bool:
    """Return whether any entry is a symbol; the kernel refuses other objects."""
    return is_symbolic(x) and (any(isinstance(entry, Expr) for entry in np.asarray(x).flat) or holds_sympy(x))


def _tuples(x: Any) -> Any:
    """Convert lists of lists to tuples of tuples, the keys of kernels."""
    return tuple(map(_tuples, x)) if isinstance(x, (list, tuple)) else x


def _on_symbols(book: Callable[..., Any], model: Model, arguments: dict[str, Any]) -> Any:
    """Evaluate the reference implementation on arrays with symbols, ours or SymPy's."""
    signature = inspect.signature(book)
    first = next(iter(signature.parameters))

    @functools.wraps(book)
    def evaluated(**arguments: Any) -> Any:
        prepared = {
            name: (np.asarray(x, dtype=object) if is_symbolic(x) else as_numbers(name, x)) if name in ARRAYS else x
            for name, x in arguments.items()
        }
        return arrays_of(call(book, signature, {first: regrouped(book, model, prepared), **prepared}))

    return on_sympy(evaluated, (), arguments)


def compile_or_not(function: Callable[..., Any], model: Model, **inputs: Any) -> Callable[..., Any]:
    """Return the kernel of a function; if it is too large, warn and evaluate the function row by row."""
    return _compiled_or_not(bind(function, model, inputs))


def interpreted(function: Callable[..., Any], model: Model, *arrays: Any, **inputs: Any) -> Any:
    """Evaluate a function for a batch once by its program, since compilation would take longer."""
    kernel = compile_or_not(function, model, **inputs)
    if isinstance(kernel, Kernel) and isinstance(kernel.program, Program):
        return interpret(kernel.program, *arrays)
    return kernel(*arrays)


def kernel_of(function: Callable[..., Any], model: Model, **inputs: Any) -> Callable[..., Any]:
    """Return :func:`compile_or_not`, cached with the model; without options the kernel of the public wrapper."""
    book = book_of(function)
    key: list[Any] = sorted(inputs.items())
    if not key and facts(book).checked is not None:  # the wrapper may check the results
        key = ["unchecked"]
    kernel: Callable[..., Any] = derived(model, book, *key, make=lambda: compile_or_not(book, model, **inputs))
    return kernel


def _compiled_or_not(bound: BoundFunction) -> Callable[..., Any]:
    assert bound.model is not None
    model = bound.model
    alone: list[Callable[[], Any]] = [lambda: Kernel(program(bound), model)]
    together: list[Callable[[], Any]] = [lambda: AllRows(*composed(bound, _compiled_or_not))] * (bound.book in COMPOSED)
    forms = [*alone, *together]
    if together and len(model.links) >= bodies_in_loops(bound):
        in_loops: list[Callable[[], Any]] = [lambda: Kernel(program(bound, unroll=False), model)]
        forms = [*in_loops, *together, *alone]
    refused = {}
    for form in forms:
        try:
            return form()
        except NoDerivativeError:
            raise
        except TooLargeError as error:
            refused[form] = error
    several = f"; of several kernels it cannot be made, for {refused[together[0]]}" if together else ""
    warn(f"{refused[alone[0]]}{several}; until then it runs uncompiled, row by row")
    return RowByRow(bound)


class RowByRow:
    """Function that is evaluated row by row, since it is too large to compile."""

    def __init__(self, bound: BoundFunction):
        self.name, self.function, self.shapes = bound.name, bound.function, bound.shapes

    def __call__(self, *arrays: Any) -> Any:
        """Evaluate the function for arrays in the order of ``shapes``; several results are a tuple."""
        xs, rows, batch = self.rows(arrays)
        if not batch:
            return self.function(*xs)
        results = [self.function(*(x[i] for x in rows)) for i in np.ndindex(*batch)]
        if not results:  # no rows: the shapes of one
            one = self.function(*(np.ones(shape) for shape in self.shapes.values()))
            if isinstance(one, tuple):
                return tuple(np.empty((*batch, *np.shape(x))) for x in one)
            return np.empty((*batch, *np.shape(one)))
        if isinstance(results[0], tuple):
            return tuple(np.reshape(x, (*batch, *np.shape(x[0]))) for x in zip(*results, strict=True))
        return np.reshape(results, (*batch, *np.shape(results[0])))

    def rows(self, arrays: tuple[Any, ...]) -> tuple[list[Array], list[Array], tuple[int, ...]]:
        """Return the arrays as numbers, broadcast to one batch, and its dimensions, after a check of their shapes."""
        xs = [as_numbers(name, x) for name, x in zip(self.shapes, arrays, strict=True)]
        leads = []
        for x, (name, shape) in zip(xs, self.shapes.items(), strict=True):
            if x.shape[x.ndim - len(shape) :] != shape:
                raise ShapeError(f"{self.name}: {name} has shape {x.shape}; expected (…, {shape[0]})")
            leads.append(x.shape[: x.ndim - len(shape)])
        try:
            batch = np.broadcast_shapes(*leads)
        except ValueError:
            raise ShapeError(f"{self.name}: batch dimensions {leads} do not broadcast") from None
        rows = [np.broadcast_to(x, batch + x.shape[len(lead) :]) for x, lead in zip(xs, leads, strict=True)]
        return xs, rows, batch


class AllRows(RowByRow):
    """A function that processes all rows of a batch as arrays, or blocks of a large batch."""

    def __init__(self, bound: BoundFunction, at_once: int | None = None):
        super().__init__(bound)
        self.at_once = at_once

    def __call__(self, *arrays: Any) -> Any:
        """The results for arrays in the order of ``shapes``."""
        _, rows, batch = self.rows(arrays)
        count = math.prod(batch)
        with np.errstate(all="ignore"):  # numbers that are not propagate
            if self.at_once is None or count <= self.at_once:
                return self.function(*rows)
            flat = [x.reshape(count, *shape) for x, shape in zip(rows, self.shapes.values(), strict=True)]
            parts = [self.function(*(x[k : k + self.at_once] for x in flat)) for k in range(0, count, self.at_once)]
        if isinstance(parts[0], tuple):
            return tuple(_in_batch(one, batch) for one in zip(*parts, strict=True))
        return _in_batch(parts, batch)


def _in_batch(parts: Sequence[Array], batch: tuple[int, ...]) -> Array:
    whole = np.concatenate(parts)
    return whole.reshape(*batch, *whole.shape[1:])


@explained
def derivative(function: Callable[..., Any], wrt: str) -> Callable[..., Any]:
    """Return the derivative of an algorithm, or of a function composed of them, by one of its arrays.

    Inverse and forward dynamics (bias and gravity forces too) have analytical derivatives, which are used when cheaper;
    all at once are :func:`inverse_dynamics_derivatives` and :func:`forward_dynamics_derivatives`. Derivatives of
    derivatives append their axes in order. Two derivatives by q are those of ``integrate(model, integrate(model, q,
    δ₂), δ₁)``, in which δ₁ and δ₂ do not commute for spherical joints.

    Parameters
    ----------
    function : callable
        Function.
    wrt : str
        Name of the argument. The derivative by a configuration is that by δ (nv,) in ``integrate(model, q, δ)`` at 0.

    Returns
    -------
    callable
        Function of the same arguments; the result has an additional last axis.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> d_tau = lw.derivative(lw.inverse_dynamics, "q")
    >>> d_tau(arm, arm.neutral(), [0.0, 0.0], [0.0, 0.0]).shape
    (2, 2)
    """
    signature, book = signature_of(function), book_of(function)
    first, *names = signature.parameters or [""]
    name, choices = name_of(book), [one for one in names if one in ARRAYS]
    optional = optional_arrays(function)
    starred = [p for p in signature.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if starred:
        raise ArgumentError(f"{name} takes {starred[0]}; write its arrays out, one argument each")
    if wrt not in choices:
        raise ArgumentError(f"{name} has no array {wrt!r} to differentiate by; it has {', '.join(choices) or 'none'}")

    own = identity(book).derivative(wrt)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        model = arguments.pop(first)
        wrenches = arguments.get("wrenches")
        fixed = {n: x for n, x in arguments.items() if n not in ARRAYS}
        if wrenches:
            fixed["wrenches"] = tuple(wrenches)
        shapes = {n: FIXED[n] for n in optional if arguments[n] is not None}
        arguments = {n: x for n, x in arguments.items() if n in shapes or n not in optional}
        own_arrays = [x for n, x in arguments.items() if n in ARRAYS]
        arrays = own_arrays + list((wrenches or {}).values())
        known = facts(book).derivatives.get(wrt)
        if known and (model.sweeps_are_recorded or model.holds_symbols):  # of a large mechanism, whose trace would be
            return given_derivative(known, model, own_arrays, wrenches)
        if model.holds_symbols:
            raise NoDerivativeError(
                f"{name} of {model.name!r}, which contains symbols, has no derivative by {wrt}; that of a kernel "
                "is kernel.derivative(…)"
            )

        def make() -> Program | str:
            try:
                return differentiate(trace(bind(book, model, shapes, values=fixed)), wrt, model)
            except TooLargeError as error:
                message = f"the derivative of {name} by {wrt} is too large for {model.name!r}: {error}"
                return f"{message}; {name_of(known.book)} gives it" if known else message

        try:
            key = [*(exact(x) for x in fixed.values()), *shapes]
        except TypeError:  # it may change unseen
            made = make()
        else:
            made = derived(model, own, "program", regrouping(), *key, make=make)
        if isinstance(made, str):
            raise NoDerivativeError(made)
        symbols = [x for array in arrays for x in np.ravel(np.asarray(array)) if isinstance(x, Expr)]
        if not symbols:
            return interpret(made, *arrays)[0]
        results = replay(made, symbols[0].graph, [np.asarray(x, dtype=object) for x in arrays])
        return results[0] if made.single else results

    annotated: Any = gradient
    annotated.identity = own
    annotated.algorithm = algorithm_of(book)
    annotated.__name__ = annotated.__qualname__ = f"{name}_{wrt}"
    annotated.__doc__ = f"The derivative of :func:`{name}` with respect to {wrt}."
    annotated.__signature__ = signature
    return DerivativeFunction(public(gradient), (function, wrt))
