"""Spheres and capsules against a box with half sizes η, in the axes of the box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import (
    GROWN,
    NOTHING,
    PREFERRED,
    ContactCandidate,
    along,
    either,
    halves,
    inverse,
    slab,
    unit,
    vector,
    within,
)
from linkwright.dynamics.contact.shapes.rounded import UP, axis_of, pair_of, touching, two_places
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

FLAT = 1e-12
"""Slope of a squared distance, relative to a squared length, below which it counts as zero."""


def outside(x: Array, half: Sequence[Any]) -> Array:
    """Return the vector from x (3,) to the nearest point of the box; zero inside."""
    return vector(*(x[k] - clip(x[k], -half[k], half[k]) for k in range(3)))


def distance_of(x: Array, half: Sequence[Any]) -> tuple[Any, Array]:
    """Return the distance of a point from the surface of a box, negative inside, and the normal there, in its axes.

    Inside it is the distance through the nearest face.
    """
    away = outside(x, half)
    square = away @ away
    out = square > NOTHING
    length = np.sqrt(either(out, square, 1.0))
    scale = 1.0 / length
    depths = [abs(x[k]) - half[k] for k in range(3)]
    across = nearest_face(depths)
    normal = [either(out, away[k] * scale, either(across[k], along(x[k]), 0.0)) for k in range(3)]
    return either(out, length, maximum(maximum(depths[0], depths[1]), depths[2])), vector(*normal)


def nearest_face(depths: Sequence[Any]) -> list[Any]:
    """Return whether the first, the second, or the third of three numbers is the largest; exactly one is."""
    x, y, z = depths
    last = z > maximum(x, y)
    return [(x >= y) & (z <= x), (y > x) & (z <= y), last]


class BoxFace(NamedTuple):
    """Face of a box in the world."""

    out: Array
    """(3,), from the center of the box to that of the face"""
    normal: Array
    """(3,), unit, outward"""
    u: Array
    """(3,), half an edge"""
    v: Array
    """(3,), half of the other edge"""
    turn: Any
    """1 if (u, v, normal) are right-handed, else -1"""


def box_face(R: Array, half: Sequence[Any], d: Array) -> BoxFace:
    """Return the face whose normal is nearest to a direction d (3,), of a box with axes R (3, 3) in the world.

    It contains the corner that is farthest along d, and the other corners of the box are at least 2 η_k/√3 lower, with
    the half size η_k along the normal.
    """
    slopes, axes = R.T @ d, R.T
    edges = [half[k] * axes[k] for k in range(3)]
    first, second, last = nearest_face([abs(x) for x in slopes])
    slope, axis, edge = (either(first, e[0], either(last, e[2], e[1])) for e in (slopes, axes, edges))
    side = along(slope)
    u, v = either(first, edges[1], edges[0]), either(last, edges[1], edges[2])
    return BoxFace(side * edge, side * axis, u, v, either(second, -side, side))


def sphere_box(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """With y the point of the box nearest to c: |c − y| − r along c − y; inside, the nearest face."""
    R = Tb[:3, :3]
    distance, normal = distance_of(R.T @ (Ta[:3, 3] - Tb[:3, 3]), halves(b.size))
    return [touching(Ta[:3, 3], a.radius, distance, R @ normal)]


def capsule_box(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Return the nearest point of the segment of the capsule, and the ends of its overlap with the nearest face.

    The squared distance of p + s d from the box is convex in s. Its derivative is piecewise linear with corners where
    the segment crosses the planes of the faces; the nearest point is exact between the two corners around its zero. For
    a segment inside, the best of six separating axes is taken, those of the faces and across an edge, along which the
    separation is the exact depth.
    """
    half, R = halves(b.size), Tb[:3, :3]
    c, e = axis_of(a, Ta)
    p, d = R.T @ (c - Tb[:3, 3]), R.T @ e

    flat = FLAT * (d @ d)

    def slope(s: Any) -> Any:
        g = outside(p + s * d, half) @ d
        return either(abs(g) > flat, g, 0.0)

    nearest = zero_of(slope, [within(s) for k in range(3) for s in slab(p[k], d[k], half[k])])
    depth, axis, of_edge, crossing = _exit_axis(p, d, half)
    through = depth < 0.0
    x = p + nearest * d
    faces = nearest_face([either(through, abs(axis[k]), abs(x[k]) - half[k]) for k in range(3)])
    low: Any = -1.0
    high: Any = 1.0
    for k, across in enumerate(faces):
        s, t = slab(p[k], d[k], GROWN * half[k])
        low, high = maximum(low, either(across, -1.0, s)), minimum(high, either(across, 1.0, t))
    reach = sum(half[k] * abs(axis[k]) for k in range(3))

    def square(s: Any) -> Any:
        x = p + s * d
        away, height = outside(x, half), axis @ x - reach
        return either(through, height * abs(height), away @ away)

    def at(s: Any) -> ContactCandidate:
        x = p + s * d
        length, normal = unit(outside(x, half), UP)
        distance = either(through, axis @ x - reach, length)
        return touching(c + s * e, a.radius, distance, R @ either(through, axis, normal))

    deepest = either(of_edge, crossing, -along(axis @ d))
    nearest = either(through, deepest, nearest)
    alone = through & of_edge
    low, high = either(alone, crossing, low), either(alone, crossing, high)
    return pair_of(at, *two_places(nearest, low, high, square))


