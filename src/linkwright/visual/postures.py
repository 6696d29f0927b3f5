"""Several postures of one mechanism side by side, seen from one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import Skeleton, configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.scene import AREA, DPI, Scene
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.view import View, ViewName, choose_view
from linkwright.visual.palette import AXIS_COLORS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FAR = 20.0
"""How many times its mark's size a target may be away to be drawn."""

_AZIMUTHS = (-50.0, *range(-170, 181, 10))
"""from which postures may be seen, degrees; the first is usual"""


def draw_postures(
    model: Model,
    q: Any,
    labels: Sequence[str] | None = None,
    *,
    target: Any = None,
    view: ViewName = "auto",
    title: str | None = None,
    azimuth: float | None = None,
    elevation: float = 18.0,
) -> Figure:
    """Draw a mechanism in the configurations q (n, nq) side by side, each with its label.

    ``target`` is a pose (4, 4), drawn as three axes, or a position (3,), drawn as a cross; it is drawn if it is near.
    A body without length, as in a wrist, is drawn as the axis of its hinge, with a dot at the positive end. Without
    ``azimuth``, the direction of view is chosen so that no configuration is seen edge-on. The other options are those
    of :func:`~linkwright.visual.drawing.scene.draw`.
    """
    from matplotlib.figure import Figure

    q = configurations(model, q)
    if not len(q):
        raise InputError("q has no configuration to draw")
    names = [str(k + 1) for k in range(len(q))] if labels is None else list(labels)
    if len(names) != len(q):
        raise InputError(f"there are {len(names)} labels for {len(q)} configurations")
    bones = skeleton(model)
    poses = poses_along(model, q)
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    size = 0.12 * float(np.ptp(points[0], axis=0).max())
    marks = None if target is None else _marks(np.asarray(target, dtype=float), size)
    axes = _short_axes(model, bones, poses, size)
    covered = skin(model)
    if covered is not None:
        axes = axes[:, :0]
    drawn = considered = np.concatenate([points, axes.reshape(len(q), -1, 3)], axis=1)
    around = covered.corners_along(poses) if covered else None
    if marks is not None and np.abs(marks - points.reshape(-1, 3).mean(axis=0)).max() > _FAR * size:
        marks = None  # the mechanism would be a dot beside it
    if marks is not None:
        ends = np.broadcast_to(marks.reshape(-1, 3), (len(points), marks.size // 3, 3))
        considered = np.concatenate([drawn, ends], axis=1)
    reach, floors = bones.along(poses_along(model, nearby(model, q[0]))), floors_of(model)

    def seen_from(azimuth: float) -> View:
        return choose_view(
            considered, centers, model.gravity, view, azimuth, elevation, reach, around, floors,
            anchors=points[0, bones.anchors],
        )  # fmt: skip

    seen = _clearest(seen_from, drawn) if azimuth is None else seen_from(azimuth)
    area = AREA / max(1.0, 0.5 * np.sqrt(len(q)))
    scene = Scene(bones, seen, model.name if title is None else title, covered=covered, area=area)
    if marks is not None:
        _draw_marks(scene, seen, marks)
    strokes, (dots,) = _strokes(scene, [INK] * axes.shape[1], 75), scene.axes.plot([], [], "o", c=INK, ms=6, zorder=76)
    scene.moving.append(dots)

    def show(k: int) -> None:
        xy = seen.project(axes[k])[0]
        strokes.set_segments(list(xy))
        dots.set_data(xy[:, 1].T)
        scene.show(points[k], center_of_mass=centers[k], time=names[k], poses=poses[k : k + 1])

    return _tiled(list(scene.frames(show, len(q))), Figure)


def _marks(target: Array, size: float) -> Array:
    """The ends (n, 2, 3) of the strokes that mark a target."""
    if target.shape == (4, 4):
        return np.array([[target[:3, 3], target[:3, 3] + size * target[:3, k]] for k in range(3)])
    return np.array([[target - 0.5 * size * e, target + 0.5 * size * e] for e in np.eye(3)])


def _draw_marks(scene: Scene, view: View, marks: Array) -> None:
    _strokes(scene, AXIS_COLORS, 80).set_segments(list(view.project(marks)[0]))


def _strokes(scene: Scene, colors: Sequence[str], over: int) -> Any:
    """Strokes over the mechanism, to be drawn with it."""
    from matplotlib.collections import LineCollection

    strokes = LineCollection([], colors=colors, linewidths=2.5, zorder=over, capstyle="round")
    scene.axes.add_collection(strokes, autolim=False)
    scene.moving.append(strokes)
    return strokes


def _short_axes(model: Model, bones: Skeleton, poses: Array, length: float) -> Array:
    """The axes (n, m, 2, 3), along poses (n, bodies, 4, 4), of the hinges carried by bodies without length."""
    drawn = set(bones.owner.tolist())
    hinges = [
        k for k, link in enumerate(model.links) if link.parent >= 0 and link.parent not in drawn and link.motion.hinge
    ]
    held = poses[:, hinges]
    start, along = held[..., :3, 3], held[..., :3, 2]
    return np.stack([start, start + length * along], axis=2)


def _clearest(seen_from: Callable[[float], View], points: Array) -> View:
    """The usual view of points (n_times, n_points, 3), unless others show them much less edgeways and less alike."""

    def clear(view: View) -> float:
        xy = np.array([view.project(now)[0] for now in points]) / view.size
        spread = min(np.linalg.eigvalsh(np.cov(now.T))[0] for now in xy)
        apart = [np.linalg.norm(xy[:k] - xy[k], axis=-1).max(axis=-1).min() for k in range(1, len(xy))]
        return float(np.sqrt(max(spread, 0.0))) + min(apart, default=0.0)

    views = [seen_from(azimuth) for azimuth in _AZIMUTHS]
    values = [clear(view) for view in views]
    best = int(np.argmax(values))
    return views[0] if values[0] >= 0.8 * values[best] else views[best]


def _tiled(pictures: list[Array], make: Any) -> Figure:
    """Pictures of one size as one, in rows that make it about as wide as one and a half times its height."""
    height, width = pictures[0].shape[:2]
    across = min(len(pictures), max(1, round(np.sqrt(1.5 * len(pictures) * height / width))))
    blank = np.full_like(pictures[0], 255)
    pictures = pictures + [blank] * (-len(pictures) % across)
    rows = [np.concatenate(pictures[k : k + across], axis=1) for k in range(0, len(pictures), across)]
    whole = np.concatenate(rows, axis=0)
    height, width = whole.shape[:2]
    figure = make(figsize=(width / DPI, height / DPI), dpi=DPI)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(whole, interpolation="nearest", aspect="auto")
    axes.set_axis_off()
    return figure
