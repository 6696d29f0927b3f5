"""From a function and a model to a program: the function is run once, on symbols."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.assembly.levels import LevelProgram
from linkwright.compiler.assembly.parts import parts_of
from linkwright.compiler.loops import LoopProgram
from linkwright.compiler.machine import target
from linkwright.compiler.passes import loops_of
from linkwright.compiler.program import Looped, Program, Slot, program_of
from linkwright.compiler.segments import SegmentProgram
from linkwright.compiler.sweeps import Argument, NotASweep, record
from linkwright.compiler.threads import default_threads
from linkwright.dynamics import constrained
from linkwright.dynamics.assembly.choice import block_schedule, schedule_on_lanes
from linkwright.dynamics.assembly.loops import Closing, loop_bodies
from linkwright.dynamics.assembly.method import takes_apart
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.schedule import Schedule, schedule_of
from linkwright.dynamics.forward import checked_options
from linkwright.errors import (
    ArgumentError,
    ExpressionError,
    InputError,
    LinkwrightError,
    ModelError,
    NoDerivativeError,
    TooLargeError,
    counted,
)
from linkwright.expression.graph import SYMBOL_AS_INDEX, Expr, Graph
from linkwright.model.derived import derived
from linkwright.model.minimal import regroupable
from linkwright.model.origins import with_near_origins
from linkwright.model.tree import Model
from linkwright.status import telling

NODE_LIMIT = 400_000
"""Expressions a trace may make, whether they are needed in the end or not."""

OPERATION_LIMIT = 90_000
"""Operations a straight-line program may have; beyond it the code generator takes minutes."""

BODIES_IN_LOOPS = 100
"""Bodies from which an algorithm made of sweeps is compiled as loops over them."""

BODIES_IN_MATRICES = 50
"""Bodies from which matrices of all joints are: their straight lines take many seconds to compile, and in single rows
twice as long to run."""

FEW_NUMBERS = 1000
"""Entries up to which arrays that are not of all joints are taken by loops over bodies."""

WORK_FOR_THREADS = 5_000_000
"""Operations of all lanes from which threads share the assembly of a single row: below, waking them takes longer."""

LINKS_FOR_THREADS = 10_000
"""Links of a chain in segments from which they do. A helper awake pays from some 3000 on, one that sleeps from here."""

MOST_GROUPS = 4
"""Threads that share a single row, at most: segments are joined one after the other."""

RETRACED = 3000
"""Instructions up to which a program is traced again with sines and cosines of sums of angles, where it has such."""

SINCOS_COST = 30
"""Operations that take as long as a sine and cosine."""

POSITIONS = ("q", "q0", "q1")
VELOCITIES = ("v", "a", "tau", "u")
"""Names of arguments whose shape follows from the model: nq and nv."""

ARRAYS = frozenset((*POSITIONS, *VELOCITIES, "wrench", "twists"))
"""The names by which the algorithms call their arrays; whatever else they take is a choice."""

JOINT_SPACE = {
    dynamics.inverse_dynamics: "second moment",
    dynamics.bias_forces: "second moment",
    dynamics.gravity_forces: "second moment",
    dynamics.mass_matrix: "inertia",
    dynamics.coriolis_matrix: "inertia",
    dynamics.forward_dynamics: "inertia",
    dynamics.constraint_forces: "inertia",
    dynamics.constraint_wrenches: "inertia",
    dynamics.impulse: "inertia",
    dynamics.project: "inertia",
    dynamics.actuated_efforts: "second moment",
    dynamics.inverse_dynamics_derivatives: "inertia",
    dynamics.forward_dynamics_derivatives: "inertia",
}
"""What regrouped inertias give unchanged, and the form of them that takes fewest operations."""

MATRICES = (dynamics.mass_matrix, dynamics.coriolis_matrix, dynamics.inverse_dynamics_derivatives)
"""What gives matrices of all joints by all joints."""

CORRECTIONS = {constrained.position_correction: "positions", constrained.velocity_correction: "velocities"}
"""What takes back what loops are open by, and what of."""

ALGORITHMS = frozenset(f for f in vars(dynamics).values() if callable(f))


def algorithm_of(book: Callable[..., Any]) -> Callable[..., Any] | None:
    """The algorithm of the library that a function is, or is derived from; None of users' own."""
    if book in ALGORITHMS:
        return book
    found: Callable[..., Any] | None = getattr(book, "algorithm", None)
    return found


