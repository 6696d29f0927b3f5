"""Stages as LLVM IR: bodies run for the rows of a table, and what all of them stand in: memory, rows, the module."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.emit.code import FunctionBuilder, definition, module
from linkwright.compiler.emit.rows import copy_text, lengths_text, loop_text, tiny_text
from linkwright.compiler.ir.staged import Staged

ALIGNMENT = 64
"""Bytes to which memory is aligned that lanes load from."""

NUMBER = -1
"""In place of a column of a table: the number of the row."""


class Operand(NamedTuple):
    """Offset of a space of bodies: a base, and bytes for each value of a column of the table."""

    begin: str
    column: int | None = None
    """None: the same for all rows"""
    unit: int | str = 8
    """bytes, or a value that is"""


class Stage(NamedTuple):
    """Bodies for the rows of a table."""

    table: str
    columns: int
    """of the table, whose entries are whole numbers"""
    bodies: str
    """what their functions' names begin with; the number of the kind follows"""
    kinds: Sequence[int]
    which: int | None
    """the column that says which body; None: always the first"""
    operands: Sequence[Operand]
    more: Sequence[str] = ()
    """further arguments, the same for all rows"""
    looked_at: Sequence[int] = ()
    """columns that are read in addition to the bodies"""


class StageRow(NamedTuple):
    """The row that a stage is at."""

    places: list[str]
    """where each operand's space begins"""
    column: Callable[[int], str]
    """a column's entry"""


def run(
    code: FunctionBuilder,
    stage: Stage,
    first: str,
    end: str,
    down: bool = False,
    before: Callable[[StageRow], None] | None = None,
    beside: Callable[[StageRow, int], None] | None = None,
    after: Callable[[StageRow], None] | None = None,
    flag: str = "",
) -> None:
    """Emit a loop over rows, from the first to before the end or in reverse.

    ``before``, ``after``: code at a row before and after the body; ``beside``: code after the body of a kind. ``flag``:
    address of the flag of too large angles.
    """
    with code.loop(first, end, down) as i:
        place = code.emit(f"getelementptr [{stage.columns} x i64], ptr {stage.table}, i64 {i}")
        known: dict[int, str] = {NUMBER: i}

        def column(k: int) -> str:
            if k not in known:
                known[k] = code.load("i64", place, k)
            return known[k]

        def begin(one: Operand) -> str:
            if one.column is None:
                return one.begin
            shift = code.emit(f"mul i64 {column(one.column)}, {one.unit}")
            return code.emit(f"getelementptr i8, ptr {one.begin}, i64 {shift}")

        for k in stage.looked_at:  # here, since what follows may be in a branch
            column(k)
        which = "0" if stage.which is None else column(stage.which)
        row = StageRow([begin(one) for one in stage.operands], column)
        given = ", ".join([*(f"ptr {x}" for x in row.places), *stage.more])

        def call(kind: int) -> str:
            bit = code.emit(f"call i1 @{stage.bodies}_{kind}({given})")
            if beside is not None:
                beside(row, kind)
            return bit

        if before is not None:
            before(row)
        bit = code.switch(which, stage.kinds, call)
        if flag:
            wide, far = code.emit(f"zext i1 {bit} to i8"), code.emit(f"load i8, ptr {flag}")
            code.do(f"store i8 {code.emit(f'or i8 {far}, {wide}')}, ptr {flag}")
        if after is not None:
            after(row)


# memory


def begin_driver(code: FunctionBuilder, name: str, rows: int, width: int) -> tuple[list[str], list[str], str]:
    """Begin ``single`` or ``lanes``: its rows, the bytes between those of lanes, and the address of a flag."""
    code.lines.append(f"{definition('i1', name, 'ptr noalias %args, ptr noalias %steps')} #0 {{")
    code.do("start:")
    far = code.emit("alloca i8")
    code.do(f"store i8 0, ptr {far}")
    pointers = [code.load("ptr", "%args", k) for k in range(rows)]
    return pointers, [code.load("i64", "%steps", k) if width > 1 else "0" for k in range(rows)], far


def emit_memory(code: FunctionBuilder, spare: int, size: str, zeros: bool = False) -> tuple[str, str, str]:
    """Emit the allocation of memory, reused from the last call: its slot, its number, its address (aligned).

    ``zeros``: whether new memory is cleared first.
    """
    place = code.item("i64", "@spare", spare)
    left = code.emit(f"atomicrmw xchg ptr {place}, i64 0 acq_rel")
    none, before = code.emit(f"icmp eq i64 {left}, 0"), code.block
    code.do(f"br i1 {none}, label %new, label %begin")
    code.do("new:")
    new = code.emit(f"call ptr @malloc(i64 {size})")
    if zeros:
        code.do(f"call void @llvm.memset.p0.i64(ptr {new}, i8 0, i64 {size}, i1 0)")
    made = code.emit(f"ptrtoint ptr {new} to i64")
    code.do("br label %begin")
    code.do("begin:")
    memory = code.emit(f"phi i64 [{left}, %{before}], [{made}, %new]")
    aligned = code.emit(f"and i64 {code.emit(f'add i64 {memory}, {ALIGNMENT - 1}')}, -{ALIGNMENT}")
    return place, memory, code.emit(f"inttoptr i64 {aligned} to ptr")


def end_driver(code: FunctionBuilder, place: str, memory: str, far: str = "") -> str:
    """Leave the memory to the next call and return the flag; the whole function."""
    before = code.emit(f"atomicrmw xchg ptr {place}, i64 {memory} acq_rel")
    code.do(f"call void @free(ptr {code.emit(f'inttoptr i64 {before} to ptr')})")  # another call's, if any
    if far:
        flag = code.emit(f"load i8, ptr {far}")
        far = code.emit(f"trunc i8 {flag} to i1")
    code.do(f"ret i1 {far or 0}")
    return "\n".join([*code.lines, "}"])


# modules and tables


def module_of(program: Staged, width: int, processor: str, functions: list[str], declared: set[str]) -> str:
    """The LLVM module of stages: ``lanes`` (of ``width``) and ``single``; ``loop`` and ``single`` are exported."""
    names = [f"@{name} = external global i8" for name in program.tables()[0]]
    texts = [
        lengths_text(program),
        *functions,
        copy_text(program),
        loop_text(program, width, processor),
        tiny_text(processor),
    ]
    return module(declared | INTRINSICS, [*names, *texts], 64 * max(width, 8))


INTRINSICS = {"declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)", "declare i64 @llvm.smin.i64(i64, i64)"}


class _Tables:
    """Arrays that code refers to, and the memory it leaves for its next call."""

    def __init__(self, arrays: tuple[np.ndarray, ...], spare: np.ndarray):
        self.arrays = arrays
        weakref.finalize(self, _freed, spare)


def tables_of(**arrays: np.ndarray) -> tuple[dict[str, int], Any]:
    """Return the addresses of tables, and "spare": slots of unused memory (for a row, for lanes); and their owner."""
    spare = np.zeros(2, dtype=np.intp)
    arrays = {name: _aligned(array) for name, array in arrays.items()} | {"spare": spare}
    return {name: array.ctypes.data for name, array in arrays.items()}, _Tables(tuple(arrays.values()), spare)


def _aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins where registers of lanes may be loaded from."""
    memory = np.empty(array.nbytes + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _freed(spare: np.ndarray) -> None:
    free = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "WinDLL") else None).free
    for address in spare:
        if address:
            free(ctypes.c_void_p(int(address)))
