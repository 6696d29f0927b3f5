"""Regions of attraction, estimated: which states lead to rest at a target, by simulating many of them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.equations.controlled.plane import Controlled, Plane, plane_of
from linkwright.errors import InputError, explained
from linkwright.files import file_at, write_figure
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLERANCE = 0.02
"""rad, m, rad/s, m/s from rest at the target that count as arrived"""
FINE = 201
"""points of the fine grid along each axis"""
SLOWEST, LONGEST = 12.0, 60.0
"""A motion is given so many times the slowest time constant at the target, and no more seconds than that."""


@dataclass(frozen=True, eq=False)
class AttractionRegion:
    """Which states of a plane lead to rest at a target, as far as motions from the points of a grid tell."""

    plane: Plane
    x: Array
    """(n,), of the first axis"""
    y: Array
    """(m,), of the second"""
    attracted: Array
    """(m, n) of bool: whether the motion from there came to rest at the target"""
    lyapunov: Array | None
    """(m, n), V, zero at the target; None where no Lyapunov function is proved"""
    level: float | None
    """the largest c with which what is joined to the target through states of V < c is attracted, by the grid"""
    duration: float
    """s, of the motions"""
    fine: tuple[Array, Array, Array] | None = field(repr=False)
    """x, y and V on the fine grid on which the level is found and drawn"""

    @property
    def axes(self) -> tuple[str, str]:
        """The coordinates or velocities along x and y, as the equations name them; all others are as at the target."""
        return self.plane.axes

    @property
    def target(self) -> Array:
        """The configuration of rest (nq,)."""
        return self.plane.target

    @property
    def share(self) -> float:
        """Which part of the grid is attracted, from 0 to 1."""
        return float(self.attracted.mean())

    def figure(self) -> Figure:
        """The plane with the region shaded and the level sets of V: a Matplotlib figure."""
        from linkwright.equations.controlled.portrait import draw

        return draw(self.plane, self)

    def save(self, path: str | Path) -> Path:
        """Write the figure (.png, .svg or .pdf); return its path."""
        path = file_at(path, "pictures", ".png", ".svg", ".pdf")
        return write_figure(path, self.figure(), dpi=150)

    def __repr__(self) -> str:
        grid = f"{self.attracted.shape[1]} × {self.attracted.shape[0]}"
        return f"<AttractionRegion: {self.share:.1%} of {grid} states of {' and '.join(self.axes)}>"


@explained
def region_of_attraction(
    model: Model,
    law: Callable[..., Any] | None = None,
    *,
    target: Any = None,
    state0: Any = None,
    axes: tuple[str, str] | None = None,
    spans: Any = None,
    samples: int | tuple[int, int] = 61,
    duration: float | None = None,
    step: float = 1e-3,
    effort_limits: Any = False,
    tolerance: float = TOLERANCE,
) -> AttractionRegion:
    """Which states lead to rest at the ``target`` (nq,), estimated by simulating motions from a grid of them.

    ``law``, ``state0``, ``step`` and ``effort_limits`` are those of :func:`simulate`; without a target it is the first
    stable configuration that is found. The grid has ``samples`` (n or (n, m)) on a plane: ``axes`` names two of the
    coordinates and velocities as the equations name them, "theta1", "theta1_dot"; all others are as at the target, at
    rest. Without axes these are the angle and its velocity of a mechanism with one joint, else the first two
    coordinates. ``spans`` are ((from, to), (from, to)) of the two.

    A state counts as attracted where after ``duration`` (s; unless given, by the slowest eigenvalue at the target) no
    coordinate and no velocity is further than ``tolerance`` (rad, m, rad/s, m/s) from rest at the target. It is an
    estimate: between the points nothing is known, and slow motions may not have arrived. Where a Lyapunov function is
    proved, ``level`` tells which of its level sets lies within.

    Raises :class:`ModelError` for closed loops, and :class:`UnknownNameError` for axes that there are not.
    """
    controlled = Controlled(model, law, state0, effort_limits, step)
    place = controlled.target(target)
    plane = plane_of(controlled, place, axes, spans)
    return region_on(controlled, plane, samples, duration, tolerance)


def region_on(
    controlled: Controlled, plane: Plane, samples: Any, duration: float | None = None, tolerance: float = TOLERANCE
) -> AttractionRegion:
    """The region on a plane."""
    model, place = controlled.model, plane.target
    n, m = (samples, samples) if isinstance(samples, (int, np.integer)) else samples
    if not (2 <= n <= 2000 and 2 <= m <= 2000):
        raise InputError(f"samples are a number or two, each from 2 to 2000; got {samples!r}")
    if not 0.0 < tolerance < math.inf:
        raise InputError(f"tolerance is a positive number; got {tolerance!r}")
    x, y = np.linspace(*plane.spans[0], n), np.linspace(*plane.spans[1], m)
    q, v = plane.states(x[None, :], y[:, None])
    seconds = _duration(controlled, place) if duration is None else duration
    _, reached, speed = controlled.motions(q.reshape(-1, model.nq), v.reshape(-1, model.nv), seconds)
    with np.errstate(invalid="ignore"):
        near = controlled.distance(reached[-1], place) <= tolerance
        attracted = (near & (np.abs(speed[-1]).max(axis=-1) <= tolerance)).reshape(m, n)
    function = controlled.function(place)
    if function is None:
        return AttractionRegion(plane, x, y, attracted, None, None, float(seconds), None)
    X, Y = (np.linspace(low, high, FINE) for low, high in plane.spans)
    V = function(*plane.states(X[None, :], Y[:, None]))
    rows, columns = (np.rint(np.linspace(0, FINE - 1, count)).astype(int) for count in (m, n))
    lost = np.zeros(V.shape, dtype=bool)
    np.logical_or.at(lost, np.ix_(rows, columns), ~attracted)
    level = _level(V, lost, nearest((X, Y), plane))
    return AttractionRegion(plane, x, y, attracted, function(q, v), level, float(seconds), (X, Y, V))


def _duration(controlled: Controlled, target: Array) -> float:
    if controlled.stateful:
        return 20.0
    slowest = -float(controlled.rest.at(target).eigenvalues.real.max(initial=-math.inf))
    return LONGEST if slowest <= 0.0 else min(LONGEST, max(5.0, SLOWEST / slowest))


def _level(values: Array, lost: Array, start: tuple[int, int]) -> float | None:
    """How high V can be filled from the target before it runs over: to points that are lost, or over the rim.

    Behind the rim nothing is known. None where the target itself is not attracted.
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


def nearest(grid: tuple[Array, Array], plane: Plane) -> tuple[int, int]:
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
