"""Assembly–disassembly as few programs: join and split traced once for every combination of what they meet.

A joint's terms depend on its kind alone, a join beside that on what its two sides are: the ground, a body alone, or
bodies joined already (or a block of them, :mod:`linkwright.compiler.blocks`) with so many handles. Every such
combination is a :class:`Variant`, whatever the size of the mechanism. What its programs need of the joint is found
beforehand for all bodies and remembered in the body's record, or computed again; and what a split needs of its join is
remembered, or computed again (:mod:`linkwright.compiler.choices`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.blocks import BlockTraced, BlockVariant, blocks_by_variant
from linkwright.compiler.choices import (
    ITEMS,
    KEPT,
    OWN,
    RATES,
    RESULT,
    A,
    B,
    Choice,
    Part,
    Plan,
    Spot,
    Traced,
    Writer,
    join_choice,
    rounded,
    split_choice,
)
from linkwright.compiler.kinds import Kind, Source, coordinates, groups_of, objects
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
from linkwright.expression.graph import Expr, Graph, needed
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array

LEAF_KINDS = 2
"""Kinds up to which bodies are told apart by the zeros of their inertias."""

REFINED = 16
"""Variants up to which it is found out which entries of responses are always zero."""


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


class Parts(NamedTuple):
    """All programs of assembly–disassembly for one kind of mechanism."""

    kinds: list[Kind]
    """of the bodies whose angular velocities are wanted"""
    variants: list[Variant | BlockVariant]
    variant_of: list[int]
    """of every node of the schedule, -1 of bodies alone, which need no program"""
    prepare: list[Part]
    """for every kind of joint: what is remembered of a body's coordinates"""
    sweep: list[Part]
    """for every kind: a body's angular velocity from its parent's"""
    join: list[Part]
    """for every variant: the response of a join, or of a block"""
    split: list[Part]
    entries: dict[int, list[int]]
    """by the number of handles, which entries of a node's response are stored"""
    records: list[int]
    """for every kind, numbers in a body's record"""
    data: Array
    """(bodies + 1, …): constant numbers; the first row is the ground's"""
    kept: list[int]
    """numbers that the joins of every variant keep"""
    widths: Array
    """(bodies, 2): nq and nv of every joint"""


def parts_of(model: Model, schedule: Schedule) -> Parts:
    """Trace the blocks and joins of a schedule, each variant once."""
    alone = [block[0] for block in schedule.blocks if _is_alone(schedule, block)]
    moved = _moved(schedule)
    kinds = [group.kind() for group in groups_of(model, moved)] if moved else []
    leaf_kinds = _leaf_kinds([(k, model.links[k]) for k in alone])
    blocks = blocks_by_variant(model, schedule, [not _is_alone(schedule, block) for block in schedule.blocks])
    of_blocks = [BlockTraced(model, schedule, *x) for x in blocks.items()]
    variants, variant_of = _variants(model, schedule, kinds, leaf_kinds)
    for number, numbers in enumerate(blocks.values(), len(variants)):
        for block in numbers:
            variant_of[block] = number
    widths = sorted({side.number for v in variants for side in (v.parent, v.child) if side.what == "node"})
    entries = {h: [] if len(variants) <= REFINED else list(range(_size(h))) for h in widths}
    while True:
        # of what nothing is known yet, nothing follows
        known = [
            one
            for one in variants
            if all(entries[side.number] for side in (one.parent, one.child) if side.what == "node")
        ]
        with np.errstate(all="ignore"):  # of what is not yet known to be other than zero
            traced = [JoinTraced(model, kinds, leaf_kinds, one, entries) for one in known]
        found = {h: set(stored) for h, stored in entries.items()}
        everything: list[Traced] = [*traced, *of_blocks]
        for made in everything:
            if made.result:
                found[made.handles] |= {k for k, x in enumerate(made.result) if x.value != 0.0}
        refined = {h: sorted(stored) for h, stored in found.items()}
        if refined == entries and len(known) == len(variants):
            break
        entries = refined
    for graph in [kind.graph for kind in kinds] + [one.graph for one in of_blocks]:
        if graph.failure is not None:
            raise graph.failure
    return _planned(model, kinds, leaf_kinds, [*variants, *blocks], variant_of, traced, of_blocks, entries)


def _is_alone(schedule: Schedule, block: Sequence[int]) -> bool:
    """Whether a leaf is a body by itself, with no joint to the ground in it."""
    return len(block) == 1 and block[0] in schedule.joined


def _moved(schedule: Schedule) -> list[int]:
    """The bodies whose angular velocities joins and blocks want, and those that these follow from."""
    moved = [False] * len(schedule.parents)
    for body in schedule.joined:
        while body != GROUND and not moved[body]:
            moved[body] = True
            body = schedule.parents[body]
    return [k for k, x in enumerate(moved) if x]


# what there is


def _leaf_kinds(alone: Sequence[tuple[int, Link]]) -> list[LeafKind]:
    known: dict[bytes, Array] = {}  # long mechanisms are mostly made of a few bodies, many times
    numbers = []
    for _, link in alone:
        own = b"".join(np.asarray(x, dtype=float).tobytes() for x in link.rigid_inertia)
        if own not in known:
            known[own] = _leaf_numbers(link)
        numbers.append(known[own])
    if not numbers:
        return []
    rows = np.array(numbers)
    patterns: dict[bytes, list[int]] = {}
    for k, row in enumerate(rows):
        patterns.setdefault((row == 0.0).tobytes(), []).append(k)
    groups = list(patterns.values()) if len(patterns) <= LEAF_KINDS else [list(range(len(rows)))]
    found = []
    for members in groups:
        bodies = [alone[k][0] for k in members]
        columns: list[Array] = []
        constants: list[float | int] = []
        for column in rows[members].T:
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
    kind_of = {body: number for number, kind in enumerate(kinds) for body in kind.bodies}
    leaf_of = {body: number for number, one in enumerate(leaf_kinds) for body in one.bodies}

    def side(node: int) -> Side:
        if node == GROUND:
            return Side("ground", 1)
        if node < len(schedule.blocks) and _is_alone(schedule, schedule.blocks[node]):
            return Side("leaf", leaf_of[schedule.blocks[node][0]])
        return Side("node", len(schedule.handles[node]))

    numbers: dict[Variant, int] = {}
    variant_of = [-1] * len(schedule.blocks)
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


