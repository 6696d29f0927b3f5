"""Shapes of a ZTK file. Elliptic cylinders, swept loops, NURBS and imported files are omitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.formats.text_values import WordFindings
from linkwright.formats.ztk.shapes import AXES, box_axes, center_of, positive_numbers, several_points, triangles
from linkwright.formats.ztk.text import ZtkSection
from linkwright.formats.ztk.values import ZTKValues
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix

MOST_MIRRORS = 50
"""Largest number of consecutive mirrors."""


def shape_of(findings: WordFindings, sections: Mapping[str, ZtkSection], name: str, link: str) -> Shape | None:
    """Return a shape on a link; None for an unsupported kind, or with a problem."""
    section = sections[name]
    mirrors: list[tuple[ZtkSection, int]] = []
    while (key := section.get("mirror")) is not None and len(mirrors) < MOST_MIRRORS:
        words = [value.text for value in key.values]
        if len(words) != 2 or words[0] not in sections or words[1].lower() not in [*AXES]:
            return None  # reported where it is weighed
        mirrors.append((section, AXES.index(words[1].lower())))
        section = sections[words[0]]
    type = section.get("type")
    make = LOOKS.get(type.text if type else "")
    values = ZTKValues(findings)
    placement = values.placement(section)
    if make is None or section.get("import") or section.get("mirror") or placement is None:
        return None
    fields = make(section, values)
    if fields is None:
        return None
    T = placement @ fields.pop("placement")
    shape = Shape(link, placement=T, use="visual", name=name, place=findings.place(sections[name]), **fields)
    for mirror, axis in reversed(mirrors):
        M, N = np.eye(3), np.diag([1.0, -1.0, 1.0])
        M[axis, axis] = -1.0
        image = pose_matrix(M @ shape.placement[:3, :3] @ N, M @ shape.placement[:3, 3])
        placed = values.placement(mirror)
        if placed is None:
            return None
        x, y, z = shape.scale
        scale = (x, -y, z) if shape.kind == "mesh" else shape.scale
        shape = replace(shape, placement=placed @ image, scale=scale)
    for message in shape.problems():
        findings.problem(section, message)
        return None
    return shape


def _box(section: ZtkSection, values: ZTKValues) -> dict[str, Any] | None:
    center, R = center_of(section, values), box_axes(section, values)
    edges = positive_numbers(section, values, "depth", "width", "height")
    if center is None or R is None or edges is None:
        return None
    return {"kind": "box", "placement": pose_matrix(_right(R), center), "size": tuple(edges)}


def _ellipsoid(section: ZtkSection, values: ZTKValues) -> dict[str, Any] | None:
    center, R = center_of(section, values), box_axes(section, values)
    radii = positive_numbers(section, values, "rx", "ry", "rz")
    if center is None or R is None or radii is None:
        return None
    size = tuple(2.0 * r for r in radii)
    return {"kind": "ellipsoid", "placement": pose_matrix(_right(R), center), "size": size}


def _sphere(section: ZtkSection, values: ZTKValues) -> dict[str, Any] | None:
    center, radius = center_of(section, values), positive_numbers(section, values, "radius")
    if center is None or radius is None:
        return None
    return {"kind": "sphere", "placement": pose_matrix(p=center), "radius": radius[0]}


def _round(kind: str) -> Callable[[ZtkSection, ZTKValues], dict[str, Any] | None]:
    def made(section: ZtkSection, values: ZTKValues) -> dict[str, Any] | None:
        if kind == "cone":
            base, tip = several_points(section, values, "center", 1), several_points(section, values, "vert", 1)
            ends = base + tip if base and tip else None
        else:
            ends = several_points(section, values, "center", 2)
        radius = positive_numbers(section, values, "radius")
        if ends is None or radius is None:
            return None
        along = ends[1] - ends[0]
        length = math.hypot(*along)
        R = rotation_from_z(along) if length else np.eye(3)
        T = pose_matrix(R, 0.5 * (ends[0] + ends[1]))
        return {"kind": kind, "placement": T, "radius": radius[0], "length": length}

    return made


def _polyhedron(section: ZtkSection, values: ZTKValues) -> dict[str, Any] | None:
    if section.get("prism") or section.get("pyramid"):
        return None
    found = triangles(section, values)
    if found is None:
        return None
    return {"kind": "mesh", "placement": np.eye(4), "vertices": found[0], "faces": found[1]}


def _right(R: Array) -> Array:
    """Return right-handed axes of the same box."""
    return R if np.linalg.det(R) > 0.0 else R * np.array([1.0, 1.0, -1.0])


LOOKS: Mapping[str, Callable[[ZtkSection, ZTKValues], dict[str, Any] | None]] = {
    "box": _box,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "cylinder": _round("cylinder"),
    "capsule": _round("capsule"),
    "cone": _round("cone"),
    "polyhedron": _polyhedron,
}
