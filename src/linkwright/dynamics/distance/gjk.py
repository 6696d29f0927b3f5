"""Distance of two convex sets that are apart, by the algorithm of Gilbert, Johnson and Keerthi.

The distance of A and B is that of the origin from A ⊖ B = {a − b}, whose support points are differences of support
points. The algorithm keeps a simplex of at most three of these and the point v of it nearest to the origin. Each step
adds the support point w along −v and keeps the face that contains the new v. |v|² − v·w bounds the error: with
w·v > 0 the plane through w normal to v separates the sets.

The face contains w, so that only w, three edges and three triangles with w are tried, all without branches.

Gilbert, Johnson & Keerthi, "A fast procedure for computing the distance between complex objects in three-dimensional
space", 1988; van den Bergen, "A fast and robust GJK implementation", 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import NOTHING, cross, either
from linkwright.spatial.arrays import Array, maximum
from linkwright.spatial.loops.repeats import until

Support = Callable[[Array], tuple[Array, Array]]
"""Support point w (3,) of A ⊖ B along a direction, and the point a (3,) of A in it."""

STEPS = 64
"""Largest number of steps"""

PRECISION = 1e-13
"""Bound of (|v|² − v·w)/|v|² at which the iteration stops."""

RESOLUTION = 1e-12
"""Bound of the error of the distance, relative to the size of the shapes, at which the iteration stops."""

TOUCHING = 1e-13
"""Distance, relative to the size of the shapes, below which they overlap."""

FLAT = 1e-24
"""Squared sine of the angle of a triangle at w below which the triangle counts as an edge."""

THIN = 1e-10
"""Volume of a tetrahedron, relative to the product of its edges at w, below which it contains nothing."""

ROUNDING = 4e-16
"""Relative decrease of |v|² below which a step makes no progress."""


class GJKResult(NamedTuple):
    """Nearest point v = a − b of the difference of two sets."""

    v: Array
    """(3,)"""
    a: Array
    """(3,), the nearest point of A"""
    overlap: Any
    """1 where the sets overlap, else 0"""
    steps: Any
    """number of steps"""


def nearest_points(
    support: Support, start: Array, size: Any, limit: Any = None, exact_within: bool = False
) -> GJKResult:
    """Return the nearest points of two convex sets.

    ``start`` (3,): first direction, from B to A; ``size``: length of the sets, m. With a ``limit`` in m the iteration
    stops when the distance is known to be larger or smaller: then |v| is on the same side of the limit.
    ``exact_within``: it does not stop when the distance is known to be smaller.
    """
    w, a = support(-start)

    def beyond(square: Any, toward: Any) -> Any:
        """Return whether a plane normal to a direction shows that the distance is larger than the limit."""
        return (toward > 0.0) & (toward * toward > limit * limit * square)

    touching = (TOUCHING * size) * (TOUCHING * size)
    resolved = (RESOLUTION * size) * (RESOLUTION * size)
    simplex = (w, w, w, a, a, a, np.array([1.0, 0.0, 0.0]))

    def ends(*state: Any) -> Any:
        return state[-1] > 0.5

    def step(_: Any, *state: Any) -> tuple[Any, ...]:
        P, A, u, v = state[:3], state[3:6], state[6], state[7]
        w, a = support(-v)
        square, toward = v @ v, v @ w
        found = _nearest_feature(w, P, v)
        own = (*A, u[0] * A[0] + u[1] * A[1] + u[2] * A[2])
        p, q = (found.pick((*P, v), k) for k in range(2))
        x = w + found.weights[1] * (p - w) + found.weights[2] * (q - w)
        best = x @ x
        within = found.contains & (toward <= 0.0)
        over = within | (best <= touching) | (square <= touching)
        gap = maximum(square - toward, 0.0)
        stop = (gap <= PRECISION * square) | (gap * gap <= resolved * square) | (best >= (1.0 - ROUNDING) * square)
        if limit is not None:
            stop = stop | beyond(square, toward)
            if not exact_within:
                stop = stop | (square <= limit * limit)
        take_new = either(over | stop, 0.0, 1.0) > 0.5
        new = (w, p, q, a, found.pick(own, 0), found.pick(own, 1), found.weights, x)
        chosen = [_select(take_new, after, before) for after, before in zip(new, (*P, *A, u, v), strict=True)]
        return *chosen, either(over, 1.0, 0.0), either(take_new, 0.0, 1.0)

    known = 0.0 if limit is None else either(beyond(start @ start, start @ w), 1.0, 0.0)
    *_, A0, A1, A2, u, v, overlap, _, count = until(ends, step, *simplex, w, 0.0, known, limit=STEPS)
    return GJKResult(v, u[0] * A0 + u[1] * A1 + u[2] * A2, overlap, count)


def are_near(support: Support, start: Array, size: Any, limit: Any) -> Any:
    """Return whether the distance of two convex sets is at most ``limit``, m (see :func:`nearest_points`)."""
    found = nearest_points(support, start, size, limit)
    return (found.overlap > 0.5) | (found.v @ found.v <= limit * limit)


def _select(condition: Any, x: Array, y: Array) -> Array:
    return np.stack([either(condition, a, b) for a, b in zip(x, y, strict=True)])


class _Feature(NamedTuple):
    """Feature of a tetrahedron at its vertex w that is nearest to the origin."""

    weights: Array
    """(3,), of w and of the two other vertices"""
    selected: list[Any]
    """index from 0 to 3 of these: the three vertices other than w, and the previous nearest point"""
    contains: Any
    """whether the tetrahedron contains the origin"""

    def pick(self, points: Any, which: int) -> Array:
        """Return one of the other vertices."""
        k = self.selected[which]
        return _select(k < 1.5, _select(k < 0.5, points[0], points[1]), _select(k < 2.5, points[2], points[3]))


def _nearest_feature(w: Array, P: Any, v: Array) -> _Feature:
    """Return the feature of the tetrahedron of w and P nearest to the origin.

    The squared distances of the lines and planes are fractions, |w × e|²/|e|² and (w·n)²/|n|², which are compared
    without a division. The edge from w to the previous point v is tried too: rounding of a narrow triangle may hide
    that it is nearer.
    """
    edges = [p - w for p in P]
    moments = [cross(w, e) for e in edges]
    normals = [cross(edges[1], edges[2]), cross(edges[2], edges[0]), cross(edges[0], edges[1])]
    squares = [e @ e for e in edges]
    best: Any = w @ w
    divisor: Any = 1.0
    S = T = first = second = 0.0
    back = v - w
    lines = [*zip(edges, moments, squares, strict=True), (back, cross(w, back), back @ back)]
    for i, (e, moment, square) in enumerate(lines):
        part, away = -(w @ e), moment @ moment
        less = (part > 0.0) & (part < square) & (away * divisor < best * square)
        best, divisor = either(less, away, best), either(less, square, divisor)
        S, first = either(less, part, S), either(less, float(i), first)
    heights = [w @ n for n in normals]
    for i, j, k, sign in ((0, 1, 2, 1.0), (0, 2, 1, -1.0), (1, 2, 0, 1.0)):
        n = normals[k]
        square, away = n @ n, heights[k] * heights[k]
        p, q = -sign * (n @ moments[j]), sign * (n @ moments[i])
        less = (square > FLAT * (squares[i] * squares[j]) + NOTHING) & (p >= 0.0) & (q >= 0.0) & (p + q <= square)
        less = less & (away * divisor < best * square)
        best, divisor = either(less, away, best), either(less, square, divisor)
        S, T = either(less, p, S), either(less, q, T)
        first, second = either(less, float(i), first), either(less, float(j), second)
    per = 1.0 / divisor
    s, t = S * per, T * per
    volume = edges[0] @ normals[0]
    parts = [-height * volume for height in heights]
    whole = volume * volume
    thick = whole > THIN * THIN * squares[0] * squares[1] * squares[2]
    contains = thick & (parts[0] >= 0.0) & (parts[1] >= 0.0) & (parts[2] >= 0.0)
    contains = contains & (parts[0] + parts[1] + parts[2] <= whole)
    return _Feature(np.stack([1.0 - s - t, s, t]), [first, second], contains)
