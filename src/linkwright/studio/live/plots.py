"""Curves beside a motion: joints, energies and efforts over the last seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.model.names import velocity_names
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.studio.live.live import Sample

WINDOW = 10.0
"""s"""
MOST_POINTS = 250
"""of a curve"""
AT_ONCE = 6
"""curves of joints in one picture"""
COLOURS = ("#2563a8", "#d1495b", "#2a9d8f", "#e9a23b", "#7a5ea8", "#59656f")
HEIGHT = 170
"""pixels"""


class Plots:
    """Three pictures in the panel that is open now (viser's ``with``), and which joints they are of."""

    def __init__(self, server: Any, model: Model):
        self.server, self.model = server, model
        self._samples: Sequence[Sample] = ()
        self._until: float | None = None
        self.coordinates, self.velocities = list(model.coordinate_names), velocity_names(model)
        self.groups = groups_of(model)
        gui = server.gui
        self.choice = None
        if len(self.groups) > 1:
            self.choice = gui.add_dropdown("Joints", list(self.groups), hint="whose curves are drawn")
        q, v = self.shown
        self.joints = _picture(gui, "positions, rad and m", [self.coordinates[k] for k in q]) if q else None
        self.energies = _picture(gui, "energy, J", ("kinetic", "potential", "total"))
        self.efforts = _picture(gui, "efforts, N m and N", [self.velocities[k] for k in v]) if v else None
        if self.choice is not None:
            self.choice.on_update(lambda _: self._others())

    @property
    def shown(self) -> tuple[list[int], list[int]]:
        """The places in q and in v of what is drawn."""
        if not self.groups:
            return [], []
        return self.groups[self.choice.value] if self.choice is not None else next(iter(self.groups.values()))

    def _others(self) -> None:
        """Other joints were chosen: their names, and no curves until the next ones are drawn."""
        q, v = self.shown
        with self.server.atomic():
            for picture, names in (
                (self.joints, [self.coordinates[k] for k in q]),
                (self.efforts, [self.velocities[k] for k in v]),
            ):
                if picture is not None:
                    picture.data = _nothing(len(names))
                    picture.series = _series(names)
        self.update(self._samples, self._until)

    def update(self, samples: Sequence[Sample], until: float | None = None) -> None:
        """Draw what was in the last seconds, of samples in the order of time."""
        self._samples, self._until = samples, until
        if not samples:
            return
        end = samples[-1].t if until is None else until
        first = max(0, _first_after(samples, end - WINDOW))
        last = _first_after(samples, end + 1e-9)
        some = samples[first:last]
        some = [some[k] for k in np.unique(np.linspace(0, len(some) - 1, MOST_POINTS).astype(int))] if some else []
        if not some:
            return
        places, efforts = self.shown
        t = np.array([sample.t for sample in some])
        q, tau = np.stack([sample.q for sample in some]), np.stack([sample.tau for sample in some])
        energy = np.array([(sample.kinetic, sample.potential) for sample in some])
        if self.joints is not None:
            self.joints.data = _columns(t, q[:, places])
        self.energies.data = (t, energy[:, 0].copy(), energy[:, 1].copy(), energy.sum(axis=1))
        if self.efforts is not None:
            self.efforts.data = _columns(t, tau[:, efforts])


def groups_of(model: Model) -> dict[str, tuple[list[int], list[int]]]:
    """Some joints at a time, by what they are called together: their places in q and in v."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    names: list[str] = []
    q: list[int] = []
    v: list[int] = []

    def close() -> None:
        if q or v:
            found[names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"] = (q.copy(), v.copy())
        for kept in (names, q, v):
            kept.clear()

    for joint in model.joints:
        if not joint.nq:
            continue
        alone = joint.nq > AT_ONCE
        if alone or len(q) + joint.nq > AT_ONCE:
            close()
        names.append(joint.name)
        at_q, at_v = model.slice(joint.name)
        q += range(at_q.start, at_q.stop)
        v += range(at_v.start, at_v.stop)
        if alone:
            close()
    close()
    floats = [name for name in found if any(j.name == name and j.type == "free" for j in model.joints)]
    return {name: found[name] for name in [*(n for n in found if n not in floats), *floats]}


def _first_after(samples: Sequence[Sample], t: float) -> int:
    low, high = 0, len(samples)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if samples[middle].t > t else (middle + 1, high)
    return low


def _columns(t: Array, values: Array) -> tuple[Array, ...]:
    return (t, *(np.ascontiguousarray(values[:, k]) for k in range(values.shape[1])))


def _nothing(count: int) -> tuple[Array, ...]:
    return (np.array([0.0, 1e-3]), *(np.zeros(2) for _ in range(count)))


def _series(names: Sequence[str]) -> tuple[Any, ...]:
    curves = [
        {"label": name, "stroke": COLOURS[k % len(COLOURS)], "width": 1.6, "points": {"show": False}}
        for k, name in enumerate(names)
    ]
    return ({"label": "t, s"}, *curves)


def _picture(gui: Any, title: str, names: Sequence[str]) -> Any:
    return gui.add_uplot(
        _nothing(len(names)),
        _series(names),
        title=title,
        scales={"x": {"time": False}},
        axes=({"size": 28, "space": 60}, {"size": 46}),
        legend={"show": True},
        height=HEIGHT,
        aspect=2.0,
    )
