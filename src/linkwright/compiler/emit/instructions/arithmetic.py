"""The instructions of a program as LLVM IR, on W lanes or on one.

Products are fused into sums here, explicitly, and nothing is left to be reassociated: so one lane computes bit for bit
what W lanes do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from linkwright.compiler.emit.code import definition
from linkwright.compiler.emit.instructions.angles import emit_sincos
from linkwright.compiler.emit.instructions.elementary import ELEMENTARY, LaneBuilder, LaneNumber, tan
from linkwright.compiler.emit.instructions.vector_math import Lanes
from linkwright.compiler.emit.repetition import emit_repeat
from linkwright.compiler.emit.row_loops import LOOPS, emit_loop
from linkwright.compiler.emit.steps_on_lanes import own_count, own_counts
from linkwright.compiler.emit.tables import (
    Index,
    RowAddress,
    counting,
    counting_in_steps,
    emit_index,
    emit_row,
    emit_take,
    read,
    whole_number,
)
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import ROWS, Instruction, Program
from linkwright.compiler.native.machine import Target
from linkwright.errors import TooLargeError
from linkwright.expression.operations import HELD

_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "round": "rint"}
BLOCK = 4000
LONGEST = 3 * BLOCK
"""Lines of a function beyond which it is cut into basic blocks of about ``BLOCK``.

