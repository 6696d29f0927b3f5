"""A trace as a flat straight-line program: what the interpreter, LLVM and C are all made from."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.expression.graph import Expr, Graph, Repeat
from linkwright.expression.loops.repeats import instead, superseded
from linkwright.expression.operations import HELD, OPERATIONS
from linkwright.expression.order import elements, needed


class ArraySpec(NamedTuple):
    """An argument or a result."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its entries."""
        return math.prod(self.shape)


class Instruction(NamedTuple):
    """Value k of a program is instruction k applied to earlier values."""

    op: str
    """an operation of `expression/operations.py`, "constant" or "input\""""
    args: tuple[int, ...]
    """numbers of values; of an input, its number and the entry in it"""
    value: Any = None
    """data of the operation: the number of a constant; the :class:`Steps` of "repeat"; for "item" the index of a
    repetition's result or a row's entry; for rows those of `expression/loops/tables.py`; for "array" an input and an
    entry
    """


Instruction.__repr__ = tuple.__repr__  # type: ignore[method-assign]  # digests are made of millions

ROWS = frozenset(
    ("numbers", "array", "table", "part", "kept", "zeros", "room", "added", "put", "product", "outer", "take", "each")
)
"""Operations that create or read rows of numbers: `expression/loops/tables.py`; "each" is created by `rerolling.py`."""


class Operations(NamedTuple):
    """Operation counts of a program; a sine and cosine of the same angle count as one ``sincos``."""

    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    sincos: int
    other: int

    @property
    def total(self) -> int:
        """Multiplications and additions, the measure of the literature."""
        return self.multiplications + self.additions

    def __str__(self) -> str:
        rest = [
            f"{count} {name}"
            for count, name in zip(self[2:], ("divisions", "square roots", "sincos", "other"), strict=True)
            if count
        ]
        return ", ".join([f"{self.multiplications} multiplications + {self.additions} additions", *rest])


class ProgramSignature(Protocol):
    """Interface of a program."""

    @property
    def name(self) -> str: ...

    @property
    def inputs(self) -> tuple[ArraySpec, ...]: ...

    @property
    def outputs(self) -> tuple[ArraySpec, ...]: ...

    @property
    def precision(self) -> str: ...


def written_call(program: ProgramSignature) -> str:
    """Return the name with the arrays it takes."""
    precision = f" in {program.precision} precision" if program.precision != "double" else ""
    return f"{program.name}({', '.join(f'{slot.name}{list(slot.shape)}' for slot in program.inputs)}){precision}"


@dataclass(frozen=True, eq=False)
class Steps:
    """Data of an instruction "repeat": repeated steps from the states that are its first arguments.

    Its results: the states at the end, the number of steps, the stored states.
    """

    program: Program
    """of one step: (number of steps before, states, what does not change) -> states, and where to stop"""
    count: int
    """steps, at most"""
    keep: int
    """after every how many steps the states are kept; 0: never"""
    rows_of: tuple[int, ...] = ()
    """the states that are rows of numbers"""
    independent: bool = False
    """whether steps may run together, since each writes entries of rows that no other step reads or writes"""

    @property
    def in_rows(self) -> list[bool]:
        """Whether each state is a row of numbers."""
        return [k in self.rows_of for k in range(self.size)]

    @property
    def size(self) -> int:
        """The number of states."""
        return self.program.inputs[1].size

    @property
    def stops(self) -> bool:
        """Whether rows may stop before the last step."""
        return len(self.program.outputs) > 1

    @property
    def rows(self) -> int:
        """Number of stored states."""
        return self.count // self.keep if self.keep else 0

    def __repr__(self) -> str:
        together = ", independent" * self.independent
        return f"Steps({self.program.digest}, {self.count}, {self.keep}{together})"


@dataclass(frozen=True, eq=False)
class Each:
    """Data of an instruction "each": one function of the entries of rows, entry by entry.

    Its arguments: the rows, then numbers that are the same for all entries.
    """

    program: Program
    """of one entry: (an entry of each row, the numbers) -> a number"""
    size: int
    """how many entries"""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.program.inputs[0].size

    def __repr__(self) -> str:
        return f"Each({self.program.digest}, {self.size})"


