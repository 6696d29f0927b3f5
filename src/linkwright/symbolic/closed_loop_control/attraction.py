"""Regions of attraction, estimated: which states lead to rest at a target, by simulating many of them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import positive, whole_number
from linkwright.compiler.public import public
from linkwright.errors import InputError
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.simulation import Actuation
from linkwright.spatial.arrays import Array
from linkwright.symbolic.closed_loop_control.plane import Controlled, PhasePlane, PlanePicture, plane_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_integrate, _difference = public(dynamics.integrate), public(dynamics.difference)

TOLERANCE = 0.02
"""rad, m, rad/s, m/s from rest at the target that count as arrived"""
FINE = 201
"""points of the fine grid along each axis"""
SLOWEST, LONGEST = 12.0, 60.0
"""Duration of motions in slowest time constants at the target, and its initial limit, s."""
LONGER = (1, 1, 2, 4, 8)
"""Largest number of extensions of undecided motions."""
STILL_FALLING = 1e-2
"""of V: a motion whose V falls by less in the second half of the longest is taken for one that never arrives. Efforts
that are held over a step let V drift by a tenth of that."""
BESIDE = 0.1
"""rad, m, rad/s, m/s from an equilibrium that motions leave, where they may take any time to do so"""
NUDGE, GROWING = 1e-6, 1e-9
"""The disturbance, and by how much it has to grow in a step, for the step to be called too long"""


@dataclass(frozen=True, eq=False, kw_only=True)
class AttractionRegion(PlanePicture):
    """Region of attraction of an equilibrium on a plane of states, estimated by simulation from grid points."""

    plane: PhasePlane
    """plane of states"""
    x: Array
    """(n,), of the first axis"""
    y: Array
    """(m,), of the second"""
    attracted: Array
    """(m, n) of bool: whether the motion from there came to rest at the target"""
    undecided: Array
    """(m, n) of bool: not there yet, and not known to stay away"""
    lyapunov: Array | None
    """(m, n), V, zero at the target; None where no Lyapunov function is proved"""
    level: float | None
    """the largest c with which what is joined to the target through states of V < c is attracted, by the grid"""
    duration: float
    """s, of the motions that were followed for longest"""
    fine: tuple[Array, Array, Array] | None = field(repr=False)
    """x, y and V on the fine grid on which the level is found and drawn"""

    @property
    def target(self) -> Array:
        """The configuration of rest (nq,)."""
        return self.plane.target

    @property
    def share(self) -> float:
        """Which part of the grid is attracted, from 0 to 1."""
        return float(self.attracted.mean())

    def _figure(self) -> Figure:
        """Draw the plane with the region and level sets of V."""
        from linkwright.symbolic.closed_loop_control.portrait import draw

        return draw(self.plane, self)

    def __repr__(self) -> str:
        grid = f"{self.attracted.shape[1]} × {self.attracted.shape[0]}"
        open_ = f", {self.undecided.mean():.1%} undecided" if self.undecided.any() else ""
        return f"<AttractionRegion: {self.share:.1%} of {grid} states of {' and '.join(self.axes)}{open_}>"


@takes_numeric_model()
def region_of_attraction(
    model: Model,
    controller: Callable[..., Any] | None = None,
    *,
    target: ArrayLike | None = None,
    axes: tuple[str, str] | None = None,
    spans: ArrayLike | None = None,
    samples: int | tuple[int, int] = 61,
    duration: float | None = None,
    step: float = 1e-3,
    actuation: Actuation | None = None,
    tolerance: float = TOLERANCE,
) -> AttractionRegion:
    """Estimate the region of attraction of an equilibrium by simulation from a grid of states.

    A state is attracted if at the end all coordinates and velocities are within `tolerance` of the equilibrium. Motions
    are simulated for a multiple of the slowest time constant there, up to 16 times longer if undecided. A motion is
    lost if it diverges, comes to rest elsewhere, or a proved Lyapunov function stops decreasing; states that are
    neither are ``undecided``. Nothing is known between grid points. If a Lyapunov function is proved and the
    equilibrium is asymptotically stable, ``level`` is that of a level set inside the region.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    controller : callable, optional
        Controller, as for :func:`simulate`.
    target : array_like, shape (nq,), optional
        Equilibrium. By default the first stable one that is found.
    axes : (str, str), optional
        Coordinates or velocities of the plane, by their names in the equations, such as "theta1" and "theta1_dot"; all
        others are those of the equilibrium. By default the coordinate and velocity of a mechanism with one joint,
        otherwise the first two coordinates.
    spans : sequence, optional
        Ranges ((from, to), (from, to)) of both axes.
    samples : int or (int, int), optional
        Number of grid points.
    duration : float, optional
        Duration of all motions, s.
    step : float, optional
        Step of the simulation, s.
    actuation : Actuation, optional
        Initial state of the controller and effort limits.
    tolerance : float, optional
        Largest distance from the equilibrium, rad, m, rad/s and m/s.

    Returns
    -------
    AttractionRegion
        The region.

    Raises
    ------
    ModelError
        If the mechanism has closed loops.
    UnknownNameError
        If an axis is unknown.
    InputError
        If the step is too long for the simulation to be stable, or the controller cannot hold its target.
    """
    controlled = Controlled(model, controller, actuation or Actuation(), step)
    place = controlled.target(target)
    plane = plane_of(controlled, place, axes, spans)
    return region_on(controlled, plane, samples, duration, tolerance)


def region_on(
    controlled: Controlled, plane: PhasePlane, samples: Any, duration: float | None = None, tolerance: float = TOLERANCE
) -> AttractionRegion:
    """The region on a plane."""
    model, place = controlled.model, plane.target
    n, m = _counts(samples)
    positive("tolerance", tolerance)
    x, y = np.linspace(*plane.spans[0], n), np.linspace(*plane.spans[1], m)
    q, v = plane.states(x[None, :], y[:, None])
    if duration is not None:
        positive("duration", duration, "s")
    stable = not controlled.stateful and controlled.rest.at(place).kind == "asymptotically stable"
    if stable:
        _require_short_steps(controlled, place)
    function = controlled.function(place)
    ends, seconds = _ends(
        controlled, q.reshape(-1, model.nq), v.reshape(-1, model.nv), place, function, duration, tolerance
    )
    attracted, undecided = (ends == ARRIVED).reshape(m, n), (ends == OPEN).reshape(m, n)
    if function is None:
        return AttractionRegion(
            plane=plane,
            x=x,
            y=y,
            attracted=attracted,
            undecided=undecided,
            lyapunov=None,
            level=None,
            duration=seconds,
            fine=None,
        )
    X, Y = (np.linspace(low, high, FINE) for low, high in plane.spans)
    V = function(*plane.states(X[None, :], Y[:, None]))
    rows, columns = (np.rint(np.linspace(0, FINE - 1, count)).astype(int) for count in (m, n))
    lost = np.zeros(V.shape, dtype=bool)
    np.logical_or.at(lost, np.ix_(rows, columns), ~attracted)
    level = _level(V, lost, nearest((X, Y), plane)) if stable else None
    return AttractionRegion(
        plane=plane,
        x=x,
        y=y,
        attracted=attracted,
        undecided=undecided,
        lyapunov=function(q, v),
        level=level,
        duration=seconds,
        fine=(X, Y, V),
    )


def _counts(samples: Any) -> tuple[int, int]:
    """Return the numbers of points along x and y."""
    both = samples if isinstance(samples, (tuple, list)) else (samples, samples)
    if len(both) != 2:
        raise InputError(f"samples is a whole number, or two, along x and y; got {samples!r}")
    along_x, along_y = (whole_number("samples", k, 2, 2000) for k in both)
    return along_x, along_y


ARRIVED, LOST, OPEN = 1, 2, 3


def _ends(
    controlled: Controlled,
    q: Array,
    v: Array,
    target: Array,
    function: Callable[[Array, Array], Array] | None,
    duration: float | None,
    tolerance: float,
) -> tuple[Array, float]:
    """The outcomes of motions (rows,), and how long they were followed (s)."""
    q, v, ends, open_, total = q.copy(), v.copy(), np.full(len(q), OPEN), np.arange(len(q)), 0.0
    once = duration is not None or controlled.stateful or controlled.rest.varying  # what has a memory starts once
    seconds = _duration(controlled, target) if duration is None else duration
    for factor in (1,) if once else LONGER:
        t, qs, vs = controlled.motions(q[open_], v[open_], factor * seconds, 2)
        total += float(t[-1])
        longest = not once and factor == LONGER[-1]
        ends[open_] = _endings(controlled, qs, vs, target, function if longest else None, tolerance)
        left = ends[open_] == OPEN
        q[open_], v[open_] = qs[-1], vs[-1]
        open_ = open_[left]
        if not len(open_):
            break
    return ends, total


def _endings(
    controlled: Controlled,
    q: Array,
    v: Array,
    target: Array,
    function: Callable[[Array, Array], Array] | None,
    tolerance: float,
) -> Array:
    """The outcomes of motions (rows,) by their states (start, middle, end; rows, …)."""
    found = np.full(q.shape[1], OPEN)
    whole = np.isfinite(q).all(axis=(0, 2)) & np.isfinite(v).all(axis=(0, 2))
    found[~whole] = LOST
    rows = np.flatnonzero(whole)
    q, v = q[:, rows], v[:, rows]
    if not len(rows):
        return found
    speed = np.abs(v[-1]).max(axis=-1)
    arrived = (controlled.distance(q[-1], target) <= tolerance) & (speed <= tolerance)
    found[rows[arrived]] = ARRIVED
    if arrived.all() or controlled.stateful or controlled.rest.varying:
        return found
    lost, leaving = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    for one in controlled.rest.found:
        away = np.maximum(controlled.distance(q[-1], one.q), speed)
        if one.kind == "unstable":
            leaving |= away <= BESIDE
        else:
            lost |= away <= tolerance
    if function is not None:
        before, middle, after = (function(q[k], v[k]) for k in range(3))
        falls = middle - after > STILL_FALLING * np.maximum(np.abs(before), np.abs(middle))
        moves = np.abs(v[1:]).max(axis=(0, 2)) > tolerance  # an oscillation may just have turned at the end
        lost |= ~falls & moves
    found[rows[lost & ~leaving & ~arrived]] = LOST
    return found


def _require_short_steps(controlled: Controlled, target: Array) -> None:
    """Raise :class:`InputError` where small disturbances at a stable target grow from step to step."""
    if controlled.law is None or controlled.rest.varying or _growth(controlled, target) <= 1.0 + GROWING:
        return
    shorter, short = controlled.step, None
    for _ in range(24):
        shorter *= 0.5
        if _growth(replace(controlled, step=shorter), target) <= 1.0 + GROWING:
            short = shorter
            break
    values = controlled.rest.at(target).eigenvalues
    advice = "" if short is None else f"; steps of {short:.2g} s are short enough, step={short:.2g}"
    raise InputError(
        f"steps of {controlled.step:g} s are too long: by the eigenvalues (the fastest {np.abs(values).max():.3g} /s, "
        f"the slowest to die out {-values.real.max():.3g} /s) disturbances at the target die out, but in the "
        f"simulation, where efforts are held over a step, they grow{advice}"
    )


def _growth(controlled: Controlled, target: Array) -> float:
    """By what the largest of small disturbances of rest at the target is multiplied in a step."""
    model, n = controlled.model, controlled.model.nv
    moved = NUDGE * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])
    q = _integrate(model, np.broadcast_to(target, (4 * n, model.nq)), moved[:, :n])
    _, qs, vs = controlled.motions(np.array(q), moved[:, n:], controlled.step, 1)
    after = np.concatenate([_difference(model, np.broadcast_to(target, qs[-1].shape), qs[-1]), vs[-1]], axis=-1)
    if not np.isfinite(after).all():
        return math.inf
    step = (after[: 2 * n] - after[2 * n :]) / (2.0 * NUDGE)
    return float(np.abs(np.linalg.eigvals(step)).max())


def _duration(controlled: Controlled, target: Array) -> float:
    if controlled.stateful:
        return 20.0
    slowest = -float(controlled.rest.at(target).eigenvalues.real.max(initial=-math.inf))
    return LONGEST if slowest <= 0.0 else min(LONGEST, max(5.0, SLOWEST / slowest))


def _level(values: Array, lost: Array, start: tuple[int, int]) -> float | None:
    """Return the largest level set of V around the target without lost points, inside the plane.

    Nothing is known outside the plane. None if the target itself is not attracted.
    """
    end = lost.copy()
    end[[0, -1], :] = end[:, [0, -1]] = True
    level, waiting, seen = -math.inf, [(float(values[start]), start)], np.zeros(values.shape, dtype=bool)
    seen[start] = True
    while waiting:
        value, (i, j) = heapq.heappop(waiting)
        level = max(level, value)
        if end[i, j]:
            return level if (i, j) != start else None
        for place in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if not seen[place]:
                seen[place] = True
                heapq.heappush(waiting, (float(values[place]), place))
    return None


def nearest(grid: tuple[Array, Array], plane: PhasePlane) -> tuple[int, int]:
    """The row and the column of the grid's point next to the target."""
    x, y = plane.place(plane.target, np.zeros(plane.controlled.model.nv))
    return int(np.abs(grid[1] - y).argmin()), int(np.abs(grid[0] - x).argmin())


def filled(values: Array, start: tuple[int, int], level: float) -> Array:
    """The points (m, n) of bool that are joined to the start through points with V < level."""
    low, found = values < level, np.zeros(values.shape, dtype=bool)
    found[start] = True
    while True:
        grown = widened(found) & (low | found)
        if (grown == found).all():
            return found
        found = grown


def widened(points: Array) -> Array:
    """These points and those next to them."""
    grown = points.copy()
    grown[1:] |= points[:-1]
    grown[:-1] |= points[1:]
    grown[:, 1:] |= points[:, :-1]
    grown[:, :-1] |= points[:, 1:]
    return grown
