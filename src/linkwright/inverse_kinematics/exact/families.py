"""The families of arms that have an exact answer, each solved by subproblems: functions of numbers or symbols.

A family solves E₁(q₁) … Eₙ(qₙ) = G for a chain whose axes lie as it wants them; h and c are axes and points at q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.inverse_kinematics.exact.chain import Chain, Motion
from linkwright.inverse_kinematics.exact.subproblems import (
    Turn,
    both,
    cross,
    distances,
    dot,
    form_of,
    on_line,
    pick,
    subproblem_1,
    subproblem_4,
    subproblem_5,
    subproblem_6,
    turned,
    turning,
)
from linkwright.spatial.arrays import Array


class Answer(NamedTuple):
    """A turn for each joint (for those that slide how far), and whether the answer exists."""

    turns: tuple[Any, ...]
    exists: Any


def across(h: Array) -> Array:
    """A unit vector (3,) across h, along a coordinate axis if one is."""
    v = cross(h, np.eye(3)[int(np.argmin(np.abs(h)))])
    return v / np.linalg.norm(v)


@dataclass(frozen=True)
class Family:
    """One family; ``form`` is that of the subproblem 6 in it."""

    form: str = ""
    name: ClassVar[str] = ""
    formulas: ClassVar[tuple[str, ...]] = ()
    """how it is solved, line by line"""

    def solve(self, chain: Chain, G: Motion) -> list[Answer]:
        """All answers, those that do not exist among them."""
        raise NotImplementedError

    def system(self, chain: Chain, G: Motion) -> Any:
        """What it hands to subproblem 6; None where it needs none."""
        return None

    def formed(self, chain: Chain, G: Motion) -> Family | None:
        """The family with the form that the numbers of these ask for; None where they determine nothing."""
        system = self.system(chain, G)
        if system is None:
            return self
        form = form_of(*system[:2])
        return None if form is None else type(self)(form)


def wrist(h4: Array, h5: Array, h6: Array, R: Array) -> list[Answer]:
    """The turns with Rot(h₄, θ₄) Rot(h₅, θ₅) Rot(h₆, θ₆) = R."""
    y = R @ h6
    n = cross(h4, y)
    square = not _symbolic(h4, h5, h6) and abs(dot(h4, h5)) < 1e-15 and abs(dot(h5, h6)) < 1e-15
    a, b, d = turning(h5, h6, h4)
    turns, there = on_line(a, b, dot(h4, y) - d, dot(n, n) if square else None)
    found = []
    for t5, exists in zip(turns, there, strict=True):
        t4 = subproblem_1(h4, turned(h5, t5, h6), y)
        if not square:  # near a straight wrist a cosine tells an angle by half its digits
            t5 = subproblem_1(h5, h6, turned(h4, t4.back(), y))
        u = across_any(h6)
        t6 = subproblem_1(h6, u, turned(h5, t5.back(), turned(h4, t4.back(), R @ u)))
        found.append(Answer((t4, t5, t6), exists))
    return found


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
    """What the inverse of the first motions makes of a direction: …E₂⁻¹E₁⁻¹ v."""
    for i, turn in enumerate(turns):
        v = chain.spin_back(i, turn, v)
    return v


def rotated(chain: Chain, turns: Any, R: Array) -> Array:
    """…R₂ᵀR₁ᵀ R (3, 3)."""
    return np.stack([to_base(chain, turns, column) for column in R.T]).T


@dataclass(frozen=True)
class SphericalWrist(Family):
    """Axes 4, 5 and 6 meet in w: E₁E₂E₃ w = G w is subproblem 5, what is left a rotation."""

    name = "spherical wrist"
    formulas = (
        "the axes 4, 5, 6 meet in w: the first three joints alone bring it to w' = G w",
        "c1 − c2 + Rot(−h1, θ1)(w' − c1) = Rot(h2, θ2)(c3 − c2 + Rot(h3, θ3)(w − c3))  [subproblem 5: θ1, θ3, θ2]",
        "R = (R1 R2 R3)ᵀ R_G is left to the wrist: h4·Rot(h5, θ5) h6 = h4·R h6  [subproblem 4: θ5, twice]",
        "Rot(h4, θ4) (R5 h6) = R h6, then Rot(h6, θ6) u = R5ᵀR4ᵀR u for a u across h6  [subproblem 1: θ4, θ6]",
    )

    def _five(self, chain: Chain, G: Motion) -> Any:
        (h1, h2, h3), (c1, c2, c3, w) = chain.axes[:3], chain.points[:4]
        return -h1, h2, h3, c1 - c2, G(w) - c1, c3 - c2, w - c3

    def system(self, chain: Chain, G: Motion) -> Any:
        return distances(*self._five(chain, G))

    def solve(self, chain: Chain, G: Motion) -> list[Answer]:
        found = []
        for t1, t2, t3, exists in subproblem_5(self.form, *self._five(chain, G)):
            first = (t1, t2, t3)
            for last in wrist(chain.axes[3], chain.axes[4], chain.axes[5], rotated(chain, first, G.R)):
                found.append(Answer((*first, *last.turns), both(exists, last.exists)))
        return found


def folded(h: Array, a: Array, b: Array, z: Array) -> list[tuple[Turn, Turn, Any]]:
    """The turns with Rot(h, θ₂)(a + Rot(h, θ₃) b) = z, all across h: two links in a plane."""
    found = []
    for t3, exists in zip(*subproblem_4(h, b, a, 0.5 * (dot(z, z) - dot(a, a) - dot(b, b))), strict=True):
        found.append((subproblem_1(h, a + turned(h, t3, b), z), t3, exists))
    return found


def flat(h: Array, v: Array) -> Array:
    """What of v is across h."""
    return v - h * dot(h, v)


def three_turns(
    chain: Chain, joints: tuple[int, int, int], whole: Turn, z: Array
) -> list[tuple[Turn, Turn, Turn, Any]]:
    """The turns of three parallel joints that turn by ``whole`` together and bring the third's point to z."""
    i, j, k = joints
    h, (c2, c3, c4) = chain.axes[i], (chain.points[x] for x in joints)
    found = []
    for t2, t3, exists in folded(h, c3 - c2, c4 - c3, flat(h, z - c2)):
        t4 = whole.then(t2.back()).then(t3.back())
        found.append((t2, alike(h, chain.axes[j], t3), alike(h, chain.axes[k], t4), exists))
    return found


