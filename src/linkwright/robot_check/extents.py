"""Sizes of links: points that bound their shapes, and the origins of their joints."""

from __future__ import annotations

from itertools import product

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.formats.meshes.reading import mesh_of
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))

UNBOUNDED = ("plane", "height_field")


def half_extents(shape: Shape) -> tuple[Array, Array] | None:
    """Return the center and the half sides (3,) of the bounding box of a shape in its frame; None if not bounded or not
    readable."""
    if shape.kind in UNBOUNDED:
        return None
    if shape.kind == "mesh":
        try:
            V = mesh_of(shape).vertices
        except LinkwrightError:
            return None
        low, high = V.min(axis=0), V.max(axis=0)
        return 0.5 * (low + high), 0.5 * (high - low)
    if shape.kind in ("box", "ellipsoid"):
        return np.zeros(3), 0.5 * np.array(shape.size)
    r, z = shape.radius, shape.radius
    if shape.kind != "sphere":
        z = 0.5 * shape.length + (shape.radius if shape.kind == "capsule" else 0.0)
    return np.zeros(3), np.array([r, r, z])


def link_points(model: Model) -> dict[str, Array]:
    """Return, for each link with shapes, points (n, 3) that bound them, in its frame."""
    found: dict[str, list[Array]] = {}
    for shape in model.shapes:
        box = half_extents(shape)
        if box is not None:
            corners = box[0] + SIGNS * box[1]
            T = shape.placement
            found.setdefault(shape.body, []).append(corners @ T[:3, :3].T + T[:3, 3])
    for joint in model.description.joints:
        if joint.parent in found:
            found[joint.parent].append(np.asarray(joint.placement)[None, :3, 3])
    return {name: np.concatenate([np.zeros((1, 3)), *points]) for name, points in found.items()}
