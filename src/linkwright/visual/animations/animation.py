"""A motion as a moving picture that plays in real time: a GIF, an mp4, or numbered pictures."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from base64 import b64encode
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwright.errors import ArgumentError, InputError
from linkwright.files import file_at, folder_at, replacing, replacing_together
from linkwright.model.tree import Model
from linkwright.spatial.arrays import as_numbers
from linkwright.status import status_message
from linkwright.visual.animations.film import checked_motion, make_film, shown_times
from linkwright.visual.animations.gif import LONGEST_FRAME, MAX_FPS, durations_of, encode_gif, sample_numbers
from linkwright.visual.animations.mp4 import ffmpeg, write_mp4
from linkwright.visual.drawing.view import ViewName

MOST_FPS = 240.0
"""of films and pictures"""
MOST_GIF_FRAMES, MOST_FRAMES = 500, 20_000
MOST_SHOWN = 40_000_000
"""bytes that a notebook is given"""

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())


class Animation(_Path):
    """The path of an animation; a notebook shows what is there."""

    def _repr_html_(self) -> str | None:
        try:
            if self.is_dir():
                pictures = sorted(self.glob(PICTURES))
                if not pictures:
                    return None
                told = f"<p>{len(pictures)} pictures in {escape(str(self))}</p>"
                return _embedded(pictures[0], "image/png") + told
            if self.stat().st_size > MOST_SHOWN:
                return f"<p>{escape(str(self))}: {self.stat().st_size / 1e6:.0f} MB</p>"
            if self.suffix.lower() == ".mp4":
                data = b64encode(self.read_bytes()).decode("ascii")
                return (
                    '<video controls loop autoplay muted playsinline style="max-width:100%" '
                    f'src="data:video/mp4;base64,{data}"></video>'
                )
            return _embedded(self, "image/gif") if self.suffix.lower() == ".gif" else None
        except OSError:  # it is gone
            return None


PICTURE, PICTURES = "frame_%05d.png", "frame_*.png"
"""what numbered pictures are named"""
_NUMBER = re.compile(r"%0?(\d?)d")
"""in the name of numbered pictures, sim%04d.png"""


def _embedded(picture: Path, kind: str) -> str:
    data = b64encode(picture.read_bytes()).decode("ascii")
    return f'<img src="data:{kind};base64,{data}" alt="{escape(picture.name)}" style="max-width:100%">'


def animate(
    model: Model,
    t: Any,
    q: Any,
    path: str | Path | None = None,
    *,
    fps: float = 25.0,
    max_frames: int | None = None,
    speed: float = 1.0,
    view: ViewName = "auto",
    trace: str | None = "auto",
    title: str | None = None,
    center_of_mass: bool = False,
    azimuth: float = -50.0,
    elevation: float = 18.0,
    shapes: bool | str = True,
    forces: tuple[Any, Any] | None = None,
) -> Animation:
    """Write the motion q (n, nq) at the times t (n,), s; returns the path, which notebooks show as what is there.

    The path's ending says as what: ``.gif``; ``.mp4``, for which ffmpeg is needed; and a folder, "frames/" (that ends
    with a slash, or is there), gets numbered pictures, frame_00000.png and so on (those of an earlier animation are
    removed), as "sim%04d.png" does with sim0000.png. Without a path it is a GIF that is kept while Python runs.

    It plays ``speed`` times as fast as the motion was, ``fps`` frames a second (at most 50 of a GIF, else 240), or
    fewer where that would make more than ``max_frames`` (500 of a GIF, else 20 000, unless given). Between samples
    the motion is interpolated. A motion that stays in a plane is seen square on, every other one in perspective
    from ``azimuth`` and ``elevation`` (degrees); ``view`` "2d" or "3d" decides otherwise. ``trace`` names a frame
    whose path is drawn behind it; "auto" is the end of a mechanism that is one chain. ``center_of_mass`` marks the
    center of mass. Bodies that have shapes to be seen are drawn by these, all others as sticks, or all with
    ``shapes=False``. ``forces`` are points and forces there, (n, k, 3) each, m and N in world axes: arrows.

    Raises :class:`~linkwright.errors.ShapeError`, :class:`~linkwright.errors.InputError` (NaN, times that
    do not increase, options out of range, a path that cannot be written),
    :class:`~linkwright.errors.UnknownNameError` (no frame of the name ``trace``) or
    :class:`~linkwright.errors.MissingExtraError` (an mp4 without ffmpeg).
    """
    t, q = checked_motion(model, t, q)
    path, kind = _place(model, path)  # refused before the work of drawing
    most, limit = (MOST_GIF_FRAMES, MAX_FPS) if kind == "gif" else (MOST_FRAMES, MOST_FPS)
    times, period = shown_times(t, fps, most if max_frames is None else max_frames, speed, limit)
    if kind == "gif":
        _require_shown(period)
    film = make_film(
        model,
        t,
        q,
        times,
        period,
        speed=speed,
        view=view,
        trace=trace,
        title=title,
        center_of_mass=center_of_mass,
        azimuth=azimuth,
        elevation=elevation,
        shapes=shapes,
        forces=None if forces is None else (as_numbers("points", forces[0]), as_numbers("forces", forces[1])),
    )
    with status_message(f"animating {model.name!r}"):
        if kind == "gif":
            numbers = sample_numbers(len(times))
            samples = list(film.some_frames(numbers))
            frames = film.frames(dict(zip(numbers, samples, strict=True)))
            data = encode_gif(frames, durations_of(len(times), period), samples)
            with replacing(path) as place:
                place.write_bytes(data)
        elif kind == "mp4":
            with replacing(path) as place:
                write_mp4(place, film.frames(), 1.0 / period)
        else:
            folder, name = (path.parent, path.name) if _NUMBER.search(path.name) else (path, PICTURE)
            _write_pictures(folder, name, film.frames())
            return Animation(folder)
    return Animation(path)


def _require_shown(period: float) -> None:
    if period > LONGEST_FRAME:
        raise InputError(
            f"a frame would be shown for {period:.4g} s; of a GIF, it is at most {LONGEST_FRAME:g} s: "
            "play faster (speed), more frames a second (fps), or more of them (max_frames)"
        )


def _place(model: Model, path: str | Path | None) -> tuple[Path, str]:
    """Where to write, and as what."""
    if path is None:
        return _kept(model), "gif"
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    if not str(path):
        raise ArgumentError("an animation needs a path that is not empty, or none at all")
    ending = Path(path).suffix.lower()
    if str(path).endswith(("/", os.sep)) or (ending not in (".gif", ".mp4") and os.path.isdir(path)):
        return Path(path), "pictures"
    if ending == ".png" and _NUMBER.search(Path(path).name):
        return Path(path), "pictures"
    file = file_at(path, 'animations, unless in a folder ("frames/") or numbered ("sim%04d.png"),', ".gif", ".mp4")
    if ending == ".mp4":
        ffmpeg()
    return file, ending[1:]


def _write_pictures(folder: Path, name: str, frames: Any) -> None:
    """Write numbered pictures in place of earlier ones; the name has %d, or %04d of four digits."""
    from PIL import Image

    before, digits, after = _NUMBER.split(name, maxsplit=1)
    least = int(digits or 1)
    numbered = re.compile(rf"{re.escape(before)}\d{{{least},}}{re.escape(after)}")
    earlier = [file.name for file in folder_at(folder).iterdir() if numbered.fullmatch(file.name)]
    with replacing_together(folder, earlier) as place:
        for k, frame in enumerate(frames):
            Image.fromarray(frame).save(place / f"{before}{k:0{least}d}{after}")


def remove_pictures(folder: Path) -> None:
    """Remove numbered pictures, and the folder where nothing else is in it."""
    if folder.is_dir():
        for file in folder.glob(PICTURES):
            file.unlink()
        with suppress(OSError):
            folder.rmdir()


_folders: dict[int, tuple[Path, list[int]]] = {}
"""by the number of the process: a folder for what is written without a path, and how many there were"""


def _kept(model: Model) -> Path:
    """A new place that is removed when Python ends."""
    process = os.getpid()
    if process not in _folders:
        folder = Path(tempfile.mkdtemp(prefix="linkwright-"))
        atexit.register(_remove, process)
        _folders[process] = folder, []
    folder, made = _folders[process]
    made.append(len(made))
    name = "".join(c if c.isalnum() else "_" for c in model.name)[:60]
    return folder / f"{name}-{len(made)}.gif"


def _remove(process: int) -> None:
    if process == os.getpid():  # not of one that was forked
        shutil.rmtree(_folders[process][0], ignore_errors=True)
