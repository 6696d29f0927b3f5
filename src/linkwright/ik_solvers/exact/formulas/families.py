"""The families of arms that have an exact answer, each solved by subproblems: functions of numbers or symbols.

A family solves E₁(q₁) … Eₙ(qₙ) = G for a chain whose axes lie as it wants them; h and c are axes and points at q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.ik_solvers.exact.chain import Chain, RigidMotion
from linkwright.ik_solvers.exact.formulas.point_subproblems import form_of_place, kinds, place
from linkwright.ik_solvers.exact.formulas.subproblems import (
    RotationSolution,
    SineCosine,
    both,
    cross,
    dot,
    eliminated_turn,
    form_of,
    pick,
    subproblem_1,
    subproblem_4,
    subproblem_4_unit,
    subproblem_6,
    turned,
    turning,
)
from linkwright.spatial.arrays import Array, atan2, plain_norm


class JointSolution(NamedTuple):
    """A turn for each joint (for those that slide how far), and whether the answer exists."""

    turns: tuple[Any, ...]
    exists: Any


def across(h: Array) -> Array:
    """A unit vector (3,) across h, along a coordinate axis if one is."""
    v = cross(h, np.eye(3)[int(np.argmin(np.abs(h)))])
    return v / np.linalg.norm(v)


@dataclass(frozen=True)
class ArmFamily:
    """One family; ``form`` is that of the subproblem 6 in it."""

    form: str = ""
    name: ClassVar[str] = ""
    formulas: ClassVar[tuple[str, ...]] = ()
    """how it is solved, line by line"""

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        """All answers, those that do not exist among them."""
        raise NotImplementedError

    def told(self, chain: Chain) -> tuple[str, ...]:
        """The formulas for a chain."""
        return self.formulas

    def system(self, chain: Chain, G: RigidMotion) -> Any:
        """Return the arguments of subproblem 6; None if it is not needed."""
        return None

    def formed(self, chain: Chain, G: RigidMotion) -> ArmFamily | None:
        """The family with the form that the numbers of these ask for; None where they determine nothing."""
        system = self.system(chain, G)
        if system is None:
            return self
        form = form_of(*system[:2])
        return None if form is None else type(self)(form)


def wrist(h4: Array, h5: Array, h6: Array, R: Array) -> list[JointSolution]:
    """The turns with Rot(h₄, θ₄) Rot(h₅, θ₅) Rot(h₆, θ₆) = R."""
    y = R @ h6
    found = []
    for t5, exists in zip(*subproblem_4_unit(h5, h6, h4, y), strict=True):
        t4 = subproblem_1(h4, turned(h5, t5, h6), y, 0.0)
        u = across_any(h6)
        t6 = subproblem_1(h6, u, turned(h5, t5.back(), turned(h4, t4.back(), R @ u)), 0.0)
        found.append(JointSolution((t4, t5, t6), exists))
    return found


def _along(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < 1e-3


def _symbolic(*vectors: Array) -> bool:
    return any(v.dtype == object for v in vectors)


def across_any(h: Array) -> Array:
    """Some vector across h; of symbols one that is not nothing for any unit h."""
    if not _symbolic(h):
        return across(h)
    x, y, z = h
    flat = x * x + y * y < 0.5
    return np.array([pick(flat, 0.0 * z, -y), pick(flat, -z, x), pick(flat, y, 0.0 * z)])


def to_base(chain: Chain, turns: Any, v: Array) -> Array:
    """Return the image of a direction under the inverse of the first motions: …E₂⁻¹E₁⁻¹ v."""
    for i, turn in enumerate(turns):
        v = chain.spin_back(i, turn, v)
    return v


def rotated(chain: Chain, turns: Any, R: Array) -> Array:
    """…R₂ᵀR₁ᵀ R (3, 3)."""
    return np.stack([to_base(chain, turns, column) for column in R.T]).T


@dataclass(frozen=True)
class SphericalWrist(ArmFamily):
    """Axes 4, 5 and 6 meet in w: E₁E₂E₃ w = G w is a position for three joints, and the rest a rotation."""

    name = "spherical wrist"
    formulas = (
        "the axes 4, 5, 6 meet in w: the first three joints alone bring it to w' = G w",
        "c1 − c2 + Rot(−h1, θ1)(w' − c1) = Rot(h2, θ2)(c3 − c2 + Rot(h3, θ3)(w − c3))  [subproblem 5: θ1, θ3, θ2]",
        "R = (R1 R2 R3)ᵀ R_G is left to the wrist: h4·Rot(h5, θ5) h6 = h4·R h6  [subproblem 4: θ5, twice]",
        "Rot(h4, θ4) (R5 h6) = R h6, then Rot(h6, θ6) u = R5ᵀR4ᵀR u for a u across h6  [subproblem 1: θ4, θ6]",
    )

    def told(self, chain: Chain) -> tuple[str, ...]:
        place = () if kinds(chain) == "RRR" else (f"E1 E2 E3 w = w': {_SLIDES[kinds(chain)]}",)
        return (self.formulas[0], *(place or self.formulas[1:2]), *self.formulas[2:])

    def formed(self, chain: Chain, G: RigidMotion) -> ArmFamily | None:
        w = chain.points[3]
        form = form_of_place(chain, w, G(w))
        return None if form is None else type(self)(form)

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        found = []
        w = chain.points[3]
        for t1, t2, t3, exists in place(chain, w, G(w), self.form):
            first = (t1, t2, t3)
            for last in wrist(chain.axes[3], chain.axes[4], chain.axes[5], rotated(chain, first, G.R)):
                found.append(JointSolution((*first, *last.turns), both(exists, last.exists)))
        return found


_SLIDES = {
    "PPP": "three equations, linear in the slides",
    "RPP": "what is across both slides is subproblem 4 for the hinge; the slides are linear",
    "PPR": "what is across both slides is subproblem 4 for the hinge; the slides are linear",
    "RRP": "heights along the second hinge are subproblem 4, or the slide; distances from it the other",
    "PRR": "heights along the first hinge are subproblem 4, or the slide; distances from it the other",
    "PRP": "distances from the hinge are a quadratic for the second slide, heights the first; subproblem 1",
    "RPR": "what is across the slide is subproblem 6 for the hinges; along it the slide",
}


@dataclass(frozen=True)
class PositionOnly(ArmFamily):
    """Three joints move the hand to a position; its rotation is free."""

    name = "a position for three joints"
    formulas = (
        "the hand p goes to p' = G p: with p0 = c1 − c2",
        "p0 + Rot(−h1, θ1)(p' − c1) = Rot(h2, θ2)(c3 − c2 + Rot(h3, θ3)(p − c3))  [subproblem 5: θ1, θ3, θ2]",
    )
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """the hand at q = 0"""

    def told(self, chain: Chain) -> tuple[str, ...]:
        return self.formulas if kinds(chain) == "RRR" else (f"E1 E2 E3 p = p': {_SLIDES[kinds(chain)]}",)

    def formed(self, chain: Chain, G: RigidMotion) -> ArmFamily | None:
        p = np.array(self.point)
        form = form_of_place(chain, p, G(p))
        return None if form is None else type(self)(form, self.point)

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        p = np.array(self.point)
        return [JointSolution((t1, t2, t3), exists) for t1, t2, t3, exists in place(chain, p, G(p), self.form)]


@dataclass(frozen=True)
class PositionOfTwo(PositionOnly):
    """Two revolute joints move the hand to a reachable position."""

    name = "a position for two hinges"
    formulas = (
        "parallel: |c2 − c1 + Rot(h2, θ2)(p − c2)| = |p' − c1|  [subproblem 3: θ2, twice], then subproblem 1: θ1",
        "else: h2·Rot(−h1, θ1)(p' − c1) = h2·(p − c1)  [subproblem 4: θ1, twice], then subproblem 1: θ2",
    )

    def told(self, chain: Chain) -> tuple[str, ...]:
        return self.formulas

    def formed(self, chain: Chain, G: RigidMotion) -> ArmFamily | None:
        return self

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        (h1, h2), (c1, c2), p = chain.axes, chain.points, np.array(self.point)
        to = G(p)
        if float(np.linalg.norm(np.cross(h1, h2))) < 1e-6:
            pairs = folded(h1, flat(h1, c2 - c1), flat(h1, p - c2), flat(h1, to - c1))
            return [JointSolution((t1, alike(h1, h2, t2)), exists) for t1, t2, exists in pairs]
        found = []
        for t1, exists in zip(*subproblem_4(-h1, to - c1, h2, dot(h2, p - c1)), strict=True):
            found.append(JointSolution((t1, subproblem_1(h2, p - c2, chain.back(0, t1, to) - c2)), exists))
        return found


def folded(h: Array, a: Array, b: Array, z: Array) -> list[tuple[SineCosine, SineCosine, Any]]:
    """The turns with Rot(h, θ₂)(a + Rot(h, θ₃) b) = z, all across h: two links in a plane."""
    found = []
    for t3, exists in zip(*subproblem_4(h, b, a, 0.5 * (dot(z, z) - dot(a, a) - dot(b, b))), strict=True):
        found.append((subproblem_1(h, a + turned(h, t3, b), z), t3, exists))
    return found


def flat(h: Array, v: Array) -> Array:
    """Return the component of v perpendicular to h."""
    return v - h * dot(h, v)


def three_turns(
    chain: Chain, joints: tuple[int, int, int], whole: SineCosine, z: Array
) -> list[tuple[SineCosine, SineCosine, SineCosine, Any]]:
    """The turns of three parallel joints that turn by ``whole`` together and bring the third's point to z."""
    i, j, k = joints
    h, (c2, c3, c4) = chain.axes[i], (chain.points[x] for x in joints)
    found = []
    for t2, t3, exists in folded(h, c3 - c2, c4 - c3, flat(h, z - c2)):
        t4 = whole.then(t2.back()).then(t3.back())
        found.append((t2, alike(h, chain.axes[j], t3), alike(h, chain.axes[k], t4), exists))
    return found


