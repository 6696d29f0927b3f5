"""Forces and moments at contact points, from the impulses along their rows; names of these rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.points import contact_points, pair_name, points_of_pair
from linkwright.dynamics.contact.shapes.candidate import ContactCandidate, contact_frame
from linkwright.dynamics.impulses.constraints import FrictionAxis, friction_rows
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.dynamics.impulses.supports import bodies_of
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.loops.entry_table import mapped


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
    points = contact_points(model, body_poses(model, q))

    def wrench(rows: Sequence[FrictionAxis], numbers: Array) -> list[Any]:
        _, normal, own = np.split(numbers, [3, 6])
        force, moment = _wrench(rows, normal, own)
        return [*force, *moment]

    wrenches = _mapped(model, points, p, wrench, 6)
    each = (point for own in points for point in own)
    return [ContactImpulse(*point, one[:3], one[3:]) for point, one in zip(each, wrenches, strict=True)]


def impulse_work(
    model: Model, points: Sequence[Sequence[ContactCandidate]], p: Array, jacobians: PointJacobians
) -> Any:
    """Return pᵀ J v of all contacts, J, for their points and impulses p (m,), and the twists of the bodies at v."""

    def work(rows: Sequence[FrictionAxis], numbers: Array) -> list[Any]:
        point, normal, (first, second), own = np.split(numbers, [3, 6, 8])
        force, moment = _wrench(rows, normal, own)
        velocity, turning = jacobians.relative_twist(first, second, point)
        return [force @ velocity + (moment @ turning if any(row.turns for row in rows) else 0.0)]

    bodies = [[float(k) for k in bodies_of(model, pair)] for pair in model.pairs]
    return sum((one[0] for one in _mapped(model, points, p, work, 1, bodies)), 0.0)


def _mapped(
    model: Model,
    points: Sequence[Sequence[ContactCandidate]],
    p: Array,
    f: Callable[[Sequence[FrictionAxis], Array], list[Any]],
    size: int,
    more: Sequence[Sequence[float]] | None = None,
) -> list[Array]:
    """Return ``f(rows, numbers)`` (size,) of each point, in loops over points of the same friction rows.

    ``numbers``: point, normal, those of ``more`` of the pair, and the impulses of the point.
    """
    kinds: dict[tuple[FrictionAxis, ...], list[tuple[int, list[Any]]]] = {}
    count = at = 0
    for k, (pair, own) in enumerate(zip(model.pairs, points, strict=True)):
        rows = tuple(row for _, some in friction_rows(pair) for row in some)
        for _, point, normal in own:
            impulses = p[at : (at := at + 1 + len(rows))]
            numbers = [*point, *normal, *(more[k] if more else ()), *impulses]
            kinds.setdefault(rows, []).append((count, numbers))
            count += 1
    found: dict[int, Array] = {}
    for rows, contacts in kinds.items():
        each = mapped(partial(f, rows), [numbers for _, numbers in contacts], size)
        found |= {number: one for (number, _), one in zip(contacts, each, strict=True)}
    return [found[k] for k in range(count)]


def _wrench(rows: Sequence[FrictionAxis], normal: Array, p: Array) -> tuple[Array, Array]:
    """Return the force and the moment (3,) of the impulses p of a point: along its normal, and of its friction rows."""
    axes = (normal, *contact_frame(normal))
    force, moment = p[0] * normal, np.zeros(3)
    for row, x in zip(rows, p[1:], strict=True):
        along = x * axes[row.axis]
        force, moment = (force, moment + along) if row.turns else (force + along, moment)
    return force, moment


def row_names(model: Model) -> Iterator[str]:
    """Yield names of the rows of ``contact_constraints``: pair, number of the point if there are several, direction."""
    for pair in model.pairs:
        count = points_of_pair(model, pair)
        for k in range(count):
            name = pair_name(model, pair) + (f" [{k}]" if count > 1 else "")
            yield f"{name} normal"
            yield from (f"{name} {row.name}" for _, rows in friction_rows(pair) for row in rows)
