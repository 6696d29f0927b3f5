"""Assembly–disassembly as machine code: joins of one kind run on the lanes of vector registers.

The code contains the variants of joins (of closed loops, of blocks of bodies that are leaves), not their number or
order, which are in tables (`layout.py`), chunk by chunk. The data of the two sides of a join are stored lane by lane in
the order of reading; they are written there directly if the results of a chunk are one port in the same order,
otherwise entry by entry. Bodies come first: terms of coordinates on lanes, then angular velocities sequentially, the
only part that is not on lanes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.emit.body import FragmentEmitter, IndexedSpace, RegisterSpace, Space
from linkwright.compiler.emit.code import FunctionBuilder, definition
from linkwright.compiler.emit.stages import (
    ALIGNMENT,
    NUMBER,
    Operand,
    Stage,
    StageRow,
    begin_driver,
    emit_memory,
    end_driver,
    module_of,
    run,
    tables_of,
)
from linkwright.compiler.ir.program import ArraySpec
from linkwright.compiler.ir.staged import Fragment, Staged
from linkwright.compiler.native.machine import target
from linkwright.compiler.schedules.assembly.blocks import BlockVariant
from linkwright.compiler.schedules.assembly.layout import COLUMNS, AssemblyTables, Chunk, layout_of, records_at
from linkwright.compiler.schedules.assembly.loop_closures import LoopVariant
from linkwright.compiler.schedules.assembly.programs import AssemblyPrograms
from linkwright.compiler.schedules.assembly.rematerialization import (
    KEPT,
    LOOP_DATA,
    MEMBER_DATA,
    OUTER,
    OWN,
    OWN_DATA,
    PARENT,
    PARENT_DATA,
    RATES,
    RESULT,
    TAU,
    A,
    B,
    Q,
    V,
)
from linkwright.dynamics.assembly.schedule import Schedule
from linkwright.errors import counted


class LevelProgram(Staged):
    """Forward dynamics by assembly–disassembly of one mechanism, as joins on lanes."""

    single = True

    def __init__(self, name: str, inputs: tuple[ArraySpec, ...], schedule: Schedule, parts: AssemblyPrograms):
        self.name, self.inputs, self.schedule, self.parts = name, inputs, schedule, parts
        self.outputs = (ArraySpec("result", (int(parts.widths[:, 1].sum()),)),)
        self.lanes = target().width

    @property
    def form(self) -> str:
        """Description in words."""
        return f"{counted(len(self.schedule.order), 'join')} of {counted(len(self.schedule.blocks), 'part')} on lanes"

    def bodies_and_times(self) -> list[tuple[Fragment, int]]:
        """Return all fragments with their numbers: for bodies of a kind, for joins of a variant."""
        parts = self.parts
        of_kinds = [len(kind.bodies) for kind in parts.kinds]
        of_variants = np.bincount([k for k in parts.variant_of if k >= 0], minlength=len(parts.variants)).tolist()
        found = [x for some in (parts.prepare, parts.sweep) for x in zip(some, of_kinds, strict=False)]
        return found + [x for some in (parts.join, parts.split) for x in zip(some, of_variants, strict=True)]

    def arrangement(self) -> Any:
        """Data that determine the code."""
        return self.parts.data.shape[1], sorted(self.layout.used), len(self.parts.kinds), self.lanes

    @cached_property
    def layout(self) -> AssemblyTables:
        """The tables."""
        return layout_of(self.schedule, self.parts, self.lanes)

    def tables(self) -> tuple[dict[str, int], Any]:
        """Return the addresses in the code, and the objects that must be kept alive."""
        layout = self.layout
        return tables_of(
            chunks=layout.chunks,
            ids=layout.ids,
            copies=layout.copies,
            bodies=layout.bodies,
            groups=layout.groups,
            sizes=layout.sizes,
            numbers=self.parts.data,
            memory=np.array([layout.bytes], dtype=np.int64),
        )

    def width(self, lanes: int) -> int:
        """Rows run one by one: the lanes are full already."""
        return 1

    def text(self, target: Any, width: int) -> str:
        """Return the LLVM module."""
        parts, functions = self.parts, []
        wanted: list[tuple[Fragment, str, Mapping[int, Space], str, int]] = []
        for k in range(len(parts.kinds)):
            wanted.append((parts.prepare[k], _PREPARED_ARGUMENTS, _prepared(), f"prepare_{k}", self.lanes))
        for k in range(len(parts.sweep)):
            wanted.append((parts.sweep[k], _SWEPT_ARGUMENTS, _swept(), f"sweep_{k}", 1))
        for number in sorted(self.layout.used):
            w, variant = self.lanes if number % 2 else 1, parts.variants[number // 2]
            for what, body in (("join", parts.join[number // 2]), ("split", parts.split[number // 2])):
                wanted.append((body, _JOINED_ARGUMENTS, _joined(variant), f"{what}_{number}", w))
        declared = set[str]()
        for body, arguments, spaces, name, w in wanted:
            code = FragmentEmitter(body, spaces, w, target, careful=True)
            functions.append(code.function(name, arguments))
            V = code.lanes.number
            declared |= code.declared | {f"declare {V} @llvm.fma.{code.lanes.suffix}({V}, {V}, {V})"}
        return module_of(self, width, target.processor, [*functions, _moved(), self._row()], declared)

    def _row(self) -> str:
        """``single``: what happens one after the other, for one row."""
        total, names = self.outputs[0].size, [slot.name for slot in self.inputs]
        code = FunctionBuilder("%d")
        (*given, out), _, _ = begin_driver(code, "single", len(names) + 1, 1)
        mode = code.emit("call i64 @without_tiny()")
        size = code.emit(f"add i64 {code.load('i64', '@memory', 0)}, {ALIGNMENT}")
        # lanes that nothing uses compute too: on zeros, since numbers that happen to be tiny would take much longer
        place, memory, begin = emit_memory(code, 0, size, zeros=True)
        records = code.emit(f"getelementptr i8, ptr {begin}, i64 {records_at(total, self.lanes)}")
        # those not given are not read
        inputs = [given[names.index(name)] if name in names else given[0] for name in ("q", "v", "tau")]
        _prepare(code, len(self.parts.kinds), self.lanes, records, inputs)
        _sweep(code, self.parts, records)
        for ups in (True, False):
            _pass(code, ups, sorted(self.layout.used), begin, records, inputs)
        code.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {out}, ptr {begin}, i64 {8 * total}, i1 0)")
        code.do(f"call void @with_tiny(i64 {mode})")
        return end_driver(code, place, memory)


# spaces

_INPUTS = "ptr noalias %rec, ptr noalias %num, ptr %q, ptr %v, ptr %tau"
_PREPARED_ARGUMENTS = f"ptr %ids, {_INPUTS}"
_SWEPT_ARGUMENTS = "ptr noalias %own, ptr noalias %parent, ptr noalias %num"
_JOINED_ARGUMENTS = (
    f"ptr noalias %A, ptr noalias %B, ptr noalias %here, ptr noalias %kept, ptr %ids, ptr noalias %rates, {_INPUTS}"
)
_ARRAYS = {OWN: "%rec", PARENT: "%rec", OWN_DATA: "%num", PARENT_DATA: "%num", LOOP_DATA: "%num", RATES: "%rates"}
_ARRAYS |= {MEMBER_DATA: "%num", Q: "%q", V: "%v", TAU: "%tau"}


def _listed(*spaces: int, first: int = 0, members: int = 0) -> dict[int, Space]:
    """Spaces whose rows begin where the list of lanes says, one after the other from an entry of it on; rates and
    efforts are alike."""
    found: dict[int, Space] = {}
    for which, space in enumerate(spaces, first):
        found[space] = IndexedSpace(_ARRAYS[space], which, members, space not in (Q, V, TAU, RATES), space == RATES)
        if space == V:
            found[TAU] = IndexedSpace(_ARRAYS[TAU], which, members, whole=False)
    return found


def _prepared() -> dict[int, Space]:
    """Emit the code of a body's precomputed terms."""
    return _listed(OWN, OWN_DATA, Q, V)


