"""The reachable workspace of a delta robot: a hundred million poses of its three arms, on a grid.

    python examples/delta_workspace.py [--short] [--to FOLDER]

For every combination of the arms' angles the five loops are closed: three coordinates determine the other eighteen.
Of each pose only the number of the 1 cm cell that contains the tool is stored. The number of poses in a cell shows how
finely the arms position the tool there. A study that was interrupted resumes when the program runs again.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

import linkwright as lw

ROBOT = lw.load("delta")
ARMS = ["arm1", "arm2", "arm3"]
MOST = 0.8
"""rad, up and down from where the arms are level"""
LOW, CELL, COUNTS = np.array([-0.6, -0.6, -1.05]), 0.01, (120, 120, 70)
"""m, m: the corner and the size of the cells; how many there are along x, y, z"""


def cells(arm1, arm2, arm3):
    """The number of the cell of the tool (n,) for angles (n,)."""
    q = np.tile(ROBOT.neutral(), (len(arm1), 1))
    for name, angle in zip(ARMS, (arm1, arm2, arm3), strict=True):
        q[:, ROBOT.slice(name).q] = angle[:, None]
    tool = lw.pose(ROBOT, lw.close_loops(ROBOT, q, fixed=ARMS), "tool")[:, :3, 3]
    place = np.floor((tool - LOW) / CELL).astype(int)
    return {"cell": np.ravel_multi_index(place.T, COUNTS).astype(np.uint32)}


def drawn(count: np.ndarray) -> Figure:
    """Plot sections of the counts (x, y, z)."""
    x, y, z = (low + CELL * np.arange(n + 1) for low, n in zip(LOW, COUNTS, strict=True))
    upright = count[:, 59:61].sum(axis=1)
    height = int(np.argmax(count.sum(axis=(0, 1))))
    most = max(upright.max(), 2)
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    panels = [figure.add_subplot(1, 2, k) for k in (1, 2)]
    sections = (
        (x, z, upright.T, "z (m)", "section y = 0"),
        (x, y, count[:, :, height].T, "y (m)", f"section z = {z[height] + CELL / 2:.2f} m"),
    )
    for axis, (across, up, seen, label, title) in zip(panels, sections, strict=True):
        shown = axis.pcolormesh(across, up, np.where(seen > 0, seen, np.nan), norm=LogNorm(1, most), cmap="viridis")
        axis.set(xlabel="x (m)", ylabel=label, title=title, aspect="equal")
    figure.colorbar(shown, ax=panels, label="poses in a cell")
    return figure


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--to", type=Path, default=Path("workspace"))
    options = reader.parse_args()
    angles = np.linspace(-MOST, MOST, 60 if options.short else 465)  # 465³ are 100 544 625
    parameters = lw.samples.grid(arm1=angles, arm2=angles, arm3=angles)
    study = lw.study(cells, parameters, options.to, keep_parameters=False)
    count = np.zeros(np.prod(COUNTS), dtype=np.int64)
    for (cell,) in study.chunks("cell"):
        count += np.bincount(cell, minlength=len(count))
    met = np.count_nonzero(count)
    print(study)
    print(f"{met:,d} cells of 1 cm³ contain poses, {met * CELL**3 * 1e3:.0f} l; at most {count.max():,d} in one cell")
    drawn(count.reshape(COUNTS)).savefig(options.to.with_name(f"{options.to.name}.png"), dpi=100)
