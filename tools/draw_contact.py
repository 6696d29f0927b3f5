"""Draw docs/pictures/contact_shapes.png: a quadruped on a ground of heights, with what of it touches others.

python tools/draw_contact.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw

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


if __name__ == "__main__":
    main()
