"""Entries of an array at places that are computed, of numbers and of symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ShapeError, explained
from linkwright.spatial.arrays import as_numbers, is_symbolic
from linkwright.spatial.repeats import symbol_among


@explained
def take(table: Any, k: Any) -> Any:
    """``table[k]`` where ``k`` is computed: the k-th entry of the array's first axis.

    ``k`` is rounded to the nearest whole number (a half to the even one) and kept within the table: below 0 it is 0,
    beyond the end it is the last entry. NaN gives NaN. It may be an array; the result has shape
    ``k.shape + table.shape[1:]``. The derivative is that of the entry, whose place counts as constant. In a function
    that is compiled a table of constants or an argument stays where it is in memory, however large.

    ``np.floor(x)`` gives the cell of a grid in which x lies:

    >>> import linkwright as lw
    >>> heights, x = [0.0, 1.0, 4.0, 9.0], 1.5
    >>> cell = np.floor(x)
    >>> float(lw.take(heights, cell) + (x - cell) * (lw.take(heights, cell + 1) - lw.take(heights, cell)))
    2.5
    """
    try:
        rows = np.asarray(table)
    except ValueError:
        raise ShapeError("the rows of the table are not of one length") from None
    if not rows.size or not rows.ndim:
        raise ShapeError(f"a table is an array with entries, along its first axis; got one of shape {rows.shape}")
    if (symbol := symbol_among([rows, np.asarray(k)])) is not None:
        return symbol.graph.taken(rows if is_symbolic(rows) else as_numbers("table", rows), k)
    rows, places = as_numbers("table", rows), as_numbers("k", k)
    there = places == places
    found = rows[np.rint(np.clip(np.where(there, places, 0.0), 0.0, len(rows) - 1.0)).astype(np.int64)]
    return np.where(there.reshape(there.shape + (1,) * (rows.ndim - 1)), found, np.nan)[()]
