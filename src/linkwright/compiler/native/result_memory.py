"""Memory of large results, which later calls use again.

Memory that is new to the process costs a page fault for every 4096 bytes, often more time than the computation. The
memory of a large result is kept for the next one after the last array that uses it is gone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LARGE = 1 << 17
"""Number of doubles from which memory is used again."""

MOST = 1 << 23
"""Number of doubles that are kept at most, 64 MB."""

_kept: dict[int, list[np.ndarray]] = {}
"""Memory by its number of doubles, the longest unused sizes first."""


class _Lease:
    """Owner of the memory of an array, which keeps the memory when the last array that uses it is gone."""

    def __init__(self, memory: np.ndarray):
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self, kept: dict[int, list[np.ndarray]] = _kept, most: int = MOST) -> None:
        own = kept.pop(self._memory.size, [])
        kept[self._memory.size] = [*own, self._memory]
        while sum(size * len(some) for size, some in list(kept.items())) > most:
            kept.pop(next(iter(list(kept)), 0), None)


def result_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return an array with arbitrary entries, of doubles or smaller numbers."""
    size = -(-math.prod(shape) * dtype.itemsize // 8)
    if not LARGE <= size <= MOST:
        return np.empty(shape, dtype)
    found = _kept.pop(size, [])  # in one operation: another thread, or the garbage collector, changes it too
    memory = found.pop() if found else np.empty(size)
    if found:
        _kept[size] = [*_kept.get(size, []), *found]
    owner: Any = _Lease(memory)
    return np.asarray(owner).view(dtype)[: math.prod(shape)].reshape(shape)
