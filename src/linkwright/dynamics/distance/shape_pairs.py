"""Distances of many pairs of shapes: one loop over all pairs of the same kinds.

Tables contain the placements and sizes of the shapes, the vertices of all hulls, and the poses of the bodies and
obstacles. Each loop reads them by the index of a pair. Code does not grow with the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import NOTHING, either, unit
from linkwright.dynamics.distance.cores import CONVEX, SIZES, ConvexCore, bounding_radius, sizes_of
from linkwright.dynamics.distance.separation import (
    UP,
    Separation,
    above_height_field,
    above_plane,
    separation,
    touch,
)
from linkwright.dynamics.distance.shape_table import ShapeTable
from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.entry_table import EntryTable
from linkwright.spatial.loops.repeats import repeat, symbol_among, when
from linkwright.spatial.loops.tables import take
from linkwright.spatial.transform import pose_of_rows

FARTHEST = 1e9
"""m: distance beyond all others"""

WIDTH = 7
"""Numbers of a separation."""

POSE = 12
"""Numbers of a pose."""


class MeasuredShape(NamedTuple):
    """Shape of a pair whose distance is computed."""

    name: str
    shape: Shape
    frame: int
    """0: the world, 1 + k: body k, 1 + bodies + k: obstacle k"""
    on_frame: Array
    """(4, 4), pose in that frame"""
    hull: Array | None
    """(n, 3), vertices of a mesh"""
    cloud: bool = False
    """whether it is a ball at each point of a cloud in the world"""

    @property
    def family(self) -> Any:
        """Properties that the shapes of a loop share."""
        return self.shape.kind, self.cloud, None if self.shape.heights is None else id(self.shape.heights)

    @property
    def order(self) -> int:
        """Rank of its kind in a pair: planes, height fields and clouds are second."""
        if self.cloud:
            return len(CONVEX)
        return CONVEX.index(self.shape.kind) if self.shape.kind in CONVEX else len(CONVEX)

    @property
    def reach(self) -> float:
        """Radius of its bounding sphere."""
        return bounding_radius(self.shape, self.hull) if self.shape.kind in CONVEX else 0.0


MeasuredPair = tuple[MeasuredShape, MeasuredShape]


def frame_poses(model: Model, q: Array, obstacle_poses: Array | None) -> Array:
    """Return the poses (n, 12) of the world, the bodies and the obstacles: the first three rows of each matrix."""
    poses = [np.eye(4), *body_poses(model, q), *([] if obstacle_poses is None else obstacle_poses)]
    return np.stack([T[:3].reshape(12) for T in poses])


def pair_separations(
    poses: Array, pairs: Sequence[MeasuredPair], within: float | None = None, points: Array | None = None
) -> list[Separation]:
    """Return the separations of pairs.

    ``within``: for pairs whose bounding spheres are farther apart than this, m, the separation of these spheres.
    ``points`` (n, 3): of the cloud.
    """

    def visit(A: _MeasuredTable, B: _MeasuredTable, k: Any) -> Array:
        if B.cloud:
            return nearest_of_cloud(A.core(k), A.reach(k), points, B.shape.radius, FARTHEST).numbers
        if not B.convex:
            return _above(A, B, k).numbers
        size = A.reach(k) + B.reach(k)
        if within is None:
            return separation(A.core(k), B.core(k), size).numbers
        a, b, r = A.center(k), B.center(k), A.reach(k)
        distance, normal = unit(a - b, UP)
        spheres = Separation(distance - size, normal, a - r * normal)
        exact = lambda: separation(A.core(k), B.core(k), size).numbers  # noqa: E731
        return when(spheres.distance < within, exact, spheres.numbers)  # type: ignore[no-any-return]

    return [
        Separation.of_numbers(x).flipped if swapped else Separation.of_numbers(x)
        for x, swapped in _loops(poses, pairs, visit, WIDTH)
    ]


def closest_separation(
    poses: Array, pairs: Sequence[MeasuredPair], points: Array | None = None
) -> tuple[Any, Separation]:
    """Return the index of the pair with the smallest distance, and its separation.

    The smallest distance so far is a bound: pairs whose bounding spheres are farther apart are skipped.
    """
    state: tuple[Any, Array] = (0.0, np.array([FARTHEST, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))

    def nearer(k: Any, one: Array, index: Any, best: Array) -> tuple[Any, Array]:
        less = one[0] < best[0]
        return either(less, k, index), np.stack([either(less, x, y) for x, y in zip(one, best, strict=True)])

    placed = _PlacedShapes(poses, pairs)
    for family in _families(pairs):
        A, B = (placed.table([ends[side] for _, ends, _ in family]) for side in (0, 1))
        numbers = np.array([[float(k), float(swapped)] for k, _, swapped in family])

        def visit(j: Any, index: Any, best: Array, A: Any = A, B: Any = B, numbers: Array = numbers) -> Any:
            number, swapped = take(numbers, j)

            def exact() -> Array:
                if B.cloud:
                    return nearest_of_cloud(A.core(j), A.reach(j), points, B.shape.radius, best[0]).numbers
                if not B.convex:
                    return _above(A, B, j).numbers
                return separation(A.core(j), B.core(j), A.reach(j) + B.reach(j)).numbers

            def compared() -> tuple[Any, Array]:
                one = Separation.of_numbers(exact())
                turned = one.flipped.numbers
                return nearer(
                    number,
                    np.stack([either(swapped > 0.5, x, y) for x, y in zip(turned, one.numbers, strict=True)]),
                    index,
                    best,
                )

            if B.cloud or not B.convex:
                return compared()
            apart, limit = A.center(j) - B.center(j), best[0] + A.reach(j) + B.reach(j)
            return when((limit > 0.0) & (apart @ apart < limit * limit), compared, index, best)

        state = repeat(len(family), visit, *state)
    return state[0], Separation.of_numbers(state[1])


def pair_collisions(
    poses: Array, pairs: Sequence[MeasuredPair], margin: float, points: Array | None = None
) -> list[Any]:
    """Return for each pair 1 where the shapes are at most a margin apart, m, else 0."""

    def visit(A: _MeasuredTable, B: _MeasuredTable, k: Any) -> Array:
        if B.cloud:
            found = nearest_of_cloud(A.core(k), A.reach(k), points, B.shape.radius, FARTHEST, margin)
            return np.stack([either(found.distance <= margin, 1.0, 0.0)])
        if not B.convex:
            return np.stack([either(_above(A, B, k).distance <= margin, 1.0, 0.0)])
        size = A.reach(k) + B.reach(k)
        apart = A.center(k) - B.center(k)
        limit = size + margin

        def exact() -> Array:
            return np.stack([either(touch(A.core(k), B.core(k), size, margin), 1.0, 0.0)])

        return when(apart @ apart <= limit * limit, exact, np.zeros(1))  # type: ignore[no-any-return]

    return [x[0] for x, _ in _loops(poses, pairs, visit, 1)]


def distance_rows(
    model: Model, q: Array, pairs: Sequence[MeasuredPair], found: Sequence[Separation]
) -> Callable[[Any], Array]:
    """Return the function of the number of a pair that returns the derivative (nv,) of its distance.

    A unit force along the normal n at the point a on A, and its opposite on B, act along one line: with the wrench
    F = [n; a × n] about the origin of the world and the Jacobians J of the bodies there, the rows are (J_A − J_B)ᵀ F.
    """
    bodies = sorted({one.frame for pair in pairs for one in pair if 0 < one.frame <= len(model.bodies)})
    place = {frame: k + 1 for k, frame in enumerate(bodies)}
    columns = [jacobian(model, q, model.bodies[frame - 1].name, "world") for frame in bodies]
    table = np.stack([np.zeros(6 * model.nv), *(J.reshape(-1) for J in columns)])
    places = np.array([[place.get(one.frame, 0) for one in pair] for pair in pairs], dtype=float)
    wrenches = np.stack([np.concatenate([s.normal, _cross(s.a, s.normal)]) for s in found])

    def row(k: Any) -> Array:
        A, B = (take(table, x).reshape(6, model.nv) for x in take(places, k))
        F = take(wrenches, k)
        return F @ A - F @ B  # type: ignore[no-any-return]

    return row


def distance_jacobian(
    model: Model, q: Array, pairs: Sequence[MeasuredPair], found: Sequence[Separation]
) -> list[Array]:
    """Return the derivatives (nv,) of the distances."""
    row = distance_rows(model, q, pairs, found)
    _, rows = repeat(len(pairs), lambda k, _: row(k), np.zeros(model.nv), keep=1)
    return list(rows)


def shortfall(
    model: Model,
    q: Array,
    pairs: Sequence[MeasuredPair],
    obstacle_poses: Array | None,
    least: Any,
    points: Array | None = None,
) -> tuple[Any, Array]:
    """Return f = √Σ max(0, least − d)² over the distances d of pairs, and the derivative (nv,) of −f."""
    if not pairs:
        return 0.0, np.zeros(model.nv)
    found = pair_separations(frame_poses(model, q, obstacle_poses), pairs, least, points)
    row = distance_rows(model, q, pairs, found)
    missing = np.stack([[maximum(least - one.distance, 0.0)] for one in found])

    def add(k: Any, square: Any, slope: Array) -> tuple[Any, Array]:
        (e,) = take(missing, k)
        return square + e * e, slope + e * row(k)

    square, slope = repeat(len(pairs), add, 0.0, np.zeros(model.nv))
    there = square > NOTHING
    length = np.sqrt(either(there, square, 1.0))
    return either(there, length, 0.0), slope / length


def _cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _loops(
    poses: Array,
    pairs: Sequence[MeasuredPair],
    visit: Callable[[_MeasuredTable, _MeasuredTable, Any], Array],
    width: int,
) -> list[tuple[Array, bool]]:
    """Return the numbers (width,) of each pair, and whether its shapes are in the other order."""
    found: dict[int, tuple[Array, bool]] = {}
    placed = _PlacedShapes(poses, pairs)
    for family in _families(pairs):
        A, B = (placed.table([ends[side] for _, ends, _ in family]) for side in (0, 1))
        _, rows = repeat(len(family), lambda k, _, A=A, B=B: visit(A, B, k), np.zeros(width), keep=1)
        found |= {k: (x, swapped) for (k, _, swapped), x in zip(family, rows, strict=True)}
    return [found[k] for k in range(len(pairs))]


def _families(pairs: Sequence[MeasuredPair]) -> list[list[tuple[int, MeasuredPair, bool]]]:
    """Return the pairs of each two kinds: their indices, shapes, and whether these are in the other order."""
    families: dict[Any, list[tuple[int, MeasuredPair, bool]]] = {}
    for k, (a, b) in enumerate(pairs):
        swapped = a.order > b.order
        ends = (b, a) if swapped else (a, b)
        families.setdefault((ends[0].family, ends[1].family), []).append((k, ends, swapped))
    return list(families.values())


POINTS_TOGETHER = 4
"""Number of points of a cloud whose bounds are compared together."""


def nearest_of_cloud(
    A: ConvexCore, reach: Any, points: Any, radius: Any, limit: Any, margin: float = -FARTHEST
) -> Separation:
    """Return the separation of a convex shape and the nearest of the balls at points (n, 3).

    ``reach``: radius of the bounding sphere of the shape. Balls are skipped whose distance from it is more than the
    least distance so far, or than ``limit``, m: a larger distance is returned as :data:`FARTHEST`. The search ends at a
    distance of ``margin`` or less.
    """
    start = np.array([FARTHEST, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    count = -(-len(points) // POINTS_TOGETHER)

    def visit(j: Any, best: Array) -> Array:
        places = [j * float(POINTS_TOGETHER) + float(i) for i in range(POINTS_TOGETHER)]
        centers = [take(points, place) for place in places]  # beyond the last point the last one
        squares = [(x - A.center) @ (x - A.center) for x in centers]
        least = reduce(minimum, squares)
        bound = minimum(best[0], limit) + reach + radius

        def compared() -> Array:
            found = best
            for x, square in zip(centers, squares, strict=True):
                ball = ConvexCore("sphere", x, np.eye(3), sizes_of(Shape("world", "sphere", radius=radius)))
                one = separation(A, ball, reach + radius).numbers
                less = (one[0] < found[0]) & (square < bound * bound)
                found = np.stack([either(less, p, q) for p, q in zip(one, found, strict=True)])
            return found

        near = (bound > 0.0) & (least < bound * bound) & (best[0] > margin)
        return when(near, compared, best)  # type: ignore[no-any-return]

    return Separation.of_numbers(repeat(count, visit, start))


def _above(A: _MeasuredTable, B: _MeasuredTable, k: Any) -> Separation:
    """Return the separation of a convex shape and the plane or height field below it."""
    T, one = B.pose(k), A.core(k)
    return above_plane(one, T) if B.kind == "plane" else above_height_field(one, B.shape, T)


class _PlacedShapes:
    """Poses of all shapes of pairs."""

    def __init__(self, frames: Array, pairs: Sequence[MeasuredPair]):
        """``frames`` (n, 12): poses of the world, the bodies and the obstacles."""
        shapes = list({id(one): one for pair in pairs for one in pair}.values())
        symbol = symbol_among([frames])
        self.graph = None if symbol is None else symbol.graph
        self._place = {id(one): float(k) for k, one in enumerate(shapes)}
        columns = EntryTable(self.graph, [[float(one.frame), *one.on_frame[:3].reshape(-1)] for one in shapes])

        def pose(k: Any, _: Array) -> Array:
            T = pose_of_rows(take(frames, columns.one(k, 0))) @ pose_of_rows(columns.some(k, 1, POSE))
            return T[:3].reshape(POSE)  # type: ignore[no-any-return]

        self._poses = np.stack(repeat(len(shapes), pose, np.zeros(POSE), keep=1)[1])

    def table(self, shapes: Sequence[MeasuredShape]) -> _MeasuredTable:
        """Return the shapes of one side of the pairs of a loop."""
        return _MeasuredTable(self.graph, shapes, self._poses, [self._place[id(one)] for one in shapes])


class _MeasuredTable(ShapeTable):
    """Shapes whose poses are in a table."""

    def __init__(self, graph: Any, shapes: Sequence[MeasuredShape], poses: Array, places: Sequence[float]):
        rows = [[place, *sizes_of(one.shape), one.reach] for place, one in zip(places, shapes, strict=True)]
        super().__init__(graph, shapes[0].shape, rows, [one.hull for one in shapes])
        self._poses, self.convex, self.cloud = poses, self.kind in CONVEX, shapes[0].cloud

    def pose(self, k: Any) -> Array:
        """Return the pose (4, 4) of the shape of pair k."""
        return pose_of_rows(take(self._poses, self.columns.one(k, 0)))  # type: ignore[no-any-return]

    def core(self, k: Any) -> ConvexCore:
        """Return the core of the shape of pair k."""
        T, sizes, table, first = self.pose(k), list(self.columns.some(k, 1, SIZES)), None, 0.0
        if self.kind == "mesh":
            hull = self.hull(k)
            table, first = hull.vertex_table, hull.first
        return ConvexCore(self.kind, T[:3, 3], T[:3, :3], sizes, table, first)

    def center(self, k: Any) -> Array:
        """Return the center (3,) of the shape of pair k."""
        return self.pose(k)[:3, 3]

    def reach(self, k: Any) -> Any:
        """Return the radius of the bounding sphere of pair k."""
        return self.columns.one(k, 1 + SIZES)
