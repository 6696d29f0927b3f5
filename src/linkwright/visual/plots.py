"""Time series as figures: coordinates, velocities, efforts, energies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError, is_choice
from linkwright.model.joints.joint_type import JointType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.visual import palette
from linkwright.visual.palette import COLORS, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES_PER_PANEL = len(COLORS)
MAX_PANELS = 32
MAX_ROWS = 10
"""On a page with more rows of panels, each would be a strip: it shows a map of colors instead."""
SEPARATE_GROUPS = 6
"""Of more groups than this the small ones share panels."""
MAX_POINTS = 4000
"""More samples than this are thinned: no figure has as many pixels."""


@dataclass(frozen=True)
class PanelGroup:
    """Coordinates that belong in one panel: of one limb, and of one unit."""

    title: str
    unit: str
    """"m", "rad", or "1" for the components of quaternions"""
    indices: tuple[int, ...]
    labels: tuple[str, ...]


def coordinate_groups(model: Model, which: str = "nq") -> tuple[PanelGroup, ...]:
    """The coordinates of a model ("nq": positions, "nv": velocities or efforts) in groups fit for a panel each.

    A group is a chain of joints between two branchings of the tree; joints with a quaternion stand alone. Where
    there are many, neighbors of one unit are taken together, so that six legs of a platform are not twelve panels.
    """
    if not is_choice(which, ("nq", "nv")):
        raise InputError(f'which is "nq" (positions) or "nv" (velocities, efforts); got {which!r}')
    entries: list[tuple[tuple[int, str], str, int, str]] = []  # (chain, unit), chain's title, index, label
    chains = _chains(model)
    titles = _titles(model, chains)
    at = 0
    for k, joint in enumerate(model.joints):
        for label, unit in _labels(joint.name, joint.motion, which) if joint.nq else ():
            entries.append(((chains[k], unit), titles[chains[k]], at, label))
            at += 1
    found: dict[tuple[int, str], list[tuple[str, int, str]]] = {}
    for key, title, index, label in entries:
        found.setdefault(key, []).append((title, index, label))
    chains_of = [(unit, members) for (_, unit), members in found.items()]
    if len(chains_of) > SEPARATE_GROUPS:
        whole = {chains[k] for k, joint in enumerate(model.joints) if _stands_alone(joint.motion)}
        chains_of = _gathered(chains_of, [chain not in whole for chain, _ in found])
    groups = []
    for unit, members in chains_of:
        for first in range(0, len(members), LINES_PER_PANEL):
            part = members[first : first + LINES_PER_PANEL]
            own = {title for title, _, _ in part}
            title, labels = _shortened(part[0][0] if len(own) == 1 else "", [label for _, _, label in part])
            groups.append(PanelGroup(title, unit, tuple(index for _, index, _ in part), labels))
    return tuple(groups)


_Members = list[tuple[str, int, str]]
"""(title, index, label) of coordinates"""


def _gathered(chains: list[tuple[str, _Members]], small: list[bool]) -> list[tuple[str, _Members]]:
    """Those chains that may be, of one unit, together, as long as a panel has room."""
    kept: list[tuple[str, _Members]] = []
    latest: dict[str, _Members] = {}
    for (unit, members), may in zip(chains, small, strict=True):
        if may and unit in latest and len(latest[unit]) + len(members) <= LINES_PER_PANEL:
            latest[unit].extend(members)
            continue
        kept.append((unit, list(members)))
        if may:
            latest[unit] = kept[-1][1]
    return kept


def _stands_alone(motion: JointType) -> bool:
    """Return whether a joint has separate panels."""
    return bool(motion.quaternions) or motion.nv > 2


def plot_positions(model: Model, t: Any, q: Any, *, limits: bool = True, title: str | None = None) -> Figure:
    """The coordinates q (n, nq) over the times t (n,), s; faint dashed lines are the joint limits it comes near.

    The plots raise :class:`~linkwright.errors.ShapeError` for arrays whose shapes do not fit, and
    :class:`~linkwright.errors.InputError` for times that are not finite. NaN in the values leave gaps.
    """
    return _plot(model, t, q, "nq", "position", {"m": "m", "rad": "rad", "1": "quaternion"}, limits, title)


def plot_velocities(model: Model, t: Any, v: Any, *, title: str | None = None) -> Figure:
    """The velocities v (n, nv) over the times t (n,), s."""
    return _plot(model, t, v, "nv", "velocity", {"m": "m/s", "rad": "rad/s"}, False, title)


def plot_efforts(model: Model, t: Any, tau: Any, *, title: str | None = None) -> Figure:
    """The joint efforts tau (n, nv), N and N m, over the times t (n,), s."""
    return _plot(model, t, tau, "nv", "effort", {"m": "N", "rad": "N m"}, False, title)


def plot_contacts(t: Any, forces: Mapping[str, Any], *, title: str = "") -> Figure:
    """The normal forces (n,), N, of pairs of shapes by name over the times t (n,), s."""
    from matplotlib.figure import Figure

    t = _times(t)
    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    _canvas(figure)
    _contact_panel(figure.add_subplot(), t, forces)
    figure.suptitle(_join(title, "contact"), fontsize=12, color=palette.TEXT, parse_math=False)
    return figure


def plot_energies(t: Any, kinetic: Any, potential: Any, total: Any = None, *, title: str = "") -> Figure:
    """Energies (n,), J, over the times t (n,), s, and below them the change of their total from the start.

    ``total`` is their sum unless given (with springs, say).
    """
    from matplotlib.figure import Figure

    t = _times(t)
    T, V = _values("kinetic", kinetic, t, ()), _values("potential", potential, t, ())
    E = T + V if total is None else _values("total", total, t, ())
    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    _canvas(figure)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for values, name, color, width in (
        (T, "kinetic", COLORS[1], 1.5),
        (V, "potential", COLORS[0], 1.5),
        (E, "total", palette.INK, 2.0),
    ):
        upper.plot(*_thinned(t, values), color=color, linewidth=width, label=name)
    upper.set_ylabel("energy (J)")
    lower.plot(*_thinned(t, E - E[:1]), color=palette.INK, linewidth=1.5)
    lower.set_ylabel("change of\ntotal (J)")
    lower.set_xlabel("time (s)")
    for axes in (upper, lower):
        _dress(axes, t)
    legend_beside(upper)
    figure.suptitle(_join(title, "energy"), fontsize=12, color=palette.TEXT, parse_math=False)
    figure.align_ylabels()
    return figure


def plot_motion(
    model: Model,
    t: Any,
    q: Any,
    v: Any = None,
    tau: Any = None,
    kinetic: Any = None,
    potential: Any = None,
    total: Any = None,
    *,
    limits: bool = True,
    title: str | None = None,
    wrenches: Mapping[str, Any] | None = None,
    contacts: Mapping[str, Any] | None = None,
    reached: Any = None,
) -> Figure:
    """A motion on one page: a column each for the positions q (n, nq) and, where given, the velocities
    v (n, nv) and the efforts tau (n, nv) over the times t (n,), s; with ``kinetic`` and ``potential`` (n,), J,
    a row of the energies, with ``wrenches`` by frame (n, 6) a row of these, and with ``contacts`` by pair (n,), N, a
    last row of normal forces. ``reached`` (n, nv) of bool marks where limits held a coordinate.
    """
    from matplotlib.figure import Figure

    t = _times(t)
    columns = [("position", "nq", _values("q", q, t, (model.nq,)), {"m": "m", "rad": "rad", "1": "quaternion"})]
    if v is not None:
        columns.append(("velocity", "nv", _values("v", v, t, (model.nv,)), {"m": "m/s", "rad": "rad/s"}))
    if tau is not None:
        columns.append(("effort", "nv", _values("tau", tau, t, (model.nv,)), {"m": "N", "rad": "N m"}))
    if (kinetic is None) != (potential is None):
        raise ArgumentError("give both kinetic and potential, or neither")
    panels = [coordinate_groups(model, which) for _, which, _, _ in columns]
    most = max(map(len, panels))
    crowded = most > MAX_ROWS
    heights = [4.6] if crowded else [{1: 3.4, 2: 2.6, 3: 2.2, 4: 1.9}.get(most, 1.6)] * most
    below = (kinetic is not None, bool(wrenches), bool(contacts))
    heights += [2.2] * sum(below)
    width = {1: 7.4, 2: 5.6}.get(len(columns), 4.6)
    figure = Figure(figsize=(width * len(columns) + 1.2, sum(heights) + 0.6), layout="constrained")
    _canvas(figure)
    rows = len(heights)
    grid = figure.add_gridspec(rows, len(columns), height_ratios=heights)
    marks = None if reached is None else _of_positions(model, _values("reached", reached, t, (model.nv,)))
    for column, ((quantity, which, values, units), groups) in enumerate(zip(columns, panels, strict=True)):
        if crowded:
            _heat_map(figure, figure.add_subplot(grid[0, column]), t, values, quantity)
            continue
        kept = _exerted(model, values, groups) if quantity == "effort" else groups
        for row, group in enumerate(groups):
            if group not in kept:
                continue
            axes = figure.add_subplot(grid[row, column])
            _panel(axes, t, values, group, quantity, units, _limits(model, limits and which == "nq"))
            if which == "nq" and marks is not None:
                _mark_reached(axes, t, values, group, marks)
            _label_time(axes, lowest=group is kept[-1])
            legend, beside = axes.get_legend(), panels[-1][row : row + 1]
            if legend is not None and column < len(columns) - 1 and beside and beside[0].labels == group.labels:
                legend.remove()  # the last column's is of the same colors
    if kinetic is not None:
        T, V = _values("kinetic", kinetic, t, ()), _values("potential", potential, t, ())
        E = T + V if total is None else _values("total", total, t, ())
        _energy_row(figure, grid, rows - sum(below), len(columns), t, T, V, E)
    if wrenches:
        _wrench_row(figure, grid, rows - 1 - bool(contacts), len(columns), t, wrenches)
    if contacts:
        _contact_panel(figure.add_subplot(grid[rows - 1, :]), t, contacts)
    figure.suptitle(model.name if title is None else title, fontsize=13, color=palette.TEXT, parse_math=False)
    return figure


def _plot(
    model: Model, t: Any, x: Any, which: str, quantity: str, units: dict[str, str], limits: bool, title: str | None
) -> Figure:
    """One quantity: a panel for each group, in two columns where there are many."""
    from matplotlib.figure import Figure

    t = _times(t)
    values = _values({"nq": "q", "nv": "tau" if quantity == "effort" else "v"}[which], x, t, (getattr(model, which),))
    groups = coordinate_groups(model, which)
    if not groups:
        raise InputError(f"{model.name!r} has no coordinates to plot")
    if quantity == "effort":
        groups = _exerted(model, values, groups) or groups
    if len(groups) > MAX_PANELS:
        figure = Figure(figsize=(9.0, 6.0), layout="constrained")
        _canvas(figure)
        axes = figure.add_subplot()
        _heat_map(figure, axes, t, values, quantity)
    else:
        n_columns = 1 if len(groups) <= 3 else 2 if len(groups) <= 16 else 3
        n_rows = -(-len(groups) // n_columns)
        height = {1: 4.2, 2: 2.9}.get(n_rows, 2.1)
        figure = Figure(
            figsize=(8.0 if n_columns == 1 else 6.2 * n_columns, height * n_rows + 0.6), layout="constrained"
        )
        _canvas(figure)
        grid = figure.add_gridspec(n_rows, n_columns)
        for k, group in enumerate(groups):
            axes = figure.add_subplot(grid[k % n_rows, k // n_rows])
            _panel(axes, t, values, group, quantity, units, _limits(model, limits))
            _label_time(axes, lowest=k % n_rows == n_rows - 1 or k == len(groups) - 1)
    plural = {"velocity": "velocities"}.get(quantity, quantity + "s")
    figure.suptitle(
        _join(model.name if title is None else title, f"joint {plural}"),
        fontsize=12,
        color=palette.TEXT,
        parse_math=False,
    )
    return figure


def _exerted(model: Model, values: Array, groups: tuple[PanelGroup, ...]) -> tuple[PanelGroup, ...]:
    """The groups of efforts without those of a floating base that are always zero."""
    floating: set[int] = set()
    for joint in model.joints:
        if joint.motion.floating:
            part = model.slice(joint.name).v
            floating.update(range(part.start, part.stop))
    return tuple(group for group in groups if not floating.issuperset(group.indices) or values[:, group.indices].any())


def _hidden(values: Array, earlier: list[Array]) -> bool:
    """Whether a curve (n,) would hide an earlier one nearly everywhere."""
    every = np.concatenate([values, *earlier])
    near = 0.01 * (float(np.nanmax(every, initial=0.0)) - float(np.nanmin(every, initial=0.0)))
    return any(float(np.nanmean(np.abs(values - other) <= near)) > 0.8 for other in earlier)


DASHED = (0, (5, 4))
"""The line of a curve that lies on another one."""


def _join(*parts: str) -> str:
    return " – ".join(part for part in parts if part)


def _shown(label: str) -> str:
    """A label that its legend does not leave out, as it does those that begin with an underscore."""
    return f"\u200b{label}" if label.startswith("_") else label


def _canvas(figure: Figure) -> None:
    """A canvas of pixels, which needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)


