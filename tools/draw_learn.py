"""Draw the schematic pictures of docs/learn: arms with the symbols of the formulas.

``python tools/draw_learn.py`` draws all, ``python tools/draw_learn.py learn_statics`` one.
"""

# ruff: noqa: RUF005 (points are arrays, offsets are lists)
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Rectangle

from linkwright.visual import palette

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
BLUE, RED, GREEN, PINK = palette.COLORS[0], palette.COLORS[1], palette.COLORS[2], palette.COLORS[3]
FONT_SIZE = 15
Point = Any


def empty(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Set limits of equal scale, without borders."""
    axes.set(xlim=x, ylim=y, aspect="equal")
    axes.axis("off")


def label(axes: Axes, at: Point, text: str, color: str = palette.INK) -> None:
    """Write a symbol centered at a point."""
    axes.text(*at, f"${text}$", ha="center", va="center", fontsize=FONT_SIZE, color=color, zorder=20)


def link(
    axes: Axes, a: Point, b: Point, text: str = "", color: str = BLUE, alpha: float = 1.0, side: float = 0.17
) -> None:
    """Draw a link between two joints, with a symbol at one side of its middle."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    axes.plot(*np.array([a, b]).T, color=palette.mixed(color, 1.0 - alpha), lw=9, solid_capstyle="round", zorder=3)
    if text:
        along = (b - a) / np.linalg.norm(b - a)
        label(axes, 0.5 * (a + b) + side * np.array([-along[1], along[0]]), text, color)


def hinge(axes: Axes, at: Point, alpha: float = 1.0) -> None:
    """Draw a revolute joint."""
    axes.plot(*at, "o", ms=10, mfc="white", mec=palette.mixed(palette.INK, 1.0 - alpha), mew=2.0, zorder=6)


def ground(axes: Axes, at: Point, width: float = 0.34) -> None:
    """Draw a fixed base beneath a point."""
    x, y = at
    axes.plot([x - width / 2, x + width / 2], [y - 0.12] * 2, color=palette.BASE, lw=2, zorder=1)
    for k in np.linspace(-0.5, 0.5, 6):
        axes.plot([x + k * width, x + k * width - 0.06], [y - 0.12, y - 0.19], color=palette.BASE, lw=1.2, zorder=1)
    axes.plot([x, x], [y, y - 0.12], color=palette.BASE, lw=6, zorder=1)


def arrow(
    axes: Axes, tail: Point, tip: Point, text: str = "", color: str = RED, at: Point = (0.0, 0.0), width: float = 2.4
) -> None:
    """Draw an arrow, with a symbol displaced from its tip."""
    axes.add_patch(
        FancyArrowPatch(
            tail,
            tip,
            arrowstyle="-|>,head_length=7,head_width=4",
            color=color,
            lw=width,
            shrinkA=0,
            shrinkB=0,
            zorder=8,
        )
    )
    if text:
        label(axes, np.asarray(tip) + at, text, color)


def angle(axes: Axes, at: Point, start: float, end: float, text: str, radius: float = 0.3, color: str = GREEN) -> None:
    """Draw an angle from one direction to another in degrees, with a line of reference and a symbol."""
    at = np.asarray(at, float)
    far = at + 1.7 * radius * np.array([np.cos(np.radians(start)), np.sin(np.radians(start))])
    axes.plot(*np.array([at, far]).T, color=palette.BASE, lw=1.1, ls=(0, (4, 3)), zorder=2)
    axes.add_patch(
        Arc(at, 2 * radius, 2 * radius, theta1=min(start, end), theta2=max(start, end), color=color, lw=2.0, zorder=4)
    )
    turn = np.radians(end)
    tip = at + radius * np.array([np.cos(turn), np.sin(turn)])
    way = np.sign(end - start) * np.array([-np.sin(turn), np.cos(turn)])
    arrow(axes, tip - 0.02 * way, tip + 0.015 * way, color=color, width=1.0)
    middle = np.radians(0.5 * (start + end))
    label(axes, at + (radius + 0.15) * np.array([np.cos(middle), np.sin(middle)]), text, color)


def span(axes: Axes, a: Point, b: Point, text: str, at: Point) -> None:
    """Draw a dimension line between two points."""
    axes.annotate(
        "", b, a, arrowprops={"arrowstyle": "<->", "color": palette.MUTED, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    )
    label(axes, 0.5 * (np.asarray(a) + np.asarray(b)) + at, text, palette.TICK)


def frame(axes: Axes, at: Point, length: float = 0.45, x: str = "x", y: str = "y", turn: float = 0.0) -> None:
    """Draw the axes of a frame."""
    at, c, s = np.asarray(at, float), np.cos(turn), np.sin(turn)
    for direction, text, color in (((c, s), x, palette.AXIS_COLORS[0]), ((-s, c), y, palette.AXIS_COLORS[1])):
        tip = at + length * np.array(direction)
        arrow(axes, at, tip, text, color, at=0.12 * np.array(direction), width=1.6)


def spring(axes: Axes, a: Point, b: Point, turns: int = 6, width: float = 0.07) -> None:
    """Draw a spring between two points."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    along = b - a
    side = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    s = np.linspace(0.15, 0.85, 2 * turns + 1)
    zigzag = a + np.outer(s, along) + np.outer(width * np.array([0, *([1, -1] * turns)][: len(s)]), side)
    axes.plot(*np.vstack([a, zigzag, a + 0.85 * along, b]).T, color=palette.SPRING, lw=1.6, zorder=5)


def damper(axes: Axes, a: Point, b: Point, width: float = 0.07) -> None:
    """Draw a damper between two points."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    along = b - a
    side = width * np.array([-along[1], along[0]]) / np.linalg.norm(along)
    p, q, r = a + 0.38 * along, a + 0.62 * along, a + 0.52 * along
    for ends in (
        (a, p),
        (p - side, p + side),
        (p - side, q - side),
        (p + side, q + side),
        (r - 0.8 * side, r + 0.8 * side),
        (r, b),
    ):
        axes.plot(*np.array(ends).T, color=palette.SPRING, lw=1.6, zorder=5)


def two_links(q: Point) -> tuple[np.ndarray, np.ndarray]:
    """Return elbow and hand of an arm with two links of length 1."""
    elbow = np.array([np.cos(q[0]), np.sin(q[0])])
    return elbow, elbow + [np.cos(q[0] + q[1]), np.sin(q[0] + q[1])]


def learn_kinematics(axes: Axes) -> None:
    """Angles and lengths of an arm, and the position of its hand."""
    empty(axes, (-0.5, 2.15), (-0.4, 1.85))
    elbow, hand = two_links(np.radians([30.0, 45.0]))
    ground(axes, (0, 0))
    frame(axes, (0, 0), 0.75)
    link(axes, (0, 0), elbow, "l_1")
    link(axes, elbow, hand, "l_2")
    hinge(axes, (0, 0))
    hinge(axes, elbow)
    angle(axes, (0, 0), 0, 30, r"\theta_1", 0.45)
    angle(axes, elbow, 30, 75, r"\theta_2", 0.36)
    axes.plot([hand[0]] * 2, [0, hand[1]], color=palette.BASE, lw=1, ls=(0, (4, 3)))
    axes.plot([0, hand[0]], [hand[1]] * 2, color=palette.BASE, lw=1, ls=(0, (4, 3)))
    span(axes, (0, -0.1), (hand[0], -0.1), "x", (0.3, -0.13))
    span(axes, (1.6, 0), (1.6, hand[1]), "y", (0.12, 0))
    frame(axes, hand, 0.32, "", "", np.radians(75))
    label(axes, hand + [-0.1, 0.22], "p")


def learn_velocities(axes: Axes) -> None:
    """Columns of the Jacobian as velocities of the hand."""
    empty(axes, (-1.0, 1.6), (-0.35, 2.0))
    q = np.radians([30.0, 70.0])
    elbow, hand = two_links(q)
    ground(axes, (0, 0))
    for start in ((0.0, 0.0), elbow):
        axes.plot(*np.array([start, hand]).T, color=palette.BASE, lw=1.1, ls=(0, (4, 3)), zorder=2)
    link(axes, (0, 0), elbow, "l_1")
    link(axes, elbow, hand, "l_2")
    hinge(axes, (0, 0))
    hinge(axes, elbow)
    angle(axes, (0, 0), 0, 30, r"\dot\theta_1", 0.42)
    angle(axes, elbow, 30, 100, r"\dot\theta_2", 0.32)
    first, second = 0.55 * np.array([-hand[1], hand[0]]), 0.55 * np.array([-(hand - elbow)[1], (hand - elbow)[0]])
    arrow(axes, hand, hand + first, r"J_1", RED, (-0.05, 0.14))
    arrow(axes, hand, hand + second, r"J_2", PINK, (-0.1, -0.12))
    v = np.array([0.5, -0.8])
    arrow(axes, hand, hand + first * v[0] + second * v[1], r"\dot p = J v", palette.INK, (0.34, 0.1))


def learn_statics(axes: Axes) -> None:
    """A force at the hand, its line of action, and the torques of the joints."""
    empty(axes, (-1.1, 1.75), (-0.5, 1.6))
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    ground(axes, points[0])
    for k in range(3):
        link(axes, points[k], points[k + 1])
        hinge(axes, points[k])
        at = points[k]
        axes.add_patch(Arc(at, 0.44, 0.44, theta1=200, theta2=340, color=GREEN, lw=2))
        arrow(axes, at + [0.196, -0.1], at + [0.215, -0.03], color=GREEN, width=1.0)
        label(axes, at + ([-0.36, -0.16] if k == 0 else [0.36, -0.16]), rf"\tau_{k + 1}", GREEN)
    axes.plot([-1.0, 1.7], [1, 1], color=palette.BASE, lw=1, ls=(0, (4, 3)), zorder=1)
    axes.plot([0, 0], [-0.1, 1.5], color=palette.BASE, lw=1, ls=(0, (4, 3)), zorder=1)
    arrow(axes, (-0.75, 1), (-0.05, 1), "", RED)
    label(axes, (-0.55, 1.16), "f_x", RED)
    arrow(axes, (0, 1.02), (0, 1.5), "f_y", PINK, (-0.16, -0.06))
    span(axes, (1.5, 0), (1.5, 1), r"1\,\mathrm{m}", (0.2, 0.0))


def learn_inverse_kinematics(axes: Axes) -> None:
    """Two postures of an arm for one position of its hand."""
    empty(axes, (-0.9, 2.15), (-0.55, 1.75))
    x, y = 1.1, 0.9
    c = (x * x + y * y - 2) / 2
    ground(axes, (0, 0))
    for sign, alpha in ((1, 0.35), (-1, 1.0)):
        bend = sign * np.arccos(c)
        shoulder = np.arctan2(y, x) - np.arctan2(np.sin(bend), 1 + np.cos(bend))
        elbow, hand = two_links((shoulder, bend))
        link(axes, (0, 0), elbow, "l_1" if sign < 0 else "", alpha=alpha)
        link(axes, elbow, hand, "l_2" if sign < 0 else "", alpha=alpha)
        hinge(axes, elbow, alpha)
        if sign < 0:
            angle(axes, (0, 0), 0, np.degrees(shoulder), r"\theta_1", 0.42)
            angle(axes, elbow, np.degrees(shoulder), np.degrees(shoulder + bend), r"\theta_2", 0.3)
    hinge(axes, (0, 0))
    axes.plot([0, x], [0, y], color=palette.BASE, lw=1.1, ls=(0, (4, 3)), zorder=1)
    axes.add_patch(Circle((0, 0), 2.0, fill=False, ec=palette.BASE, lw=1, ls=(0, (2, 3))))
    axes.plot(x, y, "x", color=RED, ms=14, mew=3.5, zorder=9)
    label(axes, (x + 0.3, y + 0.06), "(x, y)", RED)
    for text, at in (("elbow up", (-0.4, 1.35)), ("elbow down", (1.45, 0.12)), ("reach", (1.62, 1.55))):
        axes.text(*at, text, fontsize=11, color=palette.TICK, ha="center")


def learn_dynamics_arm(axes: Axes) -> None:
    """Forces and torques on an arm with two links."""
    empty(axes, (-0.75, 1.9), (-0.5, 1.75))
    q = np.radians([30.0, 60.0])
    elbow, hand = two_links(q)
    ground(axes, (0, 0))
    link(axes, (0, 0), elbow)
    link(axes, elbow, hand)
    hinge(axes, (0, 0))
    hinge(axes, elbow)
    angle(axes, (0, 0), 0, 30, r"\theta_1", 0.62)
    angle(axes, elbow, 30, 90, r"\theta_2", 0.34)
    for at, k, side in ((0.5 * elbow, 1, (0.26, 0.06)), (0.5 * (elbow + hand), 2, (0.28, 0.08))):
        axes.plot(*at, "o", ms=9, mfc=palette.INK, mec="white", mew=1.5, zorder=9)
        arrow(axes, at, at - [0, 0.42], f"m_{k} g", RED, (0.27, 0.05) if k == 2 else (0.3, 0.0))
        label(axes, at + [side[0] - 0.42, side[1] + 0.16], f"I_{k}", palette.INK)
    for at, k in (((0, 0), 1), (elbow, 2)):
        at = np.asarray(at)
        axes.add_patch(Arc(at, 0.5, 0.5, theta1=110, theta2=200, color=GREEN, lw=2))
        arrow(axes, at + [-0.237, -0.07], at + [-0.222, -0.115], color=GREEN, width=1.0)
        label(axes, at + [-0.36, 0.2], rf"\tau_{k}", GREEN)
    span(axes, (-0.1, 0.17), elbow * 0.5 + [-0.1, 0.17], r"l_{g1}", (-0.06, 0.13))


def learn_oscillators(axes: Axes) -> None:
    """A sliding mass and a rotating disc, each with a spring and a damper."""
    empty(axes, (-0.3, 4.6), (-0.45, 1.5))
    axes.plot([0, 0], [0, 1.1], color=palette.BASE, lw=4)
    axes.plot([0, 2.2], [0, 0], color=palette.BASE, lw=2)
    spring(axes, (0, 0.72), (1.1, 0.72))
    damper(axes, (0, 0.28), (1.1, 0.28))
    axes.add_patch(Rectangle((1.1, 0.02), 0.65, 0.95, color=palette.mixed(BLUE, 0.25), zorder=4))
    label(axes, (1.42, 0.5), "m", "white")
    label(axes, (0.55, 0.95), "k")
    label(axes, (0.55, 0.05), "c")
    arrow(axes, (1.75, 0.5), (2.3, 0.5), "f", RED, (0.14, 0))
    arrow(axes, (1.1, 1.2), (1.75, 1.2), "x", GREEN, (0.15, 0))
    axes.plot([1.1, 1.1], [1.08, 1.3], color=palette.BASE, lw=1)
    center = np.array([3.65, 0.52])
    axes.add_patch(Circle(center, 0.5, color=palette.mixed(BLUE, 0.25), zorder=3))
    t = np.linspace(0, 5.2 * np.pi, 300)
    axes.plot(
        *(center[:, None] + (0.08 + 0.018 * t) * np.array([np.cos(t), np.sin(t)])),
        color=palette.SPRING,
        lw=1.5,
        zorder=5,
    )
    hinge(axes, center)
    label(axes, center + [0.02, -0.66], r"I,\ k_\theta,\ c_\theta")
    axes.add_patch(Arc(center, 1.34, 1.34, theta1=15, theta2=75, color=RED, lw=2.4))
    arrow(axes, center + [0.19, 0.645], center + [0.14, 0.657], color=RED, width=1.2)
    label(axes, center + [0.66, 0.55], r"\tau", RED)
    axes.add_patch(Arc(center, 1.34, 1.34, theta1=105, theta2=165, color=GREEN, lw=2))
    arrow(axes, center + [-0.645, 0.19], center + [-0.657, 0.14], color=GREEN, width=1.0)
    label(axes, center + [-0.66, 0.52], r"\theta", GREEN)


def learn_parallel_axis(axes: Axes) -> None:
    """A body, its center of mass, and a parallel axis at a distance."""
    empty(axes, (-0.4, 3.2), (-0.75, 0.85))
    t = np.linspace(0, 2 * np.pi, 200)
    radius = 1 + 0.08 * np.cos(2 * t + 0.4) + 0.06 * np.sin(3 * t)
    axes.fill(
        1.55 + 1.35 * radius * np.cos(t), 0.05 + 0.55 * radius * np.sin(t), color=palette.mixed(BLUE, 0.7), zorder=1
    )
    center, axis = np.array([1.7, 0.05]), np.array([0.55, 0.05])
    axes.plot(*center, "o", ms=12, mfc=palette.INK, mec="white", mew=1.5, zorder=5)
    hinge(axes, axis)
    for at, text in ((center, "I_0"), (axis, "I = I_0 + m\\,l^2")):
        axes.add_patch(Arc(at, 0.5, 0.5, theta1=30, theta2=150, color=GREEN, lw=2))
        arrow(axes, at + [-0.2, 0.15], at + [-0.225, 0.105], color=GREEN, width=1.0)
        label(axes, at + [0.0, 0.4], text, GREEN)
    span(axes, axis - [0, 0.2], center - [0, 0.2], "l", (0, -0.13))
    label(axes, center + [0.3, 0.0], "m")


def learn_control_spring(axes: Axes) -> None:
    """A controller as a spring and a damper between the desired and the actual angle."""
    empty(axes, (-0.5, 2.1), (-0.35, 1.6))
    start, goal = np.radians(18.0), np.radians(58.0)
    ground(axes, (0, 0))
    tip, end = 1.5 * np.array([np.cos(start), np.sin(start)]), 1.5 * np.array([np.cos(goal), np.sin(goal)])
    link(axes, (0, 0), end, alpha=0.25)
    link(axes, (0, 0), tip)
    spring(axes, 0.9 * tip / 1.5, 0.9 * end / 1.5, width=0.05)
    damper(axes, 1.3 * tip / 1.5, 1.3 * end / 1.5, width=0.05)
    label(axes, (0.52, 0.46), "K")
    label(axes, (1.24, 0.98), "D")
    hinge(axes, (0, 0))
    angle(axes, (0, 0), 0, 18, "q", 0.62)
    label(axes, end + [0.16, 0.1], "q_d", palette.TICK)
    axes.add_patch(Arc((0, 0), 0.5, 0.5, theta1=100, theta2=200, color=RED, lw=2.2))
    arrow(axes, (-0.237, -0.07), (-0.222, -0.115), color=RED, width=1.0)
    label(axes, (-0.35, 0.2), r"\tau", RED)
    arrow(axes, 0.7 * tip, 0.7 * tip - [0, 0.4], "m g", palette.INK, (0.2, 0.04))


def learn_impedance_spring(axes: Axes) -> None:
    """A hand that a virtual spring and a virtual damper connect to its target."""
    empty(axes, (-0.5, 2.9), (-0.35, 1.6))
    elbow, hand = two_links(np.radians([70.0, -80.0]))
    ground(axes, (0, 0))
    link(axes, (0, 0), elbow)
    link(axes, elbow, hand)
    hinge(axes, (0, 0))
    hinge(axes, elbow)
    target = hand + [1.05, 0.05]
    spring(axes, hand + [0.05, 0.12], target + [0, 0.12])
    damper(axes, hand + [0.05, -0.12], target + [0, -0.12])
    axes.plot(*target, "x", color=RED, ms=13, mew=3.2, zorder=9)
    label(axes, target + [0.2, 0.0], "x_d", RED)
    label(axes, hand + [-0.05, 0.24], "x")
    label(axes, hand + [0.55, 0.36], "K")
    label(axes, hand + [0.55, -0.36], "D")
    arrow(axes, hand + [0.0, -0.65], hand + [0.0, -0.08], "", GREEN)
    label(axes, hand + [0.36, -0.62], r"f_\mathrm{ext}", GREEN)
    label(axes, (-0.32, 0.14), r"\tau_1", GREEN)
    label(axes, elbow + [-0.24, 0.14], r"\tau_2", GREEN)


DRAWN: dict[str, Callable[[Axes], None]] = {
    function.__name__: function
    for function in (
        learn_kinematics,
        learn_velocities,
        learn_statics,
        learn_inverse_kinematics,
        learn_dynamics_arm,
        learn_oscillators,
        learn_parallel_axis,
        learn_control_spring,
        learn_impedance_spring,
    )
}


def main() -> None:
    """Draw the pictures."""
    for name in sys.argv[1:] or DRAWN:
        with matplotlib.rc_context({**palette.STYLE, "mathtext.fontset": "dejavusans"}):
            figure, axes = plt.subplots(figsize=(6.0, 4.4))
            DRAWN[name](axes)
            figure.savefig(PICTURES / f"{name}.png", dpi=130, bbox_inches="tight", pad_inches=0.05)
            plt.close(figure)


if __name__ == "__main__":
    main()
