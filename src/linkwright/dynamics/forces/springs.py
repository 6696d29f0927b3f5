"""Springs and dampers between points of two bodies.

A straight piece from a point of one body to a point of another depends only on the joints between the two: on the
way from each body up to the last body that both hang on. There r (3,) is the vector from the first point to the
second, l = |r|, u = r/l; a joint on the way with motion subspace S lengthens the piece at uᵀ(S_v + S_ω × x) v, x
being the point, everything in the axes of the joint's body (with the opposite sign on the first point's way).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.model.requirement import takes_model
from linkwright.model.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, maximum, where
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


class SpringPath(NamedTuple):
    """From a body up to the last that it shares with another: what is between a point and that body."""

    bodies: list[int]
    """the point's own first"""
    poses: list[Array]
    """of each in its parent's frame (4, 4)"""
    points: list[Array]
    """the point in the axes of each (3,)"""
    end: Array
    """the point in the shared body's frame (3,)"""


class SpringPiece(NamedTuple):
    """A straight piece of a spring."""

    ways: tuple[SpringPath, SpringPath]
    length: Any
    direction: Array
    """(3,), of unit length, in the axes of the body that both ends hang on"""


@takes_model
def spring_lengths(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "n"]:
    """The lengths (n,) of the springs between bodies, in the order of ``model.springs``, m."""
    lengths = [stretched(pieces) for _, pieces in springs_at(model, q)]
    return np.stack(lengths) if lengths else np.zeros(0)


def springs_at(model: Model, q: Array) -> list[tuple[Spring, list[SpringPiece]]]:
    """Every spring with its straight pieces."""
    if not model.springs:
        return []
    x = model.coordinates(q)
    return [(spring, pieces_of(model, spring.frames, spring.rounded, x)) for spring in model.springs]


def pieces_of(model: Model, frames: Sequence[str], rounded: Any, x: Sequence[Array]) -> list[SpringPiece]:
    """The straight pieces from frame to frame, from the coordinates x of every joint; lengths are √(r² + rounded²)."""
    return [_piece(model, x, rounded, *ends) for ends in pairwise(frames)]


def ways_between(model: Model, i: int, j: int) -> tuple[list[int], list[int]]:
    """From each of two bodies up to the last that both hang on: the bodies on the way, that one not included."""
    ways: tuple[list[int], list[int]] = ([], [])
    while i != j:  # parents have lower numbers
        if i > j:
            ways[0].append(i)
            i = model.links[i].parent
        else:
            ways[1].append(j)
            j = model.links[j].parent
    return ways


def joints_of(model: Model, spring: Spring) -> set[int]:
    """The numbers of the joints that move a spring, leaders for what follows them."""
    bodies = [model.frames[name].body for name in spring.frames]
    found = {k for i, j in pairwise(bodies) for way in ways_between(model, i, j) for k in way}
    return {k if (coupling := model.joints[k].coupling) is None else coupling.leader for k in found}


def stretched(pieces: list[SpringPiece]) -> Any:
    """The length of all pieces together, m."""
    total = pieces[0].length
    for piece in pieces[1:]:
        total = total + piece.length
    return total


def _piece(model: Model, x: Sequence[Array], rounded: Any, first: str, second: str) -> SpringPiece:
    a, b = model.frames[first], model.frames[second]
    ups = ways_between(model, a.body, b.body)
    ways = _way(model, x, ups[0], a.placement[:3, 3]), _way(model, x, ups[1], b.placement[:3, 3])
    r = ways[1].end - ways[0].end
    length = np.sqrt(r @ r + rounded * rounded)
    return SpringPiece(ways, length, r / length)


def _way(model: Model, x: Sequence[Array], bodies: list[int], point: Array) -> SpringPath:
    poses, points = [], []
    for k in bodies:
        T = model.links[k].transform(x[k])
        poses.append(T)
        points.append(point)
        R, p = split_pose(T)
        point = R @ point + p
    return SpringPath(bodies, poses, points, point)


def lengthening(model: Model, x: Sequence[Array], piece: SpringPiece, directions: Array) -> dict[int, Array]:
    """For every joint on the ways the matrix (m, its nv) that takes its velocity to the rate of the piece's vector.

    Of that rate the components along the m columns of ``directions`` (3, m), in the shared body's axes.
    """
    rows: dict[int, Array] = {}
    for way, sign in zip(piece.ways, (-1.0, 1.0), strict=True):
        along = directions
        for k, T, point in reversed(list(zip(way.bodies, way.poses, way.points, strict=True))):
            R, _ = split_pose(T)
            along = R.T @ along
            S = model.links[k].motion_subspace(x[k])
            rows[k] = sign * (along.T @ (S[:3] - skew(point) @ S[3:]))
    return rows


def length_rows(model: Model, x: Sequence[Array], pieces: list[SpringPiece]) -> dict[int, Array]:
    """For every joint that moves the spring the row (its nv,) that takes its velocity to the rate of the length."""
    total: dict[int, Array] = {}
    for piece in pieces:
        for k, row in lengthening(model, x, piece, piece.direction[:, None]).items():
            total[k] = total[k] + row[0] if k in total else row[0]
    return total


def spring_forces(model: Model, q: Array, rates: Sequence[Array]) -> dict[int, Array]:
    """For every joint that moves springs their efforts (its nv,), and dampers': −(k x + d l̇) ∂l̇/∂v."""
    forces: dict[int, Array] = {}
    x = model.coordinates(q)
    for spring, pieces in springs_at(model, q):
        rows = length_rows(model, x, pieces)
        pull = spring.stiffness * spring.elongation(stretched(pieces))
        if spring.damping:
            pull = pull + spring.damping * sum(row @ rates[k] for k, row in rows.items())
        for k, row in rows.items():
            forces[k] = forces[k] - pull * row if k in forces else -pull * row
    return forces


class Resistance(NamedTuple):
    """How springs resist the velocities along one direction, to first order."""

    direction: Array
    """(nv,)"""
    stiffness: Any
    damping: Any


@takes_model
def spring_resistances(model: Model, q: Array) -> list[Resistance]:
    """What the springs' forces change by, −Σ e (k eᵀδ + d eᵀv̇) over directions e, where they are stable.

    Along a spring its own stiffness; across a taut one its pull over its length. What a compressed one loses across
    is left out: what is added so is never negative.
    """
    found: list[Resistance] = []
    if not model.springs:
        return found
    x = model.coordinates(q)
    still = [np.zeros(link.motion.nv) for link in model.links]

    def whole(rows: dict[int, Array]) -> Array:
        return model.assemble([rows.get(k, zeros) for k, zeros in enumerate(still)])

    for spring, pieces in springs_at(model, q):
        longer = spring.elongation(stretched(pieces))
        low, high = spring.relaxed
        k = spring.stiffness if low == high else where(longer * longer > 0.0, spring.stiffness, 0.0)  # slack between
        found.append(Resistance(whole(length_rows(model, x, pieces)), k, spring.damping))
        if not spring.stiffness:
            continue
        pull = maximum(spring.stiffness * longer, 0.0)
        for piece in pieces:
            u = piece.direction
            across = lengthening(model, x, piece, np.eye(3) - u[:, None] * u)
            for axis in range(3):
                row = whole({joint: rows[axis] for joint, rows in across.items()})
                found.append(Resistance(row, pull / piece.length, 0.0))
    return found
