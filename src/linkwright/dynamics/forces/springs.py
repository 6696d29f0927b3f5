"""Springs and dampers between points of two bodies.

A straight segment from a point of one body to a point of another depends only on the joints between the two, on the
paths from each body to their last common ancestor. With the vector r (3,) from the first point to the
second, l = |r| and u = r/l, a joint on the path with motion subspace S lengthens the segment at uᵀ(S_v + S_ω × x) v
at the point x, all in the axes of the joint's body (with the opposite sign on the path of the first point).
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
    """Path from a point's body to the last common ancestor of two bodies."""

    bodies: list[int]
    """bodies from the point's body inward"""
    poses: list[Array]
    """pose (4, 4) of each body in its parent's frame"""
    points: list[Array]
    """the point in the axes of each (3,)"""
    end: Array
    """point (3,) in the frame of the common ancestor"""


class SpringPiece(NamedTuple):
    """Straight segment of a spring."""

    ways: tuple[SpringPath, SpringPath]
    length: Any
    direction: Array
    """unit vector (3,) in the axes of the common ancestor"""


@takes_model
def spring_lengths(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "n"]:
    """Compute the lengths of the springs between bodies.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., n)
        Lengths in m, in the order of ``model.springs``.
    """
    lengths = [stretched(pieces) for _, pieces in springs_at(model, q)]
    return np.stack(lengths) if lengths else np.zeros(0)


def springs_at(model: Model, q: Array) -> list[tuple[Spring, list[SpringPiece]]]:
    """Return every spring with its straight segments."""
    if not model.springs:
        return []
    x = model.coordinates(q)
    return [(spring, pieces_of(model, spring.frames, spring.rounded, x)) for spring in model.springs]


def pieces_of(model: Model, frames: Sequence[str], rounded: Any, x: Sequence[Array]) -> list[SpringPiece]:
    """Return the segments between frames from the coordinates x of all joints; lengths are √(r² + rounded²)."""
    return [_piece(model, x, rounded, *ends) for ends in pairwise(frames)]


def ways_between(model: Model, i: int, j: int) -> tuple[list[int], list[int]]:
    """Return the bodies on the paths from two bodies to their last common ancestor, without the ancestor."""
    ways: tuple[list[int], list[int]] = ([], [])
    while i != j:  # parents have lower indices
        if i > j:
            ways[0].append(i)
            i = model.links[i].parent
        else:
            ways[1].append(j)
            j = model.links[j].parent
    return ways


def joints_of(model: Model, spring: Spring) -> set[int]:
    """Return the indices of the joints that move a spring, with the leaders of mimic joints."""
    bodies = [model.frames[name].body for name in spring.frames]
    found = {k for i, j in pairwise(bodies) for way in ways_between(model, i, j) for k in way}
    return {k if (coupling := model.joints[k].coupling) is None else coupling.leader for k in found}


def stretched(pieces: list[SpringPiece]) -> Any:
    """Return the total length of the segments in m."""
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
    """Return for every joint on the paths the matrix (m, its nv) from its velocity to the rate of the segment's vector.

    The m components of that rate are along the columns of ``directions`` (3, m), in the common ancestor's axes.
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
    """Return for every joint that moves the spring the row (its nv,) from its velocity to the rate of the length."""
    total: dict[int, Array] = {}
    for piece in pieces:
        for k, row in lengthening(model, x, piece, piece.direction[:, None]).items():
            total[k] = total[k] + row[0] if k in total else row[0]
    return total


def spring_forces(model: Model, q: Array, rates: Sequence[Array]) -> dict[int, Array]:
    """Return the efforts of springs and dampers (its nv,) by joint: −(k x + d l̇) ∂l̇/∂v."""
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
    """Linearized resistance of springs to velocities in one direction."""

    direction: Array
    """(nv,)"""
    stiffness: Any
    damping: Any


@takes_model
def spring_resistances(model: Model, q: Array) -> list[Resistance]:
    """Compute the linearized resistance of the springs, −Σ e (k eᵀδ + d eᵀv̇) over directions e.

    Along a spring the coefficient is its stiffness; across a spring in tension it is the tension over the length. The
    negative coefficient across a compressed spring is omitted, so that no coefficient is negative.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : ndarray, shape (nq,)
        Configuration.

    Returns
    -------
    list of Resistance
        Direction e, stiffness k and damping d of each term.
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
        k = spring.stiffness if low == high else where(longer * longer > 0.0, spring.stiffness, 0.0)  # a slack spring
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
