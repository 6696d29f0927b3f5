"""Forces of joints: those that balance a wrench, and the passive ones."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.jacobian import jacobian
from linkwright.model.tree import Joint, Model
from linkwright.spatial.arrays import Array, Shaped

FRICTION_SPEED = 1e-2
"""The speed, in m/s or rad/s, at which smoothed Coulomb friction reaches 1/√2 of its value."""


def joint_forces(model: Model, q: Shaped[Array, "nq"], frame: str, wrench: Shaped[Array, "6"]) -> Shaped[Array, "nv"]:
    """Jᵀ·wrench (nv,): the efforts by which the frame exerts the wrench on its surroundings, gravity excluded.

    ``wrench`` (6,) is [f; n] at the frame's origin in world axes, N and N m.
    """
    return jacobian(model, q, frame).T @ wrench


def passive_forces(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """The efforts (nv,) of the joints' own springs, dampers and friction, N or N m.

    −k x − d v − F v/√(v² + v₀²), with x the deflection from rest, d the damping and F the Coulomb
    friction smoothed at v₀ = 1 cm/s or 10 mrad/s. Not part of inverse or forward dynamics;
    ``simulate`` adds them.
    """
    forces = []
    for joint, q_k, v_k in zip(model.joints, model.coordinates(q), model.rates(v), strict=True):
        force = -(damping_coefficient(joint, v_k) * v_k)
        if np.any(joint.stiffness):
            force = force - joint.stiffness * joint.motion.displacement(joint.rest, q_k)
        forces.append(force)
    return model.assemble(forces)


def damping_coefficient(joint: Joint, v: Array) -> Array:
    """d + F/√(v² + v₀²) (nv,): a joint's damping and friction are minus this times its velocity v (nv,)."""
    if not np.any(joint.friction):
        return joint.damping
    return joint.damping + joint.friction / np.sqrt(v * v + FRICTION_SPEED**2)
