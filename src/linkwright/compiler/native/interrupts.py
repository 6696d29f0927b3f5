"""Signals, such as that of Ctrl-C, while machine code runs that takes long.

Python runs the handlers of signals between its own instructions, in the main thread. Loops of machine code that may
take long therefore tell ``poll`` from time to time how much they have done; after thirty milliseconds' work it lets
Python run them. If a handler raises, as that of Ctrl-C does, the exception is kept, ``poll`` says so from then on,
the loops end where they are, and whoever called them raises it. Helpers of a call that is given up are told by their
thread's number.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading
from collections.abc import Collection
from functools import cache

import numpy as np

from linkwright.compiler.native import cache as files
from linkwright.compiler.native import machine

_MAIN, _CAUGHT, _WORK, _THEIRS, _COUNT, _FIRST = 0, 1, 4, 5, 6, 7
"""Places in the state: the main thread; the exception, its value, its traceback; work since signals were looked for;
that of other threads; how many helpers are to stop, and which."""

_MOST = 4096
"""Helpers that can be told to stop."""

ENOUGH = 2**27
"""Work, in operations of lanes, after which signals are looked for: some thirty milliseconds. On the
fastest machines that is more than the five after which threads ask for their turn: else they would get none."""

_state = np.zeros(_FIRST + _MOST, dtype=np.uint64)
_state[_MAIN] = threading.main_thread().ident or 0
_lock = threading.Lock()

_WORD = 8 * ctypes.sizeof(ctypes.c_ulong)

_TEXT = f"""
@state = external global i64
declare i{_WORD} @PyThread_get_thread_ident()
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyGILState_Check()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)

define internal i64 @me() {{
  %thread = call i{_WORD} @PyThread_get_thread_ident()
  %number = {f"zext i{_WORD} %thread to i64" if _WORD < 64 else "add i64 %thread, 0"}
  ret i64 %number
}}

; let other threads run Python, if this one keeps them from it, until it goes on
define ptr @let() {{
start:
  %held = call i32 @PyGILState_Check()
  %keeps = icmp ne i32 %held, 0
  br i1 %keeps, label %release, label %end
release:
  %state = call ptr @PyEval_SaveThread()
  ret ptr %state
end:
  ret ptr null
}}
define void @go_on(ptr %state) {{
start:
  %kept = icmp ne ptr %state, null
  br i1 %kept, label %again, label %end
again:
  call void @PyEval_RestoreThread(ptr %state)
  br label %end
end:
  ret void
}}

; whether to stop; `work`: what was done since the last time
define i1 @poll(i64 %work) {{
start:
  %me = call i64 @me()
  %main = load i64, ptr @state
  %is_main = icmp eq i64 %me, %main
  br i1 %is_main, label %signals, label %helper
signals:
  %caught = getelementptr i64, ptr @state, i64 {_CAUGHT}
  %before = load i64, ptr %caught
  %is_caught = icmp ne i64 %before, 0
  br i1 %is_caught, label %stop, label %count
count:
  %place = getelementptr i64, ptr @state, i64 {_WORK}
  %done = load i64, ptr %place
  %sum = add i64 %done, %work
  %enough = icmp uge i64 %sum, {ENOUGH}
  %rest = select i1 %enough, i64 0, i64 %sum
  store i64 %rest, ptr %place
  br i1 %enough, label %look, label %go_on
look:
  %held = call i32 @PyGILState_Ensure()
  %told = call i32 @PyErr_CheckSignals()
  %raised = icmp slt i32 %told, 0
  br i1 %raised, label %keep, label %release
keep:
  %value = getelementptr i64, ptr @state, i64 {_CAUGHT + 1}
  %trace = getelementptr i64, ptr @state, i64 {_CAUGHT + 2}
  call void @PyErr_Fetch(ptr %caught, ptr %value, ptr %trace)
  br label %release
release:
  call void @PyGILState_Release(i32 %held)
  br i1 %raised, label %stop, label %let_others
let_others:
  %state = call ptr @let()
  call void @go_on(ptr %state)
  ret i1 0
helper:
  %counted = getelementptr i64, ptr @state, i64 {_COUNT}
  %n = load i64, ptr %counted
  br label %next
next:
  %i = phi i64 [0, %helper], [%i1, %other]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %compare, label %theirs
compare:
  %k = add i64 %i, {_FIRST}
  %entry = getelementptr i64, ptr @state, i64 %k
  %given_up = load i64, ptr %entry
  %mine = icmp eq i64 %given_up, %me
  br i1 %mine, label %stop, label %other
other:
  %i1 = add i64 %i, 1
  br label %next
theirs:
  %their_place = getelementptr i64, ptr @state, i64 {_THEIRS}
  %their_done = load i64, ptr %their_place
  %their_sum = add i64 %their_done, %work
  %their_enough = icmp uge i64 %their_sum, {ENOUGH}
  %their_rest = select i1 %their_enough, i64 0, i64 %their_sum
  store i64 %their_rest, ptr %their_place
  br i1 %their_enough, label %let_others, label %go_on
go_on:
  ret i1 0
stop:
  ret i1 1
}}

