"""Schedules: the order of assembly as data.

A schedule is an order of the joints. Joining a joint merges the subassemblies of its two bodies, so that
the order defines a tree of joins whose leaves are bodies (or blocks of bodies, `block.py`); joins of one level are
independent. The serial order from the leaves inward has the fewest operations: every subassembly has one handle, as in
the articulated-body algorithm. Pairs of neighbors, then pairs of pairs, need more operations, but for n bodies in a
chain only ⌈log₂(n + 1)⌉ joins, and as many splits, are sequential (the ground counts as a body).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.partition import blocks_of
from linkwright.dynamics.assembly.subassembly import HandlePlacement
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.tree import Model

GROUND = -1
"""Number of the ground, as a body and as a node."""


class Join(NamedTuple):
    """A join of two nodes by a joint. Nodes are the leaves, then the joins in their order."""

    joint: int
    """number of the body that the joint moves; loops are numbered after all bodies"""
    parent_node: int
    """GROUND for a joint on the ground"""
    child_node: int
    """GROUND for a loop to the ground; for a loop within one node, that node"""
    place: HandlePlacement


@dataclass(frozen=True)
class Schedule:
    """Order of joining for trees of one shape; made by :func:`schedule_of`."""

    parents: tuple[int, ...]
    """parent of every body, -1 for the ground: the shape of the tree"""
    order: tuple[int, ...]
    """joints in the order of joining, by the body that they move"""
    blocks: tuple[tuple[int, ...], ...]
    """leaves: bodies or blocks of bodies; joints within a block are not joined"""
    loops: tuple[tuple[int, int], ...] = ()
    """first and second body of every closed loop; joined as joints that are numbered after the bodies"""

    @cached_property
    def handles(self) -> tuple[tuple[int, ...], ...]:
        """Handles of every node, in order."""
        return self._tree[1]

    @cached_property
    def joins(self) -> tuple[Join, ...]:
        """Joins in order."""
        return self._tree[0]

    @cached_property
    def joined(self) -> frozenset[int]:
        """Joints that are joined, without those within blocks."""
        return frozenset(self.order)

    @cached_property
    def leaf_of(self) -> tuple[int, ...]:
        """Leaf of every body."""
        leaf = [0] * len(self.parents)
        for number, block in enumerate(self.blocks):
            for body in block:
                leaf[body] = number
        return tuple(leaf)

    def ends(self, joint: int) -> tuple[int, int]:
        """Return the bodies of a joint or loop: its parent and its child, or its first and second."""
        n = len(self.parents)
        return (self.parents[joint], joint) if joint < n else self.loops[joint - n]

    @cached_property
    def _tree(self) -> tuple[tuple[Join, ...], tuple[tuple[int, ...], ...]]:
        to_come = [0] * (len(self.parents) + 1)  # open joints of each body; the last entry is the ground
        for joint in self.order:
            for body in self.ends(joint):
                to_come[body] += 1
        handles = [tuple(body for body in block if to_come[body]) for block in self.blocks]
        merged = list(range(len(self.blocks) + len(self.order)))  # node that contains each node

        def node(body: int) -> int:
            if body == GROUND:
                return GROUND
            return _found(merged, self.leaf_of[body])

        joins = []
        for number, joint in enumerate(self.order, len(self.blocks)):
            first, second = self.ends(joint)
            nodes = node(first), node(second)
            inner, outer = ((GROUND,) if one == GROUND else handles[one] for one in nodes)
            for body, one in zip((first, second), nodes, strict=True):
                to_come[body] -= 1
                if one != GROUND:
                    merged[one] = number
            parent_kept, child_kept = (
                tuple(k for k, body in enumerate(side) if body != GROUND and to_come[body]) for side in (inner, outer)
            )
            if nodes[0] == nodes[1]:
                child_kept = ()
            place = HandlePlacement(inner.index(first), outer.index(second), parent_kept, child_kept)
            joins.append(Join(joint, *nodes, place))
            handles.append((*(inner[k] for k in parent_kept), *(outer[k] for k in child_kept)))
        return tuple(joins), tuple(handles)

    @cached_property
    def level_of(self) -> tuple[int, ...]:
        """Level of every node: 0 for leaves, else the length of the longest path of joins below it."""
        level = [0] * len(self.blocks)
        for join in self.joins:
            level.append(1 + max(level[node] for node in (join.child_node, join.parent_node) if node != GROUND))
        return tuple(level)

    def sizes(self, join: Join) -> tuple[int, int]:
        """Return the number of handles of the parent's and the child's side of a join; the ground has one."""
        parent, child = (1 if one == GROUND else len(self.handles[one]) for one in join[1:3])
        return parent, child

    @cached_property
    def depth(self) -> int:
        """Number of sequential steps: joins upward and as many splits downward."""
        return 2 * max(self.level_of, default=0)

    def __repr__(self) -> str:
        return f"<Schedule: {len(self.blocks)} leaves, {len(self.order)} joins, depth {self.depth}>"


def _found(merged: list[int], node: int) -> int:
    """Return the node that contains a node, with path compression."""
    while merged[node] != node:
        merged[node] = merged[merged[node]]
        node = merged[node]
    return node


def schedule_of(
    model: Model,
    schedule: Any = "serial",
    blocks: Sequence[Sequence[int]] | None = None,
    loops: tuple[tuple[int, int], ...] = (),
) -> Schedule:
    """Return a schedule of a model: "serial" (leaves inward), "balanced" (pairs of neighbors), or an order of joints.

    "grouped:N" is serial within groups of N bodies, then balanced, for a few processors (`choice.py`).

    An order contains the names or numbers of all joins. ``blocks`` are the leaves
    (from :func:`linkwright.dynamics.assembly.partition.partition_of`); by default every body is a leaf. A block
    with a joint on the ground includes that joint. ``loops`` are the two bodies of every loop that is closed; each is
    closed once its bodies are in one subassembly.
    """
    parents = tuple(link.parent for link in model.links)
    if isinstance(schedule, Schedule):
        if schedule.parents != parents:
            raise InputError(f"the schedule is for a tree other than that of {model.name!r}")
        if blocks is None and len(schedule.blocks) < len(parents):
            raise InputError('the schedule joins blocks of several bodies, which is method "hybrid"')
        if blocks is not None and schedule.blocks != tuple(map(tuple, blocks)):
            raise InputError("the schedule is for another partition into blocks")
        if schedule.loops != loops:
            tree = tuple(joint for joint in schedule.order if joint < len(parents))
            return Schedule(parents, _with_loops(parents, tree, schedule.blocks, loops), schedule.blocks, loops)
        return schedule
    leaves: tuple[tuple[int, ...], ...]
    if blocks is None:
        leaves = tuple((k,) for k in range(len(parents)))
        joints = tuple(range(len(parents)))
    else:
        leaves = tuple(tuple(block) for block in blocks)
        leaf_of = {body: number for number, block in enumerate(leaves) for body in block}
        joints = tuple(k for k, p in enumerate(parents) if p != GROUND and leaf_of[k] != leaf_of[p])
    if isinstance(schedule, str):
        name, _, size = schedule.partition(":")
        if name == "grouped" and size.isdecimal() and int(size) > 0:
            order = _grouped(parents, joints, leaves, int(size))
        elif schedule in ORDERS:
            order = ORDERS[schedule](parents, joints, leaves)
        else:
            names = ", ".join(map(repr, (*ORDERS, "grouped:N")))
            raise InputError(f"schedule is {schedule!r}; it may be {names}, or an order of joints")
        return Schedule(parents, _with_loops(parents, order, leaves, loops), leaves, loops)
    order = order_of(model, schedule)
    if sorted(order) != list(joints):
        raise InputError(
            f"a schedule of {model.name!r} joins each of its {len(joints)} joints between leaves once; "
            f"got {len(order)}, {len(set(order) & set(joints))} of them"
        )
    return Schedule(parents, _with_loops(parents, order, leaves, loops), leaves, loops)


def _with_loops(
    parents: Sequence[int],
    order: tuple[int, ...],
    leaves: Sequence[Sequence[int]],
    loops: Sequence[tuple[int, int]],
) -> tuple[int, ...]:
    """Return the order with every loop after the joint that connects its bodies, also through the ground."""
    if not loops:
        return order
    n, ground = len(parents), len(leaves)
    leaf_of = {body: number for number, block in enumerate(leaves) for body in block} | {GROUND: ground}
    merged = list(range(len(leaves) + 1))
    waiting: list[set[int]] = [set() for _ in merged]
    result: list[int] = []

    def unite(first: int, second: int) -> None:
        a, b = _found(merged, leaf_of[first]), _found(merged, leaf_of[second])
        if a == b:
            return
        if len(waiting[a]) < len(waiting[b]):
            a, b = b, a
        closing = waiting[a] & waiting[b]
        result.extend(n + loop for loop in sorted(closing))
        waiting[a] = (waiting[a] | waiting[b]) - closing
        merged[b] = a

    joined = set(order)
    for number, (first, second) in enumerate(loops):
        if leaf_of[first] == leaf_of[second] or (first == second == GROUND):
            result.append(n + number)
        else:
            waiting[leaf_of[first]].add(number)
            waiting[leaf_of[second]].add(number)
    for block in leaves:
        for body in block:
            if parents[body] == GROUND and body not in joined:
                unite(GROUND, body)
    for joint in order:
        result.append(joint)
        unite(parents[joint], joint)
    return tuple(result)


def order_of(model: Model, schedule: Any) -> tuple[int, ...]:
    """Return an order of joints as numbers, from names or numbers."""
    if not isinstance(schedule, Iterable):
        raise ArgumentError(f"schedule is a name or an order of joints; got {schedule!r}")
    numbers = {joint.name: k for k, joint in enumerate(model.joints)}
    return tuple(_number(entry, numbers) for entry in schedule)


def _number(entry: Any, numbers: dict[str, int]) -> int:
    if isinstance(entry, str):
        if entry not in numbers:
            raise UnknownNameError("joint", entry, numbers)
        return numbers[entry]
    if not isinstance(entry, (int, np.integer)) or isinstance(entry, bool):
        raise ArgumentError(f"a schedule lists joints by name or number; got {entry!r}")
    return int(entry)


def _serial(parents: Sequence[int], joints: Sequence[int], leaves: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the joints from the leaves inward; bodies are numbered parents first."""
    return tuple(reversed(joints))


