"""Closed set of operations: one row each, with the value on numbers and the partial derivatives.

To add an operation: a row here, a line in the compiler's back ends (`compiler/emit/instructions/arithmetic.py`,
`compiler/emit/c.py`), and, if it can be simplified, a rule in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import InputError


class Operation(NamedTuple):
    """Operation: number of arguments, function of NumPy arrays, partial derivatives or selection."""

    arity: int
    evaluate: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]] | None = None
    """(value, *arguments) -> the derivative by each argument, as expressions"""
    selection: Callable[..., tuple[Any, int, int]] | None = None
    """of operations that select an argument: (*arguments) -> condition, index of the argument where it holds, and of
    the other. Their derivative selects as well: a product with a partial derivative of zero is NaN where the derivative
    of an argument that is not selected is inf or NaN."""


def _no_derivative(f: Any, x: Any) -> tuple[Any, ...]:
    raise InputError(
        "inverse_kinematics has no derivative of this order: there are first and second derivatives, with several "
        "priorities first derivatives only"
    )


OPERATIONS: dict[str, Operation] = {
    "add": Operation(2, np.add, lambda f, x, y: (1.0, 1.0)),
    "sub": Operation(2, np.subtract, lambda f, x, y: (1.0, -1.0)),
    "mul": Operation(2, np.multiply, lambda f, x, y: (y, x)),
    "div": Operation(2, np.divide, lambda f, x, y: (1.0 / y, -(f / y))),
    "neg": Operation(1, np.negative, lambda f, x: (-1.0,)),
    "sqrt": Operation(1, np.sqrt, lambda f, x: (0.5 / f,)),
    "inverse_root": Operation(1, lambda x: 1.0 / np.sqrt(x), lambda f, x: (-0.5 * f * f * f,)),
    "sin": Operation(1, np.sin, lambda f, x: (x.cos(),)),
    "cos": Operation(1, np.cos, lambda f, x: (-x.sin(),)),
    "tan": Operation(1, np.tan, lambda f, x: (1.0 + f * f,)),
    "asin": Operation(1, np.arcsin, lambda f, x: (1.0 / (1.0 - x * x).sqrt(),)),
    "acos": Operation(1, np.arccos, lambda f, x: (-1.0 / (1.0 - x * x).sqrt(),)),
    "atan2": Operation(2, np.arctan2, lambda f, y, x: (x / (x * x + y * y), -y / (x * x + y * y))),
    "exp": Operation(1, np.exp, lambda f, x: (f,)),
    "log": Operation(1, np.log, lambda f, x: (1.0 / x,)),
    "tanh": Operation(1, np.tanh, lambda f, x: (1.0 - f * f,)),
    "pow": Operation(2, np.power, lambda f, x, y: (y * x ** (y - 1.0), f * x.log())),
    "abs": Operation(1, np.abs, lambda f, x: (x.sign(),)),
    "sign": Operation(1, np.sign, lambda f, x: (0.0,)),
    "floor": Operation(1, np.floor, lambda f, x: (0.0,)),
    "round": Operation(1, np.rint, lambda f, x: (0.0,)),
    "min": Operation(2, np.minimum, selection=lambda x, y: (x <= y, 0, 1)),
    "max": Operation(2, np.maximum, selection=lambda x, y: (x < y, 1, 0)),
    "less": Operation(2, lambda x, y: np.where(np.less(x, y), 1.0, 0.0), lambda f, x, y: (0.0, 0.0)),
    "less_equal": Operation(2, lambda x, y: np.where(np.less_equal(x, y), 1.0, 0.0), lambda f, x, y: (0.0, 0.0)),
    "where": Operation(3, lambda c, a, b: np.where(np.not_equal(c, 0.0), a, b), selection=lambda c, a, b: (c, 1, 2)),
    "held": Operation(1, np.positive, lambda f, x: (0.0,)),
    "held_in_derivative": Operation(1, np.positive, _no_derivative),
    "held_twice": Operation(1, np.positive, lambda f, x: (0.0,)),
    "held_once": Operation(1, np.positive, lambda f, x: (0.0,)),
    "undefined_in_derivative": Operation(1, np.positive, lambda f, x: (np.nan,)),
    "defined": Operation(3, lambda x, y, c: np.positive(x), lambda f, x, y, c: (1.0, c.where(0.0, np.nan), 0.0)),
}
"""``held``: the argument as a constant for derivatives, where the expression is exact to first order; ``held_twice``:
exact to second order; ``held_once``: exact to first order, with second derivatives that are NaN; ``defined``: the first
argument, with derivatives by what the second one depends on that are NaN where the third one is zero."""

CONSTANT = ("held", "held_twice", "held_once")
"""Operations whose arguments are not differentiated."""

HELD = {
    "held_twice": "held",
    "held": "held_in_derivative",
    "held_in_derivative": "held_in_derivative",
    "held_once": "undefined_in_derivative",
    "undefined_in_derivative": "undefined_in_derivative",
    "defined": "defined",
}
"""Operations that differ from their first argument in derivatives only, and the same operation in a derivative."""

SINGULAR = frozenset({"div", "sqrt", "inverse_root", "asin", "acos", "atan2", "log", "pow", "defined"})
"""Operations with partial derivatives that are inf or NaN for some arguments."""
