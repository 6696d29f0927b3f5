"""Numbers of a model that are expressions of its symbols, as exact polynomials of these symbols.

Expressions that are no polynomials of the symbols, such as roots or quotients by a symbol, are named c1, c2, …
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.errors import ExpressionError, InputError
from linkwright.expression.graph import Expr
from linkwright.expression.polynomials.polynomial import Ring
from linkwright.expression.sympy.conversion import MOST_DENOMINATOR, to_sympy
from linkwright.symbolic.derivation.exact_rotations import ONE, ZERO, Surd, number

Make = Callable[[Surd, str], Any]
"""(coefficient, name) -> a number times the value of a name; "" is the number itself."""


@dataclass
class Formulas:
    """Evaluation of formulas on any kind of number."""

    names: dict[int, str]
    """of the symbols, by index"""
    given: Mapping[str, float]
    """values of symbols that are numbers"""
    constants: dict[int, str] = field(default_factory=dict)
    """names of the expressions that are no polynomials, by index"""
    angles: list[str] = field(default_factory=list)
    """symbols whose cosines and sines occur"""
    symbols: dict[str, Any] = field(default_factory=dict)
    """symbols and constants as SymPy has them, by name"""

    def value(self, expression: Expr, make: Make) -> Any:
        """Return an expression on the numbers of ``make``."""
        found: dict[int, Any] = {}
        for node in _in_order([expression], self.constants):
            found[node.index] = self._of_node(node, found, make)
        return found[expression.index]

    def used(self, expressions: Iterable[Expr]) -> Iterator[str]:
        """Yield the names in expressions."""
        for node in _in_order(expressions, self.constants):
            if (name := self.constants.get(node.index) or self.names.get(node.index)) and name not in self.given:
                yield name

    def _of_node(self, node: Expr, found: Mapping[int, Any], make: Make) -> Any:
        if node.index in self.constants:
            return make(ONE, self.constants[node.index])
        if node.value is not None:
            exact = _exact(node.value)
            return 0.0 if exact == ZERO else make(exact, "")
        if node.op == "symbol":
            name = self.names[node.index]
            return make(number(self.given[name]), "") if name in self.given else make(ONE, name)
        args = [found[x.index] for x in node.args]
        if node.op in _ARITHMETIC:
            return _ARITHMETIC[node.op](*args)
        if node.op in ("cos", "sin"):
            return getattr(np, node.op)(args[0])
        exponent = node.args[-1].value
        if node.op == "pow" and exponent is not None and exponent == int(exponent) and 0 <= exponent <= 16:
            return args[0] ** int(exponent)
        divisor = None if node.op != "div" or exponent is None else _exact(exponent)
        if divisor is None or not divisor.a or any(divisor[1:]):
            raise ExpressionError(f"{node.op} of symbols is no polynomial")
        return args[0] * make(Surd(1 / divisor.a), "")


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}


def _exact(value: float) -> Surd:
    """Return the intended number: a fraction of a small denominator, or as :func:`number`."""
    fraction = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return Surd(fraction) if float(fraction) == value else number(value)


def _in_order(expressions: Iterable[Expr], closed: Iterable[int] = ()) -> Iterator[Expr]:
    """Yield the nodes of expressions once, arguments first; ``closed``: nodes whose arguments are not visited."""
    seen: set[int] = set()
    stack = list(expressions)
    while stack:
        node = stack[-1]
        waiting = [] if node.index in closed else [x for x in node.args if x.index not in seen]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if node.index not in seen:
            seen.add(node.index)
            yield node


def formulas_of(expressions: list[Expr], given: Mapping[str, float], reserved: Iterable[str]) -> Formulas:
    """Return the evaluation of the expressions of a model.

    ``given``: numbers by the names of symbols; ``reserved``: names of coordinates, which symbols cannot have.
    """
    reserved = set(reserved)
    symbols = [node for node in _in_order(expressions) if node.op == "symbol"]
    written = {node.index: sympy for node, sympy in zip(symbols, to_sympy(symbols), strict=True)}
    names: dict[int, str] = {}
    for node in symbols:
        text = str(node.name)
        if "(" in text:
            raise InputError(f"equations: parameters of a model are constant; got the function of time {text}")
        name = re.sub(r"\W+", "_", text).strip("_")
        if name in reserved or not name.isidentifier():
            raise InputError(
                f"equations: the symbol {text!r} of the model has the name of a coordinate or of a number of the "
                "equations: rename it"
            )
        if name in names.values():
            raise InputError(f"equations: two symbols of the model are named {name!r}: rename one")
        names[node.index] = name
    if unknown := [name for name in given if name not in names.values()]:
        raise InputError(
            f"equations: {unknown[0]!r} is no symbol of the model; its symbols are {', '.join(names.values())}"
        )
    made = Formulas(names, given)
    made.symbols = {names[index]: x for index, x in written.items()}
    ring = Ring(tuple(names.values()), (), [f"c{k}" for k in range(1, 1 + len(expressions) + 8)])
    _name_constants(made, expressions, ring)
    return made


def _name_constants(made: Formulas, expressions: list[Expr], ring: Ring) -> None:
    """Name the expressions that are no polynomials, and note the angles."""

    def in_ring(coefficient: Surd, name: str) -> Any:
        two, three = ring["sqrt2"], ring["sqrt3"]
        a, b, c, d = coefficient
        exact = two * b + three * c + two * three * d + a
        return exact * ring[name] if name else exact

    found: dict[int, Any] = {}
    free = (name for k in range(1, 10**6) if (name := f"c{k}") not in made.names.values())
    for node in _in_order(expressions):
        try:
            found[node.index] = made._of_node(node, found, in_ring)
            if node.op in ("cos", "sin"):
                made.angles += [x for x in made.used(node.args) if x not in made.angles]
        except ExpressionError:
            name = next(free)
            if name not in ring.index:
                raise InputError("equations: too many expressions of the model are no polynomials") from None
            made.constants[node.index] = name
            made.symbols[name] = to_sympy([node])[0].subs({made.symbols[x]: value for x, value in made.given.items()})
            found[node.index] = ring[name]


def stand_ins(made: Formulas, expressions: Any) -> dict[int, float]:
    """Return a value of each expression at generic values of the symbols, by index."""
    symbols = [node for node in _in_order(expressions) if node.op == "symbol"]
    values = [made.given.get(made.names[x.index], generic(k)) for k, x in enumerate(symbols)]
    kernel = compile(expressions, {"x": symbols})
    return {x.index: float(at) for x, at in zip(expressions, np.atleast_1d(kernel(values)), strict=True)}


def generic(k: int) -> float:
    """Return a number between 0.5 and 1.5, another one for each k."""
    return 0.5 + (k + 1) * 0.6180339887498949 % 1.0
