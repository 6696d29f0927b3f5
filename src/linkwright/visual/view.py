"""Where a picture is seen from, and the ground in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array
from linkwright.visual.linkage import motion_plane, sweeps_area

ViewName = Literal["auto", "2d", "3d"]

LEAST_RATIO, GREATEST_RATIO = 0.8, 1.6
"""of the drawing's width to its height"""


@dataclass(frozen=True, eq=False)
class View:
    """Where a picture is seen from: fixed over a whole motion."""

    axes: Array
    """(3, 3), the rows right, up and towards the viewer, in the world"""
    flat: bool
    """whether it is a plane motion, seen square on"""
    center: Array
    """(3,), what it looks at; with ``follows`` relative to the centre of mass"""
    distance: float
    """of the eye from the centre, m"""
    window: Array
    """(2, 2), the least and the greatest right and up in the picture"""
    size: float
    """of the mechanism, m"""
    up: Array
    """(3,), against gravity"""
    ground: float | None
    """the height of the ground along ``up``, m"""
    follows: bool
    """whether it moves with the centre of mass, which travels too far to show all"""
    climb: tuple[float, float, float] | None = None
    """where the ground is, and the least and the greatest height of what is followed far up or down, m"""

    def project(self, points: Any, about: Any = 0.0) -> tuple[Array, Array]:
        """Where points (…, 3) are in the picture, (…, 2), and how near the viewer (…,)."""
        seen = (np.asarray(points) - about - self.center) @ self.axes.T
        if self.flat:
            return seen[..., :2], seen[..., 2]
        return seen[..., :2] * (self.distance / (self.distance - seen[..., 2:])), seen[..., 2]


def choose_view(
    points: Array,
    center_of_mass: Array,
    gravity: Array,
    view: ViewName = "auto",
    azimuth: float = -50.0,
    elevation: float = 18.0,
    reach: Array | None = None,
    around: Array | None = None,
) -> View:
    """The view for a motion of ``points`` (n_times, n_points, 3).

    "auto" sees a motion that stays in a plane square on ("2d"), every other one in perspective ("3d") from
    ``azimuth`` and ``elevation``, degrees about and above the horizontal x axis. It stands still unless the
    centre of mass (n_times, 3) travels several times the size of the mechanism. Where nothing moves, or
    along a line only, ``reach`` (n, n_points, 3) tells where else the mechanism can go. What is ``around``
    (n_times, n, 3) is in the picture too.
    """
    if view not in ("auto", "2d", "3d"):
        raise InputError(f'view is "auto", "2d" or "3d"; got {view!r}')
    if not np.isfinite((azimuth, elevation)).all() or abs(elevation) >= 90.0:
        raise InputError(
            f"azimuth is in degrees, and elevation between -90 and 90 degrees; got {azimuth!r}, {elevation!r}"
        )
    strength = float(np.linalg.norm(gravity))
    up = -np.asarray(gravity, dtype=float) / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])
    size = float(np.ptp(points, axis=1).max()) or 1e-9
    follows = float(np.ptp(center_of_mass, axis=0).max()) > 4.0 * size
    seen = points - center_of_mass[:, None] if follows else points

    judged = seen if reach is None or sweeps_area(seen) else np.concatenate([seen[:1, : reach.shape[1]], reach])
    normal = None if view == "3d" else motion_plane(judged, up)
    if view == "2d" and normal is None:
        normal = _thin_direction(seen, up)
    flat = normal is not None
    axes = _plane_axes(normal, up, strength > 0.0) if normal is not None else _camera_axes(up, azimuth, elevation)

    every = seen.reshape(-1, 3)
    if around is not None:
        every = np.concatenate([every, (around - center_of_mass[:, None] if follows else around).reshape(-1, 3)])
    standing = points[:1] if follows else points
    lowest = float((standing @ up).min())
    level = 0.0 if -0.02 * size <= lowest <= 0.6 * size else lowest
    ground = level if not flat and strength > 0.0 else None
    climb = None
    if follows and strength > 0.0:
        heights = center_of_mass @ up
        if float(np.ptp(heights)) > 2.0 * size:
            climb = (level, float(heights.min()), float(heights.max()))
    if ground is not None:
        below = standing - (standing @ up - ground)[..., None] * up - (center_of_mass[:1, None] if follows else 0.0)
        every = np.concatenate([every, below.reshape(-1, 3)])
    center = np.zeros(3) if flat else 0.5 * (every.min(axis=0) + every.max(axis=0))
    extent = float(np.linalg.norm(np.ptp(every, axis=0))) or 1e-9
    chosen = View(axes, flat, center, 3.2 * extent, np.zeros((2, 2)), size, up, ground, follows)
    xy = chosen.project(every)[0]
    low, high = xy.min(axis=0), xy.max(axis=0)
    margin = 0.08 * max(float((high - low).max()), 0.2 * size)
    low, high = low - margin, high + margin
    span = high - low
    span = np.maximum(span, span[::-1] * np.array([LEAST_RATIO, 1.0 / GREATEST_RATIO]))  # never a slit
    window = 0.5 * (low + high) + 0.5 * np.array([-span, span])
    return View(axes, flat, center, chosen.distance, window, size, up, ground, follows, climb)


