"""Poses, velocities and accelerations of frames, by outward recursion over the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from linkwright.errors import ArgumentError, InputError, is_choice
from linkwright.model.build.description import WORLD
from linkwright.model.elements import Frame, Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_one, is_zero
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose, motion_to_child, motion_to_parent, split_pose
from linkwright.spatial.vectors import motion_cross

ReferenceFrame = Literal["world_aligned", "body", "world"]
"""Reference point and axes of a frame's motion: the frame's origin in world axes, the frame's origin in its own axes,
or the world's origin in world axes."""

REFERENCE_FRAMES: tuple[ReferenceFrame, ...] = get_args(ReferenceFrame)


def check_reference_frame(reference_frame: str) -> None:
    """Raise :class:`InputError` for an unknown reference frame."""
    if not is_choice(reference_frame, REFERENCE_FRAMES):
        raise InputError(f"reference_frame is {reference_frame!r}; it may be {', '.join(map(repr, REFERENCE_FRAMES))}")


def body_poses(model: Model, q: Shaped[Array, "nq"], root: int = -1) -> list[Array]:
    """Return the poses (4, 4) of the (canonical) body frames in the world: ⁰T_i = ⁰T_p ᵖT_i.

    With a body as ``root`` the poses are relative to it; those of the root and its ancestors are the identity.
    """

    def outward(link: Link, parent: Array, q: Array, moves: float) -> Array:
        if is_one(moves):
            return parent @ link.transform(q)
        return parent if is_zero(moves) else moves * (parent @ link.transform(q)) + (1.0 - moves) * parent

    return model.outward(outward, np.eye(4), model.coordinates(q), moving_about(model, root))


def moving_about(model: Model, root: int) -> list[float]:
    """Return 1.0 for every body that moves while body `root` is fixed, and 0.0 for `root` and its ancestors."""
    still = set(model.path(root))
    return [0.0 if k in still else 1.0 for k in range(len(model.links))]


class KinematicPath(NamedTuple):
    """Joints between two frames."""

    root: int
    """last common ancestor of both bodies, -1 for the world; motions are relative to it"""
    end: Frame
    base: Frame | None
    """frame that replaces the world, or None"""
    signs: list[float]
    """for every body, 1.0 on the path from the root to the end, -1.0 on the path to the base, else 0.0"""

    def of(self, bodies: Sequence[Any], root: Any, frame: Frame) -> Any:
        """Return the entry of the body of a frame, or that of the root."""
        return root if frame.body == self.root else bodies[frame.body]


def way_between(model: Model, frame: str, relative_to: str) -> KinematicPath:
    """Return the joints that move a frame relative to another."""
    end, base = model.frame(frame), model.frame(relative_to)
    to_end, to_base = model.path(end.body), model.path(base.body)
    common = [k for k, other in zip(to_end, to_base, strict=False) if k == other]
    signs = [0.0] * len(model.links)
    for path, sign in ((to_end, 1.0), (to_base, -1.0)):
        for k in path[len(common) :]:
            signs[k] = sign
    return KinematicPath(common[-1] if common else -1, end, None if relative_to == WORLD else base, signs)


