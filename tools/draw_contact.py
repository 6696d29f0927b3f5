"""Draw docs/pictures/contact_shapes.png and contact_forces.png.

The one is a quadruped on a ground of heights, with what of it touches others; the other a humanoid that is pushed, as
by ``linkwright simulate humanoid --push``, with the forces of the ground.

python tools/draw_contact.py
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from draw_strips import Row, Strip, draw

import linkwright as lw
from linkwright.cli import app as command

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    """Stand it on the hills, by eye."""
    x, y = np.meshgrid(np.linspace(-2, 2, 81), np.linspace(-2, 2, 81))
    hills = 0.05 * np.sin(5 * x + 1) * np.cos(4 * y)
    robot = lw.load("quadruped").with_ground(-0.36, heights=hills, size=(4.0, 4.0))
    q = robot.neutral()
    q[8::3], q[9::3] = 0.7, -1.3
    for leg in ("front_left", "front_right", "hind_left", "hind_right"):  # each foot down to the ground
        for _ in range(60):
            p = lw.pose(robot, q, f"{leg}_foot")[:3, 3]
            ground = -0.36 + 0.05 * np.sin(5 * p[0] + 1) * np.cos(4 * p[1]) + 0.02
            pitch, knee = (robot.slice(f"{leg}_{joint}").q for joint in ("hip_pitch", "knee"))
            q[knee] += 2.0 * (p[2] - ground)
            q[pitch] -= 1.0 * (p[2] - ground)
    figure = lw.draw(robot, q, shapes="touching", title="", elevation=14.0)
    figure.savefig(PICTURES / "contact_shapes.png", dpi=90)
    forces()


def forces() -> None:
    """Draw several frames of the push side by side."""
    with TemporaryDirectory() as folder:
        out = ["--out", folder, "--film", "gif", "--time", "3"]
        command([*("simulate", "humanoid", "--push"), *out], result_action="return_value")
        (film,) = Path(folder).glob("*.gif")
        shown = draw(Strip("", (Row(film.name, (0.8, 1.3, 1.8, 2.2, 2.9)),)), Path(folder))
        shown.save(PICTURES / "contact_forces.png", optimize=True)


if __name__ == "__main__":
    main()
