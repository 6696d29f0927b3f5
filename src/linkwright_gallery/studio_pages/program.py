"""Shared parts of the tutorial's pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, ClassVar

import numpy as np

from linkwright.browser.page import Studio, theme
from linkwright.browser.posture import Newest
from linkwright.browser.view.scene import FIELD_OF_VIEW, BrowserScene
from linkwright.browser.view.style import STYLE
from linkwright.model.library.built_in import built_in


class TutorialPage(Studio):
    """A page of the studio with one mechanism and its controls."""

    MODEL: ClassVar[str]
    """the built-in mechanism"""
    TITLE: ClassVar[str]
    START: ClassVar[tuple[float, ...]]
    """(nq,), rad"""
    MIDDLE: ClassVar[tuple[float, float, float]]
    """m, of what is seen"""
    SEEN: ClassVar[float]
    """m, from there up and down"""

    def __init__(self, *, host: str = "127.0.0.1", port: int | None = None):
        self.newest = Newest()
        super().__init__(built_in(self.MODEL), np.array(self.START), host=host, port=port)

    def _fill(self) -> None:
        gui = self.server.gui
        theme(gui)
        gui.set_panel_label(self.TITLE)
        gui.main_panel.dock_right()
        self.scene = BrowserScene(self.server, self.model, self.posture.q)
        self._camera()
        self.posture.listen(self.scene.show)
        self._status = gui.add_markdown("")
        gui.add_html(STYLE)
        self._program(gui)

    def _camera(self) -> None:
        """Show the whole workspace of the mechanism."""
        camera = self.server.initial_camera
        ahead = np.asarray(camera.position) - np.asarray(camera.look_at)
        away = self.SEEN / np.tan(0.5 * FIELD_OF_VIEW)
        camera.look_at = self.MIDDLE
        camera.position = np.array(self.MIDDLE) + away * ahead / np.linalg.norm(ahead)
        camera.near, camera.far = 0.01 * away, 100.0 * away

    def _program(self, gui: Any) -> None:
        """Add the controls."""
        raise NotImplementedError

    def corner(self, title: str, width: float) -> Any:
        """Return the HTML element of a small window at the lower left."""
        window = self.server.gui.add_panel()
        with window.add_tab(title):
            found = self.server.gui.add_html("")
        window.float(x=15.0, y=-15.0, width=width)
        return found

    def angle_slider(self, k: int, angle: float, step: float) -> Any:
        """Add a slider of joint k, in degrees; ``angle`` in rad."""
        start = round(float(np.degrees(angle)), 1)
        return self.server.gui.add_slider(f"θ{k + 1}, °", -180.0, 180.0, step, start)

    @staticmethod
    def _set(sliders: Sequence[Any], values: Iterable[float]) -> None:
        """Set sliders to the nearest possible values."""
        for slider, value in zip(sliders, values, strict=True):
            step = float(slider.step)
            if abs(float(slider.value) - float(value)) > 0.5 * step:
                rounded = round(step * round(float(value) / step), 6)
                slider.value = float(np.clip(rounded, slider.min, slider.max))


def degrees(x: float) -> float:
    """Return an angle between −180 and 180 degrees; ``x`` in rad."""
    return float(np.degrees(np.arctan2(np.sin(x), np.cos(x))))


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Return names and numbers as an HTML table in large letters."""
    cells = "".join(
        f'<div style="color:#68707c">{escape(name)}</div>'
        f'<div style="text-align:right;font-variant-numeric:tabular-nums">{escape(value).replace("-", "−")}</div>'
        for name, value in rows
    )
    style = "display:grid;grid-template-columns:auto 1fr;gap:4px 18px;padding:8px 14px 10px;font-size:17px"
    return f'<div style="{style}">{cells}</div>'
