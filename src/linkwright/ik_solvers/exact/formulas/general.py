"""Six hinges of any geometry: elimination to one angle, whose equation has degree 16 (Raghavan & Roth 1993).

With p and z a point and the direction of axis 6, moved by joints 3, 4, 5 on one side and back by joints 2 and 1 on the
other, fourteen functions of them are equal: z, p, p × z, pᵀz, pᵀp, (pᵀp) z − 2 (pᵀz) p. Each is linear in (1, sin θ,
cos θ) of every joint, so that eight combinations of sines and cosines of θ₁ and θ₂ are removed, and six equations in
θ₃, θ₄, θ₅ are left. Of the half angles' tangents x₄ and x₅ they are polynomials of degree 2; with the same six times x₄
they are twelve equations in twelve monomials, whose determinant D(θ₃) vanishes. It is a trigonometric polynomial of
degree 8 (the tangents' 24 roots less the eight at ±i), which 17 values determine.

The ring that an arm closes with its target is opened so that the target stands among the joints 3, 4, 5: the
elimination is then of constants, done once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.compiler.user import stack
from linkwright.ik_solvers.exact.chain import Chain, RigidMotion, forward
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.families import across_any
from linkwright.ik_solvers.exact.formulas.roots import HARMONICS, basis, derivatives
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine, cross, dot, pick, subproblem_1, turn_of
from linkwright.spatial.arrays import Array, is_symbolic, maximum
from linkwright.spatial.loops.repeats import repeat

SAMPLES = 2 * HARMONICS + 1
CHECKED = 1.3
"""At this angle, which is no sample, a polynomial is compared with the determinant."""

ROUNDING = 1e-15
"""Accuracy of the equations, which are of size 1."""

LEAST = 1e-14
"""Pivots smaller than this are rounding errors."""

_THIRDS = 2.0 * np.pi / 3.0 * np.array([0.0, 1.0, -1.0])
TO_HARMONICS = np.array([np.ones(3) / 3.0, 2.0 / 3.0 * np.sin(_THIRDS), 2.0 / 3.0 * np.cos(_THIRDS)])
"""(3, 3): from values at three angles to what stands by 1, by the sine and by the cosine"""
TO_POWERS = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, -1.0]]) @ TO_HARMONICS
"""(3, 3): the same times 1 + x², by powers of the half angle's tangent x"""


def _turn(angle: float) -> SineCosine:
    return SineCosine(float(np.sin(angle)), float(np.cos(angle)))


def fourteen(p: Array, z: Array) -> list[Any]:
    """The functions of a point and a direction that move linearly."""
    pz, pp = dot(p, z), dot(p, p)
    return [*z, *p, *cross(p, z), pz, pp, *(pp * z - (2.0 * pz) * p)]


@dataclass(frozen=True)
class RaghavanRothElimination:
    """How an arm's ring is opened, and what of it is constant."""

    name: ClassVar[str] = "six joints of any geometry"
    formulas: ClassVar[tuple[str, ...]] = (
        "p and z: a point and the direction of axis 6, E3 E4 E5 (p, z) = E2⁻¹ E1⁻¹ G (p, z)",
        "z, p, p × z, pᵀz, pᵀp, (pᵀp) z − 2 (pᵀz) p are fourteen equations, linear in (1, sin θ, cos θ) of each joint",
        "the eight products of sines and cosines of θ1 and θ2 are eliminated: six equations in θ3, θ4, θ5",
        "with x4 = tan(θ4/2), x5 = tan(θ5/2): these and x4 times these are 12 equations in 12 monomials x4^i x5^j",
        "their determinant, a trigonometric polynomial of degree 8 in θ3, is nothing: up to 16 real roots, polished",
        "the null vector gives θ4 and θ5, the fourteen equations θ1 and θ2, subproblem 1 θ6; then Newton's steps",
    )

    way: Decomposition
    length: float
    N: Array
    """(6, 14): removes the joints 1 and 2"""
    r: Array
    """(6,): what they leave"""
    first: Array
    """(4, 15): sin θ₁, cos θ₁, sin θ₂, cos θ₂ of the fourteen functions and 1"""

    def at(self, G: RigidMotion, given: Any) -> tuple[Chain, RigidMotion, list[int]]:
        """The chain, its points in its own length, and the joints' order."""
        chain, G, order = self.way.at_family(G, given)
        return _scaled(chain, self.length), RigidMotion(G.R, G.p / self.length), order

    def left(self, chain: Chain, t3: SineCosine, t4: SineCosine, t5: SineCosine) -> list[Any]:
        """The fourteen functions from the joints 3, 4 and 5."""
        p, z = chain.points[5], chain.axes[5]
        for i, turn in ((4, t5), (3, t4), (2, t3)):
            p, z = chain.move(i, turn, p), chain.spin(i, turn, z)
        return fourteen(p, z)

    def equations(self, chain: Chain, t3: SineCosine) -> Array:
        """(6, 3, 3): the six equations at θ₃, by powers of x₄ and x₅."""
        values = np.array(
            [[_times(self.N, self.left(chain, t3, _turn(b), _turn(c)), self.r) for c in _THIRDS] for b in _THIRDS]
        )
        by_x5 = [[_combined(TO_POWERS, [values[b, c, n] for c in range(3)]) for b in range(3)] for n in range(6)]
        return np.array(
            [
                [
                    list(row)
                    for row in zip(
                        *(_combined(TO_POWERS, [by_x5[n][b][j] for b in range(3)]) for j in range(3)), strict=True
                    )
                ]
                for n in range(6)
            ]
        )

    def by_harmonics(self, G: RigidMotion, given: Any) -> Array:
        """(3, 6, 9): the six equations by 1, sin θ₃, cos θ₃."""
        chain = self.at(G, given)[0]
        values = [self.equations(chain, _turn(a)).reshape(54) for a in _THIRDS]
        columns = [_combined(TO_HARMONICS, [v[k] for v in values]) for k in range(54)]
        return np.array([[column[i] for column in columns] for i in range(3)]).reshape(3, 6, 9)


