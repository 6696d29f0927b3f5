"""Where a picture is seen from, and the ground in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from linkwright.errors import InputError, is_choice
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.floors import Floor, carries, level_of, lines_over
from linkwright.visual.drawing.linkage import motion_plane, sweeps_area

ViewName = Literal["auto", "2d", "3d"]

SUNKEN = 0.05
"""Depth below the base, relative to the mechanism, from which on a base has a pedestal."""
LEAST_RATIO, GREATEST_RATIO = 0.62, 1.6
"""of the drawing's width to its height"""


@dataclass(frozen=True, eq=False)
class View:
    """Camera of a picture, constant during a motion."""

    axes: Array
    """(3, 3), the rows right, up and towards the viewer, in the world"""
    flat: bool
    """whether the view is the orthogonal view of a plane motion"""
    center: Array
    """(3,), the point at the center of the view; with ``follows`` relative to the center of mass"""
    distance: float
    """of the eye from the center, m"""
    window: Array
    """(2, 2), the least and the greatest right and up in the picture"""
    size: float
    """of the mechanism, m"""
    up: Array
    """(3,), against gravity"""
    ground: float | None
    """the height of the ground along ``up``, m"""
    follows: bool
    """whether the view moves with the center of mass, which travels too far for a fixed view"""
    climb: tuple[float, float, float] | None = None
    """the height of the ground and the least and greatest height of a motion followed vertically, m"""
    floors: tuple[Floor, ...] = ()
    """the planes and height fields of the world: the ground, unless there are none"""
    pedestal: Array | None = None
    """(3,), m, top of the pedestal of a base, for links that reach below it"""

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
    floors: tuple[Floor, ...] = (),
    anchors: Array | None = None,
) -> View:
    """The view for a motion of ``points`` (n_times, n_points, 3).

    "auto" shows a motion that stays in a plane orthogonally ("2d") and any other motion in perspective ("3d") from
    ``azimuth`` and ``elevation``, in degrees about and above the horizontal x axis. The view is fixed unless the center
    of mass (n_times, 3) travels several times the size of the mechanism. If nothing moves, or all points move along
    one line, the points ``reach`` (n, n_points, 3) of other configurations determine the plane. The points ``around``
    (n_times, n, 3) are in the picture too. The ground is taken from ``floors`` if the model has one. Otherwise it is at
    the base for a mechanism attached to the points ``anchors`` (k, 3) of the world, else at the height of the world's
    origin or of the lowest point. A base on one anchor has a pedestal if its links reach below it.
    """
    if not is_choice(view, ("auto", "2d", "3d")):
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
    base = None if anchors is None or not len(anchors) else float((anchors @ up).min())
    stands = base is not None and center_of_mass[0] @ up > base  # what hangs from its base has no ground there
    level, own = lowest, level_of(floors, up)
    if stands or -0.02 * size <= lowest <= 0.6 * size:
        level = 0.0 if base is None or base >= -0.02 * size else base
    pedestal = None
    if own is not None:
        level = own
    elif stands and anchors is not None and len(anchors) == 1 and around is not None and not follows:
        deepest = float((around @ up).min())
        if deepest < level - SUNKEN * size:
            level, pedestal = deepest, anchors[0] - (anchors[0] @ up - level) * up
    ground = level if not flat and strength > 0.0 and (own is not None or not carries(floors, up)) else None
    climb = None
    if follows and strength > 0.0:
        heights = center_of_mass @ up
        if float(np.ptp(heights)) > 2.0 * size:
            climb = (level, float(heights.min()), float(heights.max()))
    if ground is not None:
        gap = float(((every if not follows else standing) @ up).min()) - ground
        if gap > 0.1 * size:  # far above the ground, which is to be seen too
            below = standing - (standing @ up - ground)[..., None] * up - (center_of_mass[:1, None] if follows else 0.0)
            every = np.concatenate([every, below.reshape(-1, 3)])
    center = np.zeros(3) if flat else 0.5 * (every.min(axis=0) + every.max(axis=0))
    extent = float(np.linalg.norm(np.ptp(every, axis=0))) or 1e-9
    chosen = View(axes, flat, center, 3.2 * extent, np.zeros((2, 2)), size, up, ground, follows, None, floors)
    xy = chosen.project(every)[0]
    low, high = xy.min(axis=0), xy.max(axis=0)
    margin = 0.08 * max(float((high - low).max()), 0.2 * size)
    low, high = low - margin, high + margin
    span = high - low
    span = np.maximum(span, span[::-1] * np.array([LEAST_RATIO, 1.0 / GREATEST_RATIO]))  # never a slit
    window = 0.5 * (low + high) + 0.5 * np.array([-span, span])
    return replace(chosen, window=window, climb=climb, pedestal=None if ground is None else pedestal)


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

    Segments (n, 2, 2) in the picture, how far each is from the middle (n,), 0 to 1, and a note on their size. Planes
    and height fields of the model have theirs; of a plane motion seen square on, planes are lines, of −1.
    """
    span = view.window[1] - view.window[0]
    radius = float(span.max()) if view.flat else 0.62 * float(np.linalg.norm(span))
    found: list[tuple[Array, Array, str]] = []
    if view.flat:
        if view.follows:  # else there are axes
            found.append(_squares(view, about, view.axes[:2], view.axes[2], float(view.axes[2] @ about), about, radius))
        found += [line for floor in view.floors if (line := _edge(view, about, floor, radius)) is not None]
    else:
        middle = about + view.center
        ground = view.ground if not (view.follows and not view.floors and view.ground is None) else 0.0
        if ground is not None and in_sight(view, about, ground):
            found.append(_level(view, about, view.up, ground, middle, radius))
        for floor in view.floors:
            if floor.heights is not None:
                ends, far = lines_over(floor, middle, radius)
                found.append(
                    (view.project(ends, about)[0], far, f"heights over {floor.size[0]:g} × {floor.size[1]:g} m")
                )
            elif not (ground is not None and floor.normal @ view.up > 1.0 - 1e-9):
                away = float(floor.normal @ middle) - floor.height
                if abs(away) <= 1.5 * float(span[1]):
                    found.append(_level(view, about, floor.normal, floor.height, middle, radius))
    if not found:
        return None
    segments, far = np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])
    return segments[far < 1.0], far[far < 1.0], ", ".join(dict.fromkeys(note for _, _, note in found if note))


def _level(
    view: View, about: Array, normal: Array, height: float, middle: Array, radius: float
) -> tuple[Array, Array, str]:
    """Squares on a plane across a normal, about what of it is nearest to the middle."""
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - (first @ normal) * normal
    first = first / np.linalg.norm(first)
    return _squares(view, about, np.array([first, np.cross(normal, first)]), normal, height, middle, radius)


def _squares(
    view: View, about: Array, along: Array, normal: Array, height: float, middle: Array, radius: float
) -> tuple[Array, Array, str]:
    first, second = along
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
    note = f"grid {step:g} m"
    if normal @ view.up > 1.0 - 1e-9 and abs(height) >= 0.005:
        note += f", at height {height:.2f} m"
    return np.concatenate(lines), np.concatenate(away), note


def _edge(view: View, about: Array, floor: Floor, radius: float) -> tuple[Array, Array, str] | None:
    """A plane as the line that it is where it is seen end on; None where it is not."""
    n = view.axes[:2] @ floor.normal
    if floor.heights is not None or np.linalg.norm(n) < 1.0 - 1e-6:
        return None
    middle = view.window.mean(axis=0)
    height = floor.height - float(floor.normal @ (about + view.center))  # of the line from the picture's origin
    foot = middle + (height - n @ middle) * n
    t = np.array([-n[1], n[0]])
    ends = np.array([[foot - radius * t, foot + radius * t]])
    return ends, -np.ones(1), ""


def in_sight(view: View, about: Array, height: float) -> bool:
    """Return whether a horizontal plane is near the center of the view."""
    away = abs(height - float((about + view.center) @ view.up))
    return away <= 1.5 * float(view.window[1, 1] - view.window[0, 1])


def round_step(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten not above ``length``."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(m for m in (1, 2, 5) if m * power <= length * (1.0 + 1e-9)))
