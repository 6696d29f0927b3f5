"""Contacts of a whole body: frames, contact points and friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.bounds import positive
from linkwright.dynamics import jacobian, jacobian_dot_times_v, pose, velocity
from linkwright.errors import InputError, explained
from linkwright.model.parts.pair import FRICTION
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, unit_vector
from linkwright.spatial.rotation import rotation_from_z, skew

FLAT = 1e-9
"""Points are collinear if the areas of their triangles are below this share of the squared distances."""


@explained
@dataclass(frozen=True)
class StanceContact:
    """A contact of a frame with the surroundings at fixed points.

    The force at every point is in a pyramid inside the friction cone: |f₁|, |f₂| ≤ μ fₙ/√2 along two directions
    perpendicular to the normal.

    Parameters
    ----------
    frame : str
        Name of the frame.
    points : sequence, shape (k, 3), optional
        Contact points in axes of the frame, m. By default its origin. Three or more points that are not collinear also
        fix the orientation of the frame: six constraints; otherwise there are three for each point.
    friction : float, optional
        Coefficient μ > 0.
    normal : sequence, shape (3,), optional
        Direction in which the surroundings push, in world axes.
    """

    frame: str
    points: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),)
    friction: float = FRICTION
    normal: Sequence[float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        points, normal = (as_numbers(f"{name} of the contact of {self.frame!r}", x) for name, x in self._given())
        if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
            raise InputError(f"points of the contact of {self.frame!r} are (k, 3), finite; got {self.points!r}")
        if normal.shape != (3,) or not np.isfinite(normal).all() or not normal.any():
            raise InputError(f"the normal of the contact of {self.frame!r} is a vector (3,); got {self.normal!r}")
        positive(f"the friction of the contact of {self.frame!r}", self.friction)
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))
        object.__setattr__(self, "normal", tuple(unit_vector(normal).tolist()))

    def _given(self) -> list[tuple[str, Any]]:
        return [("points", self.points), ("normal", self.normal)]

    @property
    def axes(self) -> Array:
        """Two directions along the surface and its normal, as columns (3, 3), in world axes."""
        return rotation_from_z(self.normal)

    @property
    def rigid(self) -> bool:
        """Whether the points fix the orientation of the frame."""
        spread = np.asarray(self.points) - self.points[0]
        crossed = np.cross(spread[:, None], spread[None]).reshape(-1, 3)
        return bool(abs(crossed).max() > FLAT * abs(spread).max() ** 2)

    def rows(self, model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return the rows of the contact's equations.

        Parameters
        ----------
        model : Model
            Mechanism.
        q, v : ndarray, shapes (nq,) and (nv,)
            Configuration and joint velocity.

        Returns
        -------
        C : ndarray, shape (m, nv)
            Rows of C v̇ + Ċ v = 0.
        bias : ndarray, shape (m,)
            Ċ v.
        J : ndarray, shape (3k, nv)
            Jacobian of the points in directions of ``axes``.
        """
        J, rate = jacobian(model, q, self.frame), jacobian_dot_times_v(model, q, v, self.frame)
        R, w = pose(model, q, self.frame)[:3, :3], velocity(model, q, v, self.frame)[3:]
        arms = [R @ np.array(point) for point in self.points]
        moved = [J[:3] - skew(arm) @ J[3:] for arm in arms]
        of_points = np.concatenate([self.axes.T @ one for one in moved])
        if self.rigid:
            return J, rate, of_points
        W = skew(w)
        rates = [rate[:3] - skew(arm) @ rate[3:] + W @ (W @ arm) for arm in arms]
        return np.concatenate(moved), np.concatenate(rates), of_points
