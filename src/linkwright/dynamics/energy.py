"""Energies."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.kinematics import body_velocities
from linkwright.dynamics.momentum import first_moment
from linkwright.dynamics.springs import springs_at, stretched
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped


def kinetic_energy(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Any:
    """½ vᵀ M v, that of reflected rotor inertias (armature) included, J."""
    model.require_physical("kinetic energy")

    def inward(link: Link, received: tuple[Any], v: Array, V: Array) -> tuple[None, tuple[Any]]:
        return None, (received[0] + V @ link.rigid_inertia.times(V) + v @ (link.armature * v),)

    _, (total,) = model.inward(inward, (0.0,), model.rates(v), body_velocities(model, q, v))
    return 0.5 * total


def potential_energy(model: Model, q: Shaped[Array, "nq"]) -> Any:
    """−Σ m gᵀc of everything that moves, J; zero at the world's origin. Springs are :func:`spring_energy`."""
    model.require_physical("potential energy")
    return -(model.gravity @ first_moment(model, q))


def spring_energy(model: Model, q: Shaped[Array, "nq"]) -> Any:
    """½ Σ k u² of the springs of joints and between bodies, u their deflections as in :func:`passive_forces`, J."""
    total: Any = 0.0
    for joint, q_k in zip(model.joints, model.coordinates(q), strict=True):
        if np.any(joint.stiffness):
            u = joint.motion.displacement(joint.rest, q_k)
            total = total + u @ (joint.stiffness * u)
    for spring, pieces in springs_at(model, q):
        x = spring.elongation(stretched(pieces))
        total = total + spring.stiffness * (x * x)
    return 0.5 * total
