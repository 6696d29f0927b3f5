"""Long chains, one configuration at a time, on all lanes: each lane goes along a segment of its own.

The chain is cut into as many segments of equal length as there are lanes, and what is left over at the root, which
goes on by itself as articulated bodies. The steps are those of `dynamics/assembly/segments.py`, run by the
loops of `loops.py`; between their passes the segments are joined, in straight lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.ir import Code
from linkwright.compiler.kinds import Group, Kind, groups_of, objects
from linkwright.compiler.loops import (
    ALIGNMENT,
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
from linkwright.compiler.passes import Loops, Step, is_chain, loops_of, representatives
from linkwright.compiler.program import Looped, Operations, Slot, program_of
from linkwright.compiler.sweeps import CONSTANT, NotASweep, Recorder, like, record
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
        kind_of = _numbers(groups_of(model, range(1, n), by_zeros), n) if n > 1 else []
        for period in range(1, _LONGEST_PERIOD + 1):
            breaks = [k for k in range(1, n - period) if kind_of[k] != kind_of[k + period]]
            length = (n - 1 - max(breaks, default=0)) // (lanes * period) * period
            if length >= SHORTEST:
                return Division(n - lanes * length, length, by_zeros)
    raise NotASweep(f"its {n} bodies make no {lanes} segments of {SHORTEST} bodies or more, alike in their joints")


def _numbers(kinds: Sequence[Kind | Group], n: int) -> list[int]:
    """For every body the number of its kind."""
    number = [-1] * n
    for k, kind in enumerate(kinds):
        for body in kind.bodies:
            number[body] = k
    return number


class SegmentProgram(Looped):
    """Forward dynamics of a long chain, lanes along its segments."""

    single = True

    def __init__(self, name: str, inputs: tuple[Slot, ...], model: Model, lanes: int):
        self.name, self.inputs, self.model, self.lanes = name, inputs, model, lanes
        self.outputs = (Slot("result", (model.nv,)),)
        self.cut = division(model, lanes)
        n, (rest, _, by_zeros) = len(model.links), self.cut
        names, sizes = [slot.name for slot in inputs], [slot.size for slot in inputs]

        def articulated(model: Recorder, q: Any, v: Any, tau: Any) -> Any:
            return FORWARD_DYNAMICS_METHODS["articulated"](model, q, v, tau, None)

        at_root = record(articulated, model, sizes, groups_of(model, range(rest)))
        in_lanes = record(along_segments, model, sizes, groups_of(model, range(rest, n), by_zeros), True)
        self.rest, self.segments = loops_of(at_root, names, sizes), loops_of(in_lanes, names, sizes)
        self.bridges = _Bridges(self.rest, self.segments, lanes)

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
        parts: list[Any] = [self.name, self.inputs, self.outputs, self.lanes]
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
        of_segments = _data(self.segments, range(rest, len(self.model.links))).reshape(self.lanes, length, -1)
        return tables_of(
            bodies=bodies,
            links=links,
            numbers=_data(self.rest, range(rest)),
            columns=of_segments.transpose(1, 2, 0),
            count=np.array([rest, length, *strides, at_root, of_lane], dtype=np.int64),
        )

    @staticmethod
    def _columns(loops: Loops) -> int:
        return max(kind.columns.shape[1] for kind in loops.recording.kinds)

    def text(self, target: Any, width: int) -> str:
        """The LLVM module."""
        W = self.lanes
        code = Code("%d")
        rows, _, far = begin_driver(code, "single", 4, 1)
        rest, length, of_q, of_v = (code.load("i64", "@count", k) for k in range(4))
        root = Region(self.rest, "rest", 1, "@bodies", "@numbers", self._columns(self.rest), "")
        lanes = Region(self.segments, "lane", W, "@links", "@columns", W * self._columns(self.segments), "")
        sizes = []
        for k, w in ((5, W), (4, 1)):
            doubles = code.load("i64", "@count", k)
            padded = code.emit(f"add i64 {code.emit(f'mul i64 {doubles}, {8 * w}')}, {ALIGNMENT}")
            sizes.append(code.emit(f"and i64 {padded}, -{ALIGNMENT}"))
        both = code.emit(f"add i64 {sizes[0]}, {sizes[1]}")
        place, memory, world = emit_memory(code, 0, code.emit(f"add i64 {both}, {8 * self.bridges.kept + ALIGNMENT}"))
        lanes = lanes._replace(world=world)
        root = root._replace(world=code.emit(f"getelementptr i8, ptr {world}, i64 {sizes[0]}"))
        kept = code.emit(f"getelementptr i8, ptr {world}, i64 {both}")
        of_root = Arguments(rows, ["0"] * 4, (True, False, False), self.rest.recording.outputs, far)
        of_lanes = Arguments(rows, [of_q, of_v, of_v, of_v], (True, False, False), self.segments.recording.outputs, far)

        def bridge(k: int) -> None:
            code.emit(f"call i1 @bridge_{k}(ptr {world}, ptr {root.world}, ptr {kept}, ptr {kept}, i64 0)")

        root.begin(code, _V)
        last = root.run(code, _V, rest, "begin", of_root)
        lanes.begin(code, _COURSE)
        last = lanes.run(code, _COURSE, length, last, of_lanes)
        bridge(0)
        last = lanes.run(code, _TWIST, length, last, of_lanes)
        lanes.begin(code, _RESPONSE)
        last = lanes.run(code, _RESPONSE, length, last, of_lanes)
        root.begin(code, _IN)
        bridge(1)
        last = root.run(code, _IN, rest, last, of_root)
        root.begin(code, _OUT)
        last = root.run(code, _OUT, rest, last, of_root)
        bridge(2)
        lanes.run(code, _ACCELERATION, length, last, of_lanes)
        end_driver(code, place, memory, far)

        functions, declared = root.functions(3, target.fused)
        more, needed = lanes.functions(3, target.fused, laned=True)
        functions, declared = functions + more, declared | needed
        for k, step in enumerate(self.bridges.steps):
            body = StepBody(step, 0, 1, target.fused, chain=True)
            functions.append(body.function(f"bridge_{k}"))
            declared |= body.declared
        return module_of(self, 1, target.processor, [*functions, "\n".join(code.lines)], declared)


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

    def __init__(self, rest: Loops, segments: Loops, lanes: int):
        self.rest, self.segments, self.lanes = rest, segments, lanes
        self.kept = 42 * lanes
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
            "lanes": graph.symbols("lanes", self.segments.shared * self.lanes),
            "rest": graph.symbols("rest", self.rest.shared),
            "kept": graph.symbols("kept", self.kept),
        }
        lane = _Ends(self.segments, inputs["lanes"].reshape(-1, self.lanes))
        root = _Ends(self.rest, inputs["rest"].reshape(-1, 1))
        starts, at_root, kept = compute(lane, root, inputs["kept"])
        own: dict[int, Any] = {}
        if starts is not None:
            for number, state in enumerate(starts):
                for place, x in lane.placed(lanes_next, state):
                    own[place * self.lanes + number] = x
        sent = dict(root.placed(root_next, at_root)) if at_root is not None else {}
        results = tuple(objects(list(one)) for one in (own.values(), sent.values(), kept))
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
