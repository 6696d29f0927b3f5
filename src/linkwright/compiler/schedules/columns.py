"""Matrices of all joints: columns on lanes, the memory they need, and what is made of it in the end.

A pass over columns goes over the bodies inwards, and at each over the columns of all bodies beyond, which lie side by
side, as many at once as there are lanes. What they find are rows of the upper triangle; the lower one is its mirror
image, or is found beside it and turned at last. Rows and columns of joints that follow others are then added to their
leaders'; so are the parts of vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.emit.stages import ALIGNMENT
from linkwright.compiler.passes.uniform_values import COLUMN

if TYPE_CHECKING:
    from linkwright.compiler.schedules.loops import Arguments, LoopProgram


class ScratchBlock(NamedTuple):
    """Some memory beside the records."""

    name: str
    bytes: str
    """how many, as a value of the code"""


class ScratchMemory:
    """What loops need beside their records: columns, and results that are not yet what is asked for."""

    def __init__(self, program: LoopProgram, code: FunctionBuilder, width: int, records: str, lanes: int):
        self.program, self.code, self.width, self.lanes = program, code, width, lanes
        outputs = program.loops.recording.outputs
        steps = [one for columns in program.loops.columns for one in columns]
        blocks: list[ScratchBlock] = []
        if any(one.of == "square" for one in outputs) or steps:
            self.n = code.load("i64", "@count", 2)
            self.squared = code.emit(f"mul i64 {code.emit(f'mul i64 {self.n}, {self.n}')}, 8")
        if steps:
            places = [write.entry for one in steps for write in one.writes if write.space == COLUMN]
            entries = 1 + max(places, default=0)
            self.stride = code.emit(f"add i64 {self.n}, {lanes}")
            blocks.append(ScratchBlock("columns", code.emit(f"mul i64 {self.stride}, {8 * entries}")))
        for number, (one, slot) in enumerate(zip(outputs, program.outputs, strict=True)):
            if one.of == "square" and one.summed:
                blocks.append(ScratchBlock(f"above{number}", self.squared))
            if one.below is not None:
                blocks.append(ScratchBlock(f"below{number}", self.squared))
            if one.summed and one.of != "square":
                blocks.append(ScratchBlock(f"sum{number}", str(8 * slot.size * width)))
        self.offsets: dict[str, str] = {}
        self.bytes = {block.name: block.bytes for block in blocks}
        self.total = code.emit(f"add i64 {records}, {ALIGNMENT}")
        if not blocks:
            return
        at = code.emit(f"and i64 {code.emit(f'add i64 {records}, {ALIGNMENT - 1}')}, -{ALIGNMENT}")
        for block in blocks:
            self.offsets[block.name] = at
            end = code.emit(f"add i64 {at}, {block.bytes}")
            at = code.emit(f"and i64 {code.emit(f'add i64 {end}, {ALIGNMENT - 1}')}, -{ALIGNMENT}")
        self.total = code.emit(f"add i64 {at}, {ALIGNMENT}")

    def begin(self, world: str, arguments: Arguments) -> Arguments:
        """The arguments of the loops: where they write. What is not written in full is zero at first."""
        code, inputs = self.code, len(self.program.inputs)
        memory = {name: code.emit(f"getelementptr i8, ptr {world}, i64 {at}") for name, at in self.offsets.items()}
        rows, strides = list(arguments.rows), list(arguments.strides)
        for number, one in enumerate(self.program.loops.recording.outputs):
            place = inputs + number
            if f"sum{number}" in memory:
                rows[place] = memory[f"sum{number}"]
                strides[place] = str(8 * self.program.outputs[number].size)
            if one.of == "square":
                rows[place] = memory.setdefault(f"above{number}", rows[place])
                self._clear(rows[place], self.squared)
        for name in self.offsets:
            if name != "columns" and not name.startswith("above"):
                self._clear(memory[name], self.bytes[name])
        arguments = arguments._replace(rows=rows, strides=strides, memory=memory, lanes=self.lanes)
        return arguments._replace(columns=memory["columns"], stride=self.stride) if "columns" in memory else arguments

    def _clear(self, where: str, size: str) -> None:
        self.code.do(f"call void @llvm.memset.p0.i64(ptr {where}, i8 0, i64 {size}, i1 0)")

    def finish(self, rows: list[str], strides: list[str], arguments: Arguments) -> None:
        """What is asked for, of what the loops found."""
        code, inputs = self.code, len(self.program.inputs)
        for number, one in enumerate(self.program.loops.recording.outputs):
            made, row, stride = arguments.rows[inputs + number], rows[inputs + number], strides[inputs + number]
            if one.of == "square":
                if one.below is None:
                    code.do(f"call void @mirrored(ptr {made}, ptr {made}, i64 {self.n}, i1 0)")
                else:
                    code.do(
                        f"call void @mirrored(ptr {made}, ptr {arguments.memory[f'below{number}']}, i64 {self.n}, i1 1)"
                    )
                if one.summed:
                    size = self.program.outputs[number].shape[0]
                    self._clear(row, str(8 * size * size))
                    code.do(f"call void @gathered(ptr {row}, ptr {made}, i64 {self.n}, i64 {size})")
                    if one.below is None:  # summed in another order it would be symmetric but for rounding
                        code.do(f"call void @mirrored(ptr {row}, ptr {row}, i64 {size}, i1 0)")
            elif one.summed:
                size = 8 * self.program.outputs[number].size
                for lane in range(self.width):
                    to = (
                        row
                        if lane == 0
                        else code.emit(f"getelementptr i8, ptr {row}, i64 {code.emit(f'mul i64 {stride}, {lane}')}")
                    )
                    of = code.emit(f"getelementptr i8, ptr {made}, i64 {lane * size}")
                    code.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {size}, i1 0)")


FUNCTIONS = """
; the entries under the diagonal from those over it, of the matrix itself (or added, of another)
define internal void @mirrored(ptr %to, ptr %from, i64 %n, i1 %add) #1 {
start:
  br label %band
