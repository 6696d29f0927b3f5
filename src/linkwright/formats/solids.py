"""Mass properties of solids: volume, center and inertia of the shapes in files, at density 1.

The formulas are those of textbooks for balls, boxes, cylinders, cones and capsules; for polyhedra they are sums over
the tetrahedra from the origin to each face (Mirtich 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import rigid_inertia
from linkwright.spatial.rotation import rotation_from_z


class SolidProperties(NamedTuple):
    """A homogeneous solid of density 1."""

    volume: float
    """m³"""
    center: Array
    """(3,), m"""
    inertia: Array
    """(3, 3), about the center, m⁵"""

    def moved(self, T: Array) -> SolidProperties:
        """Return the same solid, its frame at the pose T (4, 4)."""
        R = T[:3, :3]
        return SolidProperties(self.volume, R @ self.center + T[:3, 3], R @ self.inertia @ R.T)

    def mirrored(self, axis: int) -> SolidProperties:
        """Return the mirror image with the coordinate of this index reversed."""
        S = np.eye(3)
        S[axis, axis] = -1.0
        return SolidProperties(self.volume, S @ self.center, S @ self.inertia @ S)


def together(solids: Sequence[SolidProperties]) -> SolidProperties:
    """Return several solids as one; overlapping parts count twice."""
    volume = sum(solid.volume for solid in solids)
    moment = sum((solid.volume * solid.center for solid in solids), np.zeros(3))
    inertia = sum((rigid_inertia(*solid).inertia for solid in solids), np.zeros((3, 3)))  # about the origin
    center = moment / volume if volume else np.zeros(3)
    return SolidProperties(volume, center, inertia + rigid_inertia(-volume, center, np.zeros((3, 3))).inertia)


def box(center: Array, R: Array, edges: Array) -> SolidProperties:
    """Return a box of full edges (3,) along the columns of R (3, 3)."""
    x, y, z = edges**2
    return _turned(float(np.prod(edges)), center, R, np.array([y + z, z + x, x + y]) / 12.0)


def ellipsoid(center: Array, R: Array, radii: Array) -> SolidProperties:
    """Return an ellipsoid, or a ball, of radii (3,) along the columns of R (3, 3)."""
    x, y, z = radii**2
    return _turned(4.0 / 3.0 * np.pi * float(np.prod(radii)), center, R, np.array([y + z, z + x, x + y]) / 5.0)


def cylinder(one: Array, other: Array, radius: float) -> SolidProperties:
    """Return a cylinder between the centers (3,) of its ends."""
    R = _along(other - one)
    return elliptic_cylinder(one, other, radius, radius, R[:, 0])


def elliptic_cylinder(one: Array, other: Array, first: float, second: float, along: Array) -> SolidProperties:
    """Return a cylinder between the centers of its elliptic ends, whose ``first`` radius is along ``along`` (3,)."""
    axis = other - one
    length = float(np.linalg.norm(axis))
    z = axis / (length or 1.0)
    x = along - (along @ z) * z
    x = x / (np.linalg.norm(x) or 1.0)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    a, b, h = first**2 / 4.0, second**2 / 4.0, length**2 / 12.0
    return _turned(np.pi * first * second * length, 0.5 * (one + other), R, np.array([b + h, a + h, a + b]))


def cone(base: Array, tip: Array, radius: float) -> SolidProperties:
    """Return a cone from the center (3,) of its base to its tip (3,)."""
    axis = tip - base
    r, h = radius**2, float(axis @ axis)
    across = 0.15 * r + 0.0375 * h
    volume = np.pi * r * np.sqrt(h) / 3.0
    return _turned(volume, base + 0.25 * axis, _along(axis), np.array([across, across, 0.3 * r]))


def capsule(one: Array, other: Array, radius: float) -> SolidProperties:
    """Return a cylinder between two points (3,) with half a ball at each."""
    axis = other - one
    r, h = radius, float(np.linalg.norm(axis))
    volume = np.pi * r**2 * (h + 4.0 / 3.0 * r)
    about = np.pi * r**4 * (8.0 / 15.0 * r + 0.5 * h)
    across = np.pi * r**2 * (r**2 * (8.0 / 15.0 * r + 0.75 * h) + (r + 0.25 * h) * h**2 / 3.0)
    moments = np.array([across, across, about])
    return _turned(volume, 0.5 * (one + other), _along(axis), moments / (volume or 1.0))


def polyhedron(vertices: Array, faces: Array) -> SolidProperties:
    """Return the solid within triangles, rows of three indices of vertices (n, 3), with outward normals."""
    A = vertices[faces]  # (faces, corner, 3)
    volumes = np.einsum("fi,fi->f", A[:, 0], np.cross(A[:, 1], A[:, 2])) / 6.0
    sums = A.sum(axis=1)
    volume = float(volumes.sum())
    center = (volumes @ sums) / (4.0 * volume) if volume else np.zeros(3)
    second = np.einsum("f,fi,fj->ij", volumes, sums, sums) + np.einsum("f,fci,fcj->ij", volumes, A, A)
    second = second / 20.0 - volume * np.outer(center, center)  # ∫ r rᵀ about the center
    inertia = np.trace(second) * np.eye(3) - second
    return SolidProperties(volume, center, 0.5 * (inertia + inertia.T))


def prism(polygon: Array, shift: Array) -> SolidProperties:
    """Return the solid swept by a plane polygon (n, 3) that is shifted (3,)."""
    n = len(polygon)
    k = np.arange(1, n - 1)
    i, j = np.arange(n), (np.arange(n) + 1) % n
    bottom, top = np.stack([0 * k, k + 1, k], axis=1), np.stack([0 * k + n, k + n, k + 1 + n], axis=1)
    sides = np.concatenate([np.stack([i, j, j + n], axis=1), np.stack([i, j + n, i + n], axis=1)])
    return _outwards(np.concatenate([polygon, polygon + shift]), np.concatenate([bottom, top, sides]))


def pyramid(polygon: Array, tip: Array) -> SolidProperties:
    """Return the solid between a plane polygon (n, 3) and a point (3,)."""
    n = len(polygon)
    k, i = np.arange(1, n - 1), np.arange(n)
    bottom, sides = np.stack([0 * k, k + 1, k], axis=1), np.stack([i, (i + 1) % n, 0 * i + n], axis=1)
    return _outwards(np.concatenate([polygon, tip[None]]), np.concatenate([bottom, sides]))


def _outwards(vertices: Array, faces: Array) -> SolidProperties:
    """Return the polyhedron for either orientation of its polygon."""
    solid = polyhedron(vertices, faces)
    return solid if solid.volume >= 0.0 else SolidProperties(-solid.volume, solid.center, -solid.inertia)


def _turned(volume: float, center: Array, R: Array, moments: Array) -> SolidProperties:
    """Return a solid with moments (3,) per volume about the columns of R."""
    return SolidProperties(volume, np.array(center, dtype=float), volume * (R @ np.diag(moments) @ R.T))


def _along(axis: Array) -> Array:
    """Return axes (3, 3) with z along a vector."""
    return rotation_from_z(axis) if axis.any() else np.eye(3)
