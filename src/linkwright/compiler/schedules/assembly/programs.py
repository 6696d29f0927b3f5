"""Assembly–disassembly as few programs: join and split are traced once for every combination of sides.

The terms of a joint depend on its kind alone, a join also on its two sides: the ground, a single body, or joined bodies
(or a block, `blocks.py`) with a number of handles. Every combination is a :class:`JoinVariant`, for any size of the
mechanism; closed loops are joins too (`loop_closures.py`). Values that its programs need of the joint are precomputed
for all bodies and stored in the body's record, or recomputed. Values that a split needs of its join are stored or
recomputed, too (`rematerialization.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import JointKind, coordinates, groups_of, kind_of_each
from linkwright.compiler.ir.staged import Fragment, Write
from linkwright.compiler.passes.minimum_cut import Choice
from linkwright.compiler.schedules.assembly.blocks import BlockVariant, TracedBlock, blocks_by_variant
from linkwright.compiler.schedules.assembly.loop_closures import LoopClosures, LoopVariant, TracedLoop
from linkwright.compiler.schedules.assembly.rematerialization import (
    ITEMS,
    KEPT,
    LOOP_DATA,
    MEMBER_DATA,
    OWN,
    RATES,
    RESULT,
    FragmentWriter,
    RecordPlan,
    TracedNode,
    join_choice,
    rounded,
    split_choice,
)
from linkwright.compiler.schedules.assembly.sides import (
    JoinSide,
    JoinSides,
    LeafKind,
    expressions,
    handed_down,
    leaf_kinds,
    response_of,
    response_size,
    symbols,
)
from linkwright.dynamics.assembly.loops import Closing
from linkwright.dynamics.assembly.method import orders_of_rows
from linkwright.dynamics.assembly.schedule import GROUND, Schedule
from linkwright.dynamics.assembly.subassembly import HandlePlacement, angular_velocity, join, joint_terms, split
from linkwright.expression.graph import Expr
from linkwright.expression.order import needed
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

REFINED = 32
"""Variants up to which it is found out which entries of responses are always zero."""


class JoinVariant(NamedTuple):
    """Joins that are the same program."""

    kind: int
    """of the joint"""
    parent: JoinSide
    child: JoinSide
    place: HandlePlacement


class AssemblyPrograms(NamedTuple):
    """All programs of assembly–disassembly for one kind of mechanism."""

    kinds: list[JointKind]
    """of the bodies whose angular velocities are wanted"""
    variants: list[JoinVariant | LoopVariant | BlockVariant]
    variant_of: list[int]
    """of every node of the schedule, -1 of bodies alone, which need no program"""
    prepare: list[Fragment]
    """for every kind of joint: what is remembered of a body's coordinates"""
    sweep: list[Fragment]
    """for every kind: a body's angular velocity from its parent's; none where nothing moves"""
    join: list[Fragment]
    """for every variant: the response of a join, or of a block"""
    split: list[Fragment]
    entries: dict[int, list[int]]
    """by the number of handles, which entries of a node's response are stored"""
    records: list[int]
    """for every kind, numbers in a body's record"""
    data: Array
    """(1 + bodies + loops, …): constant numbers; the first row is the ground's"""
    kept: list[int]
    """numbers that the joins of every variant keep"""
    widths: Array
    """(bodies, 2): nq and nv of every joint"""
    members: dict[int, list[int]]
    """of every loop the bodies that it goes by"""


