"""Static joint forces of a wrench, and passive forces of joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.dynamics.forces.gravity_compensation import compensation_efforts
from linkwright.dynamics.forces.springs import FRICTION_SPEED, spring_forces
from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.kinematics import ReferenceFrame
from linkwright.errors import explained
from linkwright.model.elements import Joint, Link
from linkwright.model.joints.joint_type import JointType
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_zero


@takes_model
def joint_forces(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    wrench: Shaped[Array, "6"],
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "nv"]:
    """Compute the efforts with which a frame exerts a wrench on its surroundings: Jᵀ·wrench, without gravity.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    wrench : array_like, shape (..., 6)
        Wrench [f; n] in N and N m.
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes of the wrench: the frame's origin in world axes, the frame's origin in its own axes, or
        the origin of the world in world axes.
    relative_to : str, optional
        Frame that replaces the world. The wrench acts between both frames, as in a grasp with two fingers, and only
        joints between them have efforts.

    Returns
    -------
    ndarray, shape (..., nv)
        Efforts in N or N m.

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 5.2.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.joint_forces(arm, [0.0, 0.0], "tip", [0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    array([2., 1.])
    """
    efforts: Array = wrench @ jacobian(model, q, frame, reference_frame, relative_to)
    return efforts


@takes_model
def passive_forces(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Compute the efforts of springs, dampers, friction and gravity compensation.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.

    Returns
    -------
    ndarray, shape (..., nv)
        −Gᵀk u − d v − F v/√(v² + v₀²) in N or N m, with the deflection u of the springs, the damping d and the Coulomb
        friction F, which is smoothed at v₀ = 1 cm/s or 10 mrad/s.

    Notes
    -----
    The deflection u is that of the coordinate. For a ball joint it is the rotation vector Log(rest⁻¹ q), for planar and
    free joints the displacement in body axes and the rotation. G = ∂u/∂δ, with δ as in ``integrate``, is J_r(u)⁻¹ for a
    rotation, where J_r is the right Jacobian of Exp. The spring forces are therefore conservative: minus the gradient
    of :func:`spring_energy`. A spring between points of two bodies pulls with k x + d l̇, where x is its length l minus
    the free length. Compensated weights act with −m g at the centers of mass of their links. Passive forces are not
    part of inverse and forward dynamics; ``simulate`` adds them.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
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
    total = model.assemble(forces)
    return total + compensation_efforts(model, q) if model.compensated_weights else total


class Resisting(NamedTuple):
    """Resistance of a joint to motion, by its coordinates."""

    stiffness: Array
    rest: Array
    damping: Array
    friction: Array


def resistances(model: Model) -> list[Resisting]:
    """Return the resistances of all joints."""
    return [Resisting(joint.stiffness, joint.rest, joint.damping, joint.friction) for joint in model.joints]


def spring_effort(motion: JointType, stiffness: Array, rest: Array, q: Array) -> Array:
    """Return Gᵀk u (nv,), the effort that holds a joint's spring deflected: the gradient of ½ Σ k u²."""
    return motion.displacement_gradient(rest, q, stiffness * motion.displacement(rest, q))


@explained
def spring_stiffness(joint: Joint, q: Array) -> Array:
    """Compute a diagonal that bounds Gᵀk G of a joint's spring from above, by its row sums (Gershgorin).

    Parameters
    ----------
    joint : Joint
        Joint of a model.
    q : ndarray, shape (nq,)
        Coordinates of the joint.

    Returns
    -------
    ndarray, shape (nv,)
        Diagonal in N/m or N m/rad.
    """
    if all(is_zero(x) for x in joint.stiffness):
        return joint.stiffness
    G = np.array([joint.motion.displacement_gradient(joint.rest, q, unit) for unit in np.eye(joint.motion.nv)])
    return np.abs(G.T @ (joint.stiffness[:, None] * G)).sum(axis=1)


@explained
def damping_coefficient(joint: Joint | Resisting, v: Array) -> Array:
    """Compute d + F/√(v² + v₀²): damping and friction of a joint are minus this times its velocity.

    Parameters
    ----------
    joint : Joint
        Joint of a model.
    v : ndarray, shape (nv,)
        Velocity of the joint.

    Returns
    -------
    ndarray, shape (nv,)
        Coefficient in N s/m or N m s/rad.
    """
    if all(is_zero(x) for x in joint.friction):
        return joint.damping
    return joint.damping + joint.friction / np.sqrt(v * v + FRICTION_SPEED**2)
