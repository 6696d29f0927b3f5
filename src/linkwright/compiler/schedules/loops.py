"""Loops over bodies as a program: its tables, its text for LLVM, itself on NumPy arrays.

The code knows the kinds of joint, not how many bodies there are nor their numbers: those are in tables, so
the code of one chain serves a longer one. One row of inputs runs on plain doubles, batches on lanes, the
records of a body holding every lane's numbers side by side.
"""

from __future__ import annotations

import ctypes
import hashlib
import weakref
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.emit.arithmetic import Arithmetic
from linkwright.compiler.emit.code import Code
from linkwright.compiler.emit.rows import COPY, lengths_text, loop_text, tiny_text
from linkwright.compiler.emit.vector_math import Lanes
from linkwright.compiler.front.sweeps import WORLD, Found, Output
from linkwright.compiler.ir.program import Looped, Operations, Slot
from linkwright.compiler.native.entry import DECLARATIONS, entry_text
from linkwright.compiler.native.machine import Target
from linkwright.compiler.passes.remember import Loops
from linkwright.compiler.passes.shared import FIRST_INPUT, OWN, PARENT, SHARED, Between, Step
from linkwright.compiler.schedules.columns import ALIGNMENT, DECLARED, FUNCTIONS, Beside, ColumnBody
from linkwright.errors import counted
from linkwright.model.tree import Model

SCRATCH_LIMIT = 256 * 2**20
"""Bytes of records beyond which batches run row by row instead of on lanes."""

_PARENT, _KIND, _Q, _V, _OWN, _COLUMN, _AFTER, _LAST = range(8)
"""Columns of the table of bodies; the last three of columns of all joints: its own first, the one after its own, the
one after the last of those beyond it."""
_ROW = "[8 x i64]"


