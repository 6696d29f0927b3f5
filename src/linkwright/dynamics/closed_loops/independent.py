"""Dependent rows of loops: consistent right-hand sides and least-norm constraint forces.

For redundant loops and in singular configurations K a + k = 0 may be inconsistent, and forces Kᵀλ do not determine λ.
With the orthogonal projection P = K K⁺ on the range of K,

    K a + P k = 0   is solved by the a of least |K a + k|;   Kᵀ P λ = Kᵀ λ, and of all λ with these forces P λ is least.

Every method that solves consistent rows therefore gives the result of the pseudo-inverse (K M⁻¹ Kᵀ)⁺ for any choice of
omitted rows. Loops without common joints have no common column of K: P is computed for each group of loops that do.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.closure import generic_configuration
from linkwright.dynamics.closed_loops.rows import (
    LoopGroup,
    loop_ends,
    loop_groups,
    loop_rows,
    rows_of_groups,
    walk_between,
)
from linkwright.dynamics.inertias.mass import composite_inertias
from linkwright.dynamics.inertias.massless import massless_joints
from linkwright.errors import ClosureError
from linkwright.model.elements import transform
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.memo import kept
from linkwright.model.scale import scale_of, some_configuration
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.linear_algebra.linalg import SemidefiniteFactors, Tolerance, semidefinite_factors

SURELY = Tolerance(dependent=1e-12, nothing=1e-14)
"""Rows are projected only where dynamics, which has larger tolerances, certainly omits some."""


def unit_velocities(model: Model) -> list[Array]:
    """Return the mechanism's unit of every joint's velocity coordinates, including mimic joints."""
    length = scale_of(model).length
    return [np.array([length if unit == "m" else 1.0 for unit in joint.motion.units]) for joint in model.joints]


class RowScales(NamedTuple):
    """Largest possible squared norms of the rows of a loop, for motions of its frames along the row."""

    by_mass: Array
    """(m,), of K M⁻¹ Kᵀ"""
    plain: Array
    """(m,), of K Kᵀ, velocities in the mechanism's units"""


@kept
def row_scales(model: Model) -> list[RowScales] | None:
    """Return the scales of every loop's rows; None for symbols.

    They are computed at an arbitrary configuration, with lever arms as long as the path around the loop.
    """
    if not _of_numbers(model) or is_symbolic(*(joint.armature for joint in model.joints)):
        return None
    q, scale = some_configuration(model), scale_of(model)
    x, rates, units = model.coordinates(q), model.rates(np.zeros(model.nv)), unit_velocities(model)
    inertias, _ = composite_inertias(model, model.each(transform, x))
    inverses = []
    for link, I, x_k, joint in zip(model.links, inertias, x, model.joints, strict=True):
        S = link.motion_subspace(x_k)
        moved = np.einsum("ij,ij->j", S, I.times(S)) + joint.armature
        inverses.append(
            np.divide(1.0, moved, out=np.zeros(len(moved)), where=moved != 0.0)
        )  # a singular M raises an error
    scales, at = [], 0
    for loop, rows in zip(model.loops, loop_rows(model, q, np.zeros(model.nv)), strict=True):
        unit = scale.rows[at]
        at += len(rows.residual)
        if isinstance(loop, CoordinateLoop):
            by_mass = sum(float((unit**2 / units[k] ** 2 * inverses[k]).sum()) for k in rows.columns)
            scales.append(RowScales(np.array([by_mass]), np.array([unit**2 * len(rows.columns)])))
            continue
        first, second = loop_ends(model, loop)
        walk = walk_between(model, first, second, x, rates)
        offsets = [first.placement, second.placement, *(model.links[k].placement for k in walk.columns)]
        length = sum(float(np.linalg.norm(T[:3, 3])) for T in offsets) or scale.length
        by_mass = plain = 0.0
        for k, s in walk.columns.items():
            reach = (s[:3] ** 2).sum(axis=0) + length**2 * (s[3:] ** 2).sum(axis=0)
            by_mass, plain = by_mass + float((reach * inverses[k]).sum()), plain + float((units[k] ** 2 * reach).sum())
        turning = ~loop.kind.subspace(walk.pose)[:3].any(axis=0)  # rotational rows
        levers = np.where(turning, 1.0 / length**2, 1.0)
        scales.append(RowScales(by_mass * levers, plain * levers))
    return scales


