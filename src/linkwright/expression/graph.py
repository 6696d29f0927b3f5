"""Scalar expressions as a hash-consed graph: equal expressions are one object.

An :class:`Expr` behaves like a number. NumPy object arrays of expressions pass through the algorithms of
the library unchanged: ``np.sin`` on such an array calls each element's ``sin``. Nothing is expanded; each construction
applies the rules of `rules.py`. A graph belongs to one trace: no global state grows, and threads share nothing.
"""

from __future__ import annotations

import ast
import math
import operator
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from linkwright.errors import ExpressionError, TooLargeError, calling_line
from linkwright.expression.callers import operator_at
from linkwright.expression.numpy_functions import numpy_function
from linkwright.expression.operations import OPERATIONS
from linkwright.expression.rules import COMMUTATIVE, CONDITIONS, RULES
from linkwright.expression.symbols import SymbolArray

MOST_SYMBOLS = 1_000_000
"""Default limit of the number of symbols of a graph."""

MIXED = "expressions of two traces cannot be mixed: make all symbols by one call of symbols(), or all by SymPy"


class Graph:
    """Expressions of one trace.

    ``angle_sums``: whether cos α cos β − sin α sin β becomes cos(α + β), and so on, as along parallel axes;
    ``angle_sums_met`` is true after the first such sum.
    ``limit``: largest number of nodes, above which :class:`TooLargeError` is raised, before memory is exhausted.
    """

    __slots__ = (
        *("_constants", "_nodes", "angle_sums", "angle_sums_met", "arguments", "count", "failure", "limit", "repeats"),
        *("begun", "indexed", "marks", "rows", "spans", "traced", "zero"),
    )
    unlimited = False
    """whether numbers are exact, so that no square of them underflows or overflows"""

    def __init__(self, limit: int | None = None, angle_sums: bool = False):
        self._nodes: dict[tuple[Any, ...], Expr] = {}
        self._constants: dict[Any, Expr] = {}
        self.count, self.limit = 0, limit
        self.angle_sums, self.angle_sums_met = angle_sums, False
        self.failure: Exception | None = None
        self.indexed = False
        """whether a symbol was used as an index, for which NumPy's message is ambiguous"""
        self.repeats: dict[int, Repeat] = {}
        """loop of each node "repeat", by index"""
        self.begun: dict[int, tuple[Repeat, tuple[Expr, ...]]] = {}
        """the same, with the initial states"""
        self.traced: set[int] = set()
        """step numbers of loops that are being traced"""
        self.rows: dict[int, Any] = {}
        """nodes that stand for rows of numbers: `tables.py`"""
        self.marks: dict[int, Any] = {}
        """rows in memory with marks that loops share, by index: `spatial/loops/entry_table.py`"""
        self.arguments: list[list[Expr]] = []
        """symbols that were created together"""
        self.spans: dict[int, tuple[float, float]] = {}
        """ranges of integer symbols"""
        self.zero = self._new("constant", (), 0.0, None)

    def _new(self, op: str, args: tuple[Expr, ...], value: float | None, name: str | None) -> Expr:
        node = Expr.__new__(Expr)
        node.graph, node.op, node.args, node.value, node.name = self, op, args, value, name
        node.index = self.count
        self.count += 1
        return node

    def constant(self, value: Any) -> Expr:
        """Return the expression of a number."""
        try:
            value = float(value)
        except OverflowError:
            raise ExpressionError(f"an integer of {len(str(value))} digits is too large for a float") from None
        if value == 0.0 and math.copysign(1.0, value) > 0.0:
            return self.zero
        key = value if value != 0.0 and value == value else struct.pack("<d", value)  # −0.0 and NaN by their bits
        node = self._constants.get(key)
        if node is None:
            node = self._constants[key] = self._new("constant", (), value, None)
        return node

    def symbol(self, name: str) -> Expr:
        """Return a new input; two inputs of the same name are different."""
        return self._new("symbol", (), None, name)

    def symbols(self, name: str, shape: int | tuple[int, ...]) -> np.ndarray:
        """Return an array of new inputs, named ``name[i]``, ``name[i,j]``, …"""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        limit = MOST_SYMBOLS if self.limit is None else self.limit
        if self.count + math.prod(shape) > limit:
            raise TooLargeError(f"{name} has {math.prod(shape)} entries; there may be {limit} expressions in all")
        result = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            result[place] = self.symbol(f"{name}[{','.join(map(str, place))}]")
        if result.size:
            self.arguments.append(list(result.flat))
        return result.view(SymbolArray)

    def array(self, entries: Sequence[Expr]) -> np.ndarray:
        """Return these expressions as an array."""
        result = np.empty(len(entries), dtype=object)
        result[:] = entries
        return result.view(SymbolArray)

    def taken(self, rows: Any, places: Any) -> Any:
        """Return entries of an array's first axis at computed indices: `tables.py`."""
        from linkwright.expression.loops.tables import taken

        return taken(self, rows, places)

    def row(self, entries: Sequence[Any], changing: bool = False) -> Expr:
        """Return a row of these entries in memory; ``changing``: whether it may be modified."""
        from linkwright.expression.loops import tables

        found = [self.coerce(x) for x in entries]
        return tables.begun(self, found) if changing else tables.in_memory(self, found)

    def room(self, size: int) -> Expr:
        """Return a row whose entries are all written before one is read."""
        from linkwright.expression.loops import tables

        return tables.room(self, size)

    def entry(self, row: Expr, place: Any, turn: int = 0) -> Expr:
        """Return an entry of a row at an integer index in its range; ``turn``: see `tables.py`."""
        from linkwright.expression.loops import tables

        return tables.take(row, self.coerce(place), turn)

    def put(self, row: Expr, place: Any, x: Any) -> Expr:
        """Return the row with another entry at an index."""
        from linkwright.expression.loops import tables

        return tables.put(row, self.coerce(place), self.coerce(x))

    def repeated(self, *arguments: Any) -> list[Expr]:
        """Return the states after steps that are traced once: `repeats.py`."""
        from linkwright.expression.loops.repeats import repeated

        return repeated(self, *arguments)

    def repeat(self, what: Repeat, arguments: Sequence[Expr], results: int) -> list[Expr]:
        """Return the results of a loop from these arguments: initial states, then captured values."""
        node = self._limited("repeat", tuple(arguments))
        self.repeats[node.index] = what
        self.begun[node.index] = what, tuple(arguments[: len(what.state)])
        items = [self.item(node, k) for k in range(results)]
        for item, start in zip(items, arguments[: len(what.state)], strict=False):
            if start.index in self.rows:
                self.rows[item.index] = self.rows[start.index]._replace(data=None)
        return items

    def item(self, repetition: Expr, which: int) -> Expr:
        """Return one of a loop's results, or an entry of a row."""
        place = self.constant(which)
        return self.node("item", (repetition, place), ("item", repetition.index, place.index))

    @staticmethod
    def is_condition(x: Expr) -> bool:
        """Return whether an expression is structurally 0 or 1."""
        rest, seen = [x], {x.index}
        while rest:
            node = rest.pop()
            if node.op == "where":
                rest += [a for a in node.args[1:] if a.index not in seen]
                seen.update(a.index for a in node.args[1:])
            elif node.op not in CONDITIONS and node.value not in (0.0, 1.0):
                return False
        return True

    def coerce(self, x: Any) -> Expr:
        """Return ``x`` as an expression of this graph."""
        if type(x) is Expr:
            if x.graph is not self:
                return self.refuse(ExpressionError(MIXED))
            return x
        if isinstance(x, (float, int, np.floating, np.integer, np.bool_)):
            return self.constant(x)
        if isinstance(x, SymbolArray) and x.ndim == 0:  # result of np.dot
            return self.coerce(x[()])
        return self.refuse(ExpressionError(f"an expression cannot be combined with {x!r} of type {type(x).__name__}"))

    def refuse(self, failure: Exception) -> Expr:
        """Raise an error, now or at the next safe point.

        NumPy's matrix product of object arrays corrupts memory when an element's + or * raises. Inside one,
        the error is stored and raised by the next operation of another kind, or when a program is made.
        """
        if not _inside_matrix_product():
            raise failure
        self.failure = self.failure or failure
        return self.zero

    def raise_failure(self) -> NoReturn:
        """Raise the stored error. It stays stored, and no expression can be added to this trace."""
        assert self.failure is not None
        raise self.failure

    def apply(self, op: str, *args: Expr) -> Expr:
        """Apply an operation to expressions of this graph, with constant folding and simplification."""
        if len(args) == 2:
            return self.apply_two(op, *args)
        if self.failure is not None:
            self.raise_failure()
        if None not in [x.value for x in args]:
            with np.errstate(all="ignore"):
                return self.constant(OPERATIONS[op].evaluate(*(x.value for x in args)))
        rule = RULES.get(op)
        if rule is not None and (simpler := rule(*args)) is not None:
            return simpler
        return self.node(op, args, (op, *(x.index for x in args)))

    def apply_two(self, op: str, x: Expr, y: Expr) -> Expr:
        """Apply an operation to two arguments: the most frequent case, in which a trace spends most of its time."""
        if self.failure is not None:
            if op in _OF_PRODUCTS:
                return self.zero
            self.raise_failure()
        if x.value is not None and y.value is not None:
            if (exactly := _OF_FLOATS.get(op)) is not None:
                return self.constant(exactly(x.value, y.value))
            with np.errstate(all="ignore"):
                return self.constant(OPERATIONS[op].evaluate(x.value, y.value))
        if x.value is not None and op in COMMUTATIVE:
            x, y = y, x  # order of operators
        rule = RULES.get(op)
        try:
            if rule is not None and (simpler := rule(x, y)) is not None:
                return simpler
        except TooLargeError as failure:  # a rule may replace a product by another operation
            if op in _OF_PRODUCTS:
                return self.refuse(failure)
            raise
        if op in COMMUTATIVE and (x.index > y.index) != (y.value is not None):
            x, y = y, x  # constants first, then by creation
        return self.node(op, (x, y), (op, x.index, y.index))

    def node(self, op: str, args: tuple[Expr, ...], key: tuple[Any, ...]) -> Expr:
        """Return the unique node of a key."""
        node = self._nodes.get(key)
        if node is None:
            if self.limit is not None and self.count > self.limit:
                node = self._limited(op, args)
            else:  # as `_new`, without its call: it is made for nearly each operation of a trace
                node = Expr.__new__(Expr)
                node.graph, node.op, node.args, node.value, node.name = self, op, args, None, None
                node.index = self.count
                self.count += 1
            self._nodes[key] = node
        return node

    def release(self) -> None:
        """Forget all nodes after a program is built: without cycles they are freed at once, without the collector."""
        memories = (self._nodes, self._constants, self.repeats, self.begun, self.rows, self.marks, self.spans)
        for known in (*memories, self.arguments):
            known.clear()

    def known(self, key: tuple[Any, ...]) -> Expr | None:
        """Return the node of a key, if it exists."""
        return self._nodes.get(key)

    def _limited(self, op: str, args: tuple[Expr, ...]) -> Expr:
        if self.limit is not None and self.count > self.limit:
            return self.refuse(TooLargeError(f"more than {self.limit} expressions"))
        return self._new(op, args, None, None)


