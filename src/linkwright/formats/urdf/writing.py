"""The URDF writer: links, their inertias and shapes, joints with limits, dynamics and mimics; frames as fixed links.

Joints that URDF lacks become several joints with massless links between them: a universal joint two hinges, a
cylindrical one a slide and a hinge, a helical one a hinge and a slide that mimics it, a compound one its parts. One
warning lists the losses (armature, springs, loops, gravity, …).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.formats.urdf.reading import UNLIMITED
from linkwright.formats.urdf.transmissions import write_transmissions
from linkwright.formats.writing import (
    Losses,
    Names,
    XmlNode,
    all_equal,
    downwards,
    file_beside,
    lost_compensation,
    lost_contact,
    lost_neutral,
    lost_parts,
    rpy_of,
    simple,
    still,
    weightless,
)
from linkwright.model.build.description import STANDARD_GRAVITY, WORLD, BodySpec, Description, motion_of
from linkwright.model.joints.joint import Free, Planar, Prismatic, Spherical
from linkwright.model.joints.joint_type import JointType
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose, pose_matrix

TYPES = {Prismatic: "prismatic", Planar: "planar", Free: "floating", Spherical: "spherical"}


def urdf_text(description: Description, path: str = "<text>") -> tuple[str, Losses]:
    """Return the URDF file of a mechanism, and its losses."""
    writer = _UrdfWriter(description, Losses(path, "URDF"))
    robot = writer.robot()
    return '<?xml version="1.0"?>\n' + robot.text(), writer.losses


class _UrdfWriter:
    def __init__(self, description: Description, losses: Losses):
        self.description, self.losses = description, losses
        names = [WORLD, *(b.name for b in description.bodies), *(f.name for f in description.frames)]
        self.links, self.joints = Names({*names}), Names({joint.name for joint in description.joints})
        self.leaders: dict[str, str] = {}
        """names in the file of joints of one coordinate that may be leaders"""
        self.root = XmlNode("robot", {"name": description.name})

    def robot(self) -> XmlNode:
        description = self.description
        bodies = {body.name: body for body in description.bodies}
        at_world = [joint for joint in description.joints if joint.parent == WORLD]
        grounded = (
            len(at_world) != 1
            or at_world[0].motion is not None
            or not still(at_world[0].placement)
            or WORLD in [*(frame.body for frame in description.frames), *(shape.body for shape in description.shapes)]
        )
        if grounded:
            self.shapes(self.root.add("link", name=WORLD), WORLD)
        for joint in downwards(description, WORLD):
            if joint.parent == WORLD and not grounded:
                self.link(bodies[joint.child])
            elif joint.motion is None:
                self.link(bodies[joint.child])
                self.joint(joint.name, "fixed", joint.parent, joint.child, joint.placement)
            else:
                self.moving(joint, bodies[joint.child])
        for frame in description.frames:
            self.root.add("link", name=frame.name)
            self.joint(self.joints.free(f"{frame.name}_frame"), "fixed", frame.body, frame.name, frame.placement)
        write_transmissions(self.root, description.actuators, self.losses, self.leaders)
        self.lost()
        self.surfaces()
        return self.root

    def surfaces(self) -> None:
        """Write the contact parameters of a link for Gazebo, if all its shapes have the same."""
        of: dict[str, set[tuple[Any, ...]]] = {}
        for shape in self.description.shapes:
            if shape.touches:
                of.setdefault(shape.body, set()).add((shape.friction, shape.stiffness, shape.damping))
        alike = {name: values.pop() for name, values in of.items() if len(values) == 1}
        for name, (friction, stiffness, damping) in alike.items():
            if friction is None and stiffness is None:
                continue
            node = self.root.add("gazebo", reference=name)
            if friction is not None:
                node.say("mu1", friction)
                node.say("mu2", friction)
            if stiffness is not None:
                node.say("kp", stiffness)
                node.say("kd", damping)
        rest = tuple(shape for shape in self.description.shapes if shape.body not in alike)
        lost_contact(replace(self.description, shapes=rest), self.losses)
        rest = tuple(shape for shape in self.description.shapes if shape.body in alike)
        lost_contact(
            replace(self.description, shapes=rest), self.losses, ("friction", "stiffness", "damping"), pairs=True
        )

    def link(self, body: BodySpec) -> None:
        link = self.root.add("link", name=body.name)
        if not weightless(body):
            inertial = link.add("inertial")
            inertial.add("origin", xyz=body.center_of_mass)
            inertial.add("mass", value=body.mass)
            I = np.asarray(body.inertia, dtype=float)
            inertial.add("inertia", ixx=I[0, 0], ixy=I[0, 1], ixz=I[0, 2], iyy=I[1, 1], iyz=I[1, 2], izz=I[2, 2])
        self.shapes(link, body.name)

    def shapes(self, link: XmlNode, name: str) -> None:
        """Add the shapes of a link."""
        for shape in self.description.shapes:
            if shape.body != name:
                continue
            parts = self.geometry(shape)
            for tag in (("visual",) if shape.is_seen else ()) + (("collision",) if shape.touches else ()):
                for kind, attributes, T in parts:
                    element = link.add(tag, **({"name": shape.name} if shape.name and len(parts) == 1 else {}))
                    if not still(T):
                        element.add("origin", xyz=T[:3, 3], rpy=rpy_of(T[:3, :3]))
                    element.add("geometry").add(kind, **attributes)
                    if shape.color is not None and tag == "visual":
                        element.add("material", name=f"color_{'_'.join(f'{x:g}' for x in shape.color)}").add(
                            "color", rgba=shape.color
                        )

    def geometry(self, shape: Shape) -> list[tuple[str, dict[str, Any], Array]]:
        """Return a shape as shapes of URDF: each with its element, its attributes and its pose (4, 4)."""
        T, radius = shape.placement, {"radius": shape.radius}
        if shape.kind == "box":
            return [("box", {"size": shape.size}, T)]
        if shape.kind == "sphere":
            return [("sphere", radius, T)]
        if shape.kind == "cylinder":
            return [("cylinder", radius | {"length": shape.length}, T)]
        if shape.kind == "capsule":
            if shape.touches:
                self.losses.add("a capsule is written as a cylinder and two spheres", shape.body)
            ends = [T @ pose_matrix(p=np.array([0.0, 0.0, z * shape.length])) for z in (-0.5, 0.5)]
            middle = [("cylinder", radius | {"length": shape.length}, T)] if shape.length else []
            return [*middle, *(("sphere", radius, end) for end in ends)]
        if shape.kind == "mesh" and shape.file:
            scale = {} if shape.scale == (1.0, 1.0, 1.0) else {"scale": shape.scale}
            return [("mesh", {"filename": file_beside(shape, self.losses)} | scale, T)]
        what = "meshes without a file" if shape.kind == "mesh" else f"shapes of the kind {shape.kind}"
        self.losses.add(f"{what} are lost", shape.body)
        return []

    def joint(self, name: str, type: str, parent: str, child: str, T: Array) -> XmlNode:
        joint = self.root.add("joint", name=name, type=type)
        joint.add("parent", link=parent)
        joint.add("child", link=child)
        if not still(T):
            joint.add("origin", xyz=T[:3, 3], rpy=rpy_of(T[:3, :3]))
        return joint

    def moving(self, joint: Any, body: BodySpec) -> None:
        """Add a joint as a sequence of URDF joints."""
        parts, end = simple(joint)
        if len(parts) > 1:
            self.losses.add(f"a {joint.motion.type} joint is written as {len(parts)} joints", joint.name)
        parent, names = joint.parent, []
        for k, part in enumerate(parts):
            last = k == len(parts) - 1
            axes = inverse_pose(end) if last else np.eye(4)  # of the joint in the frame of the link it moves
            T = part.placement @ (end if last else np.eye(4))
            name = self._name(joint.name, part.name, len(parts))
            names.append(name)
            link = body.name
            if not last or not _plain(part.motion, axes):
                link = self.links.free(f"{body.name}_{part.name or 'axis'}")
                T, axes = part.placement, np.eye(4)
                self.root.add("link", name=link)
            else:
                self.link(body)
            element = self.joint(name, self.type(part.motion, part.values), parent, link, T)
            if not part.motion.quaternions:
                element.add("axis", xyz=axes[:3, 2])
            self.values(element, joint.name, part.motion, part.values)
            if part.follows is not None:
                element.add("mimic", joint=names[part.follows[0]], multiplier=part.follows[1])
            elif joint.mimic is not None and k == 0:
                leader = self.leaders.get(joint.mimic.joint, joint.mimic.joint)
                element.add("mimic", joint=leader, multiplier=joint.mimic.multiplier, offset=joint.mimic.offset)
            if last and link != body.name:
                self.link(body)
                weld = self.joints.free(f"{name}_weld")
                self.joint(weld, "fixed", link, body.name, end)
            parent = link
        if joint.motion.nq == 1:
            self.leaders[joint.name] = names[0]

    def _name(self, joint: str, part: str, count: int) -> str:
        if count == 1 or not part:
            return joint
        own = self.description.joints
        named = part if not part.isdigit() and all(part != one.name for one in own) else f"{joint}_{part}"
        return self.joints.free(named)

    def type(self, motion: JointType, values: dict[str, Any]) -> str:
        if motion.hinge:
            limited = any(np.isfinite(values.get(side, np.inf)).any() for side in ("lower", "upper"))
            return "revolute" if limited else "continuous"
        if isinstance(motion, Spherical):
            self.losses.add("spherical joints are not in the specification of URDF; not every program reads them")
        return TYPES[type(motion)]

    def values(self, element: XmlNode, name: str, motion: JointType, values: dict[str, Any]) -> None:
        """Add limits and friction; record losses."""
        lower, upper = (np.ravel(values.get(side, x))[0] for side, x in (("lower", -np.inf), ("upper", np.inf)))
        given = {what: values.get(f"{what}_limit", np.full(1, np.inf)) for what in ("effort", "velocity")}
        limits: dict[str, Any] = {}
        if motion.slide or (motion.hinge and element.attributes["type"] == "revolute"):
            limits = {"lower": max(lower, -UNLIMITED), "upper": min(upper, UNLIMITED)}
        elif any(np.isfinite(values.get(side, np.inf)).any() for side in ("lower", "upper")):
            self.losses.add(f"limits of {motion.type} joints are lost", name)
        if motion.nv > 1 and any(np.isfinite(x).any() for x in given.values()):
            self.losses.add(f"limits of {motion.type} joints are lost", name)
        elif motion.nv == 1 and (limits or any(np.isfinite(x).any() for x in given.values())):
            limits |= {what: min(float(x[0]), UNLIMITED) for what, x in given.items()}
        if limits:
            element.add("limit", **limits)
        rubbing: dict[str, Any] = {}
        for what in ("damping", "friction"):
            x = values.get(what, np.zeros(1))
            if not all_equal(x):
                self.losses.add(f"{what} that differs between the coordinates of a joint is lost", name)
            elif x[0]:
                rubbing[what] = x[0]
        if rubbing:
            element.add("dynamics", **rubbing)
        for what in ("armature", "stiffness"):
            if np.any(values.get(what, 0.0)):
                self.losses.add(f"{what} is lost", name)

    def lost(self) -> None:
        """Record the elements that URDF cannot represent."""
        lost_parts(self.description, self.losses, ("loops", "springs", "keyframes", "sensors"))
        lost_compensation(self.description, self.losses)
        lost_neutral(self.description, self.losses)
        if tuple(self.description.gravity) != STANDARD_GRAVITY:
            x, y, z = self.description.gravity
            self.losses.add(f"gravity ({x:g}, {y:g}, {z:g}) is lost: readers use (0, 0, -9.81)")


def _plain(motion: JointType, axes: Array) -> bool:
    """Return whether URDF can represent a joint's axes (4, 4) in its child's frame: through its origin."""
    R, p = axes[:3, :3], axes[:3, 3]
    if motion.slide:
        return True
    if motion.hinge:
        return bool(np.abs(np.cross(R[:, 2], p)).max() <= 1e-15)
    if isinstance(motion, Planar):
        return still(inverse_pose(pose_matrix(motion_of("planar", R[:, 2])[1])) @ axes)
    return still(axes)
