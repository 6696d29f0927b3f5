"""SymPy's expressions as numbers that go through the functions of this library.

NumPy calls the methods of the entries of object arrays: ``np.sin(x)`` calls ``x.sin()``, which SymPy's expressions do
not have. Decimals become exact numbers where they have few digits, and roots of squares are simplified.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from linkwright.errors import ExpressionError
from linkwright.expression.exact_numbers import MOST_DENOMINATOR


def wrapped(x: Any) -> np.ndarray:
    """Return an array of objects with SymPyNumber entries."""
    return np.asarray(np.frompyfunc(SymPyNumber, 1, 1)(np.asarray(x, dtype=object)), dtype=object)


def unwrapped(x: Any) -> Any:
    """Return SymPy's expressions in an array, or one expression."""
    entries = np.frompyfunc(lambda entry: SymPyNumber(entry).expression, 1, 1)(np.asarray(x, dtype=object))
    return entries[()] if isinstance(entries, np.ndarray) and not entries.ndim else entries


def _expression(x: Any) -> Any:
    import sympy

    if isinstance(x, SymPyNumber):
        return x.expression
    if isinstance(x, (float, np.floating)) and np.isfinite(x):
        fraction = Fraction(f"{float(x):.15g}")
        if fraction.denominator <= MOST_DENOMINATOR:
            return sympy.Rational(fraction.numerator, fraction.denominator)
        return sympy.Float(float(x))
    given = sympy.sympify(x)
    if not isinstance(given, sympy.Expr):
        raise ExpressionError(f"expressions of SymPy are expected; got {given}")
    return given


def _function(name: str) -> Callable[[SymPyNumber], SymPyNumber]:
    def applied(x: SymPyNumber) -> SymPyNumber:
        import sympy

        return SymPyNumber(getattr(sympy, name)(x.expression))

    return applied


def _binary(operation: Callable[[Any, Any], Any]) -> Callable[[SymPyNumber, Any], SymPyNumber]:
    def applied(x: SymPyNumber, y: Any) -> SymPyNumber:
        if isinstance(y, np.ndarray):  # NumPy applies it to every entry
            return NotImplemented  # type: ignore[no-any-return]
        return SymPyNumber(operation(x.expression, _expression(y)))

    return applied


def _comparison(operation: Callable[[Any, Any], Any]) -> Callable[[SymPyNumber, Any], bool]:
    def applied(x: SymPyNumber, y: Any) -> bool:
        other = _expression(y)
        for entry in (x.expression, other):
            if not entry.is_number:
                raise ExpressionError(
                    f"this function selects by the size of its arguments, which is unknown of {entry}; numbers and "
                    "linkwright.symbols are accepted"
                )
        return bool(operation(x.expression, other))

    return applied


class SymPyNumber:
    """An expression of SymPy with the methods that NumPy and this library call."""

    __slots__ = ("expression",)
    exact = True
    """whether formulas need no series near removable singularities"""

    def __init__(self, x: Any):
        self.expression = _expression(x)

    __add__, __sub__, __mul__, __truediv__, __pow__ = (
        _binary(operation) for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
    )
    __radd__, __rmul__ = __add__, __mul__
    __rsub__, __rtruediv__ = _binary(lambda x, y: y - x), _binary(lambda x, y: y / x)

    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))

    def __neg__(self) -> SymPyNumber:
        return SymPyNumber(-self.expression)

    __abs__ = _function("Abs")
    sin, cos, tan, arcsin, arccos, arctan = map(_function, ("sin", "cos", "tan", "asin", "acos", "atan"))

    def sqrt(self) -> SymPyNumber:
        """Return the root; of a square x² it is x, as for positive x."""
        import sympy

        return SymPyNumber(sympy.powdenest(sympy.sqrt(sympy.factor(self.expression)), force=True))

    def arctan2(self, x: Any) -> SymPyNumber:
        """Return the angle of the point (x, self)."""
        import sympy

        return SymPyNumber(sympy.atan2(self.expression, _expression(x)))

    def rarctan2(self, y: Any) -> SymPyNumber:
        """Return the angle of the point (self, y)."""
        return SymPyNumber(y).arctan2(self)