class IndependentRowElimination(NamedTuple):
    """Elimination of symbolic rows, whose values are unknown."""

    order: list[int] | None
    """order with dependent rows last; None: natural order"""
    left_out: int | None
    """number of rows that may be omitted; None: all"""


def some_closed_configuration(model: Model) -> Array | None:
    """Return a configuration (nq,) for the analysis of loops; None if there is none, or for symbols."""
    if not model.loops or not _of_numbers(model) or massless_joints(model):
        return None
    with suppress(ClosureError):
        return generic_configuration(model)
    return None


def _of_numbers(model: Model) -> bool:
    """Return whether geometry, inertias and loops are numbers."""
    return regroupable(model) and not is_symbolic(*model.lengths())


AS_THEY_COME = IndependentRowElimination(None, None)

SINGULAR = 2
"""Number of additional rows of a group of loops that may be omitted in singular configurations."""


def elimination_like(factors: SemidefiniteFactors, groups: int = 1) -> IndependentRowElimination:
    """Return the elimination of pivoting at a configuration, for rows of this number of groups of loops."""
    return IndependentRowElimination(factors.order(), factors.L.shape[1] - len(factors.rows) + SINGULAR * groups)


class RowSpace(NamedTuple):
    """Range of the rows of groups of loops."""

    groups: list[LoopGroup]
    eliminations: list[IndependentRowElimination]
    factors: list[SemidefiniteFactors]
    """of K Kᵀ"""

    def within(self, k: Array) -> Array:
        """Return P k (m,); rows of other groups are unchanged."""
        near = list(k)
        for group, one, factors in zip(self.groups, self.eliminations, self.factors, strict=True):
            for row, x in zip(group.rows, factors.least_norm(k[group.rows], one.left_out), strict=True):
                near[row] = x
        return np.stack(near) if near else k


def row_space(model: Model, q: Array, groups: list[LoopGroup] | None = None) -> RowSpace:
    """Return the range of K at q (nq,), of all groups of loops or of `groups`."""
    groups = loop_groups(model) if groups is None else groups
    chosen = [AS_THEY_COME] * len(groups)
    if groups and is_symbolic(q):
        chosen = [eliminations(model)[tuple(group.loops)] for group in groups]
    scales = row_scales(model)
    could_be = None if scales is None else np.concatenate([np.zeros(0), *(one.plain for one in scales)])
    factors, units = [], scale_of(model).velocities
    for group, K, one in zip(groups, rows_of_groups(model, q, groups), chosen, strict=True):
        longest = None if could_be is None else could_be[group.rows]
        K = K * units[group.columns]
        factors.append(semidefinite_factors(K @ K.T, None, one.order, longest, SURELY))
    return RowSpace(groups, chosen, factors)


def beyond_rows(model: Model, q: Array, v: Array, beta: float = 0.0, groups: list[LoopGroup] | None = None) -> Array:
    """Return the part k − P k of k = K̇ v + β² φ (m,) that no acceleration compensates; 2α K v is always consistent."""
    if groups is not None and not groups:
        return np.zeros(sum(len(group.rows) for group in loop_groups(model)))
    k = [one.bias + beta * beta * one.residual if beta else one.bias for one in loop_rows(model, q, v)]
    biases = np.concatenate([np.zeros(0), *k])
    return biases - row_space(model, q, groups).within(biases)


@kept
def eliminations(model: Model) -> dict[tuple[int, ...], IndependentRowElimination]:
    """Return the elimination of every group of loops at a closed configuration."""
    groups = [tuple(group.loops) for group in loop_groups(model)]
    if groups and regroupable(model):
        with suppress(ClosureError):
            factors = row_space(model, generic_configuration(model)).factors
            return dict(zip(groups, map(elimination_like, factors), strict=True))
    return dict.fromkeys(groups, AS_THEY_COME)
