"""From a program to LLVM IR: the straight-line code on W lanes, and on one.

The entries of W rows are loaded as they lie in memory and transposed in registers. Products are
fused into sums here, explicitly, and nothing is left to be reassociated: so one lane computes bit
for bit what W lanes do, and a row's result depends neither on its batch nor on its place in it.
"""

from __future__ import annotations

import math
from itertools import pairwise

from linkwright.compiler.entry import DECLARATIONS, entry_text
from linkwright.compiler.program import Program, Slot
from linkwright.compiler.rows import COPY, lengths_text, loop_text
from linkwright.compiler.vector_math import FAR, Lanes, sincos

_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs"}
LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh", "pow")
"""Functions of the C library that programs may call, lane by lane."""

_NEAR_CACHE = 32 * 1024  # bytes

BLOCK = 4000
LONGEST = 3 * BLOCK
"""Lines of a function beyond which it is cut into basic blocks of about ``BLOCK``.

The code generator's work grows with the square of a block's length, worst where values depend on each other in one
long chain or thousands share a constant. Within one block it orders up to a tenth better: shorter functions stay whole.
"""


SPARSE = 256
"""Entries of a result from which structural zeros are written by a loop, where they are most of it."""

CLEAR = """define internal void @clear(ptr %row, i64 %bytes) #0 {
start:
  br label %next
next:
  %at = phi i64 [0, %start], [%after, %next]
  %place = getelementptr i8, ptr %row, i64 %at
  store <4 x double> zeroinitializer, ptr %place, align 8
  %after = add i64 %at, 32
  %more = icmp ult i64 %after, %bytes
  br i1 %more, label %next, label %end
end:
  ret void
}
"""
"""Zeros for a row of that many bytes, a multiple of 32."""


