"""The inverse kinematics problem: tasks, mechanism and options, and what can be computed before targets are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import interpreted
from linkwright.ik_solvers.search.distances import Apart, Point, distances, seen, strictest
from linkwright.ik_solvers.search.seeds import Starts, likenesses
from linkwright.ik_solvers.search.steps import Level, Range, ranges
from linkwright.ik_solvers.tasks import Joints, Pose, Position, Task
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose

RANK = 1e-4
"""Smallest singular value that counts, relative to the largest entry."""

MOVES = 1e-9
"""A coordinate moves a task whose Jacobian has such entries, of the mechanism's units."""


@dataclass(frozen=True)
class TaskProblem:
    """Tasks of a mechanism, and options of their solution."""

    model: Model
    tasks: tuple[Task, ...]
    limits: bool = True
    fixed: tuple[str, ...] = ()
    """joints that stay where they are"""

    @cached_property
    def priorities(self) -> list[int]:
        """Those there are, the first one first."""
        return sorted({task.priority for task in self.tasks})

    @cached_property
    def uses_start(self) -> bool:
        """Return whether a target depends on the displacement from the start."""
        return any(task.uses_start for task in self.tasks)

    @cached_property
    def moves(self) -> tuple[Array, Array]:
        """The coordinates (…,) and the velocities (…,) that move anything."""
        model = self.model
        touched = np.zeros(model.nv, dtype=bool)
        nothing = [np.zeros(0)] * len(self.tasks)
        for q in model.random(3, seed=0):
            for level in self.levels(model, q, nothing, q, jacobians_only=True):
                touched |= (np.abs(level.J) > MOVES).any(axis=0)
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
        """The rows of each priority, first the smallest, in the mechanism's units, the velocities too; loops
        are of the first."""
        found: list[Level] = []
        for number in self.priorities:
            J, e = [], [np.zeros(0)]
            if model.loops and not found:
                rows = scale_of(model).rows
                J.append(dynamics.constraint_jacobian(model, q) / rows[:, None])
                e.append(-dynamics.constraint_residual(model, q) / rows)
            for task, target in zip(self.tasks, targets, strict=True):
                if task.priority == number:
                    scale = self._factors(task)
                    if jacobians_only:
                        J.append(scale[:, None] * task.jacobian(model, q))
                    else:
                        own, error = task.jacobian_and_error(model, q, target, start)
                        J.append(scale[:, None] * own)
                        e.append(scale * error)
            found.append(Level(np.concatenate(J) * scale_of(self.model).velocities, np.concatenate(e)))
        return found

    def _factors(self, task: Task) -> Array:
        """By which the rows (m,) of a task are multiplied."""
        return np.sqrt(task.weight) / task.scales(self.model)

    def sizes(self, count: int) -> Array:
        """Return the weights of the rows of the first priorities, for errors in the mechanism's units."""
        loops = dynamics.constraint_residual(self.model, self.rest) if self.model.loops and count else np.zeros(0)
        found = [np.ones(len(loops))]
        for number in self.priorities[:count]:
            of_tasks = [task for task in self.tasks if task.priority == number]
            found += [np.full(len(task.scales(self.model)), np.sqrt(task.weight)) for task in of_tasks]
        return np.concatenate(found)

    @cached_property
    def ranks(self) -> list[int]:
        """Return the ranks of the rows of the first priority, of the first two, …, at most configurations.

        With loops they are zero: a configuration at which these are open has other ranks.
        """
        if self.model.loops:
            return [0] * len(self.priorities)
        nothing = [np.zeros(0)] * len(self.tasks)
        found = np.zeros(len(self.priorities), dtype=int)
        for q in self.model.random(3, seed=0):
            levels = self.levels(self.model, q, nothing, q, jacobians_only=True)
            rows = [level.J[:, self.moves[1]] for level in levels]
            of_q = [_rank(np.concatenate(rows[: k + 1])) for k in range(len(rows))]
            found = np.maximum(found, of_q)
        return [int(k) for k in found]

    @cached_property
    def leaves_freedom(self) -> bool:
        """Return whether targets do not decide the configuration; for mechanisms with loops it may be so."""
        return self.ranks[-1] < len(self.moves[1])

    @cached_property
    def finest(self) -> float:
        """Return the smallest weight of an error (m, rad) in the scaled rows; at most one."""
        return min(1.0, *(float(self._factors(task).min()) for task in self.tasks))

    def left(self, model: Model, q: Array, targets: Sequence[Array], start: Array) -> list[Array]:
        """Return the errors of every task, and of the loops if there are any."""
        found = [task.left(model, q, target, start) for task, target in zip(self.tasks, targets, strict=True)]
        return found + [dynamics.constraint_residual(model, q)] * bool(model.loops)

    @cached_property
    def apart(self) -> list[Apart]:
        """Return bounds of the distances between points that targets of the first priority place."""
        return self._apart(self.limits)

    @cached_property
    def apart_without_limits(self) -> list[Apart]:
        """The same if joints had no limits."""
        return self._apart(False)

    def _apart(self, limits: bool) -> list[Apart]:
        model, found = self.model, []
        tasks = [
            (k, one)
            for k, one in enumerate(self.tasks)
            if isinstance(one, Pose | Position) and one.priority == self.priorities[0]
        ]
        for base in {one.relative_to: None for _, one in tasks}:
            of = [(-1, base), *((k, one.frame) for k, one in tasks if one.relative_to == base)]
            frames = [model.frame(name) for _, name in of]
            told = distances(model, [(frame.body, frame.placement[:3, 3]) for frame in frames], limits)
            if told is None:
                continue
            placed = []
            for number, ((k, _), frame) in enumerate(zip(of, frames, strict=True)):
                known = {number: np.zeros(3)}
                if k < 0 or isinstance(self.tasks[k], Pose):
                    known = {at: seen(inverse_pose(frame.placement), x) for at, x in told.places[frame.body].items()}
                elif self.tasks[k].shape(model) != (3,):
                    continue
                placed.append({at: Point(k, x) for at, x in known.items()})
            for i, some in enumerate(placed):
                for others in placed[:i]:
                    found += strictest(some, others, told)
        return found

    @cached_property
    def starts(self) -> Starts:
        """Return the starts of the search."""
        return Starts(self.model, self.moves[0], self.limits)

    @cached_property
    def stored(self) -> tuple[Array, Array]:
        """Postures to start at (n, moving) and the factors of how far they are from a target."""

        def looked_at(model: Model, q: Array) -> tuple[Array, ...]:
            first = self.levels(model, q, [np.zeros(0)] * len(self.tasks), q, jacobians_only=True)[0]
            return first.J[:, self.moves[1]], *(np.asarray(task.value(model, q)) for task in self.tasks)

        q = self.starts.candidates(self.rest)
        J, *values = interpreted(looked_at, self.model, q)
        some = self.starts.promising(q, J)
        factors = likenesses(self.tasks, [x[some] for x in values], scale_of(self.model).length)
        return q[some][:, self.moves[0]], factors

    @cached_property
    def still(self) -> Array:
        """The coordinates that do not move."""
        return np.setdiff1d(np.arange(self.model.nq), self.moves[0])

    @cached_property
    def rest(self) -> Array:
        """Return the values (nq,) of coordinates that no task moves, without a start."""
        return np.clip(self.model.neutral(), self.model.lower, self.model.upper)

    @cached_property
    def ranges(self) -> tuple[list[Range], list[int]]:
        """The limits that bind, and coordinates that turn round."""
        bound, turning = ranges(self.model, self.straight)
        if len(self.priorities) > 1:  # the way is to be without jumps
            bound = [one._replace(gap=np.inf) for one in bound]
        return (bound if self.limits else []), turning

    @property
    def straight(self) -> list[str]:
        """Joints whose angles are targets themselves."""
        return self._named(self.priorities[0])

    def _named(self, *priorities: int) -> list[str]:
        """Joints whose angles are targets of these priorities."""
        named = [task.names for task in self.tasks if isinstance(task, Joints) and task.priority in priorities]
        everything = [joint.name for joint in self.model.joints]
        return [name for names in named for name in (everything if names is None else names)]

    @cached_property
    def circular(self) -> list[tuple[int, int]]:
        """Return the indices of moving periodic coordinates, and of their velocities."""
        model = self.model
        rates = {model.coordinate_names.index(x): self._rate(*place) for x, place in model.plain_coordinates.items()}
        if self.uses_start:  # the way from there, which a turn more makes longer
            return []
        bound, turning = ranges(model, self._named(*self.priorities))
        turning = [*turning, *(one.place for one in bound if np.isfinite(one.gap))]
        return [(k, rates[k]) for k in sorted(set(turning).intersection(self.moves[0].tolist()))]

    def _rate(self, joint: int, _: int, at_v: int) -> int:
        """Return the index in v of the velocity of a joint's coordinate."""
        return sum(one.nv for one in self.model.joints[:joint]) + at_v

    @cached_property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the arrays of the kernel."""
        shapes = {f"target{k}": task.shape(self.model) for k, task in enumerate(self.tasks)}
        return {"initial_guess": (self.model.nq,), **shapes, "settings": (6,)}


def _rank(J: Array) -> int:
    """Return the rank of a matrix, without rows that are nearly dependent on others."""
    return int(np.linalg.matrix_rank(J, RANK * np.abs(J).max(initial=0.0)))
