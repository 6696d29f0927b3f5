"""Loop rerolling: entries of a row that are the same function become one instruction "each".

Tracing unrolls array operations. The trace of ``W @ np.tanh(W @ x + b)``, with W (100, 100), has 605 instructions:

=========  ============================================  ================================
number     before                                        after
=========  ============================================  ================================
0–99       x[0], …, x[99]                                the same
100        numbers: W                                    the same
101, 102   table of %0 … %99; product of %100 and %101   the same
103–402    items of %102; b[0] + %103, …                 (constants that nothing uses)
403–502    tanh %204, …                                  %203 numbers: b; %204 part of %102
503        table of %403 … %502                          %205 each(tanh(a + b), %203, %204)
504        product of %100 and %503                      %206 product of %100 and %205
505–604    items of %504: the results                    %207–%306 items of %206
=========  ============================================  ================================

The operand of "each" is the program of one entry, which runs over the entries of its rows. Other uses of such an entry
read it from the row. Rows are made where the code saved is worth the traffic to memory (`_Matching`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from linkwright.compiler.ir.program import ArraySpec, Each, Instruction, Program
from linkwright.expression.loops.tables import ConstantTable, EntryRange
from linkwright.expression.operations import OPERATIONS

LEAST = 16
"""Entries from which they become a loop."""

MOST = 200
"""Operations of an entry up to which they do."""

_ROLLED = frozenset(OPERATIONS) - {"sin", "cos", "tan"}
"""Operations that can be in a loop: all but those of angles, whose range is checked once per function."""

_LONG = frozenset(("exp", "log", "tanh", "pow", "asin", "acos", "atan2"))
_ENOUGH = 4
"""Operations of an entry for each value of it that must be written to memory first; a long one counts as ten."""


class Entries(tuple[int, ...]):
    """The numbers of the values that a row's entries are."""

    __slots__ = ()


class RowSection(NamedTuple):
    """Some entries of a row that is there already, or of one that is made."""

    row: int | Entries
    part: EntryRange


class GivenRow(NamedTuple):
    """A row that steps are given from around them."""

    values: Entries
    """of the program around"""


class Span(NamedTuple):
    """Evenly spaced entries of an argument of the whole function."""

    argument: int
    entry: int
    step: int
    size: int


Task = int | Entries | RowSection | GivenRow | Span
"""A value or a row to write."""


@dataclass(frozen=True, eq=False)
class _RowForm:
    """Computation of a row of values."""

    program: Program
    """of one entry"""
    rows: tuple[Task, ...]
    """those that it runs over"""
    fixed: tuple[int, ...]
    """values that are the same for all entries"""


def rerolled(program: Program) -> Program:
    """Return the program with loops for entries that are alike; itself where there are none."""
    return _Reroller(program).rerolled().program if _in_rows(program) else program


def _in_rows(program: Program) -> bool:
    """Return whether a program has candidates for rows."""
    return any(
        i.op in ("table", "product") or (i.op == "repeat" and _in_rows(i.value.program)) for i in program.instructions
    )


class _Rerolled(NamedTuple):
    """Result for a program."""

    program: Program
    left: list[int]
    """of a step, the fixed inputs that it still takes"""
    rows: list[Entries]
    """and the rows of values around it that it takes after them"""


class _Reroller:
    """One program; ``fixed``: of a step, what its fixed inputs are in the program around it."""

    def __init__(self, program: Program, fixed: Sequence[int] | None = None):
        self.program, self.fixed, self.code = program, fixed, program.instructions
        self.levels: list[int] = []  # lengths of the longest ways to values: of one level none depends on another
        for op, args, _ in self.code:
            self.levels.append(0 if op == "input" or not args else 1 + max(self.levels[a] for a in args))
        self.forms: dict[Entries, _RowForm] = {}
        self.places: dict[int, tuple[Entries, int]] = {}  # of values in rows that are made
        self.inner: dict[int, _Rerolled] = {}  # steps
        self.given: dict[int, list[Task]] = {}  # rows that they are given

    def rerolled(self) -> _Rerolled:
        """Return the rewritten program."""
        for k, (op, args, value) in enumerate(self.code):
            if op == "table":
                self._roll_runs(args)
            elif op == "repeat":
                self.inner[k] = _Reroller(value.program, args[value.size :]).rerolled()
                self.given[k] = [self._around(entries) for entries in self.inner[k].rows]
        for results in self.program.results:
            self._roll_runs(results, of_rows=True)
        if not self.forms and all(self.code[k].value.program is x.program for k, x in self.inner.items()):
            return _Rerolled(self.program, list(range(len(self.fixed or ()))), [])
        return _RerolledWriter(self).written()

    def _around(self, entries: Entries) -> Task:
        """Return the source of these values of steps as a row."""
        matching = _Matching(self)
        found = matching.row(entries)
        if found is None and self.is_operation(entries) and matching.match(entries):
            self._take(matching)
        return entries if found is None else found

    def _take(self, matching: _Matching) -> None:
        """Make the rows that were found."""
        self.forms |= matching.forms
        for entries in matching.forms:
            for at, k in enumerate(entries):
                self.places.setdefault(k, (entries, at))

    def _roll_runs(self, values: Sequence[int], of_rows: bool = False) -> None:
        """Make rows of runs of entries that are alike; ``of_rows``: where they are of rows in memory alone."""
        start = 0
        while start < len(values):
            kind, stop = self._kind(values[start]), start + 1
            while stop < len(values) and self._kind(values[stop]) == kind:
                stop += 1
            run = Entries(values[start:stop])
            if len(run) >= LEAST and len({*run}) == len(run) and run not in self.forms and self.is_operation(run):
                found = _Matching(self)
                if found.match(run, of_rows):
                    self._take(found)
            start = stop

    def _kind(self, k: int) -> tuple[object, ...]:
        op, args, _ = self.code[k]
        return (op, self.levels[k], *(self.code[a].op for a in args if op in OPERATIONS))

    def is_operation(self, entries: Entries) -> bool:
        """Return whether the values are one operation that a loop can have, independent of each other."""
        op = self.code[entries[0]].op
        level = self.levels[entries[0]]
        return op in _ROLLED and all(self.code[k].op == op and self.levels[k] == level for k in entries)

    def arguments(self, entries: Entries) -> list[Entries]:
        """Return the arguments of one operation of all values."""
        return [Entries(some) for some in zip(*(self.code[k].args for k in entries), strict=True)]


