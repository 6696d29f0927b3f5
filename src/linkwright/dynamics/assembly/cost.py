"""Cost model of assembly: operation counts for the selection of partitions and schedules.

The counts (multiplications and additions) are those of the steps of `subassembly.py` and `block.py` traced for chains
of hinges with general inertias and placements; a test compares them with the traces. A mechanism's own zeros reduce
all costs similarly. A joint of several degrees of freedom counts as several hinges in blocks and as one in joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from linkwright.dynamics.assembly.block import block_shape
from linkwright.dynamics.assembly.schedule import GROUND, Schedule

LEAF = 69
JOINS = (572, 1187, 2156, 3455, 5108)
"""Operations of a join and its split, by the number of handles of the result."""
MORE_HANDLES = 1900
"""Operations of each further handle."""
GROUND_JOINS = (158, 662)
"""Operations of a join on the ground and its split."""


def join_cost(handles: int, on_ground: bool = False) -> float:
    """Return the operations of a join and its split for a result with this number of handles."""
    table = GROUND_JOINS if on_ground else JOINS
    return table[min(handles, len(table) - 1)] + MORE_HANDLES * max(0, handles + 1 - len(table))


class Profile(NamedTuple):
    """Size of a block: its hinges, and the number of hinges from the block's root to each of them, inclusive.

    The base of a floating block counts as one hinge.
    """

    hinges: int
    floating: bool
    depths: int
    """sum of the numbers"""
    squares: int
    """sum of their squares"""


def chain(n: int, floating: bool = False) -> Profile:
    """Return the profile of a chain of n hinges."""
    return Profile(n, floating, n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6)


def profile(schedule: Schedule, number: int, widths: Sequence[int]) -> Profile:
    """Return the profile of a leaf; ``widths`` are the numbers of velocities of all joints."""
    members = schedule.blocks[number]
    return profile_of_tree(schedule.parents, widths, members, members[0] in schedule.joined)


def profile_of_tree(
    parents: Sequence[int], widths: Sequence[int], members: Sequence[int] | None = None, floating: bool = False
) -> Profile:
    """Return the profile of all bodies or of `members`; ``widths`` are the numbers of velocities of all joints."""
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
    """Return the operations of assembly and disassembly of a block; the first handle of a floating one is its base."""
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
    """Return the form of a block with fewer operations."""
    return min(("composite", "articulated"), key=lambda form: block_cost(form, block, handles))


def node_costs(schedule: Schedule, widths: Sequence[int]) -> list[float]:
    """Return the operations of every node: leaves in their cheapest form, then joins."""
    costs = []
    for number in range(len(schedule.blocks)):
        block, handles = profile(schedule, number, widths), len(schedule.handles[number])
        costs.append(block_cost(cheapest_form(block, handles), block, handles))
    for number, one in enumerate(schedule.joins, len(schedule.blocks)):  # a loop counts as a joint
        costs.append(join_cost(len(schedule.handles[number]), one.parent_node == GROUND))
    return costs


def time(schedule: Schedule, widths: Sequence[int], processors: int = 1) -> float:
    """Return the operations on the critical path where processors (or lanes) share the nodes of a level."""
    total: dict[int, float] = {}
    longest: dict[int, float] = {}
    for level, cost in zip(schedule.level_of, node_costs(schedule, widths), strict=True):
        total[level] = total.get(level, 0.0) + cost
        longest[level] = max(longest.get(level, 0.0), cost)
    if processors == 1:
        return sum(total.values())
    return sum(max(longest[level], total[level] / processors) for level in total)


ARTICULATED = 660
"""Operations of a hinge in the articulated-body recursion."""

IN_BLOCKS, ALONE, IN_JOINS = 0.65, 1.2, 2.4
"""Measured time of an operation on lanes relative to that recursion. Blocks are computed in registers (a unique block
in its own code); joins move much data."""


def time_on_lanes(schedule: Schedule, joints: Sequence[Hashable], widths: Sequence[int], lanes: int) -> float:
    """Return the operations on the critical path where equal nodes of a level share a SIMD register.

    ``joints`` identifies the type of every joint. Each costs :data:`ARTICULATED` operations.
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
