"""Kernels as objects of Python: reference counts, memory, copies, and calls without machine code."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native.layout import supported
from linkwright.errors import LinkwrightError

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it

needs_entry = pytest.mark.skipif(not supported(), reason="this Python's objects are entered through NumPy")


# reference counts and memory


def counted(*things):
    gc.collect()  # what earlier tests left refers to None and to dtypes too
    return [sys.getrefcount(x) for x in things]


@needs_entry
def test_reference_counts_are_exact(kernel, several, rows, slow_calls):
    A, x = np.ones((2, 3)), np.ones(3)
    out, outs = np.empty(2), (np.empty(2), np.empty(()), np.empty((2, 3)))
    batch, wrong = np.ones((2, 2)), np.ones(3)
    watched = (
        kernel,
        several,
        *rows,
        A,
        x,
        out,
        outs,
        *outs,
        batch,
        wrong,
        np.dtype(np.float64),
        np.ndarray,
        None,
        "out",
    )
    kernel.prepare(), several.prepare()
    before = counted(*watched)
    for _ in range(50_000):
        kernel(*rows)
        kernel(*rows, out=out)
        several(A, x)
        several(A, x, out=outs)
    assert slow_calls == []
    for _ in range(2_000):
        kernel(batch, rows[1], rows[2])
        kernel(*rows, out=None)
        for bad in ((wrong, wrong, wrong), (rows[0],), (None, None, None)):
            with pytest.raises(LinkwrightError):
                kernel(*bad)
        with pytest.raises(TypeError):
            kernel(*rows, nothing=out)
        slow_calls.clear()
    after = counted(*watched)
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 500  # a leak leaves 2000 at least


@needs_entry
def test_memory_does_not_grow(kernel, several, rows):
    A, x, out = np.ones((2, 3)), np.ones(3), np.empty(2)

    def calls(n):
        for _ in range(n):
            kernel(*rows)
            kernel(*rows, out=out)
            several(A, x)
            kernel([0.0, 1.0], *rows[1:])

    calls(100)
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        calls(5_000)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 20_000


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured through /proc")
def test_kernels_that_are_gone_leave_no_memory(kernel, rows):
    def resident():
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def load(n):
        expected, kept = kernel(*rows), []
        for k in range(n):
            kept.append(lw.Kernel(kernel.program))
            if len(kept) > 20:
                del kept[k * 7 % 20]  # any of them, not the oldest
        assert all(np.array_equal(one(*rows), expected) for one in kept)

    load(150)
    before = resident()
    load(300)
    assert resident() - before < 2_000_000


def test_kernels_are_freed(arm):
    kernel = lw.compile(lambda model, q: lw.mass_matrix(model, q), arm)
    import weakref

    dead = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert dead() is None


# a Python object like others


def test_kernels_are_ordinary_objects(kernel, rows):
    assert type(kernel) is lw.Kernel
    assert callable(kernel)
    assert "inverse_dynamics(q" in repr(kernel)
    assert list(inspect.signature(kernel).parameters) == ["q", "v", "a", "out"]
    assert kernel.operations.total > 0
    assert kernel.program.name == kernel.__name__ == "inverse_dynamics"
    assert np.array_equal(kernel.__call__(*rows), kernel(*rows))
    assert {kernel: 1}[kernel] == 1
    kernel.note = "mine"
    assert kernel.note == "mine"


def test_kernels_can_be_pickled_and_copied(kernel, rows):
    expected = kernel(*rows)
    for other in (pickle.loads(pickle.dumps(kernel)), copy.copy(kernel), copy.deepcopy(kernel)):
        assert other is not kernel
        assert type(other) is lw.Kernel
        assert other(*rows).tobytes() == expected.tobytes()


def test_kernels_without_machine_code(rows):
    kernel = lw.compile(lambda: np.ones(3))
    assert np.array_equal(kernel(), [1, 1, 1])
    assert isinstance(kernel, lw.Kernel)
    nothing = lw.compile(lambda x: x, x=0)
    assert nothing(np.empty((4, 0))).shape == (4, 0)
    assert isinstance(pickle.loads(pickle.dumps(nothing)), lw.Kernel)


def test_where_objects_are_laid_out_differently_numpy_does_all():
    """As on builds of Python without a global lock."""
    code = """
        import sysconfig
        sysconfig.get_config_var = lambda name: int(name == "Py_GIL_DISABLED")
        import numpy as np, pickle, linkwright as lw
        arm = lw.load("two_link")
        kernel = lw.compile(lw.inverse_dynamics, arm)
        q = np.array([0.1, 0.2]); out = np.empty(2)
        assert type(kernel).__mro__[1] is lw.Kernel
        assert np.array_equal(kernel(q, q, q, out=out), lw.inverse_dynamics(arm, q, q, q)) and out.any()
        assert np.array_equal(pickle.loads(pickle.dumps(kernel))(q, q, q), out)
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=120)


def test_public_functions_hold_the_kernel_itself(rows):
    arm = lw.load("two_link")
    expected = lw.inverse_dynamics(arm, *rows)
    (kernel,) = (x for x in arm.memo.values() if isinstance(x, lw.Kernel))
    assert kernel(*rows).tobytes() == expected.tobytes()


def test_lanes_may_be_measured(arm, rows):
    kernel = lw.compile(lw.inverse_dynamics, arm, tune=True)
    again = lw.compile(lw.inverse_dynamics, arm, tune=True)
    assert kernel(*rows).tobytes() == again(*rows).tobytes() == lw.compile(lw.inverse_dynamics, arm)(*rows).tobytes()
    batch = np.random.default_rng(1).standard_normal((3, 37, 2))
    assert kernel(*batch).tobytes() == lw.compile(lw.inverse_dynamics, arm)(*batch).tobytes()


@pytest.mark.parametrize("rows", [(), (1,), (3,), (40,)])
def test_zero_keeps_its_sign_in_sines(rows):
    kernel = lw.compile(lambda x: np.sin(x), x=2)
    x = np.broadcast_to([-0.0, 0.0], (*rows, 2)).copy()
    assert kernel(x).tobytes() == x.tobytes()


@pytest.mark.parametrize("size", range(1, 20))
def test_rows_of_any_length(size):
    """Rows are taken and stored in blocks of four, two and one, the last of which may overlap."""
    kernel = lw.compile(lambda x: (x[::-1] * 2.0, x.sum()), x=size)
    for rows in (1, 7, 8, 9, 33):
        memory = np.full((rows, 2 * size + 3), np.nan)
        x = np.random.default_rng(0).standard_normal((rows, size))
        memory[:, 1 : 1 + size] = x
        reversed_, total = kernel(memory[:, 1 : 1 + size], out=(memory[:, 2 + size : 2 + 2 * size], np.empty(rows)))
        assert np.array_equal(reversed_, x[:, ::-1] * 2.0)
        assert np.allclose(total, x.sum(axis=1), rtol=1e-12, atol=1e-12)
        assert np.array_equal(memory[:, 1 : 1 + size], x)
        assert np.isnan(memory[:, [0, 1 + size, 2 + 2 * size]]).all()  # nothing beside the rows was written
