"""Rows of numbers in a trace: tables that are read at computed indices, products of large matrices.

Nodes of these operations stand for a row of numbers (`Graph.rows` contains its length):

- "numbers": constants; "array": an argument of the function; "table": expressions;
- "part" (row): every n-th of its entries; "kept" (loop, which): the stored values of one of its states;
- "zeros": a row to be modified; "room": a row whose entries are all written before they are read;
- "added" (row, index, x): with x added to one entry; "put" (row, index, x): with x as one entry;
- "product" (A, x): A x; "outer" (row, y, x): with the products of all pairs of entries added.

A modified row is used once, so that the same memory contains it before and after. "take" (row, index) and "item"
(row, number) return one entry: the index is an integer within the row, or NaN, which gives NaN.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.expression.graph import Expr, Graph
from linkwright.expression.symbols import SymbolArray

Span = tuple[float, float]


class ConstantTable:
    """Constants, identified by their bytes."""

    def __init__(self, entries: Sequence[float] | np.ndarray):
        self.entries = np.array(entries, dtype=np.float64)
        self.digest = hashlib.sha256(self.entries.tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstantTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ConstantTable({self.digest})"

    @property
    def whole(self) -> bool:
        """Whether all are integers, which indices may be."""
        return bool(np.all((self.entries == np.rint(self.entries)) & (np.abs(self.entries) < 2.0**52)))


class EntryRange(NamedTuple):
    """Range of entries of a row."""

    first: int
    step: int
    size: int


class MatrixLayout(NamedTuple):
    """Layout of a matrix in a row."""

    height: int
    width: int
    down: int
    """number of entries from one to the one below it"""
    right: int
    first: int = 0


class RowNode(NamedTuple):
    """Parameters of a node of a row, in addition to its arguments."""

    size: int
    data: Any = None
    """:class:`ConstantTable`, the symbols of an argument, :class:`EntryRange`, the index of a state, or
    :class:`MatrixLayout`"""


def is_row(x: Expr) -> bool:
    """Return whether a node stands for a row of numbers."""
    return x.index in x.graph.rows


def size_of(x: Expr) -> int:
    """Return the number of entries."""
    row: RowNode = x.graph.rows[x.index]
    return row.size


def _row(graph: Graph, op: str, args: tuple[Expr, ...], row: RowNode, key: Any) -> Expr:
    node = graph.node(op, args, (op, *(x.index for x in args), key))
    graph.rows[node.index] = row
    return node


def numbers(graph: Graph, entries: Sequence[float] | np.ndarray) -> Expr:
    """Return a row of constants."""
    made = ConstantTable(entries)
    return _row(graph, "numbers", (), RowNode(len(made.entries), made), made)


def table(graph: Graph, entries: Sequence[Expr]) -> Expr:
    """Return a row of these entries: constants, consecutive entries of an argument, or any expressions."""
    first = entries[0].index
    if all(x.value is not None for x in entries):
        return numbers(graph, [x.value for x in entries])  # type: ignore[misc]
    if entries[0].op == "symbol" and all(x.index == k for k, x in enumerate(entries, first)):
        found = argument_of(graph, first)
        if found is not None and first - found[0].index + len(entries) <= len(found):
            whole = _row(graph, "array", (), RowNode(len(found), found), found[0].index)
            return part(whole, EntryRange(first - found[0].index, 1, len(entries)))
    if (known := _kept_column(graph, entries)) is not None:
        return known
    return in_memory(graph, entries)


def _kept_column(graph: Graph, entries: Sequence[Expr]) -> Expr | None:
    """Return the row of a loop's stored states, or a part of it, if the entries are these."""
    first = entries[0]
    if first.op != "item" or first.args[0].op != "repeat" or len(entries) < 2:
        return None
    size, node = len(graph.repeats[first.args[0].index].state), first.args[0]
    row, state = divmod(_which(first) - size - 1, size)
    if row < 0 or any(
        x.op != "item" or x.args[0] is not node or _which(x) != _which(first) + k * size for k, x in enumerate(entries)
    ):
        return None
    return part(kept(node, state), EntryRange(row, 1, len(entries)))


def _which(item: Expr) -> int:
    number = item.args[1].value
    assert number is not None
    return int(number)


