"""Jerk-limited motions from any state to any, in the least time that all coordinates have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError, ShapeError, explained
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.trajectories.joint_space.boundary_conditions import (
    EndStates,
    TrajectoryRows,
    no_motion,
    velocity_limits,
)
from linkwright.trajectories.joint_space.least_time import BEYOND, OVER, REACHED, WRONG, kernels
from linkwright.trajectories.joint_space.mixtures import pieces
from linkwright.trajectories.trajectory import Trajectory, broadcast

JERKS = np.array([1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0])
"""of the phases of the longest motion, by its limit; of the shortest mirrored"""

NAMES = ("p0", "v0", "a0", "p1", "v1", "a1", "velocity", "acceleration", "jerk")


class SCurves(NamedTuple):
    """Synchronized motions of n coordinates, in batches.

    Parameters
    ----------
    duration : ndarray, shape (...)
        Durations, s.
    phases : ndarray, shape (..., n, 14)
        Durations of the phases of both extreme motions.
    part : ndarray, shape (..., n)
        Weight of the first extreme motion.
    """

    duration: Array
    """(…,), s"""
    phases: Array
    """(…, n, 2, 7), s: how long the phases of jerk + 0 − 0 − 0 + last, and of − 0 + 0 + 0 −"""
    part: Array
    """(…, n): the motion is so much of the first and the rest of the second, 0 to 1"""


@explained
def s_curves(
    p0: ArrayLike,
    v0: ArrayLike,
    a0: ArrayLike,
    p1: ArrayLike,
    v1: ArrayLike,
    a1: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike,
    duration: ArrayLike | None = None,
) -> SCurves:
    """Plan jerk-limited motions from (p₀, v₀, a₀) to (p₁, v₁, a₁), all n of a row in the same least time.

    A motion between the fastest and the slowest of a duration is a convex combination of both, which keeps every limit.

    Parameters
    ----------
    p0, v0, a0 : array_like, shape (..., n)
        Initial positions, velocities and accelerations.
    p1, v1, a1 : array_like, shape (..., n)
        Final positions, velocities and accelerations.
    velocity, acceleration, jerk : array_like, shape (..., n)
        Limits.
    duration : array_like, shape (...), optional
        Durations, s; by default the least ones.

    Returns
    -------
    SCurves
        The motions.

    Raises
    ------
    InputError
        If a number is not finite, a limit is not positive, an end is beyond the limits (also a velocity that the
        acceleration carries beyond its limit), or a duration is infeasible.
    """
    given = (p0, v0, a0, p1, v1, a1, velocity, acceleration, jerk)
    arrays = [as_numbers(name, x) for name, x in zip(NAMES, given, strict=True)]
    try:
        shape = np.broadcast_shapes(*(x.shape for x in arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in zip(NAMES, arrays, strict=True))
        raise ShapeError(
            f"the states and limits of s_curves are of shapes (…, n) that broadcast; got {shapes}"
        ) from None
    if not shape or not shape[-1]:
        raise ShapeError("s_curves takes arrays of coordinates (…, n): of one, [x]; got numbers alone")
    arrays = [x if x.shape == shape or x.ndim == 1 else np.broadcast_to(x, shape) for x in arrays]
    least = _least(arrays, shape)
    if duration is None:
        return _synchronized(arrays, least, shape)
    T = broadcast("duration", as_numbers("duration", duration), shape[:-1])
    if not (np.isfinite(T) & (T >= 0.0)).all():
        raise InputError(f"duration must be a time of zero or more, s; got {np.asarray(duration).tolist()}")
    found = _motions(arrays, T)
    if (wrong := found[..., 15].any(axis=-1)).any():
        soonest = _synchronized(arrays, np.maximum(T, least), shape).duration
        row = tuple(int(k) for k in np.argwhere(wrong)[0])
        raise no_motion(T[row], soonest[row])
    return _made(T, found)


def _unfit(arrays: list[Array]) -> InputError:
    """Return what is wrong with states and limits."""
    for name, x in zip(NAMES[:6], arrays, strict=False):
        if not np.isfinite(x).all():
            return InputError(f"{name} is not finite: {x[~np.isfinite(x)][0]}")
    _, v0, a0, _, v1, a1, V, A, J = arrays
    for name, x in zip(NAMES[6:], (V, A, J), strict=True):
        if not (x > 0.0).all():
            return InputError(f"the limit of {name} is above zero; got {x[~(x > 0.0)][0]}")
    if not np.isfinite(J).all():
        return InputError("the limit of jerk is finite; without one, take `trapezoid`")
    for end, v, a, sign in (("begins", v0, a0, 1.0), ("ends", v1, a1, -1.0)):
        for what, x, limit in (("velocity", v, V), ("acceleration", a, A)):
            if (beyond := np.abs(x) > limit * OVER).any():
                return _beyond(f"it {end} with the {what}", x, limit, beyond)
        carried = v + sign * a * np.abs(a) / (2.0 * J)
        if (beyond := np.abs(carried) > V * OVER).any():
            text = "will reach the velocity" if sign > 0.0 else "comes from the velocity"
            return _beyond(f"with the acceleration with which it {end} it {text}", carried, V, beyond)
    return InputError("states and limits are of sizes that no motion is computed of")


def _beyond(what: str, x: Array, limit: Array, beyond: Array) -> InputError:
    place = tuple(int(k) for k in np.argwhere(beyond)[0])
    x, limit = np.broadcast_to(x, beyond.shape)[place], np.broadcast_to(limit, beyond.shape)[place]
    return InputError(f"{what} {x:.9g}, beyond the limit {limit:.9g}, at {list(place)}")


def _least(arrays: list[Array], shape: tuple[int, ...]) -> Array:
    """(…,): the longest of the coordinates' least times."""
    T, states = kernels()[0](*arrays, np.zeros(shape))
    if (worst := states.max(initial=REACHED)) == WRONG:
        raise _unfit(arrays)
    if worst == BEYOND:
        T = _later(arrays, T, states > REACHED)
    return _longest(T)