class LoopProgram(Looped):
    """An algorithm for one mechanism as loops over its bodies."""

    def __init__(self, name: str, inputs: tuple[Slot, ...], of: tuple[str, ...], loops: Loops):
        self.name, self.inputs, self.of, self.loops = name, inputs, of, loops
        recording = loops.recording
        self.single = recording.single
        names = ["result"] if self.single else [f"result{k}" for k in range(len(recording.outputs))]
        self.outputs = tuple(Slot(n, one.shape) for n, one in zip(names, recording.outputs, strict=True))

    @property
    def form(self) -> str:
        """What it is made of."""
        bodies, kinds = len(self.loops.recording.model.links), len(self.loops.recording.kinds)
        return f"loops over {counted(bodies, 'body', 'bodies')} of {counted(kinds, 'kind')}"

    @cached_property
    def operations(self) -> Operations:
        """The operations of all bodies."""
        counts = [0] * 6
        for steps in self.loops.steps:
            for step, kind in zip(steps, self.loops.recording.kinds, strict=True):
                counts = [a + b * len(kind.bodies) for a, b in zip(counts, step.program.operations, strict=True)]
        beyond = self.bodies[:, _LAST] - self.bodies[:, _AFTER]
        for columns in self.loops.columns:
            for one, kind in zip(columns, self.loops.recording.kinds, strict=False):
                times = int(beyond[kind.bodies].sum())
                counts = [a + b * times for a, b in zip(counts, one.program.operations, strict=True)]
        for between in self.loops.between:
            counts = [a + b for a, b in zip(counts, between.step.program.operations, strict=True)]
        return Operations(*counts)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides the code."""
        stages: list[Any] = [*self.loops.steps, *self.loops.columns]
        steps = [[(s.program.digest, tuple(s)[1:]) for s in one] for one in stages]
        outputs = [(one.of, one.shape[1:], one.summed, one.above, one.below) for one in self.loops.recording.outputs]
        between = [(one.step.program.digest, one.step[1:], self.places(one)) for one in self.loops.between]
        sizes = (self.loops.chain, self.loops.sizes, self.loops.shared)
        parts = (self.name, self.inputs, self.of, self.loops.passes, steps, self.loops.begins, sizes)
        return hashlib.sha256(repr((*parts, outputs, between, self.outputs, self.single)).encode()).hexdigest()

    @property
    def record_bytes(self) -> int:
        """How much each body remembers, its constant data included."""
        return 8 * (max(self.loops.sizes) + self.data.shape[1])

    @cached_property
    def data(self) -> np.ndarray:
        """(bodies, …): the numbers in which the bodies of a kind differ."""
        kinds = self.loops.recording.kinds
        data = np.zeros((len(self.loops.recording.model.links), max(kind.columns.shape[1] for kind in kinds)))
        for kind in kinds:
            data[kind.bodies, : kind.columns.shape[1]] = kind.columns
        return data

    @cached_property
    def bodies(self) -> np.ndarray:
        """(bodies, 5): see :func:`table_of`."""
        return self._table[0]

    @cached_property
    def _table(self) -> tuple[np.ndarray, int]:
        return table_of(self.loops, range(len(self.loops.recording.model.links)))

    def places(self, between: Between) -> list[tuple[int, int]]:
        """For each number that is read between passes which input it is of, or -1 and where before the first record
        or after it lies."""
        found = []
        for space, number, entry in between.reads:
            record = int(self.bodies[number, _OWN]) if space == "record" and number != WORLD else 0
            found.append((number if space == "input" else -1, record + entry))
        return found

    @property
    def width_of_all(self) -> int:
        """Velocity coordinates of all joints, those that follow others included."""
        return sum(joint.motion.nv for joint in self.loops.recording.model.joints)

    def tables(self) -> tuple[dict[str, int], Any]:
        """The addresses that the code refers to, and what must live as long as it."""
        count = np.array([len(self.bodies), self._table[1], self.width_of_all], dtype=np.int64)
        leads, multipliers = followed(self.loops.recording.model)
        return tables_of(bodies=self.bodies, numbers=self.data, count=count, leads=leads, multipliers=multipliers)

    def width(self, lanes: int) -> int:
        """As many rows at once as there are lanes; one where records would fill the memory, or columns take lanes."""
        return lanes if 8 * lanes * self._table[1] <= SCRATCH_LIMIT and not self.loops.by_columns else 1

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        functions: list[str] = []
        declared: set[str] = set()
        if any(one.of == "square" for one in self.loops.recording.outputs):
            functions.append(FUNCTIONS)
        for w in (width, 1) if width > 1 else (1,):
            texts, more = _driver(self, w, target)
            functions, declared = functions + texts, declared | more
        return module_of(self, width, target.processor, functions, declared)


def table_of(loops: Loops, bodies: range) -> tuple[np.ndarray, int]:
    """For each of these bodies where the parent's record begins, its kind, where in q and v its coordinates and
    where its own record begin; and how many numbers all records are, what is before them included.
    """
    model = loops.recording.model
    widths = np.array([joint.motion.nv for joint in model.joints])
    kinds = np.zeros(len(model.links), dtype=np.int64)
    for number, kind in enumerate(loops.recording.kinds):
        kinds[kind.bodies] = number
    records = loops.world + np.concatenate([[0], np.cumsum(np.array(loops.sizes)[kinds[bodies]])])
    at = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)
    table = np.zeros((len(bodies), 8), dtype=np.int64)
    parents = np.array([model.links[k].parent for k in bodies], dtype=np.int64) - bodies.start
    table[:, _PARENT] = np.where(parents >= 0, records[parents], 0)
    table[:, _KIND] = kinds[bodies]
    leaders = [k if (c := model.joints[k].coupling) is None else c.leader for k in bodies]
    table[:, [_Q, _V]] = at[leaders]
    columns = np.concatenate([[0], np.cumsum(widths)])
    last = np.arange(1, len(model.links) + 1)
    for k in reversed(range(len(last))):  # numbered depth first: those beyond a body follow it
        if (parent := model.links[k].parent) >= 0:
            last[parent] = max(last[parent], last[k])
    which = np.array(bodies)
    table[:, _COLUMN], table[:, _AFTER], table[:, _LAST] = columns[which], columns[which + 1], columns[last[which]]
    table[:, _OWN] = records[:-1]
    return table, int(records[-1])


def followed(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """For every velocity coordinate of all joints which one of v it is, or follows, and how many times that."""
    at = np.cumsum([0, *(joint.nv for joint in model.joints)])
    leads, multipliers = [], []
    for k, joint in enumerate(model.joints):
        leader, times = (k, 1.0) if joint.coupling is None else (joint.coupling.leader, joint.coupling.multiplier)
        leads += [int(at[leader]) + n for n in range(joint.motion.nv)]
        multipliers += [times] * joint.motion.nv
    return np.array(leads, dtype=np.int64), np.array(multipliers, dtype=np.float64)


class _Tables:
    """Arrays that code refers to, and the memory it leaves for its next call."""

    def __init__(self, arrays: tuple[np.ndarray, ...], spare: np.ndarray):
        self.arrays = arrays
        weakref.finalize(self, _freed, spare)


def tables_of(**arrays: np.ndarray) -> tuple[dict[str, int], Any]:
    """Their addresses, "spare" beside them: memory that no call is using (of one row, of lanes); what keeps them."""
    spare = np.zeros(2, dtype=np.intp)
    arrays = {name: _aligned(array) for name, array in arrays.items()} | {"spare": spare}
    return {name: array.ctypes.data for name, array in arrays.items()}, _Tables(tuple(arrays.values()), spare)


def _aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins where registers of lanes may be loaded from."""
    memory = np.empty(array.nbytes + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _freed(spare: np.ndarray) -> None:
    free = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "WinDLL") else None).free
    for address in spare:
        if address:
            free(ctypes.c_void_p(int(address)))


