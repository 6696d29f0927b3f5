"""Keyframes of MJCF files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.writing import Losses, XmlNode
from linkwright.model.build.description import WORLD, Description, JointSpec
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.keyframe import ActuatorState, JointState, KeyframeSpec
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import quaternion_from_matrix, quaternion_matrix
from linkwright.spatial.transform import pose_matrix

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader


def keyframes_of(
    reader: MjcfReader, joints: Sequence[JointSpec], actuators: Mapping[int, Actuator]
) -> tuple[KeyframeSpec, ...]:
    """Return the keyframes of a compiled model; unnamed ones are key0, key1, … by their number."""
    m = reader.m
    names = reader.names(reader.mujoco.mjtObj.mjOBJ_KEY, m.nkey, lambda k: f"key{k}")
    return tuple(
        KeyframeSpec(name, tuple(_states(joints, m.key_qpos[k], m.key_qvel[k])), _inputs(m, actuators, k), time)
        for k, (name, time) in enumerate(zip(names, m.key_time.tolist(), strict=True))
    )


def _inputs(m: Any, actuators: Mapping[int, Actuator], k: int) -> tuple[ActuatorState, ...]:
    """Return controls and activations; ``actuators``: those that are read, by their number."""
    return tuple(
        ActuatorState(one.name, float(m.key_ctrl[k, i]), float(m.key_act[k, m.actuator_actadr[i]]))
        if one.has_activation
        else ActuatorState(one.name, float(m.key_ctrl[k, i]))
        for i, one in actuators.items()
    )


def _states(joints: Sequence[JointSpec], q: Array, v: Array) -> list[JointState]:
    """Split qpos and qvel among the joints of the bodies, which have their order."""
    states, at_q, at_v = [], 0, 0
    for joint in joints:
        if (motion := joint.motion) is None:
            continue
        own_q, own_v = q[at_q : at_q + motion.nq], v[at_v : at_v + motion.nv]
        at_q, at_v = at_q + motion.nq, at_v + motion.nv
        if motion.floating:
            own_v = np.concatenate([quaternion_matrix(own_q[3:]).T @ own_v[:3], own_v[3:]])
        states.append(JointState(joint.name, tuple(own_q.tolist()), tuple(own_v.tolist())))
    return states


def write_keyframes(
    root: XmlNode, description: Description, losses: Losses, changed: Sequence[str], actuators: Sequence[Actuator]
) -> None:
    """Add <keyframe>; ``changed``: names of joints whose coordinates differ in the file; its ``actuators``."""
    if not description.keyframes:
        return
    if changed:
        losses.add("keyframes are lost, since joints have other coordinates in MuJoCo", changed[0])
        return
    specs = {joint.child: joint for joint in description.joints if joint.motion is not None}
    order = [specs[name] for name in _bodies(root.children) if name in specs]
    node = root.add("keyframe")
    for key in description.keyframes:
        states = {state.joint: state for state in key.joints}
        rows = [_in_file(joint, states) for joint in order]
        q, v = (np.concatenate([np.zeros(0), *(row[k] for row in rows)]) for k in range(2))
        options: dict[str, Any] = {"time": key.time} if key.time else {}
        inputs = {state.actuator: state for state in key.actuators}
        driven = [inputs.get(one.name, ActuatorState(one.name, 0.0)) for one in actuators]
        for name, values in (
            ("qvel", v),
            ("ctrl", np.array([state.control for state in driven])),
            ("act", np.array([s.activation for s, one in zip(driven, actuators, strict=True) if one.has_activation])),
        ):
            options |= {name: values} if values.any() else {}
        node.add("key", name=key.name, qpos=q, **options)


def _bodies(nodes: Sequence[XmlNode]) -> list[str]:
    """Return the names of all bodies in the order of the file."""
    found = []
    for node in nodes:
        if node.tag == "body":
            found.append(str(node.attributes["name"]))
        if node.tag in ("body", "worldbody"):
            found += _bodies(node.children)
    return found


def _in_file(joint: JointSpec, states: dict[str, JointState]) -> tuple[Array, Array]:
    """Return qpos and qvel of a joint."""
    motion = joint.motion
    assert motion is not None
    if joint.mimic is not None:
        leader = states.get(joint.mimic.joint, JointState("", (0.0,), (0.0,)))
        return joint.mimic.multiplier * np.array(leader.q) + joint.mimic.offset, joint.mimic.multiplier * np.array(
            leader.v
        )
    state = states.get(joint.name, JointState("", tuple(motion.neutral.tolist()), (0.0,) * motion.nv))
    q, v = np.array(state.q), np.array(state.v)
    if motion.floating and joint.parent == WORLD:
        R = quaternion_matrix(q[3:])
        T = joint.placement @ joint.axes @ pose_matrix(R, q[:3])
        q = np.concatenate([T[:3, 3], quaternion_from_matrix(T[:3, :3])])
        v = np.concatenate([T[:3, :3] @ v[:3], v[3:]])
    return q, v
