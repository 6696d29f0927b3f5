"""What assembling costs: a model of operation counts, to choose partitions and schedules by.

The counts (multiplications and additions) are those of the steps of `subassembly.py` and `block.py` traced for chains
of hinges with general inertias and placements; a test holds them against the traces. A mechanism's own zeros make
it cheaper, everything alike. Joints of more degrees of freedom count as so many hinges in blocks and as one in joins.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.dynamics.assembly.schedule import GROUND, Schedule

LEAF = 69
JOINS = (572, 1187, 2156, 3455, 5108)
"""A join and its split, by the handles of the result."""
MORE_HANDLES = 1900
"""For every further handle."""
GROUND_JOINS = (158, 662)
"""The same on the ground."""
COMPOSITE_LIMIT = 60
"""Joint velocities above which the cubic growth of the composite form needs no comparing."""


def join_cost(handles: int, on_ground: bool = False) -> float:
    """Operations of a join and its split, whose result has so many handles."""
    table = GROUND_JOINS if on_ground else JOINS
    return table[min(handles, len(table) - 1)] + MORE_HANDLES * max(0, handles + 1 - len(table))


def block_cost(form: str, n: int, handles: int, floating: bool) -> float:
    """Operations of assembling and disassembling a block of n hinges; of a floating one its base counts as one.

    The first handle of a floating block is its base.
    """
    if n == 1 and floating:
        return LEAF
    tips = max(0, handles - floating)
    if form == "composite":
        own = n**3 / 3 + (28.5 * n**2 + 359 * n - 13 if floating else 23.5 * n**2 + 286 * n - 372)
        return max(own, 60.0) + tips * (27 * n**2 + (145 * n + 401 if floating else n - 45))
    own = 660 * n - (318 if floating else 752)
    return max(own, 77.0) + tips * (456 * n - (72 if floating else 541))


def cheapest_form(n: int, handles: int, floating: bool) -> str:
    """The form of a block of n hinges that takes fewer operations."""
    if n > COMPOSITE_LIMIT:
        return "articulated"
    return min(("composite", "articulated"), key=lambda form: block_cost(form, n, handles, floating))


def block_size(schedule: Schedule, number: int, widths: Sequence[int]) -> tuple[int, bool]:
    """The hinges that a leaf counts as (``widths``: velocities of every joint), and whether it floats."""
    members = schedule.blocks[number]
    floating = members[0] in schedule.joined
    inner = members[1:] if floating else members
    return sum(widths[body] for body in inner) + floating, floating


def node_costs(schedule: Schedule, widths: Sequence[int]) -> list[float]:
    """Operations of every node: leaves, each in its cheapest form, then joins."""
    costs = []
    for number in range(len(schedule.blocks)):
        n, floating = block_size(schedule, number, widths)
        handles = len(schedule.handles[number])
        costs.append(block_cost(cheapest_form(n, handles, floating), n, handles, floating))
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
