"""A cylinder on a cylinder: end on end or side, side along side, or one point where rims and sides meet otherwise.

Ends, sides, and the side of one on a rim of the other have closed forms (`rim_contact.py`). For two rims the direction
climbs: the best one is taken on the great circle through it and the axis of one cylinder, then of the other.

The gap is the separation along the direction that is found, which is never more than that along the best one. Of
10 000 pairs whose sizes differ by up to a factor of 20 it was at most 0.003 times the smallest half size too little
where they overlap, however deep, and at most 3 % of the distance where they are apart. An end counts as the best one if
it is so within 1e-4 times that size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.box_box import PARALLEL
from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
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
)
from linkwright.dynamics.contact.shapes.cylinder_box import FLAT_ON
from linkwright.dynamics.contact.shapes.manifold_reduction import PointList, reduced_manifold
from linkwright.dynamics.contact.shapes.planes import UPRIGHT
from linkwright.dynamics.contact.shapes.rim_contact import Shadow, normal_to_shadow
from linkwright.dynamics.contact.shapes.rounded import UP, nearest_of_segments, two_places
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

TURNS = 4
"""Number of great circles through the axes, alternately, after the best of four starts."""

LEVEL = 0.99
"""Cosine between two axes from which on both rims count as coplanar circles."""

MISSED = 1.0
"""Relative to the margin: points of an end less deep than the separation by this are ignored."""

ACROSS = 1e-6
"""Cosine between an axis and a normal below which the side is in contact."""


class Cylinder(NamedTuple):
    """Cylinder in the world."""

    middle: Array
    axis: Array
    aside: Array
    """(3,), unit, across the axis"""
    half: Any
    radius: Any

    def reach(self, n: Array) -> Any:
        """Return the support distance along a unit vector, from its center."""
        rise = n @ self.axis
        across = n - rise * self.axis
        return self.half * abs(rise) + self.radius * np.sqrt(maximum(across @ across, NOTHING))

    def farthest(self, n: Array) -> Array:
        """Return the point of a rim that is farthest along n, from the middle."""
        rise = n @ self.axis
        _, out = unit(n - rise * self.axis, self.aside)
        return (along(rise) * self.half) * self.axis + self.radius * out


class _CylinderView(NamedTuple):
    """Two cylinders in the axes (own axis, across it in the plane of both axes, across both axes)."""

    rise: Any
    """m, from the middle of the other cylinder to that of this one, along the own axis; ≥ 0"""
    aside: Any
    """m, likewise across it in the plane of both axes"""
    half: Any
    radius: Any
    other_half: Any
    other_radius: Any


class _Axes(NamedTuple):
    """Angle between both axes, and the distance across both."""

    cosine: Any
    sine: Any
    """≥ 0"""
    across: Any
    """m, ≥ 0"""

    def turned(self, n: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """Return a vector of one cylinder's axes in those of the other; the same both ways."""
        x, y, z = n
        return self.cosine * x + self.sine * y, self.sine * x - self.cosine * y, z


Separation = tuple[Any, Any, Any, Any]
"""Separation, and its direction in the axes of a view."""