class StepBody(Arithmetic):
    """The instructions of a step. ``laned``: every lane is at a body of its own, with data of its own."""

    def __init__(self, step: Step, inputs: int, width: int, target: Target, loops: Loops, laned: bool = False):
        super().__init__(step.program, width, target, careful=laned)
        self.step, self.inputs, self.chain, self.laned = step, inputs, loops.chain, laned
        self.shared_at, self.summed = loops.shared, [one.summed for one in loops.recording.outputs]

    def fetched(self, *place: int) -> str:
        """A number, from a record, the data or the inputs."""
        space, entry = place
        lanes, W = self.lanes, self.lanes.width
        if space in (OWN, PARENT):
            return self._load_lanes("%own" if space == OWN else "%parent", entry)
        if space == SHARED:
            return self._load_lanes("%world", self.shared_at + entry)
        if space < FIRST_INPUT:
            if self.laned:
                return self._load_lanes("%data", entry)
            one = self.emit(f"load double, ptr {self._entry('%data', entry)}, align 8")
            if W == 1:
                return one
            first = self.emit(f"insertelement {lanes.double} poison, double {one}, i32 0")
            zeros = f"<{W} x i32> zeroinitializer"
            return self.emit(f"shufflevector {lanes.double} {first}, {lanes.double} poison, {zeros}")
        k = space - FIRST_INPUT
        if W == 1:
            return self.emit(f"load double, ptr {self._entry(f'%a{k}', entry)}, align 8")
        result = "poison"
        for lane in range(W):
            x = self.emit(f"load double, ptr {self._entry(self._row(k, lane), entry)}, align 8")
            result = self.emit(f"insertelement {lanes.double} {result}, double {x}, i32 {lane}")
        return result

    def _load_lanes(self, where: str, entry: int) -> str:
        V = self.lanes.double
        return self.emit(f"load {V}, ptr {self.address(where, entry)}, align {8 * self.lanes.width}")

    def address(self, where: str, entry: int) -> str:
        """Where a number of all lanes is."""
        return self.emit(f"getelementptr {self.lanes.double}, ptr {where}, i64 {entry}")

    def _entry(self, row: str, entry: int) -> str:
        return self.emit(f"getelementptr double, ptr {row}, i64 {entry}")

    def _row(self, argument: int, lane: int) -> str:
        """Where a lane's row of an input or output begins, at this body's part of it."""
        if lane == 0:
            return f"%a{argument}"
        return self.emit(f"getelementptr i8, ptr %a{argument}, i64 {self.emit(f'mul i64 %s{argument}, {lane}')}")

    def function(self, name: str) -> str:
        """The whole function of this name. It returns whether an angle was too large for the lanes' sine."""
        self.lines.append("start:")
        for k, instruction in enumerate(self.program.instructions):
            self.compute(k, instruction)
        self._write()
        self.lines.append(f"  ret i1 {self._far()}")
        arguments = ["ptr noalias %own", "ptr noalias %parent", "ptr noalias %data", "ptr %world", "ptr %columns"]
        arguments.append("i64 %stride")
        for k in range(self.inputs + len(self.step.results)):
            arguments += [f"ptr %a{k}", f"i64 %s{k}"]
        return "\n".join(
            [f"define internal i1 @{name}({', '.join(arguments)}) #0{self.lanes.stack} {{", *self.finished(), "}", ""]
        )

    def _write(self) -> None:
        """Records last: a place that is read may be the one that is written."""
        lanes, (own, sent, columns, *results) = self.lanes, self.program.results
        V, align = lanes.double, 8 * lanes.width
        for value, place in zip(sent, self.step.sent, strict=True):
            address = self.address("%parent", place)
            total = self.values[value]
            if not self.chain:
                before = self.emit(f"load {V}, ptr {address}, align {align}")
                total = self.emit(f"fadd {V} {before}, {total}")
            self.lines.append(f"  store {V} {total}, ptr {address}, align {align}")
        for value, place in zip(own, self.step.own, strict=True):
            address = self.address("%own", place)
            self.lines.append(f"  store {V} {self.values[value]}, ptr {address}, align {align}")
        for number, (values, entries) in enumerate(zip(results, self.step.results, strict=True), self.inputs):
            for lane in range(lanes.width):
                row = self._row(number, lane) if values else ""
                for value, entry in zip(values, entries, strict=True):
                    x = self.values[value]
                    if lanes.width > 1:
                        x = self.emit(f"extractelement {V} {x}, i32 {lane}")
                    address = self._entry(row, entry)
                    if self.summed[number - self.inputs]:
                        x = self.emit(f"fadd double {self.emit(f'load double, ptr {address}, align 8')}, {x}")
                    self.lines.append(f"  store double {x}, ptr {address}, align 8")
        for value, (column, part) in zip(columns, self.step.columns, strict=True):
            at = self.emit(f"add i64 {self.emit(f'mul i64 %stride, {part}')}, {column}")
            address = self.emit(f"getelementptr double, ptr %columns, i64 {at}")
            self.lines.append(f"  store double {self.values[value]}, ptr {address}, align 8")


