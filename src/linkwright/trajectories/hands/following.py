"""The joints' motion with which a hand follows a path, by inverse kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, InputError, explained
from linkwright.geometry import rotation
from linkwright.inverse_kinematics.paths import place_first
from linkwright.inverse_kinematics.reach import inverse_kinematics
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.hands.poses import PoseTrajectory
from linkwright.trajectories.joints.splines import spline
from linkwright.trajectories.trajectory import Trajectory

FIRST, MOST = 32, 8192
"""Postures at first, and at most."""

CLOSE = 1e-9
"""m and rad: how well single postures are found."""

_pose = public(dynamics.pose)


@explained
def follow(model: Model, frame: str, path: PoseTrajectory, start: Any = None, *, tolerance: float = 1e-5) -> Trajectory:
    """The motion of the joints with which a frame follows a path in its time, to ``tolerance`` (m and rad).

    Postures by inverse kinematics, each from the one before, as many as the tolerance takes, and a spline through them.
    The first is near ``start`` (nq,), where one is given. Of arms with fewer than six joints the place is followed, and
    the orientation as far as they can. Raises :class:`InputError` where the path cannot be followed, and when. Velocity
    limits are not looked at: see ``trajectory.plot()``.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"follow: the first argument is a Model; got {model!r}")
    if not isinstance(path, PoseTrajectory):
        raise ArgumentError(f"follow: a path is made by straight, circle or arc; got {path!r}")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance >= 1e-8:
        raise InputError(f"tolerance is at least 1e-8, m and rad; got {tolerance!r}")
    turning = len(place_first(model, frame, path.start)) == 1
    first = _reached(model, frame, path.start, start, path.times[0], restarts=100)
    count = FIRST
    while True:
        t = _times(path, count)
        q = [first]
        for time in t[1:]:
            q.append(_reached(model, frame, path(time)[0], q[-1], time, restarts=0))
        found = spline(model, np.stack(q), t)
        between = np.concatenate([t[:-1] + part * np.diff(t) for part in (0.25, 0.5, 0.75)])
        apart = _apart(_pose(model, found(between)[0], frame), path(between)[0], turning)
        if apart <= tolerance:
            return found
        count *= 2
        if count > MOST:
            raise InputError(
                f"the frame {frame!r} is {apart:.3g} (m or rad) off its path between {len(t)} postures: it jumps from "
                "one to another, or turns too fast near a singular posture"
            )


def _times(path: PoseTrajectory, count: int) -> Array:
    """Times of so many postures or a few more, those at which the pieces of the path begin among them."""
    step = path.duration / count
    parts = [
        np.linspace(a, b, max(1, round((b - a) / step)) + 1)[:-1]
        for a, b in zip(path.times, path.times[1:], strict=False)
    ]
    return np.append(np.concatenate(parts), path.times[-1])


def _reached(model: Model, frame: str, target: Array, start: Any, time: float, restarts: int) -> Array:
    found = inverse_kinematics(model, place_first(model, frame, target), start, restarts=restarts, tolerance=CLOSE)
    if not np.all(found.converged):
        raise InputError(f"{frame!r} cannot follow the path at {time:.4g} s: {found.reason}")
    return np.asarray(found.q)


def _apart(T: Array, wanted: Array, turning: bool) -> float:
    """The largest distance or angle between poses (n, 4, 4)."""
    far = np.linalg.norm(T[:, :3, 3] - wanted[:, :3, 3], axis=1).max()
    if not turning:
        return float(far)
    turn = rotation.log(np.swapaxes(wanted[:, :3, :3], 1, 2) @ T[:, :3, :3])
    return float(max(far, np.linalg.norm(turn, axis=1).max()))
