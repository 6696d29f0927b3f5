"""Loops over bodies as a program: its tables, its text for LLVM, itself on NumPy arrays.

The code knows the kinds of joint, not how many bodies there are nor their numbers: those are in tables, so
the code of one chain serves a longer one. One row of inputs runs on plain doubles, batches on lanes, the
records of a body holding every lane's numbers side by side.
"""

from __future__ import annotations

import ctypes
import hashlib
import weakref
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.arithmetic import Arithmetic
from linkwright.compiler.entry import DECLARATIONS, entry_text
from linkwright.compiler.ir import Code
from linkwright.compiler.machine import Target
from linkwright.compiler.passes import FIRST_INPUT, OWN, PARENT, Loops, Step
from linkwright.compiler.program import Looped, Operations, Slot
from linkwright.compiler.rows import COPY, lengths_text, loop_text, tiny_text
from linkwright.compiler.sweeps import WORLD, Output
from linkwright.compiler.vector_math import Lanes
from linkwright.errors import counted

SCRATCH_LIMIT = 256 * 2**20
"""Bytes of records beyond which batches run row by row instead of on lanes."""

ALIGNMENT = 64
"""Bytes to which records are aligned."""
_PARENT, _KIND, _Q, _V, _OWN = range(5)
"""Columns of the table of bodies."""


class LoopProgram(Looped):
    """An algorithm for one mechanism as loops over its bodies."""

    def __init__(self, name: str, inputs: tuple[Slot, ...], of_q: tuple[bool, ...], loops: Loops):
        self.name, self.inputs, self.of_q, self.loops = name, inputs, of_q, loops
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
        return Operations(*counts)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides the code."""
        steps = [[(s.program.digest, s.own, s.sent, s.results) for s in one] for one in self.loops.steps]
        outputs = [(one.of, one.shape[1:]) for one in self.loops.recording.outputs]
        end = (self.loops.end.program.digest, self._looked_at())
        sizes = (self.loops.chain, self.loops.sizes, self.loops.shared)
        parts = (self.name, self.inputs, self.of_q, self.loops.passes, steps, self.loops.begins, sizes)
        return hashlib.sha256(repr((*parts, outputs, end, self.outputs, self.single)).encode()).hexdigest()

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

    def _looked_at(self) -> list[int]:
        """Where the records of the bodies begin that are looked at in the end."""
        return [int(self.bodies[k, _OWN]) if k != WORLD else 0 for k in self.loops.looked_at]

    def tables(self) -> tuple[dict[str, int], Any]:
        """The addresses that the code refers to, and what must live as long as it."""
        count = np.array([len(self.bodies), self._table[1]], dtype=np.int64)
        return tables_of(bodies=self.bodies, numbers=self.data, count=count)

    def width(self, lanes: int) -> int:
        """As many rows at once as there are lanes, unless their records would fill the memory."""
        return lanes if 8 * lanes * self._table[1] <= SCRATCH_LIMIT else 1

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        functions: list[str] = []
        declared: set[str] = set()
        for w in (width, 1) if width > 1 else (1,):
            texts, more = _driver(self, w, target)
            functions, declared = functions + texts, declared | more
        return module_of(self, width, target.processor, functions, declared)


def table_of(loops: Loops, bodies: range) -> tuple[np.ndarray, int]:
    """For each of these bodies where the parent's record begins, its kind, where in q and v its coordinates and
    where its own record begin; and how many numbers all records are, what is before them included.
    """
    model = loops.recording.model
    kinds = np.zeros(len(model.links), dtype=np.int64)
    for number, kind in enumerate(loops.recording.kinds):
        kinds[kind.bodies] = number
    records = loops.shared + np.concatenate([[0], np.cumsum(np.array(loops.sizes)[kinds[bodies]])])
    at = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)
    table = np.zeros((len(bodies), 5), dtype=np.int64)
    parents = np.array([model.links[k].parent for k in bodies], dtype=np.int64) - bodies.start
    table[:, _PARENT] = np.where(parents >= 0, records[parents], 0)
    table[:, _KIND] = kinds[bodies]
    table[:, [_Q, _V]] = at[bodies]
    table[:, _OWN] = records[:-1]
    return table, int(records[-1])


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

    def __init__(self, step: Step, inputs: int, width: int, target: Target, chain: bool, laned: bool = False):
        super().__init__(step.program, width, target, careful=laned)
        self.step, self.inputs, self.chain, self.laned = step, inputs, chain, laned

    def fetched(self, *place: int) -> str:
        """A number, from a record, the data or the inputs."""
        space, entry = place
        lanes, W = self.lanes, self.lanes.width
        if space in (OWN, PARENT):
            return self._load_lanes("%own" if space == OWN else "%parent", entry)
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
        arguments = ["ptr noalias %own", "ptr noalias %parent", "ptr noalias %data"]
        for k in range(self.inputs + len(self.step.results)):
            arguments += [f"ptr %a{k}", f"i64 %s{k}"]
        return "\n".join(
            [f"define internal i1 @{name}({', '.join(arguments)}) #0{self.lanes.stack} {{", *self.finished(), "}", ""]
        )

    def _write(self) -> None:
        """Records last: a place that is read may be the one that is written."""
        lanes, (own, sent, *results) = self.lanes, self.program.results
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
                    self.lines.append(f"  store double {x}, ptr {self._entry(row, entry)}, align 8")


class _EndBody(StepBody):
    """What is computed of single bodies' states, after all passes; ``own`` is the first of all records."""

    def __init__(self, loops: Loops, inputs: int, width: int, target: Target, looked_at: list[int]):
        super().__init__(loops.end, inputs, width, target, loops.chain)
        self.looked_at = looked_at

    def fetched(self, *place: int) -> str:
        """An entry of a body's state."""
        space, entry = place
        return super().fetched(OWN, self.looked_at[space] + entry)


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
                body = StepBody(step, inputs, self.width, target, self.loops.chain, laned)
                texts.append(body.function(f"{self.name}_{p}_{k}"))
                declared |= body.declared
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
        body = code.emit(f"getelementptr [5 x i64], ptr {self.bodies}, i64 {i}")
        kind, q, v = (code.load("i64", body, k) for k in (_KIND, _Q, _V))
        V = Lanes(self.width).double
        own = code.emit(f"getelementptr {V}, ptr {self.world}, i64 {code.load('i64', body, _OWN)}")
        above = self.world
        if not self.loops.chain:
            above = code.emit(f"getelementptr {V}, ptr {above}, i64 {code.load('i64', body, _PARENT)}")
        data = code.emit(f"getelementptr double, ptr {self.data}, i64 {code.emit(f'mul i64 {i}, {self.columns}')}")
        at = []
        for k, row in enumerate(arguments.rows):
            if k < len(arguments.of_q):
                offset = q if arguments.of_q[k] else v
            else:
                output = arguments.outputs[k - len(arguments.of_q)]
                part = int(np.prod(output.shape[1:], dtype=int))
                offset = v if output.of == "joints" else code.emit(f"mul i64 {i}, {part}")
            at.append(code.item("double", row, offset))
        strided = zip(at, arguments.strides, strict=True)
        given = ", ".join([f"ptr {own}, ptr {above}, ptr {data}", *(f"ptr {a}, i64 {s}" for a, s in strided)])
        kinds = range(len(self.loops.steps[p]))
        cases = " ".join(f"i64 {k}, label %kind{tag}_{k}" for k in kinds)
        code.do(f"switch i64 {kind}, label %kind{tag}_0 [{cases}]")
        flags = []
        for k in kinds:
            code.do(f"kind{tag}_{k}:")
            flags.append(code.emit(f"call i1 @{self.name}_{p}_{k}({given})"))
            code.do(f"br label %after{tag}")
        code.do(f"after{tag}:")
        flag = code.emit(f"phi i1 {', '.join(f'[{f}, %kind{tag}_{k}]' for k, f in zip(kinds, flags, strict=True))}")
        far = code.emit(f"load i8, ptr {arguments.far}")
        wide = code.emit(f"zext i1 {flag} to i8")
        code.do(f"store i8 {code.emit(f'or i8 {far}, {wide}')}, ptr {arguments.far}")
        code.do(f"%next{tag} = add i64 {i}, {1 if one.outwards else -1}")
        done = code.emit(f"icmp eq i64 {i}, {final}")
        code.do(f"br i1 {done}, label %passed{tag}, label %pass{tag}")
        code.do(f"passed{tag}:")
        return f"passed{tag}"


