"""Contact points of many pairs of the same kinds: one body of code, whatever their number.

A loop over a table of pairs reads the poses of the bodies and the sizes of the shapes, and writes the candidates into
memory. Vertices of all convex hulls are rows of one table. A simulation skips pairs whose bounding spheres are too far
apart for a contact within the step. The spheres are computed once for each shape, since a robot has far more pairs than
shapes. If the points of a pair are costly, its bounding boxes are tested, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.placed_shapes import PlacedShape, bounding_box, bounding_sphere, points_between
from linkwright.dynamics.contact.shapes.candidate import ABSENT, FAR, WIDTH, ContactCandidate
from linkwright.dynamics.contact.shapes.convex.hull_table import hull_vertices
from linkwright.dynamics.contact.shapes.pairs import candidates, points_of
from linkwright.dynamics.distance.shape_table import ShapeTable
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero, maximum, where
from linkwright.spatial.loops.entry_table import EntryTable, KnownMarks, MarkedRows, pass_over
from linkwright.spatial.loops.memory import empty_row, read, write
from linkwright.spatial.loops.repeats import for_each, repeat, symbol_among, when
from linkwright.spatial.transform import pose_of_rows, split_pose

ALIKE = 3
"""Number of pairs of the same kinds from which a loop is faster"""

OPERATIONS = {"sphere": 1, "capsule": 2, "ellipsoid": 4, "box": 8, "cylinder": 8, "mesh": 64}
"""Approximate cost of a shape on a plane, relative to that of a sphere; that of two shapes is the product"""

COSTLY = 48
"""Cost of pairs of a kind from which they are in a loop"""

BOXED = 64
"""Cost of a pair from which bounding boxes are tested"""

PERSISTENT = frozenset({"plane", "height_field", "sphere"})
"""Kinds of shapes whose contact points, with any other shape, persist as bodies move a little"""

BOUND = 5
"""Numbers of a bounding sphere: center, radius, and the part of it that allows for motion"""


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


class PairPoints(list[list[ContactCandidate]]):
    """Contact points of pairs."""

    touching: Sequence[Any] | None = None
    """1 for each pair whose bounds touch, else 0, where its gaps may be undefined; None: not tested"""


def looped_points(
    model: Model, pairs: Sequence[Pair], poses: Sequence[Array], reach: Reach | None = None
) -> PairPoints | None:
    """Return the candidates of pairs, in one row of memory; None if no loop is worth it.

    The margin is subtracted from gaps.
    """
    symbol = symbol_among(list(poses))
    families = _PairFamilies(model, pairs)
    if symbol is None or not families.in_loops:
        return None
    row, touching = _written(empty_row(symbol, families.starts[-1]), model, families, poses, reach)
    found = PairPoints(
        [ContactCandidate.of_numbers(read(row, float(at), WIDTH)) for at in range(*two, WIDTH)]
        for two in pairwise(families.starts)
    )
    found.touching = touching
    return found


def with_points(row: Any, model: Model, pairs: Sequence[Pair], poses: Sequence[Array]) -> Any:
    """Return the row of memory with the numbers of all candidates of pairs, in order."""
    return _written(row, model, _PairFamilies(model, pairs), poses, None)[0]


def _written(
    row: Any, model: Model, families: _PairFamilies, poses: Sequence[Array], reach: Reach | None
) -> tuple[Any, list[Any] | None]:
    """Return the row of memory with all candidates, and :attr:`PairPoints.touching`."""
    symbol = symbol_among(list(poses))
    looped = [] if symbol is None else families.in_loops
    touching = None
    if looped:
        bodies = _Bodies(symbol.graph, poses, reach)
        bounds = None if reach is None else _Bounds(bodies, poses, reach, looped)
        tests = [None if bounds is None or one not in looped else bounds.may_touch(one) for one in families.all]
        marks = None
        if reach is not None and reach.gaps_alone and pass_over(families.starts[-1] // WIDTH):
            marks = _TouchingPairs(symbol.graph, families.all, tests)
            touching = marks.of_pairs(len(families.starts) - 1)
        for n, (family, test) in enumerate(zip(families.all, tests, strict=True)):
            if family in looped:
                places = [families.starts[one.number] for one in family]
                marked = None if marks is None else marks.of_family(n)
                row = _with_family(row, family, places, bodies, bounds, test, marked)
    for one in (one for family in families.all if family not in looped for one in family):
        found = points_between(model, one.pair, poses)
        row = write(row, float(families.starts[one.number]), [x for point in found for x in point.numbers])
    return row, touching


class _TouchingPairs:
    """Marks of pairs whose bounds touch, in memory; those of families without a test are 1."""

    def __init__(
        self, graph: Any, families: Sequence[Sequence[PlacedPair]], tests: Sequence[Callable[[Any], Any] | None]
    ):
        self._families = families
        self._known = KnownMarks([(n, 0) for n, family in enumerate(families) for _ in family])
        sizes = [len(family) for family in families]
        self._places = [self._known.places[first] for first in np.cumsum([0, *sizes[:-1]])]
        row = graph.room(self._known.size)
        for first, count, test in zip(self._places, sizes, tests, strict=True):
            row = self._marked(row, first, count, test)
        self._row = self._known.share(row)

    @staticmethod
    def _marked(row: Any, first: int, count: int, test: Callable[[Any], Any] | None) -> Any:
        def mark(k: Any, row: Any) -> Any:
            return write(row, k + float(first), [1.0 if test is None else where(test(k), 1.0, 0.0)])

        return for_each(count, mark, row)

    def of_family(self, n: int) -> MarkedRows:
        """Return the marks of the pairs of a family."""
        found = self._known.rows_from(self._places[n], len(self._families[n]))
        assert found is not None
        return found

    def of_pairs(self, count: int) -> list[Any]:
        """Return the marks of all pairs, in their order."""
        found: list[Any] = [None] * count
        for first, family in zip(self._places, self._families, strict=True):
            for k, one in enumerate(family):
                found[one.number] = read(self._row, float(first + k), 1)[0]
        return found


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
    """Poses and speeds of all bodies, in memory, after those of the world."""

    def __init__(self, graph: Any, poses: Sequence[Array], reach: Reach | None):
        self.graph = graph
        self.poses = graph.row([x for T in (np.eye(4), *poses) for x in T[:3].reshape(-1)])
        if reach is not None:  # sums of absolute values are bounds of norms, without roots
            bounds = [abs(V[part]).sum() for V in reach.twists for part in (slice(3), slice(3, 6))]
            self.speeds = graph.row([0.0, 0.0, *bounds])

    def pose(self, body: Any) -> Array:
        """Return the pose (4, 4) of a body whose index is a symbol, -1 for the world."""
        return pose_of_rows(read(self.poses, body * 12.0 + 12.0, 12))

    def speed(self, body: Any, arm: Any) -> Any:
        """Return a bound of the speed of points of a body up to an arm from its origin."""
        linear, turning = read(self.speeds, body * 2.0 + 2.0, 2)
        return linear + arm * turning


class _Bounds:
    """Bounding spheres of the shapes of pairs in loops, and planes as normal and distance, in memory.

    The radius of a sphere includes the distance that its points may move within a step.
    """

    def __init__(self, bodies: _Bodies, poses: Sequence[Array], reach: Reach, families: Sequence[Sequence[PlacedPair]]):
        self._graph, self._gap, self.gaps_alone = bodies.graph, reach.gap, reach.gaps_alone
        placed = {
            number: one
            for family in families
            for pair in family
            for number, one in ((pair.pair.first, pair.first), (pair.pair.second, pair.second))
        }
        flat = {number for number, one in placed.items() if one.shape.kind == "plane"}
        self._at = {number: float(BOUND * k) for k, number in enumerate(sorted(placed, key=flat.__contains__))}
        rows = []
        for one in (one for number, one in placed.items() if number not in flat):
            middle, radius = bounding_sphere(one.shape)
            R, p = split_pose(one.on_body)
            center = R @ middle + p
            rows.append([float(one.body), *center, radius, abs(center).sum() + radius])
        table = EntryTable(bodies.graph, rows)

        def sphere(k: Any, row: Any) -> Any:
            body, center = table.one(k, 0), table.some(k, 1, 3)
            R, p = split_pose(bodies.pose(body))
            motion = reach.time * bodies.speed(body, table.one(k, 5))
            return write(row, k * float(BOUND), [*(R @ center + p), table.one(k, 4) + motion, motion])

        row = for_each(len(rows), sphere, bodies.graph.room(BOUND * len(placed)))
        for number in flat:
            R, p = split_pose(placed[number].pose(poses))
            row = write(row, self._at[number], [*R[:, 2], R[:, 2] @ p])
        self._bounds = row

    def may_touch(self, family: Sequence[PlacedPair]) -> Callable[[Any], Any] | None:
        """Return a function of the index of a pair: whether two spheres are near, or one is near a plane.

        It is None where a shape has no bounds.
        """
        kinds = {one.shape.kind for one in (family[0].first, family[0].second)}
        if "height_field" in kinds or family[0].first.shape.kind == "plane":
            return None
        rows = [[self._at[one.pair.first], self._at[one.pair.second], one.pair.margin + self._gap] for one in family]
        table = EntryTable(self._graph, rows)

        def test(k: Any) -> Any:
            (*c1, r1), (*c2, r2) = (read(self._bounds, table.one(k, side), 4) for side in range(2))
            if "plane" in kinds:
                return np.stack(c2) @ np.stack(c1) - r2 < table.one(k, 2) + r1
            apart, limit = np.stack(c1) - np.stack(c2), table.one(k, 2) + r1 + r2
            return apart @ apart < limit * limit

        return test

    def limit(self, family: Sequence[PlacedPair]) -> Callable[[Any], Any]:
        """Return a function of the index of a pair: the largest gap that matters before the margin is subtracted, m."""
        rows = []
        for one in family:
            motions = [self._at[number] + BOUND - 1.0 for number in (one.pair.first, one.pair.second)]
            rows.append([*motions, one.pair.margin + self._gap])
        table = EntryTable(self._graph, rows)
        return lambda k: table.one(k, 2) + sum(read(self._bounds, table.one(k, side), 1)[0] for side in range(2))

    def boxes_may_touch(
        self, family: Sequence[PlacedPair], sides: Sequence[_PlacedTable], limit: Callable[[Any], Any]
    ) -> Callable[[Any], Any] | None:
        """Return a function of the index of a pair: whether no face of two bounding boxes separates them.

        It is None where points cost less than this test, and for planes.
        """
        if family[0].cost < BOXED or any(side.kind == "plane" for side in sides):
            return None
        rows = [
            [x for side in (one.first, one.second) for part in bounding_box(side.shape) for x in part] for one in family
        ]
        table = EntryTable(self._graph, rows)

        def test(k: Any) -> Any:
            (R1, p1), (R2, p2) = (split_pose(side.at(k)[1]) for side in sides)
            middle1, half1, middle2, half2 = (table.some(k, first, 3) for first in range(0, 12, 3))
            R, apart = R1.T @ R2, R1.T @ (p2 + R2 @ middle2 - p1) - middle1
            first = abs(apart) - half1 - abs(R) @ half2
            second = abs(R.T @ apart) - half2 - abs(R.T) @ half1
            return reduce(maximum, [*first, *second]) < limit(k)

        return test


def _with_family(
    row: Any,
    family: Sequence[PlacedPair],
    places: Sequence[int],
    bodies: _Bodies,
    bounds: _Bounds | None,
    test: Callable[[Any], Any] | None,
    marked: MarkedRows | None,
) -> Any:
    """Return the row with the candidates of pairs of the same kinds; ``places``: index of the first number of each.

    ``test``: whether the bounds of a pair touch; ``marked``: its results, if gaps of other pairs may be undefined.
    """
    graph, kinds = bodies.graph, (family[0].first.shape.kind, family[0].second.shape.kind)
    nothing = np.tile(ABSENT, points_of(*kinds))
    faces = points_of(*kinds) > 1 and kinds[1] not in ("plane", "height_field")
    sides = [_PlacedTable([getattr(one, side) for one in family], bodies, faces) for side in ("first", "second")]
    columns = EntryTable(graph, [[one.pair.margin, float(place)] for one, place in zip(family, places, strict=True)])

    def entries(k: Any, limit: Any = None) -> Array:
        (one, T1), (other, T2) = (side.at(k) for side in sides)
        margin = columns.one(k, 0)
        found = candidates(one, T1, other, T2, limit)
        return np.stack([x for point in found for x in point._replace(gap=point.gap - margin).numbers])

    def visit(k: Any, row: Any) -> Any:
        return write(row, columns.one(k, 1), entries(k))

    if bounds is None or test is None:
        return repeat(len(family), visit, row)
    if not bounds.gaps_alone:
        return repeat(
            len(family), lambda k, row: write(row, columns.one(k, 1), when(test(k), lambda: entries(k), nothing)), row
        )
    gaps = range(0, len(nothing), WIDTH)

    def without_contact(k: Any, row: Any) -> Any:
        for i in gaps:
            row = write(row, columns.one(k, 1) + float(i), [FAR])
        return row

    flat = any(side.kind == "plane" for side in sides)
    limit = (lambda k: None) if flat else bounds.limit(family)
    second_test = bounds.boxes_may_touch(family, sides, limit)
    bounce = any(one.pair.restitution is not None and not is_zero(one.pair.restitution) for one in family)
    everywhere = marked is None or bounce or bool(PERSISTENT & set(kinds))

    def visit_near(k: Any, near: Any, row: Any) -> Any:
        """Write the numbers of a pair that may touch."""

        def written(near: Any, row: Any) -> Any:
            found = entries(k, limit(k))
            for i in gaps:
                found[i] = where(near, found[i], FAR)
            return write(row, columns.one(k, 1), found)

        def tested() -> Any:
            assert second_test is not None
            both, before = second_test(k) & near, row if everywhere else without_contact(k, row)
            return when(both, lambda: written(both, before), before)

        return when(near, lambda: written(near, row) if second_test is None else tested(), row)

    if everywhere:
        row = for_each(len(family), without_contact, row)
    if not pass_over(len(family)):
        return repeat(len(family), lambda k, row: visit_near(k, test(k), row), row)
    if marked is None:
        marked = MarkedRows.computed(graph, len(family), lambda k: where(test(k), 1.0, 0.0))
    return marked.each(lambda k, row: visit_near(k, marked.mark(k) > 0.5, row), row)


class _PlacedTable(ShapeTable):
    """Shapes on bodies."""

    def __init__(self, shapes: Sequence[PlacedShape], bodies: _Bodies, faces: bool):
        graph, first = bodies.graph, shapes[0].shape
        hulls = [hull_vertices(one.shape) if first.kind == "mesh" else None for one in shapes]
        super().__init__(graph, first, [one.numbers for one in shapes], hulls, faces)
        self._bodies, self._at_rest = bodies, shapes[0].body < 0
        self._index = EntryTable(graph, [[float(one.body)] for one in shapes])

    def at(self, k: Any) -> tuple[Shape, Array]:
        """Return the shape of pair k, and its pose (4, 4) in the world."""
        radius, length, *size = self.columns.some(k, 12, 5)
        shape = replace(self.shape, radius=radius, length=length, size=tuple(size))
        if self.kind == "mesh":
            hull: Any = self.hull(k)
            shape = replace(shape, hull=hull)
        on_body = pose_of_rows(self.columns.some(k, 0, 12))
        return shape, on_body if self._at_rest else self._bodies.pose(self._index.one(k, 0)) @ on_body
