"""Draw the poster of the landing page's player, and the picture that social networks show.

``python tools/draw_landing.py`` writes docs/pictures/landing_player.webp and docs/sphinx/static/social.jpg.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

from linkwright.browser.recorded.page import save_page
from linkwright.visual import palette

DOCS = Path(__file__).parent.parent / "docs"
SIZE = (1280, 720)
CONTROLS = 40
"""pixels at the lower edge of the player"""
WAIT = 8000
"""ms until the robot is loaded and moves"""
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def photograph(page: Path) -> Image.Image:
    """Open the player in a browser and return a picture of its scene."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1] + CONTROLS})
        tab.set_default_timeout(300_000)  # ms; software renders slowly
        tab.goto(page.as_uri())
        tab.wait_for_timeout(WAIT)
        tab.add_style_tag(content=".mantine-Notifications-root { display: none }")
        picture = tab.screenshot(clip={"x": 0, "y": 0, "width": SIZE[0], "height": SIZE[1]})
        browser.close()
    return Image.open(BytesIO(picture)).convert("RGB")


def main() -> None:
    """Draw both pictures."""
    sys.path.insert(0, str(DOCS / "sphinx"))
    from player import circling

    with tempfile.TemporaryDirectory() as folder:
        scene = photograph(save_page(circling(), Path(folder) / "player.html"))
    scene.save(DOCS / "pictures" / "landing_player.webp", quality=85)
    card = scene.crop((0, 24, 1280, 696)).resize((1200, 630), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(card)
    draw.text((48, 450), "Linkwright", fill="#0072b2", font=ImageFont.truetype(findfont(palette.FONT), 66))
    draw.text(
        (50, 545),
        "Robot kinematics and dynamics in Python",
        fill="#333840",
        font=ImageFont.truetype(findfont(palette.FONT), 34),
    )
    card.save(DOCS / "sphinx" / "static" / "social.jpg", quality=88)


if __name__ == "__main__":
    main()
