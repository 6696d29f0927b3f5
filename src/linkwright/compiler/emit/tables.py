"""Rows of numbers in memory, as LLVM IR: tables and what is added to them; loops over rows are in `row_loops.py`.

A row lies in one of three ways: once for all lanes ("shared": constants), in the memory of every lane's own argument
("rows"), or entry by entry with all lanes side by side ("lanes"). Sums are taken in one order on any number of lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linkwright.compiler.ir.program import Instruction, Program, Steps
from linkwright.expression.loops.tables import ConstantTable, EntryRange

if TYPE_CHECKING:
    from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter

ON_STACK = 4096
"""Largest number of numbers on the stack; larger arrays are allocated."""


class RowAddress(NamedTuple):
    """Memory of a row."""

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
    beyond: int = 0
    """that is added to it"""
    stride: int = 0
    """what a lane has more than the one before it, where there is one number: see `steps_on_lanes.py`"""


_COUNTING = frozenset(("constant", "add", "sub", "mul", "neg", "min", "max", "round", "floor", "part", "take"))


def counting(program: Program, inputs: Collection[tuple[int, int]]) -> frozenset[int]:
    """The values that follow from constants and such inputs by counting: the same whole numbers in all lanes.

    Rows of whole constants are among them, and what is taken from these at such places.
    """
    found: set[int] = set()
    for k, (op, args, value) in enumerate(program.instructions):
        if op == "input":
            counts = args in inputs
        elif op in ("constant", "numbers"):
            counts = op == "constant" or value.whole
        else:
            counts = op in _COUNTING and all(a in found for a in args)
        if counts:
            found.add(k)
    return frozenset(found)


def counting_in_steps(steps: Steps, start: Sequence[bool]) -> frozenset[tuple[int, int]]:
    """Return the states of steps that count, of those that start with a count."""
    fixed = {(2, i) for i, so in enumerate(start[steps.size :]) if so}
    if steps.stops:  # each lane by itself
        return frozenset(fixed)
    states = {i for i, so in enumerate(start[: steps.size]) if so}
    while True:
        inputs = frozenset({(0, 0), *((1, i) for i in states), *fixed})
        found = counting(steps.program, inputs)
        still = {i for i in states if steps.program.results[0][i] in found}
        if still == states:
            return inputs
        states = still


def memory(body: ArithmeticEmitter, entries: int) -> str:
    """Room for a row of all lanes."""
    lanes, n = body.lanes, body.block()
    size = _cleared(body, entries) // lanes.bytes
    if body.on_stack + size <= ON_STACK:
        body.on_stack += size
        body.prologue.append(f"  %room{n} = alloca {lanes.scalar}, i64 {size}, align {lanes.alignment}")
    else:  # to full lanes: what is allocated is aligned to 16 bytes
        body.prologue += [
            f"  %given{n} = call ptr @malloc(i64 {lanes.bytes * size + 64})",
            f"  %aligned{n} = getelementptr i8, ptr %given{n}, i64 63",
            f"  %room{n} = call ptr @llvm.ptrmask.p0.i64(ptr %aligned{n}, i64 -64)",
        ]
        body.epilogue.append(f"  call void @free(ptr %given{n})")
        body.declared.add("declare ptr @llvm.ptrmask.p0.i64(ptr, i64)")
    return f"%room{n}"


def _cleared(body: ArithmeticEmitter, entries: int) -> int:
    """Return the bytes of a row of all lanes, a multiple of those that are cleared at once."""
    return -(-entries * body.lanes.alignment // 32) * 32


def emit_row(body: ArithmeticEmitter, instruction: Instruction) -> RowAddress:
    """Write what makes a row."""
    op, args, value = instruction
    return _MAKING[op](body, args, value)


def _numbers(body: ArithmeticEmitter, args: tuple[int, ...], data: ConstantTable) -> RowAddress:
    form, name = body.lanes.format, f"@numbers_{data.digest[:32]}"
    entries = ", ".join(f"{form.scalar} {form.number(x)}" for x in data.entries.tolist())
    body.declared.add(f"{name} = private constant [{len(data.entries)} x {form.scalar}] [{entries}], align 64")
    return RowAddress("shared", (name,))


def _array(body: ArithmeticEmitter, args: tuple[int, ...], data: tuple[int, int, int]) -> RowAddress:
    argument, first, _ = data
    return body.argument(argument)._replace(first=first)


def _table(body: ArithmeticEmitter, args: tuple[int, ...], size: int) -> RowAddress:
    place = RowAddress("lanes", (memory(body, size),))
    for k, a in enumerate(args):
        body.lines.append(f"  store {body.lanes.number} {body.values[a]}, {located(body, place, k)}")
        body.seam()
    return place


def _part(body: ArithmeticEmitter, args: tuple[int, ...], data: EntryRange) -> RowAddress:
    place = body.places[body.values[args[0]]]
    return place._replace(first=place.first + place.step * data.first, step=place.step * data.step)


def _kept(body: ArithmeticEmitter, args: tuple[int, ...], state: int) -> RowAddress:
    steps: Steps = body.program.instructions[args[0]].value
    return RowAddress("lanes", (body.results[args[0]][-1],), state, steps.size)


def _zeros(body: ArithmeticEmitter, args: tuple[int, ...], size: int) -> RowAddress:
    room = memory(body, size)
    body.lines.append(f"  call void @clear(ptr {room}, i64 {_cleared(body, size)})")
    return RowAddress("lanes", (room,))


def _room(body: ArithmeticEmitter, args: tuple[int, ...], size: int) -> RowAddress:
    return RowAddress("lanes", (memory(body, size),))


def _added(body: ArithmeticEmitter, args: tuple[int, ...], size: int) -> RowAddress:
    whole, index, x = body.places[body.values[args[0]]], emit_index(body, args[1]), body.values[args[2]]
    V, lanes, place = body.lanes.number, body.lanes, _shifted(whole, index)
    index = index._replace(lanes=of_each_lane(body, index))
    if index.there:
        x = body.emit(f"select {lanes.bit} {index.there}, {V} {x}, {V} {lanes.constant(float('nan'))}")
    if len(index.lanes) == 1:
        at = located(body, place, index.lanes[0])
        total = body.emit(f"fadd {V} {body.emit(f'load {V}, {at}')}, {x}")
        body.lines.append(f"  store {V} {total}, {at}")
        return whole
    for lane, one in enumerate(index.lanes):
        at = _of_lane(body, place, one, lane)
        entry = body.emit(f"extractelement {V} {x}, i32 {lane}")
        total = body.emit(f"fadd {lanes.scalar} {body.emit(f'load {lanes.scalar}, {at}')}, {entry}")
        body.lines.append(f"  store {lanes.scalar} {total}, {at}")
    return whole


def _put(body: ArithmeticEmitter, args: tuple[int, ...], size: int) -> RowAddress:
    whole, index, x = body.places[body.values[args[0]]], emit_index(body, args[1]), body.values[args[2]]
    V, place = body.lanes.number, _shifted(whole, index)
    if not index.there and _is_register(place, index):
        body.lines.append(f"  store {V} {x}, {located(body, place, index.lanes[0])}")
        return whole
    for lane, one in enumerate(of_each_lane(body, index)):
        at = _of_lane(body, place, one, lane)
        entry = body.emit(f"extractelement {V} {x}, i32 {lane}") if body.lanes.width > 1 else x
        body.lines.append(f"  store {body.lanes.scalar} {entry}, {at}")
    return whole


def emit_take(body: ArithmeticEmitter, row: int, place: int) -> str:
    """Write the reading of an entry at a computed place."""
    index, lanes = emit_index(body, place), body.lanes
    at = _shifted(body.places[body.values[row]], index)
    if len(index.lanes) == 1 and not index.stride:
        found = read(body, at, index.lanes[0])
    elif _is_register(at, index):
        found = body.emit(f"load {lanes.number}, {located(body, at, index.lanes[0])}")
    else:
        found = "poison"
        for lane, one in enumerate(of_each_lane(body, index)):
            entry = body.emit(f"load {lanes.scalar}, {_of_lane(body, at, one, lane)}")
            found = body.emit(f"insertelement {lanes.number} {found}, {lanes.scalar} {entry}, i32 {lane}")
    if not index.there:
        return found
    nan = lanes.constant(float("nan"))
    return body.emit(f"select {lanes.bit} {index.there}, {lanes.number} {found}, {lanes.number} {nan}")


def emit_index(body: ArithmeticEmitter, k: int) -> Index:
    """A value as a whole number, written once."""
    if k not in body.indices:
        body.indices[k] = _index(body, k)
    return body.indices[k]


def _is_register(place: RowAddress, index: Index) -> bool:
    """Return whether the entries of all lanes are next to each other in memory."""
    if place.kind != "shared":
        return len(index.lanes) == 1 and not index.stride
    return place.step * index.stride == 1


def of_each_lane(body: ArithmeticEmitter, index: Index) -> list[str]:
    """Return the number of each lane; one where all lanes have it."""
    if not index.stride:
        return index.lanes
    (first,) = index.lanes
    return [moved(body, first, lane * index.stride) for lane in range(body.lanes.width)]


def moved(body: ArithmeticEmitter, x: str, n: int) -> str:
    """Return a whole number and n more."""
    if not n or not x.lstrip("-").isdigit():
        return body.emit(f"add i64 {x}, {n}") if n else x
    return str(int(x) + n)


def _index(body: ArithmeticEmitter, k: int) -> Index:
    if k in body.counting:
        at, beyond = _counted(body, k)
        return Index([at], "", beyond)
    if k in body.own_counts:
        return body.own_count(k)
    lanes, V, x = body.lanes, body.lanes.number, body.values[k]
    zero = lanes.constant(0.0)
    there = body.emit(f"fcmp ord {V} {x}, {zero}")
    x = body.emit(f"select {lanes.bit} {there}, {V} {x}, {V} {zero}")
    entries = [x]
    if lanes.width > 1:
        entries = [body.emit(f"extractelement {V} {x}, i32 {lane}") for lane in range(lanes.width)]
    return Index([body.emit(f"fptosi {lanes.scalar} {one} to i64") for one in entries], there)


def _counted(body: ArithmeticEmitter, k: int) -> tuple[str, int]:
    """Return the integer part of an index, and an offset, which addresses include without an instruction."""
    op, args, value = body.program.instructions[k]
    if op == "constant":
        return "0", int(value)
    if op == "input" and args in body.wholes:
        return body.wholes[args], 0
    if op in ("add", "sub"):
        (x,), _, a, _ = emit_index(body, args[0])
        (y,), _, b, _ = emit_index(body, args[1])
        beyond = a + b if op == "add" else a - b
        if y == "0":
            return x, beyond
        return (y if x == "0" and op == "add" else body.emit(f"{op} i64 {x}, {y}")), beyond
    if op == "mul":
        x, y = (whole_number(body, a) for a in args)
        return body.emit(f"mul i64 {x}, {y}"), 0
    if op == "take":
        row = body.places[body.values[args[0]]]
        index = emit_index(body, args[1])
        x = body.emit(f"load {body.lanes.scalar}, {located(body, _shifted(row, index), index.lanes[0])}")
    else:
        x = body.values[k]
        if body.lanes.width > 1:
            x = body.emit(f"extractelement {body.lanes.number} {x}, i32 0")
    return body.emit(f"fptosi {body.lanes.scalar} {x} to i64"), 0


def whole_number(body: ArithmeticEmitter, k: int) -> str:
    """A value that counts, as a whole number."""
    (x,), _, beyond, _ = emit_index(body, k)
    return str(beyond) if x == "0" else body.emit(f"add i64 {x}, {beyond}") if beyond else x


def _shifted(place: RowAddress, index: Index) -> RowAddress:
    """Return the row shifted by an offset of the index."""
    return place._replace(first=place.first + place.step * index.beyond) if index.beyond else place


def read(body: ArithmeticEmitter, place: RowAddress, entry: int | str) -> str:
    """An entry of all lanes, the same place in each."""
    lanes, V = body.lanes, body.lanes.number
    if place.kind == "lanes" or lanes.width == 1:
        return body.emit(f"load {V}, {located(body, place, entry)}")
    if place.kind == "shared":
        return splat(body, body.emit(f"load {lanes.scalar}, {located(body, place, entry)}"))
    found, offset = "poison", _offset(body, place, entry)
    for lane, row in enumerate(place.bases):
        address = body.emit(f"getelementptr {lanes.scalar}, ptr {row}, i64 {offset}")
        one = body.emit(f"load {lanes.scalar}, ptr {address}, align {lanes.bytes}")
        found = body.emit(f"insertelement {V} {found}, {lanes.scalar} {one}, i32 {lane}")
    return found


def splat(body: ArithmeticEmitter, x: str) -> str:
    """The same number in all lanes."""
    V, W = body.lanes.number, body.lanes.width
    first = body.emit(f"insertelement {V} poison, {body.lanes.scalar} {x}, i32 0")
    return body.emit(f"shufflevector {V} {first}, {V} poison, <{W} x i32> zeroinitializer")


def _offset(body: ArithmeticEmitter, place: RowAddress, entry: int | str) -> str:
    """Entries from the address of a row to one of its entries."""
    if isinstance(entry, int):
        return str(place.first + place.step * entry)
    if entry == "0":
        return str(place.first)
    if place.step != 1:
        entry = body.emit(f"mul i64 {entry}, {place.step}")
    return body.emit(f"add i64 {entry}, {place.first}") if place.first else entry


def located(body: ArithmeticEmitter, place: RowAddress, entry: int | str) -> str:
    """The address of an entry, as an operand."""
    kind = body.lanes.number if place.kind == "lanes" else body.lanes.scalar
    if isinstance(entry, str) and entry != "0" and place.first:  # what does not change last: a part of the address
        offset = _offset(body, place._replace(first=0), entry)
        begin = body.emit(f"getelementptr {kind}, ptr {place.bases[0]}, i64 {offset}")
        address = body.emit(f"getelementptr {kind}, ptr {begin}, i64 {place.first}")
    else:
        address = body.emit(f"getelementptr {kind}, ptr {place.bases[0]}, i64 {_offset(body, place, entry)}")
    return f"ptr {address}, align {body.lanes.alignment if place.kind == 'lanes' else body.lanes.bytes}"


def _of_lane(body: ArithmeticEmitter, place: RowAddress, entry: str, lane: int) -> str:
    """The address of one lane's entry, as an operand."""
    offset = _offset(body, place, entry)
    if place.kind == "lanes":
        offset = body.emit(f"add i64 {body.emit(f'mul i64 {offset}, {body.lanes.width}')}, {lane}")
    base = place.bases[lane if place.kind == "rows" else 0]
    return f"ptr {body.emit(f'getelementptr {body.lanes.scalar}, ptr {base}, i64 {offset}')}, align {body.lanes.bytes}"


_MAKING: dict[str, Callable[..., RowAddress]] = {
    "numbers": _numbers,
    "array": _array,
    "table": _table,
    "part": _part,
    "kept": _kept,
    "zeros": _zeros,
    "room": _room,
    "added": _added,
    "put": _put,
}
