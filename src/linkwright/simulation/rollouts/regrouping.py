"""Steps of a batch whose motions are sorted by their active contacts from time to time.

The motions on the SIMD lanes of a block visit all contacts that are near in any of them, and iterate until the last of
them has converged. Neighbors with the same active contacts visit fewer. Indices change alone: the numbers of a motion
do not depend on its neighbors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import threads_here
from linkwright.dynamics.impulses.constraints import tests_points
from linkwright.simulation.integrators.step_kernels import NUMBERS
from linkwright.simulation.rollouts.preparation import PreparedRollout
from linkwright.spatial.arrays import Array

INTERVAL = 10
"""Number of steps between two sortings"""

FEW = 64
"""Number of motions below which they are not sorted"""

PIECE = 1024
"""Number of motions of each thread that are sorted together, so that they stay in the nearer caches"""

OVER_STEPS = frozenset({"begun", "reward"})
"""Results that depend on all steps of a call"""


def pays_off(of: PreparedRollout, kernel: Kernel, arrays: Sequence[Array], steps: int) -> bool:
    """Return whether sorting saves time: many motions with many pairs, whose other arguments are not larger."""
    constraints = of.spec.options.constraints
    if constraints is None or not constraints.contact or not tests_points(of.model):
        return False
    if OVER_STEPS & {*of.spec.more} or math.prod(of.batch) < FEW or steps < 2 * INTERVAL:
        return False
    sizes = [x.size if each else 0 for x, each in zip(arrays, _of_each(kernel, arrays), strict=True)]
    return sum(sizes[3:]) <= sum(sizes[:3])


def take_sorted_steps(
    kernel: Kernel,
    memory: slice,
    arrays: Sequence[Array],
    steps: int,
    results: Sequence[Array],
    threads: int | None,
) -> None:
    """Take the steps of a batch, with the arguments of a kernel of many steps and its results (1, rows, ...).

    ``memory``: where the impulses are in the carried state.
    """
    rows, each = len(arrays[0]), _of_each(kernel, arrays)
    count = -(-rows // (PIECE * threads_here(threads or kernel.threads)))
    for k in range(count):
        part = slice(rows * k // count, rows * (k + 1) // count)
        own = [x[part] if one else x for x, one in zip(arrays, each, strict=True)]
        order, now, found = np.arange(len(own[0])), own[:3], [np.empty_like(x[:, part]) for x in results]
        for done in range(0, steps, INTERVAL):
            if done:
                active = np.packbits(found[2][0][:, memory] != 0.0, axis=1)
                change = np.argsort(active.view(f"S{active.shape[1]}")[:, 0], kind="stable")
                now, order = [x[0][change] for x in found[:3]], order[change]
            taken = min(INTERVAL, steps - done)
            fixed = [x[order] if one else x for x, one in zip(own, each, strict=True)]
            fixed[NUMBERS] = own[NUMBERS].copy()
            fixed[NUMBERS][1] = taken
            kernel.sequence(1, [*now, *fixed[3:]], {}, found, taken, threads)()
        for x, y in zip(results, found, strict=True):
            x[0, part][order] = y[0]


def _of_each(kernel: Kernel, arrays: Sequence[Array]) -> list[bool]:
    """Return which arguments are given for each motion."""
    return [x.ndim > len(slot.shape) for x, slot in zip(arrays, kernel.program.inputs, strict=True)]