def alike(h: Array, axis: Array, turn: SineCosine) -> SineCosine:
    """A turn about h as one about a parallel axis, which may be its opposite."""
    side = dot(h, axis)
    return SineCosine(turn.s * side, turn.c)


@dataclass(frozen=True)
class ThreeParallel(ArmFamily):
    """Axes 2, 3 and 4 are parallel: heights along them do not see these joints, which is subproblem 6 in θ₁ and θ₅."""

    name = "three parallel axes"
    formulas = (
        "the axes 2, 3, 4 are parallel: they change no height along h = h2",
        "h·(c1 + Rot(−h1, θ1)(G c6 − c1)) = h·(c5 + Rot(h5, θ5)(c6 − c5)) and",
        "h·Rot(−h1, θ1) R_G h6 = h·Rot(h5, θ5) h6  [subproblem 6: θ1, θ5]",
        "Rot(−h6, θ6)(R5ᵀ h) = R_Gᵀ R1 h  [subproblem 1: θ6]",
        "Rot(h, θ2+θ3+θ4) u = R1ᵀ R_G R6ᵀ R5ᵀ u for a u across h  [subproblem 1]",
        "z = E1⁻¹ G E6⁻¹ E5⁻¹ c4; |c3 − c2 + Rot(h, θ3)(c4 − c3)| = |z − c2|  [subproblem 3: θ3, twice]",
        "Rot(h, θ2)(c3 − c2 + Rot(h, θ3)(c4 − c3)) = z − c2  [subproblem 1: θ2]; θ4 is the rest of the sum",
    )

    def system(self, chain: Chain, G: RigidMotion) -> Any:
        h, h1, h5, h6 = chain.axes[1], chain.axes[0], chain.axes[4], chain.axes[5]
        c1, c5, c6 = chain.points[0], chain.points[4], chain.points[5]
        a, b, d = turning(-h1, G(c6) - c1, h)
        e, f, g = turning(h5, c6 - c5, h)
        i, j, k = turning(-h1, G.R @ h6, h)
        m, n, o = turning(h5, h6, h)
        return [(a, b), (i, j)], [(-e, -f), (-m, -n)], [g - d + dot(h, c5) - dot(h, c1), o - k]

    def _first_and_fifth(self, chain: Chain, G: RigidMotion) -> list[RotationSolution]:
        h, h1, h5, h6 = chain.axes[1], chain.axes[0], chain.axes[4], chain.axes[5]
        c1, c6 = chain.points[0], chain.points[5]
        n1, n2, d = self.system(chain, G)
        sizes = sum(dot(x, x) for x in (G(c6) - c1, *(b - a for a, b in pairwise(chain.points)))), 1.0
        if self.form != "first" or _symbolic(h, h5, h6) or _along(h5, h) or _along(h5, h6):
            return subproblem_6(n1, n2, d, self.form, sizes)
        found = []
        for t1, exists in zip(*eliminated_turn(n1, n2, d, sizes), strict=True):
            y = turned(h1, t1.back(), G.R @ h6)
            fifth = zip(*subproblem_4_unit(h5, h6, h, y), strict=True)
            found += [RotationSolution(t1, t5, both(exists, too)) for t5, too in fifth]
        return found

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        h, h1, h5, h6 = chain.axes[1], chain.axes[0], chain.axes[4], chain.axes[5]
        u, point = across_any(h), chain.points[3]
        found = []
        for t1, t5, exists in self._first_and_fifth(chain, G):
            t6 = subproblem_1(-h6, turned(h5, t5.back(), h), G.R.T @ turned(h1, t1, h))
            v = turned(h6, t6.back(), turned(h5, t5.back(), u))
            whole = subproblem_1(h, u, turned(h1, t1.back(), G.R @ v), 0.0)
            z = chain.back(0, t1, G(chain.back(5, t6, chain.back(4, t5, point))))
            for t2, t3, t4, too in three_turns(chain, (1, 2, 3), whole, z):
                found.append(JointSolution((t1, t2, t3, t4, t5, t6), both(exists, too)))
        return found


