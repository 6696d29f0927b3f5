"""Face of a convex shape that is most toward a direction."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from linkwright.dynamics.contact.shapes.boxes import box_face
from linkwright.dynamics.contact.shapes.candidate import along, cross, either, unit, vector
from linkwright.dynamics.contact.shapes.convex.hull_table import HullTable
from linkwright.dynamics.contact.shapes.planes import UPRIGHT
from linkwright.dynamics.distance import cores
from linkwright.spatial.arrays import Array, maximum
from linkwright.spatial.loops.repeats import repeat
from linkwright.spatial.loops.tables import take

RIM_CORNERS = 8
"""Number of points on the rim of the end of a cylinder."""

NARROW = 1e-7
"""Width of the face of a side of a cylinder or capsule, relative to its half length."""

LEANING = 0.5
"""Squared cosine between a direction and the axis of a cylinder from which its end is the face."""


class ContactFace(NamedTuple):
    """Face of the core of a shape in the world."""

    normal: Array
    """(3,), unit, outward"""
    corners: list[Array]
    """(3,) each, counterclockwise from outside"""


def face_toward(core: cores.ConvexCore, hull: HullTable | None, d: Array) -> ContactFace:
    """Return the face of a shape whose normal is nearest to a direction d (3,); ``hull``: table of a mesh.

    The side of a cylinder or capsule is a narrow rectangle, the end of a cylinder a polygon in its rim.
    """
    own = core.R.T @ d
    if hull is not None:
        return _hull_face(core, hull, own)
    if core.kind == "box":
        face = box_face(core.R, core.sizes[:3], d)
        return ContactFace(face.normal, _rectangle(core.center + face.out, face.turn * face.u, face.v))
    return _side(core, own) if core.kind == "capsule" else _cylinder_face(core, own)


def _rectangle(middle: Array, u: Array, v: Array) -> list[Array]:
    return [middle + u + v, middle - u + v, middle - u - v, middle + u - v]


def _side(core: cores.ConvexCore, own: Array) -> ContactFace:
    """Return a rectangle along the axis, on the side of the core."""
    half, (r, *_) = core.sizes[2], core.sizes[3:]
    _, out = unit(vector(own[0], own[1], 0.0), (1.0, 0.0, 0.0))
    normal, axis = core.R @ out, core.R[:, 2]
    return ContactFace(normal, _rectangle(core.center + r * normal, half * axis, (NARROW * half) * cross(normal, axis)))


def _cylinder_face(core: cores.ConvexCore, own: Array) -> ContactFace:
    side = _side(core, own)
    half, (r, *_) = core.sizes[2], core.sizes[3:]
    on_end = own[2] * own[2] > LEANING
    up = along(own[2])
    normal = up * core.R[:, 2]
    _, down = unit(vector(own[0] + UPRIGHT, own[1], 0.0), (1.0, 0.0, 0.0))  # the lowest point of the rim
    e = r * (core.R @ down)
    f = cross(normal, e)
    middle = core.center + half * normal
    rim = []
    for k in range(RIM_CORNERS):
        angle = 2.0 * math.pi * k / RIM_CORNERS
        rim.append(middle + math.cos(angle) * e + math.sin(angle) * f)
    sides = [side.corners[k * len(side.corners) // RIM_CORNERS] for k in range(RIM_CORNERS)]
    return ContactFace(
        either(on_end, normal, side.normal), [either(on_end, x, y) for x, y in zip(rim, sides, strict=True)]
    )


def _hull_face(core: cores.ConvexCore, hull: HullTable, own: Array) -> ContactFace:
    first = hull.hull * float(hull.most_faces)

    def compare(k: Any, best: Any, at: Any) -> tuple[Any, Any]:
        for i in range(cores.GROUP):
            place = first + (k * float(cores.GROUP) + float(i))
            height = take(hull.normals, place) @ own
            at, best = either(height > best, place, at), maximum(height, best)
        return best, at

    _, at = repeat(hull.most_faces // cores.GROUP, compare, -2.0, 0.0)
    corners = [core.center + core.R @ take(hull.vertices, k) for k in take(hull.corners, at)]
    return ContactFace(core.R @ take(hull.normals, at), corners)
