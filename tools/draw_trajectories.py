"""Draw the pictures of docs/topics/motion/trajectories.md: an S-curve, a path of a hand, and a fastest motion."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import linkwright as lw
from linkwright.visual import palette

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    """Write them."""
    arm = lw.load("arm7")
    start, end = arm.random(2, seed=3)
    plan = lw.trajectories.s_curve(arm, start, end, velocity=1.5, acceleration=4.0, jerk=30.0)
    plan.plot(PICTURES / "trajectory_s_curve.png")
    home = lw.pose(arm, np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1]), "tool")
    fast = {"velocity": 0.3, "acceleration": 1.5, "jerk": 15.0}
    there = home[:3, 3] + [0.0, 0.1, -0.1]
    line = lw.trajectories.straight(home, there, **fast)
    ring = lw.trajectories.circle(line.end, there - np.array([0.0, 0.0, 0.08]), [1.0, 0.3, 0.0], **fast)
    line.then(ring).plot(PICTURES / "trajectory_path.png")
    weak = 0.3 * np.concatenate([joint.effort_limit for joint in arm.joints])
    fastest = lw.trajectories.time_optimal(arm, 0.6 * arm.random(5, seed=1), velocity=3.0, effort=weak)
    fastest.plot_speed(PICTURES / "time_optimal.png")


if __name__ == "__main__":
    with matplotlib.rc_context(palette.STYLE):
        main()
