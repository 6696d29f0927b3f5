"""What impulses act on: rows J of relative velocities u = J v, and what the impulses p along them may be.

A contact has a row along its normal and, as far as friction acts, two along the surface, one about the normal, and two
about axes in the surface. A stop keeps a velocity within bounds, as a joint's limit does; a brake resists one with a
bounded impulse, as dry friction does. Rows that move the same bodies are a group, which is left out where nothing of it
is near.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.points import points_between
from linkwright.dynamics.contact.shapes import Candidate, contact_frame
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.model.pair import Pair
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, is_zero, largest, maximum, where
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose

if TYPE_CHECKING:
    from linkwright.dynamics.impulses.system import Inertia

REACH = 1e-2
"""m: contacts wider open, and not closed within two steps of their present speed, have no impulses."""

FASTER = 4.0
"""Times the greatest speed of a joint that a light joint, struck by others, may get within a step; limits that are
passed all the same are kept by a shift, and by impulses from the next step on"""

FOLLOWED = frozenset({"plane", "height_field", "sphere"})
"""Kinds of shapes whose points of contact, with any other, stay the same ones as bodies move a little"""

MANY = 8
"""Groups from which it is asked whether anything of them is near, before their rows are made."""


@dataclass(frozen=True, eq=False)
class Friction:
    """Some of a contact's rows on which |p| ≤ reach · p_n, p_n being the normal impulse."""

    rows: tuple[int, ...]
    reach: Any
    """the coefficient of friction, or m where the rows are turns"""


class Direction(NamedTuple):
    """A row of a contact's friction."""

    name: str
    turns: bool
    """whether it is of turning about an axis, or of moving along it"""
    axis: int
    """0: the normal; 1, 2: those in the surface"""


SLIDING = (Direction("friction 1", False, 1), Direction("friction 2", False, 2))
SPINNING = (Direction("torsion", True, 0),)
ROLLING = (Direction("rolling 1", True, 1), Direction("rolling 2", True, 2))


def friction_rows(pair: Pair) -> list[tuple[Any, tuple[Direction, ...]]]:
    """The rows beside the normal one, in their order: how far friction reaches, and those on which it does together."""
    found = ((pair.friction, SLIDING), (pair.torsional_friction, SPINNING), (pair.rolling_friction, ROLLING))
    return [(reach, rows) for reach, rows in found if not is_zero(reach)]


@dataclass(frozen=True, eq=False)
class Touch:
    """A point at which two shapes touch, or soon may: 0 ≤ p_n along its first row, and the rows of friction."""

    gap: Any
    """m, less than zero where they overlap"""
    frictions: tuple[Friction, ...]
    pair: Pair
    speed: Any = None
    """m/s: its normal velocity at the beginning of the step, where it is known: of pairs that bounce it is"""
    rest_velocity: Any = None
    """m/s: what comes more slowly does not bounce; None: as the solver says"""

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


@dataclass(frozen=True, eq=False)
class Servo:
    """A velocity u that is driven by an effort ``pull`` − ``slope`` · u, of at most ``most``, u that after the step."""

    pull: Any
    """N or N m; None: the effort is what it is"""
    slope: Any
    """N s/m or N m s/rad"""
    most: Any
    size = 1


