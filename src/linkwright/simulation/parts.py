"""Large mechanisms: their kernels loop over the bodies, and what is one kernel for others is put together from such.

Here alone it is asked how large a mechanism is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not, kernel_of
from linkwright.compiler.trace import BODIES_IN_LOOPS
from linkwright.dynamics import (
    forward_dynamics,
    integrate,
    passive_forces,
    potential_energy,
    project,
    spring_energy,
)
from linkwright.dynamics.constrained import position_correction, velocity_correction
from linkwright.model.derived import kept
from linkwright.model.tree import Model
from linkwright.simulation.integrators import Options, advance, inverse_exponential_rate
from linkwright.spatial.arrays import Array

Projection = Callable[[Array, Array], tuple[Array, Array]]
"""(q, v) -> (q, v), with the loops closed"""


def in_parts(model: Model) -> bool:
    """Whether kernels of this mechanism are loops over its bodies, which cannot be part of one another."""
    return len(model.links) >= BODIES_IN_LOOPS


def projection(model: Model) -> Projection:
    """``project``."""
    if not in_parts(model):
        return kernel_of(project, model)
    move, open_by, opening = (kernel_of(one, model) for one in (integrate, position_correction, velocity_correction))
    return lambda q, v: (move(q, open_by(q)), v + opening(q, v))


def place(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array, Array]:
    """Where a stage is, q ⊕ Exp(u) and v + w, and the rate of u there."""
    there, velocity = advance(model, q, v, u, w)
    return there, velocity, inverse_exponential_rate(model, u, velocity)


def placing(model: Model) -> Callable[[Array, Array, Array, Array], tuple[Array, Array, Array]]:
    """:func:`place`."""
    if not in_parts(model):
        return kernel_of(place, model, w=(model.nv,))
    move, rate = kernel_of(integrate, model), kernel_of(inverse_exponential_rate, model)
    return lambda q, v, u, w: (move(q, u), np.add(v, w), rate(u, v + w))


def accelerating(model: Model, options: Options) -> Callable[[Array, Array, Array], Array]:
    """``total_acceleration`` (q, v, tau) of what is too large for it to be one kernel."""
    forward = compile_or_not(forward_dynamics, model, **options)
    passive = compile_or_not(passive_forces, model)

    def acceleration(q: Array, v: Array, tau: Array) -> Array:
        a: Array = forward(q, v, tau + passive(q, v))
        return a

    return acceleration


def stored_energy(model: Model, q: Array) -> Any:
    """The potential energy of gravity and of the springs, J."""
    return potential_energy(model, q) + spring_energy(model, q)


@kept
def storing(model: Model) -> Callable[[Array], Any]:
    """:func:`stored_energy`."""
    if not in_parts(model):
        return kernel_of(stored_energy, model)
    weight = kernel_of(potential_energy, model)
    if not (model.springs or any(np.any(joint.stiffness) for joint in model.joints)):
        return weight
    springs = kernel_of(spring_energy, model)
    return lambda q: weight(q) + springs(q)
