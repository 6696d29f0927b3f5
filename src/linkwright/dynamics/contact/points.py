"""Contact points of the pairs of a model."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.dynamics.contact.looped_points import PairPoints, Reach, looped_points
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.contact.shapes.pairs import points_of
from linkwright.model.parts.pair import Pair
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def points_of_pair(model: Model, pair: Pair) -> int:
    """Return the number of contact points of a pair."""
    return points_of(model.shapes[pair.first].kind, model.shapes[pair.second].kind)


def contact_points(model: Model, poses: Sequence[Array], reach: Reach | None = None) -> PairPoints:
    """Return the contact points of all pairs, with symbols in loops over pairs of the same kinds.

    ``reach``: pairs in loops that are farther apart have no points.
    """
    found = looped_points(model, model.pairs, poses, reach)
    return PairPoints(points_between(model, pair, poses) for pair in model.pairs) if found is None else found


def pair_name(model: Model, pair: Pair) -> str:
    """Return the names of the two shapes, or of their bodies."""
    return " on ".join(model.shapes[k].name or model.shapes[k].body for k in (pair.first, pair.second))
