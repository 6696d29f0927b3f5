"""From a program to LLVM IR: the straight-line code on W lanes, and on one.

The entries of W rows are loaded as they are in memory and transposed in registers. Products are fused into sums here,
explicitly, without reassociation, so that one lane computes bit by bit what W lanes do: a row's result depends neither
on its batch nor on its position in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from linkwright.compiler.emit.code import module
from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter
from linkwright.compiler.emit.repetition import is_long
from linkwright.compiler.emit.rows import copy_text, lengths_text, loop_text, stride_place
from linkwright.compiler.emit.tables import RowAddress, read
from linkwright.compiler.ir.program import ArraySpec, Program, Steps
from linkwright.compiler.native.machine import Target

_NEAR_CACHE = 32 * 1024  # bytes

SPARSE = 256
"""Entries of a result from which structural zeros are written by a loop, where they are most of it."""

_CLEAR = """define internal void @clear(ptr %row, i64 %bytes) #0 {{
start:
  br label %next
next:
  %at = phi i64 [0, %start], [%after, %next]
  %place = getelementptr i8, ptr %row, i64 %at
  store <4 x double> zeroinitializer, ptr %place, align {alignment}
  %after = add i64 %at, 32
  %more = icmp ult i64 %after, %bytes
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""
"""Zeros for a row of that many bytes, a multiple of 32."""


