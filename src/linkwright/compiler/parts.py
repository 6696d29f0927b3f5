"""Assembly–disassembly as few programs: join and split traced once for every combination of what they meet.

A joint's terms depend on its kind alone, a join beside that on what its two sides are: the ground, a body alone, or
joined bodies with so many handles. Every such combination is a :class:`Variant`, whatever the size of the mechanism.
What its programs need of the joint is found beforehand for all bodies and remembered in the body's record, or computed
again; and what a split needs of its join is remembered, or computed again: minimum cuts, as for loops over bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.kinds import Kind, Source, groups_of, objects
from linkwright.compiler.passes import Cut
from linkwright.compiler.program import Instruction, Program, Slot
from linkwright.dynamics.assembly.schedule import GROUND, Schedule
from linkwright.dynamics.assembly.subassembly import (
    LeafInertia,
    Place,
    Subassembly,
    angular_velocity,
    ground,
    join,
    joint_terms,
    leaf,
    leaf_inertia,
    split,
)
from linkwright.expression.graph import Expr, Graph, demanded, needed
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array

OWN, PARENT, OWN_DATA, PARENT_DATA, A, B, KEPT, OUTER, Q, V, TAU, RESULT, RATES = range(13)
"""Where programs read and write: the records of the joint's body and its parent, their constant data; the nodes on
both sides of a join (their responses on the way up, the forces on them on the way down), what a join keeps, the forces
on its result; the inputs; the response of a join's result, and the joint's acceleration."""

LEAF_KINDS = 2
"""Kinds up to which bodies are told apart by the zeros of their inertias."""

REFINED = 16
"""Variants up to which it is found out which entries of responses are always zero."""

FETCH, KEEP = 3.0, 3.0
"""What reading a number from a record costs, and keeping one for the split, in operations."""
_COSTS = {"div": 6.0, "sqrt": 6.0, "sin": np.inf, "cos": np.inf}
_CHEAP = ("add", "sub", "mul", "div", "neg", "sqrt", "abs", "min", "max", "where", "less", "less_equal", "sign")


class Side(NamedTuple):
    """What a join finds on one of its sides."""

    what: str
    """ "ground", "leaf" or "node" """
    number: int
    """the kind of leaf, or how many handles"""


class Variant(NamedTuple):
    """Joins that are the same program."""

    kind: int
    """of the joint"""
    parent: Side
    child: Side
    place: Place


class LeafKind(NamedTuple):
    """Bodies that are leaves of one kind."""

    bodies: list[int]
    constants: list[float | int]
    """of each of the numbers of a :class:`LeafInertia` its value, or (whole) its column"""
    columns: Array
    """(bodies, …)"""


class Part(NamedTuple):
    """A program with its places."""

    program: Program
    """its inputs are (space, entry)"""
    writes: list[tuple[int, int]]
    """(space, entry) of each of its results"""


class Parts(NamedTuple):
    """All programs of assembly–disassembly for one kind of mechanism."""

    kinds: list[Kind]
    variants: list[Variant]
    variant_of: list[int]
    """of every join of the schedule"""
    prepare: list[Part]
    """for every kind of joint: what is remembered of a body's coordinates"""
    sweep: list[Part]
    """for every kind: a body's angular velocity from its parent's"""
    join: list[Part]
    """for every variant"""
    split: list[Part]
    entries: dict[int, list[int]]
    """by the number of handles, which entries of a node's response are stored"""
    records: list[int]
    """for every kind, numbers in a body's record"""
    data: Array
    """(bodies + 1, …): constant numbers; the first row is the ground's"""
    kept: list[int]
    """numbers that the joins of every variant keep"""


