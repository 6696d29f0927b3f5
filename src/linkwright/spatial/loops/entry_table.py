"""Tables of numbers and symbols, which loops of a trace read by the index of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.memory import MemoryEntry, plain, read, write
from linkwright.spatial.loops.repeats import for_each, repeat, symbol_among, when

MANY = 12
"""Number of rows of symbols from which a loop is faster"""

BLOCK = 8
"""Number of consecutive rows that are passed over together where none is marked"""

PASSED_OVER = 8
"""Number of blocks from which they are, and from which blocks are passed over in groups of as many"""


class EntryTable:
    """Rows of numbers, read by the index of a row.

    Numbers that all rows share are not in the table; entries of one row of memory are read in place. ``graph``: of the
    trace; None outside of traces, where all entries and indices are numbers.
    """

    def __init__(self, graph: Any, rows: Sequence[Sequence[Any]]):
        self.graph, self.width = graph, len(rows[0])
        found: list[Any] = []
        own: list[int] = []
        for k in range(self.width):
            column = [row[k] for row in rows]
            known = plain(column[0]) if all(_same(column[0], x) for x in column) else _in_place(graph, column)
            found.append(known)
            if known is None:
                own.append(k)
        self.found = found
        entries = [plain(row[k]) for row in rows for k in own]
        table: Any = np.array(entries, dtype=float) if graph is None else graph.row(entries) if own else None
        for i, k in enumerate(own):
            found[k] = _MemoryColumn(table, i, len(own))

    def one(self, k: Any, column: int, turn: int = 0) -> Any:
        """Return a number of row k; ``turn``: a count that forces another read."""
        found = self.found[column]
        return found.read(self.graph, k, turn) if isinstance(found, _MemoryColumn) else found

    def some(self, k: Any, first: int, count: int) -> Array:
        """Return consecutive numbers of row k."""
        return np.stack([self.one(k, column) for column in range(first, first + count)])


class NumberTable:
    """Rows of numbers, read by the index of a row and that of a column, both of which may be symbols."""

    def __init__(self, graph: Any, rows: Sequence[Sequence[float]]):
        self._graph, self._width = graph, len(rows[0])
        self._row = graph.row([float(x) for row in rows for x in row])

    def one(self, k: Any, column: Any) -> Any:
        """Return a number of row k."""
        return self._graph.entry(self._row, k * float(self._width) + column)


def pass_over(count: int) -> bool:
    """Return whether passing over blocks of unmarked rows saves time."""
    return count >= PASSED_OVER * BLOCK


class TableRow(Sequence[Any]):
    """Row k of a table, whose entries are read where they are used."""

    def __init__(self, table: EntryTable, k: Any):
        self._table, self._k = table, k

    def __len__(self) -> int:
        return self._table.width

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return np.stack([self._table.one(self._k, i) for i in range(len(self))[place]])
        return self._table.one(self._k, range(len(self))[place])


class MarkedRows:
    """Rows that are marked in some lanes, found by blocks.

    ``mark``: returns 1 for the index of a marked row, 0 for others, or ½ for one that is visited all the same.
    """

    def __init__(self, graph: Any, count: int, mark: Callable[[Any], Any]):
        def padded(count: int, entry: Callable[[Any], Any]) -> Any:
            row = graph.room(-(-count // BLOCK) * BLOCK)
            row = for_each(count, lambda k, row: graph.put(row, k, entry(k)), row)
            for k in range(count, -(-count // BLOCK) * BLOCK):
                row = graph.put(row, float(k), 0.0)
            return row

        def largest(row: Any, b: Any) -> Any:
            return reduce(maximum, (graph.entry(row, b * BLOCK + i) for i in range(BLOCK)))

        self._graph = graph
        self._levels = [padded(count, mark)]
        """marks of rows, of blocks, of groups of blocks and so on"""
        self._counts = [count]
        while self._counts[-1] >= PASSED_OVER * BLOCK or len(self._counts) == 1:
            self._counts.append(-(-self._counts[-1] // BLOCK))
            self._levels.append(padded(self._counts[-1], partial(largest, self._levels[-1])))

    def mark(self, k: Any) -> Any:
        """Return the mark of row k."""
        return self._graph.entry(self._levels[0], k)

    def largest(self) -> Any:
        """Return the largest mark."""
        top = self._levels[-1]
        return repeat(
            self._counts[-1], lambda b, most: maximum(most, self._graph.entry(top, b)), self._graph.coerce(0.0)
        )

    def each(self, visit: Callable[..., Any], *state: Any, on: Any = None) -> Any:
        """Return the state after ``visit(k, *state)`` for each row in turn of the blocks with a marked one.

        ``on``: lanes whose marks count, or None for all.

        The last block may have more rows, which are not marked: a visit reads others only where :meth:`mark` is 1.
        """
        return self._visited(repeat, lambda b: b * BLOCK, visit, on, *state)

    def for_each(self, visit: Callable[..., Any], *rows: Any) -> Any:
        """Do the same for independent visits, which change rows in memory; the last block has only rows that exist."""
        last = float(self._counts[0] - BLOCK)
        return self._visited(for_each, lambda b: minimum(b * BLOCK, last), visit, None, *rows)

    def _visited(
        self, loop: Callable[..., Any], first: Callable[[Any], Any], visit: Callable[..., Any], on: Any, *state: Any
    ) -> Any:
        def within(level: int, b: Any, *state: Any) -> Any:
            """Return the state after the visits of block b of a level, if it is marked."""

            def rows() -> Any:
                if level == 1:
                    return loop(BLOCK, lambda i, *state: visit(first(b) + i, *state), *state)
                return repeat(BLOCK, lambda i, *state: within(level - 1, b * BLOCK + i, *state), *state)

            marked = self._graph.entry(self._levels[level], b) > 0.0
            return when(marked if on is None else marked & on, rows, *state)

        top = len(self._levels) - 1
        return repeat(self._counts[top], lambda b, *state: within(top, b, *state), *state)


class _MemoryColumn(NamedTuple):
    """Entries in a row of memory: at a constant stride, or at ``first`` and an offset."""

    row: Any
    first: int
    step: int
    offsets: Any = None
    """row of constants"""

    def read(self, graph: Any, k: Any, turn: int) -> Any:
        """Return entry k."""
        if graph is None:
            return self.row[int(k) * self.step + self.first]
        offset = k * float(self.step) if self.offsets is None else graph.entry(self.offsets, k)
        return graph.entry(self.row, offset + float(self.first), turn)


def _in_place(graph: Any, column: Sequence[Any]) -> _MemoryColumn | None:
    """Return where the entries are, if all are in one row of memory."""
    if len(column) < 2:
        return None
    if all(isinstance(x, MemoryEntry) and x.row is column[0].row for x in column):
        row, places = column[0].row, [x.place for x in column]
    else:
        if any(getattr(x, "op", "") != "item" for x in column):
            return None
        row = column[0].args[0]
        if row.index not in graph.rows or any(x.args[0] is not row for x in column):
            return None
        places = [int(x.args[1].value) for x in column]
    first, step = places[0], places[1] - places[0]
    if np.all(np.diff(places) == step):
        return _MemoryColumn(row, first, step)
    return _MemoryColumn(row, first, 0, graph.row([float(place - first) for place in places]))


def mapped(
    f: Callable[[Any], Sequence[Any]], rows: Sequence[Sequence[Any]], size: int, marks: Sequence[Any] | None = None
) -> list[Array]:
    """Return f(row) (size,) of each row (k,); of many rows with symbols in a loop.

    ``marks``: 1 where the result is needed, else 0; it may be undefined elsewhere.
    """
    table = _table_in_loop(rows)
    if table is None:
        return [np.stack(list(f(np.stack([plain(x) for x in row])))) for row in rows]

    def visit(k: Any, found: Any) -> Any:
        return write(found, k * float(size), f(TableRow(table, k)))

    found = table.graph.room(len(rows) * size)
    if marks is not None and pass_over(len(rows)):
        own = EntryTable(table.graph, [[mark] for mark in marks])
        marked = MarkedRows(table.graph, len(rows), lambda k: own.one(k, 0))
        found = marked.for_each(lambda k, found: when(marked.mark(k) > 0.5, lambda: visit(k, found), found), found)
    else:
        found = for_each(len(rows), visit, found)
    return [read(found, float(k * size), size) for k in range(len(rows))]


def largest_of(f: Callable[[Any], Any], rows: Sequence[Sequence[Any]]) -> Any:
    """Return the largest f(row) of rows (k,) of numbers, and 0 if all are less; of many rows with symbols in a loop."""
    table = _table_in_loop(rows)
    if table is None:
        return reduce(maximum, [f(np.stack([plain(x) for x in row])) for row in rows], 0.0)
    if pass_over(len(rows)):
        return MarkedRows(table.graph, len(rows), lambda k: f(TableRow(table, k))).largest()
    return repeat(len(rows), lambda k, most: maximum(most, f(TableRow(table, k))), table.graph.coerce(0.0))


def _table_in_loop(rows: Sequence[Sequence[Any]]) -> EntryTable | None:
    """Return the table of many rows with symbols; None for few rows, and for numbers."""
    symbol = symbol_among([np.array(row, dtype=object) for row in rows[:1]])
    return None if symbol is None or len(rows) < MANY else EntryTable(symbol.graph, rows)


def _same(x: Any, y: Any) -> bool:
    """Return whether two entries are the same number."""
    return x is y or (isinstance(x, (int, float)) and isinstance(y, (int, float)) and x == y)
