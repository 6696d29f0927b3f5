"""Calls of a kernel one after the other, each from what the one before gave, with no Python between them.

Some results of a call are arguments of the next one. What is to be kept of them is written where it stays; the others
change between two places. Batches are done some rows at a time, all their calls, so that what the calls hand on stays
in the near caches; parts of a batch are done on several threads. A row's results depend on none of that.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.emit.rows import plain_steps
from linkwright.compiler.ir.program import ProgramSignature
from linkwright.compiler.native import cache as files
from linkwright.compiler.native import interrupts, machine
from linkwright.compiler.native.entry import address
from linkwright.compiler.native.threads import GRAIN, at_once

_FUNCTION, _SINGLE, _INPUTS, _OUTPUTS, _CALLS, _FIRST, _END, _TOGETHER, _WORK, _STEPS, _SLOTS = range(11)
"""Words of a task: the function; whether it takes one row; how many arguments and results; how many calls; the first
row, and the one after the last; how many rows at a time; what a call of a row takes, as `interrupts.poll` is told; the
bytes between rows. Then of each argument: where it is, from which result it is taken after the first call (-1: from
none); of each result: where it is, how far it moves with every call, and how far with every second one and back."""

_NEAR = 32 * 1024
"""Doubles that rows done at a time may take, where there are several calls."""

LANE_WORK = 4.5
"""Work, as `interrupts.poll` is told it, of a lane in a nanosecond, about."""

_MOST = 4096
"""Rows at a time, between which signals are looked for."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the rest

_FUNCTION_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _text() -> str:
    code = FunctionBuilder()
    code.lines += [
        "declare i1 @poll(i64)",
        "define void @sequence(ptr %task) #1 {",
    ]
    code.do("start:")
    function, single = code.load("ptr", "%task", _FUNCTION), code.load("i64", "%task", _SINGLE)
    inputs, outputs = code.load("i64", "%task", _INPUTS), code.load("i64", "%task", _OUTPUTS)
    calls, first, end = (code.load("i64", "%task", k) for k in (_CALLS, _FIRST, _END))
    together, work = code.load("i64", "%task", _TOGETHER), code.load("i64", "%task", _WORK)
    steps, slots = code.load("ptr", "%task", _STEPS), code.item("i64", "%task", _SLOTS)
    results = code.item("i64", slots, code.emit(f"mul i64 {inputs}, 2"))
    arguments = code.emit(f"alloca ptr, i64 {code.emit(f'add i64 {inputs}, {outputs}')}")
    length = code.emit("alloca i64")
    one_row = code.emit(f"icmp ne i64 {single}, 0")
    parts = code.emit(f"sub i64 {end}, {first}")
    parts = code.emit(f"sub i64 {code.emit(f'add i64 {parts}, {together}')}, 1")
    parts = code.emit(f"sdiv i64 {parts}, {together}")

    def place_of_result(o: str, call: str) -> str:
        own = code.item("i64", results, code.emit(f"mul i64 {o}, 3"))
        base, moves, flips = code.load("ptr", own, 0), code.load("i64", own, 1), code.load("i64", own, 2)
        turned = code.emit(f"mul i64 {flips}, {code.emit(f'and i64 {call}, 1')}")
        moved = code.emit(f"add i64 {code.emit(f'mul i64 {moves}, {call}')}, {turned}")
        return code.emit(f"getelementptr i8, ptr {base}, i64 {moved}")

    def put(place: str, number: str, row: str) -> None:
        further = code.emit(f"mul i64 {row}, {code.load('i64', steps, number)}")
        there = code.emit(f"getelementptr i8, ptr {place}, i64 {further}")
        code.do(f"store ptr {there}, ptr {code.item('ptr', arguments, number)}")

    with code.loop("0", parts) as part:
        row = code.emit(f"add i64 {first}, {code.emit(f'mul i64 {part}, {together}')}")
        left = code.emit(f"sub i64 {end}, {row}")
        rows = code.emit(f"select i1 {code.emit(f'icmp slt i64 {left}, {together}')}, i64 {left}, i64 {together}")
        code.do(f"store i64 {rows}, ptr {length}")
        done = code.emit(f"mul i64 {work}, {rows}")
        with code.loop("0", calls) as call:
            later = code.emit(f"icmp sgt i64 {call}, 0")
            before = code.emit(f"select i1 {later}, i64 {code.emit(f'sub i64 {call}, 1')}, i64 0")
            with code.loop("0", inputs) as k:
                own = code.item("i64", slots, code.emit(f"mul i64 {k}, 2"))
                given, source = code.load("ptr", own, 0), code.load("i64", own, 1)
                fed = code.emit(f"and i1 {later}, {code.emit(f'icmp sge i64 {source}, 0')}")
                known = code.emit(f"select i1 {fed}, i64 {source}, i64 0")
                put(code.emit(f"select i1 {fed}, ptr {place_of_result(known, before)}, ptr {given}"), k, row)
            with code.loop("0", outputs) as o:
                put(place_of_result(o, call), code.emit(f"add i64 {inputs}, {o}"), row)
            code.do(f"br i1 {one_row}, label %single, label %several")
            code.do("single:")
            code.do(f"call void {function}(ptr {arguments}, ptr {steps})")
            code.do("br label %called")
            code.do("several:")
            code.do(f"call void {function}(ptr {arguments}, ptr {length}, ptr {steps}, ptr null)")
            code.do("br label %called")
            code.do("called:")
            halt = code.emit(f"call i1 @poll(i64 {done})")
            code.do(f"br i1 {halt}, label %halted, label %on, !prof !0")
            code.do("halted:")
            code.do("ret void")
            code.do("on:")
    code.do("ret void")
    code.lines += ["}", "attributes #1 = { noinline nounwind }", '!0 = !{!"branch_weights", i32 1, i32 2000}']
    return "\n".join(code.lines)


