"""Springs and dampers between points of two bodies.

A straight piece from a point of one body to a point of another depends only on the joints between the two: on the
way from each body up to the last body that both hang on. There r (3,) is the vector from the first point to the
second, l = |r|, u = r/l; a joint on the way with motion subspace S lengthens the piece at uᵀ(S_v + S_ω × x) v, x
being the point, everything in the axes of the joint's body (with the opposite sign on the first point's way).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.model.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, maximum, where
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


class Way(NamedTuple):
    """From a body up to the last that it shares with another: what is between a point and that body."""

    bodies: list[int]
    """the point's own first"""
    poses: list[Array]
    """of each in its parent's frame (4, 4)"""
    points: list[Array]
    """the point in the axes of each (3,)"""
    end: Array
    """the point in the shared body's frame (3,)"""


class Piece(NamedTuple):
    """A straight piece of a spring."""

    ways: tuple[Way, Way]
    length: Any
    direction: Array
    """(3,), of unit length, in the axes of the body that both ends hang on"""


def spring_lengths(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "n"]:
    """The lengths (n,) of the springs between bodies, in the order of ``model.springs``, m."""
    lengths = [stretched(pieces) for _, pieces in springs_at(model, q)]
    return np.stack(lengths) if lengths else np.zeros(0)


def springs_at(model: Model, q: Array) -> list[tuple[Spring, list[Piece]]]:
    """Every spring with its straight pieces."""
    if not model.springs:
        return []
    x = model.coordinates(q)
    return [
        (spring, [_piece(model, x, spring, *ends) for ends in zip(spring.frames, spring.frames[1:], strict=False)])
        for spring in model.springs
    ]


def stretched(pieces: list[Piece]) -> Any:
    """The length of all pieces together, m."""
    total = pieces[0].length
    for piece in pieces[1:]:
        total = total + piece.length
    return total


def _piece(model: Model, x: list[Array], spring: Spring, first: str, second: str) -> Piece:
    a, b = model.frames[first], model.frames[second]
    to_a, to_b = model.path(a.body), model.path(b.body)
    shared = sum(1 for i, j in zip(to_a, to_b, strict=False) if i == j)  # paths part once
    ways = (
        _way(model, x, to_a[shared:], a.placement[:3, 3]),
        _way(model, x, to_b[shared:], b.placement[:3, 3]),
    )
    r = ways[1].end - ways[0].end
    length = spring.distance(r)
    return Piece(ways, length, r / length)


def _way(model: Model, x: list[Array], path: list[int], point: Array) -> Way:
    poses, points = [], []
    for k in reversed(path):
        T = model.links[k].transform(x[k])
        poses.append(T)
        points.append(point)
        R, p = split_pose(T)
        point = R @ point + p
    return Way(path[::-1], poses, points, point)


def lengthening(model: Model, q: Array, piece: Piece, directions: Array) -> list[Array]:
    """For every joint the matrix (m, its nv) that takes its velocity to the rate of the piece's vector.

    Of that rate the components along the m columns of ``directions`` (3, m), in the shared body's axes.
    """
    x = model.coordinates(q)
    rows = [np.zeros((directions.shape[1], link.motion.nv)) for link in model.links]
    for way, sign in zip(piece.ways, (-1.0, 1.0), strict=True):
        along = directions
        for k, T, point in reversed(list(zip(way.bodies, way.poses, way.points, strict=True))):
            R, _ = split_pose(T)
            along = R.T @ along
            S = model.links[k].motion_subspace(x[k])
            rows[k] = rows[k] + sign * (along.T @ (S[:3] - skew(point) @ S[3:]))
    return rows


def length_rows(model: Model, q: Array, pieces: list[Piece]) -> list[Array]:
    """For every joint the row (its nv,) that takes its velocity to the rate of the spring's length."""
    rows = [lengthening(model, q, piece, piece.direction[:, None]) for piece in pieces]
    total = rows[0]
    for more in rows[1:]:
        total = [a + b for a, b in zip(total, more, strict=True)]
    return [row[0] for row in total]


def spring_forces(model: Model, q: Array, rates: list[Array]) -> list[Array]:
    """For every joint the efforts (its nv,) of the springs and dampers between bodies: −(k x + d l̇) ∂l̇/∂v."""
    forces = [np.zeros(link.motion.nv) for link in model.links]
    for spring, pieces in springs_at(model, q):
        rows = length_rows(model, q, pieces)
        pull = spring.stiffness * spring.elongation(stretched(pieces))
        if spring.damping:
            pull = pull + spring.damping * sum(row @ v for row, v in zip(rows, rates, strict=True))
        forces = [force - pull * row for force, row in zip(forces, rows, strict=True)]
    return forces


class Resistance(NamedTuple):
    """How springs resist the velocities along one direction, to first order."""

    direction: Array
    """(nv,)"""
    stiffness: Any
    damping: Any


def spring_resistances(model: Model, q: Array) -> list[Resistance]:
    """What the springs' forces change by, −Σ e (k eᵀδ + d eᵀv̇) over directions e, where they are stable.

    Along a spring its own stiffness; across a taut one its pull over its length. What a compressed one loses across
    is left out: what is added so is never negative.
    """
    found = []
    for spring, pieces in springs_at(model, q):
        x = spring.elongation(stretched(pieces))
        low, high = spring.relaxed
        k = spring.stiffness if low == high else where(x * x > 0.0, spring.stiffness, 0.0)  # slack between
        found.append(Resistance(model.assemble(length_rows(model, q, pieces)), k, spring.damping))
        if not spring.stiffness:
            continue
        pull = maximum(spring.stiffness * x, 0.0)
        for piece in pieces:
            u = piece.direction
            across = model.assemble(lengthening(model, q, piece, np.eye(3) - u[:, None] * u))
            found += [Resistance(row, pull / piece.length, 0.0) for row in across]
    return found
