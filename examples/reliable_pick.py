"""Success rate of picks with errors of camera and joints: a million trials.

    python examples/reliable_pick.py [--short] [--to FOLDER]

The camera measures the position of a part, with a calibration error. The arm solves its inverse kinematics for this
position; its joints have unknown offsets. The pick succeeds if the hand is within 2 mm of the part. A study that was
interrupted resumes when the program runs again.
"""

import argparse
from pathlib import Path

import numpy as np

import linkwright as lw

ARM = lw.load("arm7")
START = np.array([0.3, 0.5, 0.2, -1.2, 0.1, 0.9, 0.0])
NEAR = 0.002
"""m, from which on the gripper misses"""


def pick(part, camera, offset):
    """For parts (n, 3), errors of the camera (n, 3), both m, and of the joints (n, 7), rad."""
    found = lw.inverse_kinematics(ARM, {"tool": part + camera}, initial_guess=START)
    miss = np.linalg.norm(lw.pose(ARM, found.q + offset, "tool")[:, :3, 3] - part, axis=1)
    return {"miss": miss, "reached": found.converged, "success": found.converged & (miss < NEAR)}


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--to", type=Path, default=Path("pick"))
    options = reader.parse_args()
    parameters = lw.samples.random(
        20_000 if options.short else 1_000_000,
        1,
        part=lw.samples.uniform([0.3, -0.2, 0.3], [0.5, 0.2, 0.6]),
        camera=lw.samples.normal(np.zeros(3), 0.0005),
        offset=lw.samples.normal(np.zeros(7), 0.0005),
    )
    study = lw.study(pick, parameters, options.to, units={"miss": "m", "part": "m", "camera": "m", "offset": "rad"})
    print(study)
    print(
        f"{study['success'].mean():.2%} succeed; the error is {np.percentile(study['miss'], 99) * 1e3:.2f} mm at 99 %"
    )
    study.plot_histogram("miss", path=options.to.with_name(f"{options.to.name}.png"))
