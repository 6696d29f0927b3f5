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
from typing import Any

import numpy as np

from linkwright.compiler.entry import DECLARATIONS, entry_text
from linkwright.compiler.ir import Code
from linkwright.compiler.llvm import StraightBody
from linkwright.compiler.passes import FIRST_INPUT, OWN, PARENT, Loops, Step
from linkwright.compiler.program import Looped, Operations, Slot
from linkwright.compiler.rows import COPY, loop_text
from linkwright.compiler.vector_math import Lanes

SCRATCH_LIMIT = 256 * 2**20
"""Bytes of records beyond which batches run row by row instead of on lanes."""

_ALIGNMENT = 64
_PARENT, _KIND, _Q, _V = range(4)
"""Columns of the table of bodies."""


class LoopProgram(Looped):
    """An algorithm for one mechanism as loops over its bodies."""

    def __init__(self, name: str, inputs: tuple[Slot, ...], of_q: tuple[bool, ...], loops: Loops):
        self.name, self.inputs, self.of_q, self.loops = name, inputs, of_q, loops
        recording = loops.recording
        self.single = recording.single
        names = ["result"] if self.single else [f"result{k}" for k in range(len(recording.outputs))]
        self.outputs = tuple(Slot(n, one.shape) for n, one in zip(names, recording.outputs, strict=True))

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
        end = (self.loops.end.program.digest, self.loops.looked_at)
        sizes = (self.loops.chain, self.loops.size, self.loops.shared)
        parts = (self.name, self.inputs, self.of_q, self.loops.passes, steps, self.loops.begins, sizes)
        return hashlib.sha256(repr((*parts, outputs, end, self.outputs, self.single)).encode()).hexdigest()

    @property
    def record_bytes(self) -> int:
        """How much each body remembers, its constant data included."""
        return 8 * (self.loops.size + self.data.shape[1])

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
        """(bodies, 4): the parent's record, the kind, where in q and in v its coordinates begin."""
        model = self.loops.recording.model
        table = np.zeros((len(model.links), 4), dtype=np.int64)
        for number, kind in enumerate(self.loops.recording.kinds):
            table[kind.bodies, _KIND] = number
        q = v = 0
        for k, (link, joint) in enumerate(zip(model.links, model.joints, strict=True)):
            table[k, [_PARENT, _Q, _V]] = link.parent + 1, q, v
            q, v = q + joint.nq, v + joint.nv
        return table

    def tables(self) -> tuple[dict[str, int], Any]:
        """The addresses that the code refers to, and what must live as long as it."""
        spare = np.zeros(2, dtype=np.intp)  # memory for records that no call is using: of one row, of lanes
        count = np.array([len(self.bodies)], dtype=np.int64)
        keep = _Tables((self.bodies, self.data, count, spare))
        weakref.finalize(keep, _freed, spare)
        arrays = {"bodies": self.bodies, "numbers": self.data, "count": count, "spare": spare}
        return {name: array.ctypes.data for name, array in arrays.items()}, keep

    def width(self, lanes: int) -> int:
        """As many rows at once as there are lanes, unless their records would fill the memory."""
        return lanes if 8 * self.loops.size * lanes * (len(self.bodies) + 1) <= SCRATCH_LIMIT else 1

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        return module_text(self, width, target.fused, target.processor)


class _Tables:
    """Arrays that code refers to."""

    def __init__(self, arrays: tuple[np.ndarray, ...]):
        self.arrays = arrays


def _freed(spare: np.ndarray) -> None:
    free = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "WinDLL") else None).free
    for address in spare:
        if address:
            free(ctypes.c_void_p(int(address)))


