"""Plots of identification: efforts, residuals, parameters with error bars, motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.identification.report import shortened
from linkwright.visual.palette import COLORS, MUTED, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwright.identification.excitation import ExcitingTrajectory
    from linkwright.identification.identify import Identified

MOST = 12
"""Joints in a picture."""


def plot_efforts(found: Identified) -> Figure:
    """Plot measured and predicted efforts (left) and residuals (right) of each joint."""
    from matplotlib.figure import Figure

    measured, explained = found.example
    names = found.joints[:MOST]
    figure = Figure(figsize=(11.0, 0.9 + 1.35 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), 2, squeeze=False, sharex=True, width_ratios=(3, 2))
    timed = bool(np.any(found.times % 1.0))
    for k, (name, (of, rest)) in enumerate(zip(names, axes, strict=True)):
        style: dict[str, Any] = dict(lw=0.8) if timed else dict(lw=0.0, marker=".", ms=2.0)
        of.plot(found.times, measured[:, k], color=MUTED, label="measured", **style)
        of.plot(found.times, explained[:, k], color=COLORS[0], label="predicted", **style)
        left, noise = measured[:, k] - explained[:, k], found.sigma[k]
        rest.plot(found.times, left, color=COLORS[1], lw=0.0, marker=".", ms=1.5)
        rest.axhspan(-2.0 * noise, 2.0 * noise, color=COLORS[1], alpha=0.15, lw=0.0)
        of.set_ylabel(name, fontsize=8)
        for ax in (of, rest):
            dress(ax)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", fontsize=7, ncols=2)
    axes[0, 0].set_title("efforts (N m; N for prismatic joints)", fontsize=9)
    axes[0, 1].set_title("residuals, and ± 2 standard deviations", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("time (s)" if timed else "sample", fontsize=8)
    return figure


def plot_parameters(found: Identified) -> Figure:
    """Plot base parameters with error bars next to the prior (left), and the identifiability of parameters (right)."""
    from matplotlib.figure import Figure

    base, errors = found.base.values, found.standard_errors
    before = found.base.matrix @ found.prior
    physical = found.base.matrix @ found.parameters
    n = len(base)
    figure = Figure(figsize=(11.5, 1.4 + 0.22 * max(n, 12)), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1))
    rows = np.arange(n)
    chosen = found.base.plain.columns.chosen[found.base.kept]
    scale = np.maximum(_natural(found)[chosen], np.maximum(np.abs(before), np.abs(base)))
    off, bars = (base - before) / scale, 2.0 * errors / scale
    left.axvline(0.0, color=MUTED, lw=0.8, label="prior")
    left.errorbar(off, rows, xerr=bars, fmt="o", ms=3, lw=1.2, color=COLORS[0], label="least squares ± 2 std. errors")
    left.plot((physical - before) / scale, rows, "x", ms=4, color=COLORS[1], label="physically consistent")
    left.set_yticks(rows, [shortened(name) for name in found.base_names], fontsize=8.5)
    left.invert_yaxis()
    left.set_xlabel("relative change from prior", fontsize=9)
    dress(left)
    left.tick_params(axis="y", labelsize=8.5)
    left.set_title("base parameters", fontsize=10)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=3, fontsize=8.5, frameon=False)
    _shares(right, found)
    return figure


def _natural(found: Identified) -> Any:
    """Return the usual size (p,) of each parameter: that of a body with the prior's mass and size."""
    bodies = len(found.unknowns.blocks)
    each = found.prior[: 10 * bodies].reshape(bodies, 10)
    mass, second = each[:, :1], 0.5 * each[:, [4, 6, 9]].sum(axis=1, keepdims=True)
    usual = np.concatenate([mass, np.repeat(np.sqrt(mass * second), 3, 1), np.repeat(second, 6, 1)], axis=1)
    return np.concatenate([usual.reshape(-1), np.maximum(found.prior[10 * bodies :], found.unknowns.usual)])


def _shares(ax: Any, found: Identified) -> None:
    """Draw a map of the identifiability of each body's ten parameters."""
    bodies = [name for name, _, _ in found.unknowns.blocks]
    shares = found.share[: 10 * len(bodies)].reshape(len(bodies), 10)
    image = ax.imshow(100.0 * shares, vmin=0.0, vmax=100.0, cmap="viridis", aspect="auto")
    ten = [name.rpartition(".")[2] for name in found.names[:10]]
    ax.set_xticks(np.arange(10), ten, fontsize=8.5, rotation=45)
    ax.set_yticks(np.arange(len(bodies)), bodies, fontsize=8.5)
    for row, column in np.ndindex(shares.shape):
        x = shares[row, column]
        color = "white" if x < 0.6 else "black"
        ax.text(column, row, f"{100.0 * x:.0f}", ha="center", va="center", fontsize=8.5, color=color)
    ax.set_title("identifiability (%): share determined by measurements", fontsize=10)
    ax.figure.colorbar(image, ax=ax, shrink=0.5, label="%")


def plot_excitation(found: ExcitingTrajectory) -> Figure:
    """Positions, velocities and accelerations over a period."""
    from matplotlib.figure import Figure

    t = np.linspace(0.0, found.period, 600)
    names = found.model.coordinate_names
    figure = Figure(figsize=(9.0, 6.5), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for ax, x, what in zip(axes, found(t), ("q (rad, m)", "v (rad/s, m/s)", "a (rad/s², m/s²)"), strict=True):
        for k, name in enumerate(names[: 2 * len(COLORS)]):
            ax.plot(t, x[:, k], lw=1.0, color=COLORS[k % len(COLORS)], ls="-" if k < len(COLORS) else "--", label=name)
        ax.set_ylabel(what, fontsize=8)
        dress(ax)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=7, ncols=8, loc="outside lower center")
    axes[0].set_title(f"exciting motion of {found.model.name}, condition number {found.condition:.3g}", fontsize=9)
    axes[-1].set_xlabel("time (s)", fontsize=8)
    return figure
