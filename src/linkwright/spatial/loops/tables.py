"""Entries of an array at computed indices, for numbers and symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ShapeError, explained
from linkwright.provided import accepts_sympy
from linkwright.spatial.arrays import as_numbers, is_symbolic
from linkwright.spatial.loops.repeats import symbol_among


def _is_number(k: Any) -> bool:
    return isinstance(k, float) and k == k


@accepts_sympy
@explained
def take(table: Any, k: Any) -> Any:
    """Return ``table[k]`` for a computed index k.

    Parameters
    ----------
    table : array_like, shape (n, ...)
        Table.
    k : array_like
        Index, which is rounded to the nearest integer (a half to the even one) and clipped to the table.

    Returns
    -------
    ndarray, shape k.shape + table.shape[1:]
        Entries; NaN for NaN.

    Notes
    -----
    The derivative is that of the entry at a constant index. In a compiled function a constant table or an argument is
    read in memory at any size.

    Examples
    --------
    ``np.floor(x)`` is the index of the cell of a grid that contains x:

    >>> import linkwright as lw
    >>> heights, x = [0.0, 1.0, 4.0, 9.0], 1.5
    >>> cell = np.floor(x)
    >>> float(lw.take(heights, cell) + (x - cell) * (lw.take(heights, cell + 1) - lw.take(heights, cell)))
    2.5
    """
    if type(table) is np.ndarray and table.dtype.char == "d" and table.ndim and table.size and _is_number(k):
        # vertices of convex hulls are read one by one, and an array for each index would take seven times as long
        found = table[round(min(max(k, 0.0), len(table) - 1.0))]
        return found.copy() if table.ndim > 1 else found
    try:
        rows = np.asarray(table)
    except ValueError:
        raise ShapeError("the rows of the table have different lengths") from None
    if not rows.size or not rows.ndim:
        raise ShapeError(f"a table needs at least one entry along its first axis; got shape {rows.shape}")
    if (symbol := symbol_among([rows, np.asarray(k)])) is not None:
        return symbol.graph.taken(rows if is_symbolic(rows) else as_numbers("table", rows), k)
    rows, places = as_numbers("table", rows), as_numbers("k", k)
    there = places == places
    found = rows[np.rint(np.clip(np.where(there, places, 0.0), 0.0, len(rows) - 1.0)).astype(np.int64)]
    return np.where(there.reshape(there.shape + (1,) * (rows.ndim - 1)), found, np.nan)[()]
