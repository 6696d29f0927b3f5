"""Draw pictures of docs/topics: robots as solids, block diagrams, and bundles of motions.

``python tools/draw_topics.py`` draws all, ``python tools/draw_topics.py topic_rollouts`` one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from draw_learn import angle, arrow, empty, frame, hinge, label, link, two_links
from draw_readme import panda_postures, views
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from PIL import Image

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright.visual import palette

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
BLUE, RED, GREEN, PINK, SKY, YELLOW = palette.COLORS[:6]


def solids(model: lw.Model, layers: Array, azimuth: float = -50.0, elevation: float = 14.0) -> Image.Image:
    """Render configurations (n_layers, nq), all but the last as ghosts."""
    return next(views(model, np.asarray(layers)[None], azimuth, elevation))


def row(pictures: list[Image.Image], width: int, columns: int) -> Image.Image:
    """Arrange pictures in a table whose cells have equal sizes."""
    each = width // columns
    small = [
        picture.resize((each, round(each * picture.height / picture.width)), Image.Resampling.LANCZOS)
        for picture in pictures
    ]
    height = max(picture.height for picture in small)
    whole = Image.new("RGB", (width, height * -(-len(small) // columns)), "white")
    for k, picture in enumerate(small):
        whole.paste(picture, (each * (k % columns), height * (k // columns) + height - picture.height))
    return whole


def robots_models() -> Image.Image:
    """Robots of files and built-in robots."""
    shown = []
    for name, posture in (
        ("panda", [0.0, -0.4, 0.0, -2.3, 0.0, 1.9, 0.785, 0.03]),
        ("ur5_robot", [0.0, -1.2, 1.4, -1.8, -1.57, 0.0]),
        ("quadruped", None),
        ("humanoid", None),
        ("stewart", None),
    ):
        model = lw.load(name)
        q = lw.default_configuration(model)[0] if posture is None else np.array(posture)
        shown.append(solids(model, q[None]))
    return row(shown, 1500, 5)


def robots_postures() -> Image.Image:
    """Several postures of a Panda for one pose of its hand."""
    model, layers = panda_postures(1)
    return solids(model, layers[0])


def robots_exact() -> Image.Image:
    """All eight postures of a UR5 for one pose of its hand."""
    model = lw.load("ur5_robot")
    q = np.array([0.3, -1.2, 1.4, -1.2, -1.3, 0.4])
    found = lw.analytic_inverse_kinematics(model, "tool0")(lw.pose(model, q, "tool0"))
    return row([solids(model, posture[None]) for posture in found.q], 1400, 4)


def robots_loops() -> Image.Image:
    """Mechanisms with closed loops."""
    models = [lw.load(name) for name in ("delta", "stewart")]
    return row([solids(model, lw.default_configuration(model)[0][None]) for model in models], 1100, 2)


def box(axes: Axes, x: float, y: float, text: str, color: str, width: float = 1.7, height: float = 0.8) -> None:
    """Draw a block with a text."""
    shape = FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0.02,rounding_size=0.1",
        fc=palette.mixed(color, 0.82), ec=color, lw=1.5,
    )  # fmt: skip
    axes.add_patch(shape)
    axes.text(x, y, text, ha="center", va="center", fontsize=11, color=palette.INK)


def wire(axes: Axes, *points: tuple[float, float], text: str = "", at: Any = (0.0, 0.0)) -> None:
    """Draw an arrow through points, with a symbol displaced from the middle of its first part."""
    for a, b in pairwise(points[:-1]):
        axes.plot([a[0], b[0]], [a[1], b[1]], color=palette.TICK, lw=1.6, zorder=1)
    arrow(axes, points[-2], points[-1], color=palette.TICK, width=1.6)
    if text:
        axes.text(*(0.5 * (np.array(points[0]) + points[1]) + at), f"${text}$", fontsize=13, ha="center", va="center")


def topic_controllers() -> Any:
    """A controller in its loop."""
    figure, axes = plt.subplots(figsize=(8.5, 2.9))
    empty(axes, (0.2, 9.8), (-1.25, 1.3))
    box(axes, 1.2, 0, "reference\n$q_d,\\ v_d,\\ a_d$", GREEN)
    box(axes, 4.0, 0, "controller\n(model, $t$, $q$, $v$)", YELLOW, 2.0)
    box(axes, 6.4, 0, "actuators\ndelay, limits", PINK, 1.5)
    box(axes, 8.7, 0, "mechanism\n$M a + h + g = \\tau$", BLUE, 1.8)
    wire(axes, (2.1, 0), (2.95, 0))
    wire(axes, (5.05, 0), (5.6, 0), text=r"\tau", at=(0, 0.22))
    wire(axes, (7.2, 0), (7.75, 0))
    wire(axes, (8.7, -0.45), (8.7, -1.0), (4.0, -1.0), (4.0, -0.45))
    axes.text(6.35, -0.82, "measured $q,\\ v$", fontsize=11, ha="center")
    wire(axes, (8.7, 1.2), (8.7, 0.45), text=r"f_\mathrm{ext}", at=(0.4, 0.1))
    return figure


def topic_policies() -> Any:
    """A neural network as a controller."""
    figure, axes = plt.subplots(figsize=(8.5, 3.4))
    empty(axes, (-0.4, 10.3), (-2.0, 1.75))
    layers = [(1.6, 5), (3.1, 7), (4.6, 7), (6.1, 4)]
    nodes = [[(x, 0.42 * (k - (n - 1) / 2)) for k in range(n)] for x, n in layers]
    for near, far in pairwise(nodes):
        for a in near:
            for b in far:
                axes.plot([a[0], b[0]], [a[1], b[1]], color=palette.RAIL, lw=0.6, zorder=1)
    for column, color in zip(nodes, (GREEN, YELLOW, YELLOW, RED), strict=True):
        axes.plot(*np.array(column).T, "o", ms=11, mfc=palette.mixed(color, 0.5), mec=color, zorder=3)
    for x, text in ((1.6, "33 inputs"), (3.1, "64"), (4.6, "64"), (6.1, "12 outputs $y$")):
        axes.text(x, 1.62, text, ha="center", fontsize=11)
    axes.text(0.35, 0, "joint positions\nvelocities $v$\ndirection of\ngravity", ha="center", va="center", fontsize=11)
    box(axes, 8.7, 0, "springs\n$\\tau = k\\,(q_0 + s\\,y - q) - d\\,v$", BLUE, 3.0, 0.9)
    wire(axes, (6.35, 0), (7.15, 0))
    wire(axes, (8.7, -0.5), (8.7, -1.75), (1.6, -1.75), (1.6, -1.1))
    axes.text(5.0, -1.6, "mechanism: $q,\\ v$", ha="center", fontsize=11)
    return figure


def topic_kinematics() -> Any:
    """A frame of a body in the world: its position, its rotation, a wrench and a twist."""
    figure, axes = plt.subplots(figsize=(6.0, 4.0))
    empty(axes, (-0.6, 3.5), (-0.5, 2.4))
    elbow, hand = two_links(np.radians([55.0, -50.0]))
    points = 1.35 * np.array([elbow, hand])
    link(axes, (0, 0), points[0])
    link(axes, points[0], points[1])
    hinge(axes, (0, 0))
    hinge(axes, points[0])
    frame(axes, (0, 0), 0.8)
    turn = np.radians(25.0)
    frame(axes, points[1], 0.6, "x'", "y'", turn)
    axes.plot([points[1][0], points[1][0] + 0.75], [points[1][1]] * 2, color=palette.BASE, lw=1, ls=(0, (4, 3)))
    angle(axes, points[1], 0, 25, "R", 0.42)
    arrow(axes, (0, 0), points[1] - 0.02 * points[1], "", palette.INK, width=1.6)
    label(axes, 0.55 * points[1] + np.array([0.1, -0.16]), "p")
    arrow(axes, points[1], points[1] + np.array([0.35, -0.75]), "f", RED, (0.14, 0.0))
    arrow(axes, points[1], points[1] + np.array([-0.6, 0.45]), "v", PINK, (-0.08, 0.12))
    label(axes, (2.9, 2.15), r"T = (R,\ p)")
    return figure


def topic_simulation() -> Any:
    """A double pendulum: its postures, its coordinates and its energies."""
    model = lw.load("two_link")
    motion = lw.simulate(model, [0.3, 0.6], [0.0, 0.0], 3.0)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
    chosen = np.linspace(0, np.searchsorted(motion.t, 1.2), 9).astype(int)
    elbows, tips = (lw.pose(model, motion.q, frame)[:, :2, 3] for frame in ("link2", "tip"))
    left.plot(*tips[: chosen[-1]].T, color=palette.TRACE, lw=1.2)
    for shade, k in zip(np.linspace(0.85, 0.0, len(chosen)), chosen, strict=True):
        for ends, color in (((np.zeros(2), elbows[k]), BLUE), ((elbows[k], tips[k]), RED)):
            left.plot(*np.array(ends).T, color=palette.mixed(color, shade), lw=4, solid_capstyle="round")
    left.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
    for k, text in enumerate((r"$\theta_1$", r"$\theta_2$")):
        middle.plot(motion.t, motion.q[:, k], label=text)
    middle.set(xlabel="time (s)", ylabel="angle (rad)")
    kinetic = lw.kinetic_energy(model, motion.q, motion.v)
    for values, text in ((kinetic, "kinetic"), (motion.energy - kinetic, "potential"), (motion.energy, "total")):
        right.plot(motion.t, values, label=text)
    right.set(xlabel="time (s)", ylabel="energy (J)")
    for axes in (middle, right):
        axes.legend()
    return figure


def topic_rollouts() -> Any:
    """Many motions of one call: a pendulum from different initial angles."""
    pendulum, n = lw.load("pendulum"), 400
    starts = np.linspace(-1.0, 1.0, n)[:, None]
    found = lw.rollout(pendulum, starts, [0.0], 4000, every=20)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained", width_ratios=(2.2, 1.0))
    t = np.arange(1, len(found.q) + 1) * 0.02
    shades = plt.get_cmap("viridis")(np.linspace(0.0, 0.95, n))
    for k in range(0, n, 4):
        left.plot(t, found.q[:, k, 0], color=shades[k], lw=0.7, alpha=0.7)
    left.set(xlabel="time (s)", ylabel="angle (rad)", title="400 motions of one call")
    right.hist(found.q[-1, :, 0], bins=25, orientation="horizontal", color=SKY)
    right.set(xlabel="motions", title="angles after 4 s", ylim=left.get_ylim())
    return figure


def topic_events() -> Any:
    """A bouncing ball; the impacts are events."""
    builder = lw.Builder("ball").body("ball", mass=2.0, inertia=0.1)
    builder.joint("up", "prismatic", "world", "ball", axis=(0, 0, 1))
    builder.shape("ball", "sphere", radius=0.1, xyz=(0, 0, 0.1))
    ball = builder.build().with_ground(contact=lw.ContactProperties(restitution=0.8))
    motion = lw.simulate(ball, [1.0], [0.0], 4.5, 0.01, events=[lw.events.touch(ball)])
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.5, 3.8), sharex=True, layout="constrained")
    above.plot(motion.t, motion.q[:, 0])
    impacts = [event.t for event in motion.events]
    above.plot(impacts, np.zeros(len(impacts)), "o", ms=4, color=RED, label="impacts")
    above.set(ylabel="height (m)")
    above.legend(loc="upper right")
    below.plot(motion.t, motion.v[:, 0], color=GREEN)
    below.set(xlabel="time (s)", ylabel="velocity (m/s)")
    return figure


def thrown_ball() -> tuple[lw.Model, Array]:
    """Return a ball above a ground, and its initial configuration."""
    builder = lw.Builder("ball").body("ball", mass=1.0, inertia=0.004).joint("free", "free", "world", "ball")
    ball = (
        builder.shape("ball", "sphere", radius=0.1)
        .build()
        .with_ground(contact=lw.ContactProperties(friction=0.3, restitution=0.7))
    )
    q0 = ball.neutral()
    q0[2] = 0.12
    return ball, q0


def topic_contact_gradients() -> Any:
    """Newton's method for a throw that reaches a point after its bounces."""
    ball, q0 = thrown_ball()
    goal, v0, steps = np.array([0.4, 0.3, 0.25]), np.array([1.0, 0.0, -2.0, 0.0, 0.0, 0.0]), 250
    figure, axes = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
    shades = [palette.mixed(BLUE, shade) for shade in (0.8, 0.65, 0.5, 0.35, 0.2, 0.0)]
    for k, shade in enumerate(shades):
        path = lw.rollout(ball, q0, v0, steps, every=1).q[:, :3]
        axes.plot(np.r_[0.0, path[:, 0]], np.r_[q0[2], path[:, 2]], color=shade, label=f"iteration {k}")
        found, by = lw.rollout_derivatives(ball, q0, v0, steps, wrt=["v0"])
        v0[:3] += np.linalg.lstsq(by["v0"][:3, :3], goal - found.q[-1, :3], rcond=None)[0]
    axes.plot(goal[0], goal[2], "x", ms=11, mew=3, color=RED, label="goal", zorder=9)
    axes.set(xlabel="x (m)", ylabel="z (m)")
    palette.legend_beside(axes)
    return figure


