"""Common parts of writers: XML as text, exact numbers, decomposition of joints that a format lacks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from linkwright.errors import FormatWarning, MissingFileError, listed, warn
from linkwright.formats.meshes.reading import mesh_file
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec
from linkwright.model.elements import PER_COORDINATE, PER_VELOCITY
from linkwright.model.joints.joint import Helical, Prismatic, Revolute, Spherical
from linkwright.model.joints.joint_type import JointType
from linkwright.model.parts.shape import SURFACE, Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_from_z, rotation_z
from linkwright.spatial.transform import inverse_pose, pose_matrix

NOTHING = 1e-14
"""A translation or rotation below this is zero."""


@dataclass
class XmlNode:
    """An XML element."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[XmlNode] = field(default_factory=list)
    said: str = ""
    """text between its tags"""

    def add(self, tag: str, **attributes: Any) -> XmlNode:
        """Add a child; attributes that are None are omitted, ``class_`` stands for class."""
        given = {name.rstrip("_"): text(value) for name, value in attributes.items() if value is not None}
        self.children.append(XmlNode(tag, given))
        return self.children[-1]

    def say(self, tag: str, value: Any, **attributes: Any) -> None:
        """Add a child with a value between its tags."""
        self.add(tag, **attributes).said = text(value)

    def text(self) -> str:
        """Return the element and its contents, one per line."""
        lines = []
        stack: list[tuple[XmlNode | str, int]] = [(self, 0)]
        while stack:
            node, depth = stack.pop()
            if isinstance(node, str):
                lines.append("  " * depth + node)
                continue
            start = " ".join([node.tag, *(f"{name}={quoteattr(value)}" for name, value in node.attributes.items())])
            if node.said:
                lines.append("  " * depth + f"<{start}>{escape(node.said)}</{node.tag}>")
                continue
            lines.append("  " * depth + f"<{start}{'' if node.children else '/'}>")
            if node.children:
                stack.append((f"</{node.tag}>", depth))
                stack.extend((child, depth + 1) for child in reversed(node.children))
        return "\n".join(lines) + "\n"


def text(value: Any) -> str:
    """Return the text of a value; for numbers the shortest text that reads back exactly."""
    if isinstance(value, str):
        return value
    return " ".join(_number(x) for x in np.ravel(np.asarray(value, dtype=float)).tolist())


def _number(x: float) -> str:
    shown = repr(x + 0.0)  # removes the sign of −0
    return shown.removesuffix(".0")


def rpy_of(R: Array) -> Array:
    """Return roll, pitch and yaw (3,) about fixed axes of a rotation (3, 3), exact also at gimbal lock."""
    yaw = np.arctan2(R[1, 0], R[0, 0]) if np.hypot(R[0, 0], R[1, 0]) > 1e-9 else 0.0
    S = rotation_z(-yaw) @ R  # Ry Rx, its middle row is 0, cos, −sin of the roll
    return np.array([np.arctan2(-S[1, 2], S[1, 1]), np.arctan2(-S[2, 0], S[0, 0]), yaw])


class Losses:
    """Losses: elements that a format cannot represent, by kind, with their names."""

    def __init__(self, path: str, format: str):
        self.path, self.format = path, format
        self.found: dict[str, list[str]] = {}

    def add(self, what: str, name: str = "") -> None:
        """Add an element of a kind."""
        self.found.setdefault(what, []).append(name)

    def warn(self) -> None:
        """Issue one warning with all losses."""
        lines = []
        for what, names in self.found.items():
            named = [repr(name) for name in dict.fromkeys(names) if name]
            shown = ", ".join(named[:6]) + (f", … ({len(named)} in all)" if len(named) > 6 else "")
            lines.append(f"{self.path}: {what}{': ' if named else ''}{shown}")
        if lines:
            warn(listed(tuple(lines), f"remarks on writing {self.format}"), FormatWarning)