def _limits(model: Model, wanted: bool) -> tuple[Array, Array] | None:
    return (model.lower, model.upper) if wanted else None


def _panel(
    axes: Axes,
    t: Array,
    values: Array,
    group: PanelGroup,
    quantity: str,
    units: dict[str, str],
    limits: tuple[Array, Array] | None,
) -> None:
    earlier: list[Array] = []
    for k, (index, label) in enumerate(zip(group.indices, group.labels, strict=True)):
        t_shown, shown = _thinned(t, values[:, index])
        style = DASHED if _hidden(shown, earlier) else "-"
        axes.plot(t_shown, shown, color=COLORS[k % len(COLORS)], linewidth=1.4, linestyle=style, label=_shown(label))
        earlier.append(shown)
    _dress(axes, t)
    axes.set_ylabel(units[group.unit] if group.unit == "1" else f"{quantity} ({units[group.unit]})")
    axes.set_title(group.title, fontsize=9, color=palette.MUTED, loc="left", pad=4, parse_math=False)
    if group.labels != (group.title,):
        legend_beside(axes)
    low, high = axes.get_ylim()
    if np.nanmax(np.ptp(values[:, group.indices], axis=0), initial=0.0) < 1e-9 and high - low < 1e-3:
        axes.set_ylim(low - 0.5, high + 0.5)  # constant: no axis of rounding errors
        low, high = axes.get_ylim()
    if limits is None:
        return
    near = 0.25 * (high - low)  # limits far from the motion are not worth flattening it
    for k, index in enumerate(group.indices):
        for limit in (limits[0][index], limits[1][index]):
            if low - near <= limit <= high + near:
                axes.axhline(
                    limit, color=COLORS[k % len(COLORS)], linewidth=0.9, linestyle=(0, (4, 4)), alpha=0.5, zorder=1
                )


