"""From a program to machine code that Python can call: from the cache, or made and kept there."""

from __future__ import annotations

import ctypes
import math
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.call_stack import with_room
from linkwright.compiler.emit import refill
from linkwright.compiler.emit import straight as llvm
from linkwright.compiler.emit.repetition import is_long
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native import cache, interrupts, machine, runtime
from linkwright.compiler.native.call import universal_function
from linkwright.compiler.native.entry import CallTable
from linkwright.status import CompileRate, status_message

_ROWS_MEASURED = 512

_EXPORTS = {"row": ("single",), "batches": ("loop",), "both": ("loop", "single")}
"""Functions of each part of the code that are called from outside."""

LETTERS = 60
"""Letters of code per operation, approximately"""

_AS_ROW = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
"""Code of a row: its arguments, and the bytes between rows (unused)."""


class Native:
    """Machine code of a program: an entry for single rows and one for batches, each compiled on first use."""

    def __init__(self, program: Program | Staged, width: int, name: str = ""):
        self.name = name or program.name
        """what is compiled, for people"""
        self.width = width
        """rows at once"""
        self.failure: BaseException | None = None
        """why a batch could not go on: raised by whoever called it"""
        self.table: CallTable | None = None
        """by which batches come here without Python, while nothing fails"""
        self._program, self._target = program, machine.target()
        tables: dict[str, int] = {}
        self._tables: Any = None
        if isinstance(program, Staged):
            tables, self._tables = program.tables()
        this = weakref.ref(self)

        def missing(arguments: int, steps: int) -> None:
            native = this()
            assert native is not None
            native._run_row(arguments, steps)

        self._missing = _AS_ROW(missing)
        self._row_at = ctypes.c_void_p(ctypes.cast(self._missing, ctypes.c_void_p).value)
        self.long = isinstance(program, Program) and is_long(program)
        """whether its loops look whether to stop"""
        stopping = runtime.addresses() if self.long else {}
        self._symbols = {**tables, **stopping, "row_at": ctypes.addressof(self._row_at)}
        self._codes: dict[str, machine.Code] = {}
        self._found: list[bool] = []
        self._batches: tuple[Callable[..., Any], Any] | None = None
        self._quick: machine.Code | None = None
        """code for single rows that was made quickly; what has its address may still call it"""
        self._left = math.inf
        """s that it runs until better code is made"""

    @property
    def from_cache(self) -> bool:
        """Whether all code used so far came from the cache."""
        return bool(self._found) and all(self._found)

    @property
    def row(self) -> int:
        """Address of a row's code, of its arguments and the bytes between rows."""
        return self._code("row").exported["single"]

    @property
    def batches(self) -> Callable[..., Any]:
        """NumPy's generalized universal function."""
        if self._batches is None:
            self._batches = universal_function(self._program, self.loop)
        return self._batches[0]

    @property
    def loop(self) -> int:
        """Address of the loop over the rows of a batch."""
        return self._code("batches").exported["loop"]

    def prepare(self, rows: bool = True, batches: bool = True, soon: bool = False) -> Native:
        """Make the code for single rows, for batches, or both now.

        ``soon``: make code for single rows quickly, and better code after :meth:`counted` runs of as long as it takes.
        """
        for part, wanted in (("row", rows), ("batches", batches)):
            if wanted:
                self._code(part, soon and part == "row")
        return self

    def counted(self, run: Callable[[], None]) -> Callable[[], None]:
        """Return a function that runs code for single rows and counts its time if the code was made quickly."""
        if self._left == math.inf:
            return run

        def counting() -> None:
            start = time.perf_counter()
            run()
            self._left -= time.perf_counter() - start
            if self._left <= 0.0:
                with machine.LOCK:
                    if self._quick is None:  # once, even if threads count at the same time
                        better = self._made("row", soon=False)  # if Ctrl-C ends it, after the next run
                        self._quick, self._codes["row"] = self._codes["row"], better
                        self._row_at.value = better.exported["single"]
                self._left = math.inf

        return counting

    def _run_row(self, arguments: int, steps: int) -> None:
        """A row that lanes left aside, before there was code for it. It must not raise: no Python called it."""
        try:
            self._code("row")
        except BaseException as error:
            self.failure = error
            if self.table is not None:
                self.table.most_rows = 0  # also for a batch whose loop is running
            return
        _AS_ROW(self._row_at.value or 0)(arguments, steps)

    def _code(self, part: str, soon: bool = False) -> machine.Code:
        """Return the code for "row" or "batches"; staged programs of single rows have both in one module."""
        staged = isinstance(self._program, Staged)
        if staged and self.width == 1:
            part = "both"
        if part not in self._codes:
            with machine.LOCK:
                if part not in self._codes:
                    self._codes[part] = self._made(part, soon)
                    if part == "row" and not staged:
                        self._row_at.value = self._codes[part].exported["single"]
        return self._codes[part]

    @with_room
    def _made(self, part: str, soon: bool) -> machine.Code:
        program, of = self._program, self._target
        known = f"{program.digest} {part}"
        if soon and not of.quick and isinstance(program, Program):
            if cache.read(cache.key(known, of, self.width)) is None:
                self._left = CompileRate.expected(LETTERS * program.length)
                of = of._replace(quick=True)
        name = cache.key(known, of, self.width)
        with status_message(f"compiling {self.name}"):
            code, found = cache.code(
                name, lambda: self._text(part), self._symbols, _EXPORTS[part], _scheduled(program), of
            )
        self._found.append(found)
        return code

    def _text(self, part: str) -> str:
        program, target = self._program, self._target
        if isinstance(program, Staged):
            return program.text(target, 1 if part == "row" else self.width)
        if part == "row":
            return llvm.row_text(program, self.width, target)
        split = refill.parts(program)
        if split is not None:
            return refill.batches_text(program, self.width, target, split)
        return llvm.batches_text(program, self.width, target)


