"""Long chains, one configuration at a time, on all lanes: each lane goes along a segment of its own.

The chain is cut into as many segments of equal length as there are lanes, and what is left over at the root, which
goes on by itself as articulated bodies. The steps are those of `dynamics/assembly/segments.py`, run by the
loops of `loops.py`; between their passes the segments are joined, in straight lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.emit.body import FragmentEmitter, GroupedSpace, RegisterSpace, StridedRows
from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.emit.stages import ALIGNMENT, STAGE, module_of, row_in_stages, tables_of
from linkwright.compiler.front.kinds import groups_of, kind_of_each
from linkwright.compiler.front.sweeps import CONSTANT, Argument, NotASweep, Recorder, like, record
from linkwright.compiler.ir.program import ArraySpec
from linkwright.compiler.ir.staged import Fragment, Staged, Write, fragment_of
from linkwright.compiler.passes.rematerialization import BodyLoops, is_chain, loops_of
from linkwright.compiler.passes.uniform_values import OWN, PARENT, output_space, representatives
from linkwright.compiler.schedules.loops import Arguments, Region, table_of
from linkwright.dynamics.assembly.segments import (
    LAST,
    Boundary,
    Course,
    SegmentJoint,
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
from linkwright.expression.order import needed
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


class SegmentProgram(Staged):
    """Forward dynamics of a long chain, lanes along its segments."""

    single = True

    def __init__(self, name: str, inputs: tuple[ArraySpec, ...], model: Model, lanes: int, groups: int = 1):
        self.name, self.inputs, self.model, self.lanes = name, inputs, model, lanes
        self.number = groups
        """of groups of lanes"""
        self.outputs = (ArraySpec("result", (model.nv,)),)
        self.cut = division(model, lanes * groups)
        n, (rest, _, by_zeros) = len(model.links), self.cut

        def articulated(model: Recorder, q: Any, v: Any, tau: Any) -> Any:
            return FORWARD_DYNAMICS_METHODS["articulated"](model, q, v, tau, None)

        arguments = [Argument("nq", (model.nq,)), *[Argument("nv", (model.nv,))] * 2]
        at_root = record(articulated, model, arguments, groups_of(model, range(rest)))
        in_lanes = record(along_segments, model, arguments, groups_of(model, range(rest, n), by_zeros), True)
        self.rest, self.segments = loops_of(at_root), loops_of(in_lanes)
        self.bridges = _Bridges(self.rest, self.segments, lanes, groups)

    @property
    def form(self) -> str:
        """What it is made of."""
        segments, (rest, length, _) = self.lanes * self.number, self.cut
        return f"{segments} segments of {length} bodies side by side, {rest} at their root"

    def bodies_and_times(self) -> list[tuple[Fragment, int]]:
        """All steps, for each body of their kind; and what joins the segments."""
        found = []
        for loops in (self.rest, self.segments):
            kinds = loops.recording.kinds
            found += [(one, len(kind.bodies)) for row in loops.steps for one, kind in zip(row, kinds, strict=True)]
        return found + [(one, 1) for one in self.bridges.bodies]

    def arrangement(self) -> Any:
        """How many segments there are, what passes, and where everything is."""
        both = self.rest, self.segments
        return self.lanes, self.number, [(x.passes, x.begins, x.sizes, x.shared) for x in both]

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
        joints = self.model.joints[rest : rest + length]
        strides = [8 * sum(joint.nq for joint in joints), 8 * sum(joint.nv for joint in joints)]
        of_segments = _data(self.segments, range(rest, len(self.model.links)))
        root_at, kept_at, _ = self._layout
        return tables_of(
            bodies=self._tables[0][0],
            links=self._tables[1][0],
            numbers=_data(self.rest, range(rest)),
            columns=of_segments.reshape(self.number, self.lanes, length, -1).transpose(0, 2, 3, 1),
            count=np.array([rest, length, *strides, root_at // self.number, root_at, kept_at], dtype=np.int64),
            order=np.array([self.memory, *self._each_stage], dtype=np.int64),
        )

    @cached_property
    def _tables(self) -> tuple[tuple[Array, int], tuple[Array, int]]:
        """Of the rest and of the first segment the bodies, and how many numbers they remember."""
        rest, length, _ = self.cut
        return table_of(self.rest, range(rest)), table_of(self.segments, range(rest, rest + length))

    @property
    def _layout(self) -> tuple[int, int, int]:
        """Where in the memory the root's numbers begin, after those of the groups, and what is kept; the end."""

        def padded(doubles: int) -> int:
            return -(-8 * doubles // ALIGNMENT) * ALIGNMENT

        root_at = self.number * padded(self.lanes * self._tables[1][1])
        kept_at = root_at + padded(self._tables[0][1])
        return root_at, kept_at, kept_at + padded(self.bridges.kept)

    @property
    def memory(self) -> int:  # type: ignore[override]
        """Bytes that a run needs, aligned."""
        return self._layout[2]

    @property
    def _each_stage(self) -> tuple[int, ...]:
        return tuple(self.number if what[0][0] == "lanes" else 1 for what in _STAGES)

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Groups of lanes can be run by themselves, where there are several."""
        return self._each_stage if self.number > 1 else ()

    @staticmethod
    def _columns(loops: BodyLoops) -> int:
        return max(kind.columns.shape[1] for kind in loops.recording.kinds)

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        stages = [self._stage(k, one) for k, one in enumerate(_STAGES)]
        root, lanes = self._regions()
        functions, declared = root.functions(3, target)
        more, needed = lanes.functions(3, target, laned=True)
        functions, declared = functions + more + stages, declared | needed
        spaces = {
            OWN: GroupedSpace("%own", self.segments.shared * self.lanes, "%s0"),
            PARENT: RegisterSpace("%parent"),
            output_space(0): StridedRows("%a0", "0"),
        }
        for k, one in enumerate(self.bridges.bodies):
            body = FragmentEmitter(one, spaces, 1, target)
            functions.append(body.function(f"bridge_{k}", "ptr %own, ptr %parent, ptr %a0, i64 %s0"))
            declared |= body.declared
        return module_of(self, 1, target.processor, [*functions, *row_in_stages(len(_STAGES))], declared)

    def _regions(self) -> tuple[Region, Region]:
        root = Region(self.rest, "rest", 1, "@bodies", "@numbers", self._columns(self.rest), "")
        lanes = Region(self.segments, "lane", self.lanes, "@links", "", self.lanes * self._columns(self.segments), "")
        return root, lanes

    def _stage(self, number: int, what: Sequence[tuple[str, int]]) -> str:
        """A function for what happens between two points at which threads wait for each other."""
        code = FunctionBuilder("%d")
        code.lines.append(f"define internal void @stage_{number}({STAGE}) #0 {{")
        code.do("start:")
        rows = [code.load("ptr", "%args", k) for k in range(4)]
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
        of_root = Arguments(rows, ["0"] * 4, of_joints, self.rest.recording.outputs)
        of_lanes = Arguments(shifted, strides, of_joints, self.segments.recording.outputs)
        for where, k in what:
            if where == "bridge":
                given = f"ptr %memory, ptr {root.world}, ptr {kept}, i64 {of_group}"
                code.emit(f"call i1 @bridge_{k}({given})")
                continue
            region, n, arguments = (root, rest, of_root) if where == "root" else (lanes, length, of_lanes)
            if (where, k) != ("root", _IN):  # which starts from what the bridge before it has put there
                region.begin(code, k)
            region.run(code, k, n, arguments)
        code.do("ret void")
        return "\n".join([*code.lines, "}"])


def _data(loops: BodyLoops, bodies: range) -> Array:
    """(bodies, …): the numbers in which bodies of a kind differ."""
    data = np.zeros((len(bodies), SegmentProgram._columns(loops)))
    for kind in loops.recording.kinds:
        data[np.array(kind.bodies) - bodies.start, : kind.columns.shape[1]] = kind.columns
    return data


class _Bridges:
    """What happens between the passes, as straight lines: the segments' ends are read, the next pass's starts written.

    What neighbors left is in the lanes' shared numbers (one of every lane side by side) and in the root's.
    """

    def __init__(self, rest: BodyLoops, segments: BodyLoops, lanes: int, groups: int):
        self.rest, self.segments, self.lanes, self.groups = rest, segments, lanes, groups
        self.kept = 42 * lanes * groups
        joints: list[SegmentJoint] = []

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
                known.append(SegmentJoint(*parts))
            ((a, _),) = root.states(_OUT, (np.zeros(6), np.zeros(0)))
            return parted(a, lane.states(_RESPONSE, LAST), known), None, []

        self.bodies = [
            self._body("twists", twists, _TWIST, _V),
            self._body("inwards", inwards, _ACCELERATION, _IN),
            self._body("outwards", outwards, _ACCELERATION, _OUT),
        ]

    def _body(self, name: str, compute: Any, lanes_next: int, root_next: int) -> Fragment:
        graph = Graph()
        shared, number = self.segments.shared * self.lanes, self.groups * self.segments.shared * self.lanes
        lane_symbols, root_symbols = graph.symbols("lanes", number), graph.symbols("rest", self.rest.shared)
        kept_symbols = graph.symbols("kept", self.kept)
        by_group = lane_symbols.reshape(self.groups, -1, self.lanes)
        lane = _Ends(self.segments, np.concatenate(list(by_group), axis=1))
        root = _Ends(self.rest, root_symbols.reshape(-1, 1))
        starts, at_root, kept = compute(lane, root, kept_symbols)
        own: dict[int, Any] = {}
        for number, state in enumerate(starts or ()):
            group, one = divmod(number, self.lanes)
            for place, x in lane.placed(lanes_next, state):
                own[group * shared + place * self.lanes + one] = x
        sent = dict(root.placed(root_next, at_root)) if at_root is not None else {}
        results = [(Write(PARENT, place), x) for place, x in sent.items()]
        results += [(Write(OWN, place), x) for place, x in own.items()]
        results += [(Write(output_space(0), place), x) for place, x in enumerate(kept)]
        given = [(write, graph.coerce(x)) for write, x in results]
        spaces = ((OWN, lane_symbols), (PARENT, root_symbols), (output_space(0), kept_symbols))
        places = {x.index: (space, entry) for space, some in spaces for entry, x in enumerate(some)}
        return fragment_of(name, needed([x for _, x in given]), lambda node: places.get(node.index), given)


class _Ends:
    """The states that neighbors left, as symbols."""

    def __init__(self, loops: BodyLoops, symbols: Array):
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
