"""The polynomials of compiler/ir/formats.py: minimax, found by Remez's exchange in 60 digits, rounded to each format.

``python tools/minimax.py`` prints the tuples of coefficients of each format, lowest power first, with the largest
relative error in the approximated function. Sine and cosine in double precision are fdlibm's.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import mpmath
from mpmath import mpf

mpmath.mp.dps = 60

Function = Callable[[mpf], mpf]


class Wanted(NamedTuple):
    """A function of x² (or of x) on an interval, to be approached by a polynomial of this degree."""

    function: Function
    weight: Function
    """by which an error of the polynomial is multiplied, to become a relative one of the whole function"""
    end: tuple[mpf, mpf]
    degree: int


def remez(wanted: Wanted) -> tuple[list[mpf], mpf]:
    """The coefficients, and the largest weighted error."""
    low, high = wanted.end
    n = wanted.degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (k + mpf(1) / 2) / n) for k in range(n)]
    for _ in range(30):
        rows = [[*(x**j for j in range(n - 1)), (-1) ** k / wanted.weight(x)] for k, x in enumerate(points)]
        *coefficients, level = mpmath.lu_solve(mpmath.matrix(rows), [wanted.function(x) for x in points])

        def error(x: mpf, coefficients: list[mpf] = coefficients) -> mpf:
            return (mpmath.polyval(coefficients[::-1], x) - wanted.function(x)) * wanted.weight(x)

        grid = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * k / (40 * n)) for k in range(40 * n + 1)]
        errors = [error(x) for x in grid]
        ends = [0, *(k for k in range(1, len(grid)) if errors[k] * errors[k - 1] < 0), len(grid)]
        points = [grid[max(range(a, b), key=lambda k: abs(errors[k]))] for a, b in pairwise(ends)]
        assert len(points) == n, "the exchange lost an extremum"
        if max(map(abs, errors)) < abs(level) * 1.01:
            break
    return coefficients, max(map(abs, errors))


def _log(s: mpf) -> mpf:
    return 2 * mpmath.atanh(s)


_THIRD = mpf(1) / 3
_S = (mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1) * mpf("1.0001")  # (m − 1)/(m + 1) at m = √2
_R = mpmath.log(2) / 2 * mpf("1.0001")
_ZERO = mpf(10) ** -8  # nearer to 0 the quotients are what they are there


def _of_square(f: Function) -> Function:
    """(f(x) − x)/x³ as a function of x²."""
    return lambda z: (f(mpmath.sqrt(z)) - mpmath.sqrt(z)) / mpmath.sqrt(z) ** 3


def _share(f: Function) -> Function:
    """x³/f(x) as a function of x²."""
    return lambda z: mpmath.sqrt(z) ** 3 / f(mpmath.sqrt(z))


_DOUBLE = {
    "exp": Wanted(
        lambda r: (mpmath.expm1(r) - r) / r**2 if abs(r) > mpf(10) ** -12 else mpf(1) / 2 + r / 6,
        lambda r: max(abs(r), mpf(10) ** -3),
        (-_R, _R),
        10,
    ),
    "log": Wanted(
        lambda z: (_log(mpmath.sqrt(z)) / mpmath.sqrt(z) - 2) / z,
        lambda z: z / 2,
        (_ZERO, _S**2),
        6,
    ),
    "log_tail": Wanted(
        lambda z: (_log(mpmath.sqrt(z)) / mpmath.sqrt(z) - 2 - 2 * _THIRD * z) / z**2,
        lambda z: z**2 / 2,
        (_ZERO, _S**2),
        6,
    ),
    "tan": Wanted(_of_square(mpmath.tan), _share(mpmath.tan), (_ZERO, (mpmath.pi / 4 * mpf("1.0001")) ** 2), 13),
    "asin": Wanted(_of_square(mpmath.asin), _share(mpmath.asin), (_ZERO, mpf(1) / 4), 12),
    "atan": Wanted(_of_square(mpmath.atan), _share(mpmath.atan), (_ZERO, mpf(1) / 4), 11),
}

_QUARTER = (mpmath.pi / 4 * mpf("1.01")) ** 2  # rounded quotients in single precision lie farther off
_DEGREES = {"exp": 5, "log": 2, "log_tail": 3, "tan": 6, "asin": 5, "atan": 5}
_SINGLE = {
    "sin": Wanted(_of_square(mpmath.sin), _share(mpmath.sin), (_ZERO, _QUARTER), 2),
    "cos": Wanted(
        lambda z: (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / mpmath.cos(mpmath.sqrt(z)),
        (mpf(10) ** -3, _QUARTER),
        2,
    ),
    **{name: wanted._replace(degree=_DEGREES[name]) for name, wanted in _DOUBLE.items()},
}
TABLES = {"double": _DOUBLE, "single": _SINGLE}


if __name__ == "__main__":
    from linkwright.compiler.ir.formats import FORMATS

    for precision, table in TABLES.items():
        print(precision)
        for name, wanted in table.items():
            found, worst = remez(wanted)
            print(f'    "{name}": (  # relative error 2^{float(mpmath.log(worst, 2)):.1f}')
            for c in found:
                print(f"        {FORMATS[precision].rounded(float(c))!r},")
            print("    ),")
