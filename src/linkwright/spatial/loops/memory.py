"""Rows of numbers that loops modify, for numbers and symbols.

A row is a state of a loop (:func:`repeat`, :func:`until`): on numbers an array, in a trace a row in memory. Indices are
integers in the range of the row. A written row replaces the previous one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.repeats import for_each, symbol_among, when
from linkwright.spatial.loops.tables import take


def empty_row(symbol: Any, size: int) -> Any:
    """Return a row whose entries are all written before they are read; ``symbol``: any symbol of the trace, or None."""
    return np.zeros(size) if symbol is None else symbol.graph.room(size)


def memory_row(entries: Sequence[Any] | Array) -> Any:
    """Return a row of these entries."""
    symbol = symbol_among([np.array(entries, dtype=object)])
    return np.array(entries, dtype=float) if symbol is None else symbol.graph.row(entries)


def is_memory_row(x: Any) -> bool:
    """Return whether a value is a row in memory of a trace, rather than an array."""
    return x is not None and not isinstance(x, np.ndarray)


def filled_row(entries: Array, size: int, rest: float) -> Any:
    """Return a row (size,) that begins with these symbols, copied by a loop; its other entries are ``rest``."""
    symbol, count = symbol_among([entries]), len(entries)

    def copy(k: Any, row: Any) -> Any:
        return write(row, k, [take(entries, k)])

    row = for_each(count, copy, empty_row(symbol, size))
    return for_each(size - count, lambda k, row: write(row, k + float(count), [rest]), row)


def cleared_row(row: Any, size: int, condition: Any) -> Any:
    """Return a row (size,) of a trace with zeros in the lanes where the condition holds."""

    def cleared() -> Any:
        return for_each(size, lambda k, row: write(row, k, [where(condition, 0.0, read(row, k, 1)[0])]), row)

    return when(condition, cleared, row)


class MemoryEntry:
    """Entry of a row in memory of a trace, which is read where it is used."""

    __slots__ = ("place", "row")

    def __init__(self, row: Any, place: int):
        self.row, self.place = row, place

    @property
    def graph(self) -> Any:
        """Trace of the row."""
        return self.row.graph

    def read(self) -> Any:
        """Return the expression of the entry."""
        return self.row.graph.entry(self.row, float(self.place))


class MemoryArray:
    """Array of entries of one row in memory of a trace, which are read where they are used.

    Tables of many rows read them in place: entries are no expressions. Before arithmetic, see :func:`plain`.
    """

    dtype = np.dtype(object)

    def __init__(self, row: Any, places: Array):
        self.row, self.places = row, places

    @property
    def graph(self) -> Any:
        """Trace of the row."""
        return self.row.graph

    @property
    def T(self) -> MemoryArray:
        """Transpose."""
        return MemoryArray(self.row, self.places.T)

    def __getitem__(self, where: Any) -> MemoryArray:
        return MemoryArray(self.row, self.places[where])

    def entries(self) -> list[MemoryEntry]:
        """Return all entries, row by row."""
        return [MemoryEntry(self.row, place) for place in self.places.reshape(-1).tolist()]

    def read(self) -> Array:
        """Return the expressions of the entries."""
        found: Array = self.row.graph.array([one.read() for one in self.entries()]).reshape(self.places.shape)
        return found


def plain(x: Any) -> Any:
    """Return an array or an entry, read where it is stored."""
    return x.read() if isinstance(x, (MemoryArray, MemoryEntry)) else x


def entries_of(x: Array | MemoryArray) -> list[Any]:
    """Return the entries of an array, row by row, those that are stored unread."""
    return x.entries() if isinstance(x, MemoryArray) else list(x.reshape(-1))


def joined(arrays: Sequence[Array | MemoryArray]) -> Any:
    """Return arrays side by side; those of one row in memory stay there."""
    first = arrays[0]
    if isinstance(first, MemoryArray) and all(isinstance(x, MemoryArray) and x.row is first.row for x in arrays):
        return MemoryArray(first.row, np.concatenate([x.places for x in arrays], axis=-1))  # type: ignore[union-attr]
    return np.concatenate([plain(x) for x in arrays], axis=-1)


def read(row: Any, first: Any, count: int) -> Array:
    """Return consecutive entries (count,)."""
    if isinstance(row, np.ndarray):
        return row[int(first) : int(first) + count].copy()
    return np.stack([row.graph.entry(row, first + float(i) if i else first) for i in range(count)])


def write(row: Any, first: Any, entries: Any) -> Any:
    """Return the row with other consecutive entries."""
    if isinstance(row, np.ndarray):
        row = row.copy()
        row[int(first) : int(first) + len(entries)] = entries
        return row
    for i, x in enumerate(entries):
        row = row.graph.put(row, first + float(i) if i else first, x)
    return row
