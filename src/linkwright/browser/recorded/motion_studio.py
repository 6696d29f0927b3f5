"""Playback of a motion or a trajectory in the browser."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwright.bounds import whole_number
from linkwright.browser.page import Studio, add_dark_theme, theme
from linkwright.browser.recorded.export import Saving
from linkwright.browser.recorded.page import framed, page_of, playable, save_page
from linkwright.browser.recorded.player import MotionPlayer
from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.style import STYLE

WIDTH = 380
"""Width of the curves, pixels."""
IN_NOTEBOOK = 480
"""Height of a motion in a notebook, pixels."""


class MotionStudio(Studio):
    """The page of a motion or a trajectory, made by :func:`linkwright.studio` of one."""

    def __init__(self, what: Any, *, speed: float = 1.0, host: str = "127.0.0.1", port: int | None = None):
        self.what, self.playable, self._speed = what, playable(what), speed
        super().__init__(self.playable.model, self.playable.q[0], host=host, port=port)

    def _fill(self) -> None:
        gui = self.server.gui
        theme(gui)
        gui.add_html(STYLE)
        self.scene = BrowserScene(self.server, self.model, self.playable.q[0], self.playable.some)
        if self.playable.motion is not None:
            self.scene.hide_ground_without_contact(self.model)
        self.posture.listen(self.scene.show)
        self.player = MotionPlayer(self.server, self.scene, self.playable, self._speed)
        self._status = gui.add_markdown("")
        self.saving = Saving(
            self.server, self.scene, lambda: self.playable, self.show_message, lambda: self.player.show(self.player.at)
        )
        add_dark_theme(gui, self.scene)
        if self.playable.motion is not None:
            side = gui.add_panel()
            with side.add_tab("Curves"):
                self.player.add_curves()
            side.dock_left()
            side.set_width(WIDTH)
        gui.main_panel.dock_right()
        self.player.start()

    def save_html(self, path: str | Path, **options: Any) -> Path:
        """Write one ``.html`` that plays without a server, offline; options as of :meth:`Motion.save_html`."""
        return save_page(self.what, path, **options)

    def stop(self) -> None:
        """Stop the player and the server."""
        if hasattr(self, "player"):
            self.player.stop()
        super().stop()


class Embedded:
    """A motion in a notebook: the notebook contains the whole page."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return framed(self.page, self.height)

    def __repr__(self) -> str:
        return f"<a motion as a page of {len(self.page) / 1e6:.1f} MB>"


def show(
    what: Any, *, speed: float = 1.0, block: bool = True, port: int | None = None, height: int = IN_NOTEBOOK
) -> Any:
    """Show a motion or a trajectory in the browser; wait for Ctrl-C unless ``block`` is False.

    A notebook embeds the page instead, ``height`` pixels high. It plays without a server, also after reopening.
    """
    if in_notebook():
        whole_number("height", height, 100, 4000)
        import_module("IPython.display").display(Embedded(page_of(what, speed=speed), height))
        return None
    made = MotionStudio(what, speed=speed, port=port)
    made.player.play()
    if not made.open():
        print(f"open {made.address} in a browser", file=sys.stderr)
    if block:
        made.wait()
    return made


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None
