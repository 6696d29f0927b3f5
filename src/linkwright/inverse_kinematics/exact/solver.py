"""Exact inverse kinematics of a model's frame: all branches of a batch of targets in one kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.user import stack
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, UnknownNameError, explained
from linkwright.inverse_kinematics.exact.chain import Arm, Chain, Motion, arm_of
from linkwright.inverse_kinematics.exact.explain import explanation
from linkwright.inverse_kinematics.exact.families import Answer
from linkwright.inverse_kinematics.exact.subproblems import Turn, both, cross, dot, pick
from linkwright.inverse_kinematics.exact.ways import Way, ways
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, minimum
from linkwright.spatial.linalg import solve_symmetric

TURN = 2.0 * np.pi

LOOSE = 1e-3
"""Where an answer is exact, others that are off by more than this are none (m and rad together)."""

FINE = 1e-11
"""Answers that are off by more are corrected by steps of Newton's."""


@dataclass(frozen=True, eq=False)
class Solutions:
    """All answers for a batch of targets."""

    q: Array
    """(…, branches, nq); NaN where a branch does not exist. Hinges are in (-π, π], or within their limits if a whole
    number of turns brings them there"""
    exact: Array
    """(…, branches) bool; where none of a target's answers is, they are those that come near it"""
    error: Array
    """(…, branches): what is left, the distance (m) and 2 sin(angle / 2) together; NaN where a branch does not exist"""
    lower: Array
    upper: Array
    places: tuple[int, ...]
    """where in q the arm's coordinates stand"""
    hinges: Array
    """(nq,) bool: the coordinates that may turn by whole turns"""

    @cached_property
    def within(self) -> Array:
        """(…, branches) bool: whether an answer exists and keeps the limits of all joints of the arm."""
        q, at = self.q, list(self.places)
        kept = (q >= self.lower - 1e-12) & (q <= self.upper + 1e-12)
        return np.asarray(kept[..., at].all(axis=-1))

    @property
    def count(self) -> Array:
        """(…) int: the number of exact answers."""
        return np.asarray(self.exact.sum(axis=-1))

    def nearest(self, q: Any, limits: bool = True) -> Array:
        """The exact answer (…, nq) nearest to q (…, nq) by Σ|Δq|, within the limits; NaN where there is none.

        Hinges are brought as near to q as whole turns bring them, where their limits allow it. ``limits`` False
        counts answers outside the limits too.
        """
        given = as_numbers("q", q)
        nq = self.q.shape[-1]
        if given.shape[-1:] != (nq,):
            raise ShapeError(f"q has shape {given.shape}; expected (…, {nq})")
        to = given[..., None, :]
        turns = np.round((to - self.q) / TURN) * TURN * self.hinges
        moved = self.q + turns
        if limits:
            moved = np.where((moved >= self.lower) & (moved <= self.upper), moved, self.q)
        at = list(self.places)
        far = np.abs(moved - to)[..., at].sum(axis=-1)
        far = np.where(self.exact & (self.within if limits else True), far, np.inf)
        best = np.argmin(far, axis=-1)[..., None]
        chosen = np.take_along_axis(np.broadcast_to(moved, (*far.shape, nq)), best[..., None], axis=-2)[..., 0, :]
        return np.where(np.isfinite(np.take_along_axis(far, best, axis=-1)), chosen, np.nan)