@dataclass
class _Matching:
    """Rows that are to be made, if it is worth it."""

    roller: _Reroller
    forms: dict[Entries, _RowForm] = field(default_factory=dict)

    def match(self, run: Entries, of_rows: bool = False) -> bool:
        """Return whether these entries become a row, including the parts that they share with others."""
        cuts = self._cuts(run)
        if cuts is None:
            return False
        code, roller = self.roller.code, self.roller
        body: list[Instruction] = []
        number: dict[Entries, int] = {}
        rows: list[Task] = []
        fixed: list[int] = []
        others = 0

        def leaf(entries: Entries) -> Instruction:
            nonlocal others
            first = entries[0]
            if all(k == first for k in entries):
                if code[first].op == "constant":
                    return code[first]
                fixed.append(first)
                return Instruction("input", (1, len(fixed) - 1))
            found = self.row(entries)
            if found is None and entries in cuts and self.match(entries):
                found = entries
            if found is None:
                others += any(code[k].op != "constant" for k in entries)
                found = entries
            rows.append(found)
            return Instruction("input", (0, len(rows) - 1))

        def add(entries: Entries) -> int:
            if entries not in number:
                if entries == run or (self._is_inside(entries) and entries not in cuts):
                    args = tuple(add(some) for some in roller.arguments(entries))
                    body.append(Instruction(code[entries[0]].op, args))
                else:
                    body.append(leaf(entries))
                number[entries] = len(body) - 1
            return number[entries]

        add(run)
        del add  # it refers to itself, and what it refers to would wait for the garbage collector
        weight = sum(10 if i.op in _LONG else 1 for i in body if i.op in OPERATIONS)
        in_memory = any(isinstance(x, (RowSection, Entries)) for x in rows)
        if weight < _ENOUGH * others or (of_rows and (others or not in_memory)) or not rows:
            return False
        slots = ArraySpec("rows", (len(rows),)), ArraySpec("fixed", (len(fixed),))
        entry = Program("entry", slots, (ArraySpec("result", ()),), tuple(body), ((len(body) - 1,),), True)
        self.forms[run] = _RowForm(entry, tuple(rows), tuple(fixed))
        return True

    def _is_inside(self, entries: Entries) -> bool:
        """Return whether the values are computed in the loop, entry by entry."""
        return (
            entries[0] != entries[-1]
            and self.roller.is_operation(entries)
            and entries not in self.forms
            and self.row(entries) is None
        )

    def _cuts(self, run: Entries) -> set[Entries] | None:
        """Return the parts of these values that others use too; None if there are too many."""
        cuts: set[Entries] = set()
        while True:
            inside, stack, used = {run}, [run], Counter[int]()
            while stack:
                for some in self.roller.arguments(stack.pop()):
                    if some not in inside and some not in cuts and self._is_inside(some):
                        inside.add(some)
                        stack.append(some)
                if len(inside) > MOST:
                    return None
            for entries in inside:
                used.update(a for k in entries for a in self.roller.code[k].args)
            uses = self.roller.program.uses
            more = {entries for entries in inside - {run} if any(used[k] < uses[k] for k in entries)}
            if not more:
                return cuts
            cuts |= more

    def row(self, entries: Entries) -> Task | None:
        """Return the row that they are in memory already, or of which they are evenly spaced entries."""
        roller, size = self.roller, len(entries)
        if entries in self.forms or entries in roller.forms:
            return entries
        placed = [roller.places.get(k) for k in entries]
        if all(x is not None for x in placed):
            (row, first), (_, second) = placed[0], placed[1]  # type: ignore[misc]
            if placed == [(row, first + (second - first) * k) for k in range(size)]:
                return RowSection(row, EntryRange(first, second - first, size))
            return None
        items = [roller.code[k] for k in entries]
        if items[0].op == "item":
            base, first, step = items[0].args, items[0].value, items[1].value - items[0].value
            if base[0] in roller.program.rows and items == [
                Instruction("item", base, first + step * k) for k in range(size)
            ]:
                return RowSection(base[0], EntryRange(first, step, size))
        if all(i.op == "input" for i in items):
            if roller.fixed is not None:
                inside = all(i.args[0] == 2 for i in items)
                return GivenRow(Entries(roller.fixed[i.args[1]] for i in items)) if inside else None
            (argument, entry), step = items[0].args, items[1].args[1] - items[0].args[1]
            if all(i.args == (argument, entry + step * k) for k, i in enumerate(items)):
                return Span(argument, entry, step, size)
        return None


