"""Forces of joints: those that balance a wrench, and the passive ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.dynamics.forces.springs import spring_forces
from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.kinematics import ReferenceFrame
from linkwright.errors import explained
from linkwright.model.joint_type import JointType
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Joint, Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_zero

FRICTION_SPEED = 1e-2
"""The speed, in m/s or rad/s, at which smoothed Coulomb friction reaches 1/√2 of its value."""


@takes_model
def joint_forces(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    wrench: Shaped[Array, "6"],
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "nv"]:
    """Jᵀ·wrench (nv,): the efforts by which the frame exerts the wrench on its surroundings, gravity excluded.

    ``wrench`` (6,) is [f; n], N and N m, at the frame's origin in world axes; ``reference_frame`` "body": in the
    frame's own, "world": at the world's origin. The frame that ``relative_to`` names takes the place of the world: it
    is what the wrench is exerted on, as by fingers that hold each other's ends, and only joints between the two feel
    it.
    """
    efforts: Array = wrench @ jacobian(model, q, frame, reference_frame, relative_to)
    return efforts


@takes_model
def passive_forces(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """The efforts (nv,) of springs, dampers and friction of the joints and between bodies, N or N m.

    −Gᵀk u − d v − F v/√(v² + v₀²), with d the damping and F the Coulomb friction smoothed at v₀ = 1 cm/s or
    10 mrad/s. A spring's deflection u from rest is that of the coordinate; of a ball joint the rotation vector
    Log(rest⁻¹ q), of planar and free joints the shift in body axes beside the turn. G = ∂u/∂δ with δ as in
    ``integrate`` (of a turn J_r(u)⁻¹, J_r the right Jacobian of Exp: Barfoot & Furgale 2014) makes springs
    conservative: their forces are minus the gradient of :func:`spring_energy`. Springs between points of two
    bodies pull with k x + d l̇, x being by how much their length l exceeds the free one. Not part of inverse or
    forward dynamics; ``simulate`` adds them.
    """

    def resisting(link: Link, q: Array, v: Array, resists: Resisting) -> Array:
        force = -(damping_coefficient(resists, v) * v)
        if any(not is_zero(k) for k in resists.stiffness):
            force = force - spring_effort(link.motion, resists.stiffness, resists.rest, q)
        return force

    rates = model.rates(v)
    forces = model.each(resisting, model.coordinates(q), rates, resistances(model))
    if model.springs:
        for k, force in spring_forces(model, q, rates).items():
            forces[k] = forces[k] + force
    return model.assemble(forces)


class Resisting(NamedTuple):
    """What a joint resists motion with, by its coordinates."""

    stiffness: Array
    rest: Array
    damping: Array
    friction: Array


def resistances(model: Model) -> list[Resisting]:
    """Of every joint."""
    return [Resisting(joint.stiffness, joint.rest, joint.damping, joint.friction) for joint in model.joints]


def spring_effort(motion: JointType, stiffness: Array, rest: Array, q: Array) -> Array:
    """Gᵀk u (nv,): the effort that holds a joint's spring deflected, the gradient of ½ Σ k u²."""
    return motion.displacement_gradient(rest, q, stiffness * motion.displacement(rest, q))


@explained
def spring_stiffness(joint: Joint, q: Array) -> Array:
    """(nv,): a diagonal as stiff as Gᵀk G of a joint's spring at q or stiffer, the sums of its rows (Gershgorin)."""
    if not np.any(joint.stiffness):
        return joint.stiffness
    G = np.array([joint.motion.displacement_gradient(joint.rest, q, unit) for unit in np.eye(joint.motion.nv)])
    return np.abs(G.T @ (joint.stiffness[:, None] * G)).sum(axis=1)


@explained
def damping_coefficient(joint: Joint | Resisting, v: Array) -> Array:
    """d + F/√(v² + v₀²) (nv,): a joint's damping and friction are minus this times its velocity v (nv,)."""
    if all(is_zero(x) for x in joint.friction):
        return joint.damping
    return joint.damping + joint.friction / np.sqrt(v * v + FRICTION_SPEED**2)
