"""Contact points after a small motion of the bodies, each as a function of its numbers, for loops over many contacts.

Corners on planes persist: a rotated box may touch a plane with another face, which has other points. Other points are
those of the shapes at their new poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.looped_points import with_points
from linkwright.dynamics.contact.placed_shapes import PlacedShape, points_between
from linkwright.dynamics.contact.shapes.candidate import DISTANT, WIDTH, ContactCandidate
from linkwright.model.parts.pair import Pair
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.entry_table import mapped
from linkwright.spatial.loops.memory import empty_row, memory_row, read, write
from linkwright.spatial.loops.repeats import symbol_among, when
from linkwright.spatial.transform import pose_of_rows, split_pose

CORNERED = frozenset({"box", "mesh"})
"""Kinds of shapes with corners on planes."""

POSE = 12
"""Numbers of a pose."""


class MovedBodies(NamedTuple):
    """Bodies after a small motion."""

    q: Array
    """(nq,)"""
    poses: Sequence[Array]
    """(4, 4) of each body"""


class MovedPoint(NamedTuple):
    """Point of a contact, and how it moves."""

    kind: Any
    """("corner", whether the plane is at rest), or "again": computed at the new poses"""
    numbers: list[Any]
    """of :meth:`PointsAfter.candidate`"""


class PointsAfter:
    """Contact points of some pairs after a motion.

    Where ``moved`` does not hold, nothing is computed, and points are undefined; ``always``: they are computed
    unconditionally, as reverse differentiation requires.
    """

    def __init__(
        self,
        model: Model,
        points: Sequence[tuple[Pair, Sequence[ContactCandidate]]],
        poses: Sequence[Array],
        motion: Callable[[], MovedBodies],
        moved: Any,
        always: bool = False,
    ):
        """``points``: pairs and their points at ``poses``; ``motion``: computes where the bodies move to."""
        self._model, self._moved, self._always, self._count = model, moved, always, len(poses) + 1
        self._before = memory_row(_numbers(poses))

        def there() -> list[Any]:
            found = motion()
            return [*_numbers(found.poses), *found.q]

        self._after = self._computed(self._count * POSE + model.nq, there)
        self.points = self._located(points)
        """of all pairs, in order"""

    def bodies(self) -> MovedBodies:
        """Return the bodies after the motion."""
        poses = [self._pose(self._after, float(k)) for k in range(1, self._count)]
        return MovedBodies(read(self._after, float(self._count * POSE), self._model.nq), poses)

    def candidate(self, kind: Any, numbers: Array) -> ContactCandidate:
        """Return a point after the motion."""
        before = ContactCandidate.of_numbers(numbers[:WIDTH])
        if kind == "again":
            return before
        body, floor, sign, margin = numbers[WIDTH : WIDTH + 4]
        (R, p), (R1, p1) = (split_pose(self._pose(row, body)) for row in (self._before, self._after))
        T = pose_of_rows(numbers[WIDTH + 4 :])
        if kind != ("corner", True):
            T = self._pose(self._after, floor) @ T
        corner = p1 + R1 @ (R.T @ (before.point + (0.5 * sign * (before.gap + margin)) * before.normal - p))
        apart, away = T[:3, 2] @ (corner - T[:3, 3]), sign * T[:3, 2]
        return ContactCandidate(apart - margin, corner - (0.5 * apart) * T[:3, 2], away)

    def gaps(self, straight: Sequence[Any] | Array) -> list[Any]:
        """Return the gaps after the motion; ``straight``: those of straight paths, which hold for distant points."""
        found: dict[int, Any] = {}
        for kind in dict.fromkeys(one.kind for one in self.points):

            def gap(numbers: Array, kind: Any = kind) -> list[Any]:
                known = numbers[0]
                bent = self._moved & (known < DISTANT)
                if self._always:
                    return [where(bent, self.candidate(kind, numbers[1:]).gap, known)]
                return [when(bent, lambda: self.candidate(kind, numbers[1:]).gap, known)]

            own = [n for n, one in enumerate(self.points) if one.kind == kind]
            rows = [[straight[n], *self.points[n].numbers] for n in own]
            found |= {n: x[0] for n, x in zip(own, mapped(gap, rows, 1), strict=True)}
        return [found[n] for n in range(len(self.points))]

    def _computed(self, size: int, entries: Callable[[], Sequence[Any]]) -> Any:
        """Return a row of these entries where the bodies move."""
        if self._always:
            return memory_row(entries())
        start = empty_row(symbol_among([self._moved]), size)
        return when(self._moved, lambda: write(start, 0.0, entries()), start)

    def _pose(self, row: Any, body: Any) -> Array:
        return pose_of_rows(read(row, body * float(POSE), POSE))

    def _located(self, points: Sequence[tuple[Pair, Sequence[ContactCandidate]]]) -> list[MovedPoint]:
        model = self._model
        cornered = [_has_corners(model, pair) for pair, _ in points]
        again = [pair for (pair, _), so in zip(points, cornered, strict=True) if not so]
        size = WIDTH * sum(len(own) for (_, own), so in zip(points, cornered, strict=True) if not so)
        if again and self._always:
            there = self.bodies().poses
            row = memory_row([x for pair in again for one in points_between(model, pair, there) for x in one.numbers])
        elif again:
            start = empty_row(symbol_among([self._moved]), size)
            row = when(self._moved, lambda: with_points(start, model, again, self.bodies().poses), start)
        found: list[MovedPoint] = []
        at = 0
        for (pair, own), so in zip(points, cornered, strict=True):
            if so:
                kind, numbers = _corner(model, pair)
                found += [MovedPoint(kind, [*one.numbers, *numbers]) for one in own]
            else:
                found += [MovedPoint("again", list(read(row, float(at + WIDTH * k), WIDTH))) for k in range(len(own))]
                at += WIDTH * len(own)
        return found


def _numbers(poses: Sequence[Array]) -> list[Any]:
    """Return those of the world's pose and of the poses of all bodies."""
    return [x for T in (np.eye(4), *poses) for x in T[:3].reshape(-1)]


def _has_corners(model: Model, pair: Pair) -> bool:
    """Return whether the points of a pair are corners on a plane."""
    kinds = {model.shapes[number].kind for number in (pair.first, pair.second)}
    return "plane" in kinds and bool(kinds & CORNERED)


def _corner(model: Model, pair: Pair) -> tuple[Any, list[Any]]:
    """Return the kind of the corners of a pair, and the numbers that all of them share."""
    placed = [PlacedShape.of(model, number) for number in (pair.first, pair.second)]
    flat = placed[0].shape.kind == "plane"
    cornered, plane = placed[::-1] if flat else placed
    bodies, sign = [cornered.body + 1.0, plane.body + 1.0], -1.0 if flat else 1.0
    return ("corner", plane.body < 0), [*bodies, sign, pair.margin, *plane.on_body[:3].reshape(-1)]
