"""Memory of large results is used again, but never while an array uses it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native.result_memory import LARGE, result_array


def test_memory_is_used_again_after_the_last_array_is_gone() -> None:
    shape = (LARGE // 2 + 7, 2)
    first = result_array(shape, np.dtype(float))
    place = first.ctypes.data
    part = first[5:7]
    part[...] = 3.0
    del first
    other = result_array(shape, np.dtype(float))
    assert other.ctypes.data != place
    other[...] = 4.0
    assert (part == 3.0).all()
    del part
    assert result_array(shape, np.dtype(float)).ctypes.data == place


@pytest.mark.parametrize("threads", [1, 2])
def test_results_of_calls_are_independent(threads: int) -> None:
    kernel = lw.compile(lambda x: np.stack([x[0] + x[1], x[0] * x[1]]), x=(2,))
    kernel.threads = threads
    x = np.random.default_rng(0).normal(size=(LARGE, 2))
    first, other = kernel(x), kernel(2.0 * x)
    assert np.array_equal(first, np.stack([x.sum(-1), x.prod(-1)], axis=-1))
    assert np.array_equal(other[:, 1], 4.0 * first[:, 1])
