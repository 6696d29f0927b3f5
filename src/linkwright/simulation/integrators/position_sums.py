"""Compensated sums of positions, for steps in single precision.

A displacement below 6e-8 of a coordinate would be lost: a robot 1 km from the origin would not move at speeds below
3 cm/s, in steps of 1 ms. The rounding error of each sum is therefore kept and added in the next step (Kahan, *CACM* 8,
1965; Knuth, *The Art of Computer Programming* 2, section 4.2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwright.dynamics import configuration
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Placement = Callable[[Array, Callable[[Array], Array]], Array]
"""(q, move) -> move(q), the configuration after a displacement"""


def placed(q: Array, move: Callable[[Array], Array]) -> Array:
    """Return the configuration after a displacement, without compensation."""
    return move(q)


class PositionSum:
    """Sum of displacements with its rounding errors.

    Parameters
    ----------
    coordinates : sequence of int
        Indices in q of :func:`summed_coordinates`.
    errors : ndarray, shape (n,)
        Rounding errors of these coordinates, which are added to the next displacement.
    """

    def __init__(self, coordinates: Sequence[int], errors: Array):
        self._places, self.errors = list(coordinates), errors

    def placed(self, q: Array, move: Callable[[Array], Array]) -> Array:
        """Return the configuration after a displacement, and keep the rounding errors."""
        places = self._places
        x = q[places]
        shift = move(np.stack([0.0 * q[k] if k in places else q[k] for k in range(len(q))]))
        change = shift[places] + self.errors
        total = x + change
        added = total - x
        self.errors = (x - (total - added)) + (change - added)
        of = dict(zip(places, total, strict=True))
        return np.stack([of.get(k, shift[k]) for k in range(len(q))])


def summed_coordinates(model: Model) -> tuple[int, ...]:
    """Return the indices in q of the coordinates to which a displacement adds a number that does not depend on them."""
    found: tuple[int, ...] = derived(model, summed_coordinates, make=lambda: _summed_coordinates(model))
    return found


def _summed_coordinates(model: Model) -> tuple[int, ...]:
    random = np.random.default_rng(0)
    q = configuration.integrate(model, model.neutral(), random.normal(size=model.nv))
    u = random.normal(size=model.nv)
    there, found = configuration.integrate(model, q, u), []
    for k in range(model.nq):
        shift = np.eye(model.nq)[k]
        moved = configuration.integrate(model, q + shift, u) - shift
        if np.abs(moved - there).max() < 1e-9:
            found.append(k)
    return tuple(found)
