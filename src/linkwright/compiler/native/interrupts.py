"""Signals, such as that of Ctrl-C, while machine code runs that takes long.

Python runs the handlers of signals between its own instructions, in the main thread. Loops of machine code that may
take long therefore report their work to `poll_signals` (`c/signals.c`). After about thirty milliseconds' work it lets
Python run the handlers. If a handler raises, as that of Ctrl-C does, the exception is kept, `poll_signals` returns true
from then on, the loops end, and whoever called them raises it. Helpers of a call that is given up are listed by their
thread's number.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Collection

from linkwright.compiler.native.runtime import MOST_STOPPED_THREADS, addresses, signals

_lock = threading.Lock()


def raise_caught() -> None:
    """Raise what a handler of a signal raised while machine code of this thread ran."""
    global _raised
    if signals.exception:
        try:
            ctypes.PYFUNCTYPE(ctypes.c_bool)(addresses()["raise_pending"])()
        except BaseException as error:
            _raised = id(error)
            raise


_raised = 0
"""Address of the last exception raised by a handler; the exception itself would keep its frames alive."""


def of_handler(error: BaseException) -> bool:
    """Return whether an exception that has just been raised is a handler's."""
    return id(error) == _raised


def give_up(threads: Collection[int]) -> None:
    """Have machine code stop that these threads run, until each leaves."""
    with _lock:
        for thread in threads:
            n = signals.stopped_count
            if n < MOST_STOPPED_THREADS:
                signals.stopped[n] = thread
                signals.stopped_count = n + 1


def leave(threads: set[int], thread: int) -> None:
    """One of the threads is not at it any more: what it does from now on is wanted."""
    with _lock:
        threads.discard(thread)
        others = [x for x in signals.stopped[: signals.stopped_count] if x != thread]
        if len(others) < signals.stopped_count:
            signals.stopped_count = 0  # while the list is written
            signals.stopped[: len(others)] = others
            signals.stopped_count = len(others)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    ctypes.memset(ctypes.addressof(signals), 0, ctypes.sizeof(signals))
    signals.main_thread = threading.get_ident()  # the thread that forked is the child's main one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