class JoinTraced:
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
        link, place = self.kind.link, variant.place
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
        self.torn = [(Spot(RATES, k), x) for k, x in enumerate(self._expressions(torn.acceleration))]
        for space, side, forces in (
            (A, variant.parent, torn.parent_forces),
            (B, variant.child, torn.child_forces),
        ):
            if side.what == "node":
                self.torn += [(Spot(space, k), x) for k, x in enumerate(self._expressions(forces))]

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


# what is computed where


def _sweep_choice(plan: Plan) -> tuple[Choice, list[Expr]]:
    """What the sweep does, and the angular velocity that it finds."""
    kind = plan.kind
    q, v, _ = coordinates(kind)
    parent = objects([kind.symbol(Source("parent", 0, k)) for k in range(3)])
    plan.source |= {symbol.index: source for source, symbol in kind.symbols.items()}
    w = [kind.graph.coerce(x) for x in angular_velocity(kind.link, parent, kind.link.transform(q), q, v)]
    return plan.chosen(w, lambda node: 1.0 if node.op == "symbol" else np.inf, fetch=1.0), w


def _data(plans: list[Plan], of_blocks: list[tuple[Plan, BlockTraced]], leaf_kinds: list[LeafKind], n: int) -> Array:
    """The table of constant numbers: in a body's row those of leaves, then of joints, then of blocks."""
    for plan in plans:
        for node in needed(plan.remembered.values()):
            if node.op == "symbol" and plan.source[node.index].space == "data":
                plan.use(plan.source[node.index])
    of_joints = max((one.columns.shape[1] for one in leaf_kinds), default=0)
    in_blocks = of_joints + max((len(plan.columns) for plan in plans), default=0)
    roles = [(plan, number, kind) for plan, one in of_blocks for number, kind in enumerate(one.kinds)]
    total = in_blocks + max((len(plan.used(number)) for plan, number, _ in roles), default=0)
    data = np.zeros((n + 1, rounded(total)))
    for one in leaf_kinds:
        data[np.array(one.bodies) + 1, : one.columns.shape[1]] = one.columns
    for plan in plans:
        plan.begin = of_joints
    for plan, _ in of_blocks:
        plan.begin = in_blocks
    for plan, number, kind in [(plan, 0, plan.kind) for plan in plans] + roles:
        used = plan.used(number)
        data[np.array(kind.bodies) + 1, plan.begin : plan.begin + len(used)] = kind.columns[:, used]
    return data


def _planned(
    model: Model,
    kinds: list[Kind],
    leaf_kinds: list[LeafKind],
    variants: list[Variant | BlockVariant],
    variant_of: list[int],
    joins: list[JoinTraced],
    blocks: list[BlockTraced],
    entries: dict[int, list[int]],
) -> Parts:
    """Choose what is remembered and kept, then write the programs."""
    plans = [Plan(kind) for kind in kinds]
    of_blocks = [(Plan(one.kinds[0], early=False), one) for one in blocks]
    traced: list[tuple[Plan, Traced]] = [*((plans[one.variant.kind], one) for one in joins), *of_blocks]
    stored = [entries.get(one.handles, []) for _, one in traced]
    splits, kept = [], []
    for plan, one in traced:
        choice, own = split_choice(plan, one, len(variants) <= REFINED)
        splits.append(choice)
        kept.append(own)
    chosen = [join_choice(*one, *x) for one, x in zip(traced, zip(stored, kept, strict=True), strict=True)]
    sweeps = [_sweep_choice(plan) for plan in plans]
    data = _data(plans, of_blocks, leaf_kinds, len(model.links))
    writer = Writer(entries)
    prepare, sweep, join_parts, split_parts = [], [], [], []
    for number, (plan, (choice, w)) in enumerate(zip(plans, sweeps, strict=True)):
        prepare.append(writer.prepare(f"prepare_{number}", plan))
        sweep.append(writer.part(f"sweep_{number}", plan, choice, [(Spot(OWN, k), x) for k, x in enumerate(w)]))
    for number, (plan, one) in enumerate(traced):
        places = {node.index: Spot(KEPT, k) for k, node in enumerate(kept[number])}
        results = [(Spot(RESULT, k), one.result[entry]) for k, entry in enumerate(stored[number])]
        results += [(Spot(KEPT, k), node) for k, node in enumerate(kept[number])]
        join_parts.append(writer.part(f"join_{number}", plan, chosen[number], results))
        split_parts.append(writer.part(f"split_{number}", plan, splits[number], one.torn, places))
    return Parts(
        kinds,
        variants,
        variant_of,
        prepare,
        sweep,
        join_parts,
        split_parts,
        entries,
        [rounded(ITEMS + len(plan.remembered)) for plan in plans],
        data,
        [len(own) for own in kept],
        np.array([(link.motion.nq, link.motion.nv) for link in model.links], dtype=np.int64),
    )
