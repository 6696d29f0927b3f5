"""Spheres and capsules on a cylinder: radius R, half length l, everything in its frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.boxes import FLAT, bracket
from linkwright.dynamics.contact.shapes.candidate import (
    GROWN,
    NOTHING,
    Candidate,
    along,
    either,
    inverse,
    slab,
    vector,
    within,
)
from linkwright.dynamics.contact.shapes.round import axis_of, pair_of, touching, two_places
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

STEPS = 6
"""of Newton's method to the place of a segment that is nearest to a rim: within 1e-9 of its length"""

ON_AXIS = 1e-40
"""m²: a squared distance from the axis that has no direction."""


def distance_of(x: Array, radius: Any, half: Any) -> tuple[Any, Array]:
    """How far a point is from the surface of a cylinder, less than zero within, and the normal there, in its frame.

    Within, that is the way out through the side or the nearer end.
    """
    out, beyond = from_axis(x) - radius, abs(x[2]) - half
    off, up = maximum(out, 0.0), maximum(beyond, 0.0)
    square = off * off + up * up
    outside = square > NOTHING
    length = np.sqrt(either(outside, square, 1.0))
    sideways = out > beyond
    share = either(outside, off / length, either(sideways, 1.0, 0.0))
    upwards = along(x[2]) * either(outside, up / length, either(sideways, 0.0, 1.0))
    on_axis = x[0] * x[0] + x[1] * x[1] <= ON_AXIS
    per = share / from_axis(x)
    normal = vector(either(on_axis, share, x[0] * per), either(on_axis, 0.0, x[1] * per), upwards)
    return either(outside, length, maximum(out, beyond)), normal


def from_axis(x: Array) -> Any:
    """√(x² + y²), and something above zero on the axis."""
    return np.sqrt(maximum(x[0] * x[0] + x[1] * x[1], ON_AXIS))


def sphere_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[Candidate]:
    """With ρ, z of the centre about the axis: the nearest point of the rectangle |ρ| ≤ R, |z| ≤ l."""
    R = Tb[:3, :3]
    distance, normal = distance_of(R.T @ (Ta[:3, 3] - Tb[:3, 3]), b.radius, 0.5 * b.length)
    return [touching(Ta[:3, 3], a.radius, distance, R @ normal)]


def capsule_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[Candidate]:
    """The nearest point of the capsule's segment, and the ends of where it lies along the side or the end."""
    R, radius, half = Tb[:3, :3], b.radius, 0.5 * b.length
    c, e = axis_of(a, Ta)
    p, d = R.T @ (c - Tb[:3, 3]), R.T @ e
    nearest = nearest_place(p, d, radius, half)
    x = p + nearest * d
    on_side = from_axis(x) - radius > abs(x[2]) - half
    (lower, upper), (_, *sides) = slab(p[2], d[2], GROWN * half), _passes_side(p, d, radius)

    def square(s: Any) -> Any:
        x = p + s * d
        out, beyond = from_axis(x) - radius, abs(x[2]) - half
        off, up, within = maximum(out, 0.0), maximum(beyond, 0.0), minimum(maximum(out, beyond), 0.0)
        return off * off + up * up - within * within

    def at(s: Any) -> Candidate:
        distance, normal = distance_of(p + s * d, radius, half)
        return touching(c + s * e, a.radius, distance, R @ normal)

    first, last = either(on_side, lower, sides[0]), either(on_side, upper, sides[1])
    return pair_of(at, *two_places(nearest, first, last, square))


def nearest_place(p: Array, d: Array, radius: Any, half: Any) -> Any:
    """Where p + s d, |s| ≤ 1, is nearest to a cylinder; where it is within, the middle of what is.

    The squared distance is convex in s. Where the segment passes the planes of the ends, where it passes the cylinder
    of the side, and where it is nearest to the axis are the corners of its derivative; between two of them it is
    smooth, and zero after a few steps of Newton's method that are kept between.
    """
    flat = FLAT * (d @ d)
    A = d[0] * d[0] + d[1] * d[1]
    B = p[0] * d[0] + p[1] * d[1]

    def slope_and_rise(s: Any) -> tuple[Any, Any]:
        x = p + s * d
        rho = from_axis(x)
        off, beyond = maximum(rho - radius, 0.0), abs(x[2]) - half
        outwards = (B + s * A) / rho
        g = off * outwards + either(beyond > 0.0, beyond * along(x[2]) * d[2], 0.0)
        rise = either(rho > radius, outwards * outwards + off * (A - outwards * outwards) / rho, 0.0)
        return either(abs(g) > flat, g, 0.0), rise + either(beyond > 0.0, d[2] * d[2], 0.0)

    corners = [within(s) for s in (*slab(p[2], d[2], half), *_passes_side(p, d, radius))]
    low, high, f, g = bracket(lambda s: slope_and_rise(s)[0], corners)
    steep = abs(g - f) > NOTHING
    nearest = low + either(steep, clip(-f / either(steep, g - f, 1.0), 0.0, 1.0), 0.5) * (high - low)
    for _ in range(STEPS):
        g, rise = slope_and_rise(nearest)
        low, high = either(g < 0.0, nearest, low), either(g > 0.0, nearest, high)
        step = nearest - either(rise > NOTHING, g / maximum(rise, NOTHING), 0.0)
        nearest = either((step - low) * (high - step) >= 0.0, step, 0.5 * (low + high))
    return nearest


def _passes_side(p: Array, d: Array, radius: Any) -> tuple[Any, Any, Any]:
    """Where a line is nearest to the axis, and where it comes into the cylinder about it and leaves it."""
    A, B, C = d[0] * d[0] + d[1] * d[1], p[0] * d[0] + p[1] * d[1], p[0] * p[0] + p[1] * p[1]
    middle = -B * inverse(A)
    root = np.sqrt(maximum(B * B - A * (C - radius * radius), NOTHING)) * abs(inverse(A))
    return middle, middle - root, middle + root
