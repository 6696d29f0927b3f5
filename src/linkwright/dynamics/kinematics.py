"""Poses, velocities and accelerations of frames, by outward recursion over the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from linkwright.errors import ArgumentError, InputError, is_choice
from linkwright.model.build.description import WORLD
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Frame, Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_one, is_zero
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose, motion_to_child, motion_to_parent, split_pose
from linkwright.spatial.vectors import motion_cross

ReferenceFrame = Literal["world_aligned", "body", "world"]
"""In what a frame's motion is expressed: at the frame's origin in world axes, there in the frame's
own axes, or at the world's origin in world axes."""

REFERENCE_FRAMES: tuple[ReferenceFrame, ...] = get_args(ReferenceFrame)


def check_reference_frame(reference_frame: str) -> None:
    """Raise :class:`InputError` for a reference frame that does not exist."""
    if not is_choice(reference_frame, REFERENCE_FRAMES):
        raise InputError(f"reference_frame is {reference_frame!r}; it may be {', '.join(map(repr, REFERENCE_FRAMES))}")


def body_poses(model: Model, q: Shaped[Array, "nq"], root: int = -1) -> list[Array]:
    """The poses (4, 4) of the bodies' (canonical) frames in the world: ⁰T_i = ⁰T_p ᵖT_i.

    With a body as ``root``, as seen from it; of the root and of what it hangs on, the identity.
    """

    def outward(link: Link, parent: Array, q: Array, moves: float) -> Array:
        if is_one(moves):
            return parent @ link.transform(q)
        return parent if is_zero(moves) else moves * (parent @ link.transform(q)) + (1.0 - moves) * parent

    return model.outward(outward, np.eye(4), model.coordinates(q), moving_about(model, root))


def moving_about(model: Model, root: int) -> list[float]:
    """For every body 1.0 if it moves where a body stays, and 0.0 of this one and of those that it hangs on."""
    still = set(model.path(root))
    return [0.0 if k in still else 1.0 for k in range(len(model.links))]


class KinematicPath(NamedTuple):
    """The joints between two frames."""

    root: int
    """the last body that both hang on, -1 for the world; what follows is seen from it"""
    end: Frame
    base: Frame | None
    """the frame that takes the place of the world, unless that keeps it"""
    signs: list[float]
    """for every body, 1.0 on the way from the root to the end, -1.0 on that to the base, else 0.0"""

    def of(self, bodies: Sequence[Any], root: Any, frame: Frame) -> Any:
        """What the body of the end or the base has, or the root."""
        return root if frame.body == self.root else bodies[frame.body]


def way_between(model: Model, frame: str, relative_to: str) -> KinematicPath:
    """The joints that move a frame as seen from another."""
    end, base = model.frame(frame), model.frame(relative_to)
    to_end, to_base = model.path(end.body), model.path(base.body)
    common = [k for k, other in zip(to_end, to_base, strict=False) if k == other]
    signs = [0.0] * len(model.links)
    for path, sign in ((to_end, 1.0), (to_base, -1.0)):
        for k in path[len(common) :]:
            signs[k] = sign
    return KinematicPath(common[-1] if common else -1, end, None if relative_to == WORLD else base, signs)


