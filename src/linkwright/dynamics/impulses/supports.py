"""Velocity coordinates on which the rows of constraints are given."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.model.parts.pair import Pair
from linkwright.model.tree import Model


def bodies_of(model: Model, pair: Pair) -> tuple[int, int]:
    """Return the bodies of a pair; -1: at rest in the world."""
    first, second = (model.frame(model.shapes[number].body).body for number in (pair.first, pair.second))
    return first, second


STRIDE, LIMIT_STRIDE, LONG_STRIDE = 3, 2, 8
"""Supports of rows in loops are filled up to multiples of these numbers of coordinates: those of contacts, those of
joint limits and dry friction, and long ones. Larger numbers give shorter code; smaller ones, fewer operations."""

LONG = 16
"""Number of coordinates from which supports are long"""


def moving_coordinates(model: Model, bodies: Sequence[int]) -> tuple[int, ...]:
    """Return the velocity coordinates that move some bodies; all coordinates with loops or mimic joints."""
    if model.loops or model.has_couplings:
        return tuple(range(model.nv))
    joints = sorted({k for body in bodies for k in model.path(body)})
    places = [model.slice(model.joints[k].name).v for k in joints]
    return tuple(i for place in places for i in range(place.start, place.stop))


def filled_support(model: Model, bodies: Sequence[int], stride: int = STRIDE) -> tuple[int, ...]:
    """Return the coordinates that move some bodies, and others up to a multiple of ``stride``, or of
    :data:`LONG_STRIDE` if they are many.

    Rows on the other coordinates are zero. Loops over rows have one body of code for each size of the support: without
    the others, one for each depth of the tree.
    """
    moving = moving_coordinates(model, bodies)
    others = [k for k in range(model.nv) if k not in moving]
    return tuple(sorted([*moving, *others[: -len(moving) % (stride if len(moving) < LONG else LONG_STRIDE)]]))
