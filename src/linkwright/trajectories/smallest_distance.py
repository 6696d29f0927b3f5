"""The smallest distance of shapes during a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwright.errors import InputError, ShapeError
from linkwright.geometry.distances import PairNames, distances
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array, as_numbers

if TYPE_CHECKING:
    from linkwright.trajectories.trajectory import Trajectory

GRID, FINER, LOWEST = 512, 17, 8
"""Number of times at first, of those between two neighbors of a local minimum, and of local minima that are refined."""

ROUNDS = 4
"""Number of refinements, each by a factor of eight."""


class SmallestDistance(NamedTuple):
    """Smallest distance of all pairs of shapes during a trajectory.

    Parameters
    ----------
    distance : float
        Signed distance, m.
    time : float
        Time, s.
    pair : tuple of str
        Names of the two shapes.
    q : ndarray, shape (nq,)
        Configuration at that time.
    first, second : ndarray, shape (3,)
        Nearest points of both shapes in the world, m.
    """

    distance: float
    time: float
    pair: tuple[str, str]
    q: Array
    first: Array
    second: Array


def smallest_distance(
    trajectory: Trajectory,
    pairs: PairNames | None,
    obstacles: Sequence[Shape],
    obstacle_poses: Any | Callable[[Array], Any],
    points: Any,
    point_radius: float,
) -> SmallestDistance:
    """Return the smallest distance: on a grid of times, which is refined around its lowest local minima."""

    if points is not None:
        points = as_numbers("points", points)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ShapeError(f"points of a trajectory are (n, 3), at rest; got the shape {points.shape}")
        if not np.isfinite(points).all():
            raise InputError("points are not finite")

    def found(t: Array) -> Any:
        poses = obstacle_poses(t) if callable(obstacle_poses) else obstacle_poses
        world = {"obstacles": obstacles, "obstacle_poses": poses, "points": points, "point_radius": point_radius}
        return distances(trajectory.model, trajectory(t)[0], pairs, **world)

    begin, end = trajectory.times[0], trajectory.times[-1]
    t = np.unique(np.concatenate([np.linspace(begin, end, GRID), trajectory.times]))
    d = found(t).smallest
    if not np.isfinite(d).all():
        raise InputError(f"obstacle_poses are finite at all times; got others at t = {t[~np.isfinite(d)][0]:g} s")
    step = (end - begin) / (GRID - 1)
    padded = np.concatenate([[np.inf], d, [np.inf]])
    minima = np.flatnonzero((d <= padded[:-2]) & (d <= padded[2:]))
    centers = t[minima[np.argsort(d[minima])[:LOWEST]]]
    best, time = float(d.min()), float(t[np.argmin(d)])
    for _ in range(ROUNDS):
        rows = np.clip(centers[:, None] + np.linspace(-step, step, FINER), begin, end)
        d = found(rows.reshape(-1)).smallest.reshape(rows.shape)
        centers = np.take_along_axis(rows, d.argmin(axis=1)[:, None], axis=1)[:, 0]
        if d.min() < best:
            best, time = float(d.min()), float(rows.reshape(-1)[np.argmin(d)])
        step *= 2.0 / (FINER - 1)
    there = found(np.array([time]))
    k = int(there.closest[0])
    q = trajectory(time)[0]
    return SmallestDistance(best, time, there.pairs[k], q, there.first[0, k], there.second[0, k])
