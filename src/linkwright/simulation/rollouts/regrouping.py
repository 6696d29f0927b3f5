"""Steps of a batch whose motions are sorted from time to time, by recent iterations and by active contacts.

The motions on the SIMD lanes of a block visit all contacts that are active in any of them, and iterate until the last
of them has converged. Neighbors that need as many iterations, over the same contacts, take less time. Indices change
alone: the numbers of a motion do not depend on its neighbors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import threads_here
from linkwright.simulation.integrators.step_kernels import FED, NUMBERS
from linkwright.simulation.rollouts.preparation import PreparedRollout
from linkwright.spatial.arrays import Array

INTERVAL = 10
"""Number of steps between two sortings"""

PER_OCTAVE = 2.0
"""Number of classes of iterations between a number and its double"""

FEW = 64
"""Number of motions below which they are not sorted"""

PIECE = 1024
"""Number of motions of each thread that are sorted together, so that they stay in the nearer caches"""

OVER_STEPS = frozenset({"begun", "reward", "terms"})
"""Results that depend on all steps of a call"""


def pays_off(of: PreparedRollout, kernel: Kernel, arrays: Sequence[Array], steps: int) -> bool:
    """Return whether sorting saves time: many motions with many pairs, whose other arguments are not larger."""
    if "iterations" not in of.spec.layout.places:
        return False
    if OVER_STEPS & {*of.spec.more} or math.prod(of.batch) < FEW or steps < 2 * INTERVAL:
        return False
    sizes = [x.size if each else 0 for x, each in zip(arrays, _of_each(kernel, arrays), strict=True)]
    return sum(sizes[3:]) <= sum(sizes[:3])


def take_sorted_steps(
    kernel: Kernel,
    places: Mapping[str, slice],
    arrays: Sequence[Array],
    calls: int,
    steps: int,
    results: Sequence[Array],
    threads: int | None,
) -> None:
    """Take some calls of a kernel of ``steps`` steps of a batch, with its arguments and the results after each call.

    ``places``: where the parts of the carried state are; ``results``: (calls, rows, ...), or (2, rows, ...) of results
    that alternate.
    """
    rows, each = len(arrays[0]), _of_each(kernel, arrays)
    count = -(-rows // (PIECE * threads_here(threads or kernel.threads)))
    some = max(1, min(calls, INTERVAL // steps))  # calls between two sortings
    for k in range(count):
        part = slice(rows * k // count, rows * (k + 1) // count)
        own = [x[part] if one else x for x, one in zip(arrays, each, strict=True)]
        order, now = np.arange(len(own[0])), own[:3]
        found = [np.empty_like(x[: some if len(x) == calls else min(2, some), part]) for x in results]
        for first in range(0, calls, some):
            taken = min(some, calls - first)
            for done in range(0, steps, INTERVAL):
                if first or done:
                    change = _order(now[2], places)
                    now, order = [x[change] for x in now], order[change]
                fixed = [x[order] if one else x for x, one in zip(own, each, strict=True)]
                turns = min(INTERVAL, steps - done)
                if turns < steps:
                    fixed[NUMBERS] = own[NUMBERS].copy()
                    fixed[NUMBERS][1] = turns
                buffers = [x[: min(taken, len(x))] for x in found]
                kernel.sequence(taken, [*now, *fixed[3:]], FED, buffers, turns, threads)()
                now = [x[(taken - 1) % len(x)] for x in buffers[:3]]
            for x, y in zip(results, buffers, strict=True):
                if len(x) == calls:
                    x[first : first + taken, part][:, order] = y
                elif first + taken == calls:
                    x[(calls - 1) % 2, part][order] = y[(taken - 1) % len(y)]


def _order(rest: Array, places: Mapping[str, slice]) -> Array:
    """Return the order of motions, from their carried state: by recent iterations, then by active contacts."""
    active = np.packbits(rest[:, places["memory"]] != 0.0, axis=1)
    iterations = np.rint(PER_OCTAVE * np.log2(1.0 + rest[:, places["iterations"].start]))
    return np.lexsort((active.view(f"S{active.shape[1]}")[:, 0], iterations))


def _of_each(kernel: Kernel, arrays: Sequence[Array]) -> list[bool]:
    """Return which arguments are given for each motion."""
    return [x.ndim > len(slot.shape) for x, slot in zip(arrays, kernel.program.inputs, strict=True)]