def _energy_row(figure: Figure, grid: Any, row: int, n_columns: int, t: Array, T: Array, V: Array, E: Array) -> None:
    first = figure.add_subplot(grid[row, 0])
    for values, name, color in ((T, "kinetic", COLORS[1]), (V, "potential", COLORS[0]), (E, "total", palette.INK)):
        first.plot(*_thinned(t, values), color=color, linewidth=1.4, label=name)
    first.set_ylabel("energy (J)")
    first.set_title("energy", fontsize=9, color=palette.MUTED, loc="left", pad=4)
    first.set_xlabel("time (s)")
    _dress(first, t)
    legend_beside(first)
    if n_columns > 1:
        second = figure.add_subplot(grid[row, 1])
        second.plot(*_thinned(t, E - E[:1]), color=palette.INK, linewidth=1.4, label="change")
        second.set_ylabel("change (J)")
        second.set_title("change of the total energy", fontsize=9, color=palette.MUTED, loc="right", pad=4)
        second.set_xlabel("time (s)")
        _dress(second, t)


def _wrench_row(figure: Figure, grid: Any, row: int, n_columns: int, t: Array, wrenches: Mapping[str, Any]) -> None:
    """Plot the forces and, in the next column, the moments."""
    kinds = (("force", "N", slice(0, 3)), ("moment", "N m", slice(3, 6)))
    for column, (kind, unit, part) in enumerate(kinds[:n_columns]):
        axes = figure.add_subplot(grid[row, column])
        for frame, style in zip(wrenches, cycle(("-", "--", ":", "-."))):
            values = _values(f"the wrench at {frame!r}", wrenches[frame], t, (6,))[:, part]
            for k, name in enumerate("xyz"):
                t_shown, shown = _thinned(t, values[:, k])
                axes.plot(t_shown, shown, style, color=COLORS[k], linewidth=1.4, label=f"{frame} {name}")
        axes.set_ylabel(f"{kind} ({unit})")
        axes.set_title(f"{kind} from outside", fontsize=9, color=palette.MUTED, loc="left", pad=4)
        axes.set_xlabel("time (s)")
        _dress(axes, t)
        legend_beside(axes)


