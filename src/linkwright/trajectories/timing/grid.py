"""Problems of time-optimal motion along paths, and the grids on which they are solved."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import exp_rates
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.evaluation import polynomial
from linkwright.trajectories.trajectory import Trajectory

GRADED = np.array([1.0, 4.0, 16.0]) / 64.0
"""Ratio of intervals next to a rest, where the error of the duration of an interval is 1/64 of its value."""

PLACES = 9
"""Points of each piece at which its direction is checked."""

CORNER = 1e-6
"""By how much of themselves tangents before and after a point of a path differ at most where it has no corner."""


class Limits(NamedTuple):
    """Inverses of the limits of every problem and coordinate (B, nv); 0 where there is none."""

    velocity: Array
    acceleration: Array
    effort: Array


class PathGrid(NamedTuple):
    """Intervals of a path's parameter, of B problems alike."""

    piece: Array
    """(N,), of the path"""
    begin: Array
    """(B, N), from where the piece begins"""
    span: Array
    """(B, N)"""
    s: Array
    """(B, N + 1)"""
    rests: Array
    """(N + 1,), whether the motion comes to rest there"""
    q: Array
    """(B, N, nq), from which the piece is counted"""
    coefficients: Array
    """(B, N, degree + 1, nv), of the piece"""


class TimeOptimalProblem(NamedTuple):
    """Data of B problems."""

    model: Model
    path: Trajectory
    grid: PathGrid
    limits: Limits
    start: Array
    """(B,), x at the beginning"""
    end: Array
    scheme: str


def some(problem: TimeOptimalProblem, rows: Any) -> TimeOptimalProblem:
    """The problems of these rows."""
    model, path, grid, limits, start, end, scheme = problem
    some = path._like(path.times[rows], path.q[rows], path.coefficients[rows])
    piece, begin, span, s, rests, *tables = grid
    of_rows = PathGrid(piece, begin[rows], span[rows], s[rows], rests, *(x[rows] for x in tables))
    return TimeOptimalProblem(model, some, of_rows, Limits(*(x[rows] for x in limits)), start[rows], end[rows], scheme)


def grid_of(path: Trajectory, points: Any) -> PathGrid:
    """So many intervals or as many as pieces take, all pieces' ends among them; at ends and corners graded."""
    points = whole_number("points", points, 2)
    knots = path.times
    if not (np.diff(knots) > 0.0).all():
        raise InputError("a piece of the path has no length in its parameter, the time: leave it out")
    tangents = _tangents(path)
    corners = _corners(tangents)
    rests = np.array([True, *corners, True])
    sides = [(bool(a), bool(b)) for a, b in pairwise(rests)]
    least = [1 + (a and b) + len(GRADED) * (a + b) for a, b in sides]
    share = np.diff(knots).sum(axis=0) if len(knots) else np.ones(len(least))
    cells = np.array(least) + _shared(max(points - sum(least), 0), share)
    parts = [_parts(n - len(GRADED) * (a + b), a, b) for n, (a, b) in zip(cells, sides, strict=True)]
    piece = np.repeat(np.arange(len(parts)), cells)
    lengths = np.diff(knots)[:, piece]
    begin = lengths * np.concatenate([x[:-1] for x in parts])
    ends = lengths * np.concatenate([x[1:] for x in parts])
    s = np.concatenate([knots[:, piece] + begin, knots[:, -1:]], axis=1)
    still = np.zeros(len(piece) + 1, dtype=bool)
    still[np.cumsum(cells)[:-1]] = corners
    return PathGrid(piece, begin, ends - begin, s, still, path.q[:, piece], path.coefficients[:, piece])


def _shared(count: int, share: Array) -> Array:
    """So many things as whole numbers in nearly these shares: the largest remainders get what is left."""
    exact = count * share / share.sum()
    whole = np.floor(exact).astype(int)
    most = np.argsort(whole - exact, kind="stable")[: count - whole.sum()]
    whole[most] += 1
    return whole


def _parts(n: int, graded_first: bool, graded_last: bool) -> Array:
    """Return the points of a piece from 0 to 1: n equal intervals, the first and last subdivided if requested."""
    x = np.arange(n + 1) / n
    first = GRADED / n if graded_first else np.zeros(0)
    last = 1.0 - GRADED[::-1] / n if graded_last else np.zeros(0)
    return np.concatenate([x[:1], first, x[1:-1], last, x[-1:]])


def _tangents(path: Trajectory) -> Array:
    """Return the tangents of every problem and piece at some points, including its ends (B, pieces, points, nv)."""
    tangents: Array = _of_piece(path.model, path.degree)(path.coefficients, np.diff(path.times))
    size = np.abs(tangents).max(axis=(-1, -2), initial=0.0)
    if (still := size <= 1e-12 * size.max(initial=0.0)).any():
        row, k = np.argwhere(still)[0]
        raise InputError(f"piece {k} of the path does not move{f' in problem {row}' if len(size) > 1 else ''}")
    return tangents


def _corners(tangents: Array) -> Array:
    """At which of the points between pieces the direction jumps, or its parameter's speed."""
    before, after = tangents[:, :-1, -1], tangents[:, 1:, 0]
    jumps = np.abs(after - before).max(axis=-1, initial=0.0)
    corners: Array = (jumps > CORNER * (np.abs(before) + np.abs(after)).max(axis=-1, initial=0.0)).any(axis=0)
    return corners


def _of_piece(model: Model, degree: int) -> Callable[..., Any]:
    """The kernel of the tangents of a piece."""

    def tangents(model: Model, coefficients: Array, span: Any) -> Array:
        places = [span * part for part in np.linspace(0.0, 1.0, PLACES)]
        return np.stack([exp_rates(model, *(polynomial(coefficients, s, k) for k in (0, 1)))[0] for s in places])

    shapes = {"coefficients": (degree + 1, model.nv), "span": ()}
    return derived(model, _of_piece, degree, make=lambda: compile_or_not(tangents, model, **shapes))
