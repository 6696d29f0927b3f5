"""Which form a program takes, by its size and what it is: straight lines, loops over bodies, joins on lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.algorithms import OF_BODIES, POSITIONS, VELOCITIES, facts
from linkwright.compiler.front.bind import BoundFunction
from linkwright.compiler.front.sweeps import Argument, record
from linkwright.compiler.front.trace import trace, uncollected
from linkwright.compiler.ir.program import ArraySpec, Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native.machine import target
from linkwright.compiler.passes.rematerialization import loops_of
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.compiler.schedules.assembly.programs import programs_of
from linkwright.compiler.schedules.loops import LoopProgram
from linkwright.dynamics.assembly.choice import block_schedule, schedule_on_lanes
from linkwright.dynamics.assembly.loops import Closing, loop_bodies
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.schedule import Schedule, schedule_of
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.dynamics.forward import checked_options
from linkwright.errors import ModelError, NoDerivativeError, TooLargeError, counted
from linkwright.model.tree import Model
from linkwright.status import telling

BODIES_IN_LOOPS = 100
"""Number of bodies from which an algorithm of sweeps is compiled as loops."""

BODIES_IN_MATRICES = 50
"""Bodies from which matrices of all joints are: their straight lines take many seconds to compile, and in single rows
twice as long to run."""

FEW_NUMBERS = 1000
"""Entries up to which arrays that are not of all joints are taken by loops over bodies."""


def bodies_in_loops(bound: BoundFunction) -> int:
    """From how many bodies on a function is no straight line if it can be something else."""
    return min(BODIES_IN_MATRICES, BODIES_IN_LOOPS) if facts(bound.book).matrices else BODIES_IN_LOOPS


@telling(lambda bound: f"compiling {bound.title}")
@uncollected()
def program(bound: BoundFunction, unroll: bool | None = None) -> Program | Staged:
    """Straight-line code, or loops over the bodies: as told, else as the size of the mechanism calls for.

    What cannot be the one, or would be too long, is the other. Raises :class:`TooLargeError` with the reasons where
    it can be neither.
    """
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
        except TooLargeError as error:  # perhaps it is small enough, or made of sweeps
            failures[form] = error
    if unroll is False:
        raise TooLargeError(
            f"{_told(bound)} cannot run as loops over the bodies (unroll=False): {failures[in_loops]}; without that "
            "option straight-line code is made"
        ) from None
    no_loops = ""
    if in_loops in failures and bodies >= few:  # of few bodies nobody asks for loops
        no_loops = f"; it cannot run as loops over the bodies, for {failures[in_loops]}"
    instead = "compile its parts as several functions"
    if bodies >= BODIES_IN_LOOPS:
        instead += " (to solve with the mass matrix, forward_dynamics takes no matrix)"
    if unroll:
        instead = "that was asked for (unroll=True); without that option it may run as loops over the bodies"
    too_long = f"{_told(bound)} is too large for straight-line code: {failures[trace]}"
    raise TooLargeError(f"{too_long}{no_loops}; {instead}") from None


def _told(bound: BoundFunction) -> str:
    """The function and the mechanism, for messages."""
    model = bound.model
    return (
        bound.name
        if model is None
        else f"{bound.name} of {model.name!r} ({counted(len(model.links), 'body', 'bodies')})"
    )


def in_loops(bound: BoundFunction) -> Staged:
    """The bound function as loops over the bodies; :class:`TooLargeError` where it is more than sweeps."""
    model = bound.model
    if model is None or bound.on_model is None or not model.links:
        raise TooLargeError("there are no bodies to go over")
    arguments = [_argument(model, name, shape) for name, shape in bound.shapes.items()]
    of = tuple(one.of for one in arguments)
    slots = tuple(ArraySpec(name, shape) for name, shape in bound.shapes.items())
    if bound.book is dynamics.forward_dynamics:
        checked_options(**bound.options)
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
        raise TooLargeError("it gives nothing")
    return LoopProgram(bound.name, slots, of, loops_of(recording))


def _argument(model: Model, name: str, shape: tuple[int, ...]) -> Argument:
    """An array as what is recorded: of all joints, of all bodies, or of a few numbers that belong to no body."""
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
    """Forward dynamics with closed loops (or what closes them), which is more than sweeps: assembled on lanes."""
    try:
        _require_parts(bound, model)
        loops = loop_bodies(model, _closing(bound, model))
        made = schedule_on_lanes(model, target().width, loops)
        return _in_levels(bound, slots, model, made or schedule_of(model, "balanced", loops=loops))
    except ModelError as error:  # coordinates are tied, or bodies cannot be taken apart
        raise TooLargeError(str(error)) from error


def _closing(bound: BoundFunction, model: Model) -> Closing | None:
    """How loops are closed, if they are."""
    if not model.loops or bound.options.get("loops") == "ignore":
        return None
    if corrects := facts(bound.book).corrects:
        return Closing(corrects=corrects)
    return Closing(constrained.checked_gains(bound.options.get("stabilization")))


def _require_parts(bound: BoundFunction, model: Model) -> None:
    """Raise where forward dynamics by parts is of more than joints and loops that are independent of each other."""
    if any(_argument(model, name, shape).of == "" for name, shape in bound.shapes.items()):
        raise TooLargeError("forces on single bodies are given")
    if model.has_couplings:
        raise TooLargeError("joints follow others")
    dynamics.require_mass(model)


def _in_blocks(bound: BoundFunction, slots: tuple[ArraySpec, ...], model: Model) -> Staged:
    """Hybrid forward dynamics: in blocks, those alike on lanes.

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
    alike = schedule_on_lanes(model, target().width)
    return _in_levels(bound, slots, model, alike) if alike else _articulated(bound, slots)


def _articulated(bound: BoundFunction, slots: tuple[ArraySpec, ...]) -> LoopProgram:
    """Forward dynamics by articulated bodies, whatever the method that was asked for."""
    loops = bound.options.get("loops", "closed")

    def whole(model: Model, q: Any, v: Any, tau: Any) -> Any:
        return dynamics.forward_dynamics(model, q, v, tau, loops=loops)

    assert bound.model is not None
    arguments = [_argument(bound.model, slot.name, slot.shape) for slot in slots]
    made = loops_of(record(whole, bound.model, arguments))
    return LoopProgram(bound.name, slots, tuple(one.of for one in arguments), made)


def _in_levels(bound: BoundFunction, slots: tuple[ArraySpec, ...], model: Model, made: Schedule) -> LevelProgram:
    """Forward dynamics by a schedule of joins, of single bodies or of blocks, on lanes."""
    require_inertia(model, made.blocks, made.joined)
    if max(map(len, made.blocks)) >= BODIES_IN_LOOPS:
        raise TooLargeError(f"a block has {max(map(len, made.blocks))} bodies")
    return LevelProgram(bound.name, slots, made, programs_of(model, made, _closing(bound, model)))
