"""Derivatives of inverse and forward dynamics by an analytical recursion.

Carpentier & Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018; Singh, Russo &
Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", IEEE RA-L
7(2), 2022: joints of several degrees of freedom, composite bodies. Here in body axes, and with terms for
motion subspaces that depend on q and for wrenches.

A derivative with respect to q is with respect to δ in ``integrate(model, q, δ)`` at 0. A small displacement of joint j
moves the bodies outward of it; relative to these bodies, all inner bodies rotate in the opposite direction. In its own
axes, the twist V and acceleration A of every outward body k, including the body of joint j, vary by

    DV = φ,   DA = φ̈ − V_k × φ,   with φ, φ̈ (6,) fixed in inertial axes and the same for all of them,

and the force on composite body k, Σ I A + V ×* I V, by I φ̈ + B φ, where

    B φ = Σ (V ×* I − I V× + (I V) ×̄*) φ = 2 [−P × φ_ω; C φ_ω],

P = Σ ∫ ṙ dm the momentum and C = −Σ ∫ [r]× [ṙ]× dm: the Coriolis forces of an additional rotation φ_ω.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.dynamics.inertias.mass import mass_matrix
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.dynamics.inverse import Wrenches, external_forces
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import ModelError
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia
from linkwright.spatial.linear_algebra.linalg import negative_solution_and_inverse, solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose
from linkwright.spatial.vectors import momentum_cross, motion_cross


@takes_model
def inverse_dynamics_derivatives(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """Compute the derivatives of inverse dynamics by configuration, velocity and acceleration.

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
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.

    Returns
    -------
    by_q : ndarray, shape (..., nv, nv)
        ∂τ/∂q by δ in ``integrate(model, q, δ)`` at 0; row i is that of effort i. Wrenches keep their world axes and
        move with the origins of their frames.
    by_v : ndarray, shape (..., nv, nv)
        ∂τ/∂v.
    by_a : ndarray, shape (..., nv, nv)
        ∂τ/∂a, the mass matrix.

    Raises
    ------
    ModelError
        If the mechanism has closed loops.

    References
    ----------
    Carpentier & Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018, section III.

    Singh, Russo & Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra",
    *IEEE Robotics and Automation Letters* 7(2), 2022.
    """
    sweep = _sweep(model, q, v, a, wrenches)
    by_q, by_v = _by_state(model, q, sweep, sweep.motions)
    return by_q, by_v, mass_matrix(model, q)


@takes_model
def forward_dynamics_derivatives(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """Compute the derivatives of forward dynamics by configuration, velocity and efforts.

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
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.

    Returns
    -------
    by_q : ndarray, shape (..., nv, nv)
        ∂a/∂q by δ in ``integrate(model, q, δ)`` at 0; row i is that of acceleration i.
    by_v : ndarray, shape (..., nv, nv)
        ∂a/∂v.
    by_tau : ndarray, shape (..., nv, nv)
        ∂a/∂τ, the inverse of the mass matrix.

    Raises
    ------
    ModelError
        If the mechanism has closed loops.

    Notes
    -----
    M a + b = τ gives ∂a/∂x = −M⁻¹ ∂τ/∂x at the acceleration a.

    References
    ----------
    Carpentier & Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018, section IV.
    """
    require_open(model)
    require_mass(model)
    M = mass_matrix(model, q)
    still = _sweep(model, q, v, np.zeros(model.nv), wrenches)
    a = solve_symmetric(M, tau - _efforts(model, still))
    sweep = _sweep(model, q, v, a, wrenches)
    if model.has_couplings:
        by_q, by_v = _by_state(model, q, sweep, sweep.motions)
        X, inverse = negative_solution_and_inverse(M, np.concatenate([by_q, by_v], axis=1))
        return X[:, : model.nv], X[:, model.nv :], inverse
    # the part of φ̈ in the joint's own subspace, S s, costs the effort M s (without armature), which M⁻¹ cancels
    others, own_q, own_v = [], [], []
    for motion, S in zip(sweep.motions, sweep.S, strict=True):
        s_q, s_v = S.T @ motion.by_q_rate, S.T @ motion.by_v_rate
        rates = {"by_q_rate": motion.by_q_rate - S @ s_q, "by_v_rate": motion.by_v_rate - S @ s_v}
        others.append(motion._replace(**rates))
        own_q.append(s_q)
        own_v.append(s_v)
    own = np.concatenate([_block_diagonal(own_q), _block_diagonal(own_v)], axis=1)
    by_state = np.concatenate(_by_state(model, q, sweep, others), axis=1)
    X, inverse = negative_solution_and_inverse(M, by_state - model.armature[:, None] * own)
    X = X - own
    return X[:, : model.nv], X[:, model.nv :], inverse


def require_open(model: Model) -> None:
    """Raise :class:`ModelError` for a mechanism with closed loops."""
    if model.loops:
        raise ModelError(
            f"{model.name!r} has closed loops, for which there are no analytical derivatives; use "
            "derivative(forward_dynamics, 'q')"
        )


class MotionDerivatives(NamedTuple):
    """Motion of a body, and φ, φ̈ of its joint's coordinates, in body axes at the body's origin."""

    w: Array
    """angular velocity (3,)"""
    A: Array
    """acceleration (6,) minus gravity"""
    u: Array
    """velocity (3,) of the origin relative to the parent's, in the parent's axes"""
    by_q: Array
    """φ of each coordinate (6, nv)"""
    by_q_rate: Array
    """φ̈ (6, nv)"""
    by_v_rate: Array
    """φ̈ of each velocity (6, nv); φ is S"""


def _outward(
    link: Link, parent: MotionDerivatives, T: Array, S: Array, q: Array, v: Array, a: Array
) -> MotionDerivatives:
    R, p = split_pose(T)
    V_J, S_dot = S @ v, link.motion_subspace_rate(q, v)
    # the parent's motion at this body's origin, relative to the body at rest: A_spatial = A_classical − ω × v
    u = skew(parent.w) @ p + R @ V_J[:3]
    A_p = np.concatenate([R.T @ (parent.A[:3] + skew(parent.A[3:]) @ p + skew(parent.w) @ u), R.T @ parent.A[3:]])
    V_p = np.concatenate([-V_J[:3], R.T @ parent.w])
    S_q = _subspace_derivatives(link, q)
    S_qv, S_qa = _columns([D @ v for D in S_q]), _columns([D @ a for D in S_q])
    turned = motion_cross(V_p) @ S  # inner bodies rotate by −S: −S × V_p
    V = V_p + V_J
    A = A_p + S @ a + S_dot @ v + turned @ v
    by_q = turned + S_qv
    by_q_rate = (
        motion_cross(A_p) @ S
        + S_qa
        + link.motion.velocity_product_derivative(q, v)
        + motion_cross(V) @ S_qv
        + motion_cross(V_p) @ by_q
    )
    by_v_rate = S_qv + S_dot + 2.0 * turned + motion_cross(V_J) @ S
    return MotionDerivatives(V[3:], A, u, by_q, by_q_rate, by_v_rate)


class CompositeDerivatives(NamedTuple):
    """Sums over a body and all its descendants, in the body's axes about its origin."""

    I: RigidInertia
    P: Array
    """momentum (3,)"""
    C: Array
    """−∫ [r]× [ṙ]× dm (3, 3)"""
    f: Array
    """force (6,) that moves the composite body, minus wrenches"""
    wrench: Array
    """the force (3,) part of the wrenches"""
    arms: Array
    """Σ [n]× + [c]× [f]× (3, 3) of the wrenches [f; n] at points c: derivative of their moment by the rotation"""