@dataclass(frozen=True)
class PlanarArm(ArmFamily):
    """Three parallel revolute joints: the rotation of the hand is their sum; two links move the third's point to z."""

    name = "planar, three hinges"
    formulas = (
        "Rot(h, θ1+θ2+θ3) u = R_G u for a u across h  [subproblem 1]",
        "z = G c3; |c2 − c1 + Rot(h, θ2)(c3 − c2)| = |z − c1|  [subproblem 3: θ2, twice]",
        "Rot(h, θ1)(c2 − c1 + Rot(h, θ2)(c3 − c2)) = z − c1  [subproblem 1: θ1]; θ3 is the rest of the sum",
    )

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        u = across(chain.axes[0])
        whole = subproblem_1(chain.axes[0], u, G.R @ u, 0.0)
        found = three_turns(chain, (0, 1, 2), whole, G(chain.points[2]))
        return [JointSolution((t1, t2, t3), exists) for t1, t2, t3, exists in found]


@dataclass(frozen=True)
class YawAndPlanar(ArmFamily):
    """A revolute joint, then three parallel ones: the hand determines their direction, and hence the first angle."""

    name = "a hinge and a plane"
    formulas = (
        "the axes 2, 3, 4 remain parallel, along h: Rot(h1, θ1) h = R_G h  [subproblem 1: θ1]",
        "E2 E3 E4 = E1⁻¹ G = G': Rot(h, θ2+θ3+θ4) u = R' u for a u across h  [subproblem 1]",
        "z = G' c4; |c3 − c2 + Rot(h, θ3)(c4 − c3)| = |z − c2|  [subproblem 3: θ3, twice]",
        "Rot(h, θ2)(c3 − c2 + Rot(h, θ3)(c4 − c3)) = z − c2  [subproblem 1: θ2]; θ4 is the rest of the sum",
    )

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        h = chain.axes[1]
        t1 = subproblem_1(chain.axes[0], h, G.R @ h)
        u = across(h)
        whole = subproblem_1(h, u, turned(chain.axes[0], t1.back(), G.R @ u), 0.0)
        found = three_turns(chain, (1, 2, 3), whole, chain.back(0, t1, G(chain.points[3])))
        return [JointSolution((t1, *turns), exists) for *turns, exists in found]


