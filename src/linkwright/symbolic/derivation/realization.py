"""The model of a plan on any kind of number: exact polynomials, the compiler's expressions, plain floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from linkwright.model.elements import Frame
from linkwright.model.joints.joint import Compound, Helical
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import CoordinateLoop, HelicalPair, Loop
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.rotation import rotation_z
from linkwright.spatial.transform import pose_matrix
from linkwright.symbolic.derivation.exact_rotations import ONE, ZERO, Surd, exact_rotation, number
from linkwright.symbolic.derivation.formulas import Make
from linkwright.symbolic.derivation.plan import ROUNDING, DerivationPlan, Entry, LoopPlan, Turn, cleaned


def realized(plan: DerivationPlan, make: Make) -> Model:
    """Return the model on the numbers ``make(coefficient, name)``; a name "" is the number itself.

    Loops have frames, which are named after them.
    """

    def value(entry: Entry) -> Any:
        return plan.value(entry, make)

    def exact(R: np.ndarray) -> np.ndarray:
        return _array([[of_rotation(x) for x in row] for row in R])

    def of_rotation(x: Surd | Entry) -> Any:
        if isinstance(x, Entry):
            return value(x)
        return make(x, "") if x not in (ZERO, ONE) else float(x)

    def turned(factors: list[np.ndarray | Turn]) -> np.ndarray:
        matrices = [turn_about(x.axis, value(x.angle)) if isinstance(x, Turn) else exact(x) for x in factors]
        return reduce(np.matmul, matrices)

    links, joints = [], []
    for one, link, joint in zip(plan.links, plan.model.links, plan.model.joints, strict=True):
        m, c = value(one.mass), _array([value(x) for x in one.center])
        I = _array([[value(x) for x in row] for row in one.inertia])
        if plan.planar:  # from the center of mass to the origin: parallel axes, the normal one matters only
            square = sum((x * x for x in c), 0.0)
            I = I + _array([[m * square if i == j else 0.0 for j in range(3)] for i in range(3)])
            c = _array([m * x for x in c])
        motion: JointType = one.motion
        if isinstance(motion, Helical):
            motion = replace(motion, pitch=value(one.pitch))
        elif isinstance(motion, Compound):
            parts = tuple(
                replace(p, placement=_exact_pose(plan, np.array(p.placement), exact, make)) for p in motion.parts
            )
            motion = replace(motion, parts=parts, end=_exact_pose(plan, np.array(motion.end), exact, make))
        placement = pose_matrix(turned(one.rotation), _array([value(x) for x in one.position]))
        armature = _array([value(x) for x in one.armature])
        coupling = replace(joint.coupling, offset=0.0) if joint.coupling else None
        joints.append(replace(joint, motion=motion, armature=armature, coupling=coupling))
        links.append(
            replace(link, motion=motion, placement=placement, rigid_inertia=RigidInertia(m, c, I), armature=armature)
        )
    frames, loops = dict(plan.model.frames), list[Loop | CoordinateLoop]()
    for tied in plan.loops:
        if isinstance(tied, LoopPlan):
            names = [f"{tied.loop.name} {side}" for side in ("first", "second")]
            for name, end in zip(names, (tied.first, tied.second), strict=True):
                pose = pose_matrix(turned(end.rotation), _array([value(x) for x in end.position]))
                frames[name] = Frame(end.body, pose)
            kind = tied.loop.kind
            kind = replace(kind, pitch=value(tied.pitch)) if isinstance(kind, HelicalPair) else kind
            loops.append(Loop(tied.loop.name, names[0], names[1], kind))
        else:
            loops.append(tied)
    gravity = _array([value(x) for x in plan.gravity])
    for name, (body, rotation, position) in plan.frames.items():
        frames[name] = Frame(body, pose_matrix(turned(rotation), _array([value(x) for x in position])))
    made = replace(plan.model, links=tuple(links), joints=tuple(joints), loops=tuple(loops))
    return replace(made, frames=frames, gravity=gravity)


def turn_about(axis: int, angle: Any) -> np.ndarray:
    """The rotation (3, 3) about a coordinate axis."""
    places = [(k - axis + 2) % 3 for k in range(3)]  # of rotation_z, whose axis is the last
    return rotation_z(angle)[np.ix_(places, places)]


def _exact_pose(plan: DerivationPlan, T: Array, exact: Callable[[np.ndarray], np.ndarray], make: Make) -> Any:
    R, _ = exact_rotation(T[:3, :3], max(plan.angle_tolerance, 1e-10), "a part of a joint")
    p = _array([make(number(x), "") if x else 0.0 for x in cleaned(T[:3, 3], ROUNDING)])
    return tuple(map(tuple, pose_matrix(exact(R), p)))


def _array(x: Any) -> np.ndarray:
    """Floats where all are, else objects."""
    array = np.array(x, dtype=object)
    return array.astype(float) if all(isinstance(y, float) for y in array.flat) else array
