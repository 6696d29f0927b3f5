"""What impulses act on: rows J of relative velocities u = J v, and what the impulses p along them may be.

A contact has a row along its normal and, as far as friction acts, two along the surface, one about the normal, and two
about axes in the surface. A stop keeps a velocity within bounds, as a joint's limit does; a brake resists one with a
bounded impulse, as dry friction does. Rows that move the same bodies are a group, which is left out where nothing of it
is near.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes import Candidate, candidates, contact_frame
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.model.pair import Pair
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, is_zero, maximum
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose

REACH = 1e-2
"""m: contacts wider open, and not closed within two steps of their present speed, have no impulses."""

MANY = 8
"""Groups from which it is asked whether anything of them is near, before their rows are made."""


@dataclass(frozen=True, eq=False)
class Friction:
    """Some of a contact's rows on which |p| ≤ reach · p_n, p_n being the normal impulse."""

    rows: tuple[int, ...]
    reach: Any
    """the coefficient of friction, or m where the rows are turns"""


@dataclass(frozen=True, eq=False)
class Touch:
    """A point at which two shapes touch, or soon may: 0 ≤ p_n along its first row, and the rows of friction."""

    gap: Any
    """m, less than zero where they overlap"""
    frictions: tuple[Friction, ...]
    pair: Pair

    @property
    def size(self) -> int:
        """How many rows there are."""
        return 1 + sum(len(one.rows) for one in self.frictions)


@dataclass(frozen=True, eq=False)
class Stop:
    """A coordinate that stays within limits: no impulse where u keeps it there."""

    below: Any
    """how far it may go down, ≤ 0 within the limits; −inf without one"""
    above: Any
    """how far up"""
    size = 1


@dataclass(frozen=True, eq=False)
class Brake:
    """A velocity that is resisted by an effort of at most ``effort``: dry friction."""

    effort: Any
    """N or N m"""
    size = 1


Part = Touch | Stop | Brake


@dataclass(frozen=True, eq=False)
class Group:
    """Rows on the same coordinates."""

    parts: tuple[Part, ...]
    support: tuple[int, ...]
    """the velocity coordinates that move them, and all that these hang on"""
    jacobian: Callable[[], Array]
    """gives J (k, s) on these coordinates"""
    near: Any = None
    """whether any of it may act in this step; None where it is not asked"""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(part.size for part in self.parts)


def touches(model: Model, q: Array, v: Array, h: Any) -> list[Group]:
    """The contacts of all pairs of the model, in their order: as many at every configuration."""
    if not model.pairs:
        return []
    poses = body_poses(model, q)
    asked = len(model.pairs) >= MANY
    moves = _Moves(model, poses, q, body_velocities(model, q, v) if asked else None)
    return [_of_pair(model, pair, poses, moves, h if asked else None) for pair in model.pairs]


def candidates_of(model: Model, pair: Pair, poses: Sequence[Array]) -> list[Candidate]:
    """The points at which a pair may touch, from the bodies' poses (4, 4)."""
    ends = []
    for number in (pair.first, pair.second):
        shape = model.shapes[number]
        frame = model.frame(shape.body)
        on_body = frame.placement @ shape.placement
        ends += [shape, on_body if frame.body < 0 else poses[frame.body] @ on_body]
    return candidates(*ends)


def _of_pair(model: Model, pair: Pair, poses: Sequence[Array], moves: _Moves, h: Any) -> Group:
    first, second = (model.frame(model.shapes[number].body).body for number in (pair.first, pair.second))
    points = candidates_of(model, pair, poses)
    frictions, at = [], 1
    for reach, count in ((pair.friction, 2), (pair.torsional_friction, 1), (pair.rolling_friction, 2)):
        if not is_zero(reach):
            frictions.append(Friction(tuple(range(at, at + count)), reach))
            at += count
    parts = tuple(Touch(gap - pair.margin, tuple(frictions), pair) for gap, _, _ in points)
    support = _support(model, [first, second])

    def jacobian() -> Array:
        rows = []
        for _, point, normal in points:
            linear, turning = moves.at(first, second, point, support)
            t1, t2 = contact_frame(normal)
            rows.append(normal @ linear)
            rows += [t1 @ linear, t2 @ linear] if not is_zero(pair.friction) else []
            rows += [normal @ turning] if not is_zero(pair.torsional_friction) else []
            rows += [t1 @ turning, t2 @ turning] if not is_zero(pair.rolling_friction) else []
        return np.stack(rows)

    if h is None:
        return Group(parts, support, jacobian)
    near: Any = False
    for part, (_, point, normal) in zip(parts, points, strict=True):
        closing = maximum(-(normal @ moves.velocity(first, second, point)), 0.0)
        near = (part.gap < REACH + 2.0 * h * closing) | near
    return Group(parts, support, jacobian, near)


