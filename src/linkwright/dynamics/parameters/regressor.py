"""Regressors: efforts, momentum and energy as matrices times the inertial parameters π.

The wrench that moves a body is linear in its ten parameters (Atkeson, An & Hollerbach 1986), and the joint efforts
are the transposed Jacobian times the wrench: τ = Σ Jᵢᵀ Wᵢ πᵢ. With U = [ω̇]× + [ω]×² and the acceleration a of the
body's origin minus gravity,

    W = [a  U  0; 0  −[a]×  L(ω̇) + [ω]× L(ω)],      L(x) i = I x for the six i = (Ixx, Ixy, Iyy, Ixz, Iyz, Izz).

Its momentum has the matrix K = [v  [ω]×  0; 0  −[v]×  L(ω)], and its kinetic energy ½ [v; ω]ᵀ K. K(x) π = I x for any
motion x, so that W is K(A) + V ×* K(V), with the rate A of the twist V in the world. Where C(q, v) multiplies
another velocity (:func:`reference_regressor`), W is this sum with halves of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from linkwright.dynamics.forces.springs import FRICTION_SPEED
from linkwright.dynamics.inverse import accelerations
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.dynamics.parameters.inertial import public_placements
from linkwright.errors import InputError, is_choice
from linkwright.model.coordinates import rotor_velocities
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import motion_to_child, split_pose
from linkwright.spatial.vectors import force_cross, motion_cross

Energy = Literal["total", "kinetic", "potential"]


@takes_model
def regressor(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    armature: bool = False,
    friction: bool = False,
) -> Shaped[Array, "nv p"]:
    """Compute the regressor Y of inverse dynamics: τ = Y π with the inertial parameters π.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv)
        Acceleration.
    armature : bool, optional
        Add a column for the armature of every velocity except translations of free and planar joints.
    friction : bool, optional
        Add 2 nv columns for damping and for Coulomb friction, smoothed as in :func:`passive_forces`. Y π then includes
        the efforts against both.

    Returns
    -------
    ndarray, shape (..., nv, p)
        Columns in the order of :func:`parameter_names`. With π of :func:`inertial_parameters`, Y π is
        :func:`inverse_dynamics` of the tree, including gravity; without columns for the armature it does not include
        it.

    References
    ----------
    Atkeson, An & Hollerbach, "Estimation of inertial parameters of manipulator loads and links", *International Journal
    of Robotics Research* 5(3), 1986, section 2.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.regressor(arm, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
    (2, 20)
    """
    columns = [on_joints(model, q, body_regressors(model, q, v, a))]
    if armature:
        columns.append(a[:, None] * _rotors(model))
    if friction:
        columns += [v[:, None] * np.eye(model.nv), coulomb(v)[:, None] * np.eye(model.nv)]
    return np.concatenate(columns, axis=1)


@takes_model
def reference_regressor(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    v_r: Shaped[Array, "nv"],
    a_r: Shaped[Array, "nv"],
    armature: bool = False,
) -> Shaped[Array, "nv p"]:
    """Compute the regressor Y of a reference motion: Y π = M(q) a_r + C(q, v) v_r + g(q).

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    v_r : array_like, shape (..., nv)
        Reference velocity.
    a_r : array_like, shape (..., nv)
        Reference acceleration.
    armature : bool, optional
        Add the armatures of the joints to the parameters.

    Returns
    -------
    ndarray, shape (..., nv, p)
        Columns as in :func:`regressor`, to which it is equal for v_r = v and a_r = a. C is :func:`coriolis_matrix`,
        with Ṁ − 2C skew-symmetric. Closed loops are ignored.

    References
    ----------
    Slotine & Li, "On the adaptive control of robot manipulators", *International Journal of Robotics Research* 6(3),
    1987.
    """
    columns = [on_joints(model, q, body_reference_regressors(model, q, v, v_r, a_r))]
    if armature:
        columns.append(a_r[:, None] * _rotors(model))
    return np.concatenate(columns, axis=1)


@takes_model
def momentum_regressor(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], armature: bool = False
) -> Shaped[Array, "nv p"]:
    """Compute the regressor Y of the generalized momentum: M v = Y π.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    armature : bool, optional
        Add the armatures of the joints to the parameters.

    Returns
    -------
    ndarray, shape (..., nv, p)
        Columns as in :func:`regressor`.
    """
    columns = [on_joints(model, q, body_momentum_regressors(model, q, v))]
    if armature:
        columns.append(v[:, None] * _rotors(model))
    return np.concatenate(columns, axis=1)


def momentum_change_regressor(model: Model, q: Array, v: Array) -> Array:
    """Return Y (nv, 10 bodies) with Cᵀv − g = Y π: the rate of the momentum M v without efforts."""
    x = model.coordinates(q)

    def moved(link: Link, twist: Array, q: Array, v: Array) -> Array:
        return motion_cross(twist) @ link.motion_subspace(q) + link.motion_subspace_rate(q, v)

    def weight(link: Link, T: Array, placement: Array) -> Array:
        R, _ = split_pose(T @ placement)
        return _momentum(np.concatenate([R.T @ model.gravity, np.zeros(3)]))

    weights = model.each(weight, body_poses(model, q), public_placements(model))
    rates = model.each(moved, body_velocities(model, q, v), x, model.rates(v))
    return on_joints(model, q, weights) + on_joints(model, q, body_momentum_regressors(model, q, v), rates)


@takes_model
def energy_regressor(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], of: Energy = "total", armature: bool = False
) -> Shaped[Array, "p"]:
    """Compute the regressor y of the energy: E = yᵀπ.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    of : {"total", "kinetic", "potential"}, optional
        Energy: :func:`kinetic_energy`, :func:`potential_energy` (without springs) or their sum.
    armature : bool, optional
        Add the armatures of the joints to the parameters.

    Returns
    -------
    ndarray, shape (..., p)
        Entries in the order of the columns of :func:`regressor`; E is in J.
    """
    entries = [np.zeros(0), *body_energy_regressors(model, q, v, of)]
    if armature:
        entries.append(armature_energies(model, v, of))
    return np.concatenate(entries)


def coulomb(v: Array) -> Array:
    """Return v/√(v² + v₀²) (nv,): the smoothed sign of friction."""
    return v / np.sqrt(v * v + FRICTION_SPEED**2)


def armature_energies(model: Model, v: Array, of: Energy) -> Array:
    """Return the energy of a unit armature of every velocity that can have one."""
    own = v[..., rotor_velocities(model)]
    return 0.5 * own * own if of != "potential" else np.zeros(own.shape)


def _rotors(model: Model) -> Array:
    """Return the columns (nv, rotors) of the identity matrix for the velocities that can have an armature."""
    return np.eye(model.nv)[:, rotor_velocities(model)]


# of single bodies, at their origins, in their own axes


def body_regressors(model: Model, q: Array, v: Array, a: Array) -> Any:
    """Return W (6, 10) of every body: the wrench [f; n] of its motion, including weight, is W π."""

    def wrench(link: Link, motion: Any, placement: Array) -> Array:
        R, p = split_pose(placement)
        w, w_dot = R.T @ motion.w, R.T @ motion.w_dot
        W = skew(w)
        B = W @ W
        U = skew(w_dot) + B
        acceleration = R.T @ (motion.acceleration + motion.U @ p)
        return _of_ten(acceleration, U, -skew(acceleration), _turning(w_dot, B, U))

    return model.each(wrench, accelerations(model, q, v, a), public_placements(model))


def body_reference_regressors(model: Model, q: Array, v: Array, v_r: Array, a_r: Array) -> Any:
    """Return W (6, 10) of every body: W π = I A + B(V) V_r, with its twist V_r by v_r, and A its rate by v and a_r."""

    def outward(
        link: Link, parent: tuple[Array, Array, Array], q: Array, v: Array, v_r: Array, a_r: Array
    ) -> tuple[Array, Array, Array]:
        T, S = link.transform(q), link.motion_subspace(q)
        V, V_r, A = (motion_to_child(T, x) for x in parent)
        V, along = V + S @ v, S @ v_r
        return V, V_r + along, A + S @ a_r + link.motion_subspace_rate(q, v) @ v_r + motion_cross(V) @ along

    def wrench(link: Link, motion: tuple[Array, Array, Array], placement: Array) -> Array:
        V, V_r, A = (motion_to_child(placement, x) for x in motion)
        turning = force_cross(V) @ _momentum(V_r) + force_cross(V_r) @ _momentum(V)
        return _momentum(A - 0.5 * (motion_cross(V) @ V_r)) + 0.5 * turning

    start = (np.zeros(6), np.zeros(6), np.concatenate([-model.gravity, np.zeros(3)]))
    rates = (model.rates(x) for x in (v, v_r, a_r))
    return model.each(wrench, model.outward(outward, start, model.coordinates(q), *rates), public_placements(model))


def body_momentum_regressors(model: Model, q: Array, v: Array) -> Any:
    """Return K (6, 10) of every body: its momentum [P; L] about its origin is K π."""

    def momentum(link: Link, twist: Array, placement: Array) -> Array:
        return _momentum(motion_to_child(placement, twist))

    return model.each(momentum, body_velocities(model, q, v), public_placements(model))


def body_energy_regressors(model: Model, q: Array, v: Array, of: Energy) -> Any:
    """Return y (10,) of every body: its energy is yᵀπ."""
    if not is_choice(of, ("total", "kinetic", "potential")):
        raise InputError(f"of is {of!r}; it may be 'total', 'kinetic' or 'potential'")

    def kinetic(link: Link, twist: Array, placement: Array) -> Array:
        twist = motion_to_child(placement, twist)
        return 0.5 * (_momentum(twist).T @ twist)

    def potential(link: Link, T: Array, placement: Array) -> Array:
        R, p = split_pose(T @ placement)
        return np.concatenate([-np.stack([model.gravity @ p]), -(R.T @ model.gravity), np.zeros(6)])

    placements = public_placements(model)
    if of == "potential":
        return model.each(potential, body_poses(model, q), placements)
    moving = model.each(kinetic, body_velocities(model, q, v), placements)
    if of == "kinetic":
        return moving
    lifted = model.each(potential, body_poses(model, q), placements)
    return model.each(lambda link, x, y: x + y, moving, lifted)


def _of_ten(of_mass: Array, of_moment: Array, turning: Array, of_inertia: Array) -> Array:
    """Return [x  A  0; 0  B  C] (6, 10)."""
    top = np.concatenate([of_mass[:, None], of_moment, np.zeros((3, 6))], axis=1)
    return np.concatenate([top, np.concatenate([np.zeros((3, 1)), turning, of_inertia], axis=1)])


def _momentum(twist: Array) -> Array:
    """Return K (6, 10) of a body's twist [v; ω]."""
    v, (x, y, z) = twist[:3], twist[3:]
    o = 0.0 * x
    L = np.array([[x, y, o, z, o, o], [o, x, y, o, z, o], [o, o, o, x, y, z]])
    return _of_ten(v, skew(twist[3:]), -skew(v), L)


def _turning(w_dot: Array, B: Array, U: Array) -> Array:
    """Return L(ω̇) + [ω]× L(ω) (3, 6), from B = [ω]×² and U = [ω̇]× + B."""
    x, y, z = w_dot
    return np.array(
        [
            [x, -U[2, 0], -B[1, 2], U[1, 0], B[1, 1] - B[2, 2], B[1, 2]],
            [B[0, 2], U[2, 1], y, B[2, 2] - B[0, 0], -U[0, 1], -B[0, 2]],
            [-B[0, 1], B[0, 0] - B[1, 1], B[0, 1], -U[1, 2], U[0, 2], z],
        ]
    )


# of the whole mechanism


def on_joints(model: Model, q: Array, columns: Sequence[Array], axes: Sequence[Array] | None = None) -> Array:
    """Return the joint efforts (nv, bodies · 10) of columns (6, 10) of forces on every body, at its origin.

    ``axes`` (6, nv) are the motion subspaces of the joints; by default those of the model.
    """
    n = len(model.links)
    if not n:
        return np.zeros((model.nv, 0))

    def outward(link: Link, parent: Array, T: Array, S: Array) -> Array:
        return np.concatenate([motion_to_child(T, parent), S], axis=1)

    x = model.coordinates(q)
    axes = model.each(motion_subspace, x) if axes is None else axes
    J = model.outward(outward, np.zeros((6, 0)), model.each(transform, x), axes)
    felt = model.each(
        lambda link, J, placement, W: W.T @ motion_to_child(placement, J), J, public_placements(model), columns
    )
    still = [np.zeros((10, link.motion.nv)) for link in model.links]
    rows = []
    for k, block in enumerate(felt):
        pieces, at = list(still), 0
        for j in model.path(k):
            begin, at = at, at + still[j].shape[1]
            pieces[j] = block[:, begin:at]
        rows.append(model.assemble(pieces))
    return np.concatenate(rows).T
