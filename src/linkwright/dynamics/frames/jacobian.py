"""Jacobians of frames and their time derivatives, column by column (Whitney 1972; `equations.md` §3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics.kinematics import (
    STILL,
    FrameMotion,
    KinematicPath,
    ReferenceFrame,
    body_motions,
    body_poses,
    check_reference_frame,
    pose,
    way_between,
)
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Frame, Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_zero
from linkwright.spatial.euler import euler_rates
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


@takes_model
def jacobian(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv"]:
    """The Jacobian (6, nv) of a frame: its twist [v; ω] is J v.

    ``reference_frame`` and ``relative_to`` as in :func:`~linkwright.dynamics.kinematics.velocity`; the default is
    the basic Jacobian. A column is [S_v + S_ω × (p_E − p_i); S_ω], with S the joint's motion subspace in world axes,
    and less than nothing of a joint on which only ``relative_to`` hangs.
    """
    check_reference_frame(reference_frame)
    return model.assemble(columns(model, q, way_between(model, frame, relative_to), reference_frame), (6,))


def columns(model: Model, q: Array, way: KinematicPath, reference_frame: ReferenceFrame) -> list[Array]:
    """Of every joint, followers too, the twists (6, k) by which its own coordinates move the end."""
    poses = body_poses(model, q, way.root)
    point, axes = seen_at(way, poses, reference_frame)

    def column(link: Link, T: Array, q: Array, sign: float) -> Array:
        if is_zero(sign):
            return np.zeros((6, link.motion.nv))
        return sign * moving(T, link.motion_subspace(q), point, axes)

    return model.each(column, poses, model.coordinates(q), way.signs)


@takes_model
def analytical_jacobian(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    order: str,
    axes: str = "moving",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv"]:
    """The Jacobian (6, nv) of a frame's position and Euler angles: [ṗ; ė] is J v, m/s and rad/s.

    ``order`` and ``axes`` of the angles as in :func:`lw.rotation.to_euler`, which gives them; ``relative_to`` as in
    :func:`~linkwright.dynamics.kinematics.velocity`. It is diag(1, E⁻¹) times the basic Jacobian, ω = E ė. At gimbal
    lock (the second angle ±π/2, or 0 or π where the first axis comes again) the angles' rates have no bound: of
    numbers, that is said by a warning, and what is not finite stays so.
    """
    return analytical_jacobian_and_rotation(model, q, frame, order, axes, relative_to)[0]


def analytical_jacobian_and_rotation(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    order: str,
    axes: str = "moving",
    relative_to: str = "world",
) -> tuple[Shaped[Array, "6 nv"], Shaped[Array, "3 3"]]:
    """:func:`analytical_jacobian`, and how the frame is turned (3, 3), which tells whether the angles are locked."""
    R = pose(model, q, frame, relative_to)[:3, :3]
    rates = euler_rates(R, order, axes)
    top = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1)
    scaling = np.concatenate([top, np.concatenate([np.zeros((3, 3)), rates], axis=1)])
    return scaling @ jacobian(model, q, frame, relative_to=relative_to), R


@takes_model
def jacobian_dot(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv"]:
    """The time derivative (6, nv) of :func:`jacobian`, entry by entry, in the same axes.

    O(n) cross products; the acceleration of the frame is J a + J̇ v.
    """
    check_reference_frame(reference_frame)
    way = way_between(model, frame, relative_to)
    motions = body_motions(model, q, v, root=way.root, accelerations=False)

    def placed(frame: Frame | None) -> tuple[Array, FrameMotion]:
        if frame is None:
            return np.eye(4), STILL
        T, motion = way.of(motions, (np.eye(4), STILL), frame)
        return T @ frame.placement, motion.beyond(T[:3, :3] @ frame.placement[:3, 3])

    (T_end, end), (T_base, base) = placed(way.end), placed(way.base)
    (point, v_point) = (T_base[:3, 3], base.v) if reference_frame == "world" else (T_end[:3, 3], end.v)
    R, w = (T_end[:3, :3], end.w) if reference_frame == "body" else (T_base[:3, :3], base.w)
    turning = skew(w)

    def column(link: Link, found: tuple[Array, FrameMotion], q: Array, v: Array, sign: float) -> Array:
        if is_zero(sign):
            return np.zeros((6, link.motion.nv))
        T, motion = found
        R_k, p = split_pose(T)
        S, S_dot = link.motion_subspace(q), link.motion_subspace_rate(q, v)
        W, s_w = skew(motion.w), R_k @ S[3:]
        s_v_dot, s_w_dot = W @ (R_k @ S[:3]) + R_k @ S_dot[:3], W @ s_w + R_k @ S_dot[3:]
        linear_dot = s_v_dot - skew(point - p) @ s_w_dot - skew(v_point - motion.v) @ s_w
        # d/dt (Rᵀ J) = Rᵀ (J̇ − ω × J)
        linear = R_k @ S[:3] - skew(point - p) @ s_w
        return sign * np.concatenate([R.T @ (linear_dot - turning @ linear), R.T @ (s_w_dot - turning @ s_w)])

    return model.assemble(model.each(column, motions, model.coordinates(q), model.rates(v), way.signs), (6,))


def _ends(way: KinematicPath, poses: Sequence[Array]) -> tuple[Array, Array]:
    """The poses (4, 4) of the end and of the base, as seen from the root."""
    T_end = way.of(poses, np.eye(4), way.end) @ way.end.placement
    return T_end, np.eye(4) if way.base is None else way.of(poses, np.eye(4), way.base) @ way.base.placement


def seen_at(way: KinematicPath, poses: Sequence[Array], reference_frame: ReferenceFrame) -> tuple[Array, Array]:
    """The point (3,) whose motion is told, and the axes (3, 3) in which it is, as seen from the root."""
    T_end, T_base = _ends(way, poses)
    return (T_base if reference_frame == "world" else T_end)[:3, 3], (T_end if reference_frame == "body" else T_base)[
        :3, :3
    ]


def moving(T: Array, S: Array, point: Array, axes: Array) -> Array:
    """The twists (6, k) of a point on a body at T (4, 4) that moves by twists S (6, k) of its own axes."""
    R, p = split_pose(T)
    s_w = R @ S[3:]
    return np.concatenate([axes.T @ (R @ S[:3] - skew(point - p) @ s_w), axes.T @ s_w])
