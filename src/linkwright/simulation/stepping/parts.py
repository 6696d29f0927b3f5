"""Large mechanisms: their kernels loop over the bodies, and what is one kernel for others is put together from such.

Here alone it is asked how large a mechanism is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not, kernel_of
from linkwright.compiler.schedules.selection import BODIES_IN_LOOPS
from linkwright.dynamics import (
    constraint_residual,
    forward_dynamics,
    integrate,
    kinetic_energy,
    passive_forces,
    potential_energy,
    project,
    spring_energy,
)
from linkwright.dynamics.closed_loops.forces import position_correction, velocity_correction
from linkwright.dynamics.closed_loops.rows import constraint_rate
from linkwright.model.build.origins import with_near_origins
from linkwright.model.change.minimal import regroupable
from linkwright.model.derived import derived, kept
from linkwright.model.tree import Model
from linkwright.simulation.stepping.integrators import Options, advance, inverse_exponential_rate
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


def closure(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """What loops are open by (m,), and the rates of that."""
    return constraint_residual(model, q), constraint_rate(model, q, v)


def closing(model: Model) -> Callable[[Array, Array], tuple[Array, Array]]:
    """:func:`closure`."""
    if not in_parts(model):
        return kernel_of(closure, model)
    residual, rate = kernel_of(constraint_residual, model), kernel_of(constraint_rate, model)
    return lambda q, v: (residual(q), rate(q, v))


def energies(model: Model, q: Array, v: Array) -> tuple[Any, Any]:
    """The kinetic energy, and the potential one of gravity and of the springs, J."""
    near = derived(model, with_near_origins) if regroupable(model) else model  # the same with fewer operations
    return kinetic_energy(near, q, v), potential_energy(near, q) + spring_energy(model, q)


@kept
def measuring(model: Model) -> Callable[[Array, Array], tuple[Array, Array]]:
    """:func:`energies`."""
    if not in_parts(model):
        return kernel_of(energies, model)
    moving, weight = kernel_of(kinetic_energy, model), kernel_of(potential_energy, model)
    if not (model.springs or any(np.any(joint.stiffness) for joint in model.joints)):
        return lambda q, v: (moving(q, v), weight(q))
    springs = kernel_of(spring_energy, model)
    return lambda q, v: (moving(q, v), weight(q) + springs(q))
