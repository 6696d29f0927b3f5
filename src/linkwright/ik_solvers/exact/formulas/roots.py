"""All real roots of trigonometric polynomials of degree 8: cells of the circle with no root or one, or divided cells.

A polynomial p (17,) is given by the coefficients of 1, sin θ, cos θ, sin 2θ, …. On a cell it is its Taylor polynomial
of degree 5 with a bound of the remainder. The control points of its Bézier form bound the number of zeros: none if all
have the same sign, one for a single change of sign. Other cells are divided until they are decided, or are
zero to rounding: multiple roots, to their accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial
from typing import Any

import numpy as np

from linkwright.ik_solvers.exact.formulas.subproblems import pick
from linkwright.spatial.arrays import Array, maximum, minimum

HARMONICS = 8
CELLS = 64
CELL = 2.0 * np.pi / CELLS
FIRST = 13 * CELL - np.pi
"""The first cell begins here: not at 0 or π, where roots may lie on its border."""
PARTS = 4
"""Number of parts of a divided cell."""
LEVELS = 12
"""So often at most."""
DEGREE = 5
TRIED = 8
"""Number of initial guesses for a possibly multiple root."""
ROUNDING = 2e-14
"""Accuracy of a polynomial relative to the sum of its coefficients."""

NONE, ONE, SEVERAL, NOTHING = 0.0, 1.0, 2.0, 3.0
"""Content of a cell: no root; one root; possibly several; zero to rounding."""

_POWERS = np.array(
    [[comb(k, j) * 2.0**j * (-1.0) ** (k - j) if j <= k else 0.0 for k in range(DEGREE + 1)] for j in range(DEGREE + 1)]
)
BEZIER = (
    np.array([[comb(i, j) / comb(DEGREE, j) if j <= i else 0.0 for j in range(DEGREE + 1)] for i in range(DEGREE + 1)])
    @ _POWERS
)
"""(6, 6): from powers on [-1, 1] to the control points"""


def basis(angles: Array) -> Array:
    """(n, 17): 1, sin θ, cos θ, sin 2θ, … at n angles."""
    k = np.arange(1, HARMONICS + 1)
    s, c = np.sin(angles[:, None] * k), np.cos(angles[:, None] * k)
    n = len(angles)
    return np.concatenate([np.ones((n, 1)), np.stack([s, c], axis=2).reshape(n, 2 * HARMONICS)], axis=1)


def derivatives(polynomial: Any, angle: Any) -> tuple[Any, Any, Any]:
    """The value of a polynomial (17,) at an angle, its slope and its curvature."""
    s, c = np.sin(angle), np.cos(angle)
    value, slope, bend, sk, ck = polynomial[0], 0.0, 0.0, s, c
    for k in range(1, HARMONICS + 1):
        a, b = polynomial[2 * k - 1], polynomial[2 * k]
        part = a * sk + b * ck
        value, slope, bend = value + part, slope + k * (a * ck - b * sk), bend - (k * k) * part
        if k < HARMONICS:
            sk, ck = sk * c + ck * s, ck * c - sk * s
    return value, slope, bend


def root_between(polynomial: Any, low: Any, high: Any) -> Any:
    """The root of a polynomial between two angles where its signs differ.

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


def _turned(order: int, a: Any, b: Any) -> tuple[Any, Any]:
    """Return the coefficients of cos kθ and sin kθ in a derivative of a sin kθ + b cos kθ, without powers of k."""
    return ((b, a), (a, -b), (-b, -a), (-a, b))[order % 4]


def _by_powers(half: float) -> list[list[float]]:
    """(k half)ⁿ / n! by n and k."""
    return [[(k * half) ** n / factorial(n) for k in range(HARMONICS + 1)] for n in range(DEGREE + 2)]


