"""What contacts exert, in world axes, from the impulses along their rows; and what each of these rows is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes import contact_frame, points_of
from linkwright.dynamics.impulses.rows import candidates_of
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.pair import Pair
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero

TANGENTS = ("friction 1", "friction 2")


class Exerted(NamedTuple):
    """A point of contact, and what acts there on the pair's first shape."""

    gap: Any
    """m, less than zero where they overlap; the margin taken off"""
    point: Array
    """(3,), m"""
    normal: Array
    """(3,), unit, from the second shape to the first"""
    force: Array
    """(3,): of impulses, N s"""
    moment: Array
    """(3,), about the point: torsional and rolling friction"""


def exerted(model: Model, q: Array, p: Array) -> list[Exerted]:
    """The points of all pairs, in their order, with what the impulses p (m,) of ``touches`` exert there."""
    if not model.pairs:
        return []
    poses, at = body_poses(model, q), 0
    found: list[Exerted] = []
    for pair in model.pairs:
        for gap, point, normal in candidates_of(model, pair, poses):
            t1, t2 = contact_frame(normal)
            force, moment = p[at] * normal, np.zeros(3)
            at += 1
            if not is_zero(pair.friction):
                force = force + p[at] * t1 + p[at + 1] * t2
                at += 2
            if not is_zero(pair.torsional_friction):
                moment = moment + p[at] * normal
                at += 1
            if not is_zero(pair.rolling_friction):
                moment = moment + p[at] * t1 + p[at + 1] * t2
                at += 2
            found.append(Exerted(gap - pair.margin, point, normal, force, moment))
    return found


def pair_name(model: Model, pair: Pair) -> str:
    """The two shapes by their names, or by their bodies."""
    return " on ".join(model.shapes[k].name or model.shapes[k].body for k in (pair.first, pair.second))


def points_of_pair(model: Model, pair: Pair) -> int:
    """How many points of contact a pair has."""
    return points_of(model.shapes[pair.first].kind, model.shapes[pair.second].kind)


def row_names(model: Model) -> Iterator[str]:
    """What the rows of ``touches`` are called: the pair, its point where it has several, and the direction."""
    for pair in model.pairs:
        count = points_of_pair(model, pair)
        for k in range(count):
            name = pair_name(model, pair) + (f" [{k}]" if count > 1 else "")
            yield f"{name} normal"
            if not is_zero(pair.friction):
                yield from (f"{name} {tangent}" for tangent in TANGENTS)
            if not is_zero(pair.torsional_friction):
                yield f"{name} torsion"
            if not is_zero(pair.rolling_friction):
                yield from (f"{name} rolling {k}" for k in (1, 2))
