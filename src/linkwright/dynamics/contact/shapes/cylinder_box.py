"""A cylinder on a box: the best of the faces' normals, the cylinder's axis, and those of edges and the rim.

Faces have closed forms. Which edge is the nearest is found by projecting a point from one shape to the other and back,
where on it by Newton's method; both are done with the shapes moved apart by as much as they overlap and a little more.
The separation is exact for the direction that is found, which may be a little off the best one: never too much, and
too little by its square. Of 1500 pairs of shapes of 0.1 to 0.4 m that overlap by 2 mm, 95 of 100 have it within 5 µm,
the worst within 0.3 mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.box_box import ONE, PARALLEL, PREFERRED
from linkwright.dynamics.contact.shapes.boxes import nearest_face
from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
    GROWN,
    NOTHING,
    Candidate,
    along,
    cross,
    either,
    halves,
    inverse,
    slab,
    unit,
    vector,
)
from linkwright.dynamics.contact.shapes.cylinders import distance_of, nearest_place
from linkwright.dynamics.contact.shapes.planes import UPRIGHT
from linkwright.dynamics.contact.shapes.round import APART
from linkwright.dynamics.contact.shapes.spread import spread
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array, clip, maximum, minimum

PUSHES, ROUNDS = 2, 4
"""How often the shapes are moved apart, and the projections to and fro each time."""

CLEAR = 0.03
"""Beside the smallest half size: as far apart the shapes are where the nearest edge is looked for."""

SAME = 1e-7
"""Beside the smallest half size: the nearest edge's own normal is taken if it is no worse than this."""

FLAT_ON = 0.2
"""The cosine between a cylinder's axis and the normal from which on it is the end that touches."""


def cylinder_box(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[Candidate]:
    """On a face, or on the cylinder's end: the corners of where both overlap, as :func:`box_box`; else one point."""
    eta, l, r = halves(b.size), 0.5 * a.length, a.radius
    Q = Tb[:3, :3]
    M, p = Q.T @ Ta[:3, :3], Q.T @ (Ta[:3, 3] - Tb[:3, 3])
    axis = M[:, 2]
    least = minimum(minimum(l, r), minimum(eta[0], minimum(eta[1], eta[2])))

    def reach(n: Array) -> Any:
        """How far both shapes together reach along a unit vector."""
        rise = n @ axis
        across = n - rise * axis
        return (
            l * abs(rise) + r * np.sqrt(maximum(across @ across, NOTHING)) + sum(eta[k] * abs(n[k]) for k in range(3))
        )

    across = [
        abs(p[k]) - eta[k] - l * abs(axis[k]) - r * np.sqrt(maximum(1.0 - axis[k] * axis[k], NOTHING)) for k in range(3)
    ]
    on_face = maximum(maximum(across[0], across[1]), across[2])
    on_end = abs(p @ axis) - l - sum(eta[k] * abs(axis[k]) for k in range(3))
    by_end = on_end > on_face + PREFERRED * least
    best = either(by_end, on_end, on_face)
    faces = nearest_face(across)
    n = either(by_end, along(p @ axis) * axis, vector(*(either(faces[k], along(p[k]), 0.0) for k in range(3))))

    toward, apart = n, best
    for k in range(3):  # the axis × an edge
        i, j = (k + 1) % 3, (k + 2) % 3
        per = 1.0 / np.sqrt(maximum(axis[i] * axis[i] + axis[j] * axis[j], PARALLEL))
        side = p[i] * axis[j] - p[j] * axis[i]
        crossed = (abs(side) - eta[i] * abs(axis[j]) - eta[j] * abs(axis[i])) * per - r
        better, per = crossed > apart, along(side) * per
        normal: list[Any] = [0.0, 0.0, 0.0]
        normal[i], normal[j] = axis[j] * per, -axis[i] * per
        toward, apart = either(better, vector(*normal), toward), either(better, crossed, apart)
    y = vector(*(clip(p[k], -eta[k], eta[k]) for k in range(3)))
    for _ in range(PUSHES):
        far = p + maximum(CLEAR * least - apart, 0.0) * toward
        x, y = _projected(y, far, axis, eta, l, r)
        _, m = unit(x - y, (0.0, 0.0, 1.0))
        separation = m @ p - reach(m)
        better = separation > apart
        toward, apart = either(better, m, toward), either(better, separation, apart)
    rim = cross(axis, y - far)
    for k in range(3):  # the rim where it is, × an edge
        _, m = unit(cross(np.eye(3)[k], rim), (0.0, 0.0, 1.0))
        m = along(m @ (far - y)) * m
        separation = m @ p - reach(m)
        better = separation > apart
        toward, apart = either(better, m, toward), either(better, separation, apart)
    z, m = _nearest_edge(y, p + maximum(CLEAR * least - apart, 0.0) * toward, M, eta, l, r)
    separation = m @ p - reach(m)
    better = separation > apart - SAME * least
    y, m, separation = (either(better, one, other) for one, other in ((z, y), (m, toward), (separation, apart)))
    by_edge = separation > best + PREFERRED * least

    tops = nearest_face([abs(axis[k]) for k in range(3)])
    first, last = either(by_end, tops[0], faces[0]), either(by_end, tops[2], faces[2])
    found = _on_face((first, last), (p, axis, M[:, 0]), n, eta, (l, r))
    candidates = []
    for gap, _, _, *middle in found:
        candidates.append(Candidate(either(by_edge, FAR, gap), Tb[:3, 3] + Q @ vector(*middle), Q @ n))
    edge = Candidate(separation, Tb[:3, 3] + Q @ (y + (0.5 * separation) * m), Q @ m)
    chosen = (either(by_edge, one, other) for one, other in zip(edge, candidates[-1], strict=True))
    return [*candidates[:-1], Candidate(*chosen)]


def _projected(y: Array, p: Array, axis: Array, eta: Sequence[Any], l: Any, r: Any) -> tuple[Array, Array]:
    """A point of the cylinder and one of the box, from a point of the box :data:`ROUNDS` times to and fro."""
    for _ in range(ROUNDS):
        x = y - p
        z = axis @ x
        off = x - z * axis
        rho = np.sqrt(maximum(off @ off, NOTHING))
        x = p + clip(z, -l, l) * axis + (r / maximum(rho, r)) * off
        y = vector(*(clip(x[k], -eta[k], eta[k]) for k in range(3)))
    return x, y


def _nearest_edge(y: Array, p: Array, M: Array, eta: Sequence[Any], l: Any, r: Any) -> tuple[Array, Array]:
    """The point of the box's edge at y that is nearest to a cylinder at p, and the normal from it to the cylinder."""
    free = nearest_face([eta[k] - abs(y[k]) for k in range(3)])
    middle = vector(*(either(free[k], 0.0, along(y[k]) * eta[k]) for k in range(3)))
    step = vector(*(either(free[k], eta[k], 0.0) for k in range(3)))
    start, d = M.T @ (middle - p), M.T @ step
    s = nearest_place(start, d, r, l)
    _, normal = distance_of(start + s * d, r, l)
    return middle + s * step, -(M @ normal)


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
        """Of what there is for each axis of the box, in the order u, v and the face's own."""
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
    for gap, x, y, *mid in spread(points):
        mid[2] = side * mid[2]
        found.append((gap, x, y, *(sum(order[k][i] * mid[i] for i in range(3)) for k in range(3))))
    return found
