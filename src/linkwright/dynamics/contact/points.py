"""Contact points of the pairs of a model."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.dynamics.contact.looped_points import Reach, looped_points
from linkwright.dynamics.contact.shapes import ContactCandidate, candidates, points_of
from linkwright.model.pair import Pair
from linkwright.model.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import split_pose

CORNERED = frozenset({"box", "mesh"})
"""Kinds of shapes with corners on planes."""


def points_of_pair(model: Model, pair: Pair) -> int:
    """Return the number of contact points of a pair."""
    return points_of(model.shapes[pair.first].kind, model.shapes[pair.second].kind)


def contact_points(model: Model, poses: Sequence[Array], reach: Reach | None = None) -> list[list[ContactCandidate]]:
    """Return the contact points of all pairs, with symbols in loops over pairs of the same kinds.

    ``reach``: pairs in loops that are farther apart have no points.
    """
    looped = looped_points(model, model.pairs, poses, reach)
    return [looped[k] if k in looped else points_between(model, pair, poses) for k, pair in enumerate(model.pairs)]


def points_between(model: Model, pair: Pair, poses: Sequence[Array]) -> list[ContactCandidate]:
    """Return the contact points of a pair, from the poses (4, 4) of the bodies; the margin is subtracted from gaps."""
    first, second = (model.shapes[number] for number in (pair.first, pair.second))
    found = candidates(first, _pose(model, first, poses), second, _pose(model, second, poses))
    return [point._replace(gap=point.gap - pair.margin) for point in found]


def points_after(
    model: Model, pair: Pair, points: Sequence[ContactCandidate], poses: Sequence[Array], after: Sequence[Array]
) -> list[ContactCandidate]:
    """Return the contact points of a pair after a small motion of its bodies, from their poses (4, 4) before and after.

    Corners persist: a rotated box may touch a plane with another face, which has other points.
    """
    shapes = [model.shapes[number] for number in (pair.first, pair.second)]
    flat = [shape.kind == "plane" for shape in shapes]
    if not (any(flat) and {shape.kind for shape in shapes} & CORNERED):
        return points_between(model, pair, after)
    cornered, plane = (shapes[flat.index(side)] for side in (False, True))
    sign = -1.0 if flat[0] else 1.0
    (R, p), (R1, p1) = (split_pose(_pose(model, cornered, at)) for at in (poses, after))
    T = _pose(model, plane, after)
    found = []
    for gap, point, normal in points:
        corner = p1 + R1 @ (R.T @ (point + (0.5 * sign * (gap + pair.margin)) * normal - p))
        apart, away = T[:3, 2] @ (corner - T[:3, 3]), sign * T[:3, 2]
        found.append(ContactCandidate(apart - pair.margin, corner - (0.5 * apart) * T[:3, 2], away))
    return found


def _pose(model: Model, shape: Shape, poses: Sequence[Array]) -> Array:
    frame = model.frame(shape.body)
    on_body = frame.placement @ shape.placement
    return on_body if frame.body < 0 else poses[frame.body] @ on_body


def pair_name(model: Model, pair: Pair) -> str:
    """Return the names of the two shapes, or of their bodies."""
    return " on ".join(model.shapes[k].name or model.shapes[k].body for k in (pair.first, pair.second))
