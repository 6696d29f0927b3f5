"""Velocity coordinates on which the rows of constraints are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from linkwright.dynamics.closed_loops.rows import loop_bodies
from linkwright.model.memo import derived
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
    """Return the velocity coordinates that an impulse on some bodies changes in factor space: those that move them, and
    all coordinates of the closed loops with any of these; see :func:`ordered`.
    """
    moving = _moving(model, bodies)
    for loop in coupled_coordinates(model):
        if not moving.isdisjoint(loop):
            moving |= set(loop)
    return ordered(model, moving)


def coupled_coordinates(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return the coordinates of closed loops: one tuple for loops that share coordinates, the shortest first.

    A projection on closed loops mixes the coordinates of each tuple only.
    """

    def make() -> tuple[tuple[int, ...], ...]:
        found: list[set[int]] = []
        for loop in model.loops:
            own = _moving(model, loop_bodies(model, loop))
            found, joined = [one for one in found if one.isdisjoint(own)], [one for one in found if one & own]
            found.append(own.union(*joined))
        return tuple(sorted((tuple(sorted(one)) for one in found if one), key=lambda one: (len(one), one)))

    return derived(model, coupled_coordinates, make=make)


def ordered(model: Model, coordinates: Iterable[int]) -> tuple[int, ...]:
    """Return a support: the coordinates of each of its closed loops first, then the others, both ascending.

    Ancestors stay before their descendants, since those of a closed loop belong to it.
    """
    whole = set(coordinates)
    first = [k for loop in coupled_coordinates(model) if whole.issuperset(loop) for k in loop]
    return (*first, *sorted(whole - set(first)))


def _moving(model: Model, bodies: Iterable[int]) -> set[int]:
    """Return the coordinates of the columns of D^(−½) L⁻ᵀ Jᵀ of bodies that are not zero."""
    places = _columns_of_joints(model)
    return {i for body in bodies for k in model.path(body) for i in places[k]}


def _columns_of_joints(model: Model) -> list[set[int]]:
    """Return the coordinates that a force on each joint changes in factor space: with mimic joints, L has entries of
    coordinates that move a common body, and those of its elimination."""

    def make() -> list[set[int]]:
        widths = [joint.motion.nv for joint in model.joints]
        rows = np.split(model.coupling_matrix != 0.0, np.cumsum(widths)[:-1]) if widths else []
        own = [set(np.flatnonzero(block.any(axis=0)).tolist()) for block in rows]
        if not model.has_couplings:
            return own
        below = np.zeros((model.nv, model.nv), dtype=bool)  # entries of L
        for body in range(len(model.joints)):
            moved = sorted({i for k in model.path(body) for i in own[k]})
            below[np.ix_(moved, moved)] = True
        for k in reversed(range(model.nv)):
            ancestors = np.flatnonzero(below[k, :k])
            below[np.ix_(ancestors, ancestors)] = True
        found: list[set[int]] = []
        for k in range(model.nv):
            found.append({k}.union(*(found[i] for i in np.flatnonzero(below[k, :k]))))
        return [set().union(*(found[k] for k in columns)) for columns in own]

    return derived(model, _columns_of_joints, make=make)


def filled_support(model: Model, bodies: Sequence[int], stride: int = STRIDE) -> tuple[int, ...]:
    """Return the coordinates that move some bodies, and others up to a multiple of ``stride``, or of
    :data:`LONG_STRIDE` if they are many.

    Rows on the other coordinates are zero. Loops over rows have one body of code for each size of the support: without
    the others, one for each depth of the tree.
    """
    moving = moving_coordinates(model, bodies)
    others = [k for k in range(model.nv) if k not in moving]
    return ordered(model, [*moving, *others[: -len(moving) % (stride if len(moving) < LONG else LONG_STRIDE)]])
