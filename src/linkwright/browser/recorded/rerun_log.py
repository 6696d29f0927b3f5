"""Logs of Rerun: solids below /ROBOT, arrows of contact forces, one series for each quantity of a joint or pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rerun as rr

from linkwright.browser.recorded.motion_log import FORCE_COLOR, ContactArrows, MotionLog
from linkwright.spatial.arrays import Array


def write(log: MotionLog, path: Path) -> None:
    """Write a log to a file."""
    recording = rr.RecordingStream("linkwright")
    recording.save(path)
    try:
        _write(log, recording)
        recording.flush()
    finally:
        recording.disconnect()


def _write(log: MotionLog, recording: rr.RecordingStream) -> None:
    robot = _entity(log.name)
    recording.log("/", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    times = rr.TimeColumn("time", duration=log.times)
    for k, link in enumerate(log.links):
        columns = rr.Transform3D.columns(
            translation=log.positions[:, k], quaternion=np.roll(log.quaternions[:, k], -1, axis=-1)
        )
        recording.send_columns(robot + _entity(link), indexes=[times], columns=columns, strict=True)
    for number, solid in enumerate(log.solids.solids):
        place = robot + _entity(log.links[solid.body]) if solid.body >= 0 else robot
        picture = solid.picture
        texture: dict[str, Array] = {}
        if picture is not None:  # Rerun's coordinates of textures begin in the upper left corner
            texture = {"vertex_texcoords": picture.uv * [1.0, -1.0] + [0.0, 1.0], "albedo_texture": picture.pixels}
        color = (255, 255, 255) if texture else solid.color
        mesh = rr.Mesh3D(
            vertex_positions=solid.mesh.vertices,
            triangle_indices=solid.mesh.faces,
            albedo_factor=[*color, round(255.0 * solid.opacity)],
            **texture,
        )
        recording.log(f"{place}/solid_{number}", mesh, static=True, strict=True)
    if log.solids.struts:
        ends = np.stack([log.strut_ends(strut) for strut in log.solids.struts], axis=1)
        look = {
            "radii": [strut.radius for strut in log.solids.struts],
            "colors": [strut.color for strut in log.solids.struts],
        }
        for time, lines in zip(log.times.tolist(), ends, strict=True):
            recording.set_time("time", duration=time)
            recording.log(f"{robot}/struts", rr.LineStrips3D(lines, **look), strict=True)
    if log.contacts is not None:
        _write_contacts(log, log.contacts, recording)
    for joint in log.joints:
        for quantity, values in joint.values.items():
            columns = rr.Scalars.columns(scalars=values)
            recording.send_columns(
                _entity("joints", quantity, joint.name), indexes=[times], columns=columns, strict=True
            )


def _write_contacts(log: MotionLog, contacts: ContactArrows, recording: rr.RecordingStream) -> None:
    """Write the forces as arrows, and the axes of each force as series."""
    for k, time in enumerate(log.times.tolist()):
        at = contacts.acting(k)
        arrows = rr.Arrows3D(
            origins=contacts.centers[k, at],
            vectors=contacts.scale * contacts.forces[k, at],
            labels=[contacts.pairs[pair] for pair in at],
            show_labels=False,
            colors=[FORCE_COLOR] * len(at),
        )
        recording.set_time("time", duration=time)
        recording.log("/contacts", arrows, strict=True)
    times = rr.TimeColumn("time", duration=log.times)
    for pair, name in enumerate(contacts.pairs):
        columns = rr.Scalars.columns(scalars=contacts.forces[:, pair])
        recording.send_columns(_entity("contact_forces", name), indexes=[times], columns=columns, strict=True)


def _entity(*names: str) -> str:
    """The path of an entity; names may have any characters."""
    return "".join(f"/{rr.escape_entity_path_part(name)}" for name in names)
