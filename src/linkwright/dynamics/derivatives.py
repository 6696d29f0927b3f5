"""Derivatives of inverse and forward dynamics by an analytical recursion.

Carpentier & Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018; Singh, Russo &
Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", IEEE RA-L
7(2), 2022: joints of several degrees of freedom, composite bodies. Here in body axes, and with terms for
motion subspaces that depend on q and for wrenches.

A derivative with respect to q is with respect to δ in ``integrate(model, q, δ)`` at 0. Seen from the
bodies beyond it, moving joint j a little turns everything before it the other way. So in their own
axes the twist V and acceleration A of every body k beyond, j's own included, vary by

    DV = φ,   DA = φ̈ − V_k × φ,   with φ, φ̈ (6,) fixed in inertial axes and the same for all of them,

and the force that moves composite body k, Σ I A + V ×* I V, by I φ̈ + B φ, where

    B φ = Σ (V ×* I − I V× + (I V) ×̄*) φ = 2 [−P × φ_ω; C φ_ω],

P = Σ ∫ ṙ dm the momentum and C = −Σ ∫ [r]× [ṙ]× dm: the Coriolis forces of an additional turning φ_ω.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.dynamics.inverse import Wrenches, external_forces
from linkwright.dynamics.kinematics import body_poses
from linkwright.dynamics.mass import mass_matrix
from linkwright.dynamics.massless import require_mass
from linkwright.errors import ModelError
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia
from linkwright.spatial.linalg import solve_and_invert, solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose
from linkwright.spatial.vectors import momentum_cross, motion_cross


def inverse_dynamics_derivatives(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a (nv, nv) of the efforts τ(q, v, a); the last is the mass matrix.

    Row i, column j: the derivative of effort i. With respect to q it is with respect to δ in
    ``integrate(model, q, δ)`` at 0. ``wrenches``: {frame: (6,)} as in ``inverse_dynamics``; they keep
    their world axes and move with the frames' origins.
    """
    sweep = _sweep(model, q, v, a, wrenches)
    by_q, by_v = _by_state(model, q, sweep, sweep.motions)
    return by_q, by_v, mass_matrix(model, q)


