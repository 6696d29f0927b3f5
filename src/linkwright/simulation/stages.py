"""Steps of Runge–Kutta whose efforts are asked for at every stage.

Held over a step, efforts are only those of its beginning: the motion is of order one in the step, whatever the method.
Asked at every stage, at its time and state, they are part of what is integrated, and the method keeps its order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.compiler.public import kernel_of
from linkwright.compiler.trace import BODIES_IN_LOOPS
from linkwright.dynamics import integrate
from linkwright.model.tree import Model
from linkwright.simulation.integrators import Tableau, advance, increments, inverse_exponential_rate
from linkwright.spatial.arrays import Array

Efforts = Callable[[float, Array, Array], Array]
"""(t, q, v) -> efforts (…, nv)"""

StagedStepper = Callable[[float, Array, Array, Array, float, Efforts], tuple[Array, Array]]
"""(t, q, v, tau, h, efforts) -> (q, v), tau being the efforts at t"""


def place(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array, Array]:
    """Where a stage is, q ⊕ Exp(u) and v + w, and the rate of u there."""
    there, velocity = advance(model, q, v, u, w)
    return there, velocity, inverse_exponential_rate(model, u, velocity)


def staged_stepper(
    model: Model,
    method: Tableau,
    acceleration: Callable[[Array, Array, Array], Array],
    projected: Callable[[Array, Array], tuple[Array, Array]] | None,
) -> StagedStepper:
    """The step made of ``acceleration(q, v, tau)``, with the loops closed after it by ``projected``."""
    at = _place(model)

    def take(t: float, q: Array, v: Array, tau: Array, h: float, efforts: Efforts) -> tuple[Array, Array]:
        rates = [(v, acceleration(q, v, tau))]
        for row in method.stages[1:]:
            there, velocity, rate = at(q, v, *increments(row, h, rates))
            tau = efforts(t + h * sum(row), there, velocity)
            rates.append((rate, acceleration(there, velocity, tau)))
        q, v, _ = at(q, v, *increments(method.weights, h, rates))
        return projected(q, v) if projected else (q, v)

    return take


def _place(model: Model) -> Callable[[Array, Array, Array, Array], tuple[Array, Array, Array]]:
    """:func:`place`; of large mechanisms put together from its parts."""
    if len(model.links) < BODIES_IN_LOOPS:
        return kernel_of(place, model, w=(model.nv,))
    move, rate = kernel_of(integrate, model), kernel_of(inverse_exponential_rate, model)
    return lambda q, v, u, w: (move(q, u), np.add(v, w), rate(u, v + w))
