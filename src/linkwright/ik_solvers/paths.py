"""A hand along a path: straight lines between targets, and the postures that follow them from each start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.geometry import quaternion, rotation
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.ik_solvers.tasks import Position, Rotation
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


class FollowedPath(NamedTuple):
    """Postures along a path, from several starts."""

    q: Array
    """(starts, points, nq); NaN from where a start cannot go on"""
    points: Array
    """(starts,): how many points of the path were reached"""
    reasons: list[str]
    """of each start why it cannot go on; "" where it follows to the end"""


def place_first(model: Model, frame: str, target: Array) -> dict[Any, Array]:
    """Return the tasks of a target (3,) or (4, 4): the position has priority if the arm cannot reach all poses."""
    joints = model.path(model.frame(frame).body)
    if target.shape == (3,) or sum(model.joints[k].nv for k in joints) >= 6:
        return {frame: target}
    return {Position(frame): target[:3, 3], Rotation(frame, priority=2): target[:3, :3]}


def straight(targets: Array, points: int) -> Array:
    """Return points on the straight lines between targets, (points, 4, 4) or (points, 3), evenly spaced.

    Poses rotate about a fixed axis by the smaller angle. Without translation points are evenly distributed over
    segments.
    """
    p = targets[:, :3, 3] if targets.ndim == 3 else targets
    lengths = np.linalg.norm(np.diff(p, axis=0), axis=1)
    if targets.ndim == 3:
        turns = np.linalg.norm(rotation.log(np.swapaxes(targets[:-1, :3, :3], 1, 2) @ targets[1:, :3, :3]), axis=1)
        lengths = np.maximum(lengths, 0.1 * turns)  # a turn on the spot takes time, too
    if not lengths.any():
        lengths = np.ones_like(lengths)
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    s = np.linspace(0.0, ends[-1], points)
    k = np.clip(np.searchsorted(ends, s, side="right") - 1, 0, len(lengths) - 1)
    t = np.where(lengths[k] > 0.0, (s - ends[k]) / np.where(lengths[k] > 0.0, lengths[k], 1.0), 1.0)
    place = p[k] + t[:, None] * (p[k + 1] - p[k])
    if targets.ndim == 2:
        return place
    u = rotation.to_quaternion(targets[:, :3, :3])
    path = np.tile(np.eye(4), (points, 1, 1))
    path[:, :3, :3] = rotation.from_quaternion(quaternion.slerp(u[k], u[k + 1], t))
    path[:, :3, 3] = place
    return path


def followed(model: Model, frame: str, targets: Array, starts: Array) -> FollowedPath:
    """Return the configurations with which a frame follows targets (points, …), each from the previous one.

    ``starts`` (starts, nq): configurations at the first target. A start is followed as long as the targets of
    :func:`place_first` are reached within the limits.
    """
    n = len(targets)
    q = np.full((len(starts), n, model.nq), np.nan)
    reached, reasons = np.zeros(len(starts), dtype=int), [""] * len(starts)
    going, at = np.arange(len(starts)), starts
    for k in range(n):
        found = inverse_kinematics(model, place_first(model, frame, targets[k]), at, restarts=0)
        converged = np.asarray(found.converged)
        for row, number in enumerate(going):
            if not converged[row]:
                reasons[number] = str(np.asarray(found.reason)[row])
        going, at = going[converged], found.q[converged]
        q[going, k], reached[going] = at, k + 1
        if not len(going):
            break
    return FollowedPath(q, reached, reasons)
