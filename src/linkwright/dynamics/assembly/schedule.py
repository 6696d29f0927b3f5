"""Schedules: in which order a mechanism is put together, as data.

A schedule is an order of the joints. Joining a joint merges the subassemblies its two bodies are in at that time, so
the order makes a tree of joins whose leaves are bodies (or blocks of bodies, `block.py`); joins of one level do not
need each other. The leaves inwards, one after another, is the least work: every subassembly has one handle, as in the
articulated-body method. Pairs of neighbours, then pairs of pairs, is more work, but of n bodies in a chain only
⌈log₂(n + 1)⌉ joins, and as many splits, wait for each other (the ground counts as a body).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.partition import blocks_of
from linkwright.dynamics.assembly.subassembly import Place
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

GROUND = -1
"""The number of the ground, as a body and as a node."""


class Join(NamedTuple):
    """One join: which joint, and between which nodes. Nodes are the leaves, then the joins in their order."""

    joint: int
    parent_node: int
    """GROUND where the joint hangs on the ground"""
    child_node: int
    place: Place


@dataclass(frozen=True)
class Schedule:
    """An order of joining for trees of this shape. Made by :func:`schedule_of`."""

    parents: tuple[int, ...]
    """of every body its parent, -1 the ground: the shape of the tree"""
    order: tuple[int, ...]
    """the joints, by the body they move, in the order of joining"""
    blocks: tuple[tuple[int, ...], ...]
    """the leaves: bodies alone, or blocks of them; joints within a block are not joined"""

    @cached_property
    def handles(self) -> tuple[tuple[int, ...], ...]:
        """For every node the bodies that are its handles, in order."""
        return self._tree[1]

    @cached_property
    def joins(self) -> tuple[Join, ...]:
        """The joins in order."""
        return self._tree[0]

    @cached_property
    def joined(self) -> frozenset[int]:
        """The joints that are joined, those within blocks left out."""
        return frozenset(self.order)

    @cached_property
    def leaf_of(self) -> tuple[int, ...]:
        """For every body the leaf it is in."""
        leaf = [0] * len(self.parents)
        for number, block in enumerate(self.blocks):
            for body in block:
                leaf[body] = number
        return tuple(leaf)

    @cached_property
    def _tree(self) -> tuple[tuple[Join, ...], tuple[tuple[int, ...], ...]]:
        to_come = [0] * len(self.parents)  # joints on each body not yet joined
        for joint in self.order:
            to_come[joint] += 1
            if self.parents[joint] != GROUND:
                to_come[self.parents[joint]] += 1
        handles = [tuple(body for body in block if to_come[body]) for block in self.blocks]
        merged = list(range(len(self.blocks) + len(self.order)))  # where each node went

        def node(body: int) -> int:
            found = self.leaf_of[body]
            while merged[found] != found:
                merged[found] = merged[merged[found]]
                found = merged[found]
            return found

        joins = []
        for number, joint in enumerate(self.order, len(self.blocks)):
            parent = self.parents[joint]
            child_node = node(joint)
            parent_node = GROUND if parent == GROUND else node(parent)
            to_come[joint] -= 1
            outer, inner = handles[child_node], (GROUND,) if parent == GROUND else handles[parent_node]
            if parent != GROUND:
                to_come[parent] -= 1
                merged[parent_node] = number
            merged[child_node] = number
            place = Place(
                inner.index(parent),
                outer.index(joint),
                tuple(k for k, body in enumerate(inner) if body != GROUND and to_come[body]),
                tuple(k for k, body in enumerate(outer) if to_come[body]),
            )
            joins.append(Join(joint, parent_node, child_node, place))
            handles.append(
                (*(inner[k] for k in place.parent_kept), *(outer[k] for k in place.child_kept)),
            )
        return tuple(joins), tuple(handles)

    @cached_property
    def level_of(self) -> tuple[int, ...]:
        """For every node the joins that must come before it, and itself: 0 of leaves."""
        level = [0] * len(self.blocks)
        for join in self.joins:
            level.append(1 + max(level[join.child_node], level[join.parent_node] if join.parent_node >= 0 else 0))
        return tuple(level)

    @cached_property
    def levels(self) -> tuple[tuple[Batch, ...], ...]:
        """The joins level by level; within a level those of one place together, as arrays of node numbers.

        Joins of one level are independent. A level is split after the one above it.
        """
        found: dict[int, list[tuple[int, Join]]] = {}
        for number, join in enumerate(self.joins, len(self.blocks)):
            found.setdefault(self.level_of[number], []).append((number, join))

        def kind(entry: tuple[int, Join]) -> Any:
            _, join = entry
            return join.parent_node == GROUND, len(self.handles[join.child_node]), self._parent_size(join), join.place

        levels = []
        for level in sorted(found):
            batches = []
            for (on_ground, *_, place), members in groupby(sorted(found[level], key=kind), kind):
                entries = list(members)
                numbers = np.array([[number, *join[:3]] for number, join in entries]).T
                batches.append(Batch(place, on_ground, *numbers))
            levels.append(tuple(batches))
        return tuple(levels)

    def _parent_size(self, join: Join) -> int:
        return 1 if join.parent_node == GROUND else len(self.handles[join.parent_node])

    def sizes(self, join: Join) -> tuple[int, int]:
        """How many handles the parent's and the child's side of a join have."""
        return self._parent_size(join), len(self.handles[join.child_node])

    @cached_property
    def depth(self) -> int:
        """How many steps wait for each other: joins on the way up and as many splits on the way down."""
        return 2 * max(self.level_of, default=0)

    def __repr__(self) -> str:
        return f"<Schedule: {len(self.blocks)} leaves, {len(self.order)} joins, depth {self.depth}>"


class Batch(NamedTuple):
    """Joins of one level and one place."""

    place: Place
    on_ground: bool
    """whether the parent's side is the ground"""
    nodes: Array
    """(n,) the numbers of the results"""
    joints: Array
    """(n,)"""
    parent_nodes: Array
    """(n,), GROUND of all if on the ground"""
    child_nodes: Array
    """(n,)"""


