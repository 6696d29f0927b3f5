"""A cylinder on a cylinder: end on end or side, side along side, or one point where rims and sides meet otherwise.

Ends and sides have closed forms. Other directions are found by projecting a point from one to the other and back, with
the shapes moved apart by as much as they overlap and a little more, and from the lines that then meet (rims, sides).
The separation is exact for the direction that is found: never too much, too little by the square of what it is off. Of
1500 pairs of shapes of 0.1 to 0.3 m that overlap by 2 mm, 98 of 100 have it within 10 µm, the worst within 0.6 mm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.box_box import PREFERRED
from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
    GROWN,
    NOTHING,
    Candidate,
    along,
    contact_frame,
    cross,
    either,
    inverse,
    slab,
    unit,
)
from linkwright.dynamics.contact.shapes.cylinder_box import CLEAR, FLAT_ON
from linkwright.dynamics.contact.shapes.cylinders import distance_of, nearest_place
from linkwright.dynamics.contact.shapes.planes import UPRIGHT
from linkwright.dynamics.contact.shapes.round import UP, nearest_of_segments, two_places
from linkwright.dynamics.contact.shapes.spread import spread
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

PUSHES, ROUNDS = 2, 4
"""How often the shapes are moved apart, and the projections to and fro each time."""

STEPS = 3
"""of Newton's method to where two rims meet"""

DAMPED = 0.02
"""Beside the smaller radius, what is added to the second derivative."""

LEVEL = 0.99
"""The cosine between two axes from which on both rims are taken for circles of one plane."""

MISSED = 100.0
"""Beside the margin: points of an end that are so much less deep than the shapes are apart tell nothing."""

ACROSS = 1e-6
"""The cosine between an axis and a normal below which it is the side that touches."""


class Cylinder(NamedTuple):
    """In the world."""

    middle: Array
    axis: Array
    aside: Array
    """(3,), unit, across the axis"""
    half: Any
    radius: Any

    def reach(self, n: Array) -> Any:
        """How far it reaches along a unit vector, from its middle."""
        rise = n @ self.axis
        across = n - rise * self.axis
        return self.half * abs(rise) + self.radius * np.sqrt(maximum(across @ across, NOTHING))

    def farthest(self, n: Array) -> tuple[Array, Array]:
        """From its middle the point of a rim that is farthest along n, and the rim's direction there, as n changes."""
        rise = n @ self.axis
        size, out = unit(n - rise * self.axis, self.aside)
        turn = cross(self.axis, out) * np.sqrt(self.radius / maximum(size, 1e-3))
        return (along(rise) * self.half) * self.axis + self.radius * out, turn

    def nearest(self, x: Array, moved: Any = 0.0) -> Array:
        """The point of it, moved so far, that is nearest to x."""
        middle = self.middle + moved
        z = self.axis @ (x - middle)
        off = x - middle - z * self.axis
        rho = np.sqrt(maximum(off @ off, NOTHING))
        scale = self.radius / maximum(rho, self.radius)
        return middle + clip(z, -self.half, self.half) * self.axis + scale * off