def cylinder_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Contact on an end: corners of the overlap; along the side: both ends of the overlap; else one point."""
    A, B = (Cylinder(T[:3, 3], T[:3, 2], T[:3, 0], 0.5 * x.length, x.radius) for x, T in ((a, Ta), (b, Tb)))
    d = A.middle - B.middle
    margin = PREFERRED * minimum(minimum(A.half, A.radius), minimum(B.half, B.radius))

    def apart_along(n: Array) -> Any:
        return n @ d - A.reach(n) - B.reach(n)

    n_a, n_b = along(d @ A.axis) * A.axis, along(d @ B.axis) * B.axis
    on_a, on_b = apart_along(n_a), apart_along(n_b)
    of_b = on_b > on_a + margin
    by_end, n_end = either(of_b, on_b, on_a), either(of_b, n_b, n_a)

    p, q = A.half * A.axis, B.half * B.axis
    s, t = nearest_of_segments(d, p, q)
    _, n_side = unit(d + s * p - t * q, UP)
    by_side = apart_along(n_side)
    sideways = (abs(n_side @ A.axis) < ACROSS) & (abs(n_side @ B.axis) < ACROSS) & (by_side > by_end + margin)
    best = either(sideways, by_side, by_end)

    toward, apart = n_end, by_end
    for n in (n_side, _direction(d, n_a, n_b, A, B)):
        separation = apart_along(n)
        better = separation > apart
        toward, apart = either(better, n, toward), either(better, separation, apart)
    by_point = apart > best + margin
    rise_a, rise_b = abs(toward @ A.axis), abs(toward @ B.axis)
    of_rim = (rise_b > ACROSS) & (1.0 - rise_b > ACROSS * ACROSS)
    x, y = A.middle + A.farthest(-toward) - apart * toward, B.middle + B.farthest(toward)
    y = either(of_rim, y, either(rise_a > ACROSS, x, B.middle + t * q + B.radius * toward))

    found = _ends(either(of_b, 1.0, -1.0), _other(of_b, B, A), _other(of_b, A, B), n_end)
    sides = _sides(A, B, (d, p), s)
    sides = [*sides, *(one._replace(gap=FAR) for one in found[len(sides) :])]
    point = ContactCandidate(apart, y + (0.5 * apart) * toward, toward)
    points = [*(one._replace(gap=FAR) for one in found[:-1]), point]
    deepest = minimum(minimum(found[0].gap, found[1].gap), minimum(minimum(found[2].gap, found[3].gap), found[4].gap))
    missed = deepest > apart + MISSED * margin
    found[-1] = ContactCandidate(*(either(missed, x, y) for x, y in zip(point, found[-1], strict=True)))
    return [
        ContactCandidate(*(either(by_point, x, either(sideways, y, z)) for x, y, z in zip(*three, strict=True)))
        for three in zip(points, sides, found, strict=True)
    ]


def _direction(d: Array, a: Array, b: Array, A: Cylinder, B: Cylinder) -> Array:
    """Return the best direction from B to A of those across a side and across both rims.

    ``a`` and ``b`` are the axes, each to the side on which the other cylinder's middle is not.
    """
    normal = cross(a, b)
    parallel = normal @ normal < PARALLEL
    sine, normal = unit(either(parallel, A.aside, normal), A.aside)
    axes = _Axes(a @ b, either(parallel, 0.0, sine), abs(d @ normal))
    aside = cross(normal, a)
    x, y = d @ a, d @ aside
    of_a = _CylinderView(x, y, A.half, A.radius, B.half, B.radius)
    of_b = _CylinderView(d @ b, axes.sine * x - axes.cosine * y, B.half, B.radius, A.half, A.radius)

    (side_a, rim_a), (side_b, rim_b) = (_starts(own, axes) for own in (of_a, of_b))
    by_b = rim_b[0] > rim_a[0]
    best = _better(rim_a, rim_b)
    own, other = (
        _CylinderView(*(either(by_b, x, y) for x, y in zip(*two, strict=True))) for two in ((of_b, of_a), (of_a, of_b))
    )
    for _ in range(TURNS):
        own, other = other, own
        value, *n = best
        x, y, z = axes.turned((n[0], n[1], n[2]))
        best = _better((value, x, y, z), _around(own, axes, along(x), _unit(y, z)))
    assert TURNS % 2 == 0  # so that the direction is in the axes of the first again
    value, *n = best
    others = axes.turned((n[0], n[1], n[2]))
    best = (value, *(either(by_b, x, y) for x, y in zip(others, n, strict=True)))
    value, *n = side_b
    best = _better(_better(best, side_a), (value, *axes.turned((n[0], n[1], n[2]))))
    _, x, y, z = best
    _, found = unit(x * a + y * aside + (along(d @ normal) * z) * normal, UP)
    return found


def _starts(own: _CylinderView, axes: _Axes) -> tuple[Separation, Separation]:
    """Return the best direction across this cylinder's side, and the better one of two on circles through its axis.

    One circle leaves the axis along the steepest ascent, the other goes through the best direction across the side.
    """
    cosine, sine = axes.cosine, axes.sine
    m, n, reach = normal_to_shadow(
        own.aside,
        axes.across,
        Shadow((1.0, 0.0), own.other_half * sine, own.other_radius, abs(cosine)),
        along(own.aside),
        1.0,
    )
    value = m * own.aside + n * axes.across - own.radius - reach
    uphill = own.aside - along(cosine) * own.other_half * sine + own.other_radius * cosine
    through = [_around(own, axes, 1.0, e) for e in (_unit(uphill, axes.across), (m, n))]
    return (value, 0.0, m, n), _better(*through)


def _around(own: _CylinderView, axes: _Axes, side: Any, e: tuple[Any, Any]) -> Separation:
    """Return the best direction on the half of a great circle from ``side`` times the own axis through e, across it."""
    y, z = e
    slope, narrow = axes.sine * y, axes.sine * abs(z)
    length = np.sqrt(maximum(axes.cosine * axes.cosine + slope * slope, NOTHING))
    off = own.aside * y + axes.across * z
    shadow = Shadow((axes.cosine / length, slope / length), own.other_half * length, own.other_radius, narrow)
    m, n, reach = normal_to_shadow(own.rise - side * own.half, off - own.radius, shadow, side, 1.0)
    value = m * own.rise + n * off - own.half * abs(m) - own.radius * abs(n) - reach
    return value, m, n * y, n * z


def _unit(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the direction of (x, y); that of none is (0, 1)."""
    _, e = unit(vector(x, y), (0.0, 1.0))
    return e[0], e[1]


