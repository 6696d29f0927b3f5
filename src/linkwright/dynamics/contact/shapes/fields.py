"""Shapes on a height field: z = f(x, y) in its frame, bilinear in each cell, solid beneath; beyond its sides nothing.

The distance of a point is taken from the plane that touches the field beneath it, (z − f)/√(1 + f_x² + f_y²): the true
one where the cell is flat, else wrong by what the field bends over the distance and the radius of what touches it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, Candidate, either, halves, vector
from linkwright.dynamics.contact.shapes.planes import rim_points
from linkwright.dynamics.contact.shapes.round import axis_of, touching
from linkwright.errors import InputError
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array, clip
from linkwright.spatial.tables import take


class _Field:
    """A height field in the world."""

    def __init__(self, shape: Shape, T: Array):
        heights = np.asarray(shape.heights)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InputError(
                f"the heights of a height field are (rows, columns), two of each at least; got shape {heights.shape}"
            )
        self.rows, self.columns = heights.shape
        self.table = heights.reshape(-1)
        self.size = shape.size
        self.R, self.middle = T[:3, :3], T[:3, 3]

    def above(self, point: Array) -> tuple[Any, Array]:
        """How far a point is from the field, and the normal there in the world; far beyond its sides."""
        x, y, z = self.R.T @ (point - self.middle)
        i, u, per_x, on_x = self._cell(x, self.size[0], self.columns)
        j, v, per_y, on_y = self._cell(y, self.size[1], self.rows)
        first = j * float(self.columns) + i
        a, b = take(self.table, first), take(self.table, first + 1.0)
        c, d = take(self.table, first + float(self.columns)), take(self.table, first + float(self.columns + 1))
        near, far = a + u * (b - a), c + u * (d - c)
        slope_x = ((b - a) + v * ((d - c) - (b - a))) * per_x
        slope_y = (far - near) * per_y
        steep = 1.0 / np.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        distance = (z - (near + v * (far - near))) * steep
        normal = self.R @ vector(-slope_x * steep, -slope_y * steep, steep)
        return either(on_x & on_y, distance, FAR), normal

    def _cell(self, x: Any, size: Any, count: int) -> tuple[Any, Any, Any, Any]:
        """Of a coordinate its cell, how far it is in it from 0 to 1, cells for each meter, whether it is on it."""
        per = (count - 1.0) / size
        place = (x + 0.5 * size) * per
        cell = clip(np.floor(place), 0.0, count - 2.0)
        return cell, clip(place - cell, 0.0, 1.0), per, (place >= 0.0) & (place <= count - 1.0)

    def ball(self, center: Array, radius: Any) -> Candidate:
        """A ball's candidate."""
        distance, normal = self.above(center)
        return touching(center, radius, distance, normal)


def sphere(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[Candidate]:
    """One ball."""
    return [_Field(field, T_field).ball(T[:3, 3], shape.radius)]


def capsule(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[Candidate]:
    """Three balls: at both ends and in the middle. Between them it may be deeper in a ridge than they tell."""
    ground, (c, half) = _Field(field, T_field), axis_of(shape, T)
    return [ground.ball(center, shape.radius) for center in (c - half, c, c + half)]


def box(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[Candidate]:
    """Its eight corners. What stands out of the field between them does not touch it."""
    ground, c = _Field(field, T_field), T[:3, 3]
    x, y, z = (half * T[:3, k] for k, half in enumerate(halves(shape.size)))
    signs = (-1.0, 1.0)
    corners = [c + i * x + j * y + k * z for i in signs for j in signs for k in signs]
    return [ground.ball(corner, 0.0) for corner in corners]


def cylinder(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[Candidate]:
    """Points of its rims, those that touch a plane as steep as the field beneath its middle (`planes.rim_points`)."""
    ground = _Field(field, T_field)
    _, normal = ground.above(T[:3, 3])
    return [ground.ball(point, 0.0) for point in rim_points(shape, T, normal)]
