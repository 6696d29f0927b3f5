"""What impulses act on: rows J of relative velocities u = J v, and what the impulses p along them may be.

A contact has a row along its normal and, as far as friction acts, two along the surface, one about the normal, and two
about axes in the surface. A stop keeps a velocity within bounds, as a joint's limit does; a brake resists one with a
bounded impulse, as dry friction does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes import Candidate, candidates, contact_frame
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.pair import Pair
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, is_zero
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


@dataclass(frozen=True, eq=False)
class Friction:
    """Some of a contact's rows on which |p| ≤ reach · p_n, p_n being the normal impulse."""

    rows: tuple[int, ...]
    reach: Any
    """the coefficient of friction, or m where the rows are turns"""


@dataclass(frozen=True, eq=False)
class Touch:
    """A point at which two shapes touch, or soon may: 0 ≤ p_n, and the rows of friction."""

    J: Array
    """(k, nv); the first row is along the normal, away from what is touched"""
    gap: Any
    """m, less than zero where they overlap"""
    frictions: tuple[Friction, ...]
    pair: Pair


@dataclass(frozen=True, eq=False)
class Stop:
    """A coordinate that stays within limits: no impulse where u keeps it there."""

    J: Array
    """(1, nv)"""
    below: Any
    """how far it may go down, ≤ 0 within the limits; −inf without one"""
    above: Any
    """how far up"""


@dataclass(frozen=True, eq=False)
class Brake:
    """A velocity that is resisted by an effort of at most ``effort``: dry friction."""

    J: Array
    """(1, nv)"""
    effort: Any
    """N or N m"""


Block = Touch | Stop | Brake


def touches(model: Model, q: Array) -> list[Touch]:
    """The contacts of all pairs of the model, in their order: as many at every configuration."""
    if not model.pairs:
        return []
    poses = body_poses(model, q)
    moves = _Moves(model, poses, q)
    return [touch for pair in model.pairs for touch in _of_pair(model, pair, poses, moves)]


def candidates_of(model: Model, pair: Pair, poses: Sequence[Array]) -> list[Candidate]:
    """The points at which a pair may touch, from the bodies' poses (4, 4)."""
    ends = []
    for number in (pair.first, pair.second):
        shape = model.shapes[number]
        frame = model.frame(shape.body)
        on_body = frame.placement @ shape.placement
        ends += [shape, on_body if frame.body < 0 else poses[frame.body] @ on_body]
    return candidates(*ends)


def _of_pair(model: Model, pair: Pair, poses: Sequence[Array], moves: _Moves) -> Iterator[Touch]:
    first, second = (model.frame(model.shapes[number].body).body for number in (pair.first, pair.second))
    for gap, point, normal in candidates_of(model, pair, poses):
        J, turning = moves.at(first, second, point)
        t1, t2 = contact_frame(normal)
        rows, frictions = [normal @ J], []
        for reach, along in (
            (pair.friction, [(J, t1), (J, t2)]),
            (pair.torsional_friction, [(turning, normal)]),
            (pair.rolling_friction, [(turning, t1), (turning, t2)]),
        ):
            if not is_zero(reach):
                places = tuple(range(len(rows), len(rows) + len(along)))
                rows += [axis @ moved for moved, axis in along]
                frictions.append(Friction(places, reach))
        yield Touch(np.stack(rows), gap - pair.margin, tuple(frictions), pair)


class _Moves:
    """How points of bodies move: their Jacobians, each body's joints looked at once."""

    def __init__(self, model: Model, poses: Sequence[Array], q: Array):
        def axes(link: Link, T: Array, q: Array) -> tuple[Array, Array, Array]:
            R, p = split_pose(T)
            S = link.motion_subspace(q)
            return R @ S[:3], R @ S[3:], p

        self._model = model
        self._joints = model.each(axes, poses, model.coordinates(q))

    def at(self, first: int, second: int, point: Array) -> tuple[Array, Array]:
        """How a point (3,) of the first body moves as seen from the second, (3, nv), and how that body turns."""
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
        return model.assemble(linear, (3,)), model.assemble(turning, (3,))


def stops(model: Model, q: Array) -> list[Stop]:
    """The limits of all joints that have some, coordinate by coordinate; those of balls have none."""
    x, found = model.coordinates(q), []
    for k, joint in enumerate(model.joints):
        for at_q, at_v in joint.motion.plain:
            low, high = joint.lower[at_q], joint.upper[at_q]
            if np.isfinite(low) or np.isfinite(high):
                found.append(Stop(_row(model, k, at_v), low - x[k][at_q], high - x[k][at_q]))
    return found


def limited(model: Model) -> bool:
    """Whether a joint has limits."""
    return any(
        np.isfinite(joint.lower[k]) or np.isfinite(joint.upper[k])
        for joint in model.joints
        for k, _ in joint.motion.plain
    )


def brakes(model: Model) -> list[Brake]:
    """The joints' dry friction, coordinate by coordinate."""
    return [
        Brake(_row(model, k, i), effort)
        for k, joint in enumerate(model.joints)
        for i, effort in enumerate(joint.friction)
        if not is_zero(effort)
    ]


def _row(model: Model, joint: int, coordinate: int) -> Array:
    """The row (1, nv) of a coordinate's rate; of one that follows, by its leader's."""
    pieces = [np.zeros((1, link.motion.nv)) for link in model.links]
    pieces[joint] = np.eye(model.links[joint].motion.nv)[coordinate : coordinate + 1]
    return model.assemble(pieces, (1,))
