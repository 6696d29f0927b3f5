"""Drawing functions of the gallery: figures, planar linkages, arrows, insets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.files import write_figure
from linkwright.spatial.arrays import Array
from linkwright.visual import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN, PURPLE, ORANGE = (palette.COLORS[k] for k in (0, 1, 2, 6, 5))
GRAY, INK = palette.SPINE, palette.INK
CYCLE = (BLUE, RED, GREEN, PURPLE, ORANGE)
DPI = 110


def figure(width: float = 8.0, height: float = 4.0) -> Figure:
    """An empty figure, inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def written(path: Path, made: Figure) -> Path:
    """Write a figure; its path."""
    return write_figure(path, made, dpi=DPI)


def plane(axes: Axes, title: str = "", reach: float | None = None) -> None:
    """Axes of the plane x–y, in meters, of equal scales."""
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.3)
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    if reach is not None:
        axes.set_xlim(-reach, reach)
        axes.set_ylim(-reach, reach)


def curves(axes: Axes, title: str, x: str, y: str) -> None:
    """Title, labels and a grid."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)


def chain(axes: Axes, points: Array, color: str = BLUE, alpha: float = 1.0, label: str | None = None) -> None:
    """Links between points (n, 2) or (n, 3) in the plane x–y, with a hinge at each but the last."""
    xy = np.asarray(points)[:, :2]
    line: dict[str, Any] = {"color": color, "alpha": alpha, "solid_capstyle": "round", "label": label}
    axes.plot(*xy.T, linewidth=5, zorder=3, **line)
    axes.plot(*xy[:-1].T, "o", ms=8, mfc="white", mec=color, mew=2, alpha=alpha, zorder=4)


def arrow(
    axes: Axes,
    tail: Any,
    along: Any,
    color: str,
    label: str = "",
    width: float = 2.0,
    beside: tuple[float, float] = (5.0, 5.0),
) -> None:
    """Draw an arrow in the plane x–y from a point along a vector; ``beside`` is the offset of its label in points."""
    tail, tip = np.asarray(tail)[:2], np.asarray(tail)[:2] + np.asarray(along)[:2]
    style = {"arrowstyle": "-|>", "color": color, "linewidth": width, "shrinkA": 0.0, "shrinkB": 0.0}
    axes.annotate("", tip, tail, arrowprops=style, zorder=6)
    axes.plot(*tip, alpha=0.0)  # so that the axes reach it
    if label:
        axes.annotate(label, tip, textcoords="offset points", xytext=beside, color=color, fontsize=10, zorder=7)


def inset(axes: Axes, made: Figure, title: str = "") -> None:
    """A figure as a picture within another."""
    canvas: Any = made.canvas
    if not hasattr(canvas, "buffer_rgba"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(made)
    canvas.draw()
    image(axes, np.asarray(canvas.buffer_rgba())[..., :3], title)


def image(axes: Axes, pixels: Array, title: str = "") -> None:
    """Pixels (height, width, 3) without axes."""
    axes.imshow(pixels, interpolation="antialiased")
    axes.set_title(title, fontsize=10)
    axes.axis("off")


def pictures_of(gif: Path) -> list[tuple[Array, float]]:
    """The pictures (height, width, 3) of a GIF, each with the seconds for which it is shown."""
    from PIL import Image, ImageSequence

    with Image.open(gif) as opened:
        return [(np.array(one.convert("RGB")), one.info["duration"] / 1000.0) for one in ImageSequence.Iterator(opened)]


def matrix(axes: Axes, entries: Array, title: str, digits: int = 3) -> None:
    """A matrix as colored cells with its numbers; NaN are cells that have none yet."""
    shown = np.ma.masked_invalid(entries)
    bound = float(np.abs(shown).max()) or 1.0
    axes.imshow(shown, cmap="RdBu_r", vmin=-bound, vmax=bound, alpha=0.6)
    for (row, column), x in np.ndenumerate(entries):
        if np.isfinite(x):
            axes.text(column, row, f"{x:.{digits}f}" if x else "0", ha="center", va="center", fontsize=8, color=INK)
    axes.set_xticks(range(entries.shape[1]), [str(k + 1) for k in range(entries.shape[1])])
    axes.set_yticks(range(entries.shape[0]), [str(k + 1) for k in range(entries.shape[0])])
    axes.set_title(title, fontsize=10)