class AnalyticSolver:
    """Exact inverse kinematics of one frame, made by :func:`analytic_inverse_kinematics`.

    ``solver(T)`` takes poses (…, 4, 4) of the frame in the world; where a joint has to be ``given``,
    ``solver(T, value)`` takes its coordinate, (…) rad or m.
    """

    def __init__(self, model: Model, frame: str, arm: Arm, way: Way, tolerance: float):
        self.model, self.frame, self.tolerance = model, frame, tolerance
        self._arm, self._way = arm, way
        self.given: str | None = None if way.held is None else arm.joints[way.held]
        """the joint whose coordinate is given; None where none has to be"""
        inputs: dict[str, Any] = {"T": (4, 4)} | ({} if self.given is None else {"given": ()})
        with np.errstate(all="ignore"):  # of what is no number
            self.kernel: Kernel = compile(self._function(), **inputs)
        """what is computed: (T[, given]) -> q (…, branches, nq), error (…, branches), fault of T (…)"""
        self.branches: int = self.kernel.program.outputs[1].shape[0]
        """the most answers a target can have"""
        self._hinges = np.zeros(model.nq, dtype=bool)
        self._hinges[[p for p, slides in zip(arm.places, arm.chain.slides, strict=True) if not slides]] = True
        self._correction: Kernel | None = None

    @property
    def family(self) -> str:
        """What was recognised: "spherical wrist", "three parallel axes", …"""
        return self._way.family.name

    def explanation(self) -> str:
        """How it is solved: what was recognised, the decomposition, the formulas with this arm's numbers."""
        return explanation(self.model, self.frame, self._arm, self._way, self.branches)

    @explained
    def __call__(self, T: Any, given: Any = None) -> Solutions:
        """All answers for poses T (…, 4, 4); of seven joints, with one ``given`` (…).

        Raises :class:`InputError` for what is no pose, NaN among it.
        """
        T = as_numbers("T", T)
        if T.shape[-2:] != (4, 4):
            raise ShapeError(f"T has shape {T.shape}; expected (…, 4, 4)")
        if (given is None) != (self.given is None):
            if given is None:
                raise ArgumentError(
                    f"this arm has {self._dof} joints: give joint {self.given!r} too, solver(T, {self.given})"
                )
            raise ArgumentError(f"no joint of this arm has to be given; got given = {given!r}")
        arrays = [T] if given is None else [T, as_numbers("given", given)]
        if len(arrays) > 1 and not np.isfinite(arrays[1]).all():
            raise InputError(f"joint {self.given!r} is given as {given!r}; expected finite numbers")
        q, error, fault = self.kernel(*arrays)
        wrong = ~(np.asarray(fault) <= 1e-6)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            told = np.broadcast_to(T, (*wrong.shape, 4, 4))[at]
            where = f"T[{', '.join(map(str, at))}]" if at else "T"
            raise InputError(f"{where} is no pose: a rotation (to 1e-6), a position, and 0 0 0 1 below; got\n{told}")
        self._correct(q, error, arrays[0])
        with np.errstate(invalid="ignore"):
            exact = error <= self.tolerance
        return Solutions(q, exact, error, self.model.lower, self.model.upper, self._arm.places, self._hinges)

    @property
    def _dof(self) -> int:
        return len(self._arm.chain)

    def _correct(self, q: Array, error: Array, T: Array) -> None:
        """Answers that rounding, or decimals in files, left beside the target are brought to it; the others dropped."""
        with np.errstate(invalid="ignore"):
            near = (error > FINE) & (error < LOOSE)
        if not near.any():
            return
        rows = np.nonzero(near)
        if self._dof >= 6:
            if self._correction is None:
                self._correction = compile(correction(self._arm, self._way.held), q=self.model.nq, T=(4, 4))
            better, left = self._correction(q[rows], np.broadcast_to(T, (*error.shape[:-1], 4, 4))[rows[:-1]])
            kept = left < error[rows]
            taken = tuple(i[kept] for i in rows)
            q[taken], error[taken] = better[kept], left[kept]
        with np.errstate(invalid="ignore"):
            reached = np.asarray((error <= self.tolerance).any(axis=-1))
        beside = (error[rows] > self.tolerance) & reached[rows[:-1]]
        dropped = tuple(i[beside] for i in rows)
        q[dropped], error[dropped] = np.nan, np.nan

    def _function(self) -> Callable[..., Any]:
        arm, way, model = self._arm, self._way, self.model
        rest = np.clip(model.neutral(), model.lower, model.upper)

        def solved(T: Array, given: Any) -> Any:
            fault, T = fault_of(T), orthonormal(T)
            answers = way.solve(motion_to(arm, T), given)
            errors = [off(arm, T, a) for a in answers]
            least: Any = np.inf
            for a, e in zip(answers, errors, strict=True):
                least = minimum(least, pick(a.exists, e, np.inf))
            rows, told = [], []
            for answer, e in zip(answers, errors, strict=True):
                kept = both(answer.exists, (e <= LOOSE) | (least > LOOSE))
                row = list(rest)
                for k, (place, turn) in enumerate(zip(arm.places, answer.turns, strict=True)):
                    value = given if k == way.held else coordinate(turn, model.lower[place], model.upper[place])
                    row[place] = value
                rows.append(stack([pick(kept, x, np.nan) for x in row]))
                told.append(pick(kept, e, np.nan))
            return stack(rows), stack(told), fault

        return (lambda T: solved(T, None)) if way.held is None else solved