NOTHING = CompositeDerivatives(NO_INERTIA, np.zeros(3), np.zeros((3, 3)), np.zeros(6), np.zeros(3), np.zeros((3, 3)))


def _inward(
    link: Link, received: tuple, T: Array, motion: MotionDerivatives, external: Array, arms: Array
) -> tuple[CompositeDerivatives, tuple]:
    m, h, J = link.rigid_inertia
    w, a, w_dot = motion.w, motion.A[:3], motion.A[3:]
    half = 0.5 * (J[0, 0] + J[1, 1] + J[2, 2])
    P = skew(w) @ h
    C = skew(w) @ (J - half * np.eye(3))
    force = m * a + skew(w_dot) @ h + skew(w) @ P
    moment = skew(h) @ a + J @ w_dot + C @ w
    own = (link.rigid_inertia, P, C, np.concatenate([force, moment]) - external, external[:3], arms)
    total = CompositeDerivatives(*(x + y for x, y in zip(own, received, strict=True)))
    R, p = split_pose(T)
    RP, Rf = R @ total.P, R @ total.wrench
    I = total.I.moved(T)
    sent = (
        I,
        RP + I.mass * motion.u,
        R @ total.C @ R.T - skew(p) @ skew(RP) - skew(I.first_moment) @ skew(motion.u),
        force_to_parent(T, total.f),
        Rf,
        R @ total.arms @ R.T + skew(p) @ skew(Rf),
    )
    return total, sent


