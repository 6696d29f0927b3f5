"""The kernels of exact inverse kinematics: one for arms of a family, several for six joints of any geometry."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.user import stack
from linkwright.ik_solvers.exact.chain import Arm
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.families import JointSolution
from linkwright.ik_solvers.exact.formulas.general import RaghavanRothElimination, polynomial_of, turns_at
from linkwright.ik_solvers.exact.formulas.roots import (
    HARMONICS,
    brackets,
    cell_with_roots,
    cells_with_roots,
    root_between,
)
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine, both, pick, recorded_margins
from linkwright.ik_solvers.exact.postures import (
    coordinate,
    fault_of,
    into_limits,
    motion_to,
    orthonormal,
    without_turns,
)
from linkwright.ik_solvers.exact.tasks import PoseTarget
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, minimum

LOOSE = 1e-3
"""Where an answer is exact, others that are off by more than this are none (m and rad together)."""

FINE = 1e-11
"""Answers that are off by more are corrected by steps of Newton's."""

FAR = 0.3
"""The same tolerance for postures of nearly double roots, before they are classified."""

OWN = 1e-6
"""Steps of Newton's leave a root's angle by no more than this (its half's sine), or the posture may be another's."""

DEGENERATE = 1e-9
"""Targets with a squared relative distance from degenerate numbers below this may lack answers."""

APPROXIMATE = 1e-9
"""Arms whose family's formulas are off by more than this (m and rad together) belong to it only approximately."""

PERTURBED = 10.0
"""Margins that such an error perturbs, in parts of it."""

VANISHED = 1e-10
"""A polynomial smaller than this, in parts of those of random targets, is nothing: its roots are those of rounding."""

NOISE = 20.0
"""Factor of the estimated error of a polynomial that bounds it."""

DIGITS = 1e-13
"""It is not known better than to this, in parts of those of random targets."""

OPENINGS = 3
"""Largest number of joints at which the loop is opened for a target with uncertain solutions."""

ROWS = 4_000
"""So many targets are taken at once where arrays lie between kernels."""


class Branches(Protocol):
    """All answers to targets."""

    branches: int
    """the most answers a target can have"""
    separate: float
    """the squared relative distance from degenerate numbers below which targets count as degenerate"""

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array, Array]:
        """Solve for targets T (…, 4, 4)[, given (…)].

        Returns q (…, branches, nq), error (…, branches), the defect of each T (…), and whether T (…) is so close to
        a degenerate one that answers may be missing.
        """


def resting(model: Model) -> Array:
    """Where joints stay that do not move the frame."""
    return np.asarray(np.clip(model.neutral(), model.lower, model.upper))


def random_postures(arm: Arm) -> Array:
    """Fifteen postures (15, joints) at which an arm's usual numbers are found."""
    return np.random.default_rng(0).uniform(-3.0, 3.0, (15, len(arm.chain)))


def error_of_family(way: Decomposition, task: PoseTarget) -> float:
    """The error of the best answers of a family's formulas at random postures."""
    best = []
    with np.errstate(all="ignore"):
        for parts in random_postures(task.arm):
            target, given = task.target_of(parts), task.given_of(parts) if way.held is None else parts[way.held]
            answers = way.solve(task.motion(target), given)
            best.append(min(float(task.off(target, a)) if a.exists else np.inf for a in answers))
    return float(np.median(best))


def coordinates_of(model: Model, arm: Arm, way: Decomposition, answer: JointSolution, given: Any) -> list[Any]:
    """The coordinates of the arm's joints, within their limits where whole turns bring them there."""
    return [
        given if k == way.held else coordinate(turn, model.lower[place], model.upper[place])
        for k, (place, turn) in enumerate(zip(arm.places, answer.turns, strict=True))
    ]


