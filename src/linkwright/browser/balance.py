"""Postures in which a robot from a file stands on its feet."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.public import public
from linkwright.dynamics import center_of_mass, pose
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.ik_solvers.tasks import CenterOfMass
from linkwright.model.build.builder import Builder
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.initial_state import default_configuration, is_built_in, placed_above
from linkwright.simulation.standing_posture import feet_on_ground, standing_configuration
from linkwright.spatial.arrays import Array

_pose, _center_of_mass = public(pose), public(center_of_mass)

NEAR = 0.2
"""Distance of the center of mass from the middle of the feet, relative to the farthest point of a foot, up to which a
posture counts as balanced."""


def standing_start(model: Model) -> tuple[Array, Array, float]:
    """Return a state (q, v) of a floating robot, that of :func:`default_configuration`, balanced on its ground, and the
    height (m) above the ground at which its file places it."""
    start, v = default_configuration(model)
    q = standing_configuration(model, start)
    height = placed_above(model, start, q)
    q = q if is_built_in(model) else balanced(model, q)
    return q, v, height


def raised(model: Model, q: Array, height: float) -> Array:
    """Return the configuration with its free bodies raised, m."""
    q = q.copy()
    for k in floating_bases(model):
        q[model.slice(model.joints[k].name).q][:3] += height * model.links[k].placement[2, :3]
    return q


def balanced(model: Model, q: Array) -> Array:
    """Return a posture (nq,) on the ground whose legs lean until the center of mass is above the middle of the feet.

    The feet keep their points on the ground. A posture that is nearly balanced is unchanged, and one that cannot be.
    """
    feet = feet_on_ground(model, q)
    if not feet:
        return q
    middle = np.mean([points.mean(axis=0) for points in feet.values()], axis=0)[:2]
    size = max(float(np.linalg.norm(points[:, :2] - middle, axis=1).max()) for points in feet.values())
    if np.linalg.norm(_center_of_mass(model, q)[:2] - middle) < NEAR * size:
        return q
    made, targets = Builder(model), dict[Any, Any]()
    for body, points in feet.items():
        foot, sole = model.bodies[body].name, f"sole of {model.bodies[body].name}"
        T, center = _pose(model, q, foot), points.mean(axis=0)
        made.frame(sole, foot, xyz=T[:3, :3].T @ (center - T[:3, 3]))
        T[:3, 3] = center
        targets[sole] = T if len(points) > 2 else center
    targets[CenterOfMass("xy")] = middle
    found = inverse_kinematics(made.build(), targets, initial_guess=q)
    return standing_configuration(model, found.q) if found.converged else q