class _RerolledWriter:
    """The rewritten instructions, nearly in the original order."""

    def __init__(self, roller: _Reroller):
        self.roller, self.code = roller, roller.code
        self.instructions: list[Instruction] = []
        self.number: dict[Task, int] = {}
        self.rows: list[Entries] = []
        """those that a step is given"""

    def written(self) -> _Rerolled:
        """Return the program of all that the results need."""
        program = self.roller.program
        live: set[Task] = set()
        stack: list[Task] = [k for some in program.results for k in some]
        while stack:
            task = stack.pop()
            if task not in live:
                live.add(task)
                stack += self._needs(task)
        for k in sorted(task for task in live if isinstance(task, int)):
            stack = [k]
            while stack:
                task = stack[-1]
                ahead = [] if task in self.number else [x for x in self._needs(task) if x not in self.number]
                if ahead:
                    stack += reversed(ahead)
                elif (task := stack.pop()) not in self.number:
                    self.number[task] = self._write(task)
        results = tuple(tuple(self.number[k] for k in some) for some in program.results)
        if self.roller.fixed is None:
            return _Rerolled(replace(program, instructions=tuple(self.instructions), results=results), [], [])
        own = {i.args[1] for i in self.instructions if i.op == "input" and i.args[0] == 2}
        left = sorted(entry for entry in own if entry >= 0)
        place = {entry: new for new, entry in enumerate([*left, *(-1 - k for k in range(len(self.rows)))])}
        instructions = tuple(
            i._replace(args=(2, place[i.args[1]])) if i.op == "input" and i.args[0] == 2 else i
            for i in self.instructions
        )
        inputs = (*program.inputs[:2], ArraySpec("fixed", (len(place),)))
        return _Rerolled(replace(program, inputs=inputs, instructions=instructions, results=results), left, self.rows)

    def _needs(self, task: Task) -> Sequence[Task]:
        """Return the tasks that must be written before."""
        roller = self.roller
        if isinstance(task, (GivenRow, Span)):
            return ()
        if isinstance(task, RowSection):
            return (task.row,)
        if isinstance(task, Entries):
            form = roller.forms.get(task)
            return [*task] if form is None else [*form.rows, *form.fixed]
        if task in roller.places:
            return (roller.places[task][0],)
        op, args, _ = self.code[task]
        if op == "repeat":
            return self._given(task)
        if op == "table" and Entries(args) in roller.forms:
            return (Entries(args),)
        return args if op != "input" else ()

    def _given(self, k: int) -> list[Task]:
        """Return the arguments of steps."""
        _, args, steps = self.code[k]
        left = self.roller.inner[k].left
        return [*args[: steps.size], *(args[steps.size + i] for i in left), *self.roller.given[k]]

    def _write(self, task: Task) -> int:
        roller = self.roller
        if isinstance(task, GivenRow):
            self.rows.append(task.values)
            return self._add(Instruction("input", (2, -len(self.rows))))
        if isinstance(task, Span):
            whole = (task.argument, 0, self.roller.program.inputs[task.argument].size)
            return self._add(Instruction("part", (self._add(Instruction("array", (), whole)),), EntryRange(*task[1:])))
        if isinstance(task, RowSection):
            return self._append("part", [task.row], task.part)
        if isinstance(task, Entries):
            form = roller.forms.get(task)
            if form is not None:
                return self._append("each", [*form.rows, *form.fixed], Each(form.program, len(task)))
            if all(self.code[k].op == "constant" for k in task):
                return self._append("numbers", [], ConstantTable([self.code[k].value for k in task]))
            return self._append("table", task, len(task))
        if task in roller.places:
            entries, at = roller.places[task]
            return self._append("item", [entries], at)
        op, args, value = self.code[task]
        if op == "input":
            return self._add(self.code[task])
        if op == "repeat":
            return self._append(op, self._given(task), replace(value, program=roller.inner[task].program))
        if op == "table" and Entries(args) in roller.forms:
            return self.number[Entries(args)]
        return self._append(op, args, value)

    def _append(self, op: str, args: Sequence[Task], value: Any = None) -> int:
        return self._add(Instruction(op, tuple(self.number[x] for x in args), value))

    def _add(self, instruction: Instruction) -> int:
        self.instructions.append(instruction)
        return len(self.instructions) - 1