MOST_PAIRS, LEAST_SHARE = 6, 0.02
"""Largest number of pairs with a separate line, and the least share of the total impulse of such a pair."""

PEAK = 4.0
"""Upper limit of the axis relative to the usual force of all pairs; the text states the peak of a larger impact."""


def _contact_panel(axes: Axes, t: Array, forces: Mapping[str, Any]) -> None:
    """Normal forces of pairs; an impact far above all else leaves the panel and is named."""
    values = {name: _values(f"the force of {name!r}", f, t, ()) for name, f in forces.items()}
    impulses = {name: float(np.nansum(force)) for name, force in values.items()}
    least = LEAST_SHARE * sum(impulses.values())
    pressing = sorted(values, key=lambda name: -impulses[name])[:MOST_PAIRS]
    shown = [name for name in values if name in pressing and impulses[name] > least]
    earlier: list[Array] = []
    for k, name in enumerate(shown):
        t_shown, force = _smoothed(t, values[name])
        style = DASHED if _hidden(force, earlier) else "-"
        axes.plot(t_shown, force, color=COLORS[k], linewidth=1.3, linestyle=style, label=_shown(name))
        earlier.append(force)
    whole = np.sum([*values.values()], axis=0) if values else np.zeros(len(t))
    t_shown, total = _smoothed(t, whole)
    if len(values) > 1:
        axes.plot(t_shown, total, color=palette.INK, linewidth=0.9, alpha=0.6, label="total")
    touching, peak = whole[whole > 0.0], float(np.nanmax(total, initial=0.0))
    if len(touching):
        usual = PEAK * float(np.nanmedian(touching))
        axes.set_ylim(-0.03 * usual, max(min(1.05 * peak, usual), 1e-9))
        if peak > usual:
            at = float(t_shown[int(np.nanargmax(total))])
            text = f"peak {peak:.3g} N at {at:.2f} s"
            axes.text(0.99, 0.97, text, transform=axes.transAxes, ha="right", va="top", fontsize=8, color=palette.MUTED)
    axes.set_ylabel("normal force (N)")
    axes.set_title("contact", fontsize=9, color=palette.MUTED, loc="left", pad=4)
    axes.set_xlabel("time (s)")
    _dress(axes, t)
    if shown:
        legend_beside(axes)