class _BetweenBody(StepBody):
    """What is computed between passes; ``own`` is the first of all records."""

    def __init__(self, program: LoopProgram, between: Between, width: int, target: Target):
        super().__init__(between.step, len(program.inputs), width, target, program.loops)
        self.read_at = program.places(between)

    def fetched(self, *place: int) -> str:
        """An entry of a body's state, of an input, or of what was computed before."""
        number, entry = self.read_at[place[0]]
        return super().fetched(OWN if number < 0 else FIRST_INPUT + number, entry)


class Region(NamedTuple):
    """Bodies that loops go over, and where what belongs to them is."""

    loops: Loops
    name: str
    """of its steps"""
    width: int
    bodies: str
    """the table of bodies"""
    data: str
    columns: int
    """doubles of data for each body"""
    world: str
    """what is before the first record: the world's, or what neighbours in a chain leave for each other"""

    def functions(self, inputs: int, target: Target, laned: bool = False) -> tuple[list[str], set[str]]:
        """The steps' text, and what they declare."""
        texts, declared = [], set()
        for p, steps in enumerate(self.loops.steps):
            for k, step in enumerate(steps):
                body = StepBody(step, inputs, self.width, target, self.loops, laned)
                texts.append(body.function(f"{self.name}_{p}_{k}"))
                declared |= body.declared
            for k, column in enumerate(self.loops.columns[p]):
                wide = ColumnBody(column, inputs, target, self.loops)
                texts.append(wide.function(f"column_{p}_{k}", [one.which for one, _ in self.found(p)]))
                declared |= wide.declared
        lanes = Lanes(self.width)
        declared.add(f"declare {lanes.double} @llvm.fma.{lanes.suffix}({', '.join([lanes.double] * 3)})")
        return texts, declared

    def begin(self, code: Code, p: int) -> None:
        """Put what is known in advance where pass p starts from."""
        V = Lanes(self.width).double
        for entry, x in self.loops.begins[p]:
            address = code.emit(f"getelementptr {V}, ptr {self.world}, i64 {entry}")
            code.do(f"store {V} {Lanes(self.width).constant(x)}, ptr {address}, align {8 * self.width}")

    def run(self, code: Code, p: int, n: str, last: str, arguments: Arguments) -> str:
        """Loop pass p over the first n bodies, after the block ``last``; the block it ends in."""
        one, tag = self.loops.passes[p], f"{self.name}{p}"
        top = code.emit(f"sub i64 {n}, 1")
        first, final = ("0", top) if one.outwards else (top, "0")
        code.do(f"br label %pass{tag}")
        code.do(f"pass{tag}:")
        i = code.emit(f"phi i64 [{first}, %{last}], [%next{tag}, %after{tag}]")
        body = code.emit(f"getelementptr {_ROW}, ptr {self.bodies}, i64 {i}")
        kind, q, v = (code.load("i64", body, k) for k in (_KIND, _Q, _V))
        V = Lanes(self.width).double
        own = code.emit(f"getelementptr {V}, ptr {self.world}, i64 {code.load('i64', body, _OWN)}")
        above = self.world
        if not self.loops.chain:
            above = code.emit(f"getelementptr {V}, ptr {above}, i64 {code.load('i64', body, _PARENT)}")
        data = code.emit(f"getelementptr double, ptr {self.data}, i64 {code.emit(f'mul i64 {i}, {self.columns}')}")
        at = []
        for k, row in enumerate(arguments.rows):
            of, each = (*arguments.of, *(one.of for one in arguments.outputs))[k], 6  # of a body's forces, or twist
            if k >= len(arguments.of):
                each = int(np.prod(arguments.outputs[k - len(arguments.of)].shape[1:], dtype=int))
            offset: str | int
            if of == "bodies":
                offset = code.emit(f"mul i64 {i}, {each}")
            elif of == "square":  # the first of its own on the diagonal
                n_all = code.load("i64", "@count", 2)
                offset = code.emit(f"mul i64 {code.load('i64', body, _COLUMN)}, {code.emit(f'add i64 {n_all}, 1')}")
            else:
                offset = {"nq": q, "nv": v}.get(of, "0")
            at.append(code.item("double", row, offset))
        strided = zip(at, arguments.strides, strict=True)
        columns, stride = "null", "0"
        if one.columns:
            stride = arguments.stride
            columns = code.item("double", arguments.columns, code.load("i64", body, _COLUMN))
        first_three = f"ptr {own}, ptr {above}, ptr {data}, ptr {self.world}, ptr {columns}, i64 {stride}"
        given = ", ".join([first_three, *(f"ptr {a}, i64 {s}" for a, s in strided)])
        kinds = range(len(self.loops.steps[p]))
        cases = " ".join(f"i64 {k}, label %kind{tag}_{k}" for k in kinds)
        code.do(f"switch i64 {kind}, label %kind{tag}_0 [{cases}]")
        flags: list[str] = []
        ends: list[str] = []
        for k in kinds:
            code.do(f"kind{tag}_{k}:")
            flags.append(code.emit(f"call i1 @{self.name}_{p}_{k}({given})"))
            ends.append(f"kind{tag}_{k}")
            if one.columns:
                ends[-1] = self._over_columns(code, p, k, body, (own, data), at, arguments)
            code.do(f"br label %after{tag}")
        code.do(f"after{tag}:")
        flag = code.emit(f"phi i1 {', '.join(f'[{f}, %{end}]' for end, f in zip(ends, flags, strict=True))}")
        far = code.emit(f"load i8, ptr {arguments.far}")
        wide = code.emit(f"zext i1 {flag} to i8")
        code.do(f"store i8 {code.emit(f'or i8 {far}, {wide}')}, ptr {arguments.far}")
        code.do(f"%next{tag} = add i64 {i}, {1 if one.outwards else -1}")
        done = code.emit(f"icmp eq i64 {i}, {final}")
        code.do(f"br i1 {done}, label %passed{tag}, label %pass{tag}")
        code.do(f"passed{tag}:")
        return f"passed{tag}"

    def found(self, p: int) -> list[tuple[Found, str]]:
        """What columns find in a pass, and where that goes: "above" or "below" of which output."""
        (s,) = self.loops.passes[p].sweeps
        wanted = []
        for number, one in enumerate(self.loops.recording.outputs):
            for found, side in ((one.above, "above"), (one.below, "below")):
                if found is not None and found.sweep == s:
                    wanted.append((found, f"{side}{number}"))
        return wanted

    def _over_columns(
        self, code: Code, p: int, k: int, body: str, places: tuple[str, str], at: list[str], arguments: Arguments
    ) -> str:
        """Loop over the columns of the bodies beyond one, as many at once as there are lanes; the block it ends in."""
        tag, W = f"{self.name}{p}_{k}", arguments.lanes
        first, last = code.load("i64", body, _AFTER), code.load("i64", body, _LAST)
        n_all = code.load("i64", "@count", 2)
        row = code.emit(f"mul i64 {code.load('i64', body, _COLUMN)}, {n_all}")
        rows = [code.item("double", arguments.memory[name], row) for _, name in self.found(p)]
        inputs = "".join(f", ptr {a}" for a in at[: len(arguments.of)])
        code.do(f"br label %columns{tag}")
        code.do(f"columns{tag}:")
        c = code.emit(f"phi i64 [{first}, %kind{tag}], [%c{tag}, %some{tag}]")
        code.do(f"br i1 {code.emit(f'icmp slt i64 {c}, {last}')}, label %some{tag}, label %no_more{tag}")
        code.do(f"some{tag}:")
        column, left = code.item("double", arguments.columns, c), code.emit(f"sub i64 {last}, {c}")
        targets = "".join(f", ptr {code.item('double', one, c)}" for one in rows)
        given = f"ptr {places[0]}, ptr {places[1]}, ptr {self.world}, ptr {column}, i64 {arguments.stride}"
        code.do(f"call void @column_{p}_{k}({given}, i64 {left}, i64 {n_all}{inputs}{targets})")
        code.do(f"%c{tag} = add i64 {c}, {W}")
        code.do(f"br label %columns{tag}")
        code.do(f"no_more{tag}:")
        return f"no_more{tag}"