class ClosedForm:
    """One kernel for an arm of a family."""

    def __init__(self, model: Model, arm: Arm, way: Decomposition, task: PoseTarget):
        rest = resting(model)
        misfit = error_of_family(way, task)
        self.separate = max(DEGENERATE, PERTURBED * misfit) if misfit > APPROXIMATE else DEGENERATE

        def solved(target: Array, given: Any) -> Any:
            fault, target = task.fault(target), task.cleaned(target)
            with recorded_margins(self.separate) as margins:
                answers = way.solve(task.motion(target), given)
            margin: Any = 1.0
            for x in margins:
                margin = minimum(margin, x)
            errors = [task.off(target, a) for a in answers]
            least: Any = np.inf
            for a, e in zip(answers, errors, strict=True):
                least = minimum(least, pick(a.exists, e, np.inf))
            rows, told = [], []
            for answer, e in zip(answers, errors, strict=True):
                kept = both(answer.exists, (e <= LOOSE) | (least > LOOSE))
                row = list(rest)
                for place, x in zip(arm.places, coordinates_of(model, arm, way, answer, given), strict=True):
                    row[place] = x
                rows.append(stack([pick(kept, x, np.nan) for x in row]))
                told.append(pick(kept, e, np.nan))
            return stack(rows), stack(told), fault, margin

        with np.errstate(all="ignore"):  # of what is no number
            self.kernel: Kernel = (
                compile(solved, target=task.shape, given=())
                if way.asks
                else compile(lambda target: solved(target, None), target=task.shape)
            )
        self.branches: int = self.kernel.program.outputs[1].shape[0]
        self.formulas = self.branches
        """how many of them have formulas"""
        self._more = 0
        if misfit > APPROXIMATE and len(arm.chain) - way.asks == 6:
            # near its singular postures such an arm has the answers of an arm of any geometry
            self.branches, self._more = AllRoots.branches, AllRoots.branches - self.branches

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array, Array]:
        q, error, fault, margin = self.kernel(*arrays)
        degenerate = ~(np.broadcast_to(margin, np.shape(error)[:-1]) > 0.0)
        if self._more:
            none = np.full((*np.shape(error)[:-1], self._more, q.shape[-1]), np.nan)
            q, error = np.concatenate([q, none], axis=-2), np.concatenate([error, none[..., 0]], axis=-1)
        return q, error, fault, degenerate


class RootPostures(NamedTuple):
    """Postures for a batch of targets, one after the other."""

    rows: Array
    """(m,) int: their targets, in order"""
    q: Array
    """(m, nq)"""
    error: Array
    """(m,)"""
    doubtful: Array
    """(n,) bool: targets with a root without an isolated posture, or with a multiple root"""
    fault: Array
    """(n,): what is wrong with the targets"""


class RootPosture(NamedTuple):
    """The posture of a root of the polynomial."""

    coordinates: list[Any]
    """of the arm's joints, within their limits where whole turns bring them there"""
    error: Any
    root: Any
    """rad"""
    moved: Any
    """the half sine of the angle by which Newton's steps left the root"""


def posture_at(
    model: Model,
    task: PoseTarget,
    elimination: RaghavanRothElimination,
    T: Array,
    given: Any,
    polynomial: Array,
    low: Any,
    high: Any,
) -> RootPosture:
    """Return the posture of the root between two angles."""
    arm, held = task.arm, elimination.way.held
    T = orthonormal(T)
    angle = root_between(polynomial, low, high)
    root = SineCosine(np.sin(angle), np.cos(angle))
    turns, third = turns_at(elimination, motion_to(arm, T), given, root)
    parts = [given if k == held else turn.angle() for k, turn in enumerate(turns)]
    parts, error = task.converged(parts, T, held, given, 2)
    coordinates = [
        x if k == held else into_limits(without_turns(x), model.lower[place], model.upper[place])
        for k, (place, x) in enumerate(zip(arm.places, parts, strict=True))
    ]
    return RootPosture(coordinates, error, angle, abs(np.sin(0.5 * (parts[third] - angle))))


