"""Distances along rays to shapes, for arrays of rays in the frame of the shape; ∞ where nothing is hit.

Distances to shapes that are no meshes accept symbols, for one ray. A ray that begins inside a shape hits its surface
from inside. Planes are hit from the side of their normal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from linkwright.spatial.arrays import Array, maximum, minimum, where

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


def _first(*candidates: tuple[Array, Array | bool]) -> Array:
    """Return the smallest of distances that are not negative and where the surface exists."""
    return reduce(minimum, (where((t >= 0.0) & there, t, np.inf) for t, there in candidates))


def _parts(x: Array) -> tuple[Array, ...]:
    """Return the entries along the last axis, which are numbers or symbols for one ray."""
    return tuple(np.moveaxis(x, -1, 0))


def _roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Return both roots of a t² + 2 b t + c; NaN without real ones."""
    root = np.sqrt(b * b - a * c)
    return (-b - root) / a, (-b + root) / a


def _on_quadric(p: Array, u: Array, weights: Array, constant: Array | float) -> tuple[Array, Array]:
    """Return the distances along rays to Σ w x² = constant."""
    return _roots(*((weights * x * y).sum(axis=-1) - c for x, y, c in ((u, u, 0.0), (p, u, 0.0), (p, p, constant))))


def _sphere(size: Array, p: Array, u: Array) -> Array:
    return _first(*((t, True) for t in _on_quadric(p, u, np.ones(3), _parts(size)[0] ** 2)))


def _ellipsoid(size: Array, p: Array, u: Array) -> Array:
    return _first(*((t, True) for t in _on_quadric(p, u, 4.0 / size**2, 1.0)))


def _side(size: Array, p: Array, u: Array) -> list[tuple[Array, Array]]:
    """Return the candidates of the round side of a cylinder."""
    (radius, length), (*_, z), (*_, along) = map(_parts, (size, p, u))
    found = _on_quadric(p, u, np.array([1.0, 1.0, 0.0]), radius**2)
    return [(t, abs(z + t * along) <= 0.5 * length) for t in found]


def _capsule(size: Array, p: Array, u: Array) -> Array:
    candidates = _side(size, p, u)
    for side in (-1.0, 1.0):
        from_end = p - 0.5 * side * size[..., 1:] * np.array([0.0, 0.0, 1.0])
        for t in _on_quadric(from_end, u, np.ones(3), _parts(size)[0] ** 2):
            candidates.append((t, (_parts(from_end)[2] + t * _parts(u)[2]) * side >= 0.0))
    return _first(*candidates)


def _disk(z: Array, radius: Array, p: Array, u: Array) -> tuple[Array, Array]:
    (px, py, pz), (ux, uy, uz) = _parts(p), _parts(u)
    t = (z - pz) / uz
    return t, (px + t * ux) ** 2 + (py + t * uy) ** 2 <= radius**2


def _cylinder(size: Array, p: Array, u: Array) -> Array:
    radius, length = _parts(size)
    ends = [_disk(0.5 * side * length, radius, p, u) for side in (-1.0, 1.0)]
    return _first(*_side(size, p, u), *ends)


def _cone(size: Array, p: Array, u: Array) -> Array:
    (radius, length), (*_, z), (*_, along) = map(_parts, (size, p, u))
    half, slope = 0.5 * length, radius / length
    apex = 0.5 * size[..., 1:] * np.array([0.0, 0.0, 1.0])
    weights = np.stack([1.0 + 0.0 * slope, 1.0 + 0.0 * slope, -(slope**2)], axis=-1)
    found = _on_quadric(p - apex, u, weights, 0.0)
    side = [(t, abs(z + t * along) <= half) for t in found]
    return _first(*side, _disk(-half, radius, p, u))


def _box(size: Array, p: Array, u: Array) -> Array:
    enters, leaves = [], []
    for extent, x, slope in zip(*map(_parts, (size, p, u)), strict=True):
        one, other = ((sign * 0.5 * extent - x) / slope for sign in (-1.0, 1.0))
        along = (abs(slope) <= 0.0) & (abs(x) <= 0.5 * extent)  # between two faces that the ray is parallel to
        enters.append(where(along, -np.inf, minimum(one, other)))
        leaves.append(where(along, np.inf, maximum(one, other)))
    first, last = reduce(maximum, enters), reduce(minimum, leaves)
    through = first <= last
    return _first((first, through), (last, through))


def _plane(size: Array, p: Array, u: Array) -> Array:
    height, slope = _parts(p)[2], _parts(u)[2]
    return _first((-height / slope, slope < 0.0))


KINDS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "cone": _cone,
    "box": _box,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
}
