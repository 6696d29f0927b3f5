"""Few points of many: the deepest, and four that are far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from linkwright.dynamics.contact.shapes.candidate import FAR, either

TILT = 0.1
"""What is farther out by so much is preferred to what is deeper by one."""

POINTS = 5

DIRECTIONS = tuple((math.cos(a), math.sin(a)) for a in (math.pi / 8 + k * math.pi / 2 for k in range(4)))
"""Neither along the sides of a square nor along its diagonals, as faces lie: each then finds another corner."""


def spread(points: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of points of one plane of contact, each (gap, u, v, …) with u and v along the plane, :data:`POINTS`.

    First the point that is farthest out in each of four directions, where a point counts as nearer by 0.1 for each
    metre that it is farther from the plane (beyond a tilt of 0.1 the lower ones are taken); then the deepest of all.
    A point that was chosen before is not there again: its gap is :data:`FAR`. So is that of points which do not exist
    should be given.
    """
    chosen: list[tuple[Any, ...]] = []
    numbers: list[Any] = []
    scores = [[TILT * (u * x + v * y) - gap for gap, u, v, *_ in points] for x, y in DIRECTIONS]
    for score in [*scores, [-gap for gap, *_ in points]]:
        best, number, point = score[0], 0.0, tuple(points[0])
        for k in range(1, len(points)):
            better = score[k] > best
            best, number = either(better, score[k], best), either(better, float(k), number)
            point = tuple(either(better, x, y) for x, y in zip(points[k], point, strict=True))
        gap = point[0]
        for other in numbers:
            gap = either(abs(number - other) < 0.5, FAR, gap)
        numbers.append(number)
        chosen.append((gap, *point[1:]))
    return chosen
