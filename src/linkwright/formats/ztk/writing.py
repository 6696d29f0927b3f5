"""The ZTK writer: links with their joints, inertias, motors and shapes, as RoKi reads them; loops that are welds.

A ZTK joint moves about or along z of its link and has the link's name. A link with another joint axis is
written as two: a massless link that moves, with the name of the joint, and the link fixed on it. Joints that RoKi
lacks become several joints (a helical joint becomes a hinge and a slide). One warning lists the losses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.formats.writing import (
    Losses,
    Names,
    downwards,
    lost_compensation,
    lost_contact,
    lost_neutral,
    lost_parts,
    simple,
    still,
    text,
    zero_poses,
)
from linkwright.model.build.description import STANDARD_GRAVITY, WORLD, BodySpec, Description, JointSpec
from linkwright.model.joints.joint import (
    Cylindrical,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import Loop, Weld
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose

TYPES: dict[type[JointType], str] = {
    Revolute: "revolute",
    Prismatic: "prismatic",
    Cylindrical: "cylindrical",
    Universal: "hooke",
    Spherical: "spherical",
    Planar: "planar",
    Free: "float",
}

KEYS = {
    "lower": "min",
    "upper": "max",
    "stiffness": "stiffness",
    "damping": "viscosity",
    "friction": "coulomb",
}
"""Keys per coordinate of revolute, prismatic, cylindrical and hooke joints."""

SEPARATORS = frozenset(" \t\r\n,;:{}()[]%#")
"""Characters of names that need quotes."""

CLOSED = 1e-9
"""Largest residual of a weld that counts as closed at zero coordinates, in m and rad."""


def ztk_text(description: Description, path: str = "<text>") -> tuple[str, Losses]:
    """Return the ZTK file of a mechanism, and its losses."""
    writer = _ZtkWriter(description, Losses(path, "ZTK"))
    writer.write()
    return "\n\n".join("\n".join(section) for section in writer.sections()) + "\n", writer.losses


class _ZtkWriter:
    def __init__(self, description: Description, losses: Losses):
        self.description, self.losses = description, losses
        self.bodies = {body.name: body for body in description.bodies}
        self.names = Names({WORLD})
        self.places = {WORLD: ""}
        """names of links and frames in the file"""
        self.links: dict[str, list[str]] = {}
        """lines of each link"""
        self.motors: list[list[str]] = []
        self.motor_names = Names(set())
        self.shapes: list[list[str]] = []

    def sections(self) -> list[list[str]]:
        chain = ["[roki::chain]", f"name: {self.word(self.description.name or 'robot')}"]
        return [chain, *self.motors, *self.shapes, *self.links.values()]

    def word(self, name: str) -> str:
        """Return a name as one word: in quotes if it contains separators, with invalid characters replaced."""
        word = name.replace('"', "'")
        return f'"{word}"' if SEPARATORS.intersection(word) else word

    def named(self, name: str) -> str:
        free = self.names.free(name.replace('"', "'"))
        if free != name:
            self.losses.add("names are changed, for quotes cannot stand in them", name)
        return self.word(free)

    def write(self) -> None:
        description = self.description
        for body in description.bodies:
            self.places[body.name] = self.named(body.name)
        for frame in description.frames:
            self.places[frame.name] = self.named(frame.name)
        on_world = [joint for joint in description.joints if joint.parent == WORLD]
        others = [*(frame.body for frame in description.frames), *(shape.body for shape in description.shapes)]
        if len(on_world) != 1 or WORLD in others:
            self.places[WORLD] = self.names.free("ground")
            self.link(self.places[WORLD], "fixed", "", np.eye(4))
            self.shaped(WORLD)
        for joint in downwards(description, WORLD):
            self.joint(joint)
        for frame in description.frames:
            self.link(self.places[frame.name], "fixed", self.places[frame.body], frame.placement)
        for loop in description.loops:
            self.loop(loop)
        for spring in description.springs:
            self.losses.add("springs between bodies are lost", spring.name)
        lost_parts(description, self.losses, ("keyframes", "actuators", "sensors"))
        lost_compensation(description, self.losses)
        lost_neutral(description, self.losses)
        lost_contact(description, self.losses)
        if tuple(description.gravity) != STANDARD_GRAVITY:
            x, y, z = description.gravity
            self.losses.add(f"gravity ({x:g}, {y:g}, {z:g}) is lost: readers use (0, 0, -9.81)")

    def link(self, name: str, kind: str, parent: str, T: Array, body: BodySpec | None = None) -> list[str]:
        """Return the lines of a link at the pose T (4, 4) on its parent."""
        lines = ["[roki::link]", f"name: {name}", f"jointtype: {kind}"]
        if body is not None:
            lines += [f"mass: {text(body.mass)}", f"COM: {{ {text(body.center_of_mass)} }}"]
            lines += _rows("inertia", np.asarray(body.inertia, dtype=float))
        if not still(T):
            lines += _rows("frame", T[:3])
        if parent:
            lines.append(f"parent: {parent}")
        self.links[name] = lines
        return lines

    def joint(self, joint: JointSpec) -> None:
        body, name, parent = self.bodies[joint.child], self.places[joint.child], self.places[joint.parent]
        if joint.mimic is not None:
            self.losses.add("mimics are lost; these joints move independently", joint.name)
        if joint.motion is None:
            self.link(name, "fixed", parent, joint.placement, body)
            self.shaped(body.name)
            return
        if type(joint.motion) in TYPES:
            parts = [("", joint.motion, joint.placement @ joint.axes, _values(joint))]
            end = inverse_pose(joint.axes)
        else:
            apart, end = simple(joint)
            parts = [(part.name, part.motion, part.placement, part.values) for part in apart]
            self.losses.add(f"a {joint.motion.type} joint is written as {len(parts)} joints", joint.name)
            if isinstance(joint.motion, Helical):
                self.losses.add("the slide of a helical joint moves independently", joint.name)
        for k, (part, motion, T, values) in enumerate(parts):
            last = k == len(parts) - 1
            if last and still(end):
                lines = self.link(name, TYPES[type(motion)], parent, T, body)
                if joint.name != body.name:
                    self.losses.add("a joint has the name of its link: these names are lost", joint.name)
            else:
                own = self.named(f"{joint.name}_{part}" if part else joint.name)
                lines = self.link(own, TYPES[type(motion)], parent, T)
                parent = own
            self.values(lines, joint.name, motion, values)
        if not still(end):
            self.link(name, "fixed", parent, end, body)
        self.shaped(body.name)

    def values(self, lines: list[str], name: str, motion: JointType, values: dict[str, Any]) -> None:
        """Add limits, springs, friction and motor of a joint."""
        degrees = np.array([180.0 / np.pi if unit == "rad" else 1.0 for unit in motion.units])
        has = isinstance(motion, Revolute | Prismatic | Cylindrical | Universal)
        for of, key in KEYS.items():
            x = values.get(of)
            none = np.inf if of in ("lower", "upper") else 0.0
            if x is None or (np.abs(x) == none).all():
                continue
            if has:
                lines.append(f"{key}: {{ {text(x * degrees if none else x)} }}")
            else:
                self.losses.add(f"{of} of {motion.type} joints is lost", name)
        if np.any(values.get("stiffness", 0.0)) and np.any(values.get("rest", motion.neutral) != motion.neutral):
            self.losses.add("rest positions of springs of joints are lost", name)
        if np.isfinite(values.get("velocity_limit", np.inf)).any():
            self.losses.add("limits of velocity are lost", name)
        self.motor(lines, name, motion, values)

    def motor(self, lines: list[str], name: str, motion: JointType, values: dict[str, Any]) -> None:
        """Write the armature or the effort limit as a motor's; a joint of one coordinate has one motor."""
        armature, effort = values.get("armature", np.zeros(1)), values.get("effort_limit", np.full(1, np.inf))
        limited = bool(np.isfinite(effort).any())
        if not armature.any() and not limited:
            return
        if motion.nv != 1:
            what = "armature" if armature.any() else "limits of effort"
            self.losses.add(f"{what} of joints of several coordinates: lost", name)
            return
        motor_name = self.word(self.motor_names.free(f"{name}_motor".replace('"', "'")))
        section = ["[roki::motor]", f"name: {motor_name}"]
        if armature.any():
            values_of = {"motorconstant": 1.0, "admittance": 1.0, "maxvoltage": 0.0, "minvoltage": 0.0}
            values_of |= {"gearratio": 1.0, "rotorinertia": armature[0], "gearinertia": 0.0}
            section += ["type: dc", *(f"{key}: {text(x)}" for key, x in values_of.items())]
            if limited:
                self.losses.add("limits of effort are lost where there is armature", name)
        else:
            section += ["type: trq", f"max: {text(effort[0])}", f"min: {text(-effort[0])}"]
        self.motors.append(section)
        lines.append(f"motor: {motor_name}")

    def loop(self, loop: Any) -> None:
        """Add ``bind``: two links are welded at zero coordinates."""
        if not isinstance(loop, Loop) or not isinstance(loop.kind, Weld):
            self.losses.add("loops are lost that are not welds", loop.name)
            return
        frames = {frame.name: (frame.body, frame.placement) for frame in self.description.frames}
        (one, A), (other, B) = (frames.get(end, (end, np.eye(4))) for end in (loop.first, loop.second))
        poses = zero_poses(self.description)
        off = np.abs(poses[one] @ A @ loop.placement - poses[other] @ B).max()
        first, second = self.places[one], self.places[other]
        if off > CLOSED or not first or not second or any(line.startswith("bind:") for line in self.links[second]):
            self.losses.add("welds are lost that are open at zero coordinates, to the world, or second ones", loop.name)
            return
        self.links[second].append(f"bind: {first}")

    # shapes

    def shaped(self, body: str) -> None:
        """Add the shapes of a link."""
        found = [shape for shape in self.description.shapes if shape.body == body]
        for shape in found:
            lines = _geometry(shape)
            if not lines:
                what = "meshes in files" if shape.kind == "mesh" else f"shapes of the kind {shape.kind}"
                self.losses.add(f"{what} are lost", body)
                continue
            name = f"shape{len(self.shapes) + 1}"
            kind = "polyhedron" if shape.kind == "mesh" else shape.kind
            self.shapes.append(["[zeo::shape]", f"name: {name}", f"type: {kind}", *lines])
            self.links[self.places[body]].append(f"shape: {name}")


