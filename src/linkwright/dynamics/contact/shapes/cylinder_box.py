"""A cylinder on a box: the best of the faces' normals, the cylinder's axis, and those of edges, corners and the rim.

Faces and edges on the cylinder's side have closed forms. An edge on a rim is the corner of the box's shadow along the
edge on the shadow of the cylinder (`rim_contact.py`); three of the four corners are tried. A corner on the side is the
one nearest to the axis, a corner on the rim that of the best direction so far.

The gap is the separation along the direction that is found, which is never more than that along the best one. Of
10 000 pairs whose sizes differ by up to a factor of 20 it was at most 0.002 times the smallest half size too little
where they overlap, however deep, and at most 3 % of the distance where they are apart. A face counts as the best one if
it is so within 1e-4 times that size.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.box_box import ONE, PARALLEL
from linkwright.dynamics.contact.shapes.boxes import nearest_face
from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
    GROWN,
    NOTHING,
    PREFERRED,
    ContactCandidate,
    along,
    cross,
    either,
    halves,
    inverse,
    slab,
    unit,
    vector,
)
from linkwright.dynamics.contact.shapes.manifold_reduction import PointList, reduced_manifold
from linkwright.dynamics.contact.shapes.planes import UPRIGHT
from linkwright.dynamics.contact.shapes.rim_contact import Shadow, normal_to_shadow
from linkwright.dynamics.contact.shapes.rounded import APART
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

FLAT_ON = 0.2
"""Cosine between the axis of a cylinder and the normal from which on the end is in contact."""

MISSED = 1.0
"""Relative to the margin: if the points of a face are less deep than the overlap by this, one point is taken instead.
"""

ROUNDS = 8
"""Number of alternating projections between box and cylinder while they are apart."""

ACROSS = 1e-6
"""Cosine between the axis and a normal below which the side is in contact."""


def cylinder_box(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Contact on a face, or on the end of the cylinder: corners of the overlap, as :func:`box_box`; else one point."""
    eta, l, r = halves(b.size), 0.5 * a.length, a.radius
    Q = Tb[:3, :3]
    M, p = Q.T @ Ta[:3, :3], Q.T @ (Ta[:3, 3] - Tb[:3, 3])
    axis = M[:, 2]
    least = minimum(minimum(l, r), minimum(eta[0], minimum(eta[1], eta[2])))

    across = [
        abs(p[k]) - eta[k] - l * abs(axis[k]) - r * np.sqrt(maximum(1.0 - axis[k] * axis[k], NOTHING)) for k in range(3)
    ]
    on_face = maximum(maximum(across[0], across[1]), across[2])
    on_end = abs(p @ axis) - l - sum(eta[k] * abs(axis[k]) for k in range(3))
    by_end = on_end > on_face + PREFERRED * least
    best = either(by_end, on_end, on_face)
    faces = nearest_face(across)
    n = either(by_end, along(p @ axis) * axis, vector(*(either(faces[k], along(p[k]), 0.0) for k in range(3))))

    m = _direction((n, best), (p, axis), eta, (l, r))
    rise = m @ axis
    off, out = unit(m - rise * axis, M[:, 0])
    separation = m @ p - l * abs(rise) - r * off - sum(eta[k] * abs(m[k]) for k in range(3))
    by_edge = separation > best + PREFERRED * least
    line = p - r * out  # of the side that is nearest to the box
    w = vector(*(along(m[k]) * eta[k] for k in range(3))) + separation * m - line
    bound = [either(abs(m[k]) > ACROSS, axis[k], 0.0) for k in range(3)]  # what is free is along the box's edge
    crossing = sum(bound[k] * w[k] for k in range(3)) * inverse(sum(x * x for x in bound))
    touched = line + either(abs(rise) > ACROSS, -along(rise) * l, clip(crossing, -l, l)) * axis

    tops = nearest_face([abs(axis[k]) for k in range(3)])
    first, last = either(by_end, tops[0], faces[0]), either(by_end, tops[2], faces[2])
    found = _on_face((first, last), (p, axis, M[:, 0]), n, eta, (l, r))
    candidates = []
    for gap, _, _, *middle in found:
        candidates.append(ContactCandidate(either(by_edge, FAR, gap), Tb[:3, 3] + Q @ vector(*middle), Q @ n))
    edge = ContactCandidate(separation, Tb[:3, 3] + Q @ (touched - (0.5 * separation) * m), Q @ m)
    deepest = reduce(minimum, (gap for gap, *_ in found))
    alone = by_edge | (deepest > separation + MISSED * PREFERRED * least)
    chosen = (either(alone, one, other) for one, other in zip(edge, candidates[-1], strict=True))
    return [*candidates[:-1], ContactCandidate(*chosen)]


