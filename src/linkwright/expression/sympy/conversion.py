"""Conversion of expressions from and to SymPy's."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from linkwright.errors import ArgumentError, ExpressionError
from linkwright.expression.exact_numbers import exact_near
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.operations import HELD
from linkwright.expression.order import needed
from linkwright.expression.symbols import comparable
from linkwright.expression.sympy.functions import FUNCTIONS, explicit, refusal
from linkwright.provided import holds_sympy, numbers_of_sympy

MOST_OPERATIONS = 10**6
"""Largest number of operations of an expression that is written out: SymPy visits common subexpressions repeatedly."""


class SymPyGraph(Graph):
    """Expressions of SymPy's symbols. All calls share one graph while it is in use, so that their results combine."""

    __slots__ = ("__weakref__", "converted")
    unlimited = True

    def __init__(self) -> None:
        super().__init__()
        self.converted: dict[Any, Expr] = {}
        """symbols, functions of time and their derivatives of SymPy as symbols of this graph"""

    def raise_failure(self) -> NoReturn:
        """Raise the stored error and forget it, since models go on to use this graph."""
        failure, self.failure = self.failure, None
        assert failure is not None
        raise failure


_shared: Callable[[], SymPyGraph | None] = lambda: None  # noqa: E731


def on_sympy(function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Return the results of a function of symbols, also of SymPy's: then they are expressions of SymPy, too.

    A function that is called by another one returns symbols.
    """
    if _inside.get():
        return function(*map(_argument, args), **{name: _argument(x) for name, x in named.items()})
    args, named = tuple(map(numbers_of_sympy, args)), {name: numbers_of_sympy(x) for name, x in named.items()}
    given = (*args, *named.values())
    if any(map(holds_sympy, given)) and any(_is_ours(entry) for x in given for entry in _entries(x)):
        raise ArgumentError(f"{function.__name__}: symbols of SymPy and of linkwright.symbols cannot be mixed")
    token = _inside.set(True)
    try:
        result = function(*map(_argument, args), **{name: _argument(x) for name, x in named.items()})
    finally:
        _inside.reset(token)
    return finished(result)


_inside: ContextVar[bool] = ContextVar("inside", default=False)
"""Whether a function of SymPy's expressions is evaluated."""


def _argument(x: Any) -> Any:
    """Return an argument with symbols for expressions of SymPy."""
    if isinstance(x, Mapping):
        return {name: _argument(one) for name, one in x.items()}
    if isinstance(x, tuple) and holds_sympy(x):
        return tuple(map(_argument, x))
    return with_symbols(x, conditions=True) if holds_sympy(x) else x


def _entries(x: Any) -> Iterator[Any]:
    """Yield the entries of an array, a tuple or a mapping of arrays."""
    if isinstance(x, (tuple, Mapping)):
        for one in x.values() if isinstance(x, Mapping) else x:
            yield from _entries(one)
    else:
        yield from np.asarray(x, dtype=object).flat


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, Expr) and not isinstance(entry.graph, SymPyGraph)


def finished(result: Any) -> Any:
    """Return a result as it is given to the user: of SymPy's symbols as expressions of SymPy."""
    if isinstance(result, Mapping):
        return {name: finished(x) for name, x in result.items()}
    if isinstance(result, tuple):
        made = [finished(x) for x in result]
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)
    if not of_sympy(result):
        return comparable(result)
    array = np.asarray(result, dtype=object)
    graph = next(entry.graph for entry in array.flat if isinstance(entry, Expr))
    whole = np.empty(array.shape, dtype=object)
    whole.reshape(-1)[:] = to_sympy([graph.coerce(entry) for entry in array.flat])
    return whole if whole.shape else whole[()]


