"""Which pairs of kinds are served, by which function, with how many points."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.dynamics.contact.shapes import (
    box_box,
    boxes,
    cylinder_box,
    cylinder_cylinder,
    cylinders,
    fields,
    planes,
    round,
)
from linkwright.dynamics.contact.shapes.candidate import Candidate
from linkwright.dynamics.contact.shapes.spread import POINTS
from linkwright.errors import InputError
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array

Between = Callable[[Shape, Array, Shape, Array], list[Candidate]]

SERVED: dict[tuple[str, str], tuple[Between, int]] = {
    ("sphere", "plane"): (planes.sphere, 1),
    ("capsule", "plane"): (planes.capsule, 2),
    ("box", "plane"): (planes.box, 4),
    ("cylinder", "plane"): (planes.cylinder, 5),
    ("ellipsoid", "plane"): (planes.ellipsoid, 1),
    ("mesh", "plane"): (planes.hull, POINTS),
    ("sphere", "height_field"): (fields.sphere, 1),
    ("capsule", "height_field"): (fields.capsule, 3),
    ("box", "height_field"): (fields.box, 8),
    ("cylinder", "height_field"): (fields.cylinder, 5),
    ("sphere", "sphere"): (round.sphere_sphere, 1),
    ("sphere", "capsule"): (round.sphere_capsule, 1),
    ("capsule", "capsule"): (round.capsule_capsule, 2),
    ("sphere", "box"): (boxes.sphere_box, 1),
    ("capsule", "box"): (boxes.capsule_box, 2),
    ("box", "box"): (box_box.box_box, POINTS),
    ("sphere", "cylinder"): (cylinders.sphere_cylinder, 1),
    ("capsule", "cylinder"): (cylinders.capsule_cylinder, 2),
    ("cylinder", "box"): (cylinder_box.cylinder_box, POINTS),
    ("cylinder", "cylinder"): (cylinder_cylinder.cylinder_cylinder, POINTS),
}
"""The pairs, in the order in which their functions take them, and how many candidates these give."""


def points_of(first: str, second: str) -> int:
    """How many candidates a pair of kinds has, in either order; :class:`InputError` of one that is not served."""
    return _served(first, second)[1]


def candidates(first: Shape, T1: Array, second: Shape, T2: Array) -> list[Candidate]:
    """The points where two shapes may touch, of numbers or of symbols: as many as :func:`points_of` says, always.

    ``T1``, ``T2`` (4, 4) are the poses of the shapes' own frames in the world. The normals are from the second shape to
    the first; points that at the moment do not exist have a gap of :data:`FAR`. The shapes' margins are not counted.
    Raises :class:`InputError` for kinds that are not served.
    """
    between, _ = _served(first.kind, second.kind)
    if (first.kind, second.kind) in SERVED:
        return between(first, T1, second, T2)
    return [candidate.turned() for candidate in between(second, T2, first, T1)]


def _served(first: str, second: str) -> tuple[Between, int]:
    found = SERVED.get((first, second)) or SERVED.get((second, first))
    if found is None:
        pairs = ", ".join(f"{a}–{b}" for a, b in SERVED)
        raise InputError(f"contact between {first!r} and {second!r} is not served; there are {pairs}")
    return found
