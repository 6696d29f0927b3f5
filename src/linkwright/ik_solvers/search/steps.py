"""Steps toward a target: damped least squares, strict priorities, limits.

A step minimizes |e − J δ|² + λ |δ|², λ = 0.05 s/(1 + 0.1 s) + 1e-9, s = eᵀe: damped by the error (Chan & Lawrence 1988;
Sugihara 2011), so that steps are short far from the target, and convergence is quadratic near it. A joint at its limit
that would leave it is removed before the step is computed (Bertsekas 1982); a joint that a step carries past its limit
goes to the nearer end of its range, *on the circle*: beyond the middle of the gap that is the other end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero, where
from linkwright.spatial.linear_algebra.linalg import Tolerance, semidefinite_factors, solve_symmetric
from linkwright.spatial.loops.repeats import repeat

DAMPING, BEND, FLOOR = 0.05, 0.1, 1e-9
"""of the error's square, which counts for less where it is large; and at least"""

LOW_FLOOR = 1e-14
"""The same of attempts that are to end where the Jacobian all but loses its rank."""

CURVED = 4.0
"""Approximate bound of the curvature of a frame's path, per rad, relative to the length of the mechanism."""

FIRST = 10.0
"""Weight with which the squared error of a priority slows the following ones."""

DEPENDENT = 1e-20
"""A row counts as dependent on others whose part apart from them is shorter, by squares."""

CLEAR = Tolerance(dependent=1e-13, nothing=1e-14)
"""The same of rows of products."""

TURN = 2.0 * np.pi


class Range(NamedTuple):
    """The limits of one coordinate."""

    place: int
    """in q"""
    rate: int
    """the velocity coordinate that is its rate, or -1 where there is none"""
    lower: float
    upper: float
    gap: float
    """angle from the upper to the lower limit; infinite for coordinates that are not periodic"""

    def leaves(self, x: Any, rate: Any, wider: Any = 0.0) -> Any:
        """Return whether the coordinate, at a limit or beyond, moves out of its range, which ``wider`` extends."""
        return ((x >= self.upper + wider) & (rate > 0.0)) | ((x <= self.lower - wider) & (rate < 0.0))

    def holds(self, x: Any, wider: Any = 0.0) -> Any:
        """Return whether the coordinate is within the range, extended by ``wider`` at both ends."""
        return (x <= self.upper + wider) & (x >= self.lower - wider)

    def kept(self, x: Any, wider: Any = 0.0, jumps: Any = 1.0) -> Any:
        """The coordinate, at one end of its range if it is outside; at the nearer one on the circle, if it ``jumps``.

        ``jumps``: 1.0 or infinite, by which the gap is multiplied.
        """
        above, below = x - (self.upper + wider), (self.lower - wider) - x
        if not np.isfinite(self.gap):
            high: Any = self.upper
            low: Any = self.lower
        else:
            high = where(above > 0.5 * self.gap * jumps, self.lower, self.upper)
            low = where(below > 0.5 * self.gap * jumps, self.upper, self.lower)
        x = where(above > 0.0, high, x) if np.isfinite(self.upper) else x
        return where(below > 0.0, low, x) if np.isfinite(self.lower) else x


def ranges(model: Model, straight: Sequence[str] = ()) -> tuple[list[Range], list[int]]:
    """Return the coordinates with active limits, and the periodic ones, which are shifted into their range at the end.

    ``straight``: joints whose angles are not periodic, since a further turn is another configuration.
    """
    bound, turning = [], []
    led = {c.leader for joint in model.joints if (c := joint.coupling) is not None}
    tied = {name for x in model.loops if isinstance(x, CoordinateLoop) for name in x.coordinates}
    at_q = at_v = 0
    for k, joint in enumerate(model.joints):
        if not joint.nq:
            continue
        names = joint.coordinate_names
        round_ = [] if k in led or joint.name in straight else joint.motion.circular
        rates = dict(joint.motion.plain)
        for at in range(joint.nq):
            lower, upper = model.lower[at_q + at], model.upper[at_q + at]
            circular = at in round_ and names[at] not in tied
            if circular and upper - lower >= TURN:
                turning.append(at_q + at)
            elif np.isfinite(lower) or np.isfinite(upper):
                gap = TURN - (upper - lower) if circular and np.isfinite(upper - lower) else np.inf
                rate = at_v + rates[at] if at in rates else -1
                bound.append(Range(at_q + at, rate, float(lower), float(upper), float(gap)))
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    return bound, turning


class Level(NamedTuple):
    """The rows of all tasks of one priority."""

    J: Array
    """(m, n)"""
    e: Array
    """(m,)"""


class Step(NamedTuple):
    """A step, and what will be left of the errors if everything is as linear as it looks."""

    v: Array
    """(n,)"""
    left: Any
    """Σ |e − J v|² over the levels"""


def masked(J: Array, out: Sequence[Any]) -> Array:
    """The matrix (m, n) with the columns zero where ``out`` (n conditions, or None) holds."""
    columns = [J[:, j] if one is None else where(one, 0.0, J[:, j]) for j, one in enumerate(out)]
    return np.stack(columns, axis=1)


