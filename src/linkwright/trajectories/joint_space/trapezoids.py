"""Motions of constant accelerations, ramp, cruise and ramp, from any velocity to any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.boundary_conditions import (
    EndStates,
    TrajectoryRows,
    no_motion,
    velocity_limits,
)
from linkwright.trajectories.joint_space.mixtures import pieces
from linkwright.trajectories.trajectory import Trajectory

ROUNDS = 100

EXACT = 1e-12
"""Tolerance of the displacement, relative to its size."""


@takes_model
def trapezoid(
    model: Model,
    start: ArrayLike,
    end: ArrayLike,
    *,
    acceleration: ArrayLike,
    velocity: ArrayLike | None = None,
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    actuated: Iterable[str] | None = None,
) -> Trajectory:
    """Plan the fastest motion between configurations within limits of velocity and acceleration.

    All joints arrive simultaneously, in the least common time or in `duration`. Accelerations jump, which excites
    vibrations of a real robot: :func:`s_curve` limits the jerk.

    Parameters
    ----------
    model : Model
        Mechanism.
    start, end : array_like, shape (..., nq)
        Configurations.
    acceleration : float or array_like, shape (..., nv)
        Limit of acceleration.
    velocity : float or array_like, shape (..., nv), optional
        Limit of velocity; by default that of the model.
    start_velocity, end_velocity : array_like, shape (..., nv), optional
        Velocities at the ends; zero by default, and for spherical, planar and free joints.
    duration : float or array_like, shape (...), optional
        Duration, s.
    actuated : iterable of str, optional
        Planned joints of a mechanism with closed loops, as for :func:`s_curve`.

    Returns
    -------
    Trajectory
        The trajectory.

    Raises
    ------
    InputError
        If an end is beyond the limits, or the duration is infeasible.
    """
    limits = {
        "velocity": velocity_limits(model) if velocity is None else velocity,
        "acceleration": acceleration,
    }
    ends = EndStates(
        model,
        start,
        end,
        duration,
        limits=limits,
        actuated=actuated,
        start_velocity=start_velocity,
        end_velocity=end_velocity,
    )
    if not np.isfinite(ends.limits["acceleration"]).all():
        raise InputError("the limit of acceleration is finite")
    ends.resting("trapezoid")
    rows = TrajectoryRows(ends)
    V, A = (np.broadcast_to(rows.limits(x), rows.way.shape) for x in ends.limits.values())
    v0, v1 = (rows.rates(x) for x in ends.rates.values())
    for verb, v in (("begins", v0), ("ends", v1)):
        if (beyond := np.abs(v) > V * (1.0 + 1e-12)).any():
            at = tuple(int(k) for k in np.argwhere(beyond)[0])
            error = f"it {verb} with the velocity {v[at]:.9g}, beyond the limit {V[at]:.9g}, at {list(at)}"
            raise rows.named(InputError(error))
    of = (rows.way, v0, v1, V, A)
    T = _next(0.0, *of).max(axis=-1)
    if ends.duration is None:
        T = _together(T, of)
    else:
        wanted = np.broadcast_to(ends.duration, T.shape)
        T = _together(np.maximum(wanted, T), of)
        if (never := wanted * (1.0 + 1e-12) < T).any():
            row = tuple(int(k) for k in np.argwhere(never)[0])
            raise no_motion(wanted[row], T[row])
    most, fewest = _extreme(T[..., None], v0, v1, V, A), _extreme(T[..., None], -v0, -v1, V, A)
    longer, shorter = most[0], -fewest[0]
    span = longer - shorter
    part = np.clip(np.where(span > 0.0, (rows.way - shorter) / np.where(span > 0.0, span, 1.0), 1.0), 0.0, 1.0)
    phases = np.stack([np.stack(x[1:], axis=-1) for x in (most, fewest)], axis=-2)
    levels = A[..., None, None] * np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]])
    times, coefficients = pieces(T, phases, levels, part, [np.zeros_like(rows.way), v0])
    return ends.trajectory(times, rows.spread(coefficients))


def _extreme(T: Array, v0: Array, v1: Array, V: Array, A: Array) -> tuple[Array, ...]:
    """Return the largest displacement in this time, and the durations of its three phases."""
    u = np.maximum(np.minimum(0.5 * (A * T + v0 + v1), V), np.maximum(v0, v1))
    up, down = (u - v0) / A, (u - v1) / A
    along = np.maximum(T - up - down, 0.0)
    return 0.5 * (u + v0) * up + u * along + 0.5 * (u + v1) * down, up, along, down


def _next(after: Any, way: Array, v0: Array, v1: Array, V: Array, A: Array) -> Array:
    """Return the least duration with the displacement, above ``after``, which is infeasible or 0."""
    start = np.maximum(after, np.abs(v1 - v0) / A)
    sign = np.where(_extreme(start, v0, v1, V, A)[0] > way, -1.0, 1.0)
    way, v0, v1 = sign * way, sign * v0, sign * v1
    u = np.sqrt(np.maximum(A * way + 0.5 * (v0 * v0 + v1 * v1), 0.0))
    top = np.where(u < V, u, V)
    fast = (2.0 * top - v0 - v1) / A
    left = np.where(u < V, 0.0, way - (top * top - 0.5 * (v0 * v0 + v1 * v1)) / A)
    return np.maximum(fast + left / np.where(u < V, 1.0, top), start)


def _together(T: Array, of: tuple[Array, ...]) -> Array:
    """The least time (…,), not below this, that all coordinates can take."""
    way, v0, v1, V, A = of
    for _ in range(ROUNDS):
        longer, shorter = _extreme(T[..., None], v0, v1, V, A)[0], -_extreme(T[..., None], -v0, -v1, V, A)[0]
        size = EXACT * (np.abs(way) + (np.abs(v0) + np.abs(v1)) * T[..., None])
        short = (way > longer + size) | (way < shorter - size)
        if not short.any():
            break
        T = np.where(short, _next(T[..., None], *of), T[..., None]).max(axis=-1)
    return T
