"""The kernel of inverse kinematics: from a target, and a start or none, to coordinates, in one loop of machine code.

A row goes on until its target is reached or its attempts are used up. An attempt is given up as soon as it stalls, and
the next one starts elsewhere, in the same loop: so every step of every lane serves a row that is not done yet. The
loop stops when the next step is sure to reach the target, as far as can be foreseen; what is reached is computed after
that step and told, so that nothing is taken for reached that is not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not
from linkwright.errors import InputError
from linkwright.inverse_kinematics.seeds import Starts, likenesses, nearest
from linkwright.inverse_kinematics.steps import (
    TURN,
    Level,
    Range,
    Step,
    damping_at_edge,
    damping_of,
    damping_of_rest,
    prioritised_step,
    ranges,
    single_step,
)
from linkwright.inverse_kinematics.tasks import ROTATION, Joints, Task
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.repeats import repeat, until

AGE = 20
"""An attempt's steps, at most."""
SLOW_AGE = 400
"""The same of several priorities, of which later ones may be approached slowly, and on the way to what is nearest."""

LOOK, LESS, NEAR = 3, 0.5, 1e-4
"""After so many steps the square of the error is to be so much less, unless it is near."""

AT_REST = 1e-18
"""The square of a step that leads nowhere."""

STEPS = 100_000
"""of a row, at most"""

MOVES = 1e-9
"""A coordinate moves a task whose Jacobian has such entries, of the mechanism's units."""

SEARCHING, DONE, WRONG = 0.0, 1.0, 2.0
"""States: attempts used up; done; the target is none."""

SETTLED = 1e-6
"""Errors of later priorities that change by less, by squares, while that of the first is less."""

HUGE = 1e300
"""Sums below are of finite numbers."""

POLISHED = 4
"""Steps of the first priority alone, at the end."""


Manner = Literal["quick", "patient", "nearest"]
"""Attempts are given up soon; or late, and damped little at the end; or never, on the way to what is nearest."""

DAMPINGS: dict[Manner, Callable[[Array], Any]] = {
    "quick": damping_of,
    "patient": damping_at_edge,
    "nearest": damping_of_rest,
}


