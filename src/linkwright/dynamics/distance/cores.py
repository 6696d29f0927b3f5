"""Convex shapes as a core and the radius of a ball that is added to it, by their support functions.

The support point of a convex set C along d is the x ∈ C with the largest d·x. All kinds but cones and hulls are
Minkowski sums of a box, an ellipsoid (which may be flat) and a ball:

=========  ==================  ==================  ======
kind       half sizes of box   half axes           radius
=========  ==================  ==================  ======
sphere     0                   0                   r
capsule    (0, 0, l/2)         0                   r
box        size/2              0                   0
cylinder   (0, 0, l/2)         (r, r, 0)           0
ellipsoid  0                   size/2              0
=========  ==================  ==================  ======

The distance of two sums is that of their cores minus the radii, also where they overlap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import NOTHING, along, either, vector
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, is_symbolic, is_zero
from linkwright.spatial.loops.repeats import repeat
from linkwright.spatial.loops.tables import take

CONVEX = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "mesh")
"""Kinds of convex shapes; meshes are convex hulls."""

SEGMENTS = ("sphere", "capsule")
"""Kinds whose core is a point or a segment."""

ROUND = ("capsule", "cylinder")
"""Kinds whose core is the sum of a segment and a disc."""

POLYTOPES = ("sphere", "capsule", "box", "mesh")
"""Kinds whose core is a polytope."""

GROUP = 8
"""Number of vertices of a hull that are compared together."""

SIZES = 7
"""Number of sizes of a core: half sizes (3), half axes (3), radius."""


def sizes_of(shape: Shape) -> list[float]:
    """Return the half sizes of the box, the half axes of the ellipsoid, and the radius of the ball (7,)."""
    r, half = shape.radius, 0.5 * shape.length
    x, y, z = (0.5 * side for side in shape.size)
    return {
        "sphere": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, r],
        "capsule": [0.0, 0.0, half, 0.0, 0.0, 0.0, r],
        "box": [x, y, z, 0.0, 0.0, 0.0, 0.0],
        "cylinder": [0.0, 0.0, half, r, r, 0.0, 0.0],
        "cone": [0.0, 0.0, half, r, r, 0.0, 0.0],
        "ellipsoid": [0.0, 0.0, 0.0, x, y, z, 0.0],
    }.get(shape.kind, [0.0] * SIZES)


def bounding_radius(shape: Shape, hull: Array | None) -> float:
    """Return the radius of the sphere around the center of the shape's frame that contains the shape."""
    if hull is not None:
        return float(np.linalg.norm(hull, axis=1).max())
    *sizes, radius = sizes_of(shape)
    box, axes = np.array(sizes[:3]), np.array(sizes[3:])
    if shape.kind in ("cylinder", "cone"):
        return float(np.hypot(box[2], axes[0]))
    return float(np.linalg.norm(box) + axes.max() + radius)


class VertexTable(NamedTuple):
    """Vertices of several hulls, the same number of each."""

    vertices: Array
    """(hulls · most, 3)"""
    most: int
    """number of vertices of each"""

    @classmethod
    def of(cls, hulls: list[Array]) -> VertexTable:
        """Return the table of hulls (n, 3), which are filled up with their first vertices."""
        count = -(-max(map(len, hulls)) // GROUP) * GROUP
        rows = [np.concatenate([x, np.repeat(x[:1], count - len(x), axis=0)]) for x in hulls]
        return cls(np.concatenate(rows), count)

    def farthest(self, first: Any, d: Array) -> Array:
        """Return the vertex (3,) farthest along d of the hull whose vertices begin at an index."""
        if not is_symbolic(first, d):
            own = self.vertices[int(first) :][: self.most]
            return own[np.argmax(own @ d)]  # type: ignore[no-any-return]

        def compare(k: Any, best: Any, at: Any) -> tuple[Any, Any]:
            begin = first + k * float(GROUP)
            found = [(take(self.vertices, begin + float(i)) @ d, float(i)) for i in range(GROUP)]
            while len(found) > 1:
                (h, i), (other, j) = found.pop(0), found.pop(0)
                higher = other > h
                found.append((either(higher, other, h), either(higher, j, i)))
            h, i = found[0]
            higher = h > best
            return either(higher, h, best), either(higher, begin + i, at)

        _, at = repeat(self.most // GROUP, compare, -np.inf, first)
        return take(self.vertices, at)  # type: ignore[no-any-return]


class ConvexCore(NamedTuple):
    """Core of a convex shape in the world, of numbers or symbols."""

    kind: str
    center: Array
    """(3,), m"""
    R: Array
    """(3, 3), axes of the shape in the world"""
    sizes: list[Any]
    """see :func:`sizes_of`"""
    table: VertexTable | None = None
    first: Any = 0.0
    """index of the first vertex of a hull in its table"""

    @classmethod
    def of(cls, shape: Shape, T: Array, hull: Array | None = None) -> ConvexCore:
        """Return the core of a shape with the pose T (4, 4); ``hull`` (n, 3): vertices of a mesh."""
        table = None if hull is None else VertexTable.of([hull])
        return cls(shape.kind, T[:3, 3], T[:3, :3], sizes_of(shape), table)

    @property
    def radius(self) -> Any:
        """Radius of the ball that is added."""
        return self.sizes[6]

    def support(self, d: Array) -> Array:
        """Return the point (3,) of the core that is farthest along d (3,), which need not be a unit vector."""
        own = self.R.T @ d
        if self.table is not None:
            return self.center + self.R @ self.table.farthest(self.first, own)
        corner = [0.0 if is_zero(half) else along(x) * half for x, half in zip(own, self.sizes[:3], strict=True)]
        axes = self.sizes[3:6]
        if not all(map(is_zero, axes)):
            squares = [a * a for a in axes]
            square = sum(s * (x * x) for s, x in zip(squares, own, strict=True))
            there = square > NOTHING
            per = either(there, 1.0 / np.sqrt(either(there, square, 1.0)), 0.0)
            round_part = [s * (x * per) for s, x in zip(squares, own, strict=True)]
            if self.kind == "cone":  # the tip, or a point of the rim of its base
                half = self.sizes[2]
                tip = own[2] * half >= square * per - own[2] * half
                corner = [either(tip, 0.0, x) for x in round_part[:2]] + [either(tip, half, -half)]
            else:
                corner = [x + y for x, y in zip(corner, round_part, strict=True)]
        return self.center + self.R @ vector(*corner)
