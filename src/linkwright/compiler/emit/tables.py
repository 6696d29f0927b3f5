"""Rows of numbers in memory, as LLVM IR: tables, what is added to them, products of matrices.

A row lies in one of three ways: once for all lanes ("shared": constants), in the memory of every lane's own argument
("rows"), or entry by entry with all lanes side by side ("lanes"). Sums are taken in one order on any number of lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linkwright.compiler.emit.vector_math import number
from linkwright.compiler.ir.program import Each, Instruction, Program, Steps
from linkwright.expression.tables import Numbers, Part, Sides

if TYPE_CHECKING:
    from linkwright.compiler.emit.arithmetic import Arithmetic

ON_STACK = 4096
"""Doubles that may lie on the stack at a time; more are allocated."""

HEIGHT = 8
"""Rows of a matrix whose products are summed at once."""


class Place(NamedTuple):
    """Where a row lies."""

    kind: str
    """ "shared", "rows" or "lanes\""""
    bases: tuple[str, ...]
    """the address, or one of each lane"""
    first: int = 0
    step: int = 1
    apart: str = ""
    """bytes between the rows of lanes"""


class Index(NamedTuple):
    """A computed place, as whole numbers."""

    lanes: list[str]
    """one number of all lanes, or one of each"""
    there: str
    """which lanes have one that is not NaN; empty where all have"""


_COUNTING = frozenset(("constant", "add", "sub", "mul", "neg", "min", "max", "round", "floor"))


def counting(program: Program, inputs: Collection[tuple[int, int]]) -> frozenset[int]:
    """The values that follow from constants and such inputs by counting: the same whole numbers in all lanes."""
    found: set[int] = set()
    for k, (op, args, _) in enumerate(program.instructions):
        if args in inputs if op == "input" else op in _COUNTING and all(a in found for a in args):
            found.add(k)
    return frozenset(found)


def counting_in_steps(steps: Steps, start: Sequence[bool]) -> frozenset[tuple[int, int]]:
    """Which inputs of the steps count, of those states that start so."""
    if steps.stops:
        return frozenset()
    states = {i for i, so in enumerate(start[: steps.size]) if so}
    fixed = {(2, i) for i, so in enumerate(start[steps.size :]) if so}
    while True:
        inputs = frozenset({(0, 0), *((1, i) for i in states), *fixed})
        found = counting(steps.program, inputs)
        still = {i for i in states if steps.program.results[0][i] in found}
        if still == states:
            return inputs
        states = still


