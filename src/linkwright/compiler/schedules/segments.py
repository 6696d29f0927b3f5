"""Long chains, one configuration at a time, on all lanes: each lane goes along a segment of its own.

The chain is cut into as many segments of equal length as there are lanes, and what is left over at the root, which
goes on by itself as articulated bodies. The steps are those of `dynamics/assembly/segments.py`, run by the
loops of `loops.py`; between their passes the segments are joined, in straight lines.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.emit.code import Code
from linkwright.compiler.front.kinds import groups_of, kind_of_each, objects
from linkwright.compiler.front.sweeps import CONSTANT, Argument, NotASweep, Recorder, like, record
from linkwright.compiler.ir.program import Looped, Operations, Slot, program_of
from linkwright.compiler.native.entry import address
from linkwright.compiler.native.machine import Target
from linkwright.compiler.native.threads import in_stages
from linkwright.compiler.passes.remember import Loops, is_chain, loops_of
from linkwright.compiler.passes.shared import Step, representatives
from linkwright.compiler.schedules.columns import ALIGNMENT
from linkwright.compiler.schedules.loops import (
    Arguments,
    Region,
    StepBody,
    begin_driver,
    emit_memory,
    end_driver,
    module_of,
    table_of,
    tables_of,
)
from linkwright.dynamics.assembly.segments import (
    LAST,
    Boundary,
    Course,
    Joint,
    acceleration_step,
    course_step,
    joined_inwards,
    parted,
    response_step,
    twist_step,
    twists_before,
)
from linkwright.dynamics.forward import FORWARD_DYNAMICS_METHODS
from linkwright.expression.graph import Expr, Graph
from linkwright.model.tree import Model, motion_subspace, transform
from linkwright.spatial.arrays import Array

SHORTEST = 8
"""Bodies of the shortest segments worth having."""

_LONGEST_PERIOD = 6
_UNKNOWN = np.full(6, np.nan)
_COURSE, _TWIST, _RESPONSE, _ACCELERATION = range(4)
"""Passes over the segments."""
_START = Course(np.eye(4), np.zeros(6))
_V, _IN, _OUT = range(3)
"""Passes over the rest at the root, as articulated bodies."""

_STAGES = (
    (("root", _V),),
    (("lanes", _COURSE),),
    (("bridge", 0),),
    (("lanes", _TWIST), ("lanes", _RESPONSE)),
    (("bridge", 1), ("root", _IN), ("root", _OUT), ("bridge", 2)),
    (("lanes", _ACCELERATION),),
)
"""What happens one after the other; of lanes, group by group or all groups at once."""


def along_segments(model: Recorder, q: Any, v: Any, tau: Any) -> Any:
    """Forward dynamics of a segment, what is before and beyond it not known."""
    x, rates, efforts = model.coordinates(q), model.rates(v), model.rates(tau)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    model.outward(course_step, _START, T, S, rates)
    V = model.outward(twist_step, _UNKNOWN, T, S, rates)
    kept, _ = model.inward(response_step, LAST, T, S, x, rates, efforts, V)
    states = model.outward(acceleration_step, (Boundary(_UNKNOWN, _UNKNOWN), np.zeros(0)), T, S, kept)
    return model.assemble(model.each(lambda link, state: state[1], states))


class Division(NamedTuple):
    """How a chain is cut."""

    rest: int
    """bodies at the root that are in no segment"""
    length: int
    """of each segment"""
    by_zeros: bool
    """whether kinds of joint are told apart by zeros"""


def division(model: Model, lanes: int) -> Division:
    """Cut a chain so that all segments have the same kinds of joint in the same order."""
    if not is_chain(model):
        raise NotASweep("it branches, and segments are of chains")
    n = len(model.links)
    for by_zeros in (True, False):
        kind_of = kind_of_each(groups_of(model, range(1, n), by_zeros)) if n > 1 else {}
        for period in range(1, _LONGEST_PERIOD + 1):
            breaks = [k for k in range(1, n - period) if kind_of[k] != kind_of[k + period]]
            length = (n - 1 - max(breaks, default=0)) // (lanes * period) * period
            if length >= SHORTEST:
                return Division(n - lanes * length, length, by_zeros)
    raise NotASweep(f"its {n} bodies make no {lanes} segments of {SHORTEST} bodies or more, alike in their joints")


class SegmentProgram(Looped):
    """Forward dynamics of a long chain, lanes along its segments."""

    single = True

    def __init__(self, name: str, inputs: tuple[Slot, ...], model: Model, lanes: int, groups: int = 1):
        self.name, self.inputs, self.model, self.lanes, self.groups = name, inputs, model, lanes, groups
        self.outputs = (Slot("result", (model.nv,)),)
        self.cut = division(model, lanes * groups)
        n, (rest, _, by_zeros) = len(model.links), self.cut
        names, sizes = [slot.name for slot in inputs], [slot.size for slot in inputs]

        def articulated(model: Recorder, q: Any, v: Any, tau: Any) -> Any:
            return FORWARD_DYNAMICS_METHODS["articulated"](model, q, v, tau, None)

        arguments = [Argument("nq", (model.nq,)), *[Argument("nv", (model.nv,))] * 2]
        at_root = record(articulated, model, arguments, groups_of(model, range(rest)))
        in_lanes = record(along_segments, model, arguments, groups_of(model, range(rest, n), by_zeros), True)
        self.rest, self.segments = loops_of(at_root, names, sizes), loops_of(in_lanes, names, sizes)
        self.bridges = _Bridges(self.rest, self.segments, lanes, groups)

    @property
    def form(self) -> str:
        """What it is made of."""
        segments, (rest, length, _) = self.lanes * self.groups, self.cut
        return f"{segments} segments of {length} bodies side by side, {rest} at their root"

    @cached_property
    def operations(self) -> Operations:
        """The operations of all bodies, and of joining the segments."""
        counts = np.zeros(6, dtype=int)
        for loops in (self.rest, self.segments):
            for steps in loops.steps:
                for step, kind in zip(steps, loops.recording.kinds, strict=True):
                    counts += len(kind.bodies) * np.array(step.program.operations)
        for step in self.bridges.steps:
            counts += np.array(step.program.operations)
        return Operations(*counts.tolist())

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides the code."""
        parts: list[Any] = [self.name, self.inputs, self.outputs, self.lanes, self.groups]
        for loops in (self.rest, self.segments):
            steps = [[(s.program.digest, s.own, s.sent, s.results) for s in one] for one in loops.steps]
            parts.append((steps, loops.passes, loops.begins, loops.sizes, loops.shared))
        parts += [(s.program.digest, s.own, s.sent, s.results) for s in self.bridges.steps]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def record_bytes(self) -> int:
        """How much each body remembers, its constant data included."""
        return 8 * (max(self.segments.sizes) + self._columns(self.segments))

    def width(self, lanes: int) -> int:
        """One row at a time: the lanes are taken."""
        return 1

    def tables(self) -> tuple[dict[str, int], Any]:
        """The bodies of the rest and of the first segment, their numbers, and the sizes of all."""
        rest, length, _ = self.cut
        bodies, at_root = table_of(self.rest, range(rest))
        links, of_lane = table_of(self.segments, range(rest, rest + length))
        joints = self.model.joints[rest : rest + length]
        strides = [8 * sum(joint.nq for joint in joints), 8 * sum(joint.nv for joint in joints)]
        of_segments = _data(self.segments, range(rest, len(self.model.links)))
        root_at, kept_at, size = self._layout(at_root, of_lane)
        return tables_of(
            bodies=bodies,
            links=links,
            numbers=_data(self.rest, range(rest)),
            columns=of_segments.reshape(self.groups, self.lanes, length, -1).transpose(0, 2, 3, 1),
            count=np.array([rest, length, *strides, root_at // self.groups, root_at, kept_at, size], dtype=np.int64),
        )

    def _layout(self, at_root: int, of_lane: int) -> tuple[int, int, int]:
        """Where in the memory the root's numbers begin, after those of the groups, and what is kept; the end."""

        def padded(doubles: int) -> int:
            return -(-8 * doubles // ALIGNMENT) * ALIGNMENT

        root_at = self.groups * padded(self.lanes * of_lane)
        kept_at = root_at + padded(at_root)
        return root_at, kept_at, kept_at + padded(self.bridges.kept)

    @property
    def memory(self) -> int:
        """Bytes that a run needs, aligned."""
        rest, length, _ = self.cut
        _, at_root = table_of(self.rest, range(rest))
        _, of_lane = table_of(self.segments, range(rest, rest + length))
        return self._layout(at_root, of_lane)[2]

    @property
    def exports(self) -> tuple[str, ...]:  # type: ignore[override]
        """Single groups can be run by themselves, where there are several."""
        return ("stage",) if self.groups > 1 else ()

    def on_threads(self, exported: Mapping[str, int], arrays: Sequence[Array], out: Array, threads: int) -> None:
        """One row, the groups of lanes at once: the same numbers as one after the other."""
        rows = (ctypes.c_void_p * 4)(*map(address, arrays), address(out))
        try:
            memory, begin = self._memories.pop()
        except IndexError:
            memory = np.empty(self.memory + ALIGNMENT, dtype=np.uint8)
            begin = memory.ctypes.data + -memory.ctypes.data % ALIGNMENT
        kept = (rows, arrays, out, memory)
        in_stages(self._groups_of_stages, exported["stage"], ctypes.addressof(rows), begin, threads, kept)
        self._memories.append((memory, begin))

    @cached_property
    def _groups_of_stages(self) -> tuple[int, ...]:
        return tuple(self.groups if what[0][0] == "lanes" else 1 for what in _STAGES)

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in self.__dict__.items() if name != "_memories"}

    @cached_property
    def _memories(self) -> list[tuple[Array, int]]:
        """What no call is using, and where in it numbers begin."""
        return []

    @staticmethod
    def _columns(loops: Loops) -> int:
        return max(kind.columns.shape[1] for kind in loops.recording.kinds)

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        stages = [self._stage(k, one) for k, one in enumerate(_STAGES)]
        root, lanes = self._regions()
        functions, declared = root.functions(3, target)
        more, needed = lanes.functions(3, target, laned=True)
        functions, declared = functions + more + stages, declared | needed
        for k, step in enumerate(self.bridges.steps):
            body = _BridgeBody(step, target, self.segments.shared * self.lanes, self.segments)
            functions.append(body.function(f"bridge_{k}"))
            declared |= body.declared
        return module_of(self, 1, target.processor, [*functions, self._single(), self._entrance()], declared)

    def _regions(self) -> tuple[Region, Region]:
        root = Region(self.rest, "rest", 1, "@bodies", "@numbers", self._columns(self.rest), "")
        lanes = Region(self.segments, "lane", self.lanes, "@links", "", self.lanes * self._columns(self.segments), "")
        return root, lanes

    def _stage(self, number: int, what: Sequence[tuple[str, int]]) -> str:
        """A function for what happens between two points at which threads wait for each other."""
        code = Code("%d")
        rows, _, far = begin_driver(code, f"stage_{number}", 4, 1, ", ptr %memory, i64 %group")
        rest, length, of_q, of_v, of_group, root_at, kept_at = (code.load("i64", "@count", k) for k in range(7))
        strides = [of_q, of_v, of_v, of_v]
        root, lanes = self._regions()
        root = root._replace(world=code.emit(f"getelementptr i8, ptr %memory, i64 {root_at}"))
        kept = code.emit(f"getelementptr i8, ptr %memory, i64 {kept_at}")
        world = code.emit(f"getelementptr i8, ptr %memory, i64 {code.emit(f'mul i64 %group, {of_group}')}")
        before = code.emit(f"mul i64 {code.emit(f'mul i64 %group, {length}')}, {lanes.columns}")
        lanes = lanes._replace(world=world, data=code.emit(f"getelementptr double, ptr @columns, i64 {before}"))
        first = code.emit(f"mul i64 %group, {self.lanes}")
        shifts = [code.emit(f"mul i64 {first}, {stride}") for stride in strides]
        shifted = [code.emit(f"getelementptr i8, ptr {row}, i64 {x}") for row, x in zip(rows, shifts, strict=True)]
        of_joints = ("nq", "nv", "nv")
        of_root = Arguments(rows, ["0"] * 4, of_joints, self.rest.recording.outputs, far)
        of_lanes = Arguments(shifted, strides, of_joints, self.segments.recording.outputs, far)
        last = "start"
        for where, k in what:
            if where == "bridge":
                given = (
                    f"ptr %memory, ptr {root.world}, ptr {kept}, ptr null, ptr null, i64 0, ptr {kept}, i64 {of_group}"
                )
                code.emit(f"call i1 @bridge_{k}({given})")
                continue
            region, n, arguments = (root, rest, of_root) if where == "root" else (lanes, length, of_lanes)
            if (where, k) != ("root", _IN):  # which starts from what the bridge before it has put there
                region.begin(code, k)
            last = region.run(code, k, n, last, arguments)
        code.do("ret i1 0")
        code.lines.append("}")
        return "\n".join(code.lines)

    def _single(self) -> str:
        """One row on one thread: all stages, group after group."""
        code = Code("%d")
        begin_driver(code, "single", 0, 1)
        mode = code.emit("call i64 @without_tiny()")
        size = code.load("i64", "@count", 7)
        place, memory, world = emit_memory(code, 0, code.emit(f"add i64 {size}, {ALIGNMENT}"))
        for k, one in enumerate(_STAGES):
            for group in range(self.groups if one[0][0] == "lanes" else 1):
                code.emit(f"call i1 @stage_{k}(ptr %args, ptr null, ptr {world}, i64 {group})")
        code.do(f"call void @with_tiny(i64 {mode})")
        end_driver(code, place, memory, "")
        return "\n".join(code.lines)

    def _entrance(self) -> str:
        """``stage(number, group, args, memory)`` for those who run groups on several threads."""
        cases = " ".join(f"i64 {k}, label %stage{k}" for k in range(len(_STAGES)))
        lines = ["define void @stage(i64 %number, i64 %group, ptr %args, ptr %memory) #1 {"]
        lines += ["  %mode = call i64 @without_tiny()", f"  switch i64 %number, label %end [{cases}]"]
        for k in range(len(_STAGES)):
            lines += [f"stage{k}:", f"  call i1 @stage_{k}(ptr %args, ptr null, ptr %memory, i64 %group)"]
            lines += ["  br label %end"]
        return "\n".join([*lines, "end:", "  call void @with_tiny(i64 %mode)", "  ret void", "}"])


class _BridgeBody(StepBody):
    """What happens between passes: ``own`` is the memory, in which every group of lanes has its shared numbers."""

    def __init__(self, step: Step, target: Target, shared: int, loops: Loops):
        super().__init__(step, 0, 1, target, loops)
        self.shared = shared

    def address(self, where: str, entry: int) -> str:
        """Where a number is: %s0 bytes lie between groups."""
        if where == "%own":
            group, entry = divmod(entry, self.shared)
            where = self.emit(f"getelementptr i8, ptr %own, i64 {self.emit(f'mul i64 %s0, {group}')}")
        return super().address(where, entry)


def _data(loops: Loops, bodies: range) -> Array:
    """(bodies, …): the numbers in which bodies of a kind differ."""
    data = np.zeros((len(bodies), SegmentProgram._columns(loops)))
    for kind in loops.recording.kinds:
        data[np.array(kind.bodies) - bodies.start, : kind.columns.shape[1]] = kind.columns
    return data


class _Bridges:
    """What happens between the passes, as straight lines: the segments' ends are read, the next pass's starts written.

    What neighbours left is in the lanes' shared numbers (one of every lane side by side) and in the root's.
    """

    def __init__(self, rest: Loops, segments: Loops, lanes: int, groups: int):
        self.rest, self.segments, self.lanes, self.groups = rest, segments, lanes, groups
        self.kept = 42 * lanes * groups
        joints: list[Joint] = []

        def twists(lane: _Ends, root: _Ends, kept: Array) -> tuple[Any, Any, list[Expr]]:
            (first,) = root.states(_V, np.zeros(6))
            return twists_before(first, lane.states(_COURSE, _START)), None, []

        def inwards(lane: _Ends, root: _Ends, kept: Array) -> tuple[Any, Any, list[Expr]]:
            I, p, found = joined_inwards(lane.states(_RESPONSE, LAST))
            joints.extend(found)
            return None, (I, p), [x for G, g in found for x in (*_flat(G), *_flat(g))]

        def outwards(lane: _Ends, root: _Ends, kept: Array) -> tuple[Any, Any, list[Expr]]:
            known = []
            for number, joint in enumerate(joints):  # what is the same number always was kept for nothing
                place = iter(kept[42 * number : 42 * number + 42])
                parts = []
                for array in joint:
                    entries = [(x, next(place)) for x in _flat(array)]
                    chosen = [graph_of(kept).coerce(_number(x)) if _number(x) is not None else y for x, y in entries]
                    parts.append(np.array(chosen, dtype=object).reshape(np.shape(array)))
                known.append(Joint(*parts))
            ((a, _),) = root.states(_OUT, (np.zeros(6), np.zeros(0)))
            return parted(a, lane.states(_RESPONSE, LAST), known), None, []

        self.steps = [
            self._step("twists", twists, _TWIST, _V),
            self._step("inwards", inwards, _ACCELERATION, _IN),
            self._step("outwards", outwards, _ACCELERATION, _OUT),
        ]

    def _step(self, name: str, compute: Any, lanes_next: int, root_next: int) -> Step:
        graph = Graph()
        inputs = {
            "lanes": graph.symbols("lanes", self.groups * self.segments.shared * self.lanes),
            "rest": graph.symbols("rest", self.rest.shared),
            "kept": graph.symbols("kept", self.kept),
        }
        by_group = inputs["lanes"].reshape(self.groups, -1, self.lanes)
        lane = _Ends(self.segments, np.concatenate(list(by_group), axis=1))
        root = _Ends(self.rest, inputs["rest"].reshape(-1, 1))
        starts, at_root, kept = compute(lane, root, inputs["kept"])
        own: dict[int, Any] = {}
        if starts is not None:
            for number, state in enumerate(starts):
                group, one = divmod(number, self.lanes)
                for place, x in lane.placed(lanes_next, state):
                    own[(group * self.segments.shared + place) * self.lanes + one] = x
        sent = dict(root.placed(root_next, at_root)) if at_root is not None else {}
        results = tuple(map(objects, (list(own.values()), list(sent.values()), [], kept)))
        program = program_of(name, graph, inputs, results)
        return Step(program, list(own), list(sent), [list(range(len(kept)))])


class _Ends:
    """The states that neighbours left, as symbols."""

    def __init__(self, loops: Loops, symbols: Array):
        self.loops, self.symbols = loops, symbols

    def states(self, sweep: int, start: Any) -> list[Any]:
        """The state of every lane."""
        one = self.loops.recording.sweeps[sweep]
        places = {c: k for k, c in enumerate(representatives(one.classes))}
        graph = graph_of(self.symbols)
        return [
            like(
                start,
                iter(
                    graph.constant(x) if c == CONSTANT else self.symbols[places[c], lane]
                    for x, c in zip(one.start, one.classes, strict=True)
                ),
            )
            for lane in range(self.symbols.shape[1])
        ]

    def placed(self, sweep: int, state: Any) -> list[tuple[int, Any]]:
        """Where the entries of a state are put, for a pass to start from."""
        one = self.loops.recording.sweeps[sweep]
        entries = _flat(state)
        return [(k, entries[entry]) for k, entry in enumerate(representatives(one.classes).values())]


def graph_of(symbols: Array) -> Graph:
    """The graph of an array of symbols."""
    graph: Graph = symbols.flat[0].graph
    return graph


def _number(x: Any) -> float | None:
    """The number that an entry always is."""
    return x.value if isinstance(x, Expr) else float(x)


def _flat(state: Any) -> list[Any]:
    """All entries of a state."""
    if isinstance(state, tuple):
        return [x for part in state for x in _flat(part)]
    return list(np.asarray(state, dtype=object).flat)
