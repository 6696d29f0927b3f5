"""Sensors of MJCF files."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.mjcf.shapes import rotation_of
from linkwright.formats.writing import Losses, XmlNode, text
from linkwright.model.build.description import WORLD, Description, FrameSpec
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.sensor import (
    OF_ACTUATORS,
    OF_FRAMES,
    OF_JOINTS,
    OF_SUBTREES,
    OF_SURROUNDINGS,
    SIZES,
    ZONES,
    Sensor,
)
from linkwright.spatial.transform import pose_matrix

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader


SAME_POSE = 1e-12
"""Largest difference of the entries of equal poses."""


def sensors_of(reader: MjcfReader, actuators: dict[int, Actuator]) -> tuple[Sensor, ...]:
    """Return the sensors of a compiled model; those of other kinds are listed as unused."""
    m, kinds = reader.m, reader.mujoco
    names = reader.names(kinds.mjtObj.mjOBJ_SENSOR, m.nsensor, lambda i: f"sensor{i}")
    found: list[Sensor] = []
    other: dict[str, list[str]] = {}
    for i, name in enumerate(names):
        kind = str(kinds.mjtSensor(int(m.sensor_type[i])).name).removeprefix("mjSENS_").lower()
        kind = "jointactuatorfrc" if kind == "jointactfrc" else kind
        delayed = getattr(m, "sensor_delay", None)
        target = "" if kind not in SIZES else _target(reader, kind, m.sensor_objtype[i], m.sensor_objid[i], actuators)
        reference = _target(reader, kind, m.sensor_reftype[i], m.sensor_refid[i], {}) if m.sensor_refid[i] >= 0 else ""
        zone = _zone(reader, int(m.sensor_objid[i])) if kind == "touch" else None
        odd = kind == "rangefinder" and (target == "" or m.sensor_dim[i] != 1)
        if (
            odd
            or not target
            or (kind == "touch" and zone is None)
            or (m.sensor_refid[i] >= 0 and not reference)
            or (delayed is not None and delayed[i])
        ):
            other.setdefault(kind, []).append(name)
        else:
            found.append(Sensor(name, kind, target, reference, float(m.sensor_cutoff[i]), zone))
    for kind, those in other.items():
        reader.list_names(f"sensors of the kind {kind}", those)
    return tuple(found)


def _zone(reader: MjcfReader, site: int) -> tuple[str, tuple[float, ...]] | None:
    """Return the shape of a site as the zone of a touch sensor; None for other shapes."""
    size = reader.m.site_size[site].tolist()
    kind = str(reader.mujoco.mjtGeom(int(reader.m.site_type[site])).name).removeprefix("mjGEOM_").lower()
    if kind in ("box", "ellipsoid"):
        return kind, tuple(2.0 * x for x in size)
    return (kind, (size[0], 2.0 * size[1])[: ZONES[kind]]) if kind in ZONES else None


def _target(reader: MjcfReader, kind: str, type: int, number: int, actuators: dict[int, Actuator]) -> str:
    """Return the name of the object of a sensor; "" if it is not supported."""
    if kind in OF_JOINTS:
        return reader.joints[number]
    if kind in OF_ACTUATORS:
        return actuators[number].name if number in actuators else ""
    if kind in OF_SUBTREES:
        moving = reader.m.body_jntnum[number] > 0
        return reader.bodies[number] if moving else ""
    return object_frame(reader, str(reader.mujoco.mjtObj(int(type)).name).removeprefix("mjOBJ_").lower(), int(number))


def object_frame(reader: MjcfReader, kind: str, number: int) -> str:
    """Return the frame of a site, of a body, of its principal axes ("body") or of a geom; "" for other objects."""
    m = reader.m
    if kind == "site":
        return reader.site_frame(number, f"site{number}")
    if kind == "xbody":
        return reader.bodies[number]
    if kind == "body":
        body, turn, at, name = number, m.body_iquat[number], m.body_ipos[number], f"{reader.bodies[number]}_principal"
    elif kind == "geom":
        return _geom_frame(reader, number)
    else:
        return ""
    if name not in reader.frames:
        reader.frames[name] = FrameSpec(name, reader.bodies[body], pose_matrix(rotation_of(turn), at), reader.path)
    return name


def _geom_frame(reader: MjcfReader, number: int) -> str:
    """Return the frame of a geom: an existing one of its name and pose, or a new one."""
    if number not in reader.geom_frames:
        m, given = reader.m, reader.mujoco.mj_id2name(reader.m, reader.mujoco.mjtObj.mjOBJ_GEOM, number)
        body = reader.bodies[m.geom_bodyid[number]]
        T = pose_matrix(rotation_of(m.geom_quat[number]), m.geom_pos[number])
        name = given or f"geom{number}"
        there = reader.frames.get(name)
        if there is None or there.body != body or np.abs(there.placement - T).max() > SAME_POSE:
            while name in reader.frames or name in reader.bodies:
                name += "_"
            reader.frames[name] = FrameSpec(name, body, T, reader.path)
        reader.geom_frames[number] = name
    return reader.geom_frames[number]


def _write_zone(root: XmlNode, sensor: Sensor) -> None:
    """Give the site of a touch sensor its shape."""
    assert sensor.zone is not None
    kind, size = sensor.zone
    halved = [x if kind in ("sphere", "capsule", "cylinder") and k == 0 else 0.5 * x for k, x in enumerate(size)]
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.tag == "site" and node.attributes.get("name") == sensor.target:
            node.attributes |= {"type": kind, "size": text(halved)}


def write_sensors(
    root: XmlNode, description: Description, losses: Losses, joints: Collection[str], actuators: Collection[str]
) -> None:
    """Add <sensor>; ``joints``, ``actuators``: names of those of the file."""
    node, sites = XmlNode("sensor"), {frame.name for frame in description.frames}
    bodies = {body.name for body in description.bodies}
    places = {**dict.fromkeys(OF_JOINTS, joints), **dict.fromkeys(OF_ACTUATORS, actuators)}
    for sensor in description.sensors:
        options: dict[str, Any] = {"name": sensor.name}
        if sensor.type in OF_SUBTREES:
            options["body"] = sensor.target
        elif sensor.type not in OF_FRAMES and sensor.type not in OF_SURROUNDINGS:
            if sensor.target not in places[sensor.type]:
                losses.add("sensors of joints and actuators that are others in MuJoCo are lost", sensor.name)
                continue
            options["joint" if sensor.type in OF_JOINTS else "actuator"] = sensor.target
        elif sensor.type in (*OF_SURROUNDINGS, "accelerometer", "velocimeter", "gyro"):
            if sensor.target not in sites:
                losses.add("sensors at frames that are no sites are lost", sensor.name)
                continue
            options["site"] = sensor.target
            if sensor.zone is not None:
                _write_zone(root, sensor)
        else:
            for kind, name, frame in (("objtype", "objname", sensor.target), ("reftype", "refname", sensor.reference)):
                if frame:
                    options |= {kind: "xbody" if frame in bodies or frame == WORLD else "site", name: frame}
        node.add(sensor.type, **options, **({"cutoff": sensor.cutoff} if sensor.cutoff else {}))
    if node.children:
        root.children.append(node)
