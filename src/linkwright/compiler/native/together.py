"""Several threads in one call without Python between them: native code hands parts of a row over to native code.

What is to be done is a sequence of stages, each of some groups that do not depend on one another. It stands on a board;
whoever takes part goes through the stages, takes groups that nobody has taken, and waits until all groups of a stage
are done. So it does not matter who comes when: the caller does whatever nobody else does.

A helper who has done its part lingers a short while, looking at its slot, where the next board may be put: that hands
over in a fraction of a microsecond. Waking a thread that sleeps takes some fifty.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.native import cache as files
from linkwright.compiler.native import machine

LINE = 64
"""Bytes of memory that processors hand each other at once."""

MOST_STAGES, MOST_GROUPS = 16, 64
"""Lines on a board; bits of a word."""

_WORDS = LINE // 8
_INSIDE = 4
"""Of a board's first line the word that counts those who have yet to leave. The line: the function, its arguments, its
memory, the number of stages, this, how many have joined. Each stage's line follows: which groups are taken (bits), how
many are done, how many there are."""

_LINGER, _WAIT = 100e-6, 1e-3
"""Seconds that a helper looks for another board, and that anybody waits for a stage before it lets others run."""

_SOON = 50
"""Looks at a stage that others are still at, before letting other threads run between them."""

_TEXT = """
define i64 @take_part(ptr %board, i64 %me, i64 %patience) nounwind {{
start:
  %stage = load ptr, ptr %board
  %p1 = getelementptr i64, ptr %board, i64 1
  %args = load ptr, ptr %p1
  %p2 = getelementptr i64, ptr %board, i64 2
  %memory = load ptr, ptr %p2
  %p3 = getelementptr i64, ptr %board, i64 3
  %stages = load i64, ptr %p3
  br label %next
next:
  %s = phi i64 [0, %start], [%s1, %passed]
  %more = icmp slt i64 %s, %stages
  br i1 %more, label %open, label %end
open:
  %s1 = add i64 %s, 1
  %words = mul i64 %s1, 8
  %line = getelementptr i64, ptr %board, i64 %words
  %done = getelementptr i64, ptr %line, i64 1
  %p4 = getelementptr i64, ptr %line, i64 2
  %all = load i64, ptr %p4
  br label %try
try:  ; my own group first, whose numbers are near from the stage before
  %j = phi i64 [0, %open], [%j1, %tried]
  %tries = icmp slt i64 %j, %all
  br i1 %tries, label %take, label %await
take:
  %from = add i64 %me, %j
  %group = urem i64 %from, %all
  %bit = shl i64 1, %group
  %before = atomicrmw or ptr %line, i64 %bit acq_rel
  %taken = and i64 %before, %bit
  %mine = icmp eq i64 %taken, 0
  br i1 %mine, label %work, label %tried
work:
  call void %stage(i64 %s, i64 %group, ptr %args, ptr %memory)
  %d0 = atomicrmw add ptr %done, i64 1 acq_rel
  br label %tried
tried:
  %j1 = add i64 %j, 1
  br label %try
await:
  %k = phi i64 [0, %try], [%k1, %pause], [%k1, %yield]
  %d = load atomic i64, ptr %done acquire, align 8
  %ready = icmp eq i64 %d, %all
  br i1 %ready, label %passed, label %wait
wait:
  %k1 = add i64 %k, 1
  %soon = icmp slt i64 %k1, {soon}
  br i1 %soon, label %pause, label %go_on
pause:
  {pause}
  br label %await
go_on:
  %tired = icmp sge i64 %k1, %patience
  br i1 %tired, label %left, label %yield
yield:
  call void @give_way()
  br label %await
passed:
  br label %next
end:
  ret i64 1
left:
  ret i64 0
}}

; take part as one more, and leave
define void @join(ptr %board, i64 %patience) nounwind {{
  %joined = getelementptr i64, ptr %board, i64 5
  %others = atomicrmw add ptr %joined, i64 1 acq_rel
  %me = add i64 %others, 1
  %complete = call i64 @take_part(ptr %board, i64 %me, i64 %patience)
  %inside = getelementptr i64, ptr %board, i64 4
  %before = atomicrmw sub ptr %inside, i64 1 acq_rel
  ret void
}}

; a slot holds 0: nobody is here; 1: somebody waits; else the board that somebody is at
define void @linger(ptr %slot, i64 %patience, i64 %longer) nounwind {{
start:
  store atomic i64 1, ptr %slot release, align 8
  br label %look
look:
  %k = phi i64 [0, %start], [%k1, %yield], [0, %serve]
  %x = load atomic i64, ptr %slot acquire, align 8
  %idle = icmp eq i64 %x, 1
  br i1 %idle, label %wait, label %called
wait:
  %k1 = add i64 %k, 1
  %tired = icmp sge i64 %k1, %patience
  br i1 %tired, label %leave, label %yield
yield:  ; for whoever could run here: the caller, maybe
  call void @give_way()
  br label %look
leave:
  %pair = cmpxchg ptr %slot, i64 1, i64 0 acq_rel acquire
  %now = extractvalue {{i64, i1}} %pair, 0
  %left = extractvalue {{i64, i1}} %pair, 1
  br i1 %left, label %away, label %called
called:
  %what = phi i64 [%x, %look], [%now, %leave]
  %sent = icmp eq i64 %what, 0
  br i1 %sent, label %away, label %serve
serve:
  %board = inttoptr i64 %what to ptr
  call void @join(ptr %board, i64 %longer)
  store atomic i64 1, ptr %slot release, align 8
  br label %look
away:
  ret void
}}

