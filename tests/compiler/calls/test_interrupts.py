"""Ctrl-C, and other signals, while machine code runs that would take long."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import kernel as kernel_module
from linkwright.compiler.emit import refill
from linkwright.compiler.emit.straight import batches_text, row_text
from linkwright.compiler.native.machine import target

pytestmark = [
    pytest.mark.usefixtures("optimized"),  # code as users have it
    pytest.mark.skipif(os.name == "nt", reason="no signals to threads of one's own"),
]

W = target().width
ENDLESS = 4 * 10**9  # steps: some ten seconds and more


def plain(x, n):
    return lw.repeat(ENDLESS, lambda k, x: lw.where(k < n, 0.5 * x + 1.0, x), x)


def nested(x, n):
    def outer(k, x):
        return lw.repeat(100_000, lambda j, x: lw.where(k < n, 0.5 * x + 1.0, x), x)

    return lw.repeat(ENDLESS // 100_000, outer, x)


def stopping(x, n):
    return lw.until(lambda x, k: k >= n, lambda x, k: (0.5 * x + 1.0, k + 1.0), x, 0.0, limit=ENDLESS)[0]


def stopping_seldom_long(x, n):
    """Loops within, each of few steps though it might take more."""

    def outer(k, x):
        return lw.until(lambda x, j: (j >= 3.0) | (k >= n), lambda x, j: (0.5 * x + 1.0, j + 1.0), x, 0.0, limit=10**8)[
            0
        ]

    return lw.repeat(ENDLESS, outer, x)


def refilled(x, n):
    def step(x, k):
        for j in range(8):
            x = x + 0.1 * np.sin(x + j) * np.cos(x)
        return x, k + 1.0

    return lw.until(lambda x, k: k >= n, step, x, 0.0, limit=ENDLESS)[0]


def call_and_interrupt(kernel, *arrays):
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    kernel(*arrays)


@pytest.mark.parametrize("function", [plain, nested, stopping, stopping_seldom_long, refilled])
@pytest.mark.parametrize(("rows", "threads"), [(None, 1), (3, 1), (5 * W + 1, 3)])
def test_long_loops_are_interrupted(function, rows, threads):
    kernel = lw.compile(function, x=(), n=()).prepare()
    kernel.threads = threads
    assert (refill.parts(kernel.program) is not None) == (function is refilled)
    shape = () if rows is None else (rows,)
    with pytest.raises(KeyboardInterrupt):
        call_and_interrupt(kernel, np.full(shape, 0.3), np.full(shape, float(ENDLESS)))
    if function in (stopping, refilled):  # it works as before
        x = np.linspace(0.0, 1.0, rows or 1)
        assert np.array_equal(kernel(x, 0.0 * x + 2.0), [kernel(y, 2.0) for y in x])


class Alarm(Exception):
    """Of a handler."""


@pytest.fixture
def alarm(monkeypatch):
    """Signals every 20 ms, with a handler to be given."""

    def start(handler):
        before.append(signal.signal(signal.SIGALRM, handler))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)

    before = []
    yield start
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before[0])


@pytest.mark.parametrize("rows", [None, 3])
def test_what_a_handler_raises_is_raised(alarm, rows):
    def handler(*_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        raise Alarm("late")

    kernel = lw.compile(stopping, x=(), n=()).prepare()
    alarm(handler)
    with pytest.raises(Alarm, match="late"):
        kernel(np.full(() if rows is None else (rows,), 0.3), float(ENDLESS))


def test_what_a_handler_raises_stops_all_threads(alarm):
    def handler(*_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        raise Alarm("late")

    kernel = lw.compile(plain, x=(), n=()).prepare()
    kernel.threads = 2
    alarm(handler)
    with pytest.raises(Alarm, match="late"):
        kernel(np.full(100, 0.3), float(ENDLESS))


@pytest.mark.parametrize("rows", [None, 3])
def test_handlers_run_and_loops_go_on(alarm, rows):
    kernel = lw.compile(stopping, x=(), n=()).prepare()
    given = np.full(() if rows is None else (rows,), 0.3), 1e8
    calm = kernel(*given)
    called = []
    alarm(lambda *_: called.append(len(called)))
    assert np.array_equal(kernel(*given), calm)
    assert len(called) > 1


@pytest.mark.parametrize("rows", [None, 3])
def test_other_threads_go_on_meanwhile(rows):
    kernel = lw.compile(stopping, x=(), n=()).prepare()
    begun, seen, over = threading.Event(), [], False

    def other():
        begun.set()
        while not over:
            seen.append(None)
            over or threading.Event().wait(0.01)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait()
    before = len(seen)
    kernel(np.full(() if rows is None else (rows,), 0.3), 1e8)
    during = len(seen) - before
    over = True
    thread.join()
    assert during > 3


def test_long_batches_of_short_rows_are_done_piece_by_piece(monkeypatch):
    kernel = lw.compile(lambda x: np.sin(x) + 1.0, x=())
    kernel.threads = 1
    x = np.random.default_rng(0).normal(size=10_001)
    whole = kernel(x)
    monkeypatch.setattr(kernel_module, "GRAIN", 20)
    monkeypatch.setattr(kernel_module, "LONG", 2000)
    kernel = lw.Kernel(kernel.program)
    kernel.threads = 1
    sizes, real = [], kernel._call
    monkeypatch.setattr(kernel, "_call", lambda *xs, out: sizes.append(len(out[0])) or real(*xs, out=out))
    assert np.array_equal(kernel(x), whole)
    assert len(sizes) > 2
    assert sum(sizes) == len(x)
    assert all(size % W == 0 for size in sizes[:-1])


def test_short_loops_do_not_look():
    short = lw.compile(lambda x: lw.repeat(1000, lambda k, x: np.sin(x), x), x=())
    texts = batches_text(short.program, W, target()) + row_text(short.program, W, target())
    assert "@poll" not in texts