def alike(h: Array, axis: Array, turn: Turn) -> Turn:
    """A turn about h as one about a parallel axis, which may be its opposite."""
    side = dot(h, axis)
    return Turn(turn.s * side, turn.c)


@dataclass(frozen=True)
class ThreeParallel(Family):
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

    def system(self, chain: Chain, G: Motion) -> Any:
        h, h1, h5, h6 = chain.axes[1], chain.axes[0], chain.axes[4], chain.axes[5]
        c1, c5, c6 = chain.points[0], chain.points[4], chain.points[5]
        a, b, d = turning(-h1, G(c6) - c1, h)
        e, f, g = turning(h5, c6 - c5, h)
        i, j, k = turning(-h1, G.R @ h6, h)
        m, n, o = turning(h5, h6, h)
        return [(a, b), (i, j)], [(-e, -f), (-m, -n)], [g - d + dot(h, c5) - dot(h, c1), o - k]

    def solve(self, chain: Chain, G: Motion) -> list[Answer]:
        h, h1, h5, h6 = chain.axes[1], chain.axes[0], chain.axes[4], chain.axes[5]
        u, point = across_any(h), chain.points[3]
        found = []
        n1, n2, d = self.system(chain, G)
        for t1, t5, exists in subproblem_6(n1, n2, d, self.form):
            t6 = subproblem_1(-h6, turned(h5, t5.back(), h), G.R.T @ turned(h1, t1, h))
            v = turned(h6, t6.back(), turned(h5, t5.back(), u))
            whole = subproblem_1(h, u, turned(h1, t1.back(), G.R @ v))
            z = chain.back(0, t1, G(chain.back(5, t6, chain.back(4, t5, point))))
            for t2, t3, t4, too in three_turns(chain, (1, 2, 3), whole, z):
                found.append(Answer((t1, t2, t3, t4, t5, t6), both(exists, too)))
        return found


@dataclass(frozen=True)
class Planar(Family):
    """Three parallel hinges: the turn of the hand is their sum, the third's point is brought to z by two links."""

    name = "planar, three hinges"
    formulas = (
        "Rot(h, θ1+θ2+θ3) u = R_G u for a u across h  [subproblem 1]",
        "z = G c3; |c2 − c1 + Rot(h, θ2)(c3 − c2)| = |z − c1|  [subproblem 3: θ2, twice]",
        "Rot(h, θ1)(c2 − c1 + Rot(h, θ2)(c3 − c2)) = z − c1  [subproblem 1: θ1]; θ3 is the rest of the sum",
    )

    def solve(self, chain: Chain, G: Motion) -> list[Answer]:
        u = across(chain.axes[0])
        whole = subproblem_1(chain.axes[0], u, G.R @ u)
        found = three_turns(chain, (0, 1, 2), whole, G(chain.points[2]))
        return [Answer((t1, t2, t3), exists) for t1, t2, t3, exists in found]


@dataclass(frozen=True)
class YawAndPlanar(Family):
    """A hinge, then three parallel ones: the hand tells where these look, and so the first turn."""

    name = "a hinge and a plane"
    formulas = (
        "the axes 2, 3, 4 are parallel, along h, and stay so: Rot(h1, θ1) h = R_G h  [subproblem 1: θ1]",
        "E2 E3 E4 = E1⁻¹ G = G': Rot(h, θ2+θ3+θ4) u = R' u for a u across h  [subproblem 1]",
        "z = G' c4; |c3 − c2 + Rot(h, θ3)(c4 − c3)| = |z − c2|  [subproblem 3: θ3, twice]",
        "Rot(h, θ2)(c3 − c2 + Rot(h, θ3)(c4 − c3)) = z − c2  [subproblem 1: θ2]; θ4 is the rest of the sum",
    )

    def solve(self, chain: Chain, G: Motion) -> list[Answer]:
        h = chain.axes[1]
        t1 = subproblem_1(chain.axes[0], h, G.R @ h)
        u = across(h)
        whole = subproblem_1(h, u, turned(chain.axes[0], t1.back(), G.R @ u))
        found = three_turns(chain, (1, 2, 3), whole, chain.back(0, t1, G(chain.points[3])))
        return [Answer((t1, *turns), exists) for *turns, exists in found]