def dense_jacobian(groups: Sequence[Group], nv: int) -> Array:
    """J (m, nv) of all rows, whether near or not."""
    rows = []
    for group in groups:
        columns = dict(zip(group.support, group.jacobian().T, strict=True))
        rows.append(np.stack([columns.get(k, np.zeros(group.size)) for k in range(nv)], axis=1))
    return np.concatenate([np.zeros((0, nv)), *rows])


class _Moves:
    """How points of bodies move: their Jacobians, each body's joints looked at once."""

    def __init__(self, model: Model, poses: Sequence[Array], q: Array, twists: Sequence[Array] | None):
        def axes(link: Link, T: Array, q: Array) -> tuple[Array, Array, Array]:
            R, p = split_pose(T)
            S = link.motion_subspace(q)
            return R @ S[:3], R @ S[3:], p

        self._model, self._poses, self._twists = model, poses, twists
        self._joints = model.each(axes, poses, model.coordinates(q))

    def at(self, first: int, second: int, point: Array, support: tuple[int, ...]) -> tuple[Array, Array]:
        """How a point (3,) of the first body moves as seen from the second, (3, s), and how that body turns."""
        model = self._model
        of_first, of_second = set(model.path(first)), set(model.path(second))
        linear, turning = [], []
        for k, link in enumerate(model.links):
            sign = float(k in of_first) - float(k in of_second)
            v, w, p = self._joints[k]
            if sign:
                linear.append(sign * (v - skew(point - p) @ w))
                turning.append(sign * w)
            else:
                linear.append(np.zeros((3, link.motion.nv)))
                turning.append(np.zeros((3, link.motion.nv)))
        places = list(support)
        return model.assemble(linear, (3,))[:, places], model.assemble(turning, (3,))[:, places]

    def velocity(self, first: int, second: int, point: Array) -> Array:
        """The velocity (3,) of a point of the first body as seen from the second, in world axes."""
        assert self._twists is not None
        found = np.zeros(3)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body >= 0:
                (R, p), V = split_pose(self._poses[body]), self._twists[body]
                found = found + sign * (R @ V[:3] - skew(point - p) @ (R @ V[3:]))
        return found


def _support(model: Model, bodies: Sequence[int]) -> tuple[int, ...]:
    """The velocity coordinates that move some bodies, followers' leaders among them; of loops all may be."""
    if model.loops or model.has_couplings:
        return tuple(range(model.nv))
    moving = {k for body in bodies for k in model.path(body)}
    places = [model.slice(model.joints[k].name).v for k in sorted(moving)]
    return tuple(i for place in places for i in range(place.start, place.stop))


def stops(model: Model, q: Array, v: Array, h: Any) -> list[Group]:
    """The limits of all joints that have some, coordinate by coordinate; those of balls have none."""
    x, found = model.coordinates(q), []
    rates = model.rates(v)
    for k, joint in enumerate(model.joints):
        for at_q, at_v in joint.motion.plain:
            low, high = joint.lower[at_q], joint.upper[at_q]
            if np.isfinite(low) or np.isfinite(high):
                here, speed = x[k][at_q], rates[k][at_v]
                part = Stop(low - here, high - here)
                near: Any = False
                if np.isfinite(low):
                    near = (part.below > -(REACH + 2.0 * h * maximum(-speed, 0.0))) | near
                if np.isfinite(high):
                    near = (part.above < REACH + 2.0 * h * maximum(speed, 0.0)) | near
                found.append(_of_coordinate(model, part, k, at_v, near))
    return found if len(found) >= MANY else [_always(group) for group in found]


def _always(group: Group) -> Group:
    return Group(group.parts, group.support, group.jacobian)


def limited(model: Model) -> bool:
    """Whether a joint has limits."""
    return any(
        np.isfinite(joint.lower[k]) or np.isfinite(joint.upper[k])
        for joint in model.joints
        for k, _ in joint.motion.plain
    )


def brakes(model: Model) -> list[Group]:
    """The joints' dry friction, coordinate by coordinate."""
    return [
        _of_coordinate(model, Brake(effort), k, i)
        for k, joint in enumerate(model.joints)
        for i, effort in enumerate(joint.friction)
        if not is_zero(effort)
    ]


def _of_coordinate(model: Model, part: Part, joint: int, coordinate: int, near: Any = None) -> Group:
    """The row of a coordinate's rate; of one that follows, by its leader's."""
    pieces = [np.zeros((1, link.motion.nv)) for link in model.links]
    pieces[joint] = np.eye(model.links[joint].motion.nv)[coordinate : coordinate + 1]
    support = _support(model, [joint])
    J = model.assemble(pieces, (1,))[:, list(support)]
    return Group((part,), support, lambda: J, near)
