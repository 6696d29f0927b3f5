"""The kernels of exact inverse kinematics: one for arms of a family, four for six joints of any geometry."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.user import stack
from linkwright.inverse_kinematics.exact.chain import Arm
from linkwright.inverse_kinematics.exact.general import (
    ANGLES,
    FROM_VALUES,
    HARMONICS,
    Elimination,
    brackets,
    cells_with_roots,
    determinant,
    extremum_between,
    root_between,
    turns_at,
)
from linkwright.inverse_kinematics.exact.postures import (
    coordinate,
    corrected,
    fault_of,
    into_limits,
    motion_to,
    orthonormal,
)
from linkwright.inverse_kinematics.exact.subproblems import Turn, both, pick
from linkwright.inverse_kinematics.exact.tasks import Pose
from linkwright.inverse_kinematics.exact.ways import Way
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, minimum

LOOSE = 1e-3
"""Where an answer is exact, others that are off by more than this are none (m and rad together)."""

FINE = 1e-11
"""Answers that are off by more are corrected by steps of Newton's."""

FAR = 0.3
"""The same of postures of roots that are nearly double, before they are told."""

ROWS = 20_000
"""So many targets are taken at once where arrays lie between kernels."""


class Branches(Protocol):
    """All answers to targets."""

    branches: int
    """the most answers a target can have"""

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array]:
        """q (…, branches, nq), error (…, branches), and what is wrong with T (…), of T (…, 4, 4)[, given (…)]."""


def resting(model: Model) -> Array:
    """Where joints stay that do not move the frame."""
    return np.asarray(np.clip(model.neutral(), model.lower, model.upper))


class ClosedForm:
    """One kernel for an arm of a family."""

    def __init__(self, model: Model, arm: Arm, way: Way, task: Pose):
        rest = resting(model)

        def solved(target: Array, given: Any) -> Any:
            fault, target = task.fault(target), task.cleaned(target)
            answers = way.solve(task.motion(target), given)
            errors = [task.off(target, a) for a in answers]
            least: Any = np.inf
            for a, e in zip(answers, errors, strict=True):
                least = minimum(least, pick(a.exists, e, np.inf))
            rows, told = [], []
            for answer, e in zip(answers, errors, strict=True):
                kept = both(answer.exists, (e <= LOOSE) | (least > LOOSE))
                row = list(rest)
                for k, (place, turn) in enumerate(zip(arm.places, answer.turns, strict=True)):
                    bounds = model.lower[place], model.upper[place]
                    row[place] = given if k == way.held else coordinate(turn, *bounds)
                rows.append(stack([pick(kept, x, np.nan) for x in row]))
                told.append(pick(kept, e, np.nan))
            return stack(rows), stack(told), fault

        with np.errstate(all="ignore"):  # of what is no number
            self.kernel: Kernel = (
                compile(solved, target=task.shape, given=())
                if way.asks
                else compile(lambda target: solved(target, None), target=task.shape)
            )
        self.branches: int = self.kernel.program.outputs[1].shape[0]

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array]:
        found: tuple[Array, Array, Array] = self.kernel(*arrays)
        return found


