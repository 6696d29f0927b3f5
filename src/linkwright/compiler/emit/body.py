"""Bodies of stages as LLVM IR: instructions between spaces, on W lanes or on one.

A space says how a body reads and writes there: registers of lanes side by side, numbers that are the same in all lanes,
a row of each lane's own. The function of a body takes where its spaces begin, in the row of the table that it is run
for; that is the business of `stages.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter
from linkwright.compiler.ir.staged import Fragment, Write
from linkwright.compiler.native.machine import Target


class Space:
    """Memory of numbers of one kind."""

    early = False
    """whether a number is written as soon as it is known; otherwise all are written at the end, since memory that is
    read may also be written
    """

    def read(self, body: FragmentEmitter, entry: int, member: int) -> str:
        """A number of all lanes."""
        raise NotImplementedError

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """Put numbers of all lanes where they go."""
        raise NotImplementedError


class RegisterSpace(Space):
    """W numbers side by side for every entry."""

    def __init__(self, begin: str, shift: int = 0, early: bool = False):
        self.begin, self.shift, self.early = begin, shift, early

    def address(self, body: FragmentEmitter, entry: int) -> str:
        """Return the address of an entry."""
        return body.item(body.lanes.number, self.begin, self.shift + entry)

    def read(self, body: FragmentEmitter, entry: int, member: int = 0) -> str:
        """One register."""
        return body.load(body.lanes.number, self.address(body, entry), 8 * body.lanes.width)

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """One register each."""
        V, align = body.lanes.number, 8 * body.lanes.width
        for write, x in written:
            address = self.address(body, write.entry)
            total = body.emit(f"fadd {V} {body.load(V, address, align)}, {x}") if write.add else x
            body.store(V, total, address, align)


class UniformSpace(Space):
    """Numbers that are the same in all lanes."""

    def __init__(self, begin: str, shift: int = 0):
        self.begin, self.shift = begin, shift

    def read(self, body: FragmentEmitter, entry: int, member: int = 0) -> str:
        """One number, in every lane."""
        one = body.load("double", body.item("double", self.begin, self.shift + entry))
        V, W = body.lanes.number, body.lanes.width
        if W == 1:
            return one
        first = body.emit(f"insertelement {V} poison, double {one}, i32 0")
        return body.emit(f"shufflevector {V} {first}, {V} poison, <{W} x i32> zeroinitializer")


class StridedRows(Space):
    """A row for every lane, at a constant stride in bytes."""

    def __init__(self, begin: str, apart: str):
        self.begin, self.apart = begin, apart

    def _row(self, body: FragmentEmitter, lane: int) -> str:
        if lane == 0:
            return self.begin
        return body.emit(f"getelementptr i8, ptr {self.begin}, i64 {body.emit(f'mul i64 {self.apart}, {lane}')}")

    def read(self, body: FragmentEmitter, entry: int, member: int = 0) -> str:
        """An entry of every row."""
        V, W = body.lanes.number, body.lanes.width
        found = [body.load("double", body.item("double", self._row(body, lane), entry)) for lane in range(W)]
        if W == 1:
            return found[0]
        result = "poison"
        for lane, x in enumerate(found):
            result = body.emit(f"insertelement {V} {result}, double {x}, i32 {lane}")
        return result

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """Row by row."""
        for lane in range(body.lanes.width):
            row = self._row(body, lane)
            for write, x in written:
                address = body.item("double", row, write.entry)
                one = body.one(x, lane)
                if write.add:
                    one = body.emit(f"fadd double {body.load('double', address)}, {one}")
                body.store("double", one, address)


class ColumnSpace(Space):
    """Adjacent columns, at a constant stride from one entry to the next; a member is a column.

    ``left``: number of columns; those of lanes beyond are not written.
    """

    def __init__(self, begin: str, stride: str, left: str = ""):
        self.begin, self.stride, self.left = begin, stride, left

    def _address(self, body: FragmentEmitter, entry: int, member: int) -> str:
        at = body.emit(f"mul i64 {self.stride}, {entry}")
        return body.item("double", self.begin, body.emit(f"add i64 {at}, {member}") if member else at)

    def read(self, body: FragmentEmitter, entry: int, member: int) -> str:
        """As many columns as there are lanes."""
        return body.load(body.lanes.number, self._address(body, entry, member))

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """Those that there are."""
        V, W = body.lanes.number, body.lanes.width
        for write, x in written:
            address = self._address(body, write.entry, write.member)
            if W == 1:
                body.store("double", x, address)
                continue
            body.declared.add(f"declare void @llvm.masked.store.v{W}f64.p0({V}, ptr, i32, <{W} x i1>)")
            mask = body.once("columns that there are", lambda: self._mask(body))
            body.lines.append(
                f"  call void @llvm.masked.store.v{W}f64.p0({V} {x}, ptr {address}, i32 8, <{W} x i1> {mask})"
            )

    def _mask(self, body: FragmentEmitter) -> str:
        W = body.lanes.width
        first = body.emit(f"insertelement <{W} x i64> poison, i64 {self.left}, i32 0")
        left = body.emit(f"shufflevector <{W} x i64> {first}, <{W} x i64> poison, <{W} x i32> zeroinitializer")
        numbers = ", ".join(f"i64 {k}" for k in range(W))
        return body.emit(f"icmp sgt <{W} x i64> {left}, <{numbers}>")


class MultipleSpaces(Space):
    """A destination of several spaces, or of none."""

    def __init__(self, spaces: Sequence[Space]):
        self.spaces = spaces

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """To each."""
        for one in self.spaces:
            one.write(body, written)


class RecordSpace(RegisterSpace):
    """Registers of records: a member is a record, at a constant offset in entries."""

    def __init__(self, begin: str, records: Mapping[int, int]):
        super().__init__(begin)
        self.records = records

    def read(self, body: FragmentEmitter, entry: int, member: int = 0) -> str:
        """One register of a record."""
        return super().read(body, self.records[member] + entry)


class IndexedSpace(Space):
    """A row for every lane, at an offset in an array given by a list of lanes.

    ``which``: the entry of that list, ``members`` further for each member of a row. Rows that are ``whole`` are read
    four numbers at once, also beyond the required ones.
    """

    def __init__(self, begin: str, which: int, members: int = 0, whole: bool = True, early: bool = False):
        self.begin, self.which, self.members, self.whole, self.early = begin, which, members, whole, early

    def _row(self, body: FragmentEmitter, member: int, lane: int) -> str:
        place = (self.which + self.members * member) * body.lanes.width + lane
        at = body.once(f"place {place}", lambda: body.load("i64", body.item("i64", "%ids", place)))
        return body.once(f"row {self.begin} {place}", lambda: body.item("double", self.begin, at))

    def read(self, body: FragmentEmitter, entry: int, member: int) -> str:
        """A number of each lane's row."""
        W = body.lanes.width
        if W == 1:
            return body.load("double", body.item("double", self._row(body, member, 0), entry))
        if not self.whole:
            result = "poison"
            for lane in range(W):
                x = body.load("double", body.item("double", self._row(body, member, lane), entry))
                result = body.emit(f"insertelement {body.lanes.number} {result}, double {x}, i32 {lane}")
            return result
        size = min(4, W)
        group = f"columns {self.begin} {self.which} {member} {entry // size}"
        if group not in body.several:
            rows = [self._row(body, member, lane) for lane in range(W)]
            body.several[group] = body.turned(rows, entry // size * size, size)
        return body.several[group][entry % size]

    def write(self, body: FragmentEmitter, written: Sequence[tuple[Write, str]]) -> None:
        """Write consecutive numbers in groups, others individually."""
        W, V = body.lanes.width, body.lanes.number
        size = min(4, W) if self.whole else 1
        for k in range(0, len(written), size):
            some = written[k : k + size]
            write = some[0][0]
            if size == 1:
                for lane in range(W):
                    address = body.item("double", self._row(body, write.member, lane), write.entry)
                    body.store("double", body.one(some[0][1], lane), address)
                continue
            turned = body.transposed([*(x for _, x in some), *[body.lanes.constant(0.0)] * (size - len(some))])
            for lane in range(W):
                first = lane // size * size
                indices = ", ".join(f"i32 {first + i}" for i in range(size))
                cut = body.emit(f"shufflevector {V} {turned[lane % size]}, {V} poison, <{size} x i32> <{indices}>")
                body.store(
                    f"<{size} x double>", cut, body.item("double", self._row(body, write.member, lane), write.entry)
                )


class FragmentEmitter(ArithmeticEmitter):
    """The instructions of a body, with its spaces by number."""

    def __init__(self, body: Fragment, spaces: Mapping[int, Space], width: int, target: Target, careful: bool = False):
        super().__init__(body.program, width, target, careful)
        self.body, self.spaces = body, spaces
        self.found: dict[str, str] = {}
        self.several: dict[str, list[str]] = {}

    def fetched(self, *place: int) -> str:
        """A number of a space."""
        space, entry, *member = place
        return self.spaces[space].read(self, entry, *(member or (0,)))

    def function(self, name: str, arguments: str) -> str:
        """The whole function. It returns whether an angle was too large for the lanes' sine."""
        self.lines.append("start:")
        (values,) = self.program.results
        early: dict[int, list[Write]] = {}
        late: dict[int, list[tuple[Write, int]]] = {}
        for value, write in zip(values, self.body.writes, strict=True):
            if self.spaces[write.space].early:
                early.setdefault(value, []).append(write)
            else:
                late.setdefault(write.space, []).append((write, value))
        for k, instruction in enumerate(self.program.instructions):
            self.compute(k, instruction)
            for write in early.get(k, ()):
                self.spaces[write.space].write(self, [(write, self.values[k])])
            self.seam()
        for space, written in late.items():
            self.spaces[space].write(self, [(write, self.values[value]) for write, value in written])
        self.lines.append(f"  ret i1 {self._far()}")
        return "\n".join(
            [f"define internal i1 @{name}({arguments}) #0{self.lanes.stack} {{", *self.finished(), "}", ""]
        )

    # what spaces write with

    def once(self, name: str, make: Callable[[], str]) -> str:
        """A value that is written when it is first needed."""
        if name not in self.found:
            self.found[name] = make()
        return self.found[name]

    def item(self, type: str, array: str, k: int | str) -> str:
        """The address of an entry."""
        return self.emit(f"getelementptr {type}, ptr {array}, i64 {k}")

    def load(self, type: str, address: str, align: int = 8) -> str:
        """Load the value at an address."""
        return self.emit(f"load {type}, ptr {address}, align {align}")

    def store(self, type: str, x: str, address: str, align: int = 8) -> None:
        """Put it there."""
        self.lines.append(f"  store {type} {x}, ptr {address}, align {align}")

    def one(self, x: str, lane: int) -> str:
        """A lane's number."""
        return x if self.lanes.width == 1 else self.emit(f"extractelement {self.lanes.number} {x}, i32 {lane}")
