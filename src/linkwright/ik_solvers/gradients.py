"""Secondary objectives of resolved rates: ascent along a gradient in the null space (Liégeois 1977)."""

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
from linkwright.spatial.linear_algebra.linalg import semidefinite_root

LAST = 1000
"""The priority of what comes after everything else."""

EDGE = 0.02
"""Share of a joint's range, near its ends, in which the repulsion is constant."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Uphill(Task):
    """A velocity along a gradient, scaled by the given gain."""

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
        """Return the gradient (nv,) of the objective."""


@dataclass(frozen=True, repr=False)
class AwayFromLimits(_Uphill):
    """Move joints away from their limits: −H increases, H = Σ (u−l)²/(4 (u−q)(q−l)); its velocity is a gain, 1/s.

    Parameters
    ----------
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

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
    """Increase the manipulability √det(J Jᵀ) of a frame (Yoshikawa 1985); its velocity is a gain, 1/s.

    Lengths are relative to that of the mechanism.

    Parameters
    ----------
    frame : str
        Name of the frame.
    rows : tuple of int, optional
        Rows of [v; ω]: by default all six, or with fewer joints as many of the first ones.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
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
        """Return √det(J Jᵀ).

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        float
            Manipulability.
        """
        length = scale_of(model).length
        J = dynamics.jacobian(model, q, self.frame) * np.array([[1.0 / length]] * 3 + [[1.0]] * 3)
        J = (J * scale_of(model).velocities)[list(self.rows)]
        root = semidefinite_root(J @ J.T)
        product: Any = 1.0
        for k in range(len(root)):
            product = product * root[k, k]
        return product


__all__ = ["AwayFromLimits", "Manipulability"]
