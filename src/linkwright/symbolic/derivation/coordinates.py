"""The names of a mechanism's coordinates, velocities and accelerations."""

from __future__ import annotations

from typing import NamedTuple

from linkwright.model.joints.joint_type import JointType
from linkwright.model.tree import Model


class Coordinates(NamedTuple):
    """The names of a mechanism's coordinates."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    a: tuple[str, ...]
    angles: tuple[str, ...]
    quaternions: tuple[tuple[str, str, str, str], ...]


def coordinates_of(model: Model) -> Coordinates:
    """theta1, d2, … for the angle of joint 1 and the displacement of joint 2, theta1_dot for a rate."""
    q: list[str] = []
    v: list[str] = []
    angles: list[str] = []
    quaternions: list[tuple[str, str, str, str]] = []

    def add(motion: JointType, tag: str) -> None:
        if motion.parts:
            for letter, part in zip("abcdefghijklmnopqrstuvwxyz", motion.parts, strict=False):
                add(part.motion, tag + letter)
            return
        own, rates = _OWN[motion.type]
        names = [name + tag for name in own]
        q.extend(names)
        v.extend([rate + tag for rate in rates] or [name + "_dot" for name in names])
        angles.extend(name for name in names if name.startswith("theta"))
        for start in motion.quaternions:
            w, x, y, z = names[start : start + 4]
            quaternions.append((w, x, y, z))

    for k, joint in enumerate(model.joints, start=1):
        if joint.nq:
            add(joint.motion, str(k))
    a = tuple(name[:-4] + "_ddot" if name.endswith("_dot") else name + "_dot" for name in v)
    return Coordinates(tuple(q), tuple(v), a, tuple(angles), tuple(quaternions))


_OWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "revolute": (("theta",), ()),
    "helical": (("theta",), ()),
    "prismatic": (("d",), ()),
    "cylindrical": (("d", "theta"), ()),
    "planar": (("x", "y", "theta"), ("vx", "vy", "w")),
    "spherical": (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
    "free": (("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")),
}
"""The letters of a joint's coordinates, and of its velocities where those are no rates of coordinates."""
