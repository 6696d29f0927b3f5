"""Tables of numbers and symbols, which loops of a trace read by the index of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array


class EntryTable:
    """Rows of numbers, read by the index of a row.

    Numbers that all rows share are not in the table; numbers with a constant stride in memory are read in place.
    """

    def __init__(self, graph: Any, rows: Sequence[Sequence[Any]]):
        self.graph, self.width = graph, len(rows[0])
        found: list[Any] = []
        own: list[int] = []
        for k in range(self.width):
            column = [row[k] for row in rows]
            known = column[0] if all(_same(column[0], x) for x in column) else _strided(column)
            found.append(known)
            if known is None:
                own.append(k)
        self.found = found
        table = graph.row([row[k] for row in rows for k in own]) if own else None
        for i, k in enumerate(own):
            found[k] = _StridedEntries(table, i, len(own))

    def one(self, k: Any, column: int, turn: int = 0) -> Any:
        """Return a number of row k; ``turn``: a count that forces another read."""
        found = self.found[column]
        if not isinstance(found, _StridedEntries):
            return found
        return self.graph.entry(found.row, k * float(found.step) + float(found.first), turn)

    def some(self, k: Any, first: int, count: int) -> Array:
        """Return consecutive numbers of row k."""
        return np.stack([self.one(k, column) for column in range(first, first + count)])


class _StridedEntries(NamedTuple):
    """Entries with a constant stride in a row of memory."""

    row: Any
    first: int
    step: int


def _strided(column: Sequence[Any]) -> _StridedEntries | None:
    """Return the stride of entries in one row of memory; None where they have none."""
    if len(column) < 2 or any(getattr(x, "op", "") != "item" for x in column):
        return None
    row = column[0].args[0]
    if row.index not in row.graph.rows or any(x.args[0] is not row for x in column):
        return None
    places = [int(x.args[1].value) for x in column]
    step = places[1] - places[0]
    return _StridedEntries(row, places[0], step) if np.all(np.diff(places) == step) else None


def _same(x: Any, y: Any) -> bool:
    """Return whether two entries are the same number."""
    return x is y or (isinstance(x, (int, float)) and isinstance(y, (int, float)) and x == y)
