"""Long chains as blocks of equal length: every block's recursion runs beside the others', then they are joined.

A segment is a run of bodies, each hanging on the one before, with two handles: the body that it hangs on, of
acceleration a, and its last body, on which what comes after exerts f. Its articulated-body recursion carries
the answer to f along (`block.py`, the form "articulated"):

    force on the first joint, seen from the handle:  I a + p + F f,
    acceleration of the last body:                  −Fᵀa + β + Φ f.

Φ is the compliance of the last handle, F what a force there becomes at the first. Nothing in a segment waits
for another but the velocities before it (:func:`twists_before`) and the boundary values after it
(:func:`joined_inwards`, :func:`parted`), a few small systems for each segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.model.tree import Link, Model, motion_subspace, transform
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import congruence
from linkwright.spatial.linalg import semidefinite_root, solve_symmetric
from linkwright.spatial.transform import force_to_parent, motion_to_child
from linkwright.spatial.vectors import force_cross, motion_cross


class Course(NamedTuple):
    """Where a segment's bodies are, and how fast, relative to what it hangs on."""

    pose: Array
    """(4, 4)"""
    twist: Array
    """(6,) in the body's axes"""


class Response(NamedTuple):
    """How a segment, from some body on, answers at its handles."""

    inertia: Array
    """I (6, 6), symmetric"""
    bias: Array
    """p (6,)"""
    carried: Array
    """F (6, 6)"""
    compliance: Array
    """Φ (6, 6), symmetric"""
    drift: Array
    """β (6,)"""


class Boundary(NamedTuple):
    """What an outward pass starts from."""

    acceleration: Array
    """a (6,) of the body before"""
    force: Array
    """f (6,) on the segment's last body"""


class SegmentMemory(NamedTuple):
    """What a body keeps for the outward pass."""

    bias: Array
    """c (6,)"""
    D: Array
    u: Array
    K: Array
    W: Array
    """SᵀF (nv, 6): the effort of a unit force on the last body"""


LAST = Response(np.zeros((6, 6)), np.zeros(6), -np.eye(6), np.zeros((6, 6)), np.zeros(6))
"""Of the last body by itself, before its own inertia."""


def course_step(link: Link, before: Course, T: Array, S: Array, v: Array) -> Course:
    """A step outwards: pose and twist relative to what the segment hangs on."""
    return Course(before.pose @ T, motion_to_child(T, before.twist) + S @ v)


def twist_step(link: Link, before: Array, T: Array, S: Array, v: Array) -> Array:
    """A step outwards: the twist (6,)."""
    return motion_to_child(T, before) + S @ v


def response_step(
    link: Link, beyond: Response, T: Array, S: Array, q: Array, v: Array, tau: Array, V: Array
) -> tuple[SegmentMemory, Response]:
    """A step inwards: Featherstone (2008), table 7.1, with the columns F carried along."""
    c = link.velocity_product(q, v) + motion_cross(V) @ (S @ v)
    I = link.rigid_inertia.matrix() + beyond.inertia
    p = force_cross(V) @ link.rigid_inertia.times(V) + beyond.bias
    U = I @ S
    D = S.T @ U + np.diag(link.armature)
    u = tau - S.T @ p
    W = S.T @ beyond.carried
    K, E = solve_symmetric(D, U.T), solve_symmetric(D, W)
    I_a = I - U @ K
    F_a = beyond.carried - K.T @ W
    return SegmentMemory(c, D, u, K, W), Response(
        congruence(I_a, T),
        force_to_parent(T, p + I_a @ c + K.T @ u),
        force_to_parent(T, F_a),
        mirror(beyond.compliance + W.T @ E),
        beyond.drift - E.T @ u - F_a.T @ c,
    )


def acceleration_step(
    link: Link, before: tuple[Boundary, Array], T: Array, S: Array, kept: SegmentMemory
) -> tuple[Boundary, Array]:
    """A step outwards: the acceleration of the body, and of its joint (nv,)."""
    (a, f), (c, D, u, K, W) = before[0], kept
    a = motion_to_child(T, a) + c
    a_joint = solve_symmetric(D, u - W @ f) - K @ a
    return Boundary(a + S @ a_joint, f), a_joint


