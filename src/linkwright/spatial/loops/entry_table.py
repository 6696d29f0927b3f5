"""Tables of numbers and symbols, which loops of a trace read by the index of a row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, maximum, minimum, where
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

    ``marks``: row of memory with their marks from the index ``first`` on, and zeros up to a whole block: 1 for a marked
    row, 0 for others, or ½ for one that is visited all the same. ``shared``: whether other loops use these marks.
    """

    def __init__(self, graph: Any, count: int, marks: Any, first: int = 0, shared: bool = False):
        self._graph, self.shared = graph, shared
        self._levels = [marks]
        """marks of rows, of blocks, of groups of blocks and so on"""
        self._counts = [count]
        self._first = self._start = first
        """index of the mark of the first row of the first block, and of the first row of this part"""
        self._count = count

        def largest(row: Any, first: float, b: Any) -> Any:
            return reduce(maximum, (graph.entry(row, b * BLOCK + (first + i)) for i in range(BLOCK)))

        while self._counts[-1] >= PASSED_OVER * BLOCK or len(self._counts) == 1:
            own = partial(largest, self._levels[-1], 0.0 if len(self._counts) > 1 else float(first))
            self._counts.append(-(-self._counts[-1] // BLOCK))
            self._levels.append(_filled_blocks(graph, self._counts[-1], own))

    @classmethod
    def computed(cls, graph: Any, count: int, mark: Callable[[Any], Any]) -> MarkedRows:
        """Return the rows whose marks a function of the index of a row returns."""
        return cls(graph, count, _filled_blocks(graph, count, mark))

    @classmethod
    def of_column(cls, table: EntryTable, column: int, count: int) -> MarkedRows:
        """Return the rows that a column of a table marks; marks that :class:`KnownMarks` has are shared."""
        return cls.known(table, column, count) or cls.computed(table.graph, count, lambda k: table.one(k, column))

    @staticmethod
    def known(table: EntryTable, column: int, count: int) -> MarkedRows | None:
        """Return the rows that a column of a table marks, if :class:`KnownMarks` has their marks."""
        found = table.found[column]
        if not isinstance(found, _MemoryColumn) or found.step != 1 or found.row.index not in table.graph.marks:
            return None
        return table.graph.marks[found.row.index].rows_from(found.first, count)  # type: ignore[no-any-return]

    def part(self, first: int, count: int) -> MarkedRows:
        """Return some of the rows, whose marks begin at the index ``first`` of the row of memory."""
        found = copy(self)
        found._start, found._count = first, count
        return found

    @property
    def _is_part(self) -> bool:
        return self._start != self._first or self._count != self._counts[0]

    def mark(self, k: Any) -> Any:
        """Return the mark of row k."""
        mark = self._graph.entry(self._levels[0], k + float(self._start) if self._start else k)
        return where((k > -0.5) & (k < self._count - 0.5), mark, 0.0) if self._is_part else mark

    @property
    def blocks(self) -> int:
        """Number of blocks; 0 of a part of other rows."""
        return 0 if self._is_part else self._counts[1]

    def block_mark(self, b: Any) -> Any:
        """Return the largest mark of a block."""
        return self._graph.entry(self._levels[1], b)

    def largest(self) -> Any:
        """Return the largest mark, also of rows of which these are a part."""
        top = self._levels[-1]
        return repeat(
            self._counts[-1], lambda b, most: maximum(most, self._graph.entry(top, b)), self._graph.coerce(0.0)
        )

    def each(self, visit: Callable[..., Any], *state: Any, on: Any = None) -> Any:
        """Return the state after ``visit(k, *state)`` for each row in turn of the blocks with a marked one.

        ``on``: lanes whose marks count, or None for all.

        The last block may have more rows, which are not marked: a visit reads others only where :meth:`mark` is 1.
        """
        before = float(self._start - self._first)
        return self._visited(repeat, lambda b: b * BLOCK - before if before else b * BLOCK, visit, on, *state)

    def for_each(self, visit: Callable[..., Any], *rows: Any) -> Any:
        """Do the same for independent visits, which change rows in memory; the last block has only rows that exist."""
        if self._is_part:
            return self.each(visit, *rows)
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


def _filled_blocks(graph: Any, count: int, entry: Callable[[Any], Any]) -> Any:
    """Return a row of memory with an entry for each index, and zeros up to a whole block."""
    row = for_each(count, lambda k, row: graph.put(row, k, entry(k)), graph.room(-(-count // BLOCK) * BLOCK))
    for k in range(count, -(-count // BLOCK) * BLOCK):
        row = graph.put(row, float(k), 0.0)
    return row


class KnownMarks:
    """Marks of rows of several kinds, in one row of memory: loops over rows of the same kind share them.

    Parameters
    ----------
    kinds : sequence
        Kind of each row, and the key by which rows of a kind are sorted.
    """

    def __init__(self, kinds: Sequence[tuple[Any, Any]]):
        members: dict[Any, list[int]] = {}
        for k, (kind, _) in enumerate(kinds):
            members.setdefault(kind, []).append(k)
        self.order: list[int] = []
        """indices of the rows, as their marks are sorted"""
        self.places: list[int] = []
        """index of the mark of each of them"""
        self._pieces: list[tuple[int, int]] = []
        self.size = 0
        """number of marks, with zeros behind those of each kind up to a whole block"""
        for own in members.values():
            self.order += sorted(own, key=lambda k: kinds[k][1])
            self.places += range(self.size, self.size + len(own))
            self._pieces.append((self.size, len(own)))
            self.size += -(-len(own) // BLOCK) * BLOCK
        self._rows: list[MarkedRows] = []

    def share(self, row: Any) -> Any:
        """Return the row of memory with all marks after zeros are added, and keep it for later loops."""
        for first, count in self._pieces:
            for k in range(first + count, first + -(-count // BLOCK) * BLOCK):
                row = row.graph.put(row, float(k), 0.0)
        row.graph.marks[row.index] = self
        self._rows = [MarkedRows(row.graph, count, row, first, True) for first, count in self._pieces]
        return row

    def rows_from(self, first: int, count: int) -> MarkedRows | None:
        """Return the rows whose marks begin at an index; None if they are of several kinds."""
        for (start, size), rows in zip(self._pieces, self._rows, strict=True):
            if start <= first and first + count <= start + size:
                return rows.part(first, count)
        return None

    def kind_of(self, place: float) -> int:
        """Return the number of the kind of a mark."""
        return bisect_right(self._pieces, (place, len(self.order))) - 1


def by_marks(rows: Sequence[Any], mark_of: Callable[[Any], Any]) -> list[list[Any]]:
    """Return rows of the same kind in the order of their marks, if :class:`KnownMarks` has these; else all rows."""
    marks = [mark_of(row) for row in rows]
    if any(getattr(mark, "op", "") != "item" or mark.args[0].index not in mark.graph.marks for mark in marks):
        return [list(rows)]
    found: dict[int, list[Any]] = {}
    for mark, row in sorted(zip(marks, rows, strict=True), key=lambda both: both[0].args[1].value):
        found.setdefault(mark.graph.marks[mark.args[0].index].kind_of(mark.args[1].value), []).append(row)
    return list(found.values())


def in_order_of_marks(rows: Sequence[Any], mark_of: Callable[[Any], Any]) -> list[Any]:
    """Return rows in the order of their marks, if :class:`KnownMarks` has these."""
    return [row for some in by_marks(rows, mark_of) for row in some]


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
        marked = MarkedRows.of_column(own, 0, len(rows))
        found = marked.for_each(lambda k, found: when(marked.mark(k) > 0.5, lambda: visit(k, found), found), found)
    else:
        found = for_each(len(rows), visit, found)
    return [read(found, float(k * size), size) for k in range(len(rows))]


def marked(
    f: Callable[[Any], Sequence[Any]], rows: Sequence[Sequence[Any]], size: int, known: KnownMarks
) -> list[Array]:
    """Return f(row) (size,) of each row (k,), as :func:`mapped`; the first entry is a mark, which later loops share."""
    table = _table_in_loop([rows[k] for k in known.order]) if pass_over(len(rows)) else None
    if table is None:
        return mapped(f, rows, size)
    graph, rest = table.graph, float(size - 1)
    places = EntryTable(graph, [[float(place)] for place in known.places])

    def visit(k: Any, marks: Any, *others: Any) -> Any:
        mark, *more = f(TableRow(table, k))
        marks = write(marks, places.one(k, 0), [mark])
        return (marks, *(write(row, k * rest, more) for row in others)) if others else marks

    found = for_each(len(rows), visit, graph.room(known.size), *([graph.room((size - 1) * len(rows))] if rest else []))
    marks, *others = found if rest else (found,)
    marks = known.share(marks)
    results: list[Array] = [np.zeros(0)] * len(rows)
    for n, (k, place) in enumerate(zip(known.order, known.places, strict=True)):
        results[k] = np.concatenate([read(marks, float(place), 1), *(read(row, n * rest, size - 1) for row in others)])
    return results


def largest_of(f: Callable[[Any], Any], rows: Sequence[Sequence[Any]]) -> Any:
    """Return the largest f(row) of rows (k,) of numbers, and 0 if all are less; of many rows with symbols in a loop."""
    table = _table_in_loop(rows)
    if table is None:
        return reduce(maximum, [f(np.stack([plain(x) for x in row])) for row in rows], 0.0)
    if pass_over(len(rows)):
        return MarkedRows.computed(table.graph, len(rows), lambda k: f(TableRow(table, k))).largest()
    return repeat(len(rows), lambda k, most: maximum(most, f(TableRow(table, k))), table.graph.coerce(0.0))


def _table_in_loop(rows: Sequence[Sequence[Any]]) -> EntryTable | None:
    """Return the table of many rows with symbols; None for few rows, and for numbers."""
    symbol = symbol_among([np.array(row, dtype=object) for row in rows[:1]])
    return None if symbol is None or len(rows) < MANY else EntryTable(symbol.graph, rows)


def _same(x: Any, y: Any) -> bool:
    """Return whether two entries are the same number."""
    return x is y or (isinstance(x, (int, float)) and isinstance(y, (int, float)) and x == y)
