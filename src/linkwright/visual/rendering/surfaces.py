"""Triangles of primitive shapes, and the smooth normals of triangles."""

from __future__ import annotations

from itertools import product

import numpy as np

from linkwright.formats.meshes.reading import Mesh
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array

FACETS = 32
"""of a circle"""
CREASE = np.cos(np.radians(35.0))
"""Triangles whose normals differ by a smaller angle look smooth."""


def primitive(shape: Shape, facets: int = FACETS) -> Mesh:
    """Return the surface of a primitive or a height field in its own frame; ``facets`` of a circle."""
    half, r = 0.5 * shape.length, shape.radius
    if shape.kind == "box":
        corners = 0.5 * np.array(list(product((-1.0, 1.0), repeat=3))) * np.array(shape.size)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        return Mesh(corners, np.array([f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))]))
    if shape.kind == "height_field":
        assert shape.heights is not None
        return _surface(shape.heights, shape.size)
    if shape.kind == "cylinder":
        return turned([(0.0, -half), (r, -half), (r, half), (0.0, half)], facets)
    if shape.kind == "cone":
        return turned([(0.0, -half), (r, -half), (0.0, half)], facets)
    if shape.kind == "capsule":
        return capsule(r, -half, half, facets)
    ball = sphere(facets)
    return Mesh(ball.vertices * (r if shape.kind == "sphere" else 0.5 * np.array(shape.size)), ball.faces)


def _surface(heights: Array, size: tuple[float, float, float]) -> Mesh:
    """Two triangles in each cell of a height field."""
    rows, columns = heights.shape
    y, x = np.meshgrid(
        *(np.linspace(-0.5, 0.5, n) * s for n, s in ((rows, size[1]), (columns, size[0]))), indexing="ij"
    )
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (corner.ravel() for corner in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Mesh(np.stack([x, y, heights], axis=-1).reshape(-1, 3), faces)


def turned(profile: list[tuple[float, float]], facets: int = FACETS) -> Mesh:
    """Return the surface of revolution about z of a profile of (radius, height), upwards."""
    turn = np.linspace(0.0, 2.0 * np.pi, facets, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    V = np.concatenate([np.column_stack([radius * ring, np.full(facets, height)]) for radius, height in profile])
    a = np.arange(facets)
    b = (a + 1) % facets
    rows = [np.stack([a, b, b + facets], axis=1), np.stack([a, b + facets, a + facets], axis=1)]
    F = np.concatenate([k * facets + rows[i] for k in range(len(profile) - 1) for i in range(2)])
    area = np.linalg.norm(_cross_products(V, F), axis=1)
    return Mesh(V, F[area > 1e-9 * area.max()])


def sphere(facets: int = FACETS) -> Mesh:
    """Return a sphere of radius 1."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, facets // 2 + 1)
    return turned([(float(np.cos(t)), float(np.sin(t))) for t in angles], facets)


def capsule(radius: float, low: float, high: float, facets: int = FACETS) -> Mesh:
    """Return a capsule along z whose caps have their centers at the heights ``low`` and ``high``."""
    angles = np.linspace(0.0, 0.5 * np.pi, facets // 4 + 1)
    arc = [(float(radius * np.cos(t)), float(radius * np.sin(t))) for t in angles]
    return turned([*((r, low - z) for r, z in reversed(arc)), *((r, high + z) for r, z in arc)], facets)


def creased(mesh: Mesh) -> Mesh:
    """Split corners at sharp edges, and merge them elsewhere.

    A corner is shared by those triangles that look smooth together, so one normal for each corner is enough.
    """
    return creases(mesh)[0]


def creases(mesh: Mesh) -> tuple[Mesh, Array]:
    """Return the mesh of :func:`creased`, and the indices (m,) of the triangles that remain."""
    V, F = mesh
    grid = 1e-7 * float(np.ptp(V, axis=0).max() or 1.0)
    _, first, number = np.unique(np.round(V / grid), axis=0, return_index=True, return_inverse=True)
    V, F = V[first], number.reshape(-1)[F]
    left = np.flatnonzero((F[:, 0] != F[:, 1]) & (F[:, 1] != F[:, 2]) & (F[:, 2] != F[:, 0]))
    F = F[left]
    if not len(F):
        return mesh, np.arange(len(mesh.faces))
    normals = _unit(_cross_products(V, F))
    # sides of triangles that lie on one edge: the corners at its ends are one where the edge is blunt
    corner = np.arange(F.size).reshape(F.shape)
    a, b = F.ravel(), np.roll(F, -1, axis=1).ravel()
    at_a, at_b, face = corner.ravel(), np.roll(corner, -1, axis=1).ravel(), np.repeat(np.arange(len(F)), 3)
    swapped = a > b
    at_low, at_high = np.where(swapped, at_b, at_a), np.where(swapped, at_a, at_b)
    edge = np.minimum(a, b) * len(V) + np.maximum(a, b)
    order = np.argsort(edge, kind="stable")
    here, there = order[:-1], order[1:]
    smooth = (edge[here] == edge[there]) & (np.einsum("ij,ij->i", normals[face[here]], normals[face[there]]) > CREASE)
    here, there = here[smooth], there[smooth]
    ends = (np.concatenate([at_low[here], at_high[here]]), np.concatenate([at_low[there], at_high[there]]))
    group = np.arange(F.size)
    while True:  # the smallest index of all corners that are one
        least = np.minimum(group[ends[0]], group[ends[1]])
        new = group.copy()
        np.minimum.at(new, ends[0], least)
        np.minimum.at(new, ends[1], least)
        new = new[new]
        if (new == group).all():
            break
        group = new
    kept, faces = np.unique(group, return_inverse=True)
    return Mesh(V[F.ravel()[kept]], faces.reshape(-1, 3)), left


def corner_normals(mesh: Mesh) -> Array:
    """Return the unit normal (n, 3) of each corner: the mean of its triangles' normals, weighted by their angles."""
    V, F = mesh
    normals = _unit(_cross_products(V, F))
    total = np.zeros((len(V), 3))
    for k in range(3):
        one, other = (V[F[:, (k + i) % 3]] - V[F[:, k]] for i in (1, 2))
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        angle = np.arccos(np.clip(np.einsum("ij,ij->i", one, other) / np.maximum(lengths, 1e-300), -1.0, 1.0))
        for axis in range(3):
            total[:, axis] += np.bincount(F[:, k], angle * normals[:, axis], minlength=len(V))
    return _unit(total)


def _cross_products(V: Array, F: Array) -> Array:
    """Return (m, 3) along the normals of triangles, as long as twice their areas."""
    a, b, c = (V[F[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _unit(vectors: Array) -> Array:
    """Return vectors (n, 3) with length 1, zero for zero."""
    unit: Array = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return unit
