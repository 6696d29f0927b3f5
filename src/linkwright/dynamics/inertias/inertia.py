"""Inertias of several bodies: composite (with locked joints, `equations.md` §1) and articulated (with free joints).

The argument ``body`` is the name of a link or a frame; results are at its origin and in its axes. They include the body
that carries the frame and all its descendants; "world" is the whole mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dynamics.forward import forward_dynamics
from linkwright.dynamics.frames.manipulability import own_lengths, rows_of
from linkwright.dynamics.inertias.mass import composite_inertias
from linkwright.dynamics.kinematics import acceleration, accelerations, frame_pose, way_between
from linkwright.errors import ArgumentError, ModelError
from linkwright.model.build.description import WORLD
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_one, is_zero, maximum, mirror
from linkwright.spatial.inertia import RigidInertia, congruence
from linkwright.spatial.linear_algebra.linalg import inverse_of_definite, solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose


@takes_model
def composite_inertia(
    model: Model, q: Shaped[Array, "nq"], body: str
) -> tuple[Any, Shaped[Array, "3"], Shaped[Array, "3 3"]]:
    """Compute mass, center of mass and inertia of a body with its descendants, with locked joints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str
        Name of a link or frame of `model`; "world" is the whole mechanism.

    Returns
    -------
    mass : ndarray, shape (...)
        Mass in kg.
    center : ndarray, shape (..., 3)
        Center of mass in the frame `body` in m; the origin where there is no mass.
    inertia : ndarray, shape (..., 3, 3)
        Inertia about the center of mass in the axes of `body`, in kg m².

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 6.2.
    """
    return centered(composite_at(model, q, body))


def composite_at(model: Model, q: Array, body: str) -> RigidInertia:
    """Return the composite inertia about the frame's origin."""
    model.require_physical("a composite inertia")
    frame = model.frame(body)
    composites, everything = composite_inertias(model, model.each(transform, model.coordinates(q)))
    if frame.body < 0:
        h, I = everything.first_moment, everything.inertia
    else:
        h = _of_body(model, frame.body, model.each(lambda link, inertia: inertia.first_moment, composites))
        I = _of_body(model, frame.body, model.each(lambda link, inertia: inertia.inertia, composites))
    return RigidInertia(_mass_beyond(model, frame.body), h, I).moved(inverse_pose(frame.placement))


def _of_body(model: Model, body: int, values: Sequence[Array]) -> Array:
    """Return the value of one body as a sum over all bodies, which can be recorded."""
    chosen = [1.0 if k == body else 0.0 for k in range(len(model.links))]
    total: Array = model.total(model.each(lambda link, x, is_it: x if is_one(is_it) else is_it * x, values, chosen))
    return total


def _mass_beyond(model: Model, body: int) -> Any:
    """Return the mass of a body, or of the world, with all descendants; it does not depend on the configuration."""
    beyond = model.links if body < 0 else model.links[body : model.subtree_end[body]]
    return sum((link.rigid_inertia.mass for link in beyond), 0.0)


def centered(inertia: RigidInertia) -> tuple[Any, Array, Array]:
    """Return mass, center of mass (3,) and inertia (3, 3) about it, for numbers and symbols."""
    m, h, I = inertia
    if is_zero(m):
        return m, 0.0 * h, I
    c = h / m
    C = skew(c)
    return m, c, mirror(I + m * (C @ C))