def in_memory(graph: Graph, entries: Sequence[Expr]) -> Expr:
    """Return a separate row of these entries, which is faster to read repeatedly than an argument of each lane."""
    if all(x.value is not None for x in entries):
        return numbers(graph, [x.value for x in entries])  # type: ignore[misc]
    return _row(graph, "table", tuple(entries), RowNode(len(entries)), len(entries))


def argument_of(graph: Graph, index: int) -> list[Expr] | None:
    """Return the symbols of the argument that contains a symbol."""
    place = bisect_right(graph.arguments, index, key=lambda one: one[0].index) - 1
    return graph.arguments[place] if place >= 0 else None


def unit(graph: Graph, size: int, number: int) -> Expr:
    """Return a row of zeros with a single one; all such rows of a size are parts of one row."""
    ones = np.zeros(2 * size - 1)
    ones[size - 1] = 1.0
    return part(numbers(graph, ones), EntryRange(size - 1 - number, 1, size))


def rooted(row: Expr, place: Any) -> tuple[Expr, Any]:
    """Return the row of which another is a part, and the corresponding index."""
    if row.op != "part":
        return row, place
    data: EntryRange = row.graph.rows[row.index].data
    return row.args[0], place * data.step + data.first


def part(row: Expr, which: EntryRange) -> Expr:
    """Return some entries of a row."""
    if which == EntryRange(0, 1, size_of(row)):
        return row
    if row.op == "part":
        first, step, _ = row.graph.rows[row.index].data
        return part(row.args[0], EntryRange(first + step * which.first, step * which.step, which.size))
    return _row(row.graph, "part", (row,), RowNode(which.size, which), which)


