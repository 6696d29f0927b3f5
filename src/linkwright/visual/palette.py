"""Colors, font and axes of all pictures.

Scripts that draw pictures of the documentation use ``matplotlib.rc_context(palette.STYLE)`` and :func:`dress`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5B4E9E", "#7F6A3B")
"""of curves and limbs: distinguishable with any color vision (after Okabe and Ito 2008)"""
AXIS_COLORS = ("#C0392B", "#2E8B57", "#2C5FA8")
"""of the axes x, y and z"""
INK, TEXT, TICK, MUTED, SPINE, GRID = "#222222", "#333840", "#555B64", "#6B7280", "#9AA0A8", "#E6E8EB"
"""of main lines, labels, numbers of axes, notes, borders, and lines behind curves"""
BASE, RAIL, SPRING, SHADOW = "#8A8F98", "#B9BEC6", "#4A5058", "#E3E5E8"
TRACE, FORCE = "#E0561B", "#A3002E"

FONT = "DejaVu Sans"
"""comes with Matplotlib"""
SIZE = 9.0
"""points, of labels"""

STYLE: dict[str, Any] = {
    "font.family": FONT,
    "font.size": SIZE,
    "axes.prop_cycle": "cycler('color', [{}])".format(", ".join(f"'{color}'" for color in COLORS)),
    "axes.edgecolor": SPINE,
    "axes.labelcolor": TEXT,
    "axes.titlecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.5,
    "legend.frameon": False,
    "xtick.color": TICK,
    "ytick.color": TICK,
    "text.color": TEXT,
}
"""Matplotlib's parameters (rcParams) of a picture."""


def mixed(color: Any, amount: float) -> tuple[float, float, float]:
    """Return a color mixed with white by ``amount``, opaque: overlapping strokes then do not show."""
    from matplotlib.colors import to_rgb

    r, g, b = (c + (1.0 - c) * amount for c in to_rgb(color))
    return r, g, b


def dress(axes: Axes) -> None:
    """Draw only the left and the lower border of axes, and pale lines behind their curves."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(SPINE)
    axes.tick_params(colors=TICK, labelsize=SIZE - 1.0)
    axes.grid(True, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.xaxis.label.set(color=TEXT, fontsize=SIZE)
    axes.yaxis.label.set(color=TEXT, fontsize=SIZE)


def legend_beside(axes: Axes) -> Legend:
    """Add a legend to the right of axes, where it hides nothing; a name with dollar signs is no formula."""
    legend = axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.02),
        frameon=False,
        fontsize=SIZE - 1.0,
        handlelength=1.4,
        borderaxespad=0.3,
        labelcolor=TEXT,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    legend.set_in_layout(True)
    return legend
