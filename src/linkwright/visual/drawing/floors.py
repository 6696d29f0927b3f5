"""The grounds, ramps and walls of a model, which have no end: what of them is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

GROUNDED = np.sqrt(0.5)
"""Cosine of the largest angle between the normal of a surface and the vertical at which the surface is a floor."""

MOST_LINES = 40
"""Largest number of lines of a height field in each direction, around the center of the view."""


@dataclass(frozen=True, eq=False)
class Floor:
    """A plane or a height field at rest in the world."""

    T: Array
    """(4, 4), its frame in the world, its normal along z"""
    size: tuple[float, float]
    """m, of a height field from side to side"""
    heights: Array | None = None
    """(rows, columns), m"""

    @property
    def normal(self) -> Array:
        """(3,), out of the ground."""
        normal: Array = self.T[:3, 2]
        return normal

    @property
    def height(self) -> float:
        """m, along its normal from the world's origin."""
        return float(self.normal @ self.T[:3, 3])


def floors_of(model: Model) -> tuple[Floor, ...]:
    """The planes and height fields of the world that are seen or touch; what most is a ground comes first."""
    found = []
    for shape in model.shapes:
        frame = model.frames[shape.body]
        if frame.body < 0 and shape.kind in ("plane", "height_field"):
            size = shape.size[:2]
            found.append(Floor(frame.placement @ shape.placement, size, shape.heights))
    up = -np.asarray(model.gravity, dtype=float)
    return tuple(sorted(found, key=lambda floor: -float(floor.normal @ up)))


def level_of(floors: tuple[Floor, ...], up: Array) -> float | None:
    """How high the ground is, where it is a level plane."""
    if floors and floors[0].heights is None and floors[0].normal @ up > 1.0 - 1e-9:
        return floors[0].height
    return None


def carries(floors: tuple[Floor, ...], up: Array) -> bool:
    """Whether one of them is a ground."""
    return any(floor.normal @ up > GROUNDED for floor in floors)


def lines_over(floor: Floor, middle: Array, radius: float) -> tuple[Array, Array]:
    """Lines over a height field within a radius (m) of a point: segments (n, 2, 3), how far each is, 0 to 1."""
    assert floor.heights is not None
    rows, columns = floor.heights.shape
    x = (np.arange(columns) / (columns - 1) - 0.5) * floor.size[0]
    y = (np.arange(rows) / (rows - 1) - 0.5) * floor.size[1]
    u, v, _ = floor.T[:3, :3].T @ (middle - floor.T[:3, 3])
    i, j = _near(y, v, radius), _near(x, u, radius)
    X, Y = np.meshgrid(x[j], y[i])
    local = np.stack([X, Y, floor.heights[np.ix_(i, j)]], axis=-1)
    corners = local @ floor.T[:3, :3].T + floor.T[:3, 3]
    distance = np.hypot(X - u, Y - v) / radius
    segments, far = [], []
    for p, d in ((corners, distance), (corners.swapaxes(0, 1), distance.T)):
        segments.append(np.stack([p[:-1], p[1:]], axis=2).reshape(-1, 2, 3))
        far.append(0.5 * (d[:-1] + d[1:]).ravel())
    return np.concatenate(segments), np.concatenate(far)


def _near(ticks: Array, place: float, radius: float) -> Array:
    """The places of those ticks that are within the radius, or at its ends; few enough to be drawn."""
    within = np.flatnonzero(np.abs(ticks - place) <= radius)
    if not len(within):
        return within
    first, last = max(int(within[0]) - 1, 0), min(int(within[-1]) + 1, len(ticks) - 1)
    step = max(1, -(-(last - first) // MOST_LINES))
    return np.unique(np.append(np.arange(first, last + 1, step), last))
