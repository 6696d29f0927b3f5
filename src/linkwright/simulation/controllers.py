"""Controllers for ``simulate``: functions (t, q, v) -> efforts."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import bias_forces, difference, inverse_dynamics, mass_matrix, passive_forces
from linkwright.dynamics.configuration import check
from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.simulation.record import Controller
from linkwright.spatial.arrays import Array, as_numbers


def hold(model: Model, posture: Any, frequency: float = 2.0, damping_ratio: float = 1.0) -> Controller:
    """Hold a posture (nq,) by computed torque: every coordinate returns as a damped oscillator of ``frequency`` Hz.

    All joints must be actuated: for a floating base use :func:`hold_joints`.
    """
    target = _posture(model, posture)
    w = _angular("frequency", frequency)

    def law(model: Model, q: Array, v: Array, q1: Array) -> Array:
        a = w * w * difference(model, q, q1) - 2.0 * damping_ratio * w * v
        return inverse_dynamics(model, q, v, a) - passive_forces(model, q, v)

    kernel = compile_or_not(law, model)
    return lambda t, q, v: kernel(q, v, target)


def hold_joints(model: Model, posture: Any, frequency: float = 2.0, damping_ratio: float = 1.0) -> Controller:
    """Hold the joints of a floating mechanism by springs and dampers sized by the mass matrix's diagonal.

    Free joints get no effort; the others bear gravity at the posture as if the bases were held.
    """
    target = _posture(model, posture)
    w = _angular("frequency", frequency)
    actuated = np.concatenate(
        [np.zeros(0)] + [np.full(joint.nv, 0.0 if joint.type == "free" else 1.0) for joint in model.joints]
    )
    inertia = np.diag(mass_matrix(model, target)) * actuated
    stiffness, damping = w * w * inertia, 2.0 * damping_ratio * w * inertia
    gravity = bias_forces(model, target, np.zeros(model.nv)) * actuated

    def law(model: Model, q: Array, v: Array, q1: Array) -> Array:
        return gravity + stiffness * difference(model, q, q1) - damping * v

    kernel = compile_or_not(law, model)
    return lambda t, q, v: kernel(q, v, target)


def _posture(model: Model, posture: Any) -> Array:
    check(model, posture)
    return as_numbers("posture", posture)


def _angular(name: str, frequency: float) -> float:
    if not (np.isfinite(frequency) and frequency > 0):
        raise InputError(f"{name} must be positive, in Hz; got {frequency!r}")
    return float(2.0 * np.pi * frequency)