class Arguments(NamedTuple):
    """The rows that loops read and write."""

    rows: list[str]
    strides: list[str]
    """bytes from a lane's row to the next one's"""
    of: tuple[str, ...]
    """for every input "nq", "nv", "bodies" or "" """
    outputs: list[Output]
    far: str
    """where it is noted that an angle was too large"""
    lanes: int = 1
    """columns at once"""
    columns: str = ""
    """where columns are, each entry of all of them together"""
    stride: str = "0"
    """numbers from an entry of them to the next"""
    memory: Mapping[str, str] = MappingProxyType({})
    """where what they find goes, by side and number of the output"""


def begin_driver(code: Code, name: str, rows: int, width: int, also: str = "") -> tuple[list[str], list[str], str]:
    """Begin ``single`` or ``lanes``: its rows, the bytes between those of lanes, and a place for a flag."""
    code.lines.append(f"define internal i1 @{name}(ptr noalias %args, ptr noalias %steps{also}) #0 {{")
    code.do("start:")
    far = code.emit("alloca i8")
    code.do(f"store i8 0, ptr {far}")
    pointers = [code.load("ptr", "%args", k) for k in range(rows)]
    return pointers, [code.load("i64", "%steps", k) if width > 1 else "0" for k in range(rows)], far


def emit_memory(code: Code, spare: int, size: str, zeros: bool = False) -> tuple[str, str, str]:
    """Memory that the last call left, or new: its place, its number, its address (aligned). Ends in block ``begin``.

    ``zeros``: whether new memory is cleared first.
    """
    place = code.item("i64", "@spare", spare)
    left = code.emit(f"atomicrmw xchg ptr {place}, i64 0 acq_rel")
    none = code.emit(f"icmp eq i64 {left}, 0")
    code.do(f"br i1 {none}, label %new, label %begin")
    code.do("new:")
    new = code.emit(f"call ptr @malloc(i64 {size})")
    if zeros:
        code.do(f"call void @llvm.memset.p0.i64(ptr {new}, i8 0, i64 {size}, i1 0)")
    made = code.emit(f"ptrtoint ptr {new} to i64")
    code.do("br label %begin")
    code.do("begin:")
    memory = code.emit(f"phi i64 [{left}, %start], [{made}, %new]")
    aligned = code.emit(f"and i64 {code.emit(f'add i64 {memory}, {ALIGNMENT - 1}')}, -{ALIGNMENT}")
    return place, memory, code.emit(f"inttoptr i64 {aligned} to ptr")


