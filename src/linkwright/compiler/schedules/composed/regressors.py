"""Regressors of large mechanisms: those of bodies are computed by a kernel of loops, those of joints by NumPy.

Columns of forces on every body and the joints' axes are all in the world, about its origin, so that the forces on a
joint from its descendants, which have consecutive indices, are one product of matrices.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.schedules.composed.kernels import ComponentKernels, Function
from linkwright.dynamics.kinematics import body_poses
from linkwright.dynamics.parameters.inertial import public_placements
from linkwright.dynamics.parameters.regressor import (
    armature_energies,
    body_energy_regressors,
    body_momentum_regressors,
    body_reference_regressors,
    body_regressors,
    coulomb,
)
from linkwright.model.coordinates import rotor_velocities
from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose


def _in_world(columns: Function) -> Function:
    """Return the columns (6, 10) of every body in the world."""

    @wraps(columns)
    def moved(model: Model, q: Array, *rates: Array) -> Any:
        def to_world(link: Link, T: Array, placement: Array, W: Array) -> Array:
            return force_to_parent(T @ placement, W)

        return model.each(to_world, body_poses(model, q), public_placements(model), columns(model, q, *rates))

    return moved


COLUMNS = {
    dynamics.regressor: _in_world(body_regressors),
    dynamics.reference_regressor: _in_world(body_reference_regressors),
    dynamics.momentum_regressor: _in_world(body_momentum_regressors),
}
"""Columns of every body in the world; each entry of the last array may move a rotor."""


def axes_in_world(model: Model, q: Array) -> Any:
    """Return the motion subspace (6, nv) of every joint in the world, padded with zeros to (6, 6)."""

    def axes(link: Link, T: Array, q: Array) -> Array:
        R, p = split_pose(T)
        S = link.motion_subspace(q)
        linear, angular = R @ S[:3], R @ S[3:]
        columns = np.concatenate([linear + skew(p) @ angular, angular])
        return np.concatenate([columns, np.zeros((6, 6 - link.motion.nv))], axis=1)

    return model.each(axes, body_poses(model, q), model.coordinates(q))


def _of_bodies(found: Any, shape: int) -> Array:
    """Return values of every body, arrays with this number of axes, as one (…, bodies, …)."""
    return np.stack(found, axis=-1 - shape) if isinstance(found, tuple) else np.asarray(found)


def regressor(p: ComponentKernels) -> Function:
    """Return the joint efforts of the columns of every body for all rows, and columns of rotors."""
    model, columns, axes = p.model, p.of(COLUMNS[p.book]), p.of(axes_in_world)
    n, own = 10 * len(model.links), [model.slice(joint.name).v for joint in model.joints]
    led = [(k, 1.0) if (c := one.coupling) is None else (c.leader, c.multiplier) for k, one in enumerate(model.joints)]
    multipliers = np.array([multiplier for _, multiplier in led])[:, None, None]
    parts = [(own[led[k][0]], joint.motion.nv, model.subtree_end[k]) for k, joint in enumerate(model.joints)]
    rotors = rotor_velocities(model) if p.choices["armature"] else []
    rubbing = list(range(model.nv)) if p.choices.get("friction") else []

    def all_rows(q: Array, *rates: Array) -> Array:
        S, rows = np.swapaxes(multipliers * _of_bodies(axes(q), 2), -1, -2), q.shape[:-1]
        W = np.moveaxis(_of_bodies(columns(q, *rates), 2), -3, -2).reshape(*rows, 6, n)
        Y = np.zeros((*rows, model.nv, n + len(rotors) + 2 * len(rubbing)))
        for k, (felt, nv, end) in enumerate(parts):
            Y[..., felt, 10 * k : 10 * end] += S[..., k, :nv, :] @ W[..., 10 * k : 10 * end]
        at = n
        for places, x in ((rotors, rates[-1]), (rubbing, rates[0]), (rubbing, coulomb(rates[0]))):
            Y[..., places, np.arange(at, at + len(places))] = x[..., places]
            at += len(places)
        return Y

    return all_rows


def energy_regressor(p: ComponentKernels) -> Function:
    """Return the energy's regressor of all rows."""
    of, model = p.choices["of"], p.model
    own = p.of(body_energy_regressors, of=of)

    def all_rows(q: Array, v: Array) -> Array:
        ten = _of_bodies(own(q, v), 1).reshape(*q.shape[:-1], 10 * len(model.links))
        return np.concatenate([ten, *[armature_energies(model, v, of)] * p.choices["armature"]], axis=-1)

    return all_rows
