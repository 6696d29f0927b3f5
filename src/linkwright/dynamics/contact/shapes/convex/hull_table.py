"""Vertices and faces of convex hulls in tables, of one hull or of many."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.dynamics.distance.cores import GROUP, VertexTable
from linkwright.errors import InputError
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array

MOST_VERTICES = 64
"""Largest number of vertices of a convex hull."""

MOST_CORNERS = 8
"""Largest number of corners of a face in a table; of a face with more, the corners that keep most of its area."""

COPLANAR = 1e-7
"""Distance from a plane, relative to the size of a hull, at which a vertex is in it."""


@dataclass(frozen=True)
class HullTable:
    """Table of convex hulls with as many rows for each, and the first rows of one of them."""

    vertices: Array
    """(hulls · most, 3)"""
    most: int
    """number of vertices of each hull"""
    normals: Array
    """(hulls · most_faces, 3), outward unit normals of the faces"""
    corners: Array
    """(hulls · most_faces, corners), vertices of the faces, counterclockwise from outside"""
    most_faces: int
    """number of faces of each hull; 0 without faces"""
    hull: Any = 0.0
    """index of the hull, which may be a symbol"""

    @classmethod
    def of(cls, hulls: Sequence[Array], faces: bool = True) -> HullTable:
        """Return the table of the hulls of vertices (n, 3); shorter ones are filled up with their first rows."""
        vertices, count = VertexTable.of(list(hulls))
        if not faces:
            return cls(vertices, count, np.zeros((0, 3)), np.zeros((0, 0)), 0)
        found = [hull_faces(x) for x in hulls]
        most = -(-max(len(n) for n, _ in found) // GROUP) * GROUP
        width = max(corners.shape[1] for _, corners in found)
        normals = np.concatenate([_filled(n, most) for n, _ in found])
        own = [_filled(_wider(corners, width), most) + k * count for k, (_, corners) in enumerate(found)]
        return cls(vertices, count, normals, np.concatenate(own).astype(float), most)

    @property
    def vertex_table(self) -> VertexTable:
        """Table of the vertices of all hulls."""
        return VertexTable(self.vertices, self.most)

    @property
    def first(self) -> Any:
        """Index of the first vertex."""
        return self.hull * float(self.most)

    def at(self, hull: Any) -> HullTable:
        """Return the same table for one of its hulls."""
        return replace(self, hull=hull)


def _filled(rows: Array, count: int) -> Array:
    """Return the rows and repetitions of the first one, ``count`` in all."""
    return np.concatenate([rows, np.repeat(rows[:1], count - len(rows), axis=0)])


def _wider(corners: Array, width: int) -> Array:
    """Return faces with ``width`` corners, the last one repeated."""
    return np.concatenate([corners, np.repeat(corners[:, -1:], width - corners.shape[1], axis=1)], axis=1)


def hull_table(shape: Shape, faces: bool = True) -> HullTable:
    """Return the table of the convex hull of a mesh."""
    return shape.hull if isinstance(shape.hull, HullTable) else HullTable.of([hull_vertices(shape)], faces)


def contact_shape(shape: Shape) -> Shape:
    """Return the shape that touches others: of a cone the hull of its tip and of points of its rim."""
    if shape.kind != "cone":
        return shape
    return replace(shape, kind="mesh", hull=_cone_vertices(float(shape.radius), float(shape.length)))


@functools.lru_cache(maxsize=512)
def _cone_vertices(radius: float, length: float) -> Array:
    """Return the vertices (64, 3) of a hull in a cone: faces are up to 0.13 % of the radius inside."""
    angles = 2.0 * np.pi * np.arange(MOST_VERTICES - 1) / (MOST_VERTICES - 1)
    rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(len(angles), -0.5 * length)])
    return np.vstack([rim, [0.0, 0.0, 0.5 * length]])


def hull_vertices(shape: Shape) -> Array:
    """Return the vertices (n, 3) of the hull if known, else of the mesh."""
    if shape.hull is not None:
        vertices = shape.hull
    elif shape.vertices is not None:
        vertices = np.asarray(shape.vertices) * np.asarray(shape.scale)
    else:
        raise InputError(
            f"the mesh of {shape.body!r} is in a file, {shape.file!r}: give the vertices of its convex hull"
        )
    if len(vertices) > MOST_VERTICES:
        raise InputError(
            f"the mesh of {shape.body!r} has {len(vertices)} vertices, contact takes up to {MOST_VERTICES}: give it a "
            "coarser convex hull, or a box, a capsule or a sphere instead"
        )
    return vertices


def hull_faces(vertices: Array) -> tuple[Array, Array]:
    """Return the normals (m, 3) of the faces of a convex hull, and their corners (m, n), counterclockwise from outside.

    Two vertices are the ends of an edge if all others, seen along the edge, are within a half-plane; the outermost of
    them are on the two faces at the edge.
    """
    return _hull_faces(np.ascontiguousarray(vertices, dtype=float).tobytes())


@functools.lru_cache(maxsize=512)
def _hull_faces(content: bytes) -> tuple[Array, Array]:
    vertices = np.frombuffer(content).reshape(-1, 3)
    x = vertices - vertices.mean(axis=0)
    size = np.linalg.norm(x, axis=1).max()
    normals = _normals_at_edges(x, COPLANAR * size)
    heights = x @ normals.T
    outside = heights.max(axis=0)
    on = heights > outside - COPLANAR * size
    found: dict[bytes, tuple[Array, Array]] = {}
    for k, members in enumerate(on.T):
        key = members.tobytes()
        if key not in found and members.sum() >= 3:
            corners = _corners(x, np.flatnonzero(members), normals[k])
            if len(corners) >= 3:
                found[key] = normals[k], corners
    if not found:
        raise InputError(f"the convex hull of {len(vertices)} vertices has no volume")
    width = max(len(corners) for _, corners in found.values())
    faces = [_wider(corners[None], width)[0] for _, corners in found.values()]
    return np.array([n for n, _ in found.values()]), np.array(faces)


def _normals_at_edges(x: Array, slack: float) -> Array:
    """Return the outward unit normals (m, 3) of the faces on both sides of each edge."""
    i, j = np.triu_indices(len(x), 1)
    edges = x[j] - x[i]
    lengths = np.linalg.norm(edges, axis=1)
    i, edges = i[lengths > slack], edges[lengths > slack] / lengths[lengths > slack, None]
    inward = -x[i]  # the center is inside
    inward -= (inward * edges).sum(axis=1, keepdims=True) * edges
    depth = np.linalg.norm(inward, axis=1)
    i, edges, inward = i[depth > slack], edges[depth > slack], inward[depth > slack] / depth[depth > slack, None]
    aside = np.cross(edges, inward)
    relative = x[None] - x[i][:, None]
    u, v = np.einsum("enk,ek->en", relative, inward), np.einsum("enk,ek->en", relative, aside)
    angles = np.where(np.hypot(u, v) > slack, np.arctan2(v, u), 0.0)
    first, last = angles.min(axis=1), angles.max(axis=1)
    outer = last - first < np.pi + 1e-9
    normals = []
    for angle, side in ((first[outer], 1.0), (last[outer], -1.0)):
        s, c = np.sin(angle)[:, None], np.cos(angle)[:, None]
        normals.append(side * (s * inward[outer] - c * aside[outer]))
    return np.concatenate(normals)


def _corners(x: Array, members: Array, normal: Array) -> Array:
    """Return the corners of a face among vertices in its plane, counterclockwise from outside, at most
    :data:`MOST_CORNERS`."""
    across = np.cross(normal, np.eye(3)[np.argmin(abs(normal))])
    points = x[members] @ np.column_stack([across, np.cross(normal, across)])
    order = np.lexsort((points[:, 1], points[:, 0]))
    slack = COPLANAR * np.ptp(points, axis=0).max() ** 2

    def half(order: Sequence[int]) -> list[int]:
        """Return one side of the polygon (Andrew's monotone chain)."""
        chain: list[int] = []
        for k in order:
            while len(chain) > 1 and _area(points[chain[-2]], points[chain[-1]], points[k]) <= slack:
                chain.pop()
            chain.append(k)
        return chain[:-1]

    corners = half(order.tolist()) + half(order[::-1].tolist())
    while len(corners) > MOST_CORNERS:
        n = len(corners)
        areas = [_area(points[corners[k - 1]], points[corners[k]], points[corners[(k + 1) % n]]) for k in range(n)]
        corners.pop(int(np.argmin(areas)))
    return members[corners]


def _area(a: Array, b: Array, c: Array) -> float:
    """Return twice the signed area of a triangle."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