def topic_randomization() -> Any:
    """Robots with different masses, damping and friction, pushed in the same way."""
    robot = lw.load("quadruped").with_ground()
    posture = lw.standing_configuration(robot, lw.default_configuration(robot)[0])
    n, rng = 200, np.random.default_rng(0)
    parameters = {
        "trunk.mass": rng.uniform(3.0, 9.0, n),
        "front_left_knee.damping": rng.uniform(0.0, 2.0, n),
        "pairs.friction": rng.uniform(0.2, 1.0, n),
    }
    gains = np.concatenate([np.zeros(6), np.full(12, 30.0)])

    def hold(model: lw.Model, t: Any, q: Any, v: Any, *, target: Any, stiffness: Any) -> Any:
        return stiffness * lw.difference(model, q, target) - 0.02 * stiffness * v

    pushes = np.zeros((n, robot.nv))
    pushes[:, 1] = 0.8
    controller = partial(hold, target=posture, stiffness=gains)
    found = lw.rollout(robot, posture, pushes, 1000, controller=controller, parameters=parameters, every=10)
    figure, axes = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
    order = np.argsort(parameters["pairs.friction"])
    t = 0.01 * np.arange(1, len(found.q) + 1)
    for k, shade in zip(order, plt.get_cmap("viridis")(np.linspace(0.0, 0.95, n)), strict=True):
        axes.plot(t, 100.0 * found.q[:, k, 1], color=shade, lw=0.7, alpha=0.7)
    axes.set(xlabel="time (s)", ylabel="displacement (cm)", title="200 robots; color: friction, 0.2 to 1.0")
    return figure


SOLIDS: dict[str, Callable[[], Image.Image]] = {
    function.__name__: function for function in (robots_models, robots_postures, robots_exact, robots_loops)
}
DRAWINGS: dict[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (
        topic_controllers,
        topic_policies,
        topic_kinematics,
        topic_simulation,
        topic_rollouts,
        topic_events,
        topic_contact_gradients,
        topic_randomization,
    )
}


def main() -> None:
    """Draw the pictures."""
    for name in sys.argv[1:] or (*DRAWINGS, *SOLIDS):
        if name in SOLIDS:
            SOLIDS[name]().save(PICTURES / f"{name}.webp", quality=85, method=6)
            continue
        with matplotlib.rc_context(palette.STYLE):
            figure = DRAWINGS[name]()
            figure.savefig(PICTURES / f"{name}.png", dpi=120, bbox_inches="tight", pad_inches=0.05)
            plt.close(figure)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        main()