@dataclass(frozen=True)
class Pitched(ArmFamily):
    """A revolute joint, then three parallel ones: the hand's position and its rotation about them."""

    name = "a hinge and a plane, for a position and a pitch"
    formulas = (
        "the axes 2, 3, 4 are parallel, along h: they change no height along it. The hand p goes to p', turned by α:",
        "h·Rot(−h1, θ1)(p' − c1) = h·(p − c1)  [subproblem 4: θ1, forwards and backwards]",
        "z = E1⁻¹p' − Rot(h, α)(p − c4); |c3 − c2 + Rot(h, θ3)(c4 − c3)| = |z − c2|  [subproblem 3: θ3, twice]",
        "Rot(h, θ2)(c3 − c2 + Rot(h, θ3)(c4 − c3)) = z − c2  [subproblem 1: θ2]; θ4 = α − θ2 − θ3",
    )
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """the hand at q = 0"""

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        h, h1, c1, p = chain.axes[1], chain.axes[0], chain.points[0], np.array(self.point)
        u = across(h)
        whole, to, lever = subproblem_1(h, u, G.R @ u, 0.0), G(p), p - chain.points[3]
        found = []
        for t1, exists in zip(*subproblem_4(-h1, to - c1, h, dot(h, p - c1)), strict=True):
            z = chain.back(0, t1, to) - turned(h, whole, lever)
            for t2, t3, t4, too in three_turns(chain, (1, 2, 3), whole, z):
                found.append(JointSolution((t1, t2, t3, t4), both(exists, too)))
        return found