def _swept() -> dict[int, Space]:
    """Emit the code of a body's angular velocity."""
    return {OWN: RegisterSpace("%own"), PARENT: RegisterSpace("%parent"), OWN_DATA: RegisterSpace("%num")}


def _joined(variant: Any) -> dict[int, Space]:
    """Emit the code of a join or a split."""
    spaces: dict[int, Space] = {A: RegisterSpace("%A", early=True), B: RegisterSpace("%B", early=True)}
    spaces |= {KEPT: RegisterSpace("%kept", early=True)}
    spaces |= {OUTER: RegisterSpace("%here"), RESULT: RegisterSpace("%here", early=True)}
    members = (MEMBER_DATA, Q, V, RATES)
    if isinstance(variant, BlockVariant):
        return spaces | _listed(OWN) | _listed(*members, first=1, members=4)
    sides = OWN, PARENT, OWN_DATA, PARENT_DATA
    if isinstance(variant, LoopVariant):
        return spaces | _listed(*sides, LOOP_DATA) | _listed(*members, first=5, members=4)
    return spaces | _listed(*sides, RATES)


def _moved() -> str:
    """``moved``: between a chunk and ports; copies: lanes, entries, stride, then each lane's place and stride."""
    code = FunctionBuilder()
    n, entries, stride = (code.load("i64", "%copies", k) for k in range(3))
    inwards = code.emit("xor i1 %out, true")
    with code.loop("0", n) as k:
        at = code.item("i64", "%copies", code.emit(f"add i64 {code.emit(f'shl i64 {k}, 1')}, 3"))
        place, step = code.load("i64", at, 0), code.load("i64", at, 1)
        near, far = code.item("double", "%here", k), code.item("i8", "%memory", place)
        for bit, from_near in (("%out", True), (inwards, False)):
            with code.only_if(bit), code.loop("0", entries) as i:
                here = code.item("i8", near, code.emit(f"mul i64 {i}, {stride}"))
                there = code.item("i8", far, code.emit(f"mul i64 {i}, {step}"))
                source, target = (here, there) if from_near else (there, here)
                code.do(f"store double {code.emit(f'load double, ptr {source}')}, ptr {target}")
    start = f"{definition('void', 'moved', 'ptr %here, ptr %memory, ptr %copies, i1 %out')} #1 {{"
    return "\n".join([start, "start:", *code.lines, "  ret void", "}"])


