"""Phase portraits: where motions go, where they rest, what divides them, and what is attracted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import positive, whole_number
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.simulation import Actuation
from linkwright.spatial.arrays import Array
from linkwright.symbolic.closed_loop_control.attraction import AttractionRegion, filled, nearest, region_on, widened
from linkwright.symbolic.closed_loop_control.equilibria import RestingPlace
from linkwright.symbolic.closed_loop_control.plane import Controlled, PhasePlane, PlanePicture, plane_of
from linkwright.symbolic.output.notation import latex_name
from linkwright.visual.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKS = {
    "asymptotically stable": ("o", "#111111", "#111111"),
    "stable": ("o", "#ffffff", "#111111"),
    "undecided": ("s", "#ffffff", "#111111"),
    "unstable": ("X", "#ffffff", COLORS[1]),
}
"""of equilibria: shape, face, edge"""
FINE = 1e-3
"""s, steps of the lines that divide"""
LEVELS = 7


@dataclass(frozen=True, eq=False, kw_only=True)
class PhasePortrait(PlanePicture):
    """Motions, equilibria and separatrices on a plane of states."""

    plane: PhasePlane
    """plane of states"""
    t: Array
    """(s,), s"""
    x: Array
    """(s, motions), of the first axis"""
    y: Array
    """(s, motions)"""
    separatrices: tuple[Array, ...]
    """lines (points, 2) that end at saddles and divide motions; of one degree of freedom"""
    region: AttractionRegion | None
    """of the target, where one is attracted"""

    @property
    def equilibria(self) -> tuple[RestingPlace, ...]:
        """The configurations of rest that were found, on and off the plane."""
        return self.plane.controlled.rest.found if not self.plane.controlled.stateful else ()

    def _figure(self) -> Figure:
        """Draw the phase portrait."""
        return draw(self.plane, self.region, self)

    def __repr__(self) -> str:
        return f"<PhasePortrait of {self.plane.controlled.model.name!r}: {' and '.join(self.axes)}>"


@takes_numeric_model()
def phase_portrait(
    model: Model,
    controller: Callable[..., Any] | None = None,
    *,
    target: ArrayLike | None = None,
    axes: tuple[str, str] | None = None,
    spans: ArrayLike | None = None,
    motions: int = 49,
    duration: float = 4.0,
    samples: int | tuple[int, int] = 61,
    region: bool = True,
    step: float = 1e-3,
    actuation: Actuation | None = None,
) -> PhasePortrait:
    """Compute a phase portrait: motions on a plane of states, equilibria, separatrices and the region of attraction.

    For mechanisms with more than one joint the motions are projected on the plane. Separatrices, the motions into
    saddles followed backward in time, are computed for one degree of freedom.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    controller : callable, optional
        Controller, as for :func:`simulate`.
    target : array_like, shape (nq,), optional
        Equilibrium whose region of attraction is computed.
    axes : (str, str), optional
        Coordinates or velocities of the plane, as for :func:`region_of_attraction`.
    spans : sequence, optional
        Ranges ((from, to), (from, to)) of both axes.
    motions : int, optional
        Approximate number of motions, evenly distributed.
    duration : float, optional
        Duration of the motions, s.
    samples : int or (int, int), optional
        Number of grid points of the region of attraction.
    region : bool, optional
        Whether the region of attraction is computed, if the target is asymptotically stable.
    step : float, optional
        Step of the simulation, s.
    actuation : Actuation, optional
        Initial state of the controller and effort limits.

    Returns
    -------
    PhasePortrait
        ``.plot("portrait.png")`` draws it and writes it.
    """
    controlled = Controlled(model, controller, actuation or Actuation(), step)
    place = controlled.target(target)
    plane = plane_of(controlled, place, axes, spans)
    whole_number("motions", motions, 1, 10_000)
    positive("duration", duration, "s")
    across = max(1, round(math.sqrt(motions)))
    grids = [np.linspace(low, high, 2 * across + 1)[1::2] for low, high in plane.spans]
    q, v = plane.states(*np.meshgrid(*grids))
    t, qs, vs = controlled.motions(q.reshape(-1, model.nq), v.reshape(-1, model.nv), duration, 400)
    x, y = plane.place(qs, vs)
    found: AttractionRegion | None = None
    stable = controlled.stateful or controlled.rest.at(place).kind == "asymptotically stable"
    if region and stable:
        found = region_on(controlled, plane, samples)
    return PhasePortrait(plane=plane, t=t, x=x, y=y, separatrices=tuple(_separatrices(plane)), region=found)


def _flat(plane: PhasePlane) -> bool:
    """Return whether the plane contains all states: coordinate and velocity of one joint."""
    controlled = plane.controlled
    whole = (controlled.names.q[0], controlled.names.v[0]) == plane.axes
    return controlled.model.nq == controlled.model.nv == 1 and whole and not controlled.stateful


def _separatrices(plane: PhasePlane) -> list[Array]:
    """From each saddle backwards along its stable direction, both ways, until the plane is left."""
    controlled = plane.controlled
    if not _flat(plane) or controlled.rest.varying:
        return []
    saddles: list[Array] = []
    starts: list[Array] = []
    (left, right), (low, high) = plane.spans
    width, height = right - left, high - low
    for one in controlled.rest.found:
        real = one.eigenvalues.real
        if not (real.max() > 0.0 > real.min()):
            continue
        direction = np.array([1.0, real.min()])  # (δq, δv) with v = λ q
        direction /= np.linalg.norm(direction / [width, height])
        for x, y in plane.places(one):
            for way in (1.0, -1.0):
                saddles.append(np.array([x, y]))
                starts.append(saddles[-1] + 1e-4 * way * direction)
    lines = _back(plane, np.reshape(starts, (-1, 2)))
    return [np.vstack([saddle, line]) for saddle, line in zip(saddles, lines, strict=True)]


def _back(plane: PhasePlane, z: Array) -> list[Array]:
    """Motions backwards in time from states (n, 2), by Runge and Kutta's method; each ends outside of the plane."""
    rate = plane.controlled.acceleration
    low, high = np.transpose(plane.spans)
    margin = 0.1 * (high - low)

    def flow(z: Array) -> Array:
        return -np.concatenate([z[:, 1:], rate(z[:, :1], z[:, 1:])], axis=1)

    lines, left = [[start] for start in z], np.arange(len(z))
    for _ in range(20_000 if len(z) else 0):
        a = flow(z)
        b = flow(z + 0.5 * FINE * a)
        c = flow(z + 0.5 * FINE * b)
        d = flow(z + FINE * c)
        z = z + FINE / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        finite = np.isfinite(z).all(axis=1)
        z, left = z[finite], left[finite]
        for line, state in zip(left, z, strict=True):
            lines[line].append(state)
        inside = ((low - margin <= z) & (z <= high + margin)).all(axis=1)
        z, left = z[inside], left[inside]
        if not len(left):
            break
    return [np.array(line) for line in lines]