class _Best:
    """Best direction so far."""

    def __init__(self, direction: Array, separation: Any):
        self.direction, self.separation = direction, separation

    def add(self, direction: Array, separation: Any) -> None:
        better = separation > self.separation
        self.direction = either(better, direction, self.direction)
        self.separation = either(better, separation, self.separation)


def _direction(
    known: tuple[Array, Any], cylinder: tuple[Array, Array], eta: Sequence[Any], size: tuple[Any, Any]
) -> Array:
    """Return the best direction of the known one, and those across edges, across the side at a corner, and at a rim.

    Everything in axes of the box that are turned so that the cylinder's middle is at p ≥ 0.
    """
    l, r = size
    turned = vector(*(along(x) for x in cylinder[0]))
    p, a = (turned * x for x in cylinder)
    best = _Best(turned * known[0], known[1])
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        square = a[i] * a[i] + a[j] * a[j]
        level = square > PARALLEL
        per = 1.0 / np.sqrt(maximum(square, PARALLEL))
        c, s, length = either(level, a[i] * per, 1.0), either(level, a[j] * per, 0.0), either(level, square * per, 0.0)
        shadow = Shadow((c, s), l * length, r, abs(a[k]))
        # the axis × an edge
        aside = s * p[i] - c * p[j]
        turn = along(aside)
        best.add(_in_plane(k, turn * s, -turn * c), abs(aside) - eta[i] * abs(s) - eta[j] * abs(c) - r)
        # a rim × an edge, at three corners of the box's shadow
        for right, up in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)):
            m, n, reach = normal_to_shadow(p[i] - right * eta[i], p[j] - up * eta[j], shadow, right, up)
            best.add(_in_plane(k, m, n), m * p[i] + n * p[j] - eta[i] * abs(m) - eta[j] * abs(n) - reach)

    def add(n: Array) -> None:
        rise = n @ a
        reach = l * abs(rise) + r * np.sqrt(maximum(1.0 - rise * rise, NOTHING))
        best.add(n, n @ p - reach - sum(eta[k] * abs(n[k]) for k in range(3)))

    add(unit(_radial(p, a, eta), (0.0, 0.0, 1.0))[1])  # the side at the corner that is nearest to the axis
    y = vector(*(along(n) * half for n, half in zip(best.direction, eta, strict=True)))  # the nearest corner
    for _ in range(ROUNDS):
        x = y - p
        rise = x @ a
        off = x - rise * a
        inside = minimum(r / np.sqrt(maximum(off @ off, NOTHING)), 1.0)
        x = p + clip(rise, -l, l) * a + inside * off
        _, n = unit(x - y, (0.0, 0.0, 1.0))
        y = vector(*(clip(x[k], -eta[k], eta[k]) for k in range(3)))
    add(n)
    return turned * best.direction


def _in_plane(k: int, x: Any, y: Any) -> Array:
    """Return a vector across the k-th axis."""
    entries: list[Any] = [0.0, 0.0, 0.0]
    entries[(k + 1) % 3], entries[(k + 2) % 3] = x, y
    return vector(*entries)


def _radial(p: Array, a: Array, eta: Sequence[Any]) -> Array:
    """Return the vector from the box's corner that is nearest to a line p + s a to the line, p ≥ 0."""
    corners = [np.array(signs) for signs in itertools.product((1.0, -1.0), repeat=3)][:-1]  # the last is the farthest
    radial, square = p, None
    for signs in corners:
        x = p - signs * np.array(eta)
        x = x - (x @ a) * a
        nearer = True if square is None else x @ x < square
        radial, square = either(nearer, x, radial), either(nearer, x @ x, square)
    return radial


