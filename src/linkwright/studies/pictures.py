"""Plots of studies: histograms, percentile bands over time, scatter plots, sensitivities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import InputError, counted
from linkwright.spatial.arrays import Array
from linkwright.studies.columns import TIME
from linkwright.visual.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linkwright.studies.result import Study
    from linkwright.studies.sensitivity import Sensitivity

SHOWN_ROWS = 100_000
"""from which percentiles are taken; of more rows these are picked evenly"""

POINTS = 5_000
"""Outcomes that are drawn one by one; of more, how many there are in each place is drawn."""

PERCENTILES = (5.0, 50.0, 95.0)
"""percentiles of a histogram"""

BANDS = ((5.0, 95.0), (25.0, 75.0))
"""%"""


def plot_histogram(study: Study, names: tuple[str, ...], bins: int) -> Figure:
    """Plot histograms, one panel for each name, with mean and percentiles."""
    figure, axes = _panels(len(names))
    for name, axis in zip(names, axes, strict=True):
        low, high, count, total, lost = np.inf, -np.inf, 0, 0.0, 0
        for (x,) in study.chunks(name):
            known = _scalars(name, x)
            x = _finite(known)
            lost += len(known) - len(x)
            if len(x):
                low, high, count, total = min(low, x.min()), max(high, x.max()), count + len(x), total + x.sum()
        if not count:
            axis.set_title(f"{name}: " + ("no finite number" if lost else "nothing computed"))
            continue
        if lost:
            axis.set_title(f"{counted(lost, 'row')} not finite, not shown", fontsize="small")
        edges = _edges(low, high, bins, study.read(name, 0, 0).dtype)
        counts = np.zeros(len(edges) - 1)
        for (x,) in study.chunks(name):
            counts += np.histogram(_finite(_scalars(name, x)), edges)[0]
        axis.stairs(counts, edges, fill=True, color=COLORS[4], edgecolor=COLORS[0])
        mean = total / count
        axis.axvline(mean, color=COLORS[1], lw=1.5, label=f"mean {mean:.4g}")
        for share, at in zip(PERCENTILES, _percentiles(_picked(study, name)), strict=True):
            axis.axvline(at, color="0.3", lw=1.0, ls=":" if share != 50.0 else "--", label=f"{share:g} %: {at:.4g}")
        axis.set_xlabel(_label(study, name))
        axis.set_ylabel("rows")
        axis.legend(fontsize="small")
    figure.suptitle(f"{study.title}: {counted(study.done - study.failed, 'row')}")
    return figure


def plot_bands(study: Study, name: str) -> Figure:
    """The median over time, and between which values half and nine tenths of the rows are; a panel for each entry."""
    t, rows = study.read(TIME), _picked(study, name)
    if rows.ndim not in (2, 3) or rows.shape[1] != len(t):
        raise InputError(f"bands are of motions over time; {name!r} has shape {rows.shape}")
    rows = rows[..., None] if rows.ndim == 2 else rows
    figure, axes = _panels(rows.shape[2])
    for k, axis in enumerate(axes):
        with np.errstate(invalid="ignore"):
            for (low, high), alpha in zip(BANDS, (0.25, 0.45), strict=True):
                lower, upper = np.nanpercentile(rows[:, :, k], (low, high), axis=0)
                axis.fill_between(t, lower, upper, color=COLORS[0], alpha=alpha, lw=0, label=f"{low:g} to {high:g} %")
            axis.plot(t, np.nanmedian(rows[:, :, k], axis=0), color=COLORS[1], label="median")
        axis.set_xlabel("time (s)")
        axis.set_ylabel(_label(study, name) if rows.shape[2] == 1 else f"{_label(study, name)} [{k}]")
        axis.legend(fontsize="small")
    figure.suptitle(
        f"{study.title}: {counted(len(rows), 'row')}" + ("" if len(rows) == study.rows else f" of {study.rows}")
    )
    return figure


def plot_scatter(study: Study, output: str, parameters: tuple[str, ...]) -> Figure:
    """The output of every row against each of these parameters."""
    figure, axes = _panels(len(parameters))
    for name, axis in zip(parameters, axes, strict=True):
        pieces = [(_scalars(name, x), _scalars(output, y)) for x, y in study.chunks(name, output)]
        x, y = (np.concatenate([piece[k] for piece in pieces]) if pieces else np.zeros(0) for k in (0, 1))
        x, y = (one[np.isfinite(x) & np.isfinite(y)] for one in (x, y))
        if len(x) <= POINTS:
            axis.plot(x, y, ".", ms=3, alpha=0.5, color=COLORS[0])
        else:
            drawn = axis.hexbin(x, y.astype(float), gridsize=60, bins="log", cmap="viridis", mincnt=1)
            figure.colorbar(drawn, ax=axis, label="rows")
        axis.set_xlabel(_label(study, name))
        axis.set_ylabel(_label(study, output))
    figure.suptitle(study.title)
    return figure


def plot_sensitivity(found: Sensitivity) -> Figure:
    """First-order and total indices of each parameter, with 95 % intervals."""
    figure, (axis,) = _panels(1)
    places = np.arange(len(found.names))
    for k, (what, values, interval) in enumerate(
        (("first order", found.first, found.first_interval), ("total", found.total, found.total_interval))
    ):
        axis.barh(places + 0.2 - 0.4 * k, values, 0.38, xerr=interval, color=COLORS[k], label=what, capsize=3)
    axis.set_yticks(places, found.names)
    axis.invert_yaxis()
    axis.set_xlabel(f"Sobol index of {found.output}")
    axis.legend()
    return figure


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    wide = min(count, 3)
    high = -(-count // wide)
    figure = Figure(figsize=(1.5 + 4.2 * wide, 0.6 + 3.2 * high), layout="constrained")
    axes = [figure.add_subplot(high, wide, k + 1) for k in range(count)]
    for axis in axes:
        axis.grid(alpha=0.3)
    return figure, axes


def _label(study: Study, name: str) -> str:
    unit = study.unit(name)
    return f"{name} ({unit})" if unit else name


def _scalars(name: str, x: Array) -> Array:
    if x.ndim > 1:
        raise InputError(f"{name!r} has several numbers for each row, {x.shape[1:]}: take what has one")
    return x.astype(float)


def _finite(x: Array) -> Array:
    return x[np.isfinite(x)]


def _percentiles(x: Array) -> Array:
    """Return percentiles; for whole numbers and truth values existing values."""
    method: Any = "linear" if x.dtype.kind == "f" else "inverted_cdf"
    return np.asarray(np.percentile(_finite(x.astype(float)), PERCENTILES, method=method))


def _edges(low: float, high: float, bins: int, dtype: Any) -> Array:
    if dtype.kind in "iub" and high - low < bins:
        return np.arange(low, high + 2.0) - 0.5
    around = 0.0 if high > low else 0.5 * abs(low) or 0.5
    return np.linspace(low - around, high + around, bins + 1)


def _picked(study: Study, name: str) -> Array:
    """Return a limited number of computed rows, evenly spaced."""
    every = max(1, -(-study.rows // SHOWN_ROWS))
    pieces = [x[::every] for (x,) in study.chunks(name)]
    if not pieces:
        raise InputError(f"nothing is computed of {study.title!r} yet")
    return np.concatenate(pieces)
