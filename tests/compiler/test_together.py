"""Stages of groups on several threads: each group once, one stage after the other, whoever takes part."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compiler.emit import rows
from linkwright.compiler.native import threads, together

STAGE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


def address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def run(groups, number, delays=(0.0,)):
    """What happened, in order: (stage, group, whether it ended)."""
    events = []

    @STAGE
    def stage(s, group, args, memory):
        assert (args, memory) == (16, 32)
        events.append((s, group, False))
        time.sleep(delays[(s + group) % len(delays)])
        events.append((s, group, True))

    threads.in_stages(groups, address(stage), 16, 32, number, stage)
    return events


def assert_in_order(events, groups):
    """Every group begins and ends once, after all groups of the stages before."""
    expected = {(s, k) for s, n in enumerate(groups) for k in range(n)}
    for ended in (False, True):
        assert sorted((s, k) for s, k, end in events if end is ended) == sorted(expected)
    assert [s for s, _, _ in events] == sorted(s for s, _, _ in events)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 5))
def test_each_group_once_and_stages_in_order(groups, number):
    assert_in_order(run(tuple(groups), number), groups)


def test_groups_that_take_longer_than_anybody_waits():
    groups = (1, 3, 1, 2)
    assert_in_order(run(groups, 3, delays=(0.0, 0.01, 0.02)), groups)


def test_many_callers_at_once():
    groups = (1, 4, 1, 4)
    with ThreadPoolExecutor(6) as pool:
        for events in pool.map(lambda k: run(groups, 2 + k % 3, delays=(0.0, 0.0005)), range(30)):
            assert_in_order(events, groups)


def test_groups_at_once():
    """Two groups that wait for each other are done only if two threads do them."""
    both, met = threading.Barrier(2, timeout=30), []

    @STAGE
    def stage(s, group, args, memory):
        both.wait()
        met.append(group)

    for _ in range(20):  # one stage each: a helper that has waited long for others leaves later stages to the caller
        threads.in_stages((2,), address(stage), 0, 0, 2, stage)
    assert sorted(met) == 20 * [0] + 20 * [1]


@pytest.mark.skipif(os.name == "nt", reason="no signals to threads of one's own")
def test_after_an_interrupt_all_stages_are_done():
    """So nobody writes any more when it reaches the caller."""
    main, begun, done = threading.get_ident(), threading.Event(), []

    @STAGE
    def stage(s, group, args, memory):
        if s == 0 and threading.get_ident() == main:
            begun.wait(30)
        elif s == 0:
            begun.set()
            # an interrupt in a callback would stay there: wait until the caller is back in machine code
            while not done or sys._current_frames()[main].f_code.co_name == "stage":
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
        done.append((s, group))

    with pytest.raises(KeyboardInterrupt):
        threads.in_stages((2, 2), address(stage), 0, 0, 2, stage)
    assert sorted(done) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert_in_order(run((1, 4, 1), 3), (1, 4, 1))


def waiting(slot):
    end = time.perf_counter() + 30.0
    while slot[0] != 1:
        assert time.perf_counter() < end
        time.sleep(0.001)


def test_a_board_handed_to_whoever_lingers():
    native, slots, done = together.native(), together.lines(3), []

    @STAGE
    def stage(s, group, args, memory):
        done.append((s, group, threading.current_thread() is helper))

    helper = threading.Thread(target=lambda: native.linger(slots[8:].ctypes.data, 2**60, 1000))
    helper.start()
    waiting(slots[8:])
    for _ in range(3):
        board = together.Board()
        board.write((1, 2), address(stage), 0, 0, 1, None)
        assert not board.free
        assert native.hand(slots.ctypes.data, 3, 3, board.address) == 1  # the other two slots are empty
        waiting(slots[8:])
        assert board.free
        assert native.take_part(board.address, 0, 1) == 1  # all is done
    assert done == [(0, 0, True), (1, 1, True), (1, 0, True)] * 3
    native.dismiss(slots.ctypes.data, 3)
    helper.join(30.0)
    assert not helper.is_alive()
    assert native.hand(slots.ctypes.data, 3, 3, board.address) == 0


def test_nobody_lingers_long():
    native, slot = together.native(), together.lines(1)
    turns = native.linger_turns, native.wait_turns
    helper = threading.Thread(target=lambda: native.linger(slot.ctypes.data, *turns))
    helper.start()
    helper.join(30.0)
    assert not helper.is_alive()  # leaves by itself
    assert slot[0] == 0


def test_lines_begin_where_lines_of_memory_do():
    for n in range(1, 9):
        words = together.lines(n)
        assert words.ctypes.data % together.LINE == 0
        assert words.nbytes == n * together.LINE
        assert not words.any()


@pytest.mark.parametrize("processor", ["x86", "arm", "another"])
def test_code_for_every_processor(processor):
    elsewhere = "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)\n"
    for text in (together.text(processor), rows.tiny_text(processor) + elsewhere + "attributes #1 = { nounwind }"):
        llvm.parse_assembly(text).verify()


CHAIN = """
    import os, sys, numpy as np, linkwright as lw
    from linkwright.compiler.schedules import selection
    selection.LINKS_FOR_THREADS = 0
    os.environ["LINKWRIGHT_THREADS"] = "3"
    model = lw.load("planar:300")
    q, v, tau = 0.1 * np.random.default_rng(0).standard_normal((3, 300))
    kernel = lw.compile(lw.forward_dynamics, model, method="hybrid")
    assert kernel.program.number == 3
    kernel.threads = 1
    expected = kernel(q, v, tau)
    kernel.threads = 3
    assert np.array_equal(kernel(q, v, tau), expected)
"""


def run_python(code):
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on this system")
def test_a_fork_between_calls():
    run_python(
        CHAIN
        + """
    child = os.fork()
    if child == 0:
        os._exit(0 if all(np.array_equal(kernel(q, v, tau), expected) for _ in range(50)) else 1)
    assert all(np.array_equal(kernel(q, v, tau), expected) for _ in range(50))
    assert os.waitpid(child, 0)[1] == 0
    """
    )


def test_the_end_of_the_process_while_helpers_linger():
    run_python(CHAIN + "\n    for _ in range(100):\n        kernel(q, v, tau)\n")
