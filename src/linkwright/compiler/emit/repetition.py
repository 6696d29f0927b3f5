"""A repetition as LLVM IR: a loop around the instructions of one step, with states in registers.

Lanes stop individually: results of a row that has stopped are discarded, so that its states equal those of a single row
bit by bit. The loop ends when all rows have stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.compiler.emit.steps_on_lanes import Counts, emit_together, lanes_of
from linkwright.compiler.emit.tables import memory
from linkwright.compiler.ir.program import Program, Steps

if TYPE_CHECKING:
    from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter


def emit_repeat(
    body: ArithmeticEmitter,
    steps: Steps,
    start: list[str],
    fixed: list[str],
    counts: frozenset[tuple[int, int]],
    wholes: dict[tuple[int, ...], str],
    own: Counts,
) -> list[str]:
    """Write the loop; the names of the states at the end, of the number of steps, of where the kept ones are.

    ``counts``: the inputs of a step that count; ``wholes``: such as are known as whole numbers; ``own``: those that
    count in each lane on its own. States that are rows
    stay where they are in memory: in a loop that lanes leave one by one, a step itself adds nothing (−0) to them for a
    row that has stopped.
    """
    if steps.count == 1 and steps.stops and not steps.keep:
        return _emit_once(body, steps, start, fixed, counts, wholes, own)
    if width := lanes_of(body, steps, start):
        return emit_together(body, width, steps, start, fixed, counts, wholes)
    lanes, program = body.lanes, steps.program
    V, W, bit = lanes.number, lanes.width, lanes.bit
    n = body.block()
    watched = W > 1 and not body.careful  # the largest angle is carried along
    kept = memory(body, steps.rows * steps.size) if steps.rows else ""

    body.lines += [f"  br label %enter{n}", f"enter{n}:", f"  br label %head{n}", f"head{n}:"]
    body.lines.append(f"  %k{n} = phi i64 [0, %enter{n}], [%next{n}, %again{n}]")
    state = [x if x in body.places else f"%s{n}.{i}" for i, x in enumerate(start)]
    phis = len(body.lines)  # written when what comes round is known
    body.lines += [";"] * (steps.size + 3)
    before = body.farthest or lanes.constant(0.0)
    if watched:
        body.farthest = f"%far{n}"
    body.lines.append(f"  %more{n} = icmp slt i64 %k{n}, {steps.count}")
    step = body.inside(program, [[f"%step{n}"], state, fixed], counts, {**wholes, (0, 0): f"%k{n}"}, own)
    body.lines.append(f"  br i1 %more{n}, label %body{n}, label %{'left' if watched else 'exit'}{n}")
    body.lines.append(f"body{n}:")
    if any(op == "input" and args == (0, 0) for op, args, _ in program.instructions):
        _count(body, n)
    left = f"[%far{n}, %head{n}]"
    if steps.stops:
        (condition,) = program.results[1]
        step.compute(needed_for(program, condition))
        stop = body.bit(condition)
        go = body.emit(f"select {bit} {stop}, {bit} {lanes.everywhere(False)}, {bit} %going{n}")
        some = body.any_of(go)
        body.lines += [f"  br label %condition{n}", f"condition{n}:"]
        body.lines.append(f"  br i1 {some}, label %work{n}, label %{'left' if watched else 'exit'}{n}")
        body.lines.append(f"work{n}:")
        left += f", [{body.farthest}, %condition{n}]"
    step.compute(range(len(program.instructions)))
    after = [step.values[k] for k in program.results[0]]
    if steps.stops:
        after = [
            y if y in body.places else body.emit(f"select {bit} {go}, {V} {x}, {V} {y}")
            for x, y in zip(after, state, strict=True)
        ]
        one = body.emit(f"select {bit} {go}, {V} {lanes.constant(1.0)}, {V} {lanes.constant(0.0)}")
        taken = body.emit(f"fadd {V} %taken{n}, {one}")
        body.lines[phis + steps.size] = (
            f"  %taken{n} = phi {V} [{lanes.constant(0.0)}, %enter{n}], [{taken}, %again{n}]"
        )
        first = lanes.everywhere(True)
        body.lines[phis + steps.size + 1] = f"  %going{n} = phi {bit} [{first}, %enter{n}], [{go}, %again{n}]"
    step.leave()
    if kept:
        _keep(body, steps, n, kept, after)
    body.lines += [f"  br label %latch{n}", f"latch{n}:"]
    polls = body.polls and long_steps(steps)
    if polls:
        _poll(body, steps, n)
    else:
        body.lines += [f"  %next{n} = add i64 %k{n}, 1", f"  br label %again{n}"]
    body.lines += [f"again{n}:", f"  br label %head{n}"]
    for i, (x, y) in enumerate(zip(start, after, strict=True)):
        if x in body.places:
            continue
        body.lines[phis + i] = f"  {state[i]} = phi {V} [{x}, %enter{n}], [{y}, %again{n}]"
    if watched:
        body.lines[phis + steps.size + 2] = f"  %far{n} = phi {V} [{before}, %enter{n}], [{body.farthest}, %again{n}]"
        body.lines += [f"left{n}:", f"  %farthest{n} = phi {V} {left}", f"  br label %exit{n}"]
        body.farthest = f"%farthest{n}"
    body.lines.append(f"exit{n}:")
    if polls and body.within:  # the work since the last poll, for the loops around it
        rest = body.emit(f"and i64 %k{n}, {_steps_between(steps) - 1}")
        body.emit(f"call i1 @poll_signals(i64 {body.emit(f'mul i64 {rest}, {work(steps.program)}')})")
    if kept and steps.stops:
        _fill(body, steps, n, kept, state)
    return [*state, f"%taken{n}" if steps.stops else lanes.constant(float(steps.count)), kept]


def _emit_once(
    body: ArithmeticEmitter,
    steps: Steps,
    start: list[str],
    fixed: list[str],
    counts: frozenset[tuple[int, int]],
    wholes: dict[tuple[int, ...], str],
    own: Counts,
) -> list[str]:
    """A single step that may be left out: a branch instead of a loop."""
    lanes, program = body.lanes, steps.program
    V, W, bit = lanes.number, lanes.width, lanes.bit
    n, before = body.block(), body.farthest
    step = body.inside(program, [[lanes.constant(0.0)], start, fixed], counts, wholes, own)
    (condition,) = program.results[1]
    step.compute(needed_for(program, condition))
    go = body.emit(f"xor {bit} {body.bit(condition)}, {lanes.everywhere(True)}")
    some = body.any_of(go)
    body.lines += [
        f"  br label %condition{n}",
        f"condition{n}:",
        f"  br i1 {some}, label %work{n}, label %exit{n}",
        f"work{n}:",
    ]
    step.compute(range(len(program.instructions)))
    after = [step.values[k] for k in program.results[0]]
    if W > 1:
        after = [
            y if y in body.places else body.emit(f"select {bit} {go}, {V} {x}, {V} {y}")
            for x, y in zip(after, start, strict=True)
        ]
    taken = body.emit(f"select {bit} {go}, {V} {lanes.constant(1.0)}, {V} {lanes.constant(0.0)}")
    step.leave()
    body.lines += [f"  br label %done{n}", f"done{n}:", f"  br label %exit{n}", f"exit{n}:"]

    def either(otherwise: str, done: str) -> str:
        return (
            otherwise
            if otherwise == done or otherwise in body.places
            else body.emit(f"phi {V} [{otherwise}, %condition{n}], [{done}, %done{n}]")
        )

    found = [either(x, y) for x, y in zip([*start, lanes.constant(0.0)], [*after, taken], strict=True)]
    if body.farthest != before:
        assert body.farthest is not None
        body.farthest = either(before or lanes.constant(0.0), body.farthest)
    return [*found, ""]


def work(program: Program) -> int:
    """Roughly how many instructions a program takes, of lanes or of a single row."""
    count = program.operations
    return count.total + 30 * count.sincos + 10 * (count.divisions + count.square_roots + count.other)


def longest_step(program: Program) -> int:
    """Return the work of one step of the longest repetition that may stop; of the whole program without one."""
    found = [value for op, _, value in program.instructions if op == "repeat" and value.stops]
    return max((work(steps.program) for steps in found), default=work(program))


_LONG = 2**26
"""Work of a repetition, at most, from which it looks whether to stop: some thirty milliseconds."""

_BETWEEN = 2**22
"""Work between two looks."""


def long_steps(steps: Steps) -> bool:
    """Return whether a repetition may be so long that interrupts must be checked."""
    return steps.count * work(steps.program) > _LONG


def is_long(program: Program) -> bool:
    """Return whether a program has such repetitions."""
    return any(op == "repeat" and long_steps(value) for op, _, value in program.instructions)


def _steps_between(steps: Steps) -> int:
    """After how many steps a repetition looks whether to stop, a power of two; each time if one may within a step."""
    if is_long(steps.program):
        return 1
    return 1 << max(0, (_BETWEEN // max(1, work(steps.program))).bit_length() - 1)


def emit_poll(body: ArithmeticEmitter, steps: Steps, name: str, count: str, stop: str, on: str) -> None:
    """Branch to the label ``stop`` on an interrupt, else to ``on``.

    Checks are after powers of two of ``count`` steps first. Long repetitions within a step check interrupts themselves.
    """
    between = _steps_between(steps)
    interval = 1 if is_long(steps.program) else between * work(steps.program)
    due = body.emit(f"icmp eq i64 {body.emit(f'and i64 {count}, {between - 1}')}, 0")
    body.lines += [f"  br i1 {due}, label %{name}, label %{on}, !prof !0", f"{name}:"]
    halt = body.emit(f"call i1 @poll_signals(i64 {interval})")
    body.lines.append(f"  br i1 {halt}, label %{stop}, label %{on}, !prof !0")


def _poll(body: ArithmeticEmitter, steps: Steps, n: int) -> None:
    """The number of the next step; after the last one, if it is time to stop."""
    body.lines.append(f"  %up{n} = add i64 %k{n}, 1")
    emit_poll(body, steps, f"poll{n}", f"%up{n}", f"halt{n}", f"on{n}")
    body.lines += [f"halt{n}:", f"  br label %on{n}", f"on{n}:"]
    body.lines.append(f"  %next{n} = phi i64 [%up{n}, %latch{n}], [%up{n}, %poll{n}], [{steps.count}, %halt{n}]")
    body.lines.append(f"  br label %again{n}")


def needed_for(program: Program, *values: int) -> list[int]:
    """The numbers of all values that these depend on, and their own."""
    found, rest = set(values), list(values)
    while rest:
        op, args, _ = program.instructions[rest.pop()]
        new = [a for a in args if a not in found] if op != "input" else []
        found.update(new)
        rest += new
    return sorted(found)


def _count(body: ArithmeticEmitter, n: int) -> None:
    """The number of steps before, in every lane."""
    V, W = body.lanes.number, body.lanes.width
    if W == 1:
        body.lines.append(f"  %step{n} = sitofp i64 %k{n} to {body.lanes.scalar}")
        return
    one = body.emit(f"sitofp i64 %k{n} to {body.lanes.scalar}")
    first = body.emit(f"insertelement {V} poison, {body.lanes.scalar} {one}, i32 0")
    body.lines.append(f"  %step{n} = shufflevector {V} {first}, {V} poison, <{W} x i32> zeroinitializer")


def _store(body: ArithmeticEmitter, steps: Steps, kept: str, row: str, states: list[str]) -> None:
    V = body.lanes.number
    place = body.emit(f"mul i64 {row}, {steps.size}")
    base = body.emit(f"getelementptr {V}, ptr {kept}, i64 {place}")
    for i, x in enumerate(states):
        if x in body.places:
            continue
        address = body.emit(f"getelementptr {V}, ptr {base}, i64 {i}")
        body.lines.append(f"  store {V} {x}, ptr {address}, align {body.lanes.alignment}")


def _keep(body: ArithmeticEmitter, steps: Steps, n: int, kept: str, after: list[str]) -> None:
    """The states of this step, if it is one of those that are kept."""
    if steps.keep > 1:
        rest = body.emit(f"urem i64 %k{n}, {steps.keep}")
        due = body.emit(f"icmp eq i64 {rest}, {steps.keep - 1}")
        body.lines += [f"  br i1 {due}, label %keep{n}, label %latch{n}", f"keep{n}:"]
    _store(body, steps, kept, body.emit(f"udiv i64 %k{n}, {steps.keep}"), after)


def _fill(body: ArithmeticEmitter, steps: Steps, n: int, kept: str, state: list[str]) -> None:
    """The states at the end in all rows that are kept after it."""
    done = body.emit(f"udiv i64 %k{n}, {steps.keep}")
    body.lines += [f"  br label %filled{n}", f"filled{n}:"]
    body.lines.append(f"  %row{n} = phi i64 [{done}, %exit{n}], [%row{n}.next, %fill{n}]")
    body.lines.append(f"  %left{n}.over = icmp slt i64 %row{n}, {steps.rows}")
    body.lines += [f"  br i1 %left{n}.over, label %fill{n}, label %full{n}", f"fill{n}:"]
    _store(body, steps, kept, f"%row{n}", state)
    body.lines += [f"  %row{n}.next = add i64 %row{n}, 1", f"  br label %filled{n}", f"full{n}:"]
