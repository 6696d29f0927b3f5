"""Centre of mass, momentum and their Jacobians (`equations.md` §2; Orin & Goswami 2008)."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.dynamics.mass import composite_inertias
from linkwright.errors import ModelError, explained
from linkwright.model.tree import Link, Model, transform
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose


@explained
def total_mass(model: Model) -> float:
    """The mass of everything that moves, kg; what is welded to the world is :func:`welded_mass`."""
    model.require_physical("the total mass")
    return sum((link.rigid_inertia.mass for link in model.links), 0.0)


@explained
def welded_mass(model: Model) -> float:
    """The mass of everything welded to the world, kg."""
    return model.welded.mass


def center_of_mass(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3"]:
    """The centre of mass (3,) of everything that moves, in the world, m."""
    model.require_physical("the centre of mass")
    return first_moment(model, q) / _mass(model)


def _mass(model: Model) -> float:
    mass = total_mass(model)
    if isinstance(mass, float) and mass == 0.0:
        raise ModelError(f"{model.name!r} has no centre of mass: nothing that moves has mass")
    return mass


def first_moment(model: Model, q: Array) -> Array:
    """Σ m c (3,) of everything that moves, in the world, kg m."""

    def inward(link: Link, received: tuple[float, Array], q: Array) -> tuple[None, tuple[float, Array]]:
        m, h = received[0] + link.rigid_inertia.mass, received[1] + link.rigid_inertia.first_moment
        R, p = split_pose(link.transform(q))
        return None, (m, R @ h + m * p)

    _, (_, h) = model.inward(inward, (0.0, np.zeros(3)), model.coordinates(q))
    return h


def center_of_mass_jacobian(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3 nv"]:
    """The Jacobian (3, nv) of the centre of mass: its velocity is J v."""
    model.require_physical("the centre of mass")
    return momentum_matrix(model, q)[:3] / _mass(model)


def momentum(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "6"]:
    """The momentum (6,) [P; L] of everything that moves, about its centre of mass, in world axes; N s, N m s."""
    model.require_physical("momentum")

    def inward(link: Link, received: tuple[Array], q: Array, V: Array) -> tuple[None, tuple[Array]]:
        return None, (force_to_parent(link.transform(q), link.rigid_inertia.times(V) + received[0]),)

    twists = body_velocities(model, q, v)
    _, (total,) = model.inward(inward, (np.zeros(6),), model.coordinates(q), twists)
    P, L = total[:3], total[3:]
    return np.concatenate([P, L - skew(center_of_mass(model, q)) @ P])


def momentum_matrix(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "6 nv"]:
    """The centroidal momentum matrix A (6, nv): the momentum about the centre of mass is A v.

    Reflected rotor inertias are not in it. A column is the momentum of everything beyond a joint
    moving at its unit rate, carried to the centre of mass.
    """
    model.require_physical("momentum")
    if not model.links:
        return np.zeros((6, 0))
    x = model.coordinates(q)
    composites, everything = composite_inertias(model, model.each(transform, x))
    c = everything.first_moment / _mass(model)

    def column(link: Link, q: Array, I: RigidInertia, T: Array) -> Array:
        R, p = split_pose(T)
        F = I.times(link.motion_subspace(q))
        P = R @ F[:3]
        return np.concatenate([P, R @ F[3:] + skew(p - c) @ P])

    return model.assemble(model.each(column, x, composites, body_poses(model, q)), (6,))
