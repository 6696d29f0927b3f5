"""Draw docs/pictures/compiler.png: from a function to machine code."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from linkwright.visual import palette

matplotlib.use("Agg")

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "compiler.png"
HEIGHT = 1.0


def box(ax: Axes, x: float, y: float, width: float, title: str, text: str, color: str) -> None:
    """A step: its name, and what it is in a few words."""
    shape = FancyBboxPatch(
        (x - width / 2, y - HEIGHT / 2), width, HEIGHT, boxstyle="round,pad=0.06", fc=color, ec="0.3"
    )
    ax.add_patch(shape)
    ax.text(x, y + 0.24, title, ha="center", va="center", fontsize=11, fontweight="bold")
    ax.text(x, y - 0.2, text, ha="center", va="center", fontsize=8.5, color="0.2")


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], word: str = "") -> None:
    """From one step to the next."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "0.25", "lw": 1.4})
    if word:
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        ax.text(x + 0.08, y, word, fontsize=8.5, ha="left", va="center", color="0.3", style="italic")


def main() -> None:
    """Draw it."""
    figure, ax = plt.subplots(figsize=(9.6, 7.4))
    ax.set_xlim(-5.1, 5.1)
    ax.set_ylim(-0.9, 9.0)
    ax.axis("off")
    plain, middle, code = (palette.mixed(palette.COLORS[k], 0.88) for k in (0, 5, 2))
    box(ax, 0, 8.3, 5.4, "the function", "as in the textbook, in NumPy; arguments: model, arrays", plain)
    box(ax, 0, 6.6, 5.4, "the trace", "one run on symbols; common terms shared, zeros removed", middle)
    box(ax, -3.4, 4.5, 3.0, "straight-line code", "every operation unrolled\nup to about 100 bodies", middle)
    box(ax, 0, 4.5, 3.0, "loops over bodies", "one step per joint type\nany number of bodies", middle)
    box(ax, 3.4, 4.5, 3.0, "assembly on lanes", "large mechanisms\nand closed loops", middle)
    box(ax, 0, 2.4, 4.4, "LLVM", "registers, instructions; cache on disk", middle)
    box(ax, -2.4, 0.3, 3.6, "a single row", "from arrays to result\nwithout Python", code)
    box(ax, 2.4, 0.3, 3.6, "batches", "8 rows per instruction,\nall processors", code)
    arrow(ax, (0, 7.7), (0, 7.2), "compile(function, model)")
    for x in (-3.4, 0, 3.4):
        arrow(ax, (0.3 * x, 6.0), (x, 5.1))
        arrow(ax, (x, 3.9), (0.3 * x, 3.0))
    arrow(ax, (-1.0, 1.8), (-2.4, 0.95))
    arrow(ax, (1.0, 1.8), (2.4, 0.95))
    for y, text in ((6.6, "the same graph gives derivatives,\nequations to read, C99"),):
        ax.text(3.0, y, text, fontsize=9, va="center", ha="left", color="0.2")
    figure.savefig(PICTURE, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    with matplotlib.rc_context({**palette.STYLE, "axes.grid": False}):
        main()
