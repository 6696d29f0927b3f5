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


def filled_row(entries: Array, size: int) -> Any:
    """Return a row (size,) that begins with these symbols, copied by a loop, and ends with zeros."""
    symbol = symbol_among([entries])

    def copy(k: Any, row: Any) -> Any:
        return write(row, k, [take(entries, k)])

    row = for_each(len(entries), copy, empty_row(symbol, size))
    return write(row, float(len(entries)), [0.0] * (size - len(entries)))


def cleared_row(row: Any, size: int, condition: Any) -> Any:
    """Return a row (size,) of a trace with zeros in the lanes where the condition holds."""

    def cleared() -> Any:
        return for_each(size, lambda k, row: write(row, k, [where(condition, 0.0, read(row, k, 1)[0])]), row)

    return when(condition, cleared, row)


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