class DerivativeColumns(NamedTuple):
    """Columns of the coordinates of several joints, relative to one body.

    ``by_q``, ``by_v`` and ``by_a`` are the derivatives of the force on the body. The efforts of those joints vary with
    an inner joint's φ̈ by the row Sᵀ I, which equals ``by_a``, with its 2 φ_ω by ``turning``, and with its S_ω by
    ``wrench``.
    """

    by_q: Array
    """(6, n)"""
    by_v: Array
    """(6, n)"""
    by_a: Array
    """(6, n)"""
    turning: Array
    """(3, n)"""
    wrench: Array
    """(3, n)"""

    def to_parent(self, T: Array, u: Array) -> DerivativeColumns:
        """Return the columns relative to the parent body."""
        R, _ = split_pose(T)
        by_q, by_v, by_a = (force_to_parent(T, F) for F in self[:3])
        return DerivativeColumns(by_q, by_v, by_a, R @ self.turning + skew(u) @ by_a[:3], R @ self.wrench)


class Sweep(NamedTuple):
    """For every body: the pose in its parent, the joint's motion subspace, the motion, and the composite body."""

    T: list[Array]
    S: list[Array]
    motions: list[MotionDerivatives]
    composites: list[CompositeDerivatives]


def _sweep(model: Model, q: Array, v: Array, a: Array, wrenches: Wrenches | None) -> Sweep:
    x = model.coordinates(q)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    none, ground = np.zeros((6, 0)), np.concatenate([-model.gravity, np.zeros(3)])
    start = MotionDerivatives(np.zeros(3), ground, np.zeros(3), none, none, none)
    motions = model.outward(_outward, start, T, S, x, model.rates(v), model.rates(a))
    forces = external_forces(model, q, wrenches), _wrench_arms(model, q, wrenches)
    composites, _ = model.inward(_inward, tuple(NOTHING), T, motions, *forces)
    return Sweep(T, S, motions, composites)


def _efforts(model: Model, sweep: Sweep) -> Array:
    """Return τ (nv,) without armature."""
    return model.assemble(model.each(lambda link, S, total: S.T @ total.f, sweep.S, sweep.composites))