def _better(first: Separation, second: Separation) -> Separation:
    value, x, y, z = (either(second[0] > first[0], n, m) for m, n in zip(first, second, strict=True))
    return value, x, y, z


def _other(condition: Any, x: Cylinder, y: Cylinder) -> Cylinder:
    return Cylinder(*(either(condition, m, n) for m, n in zip(x, y, strict=True)))


def _sides(A: Cylinder, B: Cylinder, between: tuple[Array, Array], nearest: Any) -> list[ContactCandidate]:
    """Return two points of A's axis along B's, as for capsules."""
    d, p = between

    def off(s: Any) -> Array:
        x = d + s * p
        return x - (x @ B.axis) * B.axis

    def square(s: Any) -> Any:
        x = off(s)
        return x @ x

    found: list[ContactCandidate] = []
    places = two_places(nearest, *slab(d @ B.axis, p @ B.axis, GROWN * B.half), square)
    for s in places:
        distance, n = unit(off(s), UP)
        gap = distance - A.radius - B.radius
        if found:
            gap = either(abs(s - places[0]) > ACROSS, gap, FAR)
        point = A.middle + s * p - (0.5 * (distance + A.radius - B.radius)) * n
        found.append(ContactCandidate(gap, point, n))
    return found


def _ends(side: Any, lower: Cylinder, upper: Cylinder, n: Array) -> list[ContactCandidate]:
    """On the end of one cylinder, whose normal is n times ``side``, points of the other; and of this one on its end.

    Of the other the lowest line within the rim, and three points of its rim; of this one's rim four points within the
    other's end, and where both rims cross.
    """
    up = side * n
    end = lower.middle + lower.half * up
    rise = up @ upper.axis
    _, down = unit(UPRIGHT * upper.aside - (up - rise * upper.axis), UP)
    down = upper.radius * down
    turned = cross(upper.axis, down)
    bottom = upper.middle - (along(rise) * upper.half) * upper.axis
    flat_on, per = abs(rise) > FLAT_ON, inverse(rise)
    r = lower.radius
    points = []

    def add(gap: Any, point: Array, middle: Array, exists: Any) -> None:
        x = point - end
        points.append((either(exists, gap, FAR), x @ lower.aside, x @ v, *middle))

    def of_upper(x: Array, exists: Any) -> None:
        gap = up @ (x - end)
        add(gap, x, x - (0.5 * gap) * up, exists)

    def of_lower(x: Array, exists: Any) -> None:
        gap = (upper.axis @ (bottom - x)) * per
        add(gap, x, x + (0.5 * gap) * up, exists & flat_on)

    v = cross(lower.axis, lower.aside)
    line, step = upper.middle + down - end, upper.half * upper.axis
    off, turn = line - (up @ line) * up, step - (up @ step) * up
    a, b = maximum(turn @ turn, 1e-12 * r * r), off @ turn
    square = b * b - a * (off @ off - GROWN * r * r)
    root = np.sqrt(maximum(square, NOTHING))
    enters, leaves = maximum((-b - root) / a, -1.0), minimum((root - b) / a, 1.0)
    met = (square > 0.0) & (enters <= leaves)
    for s in (enters, leaves):
        of_upper(end + line + either(met, s, 0.0) * step, met)
    for x in (bottom - down, bottom + turned, bottom - turned):
        off = x - end - (up @ (x - end)) * up
        of_upper(x, off @ off <= GROWN * r * r)
    between = bottom - end - (up @ (bottom - end)) * up
    D, w = unit(between + (UPRIGHT * r) * lower.aside, UP)
    across = cross(lower.axis, w)
    for x in (w, -w, across, -across):
        x = end + r * x
        gap = (upper.axis @ (bottom - x)) * per
        away = x + gap * up - bottom
        of_lower(x, away @ away <= GROWN * upper.radius * upper.radius)
    far = 0.5 * (D + (r - upper.radius) * (r + upper.radius) / maximum(D, UPRIGHT * r))
    square = r * r - far * far
    far, root = clip(far, -r, r), np.sqrt(maximum(square, NOTHING))
    for x in (across, -across):
        of_lower(end + far * w + root * x, (square > 0.0) & (abs(rise) > LEVEL))
    return [ContactCandidate(gap, np.array(middle), n) for gap, _, _, *middle in reduced_manifold(PointList(points))]