; put the board into so many slots where somebody waits; into how many
define i64 @hand(ptr %slots, i64 %n, i64 %wanted, i64 %board) nounwind {{
start:
  br label %next
next:
  %k = phi i64 [0, %start], [%k1, %tried]
  %handed = phi i64 [0, %start], [%after, %tried]
  %k1 = add i64 %k, 1
  %left = icmp slt i64 %k, %n
  %want = icmp slt i64 %handed, %wanted
  %go = and i1 %left, %want
  br i1 %go, label %look, label %end
look:
  %words = mul i64 %k, 8
  %slot = getelementptr i64, ptr %slots, i64 %words
  %x = load atomic i64, ptr %slot acquire, align 8
  %waits = icmp eq i64 %x, 1
  br i1 %waits, label %put, label %tried
put:
  %pair = cmpxchg ptr %slot, i64 1, i64 %board acq_rel acquire
  %given = extractvalue {{i64, i1}} %pair, 1
  %more = zext i1 %given to i64
  %sum = add i64 %handed, %more
  br label %tried
tried:
  %after = phi i64 [%handed, %look], [%sum, %put]
  br label %next
end:
  ret i64 %handed
}}

; send those away who wait
define void @dismiss(ptr %slots, i64 %n) nounwind {{
start:
  br label %next
next:
  %k = phi i64 [0, %start], [%k1, %send]
  %k1 = add i64 %k, 1
  %left = icmp slt i64 %k, %n
  br i1 %left, label %send, label %end
send:
  %words = mul i64 %k, 8
  %slot = getelementptr i64, ptr %slots, i64 %words
  %pair = cmpxchg ptr %slot, i64 1, i64 0 acq_rel acquire
  br label %next
end:
  ret void
}}
"""


class Native(NamedTuple):
    """The functions, and how long waiting takes in their turns."""

    take_part: Callable[..., int]
    join: Callable[..., None]
    linger: Callable[..., None]
    hand: Callable[..., int]
    dismiss: Callable[..., None]
    linger_turns: int
    wait_turns: int


def text(processor: str) -> str:
    """The LLVM module."""
    pause = {"x86": "void @llvm.x86.sse2.pause()", "arm": "void @llvm.aarch64.hint(i32 1)"}.get(processor)
    declared = "declare void @give_way()\n"
    if pause:
        declared += f"declare {pause.replace('i32 1', 'i32')}\n"
    return declared + _TEXT.format(pause=f"call {pause}" if pause else "", soon=_SOON)


def _give_way() -> int:
    """Where the system's function is that lets other threads run."""
    windows = os.name == "nt"
    library, name = ctypes.CDLL("kernel32" if windows else None), "SwitchToThread" if windows else "sched_yield"
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


@cache
def native() -> Native:
    """The functions, compiled or from the cache; they stay as long as the process."""
    target = machine.target()
    source = text(target.processor)
    name = files.key(hashlib.sha256(source.encode()).hexdigest(), target, 0)
    functions = ("take_part", "join", "linger", "hand", "dismiss")
    code, _ = files.code(name, lambda: source, {"give_way": _give_way()}, functions)
    machine.stay(code)
    address = code.exported
    whole, place = ctypes.c_int64, ctypes.c_void_p
    take_part = ctypes.CFUNCTYPE(whole, place, whole, whole)(address["take_part"])
    join = ctypes.CFUNCTYPE(None, place, whole)(address["join"])
    linger = ctypes.CFUNCTYPE(None, place, whole, whole)(address["linger"])
    hand = ctypes.PYFUNCTYPE(whole, place, whole, whole, whole)(address["hand"])  # too short to let others run
    dismiss = ctypes.PYFUNCTYPE(None, place, whole)(address["dismiss"])
    turn = _turn(linger)
    return Native(take_part, join, linger, hand, dismiss, int(_LINGER / turn) + 1, int(_WAIT / turn) + 1)


def _turn(linger: Callable[..., None]) -> float:
    """Seconds between two looks at a slot."""
    slot, turns, times = lines(1), 1000, []
    for _ in range(3):
        start = time.perf_counter()
        linger(slot.ctypes.data, turns, turns)
        times.append(time.perf_counter() - start)
    return min(times) / turns


def lines(number: int) -> np.ndarray:
    """Words that are zero, beginning where a line of memory begins."""
    words = np.zeros((number + 1) * _WORDS, dtype=np.int64)
    first = -(words.ctypes.data // 8) % _WORDS
    return words[first : first + number * _WORDS]


class Board:
    """What is to be done together."""

    def __init__(self) -> None:
        self.words = lines(1 + MOST_STAGES)
        self.address = self.words.ctypes.data
        self.kept: Any = None
        """what must live as long as anybody may be at it"""
        self.absent = 0
        """helpers that will not come"""

    @property
    def free(self) -> bool:
        """Whether all have left who were to come."""
        return bool(self.words[_INSIDE] == self.absent)

    def write(self, groups: tuple[int, ...], stage: int, args: int, memory: int, helpers: int, kept: Any) -> None:
        """``stage(number, group, args, memory)`` for so many groups of each stage, for so many helpers to come."""
        empty, words = _empty(groups), self.words
        words[: len(empty)] = empty
        words[0], words[1], words[2], words[_INSIDE] = stage, args, memory, helpers
        self.kept, self.absent = kept, 0


@cache
def _empty(groups: tuple[int, ...]) -> np.ndarray:
    """The words of a board on which nothing has been done."""
    assert len(groups) <= MOST_STAGES
    assert max(groups) <= MOST_GROUPS
    first = [0, 0, 0, len(groups), 0, 0, 0, 0]
    return np.array([first, *([0, 0, n, 0, 0, 0, 0, 0] for n in groups)]).reshape(-1)
