"""Shapes on a height field z = f(x, y) in its frame, bilinear in each cell, solid below, empty beyond its sides.

The distance of a point is that from the tangent plane of the field below it, (z − f)/√(1 + f_x² + f_y²). It is exact on
flat cells; otherwise its error is the deviation of the field from the plane over the distance and the radius.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, ContactCandidate, either, halves, unit, vector
from linkwright.dynamics.contact.shapes.convex.hull_table import hull_table
from linkwright.dynamics.contact.shapes.manifold_reduction import PointRow, reduced_manifold
from linkwright.dynamics.contact.shapes.planes import rim_points
from linkwright.dynamics.contact.shapes.rounded import axis_of, touching
from linkwright.errors import InputError
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, clip
from linkwright.spatial.loops.memory import empty_row, write
from linkwright.spatial.loops.repeats import repeat, symbol_among
from linkwright.spatial.loops.tables import take

WIDTH = 9
"""Numbers of a point of a hull: gap, place on the field, contact point, normal."""


class PlacedHeightField:
    """Height field in the world."""

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
        """Return the distance of a point from the field, and the normal there in the world; beyond its sides
        :data:`FAR`."""
        x, y, z = self.R.T @ (point - self.middle)
        (a, b, c, d), (_, u, per_x, on_x), (_, v, per_y, on_y) = self._corners(x, y)
        near, far = a + u * (b - a), c + u * (d - c)
        slope_x = ((b - a) + v * ((d - c) - (b - a))) * per_x
        slope_y = (far - near) * per_y
        steep = 1.0 / np.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        distance = (z - (near + v * (far - near))) * steep
        normal = self.R @ vector(-slope_x * steep, -slope_y * steep, steep)
        return either(on_x & on_y, distance, FAR), normal

    def height(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return the height of a field with a vertical axis at a point of the world, and whether the field is there;
        beyond its sides the height is that of its edge."""
        at, along, _ = self.R.T @ (vector(x, y, 0.0) - self.middle)
        (a, b, c, d), (_, u, _, on_x), (_, v, _, on_y) = self._corners(at, along)
        near, far = a + u * (b - a), c + u * (d - c)
        return self.middle[2] + near + v * (far - near), on_x & on_y

    def _corners(self, x: Any, y: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Return the heights of the corners of the cell at x and y, and the cells of x and of y."""
        column, row = self._cell(x, self.size[0], self.columns), self._cell(y, self.size[1], self.rows)
        first = row[0] * float(self.columns) + column[0]
        a, b = take(self.table, first), take(self.table, first + 1.0)
        c, d = take(self.table, first + float(self.columns)), take(self.table, first + float(self.columns + 1))
        return (a, b, c, d), column, row

    def _cell(self, x: Any, size: Any, count: int) -> tuple[Any, Any, Any, Any]:
        """Return the cell of a coordinate, its position in the cell from 0 to 1, cells per meter, and whether it is on
        the field."""
        per = (count - 1.0) / size
        place = (x + 0.5 * size) * per
        cell = clip(np.floor(place), 0.0, count - 2.0)
        return cell, clip(place - cell, 0.0, 1.0), per, (place >= 0.0) & (place <= count - 1.0)

    def ball(self, center: Array, radius: Any) -> ContactCandidate:
        """Return the candidate of a ball."""
        distance, normal = self.above(center)
        return touching(center, radius, distance, normal)


def sphere(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """One ball."""
    return [PlacedHeightField(field, T_field).ball(T[:3, 3], shape.radius)]


def capsule(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """Three balls, at both ends and in the middle. Between them the depth in a ridge may be larger."""
    ground, (c, half) = PlacedHeightField(field, T_field), axis_of(shape, T)
    return [ground.ball(center, shape.radius) for center in (c - half, c, c + half)]


def box(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """Its eight corners. Peaks of the field between them are missed."""
    ground, c = PlacedHeightField(field, T_field), T[:3, 3]
    x, y, z = (half * T[:3, k] for k, half in enumerate(halves(shape.size)))
    signs = (-1.0, 1.0)
    corners = [c + i * x + j * y + k * z for i in signs for j in signs for k in signs]
    return [ground.ball(corner, 0.0) for corner in corners]


def cylinder(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """Points of its rims that would touch a plane with the slope below its center (`planes.rim_points`)."""
    ground = PlacedHeightField(field, T_field)
    _, normal = ground.above(T[:3, 3])
    return [ground.ball(point, 0.0) for point in rim_points(shape, T, normal)]


SUPPORT_POINTS = 3
"""Number of points of an ellipsoid that are tried."""


def ellipsoid(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """Return the deepest of its lowest points along the slope below the center, and below the previous point."""
    ground, center = PlacedHeightField(field, T_field), T[:3, 3]
    B = T[:3, :3] * np.array(halves(shape.size))
    _, normal = ground.above(center)
    found = None
    for _ in range(SUPPORT_POINTS):
        _, down = unit(B.T @ normal, (0.0, 0.0, 1.0))
        point = ground.ball(center - B @ down, 0.0)
        normal = point.normal
        found = point if found is None else _deeper(point, found)
    assert found is not None
    return [found]


def _deeper(one: ContactCandidate, other: ContactCandidate) -> ContactCandidate:
    less = one.gap < other.gap
    return ContactCandidate(*(either(less, x, y) for x, y in zip(one, other, strict=True)))


def hull(shape: Shape, T: Array, field: Shape, T_field: Array) -> list[ContactCandidate]:
    """Return four distant vertices among those nearly as deep, and the deepest one. Peaks of the field between
    vertices are missed."""
    ground, table = PlacedHeightField(field, T_field), hull_table(shape, faces=False)
    x, y, _ = T_field[:3, :3].T
    symbol = symbol_among([T, T_field, table.vertices])

    def visit(k: Any, row: Any) -> Any:
        vertex = T[:3, :3] @ take(table.vertices, table.first + k) + T[:3, 3]
        gap, point, normal = ground.ball(vertex, 0.0)
        away = vertex - T_field[:3, 3]
        return write(row, k * float(WIDTH), [gap, x @ away, y @ away, *point, *normal])

    row = repeat(table.most, visit, empty_row(symbol, table.most * WIDTH))
    points = reduced_manifold(PointRow(row, table.most, WIDTH))
    return [ContactCandidate(point[0], np.stack(point[3:6]), np.stack(point[6:])) for point in points]
