"""Selection of the form of a program by its size: straight-line code, loops over bodies, assembly on lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.call_stack import with_room
from linkwright.compiler.front.algorithms import OF_BODIES, POSITIONS, VELOCITIES, facts
from linkwright.compiler.front.bind import BoundFunction
from linkwright.compiler.front.sweeps import Argument, record
from linkwright.compiler.front.trace import trace, uncollected
from linkwright.compiler.ir.program import ArraySpec, Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native.kept_programs import kept_program
from linkwright.compiler.native.machine import target
from linkwright.compiler.passes.rematerialization import loops_of
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.compiler.schedules.assembly.programs import programs_of
from linkwright.compiler.schedules.loops import LoopProgram
from linkwright.dynamics.assembly.choice import block_schedule, schedule_on_lanes
from linkwright.dynamics.assembly.loops import Closing, loop_bodies
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.schedule import Schedule, schedule_of
from linkwright.dynamics.closed_loops.stabilization import checked_gains
from linkwright.dynamics.forward import checked_options
from linkwright.errors import ModelError, NoDerivativeError, TooLargeError, counted
from linkwright.model.tree import Model
from linkwright.status import with_status_message

BODIES_IN_LOOPS = 100
"""Number of bodies from which an algorithm of sweeps is compiled as loops."""

BODIES_IN_MATRICES = 50
"""Number of bodies from which algorithms with matrices of all joints are loops: straight-line code takes many seconds
to compile, and single rows run twice as long."""

FEW_NUMBERS = 1000
"""Largest size of arrays that are not of all joints in loops over bodies."""


def bodies_in_loops(bound: BoundFunction) -> int:
    """Return the number of bodies from which a function is not straight-line code if it has another form."""
    return min(BODIES_IN_MATRICES, BODIES_IN_LOOPS) if facts(bound.book).matrices else BODIES_IN_LOOPS


@with_room
@with_status_message(lambda bound: f"compiling {bound.title}")
@uncollected()
def program(bound: BoundFunction, unroll: bool | None = None) -> Program | Staged:
    """Return straight-line code, or loops over the bodies, by the option or the size of the mechanism.

    If one form is impossible or too long, the other is used. Raises :class:`TooLargeError` with the reasons if
    neither is possible. Straight-line code of the library's functions is kept on disk.
    """
    determined_by = bound.name, bound.book, bound.shapes, bound.model, bound.options, bound.regroup, unroll
    return kept_program(lambda: _program(bound, unroll), *determined_by)


def _program(bound: BoundFunction, unroll: bool | None) -> Program | Staged:
    bodies = 0 if bound.model is None else len(bound.model.links)
    few = bodies_in_loops(bound)
    first, second = (in_loops, trace) if bodies >= few else (trace, in_loops)
    chosen = {True: [trace], False: [in_loops], None: [first, second] if bodies else [trace]}[unroll]
    failures: dict[Any, TooLargeError] = {}
    for form in chosen:
        try:
            return form(bound)
        except NoDerivativeError:
            raise
        except TooLargeError as error:  # it may be small enough, or consist of sweeps
            failures[form] = error
    if unroll is False:
        raise TooLargeError(
            f"{_described(bound)} cannot run as loops over the bodies (unroll=False): {failures[in_loops]}; without "
            "that option it runs as straight-line code"
        ) from None
    no_loops = ""
    if in_loops in failures and bodies >= few:  # loops are not relevant for few bodies
        no_loops = f"; it cannot run as loops over the bodies: {failures[in_loops]}"
    instead = "compile its parts as several functions"
    if bodies >= BODIES_IN_LOOPS:
        instead += " (to solve with the mass matrix, forward_dynamics takes no matrix)"
    if unroll:
        instead = "remove unroll=True, so that it may run as loops over the bodies"
    too_long = f"{_described(bound)} is too large for straight-line code: {failures[trace]}"
    raise TooLargeError(f"{too_long}{no_loops}; {instead}") from None


def _described(bound: BoundFunction) -> str:
    """Return the names of function and mechanism, for messages."""
    model = bound.model
    return (
        bound.name
        if model is None
        else f"{bound.name} of {model.name!r} ({counted(len(model.links), 'body', 'bodies')})"
    )


def in_loops(bound: BoundFunction) -> Staged:
    """Return the bound function as loops over the bodies; :class:`TooLargeError` if it is more than sweeps."""
    model = bound.model
    if model is None or bound.on_model is None or not model.links:
        raise TooLargeError("there are no bodies")
    arguments = [_argument(model, name, shape) for name, shape in bound.shapes.items()]
    of = tuple(one.of for one in arguments)
    slots = tuple(ArraySpec(name, shape) for name, shape in bound.shapes.items())
    if bound.book is dynamics.forward_dynamics:
        checked_options(**bound.options)
    if bound.options.get("blocks") == "lagrange" and bound.book is dynamics.forward_dynamics:
        raise TooLargeError("equations of blocks that are written out are straight-line code")
    if bound.book is dynamics.forward_dynamics and bound.options.get("method") == "hybrid":
        return _in_blocks(bound, slots, model)
    if bound.book is dynamics.forward_dynamics and bound.options.get("method") == "assembly":
        _require_parts(bound, model)
        schedule, loops = bound.options.get("schedule"), loop_bodies(model, _closing(bound, model))
        schedule = "balanced" if schedule is None else schedule
        return _in_levels(bound, slots, model, schedule_of(model, schedule, loops=loops))
    serial = bound.book is dynamics.forward_dynamics and bound.options.get("method") in (None, "articulated")
    if _closing(bound, model) is not None and (serial or facts(bound.book).corrects):
        return _closed(bound, slots, model)
    recording = record(bound.on_model, model, arguments)
    if not any(0 not in one.shape for one in recording.outputs):
        raise TooLargeError("it returns nothing")
    return LoopProgram(bound.name, slots, of, loops_of(recording))


def _argument(model: Model, name: str, shape: tuple[int, ...]) -> Argument:
    """Return an array as an argument of a recorded function: of all joints, of all bodies, or a few other numbers."""
    if name in POSITIONS and shape == (model.nq,):
        return Argument("nq", shape)
    if name in VELOCITIES and shape == (model.nv,):
        return Argument("nv", shape)
    if name in OF_BODIES and shape == (len(model.links), 6):
        return Argument("bodies", shape)
    if shape in ((model.nq,), (model.nv,)) and not name.startswith("wrench"):  # a user's: targets, gains
        return Argument("nv" if shape == (model.nv,) else "nq", shape)
    if int(np.prod(shape, dtype=int)) > FEW_NUMBERS:
        raise TooLargeError(f"{name} has {int(np.prod(shape, dtype=int))} entries and is not an array of all joints")
    return Argument("", shape)


def _closed(bound: BoundFunction, slots: tuple[ArraySpec, ...], model: Model) -> LevelProgram:
    """Return forward dynamics with closed loops (or their correction) on lanes, since it is more than sweeps."""
    try:
        _require_parts(bound, model)
        loops = loop_bodies(model, _closing(bound, model))
        made = schedule_on_lanes(model, target().width, loops)
        return _in_levels(bound, slots, model, made or schedule_of(model, "balanced", loops=loops))
    except ModelError as error:  # couplings, or inertias that cannot be inverted
        raise TooLargeError(str(error)) from error


def _closing(bound: BoundFunction, model: Model) -> Closing | None:
    """Return how loops are closed, if they are."""
    if not model.loops or bound.options.get("loops") == "ignore":
        return None
    if corrects := facts(bound.book).corrects:
        return Closing(corrects=corrects)
    return Closing(checked_gains(bound.options.get("stabilization")))


def _require_parts(bound: BoundFunction, model: Model) -> None:
    """Raise an error for forward dynamics by parts with more than independent joints and loops."""
    if any(_argument(model, name, shape).of == "" for name, shape in bound.shapes.items()):
        raise TooLargeError("forces on single bodies are given")
    if model.has_couplings:
        raise TooLargeError("it has mimic joints")
    dynamics.require_mass(model)


def _in_blocks(bound: BoundFunction, slots: tuple[ArraySpec, ...], model: Model) -> Staged:
    """Return hybrid forward dynamics in blocks, equal ones on lanes.

    With few equal blocks all bodies are one block, by the articulated-body algorithm.
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
    alike = schedule_on_lanes(model, target().width)
    return _in_levels(bound, slots, model, alike) if alike else _articulated(bound, slots)


def _articulated(bound: BoundFunction, slots: tuple[ArraySpec, ...]) -> LoopProgram:
    """Return forward dynamics by articulated bodies, for any method."""
    loops = bound.options.get("loops", "closed")

    def whole(model: Model, q: Any, v: Any, tau: Any) -> Any:
        return dynamics.forward_dynamics(model, q, v, tau, loops=loops)

    assert bound.model is not None
    arguments = [_argument(bound.model, slot.name, slot.shape) for slot in slots]
    made = loops_of(record(whole, bound.model, arguments))
    return LoopProgram(bound.name, slots, tuple(one.of for one in arguments), made)


def _in_levels(bound: BoundFunction, slots: tuple[ArraySpec, ...], model: Model, made: Schedule) -> LevelProgram:
    """Return forward dynamics by a schedule of joins, of single bodies or of blocks, on lanes."""
    require_inertia(model, made.blocks, made.joined)
    if max(map(len, made.blocks)) >= BODIES_IN_LOOPS:
        raise TooLargeError(f"a block has {max(map(len, made.blocks))} bodies")
    return LevelProgram(bound.name, slots, made, programs_of(model, made, _closing(bound, model)))