def with_symbols(x: Any, conditions: bool = False) -> Any:
    """Return an array whose expressions of SymPy are expressions of symbols, and its constants numbers.

    ``conditions``: whether relations are accepted, too. A matrix of one column becomes a vector. Objects without
    expressions of SymPy are unchanged.
    """
    global _shared
    array = np.array(x, dtype=object)
    if hasattr(x, "is_Matrix") and array.shape[1:] == (1,):  # a column
        array = array[:, 0]
    places = [k for k, entry in enumerate(array.flat) if holds_sympy(entry)]
    if not places:
        return x
    import sympy

    theirs = [array.flat[k] for k in places]
    graph = _shared()
    if graph is None:
        graph = SymPyGraph()
        _shared = weakref.ref(graph)
    accepted = (sympy.Expr, sympy.logic.boolalg.Boolean) if conditions else sympy.Expr
    for given in theirs:
        if not isinstance(given, accepted):
            raise ExpressionError(f"expressions of SymPy are expected; got {given} of type {type(given).__name__}")
    for symbol in symbols_of(theirs):
        if not isinstance(symbol, symbol_types(sympy)):
            kind = type(symbol).__name__
            raise ExpressionError(
                f"{symbol} of type {kind} is neither a number nor a symbol of SymPy: substitute its value"
            )
        require_real(symbol)
        if symbol not in graph.converted:
            graph.converted[symbol] = graph.symbol(str(symbol))
    for k, made in zip(places, from_sympy(graph, theirs, graph.converted), strict=True):
        array.flat[k] = made if made.value is None else made.value
    return array if any(not isinstance(entry, (int, float)) for entry in array.flat) else array.astype(float)


def require_real(symbol: Any) -> None:
    """Raise :class:`ExpressionError` for a symbol that cannot be a finite real number by its assumptions."""
    if symbol.is_real is False or symbol.is_commutative is False:
        raise ExpressionError(
            f"the symbol {symbol} is no real number by its assumptions: create it by sympy.Symbol(name, real=True), or "
            "without assumptions"
        )


def of_sympy(x: Any) -> bool:
    """Return whether a result is of SymPy's symbols."""
    return any(isinstance(entry, Expr) and isinstance(entry.graph, SymPyGraph) for entry in np.asarray(x).flat)


def from_sympy(graph: Graph, expressions: Sequence[Any], known: Mapping[Any, Expr]) -> list[Expr]:
    """Return expressions of SymPy in a graph; ``known``: those of symbols, functions of time and their derivatives."""
    import sympy

    found: dict[Any, Expr] = dict(known)
    unknown: set[str] = set()
    stack = [sympy.sympify(x) for x in reversed(expressions)]
    wanted = stack[::-1]
    while stack:
        node = stack[-1]
        if node in found:
            stack.pop()
            continue
        plain = explicit(node, sympy)
        children = _children(node, sympy) if plain is node else (plain,)
        waiting = [child for child in children if child not in found]
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        if plain is not node:
            found[node] = found[plain]
        elif children or node.is_number or node in (sympy.true, sympy.false):
            found[node] = _converted(graph, node, [found[child] for child in children], sympy)
        else:
            found[node] = graph.zero
            unknown.add(str(node))
    if unknown:
        same = sorted(unknown & {str(symbol) for symbol in known})
        hint = f". Symbols of one name and other assumptions differ: {', '.join(same)}" if same else ""
        raise ExpressionError(
            f"these are not among the arguments: {', '.join(sorted(unknown))}; the arguments are "
            f"{', '.join(map(str, known)) or 'none'}. Add them to the symbols, or substitute values (.subs){hint}"
        )
    return [found[node] for node in wanted]


def _children(node: Any, sympy: Any) -> tuple[Any, ...]:
    """Return the expressions of which the value of a node is computed; none of numbers and symbols."""
    if node.is_Atom or isinstance(node, (*symbol_types(sympy), sympy.CRootOf)):  # a root of a polynomial is a number
        return ()
    if isinstance(node, sympy.Piecewise):
        return tuple(x for pair in node.args for x in pair.args)
    return tuple(node.args)


def symbol_types(sympy: Any) -> tuple[type, ...]:
    """Return the types of SymPy that may be arguments."""
    element = sympy.matrices.expressions.matexpr.MatrixElement
    return (sympy.Symbol, sympy.core.function.AppliedUndef, sympy.Derivative, sympy.Indexed, element)