class _StepBody(StraightBody):
    """The instructions of a step."""

    def __init__(self, loops: LoopProgram, step: Step, width: int, fused: bool):
        super().__init__(step.program, width, fused)
        self.loops, self.step = loops, step

    def fetched(self, space: int, entry: int) -> str:
        """A number, from a record, the data or the inputs."""
        lanes, W = self.lanes, self.lanes.width
        if space in (OWN, PARENT):
            address = self.emit(
                f"getelementptr {lanes.double}, ptr %{'own' if space == OWN else 'parent'}, i64 {entry}"
            )
            return self.emit(f"load {lanes.double}, ptr {address}, align {8 * W}")
        if space < FIRST_INPUT:
            one = self.emit(f"load double, ptr {self.emit(f'getelementptr double, ptr %data, i64 {entry}')}, align 8")
            if W == 1:
                return one
            first = self.emit(f"insertelement {lanes.double} poison, double {one}, i32 0")
            return self.emit(
                f"shufflevector {lanes.double} {first}, {lanes.double} poison, <{W} x i32> zeroinitializer"
            )
        k = space - FIRST_INPUT
        if W == 1:
            return self.emit(f"load double, ptr {self._entry(f'%a{k}', entry)}, align 8")
        result = "poison"
        for lane in range(W):
            x = self.emit(f"load double, ptr {self._entry(self._row(k, lane), entry)}, align 8")
            result = self.emit(f"insertelement {lanes.double} {result}, double {x}, i32 {lane}")
        return result

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
        fused_away = self._products_to_fuse() if self.fused else set()
        for k, (op, args, value) in enumerate(self.program.instructions):
            if op == "input":
                self.values.append(self.fetched(*args))
            elif op == "constant":
                assert value is not None
                self.values.append(self.lanes.constant(value))
            else:
                self.values.append("" if k in fused_away else self._operation(k, op, args))
        self._write()
        self.lines.append(f"  ret i1 {self._far()}")
        arguments = ["ptr noalias %own", "ptr noalias %parent", "ptr noalias %data"]
        for k in range(len(self.loops.inputs) + len(self.loops.outputs)):
            arguments += [f"ptr %a{k}", f"i64 %s{k}"]
        return "\n".join([f"define internal i1 @{name}({', '.join(arguments)}) #0 {{", *self.lines, "}", ""])

    def _write(self) -> None:
        """Records last: a place that is read may be the one that is written."""
        lanes, (own, sent, *results) = self.lanes, self.program.results
        V, align = lanes.double, 8 * lanes.width
        for value, place in zip(sent, self.step.sent, strict=True):
            address = self.emit(f"getelementptr {V}, ptr %parent, i64 {place}")
            total = self.values[value]
            if not self.loops.loops.chain:
                before = self.emit(f"load {V}, ptr {address}, align {align}")
                total = self.emit(f"fadd {V} {before}, {total}")
            self.lines.append(f"  store {V} {total}, ptr {address}, align {align}")
        for value, place in zip(own, self.step.own, strict=True):
            address = self.emit(f"getelementptr {V}, ptr %own, i64 {place}")
            self.lines.append(f"  store {V} {self.values[value]}, ptr {address}, align {align}")
        for number, values in enumerate(results, len(self.loops.inputs)):
            for lane in range(lanes.width):
                row = self._row(number, lane) if values else ""
                for value, entry in zip(values, self.step.results[number - len(self.loops.inputs)], strict=True):
                    x = self.values[value]
                    if lanes.width > 1:
                        x = self.emit(f"extractelement {V} {x}, i32 {lane}")
                    self.lines.append(f"  store double {x}, ptr {self._entry(row, entry)}, align 8")


class _EndBody(_StepBody):
    """What is computed of single bodies' states, after all passes; ``own`` is the first of all records."""

    def fetched(self, space: int, entry: int) -> str:
        """An entry of a body's state."""
        place = (self.loops.loops.looked_at[space] + 1) * self.loops.loops.size + entry
        return super().fetched(OWN, place)


