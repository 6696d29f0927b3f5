"""Splines through configurations of every joint type."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.errors import InputError, ShapeError, is_choice
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.boundary_conditions import within_limits
from linkwright.trajectories.joint_space.closed_loops import closed, driving
from linkwright.trajectories.joint_space.knots import through
from linkwright.trajectories.trajectory import Trajectory, broadcast, finite

_difference = public(dynamics.difference)


@takes_numeric_model()
def spline(
    model: Model,
    waypoints: ArrayLike,
    times: ArrayLike,
    *,
    ends: str = "clamped",
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    actuated: Iterable[str] | None = None,
) -> Trajectory:
    """Plan a cubic spline through configurations, with continuous velocities and accelerations.

    This works for every joint type: angular accelerations of rotations are continuous too. Limits of velocity are not
    considered: see ``trajectory.plot()`` and :meth:`Trajectory.retimed`.

    Parameters
    ----------
    model : Model
        Mechanism.
    waypoints : array_like, shape (..., n, nq)
        Configurations. Rotations between neighbors are below π.
    times : array_like, shape (..., n), or float
        Times, s, or the duration, which is divided in proportion to the distances.
    ends : {"clamped", "natural"}, optional
        "clamped": end velocities are given; "natural": end accelerations are zero.
    start_velocity, end_velocity : array_like, shape (..., nv), optional
        Velocities of clamped ends; zero by default.
    actuated : iterable of str, optional
        Planned joints of a mechanism with closed loops, as for :func:`s_curve`.

    Returns
    -------
    Trajectory
        The trajectory.

    Raises
    ------
    InputError
        If a waypoint other than the first is beyond the position limits, times do not increase, or neighbors are equal
        when a duration is given.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.trajectories.spline(arm, [[0.0, 0.0], [1.0, 0.5], [0.0, 1.0]], [0.0, 1.0, 2.0])
    <Trajectory of 'two_link': 2 s, 2 pieces of degree 3>
    """
    if not is_choice(ends, ("clamped", "natural")):
        raise InputError(f"ends are 'clamped' or 'natural'; got {ends!r}")
    names = driving(model, actuated)
    q = finite("waypoints", waypoints)
    if q.ndim < 2 or q.shape[-1] != model.nq or q.shape[-2] < 2:
        raise ShapeError(f"waypoints have shape {q.shape}; expected (…, n, {model.nq}) with two or more of them")
    dynamics.check(model, q)
    within_limits(model, "a waypoint", q[..., 1:, :])
    t = finite("times", times)
    if t.ndim:
        batch = np.broadcast_shapes(q.shape[:-2], t.shape[:-1])
        q, t = broadcast("waypoints", q, (*batch, *q.shape[-2:])), broadcast("times", t, (*batch, q.shape[-2]))
    ways = _difference(model, q[..., :-1, :], q[..., 1:, :])
    t = t if t.ndim else _by_distance(ways, float(t))
    if not (np.diff(t) > 0.0).all():
        raise InputError("times increase from each waypoint to the next; here some do not")
    options = {"start_velocity": start_velocity, "end_velocity": end_velocity}
    if ends == "natural" and any(x is not None for x in options.values()):
        raise InputError("a natural spline has no given end velocities; use ends='clamped'")
    first, last = (
        broadcast(name, np.zeros(model.nv) if x is None else finite(name, x), (*q.shape[:-2], model.nv))
        for name, x in options.items()
    )
    found = through(model, q, ways, t, first, last, ends == "natural")
    return found if names is None else closed(found, names, q[..., -1, :])


def _by_distance(ways: Array, duration: float) -> Array:
    """Times (…, n) in which each way takes as much as it is long."""
    if not duration > 0.0:
        raise InputError(f"duration is above zero, s; got {duration!r}")
    lengths = np.linalg.norm(ways, axis=-1)
    if not (lengths > 0.0).all():
        k = int(np.argwhere(~(lengths > 0.0))[0][-1])
        raise InputError(
            f"waypoints {k} and {k + 1} are equal: give the times, since a duration is divided by distances"
        )
    ends = np.concatenate([np.zeros((*lengths.shape[:-1], 1)), np.cumsum(lengths, axis=-1)], axis=-1)
    times: Array = duration * ends / ends[..., -1:]
    return times