class StraightLineEmitter(ArithmeticEmitter):
    """The instructions of one function between rows in memory, on W lanes."""

    angles_together = True
    name = ""
    more = ""
    """further arguments"""

    def __init__(self, program: Program, width: int, target: Target):
        super().__init__(program, width, target)
        self.polls = True
        most = 32 // self.lanes.bytes
        self.groups = tuple(most >> k for k in range(most.bit_length()))  # entries of rows that are moved together
        self.rows: dict[int, list[str]] = {}  # addresses of the rows of results
        self.columns: list[list[str]] = []
        self.arguments: list[RowAddress] = []

    def fetched(self, *place: int) -> str:
        number, entry = place
        return self.columns[number][entry]

    def evaluate(self, k: int) -> None:
        """Write the instruction of value ``k`` of the function itself."""
        self.compute(k, self.program.instructions[k])

    def argument(self, number: int) -> RowAddress:
        return self.arguments[number]

    def text(self) -> str:
        """The whole function. It returns whether an angle was too large for the lane body's sine."""
        program, lanes = self.program, self.lanes
        self.lines += ["start:", ";"]
        self.columns = [self._load(number, slot) for number, slot in enumerate(program.inputs)]
        sparse = self._sparse()
        blocks = self._blocks(sparse) if lanes.width > 1 else {}
        for k in range(len(program.instructions)):
            self.evaluate(k)
            if k == len(program.instructions) - 1:  # all is read: a result may lie where an argument does
                for argument in sparse:
                    self._clear(argument)
            for block in blocks.pop(k, ()):
                self._store_block(*block)
                self.seam()
            self.seam()
        if lanes.width == 1:
            for number, argument in enumerate(range(len(program.inputs), len(program.inputs) + len(program.results))):
                if number not in program.tables:
                    self._store(argument, argument in sparse)
        for number in program.tables:
            self._store_table(number)
        for number, runs in program.in_rows.items():
            for first, value in runs:
                self._store_row(number, first, value)
        self.lines += [*self.epilogue, f"  ret i1 {self._far()}"]
        name = self.name or ("single" if lanes.width == 1 else "lanes")
        return self._function("i1", name, f"ptr noalias %args, ptr noalias %steps{self.more}")

    # rows in memory

    def _pointers(self, argument: int) -> list[str]:
        """The addresses of the rows of an argument."""
        return self._rows(argument)[0]

    def _rows(self, argument: int) -> tuple[list[str], str]:
        """The addresses of the rows of an argument, and the bytes between them."""
        step = ""
        base = self.emit(f"load ptr, ptr {self.emit(f'getelementptr ptr, ptr %args, i64 {argument}')}")
        rows = [base]
        if self.lanes.width > 1:
            step = self.emit(f"load i64, ptr {self.emit(f'getelementptr i64, ptr %steps, i64 {argument}')}")
            for _ in range(self.lanes.width - 1):
                rows.append(self.emit(f"getelementptr i8, ptr {rows[-1]}, i64 {step}"))
        return rows, step

    def _load(self, argument: int, slot: ArraySpec) -> list[str]:
        """Load a vector of lanes for every entry of a row that is used individually."""
        (rows, step), W, scalar = self._rows(argument), self.lanes.width, self.lanes.scalar
        self.arguments.append(RowAddress("rows" if W > 1 else "shared", tuple(rows), apart=step))
        used = self.program.entries_used[argument]
        columns: list[str] = []
        if W == 1:
            for k in range(slot.size):
                entry = self.emit(f"getelementptr {scalar}, ptr {rows[0]}, i64 {k}") if k in used else ""
                columns.append(self.emit(f"load {scalar}, ptr {entry}, align {self.lanes.bytes}") if entry else "")
            return columns
        while len(columns) < slot.size:
            left = slot.size - len(columns)
            size = next(size for size in self.groups if size <= min(left, W))
            start = len(columns)
            if left == 3 and slot.size >= 4 and W >= 4:
                start, size = slot.size - 4, 4
            if used.isdisjoint(range(len(columns), start + size)):
                columns += [""] * (start + size - len(columns))
                continue
            turned = self.turned(rows, start, size)
            columns += turned[len(columns) - start :]
        return columns

    def _store(self, argument: int, cleared: bool) -> None:
        """Every entry of one row, or every one that is not zero there already."""
        (row,) = self._pointers(argument)
        results, scalar = self._results(argument), self.lanes.scalar
        for k in (k for some in self.program.loose(argument - len(self.program.inputs)) for k in some):
            value = results[k]
            if cleared and self._is_zero(value):
                continue
            address = self.emit(f"getelementptr {scalar}, ptr {row}, i64 {k}")
            self.lines.append(f"  store {scalar} {self.values[value]}, ptr {address}, align {self.lanes.bytes}")
            self.seam()

    def _results(self, argument: int) -> tuple[int, ...]:
        return self.program.results[argument - len(self.program.inputs)]

    def _is_zero(self, value: int) -> bool:
        op, _, number = self.program.instructions[value]
        return op == "constant" and number == 0.0 and math.copysign(1.0, number) > 0.0

    def _sparse(self) -> set[int]:
        """The arguments for results of which most entries are structural zeros."""
        first = len(self.program.inputs)
        return {
            argument
            for argument, results in enumerate(self.program.results, first)
            if len(results) >= SPARSE and 4 * sum(map(self._is_zero, results)) > 3 * len(results)
        }

    def _clear(self, argument: int) -> None:
        """Zeros in all rows of an argument."""
        count, scalar, some = len(self._results(argument)), self.lanes.scalar, 32 // self.lanes.bytes
        zero = self.lanes.format.number(0.0)
        for row in self._rows_of(argument):
            self.lines.append(f"  call void @clear(ptr {row}, i64 {count // some * 32})")
            for k in range(count // some * some, count):
                address = self.emit(f"getelementptr {scalar}, ptr {row}, i64 {k}")
                self.lines.append(f"  store {scalar} {zero}, ptr {address}, align {self.lanes.bytes}")

    def _rows_of(self, argument: int) -> list[str]:
        if argument not in self.rows:
            self.rows[argument] = self._pointers(argument)
        return self.rows[argument]

    def _blocks(self, sparse: set[int]) -> dict[int, list[tuple[int, int, int]]]:
        """After which value which entries can be stored: (argument, first entry, how many).

        Blocks of four are turned in registers and stored by halves of rows: that takes fewer exchanges, for
        which there is one execution unit, than whole registers, and as long, since rows are rarely aligned.
        Results larger than the nearest cache are stored at the end, in order, so that a line is filled at once;
        there, too, what of ``sparse`` ones is not zero.
        """
        found: dict[int, list[tuple[int, int, int]]] = {}
        W = self.lanes.width
        large = self.lanes.alignment * sum(slot.size for slot in self.program.outputs) > _NEAR_CACHE
        for number, results in enumerate(self.program.results, len(self.program.inputs)):
            if number - len(self.program.inputs) in self.program.tables:
                continue
            for loose in self.program.loose(number - len(self.program.inputs)):
                start, n = loose.start, loose.stop
                while start < n:
                    size = next(size for size in self.groups if size <= min(n - start, W))
                    if n - start == 3 and len(loose) >= 4 and W >= 4:
                        start, size = n - 4, 4  # one entry is stored twice
                    some = results[start : start + size]
                    last = len(self.program.instructions) - 1 if large or number in sparse else max(some)
                    if number not in sparse or not all(map(self._is_zero, some)):
                        found.setdefault(last, []).append((number, start, size))
                    start += size
        return found

    def _store_block(self, argument: int, start: int, size: int) -> None:
        """Some columns of results, to the rows of this argument."""
        columns = [self.values[value] for value in self._results(argument)[start : start + size]]
        self._store_columns(self._rows_of(argument), start, columns)

    def _store_columns(self, rows: list[str], start: int, columns: list[str]) -> None:
        """Columns of lanes, to entries one after the other of a row for every lane."""
        W, V, scalar, size = self.lanes.width, self.lanes.number, self.lanes.scalar, len(columns)
        turned = self.transposed(columns)
        for lane, row in enumerate(rows):
            address = self.emit(f"getelementptr {scalar}, ptr {row}, i64 {start}")
            first = lane // size * size
            source = turned[lane % size]
            if size == 1:
                piece = f"{scalar} {self.emit(f'extractelement {V} {source}, i32 {lane}') if W > 1 else source}"
            elif size == W:
                piece = f"{V} {source}"
            else:
                indices = ", ".join(f"i32 {first + k}" for k in range(size))
                cut = self.emit(f"shufflevector {V} {source}, {V} poison, <{size} x i32> <{indices}>")
                piece = f"<{size} x {scalar}> {cut}"
            self.lines.append(f"  store {piece}, ptr {address}, align {self.lanes.bytes}")

    def _store_table(self, number: int) -> None:
        """Store recorded states, row by row, with a run-time stride."""
        program = self.program
        value, first = program.tables[number]
        steps: Steps = program.instructions[value].value
        columns = program.outputs[number].size // steps.rows
        argument = len(program.inputs) + number
        rows, place = self._rows_of(argument), stride_place(program, argument)
        stride = self.emit(f"load i64, ptr {self.emit(f'getelementptr i64, ptr %steps, i64 {place}')}")
        self._store_all(rows, stride, self.results[value][-1], steps.rows, steps.size, first, columns)

    def _store_row(self, number: int, first: int, value: int) -> None:
        """Store the entries of a row of numbers, in groups, from one entry of an output on."""
        program, columns = self.program, min(4, self.lanes.width)
        place, size = self.places[self.values[value]], program.sizes[value]
        rows = self._rows_of(len(program.inputs) + number)
        if size >= columns:
            scalar = self.lanes.scalar
            there = [self.emit(f"getelementptr {scalar}, ptr {row}, i64 {first}") for row in rows] if first else rows
            self._store_all(
                there, str(self.lanes.bytes * columns), place.bases[0], size // columns, columns, 0, columns
            )
        for k in range(size // columns * columns, size):
            self._store_columns(rows, first + k, [read(self, place, k)])

    def _store_all(
        self, rows: list[str], stride: str, source: str, count: int, size: int, first: int, columns: int
    ) -> None:
        """Store columns of a table in memory, for a number of rows, in a loop with ``stride`` bytes."""
        V, W = self.lanes.number, self.lanes.width
        n = self.block()
        self.lines += [f"  br label %table{n}", f"table{n}:", f"  br label %tables{n}", f"tables{n}:"]
        self.lines.append(f"  %row{n} = phi i64 [0, %table{n}], [%row{n}.next, %tables{n}]")
        kept = self.emit(f"mul i64 %row{n}, {size}")
        kept = self.emit(f"getelementptr {V}, ptr {source}, i64 {kept}")
        moved = self.emit(f"mul i64 %row{n}, {stride}")
        rows = [self.emit(f"getelementptr i8, ptr {row}, i64 {moved}") for row in rows]
        start = 0
        while start < columns:
            width = next(width for width in self.groups if width <= min(columns - start, W))
            if columns - start == 3 and columns >= 4 and W >= 4:
                start, width = columns - 4, 4  # one entry is stored twice
            some = []
            for k in range(start, start + width):
                address = self.emit(f"getelementptr {V}, ptr {kept}, i64 {first + k}")
                some.append(self.emit(f"load {V}, ptr {address}, align {self.lanes.alignment}"))
            self._store_columns(rows, start, some)
            start += width
        self.lines += [f"  %row{n}.next = add i64 %row{n}, 1"]
        self.lines += [f"  %more{n} = icmp slt i64 %row{n}.next, {count}"]
        self.lines += [f"  br i1 %more{n}, label %tables{n}, label %full{n}", f"full{n}:"]


def batches_text(program: Program, width: int, target: Target) -> str:
    """The LLVM module for batches of a program: ``lanes`` of ``width`` rows in ``loop``, which is exported.

    Rows that lanes leave aside go through the row's own code, whose address is read from ``row_at`` at each call: it
    need not be there before.
    """
    tables = {len(program.inputs) + number for number in program.tables}
    loop = loop_text(program, width, target.processor, long=is_long(program), tables=tables)
    return module_text([StraightLineEmitter(program, width, target)], [copy_text(program), ELSEWHERE, loop])


def row_text(program: Program, width: int, target: Target) -> str:
    """The LLVM module for single rows of a program; batches have ``width`` lanes: exports ``single``."""
    return module_text([StraightLineEmitter(program, 1, target)], [], width)


ELSEWHERE = """
@row_at = external global ptr
define internal i1 @single(ptr %args, ptr %steps) #1 {
  %row = load ptr, ptr @row_at
  call void %row(ptr %args, ptr %steps)
  ret i1 0
}
"""


def module_text(bodies: Sequence[ArithmeticEmitter], functions: list[str], width: int = 0) -> str:
    """The LLVM module of bodies, which are written now, and functions; ``width``: of vectors, else that of bodies."""
    texts = [body.text() for body in bodies]
    lanes = bodies[0].lanes
    V, suffix = lanes.number, lanes.suffix
    declared = {f"declare {V} @llvm.fma.{suffix}({V}, {V}, {V})"}.union(*(body.declared for body in bodies))
    clear, bits = _CLEAR.format(alignment=lanes.bytes), lanes.format.bits * (width or lanes.width)
    if is_long(bodies[0].program):
        declared |= {"declare i1 @poll_signals(i64)", "declare ptr @release_gil()", "declare void @acquire_gil(ptr)"}
    return module(declared, [lengths_text(bodies[0].program), *texts, clear, *functions], bits)
