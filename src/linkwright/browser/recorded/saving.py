"""What is seen, written: a picture, a film, a page that plays by itself, the numbers."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.browser.recorded.page import FORCES, Playable, force_scale, page_of, playable, show_forces
from linkwright.browser.scene import BrowserScene
from linkwright.errors import InputError, LinkwrightError
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import configurations, resample
from linkwright.visual.moving.film import shown_times
from linkwright.visual.moving.gif import durations_of, encode_gif
from linkwright.visual.moving.mp4 import ffmpeg, write_mp4

PICTURE = (1600, 1200)
"""pixels: width, height"""
FILM = (640, 480)
FILM_FPS = 25.0
MOST_OF_FILM = 600

PICTURES, FILES = ("PNG", "GIF", "MP4"), ("HTML", "CSV")


class Saving:
    """Buttons that write what is seen, in the panel that is open now; files come to the browser as downloads.

    ``what()`` is the motion or the trajectory to be written, ``again()`` shows what was seen before it was filmed.
    A click while something is written stops that.
    """

    def __init__(
        self,
        server: Any,
        scene: BrowserScene,
        what: Callable[[], Any],
        told: Callable[[str], None],
        again: Callable[[], None],
    ):
        self.server, self.scene, self.what, self.told, self.again = server, scene, what, told, again
        self.busy, self.stopped = False, False
        for label, kinds, hint in (
            ("Picture, film", PICTURES, "as this page shows it"),
            (
                "Page, numbers",
                FILES,
                "a page plays by itself, offline; of numbers there is a row for each moment that was shown",
            ),
        ):
            buttons = server.gui.add_button_group(label, kinds, hint=hint)
            buttons.on_click(self._clicked)

    def _clicked(self, event: Any) -> None:
        if event.client is None:
            return
        if self.busy:
            self.stopped = True
            return
        self.busy, self.stopped = True, False
        kind = str(event.target.value).lower()
        try:
            self.told("writing …")
            name, content = self.content(kind, event.client)
            event.client.send_file_download(name, content, save_immediately=True)
            self.told(f"{name}: {size_of(len(content))}")
        except LinkwrightError as error:
            self.told(str(error))
        except RuntimeError:
            if event.client.client_id in self.server.get_clients():
                raise
            self.told("")  # whoever asked for it has closed the page: there is nobody to have it
        finally:
            self.busy = False

    def content(self, kind: str, client: Any) -> tuple[str, bytes]:
        """A file's name and what is in it; ``kind``: "png", "gif", "mp4", "html" or "csv"."""
        if kind == "png":
            width, height = PICTURE
            return named(self.what().model.name, kind), png(client.get_render(height=height, width=width))
        what = self.what()
        play = playable(what)
        if len(play.t) < 2:
            raise InputError("nothing has moved yet: let it move first (Simulate), then it can be written")
        name = named(play.title, kind)
        if kind == "html":
            return name, page_of(what).encode()
        if kind == "csv":
            with tempfile.TemporaryDirectory() as folder:
                if play.motion is not None:
                    return name, play.motion.save(Path(folder) / "motion.csv").read_bytes()
                return name, what.save(Path(folder) / "trajectory.csv").read_bytes()
        return name, self._film(kind, play, client)

    def _film(self, kind: str, play: Playable, client: Any) -> bytes:
        """As the page shows it, picture by picture."""
        if kind == "mp4":
            ffmpeg()  # told before the work, where it is missing
        times, period = shown_times(play.t, FILM_FPS, MOST_OF_FILM, 1.0, 50.0)
        q = resample(play.model, play.t, configurations(play.model, play.q), times)
        width, height = FILM
        begun, scale = perf_counter(), force_scale(play.model, self.scene.size)

        def pictures() -> Iterator[Array]:
            for k in range(len(times)):
                if self.stopped:
                    raise InputError("stopped: nothing is written")
                with self.server.atomic():
                    self.scene.remove("push")
                    self.scene.remove(FORCES)
                    self.scene.show(q[k])
                    show_forces(self.scene, play, times[k], scale)
                self.server.flush()
                left = (perf_counter() - begun) / max(k, 1) * (len(times) - k)
                told = f", {left:.0f} s to go" if k else ""
                self.told(f"writing … picture {k + 1} of {len(times)}{told}; click again to stop")
                yield np.ascontiguousarray(client.get_render(height=height, width=width)[..., :3])

        try:
            return self._packed(kind, pictures(), period, len(times))
        finally:
            self.again()

    @staticmethod
    def _packed(kind: str, pictures: Iterator[Array], period: float, count: int) -> bytes:
        if kind == "gif":
            return encode_gif(pictures, durations_of(count, period))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "film.mp4"
            write_mp4(path, pictures, 1.0 / period)
            return path.read_bytes()


def size_of(count: int) -> str:
    """A number of bytes in words."""
    return f"{count / 1e6:.3g} MB" if count >= 1e5 else f"{count / 1e3:.3g} kB"


def named(title: str, kind: str) -> str:
    """The name of a file, by what is shown: letters, digits and "_"."""
    return f"{''.join(c if c.isalnum() else '_' for c in title)[:40] or 'linkwright'}.{kind}"


def png(pixels: Array) -> bytes:
    """A picture (height, width, 3 or 4) of bytes as a PNG."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format="PNG")
    return file.getvalue()