def forward_dynamics_derivatives(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """∂a/∂q, ∂a/∂v and ∂a/∂τ (nv, nv) of the accelerations a(q, v, τ); the last is the inverse of the mass matrix.

    M a + b = τ gives ∂a/∂x = −M⁻¹ ∂τ/∂x at that a (Carpentier & Mansard 2018, §IV). As
    :func:`inverse_dynamics_derivatives` otherwise.
    """
    if model.loops:
        raise ModelError(
            f"{model.name!r} has closed loops, which these derivatives do not know; take derivative(forward_dynamics, "
            "'q')"
        )
    require_mass(model)
    M = mass_matrix(model, q)
    still = _sweep(model, q, v, np.zeros(model.nv), wrenches)
    a = solve_symmetric(M, tau - _efforts(model, still))
    sweep = _sweep(model, q, v, a, wrenches)
    if model.has_couplings:
        by_q, by_v = _by_state(model, q, sweep, sweep.motions)
        X, inverse = solve_and_invert(M, np.concatenate([by_q, by_v], axis=1))
        return -X[:, : model.nv], -X[:, model.nv :], inverse
    # what of φ̈ a joint can do itself, S s, would cost the effort M s (less armature), which M⁻¹ takes back
    others, own_q, own_v = [], [], []
    for motion, S in zip(sweep.motions, sweep.S, strict=True):
        s_q, s_v = S.T @ motion.by_q_rate, S.T @ motion.by_v_rate
        rates = {"by_q_rate": motion.by_q_rate - S @ s_q, "by_v_rate": motion.by_v_rate - S @ s_v}
        others.append(motion._replace(**rates))
        own_q.append(s_q)
        own_v.append(s_v)
    own = np.concatenate([_block_diagonal(own_q), _block_diagonal(own_v)], axis=1)
    by_state = np.concatenate(_by_state(model, q, sweep, others), axis=1)
    X, inverse = solve_and_invert(M, by_state - model.armature[:, None] * own)
    X = -own - X
    return X[:, : model.nv], X[:, model.nv :], inverse


class Motion(NamedTuple):
    """A body's motion, and φ, φ̈ of its joint's coordinates, in its own axes at its origin."""

    w: Array
    """angular velocity (3,)"""
    A: Array
    """acceleration (6,), less gravity"""
    u: Array
    """velocity (3,) of the origin relative to the parent's, in the parent's axes"""
    by_q: Array
    """φ of each coordinate (6, nv)"""
    by_q_rate: Array
    """φ̈ (6, nv)"""
    by_v_rate: Array
    """φ̈ of each rate (6, nv); φ is S"""


def _outward(link: Link, parent: Motion, T: Array, S: Array, q: Array, v: Array, a: Array) -> Motion:
    R, p = split_pose(T)
    V_J, S_dot = S @ v, link.motion_subspace_rate(q, v)
    # the parent's motion at this body's origin, seen from where that rests: A_spatial = A_classical − ω × v
    u = skew(parent.w) @ p + R @ V_J[:3]
    A_p = np.concatenate([R.T @ (parent.A[:3] + skew(parent.A[3:]) @ p + skew(parent.w) @ u), R.T @ parent.A[3:]])
    V_p = np.concatenate([-V_J[:3], R.T @ parent.w])
    S_q = _subspace_derivatives(link, q)
    S_qv, S_qa = _columns([D @ v for D in S_q]), _columns([D @ a for D in S_q])
    turned = motion_cross(V_p) @ S  # what precedes the joint turns by −S: −S × V_p
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
    return Motion(V[3:], A, u, by_q, by_q_rate, by_v_rate)


class Composite(NamedTuple):
    """Everything from a body outwards, in the body's axes about its origin."""

    I: RigidInertia
    P: Array
    """momentum (3,)"""
    C: Array
    """−∫ [r]× [ṙ]× dm (3, 3)"""
    f: Array
    """the force (6,) that moves it, wrenches taken off"""
    wrench: Array
    """the force (3,) part of the wrenches"""
    arms: Array
    """Σ [n]× + [c]× [f]× (3, 3) of the wrenches [f; n] at points c: their moment turns with the axes by this"""


NOTHING = Composite(NO_INERTIA, np.zeros(3), np.zeros((3, 3)), np.zeros(6), np.zeros(3), np.zeros((3, 3)))


def _inward(
    link: Link, received: tuple, T: Array, motion: Motion, external: Array, arms: Array
) -> tuple[Composite, tuple]:
    m, h, J = link.rigid_inertia
    w, a, w_dot = motion.w, motion.A[:3], motion.A[3:]
    half = 0.5 * (J[0, 0] + J[1, 1] + J[2, 2])
    P = skew(w) @ h
    C = skew(w) @ (J - half * np.eye(3))
    force = m * a + skew(w_dot) @ h + skew(w) @ P
    moment = skew(h) @ a + J @ w_dot + C @ w
    own = (link.rigid_inertia, P, C, np.concatenate([force, moment]) - external, external[:3], arms)
    total = Composite(*(x + y for x, y in zip(own, received, strict=True)))
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


class Columns(NamedTuple):
    """One column for each coordinate of some joints, seen from one body.

    ``by_q``, ``by_v``, ``by_a`` are how the force on the body varies with them. The efforts of those joints
    vary with an inner joint's φ̈ by the row Sᵀ I, which is ``by_a`` again, with its 2 φ_ω by ``turning`` and
    with its S_ω by ``wrench``.
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

    def to_parent(self, T: Array, u: Array) -> Columns:
        """The same seen from the parent body."""
        R, _ = split_pose(T)
        by_q, by_v, by_a = (force_to_parent(T, F) for F in self[:3])
        return Columns(by_q, by_v, by_a, R @ self.turning + skew(u) @ by_a[:3], R @ self.wrench)


class Sweep(NamedTuple):
    """For every body: its pose in its parent, its joint's subspace, its motion, and the composite from it outwards."""

    T: list[Array]
    S: list[Array]
    motions: list[Motion]
    composites: list[Composite]


def _sweep(model: Model, q: Array, v: Array, a: Array, wrenches: Wrenches | None) -> Sweep:
    x = model.coordinates(q)
    T = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, x, strict=True)]
    none, ground = np.zeros((6, 0)), np.concatenate([-model.gravity, np.zeros(3)])
    start = Motion(np.zeros(3), ground, np.zeros(3), none, none, none)
    motions = model.outward(_outward, start, T, S, x, model.rates(v), model.rates(a))
    forces = external_forces(model, q, wrenches), _wrench_arms(model, q, wrenches)
    composites, _ = model.inward(_inward, tuple(NOTHING), T, motions, *forces)
    return Sweep(T, S, motions, composites)


def _efforts(model: Model, sweep: Sweep) -> Array:
    """τ (nv,) but for armature."""
    return model.assemble([S.T @ total.f for S, total in zip(sweep.S, sweep.composites, strict=True)])


