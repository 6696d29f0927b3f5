"""A motion as one file that plays in any browser, without a server and without a network."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwright.browser.recorded.curves import with_curves
from linkwright.browser.scene import BrowserScene
from linkwright.browser.serving import serve
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.files import file_at, replacing
from linkwright.model.tree import Model
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array
from linkwright.trajectories import Trajectory
from linkwright.visual.drawing.linkage import resample
from linkwright.visual.moving.film import shown_times

FPS = 30.0
MOST_PICTURES = 3000
MOST_FPS = 120.0
SEEN = 60
"""configurations that are looked at for what is to be in view"""
SAMPLES = 1000
"""of a trajectory, which has no samples of itself"""
WORD = "position:fixed;right:12px;top:10px;font:14px sans-serif;color:#5a6472;pointer-events:none;z-index:1000"
"""how the speed is written on a page"""
GREEN = (24, 140, 84)
FORCES = "contact forces"
"""what their arrows are called in a scene"""


class Playable(NamedTuple):
    """What can be played: a configuration at every time."""

    model: Model
    t: Array
    """(n,), s"""
    q: Array
    """(n, nq)"""
    forces: tuple[Array, Array] | None = None
    """of contact: points and forces (n, k, 3), m and N"""
    motion: Motion | None = None
    title: str = ""

    @property
    def some(self) -> Array:
        """(n, nq): some of the configurations, from the first to the last."""
        return self.q[np.unique(np.linspace(0, len(self.q) - 1, SEEN).astype(int))]


def playable(what: Any, forces: bool = True) -> Playable:
    """A motion or a trajectory as it is played. Raises :class:`ArgumentError` for what is neither."""
    if isinstance(what, Motion):
        if what.q.ndim != 2:
            raise ShapeError(f"this is a batch of motions {what.q.shape[1:-1]}; take one first: motion[0]")
        t, q = what.playing
        if not len(t):
            raise InputError("the motion has no sample; there is nothing to show")
        found = what.contact_arrows if forces else None
        return Playable(what.model, t, q, found, what, what.model.name)
    if isinstance(what, Trajectory):
        if what.batch:
            raise ShapeError(f"this is a batch of trajectories {what.batch}; take one first: trajectory[0]")
        t = np.linspace(float(what.times[0]), float(what.times[-1]), SAMPLES if what.duration > 0.0 else 1)
        return Playable(what.model, t, np.stack([what(time)[0] for time in t]), title=what.model.name)
    raise ArgumentError(f"a motion or a trajectory is played; got {what!r}")


def page_of(
    what: Any,
    *,
    fps: float = FPS,
    speed: float = 1.0,
    forces: bool = True,
    dark: bool = False,
    curves: bool = True,
) -> str:
    """The HTML of a page that plays a motion or a trajectory, again and again: nothing else is needed.

    ``fps``: pictures a second; of long motions fewer, :data:`MOST_PICTURES` in all. ``speed``: how many times as fast
    as it was. ``forces``: whether forces of contact are arrows. ``dark``: on a dark ground.
    ``curves``: whether those of a motion are beside it. Raises
    :class:`~linkwright.errors.InputError` for options that make no sense,
    :class:`~linkwright.errors.MissingExtraError` without viser.
    """
    play = playable(what, forces)
    times, period = shown_times(play.t, fps, MOST_PICTURES, speed, MOST_FPS)
    q = resample(play.model, play.t, play.q, times)
    served = serve(title="Linkwright")
    try:
        scene = BrowserScene(served.server, play.model, q[0], play.some)
        scale = force_scale(play.model, scene.size)
        recorder = served.server.get_scene_serializer()
        for k in range(len(times)):
            scene.show(q[k])
            show_forces(scene, play, times[k], scale)
            recorder.insert_sleep(period)
        page = str(recorder.as_html(dark_mode=dark))
    finally:
        served.server.stop()
    if curves and play.motion is not None:
        page = with_curves(page, play.motion, (len(times) - 1) * period, dark)
    return _titled(page, f"{play.title} – Linkwright", "" if speed == 1.0 else f"{speed:g} × real time")


def save_page(what: Any, path: str | Path, **options: Any) -> Path:
    """Write a motion or a trajectory as one ``.html`` that plays without a server, offline; its path.

    Options and errors are those of :func:`page_of`.
    """
    path = file_at(path, "pages", ".html")
    page = page_of(what, **options)
    with replacing(path) as place:
        place.write_text(page, encoding="utf-8")
    return path


def force_scale(model: Model, size: float) -> float:
    """How long an arrow of one newton is, m: the mechanism's weight is a third of its size."""
    weight = sum(float(body.mass) for body in model.bodies) * float(np.linalg.norm(model.gravity))
    return 0.35 * size / weight if weight > 0.0 else 0.01 * size


def show_forces(scene: BrowserScene, play: Playable, t: float, scale: float) -> None:
    """The forces of contact at a time, s, as arrows."""
    if play.forces is not None:
        k = int(np.clip(np.searchsorted(play.t, t + 1e-9) - 1, 0, len(play.t) - 1))
        points, forces = play.forces[0][k], np.nan_to_num(play.forces[1][k])
        scene.arrows(FORCES, points, scale * forces, GREEN)


def framed(page: str, height: int = 480) -> str:
    """The page within a frame, as a notebook shows it."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" width="100%" height="{int(height)}" '
        'style="border:1px solid #ddd;display:block"></iframe>'
    )


def _titled(page: str, title: str, speed: str = "") -> str:
    """With a title of its own; and, where it is not as fast as it was, a word on the picture that says so."""
    if speed:
        head, end, rest = page.rpartition("</body>")
        page = f'{head}<div style="{WORD}">{escape(speed)}</div>{end}{rest}' if end else page
        title = f"{title}, {speed}"
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{escape(title)}</title>", page, count=1, flags=re.DOTALL)
