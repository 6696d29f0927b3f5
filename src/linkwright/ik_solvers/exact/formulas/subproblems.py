"""Subproblems of Paden, Kahan, Elias and Wen: rotations about one, two or three axes that satisfy one condition.

All are functions of numbers or symbols without branches, so that a solver is straight-line code. A rotation
is given by its sine and cosine: intermediate results need no trigonometry, and only solutions need an arctangent.
Axes k are unit vectors. If a condition cannot be satisfied, the rotation is the nearest one (for
subproblems 1, 3 and 4), returned once; ``exists`` states whether the second of two rotations differs from the first.

Subproblems: B. Paden, thesis, Berkeley 1986; A. Elias & J. Wen, "IK-Geo", Mechanism and Machine Theory 209, 2025. The
two circles of subproblem 6 meet on the two lines of a degenerate conic of their pencil, which is always real.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, atan2, is_symbolic, maximum, minimum, sign, where

TINY = 1e-150
"""Squares below this are those of nothing."""

MERGED = 1e-14
"""Two turns whose half difference has a squared sine below this are one, their mean: what it misses is its square."""


CLOSE = 1e3
"""Roots of a quartic that are closer than the root of this times the least margin may be inexact, or too many."""


class Margins(NamedTuple):
    """Distances of subproblems from the numbers at which they are degenerate."""

    least: float
    """a squared relative distance below this is degenerate"""
    found: list[Any]
    """above 0 where a subproblem is not degenerate"""


_MARGINS: ContextVar[Margins | None] = ContextVar("margins", default=None)


@contextmanager
def recorded_margins(least: float) -> Iterator[list[Any]]:
    """Collect the margins of all subproblems that are traced within.

    A subproblem is degenerate where its rotation is undetermined (a point on the axis), or where its two rotations
    coincide.
    """
    margins = Margins(least, [])
    token = _MARGINS.set(margins)
    try:
        yield margins.found
    finally:
        _MARGINS.reset(token)


def record_margin(value: Any, scale: Any) -> None:
    """Record that value / scale has to be above the least; constants are properties of the arm, not of its target."""
    margins = _MARGINS.get()
    if margins is not None and is_symbolic(value):
        margins.found.append(value - margins.least * scale)


class SineCosine(NamedTuple):
    """A turn by an angle, of which these are known."""

    s: Any
    """its sine"""
    c: Any
    """its cosine"""

    def angle(self) -> Any:
        """In (-π, π], rad."""
        return atan2(self.s, self.c)

    def back(self) -> SineCosine:
        """The opposite turn."""
        return SineCosine(-self.s, self.c)

    def then(self, other: SineCosine) -> SineCosine:
        """Both, about one axis."""
        return SineCosine(self.s * other.c + self.c * other.s, self.c * other.c - self.s * other.s)


class RotationPair(NamedTuple):
    """Up to two turns."""

    turns: tuple[SineCosine, SineCosine]
    exists: tuple[Any, Any]


def pick(condition: Any, a: Any, b: Any) -> Any:
    """``where`` for single numbers and symbols."""
    return (a if condition else b) if isinstance(condition, (bool, np.bool_)) else where(condition, a, b)


def both(a: Any, b: Any) -> Any:
    """Whether both conditions hold; numbers' or symbols'."""
    if isinstance(a, (bool, np.bool_)):
        return b if a else False
    return (a if b else False) if isinstance(b, (bool, np.bool_)) else a & b


def dot(a: Array, b: Array) -> Any:
    """aᵀb of two vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Array, b: Array) -> Array:
    """a × b (3,)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turned(k: Array, turn: SineCosine, p: Array) -> Array:
    """p (3,) turned about the unit axis k through the origin: Rot(k, θ) p."""
    along = dot(k, p)
    return np.array(
        [a * along + turn.s * x + turn.c * (b - a * along) for a, b, x in zip(k, p, cross(k, p), strict=True)]
    )


def turn_of(y: Any, x: Any) -> SineCosine:
    """The turn whose sine and cosine are as y to x; none where both are nothing."""
    square = x * x + y * y
    some = square > TINY
    scale = 1.0 / np.sqrt(pick(some, square, 1.0))
    return SineCosine(pick(some, y * scale, 0.0), pick(some, x * scale, 1.0))


def on_line(a: Any, b: Any, d: Any, left: tuple[Any, Any] | None = None, scale: Any = 1.0) -> RotationPair:
    """The turns with a sin θ + b cos θ = d; where |d| is too large, the one that comes nearest.

    ``left`` is a² + b² − d² with all its digits, and whether it is above nothing, where these are known.
    ``scale`` is the size of a² + b² away from degenerate targets.
    """
    square = a * a + b * b
    record_margin(square, scale)
    some = square > TINY
    square = pick(some, square, 1.0)
    rest = square - d * d
    rest, two = (rest, rest > MERGED * square) if left is None else left
    record_margin(abs(rest), square)
    d = pick(two, d, sign(d) * np.sqrt(square))
    r = np.sqrt(pick(two, rest, 0.0))
    scale = 1.0 / square
    first = SineCosine(pick(some, (a * d + b * r) * scale, 0.0), pick(some, (b * d - a * r) * scale, 1.0))
    second = SineCosine((a * d - b * r) * scale, (b * d + a * r) * scale)
    return RotationPair((first, second), (True, both(some, two)))


def subproblem_1(k: Array, p: Array, q: Array, scale: Any = None) -> SineCosine:
    """The turn about k that brings p (3,) nearest to q: exact where |p| = |q| and kᵀp = kᵀq.

    ``scale`` is the squared size of p away from degenerate targets; 0 if they are not on the axis at any target.
    """
    u, v = cross(k, p), cross(k, q)  # kᵀ(p × q) and pᵀq − (kᵀp)(kᵀq) would lose the digits of points near the axis
    y, x = dot(k, cross(u, v)), dot(u, v)
    if scale is None or is_symbolic(scale) or scale:
        record_margin(abs(x) + abs(y), dot(p, p) + dot(q, q) if scale is None else scale)
    return turn_of(y, x)


def subproblem_3(k: Array, p: Array, q: Array, v: Array) -> RotationPair:
    """The turns with |Rot(k, θ) p − q| = |v|."""
    return subproblem_4(k, p, q, 0.5 * (dot(p, p) + dot(q, q) - dot(v, v)))


def subproblem_4(k: Array, p: Array, h: Array, d: Any) -> RotationPair:
    """The turns with hᵀ Rot(k, θ) p = d."""
    a, b, e = turning(k, p, h)
    return on_line(a, b, d - e, scale=dot(h, h) * dot(p, p))


def subproblem_4_unit(k: Array, p: Array, h: Array, y: Array) -> RotationPair:
    """Compute the turns with hᵀ Rot(k, θ) p = hᵀ y for unit vectors h, p and y.

    The three cosines belong to a spherical triangle with the sides α = ∠(h, k), β = ∠(k, p) and γ = ∠(h, y). It is
    degenerate at γ = |α − β| and γ = α + β. There a cosine of a small angle has lost half its digits; the sine of γ,
    |h × y|, has all of them: cos δ − cos γ = (sin² γ − sin² δ) / (cos δ + cos γ).
    """
    n = cross(h, y)
    sine, cosine = dot(n, n), dot(h, y)
    record_margin(sine, 1.0)
    a, b, e = turning(k, p, h)
    square = a * a + b * b
    product = np.sqrt(square)  # sin α sin β
    along = dot(h, k) * dot(k, p)
    m, n = cross(h, k), cross(k, p)
    sides = np.sqrt(dot(m, m)) * dot(k, p), dot(h, k) * np.sqrt(dot(n, n))
    parts, two = [], True
    for side in (1.0, -1.0):
        least, sine_least = along + side * product, sides[0] - side * sides[1]
        apart, digits = cosines_apart(least, sine_least * sine_least, cosine, sine)
        parts.append(side * apart)
        two = both(two, side * apart > digits * square)
    return on_line(a, b, cosine - e, (parts[0] * parts[1], two))


def cosines_apart(a: Any, a_sine: Any, b: Any, b_sine: Any) -> tuple[Any, Any]:
    """cos a − cos b of two angles with their squared sines, and below which value it is nothing.

    It is accurate where both angles are near 0 or near π, too.
    """
    near = a * b > 0.25
    total = pick(near, a + b, 1.0)
    return pick(near, (b_sine - a_sine) / total, a - b), pick(near, MERGED * MERGED, MERGED)


def turning(k: Array, p: Array, h: Array) -> tuple[Any, Any, Any]:
    """Return the coefficients of hᵀ Rot(k, θ) p: of sin θ, of cos θ and of 1."""
    along = dot(h, k) * dot(k, p)
    return dot(h, cross(k, p)), dot(h, p) - along, along


class RotationSolution(NamedTuple):
    """Rotations about two axes, and whether they exist."""

    first: SineCosine
    second: SineCosine
    exists: Any


FORMS = ("first", "second", "quartic")
"""How subproblem 6 is solved: where an equation without the second turn follows from both, for the first turn, then
the second; the other way round; or for the roots of a quartic."""


def subproblem_5(
    form: str, k1: Array, k2: Array, k3: Array, p0: Array, p1: Array, p2: Array, p3: Array
) -> list[tuple[SineCosine, SineCosine, SineCosine, Any]]:
    """The turns with p₀ + Rot(k₁, θ₁) p₁ = Rot(k₂, θ₂) (p₂ + Rot(k₃, θ₃) p₃), four, and whether they exist."""
    found = []
    n1, n2, d = distances(k1, k2, k3, p0, p1, p2, p3)
    size = dot(p0, p0) + dot(p1, p1) + dot(p2, p2) + dot(p3, p3)
    for one in subproblem_6(n1, n2, d, form, (size, size * size)):
        left = p0 + turned(k1, one.first, p1)
        right = p2 + turned(k3, one.second, p3)
        found.append((one.first, subproblem_1(k2, right, left), one.second, one.exists))
    return found


Rows = list[tuple[Any, Any]]


def distances(
    k1: Array, k2: Array, k3: Array, p0: Array, p1: Array, p2: Array, p3: Array
) -> tuple[Rows, Rows, list[Any]]:
    """Return subproblem 5 without its second rotation as subproblem 6: heights along k₂ and distances are equal."""
    a, b, d = turning(k1, p1, k2)
    e, f, g = turning(k3, p3, k2)
    height = g - d + dot(k2, p2) - dot(k2, p0)
    h, i, j = turning(k1, p1, p0)
    m, n, o = turning(k3, p3, p2)
    length = 0.5 * (dot(p2, p2) + dot(p3, p3) - dot(p0, p0) - dot(p1, p1)) + o - j
    return [(a, b), (h, i)], [(-e, -f), (-m, -n)], [height, length]


def subproblem_6(n1: Rows, n2: Rows, d: list[Any], form: str, sizes: tuple[Any, Any]) -> list[RotationSolution]:
    """The turns with N₁ (sin θ₁, cos θ₁) + N₂ (sin θ₂, cos θ₂) = d, up to four.

    ``sizes`` are the squared sizes of the two rows away from degenerate targets.
    """
    if form == "quartic":
        return _by_quartic(n1, n2, d, sizes)
    if form == "second":
        return [RotationSolution(one.second, one.first, one.exists) for one in subproblem_6(n2, n1, d, "first", sizes)]
    u, v = image(n2)
    found = []
    for first, exists in zip(*eliminated_turn(n1, n2, d, sizes), strict=True):
        rest = [d[i] - n1[i][0] * first.s - n1[i][1] * first.c for i in (0, 1)]
        a, b = (u * x + v * y for x, y in zip(n2[0], n2[1], strict=True))
        scale = u * u * sizes[0] + v * v * sizes[1]
        for second, too in zip(*on_line(a, b, u * rest[0] + v * rest[1], scale=scale), strict=True):
            found.append(RotationSolution(first, second, both(exists, too)))
    return found


def eliminated_turn(n1: Rows, n2: Rows, d: list[Any], sizes: tuple[Any, Any]) -> RotationPair:
    """The first turns of subproblem 6 where N₂ is singular."""
    u, v = image(n2)
    a, b = (v * x - u * y for x, y in zip(n1[0], n1[1], strict=True))
    return on_line(a, b, v * d[0] - u * d[1], scale=v * v * sizes[0] + u * u * sizes[1])


def image(n: Rows) -> tuple[Any, Any]:
    """The direction of all that a singular matrix (2, 2) gives."""
    (a, b), (c, d) = n
    upper, mixed, lower = a * a + b * b, a * c + b * d, c * c + d * d
    above = upper >= lower
    u, v = pick(above, upper, mixed), pick(above, mixed, lower)
    scale = 1.0 / np.sqrt(u * u + v * v)
    return u * scale, v * scale


def form_of(n1: Rows, n2: Rows) -> str | None:
    """How subproblem 6 of numbers is to be solved; None where the turns are not determined."""
    one, two = np.array(n1, dtype=float), np.array(n2, dtype=float)
    rows = np.abs(np.hstack([one, two])).max(axis=1, keepdims=True)
    if not rows.all():
        return None
    one, two = one / rows, two / rows

    def frees(singular: Array, other: Array) -> bool:
        values = np.linalg.svd(singular, compute_uv=False)
        if not values[0] > 1e-6 or values[1] > 1e-7 * values[0]:
            return False
        u, v = image([tuple(row) for row in singular])
        return bool(np.abs(v * other[0] - u * other[1]).max() > 1e-6)

    if frees(two, one):
        return "first"
    if frees(one, two):
        return "second"
    return "quartic" if max(abs(np.linalg.det(one)), abs(np.linalg.det(two))) > 1e-6 else None


def _by_quartic(n1: Rows, n2: Rows, d: list[Any], sizes: tuple[Any, Any]) -> list[RotationSolution]:
    det1, det2 = (n[0][0] * n[1][1] - n[0][1] * n[1][0] for n in (n1, n2))
    swap = abs(det2) > abs(det1)
    a = [[pick(swap, y, x) for x, y in zip(*rows, strict=True)] for rows in zip(n1, n2, strict=True)]
    b = [[pick(swap, x, y) for x, y in zip(*rows, strict=True)] for rows in zip(n1, n2, strict=True)]
    det = pick(swap, det2, det1)
    # det x₁ = u − M x₂, with the adjoint of the first matrix
    u = [a[1][1] * d[0] - a[0][1] * d[1], a[0][0] * d[1] - a[1][0] * d[0]]
    m = [
        [a[1][1] * b[0][j] - a[0][1] * b[1][j] for j in (0, 1)],
        [a[0][0] * b[1][j] - a[1][0] * b[0][j] for j in (0, 1)],
    ]
    ss, sc, cc = (m[0][i] * m[0][j] + m[1][i] * m[1][j] for i, j in ((0, 0), (0, 1), (1, 1)))
    by_s, by_c = (-2.0 * (u[0] * m[0][j] + u[1] * m[1][j]) for j in (0, 1))
    constant = u[0] * u[0] + u[1] * u[1] - det * det + 0.5 * (ss + cc)
    record_margin(det * det, sizes[0] * sizes[1])
    by = constant, by_c, by_s, 0.5 * (cc - ss), sc
    record_margin(sum(x * x for x in by), (sizes[0] * sizes[1]) ** 2)  # of a whole curve all are nothing
    found = []
    for turn, exists in turns_of_quartic(*by):
        other = turn_of(*((u[i] - m[i][0] * turn.s - m[i][1] * turn.c) * sign(det) for i in (0, 1)))
        first = SineCosine(pick(swap, turn.s, other.s), pick(swap, turn.c, other.c))
        second = SineCosine(pick(swap, other.s, turn.s), pick(swap, other.c, turn.c))
        found.append(RotationSolution(first, second, exists))
    return found


def turns_of_quartic(constant: Any, by_c: Any, by_s: Any, by_c2: Any, by_s2: Any) -> list[tuple[SineCosine, Any]]:
    """The turns with A + B cos θ + C sin θ + D cos 2θ + E sin 2θ = 0, four, and whether they exist.

    In axes in which E = 0 they are where the conic A + B x + C y + D (x² − y²) meets the unit circle. Among the conics
    that go through the same points, with λ (x² + y² − 1) added, one with |λ| ≤ D is two real lines: the cubic
    (λ² − D²)(A − λ) − (λ − D) B²/4 − (λ + D) C²/4 is not below 0 at −D and not above it at D.
    """
    r = np.sqrt(by_c2 * by_c2 + by_s2 * by_s2)
    size = abs(constant) + abs(by_c) + abs(by_s) + r
    scale = 1.0 / pick(size > 0.0, size, 1.0)
    turn = _half(turn_of(by_s2, by_c2))
    A, B, C = constant * scale, (by_c * turn.c + by_s * turn.s) * scale, (by_s * turn.c - by_c * turn.s) * scale
    r = maximum(r * scale, 1e-100)
    x = _least_root(A, 0.25 * B * B, 0.25 * C * C, r)
    u2, v2 = r + x, r - x
    u, v = np.sqrt(maximum(u2, 1e-100)), np.sqrt(maximum(v2, 1e-100))
    near_u, near_v = u2 < 1e-4 * r, v2 < 1e-4 * r
    e, f = 0.5 * B / u, 0.5 * C / v
    e, f = (
        pick(near_u, pick(B < 0.0, -1.0, 1.0) * np.sqrt(maximum(A - x + f * f, 0.0)), e),
        pick(near_v, pick(C < 0.0, -1.0, 1.0) * np.sqrt(maximum(x - A + e * e, 0.0)), f),
    )
    meets = [2.0 * r - (e + side * f) * (e + side * f) > -1e-4 * r for side in (1.0, -1.0)]
    meets[0] = pick(meets[1], meets[0], True)  # where no line does, there is one nearest to the circle all the same
    found: list[tuple[SineCosine, Any]] = []
    for side, met in zip((1.0, -1.0), meets, strict=True):
        for one, exists in zip(*on_line(-side * v, u, -e - side * f), strict=True):
            exists = both(met, exists)
            for _ in range(3):
                one = _corrected(one, A, B, C, r)
            for other, there in found:  # where two lines meet on the circle
                apart = abs(one.s * other.c - one.c * other.s) + abs(1.0 - one.c * other.c - one.s * other.s)
                apart = pick(there, apart, 1.0)
                record_margin(apart * apart, CLOSE)
                exists = both(exists, apart > 1e-7)
            found.append((one, exists))
    return [(one.then(turn), exists) for one, exists in found]


def _half(turn: SineCosine) -> SineCosine:
    """Return half the rotation angle, for one of both solutions."""
    ahead = turn.c >= 0.0
    large = np.sqrt(0.5 + 0.5 * abs(turn.c))
    small = 0.5 * turn.s / large
    return SineCosine(pick(ahead, small, large), pick(ahead, large, small))


def _corrected(one: SineCosine, A: Any, B: Any, C: Any, r: Any) -> SineCosine:
    """A step of Euler's: to the nearer root of the parabola that fits, for two roots may be close together."""
    value = A + B * one.c + C * one.s + r * (one.c * one.c - one.s * one.s)
    slope = C * one.c - B * one.s - 4.0 * r * one.s * one.c
    bend = -B * one.c - C * one.s - 4.0 * r * (one.c * one.c - one.s * one.s)
    steep = slope + pick(slope < 0.0, -1.0, 1.0) * np.sqrt(maximum(slope * slope - 2.0 * value * bend, 0.0))
    step = -2.0 * value * steep / (steep * steep + 1e-28)
    step = maximum(minimum(step, 0.05), -0.05)
    return turn_of(one.s + step * one.c, one.c - step * one.s)