FEW = 16
"""A round that pairs fewer than one of this number of joints has little parallelism left."""


def _balanced(parents: Sequence[int], joints: Sequence[int], leaves: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Pair neighbors in rounds, outermost first, where that adds no handles beyond two.

    A leaf and its parent always pair, so that every round joins something; the length of chains halves.
    """
    n = len(parents)
    leaf_of = [0] * n
    for number, block in enumerate(leaves):
        for body in block:
            leaf_of[body] = number
    to_come = [0] * n
    for k in joints:
        to_come[k] += 1
        if parents[k] != GROUND:
            to_come[parents[k]] += 1
    handles = [{body for body in block if to_come[body]} for block in leaves]
    merged = list(range(len(leaves)))

    def group(body: int) -> int:
        return _found(merged, leaf_of[body])

    order: list[int] = []
    open_joints = list(reversed(joints))
    while open_joints:
        paired: set[int] = set()
        left = []
        for k in open_joints:
            child, parent = group(k), parents[k]
            other = child if parent == GROUND else group(parent)
            if child in paired or other in paired:
                left.append(k)
                continue
            ends = [k] if parent == GROUND else [k, parent]
            together = (handles[child] | handles[other]) - {body for body in ends if to_come[body] == 1}
            if len(together) > max(2, len(handles[child]), len(handles[other])):
                left.append(k)
                continue
            for body in ends:
                to_come[body] -= 1
            merged[child] = other
            handles[other] = together
            paired |= {child, other}
            order.append(k)
        if len(open_joints) - len(left) < len(open_joints) / FEW:  # a star
            return (*order, *left)
        open_joints = left
    return tuple(order)


def _grouped(
    parents: Sequence[int], joints: Sequence[int], leaves: Sequence[Sequence[int]], size: int
) -> tuple[int, ...]:
    """Join groups of this number of leaves from the outside inward, then the groups in pairs."""
    leaf_of = {body: number for number, block in enumerate(leaves) for body in block}
    above = [parents[block[0]] for block in leaves]  # leaves are in the order of their first bodies
    groups = blocks_of([leaf_of[p] if p != GROUND else GROUND for p in above], size)
    group_of = {leaf: number for number, group in enumerate(groups) for leaf in group}
    inner = [k for k in joints if parents[k] != GROUND and group_of[leaf_of[k]] == group_of[leaf_of[parents[k]]]]
    inside = set(inner)
    bodies = [tuple(sorted(body for leaf in group for body in leaves[leaf])) for group in groups]
    return (*reversed(inner), *_balanced(parents, [k for k in joints if k not in inside], bodies))


ORDERS = {"serial": _serial, "balanced": _balanced}