def twists_before(first: Array, courses: Sequence[Course]) -> list[Array]:
    """The twist (6,) of the body that each segment hangs on, the first one's given."""
    twists = [first]
    for course in courses[:-1]:
        twists.append(motion_to_child(course.pose, twists[-1]) + course.twist)
    return twists


class SegmentJoint(NamedTuple):
    """How the force on a segment's last body follows from the acceleration it hangs on: f = G a + g."""

    G: Array
    g: Array


def joined_inwards(responses: Sequence[Response]) -> tuple[Array, Array, list[SegmentJoint]]:
    """Inertia and bias (I, p) of everything at the first handle, and what tells each segment's force.

    Where what comes after a segment answers by I_n a + p_n, f = −(I_n a_last + p_n) and a_last = −Fᵀa + β + Φ f give
    f = H (Fᵀa − β + Φ p_n) − p_n with H = (1 + I_n Φ)⁻¹ I_n; of I_n = N Nᵀ, H = N (1 + NᵀΦ N)⁻¹ Nᵀ, symmetric.
    """
    I, p = np.zeros((6, 6)), np.zeros(6)
    joints: list[SegmentJoint] = []
    for number, one in enumerate(reversed(responses)):
        if number == 0:
            I, p = one.inertia, one.bias
            joints.append(SegmentJoint(np.zeros((6, 6)), np.zeros(6)))
            continue
        N = semidefinite_root(I)
        H = mirror(N @ solve_symmetric(np.eye(6) + mirror(N.T @ one.compliance @ N), N.T))
        g = -(H @ (one.drift - one.compliance @ p)) - p
        G = H @ one.carried.T
        joints.append(SegmentJoint(G, g))
        I, p = mirror(one.inertia + one.carried @ G), one.bias + one.carried @ g
    return I, p, joints[::-1]


def parted(first: Array, responses: Sequence[Response], joints: Sequence[SegmentJoint]) -> list[Boundary]:
    """What each segment's outward pass starts from, given the acceleration (6,) of what the first hangs on."""
    boundaries, a = [], first
    for one, joint in zip(responses, joints, strict=True):
        f = joint.G @ a + joint.g
        boundaries.append(Boundary(a, f))
        a = one.compliance @ f + one.drift - one.carried.T @ a
    return boundaries


def by_segments(model: Model, q: Array, v: Array, tau: Array, segments: int) -> Array:
    """Forward dynamics of an unbranched chain in so many segments: v̇ (nv,)."""
    x, rates, efforts = model.coordinates(q), model.rates(v), model.rates(tau)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    runs = [list(run) for run in np.array_split(np.arange(len(model.links)), segments)]
    courses = []
    for run in runs:
        course = Course(np.eye(4), np.zeros(6))
        for k in run:
            course = course_step(model.links[k], course, T[k], S[k], rates[k])
        courses.append(course)
    kept: dict[int, SegmentMemory] = {}
    responses = []
    for run, V in zip(runs, twists_before(np.zeros(6), courses), strict=True):
        twists: dict[int, Array] = {}
        for k in run:
            V = twists[k] = twist_step(model.links[k], V, T[k], S[k], rates[k])
        response = LAST
        for k in reversed(run):
            kept[k], response = response_step(
                model.links[k], response, T[k], S[k], x[k], rates[k], efforts[k], twists[k]
            )
        responses.append(response)
    *_, joints = joined_inwards(responses)
    ground = np.concatenate([-model.gravity, np.zeros(3)])
    accelerations = []
    for run, boundary in zip(runs, parted(ground, responses, joints), strict=True):
        state = boundary, np.zeros(0)
        for k in run:
            state = acceleration_step(model.links[k], state, T[k], S[k], kept[k])
            accelerations.append(state[1])
    return model.assemble(accelerations)
