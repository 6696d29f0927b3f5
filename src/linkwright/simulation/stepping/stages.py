"""Steps of Runge–Kutta stage by stage: controllers that are asked at every stage, mechanisms too large for one kernel.

Held over a step, efforts are only those of its beginning: the motion is of order one in the step, whatever the method.
Asked at every stage, at its time and state, they are part of what is integrated, and the method keeps its order.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwright.model.tree import Model
from linkwright.simulation.stepping.integrators import Efforts, Tableau, increments
from linkwright.simulation.stepping.parts import Projection, placing
from linkwright.spatial.arrays import Array

StagedStepper = Callable[[float, Array, Array, Array, float, Efforts], tuple[Array, Array]]
"""(t, q, v, tau, h, efforts) -> (q, v), tau being the efforts at t"""


def staged_stepper(
    model: Model,
    method: Tableau,
    acceleration: Callable[[Array, Array, Array], Array],
    projected: Projection | None,
) -> StagedStepper:
    """The step made of ``acceleration(q, v, tau)``, with the loops closed after it by ``projected``."""
    at = placing(model)

    def take(t: float, q: Array, v: Array, tau: Array, h: float, efforts: Efforts) -> tuple[Array, Array]:
        rates = [(v, acceleration(q, v, tau))]
        for row, when in zip(method.stages[1:], method.times[1:], strict=True):
            there, velocity, rate = at(q, v, *increments(row, h, rates))
            tau = efforts(t + h * when, there, velocity)
            rates.append((rate, acceleration(there, velocity, tau)))
        q, v, _ = at(q, v, *increments(method.weights, h, rates))
        return projected(q, v) if projected else (q, v)

    return take