class Arguments(NamedTuple):
    """The rows that loops read and write."""

    rows: list[str]
    strides: list[str]
    """bytes from a lane's row to the next one's"""
    of_q: tuple[bool, ...]
    outputs: list[Output]
    far: str
    """where it is noted that an angle was too large"""


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
    size = code.emit(f"add i64 {records}, {ALIGNMENT}")
    place, memory, world = emit_memory(code, int(width > 1), size)
    region = region._replace(world=world)
    last = "begin"
    for p in range(len(loops.passes)):
        region.begin(code, p)
        last = region.run(code, p, n, last, Arguments(rows, strides, program.of_q, loops.recording.outputs, far))
    given = ", ".join(f"ptr {row}, i64 {s}" for row, s in zip(rows, strides, strict=True))
    code.emit(f"call i1 @end_{width}(ptr {world}, ptr null, ptr null, {given})")
    code.do(f"call void @with_tiny(i64 {mode})")
    end_driver(code, place, memory, far)
    end = _EndBody(loops, n_in, width, target, program._looked_at())
    texts, declared = region.functions(n_in, target)
    texts += [end.function(f"end_{width}"), "\n".join(code.lines)]
    return texts, declared | end.declared


def module_of(program: Looped, width: int, processor: str, functions: list[str], declared: set[str]) -> str:
    """The LLVM module of loops: ``lanes`` (of ``width``) and ``single``, exported as ``loop`` and ``entry``."""
    bits = 64 * max(width, 8)
    return "\n".join(
        [
            *sorted(declared | {"declare ptr @malloc(i64)", "declare void @free(ptr)"}),
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
