"""Loops over rows of numbers, as LLVM IR: matrix products, and one function of all entries.

On lanes, an entry of all lanes is a register. The entries of a shared matrix are read one by one and broadcast; those
of a matrix of each lane are read in groups and transposed in registers. For a single row a register holds consecutive
entries. Sums are evaluated in the order of the columns in each case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from linkwright.compiler.emit.instructions.vector_math import Lanes
from linkwright.compiler.emit.tables import RowAddress, located, memory, read, splat
from linkwright.compiler.ir.program import Each, Instruction
from linkwright.expression.loops.tables import MatrixLayout

if TYPE_CHECKING:
    from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter

TURNED = 4
"""Entries of each lane's row that are read and turned at once."""

TOGETHER = 2
"""Registers that one function of entries is computed on at once: waiting for one, the processor works on the other."""

Rows = Callable[[str, int], None]
"""Writer of several rows of a result, from a computed one on."""


def emit_loop(body: ArithmeticEmitter, instruction: Instruction) -> RowAddress:
    """Write what makes a row by a loop."""
    op, args, value = instruction
    return _LOOPS[op](body, args, value)


def _product(body: ArithmeticEmitter, args: tuple[int, ...], sides: MatrixLayout) -> RowAddress:
    """A x by loops: of some rows at once, column after column."""
    A, x = (body.places[body.values[a]] for a in args)
    A = A._replace(first=A.first + A.step * sides.first)
    sides = sides._replace(down=A.step * sides.down, right=A.step * sides.right, first=0)
    y = RowAddress("lanes", (memory(body, sides.height),))
    if body.lanes.width == 1:
        _alone(body, A, x, y, sides)
        return y

    def rows(A: RowAddress, first: str, count: int) -> None:
        starts = [_shifted(body, A, _product_of(body, _sum(body, first, k), sides.down)) for k in range(count)]
        sums = _RowSums(body, sides.width, count)
        entry = read(body, x, sums.at)
        column = _product_of(body, sums.at, sides.right)
        for k, start in enumerate(starts):
            sums.add(k, _entry(body, start, column), entry)
        for k, total in enumerate(sums.end()):
            at = located(body, y, _sum(body, first, k))
            body.lines.append(f"  store {body.lanes.number} {total}, {at}")

    most = 16 if _many_registers(body) else 8
    if (n := _fork(body, A)) is None:
        _all_rows(body, sides.height, most, partial(rows, A))
        return y
    _all_rows(body, sides.height, most, partial(rows, A._replace(kind="shared")))
    _other_way(body, n)
    _lane_by_lane(body, A, x, y, sides)
    _together(body, n)
    return y


def _lane_by_lane(body: ArithmeticEmitter, A: RowAddress, x: RowAddress, y: RowAddress, sides: MatrixLayout) -> None:
    """Emit the product for a matrix of each lane: each as a single row; the results are then transposed."""
    W, height = body.lanes.width, sides.height
    x = _of_lanes(body, x, sides.width)
    apart = memory(body, height)
    loop = _RowLoop(body, W)
    bytes_ = body.emit(f"mul i64 {loop.at}, {A.apart}")
    own = A._replace(bases=(body.emit(f"getelementptr i8, ptr {A.bases[0]}, i64 {bytes_}"),))
    first = loop.at if x.kind == "lanes" else "0"
    entries = RowAddress(
        "shared", (body.emit(f"getelementptr {body.lanes.scalar}, ptr {x.bases[0]}, i64 {first}"),), x.first, x.step
    )
    if x.kind == "lanes":
        entries = entries._replace(first=x.first * W, step=x.step * W)
    place = body.emit(f"getelementptr {body.lanes.scalar}, ptr {apart}, i64 {_product_of(body, loop.at, height)}")
    _alone(body, own, entries, RowAddress("lanes", (place,)), sides)
    loop.end()
    lanes = tuple(_moved(body, apart, lane * height) for lane in range(W))
    _turn(body, RowAddress("rows", lanes), y, height)