class Opening:
    """Kernels for six joints of any geometry, the ring opened once: the equation of degree 16, its roots, postures."""

    def __init__(self, model: Model, task: PoseTarget, elimination: RaghavanRothElimination):
        arm, held = task.arm, elimination.way.held
        rest = resting(model)

        def equation(T: Array, given: Any, least: Any) -> Any:
            polynomial, noise = polynomial_of(elimination.by_harmonics(motion_to(arm, orthonormal(T)), given))
            noise = NOISE * noise + least
            return polynomial, noise, stack(cells_with_roots(polynomial, noise)), fault_of(T)

        def posture(T: Array, given: Any, polynomial: Array, low: Any, high: Any) -> Any:
            found = posture_at(model, task, elimination, T, given, polynomial, low, high)
            row = list(rest)
            for place, x in zip(arm.places, found.coordinates, strict=True):
                row[place] = x
            return stack(row), found.error, found.root, found.moved

        searched: dict[str, Any] = {"polynomial": (2 * HARMONICS + 1,), "low": (), "high": ()}
        if held is None:
            self._equation = compile(lambda T, least: equation(T, None, least), T=(4, 4), least=())
            self._posture = compile(
                lambda T, polynomial, low, high: posture(T, None, polynomial, low, high), T=(4, 4), **searched
            )
        else:
            self._equation = compile(equation, T=(4, 4), given=(), least=())
            self._posture = compile(posture, T=(4, 4), given=(), **searched)
        self.size = self._usual_size(task, held)
        """the usual size of the polynomials"""
        self._cell = compile(cell_with_roots, polynomial=searched["polynomial"], noise=(), middle=(), half=())
        self._correction = Correction(model, task, held)

    def _usual_size(self, task: PoseTarget, held: int | None) -> float:
        """The median size of the polynomials of random targets."""
        postures = random_postures(task.arm)
        arrays = [np.array([task.target_of(parts) for parts in postures])]
        if held is not None:
            arrays.append(np.ascontiguousarray(postures[:, held]))
        polynomials = self._equation(*arrays, 0.0)[0]
        return float(np.median(np.abs(polynomials).sum(axis=-1)))

    def __call__(self, *arrays: Array) -> RootPostures:
        n = len(arrays[0])
        polynomials, noise, cells, fault = self._equation(*arrays, DIGITS * self.size)
        rows, low, high, unclear = brackets(polynomials, noise, cells, self._cell)
        q, error, angle, moved = self._posture(*(x[rows] for x in arrays), polynomials[rows], low, high)
        with np.errstate(invalid="ignore"):
            near = np.nonzero((error > FINE) & (error < FAR))
            for _ in range(3 if len(near[0]) else 0):
                self._correction(q, error, near, arrays[0][rows])
            kept = error < LOOSE
            unclear |= ~kept | ~(moved < OWN)
        unclear[1:] |= (rows[1:] == rows[:-1]) & (angle[1:] - angle[:-1] < 10.0 * OWN)
        doubtful = ~(np.abs(polynomials).sum(axis=-1) > VANISHED * self.size)
        doubtful[rows[unclear]] = True
        doubtful |= np.bincount(rows, minlength=n) % 2 == 1
        if not kept.all():
            rows, q, error = rows[kept], q[kept], error[kept]
        return RootPostures(rows, q, error, doubtful, np.asarray(fault))