band:
  %i0 = phi i64 [0, %start], [%i1, %bands]
  %i1 = add i64 %i0, 16
  %end = call i64 @llvm.smin.i64(i64 %i1, i64 %n)
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %column, label %done
column:
  %j = phi i64 [%i0, %band], [%j1, %columns]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %entries, label %bands
entries:
  %stop = call i64 @llvm.smin.i64(i64 %end, i64 %j)
  %under = mul i64 %j, %n
  br label %entry
entry:
  %i = phi i64 [%i0, %entries], [%i2, %stored]
  %again = icmp slt i64 %i, %stop
  br i1 %again, label %one, label %columns
one:
  %over = mul i64 %i, %n
  %at = add i64 %over, %j
  %a = getelementptr double, ptr %from, i64 %at
  %x = load double, ptr %a
  %place = add i64 %under, %i
  %b = getelementptr double, ptr %to, i64 %place
  br i1 %add, label %sum, label %plain
sum:
  %y = load double, ptr %b
  %s = fadd double %x, %y
  br label %stored
plain:
  br label %stored
stored:
  %z = phi double [%s, %sum], [%x, %plain]
  store double %z, ptr %b
  %i2 = add i64 %i, 1
  br label %entry
columns:
  %j1 = add i64 %j, 1
  br label %column
bands:
  br label %band
done:
  ret void
}
; a matrix (m, m) of independent coordinates from one (n, n) of all
define internal void @gathered(ptr %to, ptr %from, i64 %n, i64 %m) #1 {
start:
  br label %row
row:
  %i = phi i64 [0, %start], [%i1, %rows]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %begin, label %done
begin:
  %a = getelementptr i64, ptr @leads, i64 %i
  %r = load i64, ptr %a
  %b = getelementptr double, ptr @multipliers, i64 %i
  %times = load double, ptr %b
  %target = mul i64 %r, %m
  %source = mul i64 %i, %n
  br label %entry
entry:
  %j = phi i64 [0, %begin], [%j1, %one]
  %again = icmp slt i64 %j, %n
  br i1 %again, label %one, label %rows
one:
  %c = getelementptr i64, ptr @leads, i64 %j
  %k = load i64, ptr %c
  %d = getelementptr double, ptr @multipliers, i64 %j
  %u = load double, ptr %d
  %at = add i64 %source, %j
  %e = getelementptr double, ptr %from, i64 %at
  %x = load double, ptr %e
  %f = fmul double %times, %u
  %g = fmul double %f, %x
  %place = add i64 %target, %k
  %h = getelementptr double, ptr %to, i64 %place
  %y = load double, ptr %h
  %z = fadd double %y, %g
  store double %z, ptr %h
  %j1 = add i64 %j, 1
  br label %entry
rows:
  %i1 = add i64 %i, 1
  br label %row
done:
  ret void
}
"""
"""``mirrored`` and ``gathered``."""