Part = Touch | Stop | Brake | Servo


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where one body meets what rests."""

    moves: Moves
    body: int
    sign: float
    """1 of the first shape's body, −1 of the second's"""
    points: tuple[Array, ...]
    """(3,) of each part"""
    normals: tuple[Array, ...]
    rows: tuple[Direction, ...]
    """beside the normal one"""


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
    meeting: Meeting | None = None
    """of a contact with what rests, where that is"""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(part.size for part in self.parts)

    @property
    def places(self) -> list[list[int]]:
        """Where the rows of each part are among them."""
        ends = np.cumsum([0, *(part.size for part in self.parts)]).tolist()
        return [list(range(*two)) for two in pairwise(ends)]


def touches(model: Model, q: Array, v: Array, h: Any) -> list[Group]:
    """The contacts of all pairs of the model, in their order: as many at every configuration."""
    if not model.pairs:
        return []
    poses = body_poses(model, q)
    asked = len(model.pairs) >= MANY
    moving = asked or any(bouncing(pair) for pair in model.pairs)
    moves = Moves(model, poses, q, body_velocities(model, q, v) if moving else None)
    return [_of_pair(model, pair, poses, moves, h if asked else None) for pair in model.pairs]


def _of_pair(model: Model, pair: Pair, poses: Sequence[Array], moves: Moves, h: Any) -> Group:
    first, second = _bodies(model, pair)
    points = points_between(model, pair, poses)
    frictions, at = [], 1
    for reach, rows in friction_rows(pair):
        frictions.append(Friction(tuple(range(at, at + len(rows))), reach))
        at += len(rows)
    speeds = [None] * len(points)
    if h is not None or bouncing(pair):
        speeds = [normal @ moves.velocity(first, second, point) for _, point, normal in points]
    parts = tuple(Touch(point.gap, tuple(frictions), pair, speed) for point, speed in zip(points, speeds, strict=True))
    support = _support(model, [first, second])

    def jacobian() -> Array:
        found = []
        for _, point, normal in points:
            linear, turning = moves.at(first, second, point, support)
            axes = (normal, *contact_frame(normal))
            found.append(normal @ linear)
            for row in (row for _, rows in friction_rows(pair) for row in rows):
                found.append(axes[row.axis] @ (turning if row.turns else linear))
        return np.stack(found)

    meeting = None
    if min(first, second) < 0 and max(first, second) >= 0 and not (model.loops or model.has_couplings):
        directions = tuple(row for _, rows in friction_rows(pair) for row in rows)
        where_ = tuple(point for _, point, _ in points), tuple(normal for *_, normal in points)
        meeting = Meeting(moves, max(first, second), 1.0 if first >= 0 else -1.0, *where_, directions)
    if h is None:
        return Group(parts, support, jacobian, None, meeting)
    near: Any = False
    for part in parts:
        near = (part.gap < REACH + 2.0 * h * maximum(-part.speed, 0.0)) | near
    return Group(parts, support, jacobian, near, meeting)


def bouncing(pair: Pair) -> bool:
    """Whether a rigid pair has restitution; a soft one bounces by its spring."""
    return pair.stiffness is None and pair.restitution is not None and not is_zero(pair.restitution)


def followed(pair: Pair, model: Model) -> bool:
    """Whether the points of a rigid pair stay the same ones as its bodies move a little."""
    kinds = {model.shapes[number].kind for number in (pair.first, pair.second)}
    return pair.stiffness is None and bool(kinds & FOLLOWED)


def normal_rows(model: Model, pair: Pair, points: Sequence[Candidate], moves: Moves) -> Array:
    """Of a pair's points the rows along their normals (n, s), on the coordinates of its group."""
    first, second = _bodies(model, pair)
    support = _support(model, [first, second])
    return np.stack([normal @ moves.at(first, second, point, support)[0] for _, point, normal in points])


def _bodies(model: Model, pair: Pair) -> tuple[int, int]:
    first, second = (model.frame(model.shapes[number].body).body for number in (pair.first, pair.second))
    return first, second


def dense_jacobian(groups: Sequence[Group], nv: int) -> Array:
    """J (m, nv) of all rows, whether near or not."""
    rows = []
    for group in groups:
        columns = dict(zip(group.support, group.jacobian().T, strict=True))
        rows.append(np.stack([columns.get(k, np.zeros(group.size)) for k in range(nv)], axis=1))
    return np.concatenate([np.zeros((0, nv)), *rows])


