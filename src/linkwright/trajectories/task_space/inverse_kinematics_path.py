"""The joints' motion with which a hand follows a path, by inverse kinematics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import at_least
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.geometry import rotation
from linkwright.ik_solvers.paths import place_first
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.knots import through
from linkwright.trajectories.task_space.pose_paths import PoseTrajectory
from linkwright.trajectories.trajectory import Trajectory, finite

FIRST, MOST, PATIENCE = 32, 8192, 256
"""Postures at first, at most, and from how many on they have to become better as fast as they must."""

CLOSE = 1e-9
"""m and rad: how well single postures are found."""

NEAR = 1e-3
"""rad or m: so near a limit of its coordinate a posture is at it."""

SUDDEN = 0.125
"""A change is a jump of which so large a part is left in a 256th of the time."""

ON_PATH = 1e-3
"""m or rad: tolerance of a start at the beginning of the path."""

_pose, _difference = public(dynamics.pose), public(dynamics.difference)
_residual = public(dynamics.constraint_residual)


@takes_model
def follow(
    model: Model,
    frame: str,
    path: PoseTrajectory,
    initial_guess: ArrayLike | None = None,
    *,
    fixed: Iterable[str] = (),
    tolerance: float = 1e-5,
) -> Trajectory:
    """Compute the joint trajectory with which a frame follows a path.

    Configurations are computed by inverse kinematics, each from the previous one, as many as the tolerance requires,
    and connected by a spline. Velocity limits are not checked: see ``trajectory.plot()``.

    Parameters
    ----------
    model : Model
        Mechanism. Closed loops stay closed to the tolerance.
    frame : str
        Name of the frame.
    path : PoseTrajectory
        Path of the frame. Arms with fewer than six joints follow the position, and the orientation as far as possible.
    initial_guess : array_like, shape (nq,), optional
        Configuration near which the trajectory starts.
    fixed : iterable of str, optional
        Joints that do not move. All other joints that move the frame do, including the free joint of a floating base.
    tolerance : float, optional
        Largest error of the frame, m and rad.

    Returns
    -------
    Trajectory
        The trajectory.

    Raises
    ------
    InputError
        If the path cannot be followed; the message states the time and the cause (a joint limit or a singular
        configuration).
    """
    if not isinstance(path, PoseTrajectory):
        raise ArgumentError(f"follow: a path is made by straight, circle or arc; got {path!r}")
    at_least("tolerance", tolerance, 1e-8, "m and rad")
    guess = None if initial_guess is None else finite("initial_guess", initial_guess)
    if guess is not None and guess.shape != (model.nq,):
        raise ShapeError(f"initial_guess has shape {guess.shape}; expected ({model.nq},): one path, one posture")
    turning = len(place_first(model, frame, path.start)) == 1
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)

    def reached(time: float, near: Any, restarts: int = 0) -> Array:
        targets = place_first(model, frame, path(time)[0])
        found = inverse_kinematics(model, targets, near, restarts=restarts, tolerance=CLOSE, fixed=fixed)
        if not np.all(found.converged):
            raise InputError(f"{frame!r} cannot follow the path at {time:.4g} s: {found.reason}{advice()}")
        return np.asarray(found.q)

    def advice() -> str:
        if guess is None:
            return "; give a posture to start with, `initial_guess`: another one may lead round"
        away = _apart(_pose(model, guess, frame)[None], path.start[None], turning)
        if away <= ON_PATH:
            return "; another initial guess, or another path, may lead round"
        return (
            f"; the initial guess is {away:.2g} (m or rad) from where the path begins, and the posture there was found "
            "from it: a guess on the path, or another one, may lead round"
        )

    first = reached(path.times[0], guess, restarts=100)
    count, before, rest = FIRST, np.inf, np.zeros(model.nv)
    while True:
        t = _times(path, count)
        q = [first]
        for time in t[1:]:
            q.append(reached(time, q[-1]))
        found = through(model, np.stack(q), _difference(model, np.stack(q[:-1]), np.stack(q[1:])), t, rest, rest, False)
        there = np.concatenate([t[:-1] + part * np.diff(t) for part in (0.25, 0.5, 0.75)])
        postures = found(there)[0]
        apart = max(_apart(_pose(model, postures, frame), path(there)[0], turning), _opened(model, postures))
        if apart <= tolerance:
            return found
        if (jump := _jump(model, reached, t, q)) is not None:
            time, at = jump
            raise InputError(f"{frame!r} cannot follow the path past {time:.4g} s: {_stopped(model, at)}{advice()}")
        left = np.log2(MOST / count)  # times that it can be doubled
        if count >= PATIENCE and apart * min(apart / before, 1.0) ** left > tolerance:
            time = float(t[np.argmax(_ways(model, q))])
            raise InputError(
                f"{frame!r} is {apart:.3g} (m or rad) off its path between {len(t)} postures, and more of them do not "
                f"bring it to {tolerance:g}: joints turn fast near a singular posture, at {time:.4g} s{advice()}"
            )
        count, before = 2 * count, apart


def _times(path: PoseTrajectory, count: int) -> Array:
    """Return about that many times, which include those at which pieces of the path begin."""
    step = path.duration / count
    parts = [
        np.linspace(a, b, max(1, round((b - a) / step)) + 1)[:-1]
        for a, b in zip(path.times, path.times[1:], strict=False)
    ]
    return np.append(np.concatenate(parts), path.times[-1])


def _ways(model: Model, q: list[Array]) -> Array:
    """Return the distances between successive configurations."""
    ways: Array = np.linalg.norm(_difference(model, np.stack(q[:-1]), np.stack(q[1:])), axis=-1)
    return ways


def _opened(model: Model, q: Array) -> float:
    """By how much loops are open in some posture at most, m or rad."""
    return float(np.abs(_residual(model, q)).max(initial=0.0)) if model.loops else 0.0


def _jump(model: Model, reached: Callable[..., Array], t: Array, q: list[Array]) -> tuple[float, Array] | None:
    """Return the time and configuration of a jump: a change that does not decrease with the time step."""

    def change(a: Array, b: Array) -> float:
        return float(np.linalg.norm(_difference(model, a, b)))

    ways = _ways(model, q)
    k = int(np.argmax(ways))
    begin, end, here, there, way = t[k], t[k + 1], q[k], q[k + 1], ways[k]
    shortest = (end - begin) / 256.0
    while end - begin > shortest:
        middle = 0.5 * (begin + end)
        between = reached(middle, here)
        after = reached(end, between)
        if change(here, between) > change(between, after):
            end, there = middle, between
        else:
            begin, here, there = middle, between, after
        if change(here, there) < SUDDEN * way:
            return None
    return float(begin), here


def _stopped(model: Model, q: Array) -> str:
    """Return the cause of a jump in words."""
    room = np.minimum(q - model.lower, model.upper - q)
    at = [name for name, x in zip(model.coordinate_names, room, strict=True) if x < NEAR]
    if at:
        return f"there {' and '.join(map(repr, at))} {'is at its limit' if len(at) == 1 else 'are at their limits'}"
    return "there the posture is nearly singular, and the joints would have to jump"


def _apart(T: Array, wanted: Array, turning: bool) -> float:
    """The largest distance or angle between poses (n, 4, 4)."""
    far = np.linalg.norm(T[:, :3, 3] - wanted[:, :3, 3], axis=1).max()
    if not turning:
        return float(far)
    turn = rotation.log(np.swapaxes(wanted[:, :3, :3], 1, 2) @ T[:, :3, :3])
    return float(max(far, np.linalg.norm(turn, axis=1).max()))
