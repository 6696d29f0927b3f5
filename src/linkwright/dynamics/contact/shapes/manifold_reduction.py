"""Reduction of a contact manifold: four points that are far apart, and the deepest one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, NOTHING, either
from linkwright.spatial.arrays import Array, is_symbolic, maximum
from linkwright.spatial.loops.memory import read
from linkwright.spatial.loops.repeats import repeat
from linkwright.spatial.loops.tables import take

TILT = 0.1
"""Weight of the distance from the center relative to the depth."""

POINTS = 5

START = math.cos(math.pi / 8), math.sin(math.pi / 8)
"""First direction, neither along the sides nor along the diagonals of rectangular faces."""

ON_LINE = 1e-6
"""Relative to the length of a line: points closer to the line add no support."""

NONE = -1.0
"""Index of no point."""

DEEP = np.array([1.0, 0.0, 0.0])
"""Weights of gap, u and v in a depth, with the other sign."""

LOWEST = -1e300
"""Score below that of every point."""

Point = tuple[Any, ...]


class PointList:
    """Few points (gap, u, v, …), each with separate expressions."""

    def __init__(self, points: Sequence[Point]):
        self._points = points

    def highest(self, weights: Sequence[Array]) -> list[tuple[Point, Any]]:
        """Return, for each weights (3,) of gap, u and v, the point with the largest weighted sum, and its index."""
        return [self._highest(own) for own in weights]

    def _highest(self, weights: Array) -> tuple[Point, Any]:
        point = tuple(self._points[0])
        best, number = weights @ np.stack(point[:3]), 0.0
        for k, other in enumerate(self._points[1:], 1):
            x = weights @ np.stack(other[:3])
            better = x > best
            best, number = maximum(x, best), either(better, float(k), number)
            point = tuple(either(better, a, b) for a, b in zip(other, point, strict=True))
        return point, number


class VertexList:
    """Points (gap, u, v, gap) of the vertices in a table, (gap, u, v) = offset + vertex · axes: a loop over vertices.

    The vertices may be some rows of a larger table: ``count`` from ``first``, which may be a symbol.
    """

    def __init__(self, rows: Array, first: Any, count: int, offset: Array, axes: Array):
        """``rows`` (n, 3), ``offset`` (3,), ``axes`` (3, 3)."""
        self._rows, self._first, self._count, self._offset, self._axes = rows, first, count, offset, axes

    def highest(self, weights: Sequence[Array]) -> list[tuple[Point, Any]]:
        """Return, for each weights (3,) of gap, u and v, the point with the largest weighted sum, and its index."""
        directions = [self._axes @ own for own in weights]
        if is_symbolic(self._axes, self._first):

            def visit(k: Any, *best: Any) -> tuple[Any, ...]:
                vertex, found = take(self._rows, k + self._first), []
                for direction, highest, number in zip(directions, best[::2], best[1::2], strict=True):
                    x = vertex @ direction
                    found += [maximum(x, highest), either(x > highest, k, number)]
                return tuple(found)

            numbers = repeat(self._count, visit, *[LOWEST, 0.0] * len(directions))[1::2]
        else:
            vertices = self._rows[int(self._first) :][: self._count]
            numbers = [float(np.argmax(vertices @ direction)) for direction in directions]
        return [(self._point(take(self._rows, k + self._first)), k) for k in numbers]

    def _point(self, vertex: Array) -> Point:
        gap, u, v = self._offset + vertex @ self._axes
        return gap, u, v, gap


class PointRow:
    """Points (gap, u, v, …) that loops have written into a row of memory, ``width`` numbers each."""

    def __init__(self, row: Any, count: int, width: int):
        self._row, self._count, self._width = row, count, width

    def highest(self, weights: Sequence[Array]) -> list[tuple[Point, Any]]:
        """Return, for each weights (3,) of gap, u and v, the point with the largest weighted sum, and its index."""

        def visit(k: Any, *best: Any) -> tuple[Any, ...]:
            point, found = read(self._row, k * float(self._width), 3), []
            for own, highest, number in zip(weights, best[::2], best[1::2], strict=True):
                x = own @ point
                found += [maximum(x, highest), either(x > highest, k, number)]
            return tuple(found)

        numbers = repeat(self._count, visit, *[LOWEST, 0.0] * len(weights))[1::2]
        return [(tuple(read(self._row, k * float(self._width), self._width)), k) for k in numbers]


def reduced_manifold(points: PointList | VertexList | PointRow) -> list[Point]:
    """Reduce coplanar points (gap, u, v, …), with u and v along the contact plane, to :data:`POINTS`.

    The first two are the farthest in two opposite directions, the next the farthest on either side of the line between
    these, and the last is the deepest. The first four span at least half of the area of all: these lie between two
    parallel lines through the first two, and two parallels of the line between the first two through the others.
    A point counts as nearer by 0.1 m for each meter of its gap, so that beyond a tilt of 0.1 lower points are
    preferred. A repeated point gets the gap :data:`FAR`, as points that do not exist should have; these should be near
    too.
    """
    x, y = START
    along = np.array([0.0, TILT * x, TILT * y])
    first, second, deepest = points.highest([along - DEEP, -along - DEEP, -DEEP])
    (_, u1, v1, *_), (_, u2, v2, *_) = first[0], second[0]
    du, dv = u2 - u1, v2 - v1
    square = du * du + dv * dv
    per = either(square > NOTHING, 1.0 / np.sqrt(maximum(square, NOTHING)), 0.0)
    left = np.stack([0.0 * per, -per * dv, per * du])
    found: list[Point] = []
    taken: list[Any] = []
    sides = points.highest([TILT * left - DEEP, -TILT * left - DEEP])
    for sign, (point, number) in zip((0.0, 0.0, 1.0, -1.0, 0.0), (first, second, *sides, deepest), strict=True):
        gap, u, v, *more = point
        if sign:
            aside = sign * (left @ np.stack([0.0, u - u1, v - v1])) > ON_LINE * square * per
            gap, number = either(aside, gap, FAR), either(aside, number, NONE)
        for before in taken:
            gap = either(abs(number - before) < 0.5, FAR, gap)
        taken.append(number)
        found.append((gap, u, v, *more))
    return found
