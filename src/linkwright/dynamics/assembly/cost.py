"""What assembling costs: a model of operation counts, to choose partitions and schedules by.

The counts (multiplications and additions) are those of the steps of `subassembly.py` and `block.py` traced for chains
of hinges with general inertias and placements; a test holds them against the traces. A mechanism's own zeros make
it cheaper, everything alike. Joints of more degrees of freedom count as so many hinges in blocks and as one in joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from linkwright.dynamics.assembly.block import block_shape
from linkwright.dynamics.assembly.schedule import GROUND, Schedule

LEAF = 69
JOINS = (572, 1187, 2156, 3455, 5108)
"""A join and its split, by the handles of the result."""
MORE_HANDLES = 1900
"""For every further handle."""
GROUND_JOINS = (158, 662)
"""The same on the ground."""


def join_cost(handles: int, on_ground: bool = False) -> float:
    """Operations of a join and its split, whose result has so many handles."""
    table = GROUND_JOINS if on_ground else JOINS
    return table[min(handles, len(table) - 1)] + MORE_HANDLES * max(0, handles + 1 - len(table))


class Profile(NamedTuple):
    """How large a block is: its hinges, and how many hinges each has between itself and the block's root, itself too.

    The base of a floating block counts as one.
    """

    hinges: int
    floating: bool
    depths: int
    """the sum"""
    squares: int
    """the sum of the squares"""


def chain(n: int, floating: bool = False) -> Profile:
    """The profile of a chain of n hinges."""
    return Profile(n, floating, n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6)


def profile(schedule: Schedule, number: int, widths: Sequence[int]) -> Profile:
    """The profile of a leaf; ``widths``: the velocities of every joint."""
    members = schedule.blocks[number]
    return profile_of_tree(schedule.parents, widths, members, members[0] in schedule.joined)


def profile_of_tree(
    parents: Sequence[int], widths: Sequence[int], members: Sequence[int] | None = None, floating: bool = False
) -> Profile:
    """The profile of all bodies or of these; ``widths``: the velocities of every joint."""
    members = range(len(parents)) if members is None else members
    depth: dict[int, int] = {}
    total, depths, squares = 0, 0, 0
    for body in members:
        width = 1 if floating and body == members[0] else widths[body]
        below = depth.get(parents[body], 0)
        depth[body] = below + width
        total += width
        depths += sum(range(below + 1, below + width + 1))
        squares += sum(k * k for k in range(below + 1, below + width + 1))
    return Profile(total, floating, depths, squares)


def block_cost(form: str, block: Profile, handles: int) -> float:
    """Operations of assembling and disassembling a block; the first handle of a floating one is its base."""
    n, floating, depths, squares = block
    if n == 1 and floating:
        return LEAF
    tips = max(0, handles - floating)
    if form == "composite":
        own = squares + (56 * depths + 331 * n - 13 if floating else 46 * depths + 263 * n - 372)
        return max(own, 60.0) + tips * (27 * n**2 + (145 * n + 401 if floating else n - 45))
    own = 660 * n - (318 if floating else 752)
    return max(own, 77.0) + tips * (456 * n - (72 if floating else 541))


def cheapest_form(block: Profile, handles: int) -> str:
    """The form of a block that takes fewer operations."""
    return min(("composite", "articulated"), key=lambda form: block_cost(form, block, handles))


def node_costs(schedule: Schedule, widths: Sequence[int]) -> list[float]:
    """Operations of every node: leaves, each in its cheapest form, then joins."""
    costs = []
    for number in range(len(schedule.blocks)):
        block, handles = profile(schedule, number, widths), len(schedule.handles[number])
        costs.append(block_cost(cheapest_form(block, handles), block, handles))
    for number, one in enumerate(schedule.joins, len(schedule.blocks)):  # a loop counts as a joint
        costs.append(join_cost(len(schedule.handles[number]), one.parent_node == GROUND))
    return costs


def time(schedule: Schedule, widths: Sequence[int], processors: int = 1) -> float:
    """Operations that wait for each other where so many processors (or lanes) share the nodes of a level."""
    total: dict[int, float] = {}
    longest: dict[int, float] = {}
    for level, cost in zip(schedule.level_of, node_costs(schedule, widths), strict=True):
        total[level] = total.get(level, 0.0) + cost
        longest[level] = max(longest.get(level, 0.0), cost)
    if processors == 1:
        return sum(total.values())
    return sum(max(longest[level], total[level] / processors) for level in total)


ARTICULATED = 660
"""A hinge of the articulated-body recursion."""

IN_BLOCKS, ALONE, IN_JOINS = 0.65, 1.2, 2.4
"""What an operation on lanes takes in those of that recursion, as measured: blocks compute where they are (one that is
like no other once, in code of its own), of joins much is what is moved between them."""


def time_on_lanes(schedule: Schedule, joints: Sequence[Hashable], widths: Sequence[int], lanes: int) -> float:
    """Operations that follow each other where so many nodes of a level share a register if they are alike.

    ``joints``: what tells one kind of joint from others, of every body. As dear as so many of :data:`ARTICULATED`.
    """
    costs: dict[Hashable, float] = {}
    in_blocks: dict[Hashable, bool] = {}
    alike: Counter[Hashable] = Counter()
    first = len(schedule.blocks)
    for number, (level, cost) in enumerate(zip(schedule.level_of, node_costs(schedule, widths), strict=True)):
        kind: Hashable
        if number < first:
            kind = block_shape(schedule, number), tuple(joints[k] for k in schedule.blocks[number])
        else:
            one = schedule.joins[number - first]
            moved = joints[one.joint] if one.joint < len(joints) else "closed"
            kind = one.place, schedule.sizes(one), moved, one.parent_node == GROUND, one.parent_node == one.child_node
        alike[level, kind] += 1
        costs[level, kind] = cost
        in_blocks[level, kind] = number < first
    total = 0.0
    for key, times in alike.items():
        each = (IN_BLOCKS if times > 1 else ALONE) if in_blocks[key] else IN_JOINS
        total += -(-times // lanes) * each * costs[key]
    return total
