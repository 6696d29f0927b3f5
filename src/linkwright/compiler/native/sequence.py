"""Sequences of calls of a kernel, each with results of the previous one, without Python in between.

Some results of a call are arguments of the next one. Those that are recorded are written to their final position;
others alternate between two buffers. Batches run in blocks of rows, all calls of a block, so that the exchanged data
stay in the caches; parts of a batch run on several threads, and rows in any order. The results of a row depend on none
of that.
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
from linkwright.compiler.native.threads import GRAIN, at_once, on_processor


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
        *(
            (name, ctypes.c_int64)
            for name in ("is_row", "inputs", "outputs", "calls", "updates", "first", "end", "rows_at_once")
        ),
        ("work", ctypes.c_uint64),
        ("steps", ctypes.c_void_p),
        ("input", ctypes.POINTER(SequenceInput)),
        ("output", ctypes.POINTER(SequenceOutput)),
        ("order", ctypes.c_void_p),
        ("block", ctypes.c_void_p),
    )


_NEAR = 32 * 1024
"""Largest number of doubles of rows that run together, for several calls."""

LANE_WORK = 4.5
"""Approximate work of a lane per nanosecond, in the unit of `poll_signals`."""

_MOST = 4096
"""Largest number of rows between checks for signals."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the rest


_unused_blocks: list[np.ndarray] = []  # a handler of a signal may run a sequence inside another one of its thread


def _block(size: int) -> np.ndarray:
    """Return memory for at least ``size`` doubles."""
    try:
        block = _unused_blocks.pop()
    except IndexError:
        block = np.empty(size)
    return block if block.size >= size else np.empty(size)


@cache
def _function() -> Callable[[int], None]:
    function: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses()["run_sequence"])
    return function


class Form(NamedTuple):
    """Constant properties of a kernel's calls."""

    steps: list[int]
    """bytes between rows, and between their entries"""
    dimensions: list[int]
    """of the arguments' rows"""
    size: int
    """doubles of a row, results twice"""
    work: int
    """work of a step of its longest repetition, in the unit of `poll_signals`"""


def form_of(program: ProgramSignature, work: int) -> Form:
    """The form of a program's calls."""
    inputs, outputs = (sum(slot.size for slot in slots) for slots in (program.inputs, program.outputs))
    return Form(plain_steps(program), [len(slot.shape) for slot in program.inputs], inputs + 2 * outputs, work)


class CallsInSequence:
    """A sequence of calls of a kernel's machine code; arrays are described once, and rows are then run."""

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
        in_place: bool = False,
        order: np.ndarray | None = None,
    ):
        """As `Kernel.sequence` has them; ``function``: the machine code's address; ``single``: of one row."""
        order = None if single else order
        self.kept = (*arrays, *results, order)  # whose memory is in the table
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
            updates=in_place,
            work=min(int(turns * form.work) + 1, 2**40),
            steps=address(self.steps),
            input=inputs,
            output=outputs,
            order=None if order is None else address(order),
        )
        self.near, self.size = calls > 1 or in_place or order is not None, form.size

    def run(self, first: int, end: int, width: int) -> None:
        """Run all calls for these rows; ``width``: number of lanes. Exceptions of signal handlers are raised."""
        layout = SequenceLayout.from_buffer_copy(self.layout)
        near = max(8, _NEAR // (self.size * width)) * width
        layout.first, layout.end = first, end
        layout.rows_at_once = min(near, _MOST) if self.near else _MOST
        block = None
        if layout.order:
            block = _block(layout.rows_at_once * self.size)
            layout.block = address(block)
        _function()(ctypes.addressof(layout))
        if block is not None:
            _unused_blocks.append(block)
        interrupts.raise_caught()


def run_on_threads(
    calls: CallsInSequence, rows: int, width: int, threads: int, nanoseconds: float, cpus: Sequence[int] = ()
) -> None:
    """Run all rows, on several threads where beneficial; ``nanoseconds``: approximate time of a row.

    ``cpus``: processors, each of which runs one part of the rows.
    """
    if cpus:
        threads = len(cpus)
    slices = min(int(rows * nanoseconds / GRAIN), _SLICES_EACH * threads) if threads > 1 else 1
    parts = len(cpus) if cpus else max(1, slices)
    step = max(1, -(-rows // (parts * width))) * width
    jobs = [partial(calls.run, k, min(k + step, rows), width) for k in range(0, rows, step)]
    if cpus:
        jobs = [partial(on_processor, cpu, job) for cpu, job in zip(cpus, jobs, strict=False)]
    if len(jobs) == 1:
        jobs[0]()
    else:
        at_once(jobs, threads)


def interpret_sequence(
    call: Callable[..., None],
    calls: int,
    arrays: Sequence[np.ndarray],
    fed: Mapping[int, int],
    results: Sequence[np.ndarray],
    in_place: bool,
) -> None:
    """Run a sequence of calls of ``call(*arrays, out=results)``."""
    given = list(arrays)
    for k in range(calls):
        places = tuple(x[k if len(x) == calls else k % 2] for x in results)
        call(*given, out=places)
        for number, source in fed.items():
            given[number] = places[source]
    if in_place:
        for number in fed:
            np.copyto(arrays[number], given[number])
