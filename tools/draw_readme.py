"""Draw docs/pictures/readme.webp, the animation of the README: three tiles, 5 s, played in a loop.

- The hand of a Panda moves along a circle; its other postures with the same pose of the hand are ghosts.
- A double pendulum swings; the terms of its equations of motion light up with their values.
- A humanoid is pushed, and steps.

``python tools/draw_readme.py``
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont, ImageOps

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright.visual import palette
from linkwright.visual.drawing.linkage import poses_along, skeleton
from linkwright.visual.drawing.scene import Scene
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.view import choose_view

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "readme.webp"
SECONDS, FPS = 5.0, 15
WIDTHS, HEIGHT, HEAD = (245, 310, 245), 330, 30
"""pixels: of the tiles, of the picture, of the titles"""
TITLES = ("Drag a hand: all postures", "Read the equations", "Push a robot")
FRAMES = round(SECONDS * FPS)
PUSH, PUSHED_AT = np.array([120.0, 120.0, 0.0]), 1.5
"""N on the torso for 0.2 s, and s"""
GHOSTS, GHOST = 3, (0.72, 0.85, 0.95)
"""number and color"""
HAND = "panda_hand_tcp"


def views(
    model: lw.Model, layers: Array, azimuth: float, elevation: float, arrows: Array | None = None
) -> Iterator[Image.Image]:
    """Render configurations (n_frames, n_layers, nq), the last layer opaque, and arrows (n_frames, k, 2, 3)."""
    bones, covered = skeleton(model), skin(model)
    poses = np.stack([poses_along(model, q) for q in layers])
    points = np.stack([bones.along(some) for some in poses])
    flat = poses.reshape(-1, *poses.shape[2:])
    around = covered.corners_along(flat) if covered else None
    centers = bones.center_of_mass_along(flat)
    every = points.reshape(-1, *points.shape[2:])
    view = choose_view(every, centers, model.gravity, "3d", azimuth, elevation, every, around)
    scene = Scene(bones, view, "", ghosts=layers.shape[1] - 1, covered=covered)
    for text in (*scene.figure.texts, *scene.axes.texts):
        text.set_visible(False)
    for small in scene.figure.axes[1:]:
        small.set_visible(False)
    for k, (colors, picture) in enumerate(scene._skins[:-1]):
        scene._skins[k] = (0.3 * colors + 0.7 * np.array(GHOST), picture)

    def show(k: int) -> None:
        scene.show(*points[k], poses=poses[k], arrows=None if arrows is None else arrows[k])

    for pixels in scene.frames(show, len(layers)):
        yield Image.fromarray(pixels)


def panda_postures(frames: int) -> tuple[lw.Model, Array]:
    """Return a Panda whose hand moves along a circle, and its postures (frames, GHOSTS + 1, nq), ghosts first."""
    sys.path.insert(0, str(ROOT / "docs" / "sphinx"))
    from player import START, circle_of, load_panda

    model = load_panda()
    path, hand = circle_of(model), lw.pose(model, np.array(START), HAND)
    rng = np.random.default_rng(3)
    plans = [lw.trajectories.follow(model, HAND, path, START)]
    while len(plans) <= GHOSTS:
        found = lw.inverse_kinematics(model, {HAND: hand}, initial_guess=model.random(seed=rng))
        far = [np.abs(found.q - plan.start)[:7].max() > 0.7 for plan in plans]
        if found.converged and all(far):
            try:
                plans.append(lw.trajectories.follow(model, HAND, path, found.q))
            except lw.errors.InputError:  # this posture cannot follow the whole circle
                continue
    times = np.linspace(0.0, path.duration, frames, endpoint=False)
    return model, np.stack([[plan(t)[0] for plan in reversed(plans)] for t in times])


def panda() -> Iterator[Image.Image]:
    """Render a Panda whose hand moves along a circle, and its other postures."""
    return views(*panda_postures(FRAMES), azimuth=-50.0, elevation=14.0)


def pendulum() -> Iterator[Image.Image]:
    """Draw a double pendulum and its equations; bright terms are large."""
    model = lw.load("two_link")
    motion = lw.simulate(model, [0.4, 0.3], [0.0, 0.0], SECONDS)
    at = [int(np.argmin(np.abs(motion.t - t))) for t in np.arange(FRAMES) / FPS]
    q, v = motion.q[at], motion.v[at]
    M, g = lw.mass_matrix(model, q), lw.gravity_forces(model, q)
    h = lw.bias_forces(model, q, v) - g
    lines = [line.replace("&", "").strip() for line in lw.equations(model).latex().splitlines()[1:-1]]
    values = {"M_{1,1}": M[:, 0, 0] - M[:, 0, 0].min()}
    values |= {"h_{1}": h[:, 0], "h_{2}": h[:, 1], "g_{1}": g[:, 0], "g_{2}": g[:, 1]}
    figure = Figure(figsize=(WIDTHS[1] / 100, (HEIGHT - HEAD) / 100), dpi=200)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.42, 1.0, 0.58))
    elbow, tip = (lw.pose(model, motion.q, frame)[:, :2, 3] for frame in ("link2", "tip"))
    bottom, top = tip[:, 1].min() - 0.15, tip[:, 1].max() + 0.15
    axes.set(xlim=(-2.6, 2.6), ylim=(bottom, top), aspect="equal")
    axes.axis("off")
    (trail,) = axes.plot([], [], color=palette.TRACE, lw=1.2, alpha=0.7)
    links = [axes.plot([], [], color=palette.COLORS[k], lw=6, solid_capstyle="round")[0] for k in range(2)]
    (hinges,) = axes.plot([], [], "o", ms=6, mfc="white", mec=palette.INK, mew=1.5)
    texts = {}
    for k, name in enumerate(values):
        line = next(line for line in lines if line.startswith(name)).removesuffix("\\\\").strip()
        box: dict[str, Any] = {"boxstyle": "round,pad=0.18", "facecolor": palette.COLORS[5], "linewidth": 0.0}
        texts[name] = figure.text(0.03, 0.36 - 0.082 * k, f"${line}$", fontsize=7.6, va="center", bbox=box)
    for frame, k in enumerate(at):
        points = np.array([[0.0, 0.0], elbow[k], tip[k]])
        for link, ends in zip(links, (points[:2], points[1:]), strict=True):
            link.set_data(*ends.T)
        hinges.set_data(*points[:2].T)
        trail.set_data(*tip[max(0, k - len(tip) // 6) : k + 1].T)
        for name, text in texts.items():
            level = abs(values[name][frame]) / np.abs(values[name]).max()
            text.get_bbox_patch().set_alpha(0.85 * level)
        canvas.draw()
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def humanoid() -> Iterator[Image.Image]:
    """Simulate a humanoid that steps in place and is pushed."""
    sys.path.insert(0, str(ROOT / "examples"))
    import humanoid_balance as balance

    trying = balance.Trying()
    motion = lw.simulate(
        trying.robot,
        trying.start,
        np.zeros(trying.robot.nv),
        SECONDS,
        balance.STEP,
        controller=partial(trying.laws["walk"], speed=0.0),
        method=lw.Integrator(joint_limits=True),
        actuation=lw.Actuation(effort_limits=trying.most),
        surroundings=lw.Surroundings(wrenches=partial(balance.push, force=PUSH, begin=PUSHED_AT)),
    )
    at = [int(np.argmin(np.abs(motion.t - t))) for t in np.arange(FRAMES) / FPS]
    torso = lw.pose(trying.robot, motion.q[at], "torso")[:, :3, 3] + [0.0, 0.0, 0.25]
    t = motion.t[at][:, None]
    shown = (t >= PUSHED_AT) & (t < PUSHED_AT + 0.5)
    arrows = np.stack([torso - np.where(shown, 0.004, 0.0) * PUSH, torso], axis=1)[:, None]
    return views(trying.robot, motion.q[at][:, None], -60.0, 8.0, arrows)


def main() -> None:
    """Render the tiles and write the animation."""
    frames = [Image.new("RGB", (sum(WIDTHS), HEIGHT), "white") for _ in range(FRAMES)]
    font, left = ImageFont.truetype(findfont(palette.FONT), 14), 0
    for title, width, tile in zip(TITLES, WIDTHS, (panda, pendulum, humanoid), strict=True):
        for frame, image in zip(frames, tile(), strict=True):
            shown = ImageOps.contain(image, (width - 6, HEIGHT - HEAD), Image.Resampling.LANCZOS)
            frame.paste(shown, (left + (width - shown.width) // 2, HEAD + (HEIGHT - HEAD - shown.height) // 2))
            ImageDraw.Draw(frame).text((left + width // 2, 6), title, palette.TEXT, font, anchor="ma")
        left += width
    frames[0].save(
        PICTURE, save_all=True, append_images=frames[1:], duration=round(1000 / FPS), loop=0, quality=70, method=4
    )
    print(f"{PICTURE.name}: {PICTURE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        main()
