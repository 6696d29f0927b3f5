"""Simplification on construction: a table from each operation to its rules.

A rule returns a simpler expression of the arguments, or None. Rules inspect at most two levels,
never expand, and may use identities of finite numbers (0·x = 0, x − x = 0): a structural
zero is a zero. Signs are moved outward, so that equal terms of opposite sign are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwright.expression.graph import Expr


def _add(x: Expr, y: Expr) -> Expr | None:
    if x.value == 0.0:
        return y
    if y.value == 0.0:
        return x
    if y.op == "neg":  # x + (−y) = x − y
        return x - y.args[0]
    if x.op == "neg":
        return y - x.args[0]
    if x is y:
        return 2.0 * x
    if x.op == "mul" == y.op and (both := _sines_and_cosines(x, y)) is not None:
        (a, b), (c, d) = both
        if a is b and c is d and a.op != c.op and a.args[0] is c.args[0]:  # sin² + cos²
            return x.graph.constant(1.0)
        if a.op == b.op != c.op == d.op and {a.args[0], b.args[0]} == {c.args[0], d.args[0]}:  # cos cos + sin sin
            return _shared(x, lambda: (a.args[0] - b.args[0]).cos())
        if a.op != b.op and c.op != d.op and _crossed(a, b, c, d):  # sin cos + cos sin
            return _shared(x, lambda: (a.args[0] + b.args[0]).sin())
    return None


def _sines_and_cosines(x: Expr, y: Expr) -> tuple[tuple[Expr, Expr], tuple[Expr, Expr]] | None:
    """Return the factors of two products of sines and cosines."""
    if x.op != "mul" or y.op != "mul":
        return None
    a, b = x.args
    c, d = y.args
    if a.op in _TURNS and b.op in _TURNS and c.op in _TURNS and d.op in _TURNS:
        return (a, b), (c, d)
    return None


_TURNS = ("sin", "cos")


def _crossed(a: Expr, b: Expr, c: Expr, d: Expr) -> bool:
    """Return whether a b is sin α cos β and c d is cos α sin β, in any order of the factors."""
    if a.op == "cos":
        a, b = b, a
    if c.op == "cos":
        c, d = d, c
    return a.args[0] is d.args[0] and b.args[0] is c.args[0]


def _shared(x: Expr, sum_of_angles: Callable[[], Expr]) -> Expr | None:
    """Return the sine or cosine of a sum of angles if the graph uses them; record that there was one."""
    x.graph.angle_sums_met = True
    return sum_of_angles() if x.graph.angle_sums and x.graph.failure is None else None


def _sub(x: Expr, y: Expr) -> Expr | None:
    if y.value == 0.0:
        return x
    if x.value == 0.0:
        return -y
    if x is y:
        return x.graph.constant(0.0)
    if y.op == "neg":  # x − (−y) = x + y
        return x + y.args[0]
    if x.op == "neg":  # −x − y = −(x + y)
        return -(x.args[0] + y)
    if y.value is not None and y.value < 0.0:
        return x + (-y.value)
    if x.op == "mul" == y.op and (both := _sines_and_cosines(x, y)) is not None:
        (a, b), (c, d) = both
        if a.op == b.op != c.op == d.op and {a.args[0], b.args[0]} == {c.args[0], d.args[0]}:
            if a.op == "cos":  # cos cos − sin sin
                return _shared(x, lambda: (a.args[0] + b.args[0]).cos())
            return _shared(x, lambda: -(a.args[0] + b.args[0]).cos())
        if a.op != b.op and c.op != d.op and _crossed(a, b, c, d):  # sin cos − cos sin
            sine, cosine = (a, b) if a.op == "sin" else (b, a)
            return _shared(x, lambda: (sine.args[0] - cosine.args[0]).sin())
    return None


def _mul(x: Expr, y: Expr) -> Expr | None:
    if y.value is not None:
        x, y = y, x
    if x.value is not None:
        if x.value == 0.0:
            return x.graph.zero
        if x.value == 1.0:
            return y
        if x.value < 0.0:
            return -(-x.value * y)
        if y.op == "mul" and y.args[0].value is not None:  # a (b x) = (a b) x
            return (x.value * y.args[0].value) * y.args[1]
    if x.op == "neg":
        return -(x.args[0] * y)
    if y.op == "neg":
        return -(x * y.args[0])
    return None


def _div(x: Expr, y: Expr) -> Expr | None:
    if x.value == 0.0:
        return x.graph.constant(0.0)
    if y.value is not None and y.value != 0.0:
        return (1.0 / y.value) * x
    if x.op == "neg":
        return -(x.args[0] / y)
    if y.op == "neg":
        return -(x / y.args[0])
    return None


def _neg(x: Expr) -> Expr | None:
    return x.args[0] if x.op == "neg" else None


def _sin(x: Expr) -> Expr | None:
    return -(x.args[0].sin()) if x.op == "neg" else None


def _cos(x: Expr) -> Expr | None:
    return x.args[0].cos() if x.op == "neg" else None


def _pow(x: Expr, y: Expr) -> Expr | None:
    """Replace small integer and half powers by products and roots."""
    n = y.value
    if n is None:
        return None
    if n == 0.0:
        return x.graph.constant(1.0)
    if n == 0.5:
        return x.sqrt()
    if n != int(n) or abs(n) > 16:
        return None
    if n < 0:
        return 1.0 / x ** (-n)
    if n == 1.0:
        return x
    half = x ** float(n // 2)
    return half * half * x if n % 2 else half * half


def _abs(x: Expr) -> Expr | None:
    return x.args[0].__abs__() if x.op == "neg" else x if x.op in ("abs", "sqrt") else None


def _same(x: Expr, y: Expr) -> Expr | None:
    return x if x is y else None


def _where(condition: Expr, a: Expr, b: Expr) -> Expr | None:
    if condition.value is not None:
        return a if condition.value != 0.0 else b
    if a is b:
        return a
    if condition.op == "where" and condition.args[1].value == 0.0 and condition.args[2].value == 1.0:  # not
        return condition.args[0].where(b, a)
    if condition.op in CONDITIONS and a.value == 1.0 and b.value == 0.0:
        return condition
    return None


RULES: dict[str, Callable[..., Expr | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "sin": _sin,
    "cos": _cos,
    "pow": _pow,
    "abs": _abs,
    "min": _same,
    "max": _same,
    "where": _where,
}

CONDITIONS = frozenset({"less", "less_equal"})
"""Operations with the values 1 and 0."""

COMMUTATIVE = frozenset({"add", "mul", "min", "max"})
