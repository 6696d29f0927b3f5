"""Shapes on an infinite plane: normal n along z of its frame, solid below."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.boxes import box_face
from linkwright.dynamics.contact.shapes.candidate import ContactCandidate, along, cross, halves, unit
from linkwright.dynamics.contact.shapes.convex.hull_table import hull_table
from linkwright.dynamics.contact.shapes.manifold_reduction import VertexList, reduced_manifold
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array

UPRIGHT = 1e-6
"""Tilt below which the points on the rim of an upright cylinder are fixed to the cylinder."""


class _HalfSpace:
    """Half-space by its normal and its distance from the origin of the world; constants if it rests in the world."""

    def __init__(self, T: Array):
        self.normal = T[:3, 2]
        self.offset = self.normal @ T[:3, 3]

    def at(self, point: Array, gap: Any) -> ContactCandidate:
        """Return the candidate of a point on the surface of a shape."""
        return ContactCandidate(gap, point - (0.5 * gap) * self.normal, self.normal)

    def of(self, point: Array) -> ContactCandidate:
        return self.at(point, self.normal @ point - self.offset)


def sphere(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """n·c − r."""
    return [_ball(T[:3, 3], shape.radius, _HalfSpace(T_plane))]


def capsule(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """Its two end spheres, first that at −z."""
    plane, c, half = _HalfSpace(T_plane), T[:3, 3], (0.5 * shape.length) * T[:3, 2]
    return [_ball(c - half, shape.radius, plane), _ball(c + half, shape.radius, plane)]


def _ball(center: Array, radius: Any, plane: _HalfSpace) -> ContactCandidate:
    height = plane.normal @ center - plane.offset
    return ContactCandidate(height - radius, center - (0.5 * (height + radius)) * plane.normal, plane.normal)


def box(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """Return the four corners of the face nearest to the plane; the other four are never lower."""
    plane = _HalfSpace(T_plane)
    n, c = plane.normal, T[:3, 3]
    face = box_face(T[:3, :3], halves(shape.size), -n)
    middle, height = c + face.out, n @ c - plane.offset + n @ face.out
    u_rise, v_rise = n @ face.u, n @ face.v
    return [
        plane.at(middle + a * face.u + b * face.v, height + a * u_rise + b * v_rise)
        for a in (-1.0, 1.0)
        for b in (-1.0, 1.0)
    ]


def cylinder(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """Return the lowest point of each rim, first that at −z, and three more points of the lower rim, 90° apart.

    For the axis a and the half length l, the lowest point is c − sign(n·a) l a − r w, w = (n − (n·a) a)/|…|, with the
    gap n·c − l |n·a| − r √(1 − (n·a)²).
    """
    plane = _HalfSpace(T_plane)
    return [plane.of(point) for point in rim_points(shape, T, plane.normal)]


def rim_points(shape: Shape, T: Array, normal: Array) -> list[Array]:
    """Return the five contact points of a cylinder for a normal toward the cylinder (see :func:`cylinder`)."""
    c, a, x = T[:3, 3], T[:3, 2], T[:3, 0]
    rise = normal @ a
    half, end = (0.5 * shape.length) * a, -along(rise)
    _, down = unit(UPRIGHT * x - (normal - rise * a), (1.0, 0.0, 0.0))
    down = shape.radius * down
    aside = cross(a, down)
    lower = c + end * half
    return [c - half + down, c + half + down, lower - down, lower + aside, lower - aside]


def ellipsoid(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """With B = R diag(half axes) and h = |Bᵀn|: gap n·c − h, at c − B Bᵀn/h."""
    plane, c = _HalfSpace(T_plane), T[:3, 3]
    B = T[:3, :3] * np.array(halves(shape.size))
    h, down = unit(B.T @ plane.normal, (0.0, 0.0, 1.0))
    return [plane.at(c - B @ down, plane.normal @ c - plane.offset - h)]


def hull(shape: Shape, T: Array, _: Shape, T_plane: Array) -> list[ContactCandidate]:
    """Return the lowest vertex, and four distant ones among those nearly as low (:func:`reduced_manifold`)."""
    plane, c = _HalfSpace(T_plane), T[:3, 3]
    t1, t2 = T_plane[:3, 0], T_plane[:3, 1]
    height = plane.normal @ c - plane.offset
    beneath, axes = c - height * plane.normal, T[:3, :3].T @ np.stack([plane.normal, t1, t2], axis=1)
    table = hull_table(shape, faces=False)
    points = VertexList(table.vertices, table.first, table.most, np.stack([height, 0.0, 0.0]), axes)
    return [
        ContactCandidate(gap, beneath + u * t1 + v * t2 + (0.5 * h) * plane.normal, plane.normal)
        for gap, u, v, h in reduced_manifold(points)
    ]
