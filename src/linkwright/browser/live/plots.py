"""Curves of joints, energies and efforts, of the last seconds or of a whole motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.browser.live.live import LiveState
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

WINDOW = 10.0
"""Duration of the curves of a simulation, s."""
LEAST = 1.0
"""Smallest range of the time axis, s."""
MOST_POINTS = 250
"""Largest number of points of a curve."""
MOST_OF_WHOLE = 600
"""Largest number of points of a curve of a whole motion."""
AT_ONCE = 8
"""Largest number of joint curves in one plot."""
COLORS = ("#2563a8", "#d1495b", "#2a9d8f", "#e9a23b", "#7a5ea8", "#59656f", "#8c564b", "#17becf")
LEAST_SPAN = 0.02
"""Smallest range of a value axis, so that its labels differ."""
HEIGHT = 170
"""Height of a plot, pixels."""


class Plots:
    """Three plots in the open panel (viser's ``with``), with a list of joint groups if there are many joints.

    ``whole``: show all samples, with a line at the shown time; else the last seconds before that time.
    """

    def __init__(self, server: Any, model: Model, whole: bool = False, moving: Array | None = None):
        """``moving`` (nv,): expected motion of each joint; the group that moves most is shown first."""
        self.server, self.model, self.whole = server, model, whole
        self._samples: Sequence[LiveState] = ()
        self._until: float | None = None
        self.coordinates, self.velocities = list(model.coordinate_names), velocity_names(model)
        self.groups = groups_of(model)
        gui = server.gui
        self.choice = None
        if len(self.groups) > 1:
            self.choice = gui.add_dropdown(
                f"Joints ({len(self.groups)} pages)", list(self.groups), initial_value=_most(self.groups, moving)
            )
        q, v = self.shown
        self.joints = (
            self._picture(f"Positions, {units_of(model, 'rad', 'm')}", [self.coordinates[k] for k in q]) if q else None
        )
        self.energies = self._picture("Energy, J", ("kinetic", "potential", "total"))
        self.efforts = (
            self._picture(f"Efforts, {units_of(model, 'N m', 'N')}", [self.velocities[k] for k in v]) if v else None
        )
        if self.choice is not None:
            self.choice.on_update(lambda _: self._others())

    @property
    def shown(self) -> tuple[list[int], list[int]]:
        """Indices in q and in v of the shown curves."""
        if not self.groups:
            return [], []
        return self.groups[self.choice.value] if self.choice is not None else next(iter(self.groups.values()))

    def _others(self) -> None:
        """Show another group of joints."""
        q, v = self.shown
        with self.server.atomic():
            for picture, names in (
                (self.joints, [self.coordinates[k] for k in q]),
                (self.efforts, [self.velocities[k] for k in v]),
            ):
                if picture is not None:
                    picture.data = _nothing(len(names) + self.whole)
                    picture.series = self._series(names)
        self.update(self._samples, self._until)

    def update(self, samples: Sequence[LiveState], until: float | None = None) -> bool:
        """Draw samples in the order of time; return False if the plots need another update."""
        self._samples, self._until = samples, until
        if not samples:
            return True
        end = samples[-1].t if until is None else until
        first = 0 if self.whole else max(0, _first_after(samples, end - WINDOW))
        last = len(samples) if self.whole else _first_after(samples, end + 1e-9)
        some, most = samples[first:last], MOST_OF_WHOLE if self.whole else MOST_POINTS
        some = [some[k] for k in np.unique(np.linspace(0, len(some) - 1, most).astype(int))] if some else []
        if not some:
            return True
        places, efforts = self.shown
        t = np.array([sample.t for sample in some])
        q, tau = np.stack([sample.q for sample in some]), np.stack([sample.tau for sample in some])
        energy = np.array([(sample.kinetic, sample.potential) for sample in some])
        mark = end if self.whole else None
        drawn = [_draw(self.energies, t, np.column_stack([energy, energy.sum(axis=1)]), mark)]
        if self.joints is not None:
            drawn.append(_draw(self.joints, t, q[:, places], mark))
        if self.efforts is not None:
            drawn.append(_draw(self.efforts, t, tau[:, efforts], mark))
        return all(drawn)

    def _series(self, names: Sequence[str]) -> tuple[Any, ...]:
        curves = [
            {"label": name, "stroke": COLORS[k % len(COLORS)], "width": 1.6, "points": {"show": False}}
            for k, name in enumerate(names)
        ]
        now = {"label": "now", "stroke": "#a3abb5", "width": 1.2, "points": {"show": False}}
        return ({"label": "t, s"}, *curves, *([now] * self.whole))

    def _picture(self, title: str, names: Sequence[str]) -> Any:
        return self.server.gui.add_uplot(
            _nothing(len(names) + self.whole),
            self._series(names),
            title=title,
            scales=_scales(None),
            axes=({"size": 36, "space": 60}, {"size": 56}),
            legend={"show": True, "live": False},
            height=HEIGHT,
            aspect=2.0,
            padding=(10, 24, 0, 0),
        )


def groups_of(model: Model) -> dict[str, tuple[list[int], list[int]]]:
    """Return the groups of joints by name: indices in q and in v."""
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
    floats = [name for name in found if any(j.name == name and j.motion.floating for j in model.joints)]
    return {name: found[name] for name in [*(n for n in found if n not in floats), *floats]}


def _most(groups: dict[str, tuple[list[int], list[int]]], moving: Array | None) -> str:
    """Return the name of the group that moves most, by default the first."""
    if moving is None:
        return next(iter(groups))
    return max(groups, key=lambda name: float(np.abs(moving[groups[name][1]]).sum()))


def _first_after(samples: Sequence[LiveState], t: float) -> int:
    low, high = 0, len(samples)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if samples[middle].t > t else (middle + 1, high)
    return low


def _draw(picture: Any, t: Array, values: Array, mark: float | None) -> bool:
    """Draw curves (n, k) over times (n,), s, and a vertical line at time ``mark``; return whether they are drawn.

    If the value axis and the time range change together, viser would keep the old time range: the axis changes first,
    and the curves with the next update.
    """
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    span = None
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # the default axis would be from 0 to 100
        half = 0.1 * abs(low) or 1.0
        low, high = span = (low - half, low + half)
    elif high - low < LEAST_SPAN and max(abs(low), abs(high)) < 1.0:  # labels have three decimals
        middle = 0.5 * (low + high)
        low, high = span = (middle - 0.5 * LEAST_SPAN, middle + 0.5 * LEAST_SPAN)
    elif mark is not None:  # the gaps of the line would leave the axis without a range
        low, high = span = (low - 0.05 * (high - low), high + 0.05 * (high - low))
    if len(t) == 1:  # one point is not visible
        t, values = np.append(t, t + 0.02 * LEAST), np.repeat(values, 2, axis=0)
    if t[-1] - t[0] < LEAST and mark is None:
        t, values = np.append(t, t[0] + LEAST), np.vstack([values, np.full(values.shape[1], np.nan)])
    columns = [np.ascontiguousarray(values[:, k]) for k in range(values.shape[1])]
    if mark is not None:
        at = int(np.searchsorted(t, mark, side="right"))
        columns = [np.insert(x, at, [np.interp(mark, t, x)] * 2) for x in columns]
        line = np.insert(np.full(len(t), np.nan), at, [low, high])
        t, columns = np.insert(t, at, [mark, mark]), [*columns, line]
    scales, old = _scales(span), picture.data[0]
    if picture.scales != scales:
        picture.scales = scales
        if mark is None and (old[0], old[-1]) != (t[0], t[-1]):
            return False
    picture.data = (t, *columns)
    return True


def _scales(span: tuple[float, float] | None) -> dict[str, Any]:
    """Return the scales of the time and, if given, of the values."""
    found: dict[str, Any] = {"x": {"time": False}}
    return found if span is None else {**found, "y": {"range": span}}


def units_of(model: Model, of_angles: str, of_lengths: str) -> str:
    """Return the units of the coordinates of a model."""
    found = {unit == "m" for joint in model.joints if joint.nq for unit in joint.motion.units}
    return " and ".join(name for name, has in ((of_angles, False in found), (of_lengths, True in found)) if has)


def _nothing(count: int) -> tuple[Array, ...]:
    return (np.array([0.0, LEAST]), *(np.full(2, np.nan) for _ in range(count)))
