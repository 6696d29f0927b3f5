"""Rotations by multiples of π/12, exactly: matrices of numbers a + b√2 + c√3 + d√6."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linkwright.errors import ModelError
from linkwright.expression.exact_numbers import ROUNDING, fraction_near
from linkwright.expression.polynomials.polynomial import rational
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_about

STEP = math.pi / 12.0


class Surd(NamedTuple):
    """a + b√2 + c√3 + d√6, rational a, b, c, d."""

    a: Fraction = Fraction(0)
    b: Fraction = Fraction(0)
    c: Fraction = Fraction(0)
    d: Fraction = Fraction(0)

    def __add__(self, y: Surd) -> Surd:  # type: ignore[override]
        return Surd(*(m + n for m, n in zip(self, y, strict=True)))

    def __neg__(self) -> Surd:
        return Surd(*(-m for m in self))

    def __mul__(self, y: Surd) -> Surd:  # type: ignore[override]
        a, b, c, d = self
        e, f, g, h = y
        return Surd(
            a * e + 2 * b * f + 3 * c * g + 6 * d * h,
            a * f + b * e + 3 * (c * h + d * g),
            a * g + c * e + 2 * (b * h + d * f),
            a * h + d * e + b * g + c * f,
        )

    def __float__(self) -> float:
        return float(self.a) + float(self.b) * 2**0.5 + float(self.c) * 3**0.5 + float(self.d) * 6**0.5


ZERO, ONE = Surd(), Surd(Fraction(1))
POWERS_OF_PI = {"pi": math.pi, "1/pi": 1.0 / math.pi}
"""numbers that have names in equations, but are no parameters"""
ROOTS = {1: ONE, 2: Surd(b=Fraction(1)), 3: Surd(c=Fraction(1)), 6: Surd(d=Fraction(1))}
"""numbers whose rational multiples are exact, by their squares"""
_SIGNS = {0.0: ZERO, 1.0: ONE, -1.0: -ONE}
_half, _quarter = Fraction(1, 2), Fraction(1, 4)
_FIRST_QUADRANT = (
    ONE,
    Surd(b=_quarter, d=_quarter),
    Surd(c=_half),
    Surd(b=_half),
    Surd(_half),
    Surd(b=-_quarter, d=_quarter),
    ZERO,
)
"""cos kπ/12, k = 0 … 6"""


def number(x: float) -> Surd:
    """Return the intended exact number: :func:`short_number`, otherwise a decimal of 15 digits.

    Axes rotated by multiples of π/12 turn decimals into one times a root, or a rounded sum of such numbers.
    """
    return short_number(x) or Surd(rational(x))


@lru_cache(4096)
def short_number(x: float) -> Surd | None:
    """Return a fraction or a decimal of few digits, or one times √2, √3 or √6; None for other numbers."""
    for root in ROOTS.values():
        unit = x / float(root)
        near = Surd(fraction_near(unit) or Fraction(f"{unit:.9g}")) * root
        if abs(float(near) - x) <= ROUNDING * abs(x):
            return near
    return None


def cosine(k: int) -> Surd:
    """cos kπ/12."""
    k = abs((k + 12) % 24 - 12)  # 0 … 12
    return _FIRST_QUADRANT[k] if k <= 6 else -_FIRST_QUADRANT[12 - k]


def _turn(axis: int, k: int) -> np.ndarray:
    c, s = cosine(k), cosine(k - 6)
    R = _objects([[ONE if i == j else ZERO for j in range(3)] for i in range(3)])
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _objects(rows: list[list[Surd]]) -> np.ndarray:
    """A matrix of surds; NumPy alone would take their four parts apart."""
    R = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            R[i, j] = x
    return R


def _product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return _objects([[A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j] for j in range(3)] for i in range(3)])


@lru_cache(4096)
def _turned(turns: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return the rotation (3, 3) of three successive turns about axes by multiples of π/12."""
    first, second, third = (_turn(axis, k) for axis, k in turns)
    return _product(_product(first, second), third)


def _nearest(angle: float) -> int:
    return round(angle / STEP)


def exact_rotation(R: Array, tolerance: float, where: str, advice: str = "") -> tuple[np.ndarray, float]:
    """The rotation (3, 3) by multiples of π/12 about coordinate axes that is nearest R, as surds, and how far it is.

    Three successive turns about different coordinate axes, in any of the six orders; raises
    :class:`ModelError` where none comes within ``tolerance`` in every angle.
    """
    if np.isin(R, (-1.0, 0.0, 1.0)).all():
        return _objects([[_SIGNS[x] for x in row] for row in R.tolist()]), 0.0
    nearest = math.inf
    for turns in _successive_turns(R):
        exact = _turned(tuple((axis, _nearest(angle) % 24) for axis, angle in turns))
        error = float(np.abs(exact.astype(float) - R).max())
        if error <= tolerance:
            return exact.copy(), error
        nearest = min(nearest, error)
    raise ModelError(
        f"{where} turns by angles that are no multiples of π/12 (off by {nearest:.2g}): its cosines are no numbers "
        "that equations can hold exactly. Give the mechanism with such angles there, a larger angle_tolerance "
        f"if they are meant to be, {advice}or a joint there that shows the angle as a coordinate"
    )


Turns = list[tuple[int, float]]
"""successive turns about coordinate axes: (axis, angle)"""


def _successive_turns(R: Array) -> Iterator[Turns]:
    """A rotation as three turns about different axes, in the six orders."""
    for first in range(3):  # with the axes renamed in turn, R = Rz(a) Ry(b) Rx(c); its transpose in reverse order
        order = [(first + k) % 3 for k in range(3)]
        x, y, z = order
        for transposed in (False, True):
            A = (R.T if transposed else R)[np.ix_(order, order)]
            b = math.atan2(-A[2, 0], math.hypot(A[0, 0], A[1, 0]))
            if math.hypot(A[0, 0], A[1, 0]) > 1e-4:
                a, c = math.atan2(A[1, 0], A[0, 0]), math.atan2(A[2, 1], A[2, 2])
            else:  # Rz and Rx turn about the same axis
                a, c = math.atan2(-A[0, 1], A[1, 1]), 0.0
            yield [(x, -c), (y, -b), (z, -a)] if transposed else [(z, a), (y, b), (x, c)]


def factors_of_rotation(R: Array, tolerance: float) -> list[np.ndarray | tuple[int, float]]:
    """R (3, 3) as a product of exact rotations and of turns (axis, angle) by other angles, as few as there can be."""

    def other(angle: float) -> bool:
        return abs(angle - STEP * _nearest(angle)) > tolerance

    def made(turns: Turns) -> Array:
        matrices = [_turn_by(axis, angle if other(angle) else STEP * _nearest(angle)) for axis, angle in turns]
        return matrices[0] @ matrices[1] @ matrices[2]

    able = [turns for turns in _successive_turns(R) if np.abs(made(turns) - R).max() <= 4.0 * tolerance]
    turns = min(able, key=lambda turns: sum(other(angle) for _, angle in turns))
    found: list[np.ndarray | tuple[int, float]] = []
    for axis, angle in turns:
        if other(angle):
            found.append((axis, angle))
        elif _nearest(angle) % 24:
            exact = _turn(axis, _nearest(angle))
            if found and isinstance(before := found[-1], np.ndarray):
                found[-1] = _product(before, exact)
            else:
                found.append(exact)
    return found


def _turn_by(axis: int, angle: float) -> Array:
    return rotation_about(np.eye(3)[axis], angle)