def _alone(body: ArithmeticEmitter, A: RowAddress, x: RowAddress, y: RowAddress, sides: MatrixLayout) -> None:
    """The same of a single row: registers of results, where the entries of the matrix lie one after the other."""
    A, x = (one._replace(kind="shared") for one in (A, x))
    done = 0
    beside = sides.down == 1 or (sides.right == 1 and sides.width >= TURNED)
    for width in _widths(body) if beside else (1,):
        blocks = (sides.height - done) // width
        if not blocks:
            continue
        begin = done

        def rows(first: str, count: int, width: int = width, begin: int = begin) -> None:
            with _on_lanes(body, width):
                places = [_product_of(body, _sum(body, first, k), width) for k in range(count)]
                places = [_sum(body, place, begin) for place in places]
                _block(body, A, x, y, sides, places)

        _all_rows(body, blocks, 4 if width > 1 else 8, rows)
        done += blocks * width


def _block(
    body: ArithmeticEmitter, A: RowAddress, x: RowAddress, y: RowAddress, sides: MatrixLayout, places: list[str]
) -> None:
    """Some registers of results, that begin at these places."""
    lanes = body.lanes
    bases = [_shifted(body, A, _product_of(body, place, sides.down)) for place in places]
    by_lane = [
        one._replace(
            kind="rows", bases=tuple(_moved(body, one.bases[0], lane * sides.down) for lane in range(lanes.width))
        )
        for one in bases
    ]
    some = 1 if sides.down == 1 else min(TURNED, lanes.width)
    sums = _RowSums(body, sides.width // some, len(places))
    column = _product_of(body, sums.at, some)
    entries = [read(body, x, _sum(body, column, c)) for c in range(some)]
    shift = _product_of(body, column, sides.right)
    for k, (base, rows) in enumerate(zip(bases, by_lane, strict=True)):
        if some > 1:
            found = _turned(body, _shifted(body, rows, shift), some)
        else:
            found = [_loaded(body, _shifted(body, base, shift))]
        for a, entry in zip(found, entries, strict=True):
            sums.add(k, a, entry)
    totals = sums.end()
    for c in range(sides.width // some * some, sides.width):
        entry = read(body, x, c)
        for k, rows in enumerate(by_lane):
            totals[k] = body.multiplied_and_added(read(body, rows, c), entry, totals[k])
    for place, total in zip(places, totals, strict=True):
        at = body.emit(f"getelementptr {lanes.scalar}, ptr {y.bases[0]}, i64 {place}")
        body.lines.append(f"  store {lanes.number} {total}, ptr {at}, align {body.lanes.bytes}")


def _outer(body: ArithmeticEmitter, args: tuple[int, ...], sides: MatrixLayout) -> RowAddress:
    """Products of all pairs, added to a row."""
    whole, y, x = (body.places[body.values[a]] for a in args)
    row = whole._replace(first=whole.first + whole.step * sides.first)
    V = body.lanes.number

    def rows(first: str, count: int) -> None:
        starts = [
            _shifted(body, row, _product_of(body, _sum(body, first, k), sides.down * row.step)) for k in range(count)
        ]
        of_rows = [read(body, y, _sum(body, first, k)) for k in range(count)]
        loop = _RowLoop(body, sides.width)
        entry = read(body, x, loop.at)
        column = _product_of(body, loop.at, sides.right)
        for start, one in zip(starts, of_rows, strict=True):
            at = located(body, start, column)
            total = body.multiplied_and_added(one, entry, body.emit(f"load {V}, {at}"))
            body.lines.append(f"  store {V} {total}, {at}")
        loop.end()

    _all_rows(body, sides.height, 8, rows)
    return whole


def _each(body: ArithmeticEmitter, args: tuple[int, ...], each: Each) -> RowAddress:
    """One function of the entries of rows; alone, of as many at once as there are lanes."""
    given = [body.values[a] for a in args]
    rows, fixed = [body.places[name] for name in given[: each.rows]], given[each.rows :]
    result = RowAddress("lanes", (memory(body, each.size),))
    if body.lanes.width > 1:
        rows = [_of_lanes(body, row, each.size) for row in rows]
        done, W = 0, body.lanes.width
        together = TOGETHER if all(row.kind == "lanes" and row.step == 1 for row in rows) else 1
        for some in (together, 1):
            if not (turns := (each.size - done) // some):
                continue
            loop = _RowLoop(body, turns)
            place = _sum(body, _product_of(body, loop.at, some), done)
            places = [located(body, row, place) for row in rows] if some > 1 else []
            at = located(body, result, place)
            entries = [] if places else [read(body, row, place) for row in rows]
            with _on_lanes(body, W * some):
                entries += [body.emit(f"load {body.lanes.number}, {one}") for one in places]
                found = _of_entry(body, each, entries, [_repeated(body, x, W, some) for x in fixed])
                body.lines.append(f"  store {body.lanes.number} {found}, {at}")
            loop.end()
            done += turns * some
        return result
    rows, done = [row._replace(kind="shared") for row in rows], 0
    for width in _widths(body) if all(row.step == 1 for row in rows) else (1,):
        if not (blocks := (each.size - done) // width):
            continue
        loop = _RowLoop(body, blocks)
        place = _sum(body, _product_of(body, loop.at, width), done)
        with _on_lanes(body, width):
            shifts = [_product_of(body, place, row.step) for row in rows]
            entries = [_loaded(body, _shifted(body, row, at)) for row, at in zip(rows, shifts, strict=True)]
            found = _of_entry(body, each, entries, [splat(body, x) for x in fixed] if width > 1 else fixed)
            at = body.emit(f"getelementptr {body.lanes.scalar}, ptr {result.bases[0]}, i64 {place}")
            body.lines.append(f"  store {body.lanes.number} {found}, ptr {at}, align {body.lanes.bytes}")
        loop.end()
        done += blocks * width
    return result


def _repeated(body: ArithmeticEmitter, x: str, width: int, times: int) -> str:
    """Return a register repeated several times."""
    indices = ", ".join(f"i32 {k}" for k in [*range(width)] * times)
    one = f"<{width} x {body.lanes.scalar}> {x}"
    return body.emit(f"shufflevector {one}, {one}, <{width * times} x i32> <{indices}>") if times > 1 else x


def _of_entry(body: ArithmeticEmitter, each: Each, entries: list[str], fixed: list[str]) -> str:
    step = body.inside(each.program, [entries, fixed])
    step.compute(range(len(each.program.instructions)))
    found = step.values[each.program.results[0][0]]
    step.leave()
    return found


def _of_lanes(body: ArithmeticEmitter, row: RowAddress, size: int) -> RowAddress:
    """Return the row in the layout that all lanes read together: rows of each lane's memory are copied, in groups."""
    if row.kind != "rows":
        return row
    copy = RowAddress("lanes", (memory(body, size),))
    n = _fork(body, row)
    assert n is not None
    loop = _RowLoop(body, size)
    entry = read(body, row._replace(kind="shared"), loop.at)
    body.lines.append(f"  store {body.lanes.number} {entry}, {located(body, copy, loop.at)}")
    loop.end()
    _other_way(body, n)
    _turn(body, row, copy, size)
    _together(body, n)
    return copy


def _turn(body: ArithmeticEmitter, row: RowAddress, copy: RowAddress, size: int) -> None:
    """Copy a row of each lane's memory to the layout that all lanes read together, in groups."""
    some = min(TURNED, body.lanes.width) if row.step == 1 else 1
    done = 0
    if size >= some > 1:
        loop = _RowLoop(body, size // some)
        first = body.emit(f"mul i64 {loop.at}, {some}")
        for k, x in enumerate(_turned(body, _shifted(body, row, first), some)):
            body.lines.append(f"  store {body.lanes.number} {x}, {located(body, copy, _sum(body, first, k))}")
        loop.end()
        done = size // some * some
    if size > done:
        loop = _RowLoop(body, size - done)
        place = _sum(body, loop.at, done)
        body.lines.append(f"  store {body.lanes.number} {read(body, row, place)}, {located(body, copy, place)}")
        loop.end()


def _many_registers(body: ArithmeticEmitter) -> bool:
    """Return whether the processor has 32 vector registers rather than 16."""
    return body.target.processor == "arm" or body.target.width >= 8


def _widths(body: ArithmeticEmitter) -> list[int]:
    """The lanes of registers and of their parts, for what is left over."""
    width = body.target.lanes(body.lanes.bytes)
    return [width >> k for k in range(width.bit_length())]


@contextmanager
def _on_lanes(body: ArithmeticEmitter, width: int) -> Iterator[None]:
    """Write for registers of another width."""
    around, body.lanes = body.lanes, Lanes(width, body.lanes.format)
    try:
        yield
    finally:
        body.lanes = around


def _sum(body: ArithmeticEmitter, x: str, n: int) -> str:
    return body.emit(f"add i64 {x}, {n}") if n else x


def _product_of(body: ArithmeticEmitter, x: str, n: int) -> str:
    return body.emit(f"mul i64 {x}, {n}") if n != 1 else x


def _moved(body: ArithmeticEmitter, base: str, entries: int) -> str:
    return body.emit(f"getelementptr {body.lanes.scalar}, ptr {base}, i64 {entries}") if entries else base


def _shifted(body: ArithmeticEmitter, row: RowAddress, entries: str) -> RowAddress:
    """A row from an entry on, that many entries of memory further."""
    kind = body.lanes.number if row.kind == "lanes" else body.lanes.scalar
    return row._replace(bases=tuple(body.emit(f"getelementptr {kind}, ptr {one}, i64 {entries}") for one in row.bases))


def _entry(body: ArithmeticEmitter, row: RowAddress, entries: str) -> str:
    """Return the entry at an offset from the first one."""
    return read(body, row._replace(step=1), entries)


def _turned(body: ArithmeticEmitter, row: RowAddress, some: int) -> list[str]:
    """The first entries of every lane's row."""
    return body.turned(list(row.bases), row.first, some)


def _loaded(body: ArithmeticEmitter, row: RowAddress) -> str:
    """The first entries of a row, a register of them."""
    return body.emit(f"load {body.lanes.number}, ptr {_moved(body, row.bases[0], row.first)}, align {body.lanes.bytes}")


def _fork(body: ArithmeticEmitter, row: RowAddress) -> int | None:
    """Branch on whether lanes share a row in memory, if they may: the following code is for the shared case."""
    if row.kind != "rows":
        return None
    n, same = body.block(), body.emit(f"icmp eq i64 {row.apart}, 0")
    body.lines += [f"  br i1 {same}, label %one{n}, label %each{n}", f"one{n}:"]
    return n


def _other_way(body: ArithmeticEmitter, n: int) -> None:
    body.lines += [f"  br label %both{n}", f"each{n}:"]


def _together(body: ArithmeticEmitter, n: int) -> None:
    body.lines += [f"  br label %both{n}", f"both{n}:"]


def _all_rows(body: ArithmeticEmitter, height: int, most: int, rows: Rows) -> None:
    """All rows of a result, about as many at once in each turn."""
    size = -(-height // -(-height // most))
    whole, rest = divmod(height, size)
    loop = _RowLoop(body, whole)
    rows(_product_of(body, loop.at, size), size)
    loop.end()
    if rest:
        rows(body.emit(f"add i64 0, {size * whole}"), rest)


class _RowLoop:
    """So many times, from its making to its end; ``at`` counts."""

    def __init__(self, body: ArithmeticEmitter, count: int):
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


class _RowSums:
    """Sums that a loop takes, each in the order of its columns."""

    def __init__(self, body: ArithmeticEmitter, columns: int, count: int):
        self.body, self.loop = body, _RowLoop(body, columns)
        self.at = self.loop.at
        self.totals = [f"%sum{self.loop.n}.{k}" for k in range(count)]
        body.lines += [";"] * count

    def add(self, k: int, a: str, x: str) -> None:
        """A product to one of the sums."""
        self.totals[k] = self.body.multiplied_and_added(a, x, self.totals[k])

    def end(self) -> list[str]:
        """The sums."""
        n, V, zero = self.loop.n, self.body.lanes.number, self.body.lanes.constant(0.0)
        for k, total in enumerate(self.totals):
            self.body.lines[self.loop.sums_at + k] = f"  %sum{n}.{k} = phi {V} [{zero}, %from{n}], [{total}, %more{n}]"
        self.loop.end()
        return self.totals


_LOOPS: dict[str, Callable[[ArithmeticEmitter, tuple[int, ...], Any], RowAddress]] = {
    "product": _product,
    "outer": _outer,
    "each": _each,
}
LOOPS = frozenset(_LOOPS)