def _prepare(code: FunctionBuilder, kinds: int, lanes: int, records: str, inputs: list[str]) -> None:
    """Emit the loops over all blocks of bodies, kind by kind."""
    given = [Operand("@groups", NUMBER, 8 * 4 * lanes), *map(Operand, (records, "@numbers", *inputs))]
    start = "0"
    for k in range(kinds):
        after = code.emit(f"add i64 {start}, {code.load('i64', '@sizes', 2 + k)}")
        run(code, Stage("@groups", 4 * lanes, "prepare", [k], None, given), start, after)
        start = after


def _sweep(code: FunctionBuilder, parts: AssemblyPrograms, records: str) -> None:
    """Emit the sweep of the angular velocities of bodies."""
    if not parts.sweep:
        return
    for k in range(3):
        code.do(f"store double 0.0, ptr {code.item('double', records, k)}")
    parent, kind, own, data = range(4)
    given = [Operand(records, own), Operand(records, parent), Operand("@numbers", data)]
    stage = Stage("@bodies", 4, "sweep", range(len(parts.kinds)), kind, given)
    run(code, stage, "0", code.load("i64", "@sizes", 0))


def _pass(code: FunctionBuilder, ups: bool, used: list[int], memory: str, records: str, inputs: list[str]) -> None:
    """Emit the joins of all chunks, or their splits in reverse order."""
    column = {name: k for k, name in enumerate(Chunk._fields)}
    names = ("A", "B", "result", "kept") if ups else ("A_down", "B_down", "outer", "kept")
    given = [*(Operand(memory, column[name], 1) for name in names), Operand("@ids", column["ids"])]
    given += map(Operand, (memory, records, "@numbers", *inputs))

    def copied(row: StageRow) -> None:
        where = row.column(column["scatter" if ups else "gather"])
        with code.only_if(code.emit(f"icmp sge i64 {where}, 0")):
            copies = code.item("i64", "@copies", where)
            code.do(f"call void @moved(ptr {row.places[2]}, ptr {memory}, ptr {copies}, i1 {int(ups)})")

    stage = Stage("@chunks", COLUMNS, "join" if ups else "split", used, column["function"], given)
    end = code.load("i64", "@sizes", 1)
    run(code, stage, "0", end, not ups, before=None if ups else copied, after=copied if ups else None)
