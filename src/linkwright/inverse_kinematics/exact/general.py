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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.inverse_kinematics.exact.chain import Chain, Motion, forward
from linkwright.inverse_kinematics.exact.families import across_any
from linkwright.inverse_kinematics.exact.subproblems import Turn, cross, dot, pick, subproblem_1, turn_of
from linkwright.inverse_kinematics.exact.ways import Way
from linkwright.spatial.arrays import Array, maximum

HARMONICS = 8
SAMPLES = 2 * HARMONICS + 1
CELLS = 256
"""The circle is searched in so many parts, each for a change of sign and for a pair of roots beside an extremum."""

_THIRDS = 2.0 * np.pi / 3.0 * np.array([0.0, 1.0, -1.0])
TO_HARMONICS = np.array([np.ones(3) / 3.0, 2.0 / 3.0 * np.sin(_THIRDS), 2.0 / 3.0 * np.cos(_THIRDS)])
"""(3, 3): from values at three angles to what stands by 1, by the sine and by the cosine"""
TO_POWERS = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, -1.0]]) @ TO_HARMONICS
"""(3, 3): the same times 1 + x², by powers of the half angle's tangent x"""


def _turn(angle: float) -> Turn:
    return Turn(float(np.sin(angle)), float(np.cos(angle)))


def fourteen(p: Array, z: Array) -> list[Any]:
    """The functions of a point and a direction that move linearly."""
    pz, pp = dot(p, z), dot(p, p)
    return [*z, *p, *cross(p, z), pz, pp, *(pp * z - (2.0 * pz) * p)]


@dataclass(frozen=True)
class Elimination:
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

    way: Way
    length: float
    N: Array
    """(6, 14): removes the joints 1 and 2"""
    r: Array
    """(6,): what they leave"""
    first: Array
    """(4, 15): sin θ₁, cos θ₁, sin θ₂, cos θ₂ of the fourteen functions and 1"""

    def at(self, G: Motion, given: Any) -> tuple[Chain, Motion, list[int]]:
        """The chain, its points in its own length, and the joints' order."""
        chain, G, order = self.way.at_family(G, given)
        return _scaled(chain, self.length), Motion(G.R, G.p / self.length), order

    def left(self, chain: Chain, t3: Turn, t4: Turn, t5: Turn) -> list[Any]:
        """The fourteen functions from the joints 3, 4 and 5."""
        p, z = chain.points[5], chain.axes[5]
        for i, turn in ((4, t5), (3, t4), (2, t3)):
            p, z = chain.move(i, turn, p), chain.spin(i, turn, z)
        return fourteen(p, z)

    def equations(self, chain: Chain, t3: Turn) -> Array:
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

    def by_harmonics(self, G: Motion, given: Any) -> Array:
        """(3, 6, 9): the six equations by 1, sin θ₃, cos θ₃."""
        chain = self.at(G, given)[0]
        values = [self.equations(chain, _turn(a)).reshape(54) for a in _THIRDS]
        columns = [_combined(TO_HARMONICS, [v[k] for v in values]) for k in range(54)]
        return np.array([[column[i] for column in columns] for i in range(3)]).reshape(3, 6, 9)


def _scaled(chain: Chain, length: float) -> Chain:
    return Chain(chain.axes, tuple(c / length for c in chain.points), chain.slides)


def _times(N: Array, x: list[Any], r: Array) -> list[Any]:
    return [sum((float(N[i, j]) * x[j] for j in range(len(x))), -float(r[i])) for i in range(len(N))]


def _combined(K: Array, x: list[Any]) -> list[Any]:
    return [sum((float(K[i, j]) * x[j] for j in range(len(x)) if abs(K[i, j]) > 1e-15), 0.0) for i in range(len(K))]


def twelve(m: Array) -> list[list[Any]]:
    """The rows (12, 12) of the six equations (6, 9), and of them times x₄; None where there is nothing."""
    none: list[Any] = [None] * 3
    return [[*row, *none] for row in m] + [[*none, *row] for row in m]


def eliminated(rows: list[list[Any]], pivoting: bool) -> tuple[list[Any], list[list[Any]]]:
    """The pivots and the triangle's rows, with the factors below; zeros that are known are None.

    With ``pivoting`` the largest entry of each column is taken, and nothing that is nearly nothing; what the signs
    and the order of the rows are is lost.
    """
    rows = [list(row) for row in rows]
    pivots: list[Any] = []
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n) if pivoting else ():
            if rows[i][k] is None:
                continue
            swap = abs(rows[i][k]) > abs(rows[k][k])
            for j in range(n):
                a, b = rows[k][j], rows[i][j]
                if a is not None or b is not None:
                    a, b = 0.0 if a is None else a, 0.0 if b is None else b
                    rows[k][j], rows[i][j] = pick(swap, b, a), pick(swap, a, b)
        pivot = rows[k][k]
        if pivoting:
            pivot = pick(abs(pivot) < 1e-14, 1e-14, pivot)
        pivots.append(pivot)
        inverse = 1.0 / pivot
        for i in range(k + 1, n):
            if rows[i][k] is None:
                continue
            factor = rows[i][k] * inverse
            for j in range(k + 1, n):
                if rows[k][j] is not None:
                    product = factor * rows[k][j]
                    rows[i][j] = -product if rows[i][j] is None else rows[i][j] - product
            rows[i][k] = factor
    return pivots, rows


