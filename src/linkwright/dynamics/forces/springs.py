"""Springs and dampers between points of two bodies, and along tendons.

A straight segment from a point of one body to a point of another depends only on the joints between the two, on the
paths from each body to their last common ancestor. With the vector r (3,) from the first point to the
second, l = |r| and u = r/l, a joint on the path with motion subspace S lengthens the segment at uᵀ(S_v + S_ω × x) v
at the point x, all in the axes of the joint's body (with the opposite sign on the path of the first point). Around a
wrapping body the path consists of two such segments, to its tangent points, and an arc. The rate of the whole length is
that of both segments with tangent points that are fixed on the body, since the path is the shortest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.forces.wrapping import wrapped_path
from linkwright.model.elements import Frame
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import Tendon, Wrap, coefficients_of
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, maximum, where
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose

FRICTION_SPEED = 1e-2
"""Speed in m/s or rad/s at which smoothed Coulomb friction reaches 1/√2 of its value."""


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
    arc: Any = 0.0
    """m: length of the arc around a wrapping body behind it"""


class CoordinatePiece(NamedTuple):
    """Weighted sum of coordinates as the length of a tendon of joints."""

    length: Any
    rows: dict[int, Array]
    """by joint the row (its nv,) from its velocity to the rate of the length"""
    arc: Any = 0.0


Piece = SpringPiece | CoordinatePiece


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


def springs_at(model: Model, q: Array) -> list[tuple[Spring, list[Piece]]]:
    """Return every spring with its pieces."""
    if not model.springs:
        return []
    x = model.coordinates(q)
    return [(spring, pieces_of(model, spring.tendon, spring.rounded, x)) for spring in model.springs]


def pieces_of(model: Model, tendon: Tendon, rounded: Any, x: Sequence[Array]) -> list[Piece]:
    """Return the pieces of a tendon from the coordinates x of all joints; lengths of segments are √(r² + rounded²)."""
    if coefficients := coefficients_of(tendon):
        return [_sum_of_coordinates(model, coefficients, x)]
    found: list[Piece] = []
    for k, (first, second) in enumerate(pairwise(tendon)):
        if isinstance(first, str) and isinstance(second, str):
            found.append(_piece(model, x, rounded, *(_point(model.frames[name]) for name in (first, second))))
        elif isinstance(first, str) and isinstance(second, Wrap):
            found += _wrapped(model, x, rounded, second, first, str(tendon[k + 2]))
    return found


def _sum_of_coordinates(
    model: Model, coefficients: tuple[tuple[str, float], ...], x: Sequence[Array]
) -> CoordinatePiece:
    length: Any = 0.0
    rows: dict[int, Array] = {}
    for name, coefficient in coefficients:
        k, (at_q, at_v) = model.place(name)
        row = np.zeros(model.joints[k].motion.nv)
        row[at_v] = coefficient
        length = length + coefficient * x[k][at_q][0]
        rows[k] = rows[k] + row if k in rows else row
    return CoordinatePiece(length, rows)


def _wrapped(model: Model, x: Sequence[Array], rounded: Any, wrap: Wrap, first: str, second: str) -> list[Piece]:
    """Return the two segments from frames to a wrapping body, the first with the arc."""
    center = model.frames[wrap.frame]
    ends = [model.frames[name] for name in (first, second)]
    a, b = (_seen_from(model, x, center, one) for one in ends)
    side = _seen_from(model, x, center, model.frames[wrap.side]) if wrap.side else None
    path = wrapped_path(wrap, a, b, side)
    R, p = split_pose(center.placement)
    touching = [(center.body, R @ point + p) for point in (path.first, path.second)]
    before = _piece(model, x, rounded, _point(ends[0]), touching[0])
    return [before._replace(arc=path.arc), _piece(model, x, rounded, touching[1], _point(ends[1]))]


def _seen_from(model: Model, x: Sequence[Array], center: Frame, other: Frame) -> Array:
    """Return the origin (3,) of a frame in the axes of another one."""
    ups = ways_between(model, center.body, other.body)
    point = _way(model, x, ups[1], other.placement[:3, 3]).end
    for k in reversed(ups[0]):
        R, p = split_pose(model.links[k].transform(x[k]))
        point = R.T @ (point - p)
    R, p = split_pose(center.placement)
    return R.T @ (point - p)


def _point(frame: Frame) -> tuple[int, Array]:
    """Return the body of a frame, and its origin (3,) there."""
    return frame.body, frame.placement[:3, 3]


def bodies_along(model: Model, tendon: Tendon) -> list[int]:
    """Return the bodies of the frames and wrapping bodies of a tendon, in order."""
    names = [one.frame if isinstance(one, Wrap) else one for one in tendon if not isinstance(one, tuple)]
    return [model.frames[name].body for name in names]


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
    bodies = bodies_along(model, spring.tendon)
    found = {k for i, j in pairwise(bodies) for way in ways_between(model, i, j) for k in way}
    found |= {model.place(name)[0] for name, _ in spring.coefficients}
    return {k if (coupling := model.joints[k].coupling) is None else coupling.leader for k in found}


def stretched(pieces: Sequence[Piece]) -> Any:
    """Return the total length of the pieces in m."""
    total = pieces[0].length + pieces[0].arc
    for piece in pieces[1:]:
        total = total + piece.length + piece.arc
    return total


def _piece(
    model: Model, x: Sequence[Array], rounded: Any, first: tuple[int, Array], second: tuple[int, Array]
) -> SpringPiece:
    """Return the segment between points (3,) of bodies."""
    ups = ways_between(model, first[0], second[0])
    ways = _way(model, x, ups[0], first[1]), _way(model, x, ups[1], second[1])
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


def length_rows(model: Model, x: Sequence[Array], pieces: Sequence[Piece]) -> dict[int, Array]:
    """Return for every joint that moves the spring the row (its nv,) from its velocity to the rate of the length."""
    total: dict[int, Array] = {}
    for piece in pieces:
        rows = piece.rows if isinstance(piece, CoordinatePiece) else _rows_along(model, x, piece)
        for k, row in rows.items():
            total[k] = total[k] + row if k in total else row
    return total


def _rows_along(model: Model, x: Sequence[Array], piece: SpringPiece) -> dict[int, Array]:
    return {k: row[0] for k, row in lengthening(model, x, piece, piece.direction[:, None]).items()}


def spring_forces(model: Model, q: Array, rates: Sequence[Array]) -> dict[int, Array]:
    """Return the efforts of springs, dampers and friction (its nv,) by joint: −(k x + (d + F/√(l̇² + v₀²)) l̇) ∂l̇/∂v."""
    forces: dict[int, Array] = {}
    x = model.coordinates(q)
    for spring, pieces in springs_at(model, q):
        rows = length_rows(model, x, pieces)
        pull = spring.stiffness * spring.elongation(stretched(pieces)) if spring.stiffness else 0.0
        if spring.damping or spring.friction:
            rate = sum(row @ rates[k] for k, row in rows.items())
            pull = pull + spring_damping(spring, rate) * rate
        for k, row in rows.items():
            forces[k] = forces[k] - pull * row if k in forces else -pull * row
    return forces


def spring_damping(spring: Spring, rate: Any) -> Any:
    """Return the damping of a spring at a rate of its length, with smoothed friction."""
    if not spring.friction:
        return spring.damping
    return spring.damping + spring.friction / np.sqrt(rate * rate + FRICTION_SPEED**2)


class Resistance(NamedTuple):
    """Linearized resistance of springs to velocities in one direction."""

    direction: Array
    """(nv,)"""
    stiffness: Any
    damping: Any


@takes_model
def spring_resistances(model: Model, q: Array, v: Array | None = None) -> list[Resistance]:
    """Compute the linearized resistance of the springs, −Σ e (k eᵀδ + d eᵀv̇) over directions e.

    Along a spring the coefficient is its stiffness; across a spring in tension it is the tension over the length. The
    negative coefficient across a compressed spring is omitted, so that no coefficient is negative.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : ndarray, shape (nq,)
        Configuration.
    v : ndarray, shape (nv,), optional
        Velocity, of which the damping of dry friction is a function; zero by default.

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
        if not (spring.stiffness or spring.damping or spring.friction):
            continue
        k = spring.stiffness if low == high else where(longer * longer > 0.0, spring.stiffness, 0.0)  # a slack spring
        row = whole(length_rows(model, x, pieces))
        found.append(Resistance(row, k, spring_damping(spring, 0.0 if v is None else row @ v)))
        if not spring.stiffness:
            continue
        pull = maximum(spring.stiffness * longer, 0.0)
        for piece in pieces:
            if isinstance(piece, CoordinatePiece):
                continue
            u = piece.direction
            across = lengthening(model, x, piece, np.eye(3) - u[:, None] * u)
            for axis in range(3):
                row = whole({joint: rows[axis] for joint, rows in across.items()})
                found.append(Resistance(row, pull / piece.length, 0.0))
    return found
