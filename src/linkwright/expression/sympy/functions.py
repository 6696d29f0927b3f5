"""Functions of SymPy on expressions, and SymPy's unevaluated forms as expressions without them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, SupportsIndex

from linkwright.errors import ExpressionError, TooLargeError
from linkwright.expression.elementary import acosh, acot, asinh, atanh, erf, erfc, expm1, log1p, sinc
from linkwright.expression.graph import Expr

MOST_TERMS = 10_000
"""of sums and products, which are written out"""


def _of_reciprocal(function: Callable[[Expr], Any]) -> Callable[[Expr], Any]:
    return lambda x: function(1.0 / x)


def _reciprocal(name: str) -> Callable[[Expr], Any]:
    return lambda x: 1.0 / getattr(x, name)()


def _remainder(x: Expr, y: Expr) -> Any:
    """Return the remainder of a division that truncates, with the sign of x."""
    z = x / y
    return x - y * (z < 0.0).where(z.__ceil__(), z.__floor__())


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": Expr.sin,
    "cos": Expr.cos,
    "tan": Expr.tan,
    "cot": lambda x: x.cos() / x.sin(),
    "sec": _reciprocal("cos"),
    "csc": _reciprocal("sin"),
    "sinc": sinc,
    "asin": Expr.arcsin,
    "acos": Expr.arccos,
    "atan": Expr.arctan,
    "acot": acot,
    "asec": _of_reciprocal(Expr.arccos),
    "acsc": _of_reciprocal(Expr.arcsin),
    "atan2": Expr.arctan2,
    "sinh": Expr.sinh,
    "cosh": Expr.cosh,
    "tanh": Expr.tanh,
    "coth": _reciprocal("tanh"),
    "sech": _reciprocal("cosh"),
    "csch": _reciprocal("sinh"),
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "acoth": _of_reciprocal(atanh),
    "asech": _of_reciprocal(acosh),
    "acsch": _of_reciprocal(asinh),
    "exp": Expr.exp,
    "expm1": expm1,
    "log": Expr.log,
    "log1p": log1p,
    "erf": erf,
    "erfc": erfc,
    "Abs": Expr.__abs__,
    "sign": Expr.sign,
    "floor": Expr.__floor__,
    "ceiling": Expr.__ceil__,
    "frac": lambda x: x - x.__floor__(),
    "Mod": lambda x, y: x - y * (x / y).__floor__(),
    "Rem": _remainder,
    "Min": lambda *xs: reduce(Expr.minimum, xs),
    "Max": lambda *xs: reduce(Expr.maximum, xs),
    "Heaviside": lambda x, half: (x < 0.0).where(0.0, (x <= 0.0).where(half, 1.0)),
    # of real numbers, as all are
    "re": lambda x: x,
    "im": lambda x: 0.0,
    "conjugate": lambda x: x,
    "arg": lambda x: (x < 0.0).where(math.pi, 0.0),
    "UnevaluatedExpr": lambda x: x,
    "StrictLessThan": lambda x, y: x < y,
    "LessThan": lambda x, y: x <= y,
    "StrictGreaterThan": lambda x, y: x > y,
    "GreaterThan": lambda x, y: x >= y,
    "Equality": lambda x, y: (x <= y) & (y <= x),
    "Unequality": lambda x, y: ~((x <= y) & (y <= x)),
    "And": lambda *xs: reduce(Expr.__and__, xs),
    "Or": lambda *xs: reduce(Expr.__or__, xs),
    "Not": lambda x: ~x,
    "Nand": lambda *xs: ~reduce(Expr.__and__, xs),
    "Nor": lambda *xs: ~reduce(Expr.__or__, xs),
    "Implies": lambda x, y: ~x | y,
    "Xor": lambda *xs: reduce(lambda x, y: (x & ~y) | (y & ~x), xs),
    "ITE": lambda c, a, b: c.where(a, b),
}
"""Functions of SymPy by the names of their classes, on expressions."""


def explicit(node: Any, sympy: Any) -> Any:
    """Return an unevaluated form (a sum, an entry of a product of matrices, …) evaluated; other nodes unchanged."""
    if isinstance(node, sympy.Derivative):
        return node if isinstance(node.expr, sympy.core.function.AppliedUndef) else _evaluated(node)
    if isinstance(node, (sympy.Sum, sympy.Product)):
        return _written_out(node, sympy)
    if isinstance(node, (sympy.Integral, sympy.Limit)):
        raise ExpressionError(
            f"{node} has no machine code: compile its closed form, .doit(), if there is one; an integral without one "
            "is a sum at the nodes of a quadrature"
        )
    if isinstance(node, sympy.Subs):
        return _evaluated(node)
    if isinstance(node, sympy.matrices.expressions.matexpr.MatrixElement):
        return node if isinstance(node.parent, sympy.MatrixSymbol) else entries_of(node.parent, sympy)[node.indices]
    if isinstance(node, sympy.Determinant):
        _require_few_rows(node.arg, "determinant", MOST_ROWS_OF_DETERMINANTS)
        return entries_of(node.arg, sympy).det(method="berkowitz")  # without divisions by pivots, which may vanish
    if isinstance(node, sympy.Trace):
        return entries_of(node.arg, sympy).trace()
    if isinstance(node, sympy.Contains):
        return node.args[1].as_relational(node.args[0])
    if isinstance(node, (sympy.SingularityFunction, sympy.KroneckerDelta)):
        return node.rewrite(sympy.Piecewise)
    if type(node).__module__ == "sympy.codegen.cfunctions" and type(node).__name__ not in FUNCTIONS:
        return node.expand(func=True)
    return node


def entries_of(matrix: Any, sympy: Any) -> Any:
    """Return a matrix expression of SymPy with explicit entries; inverses of large matrices raise an error."""
    for node in sympy.preorder_traversal(matrix):
        inverse = isinstance(node, sympy.MatPow) and node.exp.is_number and node.exp.is_negative
        if inverse and node.free_symbols:
            _require_few_rows(node.base, "inverse", MOST_ROWS_OF_INVERSES)
    return matrix.as_explicit()


MOST_ROWS_OF_INVERSES, MOST_ROWS_OF_DETERMINANTS = 3, 7
"""Rows of matrices whose inverses and determinants SymPy writes out in seconds."""


def _require_few_rows(matrix: Any, what: str, most: int) -> None:
    """Raise an error for the inverse or the determinant of a matrix that SymPy would take minutes to write out."""
    if isinstance(matrix.rows, SupportsIndex) and int(matrix.rows) > most and matrix.free_symbols:
        instead = {
            "inverse": "lw.solve(A, b) is the product of the inverse of A with b, lw.solve(A, np.eye(n)) the inverse",
            "determinant": "that of a positive definite matrix is np.prod(np.diag(lw.cholesky(A))) ** 2",
        }
        raise TooLargeError(
            f"the {what} of {matrix}, {matrix.rows}×{matrix.cols}, is too large to be written out by SymPy (at most "
            f"{most} rows): compile a function of arrays instead, lw.compile(function, A=({matrix.rows}, "
            f"{matrix.cols})), in which {instead[what]}"
        )


def _evaluated(node: Any) -> Any:
    made = node.doit()
    if isinstance(made, type(node)):
        raise ExpressionError(
            f"SymPy finds no expression of {node} without {type(node).__name__}; replace it by a symbol"
        )
    return made


def _written_out(node: Any, sympy: Any) -> Any:
    """Return the terms of a sum or a product between whole numbers, or its closed form."""
    kind = type(node).__name__.lower()
    terms = 1
    for _, low, high in node.limits:
        terms *= int(high - low) + 1 if low.is_Integer and high.is_Integer else 1
    if terms > MOST_TERMS:
        raise ExpressionError(f"the {kind} {node} has {terms} terms; lw.repeat compiles long sums as loops")
    made = node.doit()
    if made.has(type(node)):
        raise ExpressionError(
            f"the {kind} {node} cannot be written out, since its bounds are not whole numbers: substitute them, or "
            "compile a function with lw.repeat, which counts to a computed number"
        )
    return made


def refusal(node: Any, sympy: Any) -> ExpressionError:
    """Return the error for a function that has no machine code."""
    name = type(node).__name__
    if isinstance(node, sympy.MatrixExpr):
        return ExpressionError(f"the matrix {node} is part of a scalar expression; as_explicit() has its entries")
    if isinstance(node, sympy.DiracDelta):
        return ExpressionError(f"{node} is no function of real numbers; replace it, for example by a narrow bell curve")
    return ExpressionError(
        f"the function {name} in {node} has no machine code: replace it by a symbol, whose value becomes an argument, "
        f"or by an approximation. There are {', '.join(sorted(FUNCTIONS))}, powers and Piecewise"
    )