def determinant(coefficients: Array, s: Any, c: Any) -> Any:
    """D(θ₃) from the equations by 1, sin θ₃, cos θ₃ (3, 6, 9)."""
    one, by_s, by_c = coefficients
    pivots, _ = eliminated(twelve(one + by_s * s + by_c * c), False)
    total: Any = 1.0
    for pivot in pivots:
        total = total * pivot
    return total


def null_vector(rows: list[list[Any]]) -> list[Any]:
    """A vector that a nearly singular matrix makes nearly nothing, by two steps of inverse iteration."""
    n = len(rows)
    pivots, rows = eliminated(rows, True)
    x: list[Any] = [1.0] * n
    for step in range(2):
        if step:
            for i in range(n):
                for j in range(i):
                    if rows[i][j] is not None:
                        x[i] = x[i] - rows[i][j] * x[j]
        for i in reversed(range(n)):
            for j in range(i + 1, n):
                if rows[i][j] is not None:
                    x[i] = x[i] - rows[i][j] * x[j]
            x[i] = x[i] / pivots[i]
        largest = sum((abs(y) for y in x), 0.0)
        x = [y / largest for y in x]
    return x


def _ratio(pairs: list[tuple[Any, Any]]) -> Turn:
    """The turn whose half angle's tangent all these pairs (upper, lower) have."""
    mixed = sum((a * b for a, b in pairs), 0.0)
    upper, lower = sum((a * a for a, _ in pairs), 0.0), sum((b * b for _, b in pairs), 0.0)
    return turn_of(2.0 * mixed, lower - upper)


def turns_at(elimination: Elimination, G: Motion, given: Any, t3: Turn) -> list[Any]:
    """The turns of all joints, in the arm's order, where D(θ₃) is nothing."""
    chain, G, order = elimination.at(G, given)
    x = null_vector(twelve(elimination.equations(chain, t3).reshape(6, 9)))
    t4 = _ratio([(x[3 * i + 3 + j], x[3 * i + j]) for i in range(3) for j in range(3)])
    t5 = _ratio([(x[3 * i + j + 1], x[3 * i + j]) for i in range(4) for j in range(2)])
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
    return found


def derivatives(polynomial: Any, angle: Any) -> tuple[Any, Any, Any]:
    """The value of a trigonometric polynomial (17,) by 1, sin θ, cos θ, sin 2θ, …, its slope and its curvature."""
    s, c = np.sin(angle), np.cos(angle)
    value, slope, bend, sk, ck = polynomial[0], 0.0, 0.0, s, c
    for k in range(1, HARMONICS + 1):
        a, b = polynomial[2 * k - 1], polynomial[2 * k]
        part = a * sk + b * ck
        value, slope, bend = value + part, slope + k * (a * ck - b * sk), bend - (k * k) * part
        sk, ck = sk * c + ck * s, ck * c - sk * s
    return value, slope, bend


def root_between(polynomial: Any, low: Any, high: Any) -> Any:
    """The root of a trigonometric polynomial between two angles where its signs differ.

    Each step goes to the root of the parabola that fits, on the side on which it crosses nothing as it must; to the
    middle where that is not between the angles (Euler's method, kept in brackets).
    """
    falling = derivatives(polynomial, low)[0] >= 0.0
    way = pick(falling, -1.0, 1.0)
    angle = 0.5 * (low + high)
    for _ in range(6):
        value, slope, bend = derivatives(polynomial, angle)
        above = way * value > 0.0
        low, high = pick(above, low, angle), pick(above, angle, high)
        steep = slope + way * np.sqrt(maximum(slope * slope - 2.0 * value * bend, 0.0))
        to = angle - 2.0 * value / pick(abs(steep) > 0.0, steep, 1.0)
        angle = pick((to >= low) & (to <= high), to, 0.5 * (low + high))
    return angle


