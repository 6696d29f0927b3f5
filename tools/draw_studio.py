"""Draw docs/pictures/studio_*.png: the studio in headless Chromium, without a graphics card.

``python tools/draw_studio.py`` draws all pictures, or those named.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import linkwright as lw

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
IN_CHROMIUM = ["--no-sandbox", "--enable-unsafe-swiftshader", "--hide-scrollbars"]
PATIENCE = 60.0
"""s"""


def arm(studio: Any, page: Any) -> None:
    """Show the other postures of an arm as ghosts."""
    studio._ghosts.value = True
    studio.show_message(studio.hand.set_branches(True))


def stewart(studio: Any, page: Any) -> None:
    """Show the velocity ellipsoid of a platform."""
    studio.looks.boxes["velocity"].value = True
    studio.looks.set("velocity", True)
    studio.hand.reach(studio.hand.pose(studio.q)[:3, 3] + [0.05, 0.08, 0.06])
    studio.show_message("")


def humanoid(studio: Any, page: Any) -> None:
    """Push a standing humanoid and pause while the push acts."""
    studio.simulating.begin(play=False)
    live, panel = studio.simulating.live, studio.simulating.panel
    for _ in range(40):
        live.take(20)
    place = lw.pose(live.model, live.q, "head")[:3, 3]
    live.grab("head", place)
    live.pull(place + np.array([0.15, -0.4, 0.05]))
    for _ in range(15):
        live.take(15)
    panel._show(live.now)
    panel._draw()
    page.get_by_role("tab", name="Simulate").first.click()


def double_pendulum(studio: Any, page: Any) -> None:
    """Let the pendulum swing for a while."""
    page.get_by_role("button", name="Play").first.click()
    page.wait_for_timeout(6000)
    page.get_by_role("button", name="Pause").first.click()


def nothing(studio: Any, page: Any) -> None:
    """Show the page as it opens."""


DRAWN: dict[str, tuple[Any, tuple[int, int], Callable[[Any, Any], None]]] = {
    "arm": ("arm7", (1200, 760), arm),
    "stewart": ("stewart", (1200, 760), stewart),
    "humanoid": ("humanoid", (1280, 760), humanoid),
    "forward_kinematics": ("forward-kinematics", (1150, 720), nothing),
    "double_pendulum": ("double-pendulum", (1150, 720), double_pendulum),
}


def draw(browser: Any, name: str) -> None:
    """Draw one picture."""
    what, (width, height), prepare = DRAWN[name]
    with lw.studio(what if "-" in what else lw.load(what), port=18760) as studio:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(studio.address)
        end = time.monotonic() + PATIENCE
        while not studio.server.get_clients() and time.monotonic() < end:
            page.wait_for_timeout(100)
        page.locator("button.mantine-Notification-closeButton").click(timeout=1000 * PATIENCE)
        prepare(studio, page)
        page.mouse.move(10, 10)
        page.wait_for_timeout(4000)
        page.screenshot(path=PICTURES / f"studio_{name}.png", timeout=1000 * PATIENCE)
        page.close()


def main() -> None:
    """Draw the pictures named on the command line, or all."""
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=IN_CHROMIUM)
        for name in sys.argv[1:] or DRAWN:
            draw(browser, name)
        browser.close()


if __name__ == "__main__":
    main()