def _smoothed(t: Array, values: Array, count: int = 800) -> tuple[Array, Array]:
    """Return the means over at most ``count`` intervals, because impulses of single steps are not visible."""
    if len(t) <= 2 * count:
        return t, values
    edges = np.linspace(0, len(t), count + 1).round().astype(int)
    size = np.diff(edges)
    return np.add.reduceat(t, edges[:-1]) / size, np.add.reduceat(values, edges[:-1]) / size


def _of_positions(model: Model, reached: Array) -> Array:
    """Map flags of velocities to the coordinates that have limits: (n, nq)."""
    found = np.zeros((len(reached), model.nq), dtype=bool)
    at_q = at_v = 0
    for joint in model.joints:
        if joint.nq:
            for q, v in joint.motion.plain:
                found[:, at_q + q] = reached[:, at_v + v] > 0.0
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    return found


def _mark_reached(axes: Axes, t: Array, values: Array, group: PanelGroup, reached: Array) -> None:
    """Thick where a limit holds."""
    for k, index in enumerate(group.indices):
        if reached[:, index].any():
            held = np.where(reached[:, index], values[:, index], np.nan)
            axes.plot(*_thinned(t, held), color=COLORS[k % len(COLORS)], linewidth=4.5, alpha=0.45, zorder=1.5)


def _heat_map(figure: Figure, axes: Axes, t: Array, values: Array, quantity: str) -> None:
    """Hundreds of coordinates: time across, coordinates up, values as colors."""
    t_shown, shown = _thinned(t, values)
    largest = float(np.nanmax(np.abs(shown), initial=0.0)) or 1.0
    image = axes.imshow(
        shown.T,
        aspect="auto",
        origin="lower",
        cmap="RdBu_r",
        vmin=-largest,
        vmax=largest,
        interpolation="nearest",
        extent=(float(t_shown[0]), float(t_shown[-1]), -0.5, shown.shape[1] - 0.5),
    )
    axes.set_xlabel("time (s)")
    axes.set_ylabel("coordinate")
    figure.colorbar(image, ax=axes, label=f"{quantity} (SI)", pad=0.02)


