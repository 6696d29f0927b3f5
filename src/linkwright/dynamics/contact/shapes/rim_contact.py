"""The direction in which a rim is nearest to a point, among those across a line: the normal of an ellipse.

The separation of two convex bodies is the largest value of n·d − h_A(−n) − h_B(n) over all unit vectors n, where h is
the support function of a body and d the vector between their middles. Any n gives a lower bound. Where the bodies
overlap, only two rims have a smooth maximum. The other maxima lie on great circles of directions: those across an edge
of a box or across the axis of a cylinder. On a great circle a cylinder counts by its shadow in that plane, an ellipse
that is swept along the axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import along, either, inverse
from linkwright.spatial.arrays import clip, maximum, minimum

STEPS = 4
"""Newton steps. Each squares the error, once it is small."""

THIN = 1e-9
"""Relative to the radius: the least width of an ellipse, and the least distance of a point from its long axis."""


class Shadow(NamedTuple):
    """A cylinder as seen along a line."""

    axis: tuple[Any, Any]
    """unit, in the plane across the line"""
    half: Any
    """m, half the length of the axis as it is seen"""
    radius: Any
    narrow: Any
    """The cosine between the axis and the line of sight, ≥ 0: how much narrower a rim is along the axis."""


def normal_to_shadow(x: Any, y: Any, shadow: Shadow, right: Any, up: Any) -> tuple[Any, Any, Any]:
    """Return the direction (along x, along y) in which a shadow is nearest to a corner, and how far it reaches there.

    Parameters
    ----------
    x, y : scalar
        Vector from the corner to the middle of the shadow.
    shadow : Shadow
        Cylinder.
    right, up : scalar
        Signs of the directions in which the corner is the farthest point of its shape.
    """
    c, s = shadow.axis
    x, y = c * x + s * y, c * y - s * x
    turn, aside = along(x), along(y)
    # the nearer rim, whose normals go from the shadow's axis to across it, unless none of them is allowed, or the
    # corner lies between both rims and more normals of the other one are allowed
    above, beside = right * c + up * s, up * c - right * s
    allowed = (turn * above + aside * beside > 0.0) & ((turn * x > shadow.half) | (turn * above > 0.0))
    turn = either(allowed, turn, -turn)
    m, n = nearest_normal(turn * x - shadow.half, abs(y), shadow.radius, shadow.narrow)
    reach = shadow.half * m + shadow.radius * np.sqrt(n * n + (shadow.narrow * m) * (shadow.narrow * m))
    m, n = turn * m, aside * n
    return m * c - n * s, m * s + n * c, reach


def nearest_normal(x: Any, y: Any, radius: Any, narrow: Any) -> tuple[Any, Any]:
    """Return the normal (along x, along y) of an ellipse where it is nearest to a point, both ≥ 0.

    Parameters
    ----------
    x, y : scalar
        Point, inside the ellipse or outside; ``y`` ≥ 0. A negative ``x`` gives the nearest point on the far side, and
        counts as zero where the far side has none.
    radius : scalar
        Semi-axis along y.
    narrow : scalar
        Semi-axis along x divided by ``radius``, from 0 to 1.

    Notes
    -----
    With κ = ``narrow``, lengths in units of the radius and q the multiplier plus κ², the nearest point is
    (κ² x/q, y/(q + 1 − κ²)), where G(q) = (κ x/q)² + (y/(q + 1 − κ²))² is 1. The function 1/√G − 1 is concave and
    nearly straight, so that Newton's method converges to its zero from one side without a line search, as in the
    trust-region method of Moré and Sorensen (1983).
    """
    per = inverse(radius)
    narrow = maximum(narrow, THIN)
    x, y, more = x * per, y * per, 1.0 - narrow * narrow
    beyond = (x < 0.0) & (narrow * x > -0.9 * more)
    x = either(beyond, minimum(x, -THIN), maximum(x, THIN))
    first = narrow * x
    q = either(beyond, first, maximum(first, y - more))
    low, high = either(beyond, -0.97 * more, first), either(beyond, first, 1e30)
    for _ in range(STEPS):
        i, j = 1.0 / q, 1.0 / (q + more)
        u, v = first * i, y * j
        u, v = u * u, v * v
        square, bend = u + v, u * i + v * j
        bend = either(beyond, minimum(bend, -THIN), bend)
        q = clip(q + (square / bend) * (np.sqrt(square) - 1.0), low, high)
    m, n = abs(x / q), abs(y / (q + more))
    scale = 1.0 / np.sqrt(m * m + n * n)
    return m * scale, n * scale
