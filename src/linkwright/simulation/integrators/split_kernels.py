"""Kernels for large mechanisms: loops over bodies cannot be nested, so one kernel is split into several.

This module alone decides by the size of a mechanism.
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
    spring_energy,
)
from linkwright.dynamics.closed_loops.rows import constraint_rate
from linkwright.model.build.origins import with_near_origins
from linkwright.model.memo import derived, kept
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import Options, advance, inverse_exponential_rate
from linkwright.spatial.arrays import Array

BODIES_OF_STEPS = 400
"""Number of bodies from which on a step is not compiled as one kernel."""


def step_in_parts(model: Model) -> bool:
    """Return whether a step of the mechanism is composed of several kernels."""
    return len(model.links) >= BODIES_OF_STEPS


def in_parts(model: Model) -> bool:
    """Return whether kernels of the mechanism are loops over its bodies, which cannot be part of another kernel."""
    return len(model.links) >= BODIES_IN_LOOPS


def place(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array, Array]:
    """Return the state of a stage, q ⊕ Exp(u) and v + w, and the rate of u there."""
    there, velocity = advance(model, q, v, u, w)
    return there, velocity, inverse_exponential_rate(model, u, velocity)


def placing(model: Model) -> Callable[[Array, Array, Array, Array], tuple[Array, Array, Array]]:
    """Return :func:`place` as a kernel or several."""
    if not in_parts(model):
        return kernel_of(place, model, w=(model.nv,))
    move, rate = kernel_of(integrate, model), kernel_of(inverse_exponential_rate, model)
    return lambda q, v, u, w: (move(q, u), np.add(v, w), rate(u, v + w))


def accelerating(model: Model, options: Options) -> Callable[[Array, Array, Array], Array]:
    """Return ``total_acceleration`` (q, v, tau) as several kernels."""
    forward = compile_or_not(forward_dynamics, model, **options)
    passive = compile_or_not(passive_forces, model)

    def acceleration(q: Array, v: Array, tau: Array) -> Array:
        a: Array = forward(q, v, tau + passive(q, v))
        return a

    return acceleration


def closure(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the residuals of loops (m,) and their rates."""
    return constraint_residual(model, q), constraint_rate(model, q, v)


def closing(model: Model) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Return :func:`closure` as a kernel or several."""
    if not in_parts(model):
        return kernel_of(closure, model)
    residual, rate = kernel_of(constraint_residual, model), kernel_of(constraint_rate, model)
    return lambda q, v: (residual(q), rate(q, v))


def energies(model: Model, q: Array, v: Array) -> tuple[Any, Any]:
    """Return the kinetic energy, and the potential energy of gravity and springs, J."""
    near = derived(model, with_near_origins) if regroupable(model) else model  # the same with fewer operations
    return kinetic_energy(near, q, v), potential_energy(near, q) + spring_energy(model, q)


@kept
def measuring(model: Model) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Return :func:`energies` as a kernel or several."""
    if not in_parts(model):
        return kernel_of(energies, model)
    moving, weight = kernel_of(kinetic_energy, model), kernel_of(potential_energy, model)
    if not (model.springs or model.compensated_weights or any(np.any(joint.stiffness) for joint in model.joints)):
        return lambda q, v: (moving(q, v), weight(q))
    springs = kernel_of(spring_energy, model)
    return lambda q, v: (moving(q, v), weight(q) + springs(q))
