"""Free joints with armature or friction loss: MuJoCo's act along the world's axes, in which its velocities are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.formats.writing import all_equal, still
from linkwright.model.build.description import WORLD, JointSpec
from linkwright.model.joints.joint import Compound, Free, JointPart, Prismatic, Spherical, nested
from linkwright.model.joints.joint_type import JointType
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix


def in_world_axes() -> Compound:
    """Return three translations along the world's axes and a ball: q and v are qpos and qvel of MuJoCo's free joint."""
    parts, before = [], np.eye(3)
    for name, axis in zip("xyz", np.eye(3), strict=True):
        turn = rotation_from_z(axis)
        parts.append(JointPart(nested(pose_matrix(before.T @ turn)), Prismatic(), name))
        before = turn
    return Compound((*parts, JointPart(nested(pose_matrix(before.T)), Spherical(), "ball")))


def needs_world_axes(motion: JointType, values: dict[str, Any]) -> bool:
    """Return whether a joint is free and has parameters that differ along the axes of the body."""
    return motion.floating and any(np.any(values[name]) for name in ("armature", "friction"))


def as_free(joint: JointSpec) -> JointSpec:
    """Return three slides and a ball along the world's axes as the free joint of the file that they were read from."""
    if joint.parent != WORLD or joint.motion != in_world_axes() or not still(joint.placement @ joint.axes):
        return joint
    values = {of: getattr(joint, of) for of in ("stiffness", "damping", "friction", "armature")}
    alike = all(all_equal(x) for x in values.values())
    return replace(joint, motion=Free()) if alike and needs_world_axes(Free(), values) else joint
