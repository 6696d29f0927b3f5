"""Logs in MCAP with Foxglove's messages: /tf, /joint_states, solids on /robot, arrows of forces on /contacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from foxglove_schemas_protobuf.Color_pb2 import Color
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.JointStates_pb2 import JointStates
from foxglove_schemas_protobuf.LinePrimitive_pb2 import LinePrimitive
from foxglove_schemas_protobuf.SceneEntity_pb2 import SceneEntity
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from mcap_protobuf.writer import Writer

from linkwright.browser.recorded.motion_log import FORCE_COLOR, ContactArrows, MotionLog
from linkwright.browser.view.solids import BodySolid
from linkwright.browser.view.solids import Color as Bytes
from linkwright.model.build.description import WORLD
from linkwright.spatial.arrays import Array

NANOSECONDS = 10**9


def write(log: MotionLog, path: Path) -> None:
    """Write a log to a file."""
    struts = [(strut, log.strut_ends(strut)) for strut in log.solids.struts]
    with path.open("wb") as file, Writer(file) as writer:
        for k, time in enumerate(np.rint(log.times * NANOSECONDS).astype(np.int64).tolist()):
            messages: dict[str, Any] = {"/tf": _transforms(log, k, time), "/joint_states": _joints(log, k, time)}
            entities = [_entity(log, body, time) for body in range(-1, len(log.links))] if k == 0 else []
            entities = [entity for entity in entities if entity.triangles]
            if struts:
                entities.append(_rods([(ends[k], 2.0 * strut.radius, strut.color) for strut, ends in struts], time))
            if entities:
                messages["/robot"] = SceneUpdate(entities=entities)
            if log.contacts is not None:
                messages["/contacts"] = SceneUpdate(entities=[_forces(log.contacts, k, time)])
            for topic, message in messages.items():
                writer.write_message(topic, message, log_time=time, publish_time=time)


def _stamp(message: Any, time: int) -> None:
    message.timestamp.FromNanoseconds(time)


def _transforms(log: MotionLog, k: int, time: int) -> FrameTransforms:
    message = FrameTransforms()
    places = zip(log.links, log.positions[k].tolist(), log.quaternions[k].tolist(), strict=True)
    rows = [(WORLD, *place) for place in places]
    rows += [(one.parent, one.name, one.position.tolist(), one.quaternion.tolist()) for one in log.welded]
    for parent, link, (x, y, z), (w, i, j, n) in rows:
        one = message.transforms.add(parent_frame_id=parent, child_frame_id=link)
        _stamp(one, time)
        one.translation.x, one.translation.y, one.translation.z = x, y, z
        one.rotation.w, one.rotation.x, one.rotation.y, one.rotation.z = w, i, j, n
    return message


def _joints(log: MotionLog, k: int, time: int) -> JointStates:
    message = JointStates()
    _stamp(message, time)
    for joint in (one for one in log.joints if not one.of_base):
        message.joints.add(name=joint.name, **{quantity: float(x[k]) for quantity, x in joint.values.items()})
    return message


def _entity(log: MotionLog, body: int, time: int) -> SceneEntity:
    """The solids of a link, which move with its frame; -1: of the world."""
    link = WORLD if body < 0 else log.links[body]
    entity = SceneEntity(frame_id=link, id=link, frame_locked=True)
    _stamp(entity, time)
    for solid in log.solids.solids:
        if solid.body == body:
            _add_triangles(entity, solid)
    return entity


def _add_triangles(entity: SceneEntity, solid: BodySolid) -> None:
    one = entity.triangles.add(indices=np.ravel(solid.mesh.faces).tolist(), color=_color(solid.color, solid.opacity))
    one.pose.orientation.w = 1.0
    for x, y, z in np.asarray(solid.mesh.vertices, dtype=float).tolist():
        one.points.add(x=x, y=y, z=z)


def _rods(rods: list[tuple[Array, float, Bytes]], time: int) -> SceneEntity:
    """Rods between links, as lines in the world."""
    entity = SceneEntity(frame_id=WORLD, id="struts")
    _stamp(entity, time)
    for ends, thickness, color in rods:
        line = entity.lines.add(type=LinePrimitive.LINE_STRIP, thickness=thickness, color=_color(color, 1.0))
        line.pose.orientation.w = 1.0
        for x, y, z in ends.tolist():
            line.points.add(x=x, y=y, z=z)
    return entity


def _forces(contacts: ContactArrows, k: int, time: int) -> SceneEntity:
    """Arrows of contact forces in the world; `metadata` has each force in N."""
    entity = SceneEntity(frame_id=WORLD, id="contacts")
    _stamp(entity, time)
    for pair in contacts.acting(k).tolist():
        force = contacts.forces[k, pair]
        length, thickness = contacts.scale * float(np.linalg.norm(force)), contacts.thickness
        head = min(3.0 * thickness, 0.5 * length)
        one = entity.arrows.add(
            shaft_length=length - head,
            shaft_diameter=thickness,
            head_length=head,
            head_diameter=2.0 * thickness,
            color=_color(FORCE_COLOR, 1.0),
        )
        position, orientation = one.pose.position, one.pose.orientation
        position.x, position.y, position.z = contacts.centers[k, pair].tolist()
        orientation.w, orientation.x, orientation.y, orientation.z = _from_x(force).tolist()
        entity.metadata.add(key=contacts.pairs[pair], value=" ".join(f"{x:.9g}" for x in force))
    return entity


def _from_x(direction: Array) -> Array:
    """Quaternion of the shortest rotation from the x axis to a direction."""
    x, y, z = direction / np.linalg.norm(direction)
    quaternion = np.array([1.0 + x, 0.0, -z, y])
    length = np.linalg.norm(quaternion)
    return quaternion / length if length > 1e-6 else np.array([0.0, 0.0, 0.0, 1.0])


def _color(color: Bytes, opacity: float) -> Color:
    r, g, b = (x / 255.0 for x in color)
    return Color(r=r, g=g, b=b, a=opacity)