def cylinder_cylinder(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[Candidate]:
    """On an end the corners of where both overlap; along the side both ends of where they do; else one point."""
    A, B = (Cylinder(T[:3, 3], T[:3, 2], T[:3, 0], 0.5 * x.length, x.radius) for x, T in ((a, Ta), (b, Tb)))
    d = A.middle - B.middle
    margin = minimum(minimum(A.half, A.radius), minimum(B.half, B.radius))
    clear, margin = CLEAR * margin, PREFERRED * margin

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

    better = by_side > by_end
    toward, apart = either(better, n_side, n_end), either(better, by_side, by_end)
    for n in (_from_axis(A, B, Tb), -_from_axis(B, A, Ta)):
        toward, apart = _better(apart_along, n, toward, apart)
    y = B.nearest(A.middle)
    for _ in range(PUSHES):
        moved = maximum(clear - apart, 0.0) * toward
        for _ in range(ROUNDS):
            x = A.nearest(y, moved)
            y = B.nearest(x)
        _, n = unit(x - y, UP)
        toward, apart = _better(apart_along, n, toward, apart)
        _, n = unit(cross(cross(A.axis, x - moved - A.middle), cross(B.axis, y - B.middle)), UP)  # across both rims
        toward, apart = _better(apart_along, along(n @ d) * n, toward, apart)
    n = toward
    for _ in range(STEPS):
        n = _across_rims(n, d, A, B)
    separation = apart_along(n)
    better = separation > apart
    toward, apart, y = (
        either(better, *two) for two in ((n, toward), (separation, apart), (B.middle + B.farthest(n)[0], y))
    )
    by_point = apart > best + margin

    found = _ends(either(of_b, 1.0, -1.0), _other(of_b, B, A), _other(of_b, A, B), n_end)
    sides = _sides(A, B, (d, p), s)
    sides = [*sides, *(one._replace(gap=FAR) for one in found[len(sides) :])]
    point = Candidate(apart, y + (0.5 * apart) * toward, toward)
    points = [*(one._replace(gap=FAR) for one in found[:-1]), point]
    deepest = minimum(minimum(found[0].gap, found[1].gap), minimum(minimum(found[2].gap, found[3].gap), found[4].gap))
    missed = deepest > apart + MISSED * margin
    found[-1] = Candidate(*(either(missed, x, y) for x, y in zip(point, found[-1], strict=True)))
    return [
        Candidate(*(either(by_point, x, either(sideways, y, z)) for x, y, z in zip(*three, strict=True)))
        for three in zip(points, sides, found, strict=True)
    ]


def _across_rims(n: Array, d: Array, A: Cylinder, B: Cylinder) -> Array:
    """A direction in which two rims are farther apart: one step of Newton's method on the sphere.

    With x − y the rims' nearest points along n, f = a × e √(r/|n × a|) of each, the separation has the gradient x − y
    and on the sphere the second derivative −f_A f_Aᵀ − f_B f_Bᵀ − n·(x − y).
    """
    x, f = A.farthest(-n)
    y, g = B.farthest(n)
    away = d + x - y
    t1, t2 = contact_frame(n)
    f1, f2, g1, g2 = f @ t1, f @ t2, g @ t1, g @ t2
    more = maximum(n @ away, DAMPED * minimum(A.radius, B.radius))
    a, b, c = f1 * f1 + g1 * g1 + more, f1 * f2 + g1 * g2, f2 * f2 + g2 * g2 + more
    u, v, det = away @ t1, away @ t2, a * c - b * b
    _, found = unit(n + ((c * u - b * v) / det) * t1 + ((a * v - b * u) / det) * t2, UP)
    return found


def _from_axis(A: Cylinder, B: Cylinder, Tb: Array) -> Array:
    """The normal, to A, where A's axis is nearest to B: exact where A's side touches."""
    R = Tb[:3, :3]
    p, d = R.T @ (A.middle - B.middle), R.T @ (A.half * A.axis)
    s = nearest_place(p, d, B.radius, B.half)
    _, normal = distance_of(p + s * d, B.radius, B.half)
    return R @ normal


def _better(apart_along: Any, n: Array, toward: Array, apart: Any) -> tuple[Array, Any]:
    separation = apart_along(n)
    better = separation > apart
    return either(better, n, toward), either(better, separation, apart)


def _other(condition: Any, x: Cylinder, y: Cylinder) -> Cylinder:
    return Cylinder(*(either(condition, m, n) for m, n in zip(x, y, strict=True)))


def _sides(A: Cylinder, B: Cylinder, between: tuple[Array, Array], nearest: Any) -> list[Candidate]:
    """Two places of A's axis along B's, as of capsules."""
    d, p = between

    def off(s: Any) -> Array:
        x = d + s * p
        return x - (x @ B.axis) * B.axis

    def square(s: Any) -> Any:
        x = off(s)
        return x @ x

    found: list[Candidate] = []
    places = two_places(nearest, *slab(d @ B.axis, p @ B.axis, GROWN * B.half), square)
    for s in places:
        distance, n = unit(off(s), UP)
        gap = distance - A.radius - B.radius
        if found:
            gap = either(abs(s - places[0]) > ACROSS, gap, FAR)
        point = A.middle + s * p - (0.5 * (distance + A.radius - B.radius)) * n
        found.append(Candidate(gap, point, n))
    return found


def _ends(side: Any, lower: Cylinder, upper: Cylinder, n: Array) -> list[Candidate]:
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
    return [Candidate(gap, np.array(middle), n) for gap, _, _, *middle in spread(points)]
