"""Pictures of the velocity and force ellipsoids at a point of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics.frames.manipulability import Ellipsoid
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.scene import Scene
from linkwright.visual.drawing.view import View, ViewName, choose_view
from linkwright.visual.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = 0.3
"""of the mechanism's size: as what the longest semi-axis that has a bound is drawn"""


def draw_ellipsoids(
    model: Model,
    q: Any,
    place: Any,
    ellipsoids: Mapping[str, Ellipsoid],
    *,
    view: ViewName = "auto",
    title: str | None = None,
    azimuth: float = -50.0,
    elevation: float = 18.0,
) -> Figure:
    """Draw a mechanism at q (nq,) with named ellipsoids centered at a point (3,) in the world.

    Each ellipsoid has a separate scale. Unbounded semi-axes are truncated and dashed.
    """
    q = configurations(model, q)[-1:]
    bones, place = skeleton(model), np.asarray(place, dtype=float)
    poses = poses_along(model, q)
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    size = float(np.ptp(np.concatenate([points[0], place[None]]), axis=0).max()) or 1.0
    drawn = {name: _drawn(ellipsoid.semi_axes, size) for name, ellipsoid in ellipsoids.items()}
    semi = [(ellipsoids[name].axes * shown).T for name, (shown, _) in drawn.items()]
    every = np.concatenate([points[0], *(place + side * axes for axes in semi for side in (-1.0, 1.0))])[None]
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    seen = choose_view(every, centers, model.gravity, view, azimuth, elevation, reach, anchors=points[0, bones.anchors])
    scene = Scene(bones, seen, model.name if title is None else title)
    scene.show(points[0], center_of_mass=centers[0])
    for color, (name, (shown, cut)) in zip(COLORS * len(drawn), drawn.items(), strict=False):
        _outline(scene, seen, place, ellipsoids[name].axes * shown, cut, name, color)
    if drawn:
        scene.axes.legend(loc="upper left", fontsize=9, frameon=False)
    return scene.figure


def _drawn(semi_axes: Array, size: float) -> tuple[Array, Array]:
    """The lengths to draw, m, and which have no bound."""
    unbounded = np.isinf(semi_axes)
    longest = semi_axes[~unbounded].max(initial=0.0)
    shown = np.where(unbounded, 1.5 * longest if longest > 0.0 else 1.0, semi_axes)
    return shown * DRAWN * size / (longest if longest > 0.0 else 1.0), unbounded


def _outline(scene: Scene, view: View, place: Array, A: Array, cut: Array, name: str, color: str) -> None:
    """The outline of {place + A u, |u| ≤ 1} and its axes, as seen; outlines, which may be lines, above axes."""
    from matplotlib.patches import Polygon

    center, depth = view.project(place)
    scale = 1.0 if view.flat else view.distance / (view.distance - float(depth))
    B = scale * view.axes[:2] @ A
    U, s, _ = np.linalg.svd(B)
    angle = np.linspace(0.0, 2.0 * np.pi, 181)[:-1]
    ring = center + (np.stack([np.cos(angle), np.sin(angle)], axis=1) * s[:2]) @ U.T
    scene.axes.add_patch(Polygon(ring, closed=True, facecolor=color, alpha=0.15, linewidth=0.0, zorder=60))
    scene.axes.add_patch(Polygon(ring, closed=True, fill=False, edgecolor=color, linewidth=1.8, zorder=62, label=name))
    for axis, short in zip(B.T, cut, strict=True):
        ends = np.stack([center - axis, center + axis])
        scene.axes.plot(*ends.T, color=color, linewidth=1.2, linestyle="--" if short else "-", zorder=61)
