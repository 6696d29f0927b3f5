"""Contact points of many pairs of the same kinds: one body of code, whatever their number.

A loop over a table of pairs reads the poses of the bodies and the sizes of the shapes, and writes the candidates into
memory. Vertices of all convex hulls are rows of one table. A simulation skips pairs whose bounding spheres are too far
apart for a contact within the step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes import ContactCandidate, candidates, points_of
from linkwright.dynamics.contact.shapes.candidate import FAR
from linkwright.dynamics.contact.shapes.convex.hull_table import HullTable, hull_vertices
from linkwright.dynamics.distance.cores import CONVEX, bounding_radius
from linkwright.model.pair import Pair
from linkwright.model.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.entry_table import EntryTable
from linkwright.spatial.memory import read, write
from linkwright.spatial.repeats import repeat, symbol_among, when

ALIKE = 3
"""Number of pairs of the same kinds from which a loop is faster"""

OPERATIONS = {"sphere": 1, "capsule": 2, "ellipsoid": 4, "box": 8, "cylinder": 8, "mesh": 64}
"""Approximate cost of a shape on a plane, relative to that of a sphere; that of two shapes is the product"""

COSTLY = 48
"""Cost of pairs of a kind from which they are in a loop"""

LAST_ROW = np.array([[0.0, 0.0, 0.0, 1.0]])

WIDTH = 7
"""Numbers of a candidate: gap, point, normal"""


class Reach(NamedTuple):
    """Largest gap of contacts that matter: ``gap`` + ``time`` · relative speed."""

    gap: float
    """m"""
    time: Any
    """s"""
    twists: Sequence[Array]
    """(6,) of each body, in its axes"""


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
        shape = model.shapes[number]
        frame = model.frame(shape.body)
        return cls(shape, frame.body, frame.placement @ shape.placement)

    @property
    def key(self) -> Any:
        """Properties that the shapes of a loop share."""
        heights = None if self.shape.heights is None else id(self.shape.heights)
        return self.shape.kind, self.body < 0, heights

    @property
    def numbers(self) -> list[Any]:
        """Placement, sizes, and the bounding sphere: its center in the frame of the shape, and its radius."""
        shape = self.shape
        center, radius = bounding_sphere(shape)
        return [*self.on_body[:3].reshape(-1), shape.radius, shape.length, *shape.size, *center, radius]


class PlacedPair(NamedTuple):
    """Two shapes that may touch."""

    number: int
    pair: Pair
    first: PlacedShape
    second: PlacedShape

    @property
    def cost(self) -> int:
        """Approximate cost of its candidates."""
        return math.prod(OPERATIONS.get(one.shape.kind, 1) for one in (self.first, self.second))


def looped_points(
    model: Model, pairs: Sequence[Pair], poses: Sequence[Array], reach: Reach | None = None
) -> dict[int, list[ContactCandidate]]:
    """Return the candidates of pairs that are computed in loops, by their index; the margin is subtracted from gaps."""
    symbol = symbol_among(list(poses))
    if symbol is None:
        return {}
    families: dict[Any, list[PlacedPair]] = {}
    for k, pair in enumerate(pairs):
        placed = PlacedPair(k, pair, PlacedShape.of(model, pair.first), PlacedShape.of(model, pair.second))
        families.setdefault((placed.first.key, placed.second.key), []).append(placed)
    found: dict[int, list[ContactCandidate]] = {}
    chosen = [some for some in families.values() if len(some) >= ALIKE and len(some) * some[0].cost >= COSTLY]
    if chosen:
        bodies = _Bodies(symbol.graph, poses, reach)
        for family in chosen:
            found |= _family_points(symbol.graph, family, bodies)
    return found


class _Bodies:
    """Poses and speeds of all bodies, in memory."""

    def __init__(self, graph: Any, poses: Sequence[Array], reach: Reach | None):
        self.graph, self.reach = graph, reach
        self.poses = graph.row([x for T in poses for x in T[:3].reshape(-1)])
        if reach is not None:  # sums of absolute values are bounds of norms, without roots
            self.speeds = graph.row([abs(V[part]).sum() for V in reach.twists for part in (slice(3), slice(3, 6))])

    def pose(self, at: Any) -> Array:
        """Return the pose (4, 4) of a body whose index is a symbol."""
        return np.concatenate([read(self.poses, at * 12.0, 12).reshape(3, 4), LAST_ROW])

    def speed(self, at: Any, arm: Any) -> Any:
        """Return a bound of the speed of points of a body up to an arm from its origin."""
        linear, turning = read(self.speeds, at * 2.0, 2)
        return linear + arm * turning


def _family_points(graph: Any, family: Sequence[PlacedPair], bodies: _Bodies) -> dict[int, list[ContactCandidate]]:
    """Return the candidates of pairs of the same kinds."""
    kinds = (family[0].first.shape.kind, family[0].second.shape.kind)
    count = points_of(*kinds)
    faces = points_of(*kinds) > 1 and kinds[1] not in ("plane", "height_field")
    sides = [_Side(graph, [getattr(one, side) for one in family], bodies, faces) for side in ("first", "second")]
    margins = EntryTable(graph, [[one.pair.margin] for one in family])
    width = count * WIDTH

    def entries(k: Any) -> Array:
        (one, T1), (other, T2) = (side.at(k) for side in sides)
        margin = margins.one(k, 0)
        found = candidates(one, T1, other, T2)
        return np.stack([x for gap, point, normal in found for x in (gap - margin, *point, *normal)])

    def visit(k: Any, row: Any) -> Any:
        if bodies.reach is None or not all(side.bounded or side.flat for side in sides):
            found = entries(k)
        else:
            nothing = np.tile([FAR, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], count)
            found = when(_may_touch(k, sides, bodies.reach, margins.one(k, 0)), lambda: entries(k), nothing)
        return write(row, k * float(width), found)

    row = repeat(len(family), visit, graph.room(len(family) * width))
    result = {}
    for k, placed in enumerate(family):
        own = read(row, float(k * width), width).reshape(count, WIDTH)
        result[placed.number] = [ContactCandidate(x[0], x[1:4], x[4:]) for x in own]
    return result


def _may_touch(k: Any, sides: Sequence[_Side], reach: Reach, margin: Any) -> Any:
    """Return whether the bounding spheres of a pair are near each other, or that of the first shape near a plane."""
    (c1, r1, fast1), (c2, r2, fast2) = (side.sphere(k) for side in sides)
    limit = margin + reach.gap + reach.time * (fast1 + fast2)
    if sides[1].flat:
        _, T = sides[1].at(k)
        return T[:3, 2] @ (c1 - T[:3, 3]) - r1 < limit
    apart, limit = c1 - c2, limit + r1 + r2
    return apart @ apart < limit * limit


class _Side:
    """The first shapes of the pairs of a loop, or the second ones."""

    def __init__(self, graph: Any, shapes: Sequence[PlacedShape], bodies: _Bodies, faces: bool):
        self._bodies, self._shape = bodies, shapes[0].shape
        self._columns = EntryTable(graph, [one.numbers for one in shapes])
        self._at_rest = shapes[0].body < 0
        self._index = EntryTable(graph, [[float(one.body)] for one in shapes])
        self.flat = self._shape.kind == "plane"
        self.bounded = not self.flat and self._shape.kind != "height_field"
        if self._shape.kind == "mesh":
            vertices = [hull_vertices(one.shape) for one in shapes]
            distinct = {x.tobytes(): x for x in vertices}
            numbers = {key: float(k) for k, key in enumerate(distinct)}
            self._hulls = HullTable.of(list(distinct.values()), faces)
            self._hull = EntryTable(graph, [[numbers[x.tobytes()]] for x in vertices])

    def at(self, k: Any) -> tuple[Shape, Array]:
        """Return the shape of pair k, and its pose (4, 4) in the world."""
        radius, length, *size = self._columns.some(k, 12, 5)
        shape = replace(self._shape, radius=radius, length=length, size=tuple(size))
        if shape.kind == "mesh":
            hull: Any = self._hulls.at(self._hull.one(k, 0))
            shape = replace(shape, hull=hull)
        on_body = np.concatenate([self._columns.some(k, 0, 12).reshape(3, 4), LAST_ROW])
        return shape, on_body if self._at_rest else self._bodies.pose(self._index.one(k, 0)) @ on_body

    def sphere(self, k: Any) -> tuple[Array, Any, Any]:
        """Return the center (3,) of the bounding sphere of pair k, its radius, and a bound of the speed in it."""
        if self.flat:
            return np.zeros(3), 0.0, 0.0
        on_body = self._columns.some(k, 0, 12).reshape(3, 4)
        *center, radius = self._columns.some(k, 17, 4)
        center = on_body[:, :3] @ np.stack(center) + on_body[:, 3]
        if self._at_rest:
            return center, radius, 0.0
        at = self._index.one(k, 0)
        T = self._bodies.pose(at)
        return T[:3, :3] @ center + T[:3, 3], radius, self._bodies.speed(at, abs(center).sum() + radius)


def bounding_sphere(shape: Shape) -> tuple[Array, float]:
    """Return the center (3,), in the frame of the shape, and the radius of a sphere around it; 0 for infinite kinds."""
    center, hull = np.zeros(3), None
    if shape.kind == "mesh":
        vertices = hull_vertices(shape)
        center = 0.5 * (vertices.min(0) + vertices.max(0))
        hull = vertices - center
    return center, bounding_radius(shape, hull) if shape.kind in CONVEX else 0.0
