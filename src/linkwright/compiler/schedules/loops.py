"""Loops over bodies as a program: its tables and its code in LLVM IR.

The code contains the kinds of joints, not the number of bodies or their parameters, which are in tables, so that
the code of a chain also runs a longer one. One row of inputs runs on scalars, batches on lanes, with the
numbers of all lanes side by side in the records of a body.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.emit.body import (
    ColumnSpace,
    FragmentEmitter,
    MultipleSpaces,
    RecordSpace,
    RegisterSpace,
    Space,
    StridedRows,
    UniformSpace,
)
from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.emit.instructions.vector_math import Lanes
from linkwright.compiler.emit.stages import (
    NUMBER,
    Operand,
    Stage,
    StageRow,
    begin_driver,
    emit_memory,
    end_driver,
    module_of,
    run,
    tables_of,
)
from linkwright.compiler.front.sweeps import WORLD, ColumnResult, Output
from linkwright.compiler.ir.program import ArraySpec
from linkwright.compiler.ir.staged import Fragment, Staged
from linkwright.compiler.native.machine import Target
from linkwright.compiler.passes.rematerialization import BodyLoops
from linkwright.compiler.passes.uniform_values import (
    COLUMN,
    DATA,
    FIRST_INPUT,
    OWN,
    PARENT,
    RECORDS,
    SHARED,
    output_space,
)
from linkwright.compiler.schedules.columns import ScratchMemory, matrix_functions
from linkwright.errors import counted
from linkwright.model.tree import Model

SCRATCH_LIMIT = 256 * 2**20
"""Size of records in bytes above which batches run row by row instead of on lanes."""

_PARENT, _KIND, _Q, _V, _OWN, _COLUMN, _AFTER, _LAST = range(8)
"""Columns of the table of bodies; the last three are indices of columns of all joints: the first one of the body, the
one after its own, and the one after those of its descendants."""
COLUMNS = 8
"""Number of columns of the table."""


class LoopProgram(Staged):
    """Algorithm for one mechanism as loops over its bodies."""

    def __init__(self, name: str, inputs: tuple[ArraySpec, ...], of: tuple[str, ...], loops: BodyLoops):
        self.name, self.inputs, self.of, self.loops = name, inputs, of, loops
        recording = loops.recording
        self.single = recording.single
        names = ["result"] if self.single else [f"result{k}" for k in range(len(recording.outputs))]
        self.outputs = tuple(ArraySpec(n, one.shape) for n, one in zip(names, recording.outputs, strict=True))

    @property
    def form(self) -> str:
        """Description in words."""
        bodies, kinds = len(self.loops.recording.model.links), len(self.loops.recording.kinds)
        return f"loops over {counted(bodies, 'body', 'bodies')} of {counted(kinds, 'kind')}"

    def bodies_and_times(self) -> list[tuple[Fragment, int]]:
        """Return all steps with their numbers: for each body of their kind, or for each outer column."""
        kinds, beyond = self.loops.recording.kinds, self.bodies[:, _LAST] - self.bodies[:, _AFTER]
        steps = [(one, len(kind.bodies)) for row in self.loops.steps for one, kind in zip(row, kinds, strict=True)]
        steps += [
            (one, int(beyond[kind.bodies].sum()))
            for row in self.loops.columns
            for one, kind in zip(row, kinds, strict=False)
        ]
        return steps + [(one, 1) for one in self.loops.between]

    def arrangement(self) -> Any:
        """Return the passes and the layout, which determine the code."""
        loops, outputs = self.loops, self.loops.recording.outputs
        of = [(one.of, one.shape[1:], one.summed, one.above, one.below) for one in outputs]
        sizes = (loops.chain, loops.sizes, loops.shared, loops.computed, self.records_read)
        return self.of, loops.passes, loops.begins, sizes, of

    @property
    def record_bytes(self) -> int:
        """Return the size of a body's record, including its constant data."""
        return 8 * (max(self.loops.sizes) + self.data.shape[1])

    @cached_property
    def data(self) -> np.ndarray:
        """Return (bodies, …): the numbers in which the bodies of a kind differ."""
        kinds = self.loops.recording.kinds
        data = np.zeros((len(self.loops.recording.model.links), max(kind.columns.shape[1] for kind in kinds)))
        for kind in kinds:
            data[kind.bodies, : kind.columns.shape[1]] = kind.columns
        return data

    @cached_property
    def bodies(self) -> np.ndarray:
        """Return (bodies, 5): see :func:`table_of`."""
        return self._table[0]

    @cached_property
    def _table(self) -> tuple[np.ndarray, int]:
        return table_of(self.loops, range(len(self.loops.recording.model.links)))

    @cached_property
    def records_read(self) -> dict[int, int]:
        """Return the offsets of the records of single bodies, and of the world, that are read between passes."""
        reads = [i.args for one in self.loops.between for i in one.program.instructions if i.op == "input"]
        named = sorted({place[2] for place in reads if place[0] == RECORDS})
        return {k: 0 if k == WORLD else int(self.bodies[k, _OWN]) for k in named}

    @property
    def width_of_all(self) -> int:
        """Return the number of velocity coordinates of all joints, including mimic joints."""
        return sum(joint.motion.nv for joint in self.loops.recording.model.joints)

    def tables(self) -> tuple[dict[str, int], Any]:
        """Return the addresses in the code, and the objects that must be kept alive."""
        count = np.array([len(self.bodies), self._table[1], self.width_of_all], dtype=np.int64)
        leads, multipliers = followed(self.loops.recording.model)
        return tables_of(bodies=self.bodies, numbers=self.data, count=count, leads=leads, multipliers=multipliers)

    def width(self, lanes: int) -> int:
        """Return the number of lanes; one if records would fill the memory, or if columns use lanes."""
        return lanes if 8 * lanes * self._table[1] <= SCRATCH_LIMIT and not self.loops.by_columns else 1

    def text(self, target: Any, width: int) -> str:
        """Return the LLVM module."""
        functions: list[str] = []
        declared: set[str] = set()
        if any(one.of == "square" for one in self.loops.recording.outputs):
            functions.append(matrix_functions())
        for w in (width, 1) if width > 1 else (1,):
            texts, more = _driver(self, w, target)
            functions, declared = functions + texts, declared | more
        return module_of(self, width, target.processor, functions, declared)


