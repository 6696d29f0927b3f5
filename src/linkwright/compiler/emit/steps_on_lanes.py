"""Independent steps of a single motion on the lanes of vector registers, as LLVM IR.

In a batch, each lane computes another motion. The code of a single motion computes with single numbers, and most
of its time may be loops over tables, such as those over the pairs of shapes of a robot. Where the steps of a loop are
independent (`spatial/loops/repeats.py`, `for_each`), this code takes W of them together, lane l the step k + l:

- A row of numbers of the motion is memory that all lanes share. The lanes read and write different entries of it.
- A *count* is a whole number that follows from the number of the step. That of a batch is the same in all lanes. Here
  it may be an *own count*: a multiple of the lane more in each lane, as k + l, or one number for each lane, as an entry
  of a table of whole numbers. Neighboring entries are one load or one store, others are gathered one by one.
- Numbers from before the loop are copied to all lanes where they are used.
- Other code is that of a batch: a condition that holds in no lane skips its computation.

The last steps are taken together with some before them once more, so that all registers are full: a step that runs
twice does the same. Each lane computes what a single step would compute, bit for bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from linkwright.compiler.emit.instructions.vector_math import Lanes
from linkwright.compiler.emit.tables import Index, RowAddress, emit_index, located, moved, of_each_lane, splat
from linkwright.compiler.ir.program import Program, Steps

if TYPE_CHECKING:
    from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter

LEAST = 4
"""Number of lanes from which they are used."""

Counts = Mapping[tuple[int, int], Index]
"""Inputs of a step that are own counts."""


def lanes_of(body: ArithmeticEmitter, steps: Steps, start: list[str]) -> int:
    """Return the number of steps to take together, a power of two; 0 for a loop of steps one by one."""
    if body.lanes.width > 1 or not steps.independent or not all(x in body.places for x in start):
        return 0
    width = min(body.target.lanes(body.lanes.bytes), 1 << (steps.count.bit_length() - 1)) if steps.count else 0
    return width if width >= LEAST else 0


def emit_together(
    body: ArithmeticEmitter,
    width: int,
    steps: Steps,
    start: list[str],
    fixed: list[str],
    counts: frozenset[tuple[int, int]],
    wholes: dict[tuple[int, ...], str],
) -> list[str]:
    """Write the loop; the arguments and the result are those of `repetition.emit_repeat`."""
    n, lanes = body.block(), Lanes(width, body.lanes.format)
    rest = steps.count % width
    body.lines += [f"  br label %enter{n}", f"enter{n}:", f"  br label %head{n}", f"head{n}:"]
    body.lines.append(f"  %from{n} = phi i64 [0, %enter{n}], [%next{n}, %latch{n}]")
    begin = f"%from{n}"
    if rest:
        over = body.emit(f"icmp sgt i64 {begin}, {steps.count - width}")
        begin = body.emit(f"select i1 {over}, i64 {steps.count - width}, i64 {begin}")
    rows = {name: _shared(body, name) for name in (*start, *fixed) if name in body.places}
    with on_lanes(body, lanes):
        number = _numbers(body, begin)
        inputs = [[number], [rows[x] for x in start], [rows.get(x, x) for x in fixed]]
        own = {(0, 0): Index([begin], "", 0, 1)}
        step = body.inside(steps.program, inputs, counts - {(0, 0)}, wholes, own)
        around = body.fetched

        def fetched(*place: int) -> str:
            x = around(*place)
            return splat(body, x) if place[0] == 2 and x not in body.places else x

        body.fetched = fetched  # type: ignore[method-assign]
        step.compute(range(len(steps.program.instructions)))
        step.leave()
    body.lines += [f"  br label %latch{n}", f"latch{n}:", f"  %next{n} = add i64 %from{n}, {width}"]
    more = body.emit(f"icmp slt i64 %next{n}, {steps.count}")
    body.lines += [f"  br i1 {more}, label %head{n}, label %exit{n}", f"exit{n}:"]
    return [*start, body.lanes.constant(float(steps.count)), ""]


@contextmanager
def on_lanes(body: ArithmeticEmitter, lanes: Lanes) -> Iterator[None]:
    """Write for lanes of one motion: they handle too large angles themselves, and are aligned on the stack."""
    around, careful = body.lanes, body.careful
    body.lanes, body.careful = lanes, True
    body.widest = max(body.widest, lanes, key=lambda one: one.width)
    try:
        yield
    finally:
        body.lanes, body.careful = around, careful


def _shared(body: ArithmeticEmitter, name: str) -> str:
    """Return the name of a row of the motion as the lanes see it."""
    shared = f"{name}.shared"
    body.places[shared] = body.places[name]._replace(kind="shared")
    return shared


def _numbers(body: ArithmeticEmitter, begin: str) -> str:
    """Return the numbers of the steps, one in each lane."""
    lanes = body.lanes
    first = splat(body, body.emit(f"sitofp i64 {begin} to {lanes.scalar}"))
    further = ", ".join(f"{lanes.scalar} {lanes.format.number(float(lane))}" for lane in range(lanes.width))
    return body.emit(f"fadd {lanes.number} {first}, <{further}>")


def own_counts(program: Program, counting: Collection[int], inputs: Collection[tuple[int, int]]) -> frozenset[int]:
    """Return the values that are own counts; ``counting``: those that count in the same way in all lanes.

    ``inputs``: the inputs that are own counts.
    """
    found: set[int] = set()
    if not inputs:
        return frozenset()
    for k, (op, args, _) in enumerate(program.instructions):
        if op == "input":
            if args in inputs:
                found.add(k)
        elif op in ("add", "sub", "mul", "take"):
            own = [a in found for a in args]
            if any(own) and all(one or a in counting for one, a in zip(own, args, strict=True)):
                found.add(k)
    return frozenset(found)


def own_count(body: ArithmeticEmitter, k: int) -> Index:
    """Return an own count, as whole numbers."""
    op, args, _ = body.program.instructions[k]
    if op == "input":
        return body.own_inputs[args[0], args[1]]
    if op == "take":
        row, index = body.places[body.values[args[0]]], emit_index(body, args[1])
        return Index([_entry(body, row, index, one) for one in of_each_lane(body, index)], "")
    x, y = emit_index(body, args[0]), emit_index(body, args[1])
    if op != "mul" and len(x.lanes) == len(y.lanes) == 1:
        sign = 1 if op == "add" else -1
        first = _combined(body, op, x.lanes[0], y.lanes[0])
        return Index([first], "", x.beyond + sign * y.beyond, x.stride + sign * y.stride)
    if op == "mul" and len(x.lanes) == len(y.lanes) == 1:
        constant, other = (x, y) if x.lanes == ["0"] and not x.stride else (y, x)
        if constant.lanes == ["0"] and not constant.stride:
            c = constant.beyond
            return Index([_combined(body, "mul", other.lanes[0], str(c))], "", c * other.beyond, c * other.stride)
    sides = []
    for one in (x, y):
        each = [moved(body, lane, one.beyond) for lane in of_each_lane(body, one)]
        sides.append(each if len(each) > 1 else each * body.lanes.width)
    return Index([_combined(body, op, a, b) for a, b in zip(*sides, strict=True)], "")


def _entry(body: ArithmeticEmitter, row: RowAddress, index: Index, place: str) -> str:
    """Return an entry of a table of whole numbers, for one lane."""
    row = row._replace(first=row.first + row.step * index.beyond)
    x = body.emit(f"load {body.lanes.scalar}, {located(body, row, place)}")
    return body.emit(f"fptosi {body.lanes.scalar} {x} to i64")


def _combined(body: ArithmeticEmitter, op: str, x: str, y: str) -> str:
    """Return a sum, difference or product of whole numbers."""
    if op in ("add", "sub") and y == "0":
        return x
    if op == "add" and x == "0":
        return y
    if op == "mul" and "1" in (x, y):
        return y if x == "1" else x
    return body.emit(f"{op} i64 {x}, {y}")
