"""Selection of schedules and blocks: as given, or the cheapest by the cost model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dynamics.assembly.cost import ARTICULATED, time, time_on_lanes
from linkwright.dynamics.assembly.normal_form import kind_of, separate_trees
from linkwright.dynamics.assembly.partition import Partition, blocks_of, partition_of, weak_blocks
from linkwright.dynamics.assembly.schedule import Schedule, order_of, schedule_of
from linkwright.model.tree import Model

SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64)
"""Block sizes that are compared, in addition to one block of all bodies."""

SIZES_ON_LANES = (*range(1, 17), 18, 20, 21, 24, 28, 30, 32, 36, 40, 48, 56, 64)
"""Block sizes that are compared where equal blocks share a SIMD register; repetition depends on the exact size."""


SMALL, WORTH = 8, 1.2
"""Bodies of a small block, and the speedup required of larger blocks, whose straight-line code is long."""


MOST_WRITTEN = 6
"""Largest number of bodies of a block that is compared when blocks are written out."""

WRITTEN = (4, 3, 5, 6)
"""Bodies of a block that is written out: the first without a weak block. Four take the fewest operations of most
mechanisms (`assembly.md`)."""


def block_schedule(
    model: Model,
    schedule: Any = None,
    partition: Any = None,
    processors: int = 1,
    loops: tuple[tuple[int, int], ...] = (),
) -> Schedule:
    """Return a schedule of blocks: those given, those implied by an order of joints, or those of the cheapest size.

    On one processor that is one block of all bodies, since every division adds operations. Several processors (or
    lanes) that share the nodes of a level favor more and smaller blocks.
    """
    if partition is not None:
        return schedule_of(model, "serial" if schedule is None else schedule, partition_of(model, partition), loops)
    if isinstance(schedule, Schedule):
        return schedule_of(model, schedule, schedule.blocks, loops)
    if schedule is not None and not isinstance(schedule, str):
        order = order_of(model, schedule)
        return schedule_of(model, order, _blocks_left(model, order), loops)
    made = [schedule_of(model, schedule or "serial", blocks, loops) for blocks in candidates(model)]
    made = [one for one in made if not weak_blocks(model, one.blocks, one.joined)] or made[-1:]
    widths = [link.motion.nv for link in model.links]
    return min(made, key=lambda one: time(one, widths, processors))


def lagrange_schedule(
    model: Model, schedule: Any = None, partition: Any = None, loops: tuple[tuple[int, int], ...] = ()
) -> Schedule:
    """Return a schedule of blocks to be written out, each a tree.

    Blocks of a given size, and of :data:`WRITTEN` by default, are divided at joints that are no hinges or sliders.
    """
    parents = [link.parent for link in model.links]
    apart = [k for k, link in enumerate(model.links) if kind_of(link) is None]
    if partition is None and (schedule is None or isinstance(schedule, str)):
        choices = [blocks_of(parents, size, apart) for size in (*WRITTEN, max(1, len(parents)))]
        made = [schedule_of(model, schedule or "serial", blocks, loops) for blocks in choices]
        return next((one for one in made if not weak_blocks(model, one.blocks, one.joined)), made[0])
    if isinstance(partition, (int, np.integer)) and not isinstance(partition, bool) and partition > 0:
        partition = blocks_of(parents, int(partition), apart)
    made_once = block_schedule(model, schedule, partition, loops=loops)
    blocks = tuple(map(tuple, separate_trees(parents, made_once.blocks)))
    return made_once if blocks == made_once.blocks else replace(made_once, blocks=blocks)


def candidates(model: Model, sizes: Sequence[int] = SIZES) -> list[Partition]:
    """Return the partitions to compare, each once: blocks of these sizes, and last the connected components."""
    parents = [link.parent for link in model.links]
    sizes = [*(size for size in sizes if size < len(parents)), max(1, len(parents))]
    return list(dict.fromkeys(blocks_of(parents, size) for size in sizes))


def _blocks_left(model: Model, order: tuple[int, ...]) -> list[list[int]]:
    """Return the bodies that are connected by joints outside an order."""
    joined = set(order)
    blocks: list[list[int]] = []
    block_of: list[int] = []
    for k, link in enumerate(model.links):
        if link.parent < 0 or k in joined:
            blocks.append([])
            block_of.append(len(blocks) - 1)
        else:
            block_of.append(block_of[link.parent])
        blocks[block_of[k]].append(k)
    return blocks


def optimal_schedule(model: Model, processors: int = 1) -> Schedule:
    """Return the schedule of single bodies with the shortest time on processors that share the nodes of a level."""
    names = ["serial", "balanced"]
    size = 2
    while size < len(model.links):
        names.append(f"grouped:{size}")
        size *= 2
    widths = [link.motion.nv for link in model.links]
    return min((schedule_of(model, name) for name in names), key=lambda one: time(one, widths, processors))


def schedule_on_lanes(
    model: Model, lanes: int, loops: tuple[tuple[int, int], ...] = (), order: str = "balanced"
) -> Schedule | None:
    """Return the blocks with the shortest time where equal blocks share a SIMD register.

    Returns None if one recursion over all bodies is as fast: with few equal blocks, and without closed loops.
    """
    joints, widths = [link.motion for link in model.links], [link.motion.nv for link in model.links]
    best, least = None, np.inf if loops else ARTICULATED * float(sum(widths))
    for blocks in candidates(model, SIZES_ON_LANES):
        if len(blocks) == 1 or (size := max(map(len, blocks))) > SIZES_ON_LANES[-1]:
            continue
        made = schedule_of(model, order, blocks, loops)
        taken = time_on_lanes(made, joints, widths, lanes)
        most = least if best is None or size <= SMALL else least / WORTH
        if taken < most and not weak_blocks(model, made.blocks, made.joined):
            best, least = made, taken
    return best
