"""Inertias of several bodies as one: with their joints locked (composite, `equations.md` §1), and with them free.

What is told of a ``body``, a link or any other frame's name, is in that frame: at its origin, in its axes. It is of the
body that carries the frame with everything that hangs on it; "world" is of the whole mechanism.
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
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Link, Model, motion_subspace, transform
from linkwright.spatial.arrays import Array, Shaped, is_one, is_zero, maximum, mirror
from linkwright.spatial.inertia import RigidInertia, congruence
from linkwright.spatial.linalg import inverse_of_definite, solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose


@takes_model
def composite_inertia(
    model: Model, q: Shaped[Array, "nq"], body: str
) -> tuple[Any, Shaped[Array, "3"], Shaped[Array, "3 3"]]:
    """The mass (kg), center of mass (3,) and inertia (3, 3) about it of a body with everything beyond, as one.

    All joints beyond are locked at q; in the frame ``body`` ("world": of the whole mechanism). What has no mass has its
    center at the origin.
    """
    return centered(composite_at(model, q, body))


def composite_at(model: Model, q: Array, body: str) -> RigidInertia:
    """The same about the frame's origin."""
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
    """What one body has, as a sum over all: so it may be recorded."""
    chosen = [1.0 if k == body else 0.0 for k in range(len(model.links))]
    total: Array = model.total(model.each(lambda link, x, is_it: x if is_one(is_it) else is_it * x, values, chosen))
    return total


def _mass_beyond(model: Model, body: int) -> Any:
    """The mass of a body, or of the world, with everything beyond: the same in every posture."""
    beyond = model.links if body < 0 else model.links[body : model.subtree_end[body]]
    return sum((link.rigid_inertia.mass for link in beyond), 0.0)


def centered(inertia: RigidInertia) -> tuple[Any, Array, Array]:
    """Mass, center of mass (3,) and inertia (3, 3) about it, of numbers or symbols."""
    m, h, I = inertia
    if is_zero(m):
        return m, 0.0 * h, I
    c = h / m
    C = skew(c)
    return m, c, mirror(I + m * (C @ C))


@takes_model
def whole_body_inertia(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3 3"]:
    """The inertia (3, 3) of everything that moves, its joints locked, about its center of mass in world axes, kg m²."""
    return centered(composite_at(_with_mass(model), q, WORLD))[2]


@takes_model
def locked_inertia(model: Model, q: Shaped[Array, "nq"], body: str = WORLD) -> Shaped[Array, "6 6"]:
    """The inertia (6, 6) of a body with everything beyond, joints locked, about the origin of ``body`` in its axes.

    Its momentum [P; L] there is this times its twist. By default of everything that moves, in the world.
    """
    return composite_at(model, q, body).matrix()


@takes_model
def subtree_center_of_mass(model: Model, q: Shaped[Array, "nq"], body: str) -> Shaped[Array, "3"]:
    """The center of mass (3,) of a body with everything beyond, in the world, m."""
    _, c, _ = composite_inertia(model, q, body)
    T = frame_pose(model, q, way_between(model, body, WORLD))
    return T[:3, :3] @ c + T[:3, 3]


@takes_model
def articulated_inertia(model: Model, q: Shaped[Array, "nq"], body: str) -> Shaped[Array, "6 6"]:
    """The articulated-body inertia (6, 6) of a body with everything beyond, its joints free (Featherstone 1983).

    The force on it that a unit spatial acceleration takes, at the origin of ``body`` in its axes; efforts and
    velocities, which only shift that force, are not in it, reflected rotor inertias are. Raises :class:`ModelError`
    for joints that follow others, whose bodies are not free of each other, and for "world", which has none.
    """
    model.require_physical("an articulated inertia")
    frame = model.frame(body)
    if frame.body < 0:
        raise ModelError(f"{body!r} of {model.name!r} rests in the world: nothing that moves carries it")
    if model.has_couplings:
        raise ModelError(f"{model.name!r} has no articulated inertias: some of its joints follow others")

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
    """Φ (6 k, 6 k) and b (6 k,) with a = Φ f + b: how k frames are accelerated by wrenches on them.

    a are the accelerations [p̈; ω̇] of the frames, f the wrenches [f; n] on them, world-aligned, one frame after the
    other; Φ = J M⁻¹ Jᵀ, and b is what efforts, velocities and gravity give. Loops are not closed.
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
        raise ArgumentError(f"frame_responses takes the names of frames, a list of one or more; got {frames!r}")


@takes_model
def operational_inertia(
    model: Model, q: Shaped[Array, "nq"], frame: str, directions: str | Sequence[str] = "all"
) -> Shaped[Array, "rows rows"]:
    """The operational-space inertia Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame, world-aligned (Khatib 1987).

    The force at the frame that a unit acceleration of it takes, joints being free. ``directions``: "all", "linear",
    "angular", or which of "x", "y", "z", "rx", "ry", "rz" count, as ("x", "y") in a plane. Where the joints cannot move
    the frame along all of them, as in singular configurations, Λ has no bound and all of it is NaN: that is where
    J M⁻¹ Jᵀ is singular to rounding, 1e-13 (:func:`force_ellipsoid` tells along what).
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
    """Λ, μ and p of a frame: Λ ẍ + μ + p = F, world-aligned (Khatib 1987).

    ẍ is the frame's acceleration (:func:`acceleration`) under the efforts τ = Jᵀ F + N τ₀, whatever τ₀ is: N = 1 − JᵀJ̄ᵀ
    with J̄ = M⁻¹JᵀΛ takes from it what would move the frame. Λ is the :func:`operational_inertia`; μ = J̄ᵀC v − Λ J̇ v are
    the forces of velocities and p = J̄ᵀg that of gravity; springs, dampers and friction are not in it.
    ``directions`` as there: J has only these rows. Loops are not closed. Where Λ has no bound all of it is NaN.
    """
    places, still = rows_of(directions), np.zeros(model.nv)
    inertia = _operational_inertia(model, q, frame, directions)

    def freely(v: Array) -> Array:
        a = forward_dynamics(model, q, v, still, method="articulated", loops="ignore")
        return acceleration(model, q, v, a, frame)[places]

    fallen = freely(still)
    with np.errstate(all="ignore"):  # of what has no bound
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
        raise ModelError(f"{model.name!r} has no center of mass: nothing that moves has mass")
    return model
