"""Actuators of the model within a step.

The forces of actuators are evaluated at every stage of a method, from its configuration, velocity and activations.
Runge–Kutta methods integrate the activations with their own weights, other methods by Euler's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuators import (
    ActuatorDamping,
    acting_inputs,
    activation_rates,
    actuator_damping,
    actuator_efforts,
    limited_controls,
    next_activations,
)
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import Efforts, Method, Tableau
from linkwright.spatial.arrays import Array, where


class ActuatorEfforts:
    """Efforts of actuators within a step, with the inputs (nu,) of each stage."""

    def __init__(self, model: Model, inputs: Sequence[Array]):
        self.model, self.inputs = model, inputs

    def __call__(self, t: Any, q: Array, v: Array) -> Array:
        """Return the efforts (nv,) at the first stage."""
        return self.at_stage(0)(t, q, v)

    def at_stage(self, k: Any) -> Efforts:
        """Return the efforts at the k-th stage; k may be a symbol."""
        chosen = self.inputs[-1]
        for i in reversed(range(len(self.inputs) - 1)):
            chosen = where(k < i + 0.5, self.inputs[i], chosen)
        return lambda t, q, v: actuator_efforts(self.model, q, v, chosen)

    def damping(self, q: Array, v: Array) -> ActuatorDamping | None:
        """Return the damping at the beginning of the step, which semi-implicit methods take as implicit."""
        return actuator_damping(self.model, q, v, self.inputs[0])


def actuated_step(
    model: Model, controls: Array, activations: Array, h: Any, method: Method | None
) -> tuple[ActuatorEfforts, Array]:
    """Return the efforts within a step of h seconds under controls (nu,), and the activations (na,) after it.

    ``method``: method of integration; None: Euler's method.
    """
    u = limited_controls(model, controls)
    if not model.na:
        return ActuatorEfforts(model, [u]), activations
    rows, weights = (method.stages, method.weights) if isinstance(method, Tableau) else (((),), (1.0,))
    stages: list[Array] = []
    rates: list[Array] = []
    for row in rows:
        moved = [(h * c) * rate for c, rate in zip(row, rates, strict=True) if c]
        stages.append(activations + sum(moved, np.zeros(model.na)))
        rates.append(activation_rates(model, u, stages[-1]))
    mean = sum((c * rate for c, rate in zip(weights, rates, strict=True)), np.zeros(model.na))
    inputs = [acting_inputs(model, u, z, h) for z in stages]
    return ActuatorEfforts(model, inputs), next_activations(model, activations, mean, h)
