"""Steps of a batch whose motions are sorted from time to time, by recent iterations and by active contacts.

The motions on the SIMD lanes of a block visit all contacts that are active in any of them, and iterate until the last
of them has converged. Neighbors that need as many iterations, over the same contacts, take less time. Indices change
alone: the numbers of a motion do not depend on its neighbors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import threads_here
from linkwright.simulation.integrators.step_kernels import FED, NUMBERS
from linkwright.simulation.rollouts.preparation import PreparedRollout
from linkwright.spatial.arrays import Array

INTERVAL, LONGEST = 10, 100
"""Smallest and largest number of steps between two sortings"""

ENTRIES = 200
"""Entries of the carried state for each step between two sortings, with which the state is read and written"""

PER_OCTAVE = 2.0
"""Number of classes of iterations between a number and its double"""

FEW = 64
"""Number of motions below which they are not sorted"""

PIECE = 1024
"""Number of motions of each thread that are sorted together, so that they stay in the nearer caches"""

OVER_STEPS = frozenset({"begun", "reward", "terms"})
"""Results that depend on all steps of a call"""


def pays_off(of: PreparedRollout, kernel: Kernel, arrays: Sequence[Array]) -> bool:
    """Return whether sorting saves time: many motions with many pairs, whose other arguments are not larger."""
    if "iterations" not in of.spec.layout.places or len(arrays[0]) < FEW:
        return False
    sizes = [x.size if each else 0 for x, each in zip(arrays, _of_each(kernel, arrays), strict=True)]
    return sum(sizes[3:]) <= sum(sizes[:3])


class MotionOrder:
    """Order in which the motions of a batch run, sorted again after an interval.

    Parameters
    ----------
    places : mapping
        Parts of the carried state.
    rows : int
        Number of motions.
    piece : int
        Number of motions that are sorted together.
    """

    def __init__(self, places: Mapping[str, slice], rows: int, piece: int):
        self.indices = np.arange(rows)
        self._places, self._pieces, self._steps = places, self.indices // piece, 0
        self.interval = interval_of(places)
        """number of steps between two sortings"""

    def follow(self, rest: Array, steps: int) -> None:
        """Count steps, which led to a carried state, and sort after the interval."""
        self._steps += steps
        if self._steps >= self.interval:
            self._steps = 0
            self.indices[:] = _order(rest, self._places, self._pieces)


def interval_of(places: Mapping[str, slice]) -> int:
    """Return the number of steps between two sortings of motions that carry states with these parts."""
    size = max(place.stop for place in places.values())
    return min(max(INTERVAL, size // ENTRIES), LONGEST)


def sorted_together(threads: int) -> int:
    """Return the number of motions that are sorted together on some threads."""
    return PIECE * threads_here(threads)


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
    now = [*(x.copy() for x in arrays[:3]), *arrays[3:]]
    numbers = now[NUMBERS] = arrays[NUMBERS].copy()
    order = MotionOrder(places, len(now[0]), sorted_together(threads or kernel.threads))
    some = max(1, min(calls, order.interval // steps))  # calls between two sortings
    for first in range(0, calls, some):
        taken = min(some, calls - first)
        found = [x[first : first + taken] if len(x) == calls else x[:taken] for x in results]
        for done in range(0, steps, order.interval):
            numbers[1] = turns = min(order.interval, steps - done)
            kernel.sequence(taken, now, FED, found, turns, threads, in_place=True, order=order.indices)()
            order.follow(now[2], taken * turns)
    for x, end in zip(results, now[:3], strict=False):
        if len(x) != calls:
            x[(calls - 1) % 2] = end


def _order(rest: Array, places: Mapping[str, slice], pieces: Array) -> Array:
    """Return the order of motions, from their carried state: piece, recent iterations, active contacts."""
    active = np.packbits(rest[:, places["memory"]] != 0.0, axis=1)
    iterations = np.rint(PER_OCTAVE * np.log2(1.0 + rest[:, places["iterations"].start]))
    return np.lexsort((active.view(f"S{active.shape[1]}")[:, 0], iterations, pieces))


def _of_each(kernel: Kernel, arrays: Sequence[Array]) -> list[bool]:
    """Return which arguments are given for each motion."""
    return [x.ndim > len(slot.shape) for x, slot in zip(arrays, kernel.program.inputs, strict=True)]
