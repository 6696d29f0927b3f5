"""Distances along rays to shapes, for arrays of rays in the frame of the shape; ∞ where nothing is hit.

A ray that begins inside a shape hits its surface from inside. Planes are hit from the side of their normal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.spatial.arrays import Array

AT_ONCE = 1 << 18
"""Largest number of pairs of a ray and a triangle in one operation."""

PARALLEL = 1e-15
"""Slope relative to its summands below which a ray is parallel to a triangle."""


def ray_distance(kind: str, size: Array, p: Array, u: Array) -> Array:
    """Return the distances (…) from points p (…, 3) along unit vectors u (…, 3) to a shape that is no mesh.

    ``size`` (…, n): its numbers, radius, or radius and length, or the extents along x, y and z.
    """
    with np.errstate(all="ignore"):
        return KINDS[kind](size, p, u)


def triangle_distance(vertices: Array, faces: Array, p: Array, u: Array) -> Array:
    """Return the distances (…) along rays to triangles, from both sides.

    References
    ----------
    Möller & Trumbore, "Fast, minimum storage ray/triangle intersection", *Journal of Graphics Tools* 2(1), 1997.
    """
    shape = p.shape[:-1]
    p, u = p.reshape(-1, 1, 3), u.reshape(-1, 1, 3)
    nearest = np.full(len(p), np.inf)
    width = max(1, AT_ONCE // max(1, len(p)))
    for first in range(0, len(faces), width):
        corner, *others = (vertices[faces[first : first + width, k]] for k in range(3))
        a, b = (other - corner for other in others)
        normal = np.cross(a, b)
        with np.errstate(all="ignore"):
            slope = -(u * normal).sum(axis=-1)
            from_corner = p - corner
            turned = np.cross(from_corner, u)
            t = (from_corner * normal).sum(axis=-1) / slope
            x, y = (turned * b).sum(axis=-1) / slope, -(turned * a).sum(axis=-1) / slope
            hit = (x >= 0.0) & (y >= 0.0) & (x + y <= 1.0) & (t >= 0.0)
            hit &= np.abs(slope) > PARALLEL * np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
        nearest = np.minimum(nearest, np.where(hit, t, np.inf).min(axis=-1, initial=np.inf))
    return nearest.reshape(shape)


def _first(*candidates: tuple[Array, Array]) -> Array:
    """Return the smallest of distances that are not negative and where the surface exists."""
    return np.min([np.where((t >= 0.0) & there, t, np.inf) for t, there in candidates], axis=0)


def _roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Return both roots of a t² + 2 b t + c; NaN without real ones."""
    root = np.sqrt(b * b - a * c)
    return (-b - root) / a, (-b + root) / a


def _on_quadric(p: Array, u: Array, weights: Array, constant: Array | float) -> tuple[Array, Array]:
    """Return the distances along rays to Σ w x² = constant."""
    return _roots(*((weights * x * y).sum(axis=-1) - c for x, y, c in ((u, u, 0.0), (p, u, 0.0), (p, p, constant))))


def _sphere(size: Array, p: Array, u: Array) -> Array:
    return _first(*((t, np.isfinite(t)) for t in _on_quadric(p, u, np.ones(3), size[..., 0] ** 2)))


def _ellipsoid(size: Array, p: Array, u: Array) -> Array:
    return _first(*((t, np.isfinite(t)) for t in _on_quadric(p, u, 4.0 / size**2, 1.0)))


def _side(size: Array, p: Array, u: Array) -> list[tuple[Array, Array]]:
    """Return the candidates of the round side of a cylinder."""
    found = _on_quadric(p, u, np.array([1.0, 1.0, 0.0]), size[..., 0] ** 2)
    return [(t, np.abs(p[..., 2] + t * u[..., 2]) <= 0.5 * size[..., 1]) for t in found]


def _capsule(size: Array, p: Array, u: Array) -> Array:
    candidates = _side(size, p, u)
    for side in (-1.0, 1.0):
        from_end = p - 0.5 * side * size[..., 1:] * np.array([0.0, 0.0, 1.0])
        for t in _on_quadric(from_end, u, np.ones(3), size[..., 0] ** 2):
            candidates.append((t, (from_end[..., 2] + t * u[..., 2]) * side >= 0.0))
    return _first(*candidates)


def _disk(z: Array, radius: Array, p: Array, u: Array) -> tuple[Array, Array]:
    t = (z - p[..., 2]) / u[..., 2]
    x = p + t[..., None] * u
    return t, x[..., 0] ** 2 + x[..., 1] ** 2 <= radius**2


def _cylinder(size: Array, p: Array, u: Array) -> Array:
    ends = [_disk(0.5 * side * size[..., 1], size[..., 0], p, u) for side in (-1.0, 1.0)]
    return _first(*_side(size, p, u), *ends)


def _cone(size: Array, p: Array, u: Array) -> Array:
    half, slope = 0.5 * size[..., 1], size[..., 0] / size[..., 1]
    apex = half[..., None] * np.array([0.0, 0.0, 1.0])
    weights = np.stack([np.ones_like(slope), np.ones_like(slope), -(slope**2)], axis=-1)
    found = _on_quadric(p - apex, u, weights, 0.0)
    side = [(t, np.abs(p[..., 2] + t * u[..., 2]) <= half) for t in found]
    return _first(*side, _disk(-half, size[..., 0], p, u))


def _box(size: Array, p: Array, u: Array) -> Array:
    one, other = ((sign * 0.5 * size - p) / u for sign in (-1.0, 1.0))
    along = (u == 0.0) & (np.abs(p) <= 0.5 * size)  # between two faces that the ray is parallel to
    enters = np.where(along, -np.inf, np.minimum(one, other)).max(axis=-1)
    leaves = np.where(along, np.inf, np.maximum(one, other)).min(axis=-1)
    through = enters <= leaves
    return _first((enters, through), (leaves, through))


def _plane(size: Array, p: Array, u: Array) -> Array:
    return _first((-p[..., 2] / u[..., 2], u[..., 2] < 0.0))


KINDS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "cone": _cone,
    "box": _box,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
}
