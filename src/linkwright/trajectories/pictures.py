"""Trajectories as pictures: positions to jerk, what is beyond limits shaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics.forces.actuation import joint_velocity_limits
from linkwright.model.coordinates import velocity_names
from linkwright.spatial.arrays import Array
from linkwright.visual.palette import COLORS
from linkwright.visual.plots import LINES_PER_PANEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linkwright.trajectories.task_space.pose_paths import PoseTrajectory
    from linkwright.trajectories.trajectory import Trajectory

SAMPLES = 1200


def plot_trajectory(trajectory: Trajectory) -> Figure:
    """Four panels over time; as many columns as the coordinates need, eight lines each."""
    from matplotlib.figure import Figure

    model = trajectory.model
    begin, end = trajectory.times[[0, -1]].tolist()
    t = np.unique(np.concatenate([np.linspace(begin, end, SAMPLES), trajectory.times]))
    found = trajectory.at(t)
    limits = [(model.lower, model.upper), *((_negative(x), x) for x in _bounds(trajectory))]
    names = [list(model.coordinate_names), *[velocity_names(model)] * 3]
    columns = -(-max(model.nq, model.nv) // LINES_PER_PANEL)
    figure = Figure(figsize=(7.6 if columns == 1 else 4.8 * columns, 8.4), layout="constrained")
    axes = figure.subplots(4, columns, sharex=True, squeeze=False)
    kinds = ("position (rad, m)", "velocity (rad/s, m/s)", "acceleration (rad/s², m/s²)", "jerk (rad/s³, m/s³)")
    for row, (kind, x, of, (low, high)) in enumerate(zip(kinds, found, names, limits, strict=True)):
        for column in range(columns):
            ax = axes[row, column]
            own = range(column * LINES_PER_PANEL, min((column + 1) * LINES_PER_PANEL, x.shape[1]))
            _panel(ax, t, x, own, [of[k] for k in own], low, high, steps=row == 3)
            if row == 0 or (row == 1 and names[0] != names[1]):
                ax.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
            if column == 0:
                ax.set_ylabel(kind, fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("time (s)", fontsize=8)
    figure.suptitle(f"{model.name}: planned, {trajectory.duration:.4g} s", fontsize=11)
    figure.align_ylabels()
    return figure


def _negative(x: Array | None) -> Array | None:
    return None if x is None else -x


def _bounds(trajectory: Trajectory) -> list[Array | None]:
    limits = trajectory.limits
    return [
        limits.get("velocity", joint_velocity_limits(trajectory.model)),
        limits.get("acceleration"),
        limits.get("jerk"),
    ]


def _panel(
    ax: Axes, t: Array, x: Array, own: Any, names: list[str], low: Array | None, high: Array | None, *, steps: bool
) -> None:
    """Plot lines of one kind. Common limits shade the region beyond them; different limits are dashed lines."""
    if not len(own):
        ax.set_axis_off()
        return
    for k, name in zip(own, names, strict=True):
        style: dict[str, Any] = {"drawstyle": "steps-post"} if steps else {}
        ax.plot(t, x[:, k], lw=1.3, color=COLORS[k % len(COLORS)], label=name, **style)
    reach = np.abs(x[:, own]).max(initial=1e-9)
    bottom, top = x[:, own].min(), x[:, own].max()
    room = 0.08 * max(top - bottom, 0.1 * reach)
    bottom, top = bottom - room, top + room
    for limit, outwards in ((low, -1.0), (high, 1.0)):
        if limit is None or not np.isfinite(limit[list(own)]).any():
            continue
        bounds = limit[list(own)]
        if np.ptp(bounds) <= 1e-12 * np.abs(bounds).max() and abs(bounds[0]) < 2.0 * reach:
            far = bounds[0] + outwards * room
            bottom, top = min(bottom, far), max(top, far)
            ax.axhspan(
                bounds[0], bounds[0] + outwards * 10.0 * abs(bounds[0] or 1.0), color="#888888", alpha=0.25, lw=0
            )
            continue
        for k, bound in zip(own, bounds, strict=True):
            if bottom - room <= bound <= top + room:
                ax.axhline(bound, color=COLORS[k % len(COLORS)], lw=0.8, ls="--", alpha=0.7)
                bottom, top = min(bottom, bound - 0.3 * room), max(top, bound + 0.3 * room)
    ax.set_ylim(bottom, top)
    ax.grid(alpha=0.25)
    ax.tick_params(labelsize=7)


AXES = 12
"""of the frame along a path"""


def plot_poses(path: PoseTrajectory) -> Figure:
    """A path in space with the frame's axes along it, and its speeds and accelerations over time."""
    from matplotlib.figure import Figure

    t = np.unique(np.concatenate([np.linspace(path.times[0], path.times[-1], 400), path.times]))
    T, v, a = path(t)
    p = T[:, :3, 3]
    figure = Figure(figsize=(10.0, 4.8), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1.0))
    space: Any = figure.add_subplot(grid[:, 0], projection="3d")
    space.plot(*p.T, color="#333840", lw=1.5)
    reach = max(float(np.ptp(p, axis=0).max()), 0.05)
    size = 0.12 * reach
    for k in np.linspace(0, len(t) - 1, AXES).astype(int):
        for axis, color in zip(T[k, :3, :3].T, ("#D55E00", "#009E73", "#0072B2"), strict=True):
            space.plot(*np.stack([p[k], p[k] + size * axis]).T, color=color, lw=1.2)
    for set_range, middle in zip(
        (space.set_xlim, space.set_ylim, space.set_zlim), 0.5 * (p.min(0) + p.max(0)), strict=True
    ):
        set_range(middle - 0.55 * reach, middle + 0.55 * reach)
    space.set_box_aspect((1.0, 1.0, 1.0))
    space.locator_params(nbins=5)
    space.set_xlabel("x (m)", fontsize=8)
    space.set_ylabel("y (m)", fontsize=8)
    space.set_zlabel("z (m)", fontsize=8)
    space.tick_params(labelsize=6)
    kinds = ((v, "speed (m/s, rad/s)"), (a, "acceleration (m/s², rad/s²)"))
    for row, (x, what) in enumerate(kinds):
        ax = figure.add_subplot(grid[row, 1])
        for part, name, color in ((x[:, :3], "linear", COLORS[0]), (x[:, 3:], "angular", COLORS[1])):
            ax.plot(t, np.linalg.norm(part, axis=1), color=color, lw=1.3, label=name)
        ax.set_ylabel(what, fontsize=8)
        ax.grid(alpha=0.25)
        ax.tick_params(labelsize=7)
        if not row:
            ax.legend(fontsize=7)
    figure.axes[-1].set_xlabel("time (s)", fontsize=8)
    figure.suptitle(f"a path, {path.duration:.4g} s", fontsize=11)
    return figure