def memory(body: Arithmetic, entries: int) -> str:
    """Room for a row of all lanes."""
    n, doubles = body.block(), -(-entries * body.lanes.width // 4) * 4
    if body.on_stack + doubles <= ON_STACK:
        body.on_stack += doubles
        body.prologue.append(f"  %room{n} = alloca double, i64 {doubles}, align {8 * body.lanes.width}")
    else:  # to full lanes: what is allocated is aligned to 16 bytes
        body.prologue += [
            f"  %given{n} = call ptr @malloc(i64 {8 * doubles + 64})",
            f"  %aligned{n} = getelementptr i8, ptr %given{n}, i64 63",
            f"  %room{n} = call ptr @llvm.ptrmask.p0.i64(ptr %aligned{n}, i64 -64)",
        ]
        body.epilogue.append(f"  call void @free(ptr %given{n})")
        body.declared.add("declare ptr @llvm.ptrmask.p0.i64(ptr, i64)")
    return f"%room{n}"


def emit_row(body: Arithmetic, instruction: Instruction) -> Place:
    """Write what makes a row."""
    op, args, value = instruction
    return _MAKING[op](body, args, value)


def _numbers(body: Arithmetic, args: tuple[int, ...], told: Numbers) -> Place:
    name, entries = f"@numbers_{told.digest[:32]}", ", ".join(f"double {number(x)}" for x in told.entries.tolist())
    body.declared.add(f"{name} = private constant [{len(told.entries)} x double] [{entries}], align 64")
    return Place("shared", (name,))


def _array(body: Arithmetic, args: tuple[int, ...], told: tuple[int, int, int]) -> Place:
    argument, first, _ = told
    return body.argument(argument)._replace(first=first)


def _table(body: Arithmetic, args: tuple[int, ...], size: int) -> Place:
    place = Place("lanes", (memory(body, size),))
    for k, a in enumerate(args):
        body.lines.append(f"  store {body.lanes.double} {body.values[a]}, {_at(body, place, k)}")
        body.seam()
    return place


def _part(body: Arithmetic, args: tuple[int, ...], told: Part) -> Place:
    place = body.places[body.values[args[0]]]
    return place._replace(first=place.first + place.step * told.first, step=place.step * told.step)


def _kept(body: Arithmetic, args: tuple[int, ...], state: int) -> Place:
    steps: Steps = body.program.instructions[args[0]].value
    return Place("lanes", (body.results[args[0]][-1],), state, steps.size)


def _zeros(body: Arithmetic, args: tuple[int, ...], size: int) -> Place:
    room = memory(body, size)
    body.lines.append(f"  call void @clear(ptr {room}, i64 {-(-size * body.lanes.width // 4) * 32})")
    return Place("lanes", (room,))


def _added(body: Arithmetic, args: tuple[int, ...], size: int) -> Place:
    place, index, x = body.places[body.values[args[0]]], emit_index(body, args[1]), body.values[args[2]]
    V, lanes = body.lanes.double, body.lanes
    if index.there:
        x = body.emit(f"select {lanes.bit} {index.there}, {V} {x}, {V} {lanes.constant(float('nan'))}")
    if len(index.lanes) == 1:
        at = _at(body, place, index.lanes[0])
        total = body.emit(f"fadd {V} {body.emit(f'load {V}, {at}')}, {x}")
        body.lines.append(f"  store {V} {total}, {at}")
        return place
    for lane, one in enumerate(index.lanes):
        at = _of_lane(body, place, one, lane)
        entry = body.emit(f"extractelement {V} {x}, i32 {lane}")
        total = body.emit(f"fadd double {body.emit(f'load double, {at}')}, {entry}")
        body.lines.append(f"  store double {total}, {at}")
    return place


def emit_take(body: Arithmetic, row: int, place: int) -> str:
    """Write the reading of an entry at a computed place."""
    at, index, lanes = body.places[body.values[row]], emit_index(body, place), body.lanes
    if len(index.lanes) == 1:
        found = read(body, at, index.lanes[0])
    else:
        found = "poison"
        for lane, one in enumerate(index.lanes):
            entry = body.emit(f"load double, {_of_lane(body, at, one, lane)}")
            found = body.emit(f"insertelement {lanes.double} {found}, double {entry}, i32 {lane}")
    if not index.there:
        return found
    nan = lanes.constant(float("nan"))
    return body.emit(f"select {lanes.bit} {index.there}, {lanes.double} {found}, {lanes.double} {nan}")


def emit_index(body: Arithmetic, k: int) -> Index:
    """A value as a whole number, written once."""
    if k not in body.indices:
        body.indices[k] = _index(body, k)
    return body.indices[k]


def _index(body: Arithmetic, k: int) -> Index:
    lanes, V, x, there = body.lanes, body.lanes.double, body.values[k], ""
    if k not in body.counting:
        zero = lanes.constant(0.0)
        there = body.emit(f"fcmp ord {V} {x}, {zero}")
        x = body.emit(f"select {lanes.bit} {there}, {V} {x}, {V} {zero}")
    entries = [x]
    if lanes.width > 1:
        which = range(1 if k in body.counting else lanes.width)
        entries = [body.emit(f"extractelement {V} {x}, i32 {lane}") for lane in which]
    return Index([body.emit(f"fptosi double {one} to i64") for one in entries], there)


def read(body: Arithmetic, place: Place, entry: int | str) -> str:
    """An entry of all lanes, the same place in each."""
    lanes, V = body.lanes, body.lanes.double
    if place.kind == "lanes" or lanes.width == 1:
        return body.emit(f"load {V}, {_at(body, place, entry)}")
    if place.kind == "shared":
        return splat(body, body.emit(f"load double, {_at(body, place, entry)}"))
    found, offset = "poison", _offset(body, place, entry)
    for lane, row in enumerate(place.bases):
        address = body.emit(f"getelementptr double, ptr {row}, i64 {offset}")
        one = body.emit(f"load double, ptr {address}, align 8")
        found = body.emit(f"insertelement {V} {found}, double {one}, i32 {lane}")
    return found


def splat(body: Arithmetic, x: str) -> str:
    """The same number in all lanes."""
    V, W = body.lanes.double, body.lanes.width
    first = body.emit(f"insertelement {V} poison, double {x}, i32 0")
    return body.emit(f"shufflevector {V} {first}, {V} poison, <{W} x i32> zeroinitializer")


def _offset(body: Arithmetic, place: Place, entry: int | str) -> str:
    """Entries from the address of a row to one of its entries."""
    if isinstance(entry, int):
        return str(place.first + place.step * entry)
    if place.step != 1:
        entry = body.emit(f"mul i64 {entry}, {place.step}")
    return body.emit(f"add i64 {entry}, {place.first}") if place.first else entry


def _at(body: Arithmetic, place: Place, entry: int | str) -> str:
    """The address of an entry, as an operand."""
    kind = body.lanes.double if place.kind == "lanes" else "double"
    address = body.emit(f"getelementptr {kind}, ptr {place.bases[0]}, i64 {_offset(body, place, entry)}")
    return f"ptr {address}, align {8 * body.lanes.width if place.kind == 'lanes' else 8}"


def _of_lane(body: Arithmetic, place: Place, entry: str, lane: int) -> str:
    """The address of one lane's entry, as an operand."""
    offset = _offset(body, place, entry)
    if place.kind == "lanes":
        offset = body.emit(f"add i64 {body.emit(f'mul i64 {offset}, {body.lanes.width}')}, {lane}")
    base = place.bases[lane if place.kind == "rows" else 0]
    return f"ptr {body.emit(f'getelementptr double, ptr {base}, i64 {offset}')}, align 8"


def _product(body: Arithmetic, args: tuple[int, ...], sides: Sides) -> Place:
    """A x by loops: of some rows at once, column after column."""
    A, x = (body.places[body.values[a]] for a in args)
    A = A._replace(first=A.first + A.step * sides.first)
    y = Place("lanes", (memory(body, sides.height),))

    def rows(first: str, count: int, A: Place) -> None:
        starts = [_shifted(body, A, first, k, sides) for k in range(count)]
        sums = _Sums(body, sides.width, count)
        entry = read(body, x, sums.at)
        column = _times(body, sums.at, sides.right)
        for k, start in enumerate(starts):
            sums.add(k, read(body, start, column), entry)
        for k, total in enumerate(sums.end()):
            at = _at(body, y, body.emit(f"add i64 {first}, {k}"))
            body.lines.append(f"  store {body.lanes.double} {total}, {at}")

    _of_matrix(body, A, sides.height, rows)
    return y


def _outer(body: Arithmetic, args: tuple[int, ...], sides: Sides) -> Place:
    """Products of all pairs, added to a row."""
    whole, y, x = (body.places[body.values[a]] for a in args)
    row = whole._replace(first=whole.first + whole.step * sides.first)
    V = body.lanes.double

    def rows(first: str, count: int, row: Place) -> None:
        starts = [_shifted(body, row, first, k, sides) for k in range(count)]
        of_rows = [read(body, y, body.emit(f"add i64 {first}, {k}")) for k in range(count)]
        loop = _Loop(body, sides.width)
        entry = read(body, x, loop.at)
        column = _times(body, loop.at, sides.right)
        for start, one in zip(starts, of_rows, strict=True):
            at = _at(body, start, column)
            total = body.multiplied_and_added(one, entry, body.emit(f"load {V}, {at}"))
            body.lines.append(f"  store {V} {total}, {at}")
        loop.end()

    _of_matrix(body, row, sides.height, rows)
    return whole


def _each(body: Arithmetic, args: tuple[int, ...], each: Each) -> Place:
    """One function of the entries of rows, in a loop."""
    given = [body.values[a] for a in args]
    rows = [_of_lanes(body, body.places[name], each.size) for name in given[: each.rows]]
    result = Place("lanes", (memory(body, each.size),))
    loop = _Loop(body, each.size)
    step = body.inside(each.program, [[read(body, row, loop.at) for row in rows], given[each.rows :]])
    step.compute(range(len(each.program.instructions)))
    found = step.values[each.program.results[0][0]]
    step.leave()
    body.lines.append(f"  store {body.lanes.double} {found}, {_at(body, result, loop.at)}")
    loop.end()
    return result


def _of_lanes(body: Arithmetic, row: Place, size: int) -> Place:
    """The row as it is where all lanes read it at once: those of each lane's own memory are copied, some at a time."""
    if row.kind != "rows" or row.step != 1:
        return row
    copy, n = Place("lanes", (memory(body, size),)), body.block()
    same = body.emit(f"icmp eq i64 {row.apart}, 0")
    body.lines += [f"  br i1 {same}, label %one{n}, label %each{n}", f"one{n}:"]
    loop = _Loop(body, size)
    entry = read(body, row._replace(kind="shared"), loop.at)
    body.lines.append(f"  store {body.lanes.double} {entry}, {_at(body, copy, loop.at)}")
    loop.end()
    body.lines += [f"  br label %both{n}", f"each{n}:"]
    some = min(4, body.lanes.width)
    loop = _Loop(body, size // some)
    first = body.emit(f"mul i64 {loop.at}, {some}")
    bases = [body.emit(f"getelementptr double, ptr {one}, i64 {first}") for one in row.bases]
    for k, x in enumerate(body.turned(bases, row.first, some)):
        at = _at(body, copy, body.emit(f"add i64 {first}, {k}"))
        body.lines.append(f"  store {body.lanes.double} {x}, {at}")
    loop.end()
    for k in range(size // some * some, size):
        body.lines.append(f"  store {body.lanes.double} {read(body, row, k)}, {_at(body, copy, k)}")
    body.lines += [f"  br label %both{n}", f"both{n}:"]
    return copy


def _times(body: Arithmetic, x: str, n: int) -> str:
    return body.emit(f"mul i64 {x}, {n}") if n != 1 else x


def _of_matrix(body: Arithmetic, A: Place, height: int, rows: Callable[[str, int, Place], None]) -> None:
    """All rows of a matrix, some at once; where lanes may share the matrix in memory, that is asked first."""
    n = body.block()
    shared = A.kind == "rows" and body.lanes.width > 1
    if shared:
        same = body.emit(f"icmp eq i64 {A.apart}, 0")
        body.lines.append(f"  br i1 {same}, label %one{n}, label %each{n}")
        body.lines.append(f"one{n}:")
        _all_rows(body, A._replace(kind="shared"), height, rows)
        body.lines += [f"  br label %both{n}", f"each{n}:"]
    _all_rows(body, A, height, rows)
    body.lines += [f"  br label %both{n}", f"both{n}:"]


def _all_rows(body: Arithmetic, A: Place, height: int, rows: Callable[[str, int, Place], None]) -> None:
    whole, rest = divmod(height, HEIGHT)
    if whole:
        loop = _Loop(body, whole)
        rows(body.emit(f"mul i64 {loop.at}, {HEIGHT}"), HEIGHT, A)
        loop.end()
    if rest:
        rows(body.emit(f"add i64 0, {HEIGHT * whole}"), rest, A)


def _shifted(body: Arithmetic, A: Place, first: str, k: int, sides: Sides) -> Place:
    """The row of a matrix from a computed one on."""
    shift = body.emit(f"mul i64 {body.emit(f'add i64 {first}, {k}')}, {sides.down * A.step}")
    kind = body.lanes.double if A.kind == "lanes" else "double"
    bases = A.bases if A.kind == "rows" else A.bases[:1]
    return A._replace(bases=tuple(body.emit(f"getelementptr {kind}, ptr {one}, i64 {shift}") for one in bases))


class _Loop:
    """So many times, from its making to its end; ``at`` counts."""

    def __init__(self, body: Arithmetic, count: int):
        self.body, self.count, self.n = body, count, body.block()
        n = self.n
        body.lines += [f"  br label %from{n}", f"from{n}:", f"  br label %again{n}", f"again{n}:"]
        self.at = f"%at{n}"
        body.lines.append(f"  {self.at} = phi i64 [0, %from{n}], [%on{n}, %more{n}]")
        self.sums_at = len(body.lines)

    def end(self) -> None:
        """Close the loop."""
        n, lines = self.n, self.body.lines
        lines += [f"  br label %more{n}", f"more{n}:", f"  %on{n} = add i64 {self.at}, 1"]
        lines += [f"  %left{n} = icmp slt i64 %on{n}, {self.count}"]
        lines += [f"  br i1 %left{n}, label %again{n}, label %done{n}", f"done{n}:"]


class _Sums:
    """Sums that a loop takes, each in the order of its columns."""

    def __init__(self, body: Arithmetic, columns: int, count: int):
        self.body, self.loop = body, _Loop(body, columns)
        self.at = self.loop.at
        self.totals = [""] * count
        body.lines += [";"] * count

    def add(self, k: int, a: str, x: str) -> None:
        """A product to one of the sums."""
        self.totals[k] = self.body.multiplied_and_added(a, x, f"%sum{self.loop.n}.{k}")

    def end(self) -> list[str]:
        """The sums."""
        n, V, zero = self.loop.n, self.body.lanes.double, self.body.lanes.constant(0.0)
        for k, total in enumerate(self.totals):
            self.body.lines[self.loop.sums_at + k] = f"  %sum{n}.{k} = phi {V} [{zero}, %from{n}], [{total}, %more{n}]"
        self.loop.end()
        return self.totals


_MAKING: dict[str, Callable[..., Place]] = {
    "numbers": _numbers,
    "array": _array,
    "table": _table,
    "part": _part,
    "kept": _kept,
    "zeros": _zeros,
    "added": _added,
    "product": _product,
    "outer": _outer,
    "each": _each,
}
