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
from linkwright.model.elements import Frame, Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
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
    """Compute the Jacobian of a frame: its twist [v; ω] is J v.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., 6, nv)
        Rows [v; ω]. A column is [S_v + S_ω × (p_E − p_i); S_ω], with the motion subspace S of the joint in world axes;
        the sign is negative for joints that move only `relative_to`.

    Raises
    ------
    UnknownNameError
        If `model` has no such frame.

    References
    ----------
    Whitney, "The mathematics of coordinated control of prosthetic arms and manipulators", *Journal of Dynamic Systems,
    Measurement, and Control* 94(4), 1972.

    Lynch & Park, *Modern Robotics* (2017), section 5.1.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.jacobian(arm, [0.0, 0.0], "tip")[1]  # velocity in y, in m/s per rad/s
    array([2., 1.])
    """
    check_reference_frame(reference_frame)
    return model.assemble(columns(model, q, way_between(model, frame, relative_to), reference_frame), (6,))


def columns(model: Model, q: Array, way: KinematicPath, reference_frame: ReferenceFrame) -> list[Array]:
    """Return for every joint, including mimic joints, the twists (6, k) of the end by its own coordinates."""
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
    """Compute the Jacobian of a frame's position and Euler angles: [ṗ; ė] is J v.

    It is diag(1, E⁻¹) times the basic Jacobian, with ω = E ė. At gimbal lock (the second angle is ±π/2, or 0 or π if
    the first and third axes are the same) the rates of the angles are unbounded: the result for numbers is not finite,
    with a warning.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    order : str
        Order of the axes as in :func:`lw.rotation.to_euler`: "xyz".
    axes : {"moving", "fixed"}, optional
        Axes of the rotations as in :func:`lw.rotation.to_euler`.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., 6, nv)
        Rows [ṗ; ė] in m/s and rad/s.

    References
    ----------
    Siciliano et al., *Robotics: Modelling, Planning and Control* (2009), section 3.6.
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
    """Return :func:`analytical_jacobian` and the frame's rotation (3, 3), which shows a gimbal lock."""
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
    """Compute the time derivative of :func:`jacobian` in the same axes.

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
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., 6, nv)
        J̇; the acceleration of the frame is J a + J̇ v. The cost is O(n) cross products.
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
    """Return the poses (4, 4) of the end and of the base, relative to the root."""
    T_end = way.of(poses, np.eye(4), way.end) @ way.end.placement
    return T_end, np.eye(4) if way.base is None else way.of(poses, np.eye(4), way.base) @ way.base.placement


def seen_at(way: KinematicPath, poses: Sequence[Array], reference_frame: ReferenceFrame) -> tuple[Array, Array]:
    """Return the reference point (3,) and the axes (3, 3) of a motion, relative to the root."""
    T_end, T_base = _ends(way, poses)
    return (T_base if reference_frame == "world" else T_end)[:3, 3], (T_end if reference_frame == "body" else T_base)[
        :3, :3
    ]


def moving(T: Array, S: Array, point: Array, axes: Array) -> Array:
    """Return the twists (6, k) of a point of a body at T (4, 4) that moves by twists S (6, k) in its own axes."""
    R, p = split_pose(T)
    s_w = R @ S[3:]
    return np.concatenate([axes.T @ (R @ S[:3] - skew(point - p) @ s_w), axes.T @ s_w])