def build(program: Program | Staged, tune: bool = False, name: str = "") -> Native:
    """Return the machine code, with as many lanes as the target's registers have, or as measured fastest.

    ``name``: description for progress messages, where compilation takes long.
    """
    target = machine.target()
    if isinstance(program, Staged):
        return Native(program, program.width(target.width), name).prepare(batches=False)  # it may be too large
    size = FORMATS[program.precision].bytes
    if not tune:
        return Native(program, target.lanes(size), name)
    tuned = cache.key(f"tuned {program.digest}", target, 0)
    kept = cache.read(tuned)
    if kept is not None:
        return Native(program, int(kept), name)
    best = min((Native(program, width, name) for width in target.widths(size)), key=measurement(program))
    cache.write(tuned, str(best.width).encode())
    return best


MANY_RESULTS = 40
LONG = 10_000


def _scheduled(program: Program | Staged) -> bool:
    """Return whether LLVM's schedulers, before and after register allocation, are beneficial.

    They gain up to a tenth for few results. For many results, each stored as soon as it is known, reordering keeps more
    of them alive (measured: up to a third slower); and for long programs it takes most of the compile time.
    """
    if isinstance(program, Staged):
        return False  # steps write many numbers each
    results = sum(slot.size for slot in program.outputs)
    return results <= MANY_RESULTS and program.length <= LONG


def measurement(program: Program | Staged) -> Callable[[Native], float]:
    """Return a function that measures the time of a batch: the minimum of many runs."""
    random = np.random.default_rng(0)
    dtype = FORMATS[program.precision].dtype
    inputs = [random.standard_normal((_ROWS_MEASURED, *slot.shape)).astype(dtype) for slot in program.inputs]
    outputs = tuple(np.empty((_ROWS_MEASURED, *slot.shape), dtype) for slot in program.outputs)

    def measure(native: Native) -> float:
        seconds = shortest(lambda: native.batches(*inputs, out=outputs))
        interrupts.raise_caught()
        return seconds

    return measure


def shortest(run: Callable[[], object]) -> float:
    """Seconds of the shortest of many runs."""
    times: list[float] = []
    end = time.perf_counter() + 0.02
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


_USUAL = 30
"""Steps of a repetition that stops, as long as nobody knows better."""


def row_time(program: Program | Staged, width: int, usual: bool = True) -> float:
    """Roughly how many nanoseconds a row of a batch takes, to decide on threads.

    ``usual``: rather than at most, where repetitions stop.
    """
    count = program.counted(_USUAL) if usual and isinstance(program, Program) else program.operations
    costly = 30 * count.sincos + 10 * (count.divisions + count.square_roots) + 20 * count.other
    moved = sum(slot.size for slot in program.outputs)
    if isinstance(program, Staged):
        moved += sum(slot.size for slot in program.inputs)
    else:
        moved += sum(map(len, program.entries_used))
    return (count.total + costly + 4 * moved) / (6 * width)