def schedule_of(model: Model, schedule: Any = "serial", blocks: Sequence[Sequence[int]] | None = None) -> Schedule:
    """A schedule for a model: "serial" (leaves inwards), "balanced" (pairs of neighbours), or an order of joints.

    "grouped:N" is serial within groups of N bodies, then balanced: for some processors (`choice.py`).

    An order holds the names or numbers of all joints to be joined. ``blocks``: bodies to be taken as one leaf each
    (of :func:`linkwright.dynamics.assembly.block.partition_of`); without, every body is a leaf. A block
    with a joint on the ground includes that joint.
    """
    parents = tuple(link.parent for link in model.links)
    if isinstance(schedule, Schedule):
        if schedule.parents != parents:
            raise InputError(f"the schedule was made for another tree than that of {model.name!r}")
        if blocks is not None and schedule.blocks != tuple(map(tuple, blocks)):
            raise InputError("the schedule was made for another partition into blocks")
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
            return Schedule(parents, _grouped(parents, joints, leaves, int(size)), leaves)
        if schedule not in ORDERS:
            names = ", ".join(map(repr, (*ORDERS, "grouped:N")))
            raise InputError(f"schedule is {schedule!r}; it may be {names}, or an order of joints")
        return Schedule(parents, ORDERS[schedule](parents, joints, leaves), leaves)
    order = order_of(model, schedule)
    if sorted(order) != list(joints):
        raise InputError(
            f"a schedule of {model.name!r} joins each of its {len(joints)} joints between leaves once; "
            f"got {len(order)}, {len(set(order) & set(joints))} of them"
        )
    return Schedule(parents, order, leaves)


def order_of(model: Model, schedule: Any) -> tuple[int, ...]:
    """An order of joints by names or numbers, as numbers."""
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
    """From the leaves inwards: bodies are numbered parents first."""
    return tuple(reversed(joints))


FEW = 16
"""A round of pairing that joins less than one joint in so many shows that little more can be done at once."""


def _balanced(parents: Sequence[int], joints: Sequence[int], leaves: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Rounds of pairing neighbours, outermost first, where that does not add handles beyond two.

    A leaf and what it hangs on always pair, so every round joins something; chains halve.
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
        found = leaf_of[body]
        while merged[found] != found:
            merged[found] = merged[merged[found]]
            found = merged[found]
        return found

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
    """Within groups of so many leaves from the outside inwards, then the groups in pairs."""
    leaf_of = {body: number for number, block in enumerate(leaves) for body in block}
    above = [parents[block[0]] for block in leaves]  # leaves are in the order of their first bodies
    groups = blocks_of([leaf_of[p] if p != GROUND else GROUND for p in above], size)
    group_of = {leaf: number for number, group in enumerate(groups) for leaf in group}
    inner = [k for k in joints if parents[k] != GROUND and group_of[leaf_of[k]] == group_of[leaf_of[parents[k]]]]
    inside = set(inner)
    bodies = [tuple(sorted(body for leaf in group for body in leaves[leaf])) for group in groups]
    return (*reversed(inner), *_balanced(parents, [k for k in joints if k not in inside], bodies))


ORDERS = {"serial": _serial, "balanced": _balanced}