def body_velocities(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> list[Array]:
    """The twists (6,) [v; ω] of the bodies in their own (canonical) axes."""

    def outward(link: Link, parent: Array, q: Array, v: Array) -> Array:
        return motion_to_child(link.transform(q), parent) + link.motion_subspace(q) @ v

    return model.outward(outward, np.zeros(6), model.coordinates(q), model.rates(v))


def body_accelerations(model: Model, q: Array, v: Array, a: Array | None, root: int = -1) -> list[tuple[Array, Array]]:
    """The twists (6,) of the bodies in their own (canonical) axes and their rates; no ``a`` is zero.

    With a body as ``root``, as seen from it; of the root and of what it hangs on, zero.
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
    """The accelerations of every joint, zero where none are given."""
    return [np.zeros(link.motion.nv) for link in model.links] if a is None else model.rates(a)


class FrameMotion(NamedTuple):
    """How a point of a body moves, in the axes of the world."""

    v: Array
    w: Array
    a: Array
    """p̈: the classical acceleration"""
    alpha: Array

    def beyond(self, d: Array) -> FrameMotion:
        """That of the same body's point by d further."""
        W = skew(self.w)
        return FrameMotion(self.v + W @ d, self.w, self.a + (skew(self.alpha) + W @ W) @ d, self.alpha)

    def seen_from(self, base: FrameMotion, R: Array) -> FrameMotion:
        """The same as seen from a body of which the point moves as ``base``, in the body's axes R (3, 3)."""
        W, v, w = skew(base.w), self.v - base.v, self.w - base.w
        a, alpha = self.a - base.a - 2.0 * (W @ v), self.alpha - base.alpha - W @ w
        return FrameMotion(R.T @ v, R.T @ w, R.T @ a, R.T @ alpha)


STILL = FrameMotion(*(np.zeros(3) for _ in range(4)))


def body_motions(
    model: Model, q: Array, v: Array, a: Array | None = None, root: int = -1, accelerations: bool = True
) -> list[tuple[Array, FrameMotion]]:
    """The poses (4, 4) of the bodies, and the motions of their origins, as seen from ``root``.

    The joints' accelerations are zero where they are not given; without ``accelerations`` those found are zero too.
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
    """The pose (4, 4) of the end and the motion of its origin as seen from the base, in the base's axes."""
    found = body_motions(model, q, v, a, way.root, accelerations)
    T, end = way.of(found, (np.eye(4), STILL), way.end)
    end, T = end.beyond(T[:3, :3] @ way.end.placement[:3, 3]), T @ way.end.placement
    if way.base is None:
        return T, end
    T_base, base = way.of(found, (np.eye(4), STILL), way.base)
    base, T_base = base.beyond(T[:3, 3] - T_base[:3, 3]), T_base @ way.base.placement
    return inverse_pose(T_base) @ T, end.seen_from(base, T_base[:3, :3])


@takes_model
def pose(model: Model, q: Shaped[Array, "nq"], frame: str, relative_to: str = "world") -> Shaped[Array, "4 4"]:
    """The pose of a frame: the matrix (4, 4) that maps frame coordinates to the world, m.

    ``frame`` is the name of a link, of a frame, or "world"; ``relative_to`` that of one that takes the place of the
    world, and of the joints only those between the two count then.
    """
    return frame_pose(model, q, way_between(model, frame, relative_to))


@takes_model
def poses(
    model: Model, q: Shaped[Array, "nq"], frames: Sequence[str], relative_to: str = "world"
) -> Shaped[Array, "frames 4 4"]:
    """The poses (frames, 4, 4) of several frames, in the order of their names, as :func:`pose` gives each."""
    if isinstance(frames, str) or not len(frames):
        raise ArgumentError(f"poses takes the names of frames, a list of one or more; got {frames!r}")
    return np.stack([frame_pose(model, q, way_between(model, frame, relative_to)) for frame in frames])


def frame_pose(model: Model, q: Array, way: KinematicPath) -> Array:
    """The pose (4, 4) of the end as seen from the base."""
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
    """The twist (6,) [v; ω] of a frame, m/s and rad/s.

    ``reference_frame``: "world_aligned" (of the frame's origin, in world axes), "body" (in the frame's
    axes) or "world" (of the point at the world's origin). The frame that ``relative_to`` names takes the place of the
    world in all of this: the twist is as seen from there.
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
    """The rate (6,) of :func:`velocity` in the same axes, m/s² and rad/s²; gravity is not in it.

    "world_aligned" is the classical acceleration [p̈; ω̇]; "body" and "world" are the spatial one
    (`equations.md` §3). All is as seen from ``relative_to``, however that moves.
    """
    return _rate(model, q, v, a, frame, reference_frame, relative_to)


def accelerations(model: Model, q: Array, v: Array, a: Array, frames: Sequence[str]) -> Array:
    """(6 k,): the :func:`acceleration` of k frames, one after the other, world-aligned, by one sweep."""
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
    """J̇ v (6,): the :func:`acceleration` of a frame while the joints have none, m/s² and rad/s².

    By the recursion of accelerations, without the matrix.
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
    if way.root < way.end.body and model.frame(relative_to).body == way.root:  # which is the base of one branch
        return motion_to_child(way.end.placement, body_accelerations(model, q, v, a, way.root)[way.end.body][1])
    return -_spatial_rate(model, q, v, a, way_between(model, relative_to, frame))  # the base, as seen from the frame


def _spatial_rate(model: Model, q: Array, v: Array, a: Array | None, way: KinematicPath) -> Array:
    """The rate (6,) of the end's twist as seen from the base, in the base's frame: by sweeps from both of them inwards.

    Of a chain that moves by S v before one that moves by V, in the axes behind its first joint: the twist S v + V, its
    rate S a + Ṡ v + V̇ + S v × V. No poses are needed.
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
