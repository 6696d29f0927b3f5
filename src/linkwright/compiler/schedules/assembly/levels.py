"""Assembly–disassembly as machine code: joins of one kind run side by side on the lanes of vector registers.

The code knows the variants of joins (of closed loops, of blocks of bodies that are leaves), not how many there are nor
which: that is in tables (`layout.py`), chunk by chunk.
What a join needs of its two sides lies lane by lane as it will be read; whatever makes it writes it there, directly
where a chunk's results are one port in the same order, else entry by entry. Bodies come first: what all joins need of
their coordinates on lanes, then their angular velocities one after the other, the only thing that is not on lanes.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from linkwright.compiler.emit.arithmetic import Arithmetic
from linkwright.compiler.emit.code import Code
from linkwright.compiler.ir.program import Looped, Operations, Slot
from linkwright.compiler.native.machine import Target, target
from linkwright.compiler.native.threads import at_once
from linkwright.compiler.schedules.assembly.blocks import BlockVariant
from linkwright.compiler.schedules.assembly.choices import (
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
    Part,
    Q,
    Spot,
    V,
)
from linkwright.compiler.schedules.assembly.closings import LoopVariant
from linkwright.compiler.schedules.assembly.layout import ALIGNMENT, COLUMNS, Chunk, Layout, layout_of, records_at
from linkwright.compiler.schedules.assembly.parts import Parts
from linkwright.compiler.schedules.loops import begin_driver, emit_memory, end_driver, module_of, tables_of
from linkwright.dynamics.assembly.schedule import Schedule
from linkwright.errors import counted


class LevelProgram(Looped):
    """Forward dynamics by assembly–disassembly of one mechanism, as joins on lanes."""

    single = True

    def __init__(self, name: str, inputs: tuple[Slot, ...], schedule: Schedule, parts: Parts, threads: int = 1):
        self.name, self.inputs, self.schedule, self.parts = name, inputs, schedule, parts
        self.outputs = (Slot("result", (int(parts.widths[:, 1].sum()),)),)
        self.lanes = target().width
        self.threads = threads

    @property
    def form(self) -> str:
        """What it is made of."""
        return f"{counted(len(self.schedule.order), 'join')} of {counted(len(self.schedule.blocks), 'part')} on lanes"

    @cached_property
    def operations(self) -> Operations:
        """The operations of all bodies and joins."""
        counts = np.zeros(6, dtype=int)
        for of_bodies in (self.parts.prepare, self.parts.sweep):
            for kind, part in zip(self.parts.kinds, of_bodies, strict=False):
                counts += len(kind.bodies) * np.array(part.program.operations)
        for number, times in enumerate(np.bincount([k for k in self.parts.variant_of if k >= 0])):
            for part in (self.parts.join[number], self.parts.split[number]):
                counts += times * np.array(part.program.operations)
        return Operations(*counts.tolist())

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides the code."""
        parts = self.parts
        programs = [
            (part.program.digest, part.writes) for part in (*parts.prepare, *parts.sweep, *parts.join, *parts.split)
        ]
        shape = (parts.data.shape[1], sorted(self.layout.used), len(parts.kinds), self.lanes, self.exports)
        return hashlib.sha256(repr((self.name, self.inputs, programs, shape)).encode()).hexdigest()

    @cached_property
    def layout(self) -> Layout:
        """The tables."""
        return layout_of(self.schedule, self.parts, self.lanes, self.threads)

    @property
    def exports(self) -> tuple[str, ...]:  # type: ignore[override]
        """Stages can be run by themselves, where there are parts to share out."""
        return ("stage",) if self.layout.parts else ()

    def on_threads(
        self, exported: Mapping[str, int], arrays: Sequence[np.ndarray], out: np.ndarray, threads: int
    ) -> None:
        """One row, the parts at once: the same numbers as one after the other."""
        stage, layout = _STAGE(exported["stage"]), self.layout
        rows = (ctypes.c_void_p * (len(arrays) + 1))(*(x.ctypes.data for x in (*arrays, out)))
        try:
            memory = self._memories.pop()
        except IndexError:
            memory = np.zeros(self.scratch_bytes + ALIGNMENT, dtype=np.uint8)
        base = memory.ctypes.data + -memory.ctypes.data % ALIGNMENT
        blocks, chunks = int(layout.sizes[3:].sum()), len(layout.chunks)
        shares = [blocks * k // len(layout.parts) for k in range(len(layout.parts) + 1)]
        top = layout.parts[-1][1]
        at_once([partial(stage, _PREPARE, a, b, rows, base) for a, b in pairwise(shares)], threads)
        stage(_SWEEP, 0, 0, rows, base)
        at_once([partial(stage, _UP, a, b, rows, base) for a, b in layout.parts], threads)
        stage(_UP, top, chunks, rows, base)
        stage(_DOWN, top, chunks, rows, base)
        at_once([partial(stage, _DOWN, a, b, rows, base) for a, b in layout.parts], threads)
        stage(_END, 0, 0, rows, base)
        self._memories.append(memory)

    @cached_property
    def _memories(self) -> list[np.ndarray]:
        """What no call is using."""
        return []

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in self.__dict__.items() if name != "_memories"}

    @property
    def scratch_bytes(self) -> int:
        """The memory that one call needs."""
        return int(self.layout.sizes[0])

    def tables(self) -> tuple[dict[str, int], Any]:
        """The addresses that the code refers to, and what must live as long as it."""
        layout = self.layout
        return tables_of(
            chunks=layout.chunks,
            ids=layout.ids,
            copies=layout.copies,
            bodies=layout.bodies,
            groups=layout.groups,
            sizes=layout.sizes,
            numbers=self.parts.data,
        )

    def width(self, lanes: int) -> int:
        """Rows run one by one: the lanes are full already."""
        return 1

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        parts, functions = self.parts, []
        wanted: list[tuple[Part, str, Any, str, int]] = []
        for k in range(len(parts.kinds)):
            wanted.append((parts.prepare[k], "prepare", None, f"prepare_{k}", self.lanes))
        for k in range(len(parts.sweep)):
            wanted.append((parts.sweep[k], "sweep", None, f"sweep_{k}", 1))
        for number in sorted(self.layout.used):
            w, variant = self.lanes if number % 2 else 1, parts.variants[number // 2]
            for what, part in (("join", parts.join[number // 2]), ("split", parts.split[number // 2])):
                wanted.append((part, what, variant, f"{what}_{number}", w))
        declared = {
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare i64 @llvm.smax.i64(i64, i64)",
            "declare i64 @llvm.smin.i64(i64, i64)",
        }
        for part, what, variant, name, w in wanted:
            body = _PartBody(part, what, variant, w, target)
            functions.append(body.function(name))
            V = body.lanes.double
            declared |= body.declared | {f"declare {V} @llvm.fma.{body.lanes.suffix}({V}, {V}, {V})"}
        return module_of(self, width, target.processor, [*functions, _COPIES, *_stages(self)], declared)


# code

_ARGUMENTS = {
    "prepare": "ptr %ids, ptr noalias %rec, ptr noalias %num, ptr %q, ptr %v, ptr %tau",
    "sweep": "ptr noalias %own, ptr noalias %parent, ptr noalias %num",
    "join": "ptr noalias %A, ptr noalias %B, ptr noalias %result, ptr noalias %kept, ptr %ids, "
    "ptr noalias %rec, ptr noalias %num, ptr %q, ptr %v, ptr %tau",
    "split": "ptr noalias %A, ptr noalias %B, ptr noalias %outer, ptr noalias %kept, ptr %ids, "
    "ptr noalias %rec, ptr noalias %num, ptr %q, ptr %v, ptr %tau, ptr noalias %rates",
}
# of a lane's numbers the array, and which entry of the table of lanes says where in it they begin
_SIDES = {OWN: ("%rec", 0), PARENT: ("%rec", 1), OWN_DATA: ("%num", 2), PARENT_DATA: ("%num", 3)}
_JOINED = {**_SIDES, RATES: ("%rates", 4)}
_PREPARED = {OWN: ("%rec", 0), OWN_DATA: ("%num", 1), Q: ("%q", 2), V: ("%v", 3), TAU: ("%tau", 3)}
_OF_BLOCK = {OWN: ("%rec", 0)}
_OF_LOOP = {**_SIDES, LOOP_DATA: ("%num", 4)}
_OF_MEMBER = {MEMBER_DATA: ("%num", 0), Q: ("%q", 1), V: ("%v", 2), TAU: ("%tau", 2), RATES: ("%rates", 3)}
_INPUTS = "ptr %q, ptr %v, ptr %tau"
_BLOCKS = {A: "%A", B: "%B", KEPT: "%kept", OUTER: "%outer", RESULT: "%result"}


class _PartBody(Arithmetic):
    """The instructions of one part, on W lanes."""

    def __init__(self, part: Part, what: str, variant: Any, width: int, target: Target):
        super().__init__(part.program, width, target, careful=True)
        self.part, self.what = part, what
        self.single: dict[int, tuple[str, int]] | None = None
        """of blocks and loops, what there is once, before what there is of every body"""
        if isinstance(variant, (BlockVariant, LoopVariant)):
            self.single = _OF_BLOCK if isinstance(variant, BlockVariant) else _OF_LOOP
        self.found: dict[tuple[str, int], str] = {}
        self.columns: dict[Spot, list[str]] = {}

    def function(self, name: str) -> str:
        """The whole function of this name."""
        self.lines.append("start:")
        writes: dict[int, list[Spot]] = {}
        together = []
        for number, spot in zip(self.program.results[0], self.part.writes, strict=True):
            if spot.space == OWN:
                together.append((number, spot.entry))
            else:
                writes.setdefault(number, []).append(spot)
        for k, instruction in enumerate(self.program.instructions):
            self.compute(k, instruction)
            for spot in writes.get(k, ()):
                self._write(spot, self.values[k])
            self.seam()
        self._remember(together)
        self.lines.append("  ret void")
        head = f"define internal void @{name}({_ARGUMENTS[self.what]}) #0{self.lanes.stack} {{"
        return "\n".join([head, *self.finished(), "}", ""])

    def _once(self, name: str, lane: int, instruction: str) -> str:
        """A value that is computed when it is first needed."""
        if (name, lane) not in self.found:
            self.found[name, lane] = self.emit(instruction)
        return self.found[name, lane]

    def _begin(self, which: int, lane: int) -> str:
        """Where in an array a lane's numbers begin, by the table of lanes."""
        place = which * self.lanes.width + lane
        address = self._once("place", place, f"getelementptr i64, ptr %ids, i64 {place}")
        return self._once("begin", place, f"load i64, ptr {address}, align 8")

    def _row(self, space: int, member: int, lane: int) -> str:
        """Where a body's record or data, its coordinates or rates begin."""
        if self.what == "sweep":
            return {OWN: "%own", PARENT: "%parent", OWN_DATA: "%num"}[space]
        if self.what == "prepare":
            base, which = _PREPARED[space]
        elif self.single is not None and space in _OF_MEMBER:
            base, which = _OF_MEMBER[space]
            which += len(self.single) + 4 * member
        else:
            base, which = (self.single or _JOINED)[space]
        place = f"getelementptr double, ptr {base}, i64 {self._begin(which, lane)}"
        return self._once(f"row{space} {member}", lane, place)

    def fetched(self, *place: int) -> str:
        W, V = self.lanes.width, self.lanes.double
        space, entry, member = spot = Spot(*place)
        if space in _BLOCKS:
            address = self.emit(f"getelementptr {V}, ptr {_BLOCKS[space]}, i64 {entry}")
            return self.emit(f"load {V}, ptr {address}, align {8 * W}")
        if W == 1:
            address = self.emit(f"getelementptr double, ptr {self._row(space, member, 0)}, i64 {entry}")
            return self.emit(f"load double, ptr {address}, align 8")
        if space >= Q:
            return self._coordinate(spot)
        size = min(4, W)
        group = Spot(space, entry // size, member)
        if group not in self.columns:
            rows = [self._row(space, member, lane) for lane in range(W)]
            joined = [self._joined(rows[i::size], group.entry * size, size) for i in range(size)]
            self.columns[group] = self._transposed(joined)
        return self.columns[group][entry % size]

    def _coordinate(self, spot: Spot) -> str:
        """Of q, v or τ, lane by lane: they are not read beyond the end."""
        V, result = self.lanes.double, "poison"
        for lane in range(self.lanes.width):
            row = self._row(spot.space, spot.member, lane)
            address = self.emit(f"getelementptr double, ptr {row}, i64 {spot.entry}")
            x = self.emit(f"load double, ptr {address}, align 8")
            result = self.emit(f"insertelement {V} {result}, double {x}, i32 {lane}")
        return result

    def _write(self, spot: Spot, value: str) -> None:
        W, V = self.lanes.width, self.lanes.double
        if spot.space != RATES:
            address = self.emit(f"getelementptr {V}, ptr {_BLOCKS[spot.space]}, i64 {spot.entry}")
            self.lines.append(f"  store {V} {value}, ptr {address}, align {8 * W}")
            return
        for lane in range(W):
            x = value if W == 1 else self.emit(f"extractelement {V} {value}, i32 {lane}")
            row = self._row(RATES, spot.member, lane)
            address = self.emit(f"getelementptr double, ptr {row}, i64 {spot.entry}")
            self.lines.append(f"  store double {x}, ptr {address}, align 8")

    def _remember(self, results: list[tuple[int, int]]) -> None:
        """To the body's record, last: a number read may lie where one is written."""
        W, V = self.lanes.width, self.lanes.double
        if W == 1:
            for value, entry in results:
                row = self._row(OWN, 0, 0)
                address = self.emit(f"getelementptr double, ptr {row}, i64 {entry}")
                self.lines.append(f"  store double {self.values[value]}, ptr {address}, align 8")
            return
        size = min(4, W)
        for k in range(0, len(results), size):
            some = results[k : k + size]
            columns = [self.values[value] for value, _ in some]
            turned = self._transposed([*columns, *[self.lanes.constant(0.0)] * (size - len(some))])
            for lane in range(W):
                first = lane // size * size
                indices = ", ".join(f"i32 {first + i}" for i in range(size))
                cut = self.emit(f"shufflevector {V} {turned[lane % size]}, {V} poison, <{size} x i32> <{indices}>")
                address = self.emit(f"getelementptr double, ptr {self._row(OWN, 0, lane)}, i64 {some[0][1]}")
                self.lines.append(f"  store <{size} x double> {cut}, ptr {address}, align 8")


_COPIES = """
; between a chunk's lanes and ports; copies: lanes, entries, stride, then a place and stride for each lane
define internal void @moved(ptr %here, ptr %memory, ptr %copies, i1 %out) #1 {
start:
  %n = load i64, ptr %copies
  %p1 = getelementptr i64, ptr %copies, i64 1
  %entries = load i64, ptr %p1
  %p2 = getelementptr i64, ptr %copies, i64 2
  %stride = load i64, ptr %p2
  br label %lane
lane:
  %k = phi i64 [0, %start], [%k1, %next]
  %twice = shl i64 %k, 1
  %at = add i64 %twice, 3
  %p3 = getelementptr i64, ptr %copies, i64 %at
  %place = load i64, ptr %p3
  %p4 = getelementptr i64, ptr %p3, i64 1
  %step = load i64, ptr %p4
  %far = getelementptr i8, ptr %memory, i64 %place
  %near = getelementptr double, ptr %here, i64 %k
  br i1 %out, label %outwards, label %inwards
outwards:
  %i = phi i64 [0, %lane], [%i1, %outwards]
  %a = mul i64 %i, %stride
  %b = mul i64 %i, %step
  %from = getelementptr i8, ptr %near, i64 %a
  %to = getelementptr i8, ptr %far, i64 %b
  %x = load double, ptr %from
  store double %x, ptr %to
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %entries
  br i1 %more, label %outwards, label %next
inwards:
  %j = phi i64 [0, %lane], [%j1, %inwards]
  %c = mul i64 %j, %stride
  %d = mul i64 %j, %step
  %to2 = getelementptr i8, ptr %near, i64 %c
  %from2 = getelementptr i8, ptr %far, i64 %d
  %y = load double, ptr %from2
  store double %y, ptr %to2
  %j1 = add i64 %j, 1
  %more2 = icmp slt i64 %j1, %entries
  br i1 %more2, label %inwards, label %next
next:
  %k1 = add i64 %k, 1
  %again = icmp slt i64 %k1, %n
  br i1 %again, label %lane, label %end
end:
  ret void
}
"""


_STAGE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 2)
_PREPARE, _SWEEP, _UP, _DOWN, _END = range(5)


def _stages(program: LevelProgram) -> list[str]:
    """What happens one after the other, each as a function; ``single``: all, for one row; ``stage``: one of them."""
    parts, W, total = program.parts, program.lanes, program.outputs[0].size
    used, records = sorted(program.layout.used), records_at(total, W)
    code = Code("%d")
    inputs = [slot.name for slot in program.inputs]
    _, _, far = begin_driver(code, "single", len(inputs) + 1, 1)
    bytes_, n_chunks = code.load("i64", "@sizes", 0), code.load("i64", "@sizes", 2)
    # lanes that no join uses compute too: on zeros, since numbers that happen to be tiny would take much longer
    size = code.emit(f"add i64 {bytes_}, {ALIGNMENT}")
    place, memory, base = emit_memory(code, 0, size, zeros=True)
    blocks = "0"
    for k in range(len(parts.kinds)):
        blocks = code.emit(f"add i64 {blocks}, {code.load('i64', '@sizes', 3 + k)}")
    for what, end in ((_PREPARE, blocks), (_SWEEP, "0"), (_UP, n_chunks), (_DOWN, n_chunks), (_END, "0")):
        code.do(f"call void @stage(i64 {what}, i64 0, i64 {end}, ptr %args, ptr {base})")
    end_driver(code, place, memory, far)
    stage = Code("%d")
    stage.lines.append("define void @stage(i64 %what, i64 %first, i64 %end, ptr %args, ptr %base) #0 {")
    stage.do("start:")
    mode = stage.emit("call i64 @without_tiny()")
    rec = stage.emit(f"getelementptr i8, ptr %base, i64 {records}")
    *given, out = (stage.load("ptr", "%args", k) for k in range(len(inputs) + 1))
    # those not given are not read
    q, v, tau = (given[inputs.index(name)] if name in inputs else given[0] for name in ("q", "v", "tau"))
    calls = {
        _PREPARE: f"@prepare(i64 %first, i64 %end, ptr {rec}, ptr {q}, ptr {v}, ptr {tau})",
        _SWEEP: f"@sweep(ptr {rec})",
        _UP: f"@up(i64 %first, i64 %end, ptr %base, ptr {rec}, ptr {q}, ptr {v}, ptr {tau})",
        _DOWN: f"@down(i64 %first, i64 %end, ptr %base, ptr {rec}, ptr {q}, ptr {v}, ptr {tau})",
        _END: f"@llvm.memcpy.p0.p0.i64(ptr {out}, ptr %base, i64 {8 * total}, i1 0)",
    }
    stage.do(f"switch i64 %what, label %case0 [{' '.join(f'i64 {k}, label %case{k}' for k in calls)}]")
    for k, call in calls.items():
        stage.do(f"case{k}:")
        stage.do(f"call void {call}")
        stage.do(f"call void @with_tiny(i64 {mode})")
        stage.do("ret void")
    stage.lines.append("}")
    texts = [_prepare(parts, W), _sweep(parts), _pass("up", used), _pass("down", used)]
    return [*texts, *("\n".join(one.lines) for one in (stage, code))]


def _prepare(parts: Parts, W: int) -> str:
    """``prepare``: blocks of bodies from the first to before the end; those of one kind follow each other."""
    code = Code("%d")
    code.lines.append("define internal void @prepare(i64 %first, i64 %end, ptr %rec, ptr %q, ptr %v, ptr %tau) #0 {")
    code.do("start:")
    last, start = "start", "0"
    for k in range(len(parts.kinds)):
        end = code.emit(f"add i64 {start}, {code.load('i64', '@sizes', 3 + k)}")
        begin = code.emit(f"call i64 @llvm.smax.i64(i64 {start}, i64 %first)")
        stop = code.emit(f"call i64 @llvm.smin.i64(i64 {end}, i64 %end)")
        code.do(f"br label %next{k}")
        code.do(f"next{k}:")
        i = code.emit(f"phi i64 [{begin}, %{last}], [%i{k}, %block{k}]")
        code.do(f"br i1 {code.emit(f'icmp slt i64 {i}, {stop}')}, label %block{k}, label %ready{k}")
        code.do(f"block{k}:")
        ids = code.emit(f"getelementptr [{4 * W} x i64], ptr @groups, i64 {i}")
        code.do(f"call void @prepare_{k}(ptr {ids}, ptr %rec, ptr @numbers, ptr %q, ptr %v, ptr %tau)")
        code.do(f"%i{k} = add i64 {i}, 1")
        code.do(f"br label %next{k}")
        code.do(f"ready{k}:")
        last, start = f"ready{k}", end
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


def _sweep(parts: Parts) -> str:
    """``sweep``: the angular velocities of all bodies that are moved beforehand; the ground has none."""
    code = Code("%d")
    code.lines.append("define internal void @sweep(ptr %rec) #0 {")
    code.do("start:")
    if not parts.sweep:
        return "\n".join([*code.lines, "  ret void", "}"])
    n = code.load("i64", "@sizes", 1)
    for k in range(3):
        code.do(f"store double 0.0, ptr {code.item('double', '%rec', k)}")
    code.do("br label %body")
    code.do("body:")
    i = code.emit("phi i64 [0, %start], [%following, %after]")
    body = code.emit(f"getelementptr [4 x i64], ptr @bodies, i64 {i}")
    parent, kind, own, data = (code.load("i64", body, k) for k in range(4))
    own, above = code.item("double", "%rec", own), code.item("double", "%rec", parent)
    data = code.item("double", "@numbers", data)
    _switch(code, kind, list(range(len(parts.kinds))), "sweep", f"ptr {own}, ptr {above}, ptr {data}", "after")
    code.do("after:")
    code.do(f"%following = add i64 {i}, 1")
    code.do(f"br i1 {code.emit(f'icmp slt i64 %following, {n}')}, label %body, label %end")
    code.do("end:")
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


def _pass(what: str, used: list[int]) -> str:
    """``up``: the joins of chunks from the first to before the end; ``down``: their splits in the opposite order."""
    ups = what == "up"
    code = Code("%d")
    code.lines.append(f"define internal void @{what}(i64 %first, i64 %end, ptr %base, ptr %rec, {_INPUTS}) #0 {{")
    code.do("start:")
    before = code.emit("sub i64 %end, 1")
    code.do("br label %next")
    code.do("next:")
    i = code.emit(f"phi i64 [{'%first' if ups else before}, %start], [%following, %done]")
    more = code.emit(f"icmp slt i64 {i}, %end" if ups else f"icmp sge i64 {i}, %first")
    code.do(f"br i1 {more}, label %chunk, label %end_of_all")
    code.do("chunk:")
    row = code.emit(f"getelementptr [{COLUMNS} x i64], ptr @chunks, i64 {i}")
    column = {name: code.load("i64", row, k) for k, name in enumerate(Chunk._fields)}

    def at(name: str) -> str:
        return code.emit(f"getelementptr i8, ptr %base, i64 {column[name]}")

    here = at("result" if ups else "outer")
    sides = [at(name) for name in (("A", "B") if ups else ("A_down", "B_down"))]
    ids = code.item("i64", "@ids", column["ids"])
    places = ", ".join(f"ptr {one}" for one in (*sides, here, at("kept"), ids))
    arguments = f"{places}, ptr %rec, ptr @numbers, {_INPUTS}" + ("" if ups else ", ptr %base")
    copied = column["scatter" if ups else "gather"]
    elsewhere = code.emit(f"icmp sge i64 {copied}, 0")
    copy = f"call void @moved(ptr {here}, ptr %base, ptr {code.item('i64', '@copies', copied)}, i1 {int(ups)})"
    if ups:
        _switch(code, column["function"], used, "join", arguments, "joined")
        code.do("joined:")
        code.do(f"br i1 {elsewhere}, label %copy, label %done")
        code.do("copy:")
        code.do(copy)
        code.do("br label %done")
    else:
        code.do(f"br i1 {elsewhere}, label %copy, label %ready")
        code.do("copy:")
        code.do(copy)
        code.do("br label %ready")
        code.do("ready:")
        _switch(code, column["function"], used, "split", arguments, "done")
    code.do("done:")
    code.do(f"%following = add i64 {i}, {1 if ups else -1}")
    code.do("br label %next")
    code.do("end_of_all:")
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


def _switch(code: Code, which: str, cases: list[int], what: str, arguments: str, after: str) -> None:
    """Call the function of a number, then go on after."""
    labels = " ".join(f"i64 {k}, label %{what}{k}" for k in cases)
    code.do(f"switch i64 {which}, label %{what}{cases[0]} [{labels}]")
    for k in cases:
        code.do(f"{what}{k}:")
        code.do(f"call void @{what}_{k}({arguments})")
        code.do(f"br label %{after}")
