"""Constraints and constraint forces of the loops of a large mechanism, for all rows of a batch.

Loops without common joints have no common column of K, so that operations on K are done by groups
(`dynamics/closed_loops/independent.py`): groups of one size are one stack of small matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwright.compiler.schedules.composed.loops import LoopBatch, loop_batches
from linkwright.dynamics.closed_loops.independent import SURELY, row_scales
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.model.memo import kept
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import TOLERANCE
from linkwright.spatial.linear_algebra.stacked import Semidefinite, semidefinite, times


class BatchMembers(NamedTuple):
    """Loops of one kind in groups of one size."""

    alike: int
    loops: Array
    """(loops,), indices among the loops of their kind"""
    group: Array
    """(loops, 1)"""
    rows: Array
    """(loops, m), indices among the group's rows"""
    columns: Array
    """(loops, n)"""


class GroupStack(NamedTuple):
    """Groups of loops of one size."""

    rows: Array
    """(groups, m), indices of rows of K"""
    columns: Array
    """(groups, n)"""
    parts: list[BatchMembers]


@kept
def group_stacks(model: Model) -> list[GroupStack]:
    """Return the groups of a model's loops, by size."""
    by_size: dict[tuple[int, int], list[tuple[list[int], list[int]]]] = {}
    for group in loop_groups(model):
        by_size.setdefault((len(group.rows), len(group.columns)), []).append((group.rows, group.columns))
    made = []
    for members in by_size.values():
        rows, columns = (np.array(one) for one in zip(*members, strict=True))
        place_of_row, place_of_column = ({int(k): at for at, k in np.ndenumerate(x)} for x in (rows, columns))
        parts = []
        for number, alike in enumerate(loop_batches(model)):
            here = np.array([n for n, own in enumerate(alike.rows) if int(own[0]) in place_of_row], int)
            if here.size:
                at_rows = np.array([[place_of_row[int(k)] for k in own] for own in alike.rows[here]])
                at_columns = np.array([[place_of_column[int(k)][1] for k in own] for own in alike.v.at[here]], int)
                parts.append(BatchMembers(number, here, at_rows[:, :1, 0], at_rows[..., 1], at_columns))
        made.append(GroupStack(rows, columns, parts))
    return made