def parts_of(model: Model, schedule: Schedule) -> Parts:
    """Trace the joins of a schedule, each variant once."""
    kinds, leaf_kinds = [group.kind() for group in groups_of(model)], _leaf_kinds(model)
    variants, variant_of = _variants(model, schedule, kinds, leaf_kinds)
    widths = sorted({side.number for v in variants for side in (v.parent, v.child) if side.what == "node"})
    entries = {h: [] if len(variants) <= REFINED else list(range(_size(h))) for h in widths}
    while True:
        # of what nothing is known yet, nothing follows
        known = [
            one
            for one in variants
            if all(entries[side.number] for side in (one.parent, one.child) if side.what == "node")
        ]
        traced = [_Traced(model, kinds, leaf_kinds, one, entries) for one in known]
        found = {h: set(stored) for h, stored in entries.items()}
        for one in traced:
            if one.result:
                found[one.handles] |= {k for k, x in enumerate(one.result) if x.value != 0.0}
        refined = {h: sorted(stored) for h, stored in found.items()}
        if refined == entries and len(known) == len(variants):
            break
        entries = refined
    for kind in kinds:
        if kind.graph.failure is not None:
            raise kind.graph.failure
    return _planned(model, kinds, leaf_kinds, variants, variant_of, traced, entries)


# what there is


def _leaf_kinds(model: Model) -> list[LeafKind]:
    known: dict[bytes, Array] = {}  # long mechanisms are mostly made of a few bodies, many times
    numbers = []
    for link in model.links:
        own = b"".join(np.asarray(x, dtype=float).tobytes() for x in link.rigid_inertia)
        if own not in known:
            known[own] = _leaf_numbers(link)
        numbers.append(known[own])
    rows = np.array(numbers)
    patterns: dict[bytes, list[int]] = {}
    for k, row in enumerate(rows):
        patterns.setdefault((row == 0.0).tobytes(), []).append(k)
    groups = list(patterns.values()) if len(patterns) <= LEAF_KINDS else [list(range(len(rows)))]
    found = []
    for bodies in groups:
        columns: list[Array] = []
        constants: list[float | int] = []
        for column in rows[bodies].T:
            if (column == column[0]).all():
                constants.append(float(column[0]))
                continue
            place = next((k for k, known in enumerate(columns) if (known == column).all()), len(columns))
            if place == len(columns):
                columns.append(column)
            constants.append(place)
        found.append(LeafKind(bodies, constants, np.array(columns).T.reshape(len(bodies), len(columns))))
    return found


_UPPER_6, _UPPER_3 = np.triu_indices(6), np.triu_indices(3)


def _leaf_numbers(link: Link) -> Array:
    compliance, center, moment = leaf_inertia(link)
    return np.concatenate([compliance[_UPPER_6], center, moment[_UPPER_3]])


def _variants(
    model: Model, schedule: Schedule, kinds: list[Kind], leaf_kinds: list[LeafKind]
) -> tuple[list[Variant], list[int]]:
    n = len(model.links)
    kind_of = {body: number for number, kind in enumerate(kinds) for body in kind.bodies}
    leaf_of = {body: number for number, one in enumerate(leaf_kinds) for body in one.bodies}

    def side(node: int) -> Side:
        if node == GROUND:
            return Side("ground", 1)
        return Side("leaf", leaf_of[node]) if node < n else Side("node", len(schedule.handles[node]))

    numbers: dict[Variant, int] = {}
    variant_of = []
    for one in schedule.joins:
        variant = Variant(kind_of[one.joint], side(one.parent_node), side(one.child_node), one.place)
        variant_of.append(numbers.setdefault(variant, len(numbers)))
    return list(numbers), variant_of


# tracing


def _size(handles: int) -> int:
    """How many numbers a response has: the upper half of Φ, then b."""
    return 3 * handles * (6 * handles + 1) + 6 * handles


def _symmetric(graph: Graph, values: Sequence[Any], n: int) -> Array:
    matrix = objects([graph.zero] * (n * n)).reshape(n, n)
    rows, columns = np.triu_indices(n)
    for i, j, x in zip(rows, columns, values, strict=True):
        matrix[i, j] = matrix[j, i] = x
    return matrix


