"""Jacobians of frames and their time derivatives, column by column (Whitney 1972; `equations.md` §3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics.kinematics import (
    STILL,
    Motion,
    Reference,
    Way,
    body_motions,
    body_poses,
    check_reference,
    way_between,
)
from linkwright.model.tree import Frame, Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_zero
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


def jacobian(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    reference: Reference = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv"]:
    """The Jacobian (6, nv) of a frame: its twist [v; ω] is J v.

    ``reference`` and ``relative_to`` as in :func:`~linkwright.dynamics.kinematics.velocity`; the default is the basic
    Jacobian. A column is [S_v + S_ω × (p_E − p_i); S_ω], with S the joint's motion subspace in world axes, and less
    than nothing of a joint on which only ``relative_to`` hangs.
    """
    check_reference(reference)
    way = way_between(model, frame, relative_to)
    poses = body_poses(model, q, way.root)
    T_end, T_base = _ends(way, poses)
    point = (T_base if reference == "world" else T_end)[:3, 3]
    R = T_end[:3, :3] if reference == "body" else T_base[:3, :3]

    def column(link: Link, T: Array, q: Array, sign: float) -> Array:
        if is_zero(sign):
            return np.zeros((6, link.motion.nv))
        s_v, s_w = _moving(link, T, q, point)
        return sign * np.concatenate([R.T @ s_v, R.T @ s_w])

    return model.assemble(model.each(column, poses, model.coordinates(q), way.signs))


def jacobian_dot(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference: Reference = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv"]:
    """The time derivative (6, nv) of :func:`jacobian`, entry by entry, in the same reference.

    O(n) cross products; the acceleration of the frame is J a + J̇ v.
    """
    check_reference(reference)
    way = way_between(model, frame, relative_to)
    motions = body_motions(model, q, v, root=way.root)
    poses = model.each(lambda link, motion: motion[0], motions)
    T_end, T_base = _ends(way, poses)

    def motion(frame: Frame | None, p: Array) -> Motion:
        if frame is None or frame.body == way.root:
            return STILL
        T, found = motions[frame.body]
        return found.beyond(p - T[:3, 3])

    end, base = motion(way.end, T_end[:3, 3]), motion(way.base, T_base[:3, 3])
    (point, v_point) = (T_base[:3, 3], base.v) if reference == "world" else (T_end[:3, 3], end.v)
    R, w = (T_end[:3, :3], end.w) if reference == "body" else (T_base[:3, :3], base.w)
    turning = skew(w)

    def column(link: Link, found: tuple[Array, Motion], q: Array, v: Array, sign: float) -> Array:
        if is_zero(sign):
            return np.zeros((6, link.motion.nv))
        T, motion = found
        R_k, p = split_pose(T)
        S, S_dot = link.motion_subspace(q), link.motion_subspace_rate(q, v)
        W, s_w = skew(motion.w), R_k @ S[3:]
        s_v_dot, s_w_dot = W @ (R_k @ S[:3]) + R_k @ S_dot[:3], W @ s_w + R_k @ S_dot[3:]
        linear_dot = s_v_dot - skew(point - p) @ s_w_dot - skew(v_point - motion.v) @ s_w
        # d/dt (Rᵀ J) = Rᵀ (J̇ − ω × J)
        linear_dot = linear_dot - turning @ _moving(link, T, q, point)[0]
        return sign * np.concatenate([R.T @ linear_dot, R.T @ (s_w_dot - turning @ s_w)])

    return model.assemble(model.each(column, motions, model.coordinates(q), model.rates(v), way.signs))


def _ends(way: Way, poses: Sequence[Array]) -> tuple[Array, Array]:
    """The poses (4, 4) of the end and of the base, as seen from the root."""
    T_end = way.of(poses, np.eye(4), way.end) @ way.end.placement
    return T_end, np.eye(4) if way.base is None else way.of(poses, np.eye(4), way.base) @ way.base.placement


def _moving(link: Link, T: Array, q: Array, point: Array) -> tuple[Array, Array]:
    """Linear and angular velocities (3, nv) of a point that a joint moves at its unit rates, in world axes."""
    R, p = split_pose(T)
    S = link.motion_subspace(q)
    s_v, s_w = R @ S[:3], R @ S[3:]
    return s_v - skew(point - p) @ s_w, s_w
