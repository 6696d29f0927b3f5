"""From an arm to the family that solves it: a joint held, the arm's mirror image, its ring opened at another joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.ik_solvers.exact.chain import Chain, RigidMotion, forward, with_points
from linkwright.ik_solvers.exact.formulas.families import (
    ArmFamily,
    ElbowAngle,
    Gantry,
    JointSolution,
    Pitched,
    PlanarArm,
    PositionOfTwo,
    PositionOnly,
    Scara,
    SphericalWrist,
    ThreeParallel,
    YawAndPlanar,
    elbow_angle,
    pitched,
)
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine
from linkwright.ik_solvers.exact.geometry import level, meeting, parallel
from linkwright.spatial.arrays import Array

FOUND = 1e-4
"""The true posture counts as found within this, rad or m: an arm may miss its family by what is tolerated there."""


@dataclass(frozen=True)
class Decomposition:
    """How a family solves an arm."""

    chain: Chain
    """of the whole arm, its points where the family wants them"""
    family: ArmFamily
    held: int | None = None
    """the joint whose coordinate is given"""
    mirrored: bool = False
    opened: int = 0
    """the joint before which the ring is opened, of those that are left"""
    noted: tuple[str, ...] = ()
    """what was recognized, in words"""

    @property
    def cost(self) -> float:
        """By which ways are chosen: constants are worth more than the order of the joints."""
        return 2.0 * bool(self.opened) + (self.family.form == "quartic")

    @property
    def asks(self) -> bool:
        """Whether a value must be given in addition to the target."""
        return self.held is not None or isinstance(self.family, ElbowAngle)

    def at_family(self, G: RigidMotion, given: Any = None) -> tuple[Chain, RigidMotion, list[int]]:
        """The chain that the family sees, its motion, and the joints of the arm in its order."""
        chain, order = self.chain, list(range(len(self.chain)))
        if self.held is not None:
            turn = given if chain.slides[self.held] else SineCosine(np.sin(given), np.cos(given))
            chain, G = chain.held(self.held, turn, G)
            del order[self.held]
        if self.mirrored:
            chain, G, order = chain.mirrored(), G.inverse(), order[::-1]
        if self.opened:
            chain = chain.opened(self.opened, G)
            order = order[self.opened :] + order[: self.opened]
        return chain, G, order

    def solve(self, G: RigidMotion, given: Any = None) -> list[JointSolution]:
        """All answers, their turns in the arm's order."""
        chain, G, order = self.at_family(G, given)
        found = []
        family = self.family
        for answer in family.solve_at(chain, G, given) if isinstance(family, ElbowAngle) else family.solve(chain, G):
            turns: list[Any] = [None] * len(self.chain)
            if self.held is not None:
                slides = self.chain.slides[self.held]
                turns[self.held] = given if slides else SineCosine(np.sin(given), np.cos(given))
            for joint, turn in zip(order, answer.turns, strict=True):
                turns[joint] = turn
            found.append(JointSolution(tuple(turns), answer.exists))
        return found


class _FamilyCandidate(NamedTuple):
    family: ArmFamily
    mirrored: bool
    opened: int
    points: dict[int, Array]
    noted: str


TASKS = ("pose", "position", "pitch")
"""Kind of a target: a pose (4, 4), a position (3,), a position and a pitch (4,)."""


def decompositions(
    chain: Chain, length: float, held: int | None = None, task: str = "pose", hand: Array | None = None
) -> Iterator[Decomposition]:
    """The ways that solve an arm, each tried on random postures; ``hand`` is where the hand is at q = 0."""
    random = np.random.default_rng(0)
    postures = random.uniform(-3.0, 3.0, (6, len(chain)))
    seen = chain
    if held is not None:
        seen, _ = chain.held(held, _turn(chain, held, postures[0, held]), RigidMotion(np.eye(3), np.zeros(3)))
    names = [i for i in range(len(chain)) if i != held]
    at = (0.0, 0.0, 0.0) if hand is None else (float(hand[0]), float(hand[1]), float(hand[2]))
    for candidate in _poses(seen, length) if task == "pose" else _parts(seen, task, at):
        points = {names[i]: c for i, c in candidate.points.items()}
        if held is not None:
            turn = _turn(chain, held, postures[0, held])
            points = {i: chain.unmoved(held, turn, i, c) for i, c in points.items()}
        way = Decomposition(with_points(chain, points), candidate.family, held, candidate.mirrored, candidate.opened)
        if not _same_arm(chain, way.chain, postures, length):
            continue
        tried = _tried(way, postures, (candidate.noted.format(*(f"{i + 1}" for i in names)),), at)
        if tried is not None:
            yield tried


def _same_arm(chain: Chain, other: Chain, postures: Array, length: float) -> bool:
    """Whether two chains move their hands alike, as far as an arm may miss its family."""
    pairs = [(forward(chain, q), forward(other, q)) for q in postures]
    return all(np.abs(a.p - b.p).max() < FOUND * length and np.abs(a.R - b.R).max() < FOUND for a, b in pairs)


def _tried(
    way: Decomposition, postures: Array, noted: tuple[str, ...], hand: tuple[float, float, float]
) -> Decomposition | None:
    """The way with the form that fits, if it finds these postures."""
    with np.errstate(all="ignore"):
        G = asked(way, postures[0], hand)
        family = way.family.formed(*way.at_family(G, given_at(way, postures[0]))[:2])
        if family is None:
            return None
        way = Decomposition(way.chain, family, way.held, way.mirrored, way.opened, noted)
        return way if all(finds(way, q, hand) for q in postures) else None