; whether there was an exception in this thread, which is raised now
define i1 @raised() {{
start:
  %me = call i64 @me()
  %main = load i64, ptr @state
  %is_main = icmp eq i64 %me, %main
  %caught = getelementptr i64, ptr @state, i64 {_CAUGHT}
  %kind = load ptr, ptr %caught
  %any = icmp ne ptr %kind, null
  %mine = and i1 %is_main, %any
  br i1 %mine, label %raise, label %end
raise:
  %value_at = getelementptr i64, ptr @state, i64 {_CAUGHT + 1}
  %value = load ptr, ptr %value_at
  %trace_at = getelementptr i64, ptr @state, i64 {_CAUGHT + 2}
  %trace = load ptr, ptr %trace_at
  store ptr null, ptr %caught
  call void @PyErr_Restore(ptr %kind, ptr %value, ptr %trace)
  ret i1 1
end:
  ret i1 0
}}
"""


_FUNCTIONS = ("poll", "raised", "let", "go_on")


@cache
def addresses() -> dict[str, int]:
    """The functions of the text."""
    used = {"state": _state.ctypes.data}
    for name in (
        *("PyThread_get_thread_ident", "PyGILState_Ensure", "PyGILState_Release", "PyGILState_Check"),
        *("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals", "PyErr_Fetch", "PyErr_Restore"),
    ):
        used[name] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    key = files.key(hashlib.sha256(_TEXT.encode()).hexdigest(), machine.target(), 0)
    code, _ = files.code(key, lambda: _TEXT, used, _FUNCTIONS)
    machine.stay(code)
    return {name: code.exported[name] for name in _FUNCTIONS}


def raise_caught() -> None:
    """Raise what a handler of a signal raised while machine code of this thread ran."""
    global _raised
    if _state[_CAUGHT]:
        try:
            ctypes.PYFUNCTYPE(ctypes.c_bool)(addresses()["raised"])()
        except BaseException as error:
            _raised = id(error)
            raise


_raised = 0
"""What was raised last by a handler: its address, since the exception itself would keep all that its frames hold."""


def of_handler(error: BaseException) -> bool:
    """Whether an exception that has just been raised is a handler's."""
    return id(error) == _raised


def give_up(threads: Collection[int]) -> None:
    """Have machine code stop that these threads run, until each leaves."""
    with _lock:
        for thread in threads:
            n = int(_state[_COUNT])
            if n < _MOST:
                _state[_FIRST + n] = thread
                _state[_COUNT] = n + 1


def leave(threads: set[int], thread: int) -> None:
    """One of the threads is not at it any more: what it does from now on is wanted."""
    with _lock:
        threads.discard(thread)
        n = int(_state[_COUNT])
        if n:
            others = _state[_FIRST : _FIRST + n][_state[_FIRST : _FIRST + n] != thread]
            _state[_COUNT] = 0
            _state[_FIRST : _FIRST + len(others)] = others
            _state[_COUNT] = len(others)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _state[:] = 0
    _state[_MAIN] = threading.get_ident()  # the thread that forked is the child's main one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
