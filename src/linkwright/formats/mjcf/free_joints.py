"""Free joints with armature or friction loss: MuJoCo's act along the world's axes, in which its velocities are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.formats.writing import all_equal, still
from linkwright.model.build.description import WORLD, JointSpec
from linkwright.model.joints.joint import Free, in_world_axes
from linkwright.model.joints.joint_type import JointType


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
