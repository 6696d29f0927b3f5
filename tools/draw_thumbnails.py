"""Draw docs/pictures/thumbnails: each picture that a card of an index page shows, cut out and reduced.

``python tools/draw_thumbnails.py`` draws all that the index pages and the README show, or the names given.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures"
SIZE = (480, 300)
MARGIN = 10
"""pixels about what is drawn"""
PARTS = {
    "bench_arm7": (0.0, 0.0, 1.0, 0.55),
    "contact_forces": (0.4, 0.0, 1.0, 1.0),
    "control_computed_torque": (0.0, 0.0, 0.5, 1.0),
    "control_map": (0.0, 0.0, 1.0, 0.8),
    "control_pd": (0.0, 0.0, 0.52, 1.0),
    "equations_page": (0.0, 0.0, 0.52, 0.5),
    "experiment_planar": (0.0, 0.0, 0.345, 1.0),
    "force_polishing": (0.0, 0.0, 0.335, 1.0),
    "gallery_blocks": (0.0, 0.55, 0.5, 1.0),
    "gallery_composites": (0.0, 0.5, 1.0, 1.0),
    "gallery_coordinates": (0.1, 0.1, 0.95, 0.95),
    "gallery_further": (0.0, 0.0, 0.35, 0.5),
    "gallery_jacobian_rate": (0.0, 0.0, 1.0, 1.0),
    "gallery_momentum_matrix": (0.0, 0.0, 0.5, 1.0),
    "gallery_two_link_motion": (0.0, 0.0, 0.52, 1.0),
    "gripper": (0.0, 0.0, 0.68, 0.5),
    "humanoid_balance": (0.0, 0.5, 1.0, 1.0),
    "identification_efforts": (0.0, 0.0, 0.55, 0.5),
    "landing_player": (0.26, 0.05, 0.74, 0.8),
    "learn_dynamics": (0.0, 0.0, 1.0, 1.0),
    "learned_trot": (0.0, 0.0, 0.5, 0.5),
    "leg_proportions": (0.0, 0.0, 0.4, 1.0),
    "observer_push": (0.0, 0.0, 0.49, 1.0),
    "optimal_swing_up": (0.0, 0.0, 0.35, 0.5),
    "ppo_walk": (0.0, 0.0, 0.5, 0.5),
    "running": (0.0, 0.0, 0.5, 0.27),
    "stability_pendulum": (0.0, 0.03, 0.52, 0.9),
    "study_workspace": (0.0, 0.0, 0.49, 1.0),
    "trajectory_path": (0.0, 0.0, 0.42, 1.0),
    "trapeze": (0.0, 0.2, 1.0, 0.6),
    "studio_arm": (0.2, 0.0, 0.72, 1.0),
    "studio_humanoid": (0.36, 0.0, 0.7, 1.0),
    "studio_stewart": (0.0, 0.0, 0.7, 1.0),
    "whole_body_squat": (0.0, 0.3, 1.0, 1.0),
}
"""left, top, right and bottom of the part that is shown, in widths and heights of the picture"""


def cut(picture: Image.Image, part: tuple[float, float, float, float]) -> Image.Image:
    """Return a part of a picture without its white margins."""
    width, height = picture.size
    box = (part[0] * width, part[1] * height, part[2] * width, part[3] * height)
    shown = picture.crop(tuple(map(round, box)))
    drawn = np.asarray(shown).min(axis=2) < 245
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return shown.crop((int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1))


def draw(name: str) -> None:
    """Draw the thumbnail of a picture, by its name without suffix."""
    source = next(path for suffix in ("png", "webp", "gif") if (path := PICTURES / f"{name}.{suffix}").exists())
    with Image.open(source) as picture:
        shown = cut(picture.convert("RGB"), PARTS.get(name, (0.0, 0.0, 1.0, 1.0)))
    inner = SIZE[0] - 2 * MARGIN, SIZE[1] - 2 * MARGIN
    shown = ImageOps.contain(shown, inner, Image.Resampling.LANCZOS)
    whole = Image.new("RGB", SIZE, "white")
    whole.paste(shown, ((SIZE[0] - shown.width) // 2, (SIZE[1] - shown.height) // 2))
    whole.save(PICTURES / "thumbnails" / f"{name}.webp", quality=82, method=6)


def shown_names() -> set[str]:
    """Return the names of the thumbnails that pages show."""
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    return {name for page in pages for name in re.findall(r"thumbnails/(\w+)\.webp", page.read_text(encoding="utf-8"))}


if __name__ == "__main__":
    (PICTURES / "thumbnails").mkdir(exist_ok=True)
    for picture_name in sorted(sys.argv[1:] or shown_names()):
        draw(picture_name)
