"""Output of ``linkwright simulate``: the files of a motion, and a summary."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from linkwright.compiler.native.threads import default_threads
from linkwright.files import TEMPORARY, write_figure
from linkwright.model.coordinates import velocity_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwright.simulation import Motion

RESULTS = (
    *("motion.npz", "motion.csv", "positions.png", "velocities.png", "energies.png", "efforts.png", "contacts.png"),
    *("animation.gif", "animation.mp4"),
)
"""Files that a simulation may write. Files of a previous simulation are removed."""


BEYOND = 1e6
"""Energy, relative to the initial energy plus 1 J, above which a motion without actuation is numerically unstable."""

MANY_NUMBERS = 400_000
"""Number of positions, velocities and efforts from which writing takes about a second."""

MOST_NAMES = 7
"""Largest number of names in a row."""


@contextmanager
def writing(motion: Motion, folder: Path, files: list[Path]) -> Iterator[None]:
    """Write the arrays and the plots of a motion, while the block works on another processor.

    The paths of complete files are appended to ``files``, at the end of the block at the latest. Much work is done by a
    forked process, because Python's threads do not run in parallel. If that process fails, this one writes the files.
    """
    files.append(motion.save(folder / "motion.npz"))
    if not _is_worth_a_process(motion):
        for path in _written(motion, folder):
            files.append(path)
        yield
        return
    # what both processes need is computed, and imported, once
    names = _names(motion)
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401

    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # what was computed is saved
            for _ in _written(motion, folder):
                pass
            status = 0
        finally:
            os._exit(status)
    try:
        yield
    finally:
        try:
            status = os.waitpid(child, 0)[1]
        except BaseException:  # interrupted once more
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            for unfinished in folder.glob(f"{TEMPORARY}*"):
                unfinished.unlink()
            raise
        files += [folder / name for name in names] if status == 0 else _written(motion, folder)


def _is_worth_a_process(motion: Motion) -> bool:
    """Return whether writing takes a second, and a process can be forked for it."""
    numbers = motion.q.size + 2 * motion.v.size
    return sys.platform == "linux" and numbers > MANY_NUMBERS and default_threads() > 1


def _names(motion: Motion) -> list[str]:
    """Return the names of the files of :func:`_written`."""
    names = ["motion.csv", "positions.png", "velocities.png", "energies.png"]
    return names + ["efforts.png"] * bool(np.any(motion.tau)) + ["contacts.png"] * bool(motion.pressing)


def _written(motion: Motion, folder: Path) -> Iterator[Path]:
    """Write the arrays as text, then the plots; yield the path of each complete file."""
    from linkwright.visual import plots

    model, t = motion.model, motion.t
    drawn: dict[str, Callable[[], Figure]] = {
        "positions.png": lambda: plots.plot_positions(model, t, motion.q),
        "velocities.png": lambda: plots.plot_velocities(model, t, motion.v),
        "energies.png": lambda: plots.plot_energies(t, motion.kinetic, motion.potential, title=model.name),
        "efforts.png": lambda: plots.plot_efforts(model, t, motion.tau),
        "contacts.png": lambda: plots.plot_contacts(t, motion.pressing, title=model.name),
    }
    for name in _names(motion):
        if name == "motion.csv":
            yield motion.save(folder / name)
        else:
            yield write_figure(folder / name, drawn[name](), dpi=110)


def summary(motion: Motion, method: str, controlled: bool, pushed: bool = False) -> Table:
    """Return a table that summarizes a motion; ``method``: description of the integration method."""
    model, energy = motion.model, motion.energy
    table = Table(show_header=False, box=None)
    steps = round(motion.t[-1] / motion.step)
    table.add_row("motion", f"{motion.t[-1]:g} s in {steps} steps of {motion.step:g} s ({method})")
    table.add_row("compile time", f"{motion.compile_time:.3g} s")
    table.add_row("steps per second", f"{motion.steps_per_second:,.0f}")
    table.add_row("real-time factor", f"{motion.t[-1] / max(motion.run_time, 1e-9):,.0f}")
    scale = max(float(np.abs(motion.kinetic).max()), float(np.ptp(motion.potential)), 1e-300)
    limited = bool(motion.limit_efforts.any())
    losses = any(np.any(joint.damping) or np.any(joint.friction) for joint in model.joints)
    change = f"{energy[0]:.6g} J → {energy[-1]:.6g} J"
    if controlled or losses or pushed or motion.pressing or limited:
        parts = ["control"] * controlled + ["damping", "friction"] * losses + ["push"] * pushed
        parts += ["contact"] * bool(motion.pressing) + ["joint limits"] * limited
        why = " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:])
        table.add_row("energy", f"{change} ({why} included)")
    elif not np.abs(energy).max() <= BEYOND * (abs(energy[0]) + 1.0):
        table.add_row("energy", f"{change}: the simulation diverged; its last samples are not valid")
    else:
        moved = scale > 1e-12 * float(np.abs(energy).max())
        part = (
            f"{motion.drift / scale:.2g} of the exchanged energy"
            if moved
            else "nothing moves: this posture is an equilibrium; --posture or --push start a motion"
        )
        table.add_row("energy drift", f"{motion.drift:.3g} J, {part}")
    if motion.pressing and motion.impulses is not None:
        contacts = motion.contacts
        at_rest = float(np.median(contacts.residual))
        gained = float(contacts.energy_gained)
        table.add_row(
            "contact",
            f"penetration ≤ {contacts.penetration * 1e3:.2g} mm, residual {at_rest:.1g} m/s (median), "
            f"energy added by penetration correction: {gained:.2g} J",
        )
    if limited:
        held = np.any(motion.limit_efforts, axis=0).tolist()
        names = [name for name, there in zip(velocity_names(model), held, strict=True) if there]
        many = f"{len(names)} of {model.nv} coordinates"
        table.add_row("limits reached", many if len(names) > MOST_NAMES else ", ".join(names))
    if model.loops:
        table.add_row("closure error", f"{motion.closure:.2g} (m or rad, maximum over the loops)")
    return table
