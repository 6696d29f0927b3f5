"""Box against box: the best of fifteen separating axes, then a clipped face or two crossing edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.boxes import nearest_face
from linkwright.dynamics.contact.shapes.candidate import (
    FAR,
    GROWN,
    PREFERRED,
    ContactCandidate,
    along,
    cross,
    either,
    halves,
    inverse,
    slab,
)
from linkwright.dynamics.contact.shapes.manifold_reduction import PointList, reduced_manifold
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, maximum, minimum

PARALLEL = 1e-12
"""Squared sine between two edges below which they have no common normal."""

EARLIER = (1.0 + 2e-6, 1.0 + 1e-6, 1.0)
"""Advantage of the first and of the second axis, so that rounding does not select among faces that are inclined alike.
"""

ONE = 1.0 - 1e-6
"""Crossings this near to a corner count as the corner."""


class Face(NamedTuple):
    """Face of a box that faces the other one most, in the axes (u, v, n) of the face."""

    separation: Any
    """m, separation of the boxes along its normal"""
    axes: Array
    """(3, 3), rows u, v, n in the world"""
    half: list[Any]
    """half sizes of its box along these axes"""
    other: Array
    """(3, 3), columns: axes of the other box, times its half sizes"""
    middle: Array
    """(3,), center of the other box relative to that of this one"""


def box_box(a: Shape, Ta: Array, b: Shape, Tb: Array) -> list[ContactCandidate]:
    """Separating axes (Gottschalk, Lin & Manocha 1996), then clipping of the incident face.

    The separation along the best axis is the exact depth where the boxes overlap. For a face axis the contact polygon
    has up to eight corners (the clipped edges of the other box, and the corners of this face inside it), reduced to the
    deepest and four distant points (:func:`reduced_manifold`); for an edge axis there is one point.
    """
    p, q = halves(a.size), halves(b.size)
    P, Q = Ta[:3, :3], Tb[:3, :3]
    D, d = P.T @ Q, Ta[:3, 3] - Tb[:3, 3]
    x, y = P.T @ d, Q.T @ d
    margin = PREFERRED * minimum(_least(p), _least(q))
    on_a, on_b = _face(P, p, D, q, -x), _face(Q, q, D.T, p, y)
    of_b = on_b.separation > on_a.separation + margin
    edge, edge_separation = _edges((Ta[:3, 3], P, p), (Tb[:3, 3], Q, q), D, x, y)
    of_edges = edge_separation > maximum(on_a.separation, on_b.separation) + margin
    middle = either(of_b, Tb[:3, 3], Ta[:3, 3])
    face = Face(*(either(of_b, np.asarray(m), np.asarray(n)) for m, n in zip(on_b, on_a, strict=True)))
    u, v, n = face.axes
    turn = either(of_b, 1.0, -1.0)
    found = []
    for gap, along_u, along_v, height in reduced_manifold(PointList(_polygon(face))):
        point = middle + along_u * u + along_v * v + (face.half[2] + 0.5 * height) * n
        found.append(ContactCandidate(either(of_edges, FAR, gap), point, turn * n))
    last = found[-1]
    chosen = (either(of_edges, m, n) for m, n in zip(edge, last, strict=True))
    return [*found[:-1], ContactCandidate(*chosen)]


def _least(half: Sequence[Any]) -> Any:
    return minimum(minimum(half[0], half[1]), half[2])


def _face(P: Array, p: Sequence[Any], D: Array, q: Sequence[Any], middle: Array) -> Face:
    """Return the reference face of a box with axes P and half sizes p; D: axes of the other box in its own, and its
    center."""
    apart = [abs(middle[k]) - p[k] - sum(q[j] * abs(D[k, j]) for j in range(3)) for k in range(3)]
    first, _, last = nearest_face(apart)
    other = D * np.array(q)

    def turned(rows: Any) -> list[Any]:
        """Return entries of the axes in the order u, v, n."""
        n = either(first, rows[0], either(last, rows[2], rows[1]))
        return [either(first, rows[1], rows[0]), either(last, rows[1], rows[2]), n]

    axes, size, others, center = turned(P.T), turned(p), turned(other), turned(middle)
    side = along(center[2])
    for rows in (axes, others, center):
        rows[2] = side * rows[2]
    separation = maximum(maximum(apart[0], apart[1]), apart[2])
    return Face(separation, np.array(axes), size, np.array(others), np.array(center))


def _polygon(face: Face) -> list[tuple[Any, ...]]:
    """Return the corners of the contact polygon, (gap, u, v, gap); FAR where they do not exist."""
    turned = [abs(x) for x in face.other[2]]
    sizes = [x @ x for x in face.other.T]  # the axis that is most along n, whatever its length
    first, _, last = nearest_face([x * x / size * more for x, size, more in zip(turned, sizes, EARLIER, strict=True)])
    columns = face.other.T
    out = either(first, columns[0], either(last, columns[2], columns[1]))
    e, f = either(first, columns[1], columns[0]), either(last, columns[1], columns[2])
    low = face.middle - along(out[2]) * out
    U, V, N = face.half
    points = []
    for start, step in ((low + e + f, -e), (low - e + f, -f), (low - e - f, e), (low + e - f, f)):
        points += _clipped(start, step, (U, V), N)
    det = inverse(e[0] * f[1] - e[1] * f[0])
    for u, v in ((U, V), (-U, V), (-U, -V), (U, -V)):
        x, y = u - low[0], v - low[1]
        s, t = (x * f[1] - y * f[0]) * det, (y * e[0] - x * e[1]) * det
        gap = low[2] + s * e[2] + t * f[2] - N
        points.append((either((abs(s) < ONE) & (abs(t) < ONE), gap, FAR), u, v, gap))
    return points


def _clipped(start: Array, step: Array, half: tuple[Any, Any], top: Any) -> list[tuple[Any, ...]]:
    """Return where an edge from ``start`` to ``start + 2 step`` enters and leaves a rectangle."""
    (a, b), (c, d) = (slab(start[k] + step[k], step[k], GROWN * half[k]) for k in range(2))
    enters, leaves = maximum(maximum(a, c), -1.0), minimum(minimum(b, d), 1.0)
    met = enters <= leaves
    found = []
    for s, exists in ((enters, met), (leaves, met & (leaves < ONE))):
        s = either(exists, s, 0.0)
        x = start + (1.0 + s) * step
        found.append((either(exists, x[2] - top, FAR), x[0], x[1], x[2] - top))
    return found


Box = tuple[Array, Array, Sequence[Any]]
"""Center, axes and half sizes of a box."""


def _edges(a: Box, b: Box, D: Array, x: Array, y: Array) -> tuple[ContactCandidate, Any]:
    """Return the best of the nine pairs of edges, and the separation across them."""
    (ca, P, p), (cb, Q, q) = a, b
    best: Any = -FAR
    i: Any = 0.0
    j: Any = 0.0
    for k in range(3):
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        for m in range(3):
            m1, m2 = (m + 1) % 3, (m + 2) % 3
            square = D[k1, m] * D[k1, m] + D[k2, m] * D[k2, m]  # of a_k × b_m
            reach = p[k1] * abs(D[k2, m]) + p[k2] * abs(D[k1, m]) + q[m1] * abs(D[k, m2]) + q[m2] * abs(D[k, m1])
            apart = abs(x[k2] * D[k1, m] - x[k1] * D[k2, m]) - reach
            apart = either(square > PARALLEL, apart / np.sqrt(maximum(square, PARALLEL)), -FAR)
            better = apart > best
            best, i, j = either(better, apart, best), either(better, float(k), i), either(better, float(m), j)
    is_i, is_j = ([abs(index - k) < 0.5 for k in range(3)] for index in (i, j))
    u, v = _one_of(is_i, P.T), _one_of(is_j, Q.T)
    L = cross(u, v)
    square = maximum(L @ L, PARALLEL)
    n = L * (along(L @ (ca - cb)) / np.sqrt(square))
    start = ca - sum(either(is_i[k], 0.0, along(n @ P[:, k]) * p[k]) * P[:, k] for k in range(3))
    other = cb + sum(either(is_j[k], 0.0, along(n @ Q[:, k]) * q[k]) * Q[:, k] for k in range(3))
    r = start - other
    B, C, F = u @ v, u @ r, v @ r
    s = (B * F - C) / square
    t = B * s + F
    meet = (abs(s) <= GROWN * _one_of(is_i, p)) & (abs(t) <= GROWN * _one_of(is_j, q))
    point = 0.5 * (start + s * u + other + t * v)
    return ContactCandidate(
        either(meet, best, FAR), point, either(square > PARALLEL, n, along(n[2]) * np.eye(3)[2])
    ), best


def _one_of(flags: Sequence[Any], things: Any) -> Any:
    return either(flags[0], things[0], either(flags[1], things[1], things[2]))