@takes_model
def whole_body_inertia(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3 3"]:
    """Compute the inertia of the whole mechanism about its center of mass, with locked joints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Inertia in world axes in kg m².
    """
    return centered(composite_at(_with_mass(model), q, WORLD))[2]


@takes_model
def locked_inertia(model: Model, q: Shaped[Array, "nq"], body: str = WORLD) -> Shaped[Array, "6 6"]:
    """Compute the spatial inertia of a body with its descendants, with locked joints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str, optional
        Name of a link or frame of `model`. By default "world", the whole mechanism.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Inertia about the origin of `body` in its axes: the momentum [P; L] is this matrix times the twist.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 2.13.
    """
    return composite_at(model, q, body).matrix()


@takes_model
def subtree_center_of_mass(model: Model, q: Shaped[Array, "nq"], body: str) -> Shaped[Array, "3"]:
    """Compute the center of mass of a body with its descendants.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str
        Name of a link or frame of `model`; "world" is the whole mechanism.

    Returns
    -------
    ndarray, shape (..., 3)
        Position in the world in m.
    """
    _, c, _ = composite_inertia(model, q, body)
    T = frame_pose(model, q, way_between(model, body, WORLD))
    return T[:3, :3] @ c + T[:3, 3]


@takes_model
def articulated_inertia(model: Model, q: Shaped[Array, "nq"], body: str) -> Shaped[Array, "6 6"]:
    """Compute the articulated-body inertia of a body with its descendants, with free joints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str
        Name of a link or frame of `model`.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Force at the origin of `body` in its axes per spatial acceleration. Reflected rotor inertias are included; the
        bias force of efforts and velocities is not.

    Raises
    ------
    ModelError
        If the model has mimic joints, or if `body` is fixed in the world.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 7.1.
    """
    model.require_physical("an articulated inertia")
    frame = model.frame(body)
    if frame.body < 0:
        raise ModelError(f"{body!r} of {model.name!r} is fixed in the world and has no articulated inertia")
    if model.has_couplings:
        raise ModelError(f"{model.name!r} has mimic joints; articulated inertias need independent joints")

    def inward(link: Link, received: tuple[Array], T: Array, S: Array) -> tuple[Array, tuple[Array]]:
        I = link.rigid_inertia.matrix() + received[0]
        U = I @ S
        D = S.T @ U + np.diag(link.armature)
        return I, (congruence(mirror(I - U @ solve_symmetric(D, U.T)), T),)

    x = model.coordinates(q)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    kept, _ = model.inward(inward, (np.zeros((6, 6)),), T, S)
    return congruence(_of_body(model, frame.body, kept), inverse_pose(frame.placement))


@takes_model
def frame_responses(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    frames: tuple[str, ...],
) -> tuple[Shaped[Array, "handles handles"], Shaped[Array, "handles"]]:
    """Compute the response of several frames to wrenches on them: a = Φ f + b.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the joints in N or N m.
    frames : tuple of str
        Names of k frames of `model`.

    Returns
    -------
    responses : ndarray, shape (..., 6 k, 6 k)
        Φ = J M⁻¹ Jᵀ, where a are the accelerations [p̈; ω̇] of the frames and f the wrenches [f; n] on them,
        world-aligned and in the order of the names.
    bias : ndarray, shape (..., 6 k)
        Accelerations by efforts, velocities and gravity. Loops are not closed.
    """
    _require_frames(frames)
    still, weightless = np.zeros(model.nv), replace(model, gravity=np.zeros(3))
    columns = []
    for frame in frames:
        for unit in np.eye(6):
            a = forward_dynamics(weightless, q, still, still, {frame: unit}, "articulated", loops="ignore")
            columns.append(accelerations(model, q, still, a, frames))
    a = forward_dynamics(model, q, v, tau, method="articulated", loops="ignore")
    return mirror(np.stack(columns, axis=1)), accelerations(model, q, v, a, frames)


def _require_frames(frames: Any) -> None:
    if isinstance(frames, str) or not len(frames):
        raise ArgumentError(f"frames is a list of one or more names of frames; got {frames!r}")


@takes_model
def operational_inertia(
    model: Model, q: Shaped[Array, "nq"], frame: str, directions: str | Sequence[str] = "all"
) -> Shaped[Array, "rows rows"]:
    """Compute the operational-space inertia of a frame, Λ = (J M⁻¹ Jᵀ)⁻¹, world-aligned.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    directions : {"all", "linear", "angular"} or sequence of str, optional
        Rows of the Jacobian: a group, or a list of some of "x", "y", "z", "rx", "ry", "rz".

    Returns
    -------
    ndarray, shape (..., m, m)
        Force on the frame per acceleration, with free joints. All entries are NaN where the joints cannot move the
        frame in all directions, as in singular configurations: where J M⁻¹ Jᵀ is singular to 1e-13.
        :func:`force_ellipsoid` computes the directions.

    References
    ----------
    Khatib, "A unified approach for motion and force control of robot manipulators: the operational space formulation",
    *IEEE Journal of Robotics and Automation* 3(1), 1987, section III.
    """
    return _operational_inertia(model, q, frame, directions)


@takes_model
def operational_space_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    directions: str | Sequence[str] = "all",
) -> tuple[Shaped[Array, "rows rows"], Shaped[Array, "rows"], Shaped[Array, "rows"]]:
    """Compute the operational-space dynamics of a frame, Λ ẍ + μ + p = F, world-aligned.

    ẍ is the frame's :func:`acceleration` under the efforts τ = Jᵀ F + N τ₀ for any τ₀, where N = 1 − JᵀJ̄ᵀ with
    J̄ = M⁻¹JᵀΛ removes the part that moves the frame. Springs, dampers and friction are not included. Loops are not
    closed.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    frame : str
        Name of a frame of `model`.
    directions : {"all", "linear", "angular"} or sequence of str, optional
        Rows of the Jacobian: a group, or a list of some of "x", "y", "z", "rx", "ry", "rz".

    Returns
    -------
    inertia : ndarray, shape (..., m, m)
        Λ, as in :func:`operational_inertia`. All results are NaN where it is unbounded.
    velocity_forces : ndarray, shape (..., m)
        Velocity-dependent force μ = J̄ᵀC v − Λ J̇ v.
    gravity : ndarray, shape (..., m)
        Force of gravity p = J̄ᵀg.

    References
    ----------
    Khatib, "A unified approach for motion and force control of robot manipulators: the operational space formulation",
    *IEEE Journal of Robotics and Automation* 3(1), 1987, section III.
    """
    places, still = rows_of(directions), np.zeros(model.nv)
    inertia = _operational_inertia(model, q, frame, directions)

    def freely(v: Array) -> Array:
        a = forward_dynamics(model, q, v, still, method="articulated", loops="ignore")
        return acceleration(model, q, v, a, frame)[places]

    fallen = freely(still)
    with np.errstate(all="ignore"):  # unbounded inertias
        return inertia, inertia @ (fallen - freely(v)), -(inertia @ fallen)


def _operational_inertia(model: Model, q: Array, frame: str, directions: str | Sequence[str]) -> Array:
    places = rows_of(directions)
    still, weightless = np.zeros(model.nv), replace(model, gravity=np.zeros(3))
    columns = []
    for unit in np.eye(6)[places]:
        a = forward_dynamics(weightless, q, still, still, {frame: unit}, "articulated", loops="ignore")
        columns.append(acceleration(model, q, still, a, frame)[places])
    A = mirror(np.stack(columns, axis=1))
    own, largest = own_lengths(model, directions) ** 2, 0.0
    for k, square in enumerate(own):
        largest = maximum(largest, square * A[k, k])
    return inverse_of_definite(A, largest / own)


def _with_mass(model: Model) -> Model:
    model.require_physical("the whole body's inertia")
    if is_zero(sum((link.rigid_inertia.mass for link in model.links), 0.0)):
        raise ModelError(f"{model.name!r} has no center of mass: no moving body has mass")
    return model
