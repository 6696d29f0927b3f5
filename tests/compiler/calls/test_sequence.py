"""Calls of a kernel in a row: the same as one by one, whatever the threads, and they can be stopped."""

import signal
import threading

import numpy as np
import pytest

import linkwright as lw

SHARED = np.array([0.5, 0.25])


def turned(x, y, shared):
    return x + shared[0] * np.sin(y), shared[1] * x * y + 0.1, x.sum()


@pytest.fixture(scope="module")
def kernel():
    return lw.compile(turned, x=3, y=3, shared=2)


def order_of(rows, ordered):
    return np.random.default_rng(1).permutation(rows or 1) if ordered else None


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("calls", [1, 2, 7])
@pytest.mark.parametrize("rows", [None, 1, 37, 3000])
def test_they_are_calls_one_by_one(kernel, calls, rows, ordered):
    lead = () if rows is None else (rows,)
    x, y = np.random.default_rng(0).standard_normal((2, *lead, 3))
    kept, end, sums = np.empty((calls, *lead, 3)), np.empty((2, *lead, 3)), np.empty((calls, *lead))
    kernel.sequence(calls, [x, y, SHARED], {0: 0, 1: 1}, [kept, end, sums], threads=2, order=order_of(rows, ordered))()
    for k in range(calls):
        x, y, total = kernel(x, y, SHARED)
        np.testing.assert_array_equal(kept[k], x)
        np.testing.assert_array_equal(sums[k], total)
    np.testing.assert_array_equal(end[(calls - 1) % 2], y)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("rows", [1, 37, 3000])
@pytest.mark.parametrize("calls", [1, 2])
def test_in_place_results_replace_arguments(kernel, calls, rows, ordered):
    x, y = np.random.default_rng(0).standard_normal((2, rows, 3))
    now = [x.copy(), y.copy(), SHARED]
    results = [np.empty((1, rows, 3)), np.empty((1, rows, 3)), np.empty((1, rows))]
    if calls == 2:
        results = [np.empty((2, *one.shape[1:])) for one in results]
    order = order_of(rows, ordered)
    run = kernel.sequence(calls, now, {0: 0, 1: 1}, results, threads=2, in_place=True, order=order)
    for _ in range(3):
        run()
        if order is not None:
            order[:] = np.random.default_rng(2).permutation(order)
    for _ in range(3 * calls):
        x, y, total = kernel(x, y, SHARED)
    np.testing.assert_array_equal(now[0], x)
    np.testing.assert_array_equal(now[1], y)
    np.testing.assert_array_equal(results[2][calls - 1], total)


def test_no_rows_are_no_calls(kernel):
    results = [np.empty((2, 0, 3)), np.empty((2, 0, 3)), np.empty((2, 0))]
    kernel.sequence(2, [np.empty((0, 3)), np.empty((0, 3)), SHARED], {0: 0, 1: 1}, results)()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize(("rows", "every"), [((), None), ((), 1), ((200,), None), ((200,), 1000)])
def test_long_rollouts_stop_at_an_interrupt(rows, every):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are for the main thread")
    pendulum = lw.load("pendulum")
    q0 = np.full((*rows, 1), 0.1)
    lw.rollout(pendulum, q0, [0.0], 10 if every is None else every, every=every)

    def stop(*values):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError):
            lw.rollout(
                pendulum, q0, [0.0], 10**9 if every is None else 20_000_000, every=every, episode=lw.Episode(keep="tau")
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
