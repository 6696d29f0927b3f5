"""Few points of many: four that are far apart, and the deepest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, NOTHING, either
from linkwright.spatial.arrays import maximum, minimum

TILT = 0.1
"""A point that is farther out by so much is preferred to one that is deeper by one."""

POINTS = 5

START = math.cos(math.pi / 8), math.sin(math.pi / 8)
"""The first direction: neither along the sides of a rectangle nor along its diagonals, as faces lie."""

ON_LINE = 1e-6
"""Beside a line's length: what is this near to the line supports nothing that its ends do not."""

NONE = -1.0
"""The number of no point: one that does not count may still be the deepest."""

Point = tuple[Any, ...]


def spread(points: Sequence[Point]) -> list[Point]:
    """Of points of one plane of contact, each (gap, u, v, …) with u and v along the plane, :data:`POINTS`.

    Two that are far apart: the one that is farthest from one on the rim, and the one that is farthest from that; the
    farthest on either side of the line between these two; then the deepest of all. A point counts as nearer by 0.1 m
    for each meter that it is farther from the plane, so that beyond a tilt of 0.1 the lower ones are taken. A point
    that was taken before is not there again: its gap is :data:`FAR`, as that of points which do not exist should be
    given. These are to be near too.
    """
    (x, y), chosen = START, _Chosen(points)
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


class _Chosen:
    """Points that were chosen, and their numbers."""

    def __init__(self, points: Sequence[Point]):
        self.points = points
        self.found: list[Point] = []
        self.numbers: list[Any] = []

    def highest(self, score: Callable[..., Any]) -> tuple[Point, Any]:
        """The one with the highest score, and its number."""
        best, number, point = score(*self.points[0][:3]), 0.0, tuple(self.points[0])
        for k, other in enumerate(self.points[1:], 1):
            x = score(*other[:3])
            better = x > best
            best, number = maximum(x, best), either(better, float(k), number)
            point = tuple(either(better, a, b) for a, b in zip(other, point, strict=True))
        return point, number

    def best(self, score: Callable[..., Any], counts: Callable[..., Any] | None = None) -> Point:
        """The one with the highest score is taken; it is there if it was not taken before, and counts."""
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
    """√(u² + v²) and up to a twelfth more."""
    return maximum(abs(u), abs(v)) + 0.42 * minimum(abs(u), abs(v))
