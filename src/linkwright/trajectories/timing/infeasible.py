"""Why a path cannot be followed within limits: what joint fails, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.dynamics.statics import passive_forces
from linkwright.errors import InputError
from linkwright.model.names import velocity_names
from linkwright.spatial.arrays import Array
from linkwright.trajectories.reading import moved
from linkwright.trajectories.timing.grid import Problem
from linkwright.trajectories.timing.speed import FASTEST

SAME = 1e-9
"""By how much of itself x may be outside of what is possible, for rounding."""


def failing(problem: Problem, low: Array, high: Array) -> Array:
    """Which problems (B,) have no solution, or none that some limit keeps.

    ``low``, ``high`` (B, N): of x from which the end can be reached.
    """
    empty, endless = _causes(high, low)
    wrong: Array = empty | endless | _outside(problem, low, high)
    return wrong


def _causes(high: Array, low: Array) -> tuple[Any, Any]:
    return np.any(high < low, axis=1), np.any(high >= FASTEST / 2.0, axis=1)


def _outside(problem: Problem, low: Array, high: Array) -> Array:
    outside: Array = (problem.start > high[:, 0] * (1.0 + SAME)) | (problem.start < low[:, 0] * (1.0 - SAME))
    return outside


def refuse(problem: Problem, low: Array, high: Array, batch: tuple[int, ...]) -> None:
    """Raise :class:`InputError` where some problem has no solution, or no limit keeps it.

    ``batch``: the shape of all problems; the rest as in :func:`failing`.
    """
    wrong = failing(problem, low, high)
    if not wrong.any():
        return
    empty, endless = _causes(high, low)
    row = int(np.argmax(wrong))
    place = ", ".join(map(str, np.unravel_index(row, batch))) if batch else ""
    count = int(wrong.sum())
    more = f" ({count} of {len(low)} fail)" if count > 1 else ""
    whose = f"problem [{place}]: " if batch else ""
    if empty[row]:
        told = _told(problem, high[row] < low[row], row)
    elif endless[row]:
        told = "no limit bounds the speed along the path: give velocity, acceleration or effort of the joints that move"
    else:
        told = (
            f"the path cannot be begun with speed {np.sqrt(problem.start[row]):.6g} along it: within the limits it is "
            f"{np.sqrt(low[row, 0]):.6g} to {np.sqrt(high[row, 0]):.6g}"
        )
    raise InputError(whose + told + more)


def _told(problem: Problem, empty: Array, row: int) -> str:
    """Of one problem that has no solution."""
    model, grid = problem.model, problem.grid
    i = int(np.flatnonzero(empty)[-1])  # the passage backwards fails here first
    s, N = grid.s[row, i], len(empty)
    where = f"at s = {s:.6g} (interval {i} of {N}, piece {grid.piece[i]} of the path)"
    names = velocity_names(model)
    piece = (problem.path.q[row, grid.piece[i]], problem.path.coefficients[row, grid.piece[i]])
    holding = []
    for part in np.linspace(0.0, 1.0, 5):
        q = moved(model, *piece, grid.begin[row, i] + part * grid.span[row, i], 2)[0]
        zero = np.zeros(model.nv)
        holding.append(np.asarray(inverse_dynamics(model, q, zero, zero) - passive_forces(model, q, zero), dtype=float))
    used = np.abs(holding) * problem.limits.effort[row]
    if used.max(initial=0.0) > 1.0:
        part, k = np.unravel_index(int(used.argmax()), used.shape)
        need, limit = holding[part][k], 1.0 / problem.limits.effort[row, k]
        return (
            f"joint {names[k]!r} cannot hold itself there, {where}: it takes {abs(need):.4g} N or N m at rest, and its "
            f"limit is {limit:.4g}; and no speed at which the end can be reached makes up for it"
        )
    return (
        f"the limits contradict each other {where}: at no path speed there are velocities, accelerations and efforts "
        "within them with which the end can be reached"
    )
