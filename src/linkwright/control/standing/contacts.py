"""Where a mechanism stands: frames that touch, at which points, on what friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.bounds import positive
from linkwright.dynamics import jacobian, jacobian_dot_times_v, pose, velocity
from linkwright.errors import InputError, explained
from linkwright.model.pair import FRICTION
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, unit_vector
from linkwright.spatial.rotation import rotation_from_z, skew

FLAT = 1e-9
"""Points count as on one line whose triangles' areas are less, of the square of their distances."""


@explained
@dataclass(frozen=True)
class Contact:
    """A frame that touches the surroundings at some points and stays where it is.

    ``points`` (k, 3): in the frame's axes, m; its origin alone by itself. Of three points and more that are not on one
    line the frame cannot turn either: six constraints; else three for each point. ``normal`` (3,): where the
    surroundings push to, in world axes. The force at every point stays in a pyramid within the cone of friction:
    |f₁|, |f₂| ≤ μ fₙ/√2 along two directions at right angles to the normal, μ being ``friction`` > 0.
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
        """(3, 3): two directions along the surface and its normal, as columns, in world axes."""
        return rotation_from_z(self.normal)

    @property
    def rigid(self) -> bool:
        """Whether its points keep the frame from turning."""
        spread = np.asarray(self.points) - self.points[0]
        crossed = np.cross(spread[:, None], spread[None]).reshape(-1, 3)
        return bool(abs(crossed).max() > FLAT * abs(spread).max() ** 2)

    def rows(self, model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """(C (m, nv), C v̇ + Ċ v = 0; Ċ v (m,); J (3k, nv) of the points, along the directions of ``axes``)."""
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