class AllRoots:
    """Six joints of any geometry: the ring opened at one joint, and for doubtful targets at others, too."""

    branches = 16
    separate = DEGENERATE

    def __init__(
        self, model: Model, task: PoseTarget, first: RaghavanRothElimination, others: Iterator[RaghavanRothElimination]
    ):
        self._model, self._task = model, task
        self._openings = [Opening(model, task, first)]
        self._others = others
        self._places = list(task.arm.places)

    @property
    def size(self) -> float:
        """The usual size of the polynomials of the first opening."""
        return self._openings[0].size

    def _opening(self, k: int) -> Opening | None:
        """The first, second, … opening, made when it is needed; None where there is none."""
        if k == len(self._openings):
            other = next(self._others, None)
            if other is None:
                return None
            self._openings.append(Opening(self._model, self._task, other))
        return self._openings[k]

    def __call__(self, *arrays: Array) -> tuple[Array, Array, Array, Array]:
        batch = np.broadcast_shapes(arrays[0].shape[:-2], *(x.shape for x in arrays[1:]))
        own = [x.shape[-2:] if k == 0 else () for k, x in enumerate(arrays)]
        n = math.prod(batch)
        flat = [np.broadcast_to(x, batch + shape).reshape(n, *shape) for x, shape in zip(arrays, own, strict=True)]
        q, error = np.full((n, self.branches, self._model.nq), np.nan), np.full((n, self.branches), np.nan)
        fault, degenerate = np.zeros(n), np.zeros(n, dtype=bool)
        for at in range(0, n, ROWS):
            some = slice(at, at + ROWS)
            fault[some], degenerate[some] = self._some([x[some] for x in flat], q[some], error[some])
        shape = (*batch, *q.shape[1:])
        return q.reshape(shape), error.reshape(shape[:-1]), fault.reshape(batch), degenerate.reshape(batch)

    def _some(self, arrays: list[Array], q: Array, error: Array) -> tuple[Array, Array]:
        """Write the answers to some targets into q and error.

        Returns the defects of the targets, and whether all openings leave a target doubtful.
        """
        n = len(q)
        rows, found, left, doubtful, fault = self._openings[0](*arrays)
        again = np.flatnonzero(doubtful)
        degenerate = doubtful
        more = [(rows, found, left)]
        for k in range(1, OPENINGS):
            opening = self._opening(k) if len(again) else None
            if opening is None:
                break
            others = opening(*(x[again] for x in arrays))
            more.append((again[others.rows], others.q, others.error))
            again = again[others.doubtful]
            degenerate = np.isin(np.arange(n), again)
        if doubtful.any():
            rows, found, left = (np.concatenate(one) for one in zip(*more, strict=True))
            order = np.lexsort((left, rows))  # the best first, if there is no place for all
            rows, found, left = rows[order], found[order], left[order]
            of = np.flatnonzero(doubtful[rows])
            told = of[told_twice(rows[of], found[of][:, self._places])]
            rows, found, left = np.delete(rows, told), np.delete(found, told, axis=0), np.delete(left, told)
        counts = np.bincount(rows, minlength=n)
        place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
        if counts.max(initial=0) > self.branches:
            fits = place < self.branches
            rows, place, found, left = rows[fits], place[fits], found[fits], left[fits]
        q[rows, place], error[rows, place] = found, left
        return fault, degenerate


def told_twice(rows: Array, q: Array) -> Array:
    """Which answers are one before them in their row again: roots that nearly meet may lead to one posture."""
    twice = np.zeros(len(rows), dtype=bool)
    for shift in range(1, int(np.bincount(rows).max(initial=1))):
        of = np.flatnonzero(rows[shift:] == rows[:-shift]) + shift
        gap = without_turns(q[of] - q[of - shift])
        twice[of[np.abs(gap).max(axis=1) < 10.0 * OWN]] = True
    return twice


class Correction:
    """A kernel that brings postures near a target to it."""

    def __init__(self, model: Model, task: PoseTarget, held: int | None):
        def correct(q: Array, target: Array, given: Any) -> Any:
            places = task.arm.places
            parts, error = task.converged([q[place] for place in places], target, held, given, 2)
            row = [q[i] for i in range(len(q))]
            for place, x in zip(places, parts, strict=True):
                row[place] = x
            return stack(row), error

        self._shapes = (task.shape, ())
        self._kernel = compile(correct, q=model.nq, target=task.shape, given=())

    def __call__(self, q: Array, error: Array, rows: tuple[Array, ...], target: Array, given: Any = 0.0) -> None:
        """Correct the answers at these indices, in place; their targets (…) and what is given are broadcast."""
        some = (
            np.broadcast_to(x, error.shape + own)[rows] for x, own in zip((target, given), self._shapes, strict=True)
        )
        better, left = self._kernel(q[rows], *some)
        kept = left < error[rows]
        taken = tuple(i[kept] for i in rows)
        q[taken], error[taken] = better[kept], left[kept]
