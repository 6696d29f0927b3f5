"""A motion as a moving picture: a GIF that plays in real time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError
from linkwright.files import file_at, replacing
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.visual.linkage import configurations, nearby, poses_along, resample, skeleton
from linkwright.visual.scene import Scene, ViewName, choose_view

TRAIL_SECONDS = 1.2
TRAIL_POINTS_PER_FRAME = 6
COLOURS = 96
LONGEST_FRAME = 655.0
"""s: GIF has 16 bits for the hundredths of a second that a picture is shown."""
MAX_FPS = 50.0
"""GIF counts time in hundredths of a second, and viewers slow down what shows for less than two."""


def animate(
    model: Model,
    t: Any,
    q: Any,
    path: str | Path,
    *,
    fps: float = 25.0,
    max_frames: int = 500,
    speed: float = 1.0,
    view: ViewName = "auto",
    trace: str | None = "auto",
    title: str | None = None,
    center_of_mass: bool = False,
    azimuth: float = -50.0,
    elevation: float = 18.0,
) -> Path:
    """Write the motion q (n, nq) at the times t (n,), s, as a GIF; returns its path.

    It plays ``speed`` times as fast as the motion was, ``fps`` frames a second (at most 50), or fewer where
    that would make more than ``max_frames``. Between samples the motion is interpolated. A motion that
    stays in a plane is seen square on, every other one in perspective from ``azimuth`` and ``elevation``
    (degrees); ``view`` "2d" or "3d" decides otherwise. ``trace`` names a frame whose path is drawn behind
    it; "auto" is the end of a mechanism that is one chain. ``center_of_mass`` marks the centre of mass.

    Raises :class:`~linkwright.errors.ShapeError`, :class:`~linkwright.errors.InputError` (NaN, times that
    do not increase, options out of range, a path that cannot be written) or
    :class:`~linkwright.errors.UnknownNameError` (no frame of the name ``trace``).
    """
    q = configurations(model, q)
    t = _times(t, len(q))
    path = file_at(path, "animations", ".gif")  # refused before the work of drawing
    times, durations = frame_times(t, fps, max_frames, speed)
    bones = skeleton(model)
    poses = poses_along(model, resample(model, t, q, times))
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    traced = _trail(model, t, q, times, trace)

    considered = points
    if traced is not None:
        trail, per_frame = traced
        considered = np.concatenate([points, trail[::per_frame, None]], axis=1)
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    seen = choose_view(considered, centers, model.gravity, view, azimuth, elevation, reach)
    scene = Scene(bones, seen, model.name if title is None else title, mark_center=center_of_mass)
    rate = "" if speed == 1.0 else f"   × {speed:g}"
    frames_behind = TRAIL_SECONDS / (durations.sum() / len(times))

    def show(k: int) -> None:
        behind = None
        if traced is not None:
            now = per_frame * k + 1
            behind = trail[max(now - round(frames_behind * per_frame), 0) : now]
        scene.show(points[k], center_of_mass=centers[k], time=f"t = {times[k]:.2f} s{rate}", trail=behind)

    data = encode_gif(scene.frames(show, len(times)), durations)
    with replacing(path) as place:
        place.write_bytes(data)
    return path


def frame_times(t: Array, fps: float, max_frames: int, speed: float = 1.0) -> tuple[Array, Array]:
    """The times to show, s, and for how long each, s: in hundredths, with rounding that does not add up."""
    if not 0.0 < fps <= MAX_FPS:
        raise InputError(f"fps must be above 0 and at most {MAX_FPS:g}; got {fps!r}")
    if not (np.isfinite(speed) and speed > 0.0):
        raise InputError(f"speed must be above 0; got {speed!r}")
    if max_frames < 1:
        raise InputError(f"max_frames must be at least 1; got {max_frames!r}")
    shown = float(t[-1] - t[0]) / speed
    if shown * fps + 1e-6 < max_frames:
        n, period = int(shown * fps + 1e-6) + 1, 1.0 / fps
    else:
        n, period = max_frames, shown / max(max_frames - 1, 1)
    if period > LONGEST_FRAME:
        raise InputError(
            f"a frame would be shown for {period:.4g} s; of a GIF, it is at most {LONGEST_FRAME:g} s: "
            "play faster (speed), more frames a second (fps), or more of them (max_frames)"
        )
    ends = np.round(100.0 * period * np.arange(n + 1))
    return t[0] + speed * period * np.arange(n), np.maximum(np.diff(ends), 2.0) / 100.0


def encode_gif(frames: Iterable[Array], durations: Array) -> bytes:
    """A GIF, played for ever, of frames (height, width, 3) of bytes, each shown for its duration, s.

    All frames share one palette, taken from a few of them, so that what does not change is not stored.
    """
    from PIL import Image

    pixels = list(frames)
    if not pixels:
        raise InputError("there is no frame to write")
    palette = _palette([pixels[k] for k in np.unique(np.linspace(0, len(pixels) - 1, 8).astype(int))])
    nearest = _nearest_colours(palette)

    def images() -> Iterator[Any]:
        for frame in pixels:
            coarse = frame >> 3
            index = coarse[..., 0].astype(np.uint16) << 10 | coarse[..., 1].astype(np.uint16) << 5 | coarse[..., 2]
            image = Image.fromarray(nearest[index])
            image.putpalette(palette.tobytes())
            yield image

    stream = images()
    file = io.BytesIO()
    next(stream).save(
        file,
        format="GIF",
        save_all=True,
        append_images=stream,
        duration=[round(1000.0 * float(d)) for d in durations],
        loop=0,
        optimize=False,
        disposal=1,
    )
    return file.getvalue()


def _palette(frames: list[Array]) -> Array:
    """COLOURS colours (COLOURS, 3), white among them, for what is drawn in these frames."""
    from PIL import Image

    drawn = np.concatenate([frame.reshape(-1, 3) for frame in frames])
    drawn = drawn[(drawn < 255).any(axis=1)]
    if not len(drawn):
        return np.full((COLOURS, 3), 255, dtype=np.uint8)
    code = drawn.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    values, counts = np.unique(code, return_counts=True)
    exact = values[np.argsort(-counts, kind="stable")[: COLOURS // 2]]
    # of the others by the roots of their counts: a thin trace keeps its colour beside a large shadow
    others = np.repeat(values, np.ceil(np.sqrt(counts)).astype(int))
    image = Image.fromarray(_rgb(others)[None]).quantize(COLOURS - 1 - len(exact), method=Image.Quantize.MEDIANCUT)
    mixed = np.array(image.getpalette(), dtype=np.uint8).reshape(-1, 3)[: COLOURS - 1 - len(exact)]
    colours = np.concatenate([_rgb(exact), mixed])
    return np.concatenate([np.full((COLOURS - len(colours), 3), 255, dtype=np.uint8), colours])


def _rgb(code: Array) -> Array:
    """Colours (n, 3) from numbers 0xrrggbb."""
    return np.stack([code >> 16, code >> 8 & 255, code & 255], axis=-1).astype(np.uint8)


def _nearest_colours(palette: Array) -> Array:
    """For each of 32 × 32 × 32 colours the number of the nearest in the palette."""
    levels = np.arange(32) * (255.0 / 31.0)
    grid = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    colours = palette.astype(float)
    squares = (colours**2).sum(axis=1) - 2.0 * grid @ colours.T
    nearest: Array = squares.argmin(axis=1).astype(np.uint8)
    return nearest


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
    reach = {name: np.linalg.norm(frame.placement[:3, 3]) for name, frame in model.frames.items() if frame.body == last}
    return max(reach, key=lambda name: float(reach[name]))


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