@dataclass(frozen=True, eq=False)
class Program:
    """Straight-line code: instructions in order of evaluation, and which values are the results."""

    name: str
    inputs: tuple[ArraySpec, ...]
    outputs: tuple[ArraySpec, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[tuple[int, ...], ...]
    """for each output, the number of the value of each entry, row by row"""
    single: bool
    """whether the function returned one array rather than a tuple"""
    algorithm: Any = None
    """the algorithm of the library that it is the trace of, if it is one: its derivatives may be known"""
    of_step: bool = False
    """whether it is a step of another one, whose results are values, never memory"""
    precision: str = "double"
    """format of all numbers, "double" or "single"; steps have that of the program around them"""

    @cached_property
    def operations(self) -> Operations:
        """The operation counts; of repetitions that stop, of as many steps as they may take."""
        return self.counted()

    def counted(self, usual: int | None = None) -> Operations:
        """Return the operation counts; ``usual``: how many steps repetitions that stop take, if they may take more."""
        count = Counter(instruction.op for instruction in self.instructions)
        angles = {i.args for i in self.instructions if i.op in ("sin", "cos")}
        known = {"add", "sub", "mul", "div", "neg", "sqrt", "sin", "cos", "constant", "input", "repeat", "item"}
        known |= {*ROWS, *HELD}
        products = sum(i.value.height * i.value.width for i in self.instructions if i.op in ("product", "outer"))
        total = Operations(
            count["mul"] + products,
            count["add"] + count["sub"] + count["added"] + products,
            count["div"],
            count["sqrt"],
            len(angles),
            sum(n for op, n in count.items() if op not in known),
        )
        for steps in (i.value for i in self.instructions if i.op == "repeat"):
            each = steps.program.operations if usual is None else steps.program.counted(usual)
            times = min(steps.count, usual) if usual is not None and steps.stops else steps.count
            total = Operations(*(a + times * b for a, b in zip(total, each, strict=True)))
        for one in (i.value for i in self.instructions if i.op == "each"):
            total = Operations(*(a + one.size * b for a, b in zip(total, one.program.operations, strict=True)))
        return total

    @cached_property
    def entries_used(self) -> tuple[frozenset[int], ...]:
        """The entries of each input that are used individually, not as rows of numbers."""
        found: list[set[int]] = [set() for _ in self.inputs]
        for op, args, _ in self.instructions:
            if op == "input":
                found[args[0]].add(args[1])
        return tuple(map(frozenset, found))

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """Number of uses of each value, as an argument or a result."""
        uses = [0] * len(self.instructions)
        for instruction in self.instructions:
            if instruction.op != "input":
                for argument in instruction.args:
                    uses[argument] += 1
        for values in self.results:
            for value in values:
                uses[value] += 1
        return tuple(uses)

    @cached_property
    def length(self) -> int:
        """The number of instructions, those of steps counted once."""
        return (
            len(self.instructions)
            - len(self.in_tables)
            + sum(len(i.args) for i in self.instructions if i.op == "table")
            + sum(i.value.program.length for i in self.instructions if i.op in ("repeat", "each"))
        )

    @cached_property
    def tables(self) -> dict[int, tuple[int, int]]:
        """Which outputs are states that a repetition kept, row by row: its value, and which of the states is first."""
        found = {}
        for number, (slot, results) in enumerate(zip(self.outputs, self.results, strict=True)):
            first = self.instructions[results[0]] if results else None
            if first is None or first.op != "item" or self.instructions[first.args[0]].op != "repeat":
                continue
            steps: Steps = self.instructions[first.args[0]].value
            start = first.value - steps.size - 1
            if not (0 <= start < steps.size and slot.shape[:1] == (steps.rows,)):
                continue
            columns = slot.size // steps.rows
            places = [first.value + row * steps.size + k for row in range(steps.rows) for k in range(columns)]
            if start + columns <= steps.size and all(
                self.instructions[k] == ("item", first.args, place) for k, place in zip(results, places, strict=True)
            ):
                found[number] = (first.args[0], start)
        return found

    @cached_property
    def in_rows(self) -> dict[int, list[tuple[int, int]]]:
        """Outputs that are rows in memory, in order: by output, the first entry and the value of the row."""
        found: dict[int, list[tuple[int, int]]] = {}
        for number, results in enumerate(self.results if self.sizes and not self.of_step else ()):
            place = 0
            while place < len(results):
                op, args, which = self.instructions[results[place]]
                size = self.sizes.get(args[0], 0) if op == "item" and which == 0 else 0
                run = [self.instructions[k] for k in results[place : place + size]]
                if size and run == [("item", args, entry) for entry in range(size)]:
                    found.setdefault(number, []).append((place, args[0]))
                place += size or 1
        return found

    def loose(self, number: int) -> list[range]:
        """Return the entries of an output that are no entries of such rows."""
        runs = [(first, first + self.sizes[row]) for first, row in self.in_rows.get(number, ())]
        ends = [0, *(x for run in runs for x in run), len(self.results[number])]
        return [range(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]

    @cached_property
    def angles(self) -> tuple[int, ...]:
        """The values whose sines or cosines are computed."""
        return tuple(dict.fromkeys(args[0] for op, args, _ in self.instructions if op in ("sin", "cos")))

    @cached_property
    def rows(self) -> frozenset[int]:
        """The values that are rows of numbers."""
        return frozenset(k for k, i in enumerate(self.instructions) if i.op in ROWS - {"take"} or k in self.sizes)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The lengths of rows that the program makes in memory."""
        found: dict[int, int] = {}
        for k, (op, args, value) in enumerate(self.instructions):
            if op in ("zeros", "room"):
                found[k] = value
            elif op == "product":
                found[k] = value.height
            elif op == "each":
                found[k] = value.size
            elif op in ("added", "put", "outer") and args[0] in found:
                found[k] = found[args[0]]
            elif op == "item" and self.instructions[args[0]].op == "repeat":
                start = self.instructions[args[0]].args
                if value < self.instructions[args[0]].value.size and start[value] in found:
                    found[k] = found[start[value]]
        return found

    @cached_property
    def in_tables(self) -> frozenset[int]:
        """The values that are entries of such outputs and nothing else."""
        entries = Counter(k for number in self.tables for k in self.results[number])
        for number, runs in self.in_rows.items():
            entries.update(k for first, row in runs for k in self.results[number][first : first + self.sizes[row]])
        return frozenset(k for k, times in entries.items() if self.uses[k] == times)

    def as_derivative(self) -> Program:
        """Return the same program as that of a derivative: values that were held have no second derivative."""

        def changed(instruction: Instruction) -> Instruction:
            op, args, value = instruction
            if op in ("repeat", "each"):
                return Instruction(op, args, replace(value, program=value.program.as_derivative()))
            return Instruction(HELD.get(op, op), args, value)

        if not any(i.op in HELD or i.op in ("repeat", "each") for i in self.instructions):
            return self
        return replace(self, instructions=tuple(map(changed, self.instructions)))

    def limited(self, before: int, after: int) -> Program:
        """The same with repetitions that are not within others limited to ``after`` steps where it was ``before``."""

        def changed(instruction: Instruction) -> Instruction:
            op, args, value = instruction
            due = op == "repeat" and value.count == before
            return Instruction(op, args, replace(value, count=after)) if due else instruction

        return replace(self, instructions=tuple(map(changed, self.instructions)))

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides what the program computes."""
        parts: tuple[Any, ...] = (self.name, self.inputs, self.outputs, self.instructions, self.results, self.single)
        if self.precision != "double":
            parts = (*parts, self.precision)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def __str__(self) -> str:
        """The program as text, one value a line."""
        lines = [written_call(self)]
        for k, (op, args, value) in enumerate(self.instructions):
            if op == "constant":
                text = repr(value)
            elif op == "input":
                text = f"{self.inputs[args[0]].name}[{args[1]}]"
            elif op == "item":
                text = f"item {value} of %{args[0]}"
            elif op == "array":
                text = f"{self.inputs[value[0]].name}[{value[1]}:]"
            elif op == "each":
                inner = str(value.program).replace("\n", "\n    ")
                text = f"each of {value.size} entries of {' '.join(f'%{a}' for a in args)}\n    {inner}"
            elif op in ROWS and value is not None:
                text = f"{op} {value} {' '.join(f'%{a}' for a in args)}"
            elif op == "repeat":
                inner = str(value.program).replace("\n", "\n    ")
                text = f"repeat {value.count} times from {' '.join(f'%{a}' for a in args)}\n    {inner}"
            else:
                text = f"{op} {' '.join(f'%{a}' for a in args)}"
            lines.append(f"  %{k} = {text}")
        for slot, values in zip(self.outputs, self.results, strict=True):
            lines.append(f"  {slot.name} = {' '.join(f'%{v}' for v in values)}")
        return "\n".join(lines)


def program_of(name: str, graph: Graph, inputs: dict[str, np.ndarray], result: Any) -> Program:
    """Return the program that computes ``result`` (an array, or a tuple of them) from the symbols ``inputs``."""
    single = not isinstance(result, (tuple, list))
    if not single and not result:
        raise ArgumentError(f"{name} must return an array or a tuple of arrays; got {result!r}")
    arrays = [_expressions(name, graph, x) for x in ((result,) if single else result)]
    if graph.failure is not None:
        raise graph.failure
    place = {
        symbol.index: (number, entry)
        for number, array in enumerate(inputs.values())
        for entry, symbol in enumerate(elements(array))
    }
    instructions, number = _instructions(name, [x for array in arrays for x in elements(array)], place)
    outputs = tuple(
        ArraySpec("result" if single else f"result{k}", tuple(array.shape)) for k, array in enumerate(arrays)
    )
    return Program(
        name,
        tuple(ArraySpec(key, tuple(array.shape)) for key, array in inputs.items()),
        outputs,
        instructions,
        tuple(tuple(number[x.index] for x in elements(array)) for array in arrays),
        single,
    )


def _instructions(
    name: str, results: Sequence[Expr], place: Mapping[int, tuple[int, int]]
) -> tuple[tuple[Instruction, ...], dict[int, int]]:
    """Return the instructions of results, and the number of each node's value; ``place``: which nodes are inputs."""
    order = needed(results, place)
    same: dict[int, Expr] = {}
    if longer := superseded(order):
        order, same = _without(order, longer, place)
    number = {node.index: k for k, node in enumerate(order)}
    number |= {index: number[node.index] for index, node in same.items()}
    instructions = []
    for node in order:
        if node.index in place:
            instructions.append(Instruction("input", place[node.index]))
        elif node.op in OPERATIONS:  # nearly all: as quickly as a tuple is made
            numbers = tuple([number[a.index] for a in node.args])
            instructions.append(tuple.__new__(Instruction, (node.op, numbers, None)))
        elif node.op == "constant":
            instructions.append(Instruction("constant", (), node.value))
        elif node.op == "array":
            symbols = node.graph.rows[node.index].data
            if symbols[0].index not in place:
                raise _unknown(name, symbols[0])
            instructions.append(Instruction("array", (), (*place[symbols[0].index], len(symbols))))
        elif node.op == "symbol":
            raise _unknown(name, node)
        elif node.op == "item":
            repetition, which = node.args
            assert which.value is not None
            instructions.append(Instruction("item", (number[repetition.index],), int(which.value)))
        else:
            value = _steps(name, node.graph.repeats[node.index]) if node.op == "repeat" else None
            if node.index in node.graph.rows:
                row = node.graph.rows[node.index]
                value = row.size if row.data is None else row.data
            instructions.append(Instruction(node.op, tuple(number[a.index] for a in node.args), value))
    return tuple(instructions), number


def _without(
    order: Sequence[Expr], longer: Mapping[int, Expr], place: Mapping[int, tuple[int, int]]
) -> tuple[list[Expr], dict[int, Expr]]:
    """Return an order of evaluation where repetitions are part of longer ones, and what their results are instead."""
    same = {
        node.index: instead(node, longer[node.args[0].index])
        for node in order
        if node.op in ("item", "kept") and node.args[0].index in longer
    }
    found: dict[int, Expr] = {}
    stack = [node for node in reversed(order) if node.index not in longer]
    while stack:
        node = same.get(stack[-1].index, stack[-1])
        args = () if node.index in place else node.args[:1] if node.op == "item" else node.args
        ahead = [same.get(a.index, a) for a in args]
        waiting = [a for a in ahead if a.index not in found]
        if waiting and node.index not in found:
            stack += reversed(waiting)
        else:
            found.setdefault(node.index, node)
            stack.pop()
    return list(found.values()), same


def _unknown(name: str, symbol: Expr) -> ArgumentError:
    return ArgumentError(
        f"{name} uses the symbol {symbol.name!r}, which is not among its arguments (nor is the state of a step "
        "known outside of it)"
    )


def _steps(name: str, what: Repeat) -> Steps:
    """Return the step of a repetition as a program."""
    place = {what.number.index: (0, 0)}
    place |= {symbol.index: (1, k) for k, symbol in enumerate(what.state)}
    place |= {node.index: (2, k) for k, node in enumerate(what.captured)}
    results = [list(what.after), *([] if what.stop is None else [[what.stop]])]
    instructions, number = _instructions(name, [x for some in results for x in some], place)
    states, outputs = len(what.state), [ArraySpec("state", (len(what.state),)), ArraySpec("stop", ())]
    program = Program(
        f"{name} step",
        (ArraySpec("step", ()), ArraySpec("state", (states,)), ArraySpec("fixed", (len(what.captured),))),
        tuple(outputs[: len(results)]),
        instructions,
        tuple(tuple(number[x.index] for x in some) for some in results),
        False,
        of_step=True,
    )
    rows = tuple(k for k, symbol in enumerate(what.state) if symbol.index in symbol.graph.rows)
    return Steps(program, what.count, what.keep, rows, what.independent)


def _expressions(name: str, graph: Graph, x: Any) -> np.ndarray:
    """Return a result as an object array of expressions of this graph."""
    if isinstance(x, tuple) and any(isinstance(part, (tuple, np.ndarray)) for part in x):
        raise ArgumentError(
            f"{name} returns a tuple within a tuple; kernels return an array or one tuple: (*state, *kept)"
        )
    array = np.asarray(x)
    if array.dtype != object and array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name} must return arrays of real numbers; got {x!r}")
    if array.dtype == object and array.ndim == 0 and not isinstance(array.item(), (Expr, float, int)):
        raise ArgumentError(f"{name} must return an array or a tuple of arrays; got {x!r}")
    expressions = np.empty(array.shape, dtype=object)
    for entry in np.ndindex(*array.shape):
        expressions[entry] = graph.coerce(array[entry])
    return expressions
