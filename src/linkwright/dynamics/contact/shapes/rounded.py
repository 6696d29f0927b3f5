"""Spheres and capsules: balls, or balls along a segment, against surfaces with a known distance function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
    GROWN,
    NOTHING,
    ContactCandidate,
    either,
    slab,
    unit,
    within,
)
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, maximum, minimum

UP = (0.0, 0.0, 1.0)
"""Normal of two coincident points."""

EQUAL = 1e-10
"""Relative difference of squared distances below which they count as equal, so that rounding does not decide."""

APART = 1e-6
"""Distance of two points of a capsule, relative to half its length, below which they count as one."""


def touching(center: Array, radius: Any, distance: Any, normal: Array) -> ContactCandidate:
    """Return the candidate of a ball, from the distance of its center to a surface."""
    gap = distance - radius
    return ContactCandidate(gap, center - (0.5 * (distance + radius)) * normal, normal)


def axis_of(shape: Shape, T: Array) -> tuple[Array, Array]:
    """Return the center of a capsule or cylinder, and the vector from it to the end at +z."""
    return T[:3, 3], (0.5 * shape.length) * T[:3, 2]


def sphere_sphere(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """|c_A − c_B| − r_A − r_B."""
    distance, normal = unit(Ta[:3, 3] - Tb[:3, 3], UP)
    return [touching(Ta[:3, 3], a.radius, distance - b.radius, normal)]


def sphere_capsule(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Return the nearest point of the segment of the capsule."""
    c, (p, d) = Ta[:3, 3], axis_of(b, Tb)
    t = within((d @ (c - p)) / maximum(d @ d, NOTHING))
    distance, normal = unit(c - (p + t * d), UP)
    return [touching(c, a.radius, distance - b.radius, normal)]


def capsule_capsule(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Return the nearest points of both segments; for parallel segments both ends of their overlap."""
    (p1, d1), (p2, d2) = axis_of(a, Ta), axis_of(b, Tb)
    r = p1 - p2
    E, B, F = maximum(d2 @ d2, NOTHING), d1 @ d2, d2 @ r

    def between(s: Any) -> Array:
        return r + s * d1 - within((B * s + F) / E) * d2

    def square(s: Any) -> Any:
        x = between(s)
        return x @ x

    s, _ = nearest_of_segments(r, d1, d2)

    def at(s: Any) -> ContactCandidate:
        distance, normal = unit(between(s), UP)
        return touching(p1 + s * d1, a.radius, distance - b.radius, normal)

    return pair_of(at, *two_places(s, *slab(F, B, GROWN * E), square))


def nearest_of_segments(r: Array, d1: Array, d2: Array) -> tuple[Any, Any]:
    """Return s and t in [-1, 1] of the nearest points of two segments p₁ + s d₁, p₂ + t d₂, r = p₁ − p₂.

    A = d₁², E = d₂², B = d₁·d₂, C = d₁·r, F = d₂·r: s = clip((B F − C E)/(A E − B²)), t = clip((B s + F)/E), s =
    clip((B t − C)/A) (Ericson, "Real-Time Collision Detection", 2005, §5.1.9).
    """
    A, E = maximum(d1 @ d1, NOTHING), maximum(d2 @ d2, NOTHING)
    B, C, F = d1 @ d2, d1 @ r, d2 @ r
    s = within((B * F - C * E) / maximum(A * E - B * B, 1e-12 * A * E + NOTHING))
    t = within((B * s + F) / E)
    return within((B * t - C) / A), t


def two_places(nearest: Any, low: Any, high: Any, square: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return two points on the segment of a capsule: both ends of its overlap with the other shape, from ``low`` to
    ``high``.

    If ``nearest`` is nearer than both, it replaces the farther one. ``square(s)``: squared distance there, minus the
    squared depth inside the other shape.
    """
    low = within(low)
    high = maximum(within(high), low)
    s, f, g = square(nearest), square(low), square(high)
    slack = EQUAL * maximum(abs(s), maximum(abs(f), abs(g)))
    nearer, low_is_worse = s < minimum(f, g) - slack, f > g + slack
    return either(nearer & low_is_worse, nearest, low), either(low_is_worse, high, either(nearer, nearest, high))


def pair_of(at: Callable[[Any], ContactCandidate], first: Any, second: Any) -> list[ContactCandidate]:
    """Return the candidates of a ball at two points of a segment; coincident points give one."""
    other = at(second)
    return [at(first), other._replace(gap=either(abs(second - first) > APART, other.gap, FAR))]