class StraightBody:
    """The instructions of one function, on W lanes.

    ``careful``: whether lanes themselves see to angles that are too large for their sine, instead of telling of them.
    """

    def __init__(self, program: Program, width: int, fused: bool, careful: bool = False):
        self.program, self.careful = program, careful
        self.lanes = Lanes(width)
        self.fused = fused
        self.lines: list[str] = []
        self.count = 0
        self.blocks = 0
        self.values: list[str] = []
        self.bits: dict[int, str] = {}  # comparisons, before they become numbers
        self.angles: dict[int, tuple[str, str]] = {}
        self.farthest: str | None = None  # largest |angle| so far, lane by lane
        self.declared: set[str] = set()
        self.rows: dict[int, list[str]] = {}  # addresses of the rows of results
        self.seams: list[int] = []  # where a further block may start: after how many lines

    def emit(self, instruction: str) -> str:
        """Append an instruction; the name of its value."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {instruction}")
        return name

    def text(self) -> str:
        """The whole function. It returns whether an angle was too large for the lane body's sine."""
        program, lanes = self.program, self.lanes
        self.lines.append("start:")
        columns = [self._load(number, slot) for number, slot in enumerate(program.inputs)]
        fused_away = self._products_to_fuse() if self.fused else set()
        sparse = self._sparse()
        blocks = self._blocks(sparse) if lanes.width > 1 else {}
        for k, (op, args, value) in enumerate(program.instructions):
            if op == "input":
                self.values.append(columns[args[0]][args[1]])
            elif op == "constant":
                assert value is not None
                self.values.append(lanes.constant(value))
            elif k in fused_away:
                self.values.append("")  # appears inside the sum that uses it
            else:
                self.values.append(self._operation(k, op, args))
            if k == len(program.instructions) - 1:  # all is read: a result may lie where an argument does
                for argument in sparse:
                    self._clear(argument)
            for block in blocks.pop(k, ()):
                self._store_block(*block)
                self.seams.append(len(self.lines))
            self.seams.append(len(self.lines))
        if lanes.width == 1:
            for argument in range(len(program.inputs), len(program.inputs) + len(program.results)):
                self._store(argument, argument in sparse)
        self.lines.append(f"  ret i1 {self._far()}")
        body = "\n".join(self._in_blocks() if len(self.lines) > LONGEST else self.lines)
        name = "single" if lanes.width == 1 else "lanes"
        return f"define internal i1 @{name}(ptr noalias %args, ptr noalias %steps) #0{lanes.stack} {{\n{body}\n}}\n"

    def _in_blocks(self) -> list[str]:
        """The lines as several basic blocks, one after the other."""
        lines: list[str] = []
        start = 0
        for number, end in enumerate(end for last, end in pairwise((0, *self.seams)) if end // BLOCK > last // BLOCK):
            lines += [*self.lines[start:end], f"  br label %block{number}", f"block{number}:"]
            start = end
        return lines + self.lines[start:]

    def _far(self) -> str:
        """Whether an angle was too large for the lanes' sine."""
        lanes = self.lanes
        if lanes.width == 1 or self.farthest is None:
            return "0"
        return self._any(self.emit(f"fcmp ogt {lanes.double} {self.farthest}, {lanes.constant(FAR)}"))

    def _any(self, flags: str) -> str:
        """Whether a condition holds in any lane."""
        lanes = self.lanes
        self.declared.add(f"declare i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.bit})")
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{lanes.width}i1({lanes.bit} {flags})")

    # values

    def _products_to_fuse(self) -> set[int]:
        """Products used once, by a sum: they become fused multiply-adds (one of two in a sum of two products)."""
        uses, code = self.program.uses, self.program.instructions
        chosen: set[int] = set()
        for op, args, _ in code:
            if op in ("add", "sub"):
                products = [a for a in args if code[a].op == "mul" and uses[a] == 1]
                if products:
                    chosen.add(max(products))
        return chosen

    def _operation(self, k: int, op: str, args: tuple[int, ...]) -> str:
        lanes, V = self.lanes, self.lanes.double
        x = [self.values[a] for a in args]
        if op in ("add", "sub") and "" in x:
            return self._fused(op, args)
        if op in _BINARY:
            return self.emit(f"{_BINARY[op]} {V} {x[0]}, {x[1]}")
        if op == "neg":
            return self.emit(f"fneg {V} {x[0]}")
        if op in ("sin", "cos"):
            if args[0] not in self.angles:
                self.angles[args[0]] = self._sincos(x[0])
            return self.angles[args[0]][op == "cos"]
        if op in _INTRINSIC:
            name = f"@llvm.{_INTRINSIC[op]}.{lanes.suffix}"
            self.declared.add(f"declare {V} {name}({', '.join([V] * len(x))})")
            return self.emit(f"call {V} {name}({', '.join(f'{V} {y}' for y in x)})")
        if op in ("min", "max"):
            closer = self.emit(f"fcmp {'olt' if op == 'min' else 'ogt'} {V} {x[0]}, {x[1]}")
            chosen = self._select(closer, x[0], x[1])  # with the test one instruction of x86, which forgets a NaN in x
            return self._select(self.emit(f"fcmp uno {V} {x[0]}, {lanes.constant(0.0)}"), x[0], chosen)
        if op in ("less", "less_equal"):
            self.bits[k] = self.emit(f"fcmp {'olt' if op == 'less' else 'ole'} {V} {x[0]}, {x[1]}")
            return self._select(self.bits[k], lanes.constant(1.0), lanes.constant(0.0))
        if op == "where":
            bit = self.bits.get(args[0]) or self.emit(f"fcmp une {V} {x[0]}, {lanes.constant(0.0)}")
            return self._select(bit, x[1], x[2])
        if op == "sign":
            zero = lanes.constant(0.0)
            negative = self.emit(f"fcmp olt {V} {x[0]}, {zero}")
            positive = self.emit(f"fcmp ogt {V} {x[0]}, {zero}")
            return self._select(positive, lanes.constant(1.0), self._select(negative, lanes.constant(-1.0), x[0]))
        return self._library(op, x)

    def _fused(self, op: str, args: tuple[int, ...]) -> str:
        """x y + z, x y − z or z − x y, rounded once."""
        V = self.lanes.double
        first = self.values[args[0]] == ""
        product, other = (args[0], args[1]) if first else (args[1], args[0])
        a, b = (self.values[i] for i in self.program.instructions[product].args)
        z = self.values[other]
        if op == "sub" and first:
            z = self.emit(f"fneg {V} {z}")
        elif op == "sub":
            a = self.emit(f"fneg {V} {a}")
        return self.lanes.fma(self.emit, a, b, z)

    def _select(self, bit: str, a: str, b: str) -> str:
        return self.emit(f"select {self.lanes.bit} {bit}, {self.lanes.double} {a}, {self.lanes.double} {b}")

    def _sincos(self, x: str) -> tuple[str, str]:
        V, lanes = self.lanes.double, self.lanes
        self.declared.add(f"declare {V} @llvm.fabs.{lanes.suffix}({V})")
        size = self.emit(f"call {V} @llvm.fabs.{lanes.suffix}({V} {x})")
        if lanes.width > 1 and not self.careful:
            # starting from 0, so that a NaN is never kept: its row may have far angles too
            farthest = self.farthest or lanes.constant(0.0)
            larger = self.emit(f"fcmp ogt {V} {size}, {farthest}")
            self.farthest = self._select(larger, size, farthest)
            return sincos(lanes, self.emit, x)
        far = self.emit(f"fcmp ogt {V} {size}, {lanes.constant(FAR)}")
        if lanes.width > 1:
            far = self._any(far)
        n = self.blocks
        self.blocks += 1
        self.lines.append(f"  br i1 {far}, label %far{n}, label %near{n}, !prof !0")
        self.lines.append(f"far{n}:")
        far_pair = self._library("sin", [x]), self._library("cos", [x])
        self.lines.append(f"  br label %after{n}")
        self.lines.append(f"near{n}:")
        near_pair = sincos(lanes, self.emit, x)
        self.lines.append(f"  br label %after{n}")
        self.lines.append(f"after{n}:")
        s, c = (self.emit(f"phi {V} [{a}, %far{n}], [{b}, %near{n}]") for a, b in zip(far_pair, near_pair, strict=True))
        return s, c

    def _library(self, op: str, x: list[str]) -> str:
        """A function of the C library, lane by lane."""
        V, width = self.lanes.double, self.lanes.width
        self.declared.add(f"declare double @{op}({', '.join(['double'] * len(x))})")
        if width == 1:
            return self.emit(f"call double @{op}({', '.join(f'double {y}' for y in x)})")
        result = "poison"
        for lane in range(width):
            entries = [self.emit(f"extractelement {V} {y}, i32 {lane}") for y in x]
            value = self.emit(f"call double @{op}({', '.join(f'double {y}' for y in entries)})")
            result = self.emit(f"insertelement {V} {result}, double {value}, i32 {lane}")
        return result

    # rows in memory

    def _pointers(self, argument: int) -> list[str]:
        """The addresses of the rows of an argument."""
        base = self.emit(f"load ptr, ptr {self.emit(f'getelementptr ptr, ptr %args, i64 {argument}')}")
        rows = [base]
        if self.lanes.width > 1:
            step = self.emit(f"load i64, ptr {self.emit(f'getelementptr i64, ptr %steps, i64 {argument}')}")
            for _ in range(self.lanes.width - 1):
                rows.append(self.emit(f"getelementptr i8, ptr {rows[-1]}, i64 {step}"))
        return rows

    def _load(self, argument: int, slot: Slot) -> list[str]:
        """A vector of lanes for every entry of a row."""
        rows, W = self._pointers(argument), self.lanes.width
        if W == 1:
            entries = [self.emit(f"getelementptr double, ptr {rows[0]}, i64 {k}") for k in range(slot.size)]
            return [self.emit(f"load double, ptr {entry}, align 8") for entry in entries]
        columns: list[str] = []
        while len(columns) < slot.size:
            left = slot.size - len(columns)
            size = next(size for size in (4, 2, 1) if size <= min(left, W))
            start = len(columns)
            if left == 3 and slot.size >= 4 and W >= 4:
                start, size = slot.size - 4, 4
            turned = self._transposed([self._joined(rows[i::size], start, size) for i in range(size)])
            columns += turned[len(columns) - start :]
        return columns

    def _joined(self, rows: list[str], start: int, size: int) -> str:
        """Entries of several rows, one after the other in a register."""
        kind = f"<{size} x double>"
        parts = []
        for row in rows:
            address = self.emit(f"getelementptr double, ptr {row}, i64 {start}")
            parts.append(self.emit(f"load {kind}, ptr {address}, align 8"))
        while len(parts) > 1:
            indices = ", ".join(f"i32 {k}" for k in range(2 * size))
            parts = [
                self.emit(f"shufflevector <{size} x double> {a}, <{size} x double> {b}, <{2 * size} x i32> <{indices}>")
                for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
            size *= 2
        return parts[0]

    def _store(self, argument: int, cleared: bool) -> None:
        """Every entry of one row, or every one that is not zero there already."""
        (row,) = self._pointers(argument)
        for k, value in enumerate(self._results(argument)):
            if cleared and self._is_zero(value):
                continue
            address = self.emit(f"getelementptr double, ptr {row}, i64 {k}")
            self.lines.append(f"  store double {self.values[value]}, ptr {address}, align 8")
            self.seams.append(len(self.lines))

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
        count = len(self._results(argument))
        for row in self._rows_of(argument):
            self.lines.append(f"  call void @clear(ptr {row}, i64 {count // 4 * 32})")
            for k in range(count // 4 * 4, count):
                address = self.emit(f"getelementptr double, ptr {row}, i64 {k}")
                self.lines.append(f"  store double {Lanes(1).constant(0.0)}, ptr {address}, align 8")

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
        large = 8 * W * sum(slot.size for slot in self.program.outputs) > _NEAR_CACHE
        for number, results in enumerate(self.program.results, len(self.program.inputs)):
            start, n = 0, len(results)
            while start < n:
                size = next(size for size in (4, 2, 1) if size <= min(n - start, W))
                if n - start == 3 and n >= 4 and W >= 4:
                    start, size = n - 4, 4  # one entry is stored twice
                some = results[start : start + size]
                last = len(self.program.instructions) - 1 if large or number in sparse else max(some)
                if number not in sparse or not all(map(self._is_zero, some)):
                    found.setdefault(last, []).append((number, start, size))
                start += size
        return found

    def _store_block(self, argument: int, start: int, size: int) -> None:
        """Some columns of results, to the rows of this argument."""
        W, V = self.lanes.width, self.lanes.double
        columns = [self.values[value] for value in self._results(argument)[start : start + size]]
        turned = self._transposed(columns)
        for lane, row in enumerate(self._rows_of(argument)):
            address = self.emit(f"getelementptr double, ptr {row}, i64 {start}")
            first = lane // size * size
            source = turned[lane % size]
            if size == 1:
                piece = f"double {self.emit(f'extractelement {V} {source}, i32 {lane}')}"
            elif size == W:
                piece = f"{V} {source}"
            else:
                indices = ", ".join(f"i32 {first + k}" for k in range(size))
                cut = self.emit(f"shufflevector {V} {source}, {V} poison, <{size} x i32> <{indices}>")
                piece = f"<{size} x double> {cut}"
            self.lines.append(f"  store {piece}, ptr {address}, align 8")

    def _transposed(self, rows: list[str]) -> list[str]:
        """n registers: their n × n blocks transposed, each by itself, in log₂ n rounds of exchanges."""
        n, W, V = len(rows), self.lanes.width, self.lanes.double
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


def batches_text(program: Program, width: int, fused: bool, processor: str) -> str:
    """The LLVM module for batches of a program: ``lanes`` of ``width`` rows in ``loop``, which is exported.

    Rows that lanes leave aside go through the row's own code, whose address is read from ``row_at`` at each call: it
    need not be there before.
    """
    return _module(StraightBody(program, width, fused), width, [COPY, _ELSEWHERE, loop_text(program, width, processor)])


def row_text(program: Program, width: int, fused: bool) -> str:
    """The LLVM module for single rows of a program; batches have ``width`` lanes: exports ``entry`` and ``row``."""
    return _module(StraightBody(program, 1, fused), width, [_ROW, DECLARATIONS, entry_text(program)])


_ELSEWHERE = """
@row_at = external global ptr
define internal i1 @single(ptr %args, ptr %steps) #1 {
  %row = load ptr, ptr @row_at
  call void %row(ptr %args, ptr %steps)
  ret i1 0
}
"""

_ROW = """
define void @row(ptr %args, ptr %steps) #1 {
  %far = call i1 @single(ptr %args, ptr %steps)
  ret void
}
"""


def _module(body: StraightBody, width: int, functions: list[str]) -> str:
    text = body.text()
    V, suffix = body.lanes.double, body.lanes.suffix
    declared = {*body.declared, f"declare {V} @llvm.fma.{suffix}({V}, {V}, {V})"}
    declared |= {"declare ptr @malloc(i64)", "declare void @free(ptr)"}
    bits = width * 64
    attributes = (
        f'attributes #0 = {{ noinline nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}'
    )
    return "\n".join(
        [
            *sorted(declared),
            lengths_text(body.program),
            text,
            CLEAR,
            *functions,
            attributes,
            "attributes #1 = { noinline nounwind }",
            '!0 = !{!"branch_weights", i32 1, i32 100000}',
            '!1 = !{!"branch_weights", i32 100000, i32 1}',
        ]
    )
