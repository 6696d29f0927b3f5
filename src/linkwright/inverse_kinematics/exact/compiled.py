"""The kernels of exact inverse kinematics: one for arms of a family, four for six joints of any geometry."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.public import kernel_of
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
        self._places = list(arm.places)

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
        twice = self._told_twice(rows, found[:, self._places])
        rows, found, left = rows[~twice], found[~twice], left[~twice]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)
        fits = place < self.branches
        q, error = np.full((n, self.branches, found.shape[1]), np.nan), np.full((n, self.branches), np.nan)
        q[rows[fits], place[fits]], error[rows[fits], place[fits]] = found[fits], left[fits]
        return q, error, np.asarray(fault)

    def _told_twice(self, rows: Array, found: Array) -> Array:
        """Which answers are one before them in their row again: roots that nearly meet may lead to one posture."""
        twice = np.zeros(len(rows), dtype=bool)
        for shift in range(1, self.branches):
            near = (rows[shift:] == rows[:-shift]) & (
                np.abs(np.sin(0.5 * (found[shift:, 0] - found[:-shift, 0]))) < 1e-6
            )
            of = np.flatnonzero(near) + shift
            gap = np.remainder(found[of] - found[of - shift] + np.pi, 2.0 * np.pi) - np.pi
            twice[of[np.abs(gap).max(axis=1) < 1e-6]] = True
        return twice


class Both:
    """Two openings of the ring: what one misses, where its roots nearly meet, the other finds."""

    branches = 16

    def __init__(self, first: Sixteen, second: Sixteen):
        self._each = (first, second)

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array]:
        (q, error, fault), (other, left, _) = (one(*arrays) for one in self._each)
        with np.errstate(invalid="ignore"):
            gap = np.abs(np.remainder(other[..., :, None, :] - q[..., None, :, :] + np.pi, 2.0 * np.pi) - np.pi)
            known = (gap.max(axis=-1) < 1e-5).any(axis=-1)
        for *row, k in np.argwhere(np.isfinite(left) & ~known):
            at = tuple(row)
            free = np.flatnonzero(np.isnan(error[at]))
            if len(free):
                q[at][free[0]], error[at][free[0]] = other[at][k], left[at][k]
        return q, error, fault


def all_roots(model: Model, arm: Arm, first: Elimination, others: Iterator[Elimination]) -> Branches:
    """The solver of six joints of any geometry; with a second opening where the first misses some of 2000 postures."""
    solver = Sixteen(model, arm, first)
    q = np.zeros((2000, model.nq)) + resting(model)
    places = list(arm.places)
    q[:, places] = np.random.default_rng(3).uniform(-np.pi, np.pi, (len(q), len(places)))
    held = first.way.held
    arrays = [kernel_of(dynamics.pose, model, frame=arm.frame)(q)] + (
        [] if held is None else [q[:, places[held]].copy()]
    )
    found, error, _ = solver(*arrays)
    with np.errstate(invalid="ignore"):
        gap = np.abs(np.remainder(found - q[:, None] + np.pi, 2.0 * np.pi) - np.pi)[..., places].max(axis=-1)
        missed = ~((gap < 1e-4) & (error < FAR)).any(axis=1)
    second = next(others, None) if missed.any() else None
    return solver if second is None else Both(solver, Sixteen(model, arm, second))


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
