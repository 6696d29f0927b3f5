"""The URDF reader (specification: the ROS wiki's URDF pages; `quat_xyzw` of version 1.1).

Supported are links with their inertials and shapes, joints, and transmissions. Meshes are named and not opened. All
problems of a file are reported together, each with file:line:column; elements with an unambiguous interpretation
are repaired, with one warning.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import FormatError, UnknownNameError
from linkwright.formats.findings import LONGEST_NAME, near
from linkwright.formats.text_values import WordFindings
from linkwright.formats.urdf.shapes import material_colors, shapes_of, with_surfaces
from linkwright.formats.urdf.transmissions import actuators_of
from linkwright.formats.xml import Element, parse_xml, read_bytes, shortened
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec, Mimic, motion_of
from linkwright.model.joints.joint_type import JointType
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_about, rotation_rpy
from linkwright.spatial.transform import pose_matrix

JOINT_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "spherical": "spherical",  # not in the specification, but written by several tools
}
"""Joint types in a file, with the names in this library."""

AXIS_TOLERANCE = 1e-3
"""Deviation of the length of an axis from 1 above which there is a remark; smaller ones are rounded decimals."""


class Known(NamedTuple):
    """Contents that an element may have."""

    attributes: tuple[str, ...]
    read: tuple[str, ...] = ()
    """child elements that are read, at most one of each"""
    skipped: tuple[str, ...] = ()
    """child elements that are known and ignored"""


SCHEMA = {
    "robot": Known(
        ("name", "version"), (), ("material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco", "drake")
    ),
    "link": Known(("name", "type"), ("inertial",), ("visual", "collision", "sensor", "contact")),
    "inertial": Known(("name",), ("origin", "mass", "inertia")),
    "joint": Known(
        ("name", "type"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
        ("safety_controller", "calibration"),
    ),
    "origin": Known(("xyz", "rpy", "quat_xyzw")),
    "mass": Known(("value",)),
    "inertia": Known(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "parent": Known(("link",)),
    "child": Known(("link",)),
    "axis": Known(("xyz",)),
    "limit": Known(("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk")),
    "dynamics": Known(("damping", "friction")),
    "mimic": Known(("joint", "multiplier", "offset")),
}

UNLIMITED = 1e30
"""Replacement of an infinite limit where the format requires a number."""

WORDS = re.compile(r"[^ \t\r\n]+")


def read_urdf(path: str | os.PathLike[str], root: str | None = None) -> Model:
    """Read a model from a URDF file, with a floating base for ``root="free"``, else welded to the world.

    Raises :class:`FormatError` with all problems, and issues one :class:`FormatWarning` with ignored and repaired
    elements.
    """
    return parse_urdf(read_bytes(path), root, os.fspath(path), Path(path).stem)


def parse_urdf(text: str | bytes, root: str | None = None, place: str = "<text>", name: str = "robot") -> Model:
    """Read a model as :func:`read_urdf` from the text.

    ``place`` is the name of the file in messages, ``name`` the default name of the robot.
    """
    reader = UrdfReader(place)
    return reader.assembled(reader.robot(parse_xml(text, place, text=True), name), root)


class UrdfReader(WordFindings):
    """Reader of a file, with its problems."""

    def __init__(self, file: str):
        super().__init__(file)
        self.parentless: set[str] = set()

    # values

    def text(self, element: Element, attribute: str) -> str | None:
        """Return a required name; None, with a problem, if missing."""
        value = element.attributes.get(attribute)
        if not value:
            missing = "is empty" if value == "" else "is missing"
            self.problem(element, f"the {attribute} of <{element.tag}> {missing}")
            return None
        return self.bounded_name(element, f"the {attribute} of <{element.tag}>", value)

    def number(
        self, element: Element, attribute: str, default: float | None = 0.0, infinite: bool = False
    ) -> float | None:
        """Return a number, ``default`` if missing, None if invalid."""
        if attribute not in element.attributes:
            return default
        x = self.vector(element, attribute, 1, infinite)
        return x[0] if x else None

    def vector(self, element: Element, attribute: str, n: int, infinite: bool = False) -> list[float] | None:
        """Return n numbers; None if missing or invalid."""
        value = element.attributes.get(attribute)
        if value is None:
            return None
        what, words = f"the {attribute} of <{element.tag}>", WORDS.findall(value)
        expected = "one number" if n == 1 else f"{n} numbers separated by spaces"
        if len(words) != n:
            self.problem(element, f"{what} is {shortened(value)!r}; expected {expected}{self.hint(value)}")
            return None
        return self.reals(what, [(word, element) for word in words], expected, infinite)

    def hint(self, text: str) -> str:
        if re.search(r"\bnan\b|\binf", text, re.IGNORECASE):
            return ", finite"
        if "," in text:
            return " (no commas)"
        if "${" in text:
            return " (this looks like xacro: expand it, or give the file the suffix .xacro)"
        return ""

    def parts(self, element: Element, known: Known | None = None) -> dict[str, Element]:
        """Return the supported child elements by tag; report unknown and repeated ones."""
        known = known or SCHEMA[element.tag]
        self.attributes(element, known.attributes)
        found: dict[str, Element] = {}
        for child in element.children:
            if child.tag in known.read:
                if child.tag in found:
                    self.second(child, found[child.tag])
                else:
                    found[child.tag] = child
                    if not SCHEMA[child.tag].read:
                        self.attributes(child, SCHEMA[child.tag].attributes)
            elif child.tag not in known.skipped:
                self.unknown(child, element.tag, known.read + known.skipped)
        return found

    def attributes(self, element: Element, known: tuple[str, ...]) -> None:
        """Report unknown attributes; those of other namespaces are ignored."""
        for attribute in element.attributes:
            if attribute not in known and attribute != "xmlns" and ":" not in attribute:
                hint = near(attribute, known)
                what = f"<{element.tag}> has no attribute {shortened(attribute)!r} in URDF{hint}; it is ignored"
                self.remark(element, what)

    def unknown(self, element: Element, parent: str, known: tuple[str, ...]) -> None:
        """Report an unknown element; those of other namespaces are ignored."""
        tag = shortened(element.tag)
        if tag.startswith("xacro:"):
            self.problem(element, f"<{tag}> is xacro: expand the file first, or give it the suffix .xacro")
        elif ":" not in tag:
            self.remark(element, f"<{tag}> in <{parent}> is not an element of URDF{near(tag, known)}; it is ignored")

    # elements

    def robot(self, element: Element, name: str) -> Description:
        """Read the whole file."""
        if element.tag != "robot":
            hint = "; an MJCF file has the suffix .xml" if element.tag == "mujoco" else ""
            raise FormatError(
                f"{self.place(element)}: the root element is <{shortened(element.tag)}>; expected <robot>{hint}"
            )
        known = SCHEMA["robot"]
        self.attributes(element, known.attributes)
        if not element.attributes.get("name"):
            self.remark(element, f"<robot> has no name; it is called {name!r}")
        bodies: list[BodySpec] = []
        joints: list[JointSpec] = []
        shapes: list[Shape] = []
        colors = material_colors(self, element)
        ground: Element | None = None
        for child in element.children:
            if child.tag == "link":
                body = self.link(child)
                if body and body.name == WORLD:
                    ground = self.ground(child, body, ground)
                elif body:
                    bodies.append(body)
                if body:
                    shapes += shapes_of(self, child, body.name, colors)
            elif child.tag == "joint":
                joint = self.joint(child)
                if joint:
                    joints.append(joint)
            elif child.tag not in known.skipped:
                self.unknown(child, "robot", ("link", "joint", *known.skipped))
        self.owner = ""
        shapes = with_surfaces(self, element, shapes)
        joints = self.followers(joints)
        if not bodies and ground is None and not self.problems:
            self.problem(element, "the robot has no links")
        self.roots(bodies, joints, ground)
        self.weightless(bodies, joints, {shape.body for shape in shapes})
        name = element.attributes.get("name", "")[:LONGEST_NAME] or name
        actuators = actuators_of(self, element, joints)
        return Description(name, tuple(bodies), tuple(joints), shapes=tuple(shapes), actuators=actuators)

    def followers(self, joints: list[JointSpec]) -> list[JointSpec]:
        """Return the joints; mimics of unknown joints are ignored with a remark."""
        known = {joint.name for joint in joints}
        kept = []
        for joint in joints:
            if joint.mimic and joint.mimic.joint not in known:
                unknown = UnknownNameError("joint", joint.mimic.joint, known if len(self.remarks) < 10 else ())
                message = f"{joint.place}: joint {joint.name!r} mimics an {unknown}; its mimic is ignored"
                self.remarks.setdefault(message, [])
                joint = replace(joint, mimic=None)
            kept.append(joint)
        return kept

    def weightless(self, bodies: list[BodySpec], joints: list[JointSpec], visible: set[str]) -> None:
        """Report moved links that have shapes but no <inertial>."""
        moved = {joint.child for joint in joints if joint.motion is not None}
        for body in bodies:
            if body.name in moved and body.name in visible and not body.inertia_place:
                message = (
                    f"{body.place}: link {body.name!r}: no <inertial>, so its mass is 0; a simulation needs masses"
                )
                self.remarks.setdefault(message, [])

    def ground(self, element: Element, body: BodySpec, before: Element | None) -> Element:
        """Treat a link named "world" as the world."""
        self.owner = ""
        if before:
            self.problem(element, f"a second link is named {WORLD!r} (first at {self.place(before)})")
        if body.mass:
            self.remark(element, f"the link {WORLD!r} is the ground; its mass is ignored")
        return before or element

    def roots(self, bodies: list[BodySpec], joints: list[JointSpec], ground: Element | None) -> None:
        """Check a link named "world", or a missing one; assembly checks the rest of the tree."""
        for joint in joints:
            if ground is None and joint.parent == WORLD and joint.name not in self.parentless:
                self.problems.append(
                    f"{joint.place}: joint {joint.name!r}: unknown parent link {WORLD!r}: no <link> is named so"
                )
        if ground is not None:
            children = {joint.child for joint in joints}
            loose = [body for body in bodies if body.name not in children]
            if len(loose) == 1 and WORLD not in children:
                self.problems.append(
                    f"{loose[0].place}: links {WORLD!r} and {loose[0].name!r} both have no parent joint; "
                    f"only one root may"
                )

    def link(self, element: Element) -> BodySpec | None:
        self.owner = ""
        name = self.text(element, "name")
        self.owner = f"link {name!r}" if name else ""
        inertial = self.parts(element).get("inertial")
        mass, center, inertia = self.inertial(inertial) if inertial else (0.0, np.zeros(3), np.zeros((3, 3)))
        inertia_place = self.place(inertial) if inertial else ""
        return BodySpec(name, mass, center, inertia, self.place(element), inertia_place) if name else None

    def inertial(self, element: Element) -> tuple[float, Array, Array]:
        """Return mass, center of mass, and inertia about it in the link's axes."""
        parts = self.parts(element)
        R, center = self.origin(parts.get("origin"))
        for tag in ("mass", "inertia"):
            if tag not in parts:
                self.problem(element, f"<inertial> has no <{tag}>")
        mass = self.number(parts["mass"], "value", None) if "mass" in parts else None
        if "mass" in parts and "value" not in parts["mass"].attributes:
            self.problem(parts["mass"], "the value of <mass> is missing")
        I = np.zeros((3, 3))
        if "inertia" in parts:
            I = self.inertia(parts["inertia"])
        return mass or 0.0, np.zeros(3) if center is None else np.array(center), I if R is None else R @ I @ R.T

    def inertia(self, element: Element) -> Array:
        missing = [key for key in SCHEMA["inertia"].attributes if key not in element.attributes]
        if {"ixx", "iyy", "izz"} & set(missing):
            self.problem(element, f"<inertia> has no {', '.join(missing)}")
        elif missing:
            self.remark(element, f"<inertia> has no {', '.join(missing)}; taken as 0", self.owner)
        values = [self.number(element, key) for key in SCHEMA["inertia"].attributes]
        if None in values:
            return np.zeros((3, 3))
        xx, xy, xz, yy, yz, zz = values
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)

    def origin(self, element: Element | None) -> tuple[Array | None, list[float] | None]:
        """Return the rotation and position of an <origin>; None for the identity."""
        if element is None:
            return None, None
        xyz = self.vector(element, "xyz", 3)
        rpy = self.vector(element, "rpy", 3)
        if "quat_xyzw" not in element.attributes:
            return (_rotation(tuple(rpy)) if rpy and any(rpy) else None), xyz
        u = self.vector(element, "quat_xyzw", 4)
        if "rpy" in element.attributes:
            self.problem(element, "<origin> has both rpy and quat_xyzw; expected one of them")
            return None, xyz
        return self.rotation(element, "the quat_xyzw of <origin>", u) if u else None, xyz

    def joint(self, element: Element) -> JointSpec | None:
        self.owner = ""
        name = self.text(element, "name") or f"joint of line {element.line}"
        self.owner = f"joint {name!r}"
        parts = self.parts(element)
        type = self.type(element)
        R, p = self.origin(parts.get("origin"))
        parent, child = (self.end(element, parts, tag) for tag in ("parent", "child"))
        options: dict[str, Any] = {}
        motion, alignment = _motion(type, None)
        if motion is not None:  # axis, limits and friction of a fixed joint are ignored
            motion, alignment = self.axis(parts.get("axis"), type)
            self.limits(element, parts, type, options)
            if "dynamics" in parts:
                options["damping"] = self.number(parts["dynamics"], "damping") or 0.0
                options["friction"] = self.number(parts["dynamics"], "friction") or 0.0
        if "mimic" in parts and motion is None:
            self.remark(parts["mimic"], "the joint is fixed; its <mimic> is ignored", self.owner)
        elif "mimic" in parts:
            leader = self.text(parts["mimic"], "joint")
            multiplier = self.number(parts["mimic"], "multiplier", 1.0)
            offset = self.number(parts["mimic"], "offset")
            if leader:
                options["mimic"] = Mimic(leader, 1.0 if multiplier is None else multiplier, offset or 0.0)
        if child is None:
            return None
        if parent is None:  # reported before; the ground avoids further messages
            self.parentless.add(name)
            parent = WORLD
        return JointSpec(
            name, parent, child, motion, pose_matrix(R, p), alignment, place=self.place(element), **options
        )

    def type(self, element: Element) -> str:
        """Return the joint type's name in this library; for an unknown type one with an axis and limits."""
        type = self.text(element, "type")
        if type is None or type in JOINT_TYPES:
            return JOINT_TYPES[type] if type else "revolute"
        hint = near(type.lower(), tuple(JOINT_TYPES))
        self.problem(element, f"unknown type {shortened(type)!r}{hint}; there are {', '.join(JOINT_TYPES)}")
        return "revolute"

    def end(self, element: Element, parts: dict[str, Element], tag: str) -> str | None:
        """Return the link of <parent> or <child>."""
        if tag in parts:
            return self.text(parts[tag], "link")
        self.problem(element, f'<joint> has no <{tag} link="…">')
        return None

    def axis(self, element: Element | None, type: str) -> tuple[JointType | None, Array]:
        """Return the motion about or along the axis, x by default."""
        axis = (1.0, 0.0, 0.0)
        if element is not None and type not in ("free", "spherical"):
            given = self.vector(element, "xyz", 3)
            length = float(np.linalg.norm(given)) if given else 1.0
            if "xyz" not in element.attributes:
                self.problem(element, "the xyz of <axis> is missing")
            elif length < 1e-12:
                self.problem(element, f"the axis is {element.attributes['xyz']!r}; expected a direction, not zero")
            elif given:
                axis = (given[0], given[1], given[2])
            if length >= 1e-12 and abs(length - 1.0) > AXIS_TOLERANCE:
                self.remark(element, f"the axis has length {length:.6g}, not 1; its direction is taken", self.owner)
        return _motion(type, axis)

    def limits(self, element: Element, parts: dict[str, Element], type: str, options: dict[str, Any]) -> None:
        """Add limits of position, velocity and effort to ``options``."""
        limit = parts.get("limit")
        bounded = type in ("revolute", "prismatic")
        if limit is None:
            if bounded:
                self.remark(element, f"{type} without <limit>; taken as unlimited", self.owner)
            return
        for ours, attribute in (("velocity_limit", "velocity"), ("effort_limit", "effort")):
            options[ours] = _limit(self.number(limit, attribute, None, infinite=True))
        ends = [_limit(self.number(limit, attribute, infinite=True)) for attribute in ("lower", "upper")]
        given = [attribute for attribute in ("lower", "upper") if attribute in limit.attributes]
        if not bounded:
            if any(ends):
                self.remark(limit, f"{type}: its lower and upper limits are ignored", self.owner)
        elif not given:
            self.remark(limit, "<limit> has neither lower nor upper; the position is taken as unlimited", self.owner)
        elif None not in ends:
            options["lower"], options["upper"] = ends  # the specification's default is 0
            if ends[0] == ends[1] and "mimic" not in parts:
                self.remark(limit, f"lower and upper are both {ends[0]:g}: the joint has no room to move", self.owner)


def _limit(x: float | None) -> float | None:
    """Return a limit; infinite if it is as large as the replacement."""
    return x if x is None or abs(x) < UNLIMITED else float(np.copysign(np.inf, x))


@lru_cache(maxsize=1024)
def _rotation(rpy: tuple[float, float, float]) -> Array:
    """Return the same as `rotation_rpy`, faster for rotations about one axis."""
    turns = [k for k in range(3) if rpy[k]]
    R = rotation_about(np.eye(3)[turns[0]], rpy[turns[0]]) if len(turns) == 1 else rotation_rpy(rpy)
    R.setflags(write=False)
    return R


@lru_cache(maxsize=1024)
def _motion(type: str, axis: tuple[float, float, float] | None) -> tuple[JointType | None, Array]:
    motion, alignment = motion_of(type, axis if type not in ("free", "spherical", "fixed") else None)
    alignment.setflags(write=False)
    return motion, alignment
