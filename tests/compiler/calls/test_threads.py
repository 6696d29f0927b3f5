"""Large batches on several threads, kernels shared by threads, and forks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.compiler import kernel as kernel_module
from linkwright.compiler.native import threads as threads_module
from linkwright.errors import InputError, LinkwrightError, ShapeError

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it


@pytest.fixture(autouse=True)
def small_grain(monkeypatch):
    """Threads are worth it from a few rows on, so that the tests are quick."""
    monkeypatch.setattr(kernel_module, "GRAIN", 20)


@pytest.fixture
def spread_calls(monkeypatch):
    calls = []
    real = kernel_module.spread
    monkeypatch.setattr(kernel_module, "spread", lambda *a: calls.append(a) or real(*a))
    return calls


def batch(*lead, seed=0):
    return np.random.default_rng(seed).standard_normal((3, *lead, 2))


def on(kernel, number, *arrays, **more):
    before = kernel.threads
    kernel.threads = number
    try:
        return kernel(*arrays, **more)
    finally:
        kernel.threads = before


# the same results


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(0, 700),
    number=st.integers(2, 5),
    layout=st.sampled_from(["plain", "strided", "reversed", "by columns", "unaligned", "one row for all"]),
    given_out=st.booleans(),
)
def test_rows_are_the_same_on_any_number_of_threads(kernel, rows, number, layout, given_out):
    q, v, a = batch(rows, seed=rows)
    if layout == "strided":
        q = np.repeat(q, 3, axis=0)[::3]
    elif layout == "reversed":
        q = q[::-1]
    elif layout == "by columns":
        q = np.asfortranarray(q)
    elif layout == "unaligned":
        q = np.frombuffer(b"x" + q.tobytes(), np.uint8)[1:].view(np.float64).reshape(q.shape)
    elif layout == "one row for all":
        q = np.array([0.3, -0.7])
    expected = on(kernel, 1, q, v, a)
    out = np.full((rows, 2), np.nan) if given_out else None
    result = on(kernel, number, q, v, a, out=out)
    assert result.tobytes() == expected.tobytes()
    assert out is None or result is out


@settings(max_examples=60, deadline=None)
@given(
    leads=st.lists(st.sampled_from([(), (50,), (1,), (7, 1), (7, 50), (2, 7, 50), (2, 1, 1)]), min_size=3, max_size=3),
    number=st.integers(2, 4),
)
def test_any_batch_dimensions(kernel, leads, number):
    arrays = [batch(*lead, seed=k)[k] for k, lead in enumerate(leads)]
    expected = on(kernel, 1, *arrays)
    assert on(kernel, number, *arrays).tobytes() == expected.tobytes()


def test_other_types_on_threads(kernel, spread_calls):
    q, v, a = batch(500)
    q = q.astype(np.float32)
    assert on(kernel, 3, q, v, a).tobytes() == on(kernel, 1, q, v, a).tobytes()
    assert len(spread_calls) == 1
    v = v.tolist()
    assert on(kernel, 3, q, v, a).tobytes() == on(kernel, 1, q, v, a).tobytes()


def test_several_results_on_threads():
    kernel = lw.compile(lambda A, x: (A @ x, x @ x), A=(2, 3), x=3)
    A, x = np.random.default_rng(0).standard_normal((1000, 2, 3)), np.ones((1000, 3))
    for a, b in zip(on(kernel, 3, A, x), on(kernel, 1, A, x), strict=True):
        assert a.tobytes() == b.tobytes()
    out = np.empty((1000, 2)), np.empty(1000)
    assert on(kernel, 3, A, x, out=out)[0] is out[0]
    assert np.allclose(out[1], 3.0)


@pytest.mark.parametrize("shift", [-2, 0, 2, 64])
def test_results_in_the_memory_of_arguments(kernel, shift):
    q, v, a = batch(500)
    expected = on(kernel, 1, q, v, a)
    memory = np.zeros(1200)
    given, out = (memory[100 + s : 1100 + s].reshape(500, 2) for s in (0, shift))
    given[:] = q
    on(kernel, 4, given, v, a, out=out)
    assert out.tobytes() == expected.tobytes()


# when threads are used


def test_single_rows_and_small_batches_take_one_thread(kernel, spread_calls, monkeypatch):
    monkeypatch.setattr(kernel_module, "GRAIN", 100_000)
    # a kernel's first call decides which batches go straight to the code: others of this module keep theirs
    kernel = lw.Kernel(kernel.program, kernel.model)
    for lead in ((), (1,), (100,)):
        on(kernel, 4, *batch(*lead))
    assert spread_calls == []
    on(kernel, 4, *batch(200_000))
    assert len(spread_calls) == 1


@pytest.mark.parametrize("limit", [10**5, 10**9])
def test_loops_that_may_take_long_are_thought_to_stop_soon(spread_calls, monkeypatch, limit):
    monkeypatch.setattr(kernel_module, "GRAIN", 100_000)
    kernel = lw.compile(lambda x: lw.until(lambda x: x < 0.1, lambda x: 0.5 * x, x, limit=limit)[0], x=())
    on(kernel, 4, np.full(8, 5.0))
    assert spread_calls == []
    on(kernel, 4, np.full(100_000, 5.0))
    assert len(spread_calls) == 1


def test_slices_are_several_and_of_whole_blocks(kernel, monkeypatch):
    sizes = []
    real = kernel._call
    monkeypatch.setattr(kernel, "_call", lambda *xs, out: sizes.append(len(out[0])) or real(*xs, out=out))
    on(kernel, 3, *batch(1001))
    assert len(sizes) > 3
    assert sum(sizes) == 1001
    assert all(size % kernel._width == 0 for size in sizes if size != min(sizes))


def test_threads_work_at_once(kernel, monkeypatch):
    """Two slices that wait for each other are done only if two threads do them."""
    monkeypatch.setattr(kernel_module, "GRAIN", 1)
    kernel = lw.Kernel(kernel.program, kernel.model)
    both = threading.Barrier(2, timeout=30)
    real = kernel._call
    monkeypatch.setattr(kernel, "_call", lambda *xs, out: (both.wait() and None) or real(*xs, out=out))
    q, v, a = batch(2 * kernel._width)
    slices = []
    monkeypatch.setattr(kernel_module, "spread", lambda *args: slices.append(args[:6]) or pair(*args))

    def pair(function, arrays, dims, outs, lead, number, _, width):
        threads_module.spread(function, arrays, dims, outs, lead, number, 2, width)

    on(kernel, 2, q, v, a)
    assert len(slices) == 1


def test_the_number_of_threads(monkeypatch, arm, kernel):
    monkeypatch.setenv("LINKWRIGHT_THREADS", "3")
    assert lw.compile(lw.gravity_forces, arm).threads == 3
    monkeypatch.delenv("LINKWRIGHT_THREADS")
    assert 1 <= lw.compile(lw.gravity_forces, arm).threads <= (os.cpu_count() or 1)
    monkeypatch.setenv("LINKWRIGHT_THREADS", "auto")
    assert lw.compile(lw.gravity_forces, arm).threads <= (os.cpu_count() or 1)
    for bad in ("0", "-1", "many", "1.5", "²", "٣", "100000", "9" * 5000):
        monkeypatch.setenv("LINKWRIGHT_THREADS", bad)
        with pytest.raises(InputError, match="LINKWRIGHT_THREADS"):
            lw.compile(lw.gravity_forces, arm)
    for number in (0, -1, 1.5, "2", None, True, 100_000):
        with pytest.raises(InputError, match="threads"):
            kernel.threads = number


def test_mistakes_are_explained_as_on_one_thread(kernel):
    q, v, a = batch(500)
    for arrays, kind in [
        ((q, v[:, :1], a), ShapeError),
        ((q, v[:400], a), ShapeError),
        ((q, v + 1j, a), LinkwrightError),
        ((q, v.astype(object), a), LinkwrightError),
    ]:
        with pytest.raises(kind) as one:
            on(kernel, 1, *arrays)
        with pytest.raises(kind) as many:
            on(kernel, 3, *arrays)
        assert str(one.value) == str(many.value)
    frozen = np.zeros((500, 2))
    frozen.flags.writeable = False
    with pytest.raises(LinkwrightError):
        on(kernel, 3, q, v, a, out=frozen)
    assert not frozen.any()


def test_an_error_in_a_slice_reaches_the_caller():
    done = []

    def job(k):
        def work():
            if k == 3:
                raise ValueError("third")
            done.append(k)

        return work

    with pytest.raises(ValueError, match="third"):
        threads_module._pool.run([job(k) for k in range(20)], 3)
    assert sorted(done) == [k for k in range(20) if k != 3]


def interrupt_self():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="no signals to threads of one's own")
@pytest.mark.parametrize("waiting", [True, False])
def test_after_an_interrupt_nobody_writes_any_more(waiting):
    """Whether it comes while the caller waits for a helper, or while it does a job itself."""
    begun, written = threading.Event(), []
    main = threading.get_ident()

    def job():
        if threading.get_ident() != main:
            begun.set()
            time.sleep(0.05)
            if waiting:
                interrupt_self()
                interrupt_self()  # impatient
            time.sleep(0.1)
            written.append("helper")
            return
        assert begun.wait(30)
        if not waiting:
            raise KeyboardInterrupt
        written.append("caller")

    with pytest.raises(KeyboardInterrupt):
        threads_module._pool.run([job] * (2 if waiting else 20), 2)
    assert written == (["caller", "helper"] if waiting else ["helper"])
    threads_module._pool.run([lambda: written.append("next")], 2)
    assert written[-1] == "next"


# kernels shared


def test_a_kernel_in_many_threads(arm, kernel):
    arrays = batch(300)
    expected = kernel(*arrays)

    def work(k):
        for i in range(200):
            row = kernel(*(x[i] for x in arrays))
            assert row.tobytes() == expected[i].tobytes()
        return on_threads(kernel, arrays).tobytes() == expected.tobytes()

    def on_threads(kernel, arrays):
        return kernel(*arrays)

    before = kernel.threads
    kernel.threads = 3
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(24)))
    finally:
        kernel.threads = before


def test_compiling_in_many_threads():
    def work(k):
        model = lw.load("planar:3")
        q = np.full(3, 0.1)
        return [f(model, q).tobytes() for f in (lw.gravity_forces, lw.mass_matrix, lw.potential_energy)]

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(12)))
    assert all(result == results[0] for result in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_kernels_survive_a_fork():
    code = """
        import os, threading, numpy as np, linkwright as lw
        from linkwright.compiler import kernel as module
        module.GRAIN = 20
        arm = lw.load("two_link")
        kernel = lw.compile(lw.inverse_dynamics, arm)
        kernel.threads = 3
        arrays = np.random.default_rng(0).standard_normal((3, 1000, 2))
        expected = kernel(*arrays)
        assert threading.active_count() == 3
        child = os.fork()
        if child == 0:
            good = threading.active_count() == 1
            good = good and np.array_equal(kernel(*arrays), expected) and threading.active_count() == 3
            good = good and np.array_equal(kernel(*arrays[:, 0]), expected[0])
            good = good and lw.gravity_forces(arm, arrays[0]).shape == (1000, 2)
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert np.array_equal(kernel(*arrays), expected)
        """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=120)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_while_another_thread_compiles():
    code = """
        import os, threading, linkwright as lw
        os.environ["LINKWRIGHT_CACHE"] = "off"
        stop = False
        def compile():
            while not stop:
                lw.compile(lw.mass_matrix, lw.load("planar:3"))
        lw.compile(lw.gravity_forces, lw.load("planar:3"))  # Python's own locks of imports do not survive forks
        thread = threading.Thread(target=compile); thread.start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                lw.compile(lw.gravity_forces, lw.load("two_link"))([0.0, 0.0])
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        stop = True
        thread.join()
        """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=120)


def test_arrays_are_let_go_when_a_call_ends(kernel, spread_calls):
    """At once: what waits for the collector of cycles may be gigabytes of few objects."""
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        arrays = [x.copy() for x in batch(20_000)]
        out = on(kernel, 2, *arrays)
        assert spread_calls
        spread_calls.clear()
        held = [weakref.ref(x) for x in (*arrays, out)]
        del arrays, out
        assert all(one() is None for one in held)
    finally:
        gc.enable()