def pitched(h: Array, angle: Any, hand: Array, to: Array) -> RigidMotion:
    """Return the motion that rotates by an angle about h and moves the hand to a position."""
    turn = SineCosine(np.sin(angle), np.cos(angle))
    R = np.stack([turned(h, turn, column) for column in np.eye(3)]).T
    return RigidMotion(R, to - R @ hand)


@dataclass(frozen=True)
class Scara(ArmFamily):
    """Three parallel hinges and a slide along them, in any order: the height is the slide's, the plane the hinges'."""

    name = "three parallel hinges and a slide along them"
    formulas = (
        "h·(G c − c) is the slide d; the hinges see G without it",
        "Rot(h, sum of the θ) u = R_G u for a u across h  [subproblem 1]",
        "z is where the third hinge's point goes; |c2 − c1 + Rot(h, θ2)(c3 − c2)| = |z − c1|  [subproblem 3, twice]",
        "the first hinge by subproblem 1, the third is the rest of the sum",
    )

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        at = chain.slides.index(True)
        i, j, k = (n for n in range(4) if n != at)
        h = chain.axes[i]
        c = chain.points[k]
        d = dot(h, G(c) - c) * dot(h, chain.axes[at])
        u = across(h)
        found = []
        for t1, t2, t3, exists in three_turns(chain, (i, j, k), subproblem_1(h, u, G.R @ u, 0.0), G(c)):
            moves = [t1, t2, t3]
            found.append(JointSolution((*moves[:at], d, *moves[at:]), exists))
        return found


@dataclass(frozen=True)
class Gantry(ArmFamily):
    """Three prismatic joints, then up to two intersecting revolute ones, which the rotation determines."""

    name = "three slides and up to two hinges"
    formulas = (
        "the hinges (none, one, or two that meet in w) take the rotation R_G: Rot(h4, θ4) h5 = R_G h5, and so on  [1]",
        "G w − w = d1 h1 + d2 h2 + d3 h3, linear in the slides",
    )

    def solve(self, chain: Chain, G: RigidMotion) -> list[JointSolution]:
        turns: list[SineCosine] = []
        if len(chain) > 3:
            w = chain.points[3]
            for i in range(3, len(chain)):
                last = i == len(chain) - 1
                v = across(chain.axes[i]) if last else chain.axes[i + 1]
                to = G.R @ v
                for h, turn in zip(chain.axes[3:], turns, strict=False):
                    to = turned(h, turn.back(), to)
                turns.append(subproblem_1(chain.axes[i], v, to))
        else:
            w = np.zeros(3)
        return [JointSolution((d1, d2, d3, *turns), True) for d1, d2, d3, _ in place(chain, w, G(w), "")]


