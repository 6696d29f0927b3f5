"""Inverse dynamics by the recursive Newton–Euler algorithm, bias forces and gravity forces.

Luh, Walker & Paul (1980) in the form of Khalil & Dombre (2002, ch. 9): angular velocity ω, angular
acceleration ω̇ and the classical acceleration of the body's origin, all in body axes, so that the
linear velocity is not needed. U = [ω̇]× + [ω]×² gives the acceleration U r of every point r of a body relative
to its origin. With the second moment Σ = ∫ r rᵀ dm the required moment is the axial vector of U Σ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.kinematics import body_poses
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import inertia_force
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose

Wrenches = Mapping[str, Any]
"""{frame: external wrench (6,) [f; n] on the body, at the frame's origin in world axes}"""


class BodyMotion(NamedTuple):
    """State that a body passes to its children, in its own axes."""

    w: Array
    """angular velocity (3,)"""
    acceleration: Array
    """of the origin, minus gravity (3,)"""
    w_dot: Array
    """angular acceleration (3,)"""
    U: Array
    """[ω̇]× + [ω]×² (3, 3)"""


def inverse_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
) -> Shaped[Array, "nv"]:
    """Return the efforts τ (nv,) of all joints for the acceleration a; see :func:`linkwright.inverse_dynamics`."""

    def inward(
        link: Link, received: tuple[Array, Array], T: Array, S: Array, a: Array, motion: BodyMotion, external: Array
    ) -> tuple[Array, tuple[Array, Array]]:
        R, p = split_pose(T)
        taken = inertia_force(link.rigid_inertia, motion.acceleration, motion.U) - external
        force, moment = received[0] + taken[:3], received[1] + taken[3:]
        tau = S[:3].T @ force + S[3:].T @ moment + link.armature * a
        R_force = R @ force
        return tau, (R_force, R @ moment + skew(p) @ R_force)

    x, rates = model.coordinates(q), model.rates(a)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    motions = _outward(model, T, S, x, v, rates)
    external = external_forces(model, q, wrenches)
    tau, _ = model.inward(inward, (np.zeros(3), np.zeros(3)), T, S, rates, motions, external)
    return model.assemble(tau)


def accelerations(model: Model, q: Array, v: Array, a: Array) -> Any:
    """Return the motion of every body from the outward recursion."""
    x = model.coordinates(q)
    return _outward(model, model.each(transform, x), model.each(motion_subspace, x), x, v, model.rates(a))


def _outward(model: Model, T: Any, S: Any, x: Any, v: Array, a: Any) -> Any:
    """Run the outward recursion; ``x`` and ``a`` are the coordinates and accelerations of the joints."""

    def outward(link: Link, parent: BodyMotion, T: Array, S: Array, q: Array, v: Array, a: Array) -> BodyMotion:
        R, p = split_pose(T)
        relative, relative_rate = S @ v, S @ a + link.velocity_product(q, v)
        v_joint, w_joint = relative[:3], relative[3:]
        w_parent = R.T @ parent.w
        w = w_parent + w_joint
        w_dot = R.T @ parent.w_dot + skew(w_parent) @ w_joint + relative_rate[3:]
        # the joint adds v̇ + ω_joint × v, and the Coriolis term 2 ω_parent × v
        acceleration = R.T @ (parent.acceleration + parent.U @ p) + skew(w + w_parent) @ v_joint + relative_rate[:3]
        W = skew(w)
        return BodyMotion(w, acceleration, w_dot, skew(w_dot) + W @ W)

    start = BodyMotion(np.zeros(3), -model.gravity, np.zeros(3), np.zeros((3, 3)))
    return model.outward(outward, start, T, S, x, model.rates(v), a)


def external_forces(model: Model, q: Array, wrenches: Wrenches | None) -> list[Array]:
    """Return the external force (6,) [f; n] on every body, at its origin in its own axes."""
    poses = body_poses(model, q) if wrenches else []
    forces: dict[int, Array] = {}
    for frame, wrench in (wrenches or {}).items():
        place = model.frame(frame)
        if place.body < 0:
            continue  # a wrench on the world
        R, _ = split_pose(poses[place.body])
        f, n = R.T @ wrench[:3], R.T @ wrench[3:]
        force = np.concatenate([f, n + skew(place.placement[:3, 3]) @ f])
        forces[place.body] = forces[place.body] + force if place.body in forces else force
    return model.on_bodies(forces, np.zeros(6))


@takes_model
def bias_forces(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Compute the bias forces b(q, v): the efforts for zero acceleration.

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
        Centrifugal, Coriolis and gravity terms in N or N m.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 5.3.
    """
    return inverse_dynamics(model, q, v, np.zeros(model.nv))


@takes_model
def gravity_forces(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "nv"]:
    """Compute the gravity forces g(q): the efforts that hold the mechanism at rest.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., nv)
        Efforts in N or N m.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.gravity_forces(arm, [0.0, 0.0]).round(9)
    array([19.6,  4.9])
    """
    return inverse_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv))