@cache
def _function() -> Callable[[int], None]:
    text = _text()
    key = files.key(hashlib.sha256(text.encode()).hexdigest(), machine.target(), 1)
    code, _ = files.code(key, lambda: text, {"poll": interrupts.addresses()["poll"]}, ("sequence",))
    machine.stay(code)
    function: Callable[[int], None] = _FUNCTION_TYPE(code.exported["sequence"])
    return function


class Form(NamedTuple):
    """What of a kernel's calls is always the same."""

    steps: list[int]
    """bytes between rows, and between their entries"""
    dimensions: list[int]
    """of the arguments' rows"""
    size: int
    """doubles of a row, results twice"""
    work: int
    """of a step of its longest repetition, as `interrupts.poll` is told it"""


def form_of(program: ProgramSignature, work: int) -> Form:
    """The form of a program's calls."""
    inputs, outputs = (sum(slot.size for slot in slots) for slots in (program.inputs, program.outputs))
    return Form(plain_steps(program), [len(slot.shape) for slot in program.inputs], inputs + 2 * outputs, work)


class CallsInSequence:
    """So many calls of a kernel's machine code: what they read and write is told once, and then done by rows."""

    def __init__(
        self,
        form: Form,
        function: int,
        single: bool,
        calls: int,
        arrays: Sequence[np.ndarray],
        fed: Mapping[int, int],
        results: Sequence[np.ndarray],
        turns: float,
    ):
        """As `Kernel.in_sequence` has them; ``function``: the machine code's address."""
        self.kept = (*arrays, *results)  # whose memory is told
        shared = [0 if x.ndim == n else step for x, n, step in zip(arrays, form.dimensions, form.steps, strict=False)]
        self.steps = np.array(shared + form.steps[len(arrays) :], dtype=np.int64)
        work = min(int(turns * form.work) + 1, 2**40)
        words = [function, single, len(arrays), len(results), calls, 0, 0, 0, work, address(self.steps)]
        for k, x in enumerate(arrays):
            words += address(x), fed.get(k, -1)
        for x in results:
            there = x.strides[0]
            words += (address(x), there, 0) if len(x) == calls else (address(x), 0, there)
        self.words, self.calls, self.size = np.array(words, dtype=np.int64), calls, form.size

    def run(self, first: int, end: int, width: int) -> None:
        """All calls of these rows; ``width``: of the lanes. What a handler of a signal raises meanwhile is raised."""
        words = self.words.copy()
        near = max(8, _NEAR // (self.size * width)) * width
        words[[_FIRST, _END, _TOGETHER]] = first, end, min(near, _MOST) if self.calls > 1 else _MOST
        _function()(address(words))
        interrupts.raise_caught()


def run_on_threads(calls: CallsInSequence, rows: int, width: int, threads: int, nanoseconds: float) -> None:
    """All rows, on so many threads where that is worth it; ``nanoseconds`` that a row takes, about."""
    slices = min(int(rows * nanoseconds / GRAIN), _SLICES_EACH * threads) if threads > 1 else 1
    step = max(1, -(-rows // (max(1, slices) * width))) * width
    starts = range(0, rows, step)
    at_once([partial(calls.run, k, min(k + step, rows), width) for k in starts], threads)