@dataclass(frozen=True)
class ElbowAngle(ArmFamily):
    """Spherical shoulder, elbow and spherical wrist: eight postures for any turn ψ of the elbow.

    ψ turns the elbow's axis about the line from shoulder to wrist; it is 0 where that axis is across the first one
    and the line, so that the plane of the arm holds the first axis.
    """

    name = "spherical shoulder, elbow and wrist"
    formulas = (
        "the axes 1, 2, 3 meet in the shoulder s, the axes 5, 6, 7 in the wrist w: x = G w − s",
        "|c4 + Rot(h4, θ4)(w − c4) − s| = |x|  [subproblem 3: θ4, twice]",
        "R1 R2 R3 = Q takes E4 w − s to x, and the elbow's axis h4 to where it is turned about x by ψ from h1 × x",
        "R1 R2 R3 = Q is a wrist: h1·Rot(h2, θ2) h3 = h1·Q h3  [subproblem 4: θ2, twice], subproblem 1: θ1, θ3",
        "R5 R6 R7 = R4ᵀQᵀR_G likewise: θ6, twice, θ5, θ7",
    )

    def solve_at(self, chain: Chain, G: RigidMotion, angle: Any) -> list[JointSolution]:
        """All answers where the elbow is turned by an angle."""
        s, c4, w, h4 = chain.points[0], chain.points[3], chain.points[4], chain.axes[3]
        x = G(w) - s
        a, b = c4 - s, w - c4
        n, side = elbow_direction(chain, G, angle)
        found = []
        for t4, exists in zip(*subproblem_4(h4, b, a, 0.5 * (dot(x, x) - dot(a, a) - dot(b, b))), strict=True):
            m = direction(a + turned(h4, t4, b), across(h4), dot(a, a) + dot(b, b))
            e = direction(h4 - m * dot(m, h4), across_any(m))
            Q = sum(np.multiply.outer(to, of) for to, of in ((n, m), (side, e), (cross(n, side), cross(m, e))))
            R = np.stack([chain.spin_back(3, t4, v) for v in (Q.T @ G.R).T]).T
            for shoulder in wrist(chain.axes[0], chain.axes[1], chain.axes[2], Q):
                for last in wrist(chain.axes[4], chain.axes[5], chain.axes[6], R):
                    there = both(both(exists, shoulder.exists), last.exists)
                    found.append(JointSolution((*shoulder.turns, t4, *last.turns), there))
        return found


def elbow_direction(chain: Chain, G: RigidMotion, angle: Any) -> tuple[Array, Array]:
    """The unit vectors from shoulder to wrist, and of the elbow's axis across it at an elbow angle."""
    n = from_shoulder(chain, G(chain.points[4]))
    q = facing(chain.axes[0], n)
    return n, q * np.cos(angle) + cross(n, q) * np.sin(angle)


def elbow_angle(chain: Chain, turns: Any) -> Any:
    """The elbow angle in a posture."""
    x, e = chain.points[4], chain.axes[3]
    for i in (3, 2, 1, 0):
        x = chain.move(i, turns[i], x)
        e = chain.spin(i, turns[i], e)
    n = from_shoulder(chain, x)
    q = facing(chain.axes[0], n)
    return atan2(dot(cross(n, q), e), dot(q, e))


def from_shoulder(chain: Chain, wrist: Array) -> Array:
    """The unit vector from the shoulder to the wrist; one across the first axis where the wrist is in the shoulder."""
    s, c4, w = chain.points[0], chain.points[3], chain.points[4]
    return direction(wrist - s, across(chain.axes[0]), dot(c4 - s, c4 - s) + dot(w - c4, w - c4))


def direction(x: Array, other: Array, size: Any = 1.0) -> Array:
    """The unit vector along x; another one where x is nothing to rounding, of numbers of this squared size."""
    square = dot(x, x)
    some = square > 1e-26 * size
    scale = 1.0 / np.sqrt(pick(some, square, 1.0))
    return np.array([pick(some, a * scale, b) for a, b in zip(x, other, strict=True)])


def facing(h: Array, n: Array) -> Array:
    """The unit vector across the unit vectors h and n; where these are parallel one across n."""
    v = cross(h, n)
    some = dot(v, v) > 1e-16
    other = across(h)
    other = other - n * dot(n, other)
    v = np.array([pick(some, a, b) for a, b in zip(v, other, strict=True)])
    return v / plain_norm(v)
