"""Calls of a kernel one after the other, each from what the one before gave, with no Python between them.

Some results of a call are arguments of the next one. What is to be kept of them is written where it stays; the others
change between two places. Batches are done some rows at a time, all their calls, so that what the calls hand on stays
in the near caches; parts of a batch are done on several threads. A row's results depend on none of that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from linkwright.compiler.emit.rows import plain_steps
from linkwright.compiler.ir.program import ProgramSignature
from linkwright.compiler.native import interrupts
from linkwright.compiler.native.layout import address
from linkwright.compiler.native.runtime import addresses
from linkwright.compiler.native.threads import GRAIN, at_once


class SequenceInput(ctypes.Structure):
    """`SequenceInput` of `c/sequence.c`."""

    _fields_ = (("data", ctypes.c_void_p), ("source", ctypes.c_int64))


class SequenceOutput(ctypes.Structure):
    """`SequenceOutput` of `c/sequence.c`."""

    _fields_ = (("data", ctypes.c_void_p), ("step", ctypes.c_int64), ("alternate", ctypes.c_int64))


class SequenceLayout(ctypes.Structure):
    """`CallSequence` of `c/sequence.c`, where its fields are explained."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("is_row", "inputs", "outputs", "calls", "first", "end", "rows_at_once")),
        ("work", ctypes.c_uint64),
        ("steps", ctypes.c_void_p),
        ("input", ctypes.POINTER(SequenceInput)),
        ("output", ctypes.POINTER(SequenceOutput)),
    )


_NEAR = 32 * 1024
"""Doubles that rows done at a time may take, where there are several calls."""

LANE_WORK = 4.5
"""Work, as `poll_signals` is told it, of a lane in a nanosecond, about."""

_MOST = 4096
"""Rows at a time, between which signals are looked for."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the rest


@cache
def _function() -> Callable[[int], None]:
    function: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses()["run_sequence"])
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
    """of a step of its longest repetition, as `poll_signals` is told it"""


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
        inputs = (SequenceInput * len(arrays))()
        for k, x in enumerate(arrays):
            inputs[k] = SequenceInput(address(x), fed.get(k, -1))
        outputs = (SequenceOutput * len(results))()
        for k, x in enumerate(results):
            kept = len(x) == calls
            outputs[k] = SequenceOutput(address(x), x.strides[0] * kept, x.strides[0] * (not kept))
        self.layout = SequenceLayout(
            function=function,
            is_row=single,
            inputs=len(arrays),
            outputs=len(results),
            calls=calls,
            work=min(int(turns * form.work) + 1, 2**40),
            steps=address(self.steps),
            input=inputs,
            output=outputs,
        )
        self.calls, self.size = calls, form.size

    def run(self, first: int, end: int, width: int) -> None:
        """All calls of these rows; ``width``: of the lanes. What a handler of a signal raises meanwhile is raised."""
        layout = SequenceLayout.from_buffer_copy(self.layout)
        near = max(8, _NEAR // (self.size * width)) * width
        layout.first, layout.end = first, end
        layout.rows_at_once = min(near, _MOST) if self.calls > 1 else _MOST
        _function()(ctypes.addressof(layout))
        interrupts.raise_caught()


def run_on_threads(calls: CallsInSequence, rows: int, width: int, threads: int, nanoseconds: float) -> None:
    """All rows, on so many threads where that is worth it; ``nanoseconds`` that a row takes, about."""
    slices = min(int(rows * nanoseconds / GRAIN), _SLICES_EACH * threads) if threads > 1 else 1
    step = max(1, -(-rows // (max(1, slices) * width))) * width
    starts = range(0, rows, step)
    at_once([partial(calls.run, k, min(k + step, rows), width) for k in starts], threads)
