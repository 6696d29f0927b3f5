"""Memory of large results, which later calls use again.

Memory that is new to the process costs a page fault for every 4096 bytes, often more time than the computation. The
memory of a large result is kept for the next one after the last array that uses it is gone.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

LARGE = 1 << 17
"""Number of doubles from which memory is used again."""

MOST = 1 << 23
"""Number of doubles that are kept at most, 64 MB."""

_kept: list[np.ndarray] = []
_lock = threading.RLock()


class _Lease:
    """Owner of the memory of an array, which keeps the memory when the last array that uses it is gone."""

    def __init__(self, memory: np.ndarray):
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        with _lock:
            _kept.append(self._memory)
            while sum(x.size for x in _kept) > MOST:
                _kept.pop(0)


def result_array(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array with arbitrary entries."""
    size = math.prod(shape)
    if not LARGE <= size <= MOST:
        return np.empty(shape)
    memory = None
    with _lock:
        for k in reversed(range(len(_kept))):
            if _kept[k].size == size:
                memory = _kept.pop(k)
                break
    owner: Any = _Lease(np.empty(size) if memory is None else memory)
    return np.asarray(owner).reshape(shape)
