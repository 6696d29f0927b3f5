"""Regressors of large mechanisms: what bodies take comes from a kernel of loops over them, NumPy hands it to joints.

Columns of forces on every body and the joints' axes are all in the world, about its origin, so that what a joint feels
of the bodies beyond it, which are numbered one after the other, is one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dynamics.kinematics import body_poses
from linkwright.dynamics.parameters.inertial import public_placements
from linkwright.dynamics.parameters.regressor import (
    Energy,
    armature_energies,
    body_energy_regressors,
    body_momentum_regressors,
    body_reference_regressors,
    body_regressors,
    coulomb,
)
from linkwright.model.rotors import rotor_velocities
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose

Function = Callable[..., Any]


# sweeps that are compiled


def efforts_in_world(model: Model, q: Array, v: Array, a: Array) -> Any:
    """Of every body the columns (6, 10) of the wrench that its motion takes, in the world."""
    return _in_world(model, q, body_regressors(model, q, v, a))


def reference_efforts_in_world(model: Model, q: Array, v: Array, v_r: Array, a_r: Array) -> Any:
    """Of every body the columns (6, 10) of the wrench that following v_r takes, in the world."""
    return _in_world(model, q, body_reference_regressors(model, q, v, v_r, a_r))


def momenta_in_world(model: Model, q: Array, v: Array) -> Any:
    """Of every body the columns (6, 10) of its momentum, in the world."""
    return _in_world(model, q, body_momentum_regressors(model, q, v))


def axes_in_world(model: Model, q: Array) -> Any:
    """Of every joint its motion subspace (6, nv) in the world, then zeros up to (6, 6)."""

    def axes(link: Link, T: Array, q: Array) -> Array:
        R, p = split_pose(T)
        S = link.motion_subspace(q)
        linear, angular = R @ S[:3], R @ S[3:]
        columns = np.concatenate([linear + skew(p) @ angular, angular])
        return np.concatenate([columns, np.zeros((6, 6 - link.motion.nv))], axis=1)

    return model.each(axes, body_poses(model, q), model.coordinates(q))


def energies(model: Model, q: Array, v: Array, of: Energy) -> Any:
    """Of every body (10,): what its parameters add to the energy."""
    return body_energy_regressors(model, q, v, of)


def _in_world(model: Model, q: Array, columns: Any) -> Any:
    def moved(link: Link, T: Array, placement: Array, W: Array) -> Array:
        return force_to_parent(T @ placement, W)

    return model.each(moved, body_poses(model, q), public_placements(model), columns)


# all rows


def _of_bodies(found: Any, shape: int) -> Array:
    """What every body has, an array of so many axes, in one (…, bodies, …); straight lines give them one by one."""
    return np.stack(found, axis=-1 - shape) if isinstance(found, tuple) else np.asarray(found)


def regressor(of: Function, model: Model, options: dict[str, Any]) -> Function:
    """The regressor of all rows; ``of`` gives kernels of functions of a model."""
    columns, felt = of(efforts_in_world), _joints(of, model)
    rotors, every = rotor_velocities(model), list(range(model.nv))

    def all_rows(q: Array, v: Array, a: Array) -> Array:
        resisting = [(every, v), (every, coulomb(v))] * options["friction"]
        return felt(q, columns(q, v, a), [(rotors, a)] * options["armature"] + resisting)

    return all_rows


def reference_regressor(of: Function, model: Model, options: dict[str, Any]) -> Function:
    """The regressor that follows a reference velocity, of all rows."""
    columns, felt, rotors = of(reference_efforts_in_world), _joints(of, model), rotor_velocities(model)
    return lambda q, v, v_r, a_r: felt(q, columns(q, v, v_r, a_r), [(rotors, a_r)] * options["armature"])


def momentum_regressor(of: Function, model: Model, options: dict[str, Any]) -> Function:
    """The momentum's regressor of all rows."""
    columns, felt, rotors = of(momenta_in_world), _joints(of, model), rotor_velocities(model)
    return lambda q, v: felt(q, columns(q, v), [(rotors, v)] * options["armature"])


def energy_regressor(of: Function, model: Model, options: dict[str, Any]) -> Function:
    """The energy's regressor of all rows."""
    own = of(energies, of=options["of"])

    def all_rows(q: Array, v: Array) -> Array:
        ten = _of_bodies(own(q, v), 1).reshape(*q.shape[:-1], 10 * len(model.links))
        return np.concatenate([ten, *[armature_energies(model, v, options["of"])] * options["armature"]], axis=-1)

    return all_rows


def _joints(of: Function, model: Model) -> Function:
    """From columns (…, bodies, 6, 10) in the world to what joints feel of them (…, nv, p).

    Then a column of each of some velocities, in which it alone has an entry: that of an array (…, nv).
    """
    axes, n = of(axes_in_world), 10 * len(model.links)
    own = [model.slice(joint.name).v for joint in model.joints]

    def felt(q: Array, columns: Array, further: list[tuple[list[int], Array]]) -> Array:
        S, rows = _of_bodies(axes(q), 2), q.shape[:-1]
        W = np.moveaxis(_of_bodies(columns, 2), -3, -2).reshape(*rows, 6, n)
        Y = np.zeros((*rows, model.nv, n + sum(len(some) for some, _ in further)))
        for k, (joint, end) in enumerate(zip(model.joints, model.subtree_end, strict=True)):
            block = np.swapaxes(S[..., k, :, : joint.motion.nv], -1, -2) @ W[..., 10 * k : 10 * end]
            if joint.coupling is None:
                Y[..., own[k], 10 * k : 10 * end] += block
            else:
                Y[..., own[joint.coupling.leader], 10 * k : 10 * end] += joint.coupling.multiplier * block
        at = n
        for some, x in further:
            Y[..., some, np.arange(at, at + len(some))] = x[..., some]
            at += len(some)
        return Y

    return felt