def _values(joint: JointSpec) -> dict[str, Any]:
    """Return the values of a joint per coordinate."""
    assert joint.motion is not None
    widths = dict.fromkeys(("lower", "upper", "rest"), joint.motion.nq)
    widths |= dict.fromkeys(
        ("velocity_limit", "effort_limit", "stiffness", "damping", "friction", "armature"), joint.motion.nv
    )
    return {
        of: np.broadcast_to(np.asarray(getattr(joint, of), dtype=float), (n,))
        for of, n in widths.items()
        if getattr(joint, of) is not None
    }


def _rows(key: str, A: Array) -> list[str]:
    """Return a matrix, one row per line."""
    return [f"{key}: {{", *(f"  {text(row)}" for row in A), "}"]


def _geometry(shape: Shape) -> list[str]:
    """Return the keys of a shape in the frame of its link; none for kinds that ZTK lacks."""
    R, p = shape.placement[:3, :3], shape.placement[:3, 3]
    axes = [f"{key}: {{ {text(R[:, k])} }}" for k, key in enumerate(("ax", "ay", "az"))]
    center, radius = f"center: {{ {text(p)} }}", f"radius: {text(shape.radius)}"
    ends = [p + z * 0.5 * shape.length * R[:, 2] for z in (-1.0, 1.0)]
    if shape.kind == "sphere":
        return [center, radius]
    if shape.kind in ("cylinder", "capsule"):
        return [*(f"center: {{ {text(end)} }}" for end in ends), radius]
    if shape.kind == "cone":
        return [f"center: {{ {text(ends[0])} }}", f"vert: {{ {text(ends[1])} }}", radius]
    if shape.kind in ("box", "ellipsoid"):
        keys = ("depth", "width", "height") if shape.kind == "box" else ("rx", "ry", "rz")
        sizes = np.array(shape.size) * (1.0 if shape.kind == "box" else 0.5)
        return [center, *axes, *(f"{key}: {text(x)}" for key, x in zip(keys, sizes, strict=True))]
    if shape.kind == "mesh" and shape.vertices is not None and shape.faces is not None:
        V = (np.asarray(shape.vertices) * np.array(shape.scale)) @ R.T + p
        F = np.asarray(shape.faces) if np.prod(shape.scale) > 0.0 else np.asarray(shape.faces)[:, ::-1]
        return [*(f"vert: {k} {{ {text(v)} }}" for k, v in enumerate(V)), *(f"face: {a} {b} {c}" for a, b, c in F)]
    return []