def _by_state(model: Model, q: Array, sweep: Sweep, motions: Sequence[MotionDerivatives]) -> tuple[Array, Array]:
    """Return ∂τ/∂q and ∂τ/∂v (nv, nv) for bodies with the φ and φ̈ of ``motions``."""
    if not model.links:
        return np.zeros((0, 0)), np.zeros((0, 0))
    T, S, _, composites = sweep

    def own_block(link: Link, q: Array, S: Array, total: CompositeDerivatives, own: DerivativeColumns) -> Array:
        return S.T @ own.by_q + _columns([D.T @ total.f for D in _subspace_derivatives(link, q)])

    def sent(
        link: Link, T: Array, S: Array, motion: MotionDerivatives, total: CompositeDerivatives, own: DerivativeColumns
    ) -> DerivativeColumns:
        # for inner bodies the joint also rotates the total force
        return own._replace(by_q=own.by_q + momentum_cross(total.f) @ S).to_parent(T, motion.u)

    def inward(
        link: Link, outer: DerivativeColumns, T: Array, S: Array, motion: MotionDerivatives
    ) -> tuple[tuple[Array, Array, Array, Array], DerivativeColumns]:
        # inner efforts: derivatives of the force on the body; outer efforts: effect of this joint's φ, φ̈
        twice = 2.0 * motion.by_q[3:]
        found = (
            S.T @ outer.by_q,
            S.T @ outer.by_v,
            motion.by_q_rate.T @ outer.by_a + twice.T @ outer.turning + S[3:].T @ outer.wrench,
            motion.by_v_rate.T @ outer.by_a + (2.0 * S[3:]).T @ outer.turning,
        )
        return found, outer.to_parent(T, motion.u)

    own = model.each(lambda link, *values: _own_columns(*values), S, motions, composites)
    columns = model.each(sent, T, S, motions, composites, own)
    rows_q, rows_v, columns_q, columns_v = model.inward_columns(inward, columns, T, S, motions)
    own_q = model.each(own_block, model.coordinates(q), S, composites, own)
    own_v = model.each(lambda link, S, own: S.T @ own.by_v, S, own)
    return model.square(own_q, rows_q, columns_q), model.square(own_v, rows_v, columns_v)


def _own_columns(S: Array, motion: MotionDerivatives, total: CompositeDerivatives) -> DerivativeColumns:
    """Return the columns of a joint's own coordinates: I φ̈ + B φ, and the rows Sᵀ I and (Bᵀ S)_ω."""
    P, C = skew(total.P), total.C

    def force(rate: Array, twice: Array) -> Array:
        return total.I.times(rate) + np.concatenate([-(P @ twice), C @ twice])

    wrench = np.concatenate([skew(total.wrench) @ S[3:], total.arms @ S[3:]])
    return DerivativeColumns(
        force(motion.by_q_rate, 2.0 * motion.by_q[3:]) - wrench,
        force(motion.by_v_rate, 2.0 * S[3:]),
        total.I.times(S),
        P @ S[:3] + C.T @ S[3:],
        skew(total.wrench) @ S[:3] - total.arms.T @ S[3:],
    )


def _columns(vectors: list[Array]) -> Array:
    return np.stack(vectors, axis=1)


def _subspace_derivatives(link: Link, q: Array) -> list[Array]:
    """Return ∂S/∂δ (6, nv) for each coordinate; Ṡ is linear in v."""
    return [link.motion_subspace_rate(q, unit) for unit in np.eye(link.motion.nv)]


def _wrench_arms(model: Model, q: Array, wrenches: Wrenches | None) -> list[Array]:
    """Return Σ [n]× + [c]× [f]× of the wrenches on every body, in its axes; c is the point of application."""
    poses = body_poses(model, q) if wrenches else []
    arms: dict[int, Array] = {}
    for frame, wrench in (wrenches or {}).items():
        place = model.frame(frame)
        if place.body >= 0:
            R, _ = split_pose(poses[place.body])
            turned = skew(R.T @ wrench[3:]) + skew(place.placement[:3, 3]) @ skew(R.T @ wrench[:3])
            arms[place.body] = arms[place.body] + turned if place.body in arms else turned
    return model.on_bodies(arms, np.zeros((3, 3)))


def _block_diagonal(blocks: list[Array]) -> Array:
    n, at = sum(map(len, blocks)), 0
    rows = [np.zeros((0, n))]
    for block in blocks:
        m = len(block)
        rows.append(np.concatenate([np.zeros((m, at)), block, np.zeros((m, n - at - m))], axis=1))
        at += m
    return np.concatenate(rows)
