"""Signed distance of two convex shapes, with witness points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.boxes import distance_of as of_box
from linkwright.dynamics.contact.shapes.candidate import NOTHING, cross, either, unit, within
from linkwright.dynamics.contact.shapes.cylinders import distance_of as of_cylinder
from linkwright.dynamics.contact.shapes.height_fields import PlacedHeightField
from linkwright.dynamics.contact.shapes.rounded import nearest_of_segments
from linkwright.dynamics.distance.cores import POLYTOPES, ROUND, SEGMENTS, ConvexCore
from linkwright.dynamics.distance.cylinder_distance import round_distance
from linkwright.dynamics.distance.expanding_polytope import CURVED_SLACK, SLACK, penetration
from linkwright.dynamics.distance.gjk import Support, are_near, nearest_points
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, maximum
from linkwright.spatial.loops.repeats import when

UP = (0.0, 0.0, 1.0)
"""Normal of two coincident points."""


ANY = 1e30
"""Slack of a depth that is not needed."""


class Separation(NamedTuple):
    """Signed distance of two shapes A and B, with numbers or symbols."""

    distance: Any
    """m; negative where they overlap: minus the length of the shortest translation that separates them"""
    normal: Array
    """(3,), unit, from B to A"""
    a: Array
    """(3,), m, point of A; the point of B is a − distance · normal"""

    @property
    def b(self) -> Array:
        """Point of B."""
        return self.a - self.distance * self.normal

    @property
    def numbers(self) -> Array:
        """All numbers (7,)."""
        return np.concatenate([np.stack([self.distance]), self.normal, self.a])

    @property
    def flipped(self) -> Separation:
        """The separation of the shapes in the other order."""
        return Separation(self.distance, -self.normal, self.b)

    @classmethod
    def of_numbers(cls, x: Array) -> Separation:
        """Return the separation of its numbers (7,)."""
        return cls(x[0], x[1:4], x[4:7])


def difference(A: ConvexCore, B: ConvexCore) -> Support:
    """Return the support function of A ⊖ B for the cores of two shapes."""

    def support(d: Array) -> tuple[Array, Array]:
        a = A.support(d)
        return a - B.support(-d), a

    return support


def separation(A: ConvexCore, B: ConvexCore, size: Any, limit: Any = None) -> Separation:
    """Return the separation of two convex shapes; ``size``: a length of both, m.

    A distance larger than ``limit``, m, may be any number larger than it.
    """
    exact = _closed_form(A, B)
    if exact is not None:
        return exact
    if A.kind in ROUND and B.kind in ROUND:
        length, normal, a, unknown = round_distance(A, B, size)
        apart = Separation(length, normal, a)
        found = when(unknown, lambda: _separation_of_cores(A, B, size, None).numbers, apart.numbers)
        return rounded(Separation.of_numbers(found), A.radius, B.radius)
    return rounded(_separation_of_cores(A, B, size, limit), A.radius, B.radius)


def limit_of_cores(A: ConvexCore, B: ConvexCore, limit: Any) -> Any:
    """Return the limit of the distance of two cores from that of the shapes; None without one."""
    return None if limit is None else limit + A.radius + B.radius


def _separation_of_cores(A: ConvexCore, B: ConvexCore, size: Any, limit: Any) -> Separation:
    support = difference(A, B)
    curved = not {A.kind, B.kind} <= set(POLYTOPES)
    near = nearest_points(support, A.center - B.center, size, limit_of_cores(A, B, limit), exact_within=True)
    length, normal = unit(near.v, UP)
    apart = Separation(length, normal, near.a)

    def overlapping() -> Array:
        slack = either(near.overlap > 0.5, CURVED_SLACK if curved else SLACK, ANY)  # rows that are apart stop at once
        depth = penetration(support, size, slack)
        return Separation(-depth.depth, -depth.normal, depth.a).numbers

    return Separation.of_numbers(when(near.overlap > 0.5, overlapping, apart.numbers))


def rounded(cores: Separation, a: Any, b: Any) -> Separation:
    """Return the separation of shapes from that of their cores, and the radii of the balls."""
    return Separation(cores.distance - a - b, cores.normal, cores.a - a * cores.normal)


def _closed_form(A: ConvexCore, B: ConvexCore) -> Separation | None:
    """Return the separation of two kinds of shapes for which there is a formula."""
    if A.kind in SEGMENTS and B.kind in SEGMENTS:
        return _of_segments(A, B)
    if A.kind == "sphere" and B.kind in ("box", "cylinder"):
        x = B.R.T @ (A.center - B.center)
        box, axes = B.sizes[:3], B.sizes[3:6]
        distance, n = of_box(x, box) if B.kind == "box" else of_cylinder(x, axes[0], box[2])
        return rounded(Separation(distance, B.R @ n, A.center), A.radius, 0.0)
    if B.kind == "sphere" and A.kind in ("box", "cylinder"):
        other = _closed_form(B, A)
        assert other is not None
        return other.flipped
    return None


def _of_segments(A: ConvexCore, B: ConvexCore) -> Separation:
    da, db = A.sizes[2] * A.R[:, 2], B.sizes[2] * B.R[:, 2]
    apart = A.center - B.center
    a, b, otherwise = A.center, B.center, np.array(UP)
    if A.kind == B.kind == "capsule":
        s, t = nearest_of_segments(apart, da, db)
        a, b = a + s * da, b + t * db
        _, otherwise = unit(cross(da, db), UP)  # of segments that intersect
    elif A.kind == "capsule":
        a = a - within((da @ apart) / maximum(da @ da, NOTHING)) * da
    elif B.kind == "capsule":
        b = b + within((db @ apart) / maximum(db @ db, NOTHING)) * db
    distance, normal = unit(a - b, otherwise)
    return rounded(Separation(distance, normal, a), A.radius, B.radius)


def above_plane(A: ConvexCore, T: Array) -> Separation:
    """Return the separation of a convex shape and the half-space below the plane z = 0 of a frame T (4, 4)."""
    n = T[:3, 2]
    a = A.support(-n) - A.radius * n
    return Separation(n @ (a - T[:3, 3]), n, a)


ROUNDS = 3
"""Number of support points that are tried on a height field."""


def above_height_field(A: ConvexCore, field: Shape, T: Array) -> Separation:
    """Return the separation of a convex shape and a height field.

    The distance is that of the deepest of support points along the normals of the field below the center of the shape,
    and below the previous support point: exact on a field that is a plane under the shape.
    """
    ground = PlacedHeightField(field, T)
    _, n = ground.above(A.center)
    best = None
    for _ in range(ROUNDS):
        a = A.support(-n) - A.radius * n
        distance, n = ground.above(a)
        found = Separation(distance, n, a)
        best = found if best is None else _nearer(found, best)
    assert best is not None
    return best


def _nearer(one: Separation, other: Separation) -> Separation:
    less = one.distance < other.distance
    pairs = zip(one.numbers, other.numbers, strict=True)
    return Separation.of_numbers(np.stack([either(less, x, y) for x, y in pairs]))


def touch(A: ConvexCore, B: ConvexCore, size: Any, margin: Any) -> Any:
    """Return whether the distance of two convex shapes is at most a margin, m, which is not negative."""
    exact = _closed_form(A, B)
    if exact is not None:
        return exact.distance <= margin
    return are_near(difference(A, B), A.center - B.center, size, A.radius + B.radius + margin)
