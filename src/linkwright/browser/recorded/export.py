"""Saving of pictures, films, self-contained pages and numbers from the page."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.browser.recorded.page import FORCES, PUSH, Playable, force_scale, page_of, playable, show_arrows
from linkwright.browser.view.scene import BrowserScene
from linkwright.errors import InputError, LinkwrightError
from linkwright.spatial.arrays import Array
from linkwright.visual.animations.film import shown_times
from linkwright.visual.animations.gif import durations_of, encode_gif
from linkwright.visual.animations.mp4 import ffmpeg, write_mp4
from linkwright.visual.drawing.linkage import configurations, resample

PICTURE = (1600, 1200)
"""Width and height of a picture, pixels."""
SIZES = {"640 × 480": (640, 480), "960 × 720": (960, 720), "1280 × 720": (1280, 720), "1920 × 1080": (1920, 1080)}
"""Width and height of a film, pixels."""
FILM_FPS, MOST_FPS = 25.0, 50.0
MOST_OF_FILM = 3000
"""Largest number of frames of a film."""
LAST = 5.0
"""Default duration of a film: the last seconds, s."""
PARTS = (f"last {LAST:g} s", "all", "from … to")


class Saving:
    """Buttons that save pictures, films, pages and numbers, in the open panel; the browser downloads the files.

    ``what()`` returns the record; ``again()`` shows the present state after a film. A click while a file is written
    stops it.
    """

    def __init__(
        self,
        server: Any,
        scene: BrowserScene,
        what: Callable[[], Any],
        show_message: Callable[[str], None],
        again: Callable[[], None],
    ):
        self.server, self.scene, self.what, self.show_message, self.again = server, scene, what, show_message, again
        self.busy, self.stopped = False, False
        gui = server.gui
        self._buttons(gui, "Picture", ("PNG",), "The picture of this page")
        with gui.add_folder("Film"):
            self.part = gui.add_dropdown("Part", PARTS)
            self.first = gui.add_number("From, s", 0.0, min=0.0, step=0.1, visible=False)
            self.last = gui.add_number("To, s", LAST, min=0.0, step=0.1, visible=False)
            self.size = gui.add_dropdown("Size, pixels", tuple(SIZES))
            self.fps = gui.add_number("Frames per s", FILM_FPS, min=1.0, max=MOST_FPS, step=1.0)
            self.part.on_update(lambda _: self._show_times())
            self._buttons(gui, "Save film", ("GIF", "MP4"), "The view of this page; large films take long")
        self._buttons(gui, "Record", ("HTML", "CSV"), "HTML: page that plays offline. CSV: one row per sample")

    def _buttons(self, gui: Any, label: str, kinds: tuple[str, ...], hint: str) -> None:
        gui.add_button_group(label, kinds, hint=hint).on_click(self._clicked)

    def _show_times(self) -> None:
        self.first.visible = self.last.visible = self.part.value == PARTS[2]

    def period(self, t: Array) -> tuple[float, float]:
        """Return the begin and the end, s, of a film of a record with the times (n,)."""
        begin, end = float(t[0]), float(t[-1])
        if self.part.value == PARTS[0]:
            return max(begin, end - LAST), end
        if self.part.value == PARTS[1]:
            return begin, end
        first, last = max(float(self.first.value), begin), min(float(self.last.value), end)
        if not first < last:
            raise InputError(
                f"The film must begin before it ends, within {begin:.2f} s and {end:.2f} s; got {self.first.value:g} s "
                f"to {self.last.value:g} s."
            )
        return first, last

    def _clicked(self, event: Any) -> None:
        if event.client is None:
            return
        if self.busy:
            self.stopped = True
            return
        self.busy, self.stopped = True, False
        kind = str(event.target.value).lower()
        try:
            self.show_message("Writing …")
            name, content = self.content(kind, event.client)
            event.client.send_file_download(name, content, save_immediately=True)
            self.show_message(f"{name}: {size_of(len(content))}")
        except LinkwrightError as error:
            self.show_message(str(error))
        except RuntimeError:
            if event.client.client_id in self.server.get_clients():
                raise
            self.show_message("")  # the page was closed
        finally:
            self.busy = False

    def content(self, kind: str, client: Any) -> tuple[str, bytes]:
        """Return the name and the content of a file; ``kind``: "png", "gif", "mp4", "html" or "csv"."""
        if kind == "png":
            width, height = PICTURE
            return named(self.scene.model.name, kind), png(client.get_render(height=height, width=width))
        play = playable(self.what())
        if len(play.t) < 2:
            raise InputError("There is no motion yet. Start a simulation first.")
        name = named(play.title, kind)
        if kind == "html":
            return name, page_of(play).encode()
        if kind == "csv":
            with tempfile.TemporaryDirectory() as folder:
                if play.motion is not None:
                    return name, play.motion.save(Path(folder) / "motion.csv").read_bytes()
                assert play.trajectory is not None
                return name, play.trajectory.save(Path(folder) / "trajectory.csv").read_bytes()
        return name, self._film(kind, play, client)

    def _film(self, kind: str, play: Playable, client: Any) -> bytes:
        """Return a film of the chosen part, size and frame rate, rendered by the page."""
        if kind == "mp4":
            ffmpeg()  # an error here comes before the work
        times, period = shown_times(np.array(self.period(play.t)), float(self.fps.value), MOST_OF_FILM, 1.0, MOST_FPS)
        q = resample(play.model, play.t, configurations(play.model, play.q), times)
        width, height = SIZES[str(self.size.value)]
        begun, scale = perf_counter(), force_scale(play.model, self.scene.size)

        def pictures() -> Iterator[Array]:
            for k in range(len(times)):
                if self.stopped:
                    raise InputError("Stopped: no file was written.")
                with self.server.atomic():
                    self.scene.remove(PUSH)
                    self.scene.remove(FORCES)
                    self.scene.show(q[k])
                    show_arrows(self.scene, play, times[k], scale)
                self.server.flush()
                left = (perf_counter() - begun) / max(k, 1) * (len(times) - k)
                remaining = f", about {left:.0f} s left" if k else ""
                self.show_message(f"Writing frame {k + 1} of {len(times)}{remaining}. Click again to stop.")
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
    """Return a number of bytes as text."""
    return f"{count / 1e6:.3g} MB" if count >= 1e5 else f"{count / 1e3:.3g} kB"


def named(title: str, kind: str) -> str:
    """Return a file name of letters, digits and "_"."""
    return f"{''.join(c if c.isalnum() else '_' for c in title)[:40] or 'linkwright'}.{kind}"


def png(pixels: Array) -> bytes:
    """Return a picture (height, width, 3 or 4) as PNG."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format="PNG")
    return file.getvalue()