def held(level: Level, out: Sequence[Any]) -> Level:
    """Return the level where some coordinates (n conditions, or None) are fixed; conditions on them are removed."""
    if not is_identity(level.J):
        return Level(masked(level.J, out), level.e)
    return level._replace(e=masked(level.e[None], out)[0])


def damped(J: Array, e: Array, damping: Any) -> Step:
    """v = Jᵀ(J Jᵀ + λ)⁻¹ e, by whichever side is smaller."""
    m, n = J.shape
    if m <= n:
        y = solve_symmetric(J @ J.T + damping * np.eye(m), e)
        return Step(y @ J, damping * damping * (y @ y))
    v = solve_symmetric(J.T @ J + damping * np.eye(n), e @ J)
    left = e - J @ v
    return Step(v, left @ left)


def damping_of(e: Array, floor: Any = FLOOR) -> Any:
    """λ of errors that will vanish."""
    square = e @ e
    return DAMPING * square / (1.0 + BEND * square) + floor


def damping_of_rest(e: Array) -> Any:
    """λ of errors that may stay: as large as what their size adds to the curvature, or steps would not come to rest."""
    return CURVED * np.sqrt(e @ e) + FLOOR


def single_step(level: Level, outside: Sequence[Any], damping: Callable[[Array], Any] = damping_of) -> Step:
    """A step of one level; ``outside``: of each column a function of its velocity, whether it may not move so."""
    J, e = level
    slope = e @ J
    J = masked(J, [None if one is None else one(slope[j]) for j, one in enumerate(outside)])
    return damped(J, e, damping(e))


def prioritised_step(
    levels: Sequence[Level], outside: Sequence[Any], damping: Callable[[Array], Any] = damping_of
) -> Step:
    """A step of several levels, each in what those before leave free (Siciliano & Slotine 1991)."""
    if all(one is None for one in outside):
        return prioritized(levels, damping)

    def once(_: Any, v: Array, left: Any) -> tuple[Array, Any]:
        out = [None if one is None else one(v[j]) for j, one in enumerate(outside)]
        return prioritized([held(level, out) for level in levels], damping)

    return Step(*repeat(2, once, np.zeros(len(outside)), 0.0))


def prioritized(levels: Sequence[Level], damping: Callable[[Array], Any]) -> Step:
    """v with |e₁ − J₁ v| least, then |e₂ − J₂ v| among those, and so on; each damped by its own error.

    Only what a level adds is damped, never the projection into the null space of those before, which would disturb
    them: its basis is orthonormal, rows dependent on others left out.
    """
    first, *later = levels
    v, left = damped(*first, damping(first.e))
    J, before = first.J, first.e @ first.e
    if len(later) == 1 and is_identity(later[0].J):
        rest = later[0].e - v
        share = 1.0 / (1.0 + damping_of_rest(rest))
        added = moving_nothing(J, share * rest)
        v = v + added / ((1.0 + FIRST * before) * np.sqrt(1.0 + added @ added))
        return Step(v, left + (1.0 - share) ** 2 * (rest @ rest))
    basis: list[Array] = []
    for level in later:
        extend(basis, J)
        rest = level.e - level.J @ v
        if is_identity(level.J):
            share = 1.0 / (1.0 + damping_of_rest(rest))
            J, step = level.J, Step(share * rest, (1.0 - share) ** 2 * (rest @ rest))
        else:
            J = np.stack([without(row, basis) for row in level.J])
            step = damped(J, rest, damping_of_rest(rest))
        added = without(step.v, basis)
        # long ones would disturb what is not linear, and what is still far comes first
        v = v + added / ((1.0 + FIRST * before) * np.sqrt(1.0 + added @ added))
        left, before = left + step.left, before + rest @ rest
    return Step(v, left)


def moving_nothing(J: Array, v: Array) -> Array:
    """Return the projection (n,) of a velocity on the null space of a matrix, by a few products, without a basis.

    The second pass removes the rounding of the first.
    """
    factors = semidefinite_factors(J @ J.T, tolerance=CLEAR)
    for _ in range(2):
        v = v - factors.solve(J @ v) @ J
    return v


def without(row: Array, basis: Sequence[Array]) -> Array:
    """The row (n,) less its parts along orthonormal rows."""
    for b in basis:
        row = row - (row @ b) * b
    return row


def is_identity(J: Array) -> bool:
    """Return whether a numerical matrix is the identity, which needs no solution of equations."""
    return J.shape[0] == J.shape[1] and all(
        isinstance(x, (int, float)) and x == (i == k) for (i, k), x in np.ndenumerate(J)
    )


def extend(basis: list[Array], rows: Array) -> None:
    """Orthonormal rows for what these add to the basis; zeros for a row that depends on others (Gram, Schmidt)."""
    for row in rows:
        size = row @ row
        if is_zero(size):
            continue
        for _ in range(2):  # once more takes rounding away
            row = without(row, basis)
        square = row @ row
        clear = square > DEPENDENT * size
        basis.append(row * where(clear, 1.0 / np.sqrt(where(clear, square, 1.0)), 0.0))
