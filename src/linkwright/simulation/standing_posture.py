"""Postures of mechanisms on the ground, and springs that hold them in contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import difference, integrate, jacobian, mass_matrix, pose
from linkwright.dynamics.configuration import check
from linkwright.dynamics.contact.points import contact_points, points_of_pair
from linkwright.dynamics.contact.shapes.candidate import FAR
from linkwright.dynamics.forces.actuation import with_motors
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import ModelError
from linkwright.model.memo import derived
from linkwright.model.parts.pair import Pair
from linkwright.model.requirement import takes_model
from linkwright.model.transformations.contact_pairs import ground_of
from linkwright.model.tree import Model, floating_bases
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.rotation import skew

STEPS = 30
"""Largest number of Newton iterations; level ground needs one."""

CLOSE = 1e-12
"""m: tolerance of the height"""

AS_LOW = 5e-3
"""m: bodies up to this height above the lowest are on the ground."""

LEVEL, SOON = 1e-3, 0.1
"""m: feet above the first height are not on the ground; feet below the second could soon be"""


@takes_model
def standing_configuration(model: Model, q: ArrayLike) -> Array:
    """Move the base vertically until the lowest contact shape touches the ground.

    All free joints move by the same distance in the world; other joints and the orientation of the base do not change,
    so that uneven feet touch with the lowest one alone: rotate the base first. The ground is the shape of the world in
    the model's pairs; without such a pair it is the plane at height 0, touched by every shape that has pairs.

    Parameters
    ----------
    model : Model
        Mechanism with a free joint.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration on the ground.

    Raises
    ------
    ModelError
        If no joint is free, no shape has pairs, or no ground is below.

    Examples
    --------
    >>> import linkwright as lw
    >>> robot = lw.load("quadruped").with_ground()
    >>> q = lw.standing_configuration(robot, robot.neutral())
    >>> round(float(q[2]), 3)
    0.424
    """
    q = as_numbers("q", q)
    check(model, q)
    floating = _floating(model)
    if not floating:
        raise ModelError(
            f"{model.name!r} cannot be put on the ground: no joint of it is free; load it with root='free'"
        )
    grounded = model if _grounding(model) else _on_level_ground(model)
    q = q.copy()
    kernel = _ground_contact(grounded)
    for _ in range(STEPS):
        up, gaps, _ = kernel(q)
        there = (up > 1e-3) & (gaps < 0.5 * FAR)
        away = np.where(there, gaps / np.where(there, up, 1.0), np.inf).min(axis=-1)
        if not np.isfinite(away).all():
            raise ModelError(
                f"no ground is beneath {model.name!r}, or none that its shapes have points of contact with"
            )
        for at, upwards in floating:
            q[..., at : at + 3] -= away[..., None] * upwards
        if (np.abs(away) < CLOSE).all():
            break
    return q


def above_ground(model: Model, q: Array) -> dict[str, float]:
    """Return the height (m) above the ground of end links that could soon stand on it, by body."""
    parents = {link.parent for link in model.links}
    heights = {body: float(gaps.min()) for body, (gaps, _) in _points_of_bodies(model, q).items()}
    return {model.bodies[k].name: x for k, x in heights.items() if k not in parents and LEVEL < x < SOON}


def feet_on_ground(model: Model, q: Array) -> dict[int, Array]:
    """Return the contact points (k, 3) of each foot in the world; feet are outermost bodies as low as the lowest."""
    found = _points_of_bodies(model, q)
    low = min((float(gaps.min()) for gaps, _ in found.values()), default=0.0) + AS_LOW
    points = {body: x[gaps < low] for body, (gaps, x) in found.items() if gaps.min() < low}
    inner = {body for outer in points for body in model.path(outer) if body != outer}
    return {body: x for body, x in points.items() if body not in inner}


def _points_of_bodies(model: Model, q: Array) -> dict[int, tuple[Array, Array]]:
    """Return the heights (k,) above the ground, m, and the positions (k, 3) of the contact points of each body."""
    pairs = _grounding(model)
    if not pairs:
        return {}
    _, gaps, points = _ground_contact(model)(q)
    bodies = np.repeat(
        [max(model.frame(model.shapes[place].body).body for place in (pair.first, pair.second)) for pair in pairs],
        [points_of_pair(model, pair) for pair in pairs],
    )
    return {body: (gaps[bodies == body], points[bodies == body]) for body in dict.fromkeys(bodies.tolist())}


def _floating(model: Model) -> list[tuple[int, Array]]:
    """Return the first coordinate of each free joint on the world, and its upward direction."""
    bases = floating_bases(model)
    return [(model.slice(model.joints[k].name).q.start, model.links[k].placement[2, :3]) for k in bases]


def _on_level_ground(model: Model) -> Model:
    if (ground := ground_of(model, np.array([0.0, 0.0, 1.0]))) is not None:
        raise ModelError(
            f"{model.name!r} cannot be put on its ground, {ground.called}: no shape of it is paired with it. "
            "with_contact(itself=False) finds the pairs; a mesh without its file has no contact points"
        )
    return replace(model, pairs=()).with_ground()


def _grounding(model: Model) -> list[Pair]:
    """Return the pairs with a shape of the world."""
    still = [model.frame(shape.body).body < 0 for shape in model.shapes]
    return [pair for pair in model.pairs if still[pair.first] != still[pair.second]]


def _ground_contact(model: Model) -> Callable[..., Any]:
    """Return the kernel (q) -> vertical rate of each contact point with the ground, its gap, and its position."""
    return derived(model, _ground_contact, make=lambda: _ground_contact_kernel(model))  # type: ignore[no-any-return]


def _ground_contact_kernel(model: Model) -> Callable[..., Any]:
    pairs = tuple(_grounding(model))
    sides = [1.0 if model.frame(model.shapes[pair.first].body).body >= 0 else -1.0 for pair in pairs]
    of_point = [s for s, pair in zip(sides, pairs, strict=True) for _ in range(points_of_pair(model, pair))]

    def found(model: Model, q: Array) -> tuple[Array, Array, Array]:
        poses = body_poses(model, q)
        points = [point for own in contact_points(replace(model, pairs=pairs), poses) for point in own]
        up = np.stack([side * point.normal[2] for side, point in zip(of_point, points, strict=True)])
        return up, np.stack([point.gap for point in points]), np.stack([point.point for point in points])

    return compile_or_not(found, model)


@dataclass(frozen=True, eq=False)
class Held:
    """Mechanism with joints held by springs and dampers: its own dampers, and the springs of ``controller``."""

    model: Model
    controller: Callable[..., Array]
    """(model, t, q, v) -> efforts (nv,), for ``simulate``"""
    stiffness: Array
    """(nv,), N m/rad or N/m"""


def held(
    model: Model, posture: Any, frequency: float = 1.8, damping_ratio: float = 0.7, bend: Any = None, every: float = 4.0
) -> Held:
    """Hold the joints at a posture (nq,) by springs and dampers that are stable in contact.

    A joint of a limb on the ground moves the rest of the mechanism; so each spring gives the inertia that it moves the
    frequency ``frequency`` (Hz), with ``damping_ratio``. Dampers are implicit in the step, and hold light links
    steadily too. ``bend`` (nv,): amplitude of a periodic motion of the posture.
    """
    k = stiffnesses(model, posture, frequency)
    damping = (2.0 * damping_ratio / (2.0 * np.pi * frequency)) * k
    joints, at = [], 0
    for joint in model.joints:
        own = damping[at : at + joint.nv]
        joints.append(replace(joint, damping=np.asarray(joint.damping) + own) if joint.nv else joint)
        at += joint.nv
    law = partial(towards, posture=as_numbers("posture", posture), gain=k)
    if bend is not None:
        law = partial(bending, posture=as_numbers("posture", posture), gain=k, bend=bend, rate=2.0 * np.pi / every)
    return Held(replace(model, joints=tuple(joints)), law, k)


def towards(model: Model, t: Any, q: Array, v: Array, posture: Array, gain: Array) -> Array:
    """Return the efforts (nv,) of springs to a posture."""
    return gain * difference(model, q, posture)


def bending(model: Model, t: Any, q: Array, v: Array, posture: Array, gain: Array, bend: Array, rate: Any) -> Array:
    """Return the efforts (nv,) of springs to a moving posture."""
    return gain * difference(model, q, integrate(model, posture, (0.5 - 0.5 * np.cos(rate * t)) * bend))


def stiffnesses(model: Model, posture: Any, frequency: float) -> Array:
    """Return the stiffness (nv,) that gives the inertia moved by each coordinate a ``frequency``, Hz; 0 for free
    joints.

    The inertia is that of the links beyond the joint. For joints between a floating base and the ground it is that of
    the rest, divided by the number of limbs on the ground.
    """
    q = as_numbers("posture", posture)
    M = mass_matrix(model, q)
    w = 2.0 * np.pi * frequency
    moved = np.zeros(model.nv)
    moved[with_motors(model)] = np.diag(M)[with_motors(model)]
    floating = floating_bases(model)
    feet = feet_on_ground(model, q)
    for base in floating:
        limbs = [body for body in feet if base in model.path(body) and body != base]
        at = model.slice(model.joints[base].name)[1]
        R = pose(model, q, model.joints[base].child)
        of_base = jacobian_frames(R, R) @ jacobian(model, q, model.joints[base].child)[:, at]
        own = np.linalg.inv(of_base).T @ M[at, at] @ np.linalg.inv(of_base)  # for twists of the base, in its axes
        for k in {k for body in limbs for k in model.path(body) if k != base}:
            place = model.slice(model.joints[k].name)[1]
            if not model.joints[k].nv:
                continue
            J = jacobian(model, q, model.joints[k].child)[:, place]
            arm = jacobian_frames(R, pose(model, q, model.joints[k].child))
            S = arm @ J  # the axes as twists of the base
            inertia = np.einsum("ij,ik,kj->j", S, own, S) - np.diag(M)[place]
            moved[place] = np.maximum(moved[place], inertia / len(limbs))
    return w * w * moved


def jacobian_frames(base: Array, body: Array) -> Array:
    """Return the map (6, 6) from a twist at a body's frame, in world axes, to a twist of the base, in its axes."""
    R, r = base[:3, :3], base[:3, 3] - body[:3, 3]
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R.T
    X[:3, 3:] = -R.T @ skew(r)
    return X
