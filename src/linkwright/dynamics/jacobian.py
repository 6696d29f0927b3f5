"""Jacobians of frames and their time derivatives, column by column (Whitney 1972; `equations.md` §3)."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.kinematics import Reference, body_poses, check_reference
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped
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
    columns, _, _ = _columns(model, q, None, frame, reference)
    return model.assemble(columns) if columns else np.zeros((6, 0))


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
    _, columns, _ = _columns(model, q, v, frame, reference)
    return model.assemble(columns) if columns else np.zeros((6, 0))


def _columns(
    model: Model, q: Array, v: Array | None, frame: str, reference: Reference
) -> tuple[list[Array], list[Array], list[Array]]:
    """Each joint's columns of the Jacobian and, given v, of its rate."""
    place = model.frame(frame)
    poses = body_poses(model, q)
    on_path = set(model.path(place.body))
    x = model.coordinates(q)
    rates = model.rates(np.zeros(model.nv) if v is None else v)
    motion = _origin_velocities(model, poses, x, rates) if v is not None else []
    if place.body < 0:
        R_end, p_end, v_end, w_end = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    else:
        R_end, p_end = split_pose(poses[place.body] @ place.placement)
        if v is not None:
            v_body, w_end = motion[place.body]
            v_end = v_body + skew(w_end) @ (p_end - poses[place.body][:3, 3])
    if reference == "world":
        p_end, v_end = np.zeros(3), np.zeros(3)
    columns, columns_dot = [], []
    for k, link in enumerate(model.links):
        if k not in on_path:
            columns.append(np.zeros((6, link.motion.nv)))
            columns_dot.append(np.zeros((6, link.motion.nv)))
            continue
        R, p = split_pose(poses[k])
        S = link.motion_subspace(x[k])
        s_v, s_w = R @ S[:3], R @ S[3:]
        linear = s_v - skew(p_end - p) @ s_w
        if reference == "body":
            columns.append(np.concatenate([R_end.T @ linear, R_end.T @ s_w]))
        else:
            columns.append(np.concatenate([linear, s_w]))
        if v is None:
            continue
        v_k, w_k = motion[k]
        S_dot = link.motion_subspace_rate(x[k], rates[k])
        W = skew(w_k)
        s_v_dot, s_w_dot = W @ s_v + R @ S_dot[:3], W @ s_w + R @ S_dot[3:]
        linear_dot = s_v_dot - skew(p_end - p) @ s_w_dot - skew(v_end - v_k) @ s_w
        if reference == "body":  # d/dt (Rᵀ J) = Rᵀ (J̇ − ω × J)
            W_end = skew(w_end)
            linear_dot = R_end.T @ (linear_dot - W_end @ linear)
            s_w_dot = R_end.T @ (s_w_dot - W_end @ s_w)
        columns_dot.append(np.concatenate([linear_dot, s_w_dot]))
    return columns, columns_dot, poses


def _origin_velocities(
    model: Model, poses: list[Array], x: list[Array], rates: list[Array]
) -> list[tuple[Array, Array]]:
    """The velocities (v, ω) of the bodies' origins, in world axes."""

    def outward(
        link: Link, parent: tuple[Array, Array, Array], T: Array, q: Array, v: Array
    ) -> tuple[Array, Array, Array]:
        p_parent, v_parent, w_parent = parent
        R, p = split_pose(T)
        S = link.motion_subspace(q)
        linear = v_parent + skew(w_parent) @ (p - p_parent) + R @ (S[:3] @ v)
        return p, linear, w_parent + R @ (S[3:] @ v)

    states = model.outward(outward, (np.zeros(3), np.zeros(3), np.zeros(3)), poses, x, rates)
    return [(linear, angular) for _, linear, angular in states]
