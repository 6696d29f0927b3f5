"""Numbers of a model that are expressions of its symbols, as exact polynomials of these symbols.

Quotients that are polynomials are reduced. Other expressions, such as roots, are named e1, e2, …, without the names
of symbols.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import program_of
from linkwright.errors import ExpressionError, InputError
from linkwright.expression.exact_numbers import exact_near
from linkwright.expression.graph import Expr
from linkwright.expression.operations import OPERATIONS
from linkwright.expression.order import demanded, needed
from linkwright.expression.polynomials.polynomial import Polynomial, Ring, evaluate
from linkwright.expression.sympy.conversion import to_sympy
from linkwright.symbolic.derivation.exact_rotations import ONE, ROOTS, ZERO, Surd, number, short_number

Make = Callable[[Surd, str], Any]
"""(coefficient, name) -> a number times the value of a name, or of "pi" and "1/pi"; "" is the number itself."""

MOST_TERMS = 200
"""of a numerator or denominator that is reduced"""

_ROOTS = {"sqrt2": Surd(b=Fraction(1)), "sqrt3": Surd(c=Fraction(1))}


@dataclass
class Formulas:
    """Evaluation of formulas on any kind of number."""

    names: dict[int, str]
    """of the symbols, by index"""
    given: Mapping[str, float]
    """values of symbols that are numbers"""
    constants: dict[int, str] = field(default_factory=dict)
    """names of the expressions that are no polynomials, by index"""
    reduced: dict[int, Polynomial] = field(default_factory=dict)
    """quotients that are polynomials of the symbols and of named expressions, by index"""
    variables: dict[str, str] = field(default_factory=dict)
    """names of the expressions that are variables of the reduced quotients"""
    angles: list[str] = field(default_factory=list)
    """symbols whose cosines and sines occur"""
    symbols: dict[str, Any] = field(default_factory=dict)
    """symbols and constants as SymPy has them, by name"""

    def value(self, expression: Expr, make: Make) -> Any:
        """Return an expression on the numbers of ``make``."""
        found: dict[int, Any] = {}
        for node in self.nodes([expression]):
            found[node.index] = self._of_node(node, found, make)
        return found[expression.index]

    def used(self, expressions: Iterable[Expr]) -> Iterator[str]:
        """Yield the names in expressions."""
        for node in self.nodes(expressions):
            if node.index in self.reduced:
                yield from (x for x in self._names_in(self.reduced[node.index]) if x not in self.given)
            elif (name := self.constants.get(node.index) or self.names.get(node.index)) and name not in self.given:
                yield name

    def nodes(self, expressions: Iterable[Expr]) -> list[Expr]:
        """Return the nodes of expressions, arguments first, without those of which named and reduced ones consist."""
        return in_order(expressions, {*self.constants, *self.reduced})

    def _of_node(self, node: Expr, found: Mapping[int, Any], make: Make) -> Any:
        if node.index in self.constants:
            return make(ONE, self.constants[node.index])
        if node.index in self.reduced:
            return self._of_polynomial(self.reduced[node.index], make)
        if node.value is not None or node.op == "symbol":
            return self.of_leaf(node, make)
        return _applied(node, [found[x.index] for x in node.args], make)

    def of_leaf(self, node: Expr, make: Make) -> Any:
        """Return a number or a symbol on the numbers of ``make``."""
        if node.value is None:
            name = self.names[node.index]
            return made_of(self.given[name], make) if name in self.given else make(ONE, name)
        return made_of(node.value, make)

    def _of_polynomial(self, p: Polynomial, make: Make) -> Any:
        """Return a polynomial of names on the numbers of ``make``."""
        total: Any = 0.0
        for factors, coefficient in p:
            product = make(Surd(coefficient), "")
            for name, exponent in factors:
                product = product * self._of_variable(name, make) ** exponent
            total = total + product
        return total

    def _of_variable(self, name: str, make: Make) -> Any:
        if name in _ROOTS:
            return make(_ROOTS[name], "")
        if name.startswith(("cos(", "sin(")):
            return getattr(np, name[:3])(make(ONE, name[4:-1]))
        return make(ONE, self.variables.get(name, name))

    def _names_in(self, p: Polynomial) -> list[str]:
        """Return the names in a polynomial, in the order of its variables."""
        used = p.used() - {*_ROOTS, "pi", "1/pi"}
        bare = (name[4:-1] if name.startswith(("cos(", "sin(")) else name for name in p.ring.names if name in used)
        return list(dict.fromkeys(self.variables.get(name, name) for name in bare))


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}


def made_of(x: float, make: Make) -> Any:
    """Return a number as it was meant: a fraction, a decimal, one of these times a root or a power of π."""
    exact, power = exact_number(x)
    return 0.0 if exact == ZERO else _with_pi(exact, power, make)


def _with_pi(coefficient: Surd, power: int, make: Make) -> Any:
    """Return a number times a power of π."""
    of_pi = "1/pi" if power < 0 else "pi"
    made = make(coefficient, of_pi if power else "")
    for _ in range(abs(power) - 1):
        made = made * make(ONE, of_pi)
    return made


def exact_number(x: float) -> tuple[Surd, int]:
    """Return the intended number, (c, k) for c πᵏ; c as :func:`number`."""
    if (short := short_number(x)) is not None:
        return short, 0
    found = exact_near(x)
    if found is None or found.radicand not in ROOTS:
        return number(x), 0
    return Surd(found.coefficient) * ROOTS[found.radicand], found.power


def intended(x: float) -> float:
    """Return a number without the rounding of few operations: 0.1 for 0.09999999999999998."""
    exact, power = exact_number(x)
    return float(exact) * math.pi**power


def _applied(node: Expr, args: list[Any], make: Make) -> Any:
    """Return an operation on numbers; raise :class:`ExpressionError` if its value is no polynomial."""
    if node.op in _ARITHMETIC:
        return _ARITHMETIC[node.op](*args)
    if node.op in ("cos", "sin"):
        return getattr(np, node.op)(args[0])
    exponent = node.args[-1].value
    if node.op == "pow" and _is_whole(exponent) and exponent >= 0.0:
        return args[0] ** int(exponent)
    if node.op != "div" or not exponent:
        raise ExpressionError(f"{node.op} of symbols is no polynomial")
    exact, power = exact_number(exponent)
    if any(exact[1:]):
        raise ExpressionError("a quotient by a root is no polynomial")
    return args[0] * _with_pi(Surd(1 / exact.a), -power, make)


def in_order(expressions: Iterable[Expr], closed: Iterable[int] = ()) -> list[Expr]:
    """Return the nodes of expressions, arguments first; ``closed``: nodes whose arguments are not visited."""
    wanted = list(expressions)
    return demanded(needed(wanted, given=set(closed)), wanted)


ASSUMED: dict[str, Callable[[float], bool]] = {
    "positive": lambda x: x > 0.0,
    "negative": lambda x: x < 0.0,
    "nonnegative": lambda x: x >= 0.0,
    "nonpositive": lambda x: x <= 0.0,
    "nonzero": lambda x: x != 0.0,
    "integer": float.is_integer,
}
"""Assumptions of symbols of SymPy that numbers for them have to meet"""


def _require_assumed(symbol: Any, x: float) -> None:
    """Raise an error for a number that contradicts the assumptions of a symbol of SymPy."""
    for what, holds in ASSUMED.items():
        if symbol.assumptions0.get(what) and not holds(x):
            raise InputError(f"equations: the symbol {str(symbol)!r} is {what} by its assumptions; got {x:g} for it")


def formulas_of(expressions: list[Expr], given: Mapping[str, float], reserved: Iterable[str]) -> Formulas:
    """Return the evaluation of the expressions of a model.

    ``given``: numbers by symbols or their names; ``reserved``: names of coordinates, which symbols cannot have.
    """
    reserved = set(reserved)
    symbols = [node for node in in_order(expressions) if node.op == "symbol"]
    written = {node.index: sympy for node, sympy in zip(symbols, to_sympy(symbols), strict=True)}
    names: dict[int, str] = {}
    spelled: dict[str, str] = {}
    for node in symbols:
        text = str(node.name)
        if "(" in text:
            raise InputError(
                "equations: parameters of a model are numbers or expressions of constant symbols; "
                f"got the function {text}"
            )
        text = text.removesuffix("[]")
        name = identifier(text)
        if not name.isidentifier():
            raise InputError(f"equations: the symbol {text!r} of the model is no name in text and code: rename it")
        if name in reserved:
            raise InputError(
                f"equations: the symbol {text!r} of the model has the name of a coordinate or of a number of the "
                "equations: rename it"
            )
        if name in names.values():
            raise InputError(f"equations: two symbols of the model are named {name!r}: rename one")
        names[node.index] = spelled[text] = name
    values: dict[str, float] = {}
    for key, value in given.items():
        name = spelled.get(key, key)
        if name not in names.values():
            raise InputError(f"equations: {key!r} is no symbol of the model; its symbols are {', '.join(spelled)}")
        values[name] = value
    made = Formulas(names, values)
    made.symbols = {names[index]: x for index, x in written.items()}
    for name, value in values.items():
        _require_assumed(made.symbols[name], value)
    _name_constants(made, expressions)
    return made


def identifier(text: str) -> str:
    """Return the name of a symbol in text and code: m_1 for m_{1}."""
    return text if text.isidentifier() else re.sub(r"[\W_]+", "_", text).strip("_")


class _Quotient(NamedTuple):
    """The value of an expression: a quotient of polynomials of symbols and of expressions that are no quotients."""

    above: Polynomial
    below: Polynomial
    plain: bool
    """whether no division by symbols leads there"""

    @property
    def whole(self) -> bool:
        """Whether it is a polynomial."""
        return not self.below.used()


class _Quotients:
    """The values of expressions as quotients in lowest terms."""

    def __init__(self, made: Formulas, expressions: list[Expr]):
        names = [f"#{k}" for k in range(len(expressions) + 8)]
        self.ring = ring = Ring(tuple(made.names.values()), (), names)
        self.opaque: dict[str, Expr] = {}
        """expressions that are no quotients, by the variable of the ring that stands for each"""
        self._free = iter(names)
        self.values: dict[int, _Quotient | None] = {}
        """by index; None of what is too long, or a function of symbols"""
        for node in in_order(expressions):
            self.values[node.index] = self._value(node, made)
            if ring.failure is not None:
                ring.failure, self.values[node.index] = None, None

    def _value(self, node: Expr, made: Formulas) -> _Quotient | None:
        ring, one = self.ring, self.ring.one
        if node.value is not None or node.op == "symbol":
            return _Quotient(ring.coerce(made.of_leaf(node, self._number)), one, True)
        args = [self.values[x.index] for x in node.args]
        known = [x for x in args if x is not None]
        if len(known) < len(args) and node.op in (*_ARITHMETIC, "div"):
            return None
        with suppress(ExpressionError):
            if len(known) == len(args) and all(x.whole for x in known):
                plain = all(x.plain for x in known)
                return _Quotient(ring.coerce(_applied(node, [x.above for x in known], self._number)), one, plain)
        exponent = node.args[-1].value
        if node.op == "pow" and known and _is_whole(exponent):
            above, below = known[0].above, known[0].below
            above, below = (above, below) if exponent > 0.0 else (below, above)
            return self._reduced(above ** abs(int(exponent)), below ** abs(int(exponent)))
        if node.op in (*_ARITHMETIC, "div"):
            return self._combined(node.op, known)
        numbers = evaluate([x.above for x in known if x.whole], {})
        if len(numbers) == len(args) and np.isfinite(numbers).all():
            with np.errstate(all="ignore"):
                value = float(OPERATIONS[node.op].evaluate(*numbers))
            if math.isfinite(value):  # otherwise `stand_ins` raises the error
                return _Quotient(ring.coerce(made_of(value, self._number)), one, False)
        variable = next(self._free, None)
        if variable is None:
            raise InputError("equations: too many expressions of the model are no polynomials")
        self.opaque[variable] = node
        return _Quotient(ring[variable], one, False)

    def _combined(self, op: str, args: list[_Quotient]) -> _Quotient | None:
        x, y = args[0], args[-1]
        if op == "neg":
            return x._replace(above=-x.above)
        if op == "mul":
            return self._reduced(x.above * y.above, x.below * y.below)
        if op == "div":
            return self._reduced(x.above * y.below, x.below * y.above)
        if x.below == y.below:
            return self._reduced(_ARITHMETIC[op](x.above, y.above), x.below)
        return self._reduced(_ARITHMETIC[op](x.above * y.below, y.above * x.below), x.below * y.below)

    def _reduced(self, above: Polynomial, below: Polynomial) -> _Quotient | None:
        if not below or max(len(above), len(below)) > MOST_TERMS:
            return None
        return _Quotient(*self.ring.lowest_terms(above, below), False)

    def _number(self, coefficient: Surd, name: str) -> Polynomial:
        two, three = self.ring["sqrt2"], self.ring["sqrt3"]
        a, b, c, d = coefficient
        exact: Polynomial = two * b + three * c + two * three * d + a
        return exact * self.ring[name] if name else exact


def _is_whole(x: float | None) -> TypeGuard[float]:
    return x is not None and x == int(x) and abs(x) <= 16


def _name_constants(made: Formulas, expressions: list[Expr]) -> None:
    """Reduce the quotients that are polynomials, name the other expressions that are none, and note the angles."""
    quotients = _Quotients(made, expressions)
    free = (name for k in range(1, 10**6) if (name := f"e{k}") not in made.names.values())
    values = {made.symbols[name]: value for name, value in made.given.items()}

    def name_it(node: Expr) -> str:
        if node.index not in made.constants:
            name = made.constants[node.index] = next(free)
            made.symbols[name] = to_sympy([node])[0].subs(values)
        return made.constants[node.index]

    opaque = {node.index for node in quotients.opaque.values()}
    visited: set[int] = set()
    stack = list(reversed(expressions))
    while stack:
        node = stack.pop()
        found = quotients.values[node.index]
        if node.index in visited or (found is not None and found.plain):
            continue
        visited.add(node.index)
        if node.index in opaque:
            name_it(node)
        elif found is not None and found.whole:
            made.reduced[node.index] = p = found.above / found.below
            for variable in p.ring.names:
                if variable in quotients.opaque and variable in p.used():
                    made.variables[variable] = name_it(quotients.opaque[variable])
        elif node.op in _ARITHMETIC:
            stack += reversed(node.args)
        else:
            name_it(node)
    for node in made.nodes(expressions):
        angles: Iterable[str] = ()
        if node.index in made.reduced:
            angles = (x[4:-1] for x in made.reduced[node.index].used() if x.startswith(("cos(", "sin(")))
        elif node.op in ("cos", "sin") and node.index not in made.constants:
            angles = made.used(node.args)
        made.angles += [x for x in sorted({*angles}) if x not in made.angles]


def stand_ins(made: Formulas, expressions: Sequence[Expr]) -> dict[int, float]:
    """Return a value of each expression at generic values of the symbols, by index.

    Raises :class:`InputError` for expressions that have no finite value at the given numbers.
    """
    symbols = [node for node in in_order(expressions) if node.op == "symbol"]
    graph = expressions[0].graph
    program = program_of("expressions", graph, {"x": graph.array(symbols)}, graph.array(expressions))
    names = [made.names[x.index] for x in symbols]
    tried = [[made.given.get(name, scale * generic(k)) for k, name in enumerate(names)] for scale in (1.0, 10.0, 0.1)]
    (found,) = interpret(program, tried)
    values: dict[int, float] = {}
    for k, (x, column) in enumerate(zip(expressions, found.T, strict=True)):
        finite = column[np.isfinite(column)]
        if not len(finite) and {made.names[y.index] for y in in_order([x]) if y.op == "symbol"} & made.given.keys():
            raise InputError(
                f"equations: {to_sympy([x])[0]} has no finite value with {_written(made.given)}: give other numbers"
            )
        values[x.index] = float(finite[0]) if len(finite) else generic(k)
    return values


def _written(given: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in given.items())


def generic(k: int) -> float:
    """Return a number between 0.5 and 1.5, another one for each k."""
    return 0.5 + (k + 1) * 0.6180339887498949 % 1.0