def kept(repetition: Expr, state: int) -> Expr:
    """Return the stored values of one of a loop's states."""
    what = repetition.graph.repeats[repetition.index]
    return _row(repetition.graph, "kept", (repetition,), RowNode(what.count // what.keep, state), state)


def known_kept(repetition: Expr, state: int) -> Expr | None:
    """Return the same if it exists."""
    return repetition.graph.known(("kept", repetition.index, state))


def zeros(graph: Graph, size: int) -> Expr:
    """Return a row of zeros to be modified."""
    return _row(graph, "zeros", (), RowNode(size), graph.count)


def nothing(x: Expr) -> Expr:
    """Return zero, or a row of zeros of the same length."""
    return zeros(x.graph, size_of(x)) if is_row(x) else x.graph.zero


def symbol(graph: Graph, name: str, size: int) -> Expr:
    """Return a state that is a row."""
    made = graph.symbol(name)
    graph.rows[made.index] = RowNode(size)
    return made


def begun(graph: Graph, entries: Sequence[Expr]) -> Expr:
    """Return a row of these entries to be modified."""
    row = room(graph, len(entries))
    for k, x in enumerate(entries):
        row = put(row, graph.constant(k), x)
    return row


def room(graph: Graph, size: int) -> Expr:
    """Return a row whose entries are written before they are read."""
    return _row(graph, "room", (), RowNode(size), graph.count)


def added(row: Expr, place: Expr, x: Expr) -> Expr:
    """Return the row with a number added to one of its entries."""
    return _row(row.graph, "added", (row, place, x), RowNode(size_of(row)), None)


def put(row: Expr, place: Expr, x: Expr) -> Expr:
    """Return the row with another number at an integer index in its range."""
    return _row(row.graph, "put", (row, place, x), RowNode(size_of(row)), None)


def product(A: Expr, x: Expr, sides: MatrixLayout) -> Expr:
    """Return A x as a row."""
    return _row(A.graph, "product", (A, x), RowNode(sides.height, sides), sides)


def outer(row: Expr, y: Expr, x: Expr, sides: MatrixLayout) -> Expr:
    """Return the row of a matrix with y xᵀ added."""
    return _row(row.graph, "outer", (row, y, x), RowNode(size_of(row), sides), sides)


def entry(row: Expr, number: int) -> Expr:
    """Return one entry."""
    data: Any = row.graph.rows[row.index].data
    if row.op == "part":
        return entry(row.args[0], data.first + data.step * number)
    if row.op == "table":
        return row.args[number]
    if row.op == "numbers":
        return row.graph.constant(data.entries[number])
    if row.op == "array":
        symbols: list[Expr] = data
        return symbols[number]
    return row.graph.zero if row.op == "zeros" else row.graph.item(row, number)


def entries(row: Expr) -> list[Expr]:
    """Return all entries."""
    return [entry(row, k) for k in range(size_of(row))]


def take(row: Expr, place: Expr, turn: int = 0) -> Expr:
    """Return the entry at an index that is an integer in range, or NaN.

    ``turn``: a number that forces another read, instead of a register that keeps the entry.
    """
    if place.value is not None:
        return entry(row, int(place.value)) if place.value == place.value else place
    found = row.graph.node("take", (row, place), ("take", row.index, place.index, turn))
    root, first = rooted(row, 0)
    if root.op == "numbers" and found.index not in row.graph.spans and row.graph.rows[root.index].data.whole:
        step = 1 if root is row else row.graph.rows[row.index].data.step
        some = row.graph.rows[root.index].data.entries[first::step][: size_of(row)]
        row.graph.spans[found.index] = (float(some.min()), float(some.max()))
    return found


def again(graph: Graph, op: str, args: Sequence[Expr], data: Any) -> Expr:
    """Return the same operation on other arguments, with the parameters of a program."""
    if op == "numbers":
        return _row(graph, op, (), RowNode(len(data.entries), data), data)
    if op in ("zeros", "room"):
        return zeros(graph, data) if op == "zeros" else room(graph, data)
    if op == "table":
        return in_memory(graph, args)
    return _AGAIN[op](*args, *(() if data is None else (data,)))


def placed(place: Expr, size: int) -> Expr:
    """Return the nearest integer in the range of a row of this size."""
    known = span(place)
    if known is None:
        place = place.rint()
    if known is None or known[0] < 0.0:
        place = place.maximum(0.0)
    if known is None or known[1] > size - 1.0:
        place = place.minimum(size - 1.0)
    return place


def span(x: Expr, depth: int = 4) -> Span | None:
    """Return the range of an expression that is certainly an integer; the search has a limited depth."""
    if x.value is not None:
        return (x.value, x.value) if x.value == np.rint(x.value) and abs(x.value) < 2.0**52 else None
    found: Span | None = x.graph.spans.get(x.index)
    if found is not None or not depth or x.op not in ("add", "sub", "mul", "neg", "min", "max"):
        return found
    left, right = span(x.args[0], depth - 1), span(x.args[-1], depth - 1)
    if left is None or right is None:
        return None
    (a, b), (c, d) = left, right
    if x.op == "add":
        return a + c, b + d
    if x.op == "sub":
        return a - d, b - c
    if x.op == "neg":
        return -b, -a
    if x.op in ("min", "max"):
        chosen = min if x.op == "min" else max
        return chosen(a, c), chosen(b, d)
    ends = [y * z for y in (a, b) for z in (c, d)]
    return min(ends), max(ends)


def taken(graph: Graph, rows: Any, places: Any) -> Any:
    """Return ``rows[places]``, the first axis at computed indices: shape ``places.shape + rows.shape[1:]``."""
    rows, places = np.asarray(rows), np.asarray(places)
    size, shape = len(rows), rows.shape[1:]
    width = int(np.prod(shape, dtype=int))
    columns = _columns(graph, rows.reshape(size, width))
    result = np.empty((places.size, width), dtype=object)
    for number, place in enumerate(places.flat):
        at = placed(graph.coerce(place), size)
        result[number] = [take(column, at) for column in columns]
    result = result.reshape(places.shape + shape)
    return result.view(SymbolArray) if result.shape else result[()]


def _columns(graph: Graph, table_of: np.ndarray) -> list[Expr]:
    """Return the columns of a table as rows: parts of one row, or stored states of a loop."""
    size, width = table_of.shape
    if table_of.dtype != object:
        whole = numbers(graph, table_of.reshape(-1).astype(np.float64))
    else:
        entries = [graph.coerce(x) for x in table_of.reshape(-1)]
        known = [_kept_column(graph, entries[k::width]) for k in range(width)]
        if all(x is not None for x in known):
            return [x for x in known if x is not None]
        whole = table(graph, entries)
    return [part(whole, EntryRange(k, width, size)) for k in range(width)]


_AGAIN: dict[str, Callable[..., Expr]] = {
    "part": part,
    "kept": kept,
    "added": lambda row, place, x, _: added(row, place, x),
    "put": lambda row, place, x, _: put(row, place, x),
    "product": product,
    "outer": outer,
    "take": take,
}