def _scaled(chain: Chain, length: float) -> Chain:
    return Chain(chain.axes, tuple(c / length for c in chain.points), chain.slides)


def _times(N: Array, x: list[Any], r: Array) -> list[Any]:
    if not is_symbolic(*x):
        return list(N @ np.array(x) - r)
    return [sum((float(N[i, j]) * x[j] for j in range(len(x))), -float(r[i])) for i in range(len(N))]


def _combined(K: Array, x: list[Any]) -> list[Any]:
    return [sum((float(K[i, j]) * x[j] for j in range(len(x)) if abs(K[i, j]) > 1e-15), 0.0) for i in range(len(K))]


class Pivot(NamedTuple):
    """The largest entry of a column, and its inverse."""

    value: Any
    inverse: Any


def eliminated(rows: list[list[Any]], columns: int) -> tuple[list[Pivot], list[list[Any]]]:
    """The pivots of the first columns, the largest entry of each, and the rows; zeros that are known are None.

    A row that goes down for one is negated, so that the determinant stays.
    """
    rows = [list(row) for row in rows]
    pivots: list[Pivot] = []
    for k in range(columns):
        for i in range(k + 1, len(rows)):
            if rows[i][k] is None:
                continue
            swap = abs(rows[i][k]) > abs(rows[k][k])
            for j in range(k, len(rows[k])):
                a, b = rows[k][j], rows[i][j]
                if a is not None or b is not None:
                    a, b = 0.0 if a is None else a, 0.0 if b is None else b
                    rows[k][j], rows[i][j] = pick(swap, b, a), pick(swap, -a, b)
        inverse = 1.0 / pick(abs(rows[k][k]) > LEAST, rows[k][k], LEAST)
        pivots.append(Pivot(rows[k][k], inverse))
        for i in range(k + 1, len(rows)):
            if rows[i][k] is None:
                continue
            factor = rows[i][k] * inverse
            for j in range(k + 1, len(rows[k])):
                if rows[k][j] is not None:
                    product = factor * rows[k][j]
                    rows[i][j] = -product if rows[i][j] is None else rows[i][j] - product
    return pivots, rows


class Triangle(NamedTuple):
    """The twelve equations as a triangle down to three, S v₃ = 0, with v_i the monomials x₄^i (1, x₅, x₅²)."""

    pivots: list[Pivot]
    """nine, whose product with det S is the determinant"""
    rows: list[list[Any]]
    """nine, each behind its pivot: three of v₀, v₁ and v₂, six of v₁, v₂ and v₃; None where nothing stands"""
    S: list[list[Any]]


def triangle(m: Array) -> Triangle:
    """Return the equations (6, 9), [P₀ P₁ P₂] by powers of x₄, and their products with x₄, after elimination.

    Three steps give the six [X P₁ P₂; 0 U W], X a triangle, and simultaneously the other six. Their equations in v₁, v₂
    and v₃ are [U W 0; X P₁ P₂; 0 U W], nine rows, from which three steps each eliminate v₁ and v₂.
    """
    first, rows = eliminated([list(row) for row in m], 3)
    none: list[Any] = [None] * 3
    upper = [[*none[:i], first[i].value, *rows[i][i + 1 :]] for i in range(3)]
    lower = [row[3:] for row in rows[3:]]
    second, rows = eliminated([[*row, *none] for row in lower] + upper, 3)
    third, last = eliminated([row[3:] for row in rows[3:]] + lower, 3)
    kept = [row[i % 3 + 1 :] for i, row in enumerate([*upper, *rows[:3], *last[:3]])]
    return Triangle([*first, *second, *third], kept, [row[3:] for row in last[3:]])


