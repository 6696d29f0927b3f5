"""Legs: limbs that reach below the base of a mechanism."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.kinematics import body_poses
from linkwright.model.build.description import WORLD
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

BELOW = 0.3
"""Depth of the end of a leg below the base, relative to the height of the mechanism."""

LEVEL = 0.1
"""Largest difference of the depths of two feet, relative to the same."""


def legs_below_base(model: Model) -> int:
    """Return the number of limbs that end below the base link, on the level of the lowest one, in the neutral
    configuration.

    An arm, a hand and a wheeled base, whose base link is the lowest, have none. A base that moves has none, either.
    """
    roots = [joint for joint in model.joints if joint.parent == WORLD or model.frames[joint.parent].body < 0]
    if not roots or not np.any(model.gravity) or any(joint.motion.floating for joint in roots):
        return 0
    up = -model.gravity / np.linalg.norm(model.gravity)
    poses = body_poses(model, np.clip(model.neutral(), model.lower, model.upper))
    heights = np.array([_lowest(model, k, poses, up) for k in range(len(model.links))])
    base = min(float(up @ _origin(model, _base_link(model, joint.name))) for joint in roots)
    tall = float(max(heights.max(), base) - min(heights.min(), base))
    parents = {link.parent for link in model.links}
    depths = [base - z for k, z in enumerate(heights.tolist()) if k not in parents]
    deepest = max(depths)
    return sum(depth > BELOW * tall and depth > deepest - LEVEL * tall for depth in depths)


def _base_link(model: Model, joint: str) -> str:
    return next((spec.parent for spec in model.description.joints if spec.name == joint), WORLD)


def _origin(model: Model, link: str) -> Array:
    return np.asarray(model.frames[link].placement)[:3, 3]


def _lowest(model: Model, body: int, poses: list[Array], up: Array) -> float:
    """Return the height of the lowest frame of a body."""
    return min(
        float(up @ (poses[body] @ frame.placement)[:3, 3]) for frame in model.frames.values() if frame.body == body
    )