def _converted(graph: Graph, node: Any, args: list[Expr], sympy: Any) -> Expr:
    if not args:
        return graph.constant(_number(node, sympy))
    if node.is_Add:
        return reduce(lambda x, y: x + y, args)
    if node.is_Mul:
        return _product(graph, node, args, sympy)
    if node.is_Pow:
        return _power(args[0], args[1], node.exp, sympy)
    if isinstance(node, sympy.Piecewise):
        value = graph.constant(math.nan)
        for k in range(len(args) - 2, -1, -2):
            value = args[k + 1].where(args[k], value)
        return value
    if (made := FUNCTIONS.get(type(node).__name__)) is not None:
        return graph.coerce(made(*args))
    if node.is_number and node.is_extended_real:
        return graph.constant(_number(node, sympy))
    raise refusal(node, sympy)


def _number(node: Any, sympy: Any) -> float:
    if node in (sympy.true, sympy.false):
        return float(node is sympy.true)
    if node is sympy.nan:
        return math.nan
    if not node.is_extended_real:
        raise ExpressionError(f"{node} is not a real number; kernels compute with real numbers")
    return float(node)


def _product(graph: Graph, node: Any, args: list[Expr], sympy: Any) -> Expr:
    """Return a product as one fraction, so that x/y is one division."""
    above, below = [], []
    for factor, value in zip(node.args, args, strict=True):
        if factor.is_Pow and factor.exp.is_number and factor.exp.is_negative and value.op == "div":
            below.append(value.args[1])
        else:
            above.append(value)
    product: Any = reduce(lambda x, y: x * y, above) if above else graph.constant(1.0)
    return graph.coerce(product / reduce(lambda x, y: x * y, below) if below else product)


def _power(base: Expr, exponent: Expr, exact: Any, sympy: Any) -> Expr:
    """Return a power; integer exponents, roots and negative halves without a logarithm.

    Derivatives of x √x are undefined at zero, where those of x^1.5 are zero.
    """
    if exact.is_Rational and exact.q == 2 and (exact.p == 1 or -16 <= exact.p < 0):
        root, k = base.sqrt(), abs(exact.p) // 2
        found = root if k == 0 else base ** float(k) * root
        return base.graph.coerce(found if exact.p > 0 else 1.0 / found)
    if exact.is_number and exact.is_negative:
        below = _power(base, -exponent, -exact, sympy)
        return base.graph.coerce(1.0 / below)
    if base.value == math.e:
        return exponent.exp()
    return base.graph.coerce(base**exponent)


def symbols_of(expressions: Sequence[Any]) -> list[Any]:
    """Return the symbols, functions of time and their derivatives in expressions of SymPy."""
    import sympy

    seen: dict[Any, None] = {}
    stack = [sympy.sympify(x) for x in reversed(expressions)]
    while stack:
        node = explicit(stack.pop(), sympy)
        if node not in seen:
            seen[node] = None
            stack += reversed(_children(node, sympy))
    booleans = (sympy.true, sympy.false)
    return [x for x in seen if not _children(x, sympy) and not x.is_number and x not in booleans]


def to_sympy(expressions: Sequence[Expr]) -> list[Any]:
    """Return expressions of one graph as SymPy's; symbols that were not SymPy's keep their names and are real."""
    import sympy

    found: dict[int, Any] = {}
    if expressions and isinstance(graph := expressions[0].graph, SymPyGraph):
        found = {ours.index: symbol for symbol, ours in graph.converted.items()}
    _check_length(expressions)
    stack = list(reversed(expressions))
    while stack:
        node = stack[-1]
        waiting = [x for x in node.args if x.index not in found] if node.index not in found else []
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        if node.index not in found:
            found[node.index] = _written(node, [found[x.index] for x in node.args], found, sympy)
    return [found[x.index] for x in expressions]


def _check_length(expressions: Sequence[Expr]) -> None:
    """Raise an error for expressions that SymPy would take minutes for."""
    operations: dict[int, int] = {}
    for node in needed(expressions):
        operations[node.index] = count = 1 + sum(operations.get(x.index, 0) for x in node.args)
        if count > MOST_OPERATIONS:
            raise ExpressionError(
                f"written out, this result has more than {MOST_OPERATIONS} operations, too many for SymPy; symbols of "
                "linkwright.symbols keep common subexpressions"
            )