_OF_PRODUCTS = ("add", "mul")
"""Operations of a matrix product."""

_OF_FLOATS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
"""Operations on Python floats with NumPy's results, without overflow errors."""


def _inside_matrix_product() -> bool:
    """Return whether the calling code may be a matrix product: anything but another operator."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename in _OWN_FILES and frame.f_back is not None:
        frame = frame.f_back
    return operator_at(frame) in (None, ast.MatMult)


_OWN_FILES = (__file__, *(one.__code__.co_filename for one in (RULES["add"], SymbolArray.__matmul__)))


@dataclass(frozen=True, eq=False)
class Repeat:
    """Loop of a node "repeat", which maps a state to the next.

    Its arguments are the initial states, then ``captured``; its items are the final states, then the number of
    steps, then the stored states in order. A row stops where ``stop`` is not zero.
    """

    number: Expr
    """symbol of the number of previous steps"""
    state: tuple[Expr, ...]
    """symbols"""
    after: tuple[Expr, ...]
    """state after a step"""
    stop: Expr | None
    """condition on the state; None for a fixed number of steps"""
    captured: tuple[Expr, ...]
    """values that a step uses and does not change"""
    count: int
    """largest number of steps"""
    keep: int
    """number of steps between stored states; 0: none are stored"""
    independent: bool = False
    """whether steps may run in any order, or together: see :func:`linkwright.spatial.loops.repeats.for_each`"""


SYMBOL_AS_INDEX = (
    "a symbol cannot be an index in square brackets, nor be converted by int(), since the function is evaluated once; "
    "linkwright.take(array, k) takes the k-th entry, linkwright.where(k < …, a, b) chooses by value"
)


def _operand(x: Expr, y: Any) -> Any:
    """Return ``y`` as an expression of the graph of ``x``; NotImplemented for arrays, so that NumPy broadcasts."""
    if hasattr(y, "__array_ufunc__"):
        return NotImplemented
    return x.graph.coerce(y)


class Expr:
    """Node: an operation on earlier nodes, a constant or an input. Made by a :class:`Graph`."""

    __slots__ = ("args", "graph", "index", "name", "op", "value")
    graph: Graph
    op: str
    args: tuple[Expr, ...]
    value: float | None
    name: str | None
    index: int

    def __add__(self, y: Any) -> Any:
        graph = self.graph
        if y is graph.zero:  # the most frequent term in matrix notation
            return self
        if type(y) is not Expr or y.graph is not graph:
            if (y := _operand(self, y)) is NotImplemented:
                return y
        return y if self is graph.zero else graph.apply_two("add", self, y)

    __radd__ = __add__

    def __sub__(self, y: Any) -> Any:
        if y is self.graph.zero:
            return self
        if type(y) is not Expr or y.graph is not self.graph:
            if (y := _operand(self, y)) is NotImplemented:
                return y
        return self.graph.apply_two("sub", self, y)

    def __rsub__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("sub", y, self)

    def __mul__(self, y: Any) -> Any:
        graph = self.graph
        zero = graph.zero
        if y is zero:
            return zero
        if type(y) is not Expr or y.graph is not graph:
            if type(y) is float and y == 0.0:  # the most frequent product in matrix notation
                return zero
            if (y := _operand(self, y)) is NotImplemented:
                return y
        return zero if self is zero else graph.apply_two("mul", self, y)

    __rmul__ = __mul__

    def __truediv__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("div", self, y)

    def __rtruediv__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("div", y, self)

    def __pow__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("pow", self, y)

    def __rpow__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("pow", y, self)

    def __neg__(self) -> Expr:
        return self.graph.apply("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.graph.apply("abs", self)

    # comparisons return 1.0 or 0.0, for where()
    def __lt__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("less", self, y)

    def __le__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("less_equal", self, y)

    def __gt__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("less", y, self)

    def __ge__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else self.graph.apply("less_equal", y, self)

    def __eq__(self, y: object) -> Any:
        if self is y:
            return True
        raise ExpressionError("expressions cannot be compared with ==; use where(abs(x - y) < tolerance, a, b)")

    __hash__ = object.__hash__

    # operators of conditions, which NumPy calls for elements
    def __and__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else _condition(self).where(_condition(y), 0.0)

    __rand__ = __and__

    def __or__(self, y: Any) -> Any:
        return y if (y := _operand(self, y)) is NotImplemented else _condition(self).where(1.0, _condition(y))

    __ror__ = __or__

    def __invert__(self) -> Expr:
        return _condition(self).where(0.0, 1.0)

    def __bool__(self) -> bool:
        raise ExpressionError(
            "A condition on symbols is neither true nor false: if cannot depend on q, v, t and other arguments of "
            f"compiled functions and controllers; use lw.where(condition, a, b){calling_line()}. The same holds for "
            "and, or, not, while, min(), max(), np.minimum and np.maximum: use & | ~, lw.minimum, lw.maximum, lw.clip "
            "or lw.sign. Arrays of symbols from np.array() are compared after lw.stack(array)"
        )

    def __float__(self) -> float:
        if self.value is not None:
            return self.value
        raise ExpressionError(
            f"A compiled function cannot convert a symbol to a number{calling_line()}. Use np.sin, not math.sin; "
            "and lw.stack([a, b]), not assignment to entries of an array"
        )

    def __index__(self) -> int:
        self.graph.indexed = True
        raise ExpressionError(SYMBOL_AS_INDEX)

    # names under which NumPy looks for these functions on object arrays
    def sqrt(self) -> Expr:
        return self.graph.apply("sqrt", self)

    def inverse_root(self) -> Expr:
        return self.graph.apply("inverse_root", self)

    def sin(self) -> Expr:
        return self.graph.apply("sin", self)

    def cos(self) -> Expr:
        return self.graph.apply("cos", self)

    def tan(self) -> Expr:
        return self.graph.apply("tan", self)

    def arcsin(self) -> Expr:
        return self.graph.apply("asin", self)

    def arccos(self) -> Expr:
        return self.graph.apply("acos", self)

    def arctan(self) -> Expr:
        return self.graph.apply("atan2", self, self.graph.constant(1.0))

    def arctan2(self, x: Any) -> Expr:
        return self.graph.apply("atan2", self, self.graph.coerce(x))

    def rarctan2(self, y: Any) -> Expr:
        return self.graph.apply("atan2", self.graph.coerce(y), self)

    def exp(self) -> Expr:
        return self.graph.apply("exp", self)

    def log(self) -> Expr:
        return self.graph.apply("log", self)

    def tanh(self) -> Expr:
        return self.graph.apply("tanh", self)

    def cosh(self) -> Expr:
        return 0.5 * (self.exp() + (-self).exp())

    def sinh(self) -> Expr:
        return self.tanh() * self.cosh()

    def log2(self) -> Expr:
        return self.log() / math.log(2.0)

    def log10(self) -> Expr:
        return self.log() / math.log(10.0)

    def hypot(self, y: Any) -> Expr:
        return (self * self + y * y).sqrt()

    def deg2rad(self) -> Expr:
        return self * (math.pi / 180.0)

    def rad2deg(self) -> Expr:
        return self * (180.0 / math.pi)

    radians, degrees = deg2rad, rad2deg

    def fabs(self) -> Expr:
        return abs(self)

    def __floor__(self) -> Expr:
        return self.graph.apply("floor", self)

    def __ceil__(self) -> Expr:
        return -self.graph.apply("floor", -self)

    def rint(self) -> Expr:
        return self.graph.apply("round", self)

    def sign(self) -> Expr:
        return self.graph.apply("sign", self)

    def held(self, how: str = "held") -> Expr:
        """Return this as a constant for derivatives; ``how``: "held", or "held_twice" or "held_once"."""
        return self.graph.apply(how, self)

    def defined(self, y: Any, condition: Any) -> Expr:
        """Return this, with derivatives that are NaN, by what y depends on, where the condition does not hold."""
        return self.graph.apply("defined", self, self.graph.coerce(y), self.graph.coerce(condition))

    def minimum(self, y: Any) -> Expr:
        return self.graph.apply("min", self, self.graph.coerce(y))

    def maximum(self, y: Any) -> Expr:
        return self.graph.apply("max", self, self.graph.coerce(y))

    def where(self, a: Any, b: Any) -> Expr:
        """Return ``a`` where this is nonzero, else ``b``."""
        return self.graph.apply("where", self, self.graph.coerce(a), self.graph.coerce(b))

    def conjugate(self) -> Expr:
        return self

    @property
    def unlimited(self) -> bool:
        """Whether no square of this underflows or overflows: an expression of SymPy."""
        return self.graph.unlimited

    def sympy(self) -> Any:
        """Return the expression as one of SymPy; symbols keep their names and are real."""
        from linkwright.expression.sympy.conversion import to_sympy

        return to_sympy([self])[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return numpy_function(function, args, kwargs)

    def __repr__(self) -> str:
        if self.graph.failure is not None:
            return f"<invalid: {self.graph.failure}>"
        text = _text(self, depth=4)
        return text if len(text) < 200 else f"{text[:200]}…"


def _condition(x: Expr) -> Expr:
    """Return the expression if it is structurally 0 or 1."""
    if not x.graph.is_condition(x):
        raise ExpressionError(f"& | ~ are for conditions, such as x < 1.0; got {x!r}")
    return x


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "less": "<", "less_equal": "<=", "pow": "**"}


def _text(x: Expr, depth: int) -> str:
    """Return a readable text, truncated at some depth (graphs can be very large)."""
    if x.value is not None:
        return repr(x.value)
    if x.name is not None:
        return x.name
    if depth == 0:
        return "…"
    args = [_text(a, depth - 1) for a in x.args]
    if x.op in _INFIX:
        return f"({args[0]} {_INFIX[x.op]} {args[1]})"
    return f"-{args[0]}" if x.op == "neg" else f"{x.op}({', '.join(args)})"