def correction(arm: Arm, held: int | None) -> Callable[..., Any]:
    """Three steps of Newton's, damped by the error; a joint that is held stays."""

    def correct(q: Array, T: Array) -> Any:
        T = orthonormal(T)
        parts = [q[place] for place in arm.places]
        for _ in range(3):
            e, columns, _ = miss(arm, parts, T)
            J = np.stack([0.0 * column if k == held else column for k, column in enumerate(columns)], axis=1)
            step = J.T @ solve_symmetric(J @ J.T + np.eye(6) * (e @ e + 1e-14), e[:, None])[:, 0]
            parts = [x + d for x, d in zip(parts, step, strict=True)]
        row = [q[i] for i in range(len(q))]
        for place, x in zip(arm.places, parts, strict=True):
            row[place] = x
        return stack(row), miss(arm, parts, T)[2]

    return correct


def motion_to(arm: Arm, T: Array) -> Motion:
    """G: the hand's motion from where it is at q = 0 to T."""
    R = T[:3, :3] @ arm.hand.R.T
    return Motion(R, T[:3, 3] - R @ arm.hand.p)


def off(arm: Arm, T: Array, answer: Answer) -> Any:
    """How far an answer is from T: the joints near the base undone on T, the others done on the hand."""
    chain, half = arm.chain, len(arm.chain) // 2
    square: Any = 0.0
    for k in range(4):
        v, x = (arm.hand.p, T[:3, 3]) if k == 3 else (arm.hand.R[:, k], T[:3, k])
        for i in reversed(range(half, len(chain))):
            v = chain.move(i, answer.turns[i], v) if k == 3 else chain.spin(i, answer.turns[i], v)
        for i in range(half):
            x = chain.back(i, answer.turns[i], x) if k == 3 else chain.spin_back(i, answer.turns[i], x)
        square = square + dot(x - v, x - v) * (1.0 if k == 3 else 0.5)
    return np.sqrt(square)


def coordinate(turn: Any, lower: float, upper: float) -> Any:
    """The coordinate of a turn; the whole turns added that bring it within the limits, if any do."""
    if not isinstance(turn, Turn):
        return turn
    angle = turn.angle()
    if not (lower > -np.pi or upper < np.pi) or (lower >= -np.pi and upper <= np.pi):
        return angle
    middle = (
        0.5 * (lower + upper)
        if np.isfinite(lower + upper)
        else (lower + np.pi if np.isfinite(lower) else upper - np.pi)
    )
    return angle - TURN * np.rint((angle - middle) / TURN)


def fault_of(T: Array) -> Any:
    """Nothing where T is a pose; NaN where it holds one."""
    x, y, z, p = T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3]
    n = cross(x, y) - z
    square = (dot(x, x) - 1.0) ** 2 + (dot(y, y) - 1.0) ** 2 + dot(x, y) ** 2 + dot(n, n)
    below = T[3, 0] ** 2 + T[3, 1] ** 2 + T[3, 2] ** 2 + (T[3, 3] - 1.0) ** 2
    return np.sqrt(square + below) + 0.0 * dot(p, p)