class Sixteen:
    """Four kernels for six joints of any geometry: the equations, their determinant, its roots, postures."""

    branches = 16

    def __init__(self, model: Model, arm: Arm, elimination: Elimination):
        held = elimination.way.held
        rest = resting(model)

        def equations(T: Array, given: Any) -> Any:
            return elimination.by_harmonics(motion_to(arm, orthonormal(T)), given), fault_of(T)

        def posture(T: Array, given: Any, polynomial: Array, low: Any, high: Any) -> Any:
            T = orthonormal(T)
            angle = root_between(polynomial, low, high)
            turns = turns_at(elimination, motion_to(arm, T), given, Turn(np.sin(angle), np.cos(angle)))
            parts = [given if k == held else turn.angle() for k, turn in enumerate(turns)]
            parts, error = corrected(arm, held, parts, T, 3)
            row = list(rest)
            for k, (place, x) in enumerate(zip(arm.places, parts, strict=True)):
                bounds = model.lower[place], model.upper[place]
                whole = x if k == held else x - 2.0 * np.pi * np.rint(x / (2.0 * np.pi))
                row[place] = whole if k == held else into_limits(whole, *bounds)
            return stack(row), error

        searched: dict[str, Any] = {"polynomial": (2 * HARMONICS + 1,), "low": (), "high": ()}
        if held is None:
            self._equations = compile(lambda T: equations(T, None), T=(4, 4))
            self._posture = compile(
                lambda T, polynomial, low, high: posture(T, None, polynomial, low, high), T=(4, 4), **searched
            )
        else:
            self._equations = compile(equations, T=(4, 4), given=())
            self._posture = compile(posture, T=(4, 4), given=(), **searched)
        self._cells = compile(lambda polynomial: stack(cells_with_roots(polynomial)), polynomial=searched["polynomial"])
        self._correction = Correction(model, arm, held)
        self._extremum = compile(extremum_between, **searched)
        self._value = compile(determinant, coefficients=(3, 6, 9), s=(), c=())

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array]:
        batch = np.broadcast_shapes(arrays[0].shape[:-2], *(x.shape for x in arrays[1:]))
        own = [x.shape[-2:] if k == 0 else () for k, x in enumerate(arrays)]
        n = math.prod(batch)
        flat = [np.broadcast_to(x, batch + shape).reshape(n, *shape) for x, shape in zip(arrays, own, strict=True)]
        parts = [self._some(*(x[at : at + ROWS] for x in flat)) for at in range(0, max(n, 1), ROWS)]
        q, error, fault = (np.concatenate(one) for one in zip(*parts, strict=True))
        return q.reshape(*batch, *q.shape[1:]), error.reshape(*batch, self.branches), fault.reshape(batch)

    def _some(self, *arrays: Array) -> tuple[Array, Array, Array]:
        n = len(arrays[0])
        coefficients, fault = self._equations(*arrays)
        values = self._value(coefficients[:, None], np.sin(ANGLES), np.cos(ANGLES))
        polynomials = values @ FROM_VALUES
        polynomials[~np.isfinite(polynomials).all(axis=1)] = 0.0
        rows, low, high = brackets(polynomials, self._cells(polynomials), self._extremum)
        found, left = self._posture(*(x[rows] for x in arrays), polynomials[rows], low, high)
        with np.errstate(invalid="ignore"):
            near = (left > FINE) & (left < FAR)
        for _ in range(3 if near.any() else 0):
            self._correction(found, left, near, arrays[0][rows])
        with np.errstate(invalid="ignore"):
            kept = left < LOOSE
        rows, found, left = rows[kept], found[kept], left[kept]
        twice = self._told_twice(rows, found)
        rows, found, left = rows[~twice], found[~twice], left[~twice]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)
        fits = place < self.branches
        q, error = np.full((n, self.branches, found.shape[1]), np.nan), np.full((n, self.branches), np.nan)
        q[rows[fits], place[fits]], error[rows[fits], place[fits]] = found[fits], left[fits]
        return q, error, np.asarray(fault)

    def _told_twice(self, rows: Array, found: Array) -> Array:
        """Which answers are the same as the one before them, or the last of a row as its first."""
        twice = np.zeros(len(rows), dtype=bool)
        if not len(rows):
            return twice
        first = np.searchsorted(rows, rows)
        last = np.searchsorted(rows, rows, side="right") - 1
        for of, other in ((np.arange(1, len(rows)), np.arange(len(rows) - 1)), (last, first)):
            same = (rows[of] == rows[other]) & (of != other)
            gap = np.remainder(found[of] - found[other] + np.pi, 2.0 * np.pi) - np.pi
            twice[of[same & (np.abs(gap).max(axis=1) < 1e-6)]] = True
        return twice


class Correction:
    """A kernel that brings postures near a target to it."""

    def __init__(self, model: Model, arm: Arm, held: int | None):
        def correct(q: Array, T: Array) -> Any:
            parts, error = corrected(arm, held, [q[place] for place in arm.places], orthonormal(T))
            row = [q[i] for i in range(len(q))]
            for place, x in zip(arm.places, parts, strict=True):
                row[place] = x
            return stack(row), error

        self._kernel = compile(correct, q=model.nq, T=(4, 4))

    def __call__(self, q: Array, error: Array, near: Array, T: Array) -> None:
        """Correct, in place, the answers that are told."""
        rows = np.nonzero(near)
        better, left = self._kernel(q[rows], np.broadcast_to(T, (*error.shape, 4, 4))[rows])
        kept = left < error[rows]
        taken = tuple(i[kept] for i in rows)
        q[taken], error[taken] = better[kept], left[kept]
