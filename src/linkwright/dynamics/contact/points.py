"""The points where the shapes of a model's pairs may touch."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.dynamics.contact.shapes import Candidate, candidates, points_of
from linkwright.model.pair import Pair
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def points_of_pair(model: Model, pair: Pair) -> int:
    """How many points of contact a pair has."""
    return points_of(model.shapes[pair.first].kind, model.shapes[pair.second].kind)


def points_between(model: Model, pair: Pair, poses: Sequence[Array]) -> list[Candidate]:
    """The points of a pair, from the bodies' poses (4, 4); the gaps less its margin."""
    ends = []
    for number in (pair.first, pair.second):
        shape = model.shapes[number]
        frame = model.frame(shape.body)
        on_body = frame.placement @ shape.placement
        ends += [shape, on_body if frame.body < 0 else poses[frame.body] @ on_body]
    return [point._replace(gap=point.gap - pair.margin) for point in candidates(*ends)]


def pair_name(model: Model, pair: Pair) -> str:
    """The two shapes by their names, or by their bodies."""
    return " on ".join(model.shapes[k].name or model.shapes[k].body for k in (pair.first, pair.second))
