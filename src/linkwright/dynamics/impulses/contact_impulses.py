"""Forces and moments at contact points, from the impulses along their rows; names of these rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.contact.points import pair_name, points_of_pair
from linkwright.dynamics.contact.shapes.candidate import contact_frame
from linkwright.dynamics.impulses.constraints import friction_rows
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


class ContactImpulse(NamedTuple):
    """Contact point with the impulse that acts there on the first shape of its pair."""

    gap: Any
    """m, negative where the shapes overlap; the margin is subtracted"""
    point: Array
    """(3,), m"""
    normal: Array
    """(3,), unit, from the second shape to the first"""
    force: Array
    """(3,): of impulses, N s"""
    moment: Array
    """(3,), about the point: torsional and rolling friction"""


def contact_impulses(model: Model, q: Array, p: Array) -> list[ContactImpulse]:
    """Return the points of all pairs, in order, with the impulses p (m,) of ``contact_constraints`` in world axes."""
    if not model.pairs:
        return []
    poses, at = body_poses(model, q), 0
    found: list[ContactImpulse] = []
    for pair in model.pairs:
        for gap, point, normal in points_between(model, pair, poses):
            axes = (normal, *contact_frame(normal))
            force, moment = p[at] * normal, np.zeros(3)
            at += 1
            for row in (row for _, rows in friction_rows(pair) for row in rows):
                along = p[at] * axes[row.axis]
                force, moment = (force, moment + along) if row.turns else (force + along, moment)
                at += 1
            found.append(ContactImpulse(gap, point, normal, force, moment))
    return found


def row_names(model: Model) -> Iterator[str]:
    """Yield names of the rows of ``contact_constraints``: pair, number of the point if there are several, direction."""
    for pair in model.pairs:
        count = points_of_pair(model, pair)
        for k in range(count):
            name = pair_name(model, pair) + (f" [{k}]" if count > 1 else "")
            yield f"{name} normal"
            yield from (f"{name} {row.name}" for _, rows in friction_rows(pair) for row in rows)
