"""Poses, velocities and accelerations of frames, by outward recursion over the tree."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from linkwright.errors import InputError
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import motion_to_child, motion_transform, split_pose
from linkwright.spatial.vectors import motion_cross

Reference = Literal["world_aligned", "body", "world"]
"""In what a frame's motion is expressed: at the frame's origin in world axes, there in the frame's
own axes, or at the world's origin in world axes."""

REFERENCES: tuple[Reference, ...] = get_args(Reference)


def check_reference(reference: str) -> None:
    """Raise :class:`InputError` for a reference that does not exist."""
    if reference not in REFERENCES:
        raise InputError(f"reference is {reference!r}; it may be {', '.join(map(repr, REFERENCES))}")


def body_poses(model: Model, q: Shaped[Array, "nq"]) -> list[Array]:
    """The poses (4, 4) of the bodies' (canonical) frames in the world: ⁰T_i = ⁰T_p ᵖT_i."""

    def outward(link: Link, parent: Array, q: Array) -> Array:
        return parent @ link.transform(q)

    return model.outward(outward, np.eye(4), model.coordinates(q))


def body_velocities(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> list[Array]:
    """The twists (6,) [v; ω] of the bodies in their own (canonical) axes."""

    def outward(link: Link, parent: Array, q: Array, v: Array) -> Array:
        return motion_to_child(link.transform(q), parent) + link.motion_subspace(q) @ v

    return model.outward(outward, np.zeros(6), model.coordinates(q), model.rates(v))


def pose(model: Model, q: Shaped[Array, "nq"], frame: str) -> Shaped[Array, "4 4"]:
    """The pose of a frame: the matrix (4, 4) that maps frame coordinates to the world, m.

    ``frame`` is the name of a link, of a frame, or "world".
    """
    place = model.frame(frame)
    if place.body < 0:
        return place.placement
    return body_poses(model, q)[place.body] @ place.placement


def velocity(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    frame: str,
    reference: Reference = "world_aligned",
) -> Shaped[Array, "6"]:
    """The twist (6,) [v; ω] of a frame, m/s and rad/s.

    ``reference``: "world_aligned" (of the frame's origin, in world axes), "body" (in the frame's
    axes) or "world" (of the point at the world's origin).
    """
    check_reference(reference)
    place = model.frame(frame)
    if place.body < 0:
        return np.zeros(6)
    twist = motion_to_child(place.placement, body_velocities(model, q, v)[place.body])
    if reference == "body":
        return twist
    T = pose(model, q, frame)
    if reference == "world":
        return motion_transform(T) @ twist
    R, _ = split_pose(T)
    return np.concatenate([R @ twist[:3], R @ twist[3:]])


def acceleration(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    frame: str,
    reference: Reference = "world_aligned",
) -> Shaped[Array, "6"]:
    """The rate (6,) of :func:`velocity` in the same reference, m/s² and rad/s²; gravity is not in it.

    "world_aligned" is the classical acceleration [p̈; ω̇]; "body" and "world" are the spatial one
    (`equations.md` §3).
    """
    check_reference(reference)
    place = model.frame(frame)
    if place.body < 0:
        return np.zeros(6)

    def outward(link: Link, parent: tuple[Array, Array], q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        parent_twist, parent_rate = parent
        T, S = link.transform(q), link.motion_subspace(q)
        twist = motion_to_child(T, parent_twist) + S @ v
        rate = motion_to_child(T, parent_rate) + S @ a + link.velocity_product(q, v) + motion_cross(twist) @ (S @ v)
        return twist, rate

    coordinates = (model.coordinates(q), model.rates(v), model.rates(a))
    twist, rate = model.outward(outward, (np.zeros(6), np.zeros(6)), *coordinates)[place.body]
    twist, rate = motion_to_child(place.placement, twist), motion_to_child(place.placement, rate)
    if reference == "body":
        return rate
    T = pose(model, q, frame)
    if reference == "world":
        return motion_transform(T) @ rate
    R, _ = split_pose(T)
    classical = rate[:3] + skew(twist[3:]) @ twist[:3]
    return np.concatenate([R @ classical, R @ rate[3:]])