def determinant(m: Array) -> tuple[Any, Any]:
    """The determinant of the equations (6, 9) and of them times x₄, and an estimate of its gradient's size.

    The gradient, which amplifies rounding errors of the equations, is the determinant times the norm of the inverse.
    No pivot need be small where the determinant is nothing: the inverse is applied to a residual whose signs make the
    result large, as in LINPACK.
    """
    reduced = triangle(m)
    last, size = _cofactors(reduced.S)
    of_last = dot(np.array(reduced.S[0]), cross(np.array(reduced.S[1]), np.array(reduced.S[2])))
    x = _by_last(reduced, last, 9, abs(of_last) / pick(size > 0.0, size, 1.0))
    total, change = of_last, size * np.sqrt(sum(y * y for y in x))
    for pivot, _ in reduced.pivots:
        total, change = total * pivot, maximum(change * maximum(abs(pivot), LEAST), abs(total))
    return total, change


def null_vector(m: Array) -> list[list[Any]]:
    """v₁, v₂ and v₃ where the determinant is nothing, of length 1 in v₃."""
    reduced = triangle(m)
    x = _by_last(reduced, _cofactors(reduced.S)[0], 6)
    return [x[3:6], x[6:9], x[9:]]


def _cofactors(S: list[list[Any]]) -> tuple[list[Any], Any]:
    """The row (3,) of cofactors that is largest, as a unit vector, and its size: S takes it to det S / size."""
    a, b, c = (np.array(row) for row in S)
    best: Any = cross(a, b)
    square = dot(best, best)
    for other in (cross(b, c), cross(c, a)):
        size = dot(other, other)
        best, square = [pick(size > square, x, y) for x, y in zip(other, best, strict=True)], maximum(size, square)
    length = np.sqrt(square)
    scale = 1.0 / pick(length > 0.0, length, 1.0)
    return [y * scale for y in best], length


def _by_last(of: Triangle, last: list[Any], steps: int, residual: Any = None) -> list[Any]:
    """v₀, …, v₃ from v₃, by steps from the end; these leave a residual, if any, of the sign that makes each large."""
    x: list[Any] = [None] * 9 + last
    for i in reversed(range(9 - steps, 9)):
        left = sum((a * y for a, y in zip(of.rows[i], x[i + 1 :], strict=False) if a is not None), 0.0)
        if residual is not None:
            left = left + pick(left < 0.0, -residual, residual)
        x[i] = -left * of.pivots[i].inverse
    return x


def polynomial_of(coefficients: Array) -> tuple[Array, Any]:
    """The trigonometric polynomial (17,) in θ₃ of the determinant, from the equations by harmonics (3, 6, 9).

    And its error: its distance from the determinant at another angle, and the effect of rounding of the equations.
    Near degenerate targets elimination loses digits.
    """
    one, by_s, by_c = coefficients
    turn = SineCosine(np.sin(2.0 * np.pi / SAMPLES), np.cos(2.0 * np.pi / SAMPLES))

    def sampled(k: Any, s: Any, c: Any, polynomial: Array, most: Any) -> Any:
        value, change = determinant(one + by_s * s + by_c * c)
        value = (2.0 / SAMPLES) * value
        at, harmonics = SineCosine(s, c), [0.5 * value]
        for k in range(1, HARMONICS + 1):
            harmonics += [value * at.s, value * at.c]
            at = at.then(SineCosine(s, c)) if k < HARMONICS else at
        return (*SineCosine(s, c).then(turn), polynomial + stack(harmonics), maximum(most, change))

    _, _, polynomial, change = repeat(SAMPLES, sampled, 0.0, 1.0, np.zeros(SAMPLES), 0.0)
    polynomial = np.asarray(polynomial)
    value, _ = determinant(one + by_s * float(np.sin(CHECKED)) + by_c * float(np.cos(CHECKED)))
    return polynomial, abs(value - derivatives(polynomial, CHECKED)[0]) + ROUNDING * change


def _ratio(pairs: list[tuple[Any, Any]]) -> SineCosine:
    """The turn whose half angle's tangent all these pairs (upper, lower) have."""
    mixed = sum((a * b for a, b in pairs), 0.0)
    upper, lower = sum((a * a for a, _ in pairs), 0.0), sum((b * b for _, b in pairs), 0.0)
    return turn_of(2.0 * mixed, lower - upper)


