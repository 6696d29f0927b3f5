"""Readings of sensors of contacts and of ranges, from the contacts of a motion and the poses of frames."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.points import pair_name
from linkwright.dynamics.distance.rays import ray_distance, triangle_distance
from linkwright.dynamics.kinematics import pose
from linkwright.dynamics.sensors import links_from
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.formats.meshes.reading import mesh_of
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.parts.sensor import OF_CONTACTS, OF_SURROUNDINGS, Sensor
from linkwright.model.parts.shape import KINDS, Shape
from linkwright.model.transformations.additions import place_of
from linkwright.model.tree import Model
from linkwright.simulation.recording.contact_history import ContactForces, ContactHistory
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.visual.rendering.surfaces import primitive

NO_HIT = -1.0
"""Reading of a rangefinder that hits nothing."""


class SensorPlaces(NamedTuple):
    """Poses (…, 4, 4) in the world, and sizes (…, size) of shapes, that sensors of contacts and ranges need."""

    frames: dict[str, Array]
    """by the name of the frame of a sensor"""
    shapes: list[Array]
    sizes: list[Array]


def sensor_places(model: Model, q: Array) -> Array:
    """Return the entries (n,) of :class:`SensorPlaces` of one configuration."""
    shapes = _visible(model)
    poses = [pose(model, q, frame) for frame in _frames(model)]
    poses += [pose(model, q, shape.body) @ shape.placement for shape in shapes]
    return np.concatenate([np.zeros(0), *(T.reshape(-1) for T in poses), *(_size(shape) for shape in shapes)])


def split_places(model: Model, entries: Array) -> SensorPlaces:
    """Return the places of entries (…, n) of :func:`sensor_places`."""
    frames, shapes = _frames(model), _visible(model)
    counts = [16] * (len(frames) + len(shapes)) + [len(_size(shape)) for shape in shapes]
    parts = np.split(entries, np.cumsum(counts[:-1]), axis=-1)
    poses = [x.reshape(*x.shape[:-1], 4, 4) for x in parts[: len(frames) + len(shapes)]]
    sizes = parts[len(poses) :] if shapes else []
    return SensorPlaces(dict(zip(frames, poses[: len(frames)], strict=True)), poses[len(frames) :], sizes)


def _frames(model: Model) -> list[str]:
    return sorted({sensor.target for sensor in model.sensors if sensor.type in OF_SURROUNDINGS})


def _visible(model: Model) -> list[Shape]:
    """Return the shapes that rangefinders measure; none without rangefinders."""
    if all(sensor.type != "rangefinder" for sensor in model.sensors):
        return []
    return [shape for shape in model.shapes if shape.color is None or shape.color[3]]


def _size(shape: Shape) -> Array:
    names = () if shape.kind == "height_field" else KINDS[shape.kind]
    return np.concatenate([np.zeros(0), *(np.atleast_1d(getattr(shape, name)) for name in names)])


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


def surrounding_readings(
    model: Model, readings: Array, places: SensorPlaces, contacts: ContactForces | None
) -> list[Array]:
    """Return the readings (…, size) of all sensors within their cutoffs; of symbols without rays to triangles.

    ``readings`` (…, n): those without contacts and ranges.
    """
    found = []
    ends = np.cumsum([one.size for one in model.sensors]).tolist()
    for one, end in zip(model.sensors, ends, strict=True):
        x = readings[..., end - one.size : end]
        if one.type == "rangefinder":
            x = _distance_to_shapes(model, one, places)
        elif one.type in OF_CONTACTS and contacts is not None:
            T = places.frames[one.target]
            x = _touch(model, one, T, contacts) if one.type == "touch" else x - _contact_force(model, one, T, contacts)
        found.append(clip(x, -one.cutoff, one.cutoff) if one.cutoff else x)
    return found


def has_rays_to_triangles(model: Model) -> bool:
    """Return whether a rangefinder measures distances to meshes or height fields."""
    return any(shape.kind in ("mesh", "height_field") for shape in _visible(model))


def _touch(model: Model, sensor: Sensor, pose: Array, contacts: ContactForces) -> Array:
    """Return the sum (…, 1) of the normal forces of contacts on the link whose outward rays meet the zone."""
    assert sensor.zone is not None
    at, sides = _sides(model, contacts, frozenset({place_of(model, sensor.target)[0]}))
    total, (kind, size) = 0.0 * pose[..., 0, 0], sensor.zone
    for k, side in zip(at, sides, strict=True):
        normal, place = contacts.normals[..., k, :], contacts.points[..., k, :] - pose[..., :3, 3]
        distance = ray_distance(kind, np.array(size), _in_axes(pose, place), _in_axes(pose, -side * normal))
        force = maximum((contacts.forces[..., k, :] * normal).sum(axis=-1), 0.0)
        total = total + where(distance < np.inf, force, 0.0)
    return np.stack([total], axis=-1)


def _contact_force(model: Model, sensor: Sensor, pose: Array, contacts: ContactForces) -> Array:
    """Return the force or torque (…, 3) of contacts on the link of a sensor and all that it carries, in its frame."""
    at, sides = _sides(model, contacts, links_from(model, sensor.target))
    each = sides[:, None] * contacts.forces[..., at, :]
    if sensor.type == "torque":
        arms = contacts.points[..., at, :] - pose[..., None, :3, 3]
        each = np.cross(arms, each) + sides[:, None] * contacts.moments[..., at, :]
    return _in_axes(pose, each.sum(axis=-2))


def _in_axes(pose: Array, x: Array) -> Array:
    """Return vectors (…, 3) in the axes of frames (…, 4, 4)."""
    return (pose[..., :3, :3] * x[..., None]).sum(axis=-2)


def _sides(model: Model, contacts: ContactForces, links: frozenset[str]) -> tuple[Array, Array]:
    """Return the contact points of these links, and 1 if the force acts on them, −1 if the opposite force does."""
    of_pairs = [
        float(model.shapes[pair.first].body in links) - float(model.shapes[pair.second].body in links)
        for pair in model.pairs
    ]
    sides = np.array(of_pairs)[contacts.pair]
    return np.flatnonzero(sides), sides[sides != 0.0]


def _distance_to_shapes(model: Model, sensor: Sensor, places: SensorPlaces) -> Array:
    """Return the distance (…, 1) along the z axis of a frame to the nearest visible shape of another link."""
    pose, own = places.frames[sensor.target], place_of(model, sensor.target)[0]
    nearest = np.full(pose.shape[:-2], np.inf)[()]
    for shape, T, size in zip(_visible(model), places.shapes, places.sizes, strict=True):
        if shape.body == own:
            continue
        p, u = (_in_axes(T, x) for x in (pose[..., :3, 3] - T[..., :3, 3], pose[..., :3, 2]))
        nearest = minimum(nearest, _to_shape(shape, size, p, u))
    return np.stack([where(nearest < np.inf, nearest, NO_HIT)], axis=-1)


def _to_shape(shape: Shape, size: Array, p: Array, u: Array) -> Array:
    if shape.kind == "mesh":
        return triangle_distance(*mesh_of(shape), p, u)
    if shape.kind == "height_field":
        return triangle_distance(*primitive(shape), p, u)
    return ray_distance(shape.kind, size, p, u)
