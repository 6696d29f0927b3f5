"""Where to go with what other tasks leave free: uphill. For resolved rates (Liégeois 1977)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import derivative
from linkwright.ik_solvers.task import Task
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.linalg import semidefinite_root

LAST = 1000
"""The priority of what comes after everything else."""

EDGE = 0.02
"""Of a joint's range: nearer its ends the pull away from them grows no more."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Uphill(Task):
    """A velocity along a gradient, so many times as long as told."""

    priority: int = LAST

    def shape(self, model: Model) -> tuple[int, ...]:
        return ()

    def scales(self, model: Model) -> Array:
        return scale_of(model).velocities

    def value(self, model: Model, q: Array) -> Array:
        return np.zeros(())

    def jacobian(self, model: Model, q: Array) -> Array:
        return np.eye(model.nv)

    @property
    def of_rates(self) -> bool:
        return True

    def followed(self, model: Model, q: Array, velocity: Array) -> Array:
        units = scale_of(model).velocities
        return velocity * units * (units * self.gradient(model, q))

    @abstractmethod
    def gradient(self, model: Model, q: Array) -> Array:
        """Of what shall grow, (nv,)."""


@dataclass(frozen=True, repr=False)
class AwayFromLimits(_Uphill):
    """Joints away from their limits: −H grows, H = Σ (u−l)²/(4 (u−q)(q−l)); the velocity is a gain, 1/s."""

    def gradient(self, model: Model, q: Array) -> Array:
        slopes: list[Any] = [0.0] * model.nv
        at_q = at_v = 0
        for joint in model.joints:
            if joint.nq:
                for place, rate in joint.motion.plain:
                    lower, upper = float(model.lower[at_q + place]), float(model.upper[at_q + place])
                    if np.isfinite(upper - lower) and upper > lower:
                        x = (q[at_q + place] - lower) / (upper - lower)
                        x = minimum(maximum(x, EDGE), 1.0 - EDGE)
                        room = x * (1.0 - x)
                        slopes[at_v + rate] = (1.0 - 2.0 * x) / (4.0 * room * room) / (upper - lower)
            at_q, at_v = at_q + joint.nq, at_v + joint.nv
        return np.stack(slopes)


@dataclass(frozen=True, repr=False)
class Manipulability(_Uphill):
    """More manipulability √det(J Jᵀ) of a frame (Yoshikawa 1985), lengths in the mechanism's own; a gain, 1/s.

    ``rows``: which of [v; ω] count; all six of them, or with fewer joints as many as there are, the first ones.
    """

    frame: str = ""
    rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def check(self, model: Model) -> None:
        super().check(model)
        model.frame(self.frame)

    def gradient(self, model: Model, q: Array) -> Array:
        slope: Array = derivative(self.measure, "q")(model, q)
        return slope

    def measure(self, model: Model, q: Array) -> Any:
        """√det(J Jᵀ)."""
        length = scale_of(model).length
        J = dynamics.jacobian(model, q, self.frame) * np.array([[1.0 / length]] * 3 + [[1.0]] * 3)
        J = (J * scale_of(model).velocities)[list(self.rows)]
        root = semidefinite_root(J @ J.T)
        product: Any = 1.0
        for k in range(len(root)):
            product = product * root[k, k]
        return product


__all__ = ["AwayFromLimits", "Manipulability"]