@dataclass(frozen=True)
class Problem:
    """What is solved: which tasks of which mechanism, and how."""

    model: Model
    tasks: tuple[Task, ...]
    started: bool
    """whether a start is given"""
    limits: bool = True
    fixed: tuple[str, ...] = ()
    """joints that stay where they are"""
    manner: Manner = "quick"

    @cached_property
    def moves(self) -> tuple[Array, Array]:
        """The coordinates (…,) and the velocities (…,) that move anything."""
        model, units = self.model, scale_of(self.model).velocities
        touched = np.zeros(model.nv, dtype=bool)
        nothing = [np.zeros(0)] * len(self.tasks)
        for q in model.random(3, seed=0):
            for level in self.levels(model, q, nothing, q, jacobians_only=True):
                touched |= (np.abs(level.J) * units > MOVES).any(axis=0)
        coordinates, velocities = np.zeros(model.nq, dtype=bool), np.zeros(model.nv, dtype=bool)
        for joint in model.joints:
            places = model.slice(joint.name)
            coordinates[places.q] = velocities[places.v] = touched[places.v].any()
        for name in self.fixed:
            places = model.slice(name)
            coordinates[places.q] = velocities[places.v] = False
        return np.flatnonzero(coordinates), np.flatnonzero(velocities)

    def levels(
        self, model: Model, q: Array, targets: Sequence[Array], start: Array, jacobians_only: bool = False
    ) -> list[Level]:
        """The rows of each priority, first the smallest, in the mechanism's units; loops are of the first."""
        found: list[Level] = []
        for number in sorted({task.priority for task in self.tasks}):
            J, e = [], []
            if model.loops and not found:
                rows = scale_of(model).rows
                J.append(dynamics.constraint_jacobian(model, q) / rows[:, None])
                e.append(-dynamics.constraint_residual(model, q) / rows)
            for task, target in zip(self.tasks, targets, strict=True):
                if task.priority == number:
                    scale = np.sqrt(task.weight) / task.scales(self.model)
                    J.append(scale[:, None] * task.jacobian(model, q))
                    e.append(np.zeros(0) if jacobians_only else scale * task.error(model, q, target, start))
            found.append(Level(np.concatenate(J), np.concatenate(e)))
        return found

    @cached_property
    def starts(self) -> Starts:
        """Where to start."""
        return Starts(self.model, self.moves[0], self.limits)

    @cached_property
    def stored(self) -> tuple[Array, Array]:
        """Postures to start at (n, moving) and the factors of how far they are from a target."""

        def looked_at(model: Model, q: Array) -> tuple[Array, ...]:
            first = self.levels(model, q, [np.zeros(0)] * len(self.tasks), q, jacobians_only=True)[0]
            return first.J[:, self.moves[1]], *(np.asarray(task.value(model, q)) for task in self.tasks)

        q = self.starts.candidates(self.rest)
        J, *values = compile_or_not(looked_at, self.model)(q)
        some = self.starts.promising(q, J * scale_of(self.model).velocities[self.moves[1]])
        factors = likenesses(self.tasks, [x[some] for x in values], scale_of(self.model).length)
        return q[some][:, self.moves[0]], factors

    @cached_property
    def still(self) -> Array:
        """The coordinates that do not move."""
        return np.setdiff1d(np.arange(self.model.nq), self.moves[0])

    @cached_property
    def rest(self) -> Array:
        """Where coordinates are (nq,) that nothing moves, without a start."""
        return np.clip(self.model.neutral(), self.model.lower, self.model.upper)

    @cached_property
    def ranges(self) -> tuple[list[Range], list[int]]:
        """The limits that bind, and coordinates that turn round."""
        bound, turning = ranges(self.model, self.straight)
        if (
            self.manner == "nearest" or len({task.priority for task in self.tasks}) > 1
        ):  # the way is to be without jumps
            bound = [one._replace(gap=np.inf) for one in bound]
        return (bound if self.limits else []), turning

    @property
    def straight(self) -> list[str]:
        """Joints whose angles are targets themselves."""
        named = [task.names for task in self.tasks if isinstance(task, Joints) and task.priority == self.first]
        everything = [joint.name for joint in self.model.joints]
        return [name for names in named for name in (everything if names is None else names)]

    @cached_property
    def circular(self) -> list[tuple[int, int]]:
        """Moving coordinates, and their rates, that are the same a turn later."""
        model = self.model
        rates = {model.coordinate_names.index(x): self._rate(*place) for x, place in model.plain_coordinates.items()}
        bound, turning = ranges(model, self.straight)
        turning = [*turning, *(one.place for one in bound if np.isfinite(one.gap))]
        return [(k, rates[k]) for k in sorted(set(turning).intersection(self.moves[0].tolist()))]

    def _rate(self, joint: int, _: int, at_v: int) -> int:
        """Where in v the velocity of a joint's coordinate is."""
        return sum(one.nv for one in self.model.joints[:joint]) + at_v

    @cached_property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the arrays of the kernel."""
        shapes = {f"target{k}": task.shape(self.model) for k, task in enumerate(self.tasks)}
        start = {"start": (self.model.nq,)} if self.started else {}
        return {**start, **shapes, "settings": (3,)}

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """(start, targets, [tolerance, restarts, random]) -> q (nq,), told (5,), errors (tasks,)."""

        def inverse_kinematics(model: Model, *arrays: Array) -> Any:
            given = dict(zip(self.inputs, arrays, strict=True))
            targets = [given[f"target{k}"] for k in range(len(self.tasks))]
            return self.solve(model, given.get("start"), targets, *given["settings"])

        if not len(self.moves[0]):
            told = " and ".join(map(str, self.tasks))
            raise InputError(f"nothing that may move of {self.model.name!r} moves {told}")
        if not self.started:
            assert self.stored  # which takes a kernel of its own, before this one is traced
        return compile_or_not(inputs_named(inverse_kinematics, self.inputs), self.model, **self.inputs)

    def solve(
        self,
        model: Model,
        start: Array | None,
        targets: list[Array],
        tolerance: Any,
        restarts: Any,
        random: Any,
        more: int = 0,
    ) -> tuple[Array, Array, Array]:
        """The solver, of one row: of numbers or of symbols; ``more`` steps at the end make derivatives exact."""
        at_q, at_v = self.moves
        starts = self.starts
        others = self.rest if start is None else start
        places = {place: k for k, place in enumerate(at_q.tolist())}

        def whole(x: Array) -> Array:
            return np.stack([x[places[k]] if k in places else others[k] for k in range(model.nq)])

        if start is None:
            first = nearest(*self.stored, np.concatenate([np.zeros(0), *map(_likeness, self.tasks, targets)]))
        else:
            within = {one.place: one.kept for one in self.ranges[0]}
            first = np.stack([within[k](start[k]) if k in within else start[k] for k in at_q.tolist()])
        begin = whole(first)
        wrong: Any = 0.0
        for task, target in zip(self.tasks, targets, strict=True):
            flaw = task.flaw(target)
            wrong = where((flaw < ROTATION**2) & (abs(target).sum() < HUGE), wrong, WRONG)
        if start is not None:
            wrong = where(abs(start).sum() < HUGE, wrong, WRONG)

        uses_start = any(task.uses_start for task in self.tasks)
        farthest = max(float(task.scales(self.model).max()) for task in self.tasks)

        def step(x: Array, age: Any, before: Array, attempt: Any, state: Any) -> Any:
            q = whole(x)
            levels = [Level(J[:, at_v], e) for J, e in self.levels(model, q, targets, begin)]
            squares = np.stack([level.e @ level.e for level in levels])
            taken = self._step(levels, x)
            due = age - LOOK * np.floor((age + 0.5) / LOOK) > LOOK - 1.5
            moved, kept = self._moved(model, q, taken.v)
            over = (taken.v @ taken.v < 0.25 * tolerance) & (taken.left < 0.06 * tolerance * tolerance) & kept
            old = age >= (AGE if len(levels) == 1 and self.manner == "quick" and not uses_start else SLOW_AGE)
            if uses_start:  # of which the way is part: it is approached step by step, not foreseen
                over = over & (squares.sum() < 0.25 * (tolerance / farthest) ** 2)
            if len(levels) > 1:
                rest, rest_before = squares[1:].sum(), before[1:].sum()
                settled = (due & (abs(rest - rest_before) < SETTLED * rest)) | old
                over = over | ((squares[0] < SETTLED) & settled)
            if self.manner != "nearest":
                stalled = due & (squares[0] > LESS * before[0]) & (squares[0] > NEAR)
                again = (stalled | old) & ~over
            else:
                over, again = over | old | (taken.v @ taken.v < AT_REST), np.bool_(False)
            fresh = starts.draw(attempt + 1.0 + random)
            return (
                where(again, fresh, moved),
                where(again, 0.0, age + 1.0),
                where(again, 1e300, where(due, squares, before)),
                where(again, attempt + 1.0, attempt),
                where(over, DONE, state),
            )

        def stops(x: Array, age: Any, before: Array, attempt: Any, state: Any) -> Any:
            return (state > 0.5) | (attempt > restarts)

        never = np.full(len({task.priority for task in self.tasks}), 1e300)
        x, _, _, attempt, state, steps = until(stops, step, first, 0.0, never, 0.0, wrong, limit=STEPS)
        if more := max(more, POLISHED if len(never) > 1 else 0):

            def polish(_: Any, x: Array) -> Array:
                q = whole(x)
                J, e = self.levels(model, q, targets, begin)[0]
                return self._moved(model, q, self._step([Level(J[:, at_v], e)], x).v)[0]

            x = repeat(more, polish, x)
        q = self._wrapped(whole(x), start)
        squares = [left @ left for left in self.left(model, q, targets, begin)]
        first_ones = [one for one, task in zip(squares, self.tasks, strict=False) if task.priority == self.first]
        first_ones += squares[len(self.tasks) :]  # of the loops
        starts_tried = attempt + where(abs(state - DONE) < 0.5, 1.0, 0.0)
        told = np.stack([np.sqrt(sum(squares)), np.sqrt(sum(first_ones)), steps, starts_tried, state])
        return q, told, np.stack([np.sqrt(one) for one in squares[: len(self.tasks)]])

    @cached_property
    def first(self) -> int:
        """The priority that comes first."""
        return min(task.priority for task in self.tasks)

    def left(self, model: Model, q: Array, targets: Sequence[Array], start: Array) -> list[Array]:
        """What is missing of every task, and of the loops if there are any."""
        found = [task.left(model, q, target, start) for task, target in zip(self.tasks, targets, strict=True)]
        return found + [dynamics.constraint_residual(model, q)] * bool(model.loops)

    def _step(self, levels: list[Level], x: Array) -> Step:
        at_q, at_v = (one.tolist() for one in self.moves)
        outside: list[Any] = [None] * len(at_v)
        for one in self.ranges[0]:
            if one.rate in at_v and one.place in at_q:
                here = at_q.index(one.place)
                outside[at_v.index(one.rate)] = _leaving(one, x[here])
        damping = DAMPINGS[self.manner]
        if len(levels) == 1:
            return single_step(levels[0], outside, damping)
        return prioritised_step(levels, outside, damping)

    def _moved(self, model: Model, q: Array, v: Array) -> tuple[Array, Any]:
        """The moving coordinates a step later, within their limits, and whether these changed nothing."""
        at_q, at_v = self.moves
        rates = {place: k for k, place in enumerate(at_v.tolist())}
        full = np.stack([v[rates[k]] if k in rates else 0.0 * v[0] for k in range(model.nv)])
        moved, kept = list(dynamics.integrate(model, q, full)), np.bool_(True)
        for one in self.ranges[0]:
            if one.place in at_q:
                kept = kept & one.holds(moved[one.place])
                moved[one.place] = one.kept(moved[one.place])
        return np.stack([moved[k] for k in at_q]), kept

    def _wrapped(self, q: Array, start: Array | None) -> Array:
        """Angles that turn round, brought into their ranges; from a start, only those that left them."""
        entries = list(q)
        for k in set(self.ranges[1]).intersection(self.moves[0].tolist()):
            lower, upper = self.model.lower[k], self.model.upper[k]
            if np.isinf(lower) and np.isinf(upper) and start is not None:
                continue
            if np.isfinite(lower) and np.isfinite(upper):
                low = 0.5 * (lower + upper) - np.pi
            else:
                low = lower if np.isfinite(lower) else upper - TURN if np.isfinite(upper) else -np.pi
            inside = (
                (entries[k] >= max(lower, low)) & (entries[k] <= min(upper, low + TURN))
                if start is None
                else ((entries[k] >= lower) & (entries[k] <= upper))
            )
            entries[k] = where(inside, entries[k], entries[k] - TURN * np.floor((entries[k] - low) / TURN))
        return np.stack(entries)


def inputs_named(function: Callable[..., Any], inputs: Iterable[str]) -> Callable[..., Any]:
    """The function of a model and any number of arrays, with names for these."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in ("model", *inputs)])
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _leaving(one: Range, x: Any) -> Callable[[Any], Any]:
    """Of a velocity, whether it takes the coordinate out of its range."""
    return lambda v: one.leaves({one.place: x}, {one.rate: v})  # type: ignore[arg-type]


def _likeness(task: Task, target: Array) -> Array:
    return task.likeness(target)
