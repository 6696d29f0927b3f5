"""A motion as a film: which pictures are shown when, and the scene they are drawn in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.bounds import positive, whole_number
from linkwright.compiler.native.threads import default_threads
from linkwright.errors import InputError, ShapeError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import configurations, nearby, poses_along, resample, skeleton
from linkwright.visual.drawing.scene import Scene
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.view import ViewName, choose_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRAIL_SECONDS = 1.2
TRAIL_POINTS_PER_FRAME = 6
LONG = 0.03
"""s, from which pictures are rendered by other threads"""


@dataclass(frozen=True, eq=False)
class Film:
    """The pictures of a motion."""

    times: Array
    """(n,), s: of the motion"""
    period: float
    """s: for how long each picture is shown"""
    scene: Scene
    render: Callable[[int], list[Array]]
    """renders the shapes in the picture of that number"""
    show: Callable[..., None]
    """draws the picture of that number; a second argument is what ``render`` returned for it"""

    def frames(self, drawn: Mapping[int, Array] | None = None) -> Iterator[Array]:
        """Yield the pixels (height, width, 3) of every picture, bytes, some of which are drawn already, by number."""
        drawn = {} if drawn is None else drawn
        others = self.some_frames([k for k in range(len(self.times)) if k not in drawn])
        for k in range(len(self.times)):
            yield drawn[k] if k in drawn else next(others)

    def some_frames(self, numbers: Sequence[int]) -> Iterator[Array]:
        """Yield the pixels of the pictures with these numbers."""
        rendered = _in_order(self.render, numbers)
        yield from self.scene.frames(lambda k: self.show(numbers[k], next(rendered)), len(numbers))


def _in_order(render: Callable[[int], list[Array]], numbers: Sequence[int]) -> Iterator[list[Array]]:
    """Yield the rendered pictures with these numbers.

    Pictures that take long are rendered ahead by other threads. For others, threads would wait longer for the lock of
    Python's interpreter than they work.
    """
    seconds = 0.0
    for k in numbers[:2]:  # the first of a process loads the renderer
        start = perf_counter()
        picture = render(k)
        seconds = perf_counter() - start
        yield picture
    if seconds <= LONG:
        yield from map(render, numbers[2:])
        return
    threads = default_threads()
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[list[Array]]] = deque()
        for k in numbers[2:]:
            ahead.append(pool.submit(render, k))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        for future in ahead:
            yield future.result()


def checked_motion(model: Model, t: Any, q: Any) -> tuple[Array, Array]:
    """The times (n,) and configurations (n, nq) of a motion, checked."""
    q = configurations(model, q)
    return _times(t, len(q)), q


def make_film(
    model: Model,
    t: Array,
    q: Array,
    times: Array,
    period: float,
    *,
    speed: float = 1.0,
    view: ViewName = "auto",
    trace: str | None = "auto",
    title: str | None = None,
    center_of_mass: bool = False,
    azimuth: float = -50.0,
    elevation: float = 18.0,
    figure: Callable[..., Figure] | None = None,
    shapes: bool | str = True,
    forces: tuple[Array, Array] | None = None,
) -> Film:
    """The film of the checked motion q (n, nq) at t (n,) that shows it at ``times``, each for ``period`` s.

    The options are those of :func:`~linkwright.visual.animations.animation.animate`; ``figure`` makes the figure.
    """
    bones = skeleton(model)
    poses = poses_along(model, resample(model, t, q, times))
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    traced = _trail(model, t, q, times, trace)

    considered = points
    if traced is not None:
        trail, per_frame = traced
        considered = np.concatenate([points, trail[::per_frame, None]], axis=1)
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    covered = skin(model, shapes)
    around = covered.corners_along(poses) if covered else None
    seen = choose_view(
        considered, centers, model.gravity, view, azimuth, elevation, reach, around, floors_of(model),
        anchors=points[0, bones.anchors],
    )  # fmt: skip
    name = model.name if title is None else title
    scene = Scene(bones, seen, name, mark_center=center_of_mass, figure=figure, covered=covered)
    arrows = None if forces is None else arrows_along(model, t, *forces, times, seen.size)
    rate = "" if speed == 1.0 else f"   × {speed:g}"
    frames_behind = TRAIL_SECONDS / period if period else 0.0

    def render(k: int) -> list[Array]:
        return scene.rendered(poses[k : k + 1], centers[k])

    def show(k: int, pixels: list[Array] | None = None) -> None:
        behind = None
        if traced is not None:
            now = per_frame * k + 1
            behind = trail[max(now - round(frames_behind * per_frame), 0) : now]
        now_at = f"t = {times[k]:.2f} s{rate}"
        scene.show(
            points[k],
            center_of_mass=centers[k],
            time=now_at,
            trail=behind,
            poses=poses[k : k + 1],
            arrows=None if arrows is None else arrows[k],
            pixels=pixels,
        )

    return Film(times, period, scene, render, show)


def arrows_along(model: Model, t: Array, points: Array, forces: Array, times: Array, size: float) -> list[Array]:
    """Forces (n, k, 3), N, at points (n, k, 3) at t (n,) as arrows (k, 2, 3) for each of ``times``.

    Each shows the mean since the picture before, that an impact between two pictures is seen. The weight of everything
    is as long as the ``size``, m; nothing is longer.
    """
    if forces.ndim != 3 or forces.shape != points.shape or len(forces) != len(t) or forces.shape[-1] != 3:
        raise ShapeError(
            f"forces are points and forces (n, k, 3) of {len(t)} samples; got {points.shape} and {forces.shape}"
        )
    weight = float(np.linalg.norm(model.gravity)) * sum(body.mass for body in model.bodies)
    at = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 1)
    summed = np.concatenate([np.zeros((1, *forces.shape[1:])), np.cumsum(np.nan_to_num(forces), axis=0)])
    arrows = []
    for before, now in zip(np.append(-1, at[:-1]), at, strict=True):
        first = min(int(before) + 1, int(now))
        mean = (summed[now + 1] - summed[first]) / (now + 1 - first)
        length = np.linalg.norm(mean, axis=-1)
        scale = size / np.maximum(length, weight) if weight else size / np.maximum(length, length.max(initial=1e-300))
        tails = points[now]
        arrows.append(np.stack([tails, tails + scale[:, None] * mean], axis=1))
    return arrows


def shown_times(t: Array, fps: float, max_frames: int, speed: float, most_fps: float) -> tuple[Array, float]:
    """The times to show, s, and for how long each, s."""
    if positive("fps", fps) > most_fps:
        raise InputError(f"fps is at most {most_fps:g}; got {fps!r}")
    positive("speed", speed)
    whole_number("max_frames", max_frames, 1)
    shown = float(t[-1] - t[0]) / speed
    if shown * fps + 1e-6 < max_frames:
        n, period = int(shown * fps + 1e-6) + 1, 1.0 / fps
    else:
        n, period = max_frames, shown / max(max_frames - 1, 1)
    if not np.isfinite(period):
        raise InputError(f"a frame would be shown for {period:g} s; play faster (speed)")
    return t[0] + speed * period * np.arange(n), period


def _trail(model: Model, t: Array, q: Array, times: Array, trace: str | None) -> tuple[Array, int] | None:
    """The path (n, 3) of a frame's origin, and how many of its points there are a frame of the picture."""
    name = default_trace(model) if trace == "auto" and "auto" not in model.frames else trace
    if name is None:
        return None
    frame = model.frame(name)
    n = TRAIL_POINTS_PER_FRAME if len(model.path(frame.body)) <= 60 else 1  # kinematics of long chains take long
    fine = np.interp(np.arange(n * (len(times) - 1) + 1) / n, np.arange(len(times)), times)
    poses = poses_along(model, resample(model, t, q, fine), frame.body)
    return np.asarray(poses[:, :3, :3] @ frame.placement[:3, 3] + poses[:, :3, 3]), n


def default_trace(model: Model) -> str | None:
    """The frame farthest out on the last body of a mechanism that is one chain tied to the world, else None."""
    bones = skeleton(model)
    last = len(model.links) - 1
    if bones.floats[0] or [link.parent for link in model.links] != list(range(-1, last)):
        return None
    return model.outermost(last)


def _times(t: Any, n: int) -> Array:
    array = as_numbers("t", t)
    if array.shape != (n,):
        raise ShapeError(f"t has one entry for each of the {n} rows of q; its shape is {array.shape}")
    if n == 0:
        raise InputError("the motion has no sample; there is nothing to animate")
    if not np.isfinite(array).all():
        raise InputError("t must be finite")
    if (np.diff(array) <= 0.0).any():
        row = int(np.argmax(np.diff(array) <= 0.0))
        raise InputError(f"t must increase; t[{row}] = {array[row]:g} and t[{row + 1}] = {array[row + 1]:g}")
    return array
