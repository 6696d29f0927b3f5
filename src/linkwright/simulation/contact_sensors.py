"""Readings of sensors of contacts and of ranges, from the contacts of a motion and the poses of frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.points import pair_name
from linkwright.dynamics.distance.rays import ray_distance, triangle_distance
from linkwright.dynamics.sensors import links_from
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.formats.meshes import mesh_of
from linkwright.model.loop import CoordinateLoop
from linkwright.model.sensor import OF_CONTACTS, Sensor
from linkwright.model.shape import Shape
from linkwright.model.transformations.additions import place_of
from linkwright.model.tree import Model
from linkwright.simulation.recording.contact_history import ContactHistory
from linkwright.spatial.arrays import Array
from linkwright.visual.rendering.surfaces import primitive

NO_HIT = -1.0
"""Reading of a rangefinder that hits nothing."""


def frames_of_surroundings(model: Model) -> list[str]:
    """Return the frames whose poses the sensors of contacts and ranges need."""
    frames = {sensor.target for sensor in model.sensors if sensor.type in (*OF_CONTACTS, "rangefinder")}
    if any(sensor.type == "rangefinder" for sensor in model.sensors):
        frames |= {shape.body for shape in model.shapes}
    return sorted(frames)


def check_contacts(model: Model, contacts: Any, batch: tuple[int, ...]) -> None:
    """Check the contacts that sensors need: given if shapes may touch, and those of the states."""
    needing = [one.name for one in model.sensors if one.type in OF_CONTACTS]
    if contacts is None:
        if needing and model.pairs:
            raise InputError(
                f"the sensor {needing[0]!r} needs the contact forces: sensor_readings(…, contacts=motion.contacts)"
            )
        return
    if not isinstance(contacts, ContactHistory):
        raise ArgumentError(f"contacts are those of a motion, contacts=motion.contacts; got {type(contacts).__name__}")
    if contacts.names != tuple(pair_name(model, pair) for pair in model.pairs):
        raise InputError(
            f"the contacts are of {len(contacts.names)} pairs of another mechanism; {model.name!r} has "
            f"{len(model.pairs)} pairs"
        )
    if contacts.gaps.shape[:-1] != batch:
        raise ShapeError(f"the contacts are those of {contacts.gaps.shape[:-1]} states; q, v and a have {batch}")


def check_loops(model: Model) -> None:
    """Raise :class:`InputError` for a sensor of a wrench to which the unknown force of a closed loop contributes."""
    for sensor in model.sensors:
        if sensor.type not in ("force", "torque"):
            continue
        links = links_from(model, sensor.target)
        for loop in model.loops:
            if isinstance(loop, CoordinateLoop):
                continue
            if (place_of(model, loop.first)[0] in links) != (place_of(model, loop.second)[0] in links):
                raise InputError(
                    f"the reading of the {sensor.type} sensor {sensor.name!r} contains the force of the loop "
                    f"{loop.name!r}, which q, v and a do not determine; remove the sensor: "
                    "model.with_sensors(…) with the others"
                )


def touch(model: Model, sensor: Sensor, pose: Array, contacts: ContactHistory | None) -> Array:
    """Return the sum (…, 1) of the normal forces of contacts on the link whose outward rays meet the zone."""
    if contacts is None or sensor.zone is None:
        return np.zeros((*pose.shape[:-2], 1))
    own = frozenset({place_of(model, sensor.target)[0]})
    sides = _sides(model, contacts, own)
    R, o = pose[..., None, :3, :3], pose[..., None, :3, 3]
    outward = -sides[:, None] * contacts.normals
    p, u = (np.einsum("...ji,...j->...i", R, x) for x in (contacts.points - o, outward))
    kind, size = sensor.zone
    meets = np.isfinite(ray_distance(kind, size, p, u))
    forces = np.where((sides != 0.0) & meets, np.maximum(contacts.normal_forces, 0.0), 0.0)
    return np.asarray(forces.sum(axis=-1, keepdims=True))


def contact_wrench(model: Model, sensor: Sensor, pose: Array, contacts: ContactHistory) -> Array:
    """Return the wrench (…, 6) of contacts on the link of a sensor and all that it carries, in its frame."""
    sides = _sides(model, contacts, links_from(model, sensor.target))
    R, o = pose[..., :3, :3], pose[..., None, :3, 3]
    forces = sides[:, None] * contacts.forces
    moments = np.cross(contacts.points - o, forces) + sides[:, None] * contacts.moments
    sums = (np.einsum("...ji,...j->...i", R, x.sum(axis=-2)) for x in (forces, moments))
    return np.concatenate(list(sums), axis=-1)


def _sides(model: Model, contacts: ContactHistory, links: frozenset[str]) -> Array:
    """Return for each contact point 1 if its force acts on these links, −1 if the opposite force does, 0 otherwise."""
    of_pairs = [
        float(model.shapes[pair.first].body in links) - float(model.shapes[pair.second].body in links)
        for pair in model.pairs
    ]
    return np.array(of_pairs)[contacts.pair]


def distance_to_shapes(model: Model, sensor: Sensor, poses: dict[str, Array]) -> Array:
    """Return the distance (…, 1) along the z axis of a frame to the nearest visible shape of another link."""
    pose, own = poses[sensor.target], place_of(model, sensor.target)[0]
    nearest = np.full(pose.shape[:-2], np.inf)
    for shape in model.shapes:
        if shape.body == own or (shape.color is not None and not shape.color[3]):
            continue
        T = poses[shape.body] @ shape.placement
        R = T[..., :3, :3]
        p = np.einsum("...ji,...j->...i", R, pose[..., :3, 3] - T[..., :3, 3])
        u = np.einsum("...ji,...j->...i", R, pose[..., :3, 2])
        nearest = np.minimum(nearest, _to_shape(shape, p, u))
    return np.where(np.isfinite(nearest), nearest, NO_HIT)[..., None]


def _to_shape(shape: Shape, p: Array, u: Array) -> Array:
    if shape.kind == "mesh":
        return triangle_distance(*mesh_of(shape), p, u)
    if shape.kind == "height_field":
        return triangle_distance(*primitive(shape), p, u)
    sized = shape.kind in ("box", "ellipsoid")
    return ray_distance(shape.kind, shape.size if sized else (shape.radius, shape.length), p, u)