def draw(plane: PhasePlane, region: AttractionRegion | None, portrait: PhasePortrait | None = None) -> Figure:
    """The plane: region shaded, level sets of V, motions, what divides them, equilibria on top."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    controlled = plane.controlled
    figure = Figure(figsize=(7.6, 6.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    legend: list[Any] = []
    if region is not None:
        axes.contourf(
            region.x, region.y, region.attracted.astype(float), levels=[0.5, 1.5], colors=[COLORS[2]], alpha=0.22
        )
        legend.append(Patch(color=COLORS[2], alpha=0.3, label="attracted (sampled)"))
        if region.undecided.any():
            axes.contourf(
                region.x, region.y, region.undecided.astype(float), levels=[0.5, 1.5], colors=["#888888"], alpha=0.22
            )
            legend.append(Patch(color="#888888", alpha=0.3, label="undecided (sampled)"))
        if region.fine is not None and (c := region.level) is not None and c > 0.0:
            x, y, V = *region.fine[:2], _about(plane, region, c)
            levels = c * (np.arange(1, LEVELS) / (LEVELS - 1)) ** 2
            axes.contour(x, y, V, levels=levels[:-1], colors="#222222", linewidths=0.6, alpha=0.6)
            axes.contour(x, y, V, levels=[c], colors="#111111", linewidths=1.8)
            legend.append(Line2D([], [], color="#111111", lw=1.8, label=f"V = {c:.3g}, the largest level set within"))
    if portrait is not None:
        if _flat(plane):
            _stream(axes, plane)
        else:
            for x, y in zip(portrait.x.T, portrait.y.T, strict=True):
                axes.plot(x, y, color=COLORS[0], lw=0.7, alpha=0.65)
                axes.plot(x[:1], y[:1], color=COLORS[0], marker=".", ms=3.5, alpha=0.8)
        legend.append(Line2D([], [], color=COLORS[0], lw=1.0, label="motions"))
        for line in portrait.separatrices:
            axes.plot(line[:, 0], line[:, 1], color=COLORS[1], lw=2.0)
        if portrait.separatrices:
            legend.append(Line2D([], [], color=COLORS[1], lw=2.0, label="separatrices"))
    seen: set[str] = set()
    for one in controlled.rest.found if not controlled.stateful else ():
        mark, face, edge = MARKS[one.kind]
        for there in plane.places(one):
            axes.plot(*there, mark, ms=9, mfc=face, mec=edge, mew=1.8, zorder=5, clip_on=False)
            seen.add(one.kind)
    for kind, (mark, face, edge) in MARKS.items():
        if kind in seen:
            label = {"stable": "stable: motions go round it"}.get(kind, kind)
            legend.append(Line2D([], [], ls="", marker=mark, ms=8, mfc=face, mec=edge, mew=1.8, label=label))
    if controlled.stateful:
        here = plane.place(plane.target, np.zeros(controlled.model.nv))
        axes.plot(*here, "o", ms=9, color="#111111", zorder=5)
    axes.set_xlim(*plane.spans[0])
    axes.set_ylim(*plane.spans[1])
    across, up = (f"${latex_name(name)}$ [{_unit(controlled, name)}]" for name in plane.axes)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    named = "no controller" if controlled.given is None else f"controller {controlled.given.name}"
    held = "" if _flat(plane) else ", ".join(plane.held)
    title = f"{controlled.model.name}, {named}" + (
        f", efforts to ± {_limit(controlled)}" if controlled.limits is not None else ""
    )
    heading = title.replace("_", " ") + (f"\nthe slice {held}" if held else "")
    axes.set_title(heading, fontsize=10, color="#333840", pad=12)  # marks stand on the upper edge, too
    axes.grid(alpha=0.2)
    figure.legend(handles=legend, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def _about(plane: PhasePlane, region: AttractionRegion, level: float) -> Array:
    """V on the fine grid, about the target alone: what else is as low is not meant."""
    assert region.fine is not None
    x, y, V = region.fine
    return np.where(widened(widened(filled(V, nearest((x, y), plane), level))), V, np.nan)


def _stream(axes: Any, plane: PhasePlane) -> None:
    """The flow, where the plane has all states."""
    x, y = (np.linspace(low, high, 61) for low, high in plane.spans)
    X, Y = np.meshgrid(x, y)
    rate = plane.controlled.acceleration(X[..., None], Y[..., None])[..., 0]
    axes.streamplot(x, y, Y, rate, color=COLORS[0], density=1.5, linewidth=0.7, arrowsize=0.9)


def _unit(controlled: Controlled, name: str) -> str:
    names = controlled.names
    if name in names.q:
        return "rad" if name in names.angles else "m"
    units = [unit for joint in controlled.model.joints if joint.nv for unit in joint.motion.units]
    return f"{units[names.v.index(name)]}/s"


def _limit(controlled: Controlled) -> str:
    limits = controlled.limits
    assert limits is not None
    if np.ptp(limits) < 1e-12 * np.abs(limits).max():
        return f"{limits[0]:g}"
    return f"({', '.join(f'{x:g}' for x in limits)})"