def orthonormal(T: Array) -> Array:
    """A pose whose rotation is one to 1e-6 with the nearest that is one to 1e-12."""
    R = T[:3, :3]
    return np.concatenate([1.5 * R - 0.5 * (R @ (R.T @ R)), T[:3, 3:]], axis=1)


def miss(arm: Arm, q: list[Any], T: Array) -> tuple[Array, list[Array], Any]:
    """What is missing to T (6,), the hand's Jacobian by columns (6,), in world axes, and how far T is."""
    chain = arm.chain
    turns = [x if slides else Turn(np.sin(x), np.cos(x)) for x, slides in zip(q, chain.slides, strict=True)]
    axes, points = [], []
    for i in range(len(chain)):
        h, c = chain.axes[i], chain.points[i]
        for j in reversed(range(i)):
            h, c = chain.spin(j, turns[j], h), chain.move(j, turns[j], c)
        axes.append(h)
        points.append(c)
    p, columns = arm.hand.p, [arm.hand.R[:, k] for k in range(3)]
    for j in reversed(range(len(chain))):
        p = chain.move(j, turns[j], p)
        columns = [chain.spin(j, turns[j], r) for r in columns]
    left = T[:3, 3] - p
    turn = sum(0.5 * cross(r, T[:3, k]) for k, r in enumerate(columns))
    square = dot(left, left) + sum(0.5 * dot(T[:3, k] - r, T[:3, k] - r) for k, r in enumerate(columns))
    J = [
        np.concatenate([h, 0.0 * h]) if slides else np.concatenate([cross(h, p - c), h])
        for h, c, slides in zip(axes, points, chain.slides, strict=True)
    ]
    return np.concatenate([left, turn]), J, np.sqrt(square)


@explained
def analytic_inverse_kinematics(
    model: Model, frame: str, *, given: str | None = None, tolerance: float = 1e-9
) -> AnalyticSolver:
    """Exact inverse kinematics of a frame: a solver that gives all postures of the arm that bring the frame to a pose.

    The arm is the joints between the world and the frame; its family is recognised from its geometry (see
    ``docs/exact_inverse_kinematics.md``). Of an arm of seven joints one is ``given`` with each target, by its name; if
    none is named, the one that leaves the shortest formulas. An answer that leaves no more than ``tolerance`` (m and
    rad together) is exact. Raises :class:`ModelError` where an arm has no exact answer.

    >>> import linkwright as lw
    >>> arm = lw.load("puma560")
    >>> solver = lw.analytic_inverse_kinematics(arm, "tool")
    >>> found = solver(lw.pose(arm, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "tool"))
    >>> found.q.shape, int(found.count)
    ((8, 6), 8)
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"analytic_inverse_kinematics: the first argument is a Model; got {model!r}")
    arm = arm_of(model, frame)
    if given is not None and given not in arm.joints:
        raise UnknownNameError(f"joint between the world and {frame!r}:", given, arm.joints)
    n = len(arm.joints)
    if given is not None:
        held: list[int | None] = [arm.joints.index(given)]
    else:
        held = [None] if n < 7 else [*reversed(range(n))]
    found = [way for joint in held for way in ways(arm.chain, arm.length, joint)]
    if not found:
        raise ModelError(_no_answer(model, frame, arm, given))
    return AnalyticSolver(model, frame, arm, min(found, key=lambda way: way.cost), tolerance)


def _no_answer(model: Model, frame: str, arm: Arm, given: str | None) -> str:
    kinds = "".join("P" if slides else "R" for slides in arm.chain.slides)
    return (
        f"{frame!r} of {model.name!r} is moved by {len(arm.joints)} joints ({kinds}: {', '.join(arm.joints)}) of a "
        "geometry without an exact answer here; inverse_kinematics solves it numerically"
    )


__all__ = ["AnalyticSolver", "Chain", "Solutions", "analytic_inverse_kinematics"]