def _exit_axis(p: Array, d: Array, half: Sequence[Any]) -> tuple[Any, Array, Any, Any]:
    """Return the separation of a segment p + s d, |s| ≤ 1, and a box, its axis, and where s an edge is crossed, if so.

    Exact where they overlap; an edge must be better by :data:`PREFERRED` than the faces.
    """
    depths = [abs(p[k]) - half[k] - abs(d[k]) for k in range(3)]
    across = nearest_face(depths)
    depth = maximum(maximum(depths[0], depths[1]), depths[2])
    best = depth + PREFERRED * minimum(minimum(half[0], half[1]), half[2])
    axis = vector(*(either(across[k], along(p[k]), 0.0) for k in range(3)))
    of_edge, crossing = depth > best, 0.0  # of none yet
    least = FLAT * (d @ d)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        square = d[i] * d[i] + d[j] * d[j]
        per = inverse(maximum(square, least))
        aside = d[j] * p[i] - d[i] * p[j]
        apart = (abs(aside) - half[i] * abs(d[j]) - half[j] * abs(d[i])) * np.sqrt(per)
        better = (square > least) & (apart > best)
        entries: list[Any] = [0.0, 0.0, 0.0]
        turn = along(aside) * np.sqrt(per)
        entries[i], entries[j] = turn * d[j], -turn * d[i]
        x, y = p[i] - along(entries[i]) * half[i], p[j] - along(entries[j]) * half[j]  # from the edge
        best, depth = either(better, apart, best), either(better, apart, depth)
        axis = either(better, vector(*entries), axis)
        of_edge, crossing = of_edge | better, either(better, -(d[i] * x + d[j] * y) * per, crossing)
    return depth, axis, of_edge, within(crossing)


def bracket(slope: Any, corners: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Return the interval between these points, and -1 and 1, in which a nondecreasing slope is zero, and the slopes at
    its ends."""
    places = [-1.0, 1.0, *corners]
    slopes = [slope(s) for s in places]
    low: tuple[Any, Any] = (-1.0, slopes[0])
    high: tuple[Any, Any] = (1.0, slopes[1])
    for s, g in zip(places, slopes, strict=True):
        higher, lower = (g <= 0.0) & (s > low[0]), (g >= 0.0) & (s < high[0])
        low = either(higher, s, low[0]), either(higher, g, low[1])
        high = either(lower, s, high[0]), either(lower, g, high[1])
    return low[0], high[0], low[1], high[1]


def zero_of(slope: Any, corners: Sequence[Any]) -> Any:
    """Return the zero of a nondecreasing piecewise linear function with these corners; the middle of several zeros."""
    low, high, f, g = bracket(slope, corners)
    rise = g - f
    steep = abs(rise) > NOTHING
    share = either(steep, clip(-f / either(steep, rise, 1.0), 0.0, 1.0), 0.5)
    return low + share * (high - low)
