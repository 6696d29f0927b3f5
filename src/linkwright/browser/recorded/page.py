"""A motion as one HTML file that plays in any browser, without a server and without a network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwright.browser.live.live import LiveState
from linkwright.browser.recorded.curves import with_curves
from linkwright.browser.serving import serve
from linkwright.browser.view.scene import BrowserScene
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.files import file_at, replacing
from linkwright.model.tree import Model
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array
from linkwright.trajectories import Trajectory
from linkwright.visual.animations.film import shown_times
from linkwright.visual.drawing.linkage import resample

FPS = 30.0
MOST_PICTURES = 3000
MOST_FPS = 120.0
SEEN = 60
"""Number of configurations that the view contains."""
SAMPLES = 1000
"""Number of samples of a trajectory."""
WORD = "position:fixed;right:12px;top:10px;font:14px sans-serif;color:#5a6472;pointer-events:none;z-index:1000"
"""Style of the playback speed on a page."""
GREEN, CRIMSON = (24, 140, 84), (214, 24, 74)
FORCES, PUSH = "contact forces", "push"
"""Names of the arrows in a scene."""


class Playable(NamedTuple):
    """A motion or a trajectory for playback."""

    model: Model
    t: Array
    """(n,), s"""
    q: Array
    """(n, nq)"""
    forces: tuple[Array, Array] | None = None
    """contact points and forces (n, k, 3), m and N"""
    pushes: Array | None = None
    """(n, 2, 3), points of a push and their targets, m; NaN without a push"""
    motion: Motion | None = None
    trajectory: Trajectory | None = None
    title: str = ""

    @property
    def some(self) -> Array:
        """Some of the configurations (n, nq), from the first to the last."""
        return self.q[np.unique(np.linspace(0, len(self.q) - 1, SEEN).astype(int))]


def playable(what: Any, forces: bool = True) -> Playable:
    """Return a motion or a trajectory for playback. Raise :class:`ArgumentError` for other objects."""
    if isinstance(what, Playable):
        return what
    if isinstance(what, Motion):
        if what.q.ndim != 2:
            raise ShapeError(f"this is a batch of motions {what.q.shape[1:-1]}; select one, motion[0]")
        t, q = what.playing
        if not len(t):
            raise InputError("the motion has no samples")
        found = what.contact_arrows if forces else None
        return Playable(what.model, t, q, found, motion=what, title=what.model.name)
    if isinstance(what, Trajectory):
        if what.batch:
            raise ShapeError(f"this is a batch of trajectories {what.batch}; select one, trajectory[0]")
        t = np.linspace(float(what.times[0]), float(what.times[-1]), SAMPLES if what.duration > 0.0 else 1)
        q = np.stack([what(time)[0] for time in t])
        return Playable(what.model, t, q, trajectory=what, title=what.model.name)
    raise ArgumentError(f"expected a Motion or a Trajectory; got {what!r}")


def page_of(
    what: Any,
    *,
    fps: float = FPS,
    speed: float = 1.0,
    forces: bool = True,
    dark: bool = False,
    curves: bool = True,
) -> str:
    """Return a self-contained HTML page that plays a motion or a trajectory in a loop.

    ``fps``: frames per second, fewer for long motions (at most :data:`MOST_PICTURES` frames). ``speed``: playback
    speed relative to real time. ``forces``: show contact forces and pushes as arrows. ``dark``: dark background.
    ``curves``: show the curves of a motion. Raises :class:`~linkwright.errors.InputError` for wrong options, and
    :class:`~linkwright.errors.MissingExtraError` without viser.
    """
    play = playable(what, forces)
    times, period = shown_times(play.t, fps, MOST_PICTURES, speed, MOST_FPS)
    q = resample(play.model, play.t, play.q, times)
    served = serve(title="Linkwright")
    try:
        scene = BrowserScene(served.server, play.model, q[0], play.some)
        scene.set_dark(dark)
        if play.motion is not None:
            scene.hide_ground_without_contact(play.model)
        scale = force_scale(play.model, scene.size)
        recorder = served.server.get_scene_serializer()
        for k in range(len(times)):
            scene.show(q[k])
            show_arrows(scene, play, times[k], scale)
            recorder.insert_sleep(period)
        page = str(recorder.as_html(dark_mode=dark))
    finally:
        served.server.stop()
    if curves and play.motion is not None:
        page = with_curves(page, play.motion, (len(times) - 1) * period, dark)
    return _titled(page, f"{play.title} – Linkwright", "" if speed == 1.0 else f"{speed:g} × real time")


def save_page(what: Any, path: str | Path, **options: Any) -> Path:
    """Write a motion or a trajectory as one ``.html`` file that plays offline; return its path.

    Options and errors are those of :func:`page_of`.
    """
    path = file_at(path, "pages", ".html")
    page = page_of(what, **options)
    with replacing(path) as place:
        place.write_text(page, encoding="utf-8")
    return path


def force_scale(model: Model, size: float) -> float:
    """Return the length of an arrow per newton, m/N: the weight of the mechanism is a third of its size."""
    weight = sum(float(body.mass) for body in model.bodies) * float(np.linalg.norm(model.gravity))
    return 0.35 * size / weight if weight > 0.0 else 0.01 * size


def show_arrows(scene: BrowserScene, play: Playable, t: float, scale: float) -> None:
    """Show the contact forces and the push at time t, s, as arrows."""
    k = int(np.clip(np.searchsorted(play.t, t + 1e-9) - 1, 0, len(play.t) - 1))
    if play.forces is not None:
        points, forces = play.forces[0][k], np.nan_to_num(play.forces[1][k])
        scene.arrows(FORCES, points, scale * forces, GREEN)
    if play.pushes is not None:
        point, target = play.pushes[k]
        there = int(np.isfinite(point).all())
        scene.arrows(PUSH, point[None][:there], (target - point)[None][:there], CRIMSON)


def with_arrows(play: Playable, samples: Sequence[LiveState]) -> Playable:
    """Return the record of a simulation with its contact forces and pushes."""
    count = max((0 if one.touching is None else len(one.touching.points) for one in samples), default=0)
    forces = np.zeros((2, len(samples), count, 3))
    pushes = np.full((len(samples), 2, 3), np.nan)
    for k, one in enumerate(samples):
        if one.touching is not None and count:
            forces[:, k, : len(one.touching.points)] = one.touching.points, one.touching.forces
        if one.push is not None:
            pushes[k] = one.push
    pushed = bool(np.isfinite(pushes).any())
    return play._replace(forces=(forces[0], forces[1]) if count else None, pushes=pushes if pushed else None)


def framed(page: str, height: int = 480) -> str:
    """Return the page in a frame for a notebook."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" width="100%" height="{int(height)}" '
        'style="border:1px solid #ddd;display:block"></iframe>'
    )


def _titled(page: str, title: str, speed: str = "") -> str:
    """Return the page with a title, and the playback speed on the picture if it is not 1."""
    if speed:
        head, end, rest = page.rpartition("</body>")
        page = f'{head}<div style="{WORD}">{escape(speed)}</div>{end}{rest}' if end else page
        title = f"{title}, {speed}"
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{escape(title)}</title>", page, count=1, flags=re.DOTALL)