def programs_of(model: Model, schedule: Schedule, closing: Closing | None = None) -> AssemblyPrograms:
    """Trace the blocks, joins and loops of a schedule, each variant once."""
    still = closing is not None and bool(closing.corrects)
    gravity = np.zeros(3) if still else model.gravity
    moved = sorted(k for k in schedule.joined if k < len(model.links)) if still else _moved(schedule)
    kinds = [group.kind() for group in groups_of(model, moved)] if moved else []
    closings = LoopClosures(model, schedule, closing, orders_of_rows(model, schedule, closing))
    alone = [block[0] for block in schedule.blocks if _is_alone(schedule, block)]
    in_blocks = [number for number, block in enumerate(schedule.blocks) if not _is_alone(schedule, block)]
    of_leaves = leaf_kinds(model, sorted({*alone, *closings.bodies}))
    blocks = blocks_by_variant(model, schedule, in_blocks)
    of_blocks = [TracedBlock(model, schedule, still, *x) for x in blocks.items()]
    joins, loops, variant_of = _variants(model, schedule, kinds, of_leaves, closings)
    variants: list[JoinVariant | LoopVariant | BlockVariant] = [*joins, *loops, *blocks]
    for number, numbers in enumerate(blocks.values(), len(joins) + len(loops)):
        for block in numbers:
            variant_of[block] = number
    between: list[JoinVariant | LoopVariant] = [*joins, *loops]
    nodes = [[side.number for side in (one.parent, one.child) if side.what == "node"] for one in between]
    widths = sorted({handles for sides in nodes for handles in sides})
    entries = {h: [] if len(variants) <= REFINED else list(range(response_size(h))) for h in widths}
    made: dict[Any, TracedJoin | TracedLoop] = {}
    """by variant and what is known of its sides"""

    def traced(one: JoinVariant | LoopVariant, known: tuple[Any, ...]) -> TracedJoin | TracedLoop:
        if (one, known) not in made:
            sides = JoinSides(gravity, of_leaves, entries, still)
            with np.errstate(all="ignore"):  # of what is not yet known to be other than zero
                made[one, known] = (
                    TracedJoin(kinds, sides, one)
                    if isinstance(one, JoinVariant)
                    else TracedLoop(closings, sides, one, loops[one])
                )
        return made[one, known]

    while True:
        # of what nothing is known yet, nothing follows
        known = [tuple(tuple(entries[handles]) for handles in sides) for sides in nodes]
        of_joints = [traced(one, x) for one, x in zip(between, known, strict=True) if all(x)]
        found = {h: set(stored) for h, stored in entries.items()}
        everything: list[TracedNode] = [*of_joints, *of_blocks]
        for node in everything:
            if node.result:
                found[node.handles] |= {k for k, x in enumerate(node.result) if x.value != 0.0}
        refined = {h: sorted(stored) for h, stored in found.items()}
        if refined == entries and all(map(all, known)):
            break
        entries = refined
    of_joins = [one for one in of_joints if isinstance(one, TracedJoin)]
    of_loops = [one for one in of_joints if isinstance(one, TracedLoop)]
    graphs = [one.graph for one in kinds] + [one.graph for one in of_loops] + [one.graph for one in of_blocks]
    for graph in graphs:
        if graph.failure is not None:
            raise graph.failure
    planned = _planned(model, kinds, of_leaves, variants, variant_of, of_joins, of_loops, of_blocks, entries, still)
    for graph in (*graphs, *(one.graph for one in made.values() if isinstance(one, TracedLoop))):
        graph.release()
    return planned


def _is_alone(schedule: Schedule, block: Sequence[int]) -> bool:
    """Return whether a leaf is a single body, without a joint to the ground."""
    return len(block) == 1 and block[0] in schedule.joined


def _moved(schedule: Schedule) -> list[int]:
    """Return the bodies whose angular velocities joins and blocks need, with their ancestors."""
    moved = [False] * len(schedule.parents)
    ends = {body for joint in schedule.joined if joint >= len(moved) for body in schedule.ends(joint)}
    for body in (*(joint for joint in schedule.joined if joint < len(moved)), *ends):
        while body != GROUND and not moved[body]:
            moved[body] = True
            body = schedule.parents[body]
    return [k for k, x in enumerate(moved) if x]


# what there is