_regrouping: ContextVar[bool] = ContextVar("regrouping", default=True)


def regrouping() -> bool:
    """Whether what is compiled now may run on regrouped inertias."""
    return _regrouping.get()


def regrouped(book: Callable[..., Any], model: Model, arguments: Mapping[str, Any]) -> Model:
    """The model that an algorithm is traced on, which gives the same with fewer operations."""
    if not _regrouping.get() or book not in ALGORITHMS or not regroupable(model):
        return model
    if book in JOINT_SPACE and not takes_apart(model, **_of_method(arguments)):
        return model.minimal(JOINT_SPACE[book])
    near: Model = derived(model, with_near_origins)
    return near


def _of_method(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What forward dynamics is told of its method."""
    told = {name: arguments[name] for name in ("schedule", "partition", "loops") if name in arguments}
    return {"method": arguments.get("method"), **told}


@dataclass(frozen=True)
class Bound:
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

    @property
    def title(self) -> str:
        """What people are told that it is."""
        return self.name if self.model is None else f"{self.name} of {self.model.name!r}"


def bind(
    function: Callable[..., Any],
    model: Model | None,
    inputs: Mapping[str, Any],
    regroup: bool = True,
    values: Mapping[str, Any] = MappingProxyType({}),
) -> Bound:
    """Decide which arguments are arrays, and of which shapes; the others are bound now.

    ``inputs``: name → shape (a whole number or a tuple of them) of an array; anything else (text, None,
    the frames of ``wrenches``) is bound. Not given: q, q0, q1 are (nq,), v, a, tau, u (nv,), wrench (6,),
    twists (bodies, 6). ``values``: what is bound as it is, whole numbers too.
    ``regroup``: whether algorithms run on what takes fewer operations: joint-space dynamics on the minimal model.
    """
    book = book_of(function)
    signature = signature_of(function)
    parameters, first = dict(signature.parameters), ""
    name = name_of(function)
    if model is not None:
        if not isinstance(model, Model):
            raise ArgumentError(f"expected a Model; got {model!r}")
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
            raise ArgumentError(f"{name} takes *{key}; write its arrays out, one argument each")
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
        elif key == "wrench":
            shapes[key] = (6,)
        elif parameter.default is parameter.empty:
            if model is None and key == next(iter(parameters)) and _is_of_model(book, parameter):
                raise ArgumentError(
                    f"{name} is a function of a mechanism, its first argument {key!r}, and none is given: "
                    f"compile({name}, model, …)"
                )
            raise ArgumentError(f"{name} needs to know what {key!r} is: give its shape, as {key}=(3,), or its value")
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
        return call(book, signature, {first: model, **arguments})

    def of_arrays(*arrays: Any) -> Any:
        if book in ALGORITHMS:  # which compare no arrays; plain ones are faster to trace
            arrays = tuple(map(np.asarray, arrays))
        arguments = named(arrays)
        if model is None:
            return call(book, signature, arguments)
        token = _regrouping.set(regroup and _regrouping.get())
        try:
            return called(regrouped(book, model, arguments), arguments)
        finally:
            _regrouping.reset(token)

    looped = model is not None and bool(model.loops) and book is dynamics.forward_dynamics
    another = looped or bool(fixed.get("actuated"))  # than the function whose derivatives are known
    algorithm = book if regroup and book in JOINT_SPACE and not another else None
    on_model = None if model is None else lambda model, *arrays: called(model, named(arrays))
    return Bound(
        name, book, of_arrays, shapes | {f"wrench {frame}": (6,) for frame in frames}, model, algorithm, on_model, fixed
    )


def _is_of_model(book: Callable[..., Any], first: inspect.Parameter) -> bool:
    """Whether a function's first argument plainly is a model: an algorithm's, by its name, or by its type."""
    kind = first.annotation if isinstance(first.annotation, str) else getattr(first.annotation, "__name__", "")
    return algorithm_of(book) is not None or first.name == "model" or kind.rpartition(".")[2] == "Model"


def book_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The algorithm behind a public function; any other as it is, or, where it has no hash, its way to be called."""
    if inspect.isfunction(function):
        return getattr(function, "book", function)
    try:
        hash(function)
    except TypeError:
        return function.__call__  # type: ignore[operator]
    return function


def name_of(function: Callable[..., Any]) -> str:
    """What to call a function: a partial one as the one behind it, an object as its class."""
    while isinstance(function, partial):
        function = function.func
    if getattr(function, "__name__", "__call__") == "__call__":
        function = type(getattr(function, "__self__", function))
    name = function.__name__
    return "function" if name == "<lambda>" else name


def call(function: Callable[..., Any], signature: inspect.Signature, arguments: Mapping[str, Any]) -> Any:
    """The function of arguments by name, those too that it takes by place alone."""
    made = inspect.BoundArguments(signature, {n: arguments[n] for n in signature.parameters if n in arguments})  # type: ignore[arg-type]
    return function(*made.args, **made.kwargs)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The arguments of a function; of one of the public ones, those of the algorithm behind it."""
    if not callable(function):
        raise ArgumentError(f"expected a function; got {function!r}")
    try:
        return inspect.signature(book_of(function))
    except (ValueError, TypeError):
        raise ArgumentError(f"{function!r} does not tell its arguments; write a function that calls it") from None


def shape_of(given: Any) -> tuple[int, ...] | None:
    """A shape, if that is what was given."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        given = (given,)
    if isinstance(given, (tuple, list)) and all(isinstance(n, (int, np.integer)) for n in given):
        if any(n < 0 for n in given):
            raise InputError(f"a shape has no negative lengths; got {given!r}")
        return tuple(int(n) for n in given)
    return None


@contextmanager
def uncollected() -> Iterator[None]:
    """Expressions are made by the hundred thousand and none is let go: the garbage collector waits until they are."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@telling(lambda bound: f"compiling {bound.title}")
@uncollected()
def program(bound: Bound, unroll: bool | None = None) -> Program | Looped:
    """Straight-line code, or loops over the bodies: as told, else as the size of the mechanism calls for.

    What cannot be the one, or would be too long, is the other. Raises :class:`TooLargeError` with the reasons where
    it can be neither.
    """
    bodies = 0 if bound.model is None else len(bound.model.links)
    few = BODIES_IN_MATRICES if bound.book in MATRICES else BODIES_IN_LOOPS
    first, second = (in_loops, trace) if bodies >= few else (trace, in_loops)
    chosen = {True: [trace], False: [in_loops], None: [first, second] if bodies else [trace]}[unroll]
    failures: dict[Any, TooLargeError] = {}
    for form in chosen:
        try:
            return form(bound)
        except NoDerivativeError:
            raise
        except TooLargeError as error:  # perhaps it is small enough, or made of sweeps
            failures[form] = error
    if unroll is False:
        raise TooLargeError(
            f"{_told(bound)} cannot run as loops over the bodies (unroll=False): {failures[in_loops]}; without that "
            "option straight-line code is made"
        ) from None
    no_loops = f"; it cannot run as loops over the bodies, for {failures[in_loops]}" if in_loops in failures else ""
    instead = "compile what it is made of as several functions"
    if bodies >= BODIES_IN_LOOPS:
        instead += " (to solve with the mass matrix, forward_dynamics takes no matrix)"
    if unroll:
        instead = "that was asked for (unroll=True); without that option it may run as loops over the bodies"
    too_long = f"{_told(bound)} is too large for straight-line code: {failures[trace]}"
    raise TooLargeError(f"{too_long}{no_loops}; {instead}") from None


def _told(bound: Bound) -> str:
    """The function and the mechanism, for messages."""
    model = bound.model
    return (
        bound.name
        if model is None
        else f"{bound.name} of {model.name!r} ({counted(len(model.links), 'body', 'bodies')})"
    )


def trace(bound: Bound, node_limit: int = NODE_LIMIT, operation_limit: int = OPERATION_LIMIT) -> Program:
    """The program of a bound function; :class:`TooLargeError` where it would be too long."""
    program, sums_met = _traced(bound, Graph(node_limit))
    if program.length > operation_limit:
        raise TooLargeError(f"{program.length} operations, more than {operation_limit}")
    if sums_met and program.length <= RETRACED:
        shared, _ = _traced(bound, Graph(node_limit, angle_sums=True))
        program = min(program, shared, key=_cost)
    return replace(program, algorithm=bound.algorithm)


def in_loops(bound: Bound) -> Looped:
    """The bound function as loops over the bodies; :class:`TooLargeError` where it is more than sweeps."""
    model = bound.model
    if model is None or bound.on_model is None or not model.links:
        raise TooLargeError("there are no bodies to go over")
    arguments = [_argument(model, name, shape) for name, shape in bound.shapes.items()]
    of = tuple(one.of for one in arguments)
    slots = tuple(Slot(name, shape) for name, shape in bound.shapes.items())
    if bound.book is dynamics.forward_dynamics:
        checked_options(**bound.options)
    if bound.book is dynamics.forward_dynamics and bound.options.get("method") == "hybrid":
        return _in_segments(bound, slots, model)
    if bound.book is dynamics.forward_dynamics and bound.options.get("method") == "assembly":
        _require_parts(bound, model)
        schedule, loops = bound.options.get("schedule"), loop_bodies(model, _closing(bound, model))
        schedule = "balanced" if schedule is None else schedule
        return _in_levels(bound, slots, model, schedule_of(model, schedule, loops=loops))
    serial = bound.book is dynamics.forward_dynamics and bound.options.get("method") in (None, "articulated")
    if _closing(bound, model) is not None and (serial or bound.book in CORRECTIONS):
        return _closed(bound, slots, model)
    recording = record(bound.on_model, model, arguments)
    if not any(0 not in one.shape for one in recording.outputs):
        raise TooLargeError("it gives nothing")
    return LoopProgram(bound.name, slots, of, loops_of(recording, bound.shapes, [slot.size for slot in slots]))


def _argument(model: Model, name: str, shape: tuple[int, ...]) -> Argument:
    """An array as what is recorded: of all joints, or of a few numbers that belong to no body."""
    if name in POSITIONS and shape == (model.nq,):
        return Argument("nq", shape)
    if name in VELOCITIES and shape == (model.nv,):
        return Argument("nv", shape)
    if int(np.prod(shape, dtype=int)) > FEW_NUMBERS:
        raise TooLargeError(f"{name} has {int(np.prod(shape, dtype=int))} entries and is not an array of all joints")
    return Argument("", shape)


def _closed(bound: Bound, slots: tuple[Slot, ...], model: Model) -> LevelProgram:
    """Forward dynamics with closed loops (or what closes them), which is more than sweeps: assembled on lanes."""
    try:
        _require_parts(bound, model)
        loops = loop_bodies(model, _closing(bound, model))
        made = schedule_on_lanes(model, target().width, loops)
        return _in_levels(bound, slots, model, made or schedule_of(model, "balanced", loops=loops))
    except ModelError as error:  # coordinates are tied, or bodies cannot be taken apart
        raise TooLargeError(str(error)) from error


def _closing(bound: Bound, model: Model) -> Closing | None:
    """How loops are closed, if they are."""
    if not model.loops or bound.options.get("loops") == "ignore":
        return None
    if bound.book in CORRECTIONS:
        return Closing(corrects=CORRECTIONS[bound.book])
    return Closing(constrained.checked_gains(bound.options.get("stabilisation")))


def _require_parts(bound: Bound, model: Model) -> None:
    """Raise where forward dynamics by parts is of more than joints and loops that are independent of each other."""
    if any(_argument(model, name, shape).of == "" for name, shape in bound.shapes.items()):
        raise TooLargeError("forces on single bodies are given")
    if model.has_couplings:
        raise TooLargeError("joints follow others")
    dynamics.require_mass(model)


def _in_segments(bound: Bound, slots: tuple[Slot, ...], model: Model) -> Looped:
    """Hybrid forward dynamics: a long chain in one block for each lane; else in blocks, those alike on lanes.

    Where little is alike, all is one block, by the recursion of articulated bodies.
    """
    _require_parts(bound, model)
    loops = loop_bodies(model, _closing(bound, model))
    schedule, partition = bound.options.get("schedule"), bound.options.get("partition")
    if schedule is not None and partition is None and isinstance(schedule, str):
        alike = schedule_on_lanes(model, target().width, loops, schedule)
        if loops and alike is None:
            alike = schedule_of(model, schedule, loops=loops)
        return _in_levels(bound, slots, model, alike) if alike else _articulated(bound, slots)
    if schedule is not None or partition is not None:
        made = block_schedule(model, "balanced" if schedule is None else schedule, partition, loops=loops)
        if made.order or max(map(len, made.blocks)) < BODIES_IN_LOOPS:
            return _in_levels(bound, slots, model, made)
        return _articulated(bound, slots)
    if loops:
        return _closed(bound, slots, model)
    groups = min(default_threads(), MOST_GROUPS) if len(model.links) >= LINKS_FOR_THREADS else 1
    try:
        return SegmentProgram(bound.name, slots, model, target().width, groups)
    except NotASweep:  # it branches, or is too short
        alike = schedule_on_lanes(model, target().width)
        return _in_levels(bound, slots, model, alike) if alike else _articulated(bound, slots)


def _articulated(bound: Bound, slots: tuple[Slot, ...]) -> LoopProgram:
    """Forward dynamics by articulated bodies, whatever the method that was asked for."""
    loops = bound.options.get("loops", "closed")

    def whole(model: Model, q: Any, v: Any, tau: Any) -> Any:
        return dynamics.forward_dynamics(model, q, v, tau, loops=loops)

    assert bound.model is not None
    arguments = [_argument(bound.model, slot.name, slot.shape) for slot in slots]
    made = loops_of(record(whole, bound.model, arguments), bound.shapes, [slot.size for slot in slots])
    return LoopProgram(bound.name, slots, tuple(one.of for one in arguments), made)


def _in_levels(bound: Bound, slots: tuple[Slot, ...], model: Model, made: Schedule) -> LevelProgram:
    """Forward dynamics by a schedule of joins, of single bodies or of blocks, on lanes."""
    require_inertia(model, made.blocks, made.joined)
    if max(map(len, made.blocks)) >= BODIES_IN_LOOPS:
        raise TooLargeError(f"a block has {max(map(len, made.blocks))} bodies")
    parts = parts_of(model, made, _closing(bound, model))
    alone = LevelProgram(bound.name, slots, made, parts)
    if default_threads() == 1 or alone.operations.total < WORK_FOR_THREADS * alone.lanes:
        return alone
    return LevelProgram(bound.name, slots, made, parts, default_threads())


@telling(lambda bound: f"compiling {bound.title}")
def _traced(bound: Bound, graph: Graph) -> tuple[Program, bool]:
    """The program, and whether sines and cosines of sums of angles could be shared in it."""
    inputs = {name: graph.symbols(name, shape) for name, shape in bound.shapes.items()}
    arrays = [x.copy() if x.shape else x[()] for x in inputs.values()]  # the function may write in its arguments
    try:
        result = bound.function(*arrays)
    except LinkwrightError:
        raise
    except IndexError as error:
        if not str(error).startswith("only integers"):  # NumPy's words for a symbol in square brackets, too
            raise
        raise ExpressionError(f"{bound.name}: {SYMBOL_AS_INDEX}") from error
    except AttributeError as error:
        if not isinstance(error.obj, (Expr, int, float)) or not isinstance(
            getattr(np, error.name or "", None), np.ufunc
        ):
            raise
        ours = "; linkwright.atan2(y, x) does" if error.name == "arctan2" else ""
        raise ExpressionError(
            f"{bound.name} cannot be run on symbols: numpy.{error.name} does not take what it is given{ours}"
        ) from error
    except TypeError as error:
        raise ExpressionError(
            f"{bound.name} cannot be run on symbols: {error}. They know arithmetic, comparisons for where(), matrix "
            "products and NumPy's elementary functions; no %, //, or NumPy's linear algebra (linkwright's solve, "
            "norm and cholesky stand in for it); stack([…]) makes arrays of them"
        ) from error
    return program_of(bound.name, graph, inputs, result), graph.angle_sums_met


def _cost(program: Program) -> int:
    """Operations, a sine and cosine counted as the instructions they take."""
    return program.operations.total + SINCOS_COST * program.operations.sincos