def table_of(loops: BodyLoops, bodies: range) -> tuple[np.ndarray, int]:
    """Return for each of these bodies the offset of the parent's record, its kind, the indices of its coordinates in q
    and v and the offset of its record; and the total size of the records in numbers, with the preceding data.
    """
    model = loops.recording.model
    widths = np.array([joint.motion.nv for joint in model.joints])
    kinds = np.zeros(len(model.links), dtype=np.int64)
    for number, kind in enumerate(loops.recording.kinds):
        kinds[kind.bodies] = number
    records = loops.world + np.concatenate([[0], np.cumsum(np.array(loops.sizes)[kinds[bodies]])])
    at = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)
    table = np.zeros((len(bodies), COLUMNS), dtype=np.int64)
    parents = np.array([model.links[k].parent for k in bodies], dtype=np.int64) - bodies.start
    table[:, _PARENT] = np.where(parents >= 0, records[parents], 0)
    table[:, _KIND] = kinds[bodies]
    leaders = [k if (c := model.joints[k].coupling) is None else c.leader for k in bodies]
    table[:, [_Q, _V]] = at[leaders]
    columns = np.concatenate([[0], np.cumsum(widths)])
    last = np.arange(1, len(model.links) + 1)
    for k in reversed(range(len(last))):  # numbered depth first: descendants follow a body
        if (parent := model.links[k].parent) >= 0:
            last[parent] = max(last[parent], last[k])
    which = np.array(bodies)
    table[:, _COLUMN], table[:, _AFTER], table[:, _LAST] = columns[which], columns[which + 1], columns[last[which]]
    table[:, _OWN] = records[:-1]
    return table, int(records[-1])


