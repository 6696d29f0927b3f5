"""Readings of the sensors of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuators import actuator_efforts, actuator_forces, transmission_of
from linkwright.dynamics.kinematics import STILL, acceleration, body_motions, pose, velocity
from linkwright.model.parts.sensor import OF_ACTUATORS, OF_FRAMES, OF_JOINTS, OF_SUBTREES, Sensor
from linkwright.model.transformations.additions import place_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright.spatial.transform import split_pose


def sensor_data(model: Model, q: Array, v: Array, a: Array, inputs: Array) -> Array:
    """Return the readings of all sensors, one after the other, without cutoff.

    Those of force and torque are without contacts, those of touch and range are zero.
    ``a`` (nv,): acceleration; ``inputs`` (nu,): controls and activations that act on the actuators.
    """
    found = []
    for sensor in model.sensors:
        if sensor.type in OF_JOINTS:
            x = _of_joint(model, sensor, q, v, inputs)
        elif sensor.type in OF_ACTUATORS:
            x = _of_actuator(model, sensor, q, v, inputs)
        elif sensor.type in OF_SUBTREES:
            x = _of_subtree(model, sensor, q, v)
        elif sensor.type in OF_FRAMES:
            x = _of_frame(model, sensor, q, v, a)
        elif sensor.type in ("force", "torque"):
            wrench = wrench_of_parent(model, sensor.target, q, v, a)
            x = wrench[:3] if sensor.type == "force" else wrench[3:]
        else:
            x = np.zeros(sensor.size)
        found.append(x)
    return np.concatenate(found) if found else np.zeros(0)


def _of_joint(model: Model, sensor: Sensor, q: Array, v: Array, inputs: Array) -> Array:
    k, (at_q, at_v) = model.place(sensor.target)
    if sensor.type == "jointactuatorfrc":
        return model.rates(actuator_efforts(model, q, v, inputs))[k][at_v]
    return model.coordinates(q)[k][at_q] if sensor.type in ("jointpos", "ballquat") else model.rates(v)[k][at_v]


def _of_actuator(model: Model, sensor: Sensor, q: Array, v: Array, inputs: Array) -> Array:
    i = next(i for i, one in enumerate(model.actuators) if one.name == sensor.target)
    if sensor.type == "actuatorfrc":
        return actuator_forces(model, q, v, inputs)[i : i + 1]
    length, rows = transmission_of(model, model.actuators[i], model.coordinates(q))
    if sensor.type == "actuatorpos":
        return np.stack([length + 0.0 * q[0]])
    rates, rate = model.rates(v), 0.0 * v[0]
    for k, row in rows.items():
        rate = rate + row @ rates[k]
    return np.stack([rate])


def _of_frame(model: Model, sensor: Sensor, q: Array, v: Array, a: Array) -> Array:
    frame, reference, kind = sensor.target, sensor.reference or "world", sensor.type
    T = pose(model, q, frame, reference)
    if kind == "framepos":
        return T[:3, 3]
    if kind == "framequat":
        return quaternion_from_matrix(T[:3, :3])
    if kind.endswith("axis"):
        return T[:3, "xyz".index(kind[5])]
    if kind in ("framelinvel", "frameangvel", "velocimeter", "gyro"):
        twist = velocity(model, q, v, frame, "body" if kind in ("velocimeter", "gyro") else "world_aligned", reference)
        return twist[:3] if kind in ("framelinvel", "velocimeter") else twist[3:]
    rate = acceleration(model, q, v, a, frame)
    if kind == "frameangacc":
        return rate[3:]
    proper = rate[:3] - model.gravity
    return T[:3, :3].T @ proper if kind == "accelerometer" else proper


def _of_subtree(model: Model, sensor: Sensor, q: Array, v: Array) -> Array:
    """Return the center of mass, its velocity, or the angular momentum about it, of a body with its descendants."""
    first = next(k for k, body in enumerate(model.bodies) if body.name == sensor.target)
    bodies: list[tuple[Any, ...]] = []
    for body in model.bodies[first : model.subtree_end[first]]:
        T, twist = pose(model, q, body.name), velocity(model, q, v, body.name)
        arm = T[:3, :3] @ body.center_of_mass
        I = T[:3, :3] @ body.inertia @ T[:3, :3].T
        bodies.append((body.mass, T[:3, 3] + arm, twist[:3] + np.cross(twist[3:], arm), I @ twist[3:]))
    total = sum(m for m, *_ in bodies)
    center, rate = (sum(m * x for m, x in ((one[0], one[k]) for one in bodies)) / total for k in (1, 2))
    if sensor.type == "subtreecom":
        return np.asarray(center)
    if sensor.type == "subtreelinvel":
        return np.asarray(rate)
    return sum((m * np.cross(c - center, w - rate) + L for m, c, w, L in bodies), np.zeros(3))


def links_from(model: Model, frame: str) -> frozenset[str]:
    """Return the link of a frame with all links that it carries, across joints of all types."""
    first, _ = place_of(model, frame)
    carried: dict[str, list[str]] = {}
    for joint in model.description.joints:
        carried.setdefault(joint.parent, []).append(joint.child)
    found, waiting = set[str](), [first]
    while waiting:
        found.add(waiting[-1])
        waiting += carried.get(waiting.pop(), [])
    return frozenset(found)


def wrench_of_parent(model: Model, frame: str, q: Array, v: Array, a: Array) -> Array:
    """Return the wrench (6,) of the parent on the link of a frame, in the frame, without contact.

    It accelerates the link and all links that it carries, against gravity. Rotors (armature) are not included.
    """
    R, o = split_pose(pose(model, q, frame))
    links, motions = links_from(model, frame), body_motions(model, q, v, a)
    force, moment = np.zeros(3), np.zeros(3)
    for body in model.description.bodies:
        if body.name not in links or (is_zero(body.mass) and not np.any(body.inertia)):
            continue
        at = model.frames[body.name]
        T, motion = motions[at.body] if at.body >= 0 else (np.eye(4), STILL)
        motion = motion.beyond(T[:3, :3] @ (at.placement[:3, 3] + at.placement[:3, :3] @ body.center_of_mass))
        T = T @ at.placement
        I = T[:3, :3] @ body.inertia @ T[:3, :3].T
        f = body.mass * (motion.a - model.gravity)
        force = force + f
        arm = T[:3, 3] + T[:3, :3] @ body.center_of_mass - o
        moment = moment + np.cross(arm, f) + I @ motion.alpha + np.cross(motion.w, I @ motion.w)
    return np.concatenate([R.T @ force, R.T @ moment])