def asked(way: Decomposition, q: Array, hand: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> RigidMotion:
    """Return the quantity of a target at a posture: the hand's pose, or the part that the family uses."""
    G = forward(way.chain, q)
    if isinstance(way.family, Pitched):
        h = way.chain.axes[1]
        return pitched(
            h, sum(x * (h @ way.chain.axes[k]) for k, x in enumerate(q) if k), np.array(hand), G(np.array(hand))
        )
    return RigidMotion(np.eye(3), G(np.array(hand)) - hand) if isinstance(way.family, PositionOnly) else G


def given_at(way: Decomposition, q: Array) -> Any:
    """Return the value that is given in addition to the target, at a posture."""
    if isinstance(way.family, ElbowAngle):
        return elbow_angle(way.chain, [_turn(way.chain, i, x) for i, x in enumerate(q)])
    return None if way.held is None else q[way.held]


def finds(way: Decomposition, q: Array, hand: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bool:
    """Whether this posture is among the answers to its own motion."""
    for turns, exists in way.solve(asked(way, q, hand), given_at(way, q)):
        found = np.array([t.angle() if isinstance(t, SineCosine) else t for t in turns])
        off = np.where(way.chain.slides, found - q, np.remainder(found - q + np.pi, 2.0 * np.pi) - np.pi)
        if exists and np.abs(off).max() < FOUND:
            return True
    return False


def _turn(chain: Chain, joint: int, q: float) -> Any:
    return q if chain.slides[joint] else SineCosine(np.sin(q), np.cos(q))


def _said(three: tuple[int, ...], how: str) -> str:
    return f"the axes {{{three[0]}}}, {{{three[1]}}} and {{{three[2]}}} {how}"


def _parts(chain: Chain, task: str, hand: tuple[float, float, float]) -> Iterator[_FamilyCandidate]:
    """Return the solvers of a part of a pose."""
    n = len(chain)
    if task == "position" and n == 3:
        yield _FamilyCandidate(PositionOnly(point=hand), False, 0, {}, "three joints")
    if task == "position" and n == 2 and not any(chain.slides):
        points = level(chain, (0, 1)) if parallel(chain, (0, 1)) else {}
        yield _FamilyCandidate(PositionOfTwo(point=hand), False, 0, points, "two hinges")
    if task == "pitch" and n == 4 and not any(chain.slides) and parallel(chain, (1, 2, 3)):
        yield _FamilyCandidate(Pitched(point=hand), False, 0, level(chain, (1, 2, 3)), _said((1, 2, 3), "are parallel"))


def _poses(chain: Chain, length: float) -> Iterator[_FamilyCandidate]:
    """Return the decompositions of a chain for poses, the shortest formulas first."""
    n = len(chain)
    hinges = [i for i in range(n) if not chain.slides[i]]
    if chain.slides[:3] == (True, True, True) and len(hinges) == n - 3 <= 2:
        point = meeting(chain, (3, 4), length) if n == 5 else None
        if n < 5 or point is not None:
            points = {} if point is None else {3: point, 4: point}
            yield _FamilyCandidate(Gantry(), False, 0, points, "three slides come first")
    if len(hinges) == 3 and n <= 4 and parallel(chain, range(n)):
        three = (hinges[0], hinges[1], hinges[2])
        family = PlanarArm() if n == 3 else Scara()
        yield _FamilyCandidate(family, False, 0, level(chain, three), _said(three, "are parallel"))
    if n == len(hinges) == 4:
        for i, mirrored in ((1, False), (0, True)):
            three = (i, i + 1, i + 2)
            if parallel(chain, three):
                yield _FamilyCandidate(YawAndPlanar(), mirrored, 0, level(chain, three), _said(three, "are parallel"))
    if n == 6:
        yield from _six(chain, length, hinges)
    if n == len(hinges) == 7:
        shoulder, wrist = meeting(chain, (0, 1, 2), length), meeting(chain, (4, 5, 6), length)
        if shoulder is not None and wrist is not None:
            points = dict.fromkeys((0, 1, 2), shoulder) | dict.fromkeys((4, 5, 6), wrist)
            yield _FamilyCandidate(ElbowAngle(), False, 0, points, "the first three axes meet, and the last three")


def _six(chain: Chain, length: float, hinges: list[int]) -> Iterator[_FamilyCandidate]:
    """The same of six joints."""
    for i, mirrored, opened in ((3, False, 0), (0, True, 0), (1, False, 4), (2, False, 5)):
        three = (i, i + 1, i + 2)
        if not set(three) <= set(hinges) or (opened and len(hinges) < 6):
            continue
        point = meeting(chain, three, length)
        if point is not None:
            points = _paired(chain, length, dict.fromkeys(three, point))
            yield _FamilyCandidate(SphericalWrist(), mirrored, opened, points, _said(three, "meet in a point"))
    for i, mirrored, opened in ((1, False, 0), (2, True, 0), (0, False, 5), (3, False, 2)):
        three = (i, i + 1, i + 2)
        if len(hinges) == 6 and parallel(chain, three):
            points = _paired(chain, length, level(chain, three))
            yield _FamilyCandidate(ThreeParallel(), mirrored, opened, points, _said(three, "are parallel"))


def _paired(chain: Chain, length: float, points: dict[int, Array]) -> dict[int, Array]:
    """Neighbors among the other hinges that meet have one point, too: what is then nothing need not be computed."""
    points = dict(points)
    for i, j in pairwise(range(len(chain))):
        if i not in points and j not in points and not chain.slides[i] and not chain.slides[j]:
            point = meeting(chain, (i, j), length)
            if point is not None:
                points |= {i: point, j: point}
    return points
