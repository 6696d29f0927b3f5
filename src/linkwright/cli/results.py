"""What ``linkwright simulate`` leaves and tells: files of a motion, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from linkwright.files import write_figure

if TYPE_CHECKING:
    from linkwright.simulation import Trajectory

RESULTS = (
    *("trajectory.npz", "trajectory.csv", "positions.png", "velocities.png", "energies.png", "efforts.png"),
    *("animation.gif", "animation.mp4"),
)
"""What a simulation may write; of an earlier one nothing stays."""


def written(trajectory: Trajectory, folder: Path) -> Iterator[Path]:
    """Write the arrays, then the plots; each file's path when it is whole."""
    from linkwright.visual import plots

    model, t = trajectory.model, trajectory.t
    yield trajectory.save(folder / "trajectory.npz")
    yield trajectory.save(folder / "trajectory.csv")
    figures = {
        "positions.png": plots.plot_positions(model, t, trajectory.q),
        "velocities.png": plots.plot_velocities(model, t, trajectory.v),
        "energies.png": plots.plot_energies(t, trajectory.kinetic, trajectory.potential, title=model.name),
    }
    if np.any(trajectory.tau):
        figures["efforts.png"] = plots.plot_efforts(model, t, trajectory.tau)
    for name, figure in figures.items():
        yield write_figure(folder / name, figure, dpi=110)


def summary(trajectory: Trajectory, method: str, controlled: bool) -> Table:
    """What a motion was, in a table; ``method`` in words, ``controlled``: whether by a controller."""
    model, energy = trajectory.model, trajectory.energy
    table = Table(show_header=False, box=None)
    steps = round(trajectory.t[-1] / trajectory.step)
    table.add_row("motion", f"{trajectory.t[-1]:g} s in {steps} steps of {trajectory.step:g} s ({method})")
    table.add_row("compile time", f"{trajectory.compile_time:.3g} s")
    table.add_row("steps per second", f"{trajectory.steps_per_second:,.0f}")
    table.add_row("", f"{trajectory.t[-1] / max(trajectory.run_time, 1e-9):,.0f} times real time")
    scale = max(float(np.abs(trajectory.kinetic).max()), float(np.ptp(trajectory.potential)), 1e-300)
    losses = any(np.any(joint.damping) or np.any(joint.friction) for joint in model.joints)
    change = f"{energy[0]:.6g} J → {energy[-1]:.6g} J"
    if controlled or losses:
        why = " and ".join(["control"] * controlled + ["damping and friction"] * losses)
        table.add_row("energy", f"{change} ({why} included)")
    else:
        moved = scale > 1e-12 * float(np.abs(energy).max())
        part = f"{trajectory.drift / scale:.2g} of the energy exchanged" if moved else "nothing moves"
        table.add_row("energy drift", f"{trajectory.drift:.3g} J, {part}")
    if model.loops:
        table.add_row("closure error", f"{trajectory.closure:.2g} (m or rad, the largest of all loops)")
    return table
