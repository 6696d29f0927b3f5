"""Draw docs/pictures/whole_body_squat.png: what docs/topics/control/whole_body.md simulates.

python tools/draw_whole_body.py
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright.visual import palette

DOCS = Path(__file__).parent.parent / "docs"


def main() -> None:
    """Run the page up to its simulation, and draw that."""
    scope: dict = {}
    page = (DOCS / "topics" / "control" / "whole_body.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        if "motion" in scope:
            break
        exec(block, scope)
    man, motion, ticks = scope["man"], scope["motion"], scope["ticks"]
    t = np.array([t for t, _ in ticks])
    forces = np.array([answer.forces for _, answer in ticks])
    efforts = np.array([answer.efforts for _, answer in ticks])
    figure, (way, feet, motors) = plt.subplots(3, 1, figsize=(7.0, 7.5), sharex=True, layout="constrained")
    heights = lw.center_of_mass(man, motion.q)[:, 2] - scope["place"][2]
    way.plot(motion.t, 100 * (scope["wanted"][:, 2] - scope["place"][2]), "k--", label="desired")
    way.plot(motion.t, 100 * heights, label="simulated")
    way.set_ylabel("center of mass (cm)")
    way.legend()
    for name, some in (("left heel", [0, 1]), ("left toes", [2, 3])):
        feet.plot(t, forces[:, some, 2].sum(axis=1), label=f"{name}, normal")
    feet.set_ylabel("forces (N)")
    feet.set_ylim(bottom=0)
    feet.legend()
    for joint in ("hip_pitch", "knee_pitch", "ankle_pitch"):
        motors.plot(t, efforts[:, man.slice(f"left_{joint}")[1]], label=f"left {joint.replace('_', ' ')}")
    motors.set_ylabel("efforts (N m)")
    motors.set_xlabel("time (s)")
    motors.legend()
    for axes in (way, feet, motors):
        axes.grid(alpha=0.3)
    figure.savefig(DOCS / "pictures" / "whole_body_squat.png", dpi=110)


if __name__ == "__main__":
    with plt.rc_context(palette.STYLE):
        main()