def turns_at(elimination: RaghavanRothElimination, G: RigidMotion, given: Any, t3: SineCosine) -> tuple[list[Any], int]:
    """The turns of all joints, in the arm's order, where D(θ₃) is nothing; which of the arm's joints has θ₃."""
    chain, G, order = elimination.at(G, given)
    x = null_vector(elimination.equations(chain, t3).reshape(6, 9))
    t4 = _ratio([(x[i + 1][j], x[i][j]) for i in range(2) for j in range(3)])
    t5 = _ratio([(x[i][j + 1], x[i][j]) for i in range(3) for j in range(2)])
    known = [*elimination.left(chain, t3, t4, t5), 1.0]
    s1, c1, s2, c2 = (sum((float(a) * y for a, y in zip(row, known, strict=True)), 0.0) for row in elimination.first)
    t1, t2 = turn_of(s1, c1), turn_of(s2, c2)
    u = across_any(chain.axes[5])
    v = G.R @ u
    for i, turn in enumerate((t1, t2, t3, t4, t5)):
        v = chain.spin_back(i, turn, v)
    found: list[Any] = [None] * len(elimination.way.chain)
    for joint, turn in zip(order, (t1, t2, t3, t4, t5, subproblem_1(chain.axes[5], u, v)), strict=True):
        found[joint] = turn
    return found, order[2]


class _Quality(NamedTuple):
    worst: float
    elimination: RaghavanRothElimination


def eliminations(chain: Chain, length: float, held: int | None = None) -> Iterator[RaghavanRothElimination]:
    """The eliminations of constants that an arm allows, the one that keeps most digits first."""
    if any(chain.slides) or len(chain) - (held is not None) != 6:
        return
    found = []
    postures = np.random.default_rng(1).uniform(-3.0, 3.0, (12, len(chain)))
    for mirrored in (False, True):
        for opened in (1, 2, 3, 4):
            way = Decomposition(chain, None, held, mirrored, opened)  # type: ignore[arg-type]
            elimination = _elimination(way, length, postures)
            if elimination is not None:
                kept = [_kept(elimination, q) for q in postures]
                if np.quantile(kept, 0.25) > 1e-8:  # of some postures roots may meet
                    found.append(_Quality(min(kept), elimination))
    for one in sorted(found, key=lambda one: -one.worst):
        yield one.elimination


def _elimination(way: Decomposition, length: float, postures: Array) -> RaghavanRothElimination | None:
    """Return the matrix that eliminates joints 1 and 2; None if it is not constant or not determined."""
    seen = []
    for q in postures[:2]:
        given = None if way.held is None else q[way.held]
        at, G, _ = way.at_family(forward(way.chain, q), given)
        at, G = _scaled(at, length), RigidMotion(G.R, G.p / length)
        seen.append(np.array([[_right(at, G, _turn(a), _turn(b)) for b in _THIRDS] for a in _THIRDS]))
    if np.abs(seen[0] - seen[1]).max() > 1e-12:
        return None
    monomials = np.einsum("ia,jb,abk->ijk", TO_HARMONICS, TO_HARMONICS, seen[0]).reshape(9, 14)
    Q, constant = monomials[1:].T, monomials[0]
    U, values, _ = np.linalg.svd(Q)
    if values[-1] < 1e-7 * values[0]:
        return None
    mix = np.linalg.qr(np.random.default_rng(2).standard_normal((6, 6)))[0]
    N = mix @ U[:, 8:].T
    inverse = np.linalg.pinv(Q)  # of the monomials 1·s₂ 1·c₂ s₁·1 s₁s₂ s₁c₂ c₁·1 c₁s₂ c₁c₂
    rows = inverse[[2, 5, 0, 1]]
    return RaghavanRothElimination(
        way, length, N, N @ constant, np.concatenate([rows, -(rows @ constant)[:, None]], axis=1)
    )


def _right(chain: Chain, G: RigidMotion, t1: SineCosine, t2: SineCosine) -> list[Any]:
    p, z = G(chain.points[5]), G.R @ chain.axes[5]
    for i, turn in ((0, t1), (1, t2)):
        p, z = chain.back(i, turn, p), chain.spin_back(i, turn, z)
    return fourteen(p, z)


def _kept(elimination: RaghavanRothElimination, q: Array) -> float:
    """How steeply D passes through nothing at the true posture, of its largest value; 0 where it does not vanish."""
    way = elimination.way
    G = forward(way.chain, q)
    given = None if way.held is None else q[way.held]
    m = elimination.by_harmonics(G, given).astype(float)
    order = elimination.at(G, given)[2]

    angles = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
    at = basis(angles)
    equations = np.tensordot(at[:, :3], m, axes=1)
    twelve = np.zeros((SAMPLES, 12, 12))
    twelve[:, :6, :9] = twelve[:, 6:, 3:] = equations
    polynomial = np.linalg.solve(at, np.linalg.det(twelve))
    largest = np.abs(basis(np.linspace(-np.pi, np.pi, 64)) @ polynomial).max()
    value, slope, _ = derivatives(polynomial, q[order[2]])
    return 0.0 if not largest or abs(value) > 1e-6 * abs(slope) else float(abs(slope) / largest)