def _driver(program: LoopProgram, width: int) -> str:
    """``single`` or ``lanes``: all passes over all bodies for one row, or for as many as there are lanes."""
    loops, n_in = program.loops, len(program.inputs)
    n_args = n_in + len(program.outputs)
    V = "double" if width == 1 else f"<{width} x double>"
    name, spare = ("single", 0) if width == 1 else ("lanes", 1)
    record = 8 * width * loops.size
    before_all = 8 * width * loops.shared if loops.chain else record  # what neighbours tell each other, or the world
    code = Code("%d")
    code.lines.append(f"define internal i1 @{name}(ptr noalias %args, ptr noalias %steps) #0 {{")
    code.do("start:")
    n = code.load("i64", "@count", 0)
    far = code.emit("alloca i8")
    code.do(f"store i8 0, ptr {far}")
    rows = [code.load("ptr", "%args", k) for k in range(n_args)]
    strides = [code.load("i64", "%steps", k) if width > 1 else "0" for k in range(n_args)]
    # memory for the records: what the last call left, or more
    place = code.item("i64", "@spare", spare)
    left = code.emit(f"atomicrmw xchg ptr {place}, i64 0 acq_rel")
    none = code.emit(f"icmp eq i64 {left}, 0")
    code.do(f"br i1 {none}, label %new, label %begin")
    code.do("new:")
    size = code.emit(f"add i64 {code.emit(f'mul i64 {n}, {record}')}, {before_all + _ALIGNMENT}")
    made = code.emit(f"ptrtoint ptr {code.emit(f'call ptr @malloc(i64 {size})')} to i64")
    code.do("br label %begin")
    code.do("begin:")
    memory = code.emit(f"phi i64 [{left}, %start], [{made}, %new]")
    aligned = code.emit(f"and i64 {code.emit(f'add i64 {memory}, {_ALIGNMENT - 1}')}, -{_ALIGNMENT}")
    records = code.emit(f"inttoptr i64 {aligned} to ptr")
    last = "begin"
    for p, one in enumerate(loops.passes):
        for entry, x in loops.begins[p]:
            address = code.emit(f"getelementptr {V}, ptr {records}, i64 {entry}")
            code.do(f"store {V} {Lanes(width).constant(x)}, ptr {address}, align {8 * width}")
        first, final = ("0", code.emit(f"sub i64 {n}, 1")) if one.outwards else (code.emit(f"sub i64 {n}, 1"), "0")
        code.do(f"br label %pass{p}")
        code.do(f"pass{p}:")
        i = code.emit(f"phi i64 [{first}, %{last}], [%next{p}, %after{p}]")
        body = code.emit(f"getelementptr [4 x i64], ptr @bodies, i64 {i}")
        parent, kind, q, v = (code.load("i64", body, k) for k in (_PARENT, _KIND, _Q, _V))
        own = code.emit(f"getelementptr i8, ptr {records}, i64 {code.emit(f'mul i64 {i}, {record}')}")
        own = code.emit(f"getelementptr i8, ptr {own}, i64 {before_all}")
        if loops.chain:
            above = records
        else:
            above = code.emit(f"getelementptr i8, ptr {records}, i64 {code.emit(f'mul i64 {parent}, {record}')}")
        columns = program.data.shape[1]
        data = code.emit(f"getelementptr double, ptr @numbers, i64 {code.emit(f'mul i64 {i}, {columns}')}")
        at = []
        for k, row in enumerate(rows):
            if k < n_in:
                offset = q if program.of_q[k] else v
            else:
                output = loops.recording.outputs[k - n_in]
                part = int(np.prod(output.shape[1:], dtype=int))
                offset = v if output.of == "joints" else code.emit(f"mul i64 {i}, {part}")
            at.append(code.item("double", row, offset))
        arguments = ", ".join(
            [f"ptr {own}, ptr {above}, ptr {data}", *(f"ptr {a}, i64 {s}" for a, s in zip(at, strides, strict=True))]
        )
        kinds = range(len(loops.steps[p]))
        if len(kinds) > 1:
            cases = " ".join(f"i64 {k}, label %kind{p}_{k}" for k in kinds)
            code.do(f"switch i64 {kind}, label %kind{p}_0 [{cases}]")
        else:
            code.do(f"br label %kind{p}_0")
        flags = []
        for k in kinds:
            code.do(f"kind{p}_{k}:")
            flags.append(code.emit(f"call i1 @step_{p}_{k}_{width}({arguments})"))
            code.do(f"br label %after{p}")
        code.do(f"after{p}:")
        flag = code.emit(f"phi i1 {', '.join(f'[{f}, %kind{p}_{k}]' for k, f in zip(kinds, flags, strict=True))}")
        wide = code.emit(f"zext i1 {flag} to i8")
        so_far = code.emit(f"load i8, ptr {far}")
        code.do(f"store i8 {code.emit(f'or i8 {wide}, {so_far}')}, ptr {far}")
        code.do(f"%next{p} = add i64 {i}, {1 if one.outwards else -1}")
        done = code.emit(f"icmp eq i64 {i}, {final}")
        code.do(f"br i1 {done}, label %passed{p}, label %pass{p}")
        code.do(f"passed{p}:")
        last = f"passed{p}"
    given = ", ".join(f"ptr {row}, i64 {s}" for row, s in zip(rows, strides, strict=True))
    code.emit(f"call i1 @end_{width}(ptr {records}, ptr null, ptr null, {given})")
    before = code.emit(f"atomicrmw xchg ptr {place}, i64 {memory} acq_rel")
    code.do(f"call void @free(ptr {code.emit(f'inttoptr i64 {before} to ptr')})")  # another call's, if any
    any_far = code.emit(f"load i8, ptr {far}")
    code.do(f"ret i1 {code.emit(f'trunc i8 {any_far} to i1')}")
    code.lines.append("}")
    return "\n".join(code.lines)


def module_text(program: LoopProgram, width: int, fused: bool, processor: str) -> str:
    """The LLVM module of loops: ``lanes`` (of ``width``) and ``single``, exported as ``loop`` and ``entry``."""
    functions, declared = [], {"declare ptr @malloc(i64)", "declare void @free(ptr)"}
    for w in (width, 1) if width > 1 else (1,):
        for p, steps in enumerate(program.loops.steps):
            for k, step in enumerate(steps):
                body = _StepBody(program, step, w, fused)
                functions.append(body.function(f"step_{p}_{k}_{w}"))
                declared |= body.declared
                V = body.lanes.double
                declared.add(f"declare {V} @llvm.fma.{body.lanes.suffix}({V}, {V}, {V})")
        end = _EndBody(program, program.loops.end, w, fused)
        functions += [end.function(f"end_{w}"), _driver(program, w)]
        declared |= end.declared
    bits = width * 64
    return "\n".join(
        [
            *sorted(declared),
            "@bodies = external global i8",
            "@numbers = external global i8",
            "@count = external global i8",
            "@spare = external global i8",
            *functions,
            COPY,
            loop_text(program, width, processor),
            DECLARATIONS,
            entry_text(program),
            f'attributes #0 = {{ noinline nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
            "attributes #1 = { noinline nounwind }",
            '!0 = !{!"branch_weights", i32 1, i32 100000}',
            '!1 = !{!"branch_weights", i32 100000, i32 1}',
        ]
    )
