"""Why a path cannot be followed within limits: what joint fails, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuation import velocity_places, with_motors
from linkwright.dynamics.forces.statics import passive_forces
from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.errors import InputError
from linkwright.model.coordinates import velocity_names
from linkwright.spatial.arrays import Array
from linkwright.trajectories.evaluation import moved, mover
from linkwright.trajectories.timing.grid import TimeOptimalProblem, some
from linkwright.trajectories.timing.motion import efforts_of
from linkwright.trajectories.timing.speed_profile import FASTEST

NEEDED = 1e-9
"""Share of the largest effort below which an effort counts as zero."""

SHARP = 1e-9
"""Tolerance of the largest feasible speed, relative to the square of the infeasible one."""

SAME = 1e-9
"""By how much of itself x may be outside of what is possible, for rounding."""


def failing(problem: TimeOptimalProblem, low: Array, high: Array) -> Array:
    """Which problems (B,) have no solution, or none that some limit keeps.

    ``low``, ``high`` (B, N): of x from which the end can be reached.
    """
    empty, endless = _causes(high, low)
    wrong: Array = empty | endless | _outside(problem, low, high)
    return wrong


def _causes(high: Array, low: Array) -> tuple[Any, Any]:
    return np.any(high < low, axis=1), np.any(high >= FASTEST / 2.0, axis=1)


def _outside(problem: TimeOptimalProblem, low: Array, high: Array) -> Array:
    outside: Array = (problem.start > high[:, 0] * (1.0 + SAME)) | (problem.start < low[:, 0] * (1.0 - SAME))
    return outside


def refuse(
    problem: TimeOptimalProblem,
    low: Array,
    high: Array,
    batch: tuple[int, ...],
    fails: Callable[[TimeOptimalProblem], Array],
) -> None:
    """Raise :class:`InputError` where some problem has no solution, or no limit keeps it.

    ``batch``: the shape of all problems; ``fails(problem)``: which of others have none; the rest as in
    :func:`failing`.
    """
    wrong = failing(problem, low, high)
    if not wrong.any():
        return
    empty, endless = _causes(high, low)
    row = int(np.argmax(wrong))
    count = int(wrong.sum())
    more = f" ({count} of {len(low)} fail)" if count > 1 else ""
    whose = _whose(row, batch)
    if (most := _fastest_end(some(problem, [row]), fails)) is not None:
        text = (
            f"the path cannot be ended with speed {np.sqrt(problem.end[row]):.6g} along it: within the limits it is at "
            f"most {most:.6g}"
        )
    elif empty[row]:
        text = _reason(problem, high[row] < low[row], row)
    elif endless[row]:
        text = "no limit bounds the speed along the path: give velocity, acceleration or effort of the joints that move"
    else:
        text = (
            f"the path cannot be begun with speed {np.sqrt(problem.start[row]):.6g} along it: within the limits it is "
            f"{np.sqrt(low[row, 0]):.6g} to {np.sqrt(high[row, 0]):.6g}"
        )
    raise InputError(whose + text + more)


def _whose(row: int, batch: tuple[int, ...]) -> str:
    place = ", ".join(map(str, np.unravel_index(row, batch))) if batch else ""
    return f"problem [{place}]: " if batch else ""


def _fastest_end(problem: TimeOptimalProblem, fails: Callable[[TimeOptimalProblem], Array]) -> float | None:
    """Return the largest feasible end speed of an infeasible problem; None if rest is infeasible too."""
    good, bad = 0.0, float(problem.end[0])
    if not bad or fails(problem._replace(end=np.zeros(1))).any():
        return None
    while bad - good > SHARP * bad:
        middle = (good + bad) / 2.0
        good, bad = (good, middle) if fails(problem._replace(end=np.full(1, middle))).any() else (middle, bad)
    return float(np.sqrt(good))


def require_motors(problem: TimeOptimalProblem, actuated: Sequence[str] | None, batch: tuple[int, ...]) -> None:
    """Raise :class:`InputError` where a joint without a motor needs effort, however the path is gone along.

    ``actuated``: names of joints that have motors; None: all but free ones.
    """
    model, grid = problem.model, problem.grid
    driven = with_motors(model) if actuated is None else velocity_places(model, actuated, "actuated")
    places = np.setdiff1d(np.arange(model.nv), driven)
    if not len(places) or not len(grid.s):
        return
    s = grid.begin + 0.5 * grid.span
    q, first, second, _ = mover(model, problem.path.degree)(grid.q, grid.coefficients, s)
    efforts = efforts_of(model)
    zero = np.zeros_like(first)
    moving = np.stack([efforts(q, *x) for x in ((zero, zero), (zero, first), (first, second))])
    needed = np.abs(np.concatenate([moving[:1], moving[1:] - moving[0]]))
    most = needed.max(axis=(0, 2, 3), keepdims=True, initial=0.0)
    needing = (needed > NEEDED * most)[..., places]
    if not needing.any():
        return
    kind, row, i, k = np.argwhere(needing)[0]
    name = [joint.name for joint in model.joints for _ in range(joint.nv)][places[k]]
    what = f"{needed[kind, row, i, places[k]]:.4g} N or N m at rest" if kind == 0 else "to move along the path"
    raise InputError(
        f"{_whose(row, batch)}joint {name!r} has no motor, but needs effort, {what} (at s = "
        f"{grid.s[row, i]:.6g}): lock or weld it, name it in actuated= if it has one, or pass effort=numpy.inf to "
        "ignore efforts"
    )


def _reason(problem: TimeOptimalProblem, empty: Array, row: int) -> str:
    """Return the error of an infeasible problem."""
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
            f"joint {names[k]!r} cannot hold the robot {where}: it needs {abs(need):.4g} N or N m at rest, and its "
            f"limit is {limit:.4g}; no feasible speed compensates for it"
        )
    return (
        f"the limits contradict each other {where}: no path speed has velocities, accelerations and efforts within "
        "them from which the end can be reached"
    )
