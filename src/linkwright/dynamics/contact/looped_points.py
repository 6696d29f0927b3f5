"""Contact points of many pairs of the same kinds: one body of code, whatever their number.

A loop over a table of pairs reads the poses of the bodies and the sizes of the shapes, and writes the candidates into
memory. Vertices of all convex hulls are rows of one table. A simulation skips pairs whose bounding spheres are too far
apart for a contact within the step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.placed_shapes import PlacedShape, points_between
from linkwright.dynamics.contact.shapes.candidate import ABSENT, FAR, WIDTH, ContactCandidate
from linkwright.dynamics.contact.shapes.convex.hull_table import hull_vertices
from linkwright.dynamics.contact.shapes.pairs import candidates, points_of
from linkwright.dynamics.distance.shape_table import ShapeTable
from linkwright.model.pair import Pair
from linkwright.model.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.entry_table import EntryTable
from linkwright.spatial.memory import empty_row, read, write
from linkwright.spatial.repeats import repeat, symbol_among, when
from linkwright.spatial.transform import pose_of_rows

ALIKE = 3
"""Number of pairs of the same kinds from which a loop is faster"""

OPERATIONS = {"sphere": 1, "capsule": 2, "ellipsoid": 4, "box": 8, "cylinder": 8, "mesh": 64}
"""Approximate cost of a shape on a plane, relative to that of a sphere; that of two shapes is the product"""

COSTLY = 48
"""Cost of pairs of a kind from which they are in a loop"""


class Reach(NamedTuple):
    """Largest gap of contacts that matter: ``gap`` + ``time`` · relative speed."""

    gap: Any
    """m"""
    time: Any
    """s"""
    twists: Sequence[Array]
    """(6,) of each body, in its axes"""
    gaps_alone: bool
    """whether points and normals of pairs that are farther apart may be undefined"""


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
) -> list[list[ContactCandidate]] | None:
    """Return the candidates of pairs, in one row of memory; None if no loop is worth it.

    The margin is subtracted from gaps.
    """
    symbol = symbol_among(list(poses))
    families = _PairFamilies(model, pairs)
    if symbol is None or not families.in_loops:
        return None
    row = with_points(empty_row(symbol, families.starts[-1]), model, pairs, poses, reach)
    return [
        [ContactCandidate.of_numbers(read(row, float(at), WIDTH)) for at in range(*two, WIDTH)]
        for two in pairwise(families.starts)
    ]


def with_points(
    row: Any, model: Model, pairs: Sequence[Pair], poses: Sequence[Array], reach: Reach | None = None
) -> Any:
    """Return the row of memory with the numbers of all candidates of pairs, in order."""
    families, symbol = _PairFamilies(model, pairs), symbol_among(list(poses))
    looped = [] if symbol is None else families.in_loops
    if looped:
        bodies = _Bodies(symbol.graph, poses, reach)
        for family in looped:
            row = _with_family(row, family, [families.starts[one.number] for one in family], bodies)
    for one in (one for family in families.all if family not in looped for one in family):
        found = points_between(model, one.pair, poses)
        row = write(row, float(families.starts[one.number]), [x for point in found for x in point.numbers])
    return row


class _PairFamilies:
    """Pairs of the same kinds of shapes."""

    def __init__(self, model: Model, pairs: Sequence[Pair]):
        found: dict[Any, list[PlacedPair]] = {}
        sizes = []
        for k, pair in enumerate(pairs):
            placed = PlacedPair(k, pair, PlacedShape.of(model, pair.first), PlacedShape.of(model, pair.second))
            found.setdefault((placed.first.key, placed.second.key), []).append(placed)
            sizes.append(WIDTH * points_of(placed.first.shape.kind, placed.second.shape.kind))
        self.all = list(found.values())
        self.in_loops = [some for some in self.all if len(some) >= ALIKE and len(some) * some[0].cost >= COSTLY]
        self.starts: list[int] = np.cumsum([0, *sizes]).tolist()
        """index of the first number of each pair, and the number of all"""


class _Bodies:
    """Poses and speeds of all bodies, in memory."""

    def __init__(self, graph: Any, poses: Sequence[Array], reach: Reach | None):
        self.graph, self.reach = graph, reach
        self.poses = graph.row([x for T in poses for x in T[:3].reshape(-1)])
        if reach is not None:  # sums of absolute values are bounds of norms, without roots
            self.speeds = graph.row([abs(V[part]).sum() for V in reach.twists for part in (slice(3), slice(3, 6))])

    def pose(self, at: Any) -> Array:
        """Return the pose (4, 4) of a body whose index is a symbol."""
        return pose_of_rows(read(self.poses, at * 12.0, 12))

    def speed(self, at: Any, arm: Any) -> Any:
        """Return a bound of the speed of points of a body up to an arm from its origin."""
        linear, turning = read(self.speeds, at * 2.0, 2)
        return linear + arm * turning


def _with_family(row: Any, family: Sequence[PlacedPair], places: Sequence[int], bodies: _Bodies) -> Any:
    """Return the row with the candidates of pairs of the same kinds; ``places``: index of the first number of each."""
    graph, kinds = bodies.graph, (family[0].first.shape.kind, family[0].second.shape.kind)
    nothing = np.tile(ABSENT, points_of(*kinds))
    faces = points_of(*kinds) > 1 and kinds[1] not in ("plane", "height_field")
    sides = [_PlacedTable([getattr(one, side) for one in family], bodies, faces) for side in ("first", "second")]
    columns = EntryTable(graph, [[one.pair.margin, float(place)] for one, place in zip(family, places, strict=True)])

    def entries(k: Any) -> Array:
        (one, T1), (other, T2) = (side.at(k) for side in sides)
        margin = columns.one(k, 0)
        found = candidates(one, T1, other, T2)
        return np.stack([x for point in found for x in point._replace(gap=point.gap - margin).numbers])

    def visit(k: Any, row: Any) -> Any:
        if bodies.reach is None or not all(side.bounded or side.flat for side in sides):
            found = entries(k)
        else:
            near = _may_touch(k, sides, bodies.reach, columns.one(k, 0))
            if bodies.reach.gaps_alone:
                return with_gaps(k, row, near)
            found = when(near, lambda: entries(k), nothing)
        return write(row, columns.one(k, 1), found)

    def with_gaps(k: Any, row: Any, near: Any) -> Any:
        """Write the numbers of a pair that may touch; else its gaps alone."""
        at, gaps = columns.one(k, 1), range(0, len(nothing), WIDTH)
        for i in gaps:
            row = write(row, at + float(i), [FAR])

        def written() -> Any:
            found = entries(k)
            for i in gaps:
                found[i] = where(near, found[i], FAR)
            return write(row, at, found)

        return when(near, written, row)

    return repeat(len(family), visit, row)


def _may_touch(k: Any, sides: Sequence[_PlacedTable], reach: Reach, margin: Any) -> Any:
    """Return whether the bounding spheres of a pair are near each other, or that of the first shape near a plane."""
    (c1, r1, fast1), (c2, r2, fast2) = (side.sphere(k) for side in sides)
    limit = margin + reach.gap + reach.time * (fast1 + fast2)
    if sides[1].flat:
        _, T = sides[1].at(k)
        return T[:3, 2] @ (c1 - T[:3, 3]) - r1 < limit
    apart, limit = c1 - c2, limit + r1 + r2
    return apart @ apart < limit * limit


class _PlacedTable(ShapeTable):
    """Shapes on bodies."""

    def __init__(self, shapes: Sequence[PlacedShape], bodies: _Bodies, faces: bool):
        graph, first = bodies.graph, shapes[0].shape
        hulls = [hull_vertices(one.shape) if first.kind == "mesh" else None for one in shapes]
        super().__init__(graph, first, [one.numbers for one in shapes], hulls, faces)
        self._bodies, self._at_rest = bodies, shapes[0].body < 0
        self._index = EntryTable(graph, [[float(one.body)] for one in shapes])
        self.flat = self.kind == "plane"
        self.bounded = not self.flat and self.kind != "height_field"

    def at(self, k: Any) -> tuple[Shape, Array]:
        """Return the shape of pair k, and its pose (4, 4) in the world."""
        radius, length, *size = self.columns.some(k, 12, 5)
        shape = replace(self.shape, radius=radius, length=length, size=tuple(size))
        if self.kind == "mesh":
            hull: Any = self.hull(k)
            shape = replace(shape, hull=hull)
        on_body = pose_of_rows(self.columns.some(k, 0, 12))
        return shape, on_body if self._at_rest else self._bodies.pose(self._index.one(k, 0)) @ on_body

    def sphere(self, k: Any) -> tuple[Array, Any, Any]:
        """Return the center (3,) of the bounding sphere of pair k, its radius, and a bound of the speed in it."""
        if self.flat:
            return np.zeros(3), 0.0, 0.0
        on_body = self.columns.some(k, 0, 12).reshape(3, 4)
        *center, radius = self.columns.some(k, 17, 4)
        center = on_body[:, :3] @ np.stack(center) + on_body[:, 3]
        if self._at_rest:
            return center, radius, 0.0
        at = self._index.one(k, 0)
        T = self._bodies.pose(at)
        return T[:3, :3] @ center + T[:3, 3], radius, self._bodies.speed(at, abs(center).sum() + radius)
