"""Draw frames of a motion side by side for docs, from the animations that examples write.

python tools/draw_strips.py [--from FOLDER] [NAME …]

``--from`` is a folder where the examples wrote their animations; without it they run first (learning takes minutes).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from linkwright.visual import palette

HERE = Path(__file__).parent.parent
PICTURES = HERE / "docs" / "pictures"
WIDTH, MARGIN, LETTERS = 1060, 10, 17
"""pixels: of a picture, about its moments, of the letters of the time"""


@dataclass(frozen=True)
class Row:
    """Moments of one animation."""

    gif: str
    times: tuple[float, ...]
    """s"""
    keep: bool = False
    """the whole frame, with its axes; else what is drawn alone"""


@dataclass(frozen=True)
class Strip:
    """Rows beneath each other."""

    example: str
    rows: tuple[Row, ...]


STRIPS = {
    "learned_trot": Strip(
        "learn_to_walk.py",
        (Row("walk.gif", (1.08, 1.28), keep=True), Row("walk.gif", (1.48, 1.68), keep=True)),
    ),
    "ppo_walk": Strip(
        "ppo_walk.py",
        (Row("go2.gif", (1.02, 1.14), keep=True), Row("go2.gif", (1.26, 1.38), keep=True)),
    ),
    "humanoid_balance": Strip(
        "humanoid_balance.py",
        (
            Row("humanoid_hop.gif", (1.4, 1.76, 1.88, 2.0, 2.12, 2.3)),
            Row("humanoid_walk.gif", (0.6, 1.2, 1.8, 2.4, 3.0, 3.6)),
        ),
    ),
    "gripper": Strip("gripper.py", (Row("gripper.gif", (0.0, 0.6, 1.2)), Row("gripper.gif", (2.1, 3.75, 5.3)))),
    "trapeze": Strip(
        "trapeze.py",
        (
            Row("trapeze.gif", (0.0, 1.0), keep=True),
            Row("trapeze.gif", (1.55, 1.9), keep=True),
            Row("trapeze.gif", (2.3, 2.7), keep=True),
            Row("trapeze.gif", (3.1, 3.6), keep=True),
        ),
    ),
}


def moments(path: Path, times: tuple[float, ...]) -> list[Image.Image]:
    """The frames of an animation at these times, s."""
    with Image.open(path) as film:
        shown, at = [], 0.0
        for k in range(film.n_frames):
            film.seek(k)
            while len(shown) < len(times) and times[len(shown)] < at + film.info["duration"] / 1000.0 - 1e-9:
                shown.append(film.convert("RGB"))
            at += film.info["duration"] / 1000.0
    if len(shown) < len(times):
        raise SystemExit(f"{path} ends before {times[len(shown)]} s")
    return shown


def box(image: Image.Image) -> tuple[int, int, int, int]:
    """Where something is drawn that is no grid of the ground and no letter at the edge."""
    pixels = np.asarray(image).astype(int)
    strong = (pixels.max(axis=2) - pixels.min(axis=2) > 40) | (pixels.max(axis=2) < 90)
    height, width = strong.shape
    strong[: int(0.07 * height)] = False
    strong[int(0.85 * height) :, : int(0.2 * width)] = False  # the world's axes in the corner
    rows, columns = np.flatnonzero(strong.any(axis=1)), np.flatnonzero(strong.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1])


def draw(strip: Strip, folder: Path) -> Image.Image:
    """The picture."""
    drawn = []
    for row in strip.rows:
        frames = moments(folder / row.gif, row.times)
        width, height = frames[0].size
        if row.keep:
            cut = [(0, 0, width, height)] * len(frames)
        else:
            boxes = np.array([box(frame) for frame in frames])
            wide = int((boxes[:, 2] - boxes[:, 0]).max()) + 4 * MARGIN
            top = max(0, int(boxes[:, 1].min()) - MARGIN)
            low = min(height, int(boxes[:, 3].max()) + 2 * MARGIN)
            middles = (boxes[:, 0] + boxes[:, 2]) // 2
            lefts = [int(np.clip(middle - wide // 2, 0, width - wide)) for middle in middles]
            cut = [(left, top, left + wide, low) for left in lefts]
        each = (WIDTH - (len(frames) - 1) * MARGIN) // len(frames)
        scale = min(each / (cut[0][2] - cut[0][0]), 1.6)
        size = round(scale * (cut[0][2] - cut[0][0])), round(scale * (cut[0][3] - cut[0][1]))
        over = 0 if row.keep else 2 * LETTERS  # a whole frame contains its time
        line = Image.new("RGB", (WIDTH, size[1] + over), "white")
        for k, (frame, part, t) in enumerate(zip(frames, cut, row.times, strict=True)):
            left = k * (each + MARGIN) + (each - size[0]) // 2
            line.paste(frame.crop(part).resize(size, Image.Resampling.LANCZOS), (left, over))
            if row.keep:
                continue
            font = ImageFont.truetype(findfont(palette.FONT), LETTERS - 2)
            ImageDraw.Draw(line).text((left + MARGIN, LETTERS // 2), f"t = {t:g} s", fill=palette.TEXT, font=font)
        drawn.append(line)
    whole = Image.new("RGB", (WIDTH, sum(line.height for line in drawn)), "white")
    top = 0
    for line in drawn:
        whole.paste(line, (0, top))
        top += line.height
    return whole


def main() -> None:
    """Run the examples, and take moments of their animations."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(STRIPS))
    reader.add_argument("--from", dest="folder", type=Path)
    options = reader.parse_args()
    if unknown := [name for name in options.names if name not in STRIPS]:
        reader.error(f"there is no {unknown[0]!r}; there are {', '.join(STRIPS)}")
    with tempfile.TemporaryDirectory() as passing:
        folder = options.folder or Path(passing)
        for name in options.names or STRIPS:
            if options.folder is None:
                subprocess.run([sys.executable, HERE / "examples" / STRIPS[name].example], check=True, cwd=folder)
            draw(STRIPS[name], folder).save(PICTURES / f"{name}.png", optimize=True)
            print(f"drew {name}.png")


if __name__ == "__main__":
    main()