def on_cells(polynomial: Any) -> list[list[Any]]:
    """The Taylor polynomials (6,), by powers of what is 1 at its end, of each cell; four by each sum."""
    told: list[list[Any]] = [[None] * (DEGREE + 1) for _ in range(CELLS)]  # from −π on
    half = CELLS // 2
    scale = _by_powers(0.5 * CELL)
    for j in range(CELLS // 4):
        angle = (j + 0.5) * CELL
        for order in range(DEGREE + 1):
            sums: list[Any] = [0.0 if order else polynomial[0], 0.0, 0.0, 0.0]  # cosines even, odd; sines even, odd
            for k in range(1, HARMONICS + 1):
                by_c, by_s = _turned(order, polynomial[2 * k - 1], polynomial[2 * k])
                size = scale[order][k]
                sums[k % 2] = sums[k % 2] + by_c * (size * float(np.cos(k * angle)))
                sums[2 + k % 2] = sums[2 + k % 2] + by_s * (size * float(np.sin(k * angle)))
            even, odd, sines, odd_sines = sums
            upper, lower, ahead, back = even + odd, even - odd, sines + odd_sines, odd_sines - sines
            told[half + j][order] = upper + ahead
            told[half - 1 - j][order] = upper - ahead
            told[CELLS - 1 - j][order] = lower + back
            told[j][order] = lower - back
    first = round((FIRST + np.pi) / CELL)
    return told[first:] + told[:first]


def _sizes(polynomial: Any) -> list[Any]:
    """Of each harmonic, the constant first, not more than it can be."""
    return [abs(polynomial[0])] + [abs(polynomial[2 * k - 1]) + abs(polynomial[2 * k]) for k in range(1, HARMONICS + 1)]


def _held(powers: list[Any], beyond: Any) -> tuple[Any, Any]:
    """NONE, ONE or SEVERAL, and the largest control point, of a Taylor polynomial that misses so much at most."""
    even = [sum((float(BEZIER[i, k]) * powers[k] for k in (2, 4)), powers[0]) for i in range(3)]
    odd = [sum((float(BEZIER[i, k]) * powers[k] for k in (3, 5)), float(BEZIER[i, 1]) * powers[1]) for i in range(3)]
    points = [e + o for e, o in zip(even, odd, strict=True)] + [
        e - o for e, o in zip(even[::-1], odd[::-1], strict=True)
    ]
    way = pick(points[-1] >= points[0], 1.0, -1.0)
    points = [way * b for b in points]
    most, once = points[0], points[0] < -beyond
    for b in points[1:-1]:
        once = once & ((most < -beyond) | (b > beyond))
        most = maximum(most, b)
    once = once & ((most < -beyond) | (points[-1] > beyond)) & (points[-1] > beyond)
    least, most = points[0], maximum(most, points[-1])
    for b in points[1:]:
        least = minimum(least, b)
    never = (least > beyond) | (most < -beyond)
    return pick(never, NONE, pick(once, ONE, SEVERAL)), maximum(most, -least)


def cells_with_roots(polynomial: Any, noise: Any) -> list[Any]:
    """Return the content of each cell: NONE, ONE or SEVERAL, for a polynomial of this accuracy."""
    sizes = _sizes(polynomial)
    left = _by_powers(0.5 * CELL)[DEGREE + 1]
    beyond = noise + ROUNDING * sizes[0]
    beyond = sum(((x + ROUNDING) * size for x, size in zip(left[1:], sizes[1:], strict=True)), beyond)
    return [_held(powers, beyond)[0] for powers in on_cells(polynomial)]


def cell_with_roots(polynomial: Any, noise: Any, middle: Any, half: Any) -> Any:
    """Return the content of the cell from middle − half to middle + half: NONE, ONE, SEVERAL or NOTHING."""
    sizes = _sizes(polynomial)
    rounding = noise + ROUNDING * sum(sizes[1:], sizes[0])
    s, c = np.sin(middle), np.cos(middle)
    powers: list[Any] = [polynomial[0]] + [0.0] * DEGREE
    beyond, sk, ck = rounding, s, c
    for k in range(1, HARMONICS + 1):
        scale: Any = 1.0
        for order in range(DEGREE + 1):
            by_c, by_s = _turned(order, polynomial[2 * k - 1], polynomial[2 * k])
            powers[order] = powers[order] + scale * (by_c * ck + by_s * sk)
            scale = scale * (k / (order + 1.0)) * half
        beyond = beyond + scale * sizes[k]
        sk, ck = sk * c + ck * s, ck * c - sk * s
    held, largest = _held(powers, beyond)
    return pick(largest <= 2.0 * rounding, NOTHING, held)


Brackets = tuple[Array, Array, Array, Array]
"""Of some roots their rows, the angles between which each lies, and whether it may be several."""


def brackets(polynomials: Array, noise: Array, cells: Array, divided: Callable[..., Array]) -> Brackets:
    """Those of all roots of polynomials (n, 17), known to ``noise`` (n,), by rows, and by angles in these.

    ``cells`` (n, CELLS) are those of :func:`cells_with_roots`, ``divided`` is :func:`cell_with_roots` of batches.
    """
    at = np.flatnonzero(cells)
    kind = cells.reshape(-1)[at]
    row, cell = np.divmod(at, CELLS)
    middle, half = (cell + 0.5) * CELL + FIRST, 0.5 * CELL
    found, left = [_between(row, middle, half, kind == ONE)], []
    for level in range(LEVELS):
        some = kind == SEVERAL
        if not some.any():
            break
        half /= PARTS
        middle = (middle[some, None] + half * (2.0 * np.arange(PARTS) - (PARTS - 1.0))).reshape(-1)
        row = np.repeat(row[some], PARTS)
        kind = divided(polynomials[row], noise[row], middle, half)
        found.append(_between(row, middle, half, kind == ONE))
        left.append(_between(row, middle, half, kind == NOTHING if level < LEVELS - 1 else kind >= SEVERAL))
    if any(len(one[0]) for one in left):
        found.append(_joined(polynomials, noise, _in_order(left), divided))
    return _in_order(found)


def _between(row: Array, middle: Array, half: float, some: Array) -> Brackets:
    row, middle = row[some], middle[some]
    return row, middle - half, middle + half, np.zeros(len(row), dtype=bool)


def _in_order(found: list[Brackets]) -> Brackets:
    if len(found) == 1:
        return found[0]
    row, low, high, several = (np.concatenate(one) for one in zip(*found, strict=True))
    order = np.argsort(8.0 * row + low, kind="stable")
    return row[order], low[order], high[order], several[order]


def _joined(polynomials: Array, noise: Array, left: Brackets, divided: Callable[..., Array]) -> Brackets:
    """Join small undecided cells with their neighbors: a root on their border; else positions for initial guesses."""
    row, low, high, _ = left
    apart = (row[1:] != row[:-1]) | (low[1:] > high[:-1] + 1e-12)
    row, low, high = row[np.append(True, apart)], low[np.append(True, apart)], high[np.append(apart, True)]
    middle, half = 0.5 * (low + high), 0.5 * PARTS * PARTS * (high - low)
    several = divided(polynomials[row], noise[row], middle, half) != ONE
    one = ~several
    found = row[one], middle[one] - half[one], middle[one] + half[one], several[one]
    row, low, part = row[several], low[several, None], (high - low)[several, None] / TRIED
    low = (low + part * np.arange(TRIED)).reshape(-1)
    return _in_order([found, (np.repeat(row, TRIED), low, low + np.repeat(part, TRIED), np.ones(len(low), dtype=bool))])
