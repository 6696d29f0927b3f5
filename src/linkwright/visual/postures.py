"""Several postures of one mechanism side by side, seen from one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.linkage import configurations, nearby, poses_along, skeleton
from linkwright.visual.scene import DPI, Scene
from linkwright.visual.view import View, ViewName, choose_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FAR = 20.0
"""How many times its mark's size a target may be away to be drawn."""

_COLOURS = ("#C0392B", "#2E8B57", "#2C5FA8")
"""of the axes x, y, z of a target"""


def draw_postures(
    model: Model,
    q: Any,
    labels: Sequence[str] | None = None,
    *,
    target: Any = None,
    view: ViewName = "auto",
    title: str | None = None,
    azimuth: float = -50.0,
    elevation: float = 18.0,
) -> Figure:
    """A picture of a mechanism in configurations q (n, nq), one beside the other, each with its label.

    ``target``: a pose (4, 4), drawn as its three axes, or a position (3,), drawn as a cross, if it is near.
    The other options are those of :func:`~linkwright.visual.scene.draw`.
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
    considered = points
    if marks is not None and np.abs(marks - points.reshape(-1, 3).mean(axis=0)).max() > _FAR * size:
        marks = None  # the mechanism would be a dot beside it
    if marks is not None:
        ends = np.broadcast_to(marks.reshape(-1, 3), (len(points), marks.size // 3, 3))
        considered = np.concatenate([points, ends], axis=1)
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    seen = choose_view(considered, centers, model.gravity, view, azimuth, elevation, reach)
    scene = Scene(bones, seen, model.name if title is None else title)
    if marks is not None:
        _draw_marks(scene, seen, marks)

    def show(k: int) -> None:
        scene.show(points[k], center_of_mass=centers[k], time=names[k])

    return _tiled(list(scene.frames(show, len(q))), Figure)


def _marks(target: Array, size: float) -> Array:
    """The ends (n, 2, 3) of the strokes that mark a target."""
    if target.shape == (4, 4):
        return np.array([[target[:3, 3], target[:3, 3] + size * target[:3, k]] for k in range(3)])
    return np.array([[target - 0.5 * size * e, target + 0.5 * size * e] for e in np.eye(3)])


def _draw_marks(scene: Scene, view: View, marks: Array) -> None:
    from matplotlib.collections import LineCollection

    xy = view.project(marks)[0]
    strokes = LineCollection(list(xy), colors=_COLOURS, linewidths=2.5, zorder=80, capstyle="round")
    scene.axes.add_collection(strokes, autolim=False)
    scene.moving.append(strokes)  # over the mechanism


def _tiled(pictures: list[Array], make: Any) -> Figure:
    """Pictures of one size as one, in rows."""
    across = int(np.ceil(np.sqrt(len(pictures))))
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
