"""Table of supported pairs of shapes, with their functions and numbers of contact points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.dynamics.contact.shapes import (
    box_box,
    boxes,
    cylinder_box,
    cylinder_cylinder,
    cylinders,
    height_fields,
    planes,
    rounded,
)
from linkwright.dynamics.contact.shapes.candidate import ContactCandidate
from linkwright.dynamics.contact.shapes.convex.convex_pair import along_line, one_point, several_points
from linkwright.dynamics.contact.shapes.convex.hull_table import contact_shape
from linkwright.dynamics.contact.shapes.manifold_reduction import POINTS
from linkwright.errors import InputError
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array

PairFunction = Callable[..., list[ContactCandidate]]
"""Function of two shapes and their poses."""

LIMITED = (one_point, along_line, several_points)
"""Functions that take less time for shapes that are farther apart than a further argument ``limit``."""

SERVED: dict[tuple[str, str], tuple[PairFunction, int]] = {
    ("sphere", "plane"): (planes.sphere, 1),
    ("capsule", "plane"): (planes.capsule, 2),
    ("box", "plane"): (planes.box, 4),
    ("cylinder", "plane"): (planes.cylinder, 5),
    ("ellipsoid", "plane"): (planes.ellipsoid, 1),
    ("mesh", "plane"): (planes.hull, POINTS),
    ("sphere", "height_field"): (height_fields.sphere, 1),
    ("capsule", "height_field"): (height_fields.capsule, 3),
    ("box", "height_field"): (height_fields.box, 8),
    ("cylinder", "height_field"): (height_fields.cylinder, 5),
    ("ellipsoid", "height_field"): (height_fields.ellipsoid, 1),
    ("mesh", "height_field"): (height_fields.hull, POINTS),
    ("sphere", "sphere"): (rounded.sphere_sphere, 1),
    ("sphere", "capsule"): (rounded.sphere_capsule, 1),
    ("capsule", "capsule"): (rounded.capsule_capsule, 2),
    ("sphere", "box"): (boxes.sphere_box, 1),
    ("capsule", "box"): (boxes.capsule_box, 2),
    ("box", "box"): (box_box.box_box, POINTS),
    ("sphere", "cylinder"): (cylinders.sphere_cylinder, 1),
    ("capsule", "cylinder"): (cylinders.capsule_cylinder, 2),
    ("cylinder", "box"): (cylinder_box.cylinder_box, POINTS),
    ("cylinder", "cylinder"): (cylinder_cylinder.cylinder_cylinder, POINTS),
    ("sphere", "mesh"): (one_point, 1),
    ("capsule", "mesh"): (along_line, 3),
    ("box", "mesh"): (several_points, POINTS),
    ("cylinder", "mesh"): (several_points, POINTS),
    ("mesh", "mesh"): (several_points, POINTS),
    **{(kind, "ellipsoid"): (one_point, 1) for kind in ("sphere", "capsule", "box", "cylinder", "mesh", "ellipsoid")},
}
"""Functions by pair of kinds, in the order of their arguments, with numbers of candidates; cones touch as hulls."""


def points_of(first: str, second: str) -> int:
    """Return the number of candidates of a pair of kinds, in either order; raise :class:`InputError` if it is not
    supported."""
    return _served(first, second)[1]


def candidates(first: Shape, T1: Array, second: Shape, T2: Array, limit: Any = None) -> list[ContactCandidate]:
    """Return the candidate points of two shapes, of numbers or symbols; their number is that of :func:`points_of`.

    ``T1``, ``T2`` (4, 4) are the poses of the shape frames in the world. Normals point from the second shape to the
    first. Points that do not exist at the moment have the gap :data:`FAR`. Margins of the shapes are not subtracted.
    With a ``limit``, m, points with larger gaps are undefined, and their gaps may be any number larger than it.
    Raises :class:`InputError` for unsupported kinds.
    """
    between, _ = _served(first.kind, second.kind)
    first, second = contact_shape(first), contact_shape(second)
    further = (limit,) if between in LIMITED else ()
    if (first.kind, second.kind) in SERVED:
        return between(first, T1, second, T2, *further)
    return [candidate.flipped() for candidate in between(second, T2, first, T1, *further)]


def _served(first: str, second: str) -> tuple[PairFunction, int]:
    one, other = ("mesh" if kind == "cone" else kind for kind in (first, second))
    found = SERVED.get((one, other)) or SERVED.get((other, one))
    if found is None:
        pairs = ", ".join(f"{a}–{b}" for a, b in SERVED)
        raise InputError(f"contact between {first!r} and {second!r} is not served; there are {pairs}")
    return found
