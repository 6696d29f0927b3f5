"""What contacts exert, in world axes, from the impulses along their rows; and what each of these rows is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.points import pair_name, points_between, points_of_pair
from linkwright.dynamics.contact.shapes import contact_frame
from linkwright.dynamics.impulses.rows import friction_rows
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


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
        for gap, point, normal in points_between(model, pair, poses):
            axes = (normal, *contact_frame(normal))
            force, moment = p[at] * normal, np.zeros(3)
            at += 1
            for row in (row for _, rows in friction_rows(pair) for row in rows):
                along = p[at] * axes[row.axis]
                force, moment = (force, moment + along) if row.turns else (force + along, moment)
                at += 1
            found.append(Exerted(gap, point, normal, force, moment))
    return found


def row_names(model: Model) -> Iterator[str]:
    """What the rows of ``touches`` are called: the pair, its point where it has several, and the direction."""
    for pair in model.pairs:
        count = points_of_pair(model, pair)
        for k in range(count):
            name = pair_name(model, pair) + (f" [{k}]" if count > 1 else "")
            yield f"{name} normal"
            yield from (f"{name} {row.name}" for _, rows in friction_rows(pair) for row in rows)
