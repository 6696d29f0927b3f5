"""Elementary functions composed of several operations, accurate to rounding with their derivatives.

Closed forms such as log(x + √(x² + 1)) lose digits near a zero. There, series are used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from linkwright.expression.graph import Expr

_SERIES_BELOW = 0.25
"""|y| up to which log(1 + y) is a series in y/(2 + y)"""


def _polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """Return the polynomial of these coefficients, the highest power first."""
    return reduce(lambda value, c: value * x + c, coefficients[1:], coefficients[0])


def _side(x: Expr) -> Any:
    """Return −1 for negative numbers, else 1: unlike the sign it is not zero at zero, where derivatives are needed."""
    return (x < 0.0).where(-1.0, 1.0)


def log1p(y: Expr) -> Any:
    """Return log(1 + y)."""
    s = y / (2.0 + y)
    terms = [1.0 / (2 * k + 1) for k in reversed(range(11))]
    return (abs(y) < _SERIES_BELOW).where(2.0 * s * _polynomial(s * s, terms), (1.0 + y).log())


def expm1(x: Expr) -> Any:
    """Return eˣ − 1."""
    return 2.0 * (0.5 * x).exp() * (0.5 * x).sinh()


def asinh(x: Expr) -> Any:
    """Return the inverse of sinh."""
    side = _side(x)
    a = side * x
    return side * log1p(a + a * a / (1.0 + (1.0 + a * a).sqrt()))


def acosh(x: Expr) -> Any:
    """Return the inverse of cosh that is not negative."""
    t = x - 1.0
    return log1p(t + (t * (t + 2.0)).sqrt())


def atanh(x: Expr) -> Any:
    """Return the inverse of tanh."""
    side = _side(x)
    a = side * x
    return 0.5 * side * log1p(2.0 * a / (1.0 - a))


def acot(x: Expr) -> Any:
    """Return the angle in (−π/2, π/2] whose cotangent is x."""
    side = _side(x)
    return side * x.graph.constant(1.0).arctan2(side * x)


def sinc(x: Expr) -> Any:
    """Return sin(x)/x, which is 1 at zero."""
    terms = [(-1.0) ** k / math.factorial(2 * k + 1) for k in reversed(range(10))]
    return (abs(x) < 1.0).where(_polynomial(x * x, terms), x.sin() / x)


_NEAR = (
    [
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ],
    [1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3],
)
_FURTHER = (
    [
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    ],
    [
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    ],
)
_FAR = (
    [
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    ],
    [
        *(1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    ],
)
"""Coefficients of W. J. Cody, Rational Chebyshev approximations for the error function (1969): up to 0.46875, 4, ∞."""


def _of_cody(x: Any, coefficients: tuple[Sequence[float], Sequence[float]]) -> Any:
    above, below = coefficients
    return _polynomial(x, above) / _polynomial(x, below)


def _erf_near(x: Expr) -> Any:
    return x * _of_cody(x * x, _NEAR)


def _erfc_of_positive(a: Any) -> Any:
    """Return 1 − erf of numbers from 0.46875 on."""
    inverse = 1.0 / (a * a)
    far = (1.0 / math.sqrt(math.pi) - inverse * _of_cody(inverse, _FAR)) / a
    return (-(a * a)).exp() * (a <= 4.0).where(_of_cody(a, _FURTHER), far)


def erf(x: Expr) -> Any:
    """Return the error function."""
    side = _side(x)
    a = side * x
    return (a <= 0.46875).where(_erf_near(x), side * (1.0 - _erfc_of_positive(a)))


def erfc(x: Expr) -> Any:
    """Return the complementary error function 1 − erf."""
    a = abs(x)
    beyond = _erfc_of_positive(a)
    return (a <= 0.46875).where(1.0 - _erf_near(x), (x < 0.0).where(2.0 - beyond, beyond))