def _label_time(axes: Axes, lowest: bool) -> None:
    """Label the axis of time in the lowest panel of a column, which the panels above share."""
    axes.set_xlabel("time (s)" if lowest else "")
    axes.tick_params(labelbottom=lowest)


def _dress(axes: Axes, t: Array) -> None:
    palette.dress(axes)
    axes.margins(x=0.0)
    if t[-1] > t[0]:
        axes.set_xlim(float(t[0]), float(t[-1]))


def _thinned(t: Array, values: Array) -> tuple[Array, Array]:
    """At most MAX_POINTS samples, the first and the last among them."""
    if len(t) <= MAX_POINTS:
        return t, values
    kept = np.linspace(0, len(t) - 1, MAX_POINTS).round().astype(int)
    return t[kept], values[kept]


def _chains(model: Model) -> list[int]:
    """For each joint the number of its chain, which the tree's branchings and quaternions end.

    Chains of one joint on the same body (fingers, propellers, wheels) are one group.
    """
    children: list[list[int]] = [[] for _ in model.links]
    for k, link in enumerate(model.links):
        if link.parent >= 0:
            children[link.parent].append(k)
    alone = [_stands_alone(joint.motion) for joint in model.joints]
    chains: list[int] = []
    shared: dict[int, int] = {}  # parent -> the chain of its single-joint children
    count = 0
    for k, link in enumerate(model.links):
        p = link.parent
        if p >= 0 and len(children[p]) == 1 and not alone[p] and not alone[k]:
            chains.append(chains[p])
            continue
        if not children[k] and not alone[k] and p in shared:
            chains.append(shared[p])
            continue
        if not children[k] and not alone[k]:
            shared[p] = count
        chains.append(count)
        count += 1
    return chains


def _titles(model: Model, chains: list[int]) -> dict[int, str]:
    """A title for each chain: the joint it is, or nothing, where its first and last joint are to be named."""
    members: dict[int, list[str]] = {}
    for joint, chain in zip(model.joints, chains, strict=True):
        if joint.nq:
            members.setdefault(chain, []).append(joint.name)
    return {chain: names[0] if len(names) == 1 else "" for chain, names in members.items()}


def _shortened(title: str, labels: list[str]) -> tuple[str, tuple[str, ...]]:
    """Labels without what the title says, or what ends all of them ("_joint"); and a title where there is none."""
    if title and all(label.startswith(title + " ") for label in labels):
        return title, tuple(label[len(title) + 1 :] for label in labels)
    endings = {label.rpartition("_")[1:] for label in labels}
    if len(labels) > 1 and endings == {("_", "joint")}:
        labels = [label.removesuffix("_joint") for label in labels]
    return title or (f"{labels[0]} … {labels[-1]}" if len(labels) > 1 else labels[0]), tuple(labels)


def _labels(name: str, motion: JointType, which: str) -> list[tuple[str, str]]:
    """The label and unit of each coordinate of a joint."""
    if which == "nv":
        if motion.nv == 1:
            return [(name, motion.units[0])]
        names = motion.velocity_names
        return [(f"{name} {each}", unit) for each, unit in zip(names, motion.units, strict=True)]
    labels: list[tuple[str, str]] = []
    units = list(motion.units)
    for k, coordinate in enumerate(motion.coordinate_names):
        start = next((s for s in motion.quaternions if s <= k < s + 4), None)
        if start is None:
            unit = units.pop(0)
        else:
            unit = "1"
            if k > start:
                units.pop(0)  # four components of the quaternion are three of the velocity
        labels.append((f"{name} {coordinate}".strip(), unit))
    return labels


def _times(given: Any) -> Array:
    t = as_numbers("t", given)
    if t.ndim != 1 or not len(t):
        raise ShapeError(f"t has shape (n,) with n at least 1; got {t.shape}")
    if not np.isfinite(t).all():
        raise InputError("t must be finite")
    return t


def _values(name: str, given: Any, t: Array, widths: tuple[int, ...]) -> Array:
    x = as_numbers(name, given)
    if x.shape != (len(t), *widths):
        raise ShapeError(f"{name} has shape {(len(t), *widths)}, one row for each of the {len(t)} times; got {x.shape}")
    return x