def _on_face(
    which: tuple[Any, Any], cylinder: tuple[Array, Array, Array], n: Array, eta: Sequence[Any], size: tuple[Any, Any]
) -> list[tuple[Any, ...]]:
    """Points of a face of the box (the first, the last or the other) and the cylinder's end or side, along n.

    The edges of the face within the rim, points of the rim within the face, and the lowest line of the cylinder clipped
    by the face: each (gap, u, v) and the point midway, in the axes of the box.
    """
    first, last = which
    l, r = size

    def turned(x: Any) -> list[Any]:
        """Return entries of the axes of the box in the order u, v and the normal of the face."""
        return [either(first, x[1], x[0]), either(last, x[1], x[2]), either(first, x[0], either(last, x[2], x[1]))]

    U, V, top = turned(eta)
    n = np.array(turned(n))
    side = along(n[2])
    up = np.array([1.0, 1.0, side])
    c, a, x = (np.array(turned(one)) * up for one in cylinder)
    n = n * up
    rise = n @ a
    per, on_axis = inverse(n[2]), inverse(rise)
    _, down = unit(UPRIGHT * x - (vector(0.0, 0.0, 1.0) - a[2] * a), (1.0, 0.0, 0.0))
    down = r * down
    aside = cross(a, down)
    end = c - (along(rise) * l) * a
    points = []

    def of_cylinder(x: Array, exists: Any) -> None:
        gap = (x[2] - top) * per
        points.append((either(exists, gap, FAR), x[0], x[1], *(x - (0.5 * gap) * n)))

    def on_top(x: Array) -> Array:
        return x - ((x[2] - top) * per) * n

    def of_box(y: Array, exists: Any) -> None:
        gap = (a @ (end - y)) * on_axis
        points.append((either(exists, gap, FAR), y[0], y[1], *(y + (0.5 * gap) * n)))

    flat_on = abs(rise) > FLAT_ON
    e, f = vector(U, 0.0, 0.0), vector(0.0, V, 0.0)
    middle = vector(0.0, 0.0, top)
    for start, step in ((middle + f, -e), (middle - e, -f), (middle - f, e), (middle + e, f)):
        off, turn = (x - ((a @ x) * on_axis) * n for x in (start - end, step))  # in the plane of the end
        A, B = turn @ turn, off @ turn
        square = B * B - A * (off @ off - (GROWN * r) * r)
        root = np.sqrt(maximum(square, NOTHING))
        enters, leaves = maximum((-B - root) * inverse(A), -1.0), minimum((root - B) * inverse(A), 1.0)
        met = flat_on & (square > 0.0) & (enters <= leaves)
        of_box(start + either(met, enters, 0.0) * step, met)
        of_box(start + either(met, leaves, 0.0) * step, met & (leaves < ONE) & (leaves - enters > APART))
    for point in (end - down, end + aside, end - aside):
        y = on_top(point)
        of_cylinder(point, (abs(y[0]) <= GROWN * U) & (abs(y[1]) <= GROWN * V))
    line, step = c + down, l * a
    y, turn = on_top(line), step - (step[2] * per) * n
    (low, high), (lower, upper) = slab(y[0], turn[0], GROWN * U), slab(y[1], turn[1], GROWN * V)
    enters, leaves = maximum(maximum(low, lower), -1.0), minimum(minimum(high, upper), 1.0)
    met = enters <= leaves
    for s in (enters, leaves):
        of_cylinder(line + either(met, s, 0.0) * step, met)
    u, v, h = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    order = [turned(axis) for axis in (u, v, h)]
    found = []
    for gap, x, y, *mid in reduced_manifold(PointList(points)):
        mid[2] = side * mid[2]
        found.append((gap, x, y, *(sum(order[k][i] * mid[i] for i in range(3)) for k in range(3))))
    return found
