"""Efforts of actuators from their inputs, and the rates of their activations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.forces.muscles import muscle_activation_rate, muscle_gain_and_bias
from linkwright.dynamics.forces.springs import length_rows, pieces_of, stretched
from linkwright.model.parts.actuator import Actuator, Range
from linkwright.model.parts.spring import LEAST
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, clip, maximum, where
from linkwright.spatial.rotation import quaternion_log, quaternion_matrix, skew
from linkwright.spatial.transform import split_pose

SHORTEST = 1e-15
"""s, smallest time constant of a filter."""


class Transmission(NamedTuple):
    """Transmission of an actuator at a configuration."""

    length: Any
    rows: dict[int, Array]
    """by joint the row (its nv,) from its velocity to the rate of the length"""


def actuator_efforts(model: Model, q: Array, v: Array, inputs: Array) -> Array:
    """Return the efforts (nv,) of all actuators, within the effort limits of the joints.

    ``inputs`` (nu,): controls and activations, of :func:`acting_inputs`.
    """
    transmissions, forces = _forces(model, model.coordinates(q), model.rates(v), inputs)
    efforts = _efforts(model, transmissions, forces)
    limits = [joint.effort_limit for joint in model.joints]
    return model.assemble([_limited(tau, limit) for tau, limit in zip(efforts, limits, strict=True)])


def _efforts(model: Model, transmissions: Sequence[Transmission], forces: Sequence[Any]) -> list[Array]:
    """Return the efforts of each joint by forces of actuators within their limits."""
    efforts = [np.zeros(link.motion.nv) for link in model.links]
    for actuator, transmission, force in zip(model.actuators, transmissions, forces, strict=True):
        limited = _within(force, actuator.force_range)
        for k, row in transmission.rows.items():
            efforts[k] = efforts[k] + limited * row
    return efforts


class ActuatorDamping(NamedTuple):
    """Damping of actuators, −∂f/∂v, of those whose force depends on the velocity."""

    joints: list[Array]
    """of each joint (its nv,): that of actuators of one coordinate"""
    others: list[tuple[Array, Any]]
    """e (nv,) and d of each other actuator: its matrix is e d eᵀ"""

    def efforts(self, model: Model, v: Array) -> Array:
        """Return the efforts D v (nv,) for a change v (nv,) of the velocity."""
        own = model.assemble([d * x for d, x in zip(self.joints, model.rates(v), strict=True)])
        return own + sum(((d * (e @ v)) * e for e, d in self.others), np.zeros(model.nv))


def actuator_damping(model: Model, q: Array, v: Array, inputs: Array) -> ActuatorDamping | None:
    """Return the damping of actuators whose force is within its limits; None if none of them damps.

    Actuators whose force grows with the velocity, and muscles, have none.
    """
    damps = [actuator.muscle is None and bool(actuator.gain[2] or actuator.bias[2]) for actuator in model.actuators]
    if not any(damps):
        return None
    joints = [np.zeros(link.motion.nv) for link in model.links]
    others: list[tuple[Array, Any]] = []
    transmissions, forces = _forces(model, model.coordinates(q), model.rates(v), inputs)
    for k, (actuator, (_, rows), f) in enumerate(zip(model.actuators, transmissions, forces, strict=True)):
        if not damps[k]:
            continue
        d = maximum(-(actuator.gain[2] * inputs[k] + actuator.bias[2]), 0.0)
        d = _inside(f, actuator.force_range or (-np.inf, np.inf), d)
        if _of_one_coordinate(model, actuator):
            ((j, row),) = rows.items()
            joints[j] = joints[j] + d * row * row
        else:
            zeros = [np.zeros(link.motion.nv) for link in model.links]
            others.append((model.assemble([rows.get(j, zero) for j, zero in enumerate(zeros)]), d))
    joints = [
        np.stack([_inside(f, (-limit, limit), one) for one, f, limit in zip(own, tau, joint.effort_limit, strict=True)])
        if np.isfinite(joint.effort_limit).any()
        else own
        for own, tau, joint in zip(joints, _efforts(model, transmissions, forces), model.joints, strict=True)
    ]
    return ActuatorDamping(joints, others)


def _of_one_coordinate(model: Model, actuator: Actuator) -> bool:
    """Return whether an actuator drives one coordinate of a joint."""
    if actuator.tendon:
        return len(actuator.coefficients) == 1
    return bool(actuator.joint) and model.joint(actuator.joint).motion.nv == 1


def _inside(x: Any, limits: Range, value: Any) -> Any:
    """Return the value where x is within limits, and zero elsewhere."""
    low, high = limits
    value = value if low == -np.inf else where(x > low, value, 0.0)
    return value if high == np.inf else where(x < high, value, 0.0)


def actuator_forces(model: Model, q: Array, v: Array, inputs: Array) -> Array:
    """Return the forces (nu,) of all actuators."""
    forces = _forces(model, model.coordinates(q), model.rates(v), inputs)[1]
    limited = [_within(f, actuator.force_range) for actuator, f in zip(model.actuators, forces, strict=True)]
    return np.stack(limited) if limited else np.zeros(0)


def _forces(
    model: Model, x: Sequence[Array], rates: Sequence[Array], inputs: Array
) -> tuple[list[Transmission], list[Any]]:
    """Return transmission and force of all actuators, without the limits of forces."""
    transmissions = [transmission_of(model, actuator, x) for actuator in model.actuators]
    forces = []
    for k, (actuator, transmission) in enumerate(zip(model.actuators, transmissions, strict=True)):
        needed = actuator.gain[2] or actuator.bias[2] or actuator.muscle
        velocity = sum(row @ rates[j] for j, row in transmission.rows.items()) if needed else 0.0
        if actuator.muscle is not None:
            gain, bias = muscle_gain_and_bias(actuator.muscle, transmission.length, velocity)
        else:
            affine = (actuator.gain, actuator.bias)
            gain, bias = (c0 + c1 * transmission.length + c2 * velocity for c0, c1, c2 in affine)
        forces.append(gain * inputs[k] + bias)
    return transmissions, forces


def transmission_of(model: Model, actuator: Actuator, x: Sequence[Array]) -> Transmission:
    """Return the transmission of an actuator from the coordinates of all joints."""
    if actuator.frame:
        return Transmission(0.0, _wrench_rows(model, actuator.frame, np.array(actuator.gears), x))
    gear = np.array(actuator.gears)
    if actuator.tendon:
        pieces = pieces_of(model, actuator.tendon, LEAST, x)
        rows = length_rows(model, x, pieces)
        return Transmission(gear[0] * stretched(pieces), {k: gear[0] * row for k, row in rows.items()})
    k, (at_q, at_v) = model.place(actuator.joint)
    motion = model.joint(actuator.joint).motion
    own, n = x[k][at_q], model.joints[k].motion.nv
    if motion.nv == 1:
        row = np.zeros(n)
        row[at_v] = gear[0]
        return Transmission(gear[0] * own[0], {k: row})
    length: Any = 0.0
    if motion.floating:
        R = quaternion_matrix(own[3:])
        gear = np.concatenate([R.T @ gear[:3], R.T @ gear[3:] if actuator.in_parent else gear[3:]])
    elif motion.nv == 3:
        turn = quaternion_log(own)
        gear = quaternion_matrix(own).T @ gear[:3] if actuator.in_parent else gear[:3]
        length = np.array(actuator.gears)[:3] @ turn
    return Transmission(length, {k: np.concatenate([np.zeros(at_v.start), gear, np.zeros(n - at_v.stop)])})


def _wrench_rows(model: Model, frame: str, wrench: Array, x: Sequence[Array]) -> dict[int, Array]:
    """Return the efforts (its nv,) by joint of a wrench (6,) in the axes of a frame at its origin."""
    at = model.frames[frame]
    k, (R, p), rows = at.body, split_pose(at.placement), {}
    f = R @ wrench[:3]
    n = R @ wrench[3:] + skew(p) @ f
    while k >= 0:
        link = model.links[k]
        rows[k] = np.concatenate([f, n]) @ link.motion_subspace(x[k])
        R, p = split_pose(link.transform(x[k]))
        f = R @ f
        n = R @ n + skew(p) @ f
        k = link.parent
    return rows


def _within(x: Any, limits: Range | None) -> Any:
    return x if limits is None else clip(x, *limits)


def _limited(tau: Array, limit: Array) -> Array:
    return clip(tau, -limit, limit) if np.isfinite(limit).any() else tau


# controls and activations


def limited_controls(model: Model, controls: Array) -> Array:
    """Return the controls (nu,) within their ranges."""
    return _stacked(_within(u, one.control_range) for u, one in zip(controls, model.actuators, strict=True))


def activation_rates(model: Model, controls: Array, activations: Array) -> Array:
    """Return the rates (na,) of the activations under limited controls (nu,)."""
    pairs = [(u, one) for u, one in zip(controls, model.actuators, strict=True) if one.has_activation]
    return _stacked(_rate(one, u, z) for (u, one), z in zip(pairs, activations, strict=True))


def _rate(actuator: Actuator, u: Any, z: Any) -> Any:
    """Return the rate of an activation z under a limited control u."""
    if actuator.dynamics == "integrator":
        return u
    if actuator.dynamics == "muscle":
        assert actuator.muscle is not None
        return muscle_activation_rate(actuator.muscle, u, z)
    return (u - z) / max(actuator.time_constant, SHORTEST)


def next_activations(model: Model, activations: Array, rates: Array, h: Any) -> Array:
    """Return the activations (na,) after a step of h seconds at these mean rates (na,), within their ranges."""
    having = [one for one in model.actuators if one.has_activation]
    found = []
    for one, z, rate in zip(having, activations, rates, strict=True):
        T = max(one.time_constant, SHORTEST)
        time = T * (1.0 - np.exp(-h / T)) if one.dynamics == "filterexact" else h
        found.append(_within(z + time * rate, one.activation_range))
    return _stacked(found)


def acting_inputs(model: Model, controls: Array, activations: Array, h: Any) -> Array:
    """Return the inputs (nu,) that act: limited controls, activations, or those at the end of the step."""
    if not len(activations):
        return controls
    early = activations
    if any(one.early for one in model.actuators if one.has_activation):
        early = next_activations(model, activations, activation_rates(model, controls, activations), h)
    found, at = [], 0
    for u, one in zip(controls, model.actuators, strict=True):
        if one.has_activation:
            u = early[at] if one.early else activations[at]
            at += 1
        found.append(u)
    return _stacked(found)


def _stacked(values: Any) -> Array:
    values = list(values)
    return np.stack(values) if values else np.zeros(0)