def _written(node: Expr, args: list[Any], found: Mapping[int, Any], sympy: Any) -> Any:
    if node.value is not None:
        return _exact(node.value, sympy)
    if node.op == "symbol":
        return sympy.Symbol(str(node.name).removesuffix("[]"), real=True)
    if node.op == "where":
        condition = _condition(node.args[0], found, sympy)
        if condition in (sympy.true, sympy.false):
            return args[1] if condition == sympy.true else args[2]
        return sympy.Piecewise((args[1], condition), (args[2], True), evaluate=False)  # a search for simpler conditions
    if node.op in ("less", "less_equal"):
        return sympy.Piecewise((sympy.Integer(1), _condition(node, found, sympy)), (sympy.Integer(0), True))
    write = _WRITTEN.get(node.op)
    if write is None:
        raise ExpressionError(
            f"SymPy has no expression of {node.op!r}: loops, and entries at computed indices, are not written out; "
            "symbols of linkwright.symbols are accepted"
        )
    return write(sympy, *args)


def _condition(node: Expr, found: Mapping[int, Any], sympy: Any) -> Any:
    """Return a condition as a truth value of SymPy."""
    if node.value is not None:
        return sympy.true if node.value != 0.0 else sympy.false
    if node.op == "less":
        return sympy.StrictLessThan(*(found[x.index] for x in node.args))
    if node.op == "less_equal":
        return sympy.LessThan(*(found[x.index] for x in node.args))
    if node.op == "where" and Graph.is_condition(node):
        test, a, b = (_condition(x, found, sympy) for x in node.args)
        return sympy.Or(sympy.And(test, a), sympy.And(sympy.Not(test), b))
    return sympy.Ne(found[node.index], 0)


def _exact(value: float, sympy: Any) -> Any:
    """Return a number, exactly; as a fraction, root or multiple of a power of π if it is one apart from rounding."""
    if not math.isfinite(value):
        return sympy.nan if math.isnan(value) else sympy.oo if value > 0.0 else -sympy.oo
    if (found := exact_near(value)) is None:
        return sympy.Float(value, 17)
    coefficient = sympy.Rational(found.coefficient.numerator, found.coefficient.denominator)
    return coefficient * sympy.sqrt(found.radicand) * sympy.pi**found.power


def _rounded(sympy: Any, x: Any) -> Any:
    """Return the nearest integer, of halves the even one."""
    quarter = (2 * x - 1) / 4
    return sympy.floor(x + sympy.Rational(1, 2)) + sympy.ceiling(quarter) - sympy.floor(quarter) - 1


_WRITTEN: dict[str, Callable[..., Any]] = {
    "add": lambda sympy, x, y: x + y,
    "sub": lambda sympy, x, y: x - y,
    "mul": lambda sympy, x, y: x * y,
    "div": lambda sympy, x, y: x / y,
    "neg": lambda sympy, x: -x,
    "pow": lambda sympy, x, y: x**y,
    "inverse_root": lambda sympy, x: 1 / sympy.sqrt(x),
    "abs": lambda sympy, x: sympy.Abs(x),
    "min": lambda sympy, x, y: sympy.Min(x, y),
    "max": lambda sympy, x, y: sympy.Max(x, y),
    "round": _rounded,
    **dict.fromkeys(HELD, lambda sympy, x, *_: x),
    **{
        name: lambda sympy, *xs, name=name: getattr(sympy, name)(*xs)
        for name in "sqrt sin cos tan asin acos atan2 exp log tanh sign floor".split()
    },
}
"""SymPy's expression of each operation."""


def array_of_sympy(x: Any) -> Any:
    """Return an array of expressions as a matrix of SymPy (a vector as a column), more axes as an array of SymPy."""
    import sympy

    array = np.asarray(x, dtype=object)
    entries = iter(to_sympy([entry for entry in array.flat if isinstance(entry, Expr)]))
    made = [next(entries) if isinstance(entry, Expr) else _exact(float(entry), sympy) for entry in array.flat]
    if array.ndim > 2:
        return sympy.ImmutableDenseNDimArray(made, array.shape)
    return sympy.ImmutableDenseMatrix(len(array), array.size // max(1, len(array)), made)
