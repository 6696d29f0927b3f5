"""Contact points of two convex shapes, of any kinds.

1. Where the shapes are apart, GJK returns the nearest points and the normal; where they overlap, the expanding
   polytope returns the depth and the normal (`dynamics/distance/`).
2. The faces of both shapes that are most along the normal. If the shapes are as far apart along the normal of one of
   these, or overlap as little, that one is the contact normal, as rounding could select an edge next to it.
3. The contact polygon of both faces, seen along the normal, is reduced to four distant points (Ericson, "Real-Time
   Collision Detection", 2005, §5.3.8 and §9.5; van den Bergen, "Collision Detection in Interactive 3D Environments",
   2004, §4.3). The witness point of step 1 is one more.

Spheres and ellipsoids touch in one point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import ABSENT, FAR, WIDTH, ContactCandidate, contact_frame, either
from linkwright.dynamics.contact.shapes.convex.contact_face import face_toward
from linkwright.dynamics.contact.shapes.convex.curved_separation import curved_separation
from linkwright.dynamics.contact.shapes.convex.face_contact import POINT_WIDTH, FaceInContact, contact_polygon
from linkwright.dynamics.contact.shapes.convex.hull_table import HullTable, hull_table
from linkwright.dynamics.contact.shapes.manifold_reduction import PointRow, reduced_manifold
from linkwright.dynamics.distance import cores, separation
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, minimum
from linkwright.spatial.loops.memory import write
from linkwright.spatial.loops.repeats import when

FACE_FIRST = 1e-8
"""Difference of separations, relative to the size of the shapes, within which the normal of a face is preferred."""

NEAR = 0.1
"""Distance, relative to the size of the shapes, from which a pair has one point only."""

SAME = 1e-5
"""Distance of two points, relative to the size of the shapes, below which one of them is left out."""

WITNESS_LAST = 1e-9
"""Depth, relative to the size of the shapes, by which the witness point has to be deeper than other points."""

AT_REST = np.eye(4)


def one_point(first: Shape, T1: Array, second: Shape, T2: Array, limit: Any = None) -> list[ContactCandidate]:
    """Return the witness point of two shapes, of which one is curved everywhere."""
    A, B = _core(first, _relative(T1, T2), False)[0], _core(second, AT_REST, False)[0]
    found = _separation(A, B, _size(first) + _size(second), limit)
    return [_placed(found.distance, 0.5 * (found.a + found.b), found.normal, T2)]


def along_line(first: Shape, T1: Array, second: Shape, T2: Array, limit: Any = None) -> list[ContactCandidate]:
    """Return the contact points of two shapes, of which one is a capsule: two ends and the witness point."""
    one, other, _, _, deepest = several_points(first, T1, second, T2, limit)
    return [one, other, deepest]


def several_points(first: Shape, T1: Array, second: Shape, T2: Array, limit: Any = None) -> list[ContactCandidate]:
    """Return the contact points of two shapes: four of the contact polygon, and the deepest one if it is another.

    With a ``limit``, m, shapes that are farther apart have the last point only, with any gap larger than the limit.
    """
    (A, hull_a), (B, hull_b) = _core(first, _relative(T1, T2)), _core(second, AT_REST)
    size = _size(first) + _size(second)
    found = _separation(A, B, size, limit)
    near = NEAR * size if limit is None else minimum(NEAR * size, limit)
    apart = np.tile(ABSENT, 4)
    witness = np.stack([found.distance, *(0.5 * (found.a + found.b)), *found.normal])

    def manifold() -> Array:
        return np.concatenate(_manifold(found, (A, hull_a), (B, hull_b), size))

    rows = when(found.distance < near, manifold, np.concatenate([apart, witness]))
    return [_placed(x[0], x[1:4], x[4:], T2) for x in rows.reshape(-1, WIDTH)]


def _manifold(found: separation.Separation, one: Any, other: Any, size: Any) -> list[Array]:
    """Return the numbers of the candidates."""
    (A, hull_a), (B, hull_b) = one, other
    faces = face_toward(A, hull_a, -found.normal), face_toward(B, hull_b, found.normal)
    distance, normal = found.distance, found.normal
    for n in (-faces[0].normal, faces[1].normal):
        along = n @ (A.support(-n) - B.support(n)) - A.radius - B.radius
        better = along >= found.distance - FACE_FIRST * size
        distance = either(better, along, distance)
        normal = np.stack([either(better, x, y) for x, y in zip(n, normal, strict=True)])
    origin = 0.5 * (found.a + found.b)
    frame = np.stack([*contact_frame(normal), normal])
    a, b = (FaceInContact(face, frame, origin, turn) for face, turn in zip(faces, (-1.0, 1.0), strict=True))
    row, count = contact_polygon(a, b, (A.radius, B.radius), size)
    row = write(row, float(count * POINT_WIDTH), [distance + WITNESS_LAST * size, 0.0, 0.0, 0.0])
    points = reduced_manifold(PointRow(row, count + 1, POINT_WIDTH))
    gap, u, v, height = points[-1]
    for before in points[:-1]:
        same = (abs(before[0]) < 0.5 * FAR) & (abs(before[1] - u) + abs(before[2] - v) < SAME * size)
        gap = either(same, FAR, gap)
    points[-1] = gap, u, v, height
    return [np.stack([p[0], *(origin + frame.T @ np.stack(p[1:])), *normal]) for p in points]


def _separation(A: cores.ConvexCore, B: cores.ConvexCore, size: Any, limit: Any) -> separation.Separation:
    curved = not {A.kind, B.kind} <= set(cores.POLYTOPES)
    return (curved_separation if curved else separation.separation)(A, B, size, limit)


def _relative(T1: Array, T2: Array) -> Array:
    """Return the pose of the first shape in the frame of the second; points are computed there."""
    R = T2[:3, :3].T
    return np.column_stack([R @ T1[:3, :3], R @ (T1[:3, 3] - T2[:3, 3])])


def _placed(gap: Any, point: Array, normal: Array, T: Array) -> ContactCandidate:
    """Return a candidate in the world from one in the frame T."""
    return ContactCandidate(gap, T[:3, :3] @ point + T[:3, 3], T[:3, :3] @ normal)


def _core(shape: Shape, T: Array, faces: bool = True) -> tuple[cores.ConvexCore, HullTable | None]:
    """Return the core of a shape with the pose T (4, 4), and the table of a mesh."""
    hull = hull_table(shape, faces) if shape.kind == "mesh" else None
    table, first = None, 0.0
    if hull is not None:
        table, first = hull.vertex_table, hull.first
    return cores.ConvexCore(shape.kind, T[:3, 3], T[:3, :3], cores.sizes_of(shape), table, first), hull


def _size(shape: Shape) -> Any:
    """Return a length of a shape, m."""
    return abs(hull_table(shape, False).vertices).max() if shape.kind == "mesh" else sum(cores.sizes_of(shape))
