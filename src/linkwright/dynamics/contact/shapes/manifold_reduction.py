"""Reduction of a contact manifold: four points that are far apart, and the deepest one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, NOTHING, either
from linkwright.spatial.arrays import maximum, minimum

TILT = 0.1
"""Weight of the distance from the center relative to the depth."""

POINTS = 5

START = math.cos(math.pi / 8), math.sin(math.pi / 8)
"""First direction, neither along the sides nor along the diagonals of rectangular faces."""

ON_LINE = 1e-6
"""Relative to the length of a line: points closer to the line add no support."""

NONE = -1.0
"""Index of no point."""

Point = tuple[Any, ...]


def reduced_manifold(points: Sequence[Point]) -> list[Point]:
    """Reduce coplanar points (gap, u, v, …), with u and v along the contact plane, to :data:`POINTS`.

    The first two are far apart: the point farthest from a point on the boundary, and the point farthest from that. The
    next are the farthest points on either side of the line between these two, and the deepest of all. A point counts as
    nearer by 0.1 m for each meter of its gap, so that beyond a tilt of 0.1 lower points are preferred. A repeated point
    gets the gap :data:`FAR`, as points that do not exist should have; these should be near too.
    """
    (x, y), chosen = START, _PointSelection(points)
    start, _ = chosen.highest(lambda gap, u, v: TILT * (x * u + y * v) - gap)
    first = chosen.best(lambda gap, u, v: TILT * _far(u - start[1], v - start[2]) - gap)
    second = chosen.best(lambda gap, u, v: TILT * _far(u - first[1], v - first[2]) - gap)
    du, dv = second[1] - first[1], second[2] - first[2]
    square = du * du + dv * dv
    per = either(square > NOTHING, 1.0 / np.sqrt(maximum(square, NOTHING)), 0.0)
    for side in (per, -per):

        def beside(u: Any, v: Any, side: Any = side) -> Any:
            return side * (du * (v - first[2]) - dv * (u - first[1]))

        chosen.best(
            lambda gap, u, v, beside=beside: TILT * beside(u, v) - gap,
            lambda u, v, beside=beside: beside(u, v) > ON_LINE * square * per,
        )
    chosen.best(lambda gap, u, v: -gap)
    return chosen.found


class _PointSelection:
    """Selected points and their indices."""

    def __init__(self, points: Sequence[Point]):
        self.points = points
        self.found: list[Point] = []
        self.numbers: list[Any] = []

    def highest(self, score: Callable[..., Any]) -> tuple[Point, Any]:
        """Return the point with the highest score, and its index."""
        best, number, point = score(*self.points[0][:3]), 0.0, tuple(self.points[0])
        for k, other in enumerate(self.points[1:], 1):
            x = score(*other[:3])
            better = x > best
            best, number = maximum(x, best), either(better, float(k), number)
            point = tuple(either(better, a, b) for a, b in zip(other, point, strict=True))
        return point, number

    def best(self, score: Callable[..., Any], counts: Callable[..., Any] | None = None) -> Point:
        """Select the point with the highest score; its gap is FAR if it was selected before or does not count."""
        point, number = self.highest(score)
        gap, u, v, *more = point
        taken = number
        if counts is not None:
            counted = counts(u, v)
            gap, taken = either(counted, gap, FAR), either(counted, number, NONE)
        for before in self.numbers:
            gap = either(abs(number - before) < 0.5, FAR, gap)
        self.numbers.append(taken)
        self.found.append((gap, u, v, *more))
        return point


def _far(u: Any, v: Any) -> Any:
    """Return √(u² + v²), up to a twelfth too large."""
    return maximum(abs(u), abs(v)) + 0.42 * minimum(abs(u), abs(v))
