"""Shortest paths around spheres and cylinders, in closed form.

In the plane of the path (of both ends and the center of a sphere, or across the axis of a cylinder) the path consists
of two tangents and an arc. Along the axis of a cylinder it is a helix. Without a side the path turns through the
smaller angle between the ends as seen from the center, while the straight line cuts the circle. With a side it turns
the other way where the straight line passes the center opposite to the side (as in MuJoCo 4).

Garner & Pandy, "The obstacle-set method for representing muscle paths in musculoskeletal models", *Comput. Methods
Biomech. Biomed. Engin.* 3(1), 2000.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.model.parts.tendon import Wrap
from linkwright.spatial.arrays import Array, atan2, clip, maximum, where

TINY = 1e-15
"""Smallest denominator, and smallest squared distance of the ends."""


class WrappedPath(NamedTuple):
    """Path around a body, in its axes; a point of the straight line twice, and no arc, without contact."""

    first: Array
    """(3,), m: where it meets the body"""
    second: Array
    """(3,), m: where it leaves it"""
    arc: Any
    """m: length between both"""


def wrapped_path(wrap: Wrap, a: Array, b: Array, side: Array | None) -> WrappedPath:
    """Return the path from a to b (3,); ``side`` (3,): a point on the side on which it passes."""
    r = wrap.radius
    axes = np.eye(3)[:2] if wrap.kind == "cylinder" else _plane(a, b)
    a2, b2 = axes @ a, axes @ b
    wraps, first2, second2, arc = _around_circle(r, a2, b2, None if side is None else axes @ side)
    first, second = axes.T @ first2, axes.T @ second2
    if wrap.kind == "cylinder":
        before, after = _length(a2 - first2), _length(b2 - second2)
        whole = maximum(before + arc + after, TINY)
        z = [a[2] + (b[2] - a[2]) * part / whole for part in (before, before + arc)]
        first, second = first + np.array([0, 0, 1]) * z[0], second + np.array([0, 0, 1]) * z[1]
        arc = np.sqrt(arc * arc + (z[1] - z[0]) ** 2 + TINY * TINY)
    straight = 0.5 * (a + b)
    return WrappedPath(where(wraps, first, straight), where(wraps, second, straight), where(wraps, arc, 0.0 * arc))


def _plane(a: Array, b: Array) -> Array:
    """Return orthonormal axes (2, 3) of the plane through a, b and the center; the first is along a."""
    x = _unit(a)
    n = np.cross(x, b)
    other = np.cross(x, where(abs(x[0]) < 0.6, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])))
    n = _unit(where(n @ n > TINY * TINY, n, other))
    return np.stack([x, np.cross(n, x)])


def _around_circle(r: float, a: Array, b: Array, side: Array | None) -> tuple[Any, Array, Array, Any]:
    """Return whether the path wraps around a circle, its tangent points (2,), and the length of the arc."""
    along = b - a
    square = along @ along
    nearest = a + clip(-(along @ a) / maximum(square, TINY), 0.0, 1.0) * along
    clockwise = where(_cross(a, b) < 0.0, 1.0, -1.0)
    wraps = nearest @ nearest <= r * r
    if side is not None:
        beyond = (_cross(side, a) * clockwise < 0.0) & (_cross(b, side) * clockwise < 0.0)
        clockwise, wraps = where(beyond, -clockwise, clockwise), wraps | beyond
    first, second = (
        r * (r * x - s * np.sqrt(maximum(x @ x - r * r, TINY * TINY)) * np.array([-x[1], x[0]])) / maximum(x @ x, TINY)
        for x, s in ((a, clockwise), (b, -clockwise))
    )
    turned = atan2(clockwise * _cross(second, first), first @ second)
    angle = where(turned < 0.0, turned + 2.0 * np.pi, turned)
    return wraps & (a @ a >= r * r) & (b @ b >= r * r) & (square >= TINY), first, second, r * angle


def _cross(x: Array, y: Array) -> Any:
    return x[0] * y[1] - x[1] * y[0]


def _length(x: Array) -> Any:
    return np.sqrt(x @ x)


def _unit(x: Array) -> Array:
    return x / np.sqrt(maximum(x @ x, TINY * TINY))
