"""Batches of functions with a loop that stops by a condition: a lane whose row has stopped takes the next row.

The code before the loop is evaluated for some hundred rows, W at once, and stored in *records*. In the loop a lane that
has finished stores its states in its row's record and loads those of the next row, so that slow rows do not delay fast
ones. The code after the loop is evaluated from the records, again W rows at once and in order. The arithmetic of each
row is that of a single row.

W records are interleaved, entry by entry, each entry a register: the states, the number of steps, the largest angle so
far, and values from before the loop that are used in the loop or after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter
from linkwright.compiler.emit.repetition import emit_poll, is_long, long_steps, needed_for, work
from linkwright.compiler.emit.rows import copy_text, emit_contiguous, loop_text, pass_text
from linkwright.compiler.emit.straight import ELSEWHERE, StraightLineEmitter, module_text
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import Program, Steps
from linkwright.compiler.native.machine import Target

_MOST_BLOCKS = 64
"""Blocks of W rows under way at once."""

_MOST_DOUBLES = 16 * 1024
"""Their records, at most, so that they stay in the nearer caches."""

_CHANGE, _ENTRY = 150, 25
"""Cost of a change of rows, and of each entry of a record (measured), in the units of :func:`work`."""


class RefillParts(NamedTuple):
    """A program around one of its repetitions."""

    value: int
    """of the repetition"""
    steps: Steps
    before: frozenset[int]
    """values that it is computed from"""
    after: frozenset[int]
    """values computed from its results, or for the program's alone"""
    carried: tuple[int, ...]
    """values computed before that are needed after"""
    fixed: tuple[int, ...]
    """what a step takes from before the loop: numbers, and rows of constants, which no record holds"""
    rows: frozenset[int]
    """those rows"""

    @property
    def changing(self) -> int:
        """Entries of a record that the loop changes."""
        return self.steps.size + 2

    @property
    def moved(self) -> int:
        """Entries that the loop reads."""
        return self.changing + len(self.fixed) - len([k for k in self.fixed if k in self.rows])

    @property
    def record(self) -> int:
        """All entries of a record."""
        return self.moved + len(self.carried)

    def chunk(self, width: int) -> int:
        """Return the number of rows in progress."""
        return width * max(4, min(_MOST_BLOCKS, _MOST_DOUBLES // (self.record * width)))


def parts(program: Program) -> RefillParts | None:
    """The program around the loop whose rows are to be refilled, if there is one worth it.

    It is worth it where one step takes longer than a lane's change of rows: then rows that all take the same few steps
    lose little, and rows of different lengths gain up to what the longest of W rows is over the mean.
    """
    found = [
        k
        for k, (op, _, steps) in enumerate(program.instructions)
        if op == "repeat" and steps.stops and steps.count > 1 and not steps.keep
    ]
    if not found or program.tables:
        return None
    value = max(found, key=lambda k: program.instructions[k].value.count * work(program.instructions[k].value.program))
    split = _split(program, value)
    args = program.instructions[value].args
    if any(k in program.rows and not _is_constant(program, k) for k in (*args, *split.carried)):
        return None  # which no record holds
    return split if work(split.steps.program) > _CHANGE + _ENTRY * split.record else None


def _split(program: Program, value: int) -> RefillParts:
    code = program.instructions
    before = set(needed_for(program, *code[value].args))
    after: set[int] = set()
    carried: set[int] = set()
    rest = [k for numbers in program.results for k in numbers]
    while rest:
        k = rest.pop()
        op, args, _ = code[k]
        if k in after or k == value:
            continue
        if op == "item" and args[0] in before:
            before.add(k)
        if k in before and op not in ("input", "constant", "numbers", "array", "part"):
            carried.add(k)
            continue
        after.add(k)
        if op != "input":
            rest += args
    steps: Steps = code[value].value
    fixed = code[value].args[steps.size :]
    rows = program.rows.intersection(fixed)
    return RefillParts(value, steps, frozenset(before), frozenset(after), tuple(sorted(carried)), fixed, rows)


def _is_constant(program: Program, k: int) -> bool:
    """Return whether a value is a row of constants, or a part of one."""
    op, args, _ = program.instructions[k]
    return op == "numbers" or (op == "part" and _is_constant(program, args[0]))


class _RecordBlock:
    """Address of a block of records in the code of a body."""

    def __init__(self, body: ArithmeticEmitter, place: str):
        self.body, self.place = body, place

    def _address(self, entry: int) -> str:
        return self.body.emit(f"getelementptr {self.body.lanes.number}, ptr {self.place}, i64 {entry}")

    def load(self, entry: int) -> str:
        """An entry of W rows."""
        lanes = self.body.lanes
        return self.body.emit(f"load {lanes.number}, ptr {self._address(entry)}, align {lanes.alignment}")

    def store(self, first: int, values: Iterable[str]) -> None:
        """Entries of W rows."""
        lanes = self.body.lanes
        for entry, value in enumerate(values, first):
            address = self._address(entry)
            self.body.lines.append(f"  store {lanes.number} {value}, ptr {address}, align {lanes.alignment}")
            self.body.seam()


class _BeforeRepetition(StraightLineEmitter):
    """From arguments to records."""

    def __init__(self, program: Program, width: int, target: Target, split: RefillParts):
        super().__init__(program, width, target)
        self.split = split

    def text(self) -> str:
        split, program = self.split, self.program
        self.lines += ["start:", ";"]
        self.columns = [self._load(number, slot) for number, slot in enumerate(program.inputs)]
        for k in sorted(split.before):
            self.evaluate(k)
            self.seam()
        states = [self.values[a] for a in program.instructions[split.value].args[: split.steps.size]]
        fixed = [self.values[k] for k in split.fixed if k not in split.rows]
        zero = self.lanes.constant(0.0)
        carried = (self.values[k] for k in split.carried)
        _RecordBlock(self, "%record").store(0, [*states, zero, self.farthest or zero, *fixed, *carried])
        self.lines += [*self.epilogue, "  ret i1 0"]
        return self._function("i1", "before", "ptr noalias %args, ptr noalias %steps, ptr noalias %record")


class _AfterRepetition(StraightLineEmitter):
    """From records, and arguments, to results."""

    name, more = "after", ", ptr noalias %record"

    def __init__(self, program: Program, width: int, target: Target, split: RefillParts):
        super().__init__(program, width, target)
        self.split = split
        self.records = _RecordBlock(self, "%record")
        self.first = {k: split.moved + i for i, k in enumerate(split.carried)}

    def evaluate(self, k: int) -> None:
        split = self.split
        if k == split.value:
            *states, taken, self.farthest = (self.records.load(entry) for entry in range(split.changing))
            self.results[k] = [*states, taken, ""]
        elif k in self.first:
            self.values[k] = self.records.load(self.first[k])
        elif k in split.after:
            super().evaluate(k)


class _RepetitionLoop(ArithmeticEmitter):
    """The loop over the steps of all rows of a chunk: W at once, each lane's row followed by the next one.

    ``now``: memory for a block of records, of the rows that are in the lanes.
    """

    def __init__(self, program: Program, width: int, target: Target, split: RefillParts):
        super().__init__(program, width, target)
        self.split = split
        self.polls = True

    def text(self) -> str:
        split, lanes = self.split, self.lanes
        V, W, N, bit = lanes.number, lanes.width, f"<{lanes.width} x i64>", lanes.bit
        steps, changing = split.steps, split.changing
        program = steps.program
        moved = split.moved
        self.prologue = [f"  %rows_of = alloca {N}, align {8 * W}", "  %next_row = alloca i64"]
        self.declared.add("declare i64 @llvm.cttz.i64(i64, i1)")
        self.lines += ["start:", ";", *_first_rows(W, lanes.scalar), "head:"]
        rows_of = self.emit(f"load {N}, ptr %rows_of, align {8 * W}")
        active = self.emit(f"icmp sge {N} {rows_of}, splat (i64 0)")
        active_bits = self.emit(f"bitcast {bit} {active} to i{W}")
        waiting = self.emit("load i64, ptr %next_row")
        wait = self.emit(f"icmp slt i64 {waiting}, %rows")
        some = self.emit(f"icmp ne i{W} {active_bits}, 0")
        self.lines += [f"  br i1 {some}, label %load, label %done", "load:"]
        now = _RecordBlock(self, "%now")
        loaded = [now.load(entry) for entry in range(moved)]
        polls = long_steps(steps)
        self.lines += ["  br label %turn", "turn:"]
        if polls:
            self.lines.append("  %turns = phi i64 [0, %load], [%turns1, %again]")
        names = [*(f"%state.{k}" for k in range(steps.size)), "%taken", "%farther"]
        phis = len(self.lines)
        self.lines += [";"] * changing
        *state, taken, self.farthest = names
        counts = frozenset((2, i) for i, k in enumerate(split.fixed) if k in split.rows and k in self.counting)
        step = self.inside(program, [[taken], state, self._fixed(loaded[changing:])], counts)
        (condition,) = program.results[1]
        step.compute(needed_for(program, condition))
        over = self.emit(f"fcmp oge {V} {taken}, {lanes.constant(float(steps.count))}")
        ended = self.emit(f"or {bit} {self.bit(condition)}, {over}")
        ended = self.emit(f"and {bit} {ended}, {active}")
        bits = self.emit(f"bitcast {bit} {ended} to i{W}")
        free = self.emit(f"icmp ne i{W} {bits}, 0")
        all_ended = self.emit(f"icmp eq i{W} {bits}, {active_bits}")
        leave = self.emit(f"or i1 {self.emit(f'and i1 {free}, {wait}')}, {all_ended}")
        at_end = [*state, taken, self.farthest]
        self.lines += [f"  br i1 {leave}, label %out, label %on", "on:"]
        going = self.emit(f"and {bit} {active}, {self.emit(f'xor {bit} {ended}, splat (i1 true)')}")
        step.compute(range(len(program.instructions)))
        after = [step.values[k] for k in program.results[0]]
        after = [self._select(going, x, y) for x, y in zip(after, state, strict=True)]
        one = self._select(going, lanes.constant(1.0), lanes.constant(0.0))
        after += [self.emit(f"fadd {V} {taken}, {one}"), self.farthest]
        step.leave()
        if polls:
            self.lines += ["  %turns1 = add i64 %turns, 1"]
            emit_poll(self, steps, "poll", "%turns1", "done", "again")
        else:
            self.lines.append("  br label %again")
        self.lines += ["again:", "  br label %turn", "out:"]
        for k, (name, x, y) in enumerate(zip(names, loaded, after, strict=False)):
            self.lines[phis + k] = f"  {name} = phi {V} [{x}, %load], [{y}, %again]"
        now.store(0, at_end)
        self.lines += [f"  %bits = zext i{W} {bits} to i64", *_next_rows(W, split.record, lanes.scalar)]
        self.lines += ["done:", *self.epilogue, "  ret void"]
        return self._function("void", "during", "ptr noalias %records, i64 %rows, ptr noalias %now")

    def _fixed(self, loaded: list[str]) -> list[str]:
        """Load values from before the loop: constants in memory, and values of the record."""
        split, numbers = self.split, iter(loaded)
        for k in needed_for(self.program, *split.rows):
            self.compute(k, self.program.instructions[k])
        return [self.values[k] if k in split.rows else next(numbers) for k in split.fixed]


def _first_rows(W: int, scalar: str) -> list[str]:
    """The first rows put into lanes; where there are fewer, the others hold the first one, and no number of a row."""
    return f"""
  br label %fill
fill:
  %f = phi i64 [0, %start], [%f1, %fill]
  %f.there = icmp slt i64 %f, %rows
  %f.row = select i1 %f.there, i64 %f, i64 -1
  %f.lane = select i1 %f.there, i64 %f, i64 0
  %f.from = getelementptr {scalar}, ptr %records, i64 %f.lane
  %f.to = getelementptr {scalar}, ptr %now, i64 %f
  call void @take(ptr %f.from, ptr %f.to)
  %f.place = getelementptr i64, ptr %rows_of, i64 %f
  store i64 %f.row, ptr %f.place
  %f1 = add i64 %f, 1
  %f.more = icmp slt i64 %f1, {W}
  br i1 %f.more, label %fill, label %filled
filled:
  store i64 {W}, ptr %next_row
  br label %head
""".strip("\n").split("\n")


def _next_rows(W: int, record: int, scalar: str) -> list[str]:
    """Emit the change of rows of finished lanes, given by ``%bits``: store their states and load the next rows."""

    def place(name: str, row: str) -> str:
        """Where a row's record begins."""
        return f"""
  %{name}.block = udiv i64 {row}, {W}
  %{name}.lane = urem i64 {row}, {W}
  %{name}.first = mul i64 %{name}.block, {W * record}
  %{name}.entry = add i64 %{name}.first, %{name}.lane
  %{name} = getelementptr {scalar}, ptr %records, i64 %{name}.entry""".strip("\n")

    return f"""
  br label %through
through:
  br label %each
each:
  %left = phi i64 [%bits, %through], [%rest, %changed]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 1)
  %place = getelementptr i64, ptr %rows_of, i64 %lane
  %row = load i64, ptr %place
  %here = getelementptr {scalar}, ptr %now, i64 %lane
{place("ended", "%row")}
  call void @give(ptr %here, ptr %ended)
  %following = load i64, ptr %next_row
  %there = icmp slt i64 %following, %rows
  br i1 %there, label %take, label %idle
take:
{place("started", "%following")}
  call void @take(ptr %started, ptr %here)
  %next_one = add i64 %following, 1
  store i64 %next_one, ptr %next_row
  br label %changed
idle:
  br label %changed
changed:
  %new_row = phi i64 [%following, %take], [-1, %idle]
  store i64 %new_row, ptr %place
  %less = sub i64 %left, 1
  %rest = and i64 %left, %less
  %others = icmp ne i64 %rest, 0
  br i1 %others, label %each, label %head
""".strip("\n").split("\n")


_WRITTEN_OUT = 64
"""Entries that are moved one by one rather than by a loop."""


def _move_text(name: str, scalar: str, width: int, entries: int) -> str:
    """Return ``name(from, to)``: copies entries of one record to another."""
    code = FunctionBuilder()
    code.lines.append(f"define internal void @{name}(ptr %from, ptr %to) #1 {{")
    code.do("start:")
    many = entries > _WRITTEN_OUT
    if many:
        code.do("br label %next")
        code.do("next:")
        k = code.emit("phi i64 [0, %start], [%k1, %next]")
        at = code.emit(f"mul i64 {k}, {width}")
    for entry in range(1 if many else entries):
        place = at if many else str(entry * width)
        x = code.emit(f"load {scalar}, ptr {code.item(scalar, '%from', place)}")
        code.do(f"store {scalar} {x}, ptr {code.item(scalar, '%to', place)}")
    if many:
        code.do(f"%k1 = add i64 {k}, 1")
        code.do(f"br i1 {code.emit(f'icmp slt i64 %k1, {entries}')}, label %next, label %end")
        code.do("end:")
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


def _chunks_text(program: Program, width: int, split: RefillParts) -> str:
    """``batch(args, dims, steps)``: chunk after chunk."""
    arguments, chunk = len(program.inputs) + len(program.outputs), split.chunk(width)
    code = FunctionBuilder()
    code.lines.append("define internal void @batch(ptr %args, ptr %dims, ptr %steps) #1 {")
    code.do("start:")
    n = code.load("i64", "%dims", 0)
    one = code.emit(f"icmp eq i64 {n}, 1")
    plain = code.emit(f"and i1 {one}, {emit_contiguous(code, program)}")
    code.do(f"br i1 {plain}, label %alone, label %several")
    code.do("alone:")
    code.emit("call i1 @single(ptr %args, ptr %steps)")
    code.do("ret void")
    code.do("several:")
    at, length = code.emit(f"alloca ptr, i64 {arguments}"), code.emit("alloca i64")
    for k in range(arguments):
        code.do(f"store ptr {code.load('ptr', '%args', k)}, ptr {code.item('ptr', at, k)}")
    bytes_of = FORMATS[program.precision].bytes
    size = bytes_of * chunk * split.record
    given = code.emit(f"call ptr @malloc(i64 {size + bytes_of * width * split.moved + 64})")
    records = code.emit(f"call ptr @llvm.ptrmask.p0.i64(ptr {code.item('i8', given, 63)}, i64 -64)")
    now = code.item("i8", records, size)
    code.do("br label %head")
    code.do("head:")
    done = code.emit("phi i64 [0, %several], [%done1, %chunk]")
    left = code.emit(f"sub i64 {n}, {done}")
    code.do(f"br i1 {code.emit(f'icmp sgt i64 {left}, 0')}, label %chunk, label %end")
    code.do("chunk:")
    rows = code.emit(f"select i1 {code.emit(f'icmp slt i64 {left}, {chunk}')}, i64 {left}, i64 {chunk}")
    code.do(f"store i64 {rows}, ptr {length}")
    code.do(f"call void @all_before(ptr {at}, ptr {length}, ptr %steps, ptr {records})")
    code.do(f"call void @during(ptr {records}, i64 {rows}, ptr {now})")
    code.do(f"call void @all_after(ptr {at}, ptr {length}, ptr %steps, ptr {records})")
    for k in range(arguments):
        bytes_ = code.emit(f"mul i64 {code.load('i64', '%steps', k)}, {rows}")
        address = code.emit(f"getelementptr i8, ptr {code.load('ptr', at, k)}, i64 {bytes_}")
        code.do(f"store ptr {address}, ptr {code.item('ptr', at, k)}")
    code.do(f"%done1 = add i64 {done}, {rows}")
    code.do("br label %head")
    code.do("end:")
    code.do(f"call void @free(ptr {given})")
    code.do("ret void")
    code.lines.append("}")
    return "\n".join(code.lines)


def batches_text(program: Program, width: int, target: Target, split: RefillParts) -> str:
    """The LLVM module for batches, as that of `straight.py`."""
    batch = "\n".join(
        [
            pass_text(program, width, "all_before", "before", split.record, stores=False),
            pass_text(program, width, "all_after", "after", split.record),
            _chunks_text(program, width, split),
        ]
    )
    bodies = [kind(program, width, target, split) for kind in (_BeforeRepetition, _RepetitionLoop, _AfterRepetition)]
    bodies[0].declared.add("declare ptr @llvm.ptrmask.p0.i64(ptr, i64)")
    scalar = FORMATS[program.precision].scalar
    moves = [
        _move_text(*one) for one in (("take", scalar, width, split.moved), ("give", scalar, width, split.changing))
    ]
    return module_text(
        bodies,
        [copy_text(program), ELSEWHERE, *moves, loop_text(program, width, target.processor, batch, is_long(program))],
    )