def body_velocities(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> list[Array]:
    """Return the twists (6,) [v; ω] of the bodies in their own (canonical) axes."""

    def outward(link: Link, parent: Array, q: Array, v: Array) -> Array:
        return motion_to_child(link.transform(q), parent) + link.motion_subspace(q) @ v

    return model.outward(outward, np.zeros(6), model.coordinates(q), model.rates(v))


def body_accelerations(model: Model, q: Array, v: Array, a: Array | None, root: int = -1) -> list[tuple[Array, Array]]:
    """Return the twists (6,) of the bodies in their own (canonical) axes and their rates; ``a`` is zero by default.

    With a body as ``root`` the motions are relative to it; those of the root and its ancestors are zero.
    """

    def outward(
        link: Link, parent: tuple[Array, Array], q: Array, v: Array, a: Array, moves: float
    ) -> tuple[Array, Array]:
        if is_zero(moves):
            return parent
        parent_twist, parent_rate = parent
        T, S = link.transform(q), link.motion_subspace(q)
        twist = motion_to_child(T, parent_twist) + S @ v
        rate = motion_to_child(T, parent_rate) + S @ a + link.velocity_product(q, v) + motion_cross(twist) @ (S @ v)
        return (twist, rate) if is_one(moves) else (moves * twist, moves * rate)

    per_joint = (model.coordinates(q), model.rates(v), _given(model, a))
    return model.outward(outward, (np.zeros(6), np.zeros(6)), *per_joint, moving_about(model, root))


def _given(model: Model, a: Array | None) -> list[Array]:
    """Return the accelerations of every joint, zero by default."""
    return [np.zeros(link.motion.nv) for link in model.links] if a is None else model.rates(a)


class FrameMotion(NamedTuple):
    """Motion of a point of a body, in world axes."""

    v: Array
    w: Array
    a: Array
    """p̈: the classical acceleration"""
    alpha: Array

    def beyond(self, d: Array) -> FrameMotion:
        """Return the motion of the point of the same body at the offset d."""
        W = skew(self.w)
        return FrameMotion(self.v + W @ d, self.w, self.a + (skew(self.alpha) + W @ W) @ d, self.alpha)

    def seen_from(self, base: FrameMotion, R: Array) -> FrameMotion:
        """Return the motion relative to a body whose point moves as ``base``, in that body's axes R (3, 3)."""
        W, v, w = skew(base.w), self.v - base.v, self.w - base.w
        a, alpha = self.a - base.a - 2.0 * (W @ v), self.alpha - base.alpha - W @ w
        return FrameMotion(R.T @ v, R.T @ w, R.T @ a, R.T @ alpha)


STILL = FrameMotion(*(np.zeros(3) for _ in range(4)))


def body_motions(
    model: Model, q: Array, v: Array, a: Array | None = None, root: int = -1, accelerations: bool = True
) -> list[tuple[Array, FrameMotion]]:
    """Return the poses (4, 4) of the bodies and the motions of their origins, relative to ``root``.

    The accelerations of the joints are zero by default; without ``accelerations`` the returned accelerations are zero.
    """

    def outward(
        link: Link, parent: tuple[Array, FrameMotion], q: Array, v: Array, a: Array, moves: float
    ) -> tuple[Array, FrameMotion]:
        if is_zero(moves):
            return parent
        T_parent, before = parent
        relative = link.transform(q)
        T = T_parent @ relative
        if not is_one(moves):
            T, v, a = moves * T + (1.0 - moves) * T_parent, moves * v, moves * a
        S, R = link.motion_subspace(q), T[:3, :3]
        turn, slide = S[3:] @ v, S[:3] @ v
        if not accelerations:
            linear = before.v + skew(before.w) @ (T_parent[:3, :3] @ relative[:3, 3])
            return T, FrameMotion(linear + R @ slide, before.w + R @ turn, STILL.a, STILL.alpha)
        rate = S @ a + link.velocity_product(q, v)
        w, shift, W = R @ turn, R @ slide, skew(before.w)
        carried = before.beyond(T_parent[:3, :3] @ relative[:3, 3])
        return T, FrameMotion(
            carried.v + shift,
            before.w + w,
            carried.a + 2.0 * (W @ shift) + R @ (rate[:3] + skew(turn) @ slide),
            before.alpha + W @ w + R @ rate[3:],
        )

    per_joint = (model.coordinates(q), model.rates(v), _given(model, a))
    return model.outward(outward, (np.eye(4), STILL), *per_joint, moving_about(model, root))


def frame_motion(
    model: Model, q: Array, v: Array, a: Array | None, way: KinematicPath, accelerations: bool = True
) -> tuple[Array, FrameMotion]:
    """Return the pose (4, 4) of the end and the motion of its origin, relative to the base and in its axes."""
    found = body_motions(model, q, v, a, way.root, accelerations)
    T, end = way.of(found, (np.eye(4), STILL), way.end)
    end, T = end.beyond(T[:3, :3] @ way.end.placement[:3, 3]), T @ way.end.placement
    if way.base is None:
        return T, end
    T_base, base = way.of(found, (np.eye(4), STILL), way.base)
    base, T_base = base.beyond(T[:3, 3] - T_base[:3, 3]), T_base @ way.base.placement
    return inverse_pose(T_base) @ T, end.seen_from(base, T_base[:3, :3])


@takes_model
def pose(
    model: Model, q: Shaped[Array, "nq"], frame: str | Sequence[str], relative_to: str = "world"
) -> Shaped[Array, "4 4"]:
    """Compute the pose of a frame, or of several.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str or sequence of str
        Name of a link or frame of `model`, or "world"; or a sequence of names.
    relative_to : str, optional
        Frame that replaces the world. Only the joints between both frames are evaluated.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Homogeneous matrix that maps frame coordinates to world coordinates, in m. For a sequence of names the shape is
        (..., frames, 4, 4).

    Raises
    ------
    UnknownNameError
        If `model` has no such frame.

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.pose(arm, [0.0, np.pi / 2], "tip").round(9) + 0.0
    array([[ 0., -1.,  0.,  1.],
           [ 1.,  0.,  0.,  1.],
           [ 0.,  0.,  1.,  0.],
           [ 0.,  0.,  0.,  1.]])
    """
    if isinstance(frame, str):
        return frame_pose(model, q, way_between(model, frame, relative_to))
    if not isinstance(frame, (list, tuple)) or not frame:
        name = getattr(frame, "name", None)  # of a body or joint
        given = f"{type(frame).__name__} {name!r}" if isinstance(name, str) else f"{frame!r:.200}"
        raise ArgumentError(f"frame is a name, or a list of one or more names; got {given}")
    return np.stack([frame_pose(model, q, way_between(model, name, relative_to)) for name in frame])


def frame_pose(model: Model, q: Array, way: KinematicPath) -> Array:
    """Return the pose (4, 4) of the end relative to the base."""
    poses = body_poses(model, q, way.root)
    T = way.of(poses, np.eye(4), way.end) @ way.end.placement
    if way.base is None:
        return T
    return inverse_pose(way.of(poses, np.eye(4), way.base) @ way.base.placement) @ T


@takes_model
def velocity(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6"]:
    """Compute the twist of a frame.

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
        Frame that replaces the world: the twist is relative to this frame and in its axes.

    Returns
    -------
    ndarray, shape (..., 6)
        Twist [v; ω] in m/s and rad/s.

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 5.1.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.velocity(arm, [0.0, 0.0], [1.0, 0.0], "tip") + 0.0
    array([0., 2., 0., 0., 0., 1.])
    """
    check_reference_frame(reference_frame)
    way = way_between(model, frame, relative_to)
    if reference_frame == "body" and way.base is None and way.end.body >= 0:  # takes no poses
        return motion_to_child(way.end.placement, body_velocities(model, q, v)[way.end.body])
    T, motion = frame_motion(model, q, v, None, way, accelerations=False)
    R, p = split_pose(T)
    if reference_frame == "body":
        return np.concatenate([R.T @ motion.v, R.T @ motion.w])
    linear = motion.v if reference_frame == "world_aligned" else motion.v - skew(motion.w) @ p
    return np.concatenate([linear, motion.w])


@takes_model
def acceleration(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6"]:
    """Compute the acceleration of a frame: the rate of :func:`velocity` in the same axes.

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
    frame : str
        Name of a frame of `model`.
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
        The result is the classical acceleration [p̈; ω̇] for "world_aligned", and the spatial acceleration otherwise.
    relative_to : str, optional
        Frame that replaces the world; it may be moving.

    Returns
    -------
    ndarray, shape (..., 6)
        Acceleration in m/s² and rad/s², without gravity.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 2.11.
    """
    return _rate(model, q, v, a, frame, reference_frame, relative_to)


def accelerations(model: Model, q: Array, v: Array, a: Array, frames: Sequence[str]) -> Array:
    """Return the world-aligned :func:`acceleration` of k frames in one array (6 k,), from one sweep."""
    found, rates = body_motions(model, q, v, a), []
    for name in frames:
        frame = model.frame(name)
        T, motion = found[frame.body] if frame.body >= 0 else (np.eye(4), STILL)
        motion = motion.beyond(T[:3, :3] @ frame.placement[:3, 3])
        rates += [motion.a, motion.alpha]
    return np.concatenate(rates)


@takes_model
def jacobian_dot_times_v(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6"]:
    """Compute J̇ v: the :func:`acceleration` of a frame at zero joint accelerations.

    It is computed by the recursion of accelerations, without the matrix J̇.

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
    ndarray, shape (..., 6)
        Acceleration in m/s² and rad/s².
    """
    return _rate(model, q, v, None, frame, reference_frame, relative_to)


def _rate(
    model: Model, q: Array, v: Array, a: Array | None, frame: str, reference_frame: ReferenceFrame, relative_to: str
) -> Array:
    check_reference_frame(reference_frame)
    way = way_between(model, frame, relative_to)
    if reference_frame == "world":
        return _spatial_rate(model, q, v, a, way)
    if reference_frame == "world_aligned":
        motion = frame_motion(model, q, v, a, way)[1]
        return np.concatenate([motion.a, motion.alpha])
    if way.root < way.end.body and model.frame(relative_to).body == way.root:  # the base is on the same branch
        return motion_to_child(way.end.placement, body_accelerations(model, q, v, a, way.root)[way.end.body][1])
    return -_spatial_rate(model, q, v, a, way_between(model, relative_to, frame))  # the base relative to the frame


def _spatial_rate(model: Model, q: Array, v: Array, a: Array | None, way: KinematicPath) -> Array:
    """Return the rate (6,) of the end's twist relative to the base, in the base's frame, by sweeps from both ends
    inward.

    For a joint with motion S v and an outward chain with twist V, in the axes after the joint, the twist is S v + V and
    its rate S a + Ṡ v + V̇ + S v × V. No poses are needed.
    """
    nothing = (np.zeros(6), np.zeros(6))

    def inward(
        link: Link, received: tuple[Array, ...], q: Array, v: Array, a: Array, to_end: float, to_base: float
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        if is_zero(to_end) and is_zero(to_base):
            return received, nothing * 2
        end, base = received[:2], received[2:]
        if is_one(to_end) or is_one(to_base):
            beyond, beyond_rate = end if is_one(to_end) else base
        else:
            beyond, beyond_rate = (to_end * x + to_base * y for x, y in zip(end, base, strict=True))
        T, S = link.transform(q), link.motion_subspace(q)
        own = S @ v
        rate = S @ a + link.velocity_product(q, v) + beyond_rate + motion_cross(own) @ beyond
        sent = motion_to_parent(T, own + beyond), motion_to_parent(T, rate)
        if is_one(to_end) or is_one(to_base):
            return received, sent + nothing if is_one(to_end) else nothing + sent
        return received, (*(to_end * x for x in sent), *(to_base * x for x in sent))

    to_end, to_base = ([1.0 if x == sign else 0.0 for x in way.signs] for sign in (1.0, -1.0))
    per_joint = (model.coordinates(q), model.rates(v), _given(model, a))
    kept, at_world = model.inward(inward, nothing * 2, *per_joint, to_end, to_base)
    end, end_rate, base, base_rate = at_world if way.root < 0 else kept[way.root]
    if way.base is None:
        return end_rate  # type: ignore[no-any-return]
    rate = end_rate - base_rate - motion_cross(base) @ (end - base)
    T = way.of(body_poses(model, q, way.root), np.eye(4), way.base) @ way.base.placement
    return motion_to_child(T, rate)
