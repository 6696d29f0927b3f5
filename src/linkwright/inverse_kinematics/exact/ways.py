"""From an arm to the family that solves it: a joint held, the arm's mirror image, its ring opened at another joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.inverse_kinematics.exact.chain import Chain, Motion, forward, with_points
from linkwright.inverse_kinematics.exact.families import (
    Answer,
    Family,
    Planar,
    SphericalWrist,
    ThreeParallel,
    YawAndPlanar,
)
from linkwright.inverse_kinematics.exact.geometry import level, meeting, parallel
from linkwright.inverse_kinematics.exact.subproblems import Turn
from linkwright.spatial.arrays import Array

FOUND = 1e-6
"""The true posture counts as found within this, rad or m."""


@dataclass(frozen=True)
class Way:
    """How a family solves an arm."""

    chain: Chain
    """of the whole arm, its points where the family wants them"""
    family: Family
    held: int | None = None
    """the joint whose coordinate is given"""
    mirrored: bool = False
    opened: int = 0
    """the joint before which the ring is opened, of those that are left"""
    noted: tuple[str, ...] = ()
    """what was recognised, in words"""

    @property
    def cost(self) -> float:
        """By which ways are chosen: constants are worth more than the order of the joints."""
        return 2.0 * bool(self.opened) + (self.family.form == "quartic")

    def at_family(self, G: Motion, given: Any = None) -> tuple[Chain, Motion, list[int]]:
        """The chain that the family sees, its motion, and the joints of the arm in its order."""
        chain, order = self.chain, list(range(len(self.chain)))
        if self.held is not None:
            turn = given if chain.slides[self.held] else Turn(np.sin(given), np.cos(given))
            chain, G = chain.held(self.held, turn), chain.without(self.held, turn, G)
            del order[self.held]
        if self.mirrored:
            chain, G, order = chain.mirrored(), G.inverse(), order[::-1]
        if self.opened:
            chain = chain.opened(self.opened, G)
            order = order[self.opened :] + order[: self.opened]
        return chain, G, order

    def solve(self, G: Motion, given: Any = None) -> list[Answer]:
        """All answers, their turns in the arm's order."""
        chain, G, order = self.at_family(G, given)
        found = []
        for answer in self.family.solve(chain, G):
            turns: list[Any] = [None] * len(self.chain)
            if self.held is not None:
                slides = self.chain.slides[self.held]
                turns[self.held] = given if slides else Turn(np.sin(given), np.cos(given))
            for joint, turn in zip(order, answer.turns, strict=True):
                turns[joint] = turn
            found.append(Answer(tuple(turns), answer.exists))
        return found


class _Candidate(NamedTuple):
    family: type[Family]
    mirrored: bool
    opened: int
    points: dict[int, Array]
    noted: str


def ways(chain: Chain, length: float, held: int | None = None) -> Iterator[Way]:
    """The ways that solve an arm, each tried on random postures."""
    random = np.random.default_rng(0)
    postures = random.uniform(-3.0, 3.0, (6, len(chain)))
    seen = chain if held is None else chain.held(held, _turn(chain, held, postures[0, held]))
    names = [i for i in range(len(chain)) if i != held]
    for candidate in _candidates(seen, length):
        points = {
            names[i]: c
            if held is None or names[i] < held
            else chain.back(held, _turn(chain, held, postures[0, held]), c)
            for i, c in candidate.points.items()
        }
        way = Way(with_points(chain, points), candidate.family(), held, candidate.mirrored, candidate.opened)
        tried = _tried(way, postures, (candidate.noted.format(*(f"{i + 1}" for i in names)),))
        if tried is not None:
            yield tried


def _tried(way: Way, postures: Array, noted: tuple[str, ...]) -> Way | None:
    """The way with the form that fits, if it finds these postures."""
    with np.errstate(all="ignore"):
        G = forward(way.chain, postures[0])
        given = None if way.held is None else postures[0, way.held]
        family = way.family.formed(*way.at_family(G, given)[:2])
        if family is None:
            return None
        way = Way(way.chain, family, way.held, way.mirrored, way.opened, noted)
        return way if all(finds(way, q) for q in postures) else None


def finds(way: Way, q: Array) -> bool:
    """Whether this posture is among the answers to its own motion."""
    given = None if way.held is None else q[way.held]
    for turns, exists in way.solve(forward(way.chain, q), given):
        found = np.array([t.angle() if isinstance(t, Turn) else t for t in turns])
        off = np.where(way.chain.slides, found - q, np.remainder(found - q + np.pi, 2.0 * np.pi) - np.pi)
        if exists and np.abs(off).max() < FOUND:
            return True
    return False


def _turn(chain: Chain, joint: int, q: float) -> Any:
    return q if chain.slides[joint] else Turn(np.sin(q), np.cos(q))


def _candidates(chain: Chain, length: float) -> Iterator[_Candidate]:
    """What the geometry of a chain offers, the shortest formulas first."""
    if any(chain.slides):
        return
    n = len(chain)
    if n == 3 and parallel(chain, (0, 1, 2)):
        yield _Candidate(Planar, False, 0, level(chain, (0, 1, 2)), "the axes {0}, {1} and {2} are parallel")
    if n == 4:
        for i, mirrored in ((1, False), (0, True)):
            if parallel(chain, (i, i + 1, i + 2)):
                told = f"the axes {{{i}}}, {{{i + 1}}} and {{{i + 2}}} are parallel"
                yield _Candidate(YawAndPlanar, mirrored, 0, level(chain, (i, i + 1, i + 2)), told)
    if n == 6:
        for i, mirrored, opened in ((3, False, 0), (0, True, 0), (1, False, 4), (2, False, 5)):
            three = (i, i + 1, i + 2)
            point = meeting(chain, three, length)
            if point is not None:
                told = f"the axes {{{i}}}, {{{i + 1}}} and {{{i + 2}}} meet in a point"
                points = _paired(chain, length, dict.fromkeys(three, point))
                yield _Candidate(SphericalWrist, mirrored, opened, points, told)
        for i, mirrored, opened in ((1, False, 0), (2, True, 0), (0, False, 5), (3, False, 2)):
            three = (i, i + 1, i + 2)
            if parallel(chain, three):
                told = f"the axes {{{i}}}, {{{i + 1}}} and {{{i + 2}}} are parallel"
                yield _Candidate(ThreeParallel, mirrored, opened, _paired(chain, length, level(chain, three)), told)


def _paired(chain: Chain, length: float, points: dict[int, Array]) -> dict[int, Array]:
    """Neighbours among the other axes that meet have one point, too: what is then nothing need not be computed."""
    points = dict(points)
    for i, j in pairwise(range(len(chain))):
        if i not in points and j not in points:
            point = meeting(chain, (i, j), length)
            if point is not None:
                points |= {i: point, j: point}
    return points
