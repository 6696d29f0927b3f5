"""Jacobians of frames and their time derivatives, column by column (Whitney 1972; `equations.md` §3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics.kinematics import Reference, body_poses, check_reference
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_zero
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


def jacobian(
    model: Model, q: Shaped[Array, "nq"], frame: str, reference: Reference = "world_aligned"
) -> Shaped[Array, "6 nv"]:
    """The Jacobian (6, nv) of a frame: its twist [v; ω] is J v.

    ``reference`` as in :func:`~linkwright.dynamics.kinematics.velocity`; the default is the basic
    Jacobian. A column is [S_v + S_ω × (p_E − p_i); S_ω], with S the joint's motion subspace in world axes.
    """
    check_reference(reference)
    place = model.frame(frame)
    if place.body < 0:
        return np.zeros((6, model.nv))
    poses = body_poses(model, q)
    R_end, p_end = split_pose(poses[place.body] @ place.placement)
    if reference == "world":
        p_end = np.zeros(3)

    def column(link: Link, T: Array, q: Array, moves: float) -> Array:
        if is_zero(moves):
            return np.zeros((6, link.motion.nv))
        s_v, s_w = _moving(link, T, q, p_end)
        if reference == "body":
            s_v, s_w = R_end.T @ s_v, R_end.T @ s_w
        return moves * np.concatenate([s_v, s_w])

    return model.assemble(model.each(column, poses, model.coordinates(q), on_path(model, place.body)))


def jacobian_dot(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference: Reference = "world_aligned",
) -> Shaped[Array, "6 nv"]:
    """The time derivative (6, nv) of :func:`jacobian`, entry by entry, in the same reference.

    O(n) cross products; the acceleration of the frame is J a + J̇ v.
    """
    check_reference(reference)
    place = model.frame(frame)
    if place.body < 0:
        return np.zeros((6, model.nv))
    poses, x, rates = body_poses(model, q), model.coordinates(q), model.rates(v)
    motion = _origin_velocities(model, poses, x, rates)
    R_end, p_end = split_pose(poses[place.body] @ place.placement)
    _, v_body, w_end = motion[place.body]
    v_end = v_body + skew(w_end) @ (p_end - poses[place.body][:3, 3])
    if reference == "world":
        p_end, v_end = np.zeros(3), np.zeros(3)

    def column(link: Link, T: Array, q: Array, v: Array, motion: tuple[Array, Array, Array], moves: float) -> Array:
        if is_zero(moves):
            return np.zeros((6, link.motion.nv))
        R, p = split_pose(T)
        S, S_dot = link.motion_subspace(q), link.motion_subspace_rate(q, v)
        _, v_k, w_k = motion
        W, s_w = skew(w_k), R @ S[3:]
        s_v_dot, s_w_dot = W @ (R @ S[:3]) + R @ S_dot[:3], W @ s_w + R @ S_dot[3:]
        linear_dot = s_v_dot - skew(p_end - p) @ s_w_dot - skew(v_end - v_k) @ s_w
        if reference == "body":  # d/dt (Rᵀ J) = Rᵀ (J̇ − ω × J)
            W_end = skew(w_end)
            linear_dot = R_end.T @ (linear_dot - W_end @ _moving(link, T, q, p_end)[0])
            s_w_dot = R_end.T @ (s_w_dot - W_end @ s_w)
        return moves * np.concatenate([linear_dot, s_w_dot])

    return model.assemble(model.each(column, poses, x, rates, motion, on_path(model, place.body)))


def on_path(model: Model, body: int) -> list[float]:
    """For every body 1.0 where it is on the way from the world to this one, else 0.0."""
    path = set(model.path(body))
    return [1.0 if k in path else 0.0 for k in range(len(model.links))]


def _moving(link: Link, T: Array, q: Array, point: Array) -> tuple[Array, Array]:
    """Linear and angular velocities (3, nv) of a point that a joint moves at its unit rates, in world axes."""
    R, p = split_pose(T)
    S = link.motion_subspace(q)
    s_v, s_w = R @ S[:3], R @ S[3:]
    return s_v - skew(point - p) @ s_w, s_w


def _origin_velocities(
    model: Model, poses: Sequence[Array], x: Sequence[Array], rates: Sequence[Array]
) -> list[tuple[Array, Array, Array]]:
    """Where the bodies' origins are and their velocities, (p, v, ω), in world axes."""

    def outward(
        link: Link, parent: tuple[Array, Array, Array], T: Array, q: Array, v: Array
    ) -> tuple[Array, Array, Array]:
        p_parent, v_parent, w_parent = parent
        R, p = split_pose(T)
        S = link.motion_subspace(q)
        linear = v_parent + skew(w_parent) @ (p - p_parent) + R @ (S[:3] @ v)
        return p, linear, w_parent + R @ (S[3:] @ v)

    return model.outward(outward, (np.zeros(3), np.zeros(3), np.zeros(3)), poses, x, rates)
