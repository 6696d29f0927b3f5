"""The exact number that a float is meant to be: a fraction, a root, or one of these times a power of π."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

MOST_DENOMINATOR = 1000
"""of fractions of any size, and of decimals that become fractions"""

MOST_OF_FRACTION = 10**5
"""Largest numerator and denominator of fractions that are no decimals of few digits, such as 1/1200"""

MOST_OF_ROOT = 10**4
"""Largest numerator and denominator of numbers under a root"""

ROUNDING = 1e-15
"""of a few operations, relative"""


class ExactNumber(NamedTuple):
    """coefficient · √radicand · π^power."""

    coefficient: Fraction
    radicand: int = 1
    """without square factors"""
    power: int = 0


def exact_near(x: float) -> ExactNumber | None:
    """Return the exact number that a float equals apart from rounding; None for other numbers."""
    for power in (0, 1, 2, -1):
        unit = x / math.pi**power
        if (fraction := fraction_near(unit)) is not None:
            return ExactNumber(fraction, 1, power)
    for power in (0, 1, 2, -1):
        unit = x / math.pi**power
        square = _near(unit * unit, MOST_OF_ROOT, MOST_OF_ROOT, 2.0 * ROUNDING)
        if square is not None:
            outside, radicand = _without_squares(square.numerator * square.denominator)
            return ExactNumber(Fraction(int(math.copysign(outside, unit)), square.denominator), radicand, power)
    return None


def fraction_near(x: float) -> Fraction | None:
    """Return the fraction that a float equals apart from rounding; None for other numbers and longer decimals."""
    if (found := _near(x, math.inf, MOST_DENOMINATOR)) is not None:
        return found
    return None if float(f"{x:.9g}") == x else _near(x, MOST_OF_FRACTION, MOST_OF_FRACTION)


def rounded(x: float, error: float) -> float:
    """Return the fraction or decimal of few digits within an absolute error; x where there is none."""
    fractions = (Fraction(x).limit_denominator(most) for most in (MOST_DENOMINATOR, MOST_OF_FRACTION))
    for near in (float(f"{x:.9g}"), *map(float, fractions)):
        if abs(near - x) <= error:
            return near
    return x


def _near(x: float, most_numerator: float, most_denominator: int, tolerance: float = ROUNDING) -> Fraction | None:
    if not math.isfinite(x):
        return None
    found = Fraction(x).limit_denominator(most_denominator)
    return found if abs(found.numerator) <= most_numerator and abs(float(found) - x) <= tolerance * abs(x) else None


def _without_squares(n: int) -> tuple[int, int]:
    """Return (a, b) with n = a² b, where b has no square factor."""
    a, k = 1, 2
    while k * k <= n:
        while n % (k * k) == 0:
            a, n = a * k, n // (k * k)
        k += 1
    return a, n