class Moves:
    """How points of bodies move: their Jacobians, each body's joints looked at once."""

    def __init__(self, model: Model, poses: Sequence[Array], q: Array, twists: Sequence[Array] | None):
        def axes(link: Link, T: Array, q: Array) -> tuple[Array, Array, Array]:
            R, p = split_pose(T)
            S = link.motion_subspace(q)
            return R @ S[:3], R @ S[3:], p

        self._model, self._poses, self._twists = model, poses, twists
        self._joints = model.each(axes, poses, model.coordinates(q))
        self.origin: Array = poses[0][:3, 3]
        """near all bodies: what :meth:`carried` looks from"""
        self._carried: dict[int, Array] = {}
        self._inertia: Inertia | None = None

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

    def carried(self, inertia: Inertia, body: int) -> Array:
        """D^(−½) L⁻ᵀ Jᵀ (s, 6) of a body, on the coordinates that move it: of how it moves at ``origin``, and turns.

        From body to body outwards: each joint adds its own axes, and what they hang on bears of them.
        """
        if self._inertia is not inertia:
            self._inertia, self._carried = inertia, {}
        if body not in self._carried:
            model = self._model
            path = _support(model, [body])
            v, w, p = self._joints[body]
            S = np.concatenate([v - skew(self.origin - p) @ w, w])  # (6, n)
            last = np.eye(len(path))[:, len(path) - S.shape[1] :]
            found = inertia.carried(last, path) @ S.T
            parent = max((k for k in model.path(body) if k != body), default=-1)
            if parent >= 0:
                before = self.carried(inertia, parent)
                found = np.stack([x + before[k] if k < len(before) else x for k, x in enumerate(found)])
            self._carried[body] = found
        return self._carried[body]

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
    fastest = largest(v)
    reach = REACH + FASTER * h * fastest
    for k, joint in enumerate(model.joints):
        for at_q, at_v in joint.motion.plain:
            low, high = joint.lower[at_q], joint.upper[at_q]
            if np.isfinite(low) or np.isfinite(high):
                part = Stop(low - x[k][at_q], high - x[k][at_q])
                near: Any = False
                if np.isfinite(low):
                    near = (part.below > -reach) | near
                if np.isfinite(high):
                    near = (part.above < reach) | near
                found.append(_of_coordinate(model, part, k, at_v, near))
    return found if len(found) >= MANY else [replace(group, near=None) for group in found]


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


def driven_places(model: Model, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """Of the coordinates of joints that turn or slide: the joint's place, and theirs among its own rates and in v."""
    return [
        (k, own, model.slice(joint.name).v.start + own)
        for k, joint in enumerate(model.joints)
        if joint.name in names
        for _, own in joint.motion.plain
    ]


def servos(model: Model, q: Array, h: Any, names: Sequence[str], told: Array | None) -> list[Group]:
    """The servos of some joints; ``told`` (4 k,): where they go, stiffness, damping and limits of k coordinates.

    Where there is no stiffness it is how fast they go. Without what they are told their efforts are what they are.
    """
    found, x = [], model.coordinates(q)
    places = driven_places(model, names)
    for n, (k, own, _) in enumerate(places):
        part = Servo(None, 0.0, 0.0)
        if told is not None:
            goal, stiffness, damping, most = (told[n + i * len(places)] for i in range(4))
            here = x[k][next(at_q for at_q, at_v in model.joints[k].motion.plain if at_v == own)]
            pull = where(stiffness > 0.0, stiffness * (goal - here), damping * goal)
            part = Servo(pull, h * stiffness + damping, most)
        found.append(_of_coordinate(model, part, k, own))
    return found


def _of_coordinate(model: Model, part: Part, joint: int, coordinate: int, near: Any = None) -> Group:
    """The row of a coordinate's rate; of one that follows, by its leader's."""
    pieces = [np.zeros((1, link.motion.nv)) for link in model.links]
    pieces[joint] = np.eye(model.links[joint].motion.nv)[coordinate : coordinate + 1]
    support = _support(model, [joint])
    J = model.assemble(pieces, (1,))[:, list(support)]
    return Group((part,), support, lambda: J, near)