def _variants(
    model: Model, schedule: Schedule, kinds: list[JointKind], leaf_kinds: list[LeafKind], closings: LoopClosures
) -> tuple[list[JoinVariant], dict[LoopVariant, list[int]], list[int]]:
    """Return the variants of joints, those of loops with their numbers, and the variant of each node."""
    kind_of = kind_of_each(kinds)
    alone = {body: JoinSide("leaf", number) for number, one in enumerate(leaf_kinds) for body in one.bodies}
    alone[GROUND] = JoinSide("ground", 1)

    def side(node: int) -> JoinSide:
        if node == GROUND:
            return alone[GROUND]
        if node < len(schedule.blocks) and _is_alone(schedule, schedule.blocks[node]):
            return alone[schedule.blocks[node][0]]
        return JoinSide("node", len(schedule.handles[node]))

    numbers: dict[JoinVariant, int] = {}
    loops: dict[LoopVariant, list[int]] = {}
    found: list[JoinVariant | LoopVariant] = []
    for one in schedule.joins:
        sides = side(one.parent_node), side(one.child_node)
        if one.joint >= len(model.links):
            closed = closings.variant(one, alone, *sides)
            loops.setdefault(closed, []).append(one.joint)
            found.append(closed)
        else:
            joined = JoinVariant(kind_of[one.joint], *sides, one.place)
            numbers.setdefault(joined, len(numbers))
            found.append(joined)
    of_loops = {variant: k for k, variant in enumerate(loops, len(numbers))}
    variant_of = [numbers[one] if isinstance(one, JoinVariant) else of_loops[one] for one in found]
    return list(numbers), loops, [-1] * len(schedule.blocks) + variant_of


# tracing