The code generator's work grows with the square of a block's length, worst where values depend on each other in one
long chain or thousands share a constant. Within one block it orders up to a tenth better: shorter functions stay whole.
"""


class ArithmeticEmitter:
    """Base of the emitters of straight-line code.

    ``careful``: whether lanes handle angles that are too large for their sine, instead of reporting them.
    """

    angles_together = False
    """whether sines of a single row are computed together"""

    def __init__(self, program: Program, width: int, target: Target, careful: bool = False):
        self.program, self.careful = program, careful
        self.lanes = Lanes(width, FORMATS[program.precision])
        self.target = target
        self.lines: list[str] = []
        self.count = 0
        self.blocks = 0
        self.values = [""] * len(program.instructions)
        self.conditions: dict[str, str] = {}  # one bit a lane, of names of numbers that are 1 where it holds, else 0
        self.angles: dict[int, tuple[str, ...]] = {}
        self.farthest: str | None = None  # largest |angle| so far, lane by lane
        self.declared: set[str] = set()
        self.fused_away = products_to_fuse(program) if target.fused else set()
        self.results: dict[int, list[str]] = {}  # of repetitions
        self.places: dict[str, RowAddress] = {}  # of rows
        self.counting = counting(program, ())
        self.indices: dict[int, Index] = {}
        self.wholes: dict[tuple[int, ...], str] = {}  # inputs of a step that count, as whole numbers
        self.own_inputs: Mapping[tuple[int, int], Index] = {}  # those of which each lane has its own
        self.own_counts: frozenset[int] = frozenset()  # the values that follow from these
        self.widest = self.lanes  # registers on the stack
        self.within = 0  # repetitions that are being written
        self.polls = False  # whether those that are long look whether to stop
        self.on_stack = 0  # numbers of the prologue's memory
        self.prologue: list[str] = []  # memory that repetitions need
        self.epilogue: list[str] = []

    def fetched(self, *place: int) -> str:
        """An entry of an input."""
        raise NotImplementedError

    def text(self) -> str:
        """The whole function."""
        raise NotImplementedError

    def argument(self, number: int) -> RowAddress:
        """Return the address of an input."""
        raise TooLargeError("an input is read at computed indices, which loops over the bodies do not support")

    def emit(self, instruction: str) -> str:
        """Append an instruction; the name of its value."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {instruction}")
        return name

    def block(self) -> int:
        """A number for the names of further basic blocks."""
        self.blocks += 1
        return self.blocks - 1

    def compute(self, k: int, instruction: Instruction) -> None:
        """Write the instruction of value ``k``."""
        op, args, value = instruction
        if op == "input":
            self.values[k] = self.fetched(*args)
        elif op == "constant":
            self.values[k] = self.lanes.constant(value)
        elif op == "repeat":
            given = [self.values[a] for a in args]
            counts = counting_in_steps(value, [a in self.counting for a in args])
            fixed = args[value.size :]
            wholes: dict[tuple[int, ...], str] = {
                (2, i): whole_number(self, a)
                for i, a in enumerate(fixed)
                if a in self.counting and self.values[a] not in self.places
            }
            own = {(2, i): emit_index(self, a) for i, a in enumerate(fixed) if a in self.own_counts}
            self.results[k] = emit_repeat(self, value, given[: value.size], given[value.size :], counts, wholes, own)
        elif op == "take":
            self.values[k] = emit_take(self, *args)
        elif op in ROWS:
            name = f"row{len(self.places)}"
            self.places[name] = (emit_loop if op in LOOPS else emit_row)(self, instruction)
            self.values[k] = name
        elif op == "item" and k not in self.program.in_tables:
            self.values[k] = self._item(args[0], value)
        elif op != "item" and k not in self.fused_away:  # else it appears inside the sum that uses it
            self.values[k] = self._operation(k, op, args)

    def _item(self, repetition: int, which: int) -> str:
        """One of a repetition's results, or an entry of a row; kept states are read where they are."""
        if (name := self.values[repetition]) in self.places:
            return read(self, self.places[name], which)
        *states, kept = self.results[repetition]
        if which < len(states):
            return states[which]
        V = self.lanes.number
        address = self.emit(f"getelementptr {V}, ptr {kept}, i64 {which - len(states)}")
        return self.emit(f"load {V}, ptr {address}, align {self.lanes.alignment}")

    def inside(
        self,
        program: Program,
        inputs: list[list[str]],
        counts: frozenset[tuple[int, int]] = frozenset(),
        wholes: Mapping[tuple[int, ...], str] | None = None,
        own: Mapping[tuple[int, int], Index] | None = None,
    ) -> StepEmitter:
        """Turn to the instructions of a repetition's step, until it is left.

        ``counts``: inputs that count; ``wholes``: those of them that are known as whole numbers; ``own``: those that
        count in each lane on its own.
        """
        return StepEmitter(self, program, inputs, counts, wholes or {}, own or {})

    def own_count(self, k: int) -> Index:
        """Return a count of each lane on its own, as whole numbers."""
        return own_count(self, k)

    def seam(self) -> None:
        """A further basic block may start here."""
        self.lines.append("")

    def _function(self, result: str, name: str, arguments: str) -> str:
        """The function around all lines; the second one stands for memory that it needs."""
        self.lines[1:2] = self.prologue
        body = "\n".join(self.finished())
        return f"{definition(result, name, arguments)} #0{self.widest.stack} {{\n{body}\n}}\n"

    def finished(self) -> list[str]:
        """All lines, as several basic blocks where they are many."""
        lines = self.lines
        if len(lines) <= LONGEST:
            return [line for line in lines if line]
        result: list[str] = []
        start = number = 0
        for line in lines:
            if line:
                result.append(line)
            elif len(result) - start > BLOCK:
                result += [f"  br label %block{number}", f"block{number}:"]
                start, number = len(result), number + 1
        return result

    def _far(self) -> str:
        """Return whether an angle was too large for the lanes' sine."""
        lanes = self.lanes
        if lanes.width == 1 or self.farthest is None:
            return "0"
        return self.any_of(self.emit(f"fcmp ogt {lanes.number} {self.farthest}, {lanes.constant(lanes.format.far)}"))

    def any_of(self, flags: str) -> str:
        """Return whether a condition holds in any lane."""
        lanes = self.lanes
        if lanes.width == 1:
            return flags
        self.declared.add(f"declare i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.bit})")
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.bit} {flags})")

    def _operation(self, k: int, op: str, args: tuple[int, ...]) -> str:
        lanes, V = self.lanes, self.lanes.number
        x = [self.values[a] for a in args]
        if op in ("add", "sub") and "" in x:
            return self._fused(op, args)
        if op in _BINARY:
            return self.emit(f"{_BINARY[op]} {V} {x[0]}, {x[1]}")
        if op in HELD:
            return x[0]
        if op == "neg":
            return self.emit(f"fneg {V} {x[0]}")
        if op in ("sin", "cos"):
            if args[0] not in self.angles:
                emit_sincos(self, args[0])
            return self.angles[args[0]][op == "cos"]
        write = LaneBuilder(lanes, self.emit)
        if op == "tan":
            return self.of_angle(x[0], lambda angle: (tan(write, LaneNumber(write, angle)).name,), ("tan",))[0]
        if op in ELEMENTARY:
            self.declared.add(f"declare {V} @llvm.sqrt.{lanes.suffix}({V})")
            return ELEMENTARY[op](write, *(LaneNumber(write, y) for y in x)).name
        if op in _INTRINSIC:
            name = f"@llvm.{_INTRINSIC[op]}.{lanes.suffix}"
            self.declared.add(f"declare {V} {name}({', '.join([V] * len(x))})")
            return self.emit(f"call {V} {name}({', '.join(f'{V} {y}' for y in x)})")
        if op in ("min", "max"):
            closer = self.emit(f"fcmp {'olt' if op == 'min' else 'ogt'} {V} {x[0]}, {x[1]}")
            chosen = self._select(closer, x[0], x[1])  # with the test one instruction of x86, which forgets a NaN in x
            return self._select(self.emit(f"fcmp uno {V} {x[0]}, {lanes.constant(0.0)}"), x[0], chosen)
        if op in ("less", "less_equal"):
            holds = self.emit(f"fcmp {'olt' if op == 'less' else 'ole'} {V} {x[0]}, {x[1]}")
            name = self._select(holds, lanes.constant(1.0), lanes.constant(0.0))
            self.conditions[name] = holds
            return name
        if op == "where":
            chosen = self.bit(args[0])
            name = self._select(chosen, x[1], x[2])
            first, second = self._condition(x[1]), self._condition(x[2])
            if first and second:
                bit = lanes.bit
                self.conditions[name] = self.emit(f"select {bit} {chosen}, {bit} {first}, {bit} {second}")
            return name
        if op == "sign":
            zero = lanes.constant(0.0)
            negative = self.emit(f"fcmp olt {V} {x[0]}, {zero}")
            positive = self.emit(f"fcmp ogt {V} {x[0]}, {zero}")
            return self._select(positive, lanes.constant(1.0), self._select(negative, lanes.constant(-1.0), x[0]))
        raise NotImplementedError(op)

    def bit(self, k: int) -> str:
        """Return whether a value is not zero, lane by lane."""
        lanes = self.lanes
        x = self.values[k]
        return self.conditions.get(x) or self.emit(f"fcmp une {lanes.number} {x}, {lanes.constant(0.0)}")

    def _condition(self, x: str) -> str | None:
        """Return the bits of a number that is known to be 0 or 1 in each lane, else None."""
        lanes = self.lanes
        for value in (False, True):
            if x == lanes.constant(float(value)):
                return lanes.everywhere(value)
        return self.conditions.get(x)

    def _fused(self, op: str, args: tuple[int, ...]) -> str:
        """x y + z, x y − z or z − x y, rounded once."""
        V = self.lanes.number
        first = self.values[args[0]] == ""
        product, other = (args[0], args[1]) if first else (args[1], args[0])
        a, b = (self.values[i] for i in self.program.instructions[product].args)
        z = self.values[other]
        if op == "sub" and first:
            z = self.emit(f"fneg {V} {z}")
        elif op == "sub":
            a = self.emit(f"fneg {V} {a}")
        return self.lanes.fma(self.emit, a, b, z)

    def multiplied_and_added(self, a: str, b: str, z: str) -> str:
        """a b + z, rounded once where the processor can."""
        if self.target.fused:
            return self.lanes.fma(self.emit, a, b, z)
        V = self.lanes.number
        return self.emit(f"fadd {V} {z}, {self.emit(f'fmul {V} {a}, {b}')}")

    def _select(self, bit: str, a: str, b: str) -> str:
        return self.emit(f"select {self.lanes.bit} {bit}, {self.lanes.number} {a}, {self.lanes.number} {b}")

    def of_angle(self, x: str, near: Callable[[str], tuple[str, ...]], library: tuple[str, ...]) -> tuple[str, ...]:
        """Functions of an angle: by what reduces it where it is not too large, else the library's."""
        V, lanes = self.lanes.number, self.lanes
        self.declared.add(f"declare {V} @llvm.fabs.{lanes.suffix}({V})")
        size = self.emit(f"call {V} @llvm.fabs.{lanes.suffix}({V} {x})")
        if lanes.width > 1 and not self.careful:
            # starting from 0, so that a NaN is never kept: its row may have far angles too
            farthest = self.farthest or lanes.constant(0.0)
            larger = self.emit(f"fcmp ogt {V} {size}, {farthest}")
            self.farthest = self._select(larger, size, farthest)
            return near(x)
        large = self.emit(f"fcmp ogt {V} {size}, {lanes.constant(lanes.format.far)}")
        far = self.any_of(large)
        n = self.block()
        self.lines.append(f"  br i1 {far}, label %far{n}, label %near{n}, !prof !0")
        self.lines.append(f"far{n}:")
        theirs = [self._library(function, x) for function in library]
        if lanes.width > 1:  # near angles have the same bits next to a far one
            theirs = [self._select(large, a, b) for a, b in zip(theirs, near(x), strict=True)]
        self.lines.append(f"  br label %after{n}")
        self.lines.append(f"near{n}:")
        ours = near(x)
        self.lines.append(f"  br label %after{n}")
        self.lines.append(f"after{n}:")
        return tuple(self.emit(f"phi {V} [{a}, %far{n}], [{b}, %near{n}]") for a, b in zip(theirs, ours, strict=True))

    def _library(self, function: str, x: str) -> str:
        """A function of the C library, lane by lane."""
        V, width, scalar = self.lanes.number, self.lanes.width, self.lanes.scalar
        self.declared.add(f"declare double @{function}(double)")

        def one(x: str) -> str:
            if scalar == "double":
                return self.emit(f"call double @{function}(double {x})")
            x = self.emit(f"fpext {scalar} {x} to double")
            return self.emit(f"fptrunc double {self.emit(f'call double @{function}(double {x})')} to {scalar}")

        if width == 1:
            return one(x)
        result = "poison"
        for lane in range(width):
            entry = self.emit(f"extractelement {V} {x}, i32 {lane}")
            result = self.emit(f"insertelement {V} {result}, {scalar} {one(entry)}, i32 {lane}")
        return result

    def turned(self, rows: list[str], start: int, size: int) -> list[str]:
        """So many entries of each lane's row, from ``start`` on, as registers."""
        return self.transposed([self._joined(rows[i::size], start, size) for i in range(size)])

    def _joined(self, rows: list[str], start: int, size: int) -> str:
        """Entries of several rows, one after the other in a register."""
        scalar = self.lanes.scalar
        parts = []
        for row in rows:
            address = self.emit(f"getelementptr {scalar}, ptr {row}, i64 {start}")
            parts.append(self.emit(f"load <{size} x {scalar}>, ptr {address}, align {self.lanes.bytes}"))
        while len(parts) > 1:
            indices, half = ", ".join(f"i32 {k}" for k in range(2 * size)), f"<{size} x {scalar}>"
            parts = [
                self.emit(f"shufflevector {half} {a}, {half} {b}, <{2 * size} x i32> <{indices}>")
                for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
            size *= 2
        return parts[0]

    def transposed(self, rows: list[str]) -> list[str]:
        """Return n registers with their n × n blocks transposed, in log₂ n rounds of exchanges."""
        n, W, V = len(rows), self.lanes.width, self.lanes.number
        s = 1
        while s < n:
            turned = list(rows)
            for i in range(n):
                if not i & s:
                    low = [j if not j & s else W + j - s for j in range(W)]
                    high = [j + s if not j & s else W + j for j in range(W)]
                    for target, lanes in ((i, low), (i + s, high)):
                        indices = ", ".join(f"i32 {lane}" for lane in lanes)
                        turned[target] = self.emit(
                            f"shufflevector {V} {rows[i]}, {V} {rows[i + s]}, <{W} x i32> <{indices}>"
                        )
            rows = turned
            s *= 2
        return rows


class StepEmitter:
    """The instructions of a repetition's step, written among those around it."""

    def __init__(
        self,
        body: ArithmeticEmitter,
        program: Program,
        inputs: list[list[str]],
        counts: frozenset[tuple[int, int]],
        wholes: Mapping[tuple[int, ...], str],
        own: Mapping[tuple[int, int], Index],
    ):
        self.body = body
        body.within += 1
        self.around = (body.program, body.values, body.angles, body.fused_away, body.results, body.fetched)
        self.indices_around = (body.counting, body.indices, body.wholes, body.own_inputs, body.own_counts)
        self.conditions = body.conditions
        body.counting, body.indices, body.wholes = counting(program, counts), {}, dict(wholes)
        body.own_inputs, body.own_counts = own, own_counts(program, body.counting, own)
        self.values = [""] * len(program.instructions)
        self.done: set[int] = set()
        body.program, body.values, body.angles, body.results = program, self.values, {}, {}
        if not body.target.masks:
            body.conditions = {}
        body.fused_away = products_to_fuse(program) if body.target.fused else set()
        body.fetched = lambda *place: inputs[place[0]][place[1]]  # type: ignore[method-assign]

    def compute(self, which: Iterable[int]) -> None:
        """Write the instructions of these values that are not written yet."""
        for k in which:
            if k not in self.done:
                self.done.add(k)
                self.body.compute(k, self.body.program.instructions[k])
                self.body.seam()

    def leave(self) -> None:
        """Turn back to the instructions around."""
        body = self.body
        body.within -= 1
        body.conditions = self.conditions
        body.program, body.values, body.angles, body.fused_away, body.results, body.fetched = self.around  # type: ignore[method-assign]
        body.counting, body.indices, body.wholes, body.own_inputs, body.own_counts = self.indices_around


def products_to_fuse(program: Program) -> set[int]:
    """Products used once, by a sum: they become fused multiply-adds (one of two in a sum of two products)."""
    uses, code = program.uses, program.instructions
    chosen: set[int] = set()
    for op, args, _ in code:
        if op in ("add", "sub"):
            products = [a for a in args if code[a].op == "mul" and uses[a] == 1]
            if products:
                chosen.add(max(products))
    return chosen