def _least_root(A: Any, beta: Any, gamma: Any, r: Any) -> Any:
    """The root nearest to 0 of λ³ − Aλ² − (r² − β − γ) λ + r² A − r (β − γ)."""
    K, L = r * r - beta - gamma, r * (beta - gamma) - A * r * r
    p, q = -K - A * A / 3.0, -2.0 * A * A * A / 27.0 - K * A / 3.0 - L
    third, half = p / 3.0, 0.5 * q
    left = half * half + third * third * third
    three = left <= 0.0
    size = np.sqrt(maximum(-third, 1e-100))
    cosine = maximum(minimum(-half / (size * size * size), 1.0), -1.0)
    angle = np.arccos(cosine) / 3.0
    roots = [2.0 * size * np.cos(angle - 2.0 * np.pi * k / 3.0) + A / 3.0 for k in range(3)]
    w = pick(half < 0.0, 1.0, -1.0) * np.exp(np.log(maximum(abs(half) + np.sqrt(maximum(left, 0.0)), 1e-100)) / 3.0)
    best = roots[0]
    for other in roots[1:]:
        best = pick(abs(other) < abs(best), other, best)
    x = pick(three, best, w - third / w + A / 3.0)
    for _ in range(3):
        value = ((x - A) * x - K) * x - L
        slope = (3.0 * x - 2.0 * A) * x - K
        x = x - value * slope / (slope * slope + 1e-28)
    return maximum(minimum(x, r), -r)
