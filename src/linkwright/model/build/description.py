"""Descriptions of mechanisms before assembly: named bodies, joints, frames, loops, springs and shapes.

Readers and the builder fill a :class:`Description`; `assembly.py` checks it and builds the model.
``place`` is the position of an item in its file ("arm.urdf:12:5"), for messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError, UnknownNameError
from linkwright.model.equality import ByValue
from linkwright.model.joints.joint import Cylindrical, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from linkwright.model.joints.joint_type import JointType, joint_name
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.keyframe import KeyframeSpec
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.sensor import Sensor
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.spring import Spring
from linkwright.spatial.arrays import Array, entries, finite, is_symbolic, snap, unit_vector
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix

WORLD = "world"

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class BodySpec(ByValue):
    """A rigid body."""

    name: str
    mass: float = 0.0
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    """(3,), in the body's frame"""
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3), about the center of mass, in body axes"""
    place: str = field(default="", compare=False)
    inertia_place: str = field(default="", compare=False)
    """position of mass and inertia in the file, if different"""
    gravity_compensation: float = 0.0
    """fraction of its weight that a passive force at its center of mass compensates"""


@dataclass(frozen=True)
class Mimic:
    """Coupling of a joint to a leader: coordinate = multiplier · (leader's coordinate) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class JointSpec(ByValue):
    """A joint; ``motion`` is None for a fixed joint. Values per coordinate are scalars or arrays."""

    name: str
    parent: str
    child: str
    motion: JointType | None = None
    placement: Array = field(default_factory=lambda: np.eye(4))
    """(4, 4), the pose of the child's frame in the parent's at coordinates of zero and unit quaternions"""
    alignment: Array = field(default_factory=lambda: np.eye(3))
    """(3, 3), maps the canonical axes of the joint type (z, …) to those of the child's frame"""
    anchor: Array = field(default_factory=lambda: np.zeros(3), kw_only=True)
    """(3,), origin of these axes in the child's frame"""
    lower: Any = None
    """(nq,), None without a limit"""
    upper: Any = None
    velocity_limit: Any = None
    """(nv,), None without a limit"""
    effort_limit: Any = None
    stiffness: Any = 0.0
    rest: Any = None
    """(nq,), coordinates of relaxed springs; None: the neutral configuration"""
    neutral: Any = None
    """(nq,), coordinates in the neutral configuration; None: zeros and unit quaternions"""
    damping: Any = 0.0
    friction: Any = 0.0
    """(nv,), Coulomb friction: N or N m"""
    armature: Any = 0.0
    """(nv,), reflected rotor inertia: kg or kg m²"""
    mimic: Mimic | None = None
    place: str = field(default="", compare=False)

    @property
    def axes(self) -> Array:
        """Pose (4, 4) of the joint's canonical axes in the child's frame."""
        return pose_matrix(self.alignment, self.anchor)


@dataclass(frozen=True, eq=False)
class FrameSpec(ByValue):
    """Named frame on a body."""

    name: str
    body: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    """(4, 4), the pose of the frame in the body's frame"""
    label: str = field(default="", compare=False)
    """name in messages, for frames that were not named by the user"""
    place: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class Description(ByValue):
    """Mechanism as named parts in any order."""

    name: str
    bodies: tuple[BodySpec, ...] = ()
    joints: tuple[JointSpec, ...] = ()
    frames: tuple[FrameSpec, ...] = ()
    loops: tuple[Loop | CoordinateLoop, ...] = ()
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    springs: tuple[Spring, ...] = ()
    shapes: tuple[Shape, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """pairs of shapes that may touch"""
    listed_pairs: tuple[Pair, ...] = ()
    """pairs that a file lists explicitly; the search for pairs keeps them"""
    excluded: tuple[tuple[str, str], ...] = ()
    """pairs of links whose shapes never touch; the search for pairs omits them"""
    keyframes: tuple[KeyframeSpec, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    sensors: tuple[Sensor, ...] = ()

    def rooted(self, root: str | None) -> Description:
        """Return the description with its root body welded to the world (None) or floating ("free")."""
        if root not in (None, "fixed", "free"):
            raise InputError(f"root is {root!r}; it may be 'free', 'fixed' or None")
        children = {joint.child for joint in self.joints}
        names = dict.fromkeys(body.name for body in self.bodies)  # assembly reports duplicate names
        loose = [name for name in names if name not in children and name != WORLD]
        motion = Free() if root == "free" else None
        if len(loose) == 1:
            name = self.free_joint_name("root" if motion else f"{loose[0]}_to_world")
            base = JointSpec(name, WORLD, loose[0], motion)
            return replace(self, joints=(base, *self.joints))
        if motion is None or loose:
            return self  # assembly reports detached bodies
        anchors = [k for k, joint in enumerate(self.joints) if joint.parent == WORLD]
        if all((own := self.joints[k].motion) is not None and own.nv == 6 for k in anchors):
            return self  # it floats already
        if len(anchors) == 1 and self.joints[anchors[0]].motion is None:  # welded to the world: make it float
            joints = list(self.joints)
            taken = replace(self, joints=tuple(joints[: anchors[0]] + joints[anchors[0] + 1 :]))
            joints[anchors[0]] = replace(joints[anchors[0]], name=taken.free_joint_name("root"), motion=motion)
            return replace(self, joints=tuple(joints))
        held = ", ".join(repr(self.joints[k].name) for k in anchors[:5])
        those = f"the {'joint' if len(anchors) == 1 else 'joints'} {held}{', …' * (len(anchors) > 5)}"
        raise InputError(
            f"root='free' needs one base, fixed to the world; {self.name!r} has none: {those} "
            f"{'joins' if len(anchors) == 1 else 'join'} moving bodies to the world"
        )

    def free_joint_name(self, name: str) -> str:
        """Return the name, with underscores if a joint has it already."""
        taken = {joint.name for joint in self.joints}
        while name in taken:
            name += "_"
        return name


def motion_of(
    type: str, axis: Any = None, second_axis: Any = None, pitch: float | None = None
) -> tuple[JointType | None, Array]:
    """Return the joint type and the alignment (3, 3) that maps its canonical axes to the given unit axes.

    ``type`` is one of :data:`JOINT_NAMES`, or a synonym. ``axis`` (3,) is z by default, ``second_axis`` (universal
    joints only) a perpendicular axis. ``pitch`` is in meters per turn.
    """
    type = joint_name(type)
    if not isinstance(type, str) or type not in JOINT_NAMES:
        raise UnknownNameError("joint type", type, JOINT_NAMES)
    if pitch is None and type == "helical":
        raise InputError('a helical joint needs a pitch in meters per turn: type=("helical", pitch)')
    if pitch is not None and type != "helical":
        raise InputError(f"a {type} joint has no pitch")
    if second_axis is not None and type != "universal":
        raise InputError(f"a {type} joint has no second axis")
    if type == "fixed":
        return None, np.eye(3)
    pitched = type == "helical"
    motion = (
        Helical(float(finite("the pitch of a joint, in meters per turn,", pitch, ())))
        if pitched
        else JOINT_NAMES[type]()
    )
    if type in ("spherical", "free"):
        return motion, np.eye(3)
    z = finite("a joint axis", [0.0, 0.0, 1.0] if axis is None else axis, (3,))
    if not z.any():
        raise InputError(f"a joint axis is three numbers, not all zero; got {axis!r}")
    z = snap(unit_vector(z))
    alignment = rotation_from_z(z)
    if second_axis is not None:
        y = finite("the second axis of a joint", second_axis, (3,))
        y = y / (np.abs(y).max() or 1.0)
        if abs(y @ z) > 1e-6 * np.linalg.norm(y) or not y.any():
            raise InputError(f"the axes of a universal joint must be perpendicular; got {axis!r} and {second_axis!r}")
        y = y - (y @ z) * z
        y = y / np.linalg.norm(y)
        alignment = snap(np.stack([np.cross(y, z), y, z], axis=1))
    return motion, alignment


JOINT_NAMES: dict[str, Any] = {
    "fixed": None,
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "helical": Helical,
    "cylindrical": Cylindrical,
    "universal": Universal,
    "planar": Planar,
    "spherical": Spherical,
    "free": Free,
}
"""Joint types by name, without compound joints."""


def pose_of(placement: Any = None, xyz: ArrayLike | None = None, rotation: Array | None = None) -> Array:
    """Return a pose (4, 4) from a matrix, or from a position and a rotation, after a check."""
    if placement is None:
        return pose_matrix(rotation, None if xyz is None else np.array(xyz))
    T = entries("a placement", placement, (4, 4))
    if (is_symbolic(T[3]) and any(hasattr(x, "where") for x in T[3])) or not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
        raise InputError(f"a placement is a homogeneous matrix (4, 4) with last row 0 0 0 1; got\n{placement!r}")
    if is_symbolic(T):
        return T
    R = snap(T[:3, :3])
    error = np.abs(R @ R.T - np.eye(3)).max()
    if error > 1e-8 or np.linalg.det(R) < 0.0:
        raise InputError(f"the rotation of a placement must be orthonormal and right-handed; the error is {error:.1e}")
    return pose_matrix(R, T[:3, 3])