def _longest(T: Array) -> Array:
    """(…,), of (…, n); many short rows take NumPy long otherwise."""
    longest: Array = np.ascontiguousarray(np.moveaxis(T, -1, 0)).max(axis=0)
    return longest


def _motions(arrays: list[Array], T: Array) -> Array:
    """Return the results of the second kernel (…, n, 16) for durations (…,)."""
    n = np.broadcast_shapes(*(x.shape for x in arrays))[-1]
    found: Array = kernels()[1](*arrays, np.repeat(T[..., None], n, axis=-1))
    return found


def _later(arrays: list[Array], T: Array, short: Array) -> Array:
    """The times (…, n), those that are too ``short`` replaced by the next."""
    T = np.array(T)
    while short.any():  # twice at most: once to where times that are skipped end, and from there on
        own = [np.broadcast_to(x, T.shape)[short] for x in arrays]
        T[short], states = kernels()[0](*own, T[short])
        short[short] = states > REACHED
    return T


def _synchronized(arrays: list[Array], T: Array, shape: tuple[int, ...]) -> SCurves:
    """In these times, or where one of the coordinates has none of that time the next that all have."""
    found = _motions(arrays, T)
    while (short := found[..., 15] > 0.5).any():
        rows = short.any(axis=-1)
        later = _longest(_later(arrays, np.broadcast_to(T[..., None], shape), short))
        if (later <= T).all():  # what was lacking is of rounding
            break
        T = later
        found[rows] = _motions([np.broadcast_to(x, shape)[rows] for x in arrays], T[rows])
    return _made(T, found)


def _made(T: Array, found: Array) -> SCurves:
    return SCurves(T, found[..., :14].reshape(*found.shape[:-1], 2, 7), found[..., 14])


@takes_model
def s_curve(
    model: Model,
    start: ArrayLike,
    end: ArrayLike,
    *,
    acceleration: ArrayLike,
    jerk: ArrayLike,
    velocity: ArrayLike | None = None,
    start_velocity: ArrayLike | None = None,
    start_acceleration: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    end_acceleration: ArrayLike | None = None,
    duration: ArrayLike | None = None,
    actuated: Iterable[str] | None = None,
) -> Trajectory:
    """Plan the fastest motion between configurations within limits of velocity, acceleration and jerk.

    All joints arrive simultaneously, in the least common time or in `duration`. A motion with nonzero end velocities
    may exceed position limits in between.

    Parameters
    ----------
    model : Model
        Mechanism.
    start, end : array_like, shape (..., nq)
        Configurations. Spherical, planar and free joints move about one axis, or along one screw, from rest to rest.
    acceleration, jerk : float or array_like, shape (..., nv)
        Limits.
    velocity : float or array_like, shape (..., nv), optional
        Limit of velocity; by default that of the model.
    start_velocity, start_acceleration : array_like, shape (..., nv), optional
        Derivatives at the start; zero by default.
    end_velocity, end_acceleration : array_like, shape (..., nv), optional
        Derivatives at the end; zero by default.
    duration : float or array_like, shape (...), optional
        Duration, s.
    actuated : iterable of str, optional
        Planned joints of a mechanism with closed loops, whose limits apply. The other joints follow by the loops, which
        are closed to 1e-6 m and rad.

    Returns
    -------
    Trajectory
        The trajectory.

    Raises
    ------
    InputError
        If an end is beyond the limits (a start may be beyond position limits), or the duration is infeasible.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> plan = lw.trajectories.s_curve(arm, [0.0, 0.0], [1.0, 0.5], velocity=1.0, acceleration=2.0, jerk=10.0)
    >>> print(f"{plan.duration:.3f} s")
    1.700 s
    """
    limits = {
        "velocity": velocity_limits(model) if velocity is None else velocity,
        "acceleration": acceleration,
        "jerk": jerk,
    }
    ends = EndStates(
        model,
        start,
        end,
        duration,
        limits=limits,
        actuated=actuated,
        start_velocity=start_velocity,
        start_acceleration=start_acceleration,
        end_velocity=end_velocity,
        end_acceleration=end_acceleration,
    )
    ends.resting("s_curve")
    rows = TrajectoryRows(ends)
    V, A, J = (rows.limits(x) for x in ends.limits.values())
    v0, a0, v1, a1 = (rows.rates(x) for x in ends.rates.values())
    rest = np.zeros_like(rows.way)
    try:
        plan = s_curves(rest, v0, a0, rows.way, v1, a1, V, A, J, ends.duration)
    except InputError as error:
        raise rows.named(error) from None
    levels = np.broadcast_to(J, rows.way.shape)[..., None, None] * np.stack([JERKS, -JERKS])
    times, coefficients = pieces(plan.duration, plan.phases, levels, plan.part, [rest, v0, a0])
    return ends.trajectory(times, rows.spread(coefficients))