def end_driver(code: Code, place: str, memory: str, far: str) -> None:
    """Leave the memory to the next call and return the flag."""
    before = code.emit(f"atomicrmw xchg ptr {place}, i64 {memory} acq_rel")
    code.do(f"call void @free(ptr {code.emit(f'inttoptr i64 {before} to ptr')})")  # another call's, if any
    if far:
        flag = code.emit(f"load i8, ptr {far}")
        far = code.emit(f"trunc i8 {flag} to i1")
    code.do(f"ret i1 {far or 0}")
    code.lines.append("}")


def _driver(program: LoopProgram, width: int, target: Target) -> tuple[list[str], set[str]]:
    """``single`` or ``lanes``: all passes over all bodies for one row, or for as many as there are lanes."""
    loops, n_in = program.loops, len(program.inputs)
    name = "single" if width == 1 else "lanes"
    code = Code("%d")
    rows, strides, far = begin_driver(code, name, n_in + len(program.outputs), width)
    mode = code.emit("call i64 @without_tiny()")
    n = code.load("i64", "@count", 0)
    region = Region(loops, f"step{width}", width, "@bodies", "@numbers", program.data.shape[1], "")
    records = code.emit(f"mul i64 {code.load('i64', '@count', 1)}, {8 * width}")
    beside = Beside(program, code, width, records, target.width)
    place, memory, world = emit_memory(code, int(width > 1), beside.total)
    region = region._replace(world=world)
    arguments = beside.begin(world, Arguments(rows, strides, program.of, loops.recording.outputs, far))
    last = "begin"
    given = ", ".join(f"ptr {row}, i64 {s}" for row, s in zip(arguments.rows, arguments.strides, strict=True))
    texts, declared = region.functions(n_in, target)
    for p, between in enumerate(loops.between):
        if between.step.program.results != ((),) * len(between.step.program.results):
            code.emit(
                f"call i1 @between_{width}_{p}(ptr {world}, ptr null, ptr null, ptr null, ptr null, i64 0, {given})"
            )
            body = _BetweenBody(program, between, width, target)
            texts.append(body.function(f"between_{width}_{p}"))
            declared |= body.declared
        if p < len(loops.passes):
            region.begin(code, p)
            last = region.run(code, p, n, last, arguments)
    beside.finish(rows, strides, arguments)
    code.do(f"call void @with_tiny(i64 {mode})")
    end_driver(code, place, memory, far)
    return [*texts, "\n".join(code.lines)], declared


def module_of(program: Looped, width: int, processor: str, functions: list[str], declared: set[str]) -> str:
    """The LLVM module of loops: ``lanes`` (of ``width``) and ``single``, exported as ``loop`` and ``entry``."""
    bits = 64 * max(width, 8)
    return "\n".join(
        [
            *sorted(declared | DECLARED | {"declare ptr @malloc(i64)", "declare void @free(ptr)"}),
            *(f"@{name} = external global i8" for name in program.tables()[0]),
            lengths_text(program),
            *functions,
            COPY,
            loop_text(program, width, processor),
            tiny_text(processor),
            DECLARATIONS,
            entry_text(program),
            f'attributes #0 = {{ noinline nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
            "attributes #1 = { noinline nounwind }",
            '!0 = !{!"branch_weights", i32 1, i32 100000}',
            '!1 = !{!"branch_weights", i32 100000, i32 1}',
        ]
    )