def followed(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return for every velocity coordinate of all joints its independent coordinate in v, and the multiplier."""
    at = np.cumsum([0, *(joint.nv for joint in model.joints)])
    leads, multipliers = [], []
    for k, joint in enumerate(model.joints):
        leader, times = (k, 1.0) if joint.coupling is None else (joint.coupling.leader, joint.coupling.multiplier)
        leads += [int(at[leader]) + n for n in range(joint.motion.nv)]
        multipliers += [times] * joint.motion.nv
    return np.array(leads, dtype=np.int64), np.array(multipliers, dtype=np.float64)


class Region(NamedTuple):
    """Bodies of a loop, with the offsets of their data."""

    loops: BodyLoops
    name: str
    """prefix of its steps"""
    width: int
    bodies: str
    """table of bodies"""
    data: str
    columns: int
    """number of constants of each body"""
    world: str
    """data before the first record: those of the world, or of neighbors in a chain"""

    def functions(self, inputs: int, target: Target) -> tuple[list[str], set[str]]:
        """Return the code of the steps, and their declarations."""
        texts, declared = [], set()
        outputs = len(self.loops.recording.outputs)
        spaces = {
            OWN: RegisterSpace("%own"),
            PARENT: RegisterSpace("%parent"),
            DATA: UniformSpace("%data"),
            SHARED: RegisterSpace("%world", self.loops.shared),
            COLUMN: ColumnSpace("%columns", "%stride"),
            **_rows(inputs, outputs),
        }
        for p, steps in enumerate(self.loops.steps):
            for k, step in enumerate(steps):
                body = FragmentEmitter(step, spaces, self.width, target)
                texts.append(body.function(f"{self.name}_{p}_{k}", step_arguments(inputs + outputs)))
                declared |= body.declared
            for k, column in enumerate(self.loops.columns[p]):
                wide = FragmentEmitter(column, self._of_columns(p, inputs), target.width, target, careful=True)
                targets = range(len(self.found(p)))
                arguments = ["ptr noalias %own", "ptr noalias %data", "ptr %world", "ptr noalias %columns"]
                arguments += ["i64 %stride", "i64 %left", "i64 %n", *(f"ptr %a{k}" for k in range(inputs))]
                texts.append(
                    wide.function(f"column_{p}_{k}", ", ".join([*arguments, *(f"ptr %t{k}" for k in targets)]))
                )
                declared |= wide.declared
        lanes = Lanes(self.width)
        declared.add(f"declare {lanes.number} @llvm.fma.{lanes.suffix}({', '.join([lanes.number] * 3)})")
        return texts, declared

    def _of_columns(self, p: int, inputs: int) -> dict[int, Space]:
        """Return the spaces of operations on columns: numbers of the body are the same in all lanes."""
        spaces: dict[int, Space] = {
            OWN: UniformSpace("%own"),
            DATA: UniformSpace("%data"),
            SHARED: UniformSpace("%world", self.loops.shared),
        }
        spaces |= {FIRST_INPUT + k: UniformSpace(f"%a{k}") for k in range(inputs)}
        spaces[COLUMN] = ColumnSpace("%columns", "%stride", "%left")
        arrays = [one.which for one, _ in self.found(p)]
        (s,) = self.loops.passes[p].sweeps
        for array in range(max(map(len, self.loops.recording.sweeps[s].found))):
            targets = [k for k, one in enumerate(arrays) if one == array]
            spaces[output_space(array)] = MultipleSpaces([ColumnSpace(f"%t{k}", "%n", "%left") for k in targets])
        return spaces

    def begin(self, code: FunctionBuilder, p: int) -> None:
        """Write the constant initial values of pass p."""
        V = Lanes(self.width).number
        for entry, x in self.loops.begins[p]:
            address = code.emit(f"getelementptr {V}, ptr {self.world}, i64 {entry}")
            code.do(f"store {V} {Lanes(self.width).constant(x)}, ptr {address}, align {8 * self.width}")

    def run(self, code: FunctionBuilder, p: int, n: str, arguments: Arguments) -> None:
        """Run pass p over the first n bodies."""
        one = self.loops.passes[p]
        record = 8 * self.width
        above = Operand(self.world, None if self.loops.chain else _PARENT, record)
        columns, stride = (
            (Operand(arguments.columns, _COLUMN), arguments.stride) if one.columns else (Operand("null"), "0")
        )
        of_data = Operand(self.data, NUMBER, 8 * self.columns)
        operands = [Operand(self.world, _OWN, record), above, of_data, Operand(self.world), columns]
        operands += [arguments.operand(code, k) for k in range(len(arguments.rows))]
        more = [f"i64 {x}" for x in (stride, *arguments.strides)]
        kinds = range(len(self.loops.steps[p]))
        looked_at = (_COLUMN, _AFTER, _LAST) if one.columns else ()
        stage = Stage(self.bodies, COLUMNS, f"{self.name}_{p}", kinds, _KIND, operands, more, looked_at)
        beside = partial(self._over_columns, code, p, arguments) if one.columns else None
        run(code, stage, "0", n, down=not one.outwards, beside=beside, flag=arguments.far)

    def found(self, p: int) -> list[tuple[ColumnResult, str]]:
        """Return the results of a pass over columns, with their destination: "above" or "below" of an output."""
        (s,) = self.loops.passes[p].sweeps
        wanted = []
        for number, one in enumerate(self.loops.recording.outputs):
            for found, side in ((one.above, "above"), (one.below, "below")):
                if found is not None and found.sweep == s:
                    wanted.append((found, f"{side}{number}"))
        return wanted

    def _over_columns(self, code: FunctionBuilder, p: int, arguments: Arguments, row: StageRow, kind: int) -> None:
        """Loop over the outer columns of a body, as many simultaneously as there are lanes."""
        own, _, data, world, _, *inputs = row.places
        last, n_all = row.column(_LAST), code.load("i64", "@count", 2)
        first_row = code.emit(f"mul i64 {row.column(_COLUMN)}, {n_all}")
        rows = [code.item("double", arguments.memory[name], first_row) for _, name in self.found(p)]
        with code.loop(row.column(_AFTER), last, step=arguments.lanes) as c:
            column, left = code.item("double", arguments.columns, c), code.emit(f"sub i64 {last}, {c}")
            places = [own, data, world, column]
            more = [f"i64 {x}" for x in (arguments.stride, left, n_all)]
            more += [f"ptr {x}" for x in inputs[: len(arguments.of)]]
            more += [f"ptr {code.item('double', one, c)}" for one in rows]
            code.emit(f"call i1 @column_{p}_{kind}({', '.join([*(f'ptr {x}' for x in places), *more])})")


def _rows(inputs: int, outputs: int) -> dict[int, Space]:
    """Return the spaces of arguments and results."""
    spaces: dict[int, Space] = {FIRST_INPUT + k: StridedRows(f"%a{k}", f"%s{k}") for k in range(inputs)}
    return spaces | {output_space(k): StridedRows(f"%a{inputs + k}", f"%s{inputs + k}") for k in range(outputs)}


def step_arguments(rows: int) -> str:
    """Return the arguments of the function of a step, with this number of arguments and results."""
    places = ["ptr noalias %own", "ptr noalias %parent", "ptr noalias %data", "ptr %world", "ptr %columns"]
    places += [f"ptr %a{k}" for k in range(rows)]
    return ", ".join([*places, "i64 %stride", *(f"i64 %s{k}" for k in range(rows))])


class Arguments(NamedTuple):
    """Rows that loops read and write."""

    rows: list[str]
    strides: list[str]
    """bytes from a lane's row to the next"""
    of: tuple[str, ...]
    """for every input "nq", "nv", "bodies" or "" """
    outputs: list[Output]
    far: str = ""
    """flag of too large angles, if needed"""
    lanes: int = 1
    """number of columns processed simultaneously"""
    columns: str = ""
    """columns, each entry of all of them together"""
    stride: str = "0"
    """numbers from an entry of them to the next"""
    memory: Mapping[str, str] = MappingProxyType({})
    """memory of their results, by side and number of the output"""

    def operand(self, code: FunctionBuilder, k: int) -> Operand:
        """Return the operand of a body's part of a row."""
        row, inputs = self.rows[k], len(self.of)
        of = self.of[k] if k < inputs else self.outputs[k - inputs].of
        if of == "bodies":  # a force, or an output of each body
            each = 6 if k < inputs else int(np.prod(self.outputs[k - inputs].shape[1:], dtype=int))
            return Operand(row, NUMBER, 8 * each)
        if of == "square":  # its first entry on the diagonal
            n_all = code.load("i64", "@count", 2)
            return Operand(row, _COLUMN, code.emit(f"mul i64 {code.emit(f'add i64 {n_all}, 1')}, 8"))
        return Operand(row, {"nq": _Q, "nv": _V}.get(of))


def _driver(program: LoopProgram, width: int, target: Target) -> tuple[list[str], set[str]]:
    """Return ``single`` or ``lanes``: all passes over all bodies for one row, or for one row per lane."""
    loops, n_in, n_out = program.loops, len(program.inputs), len(program.outputs)
    code = FunctionBuilder("%d")
    rows, strides, far = begin_driver(code, "single" if width == 1 else "lanes", n_in + n_out, width)
    mode = code.emit("call i64 @without_tiny()")
    n = code.load("i64", "@count", 0)
    region = Region(loops, f"step{width}", width, "@bodies", "@numbers", program.data.shape[1], "")
    records = code.emit(f"mul i64 {code.load('i64', '@count', 1)}, {8 * width}")
    beside = ScratchMemory(program, code, width, records, target.width)
    place, memory, world = emit_memory(code, int(width > 1), beside.total)
    region = region._replace(world=world)
    arguments = beside.begin(world, Arguments(rows, strides, program.of, loops.recording.outputs, far))
    given = ", ".join([*(f"ptr {x}" for x in (world, *arguments.rows)), *(f"i64 {s}" for s in arguments.strides)])
    takes = [*(f"ptr %a{k}" for k in range(n_in + n_out)), *(f"i64 %s{k}" for k in range(n_in + n_out))]
    texts, declared = region.functions(n_in, target)
    spaces = {OWN: RegisterSpace("%own"), RECORDS: RecordSpace("%own", program.records_read), **_rows(n_in, n_out)}
    for p, between in enumerate(loops.between):
        if not between.idle:
            code.emit(f"call i1 @between_{width}_{p}({given})")
            body = FragmentEmitter(between, spaces, width, target)
            texts.append(body.function(f"between_{width}_{p}", ", ".join(["ptr %own", *takes])))
            declared |= body.declared
        if p < len(loops.passes):
            region.begin(code, p)
            region.run(code, p, n, arguments)
    beside.finish(rows, strides, arguments)
    code.do(f"call void @with_tiny(i64 {mode})")
    return [*texts, end_driver(code, place, memory, far)], declared