class _Traced:
    """A variant's join and split as expressions."""

    def __init__(
        self,
        model: Model,
        kinds: list[Kind],
        leaf_kinds: list[LeafKind],
        variant: Variant,
        entries: dict[int, list[int]],
    ):
        self.kind, self.variant = kinds[variant.kind], variant
        self.leaf_kinds, self.stored = leaf_kinds, entries
        link, motion, place = self.kind.link, self.kind.link.motion, variant.place
        q, v, tau = coordinates(self.kind)
        parent = self._symbols("parent", 3) if variant.parent.what != "ground" else np.zeros(3)
        T = link.transform(q)
        terms = joint_terms(link, T, q, v, tau, parent)
        sides = (
            ground(model.gravity)
            if variant.parent.what == "ground"
            else self._side("A", variant.parent, parent, "parent leaf"),
            self._side("B", variant.child, self._symbols("own", 3), "leaf"),
        )
        result, joined = join(*sides, place, terms)
        self.handles = len(place.parent_kept) + len(place.child_kept)
        outer = self._symbols("outer", 6 * self.handles)
        sizes = tuple(len(side.bias) // 6 for side in sides)
        torn = split(place, (sizes[0], sizes[1]), terms, joined, outer)
        upper: Any = result.compliance[np.triu_indices(6 * self.handles)] if self.handles else []
        self.result = self._expressions([*upper, *result.bias])
        """the response of the result, its upper half"""
        self.accelerations = self._expressions(torn.acceleration)
        self.forces = [
            self._expressions(forces) if side.what == "node" else []
            for side, forces in zip(
                (variant.parent, variant.child), (torn.parent_forces, torn.child_forces), strict=True
            )
        ]
        assert len(self.accelerations) == motion.nv

    def _expressions(self, values: Any) -> list[Expr]:
        return [self.kind.graph.coerce(x) for x in values]

    def _symbols(self, space: str, n: int) -> Array:
        return objects([self.kind.symbol(Source(space, 0, k)) for k in range(n)])

    def _side(self, space: str, side: Side, w: Array, leaf_space: str) -> Subassembly:
        graph = self.kind.graph
        if side.what == "leaf":
            numbers = [
                self.kind.symbol(Source(leaf_space, side.number, x)) if isinstance(x, int) else graph.constant(x)
                for x in self.leaf_kinds[side.number].constants
            ]
            inertia = LeafInertia(
                _symmetric(graph, numbers[:21], 6), objects(numbers[21:24]), _symmetric(graph, numbers[24:], 3)
            )
            return leaf(inertia, w, np.zeros(6))
        n = 6 * side.number
        stored = set(self.stored[side.number])
        values = [
            self.kind.symbol(Source(space, side.number, k)) if k in stored else graph.zero
            for k in range(_size(side.number))
        ]
        return Subassembly(_symmetric(graph, values[: len(values) - n], n), objects(values[len(values) - n :]))


def coordinates(kind: Kind) -> tuple[Array, Array, Array]:
    """Symbols for q, v and τ of a joint."""
    motion = kind.link.motion
    q, v, tau = (
        objects([kind.symbol(Source("input", number, k)) for k in range(n)])
        for number, n in enumerate((motion.nq, motion.nv, motion.nv))
    )
    return q, v, tau


# what is computed where


class _Plan:
    """The programs of one kind of joint and its variants."""

    def __init__(self, kind: Kind):
        self.kind = kind
        self.source = {symbol.index: source for source, symbol in kind.symbols.items()}
        self.early: dict[int, bool] = {}
        """whether an expression depends on the body's own coordinates and data alone"""
        self.remembered: dict[int, Expr] = {}
        """what is found beforehand, in the order of the record"""
        self.columns: list[int] = []
        """which of the kind's columns of data are used"""

    def note(self, nodes: Sequence[Expr]) -> None:
        """Note of expressions, in the order of their creation, whether ``prepare`` can compute them."""
        for one in nodes:
            if one.op == "symbol":
                self.early[one.index] = self.source[one.index].space in ("data", "input")
            else:
                self.early[one.index] = all(self.early[a.index] for a in one.args if a.value is None)

    def chosen(
        self, wanted: Sequence[Expr], load: Callable[[Expr], float], fetch: float = FETCH, thorough: bool = True
    ) -> _Choice:
        """What to compute and what to read, at least cost.

        ``load``: the cost of reading what is not early. Without ``thorough`` what is not early and can be read is.
        """
        reachable = [node for node in needed(wanted) if node.value is None]
        self.note(reachable)
        costs = {node.index: self._reading(node, load, fetch) for node in reachable}
        # what cannot be read is computed; the choice is about what that takes
        ahead = {node.index for node in wanted}
        computed, loaded, frontier = [], [], []
        for node in reversed(reachable):
            if node.index not in ahead:
                continue
            if costs[node.index] == np.inf:
                computed.append(node)
                ahead |= {a.index for a in node.args}
            elif node.op == "symbol" or not (thorough or self.early[node.index]):
                loaded.append(node)
            else:
                frontier.append(node)
        nodes = [node for node in needed(frontier) if node.value is None]
        cut = Cut(2 * len(nodes) + 2)
        place = {node.index: 2 * k for k, node in enumerate(nodes)}
        source, sink = 2 * len(nodes), 2 * len(nodes) + 1
        for node in nodes:
            first, last = place[node.index], place[node.index] + 1
            cut.edge(source, first, np.inf if node.op not in _CHEAP else _COSTS.get(node.op, 1.0))
            cut.edge(first, last, costs[node.index])
            for a in node.args:
                if a.value is None:
                    cut.edge(place[a.index] + 1, first, np.inf)
        for node in frontier:
            cut.edge(place[node.index] + 1, sink, np.inf)
        near = cut.near(source, sink)
        done = {node.index for node in loaded}
        computed += [node for node in nodes if not near[place[node.index]]]
        loaded += [
            node
            for node in nodes
            if near[place[node.index]] and not near[place[node.index] + 1] and node.index not in done
        ]
        for node in loaded:
            if node.op == "symbol" and self.source[node.index].space == "data":
                self.use(self.source[node.index].entry)
            elif self.early[node.index]:
                self.remembered.setdefault(node.index, node)
        return _Choice(computed, loaded)

    def _reading(self, node: Expr, load: Callable[[Expr], float], fetch: float) -> float:
        """What it costs to read a number."""
        if node.op == "symbol" and self.source[node.index].space == "data":
            return fetch
        if self.early[node.index]:
            return fetch if node.index in self.remembered else 2.0 * fetch
        return load(node)

    def use(self, column: int) -> None:
        """Note that a column of the kind's data is read."""
        if column not in self.columns:
            self.columns.append(column)


class _Choice(NamedTuple):
    """What a program computes, and what it reads."""

    computed: list[Expr]
    loaded: list[Expr]


def _split_choice(plan: _Plan, one: _Traced, thorough: bool) -> tuple[_Choice, list[Expr]]:
    """What a split does, and what its join must keep for it."""
    wanted = [*one.accelerations, *one.forces[0], *one.forces[1]]
    nodes = needed(wanted)
    late = {node.index for node in nodes if node.op == "symbol" and plan.source[node.index].space == "outer"}
    for node in nodes:
        if any(a.index in late for a in node.args):
            late.add(node.index)

    def at_hand(node: Expr) -> float | None:
        return _fetched(plan.source[node.index], joining=False) if node.op == "symbol" else None

    def reading(node: Expr) -> float:
        found = at_hand(node)
        return found if found is not None else np.inf if node.index in late else KEEP

    choice = plan.chosen(wanted, reading, thorough=thorough)
    return choice, [node for node in choice.loaded if not plan.early[node.index] and at_hand(node) is None]


def _join_choice(plan: _Plan, one: _Traced, stored: Sequence[int], kept: list[Expr]) -> _Choice:
    def reading(node: Expr) -> float:
        found = _fetched(plan.source[node.index], joining=True) if node.op == "symbol" else None
        return np.inf if found is None else found

    return plan.chosen([*(one.result[k] for k in stored), *kept], reading)


def _sweep_choice(plan: _Plan) -> tuple[_Choice, list[Expr]]:
    """What the sweep does, and the angular velocity that it finds."""
    kind = plan.kind
    q, v, _ = coordinates(kind)
    parent = objects([kind.symbol(Source("parent", 0, k)) for k in range(3)])
    plan.source |= {symbol.index: source for source, symbol in kind.symbols.items()}
    w = [kind.graph.coerce(x) for x in angular_velocity(kind.link, parent, kind.link.transform(q), q, v)]
    return plan.chosen(w, lambda node: 1.0 if node.op == "symbol" else np.inf, fetch=1.0), w


def _data(plans: list[_Plan], leaf_kinds: list[LeafKind], bodies: int) -> tuple[Array, int]:
    """The table of constant numbers: of leaves, then of joints; and where the latter begin."""
    for plan in plans:
        for node in needed(plan.remembered.values()):
            if node.op == "symbol" and plan.source[node.index].space == "data":
                plan.use(plan.source[node.index].entry)
    begin = max(one.columns.shape[1] for one in leaf_kinds)
    data = np.zeros((bodies + 1, _rounded(begin + max(len(plan.columns) for plan in plans))))
    for one in leaf_kinds:
        data[np.array(one.bodies) + 1, : one.columns.shape[1]] = one.columns
    for plan in plans:
        rows = np.array(plan.kind.bodies) + 1
        data[rows, begin : begin + len(plan.columns)] = plan.kind.columns[:, plan.columns]
    return data, begin


def _planned(
    model: Model,
    kinds: list[Kind],
    leaf_kinds: list[LeafKind],
    variants: list[Variant],
    variant_of: list[int],
    traced: list[_Traced],
    entries: dict[int, list[int]],
) -> Parts:
    """Choose what is remembered and kept, then write the programs."""
    plans = [_Plan(kind) for kind in kinds]
    of_variant = [plans[one.variant.kind] for one in traced]
    stored = [entries.get(one.handles, []) for one in traced]
    splits, kept = [], []
    for plan, one in zip(of_variant, traced, strict=True):
        choice, own = _split_choice(plan, one, len(variants) <= REFINED)
        splits.append(choice)
        kept.append(own)
    joins = [_join_choice(*x) for x in zip(of_variant, traced, stored, kept, strict=True)]
    sweeps = [_sweep_choice(plan) for plan in plans]
    data, begin = _data(plans, leaf_kinds, len(model.links))
    writer = _Writer(begin, entries)
    prepare, sweep, join_parts, split_parts = [], [], [], []
    for number, (plan, (choice, w)) in enumerate(zip(plans, sweeps, strict=True)):
        prepare.append(writer.prepare(f"prepare_{number}", plan))
        sweep.append(writer.part(f"sweep_{number}", plan, choice, [(OWN, k, x) for k, x in enumerate(w)]))
    for number, (plan, one) in enumerate(zip(of_variant, traced, strict=True)):
        places = {node.index: (KEPT, k) for k, node in enumerate(kept[number])}
        results = [(RESULT, k, one.result[entry]) for k, entry in enumerate(stored[number])]
        results += [(KEPT, k, node) for k, node in enumerate(kept[number])]
        join_parts.append(writer.part(f"join_{number}", plan, joins[number], results))
        torn = [(RATES, k, x) for k, x in enumerate(one.accelerations)]
        for space, forces in zip((A, B), one.forces, strict=True):
            torn += [(space, k, x) for k, x in enumerate(forces)]
        split_parts.append(writer.part(f"split_{number}", plan, splits[number], torn, places))
    return Parts(
        kinds,
        variants,
        variant_of,
        prepare,
        sweep,
        join_parts,
        split_parts,
        entries,
        [_rounded(_ITEMS + len(plan.remembered)) for plan in plans],
        data,
        [len(own) for own in kept],
    )


_ITEMS = 4
"""Where in a record what is remembered begins: after the angular velocity, four numbers being read at once."""


def _rounded(numbers: int) -> int:
    """So many, or a few more: four are read at once."""
    return -(-numbers // 4) * 4


def _fetched(source: Source, joining: bool) -> float | None:
    """What reading a symbol costs, where a split (or a join) can read it."""
    if source.space in ("own", "parent", "leaf", "parent leaf"):
        return FETCH
    if source.space in ("A", "B"):
        return 1.0 if joining else None
    return 1.0 if source.space == "outer" else None


class _Writer:
    """Programs from what is to be computed and read."""

    def __init__(self, begin: int, entries: dict[int, list[int]]):
        self.begin = begin
        self.places = {h: {entry: k for k, entry in enumerate(stored)} for h, stored in entries.items()}

    def prepare(self, name: str, plan: _Plan) -> Part:
        """What is found of a body beforehand."""
        remembered = list(plan.remembered.values())
        inside = [node for node in needed(remembered) if node.value is None]
        symbols = [node for node in inside if node.op == "symbol"]
        choice = _Choice([node for node in inside if node.op != "symbol"], symbols)
        inputs = {}
        for node in symbols:
            source = plan.source[node.index]
            if source.space == "input":
                inputs[node.index] = (Q, V, TAU)[source.number], source.entry
        results = [(OWN, _ITEMS + k, node) for k, node in enumerate(remembered)]
        return self.part(name, plan, choice, results, inputs)

    def part(
        self,
        name: str,
        plan: _Plan,
        choice: _Choice,
        results: Sequence[tuple[int, int, Expr]],
        places: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    ) -> Part:
        """The program: every number is read when it is first needed. ``places``: where some are read."""
        instructions: list[Instruction] = []
        numbers: dict[int, int] = {}
        read = {node.index for node in choice.loaded}
        remembered = {index: k for k, index in enumerate(plan.remembered)}

        def place(node: Expr) -> tuple[int, int]:
            if node.index in places:
                return places[node.index]
            if node.op == "symbol":
                source = plan.source[node.index]
                if source.space == "data":
                    return OWN_DATA, self.begin + plan.columns.index(source.entry)
                if source.space in ("A", "B"):
                    return (A if source.space == "A" else B), self.places[source.number][source.entry]
                if source.space in _SYMBOLS:
                    return _SYMBOLS[source.space], source.entry
            return OWN, _ITEMS + remembered[node.index]

        def value(node: Expr) -> int:
            if node.index not in numbers:
                if node.value is not None:
                    instruction = Instruction("constant", (), node.value)
                else:
                    assert node.index in read, node
                    instruction = Instruction("input", place(node))
                numbers[node.index] = len(instructions)
                instructions.append(instruction)
            return numbers[node.index]

        for node in demanded(choice.computed, [node for *_, node in results]):
            arguments = tuple(value(a) for a in node.args)
            numbers[node.index] = len(instructions)
            instructions.append(Instruction(node.op, arguments))
        given = tuple(value(node) for *_, node in results)
        program = Program(name, (), (Slot("written", (len(given),)),), tuple(instructions), (given,), True)
        return Part(program, [(space, entry) for space, entry, _ in results])


_SYMBOLS = {"own": OWN, "parent": PARENT, "leaf": OWN_DATA, "parent leaf": PARENT_DATA, "outer": OUTER}
