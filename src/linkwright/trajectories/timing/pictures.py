"""Time-optimal motions as pictures: the speed along the path under what limits allow, and what joints use of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwright.model.coordinates import velocity_names
from linkwright.visual.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwright.trajectories.timing.motion import TimeOptimal

SAMPLES = 1500

GRAY = {"color": "#888888", "alpha": 0.3, "lw": 0}


def plot_path_speed(motion: TimeOptimal) -> Figure:
    """Three panels: ṡ over s, and over time velocities and efforts as parts of their limits; what is beyond is gray."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 8.0), layout="constrained")
    along, *others = figure.subplots(3, 1)
    limits = motion.speed_limits()
    top = 1.25 * motion.speed.max()
    along.fill_between(motion.s[:-1], np.minimum(limits, 2.0 * top), 2.0 * top, **GRAY)
    along.plot(motion.s[:-1], limits, color="#555555", lw=1.0, label="maximum within the limits")
    along.plot(motion.s, motion.speed, color=COLORS[0], lw=1.8, label="speed along the path")
    along.set(ylim=(0.0, top), xlim=motion.s[[0, -1]], xlabel="path parameter s", ylabel="ds/dt (1/s)")
    along.legend(fontsize=7, loc="upper left")
    t = np.unique(np.concatenate([np.linspace(motion.times[0], motion.times[-1], SAMPLES), motion.times]))
    names = velocity_names(motion.model)
    used = {"velocity": motion(t)[1], "effort": motion.efforts(t)}
    for ax, (kind, x) in zip(others, used.items(), strict=True):
        limit = motion.allowed[kind]
        for k in np.flatnonzero(np.isfinite(limit)):
            ax.plot(t, x[:, k] / limit[k], color=COLORS[k % len(COLORS)], lw=1.3, label=names[k])
        ax.axhspan(1.0, 2.0, **GRAY)
        ax.axhspan(-2.0, -1.0, **GRAY)
        ax.set(ylim=(-1.2, 1.2), xlim=motion.times[[0, -1]], xlabel="time (s)", ylabel=f"{kind} / its limit")
        if np.isfinite(limit).any():
            ax.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for ax in (along, *others):
        ax.grid(alpha=0.25)
        ax.tick_params(labelsize=7)
    figure.suptitle(f"{motion.model.name}: time-optimal along a path, {motion.duration:.4g} s", fontsize=11)
    figure.align_ylabels()
    return figure
