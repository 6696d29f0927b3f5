"""Shapes at their places on bodies, and the contact points of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import ContactCandidate
from linkwright.dynamics.contact.shapes.convex.hull_table import contact_shape, hull_vertices
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.dynamics.distance.cores import CONVEX, bounding_radius, sizes_of
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


class PlacedShape(NamedTuple):
    """Shape on a moving body, or at rest."""

    shape: Shape
    body: int
    """-1 at rest in the world"""
    on_body: Array
    """(4, 4), pose in the frame of the body"""

    @classmethod
    def of(cls, model: Model, number: int) -> PlacedShape:
        """Return a shape of a model by its index."""
        shape = contact_shape(model.shapes[number])
        frame = model.frame(shape.body)
        return cls(shape, frame.body, frame.placement @ shape.placement)

    def pose(self, poses: Sequence[Array]) -> Array:
        """Return its pose (4, 4) in the world, from those of the bodies."""
        return self.on_body if self.body < 0 else poses[self.body] @ self.on_body

    @property
    def key(self) -> Any:
        """Properties that the shapes of a loop share."""
        heights = None if self.shape.heights is None else id(self.shape.heights)
        return self.shape.kind, self.body < 0, heights

    @property
    def numbers(self) -> list[Any]:
        """Placement and sizes."""
        shape = self.shape
        return [*self.on_body[:3].reshape(-1), shape.radius, shape.length, *shape.size]


def points_between(model: Model, pair: Pair, poses: Sequence[Array]) -> list[ContactCandidate]:
    """Return the contact points of a pair, from the poses (4, 4) of the bodies; the margin is subtracted from gaps."""
    first, second = (PlacedShape.of(model, number) for number in (pair.first, pair.second))
    found = candidates(first.shape, first.pose(poses), second.shape, second.pose(poses))
    return [point._replace(gap=point.gap - pair.margin) for point in found]


def bounding_sphere(shape: Shape) -> tuple[Array, float]:
    """Return the center (3,), in the frame of the shape, and the radius of a sphere around it; 0 for infinite kinds."""
    center, hull = np.zeros(3), None
    if shape.kind == "mesh":
        vertices = hull_vertices(shape)
        center = 0.5 * (vertices.min(0) + vertices.max(0))
        hull = vertices - center
    return center, bounding_radius(shape, hull) if shape.kind in CONVEX else 0.0


def bounding_box(shape: Shape) -> tuple[Array, Array]:
    """Return the center (3,) and the half sizes (3,) of a box around a convex shape, in the frame of the shape."""
    if shape.kind == "mesh":
        vertices = hull_vertices(shape)
        low, high = vertices.min(0), vertices.max(0)
        return 0.5 * (low + high), 0.5 * (high - low)
    *sizes, radius = sizes_of(shape)
    return np.zeros(3), np.array(sizes[:3]) + np.array(sizes[3:]) + radius