def _plane_axes(normal: Array, up: Array, has_gravity: bool) -> Array:
    """Right, up and towards the viewer for a plane: up against gravity where that lies in the plane."""
    rise = up - (up @ normal) * normal
    if not has_gravity or np.linalg.norm(rise) < 0.7:  # seen along gravity: the world's axes, as on a map
        for axis in (2, 1, 0):
            if abs(normal[axis]) > 0.57:
                normal = normal * np.sign(normal[axis])
                break
        along = np.eye(3)[1] if abs(normal[1]) < 0.8 else np.eye(3)[2]
        rise = along - (along @ normal) * normal
    rise = rise / np.linalg.norm(rise)
    right = np.cross(rise, normal)
    largest = int(np.argmax(np.abs(right) - 1e-6 * np.arange(3)))
    if right[largest] < 0.0:  # x to the right, or y
        right, normal = -right, -normal
    axes = np.array([right, rise, normal])
    return np.where(np.abs(axes) < 1e-9, 0.0, axes)


def _camera_axes(up: Array, azimuth: float, elevation: float) -> Array:
    """Right, up and towards the viewer for an eye at an azimuth and elevation, in degrees."""
    x = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    x = x - (x @ up) * up
    x = x / np.linalg.norm(x)
    y = np.cross(up, x)
    a, e = np.radians(azimuth), np.radians(elevation)
    towards = np.cos(e) * (np.cos(a) * x + np.sin(a) * y) + np.sin(e) * up
    right = np.cross(up, towards)
    right = right / np.linalg.norm(right)
    return np.array([right, np.cross(towards, right), towards])


def _thin_direction(points: Array, up: Array) -> Array:
    """The horizontal direction in which points extend least."""
    flat = points.reshape(-1, 3) - points.reshape(-1, 3).mean(axis=0)
    flat = flat - np.outer(flat @ up, up)
    axes = np.linalg.eigh(flat.T @ flat)[1]
    thin = min((axes[:, k] for k in range(2)), key=lambda axis: abs(axis @ up))
    thin = thin - (thin @ up) * up
    return np.asarray(thin / np.linalg.norm(thin))


def grid_lines(view: View, about: Array) -> tuple[Array, Array, str] | None:
    """Squares of a round size on the ground, or behind a plane motion that is followed; None where there are none.

    Segments (n, 2, 2) in the picture, how far each is from the middle (n,), 0 to 1, and a note on their size.
    """
    span = view.window[1] - view.window[0]
    if view.flat:
        if not view.follows:
            return None  # there are axes
        first, second, normal = view.axes
        middle, height, radius = about, float(normal @ about), float(span.max())
    elif view.ground is not None or view.follows:
        normal, height = view.up, 0.0 if view.ground is None else view.ground
        first = np.eye(3)[int(np.argmin(np.abs(normal)))]
        first = first - (first @ normal) * normal
        first = first / np.linalg.norm(first)
        second = np.cross(normal, first)
        middle, radius = about + view.center, 0.62 * float(np.linalg.norm(span))
        if not in_sight(view, about, height):
            return None
    else:
        return None  # without gravity there is no ground
    step = round_step(radius / 5.0)
    u0, v0 = (np.round(float(middle @ e) / step) * step for e in (first, second))
    ticks = step * np.arange(-12, 13)
    a, b = np.meshgrid(ticks, ticks, indexing="ij")
    corners = (u0 + a)[..., None] * first + (v0 + b)[..., None] * second + height * normal
    xy = view.project(corners, about)[0]
    distance = np.hypot(u0 + a - middle @ first, v0 + b - middle @ second) / radius
    lines, away = [], []
    for p, d in ((xy, distance), (xy.swapaxes(0, 1), distance.T)):
        lines.append(np.stack([p[:-1], p[1:]], axis=2).reshape(-1, 2, 2))
        away.append(0.5 * (d[:-1] + d[1:]).ravel())
    segments, far = np.concatenate(lines), np.concatenate(away)
    note = f"grid {step:g} m" + (f", at height {height:.2f} m" if abs(height) >= 0.005 else "")
    return segments[far < 1.0], far[far < 1.0], note


def in_sight(view: View, about: Array, height: float) -> bool:
    """Whether a horizontal plane is near what is looked at."""
    away = abs(height - float((about + view.center) @ view.up))
    return away <= 1.5 * float(view.window[1, 1] - view.window[0, 1])


def round_step(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten not above ``length``."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(m for m in (1, 2, 5) if m * power <= length * (1.0 + 1e-9)))
