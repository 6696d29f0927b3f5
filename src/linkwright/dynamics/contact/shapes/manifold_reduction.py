"""Reduction of a contact manifold: four points that are far apart, and the deepest one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, NOTHING, either
from linkwright.spatial.arrays import Array, is_symbolic, maximum, minimum
from linkwright.spatial.repeats import repeat, symbol_among
from linkwright.spatial.tables import take

TILT = 0.1
"""Weight of the distance from the center relative to the depth."""

POINTS = 5

START = math.cos(math.pi / 8), math.sin(math.pi / 8)
"""First direction, neither along the sides nor along the diagonals of rectangular faces."""

ON_LINE = 1e-6
"""Relative to the length of a line: points closer to the line add no support."""

NONE = -1.0
"""Index of no point."""

LOWEST = -1e300
"""Score below that of every point."""

Point = tuple[Any, ...]

Score = Callable[[Any, Any, Any], Any]


class PointList:
    """Few points (gap, u, v, …), each with separate expressions."""

    def __init__(self, points: Sequence[Point]):
        self._points = points

    def highest(self, *scores: Score) -> list[tuple[Point, Any]]:
        """Return, for each score, the point at which it is highest, and its index."""
        return [self._highest(score) for score in scores]

    def _highest(self, score: Score) -> tuple[Point, Any]:
        best, number, point = score(*self._points[0][:3]), 0.0, tuple(self._points[0])
        for k, other in enumerate(self._points[1:], 1):
            x = score(*other[:3])
            better = x > best
            best, number = maximum(x, best), either(better, float(k), number)
            point = tuple(either(better, a, b) for a, b in zip(other, point, strict=True))
        return point, number


class PointTable:
    """Points (gap, u, v, …) of the rows of a table: a loop, whose code does not grow with their number.

    ``point`` computes one point from one row, or arrays of all points from the whole table. The points may be some
    rows of a larger table: ``count`` from ``first``, which may be a symbol.
    """

    def __init__(self, rows: Array, point: Callable[[Array], Point], first: Any = 0.0, count: int | None = None):
        self._rows, self._point, self._first = rows, point, first
        self._count = len(rows) if count is None else count
        self._memory: Any = None  # gaps and places of all points, from the first score on

    def highest(self, *scores: Score) -> list[tuple[Point, Any]]:
        """Return, for each score, the point at which it is highest, and its index."""
        if not is_symbolic(*self._point(self._rows[0])):
            points = self._point(self._rows)
            numbers: Sequence[Any] = [int(np.argmax(score(*points[:3]))) for score in scores]
            return [(self._point(self._rows[k]), float(k)) for k in numbers]

        graph, known = symbol_among([self._point(self._rows[0])[0]]).graph, self._memory is not None

        def visit(k: Any, row: Any, *best: Any) -> tuple[Any, ...]:
            if known:
                point = tuple(graph.entry(row, 3.0 * k + float(i)) for i in range(3))
            else:
                point = self._at(k)[:3]
                for i, x in enumerate(point):
                    row = graph.put(row, 3.0 * k + float(i), x)
            found = [row]
            for score, highest, number in zip(scores, best[::2], best[1::2], strict=True):
                x = score(*point)
                found += [maximum(x, highest), either(x > highest, k, number)]
            return tuple(found)

        row = self._memory if known else graph.room(3 * self._count)
        self._memory, *best = repeat(self._count, visit, row, *[LOWEST, 0.0] * len(scores))
        return [(self._at(k), k) for k in best[1::2]]

    def _at(self, k: Any) -> Point:
        return self._point(take(self._rows, k + self._first))


def reduced_manifold(points: PointList | PointTable) -> list[Point]:
    """Reduce coplanar points (gap, u, v, …), with u and v along the contact plane, to :data:`POINTS`.

    The first two are far apart: the point farthest from a point on the boundary, and the point farthest from that. The
    next are the farthest points on either side of the line between these two, and the deepest of all. A point counts as
    nearer by 0.1 m for each meter of its gap, so that beyond a tilt of 0.1 lower points are preferred. A repeated point
    gets the gap :data:`FAR`, as points that do not exist should have; these should be near too.
    """
    x, y = START
    (start, _), deepest = points.highest(lambda gap, u, v: TILT * (x * u + y * v) - gap, lambda gap, u, v: -gap)
    first = _farthest(points, start)
    second = _farthest(points, first[0])
    (_, u1, v1, *_), (_, u2, v2, *_) = first[0], second[0]
    du, dv = u2 - u1, v2 - v1
    square = du * du + dv * dv
    per = either(square > NOTHING, 1.0 / np.sqrt(maximum(square, NOTHING)), 0.0)

    def left(u: Any, v: Any) -> Any:
        return per * (du * (v - v1) - dv * (u - u1))

    sides = points.highest(lambda gap, u, v: TILT * left(u, v) - gap, lambda gap, u, v: -TILT * left(u, v) - gap)
    found: list[Point] = []
    taken: list[Any] = []
    for sign, (point, number) in zip((0.0, 0.0, 1.0, -1.0, 0.0), (first, second, *sides, deepest), strict=True):
        gap, u, v, *more = point
        if sign:
            aside = sign * left(u, v) > ON_LINE * square * per
            gap, number = either(aside, gap, FAR), either(aside, number, NONE)
        for before in taken:
            gap = either(abs(number - before) < 0.5, FAR, gap)
        taken.append(number)
        found.append((gap, u, v, *more))
    return found


def _farthest(points: PointList | PointTable, other: Point) -> tuple[Point, Any]:
    """Return the point farthest from another one, and its index."""
    (found,) = points.highest(lambda gap, u, v: TILT * _far(u - other[1], v - other[2]) - gap)
    return found


def _far(u: Any, v: Any) -> Any:
    """Return √(u² + v²), up to a twelfth too large."""
    return maximum(abs(u), abs(v)) + 0.42 * minimum(abs(u), abs(v))
