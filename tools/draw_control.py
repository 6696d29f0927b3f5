"""Draw docs/pictures/control_map.png: how kinematics, statics, dynamics and control hang together."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from linkwright.visual import palette

matplotlib.use("Agg")

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "control_map.png"
PLACE, MOTION, FORCE, CONTROL = (palette.mixed(palette.COLORS[k], 0.88) for k in (0, 2, 5, 3))


def box(ax: Axes, x: float, y: float, width: float, title: str, text: str, color: str) -> None:
    """A quantity: its name, and its letters."""
    shape = FancyBboxPatch((x - width / 2, y - 0.5), width, 1.0, boxstyle="round,pad=0.06", fc=color, ec="0.3")
    ax.add_patch(shape)
    ax.text(x, y + 0.2, title, ha="center", va="center", fontsize=10, fontweight="bold")
    ax.text(x, y - 0.22, text, ha="center", va="center", fontsize=9.5, color="0.2")


def arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], word: str, at: tuple[float, float], side: str
) -> None:
    """From one quantity to another, with what leads there."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "0.25", "lw": 1.5})
    ax.text(*at, word, fontsize=9, ha=side, va="center", color="0.15", linespacing=1.35)


def main() -> None:
    """Draw it."""
    figure, ax = plt.subplots(figsize=(11.4, 8.0))
    ax.set_xlim(-7.4, 7.4)
    ax.set_ylim(-1.9, 9.0)
    ax.axis("off")
    ax.text(-3.6, 8.6, "joints", ha="center", fontsize=13, color="0.35")
    ax.text(3.6, 8.6, "hand", ha="center", fontsize=13, color="0.35")
    for y, left, letters, right, other, color in (
        (7.4, "configuration", "q", "pose", "T = (R, p)", PLACE),
        (5.2, "velocity", "v", "velocity of the hand", "ẋ = (ṗ, ω)", PLACE),
        (3.0, "acceleration", "v̇", "acceleration of the hand", "ẍ", MOTION),
        (0.8, "efforts", "τ", "wrench on the hand", "w = (force, moment)", FORCE),
    ):
        box(ax, -3.6, y, 3.4, left, letters, color)
        box(ax, 3.6, y, 3.4, right, other, color)
    for y, there, back in (
        (7.4, "pose: kinematics", "inverse_kinematics"),
        (5.2, "ẋ = J v", "resolved_rate"),
        (3.0, "ẍ = J v̇ + J̇ v", "v̇ = J⁺(ẍ − J̇ v)"),
    ):
        arrow(ax, (-1.75, y + 0.17), (1.75, y + 0.17), there, (0, y + 0.42), "center")
        arrow(ax, (1.75, y - 0.17), (-1.75, y - 0.17), back, (0, y - 0.44), "center")
    arrow(ax, (1.75, 0.8), (-1.75, 0.8), "statics: τ = Jᵀ w", (0, 1.05), "center")
    ax.text(0, 0.5, "the same J: power is power", ha="center", fontsize=8, style="italic", color="0.35")
    for low in (5.2, 3.0):
        arrow(ax, (-3.6, low + 0.58), (-3.6, low + 1.62), "integrated", (-3.75, low + 1.1), "right")
        arrow(ax, (3.6, low + 1.62), (3.6, low + 0.58), "rate", (3.75, low + 1.1), "left")
    arrow(ax, (-3.9, 1.38), (-3.9, 2.42), "forward dynamics\nv̇ = M⁻¹(τ + Jᵀw\n− C v − g)", (-4.05, 1.9), "right")
    arrow(ax, (-3.3, 2.42), (-3.3, 1.38), "inverse dynamics\nτ = M v̇ + C v + g − Jᵀw", (-3.15, 1.9), "left")
    box(ax, 0, -1.2, 14.2, "controller τ(t, q, v)", "desired minus measured state, multiplied by gains", CONTROL)
    arrow(ax, (-3.6, -0.62), (-3.6, 0.22), "τ", (-3.75, -0.2), "right")
    side = {"arrowstyle": "-|>", "color": "0.25", "lw": 1.5, "connectionstyle": "angle,angleA=0,angleB=90,rad=6"}
    ax.annotate("", (-6.9, -0.62), (-5.35, 7.4), arrowprops=side)
    ax.annotate("", (-6.9, -0.62), (-5.35, 5.2), arrowprops=side)
    ax.text(-7.05, 6.3, "q, v measured", fontsize=9, rotation=90, ha="right", va="center", color="0.15")
    ax.annotate("", (5.9, -0.62), (5.35, 0.8), arrowprops=side)
    ax.text(6.05, 0.35, "w measured", fontsize=9, rotation=90, ha="left", va="center", color="0.15")
    figure.savefig(PICTURE, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    with matplotlib.rc_context({**palette.STYLE, "axes.grid": False}):
        main()