class LoopConstraints:
    """K of all loops at configurations (…, nq), and K̇ v of velocities."""

    def __init__(self, model: Model, q: Array, v: Array | None = None, free: Array | None = None):
        """``free`` (nv,): 1 for velocities that loops may change, 0 for others, whose columns are omitted."""
        self.model, self.groups = model, group_stacks(model)
        self.size = sum(one.rows.size for one in loop_batches(model))
        lead = q.shape[:-1]
        jacobians = [one.jacobian(q, np.zeros(model.nv) if v is None else v) for one in loop_batches(model)]
        self.bias = np.empty((*lead, self.size))
        """K̇ v (…, m)"""
        for one, (_, bias) in zip(loop_batches(model), jacobians, strict=True):
            self.bias[..., one.rows] = bias
        self.K: list[Array] = []
        """matrices (…, groups, m, n) of each stack of groups"""
        for group in self.groups:
            K = np.zeros((*lead, *group.rows.shape, group.columns.shape[1]))
            for part in group.parts:
                own = jacobians[part.alike][0][..., part.loops, :, :]
                for j in range(own.shape[-1]):
                    K[..., part.group, part.rows, part.columns[:, j : j + 1]] += own[..., j]
            self.K.append(K if free is None else K * free[group.columns][:, None, :])

    def rates(self, x: Array) -> Array:
        """Return K x (…, m)."""
        found = np.empty((*x.shape[:-1], self.size))
        for group, K in zip(self.groups, self.K, strict=True):
            found[..., group.rows] = times(K, x[..., group.columns])
        return found

    def rates_of_all(self, X: Array) -> Array:
        """Return K Xᵀ (…, m, k) for rows X (…, k, nv)."""
        found = np.empty((*X.shape[:-2], self.size, X.shape[-2]))
        for group, K in zip(self.groups, self.K, strict=True):
            found[..., group.rows, :] = K @ np.moveaxis(X[..., group.columns], -3, -1)
        return found

    def efforts(self, multipliers: Array) -> Array:
        """Return Kᵀλ (…, nv)."""
        found = np.zeros((*multipliers.shape[:-1], self.model.nv))
        for group, K in zip(self.groups, self.K, strict=True):
            found[..., group.columns] = times(np.swapaxes(K, -1, -2), multipliers[..., group.rows])
        return found

    def matrix(self, chosen: Array | None = None) -> Array:
        """Return K (…, m, nv), or some of its rows."""
        chosen = np.arange(self.size) if chosen is None else chosen
        place = np.full(self.size, -1)
        place[chosen] = np.arange(len(chosen))
        found = np.zeros((*self.bias.shape[:-1], len(chosen), self.model.nv))
        for group, K in zip(self.groups, self.K, strict=True):
            at, row = np.nonzero(place[group.rows] >= 0)
            found[..., place[group.rows[at, row]][:, None], group.columns[at]] = K[..., at, row, :]
        return found

    # dependent rows

    @cached_property
    def _units(self) -> list[Array]:
        return [scale_of(self.model).velocities[group.columns] for group in self.groups]

    @cached_property
    def could_be(self) -> list[Array]:
        """Largest possible squared norms of rows: :func:`~linkwright.dynamics.closed_loops.independent.row_scales`."""
        scales = row_scales(self.model)
        assert scales is not None  # a model of numbers
        whole = np.concatenate([np.zeros(0), *(one.plain for one in scales)])
        return [whole[group.rows] for group in self.groups]

    @cached_property
    def _squares(self) -> list[Array]:
        """Return K Kᵀ, with velocities in the mechanism's units."""
        scaled = [K * units[:, None, :] for K, units in zip(self.K, self._units, strict=True)]
        return [K @ np.swapaxes(K, -1, -2) for K in scaled]

    @cached_property
    def surely(self) -> list[Semidefinite]:
        """Range of K, for each stack."""
        return [semidefinite(A, most, SURELY) for A, most in zip(self._squares, self.could_be, strict=True)]

    @cached_property
    def bearing(self) -> list[Semidefinite]:
        """Range of K by the tolerance of dynamics."""
        found = [semidefinite(A, most, TOLERANCE) for A, most in zip(self._squares, self.could_be, strict=True)]
        return [x if (x.kept == one.kept).all() else one for one, x in zip(found, self.surely, strict=True)]

    @cached_property
    def independent(self) -> Array:
        """(…, m): 1 for rows that dynamics uses, 0 for rows that depend on them."""
        found = np.empty(self.bias.shape)
        for group, one in zip(self.groups, self.bearing, strict=True):
            found[..., group.rows] = one.kept
        return found

    def within(self, k: Array) -> Array:
        """Return P k (…, m): the consistent part of k."""
        found = np.empty(k.shape)
        for group, one in zip(self.groups, self.surely, strict=True):
            found[..., group.rows] = one.least_norm(k[..., group.rows])
        return found

    def multipliers(self, efforts: Array) -> Array:
        """Return the λ (…, m) of least norm with Kᵀλ = efforts (…, nv), for efforts in the range of Kᵀ."""
        found = np.empty((*efforts.shape[:-1], self.size))
        for group, K, units, one in zip(self.groups, self.K, self._units, self.bearing, strict=True):
            wanted = efforts[..., group.columns]
            multipliers = np.zeros((*efforts.shape[:-1], *group.rows.shape))
            for _ in range(2):
                left = wanted - times(np.swapaxes(K, -1, -2), multipliers)
                multipliers = multipliers + one.solve(times(K, units**2 * left))
            found[..., group.rows] = multipliers
        return self.within(found)

    def least_efforts(self, h: Array, places: Sequence[int]) -> tuple[Array, Array]:
        """Return efforts and residuals of all rows; see :func:`~linkwright.dynamics.forces.actuation.least_efforts`."""
        driven = np.zeros(self.model.nv)
        driven[places] = 1.0
        efforts, missing = np.where(driven, h, 0.0), np.where(driven, 0.0, h)
        for group, K, units, one in zip(self.groups, self.K, self._units, self.bearing, strict=True):
            K, own = K * units[:, None, :], driven[group.columns]
            P = (
                np.eye(own.shape[1]) - np.swapaxes(K, -1, -2) @ one.inverse @ K
            )  # projection that removes constraint forces
            P = 0.5 * own[:, :, None] * own[:, None, :] * (P + np.swapaxes(P, -1, -2))
            free = semidefinite(P, np.ones(own.shape[1]))
            left = _beyond(K, one, h[..., group.columns] * units)
            found = np.zeros(left.shape)
            for _ in range(2):  # the second step reduces the rounding error
                change = free.least_norm(free.solve(free.least_norm(own * left)))
                found, left = found + change, _beyond(K, one, left - change)
            found = free.least_norm(found, weights=np.broadcast_to(1.0 / units, left.shape))
            efforts[..., group.columns], missing[..., group.columns] = found / units, left / units
        return efforts, missing


def _beyond(K: Array, bearing: Semidefinite, h: Array) -> Array:
    """Return the part of h (…, groups, n) outside the range of Kᵀ."""
    left: Array = h - times(np.swapaxes(K, -1, -2), bearing.solve(times(K, h)))
    return left


class LoopForces(NamedTuple):
    """Forces of loops on their bodies, from multipliers."""

    on_bodies: Array
    """(…, bodies, 6), in the bodies' axes"""
    on_second: Array
    """(…, loops, 6), in the axes of the loops' second frames; zeros for couplings of coordinates"""


def loop_forces(model: Model, q: Array, multipliers: Array) -> LoopForces:
    """Return the forces of all loops."""
    lead = q.shape[:-1]
    on_bodies, on_second = np.zeros((len(model.links), *lead, 6)), np.zeros((*lead, len(model.loops), 6))
    for one in loop_batches(model):
        if not one.between_frames:
            continue
        own = multipliers[..., one.rows]
        T, *sides = one.wrenches(q)
        on_second[..., one.which, :] = times(T, own)
        for bodies, side in zip(one.ends.T, sides, strict=True):
            moves = bodies >= 0
            np.add.at(on_bodies, bodies[moves], np.moveaxis(times(side, own)[..., moves, :], -2, 0))
    return LoopForces(np.moveaxis(on_bodies, 0, -2), on_second)


def loop_residuals(model: Model, q: Array, v: Array | None = None) -> tuple[Array, Array]:
    """Return the residuals of the loops (…, m), and their rates."""
    v = np.zeros(model.nv) if v is None else v
    alike: list[LoopBatch] = loop_batches(model)
    size = sum(one.rows.size for one in alike)
    found = tuple(np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), size)) for _ in range(2))
    for one in alike:
        for whole, own in zip(found, one.residuals(q, v), strict=True):
            whole[..., one.rows] = own
    return found[0], found[1]