def _by_state(model: Model, q: Array, sweep: Sweep, motions: list[Motion]) -> tuple[Array, Array]:
    """∂τ/∂q and ∂τ/∂v (nv, nv), of bodies whose φ and φ̈ are those of ``motions``."""
    beyond: list[list[Columns]] = [[] for _ in model.links]
    rows: list[tuple[Array, Array]] = []
    columns: list[tuple[Array, Array]] = []
    sequence = list(zip(model.links, model.coordinates(q), *sweep[:2], motions, sweep.composites, strict=True))
    for k, (link, x, T, S, motion, total) in reversed(list(enumerate(sequence))):
        own = _own_columns(S, motion, total)
        outer = beyond[k][::-1]  # bodies are numbered depth first: so the columns are in the order of the joints
        own_q = S.T @ own.by_q + _columns([D.T @ total.f for D in _subspace_derivatives(link, x)])
        # inner efforts: how the force on the body varies; outer ones: what this joint's φ, φ̈ mean to them
        rows.append(
            (
                np.concatenate([own_q, *(S.T @ c.by_q for c in outer)], axis=1),
                np.concatenate([S.T @ own.by_v, *(S.T @ c.by_v for c in outer)], axis=1),
            )
        )
        by_q, by_v, twice = motion.by_q_rate, motion.by_v_rate, 2.0 * motion.by_q[3:]
        none = np.zeros((0, S.shape[1]))
        columns.append(
            (
                np.concatenate([none, *(c.by_a.T @ by_q + c.turning.T @ twice + c.wrench.T @ S[3:] for c in outer)]),
                np.concatenate([none, *(c.by_a.T @ by_v + c.turning.T @ (2.0 * S[3:]) for c in outer)]),
            )
        )
        if link.parent >= 0:
            # to inner bodies, the joint turns the whole force besides
            own = own._replace(by_q=own.by_q + momentum_cross(total.f) @ S)
            beyond[link.parent].append(_joined([own, *outer]).to_parent(T, motion.u))
        beyond[k] = []
    by_q, by_v = (_square([row[i] for row in rows[::-1]], [column[i] for column in columns[::-1]]) for i in range(2))
    if model.has_couplings:
        G = model.coupling_matrix
        return G.T @ by_q @ G, G.T @ by_v @ G
    return by_q, by_v


def _own_columns(S: Array, motion: Motion, total: Composite) -> Columns:
    """Of a joint's own coordinates: I φ̈ + B φ, and the rows Sᵀ I and (Bᵀ S)_ω."""
    P, C = skew(total.P), total.C

    def force(rate: Array, twice: Array) -> Array:
        return total.I.times(rate) + np.concatenate([-(P @ twice), C @ twice])

    wrench = np.concatenate([skew(total.wrench) @ S[3:], total.arms @ S[3:]])
    return Columns(
        force(motion.by_q_rate, 2.0 * motion.by_q[3:]) - wrench,
        force(motion.by_v_rate, 2.0 * S[3:]),
        total.I.times(S),
        P @ S[:3] + C.T @ S[3:],
        skew(total.wrench) @ S[:3] - total.arms.T @ S[3:],
    )


def _joined(parts: list[Columns]) -> Columns:
    return Columns(*(np.concatenate(matrices, axis=1) for matrices in zip(*parts, strict=True)))


def _columns(vectors: list[Array]) -> Array:
    return np.stack(vectors, axis=1)


def _subspace_derivatives(link: Link, q: Array) -> list[Array]:
    """∂S/∂δ (6, nv) for each coordinate: Ṡ is linear in v."""
    return [link.motion_subspace_rate(q, unit) for unit in np.eye(link.motion.nv)]


def _wrench_arms(model: Model, q: Array, wrenches: Wrenches | None) -> list[Array]:
    """Of the wrenches on every body, in its axes: Σ [n]× + [c]× [f]×, c the point they act on."""
    arms = [np.zeros((3, 3))] * len(model.links)
    if not wrenches:
        return arms
    poses = body_poses(model, q)
    for frame, wrench in wrenches.items():
        place = model.frame(frame)
        if place.body >= 0:
            R, _ = split_pose(poses[place.body])
            turned = skew(R.T @ wrench[3:]) + skew(place.placement[:3, 3]) @ skew(R.T @ wrench[:3])
            arms[place.body] = arms[place.body] + turned
    return arms


def _square(rows: list[Array], columns: list[Array]) -> Array:
    """A matrix from each joint's rows over its subtree and its columns over the joints beyond it."""
    n, at = sum(len(row) for row in rows), 0
    upper, lower = [np.zeros((0, n))], [np.zeros((n, 0))]
    for row, column in zip(rows, columns, strict=True):
        own, width = row.shape
        upper.append(np.concatenate([np.zeros((own, at)), row, np.zeros((own, n - at - width))], axis=1))
        lower.append(np.concatenate([np.zeros((at + own, own)), column, np.zeros((n - at - width, own))]))
        at += own
    return np.concatenate(upper) + np.concatenate(lower, axis=1)


def _block_diagonal(blocks: list[Array]) -> Array:
    return _square(blocks, [np.zeros((0, len(block))) for block in blocks])
