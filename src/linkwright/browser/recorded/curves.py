"""Curves of joints, energies and efforts on the page of a motion, with a line at the playing time."""

from __future__ import annotations

import base64
import json
from importlib.resources import files

import numpy as np

from linkwright.browser.live.plots import MOST_OF_WHOLE, groups_of, units_of
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.simulation.recording.motion import Motion


def with_curves(page: str, motion: Motion, seconds: float, dark: bool) -> str:
    """Return the page of a motion with its curves at the left; ``seconds``: its duration there."""
    t = np.asarray(motion.t, dtype=float)
    kept = np.unique(np.linspace(0, len(t) - 1, MOST_OF_WHOLE).astype(int))
    energy = np.column_stack([motion.kinetic, motion.potential, motion.kinetic + motion.potential])
    columns = np.column_stack([t, motion.q, energy, motion.tau])[kept]
    content = {
        "samples": len(kept),
        "seconds": seconds,
        "plots": _plots(motion.model),
        "numbers": base64.b64encode(np.ascontiguousarray(columns.T, dtype="<f4").tobytes()).decode(),
    }
    here = files("linkwright.browser.recorded")
    style, script = (here.joinpath(f"curves.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    data = json.dumps(content).replace("<", "\\u003c")  # a name must not end the element
    panel = (
        f"<style>{style}</style>"
        f'<aside id="lw-curves" class="{"dark" if dark else "light"}" aria-label="curves"></aside>'
        '<button id="lw-hide" title="Hide the curves">×</button>'
        f'<script id="lw-data" type="application/json">{data}</script><script>{script}</script>'
    )
    head, end, rest = page.rpartition("</body>")
    return f"{head}{panel}{end}{rest}" if end else page


def _plots(model: Model) -> list[dict[str, object]]:
    """Return the plots: titles, and the names and columns of the curves of each group."""
    q, v, groups = list(model.coordinate_names), velocity_names(model), groups_of(model)
    first = 1
    joints = {name: [(q[k], first + k) for k in places] for name, (places, _) in groups.items() if places}
    energies = [(name, first + len(q) + k) for k, name in enumerate(("kinetic", "potential", "total"))]
    first += len(q) + 3
    efforts = {name: [(v[k], first + k) for k in places] for name, (_, places) in groups.items() if places}
    plots: list[dict[str, object]] = [{"title": "Energy, J", "groups": {"energy": energies}}]
    if joints:
        plots.insert(0, {"title": f"Positions, {units_of(model, 'rad', 'm')}", "groups": joints})
    if efforts:
        plots.append({"title": f"Efforts, {units_of(model, 'N m', 'N')}", "groups": efforts})
    return plots
