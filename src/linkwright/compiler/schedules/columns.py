"""Matrices of all joints: columns on lanes, their memory, and the final assembly of the matrices.

A pass over columns visits the bodies inward, and at each body the columns of all its descendants, which are stored
side by side, as many simultaneously as there are lanes. The results are rows of the upper triangle; the lower one is
its mirror image, or is computed separately and transposed at the end. Rows and columns of mimic joints, and their parts
of vectors, are then added to those of their leaders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from linkwright.compiler.emit.code import FunctionBuilder, definition
from linkwright.compiler.emit.stages import ALIGNMENT
from linkwright.compiler.passes.uniform_values import COLUMN

if TYPE_CHECKING:
    from linkwright.compiler.schedules.loops import Arguments, LoopProgram


class ScratchBlock(NamedTuple):
    """Memory in addition to the records."""

    name: str
    bytes: str
    """size as a value of the code"""
    """how many, as a value of the code"""


class ScratchMemory:
    """Memory of loops in addition to their records: columns, and intermediate results."""

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
        """Return the arguments of the loops with their output memory; partly written memory is set to zero."""
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
        """Compute the results from those of the loops."""
        code, inputs = self.code, len(self.program.inputs)
        for number, one in enumerate(self.program.loops.recording.outputs):
            made, row, stride = arguments.rows[inputs + number], rows[inputs + number], strides[inputs + number]
            if one.of == "square":
                if one.below is None:
                    code.do(f"call void @mirrored(ptr {made}, ptr {made}, i64 {self.n})")
                else:
                    code.do(f"call void @added(ptr {made}, ptr {arguments.memory[f'below{number}']}, i64 {self.n})")
                if one.summed:
                    size = self.program.outputs[number].shape[0]
                    self._clear(row, str(8 * size * size))
                    code.do(f"call void @gathered(ptr {row}, ptr {made}, i64 {self.n}, i64 {size})")
                    if one.below is None:  # another order of summation would not be exactly symmetric
                        code.do(f"call void @mirrored(ptr {row}, ptr {row}, i64 {size})")
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


def matrix_functions() -> str:
    """Return ``mirrored``, which copies the upper triangle of a matrix to the lower one, ``added``, which adds it, and
    ``gathered``, which converts a matrix (n, n) of all coordinates to one (m, m) of independent coordinates."""
    return "\n".join([_mirrored("mirrored"), _mirrored("added"), _gathered()])


def _mirrored(name: str) -> str:
    code = FunctionBuilder()
    with code.loop("0", "%n", step=16) as band:  # near each other in memory
        end = code.emit(f"call i64 @llvm.smin.i64(i64 {code.emit(f'add i64 {band}, 16')}, i64 %n)")
        with code.loop(band, "%n") as j:
            stop, row = code.emit(f"call i64 @llvm.smin.i64(i64 {end}, i64 {j})"), code.emit(f"mul i64 {j}, %n")
            with code.loop(band, stop) as i:
                over = code.emit(f"add i64 {code.emit(f'mul i64 {i}, %n')}, {j}")
                x = code.load("double", "%from", over)
                under = code.item("double", "%to", code.emit(f"add i64 {row}, {i}"))
                if name == "added":
                    x = code.emit(f"fadd double {x}, {code.emit(f'load double, ptr {under}')}")
                code.do(f"store double {x}, ptr {under}")
    return _of_matrices(code, name, "i64 %n")


def _gathered() -> str:
    code = FunctionBuilder()
    with code.loop("0", "%n") as i:
        row, times = code.load("i64", "@leads", i), code.load("double", "@multipliers", i)
        to, of = code.emit(f"mul i64 {row}, %m"), code.emit(f"mul i64 {i}, %n")
        with code.loop("0", "%n") as j:
            both = code.emit(f"fmul double {times}, {code.load('double', '@multipliers', j)}")
            x = code.emit(f"fmul double {both}, {code.load('double', '%from', code.emit(f'add i64 {of}, {j}'))}")
            place = code.item("double", "%to", code.emit(f"add i64 {to}, {code.load('i64', '@leads', j)}"))
            total = code.emit(f"fadd double {x}, {code.emit(f'load double, ptr {place}')}")
            code.do(f"store double {total}, ptr {place}")
    return _of_matrices(code, "gathered", "i64 %n, i64 %m")


def _of_matrices(code: FunctionBuilder, name: str, sizes: str) -> str:
    start = f"{definition('void', name, f'ptr %to, ptr %from, {sizes}')} #1 {{"
    return "\n".join([start, "start:", *code.lines, "  ret void", "}"])