class TracedJoin:
    """A variant's join and split as expressions."""

    def __init__(self, kinds: list[JointKind], sides: JoinSides, variant: JoinVariant):
        self.kind, self.variant = kinds[variant.kind], variant
        link, place = self.kind.link, variant.place
        q, v, tau = coordinates(self.kind, still=sides.still)
        own = sides.angular_velocity(self.kind, "own")
        parent = np.zeros(3) if variant.parent.what == "ground" else sides.angular_velocity(self.kind, "parent")
        terms = joint_terms(link, link.transform(q), q, v, tau, parent)
        found = sides.found(self.kind, variant.parent, "A", parent), sides.found(self.kind, variant.child, "B", own)
        result, joined = join(*found, place, terms)
        self.handles = len(place.parent_kept) + len(place.child_kept)
        outer = symbols(self.kind, "outer", 6 * self.handles)
        torn = split(place, (len(found[0].bias) // 6, len(found[1].bias) // 6), terms, joined, outer)
        self.result = response_of(self.kind.graph, result)
        rates = expressions(self.kind.graph, torn.acceleration)
        self.torn = [(Write(RATES, k), x) for k, x in enumerate(rates)]
        forces = torn.parent_forces, torn.child_forces
        self.torn += handed_down(self.kind.graph, (variant.parent, variant.child), forces)


# what is computed where


def _sweep_choice(plan: RecordPlan) -> tuple[Choice, list[Expr]]:
    """Return the computations of the sweep, and the angular velocity that it computes."""
    kind = plan.kind
    q, v, _ = coordinates(kind)
    parent = symbols(kind, "parent", 3)
    plan.source |= {symbol.index: source for source, symbol in kind.symbols.items()}
    w = expressions(kind.graph, angular_velocity(kind.link, parent, kind.link.transform(q), q, v))
    return plan.chosen(w, lambda node: 1.0 if node.op == "symbol" else np.inf, fetch=1.0), w


def _data(
    plans: list[RecordPlan],
    of_loops: list[tuple[RecordPlan, TracedLoop]],
    of_blocks: list[tuple[RecordPlan, TracedBlock]],
    leaf_kinds: list[LeafKind],
    counts: tuple[int, int],
) -> Array:
    """The table of constant numbers: a row for the ground, for every body (leaf, joint, in a block), every loop."""
    for plan in plans:
        for node in needed(plan.remembered.values()):
            if node.op == "symbol" and plan.source[node.index].space == "data":
                plan.use(plan.source[node.index])
    of_joints = max((one.columns.shape[1] for one in leaf_kinds), default=0)
    in_blocks = of_joints + max((len(plan.columns) for plan in plans), default=0)
    roles = [(plan, number, kind) for plan, one in of_blocks for number, kind in enumerate(one.kinds)]
    total = in_blocks + max((len(plan.used(number)) for plan, number, _ in roles), default=0)
    total = max(total, *(len(plan.columns) for plan, _ in of_loops), 0)
    n, loops = counts
    data = np.zeros((n + 1 + loops, rounded(total)))
    for one in leaf_kinds:
        data[np.array(one.bodies) + 1, : one.columns.shape[1]] = one.columns
    for plan in plans:
        plan.begin = of_joints
    for plan, _ in of_blocks:
        plan.begin = in_blocks
    for plan, number, kind in [(plan, 0, plan.kind) for plan in plans] + roles:
        used = plan.used(number)
        data[np.array(kind.bodies) + 1, plan.begin : plan.begin + len(used)] = kind.columns[:, used]
    for plan, closed in of_loops:
        for place, column in enumerate(plan.columns):
            data[np.array(closed.loops) + 1, place] = closed.columns[column.number][:, column.entry]
    return data


def _planned(
    model: Model,
    kinds: list[JointKind],
    leaf_kinds: list[LeafKind],
    variants: list[JoinVariant | LoopVariant | BlockVariant],
    variant_of: list[int],
    joins: list[TracedJoin],
    loops: list[TracedLoop],
    blocks: list[TracedBlock],
    entries: dict[int, list[int]],
    still: bool,
) -> AssemblyPrograms:
    """Choose what is remembered and kept, then write the programs."""
    plans = [RecordPlan(kind) for kind in kinds]
    of_loops = [(RecordPlan(one.kind, LOOP_DATA), one) for one in loops]
    of_blocks = [(RecordPlan(one.kinds[0], MEMBER_DATA), one) for one in blocks]
    traced: list[tuple[RecordPlan, TracedNode]] = [
        *((plans[one.variant.kind], one) for one in joins),
        *of_loops,
        *of_blocks,
    ]
    stored = [entries.get(one.handles, []) for _, one in traced]
    splits, kept = [], []
    for plan, one in traced:
        choice, own = split_choice(plan, one, len(variants) <= REFINED)
        splits.append(choice)
        kept.append(own)
    chosen = [join_choice(*one, *x) for one, x in zip(traced, zip(stored, kept, strict=True), strict=True)]
    sweeps = [] if still else [_sweep_choice(plan) for plan in plans]
    data = _data(plans, of_loops, of_blocks, leaf_kinds, (len(model.links), sum(len(one.loops) for one in loops)))
    writer = FragmentWriter(entries)
    prepare, sweep, join_parts, split_parts = [], [], [], []
    for number, plan in enumerate(plans):
        prepare.append(writer.prepare(f"prepare_{number}", plan))
    for number, (plan, (choice, w)) in enumerate(zip(plans, sweeps, strict=False)):
        sweep.append(writer.part(f"sweep_{number}", plan, choice, [(Write(OWN, k), x) for k, x in enumerate(w)]))
    for number, (plan, one) in enumerate(traced):
        places = {node.index: (KEPT, k) for k, node in enumerate(kept[number])}
        results = [(Write(RESULT, k), one.result[entry]) for k, entry in enumerate(stored[number])]
        results += [(Write(KEPT, k), node) for k, node in enumerate(kept[number])]
        join_parts.append(writer.part(f"join_{number}", plan, chosen[number], results))
        split_parts.append(writer.part(f"split_{number}", plan, splits[number], one.torn, places))
    return AssemblyPrograms(
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
        {loop: one.closings.members(loop) for one in loops for loop in one.loops},
    )