def extremum_between(polynomial: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The extremum of a trigonometric polynomial between two angles where its slope changes sign, and its value."""
    way = pick(derivatives(polynomial, low)[1] >= 0.0, -1.0, 1.0)
    angle = 0.5 * (low + high)
    for _ in range(8):
        _, slope, bend = derivatives(polynomial, angle)
        above = way * slope > 0.0
        low, high = pick(above, low, angle), pick(above, angle, high)
        to = angle - slope / pick(abs(bend) > 0.0, bend, 1.0)
        angle = pick((to >= low) & (to <= high), to, 0.5 * (low + high))
    return angle, derivatives(polynomial, angle)[0]


def basis(angles: Array) -> tuple[Array, Array]:
    """(n, 17) each: 1, sin θ, cos θ, sin 2θ, … and their derivatives at n angles."""
    k = np.arange(1, HARMONICS + 1)
    s, c = np.sin(angles[:, None] * k), np.cos(angles[:, None] * k)
    n = len(angles)
    values = np.concatenate([np.ones((n, 1)), np.stack([s, c], axis=2).reshape(n, 2 * HARMONICS)], axis=1)
    slopes = np.concatenate([np.zeros((n, 1)), np.stack([k * c, -k * s], axis=2).reshape(n, 2 * HARMONICS)], axis=1)
    return values, slopes


ANGLES = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
FROM_VALUES = np.linalg.inv(basis(ANGLES)[0]).T
"""(17, 17): from values at these angles (…, 17) to the polynomial"""
CELL = 2.0 * np.pi / CELLS


def on_cells(polynomial: Any) -> list[list[Any]]:
    """Values, slopes and curvatures of a trigonometric polynomial (17,) at −π + (i + ½) CELL, four by each sum."""
    told: list[list[Any]] = [[None] * CELLS for _ in range(3)]
    half = CELLS // 2
    for j in range(CELLS // 4):
        angle = (j + 0.5) * CELL
        for by, row in enumerate(told):
            sums: list[Any] = [polynomial[0] if not by else 0.0, 0.0, 0.0, 0.0]  # cosines even, odd; sines even, odd
            for k in range(1, HARMONICS + 1):
                a, b = polynomial[2 * k - 1], polynomial[2 * k]
                s, c = float(np.sin(k * angle)), float(np.cos(k * angle))
                at_cosine, at_sine = ((b, a), (k * a, -k * b), (-(k * k) * b, -(k * k) * a))[by]
                sums[k % 2] = sums[k % 2] + at_cosine * c
                sums[2 + k % 2] = sums[2 + k % 2] + at_sine * s
            ce, co, se, so = sums
            row[half + j] = (ce + co) + (se + so)
            row[half - 1 - j] = (ce + co) - (se + so)
            row[CELLS - 1 - j] = (ce - co) + (so - se)
            row[j] = (ce - co) - (so - se)
    return told


ONE, TWO, THREE = 1.0, 2.0, 3.0
"""What a cell may hold: a change of sign; an extremum that may reach nothing; two extrema."""


def cells_with_roots(polynomial: Any) -> list[Any]:
    """What each cell from one angle to the next may hold; 0 for nothing."""
    values, slopes, bends = on_cells(polynomial)

    def turns(y: Any, a: Any, z: Any, b: Any) -> Any:
        """Whether values y, z and slopes a, b at the ends show an extremum between, towards nothing."""
        return (y * a < 0.0) & (z * b > 0.0)

    def meets(y: Any, a: Any, z: Any, b: Any, reach: float) -> Any:
        """Whether tangents at the ends meet beyond nothing."""
        return abs(y * b) + abs(z * a) <= reach * abs(a * b)

    found = []
    for i in range(CELLS):
        j = (i + 1) % CELLS
        y, a, c, z, b, d = values[i], slopes[i], bends[i], values[j], slopes[j], bends[j]
        change = y * z <= 0.0
        twice = (a * b > 0.0) & turns(a, c, b, d) & meets(a, c, b, d, 4.0 * CELL)
        straight = (y * c > 0.0) & (z * d > 0.0)  # else the curve bends, and tangents tell nothing
        once = turns(y, a, z, b) & (meets(y, a, z, b, CELL) | (pick(straight, 0.0, 1.0) > 0.5))
        found.append(pick(twice, THREE, pick(change, ONE, pick(once, TWO, 0.0))))
    return found


def brackets(
    polynomials: Array, cells: Array, extremum: Callable[..., tuple[Array, Array]]
) -> tuple[Array, Array, Array]:
    """Of each root of polynomials (n, 17) its row, and two angles between which it lies; in order.

    ``cells`` (n, CELLS) are those of :func:`cells_with_roots`, ``extremum`` is :func:`extremum_between` of batches.
    """
    flat = cells.reshape(-1)
    at = np.flatnonzero(flat > 0.0)
    kind = flat[at]
    if (kind == ONE).all():
        row, cell = np.divmod(at, CELLS)
        low = (cell + 0.5) * CELL - np.pi
        return row, low, low + CELL
    alone = at[kind == ONE]
    low = (alone % CELLS + 0.5) * CELL - np.pi
    found = [(alone, low, low + CELL)]
    for count in (TWO, THREE):
        here = at[kind == count]
        p = polynomials[here // CELLS]
        a = (here % CELLS + 0.5) * CELL - np.pi
        found += _divided(here, p, a, a + CELL, extremum, int(count))
    places, low, high = (np.concatenate(one) for one in zip(*found, strict=True))
    order = np.argsort(places + (low + np.pi) / 10.0, kind="stable")
    return places[order] // CELLS, low[order], high[order]


def _divided(
    at: Array, p: Array, low: Array, high: Array, extremum: Callable[..., tuple[Array, Array]], most: int
) -> list[tuple[Array, Array, Array]]:
    """The brackets in cells that are divided at their extremum, or at two where there are two."""
    if most == 2:
        inner = [extremum(p, low, high)]
    else:
        slopes = np.zeros_like(p)
        k = np.arange(1, HARMONICS + 1)
        slopes[:, 1::2], slopes[:, 2::2] = -k * p[:, 2::2], k * p[:, 1::2]
        bend, slope = extremum(slopes, low, high)
        bent = slope * (basis(low)[1] * p).sum(axis=1) < 0.0
        inner = [extremum(p, low, bend), extremum(p, bend, high)]
        inner = [(np.where(bent, x, low), np.where(bent, y, np.inf)) for x, y in inner]
    ends = [(x, (basis(x)[0] * p).sum(axis=1)) for x in (low, high)]
    inner = [(x, np.where(np.isfinite(y), y, ends[0][1])) for x, y in inner]
    size = 1e-13 * np.abs(p).max(axis=1)
    found = []
    for (a, y), (b, z) in pairwise([ends[0], *inner, ends[1]]):
        change = (b > a) & ((y * z <= 0.0) | (np.minimum(np.abs(y), np.abs(z)) < size))
        found.append((at[change], a[change], b[change]))
    return found


class _Quality(NamedTuple):
    worst: float
    elimination: Elimination


def eliminations(chain: Chain, length: float, held: int | None = None) -> Iterator[Elimination]:
    """The eliminations of constants that an arm allows, the one that keeps most digits first."""
    if any(chain.slides) or len(chain) - (held is not None) != 6:
        return
    found = []
    postures = np.random.default_rng(1).uniform(-3.0, 3.0, (12, len(chain)))
    for mirrored in (False, True):
        for opened in (1, 2, 3, 4):
            way = Way(chain, None, held, mirrored, opened)  # type: ignore[arg-type]
            elimination = _elimination(way, length, postures)
            if elimination is not None:
                kept = [_kept(elimination, q) for q in postures]
                if np.quantile(kept, 0.25) > 1e-8:  # of some postures roots may meet
                    found.append(_Quality(min(kept), elimination))
    for one in sorted(found, key=lambda one: -one.worst):
        yield one.elimination


def _elimination(way: Way, length: float, postures: Array) -> Elimination | None:
    """What the joints 1 and 2 are removed by; None where it is not constant or not determined."""
    seen = []
    for q in postures[:2]:
        given = None if way.held is None else q[way.held]
        at, G, _ = way.at_family(forward(way.chain, q), given)
        at, G = _scaled(at, length), Motion(G.R, G.p / length)
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
    return Elimination(way, length, N, N @ constant, np.concatenate([rows, -(rows @ constant)[:, None]], axis=1))


def _right(chain: Chain, G: Motion, t1: Turn, t2: Turn) -> list[Any]:
    p, z = G(chain.points[5]), G.R @ chain.axes[5]
    for i, turn in ((0, t1), (1, t2)):
        p, z = chain.back(i, turn, p), chain.spin_back(i, turn, z)
    return fourteen(p, z)


def _kept(elimination: Elimination, q: Array) -> float:
    """How steeply D passes through nothing at the true posture, of its largest value; 0 where it does not vanish."""
    way = elimination.way
    G = forward(way.chain, q)
    given = None if way.held is None else q[way.held]
    m = elimination.by_harmonics(G, given).astype(float)
    order = elimination.at(G, given)[2]

    def value(angle: float) -> float:
        rows = twelve(m[0] + np.sin(angle) * m[1] + np.cos(angle) * m[2])
        return float(np.linalg.det(np.array([[0.0 if x is None else x for x in row] for row in rows])))

    polynomial = np.array([value(a) for a in ANGLES]) @ FROM_VALUES
    largest = np.abs(basis(np.linspace(-np.pi, np.pi, 64))[0] @ polynomial).max()
    at, slope = (float(x[0] @ polynomial) for x in basis(q[order[2]][None]))
    return 0.0 if not largest or abs(at) > 1e-6 * abs(slope) else abs(slope) / largest