@dataclass
class Names:
    """Names that are taken, and generation of free ones."""

    taken: set[str]

    def free(self, name: str) -> str:
        """Return the name, with underscores if it is taken, and mark it as taken."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


@dataclass(frozen=True)
class Simple:
    """One of the joints whose product is a joint."""

    name: str
    """suffix of its name; "" for a single joint"""
    motion: JointType
    placement: Array
    """(4, 4), its canonical axes in the frame before it"""
    values: dict[str, Any]
    """its values per coordinate"""
    follows: tuple[int, float] | None = None
    """index of its leader among these joints, and the multiplier"""


def simple(joint: JointSpec) -> tuple[list[Simple], Array]:
    """Return the joints whose product is a joint, and the pose (4, 4) of the child in the last one's moving frame.

    Compound and universal joints are their parts, a cylindrical one is a slide and a hinge, a helical one a hinge and
    a slide that mimics it; any other is itself.
    """
    motion = joint.motion
    assert motion is not None
    first, end = joint.placement @ joint.axes, inverse_pose(joint.axes)
    if isinstance(motion, Helical):
        slide = Simple("slide", Prismatic(), np.eye(4), {}, (0, motion.advance))
        return [Simple("", Revolute(), first, _values(joint)), slide], end
    parts = motion.simple_parts()
    if not motion.parts and len(parts) == 1:
        return [Simple("", motion, first, _values(joint))], end
    found, q, v = [], 0, 0
    for k, part in enumerate(parts):
        own, T = part.motion, np.array(part.placement)
        values = _values(joint, slice(q, q + own.nq), slice(v, v + own.nv))
        found.append(Simple(part.name or str(k), own, T if k else first @ T, values))
        q, v = q + own.nq, v + own.nv
    return found, np.array(motion.end) @ end


def _values(joint: JointSpec, q: slice | None = None, v: slice | None = None) -> dict[str, Any]:
    """Return the values of a joint per coordinate, or of some coordinates."""
    assert joint.motion is not None
    found = {}
    for names, n, part in ((PER_COORDINATE, joint.motion.nq, q), (PER_VELOCITY, joint.motion.nv, v)):
        for name in names:
            given = getattr(joint, name)
            if given is not None:
                x = np.broadcast_to(np.asarray(given, dtype=float), (n,))
                found[name] = x if part is None else x[part]
    return found


def slides(part: Simple, count: int) -> list[Simple]:
    """Return a planar or a free joint as slides along x, y (and z) and a hinge about z (or a ball)."""
    found, before = [], part.placement
    for k in range(count):
        R = pose_matrix(rotation_from_z(np.eye(3)[k]))
        found.append(Simple("xyz"[k], Prismatic(), before @ R, _share(part.values, slice(k, k + 1), slice(k, k + 1))))
        before = inverse_pose(R)
    last = Revolute() if count == 2 else Spherical()
    values = _share(part.values, slice(count, None), slice(count, None))
    return [
        *(Simple(f"{part.name}{one.name}", one.motion, one.placement, one.values) for one in found),
        Simple(f"{part.name}turn", last, before, values),
    ]


def _share(values: dict[str, Any], q: slice, v: slice) -> dict[str, Any]:
    return {name: x[q if name in PER_COORDINATE else v] for name, x in values.items()}


def file_beside(shape: Shape, losses: Losses, packages: bool = True) -> str:
    """Return the name of a shape's mesh relative to the folder of the written file.

    Absolute paths are unchanged, and so are packages that are found from there, if the format has them. Missing
    meshes are recorded as losses, with their names unchanged.
    """
    name = shape.file.removeprefix("file://")
    folder = os.path.dirname(os.path.abspath(losses.path))
    found = mesh_found(shape, losses)
    package = "://" in name
    if os.path.isabs(name) or (package and (not found or (packages and _is_package(shape, found, folder)))):
        return name
    found = found or os.path.join((*shape.folders, ".")[0], name)
    try:
        return os.path.relpath(found, folder)
    except ValueError:  # a path on another drive
        return os.path.abspath(found)


def mesh_found(shape: Shape, losses: Losses) -> str:
    """Return the path of a mesh's file; "", with a loss, if it is missing."""
    try:
        return os.fspath(mesh_file(shape))
    except MissingFileError:
        losses.add("meshes are not found", shape.file)
        return ""


def _is_package(shape: Shape, found: str, folder: str) -> bool:
    """Return whether a package's name means the same file from this folder."""
    try:
        return os.path.samefile(mesh_file(replace(shape, folders=(folder,))), found)
    except MissingFileError:
        return False


def lost_parts(description: Description, losses: Losses, parts: Sequence[str]) -> None:
    """Record the elements of these lists of a description, such as its keyframes."""
    for part in parts:
        for item in getattr(description, part):
            losses.add(f"{part} are lost", item.name)


def lost_compensation(description: Description, losses: Losses) -> None:
    """Record the gravity compensation of links."""
    for body in description.bodies:
        if body.gravity_compensation:
            losses.add("gravity compensation is lost", body.name)


def lost_neutral(description: Description, losses: Losses) -> None:
    """Record the neutral coordinates of joints that are not zero."""
    for joint in description.joints:
        if joint.motion is not None and joint.mimic is None and joint.neutral is not None:
            if np.any(joint.neutral != joint.motion.neutral):
                losses.add("neutral coordinates of joints are lost: the neutral ones are zero", joint.name)


def lost_contact(description: Description, losses: Losses, said: Sequence[str] = (), pairs: bool = False) -> None:
    """Record the contact parameters of shapes that are not in ``said``, and ``pairs`` if they are lost too."""
    plain = Shape(WORLD, "plane")
    for shape in description.shapes:
        for what in (*SURFACE, "contype", "conaffinity") if shape.touches else ():
            if what not in said and getattr(shape, what) != getattr(plain, what):
                losses.add(f"{what.replace('_', ' ')} of shapes is lost", shape.body)
    if not pairs and (description.pairs or description.listed_pairs or description.excluded):
        losses.add("which shapes may touch is lost: find it again by with_ground() and with_contact()")


def still(T: Array) -> bool:
    """Return whether a pose (4, 4) is the identity."""
    return bool(np.abs(T - np.eye(4)).max() <= NOTHING)


def children(description: Description) -> dict[str, list[JointSpec]]:
    """Return the joints on each body, in the order of the description."""
    found: dict[str, list[JointSpec]] = {}
    for joint in description.joints:
        found.setdefault(joint.parent, []).append(joint)
    return found


def downwards(description: Description, root: str) -> Iterator[JointSpec]:
    """Yield all joints below a body, parents first and depth first."""
    below = children(description)
    stack = below.get(root, [])[::-1]
    while stack:
        joint = stack.pop()
        yield joint
        stack.extend(below.get(joint.child, [])[::-1])


def zero_poses(description: Description) -> dict[str, Array]:
    """Return the pose (4, 4) of every body in the world at zero coordinates."""
    poses = {WORLD: np.eye(4)}
    for joint in downwards(description, WORLD):
        poses[joint.child] = poses[joint.parent] @ joint.placement
    return poses


def all_equal(x: Sequence[float] | Array) -> bool:
    """Return whether all numbers are equal."""
    values = np.ravel(np.asarray(x, dtype=float))
    return bool(len(values) == 0 or (values == values[0]).all())


def weightless(body: BodySpec) -> bool:
    """Return whether a body has no inertia at all."""
    return not body.mass and not np.any(body.inertia)
