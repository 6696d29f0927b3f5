"""Depth of two convex sets that overlap, by expanding polytopes.

The depth is the least length of a translation of A that separates the sets: the distance of the origin from the surface
of A ⊖ B. A polytope inside A ⊖ B, with support points as its vertices, grows: the support point along the normal of the
face nearest to the origin becomes a vertex, and replaces the faces that are visible from it. For a normal n of the
nearest face, at the distance d from the origin, and the support point w,

    d ≤ depth ≤ n·w.

For polytopes both become equal. For curved shapes the number of vertices limits the accuracy.

The faces visible from w are a disk. Its border follows without adjacency: for each vertex i, the sums of
(next − previous) and (next² − previous²) over its visible faces are those of its neighbors on the border, and zero
inside.

van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", 2001.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import NOTHING, cross, either, unit, vector
from linkwright.dynamics.distance.gjk import Support
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.memory import empty_row, read, write
from linkwright.spatial.loops.repeats import repeat, symbol_among, until, when

VERTICES = 64
"""Largest number of vertices of the polytope."""

FACES = 2 * VERTICES
"""Largest number of its faces, 2 · vertices − 4, and one for those that are not stored."""

SLACK, CURVED_SLACK = 1e-9, 1e-4
"""Difference of both bounds, relative to the size of the shapes, at which the depth is known: of polytopes, of others.
"""

VISIBLE = 1e-13
"""Height of a point above a face, relative to the size of the shapes, from which the face is visible."""

NARROW = 1e-14
"""Area of a face, relative to the squared size, below which its normal is unknown."""

GONE, UNKNOWN = 1e30, 1e20
"""Distances of faces that are removed, and of those without a normal."""

FACE, VERTEX = 7, 6
"""Numbers of a face: normal, distance, indices of its vertices. Numbers of a vertex: w, a."""


class Depth(NamedTuple):
    """Depth of two sets, with the witness points a and a − depth · normal."""

    depth: Any
    normal: Array
    """(3,), unit: −depth · normal moves A out of B"""
    a: Array
    """(3,), point of A"""


class _Polytope(NamedTuple):
    """State of the iteration; ``free``: stack of places of faces, ``used``: number of places ever used."""

    faces: Any
    vertices: Any
    border: Any
    free: Any
    top: Any
    used: Any
    count: Any


def penetration(support: Support, size: Any, slack: Any = SLACK) -> Depth:
    """Return the depth of two overlapping convex sets; ``size``: a length of the sets, m; ``slack``: see
    :data:`SLACK`."""
    polytope = _tetrahedron(support, size)

    def ends(*state: Any) -> Any:
        return state[-1] > 0.5

    def step(_: Any, *state: Any) -> tuple[Any, ...]:
        polytope = _Polytope(*state[:7])
        depth, normal = state[7:9]
        n, d = _nearest_face(polytope)
        w, a = support(n)
        height = w @ n
        less = height < depth
        depth = minimum(height, depth)
        normal = np.stack([either(less, x, y) for x, y in zip(n, normal, strict=True)])
        known = (depth - d <= slack * size) | (polytope.count > VERTICES - 0.5)
        polytope = _expanded(polytope, w, a, either(known, UNKNOWN, VISIBLE * size), size)
        return *polytope, depth, normal, either(known, 1.0, 0.0)

    *found, depth, normal, _, _ = until(ends, step, *polytope, 1e30, np.zeros(3), 0.0, limit=VERTICES)
    return Depth(depth, normal, _point_along(_Polytope(*found), normal))


def _nearest_face(polytope: _Polytope) -> tuple[Array, Any]:
    """Return the normal and the distance of the face nearest to the origin."""

    def compare(k: Any, best: Any, at: Any) -> tuple[Any, Any]:
        (d,) = read(polytope.faces, k * float(FACE) + 3.0, 1)
        return minimum(d, best), either(d < best, k, at)

    _, f = _over(polytope.used, FACES, compare, 1e40, 0.0)
    face = read(polytope.faces, f * float(FACE), 4)
    return face[:3], face[3]


def _over(count: Any, most: int, step: Any, *state: Any) -> Any:
    """Return the state after ``step(k, *state)`` for k below a computed number."""
    *after, _, _ = until(
        lambda *now: now[-1] >= count, lambda k, *now: (*step(k, *now[:-1]), k + 1.0), *state, 0.0, limit=most
    )
    return tuple(after)


def _point_along(polytope: _Polytope, n: Array) -> Array:
    """Return the point a (3,) of A in the point of the surface in the direction n from the origin."""

    def compare(k: Any, best: Any, a: Array) -> tuple[Any, Array]:
        face = read(polytope.faces, k * float(FACE), FACE)
        corners = [read(polytope.vertices, place * float(VERTEX), VERTEX) for place in face[4:]]
        w = [corner[:3] for corner in corners]
        parts = [cross(w[i], w[j]) @ n for i, j in ((1, 2), (2, 0), (0, 1))]
        whole = parts[0] + parts[1] + parts[2]
        there = (face[3] < UNKNOWN) & (face[:3] @ n > 0.0) & (whole > NOTHING)
        per = 1.0 / either(there, whole, 1.0)
        weights = [x * per for x in parts]
        least = minimum(minimum(weights[0], weights[1]), weights[2])
        better = there & (least > best)
        clipped = [maximum(x, 0.0) for x in weights]
        share = 1.0 / either(there, clipped[0] + clipped[1] + clipped[2], 1.0)
        point = sum(x * corner[3:] for x, corner in zip(clipped, corners, strict=True))
        return either(better, least, best), np.stack(
            [either(better, share * x, y) for x, y in zip(point, a, strict=True)]
        )

    first = read(polytope.vertices, 3.0, 3)
    _, a = _over(polytope.used, FACES, compare, -1e30, first)
    return a  # type: ignore[no-any-return]


def _face(vertices: Any, places: Any, size: Any) -> list[Any]:
    """Return the numbers of a face of three vertices, counterclockwise from outside."""
    p, q, r = (read(vertices, place * float(VERTEX), 3) for place in places)
    n = cross(q - p, r - p)
    square = n @ n
    wide = square > (NARROW * size * size) * (NARROW * size * size) + NOTHING
    per = either(wide, 1.0 / np.sqrt(either(wide, square, 1.0)), 0.0)
    return [*(per * n), either(wide, per * (n @ p), UNKNOWN), *places]


def _tetrahedron(support: Support, size: Any) -> _Polytope:
    """Return a tetrahedron of support points: two far ones, one far from their line, and one far from the plane."""
    x = np.array([1.0, 0.0, 0.0])
    (w0, a0), (w1, a1) = support(x), support(-x)
    _, e = unit(w0 - w1, (1.0, 0.0, 0.0))
    least = abs(e[0])
    aside = vector(1.0, 0.0, 0.0)
    for k, other in ((1, (0.0, 1.0, 0.0)), (2, (0.0, 0.0, 1.0))):
        less = abs(e[k]) < least
        least = minimum(abs(e[k]), least)
        aside = np.stack([either(less, y, z) for y, z in zip(other, aside, strict=True)])
    _, d = unit(cross(e, aside), (0.0, 1.0, 0.0))
    w2, a2 = _farther(support, d, w0)
    _, n = unit(cross(w1 - w0, w2 - w0), (0.0, 0.0, 1.0))
    w3, a3 = _farther(support, n, w0)
    outward = (w3 - w0) @ n > 0.0
    entries = [[w0, a0], [w1, a1], [w2, a2], [w3, a3]]
    symbol = symbol_among([np.asarray(x) for row in entries for x in row])
    vertices = empty_row(symbol, VERTICES * VERTEX + VERTEX)
    for k, row in enumerate(entries):
        vertices = write(vertices, float(k * VERTEX), np.concatenate(row))

    def begin(k: Any, faces: Any, border: Any, free: Any) -> Any:
        faces = write(faces, k * float(FACE), [0.0, 0.0, 0.0, GONE, 0.0, 0.0, 0.0])
        free = write(free, k, [float(FACES - 2) - k])  # places are taken from its end: first 4
        return faces, write(border, k, [0.0]), free

    rows = (empty_row(symbol, size) for size in (FACES * FACE, 2 * VERTICES, FACES))
    faces, border, free = repeat(FACES, begin, *rows)
    for k, (i, j, m) in enumerate(((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))):
        last, second = either(outward, float(j), float(m)), either(outward, float(m), float(j))
        faces = write(faces, float(k * FACE), _face(vertices, (float(i), second, last), size))
    return _Polytope(faces, vertices, border, free, float(FACES - 5), 4.0, 4.0)


def _farther(support: Support, d: Array, origin: Array) -> tuple[Array, Array]:
    """Return the support point along ±d that is farther from a plane normal to d."""
    (w, a), (w1, a1) = support(d), support(-d)
    other = (origin - w1) @ d > (w - origin) @ d
    return (
        np.stack([either(other, y, x) for x, y in zip(w, w1, strict=True)]),
        np.stack([either(other, y, x) for x, y in zip(a, a1, strict=True)]),
    )


def _expanded(polytope: _Polytope, w: Array, a: Array, margin: Any, size: Any) -> _Polytope:
    """Return the polytope with a vertex w: the faces below w by more than a margin are replaced."""
    faces, vertices, border, free, top, used, count = polytope
    vertices = write(vertices, minimum(count, VERTICES - 1.0) * float(VERTEX), [*w, *a])

    def remove(k: Any, faces: Any, border: Any, free: Any, top: Any) -> tuple[Any, ...]:
        face = read(faces, k * float(FACE), FACE)
        seen = (face[3] < UNKNOWN) & (face[:3] @ w - face[3] > margin)
        one = either(seen, 1.0, 0.0)

        def removed() -> tuple[Any, ...]:
            after_it = write(faces, k * float(FACE) + 3.0, [either(seen, GONE, face[3])])
            sums = border
            for i in range(3):
                at, after, before = face[4 + i], face[4 + (i + 1) % 3], face[4 + (i + 2) % 3]
                difference, squares = read(sums, 2.0 * at, 2)
                step, turn = one * (after - before), one * (after * after - before * before)
                sums = write(sums, 2.0 * at, [difference + step, squares + turn])
            return after_it, sums, write(free, minimum(top, FACES - 1.0), [k])

        return *when(seen, removed, faces, border, free), minimum(top + one, FACES - 1.0)

    faces, border, free, top = _over(used, FACES, remove, faces, border, free, top)

    def add(i: Any, faces: Any, border: Any, top: Any, used: Any) -> tuple[Any, ...]:
        difference, squares = read(border, 2.0 * i, 2)
        there = abs(difference) > 0.5

        def added() -> tuple[Any, ...]:
            after = 0.5 * (difference + squares / either(there, difference, 1.0))
            after = either(there & (after > -0.5) & (after < VERTICES - 0.5), after, i)
            (place,) = read(free, maximum(top - 1.0, 0.0), 1)
            place = either(there, place, FACES - 1.0)
            face = _face(vertices, (i, np.rint(after), minimum(count, VERTICES - 1.0)), size)
            one = either(there, 1.0, 0.0)
            return (
                write(faces, place * float(FACE), [*face[:3], either(there, face[3], GONE), *face[4:]]),
                write(border, 2.0 * i, [0.0, 0.0]),
                maximum(top - one, 0.0),
                maximum(used, either(there, minimum(place + 1.0, FACES - 1.0), 0.0)),
            )

        return when(there, added, faces, border, top, used)  # type: ignore[no-any-return]

    faces, border, top, used = _over(count, VERTICES, add, faces, border, top, used)
    return _Polytope(faces, vertices, border, free, top, used, minimum(count + 1.0, float(VERTICES)))
