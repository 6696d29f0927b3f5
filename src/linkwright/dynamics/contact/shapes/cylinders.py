"""Spheres and capsules on a cylinder of radius R and half length l, in its frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.boxes import FLAT, bracket
from linkwright.dynamics.contact.shapes.candidate import (
    GROWN,
    NOTHING,
    PREFERRED,
    ContactCandidate,
    along,
    cross,
    either,
    inverse,
    slab,
    unit,
    vector,
    within,
)
from linkwright.dynamics.contact.shapes.rim_contact import Shadow, normal_to_shadow
from linkwright.dynamics.contact.shapes.rounded import UP, axis_of, pair_of, touching, two_places
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

STEPS = 6
"""Newton steps to the point of a segment nearest to a rim: within 1e-9 of its length."""

ON_AXIS = 1e-40
"""m²: squared distance from the axis below which it has no direction."""


def distance_of(x: Array, radius: Any, half: Any) -> tuple[Any, Array]:
    """Return the distance of a point from the surface of a cylinder, negative inside, and the normal, in its frame.

    Inside it is the distance through the side or the nearer end.
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
    """Return √(x² + y²), positive on the axis."""
    return np.sqrt(maximum(x[0] * x[0] + x[1] * x[1], ON_AXIS))


def sphere_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """With ρ, z of the center relative to the axis: the nearest point of the rectangle |ρ| ≤ R, |z| ≤ l."""
    R = Tb[:3, :3]
    distance, normal = distance_of(R.T @ (Ta[:3, 3] - Tb[:3, 3]), b.radius, 0.5 * b.length)
    return [touching(Ta[:3, 3], a.radius, distance, R @ normal)]


def capsule_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Return the nearest point of the segment, and the ends of its overlap with the side or an end.

    A segment inside leaves through an end, the side or a rim, whichever is nearest.
    """
    R, radius, half = Tb[:3, :3], b.radius, 0.5 * b.length
    c, e = axis_of(a, Ta)
    p, d = R.T @ (c - Tb[:3, 3]), R.T @ e
    (middle, *sides), ends = _passes_side(p, d, radius), slab(p[2], d[2], GROWN * half)
    middle = within(middle)

    by_end, by_side = abs(p[2]) - half - abs(d[2]), from_axis(p + middle * d) - radius
    by_rim, rim_normal, crossing = _over_rim(p, d, radius, half)
    through = maximum(maximum(by_end, by_side), by_rim) < 0.0
    otherwise = maximum(by_end, by_side) + PREFERRED * minimum(radius, half)
    of_rim, of_side = by_rim > otherwise, (by_side > by_end) & (by_rim <= otherwise)
    n = vector(*(either(of_rim, x, y) for x, y in zip(rim_normal, (0.0, 0.0, along(p[2])), strict=True)))
    reach = half * abs(n[2]) + radius * np.sqrt(maximum(1.0 - n[2] * n[2], NOTHING))

    nearest = nearest_place(p, d, radius, half)
    x = p + nearest * d
    on_side = either(through, of_side, from_axis(x) - radius > abs(x[2]) - half)
    alone = through & of_rim
    first, last = (either(on_side, x, y) for x, y in zip(ends, sides, strict=True))
    first, last = either(alone, crossing, first), either(alone, crossing, last)
    out = either(of_rim, crossing, either(of_side, middle, -along(n @ d)))
    _, aside = unit(vector(d[1], -d[0], 0.0), (1.0, 0.0, 0.0))

    def square(s: Any) -> Any:
        x = p + s * d
        away, beyond = from_axis(x) - radius, abs(x[2]) - half
        off, up, height = maximum(away, 0.0), maximum(beyond, 0.0), either(of_side, away, n @ x - reach)
        return either(through, height * abs(height), off * off + up * up)

    def at(s: Any) -> ContactCandidate:
        x = p + s * d
        distance, normal = distance_of(x, radius, half)
        _, radial = unit(vector(x[0], x[1], 0.0), aside)
        height, leaving = either(of_side, from_axis(x) - radius, n @ x - reach), either(of_side, radial, n)
        distance, normal = either(through, height, distance), either(through, leaving, normal)
        return touching(c + s * e, a.radius, distance, R @ normal)

    return pair_of(at, *two_places(either(through, out, nearest), first, last, square))


def _over_rim(p: Array, d: Array, radius: Any, half: Any) -> tuple[Any, Array, Any]:
    """Return the separation of a line p + s d and a rim, the normal across both, and s from -1 to 1 where they meet."""
    _, e = unit(d, UP)
    sine, across = unit(vector(e[1], -e[0], 0.0), (1.0, 0.0, 0.0))
    aside = cross(across, e)
    x, y = p @ aside, p @ across
    shadow = Shadow((1.0, 0.0), half * sine, radius, abs(e[2]))
    m, n, reach = normal_to_shadow(x, abs(y), shadow, along(x), 1.0)
    separation = m * x + n * abs(y) - reach
    normal = m * aside + (along(y) * n) * across
    _, out = unit(vector(normal[0], normal[1], 0.0), (1.0, 0.0, 0.0))
    touched = vector(radius * out[0], radius * out[1], along(normal[2]) * half) + separation * normal - p
    return separation, normal, within((touched @ d) / maximum(d @ d, NOTHING))


def nearest_place(p: Array, d: Array, radius: Any, half: Any) -> Any:
    """Return the point p + s d, |s| ≤ 1, nearest to a cylinder; inside it, the middle of the part inside.

    The squared distance is convex in s. Its derivative has corners where the segment crosses the planes of the ends and
    the cylinder of the side, and where it is nearest to the axis. Between two corners it is smooth, and bracketed
    Newton steps find its zero.
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
    """Return where a line is nearest to the axis, and where it enters and leaves the infinite cylinder."""
    A, B, C = d[0] * d[0] + d[1] * d[1], p[0] * d[0] + p[1] * d[1], p[0] * p[0] + p[1] * p[1]
    middle = -B * inverse(A)
    root = np.sqrt(maximum(B * B - A * (C - radius * radius), NOTHING)) * abs(inverse(A))
    return middle, middle - root, middle + root
