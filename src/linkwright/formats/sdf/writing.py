"""The SDF writer: links with inertias and shapes, joints with limits, springs and friction, frames, mimics, loops.

At zero coordinates each link is at its pose, so that loops that are closed there can be written. Joints that
SDF lacks become several joints with massless links between them (a cylindrical joint becomes a slide and a hinge, a
planar one two slides and a hinge, …). A base on a free joint has no joint, as for a floating model in Gazebo. One
warning lists the losses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.formats.gazebo import DISC
from linkwright.formats.writing import (
    Losses,
    Names,
    Simple,
    XmlNode,
    downwards,
    file_beside,
    lost_compensation,
    lost_contact,
    lost_neutral,
    lost_parts,
    simple,
    slides,
    still,
    zero_poses,
)
from linkwright.model.build.description import STANDARD_GRAVITY, WORLD, BodySpec, Description, JointSpec
from linkwright.model.joints.joint import Helical, Prismatic, Revolute, Spherical, Universal
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import (
    Ball,
    CoordinateLoop,
    HelicalPair,
    Loop,
    PrismaticPair,
    RevolutePair,
    Weld,
)
from linkwright.model.parts.shape import SURFACE, Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright.spatial.transform import inverse_pose

BITS = ("contype", "conaffinity")

VERSION = "1.12"

TYPES: dict[type[JointType], str] = {
    Revolute: "revolute",
    Prismatic: "prismatic",
    Spherical: "ball",
    Helical: "screw",
    Universal: "universal",
}

LOOPS: dict[type, str] = {
    Weld: "fixed",
    Ball: "ball",
    RevolutePair: "revolute",
    PrismaticPair: "prismatic",
    HelicalPair: "screw",
}

CLOSED = 1e-9
"""Largest residual of a loop that counts as closed at zero coordinates, in m and rad."""


def sdf_text(description: Description, path: str = "<text>") -> tuple[str, Losses]:
    """Return the SDF file of a mechanism, and its losses."""
    writer = _SdfWriter(description, Losses(path, "SDF"))
    root = writer.sdf()
    return '<?xml version="1.0"?>\n' + root.text(), writer.losses


class _SdfWriter:
    def __init__(self, description: Description, losses: Losses):
        self.description, self.losses = description, losses
        self.bodies = {body.name: body for body in description.bodies}
        self.names = Names({WORLD, "__model__"})
        self.places = {WORLD: WORLD}
        """names of links and frames in the file"""
        self.joints: dict[str, str] = {}
        """names in the file of joints that may be leaders"""
        self.filtered = any((shape.contype, shape.conaffinity) != (1, 1) for shape in description.shapes)
        """whether shapes have bit masks: in SDF all have some then"""

    def named(self, name: str) -> str:
        """Return a name that SDF allows: "::" is for nested models, and names of a model's elements are unique."""
        free = self.names.free(name.replace("::", "_"))
        if free != name:
            self.losses.add("names are changed, for those of links, joints and frames must differ", name)
        return free

    def sdf(self) -> XmlNode:
        description = self.description
        root = XmlNode("sdf", {"version": VERSION})
        above = root
        if tuple(description.gravity) != STANDARD_GRAVITY:
            above = root.add("world", name="default")
            above.say("gravity", description.gravity)
        self.model = above.add("model", name=(description.name or "robot").replace("::", "_"))
        for body in description.bodies:
            self.places[body.name] = self.named(body.name)
        for frame in description.frames:
            self.places[frame.name] = self.named(frame.name)
        order = list(downwards(description, WORLD))
        loose = [
            joint for joint in order if joint.parent == WORLD and joint.motion is not None and joint.motion.floating
        ]
        self.base = loose[0] if loose else None
        if self.base is not None:
            self.losses.add("the base floats without a joint, as in Gazebo: load it with root='free'", self.base.name)
            order.remove(self.base)
            self.link(self.bodies[self.base.child], WORLD, self.base.placement)
        for joint in order:
            self.joint(joint)
        for frame in description.frames:
            node = self.model.add("frame", name=self.places[frame.name], attached_to=self.places[frame.body])
            self.pose(node, frame.placement)
        for loop in description.loops:
            self.loop(loop)
        for spring in description.springs:
            self.losses.add("springs between bodies are lost", spring.name)
        lost_parts(description, self.losses, ("keyframes", "actuators", "sensors"))
        lost_compensation(description, self.losses)
        lost_neutral(description, self.losses)
        for shape in description.shapes:
            if shape.body == WORLD:
                self.losses.add("shapes of the world are lost: in SDF they are those of another model", shape.name)
        lost_contact(description, self.losses, [what for what in (*SURFACE, *BITS) if what != "margin"])
        return root

    def pose(self, node: XmlNode, T: Array, relative_to: str = "") -> None:
        """<pose>: position and quaternion, which is exact for every rotation."""
        if still(T) and not relative_to:
            return
        w, x, y, z = quaternion_from_matrix(T[:3, :3])
        options = {"relative_to": relative_to} if relative_to else {}
        node.say("pose", [*T[:3, 3], x, y, z, w], **options, rotation_format="quat_xyzw")

    def link(self, body: BodySpec, parent: str, T: Array) -> None:
        """Add a link with its contents at the pose T (4, 4) in another link, by their names in the file."""
        node = self.empty(self.places[body.name], parent, T, body)
        for shape in self.description.shapes:
            if shape.body == body.name:
                self.shape(node, shape)

    def empty(self, name: str, parent: str, T: Array, body: BodySpec | None = None) -> XmlNode:
        """Add a link without shapes, and without mass unless it is a body."""
        node = self.model.add("link", name=name)
        self.pose(node, T, "" if parent == WORLD else parent)
        inertial = node.add("inertial")
        if body is not None:
            inertial.say("pose", [*body.center_of_mass, 0.0, 0.0, 0.0])
        inertial.say("mass", 0.0 if body is None else body.mass)
        inertia = inertial.add("inertia")
        I = np.zeros((3, 3)) if body is None else np.asarray(body.inertia, dtype=float)
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            inertia.say(f"i{'xyz'[i]}{'xyz'[j]}", I[i, j])
        return node

    # joints

    def joint(self, joint: JointSpec) -> None:
        """Add a joint and the link that it moves."""
        body, parent = self.bodies[joint.child], self.places[joint.parent]
        child = self.places[body.name]
        if joint.motion is None:
            self.link(body, parent, joint.placement)
            self.tie(self.named(joint.name), "fixed", parent, child)
            return
        parts, end = self.parts(joint)
        for k, part in enumerate(parts):
            last = k == len(parts) - 1
            name = self.named(joint.name if len(parts) == 1 else f"{joint.name}_{part.name or k}")
            if last:
                self.link(body, parent, part.placement @ end)
                node = self.tie(name, self.type_of(part), parent, child, inverse_pose(end))
            else:
                between = self.names.free(f"{child}_{part.name or k}")
                self.empty(between, parent, part.placement)
                node = self.tie(name, self.type_of(part), parent, between)
                parent = between
            self.axes(node, joint, part, inverse_pose(end) if last else np.eye(4))
            if len(parts) == 1:
                self.joints[joint.name] = name
        if len(parts) > 1:
            self.losses.add(f"a {joint.motion.type} joint is written as {len(parts)} joints", joint.name)

    def parts(self, joint: JointSpec) -> tuple[list[Simple], Array]:
        """Return SDF's joints whose product is a joint, and the pose (4, 4) of the child in the last one's frame."""
        motion = joint.motion
        if isinstance(motion, Helical | Universal):
            whole = simple(JointSpec(joint.name, joint.parent, joint.child, Revolute()))[0][0].values
            values = {
                of: np.broadcast_to(np.asarray(given, dtype=float), (motion.nv,))
                for of in (*whole, "lower", "upper", "rest", "velocity_limit", "effort_limit")
                if (given := getattr(joint, of)) is not None
            }
            return [Simple("", motion, joint.placement @ joint.axes, values)], inverse_pose(joint.axes)
        parts, end = simple(joint)
        found: list[Simple] = []
        for part in parts:
            if part.motion.carried:
                self.losses.add("velocities of planar and free joints are in the parent's axes", joint.name)
                found += slides(part, len(part.motion.carried))
            else:
                found.append(part)
        return found, end

    def type_of(self, part: Simple) -> str:
        limited = any(np.isfinite(part.values.get(side, np.inf)).any() for side in ("lower", "upper"))
        plain = TYPES[type(part.motion)]
        return "continuous" if plain == "revolute" and not limited else plain

    def tie(self, name: str, type: str, parent: str, child: str, T: Array | None = None) -> XmlNode:
        """Add a joint whose frame is at the pose T (4, 4) in the child."""
        node = self.model.add("joint", name=name, type=type)
        if T is not None:
            self.pose(node, T)
        node.say("parent", parent)
        node.say("child", child)
        return node

    def axes(self, node: XmlNode, joint: JointSpec, part: Simple, T: Array) -> None:
        """Add the axes of a joint in its own frame, with the values of each."""
        values = part.values
        if isinstance(part.motion, Spherical):
            for of in ("effort_limit", "velocity_limit", "damping", "friction", "stiffness"):
                x = np.asarray(values.get(of, 0.0), dtype=float)
                if (np.isfinite(x) & (x != 0.0)).any():
                    self.losses.add(f"{of} of spherical joints is lost", joint.name)
        else:
            if isinstance(part.motion, Helical):
                node.say("screw_thread_pitch", part.motion.pitch)
            columns = (2, 1) if isinstance(part.motion, Universal) else (2,)
            for k, (tag, column) in enumerate(zip(("axis", "axis2"), columns, strict=False)):
                axis = node.add(tag)
                axis.say("xyz", np.eye(3)[column])
                self.values(axis, joint, values, k)
                if joint.mimic is not None and tag == "axis":
                    self.mimic(axis, joint)
        if np.any(values.get("armature", 0.0)):
            self.losses.add("armature is lost", joint.name)

    def values(self, axis: XmlNode, joint: JointSpec, values: dict[str, Any], k: int) -> None:
        found = {of: float(x[k]) for of, x in values.items() if of != "armature" and len(x) > k}
        limits = [("lower", "lower"), ("upper", "upper"), ("effort", "effort_limit"), ("velocity", "velocity_limit")]
        given = [(tag, found[of]) for tag, of in limits if np.isfinite(found.get(of, np.inf))]
        if given:
            limit = axis.add("limit")
            for tag, x in given:
                limit.say(tag, x)
        tags = [("damping", "damping"), ("friction", "friction"), ("spring_stiffness", "stiffness")]
        given = [(tag, found[of]) for tag, of in tags if found.get(of)]
        if found.get("stiffness") and found.get("rest"):
            given.append(("spring_reference", found["rest"]))
        if given:
            dynamics = axis.add("dynamics")
            for tag, x in given:
                dynamics.say(tag, x)

    def mimic(self, axis: XmlNode, joint: JointSpec) -> None:
        assert joint.mimic is not None
        follows = axis.add("mimic", joint=self.joints.get(joint.mimic.joint, joint.mimic.joint), axis="axis")
        follows.say("multiplier", joint.mimic.multiplier)
        follows.say("offset", joint.mimic.offset)
        follows.say("reference", 0.0)

    # loops and shapes

    def loop(self, loop: Loop | CoordinateLoop) -> None:
        """Add a second joint to a link, at the pose where it is closed at zero coordinates."""
        if isinstance(loop, CoordinateLoop) or type(loop.kind) not in LOOPS:
            what = "joint" if isinstance(loop, CoordinateLoop) else loop.type
            self.losses.add(f"loops of the kind {what} are lost", loop.name)
            return
        frames = {frame.name: (frame.body, frame.placement) for frame in self.description.frames}
        (one, A), (other, B) = (frames.get(end, (end, np.eye(4))) for end in (loop.first, loop.second))
        poses = zero_poses(self.description)
        axes = loop.second_axes
        T = inverse_pose(poses[other] @ B @ axes) @ poses[one] @ A @ loop.placement @ axes
        kind = type(loop.kind)
        turns: list[int] = [] if kind is Ball else [2] if kind in (RevolutePair, HelicalPair) else [0, 1, 2]
        off = np.abs((T - np.eye(4))[:3, [*turns, 3]]).max()
        if off > CLOSED or other == WORLD:
            self.losses.add("loops are lost that are open at zero coordinates, or closed to the world", loop.name)
            return
        node = self.tie(self.named(loop.name), LOOPS[kind], self.places[one], self.places[other], B @ axes)
        if kind is HelicalPair:
            node.say("screw_thread_pitch", loop.kind.pitch)  # type: ignore[attr-defined]
        if kind not in (Weld, Ball):
            node.add("axis").say("xyz", np.eye(3)[2])

    def shape(self, link: XmlNode, shape: Shape) -> None:
        if shape.kind == "mesh" and not shape.file:
            self.losses.add("meshes without a file are lost", shape.body)
            return
        if shape.kind == "height_field":
            self.losses.add("height fields are lost", shape.body)
            return
        for tag in (("visual",) if shape.is_seen else ()) + (("collision",) if shape.touches else ()):
            taken = sum(child.tag == tag for child in link.children)
            node = link.add(tag, name=shape.name or f"{tag}{taken + 1}")
            self.pose(node, shape.placement)
            one = node.add("geometry").add(shape.kind)
            if shape.kind == "box":
                one.say("size", shape.size)
            elif shape.kind == "ellipsoid":
                one.say("radii", 0.5 * np.array(shape.size))
            elif shape.kind == "plane":
                one.say("normal", [0.0, 0.0, 1.0])
            elif shape.kind == "mesh":
                one.say("uri", file_beside(shape, self.losses))
                one.say("scale", shape.scale)
            else:
                one.say("radius", shape.radius)
                if shape.kind != "sphere":
                    one.say("length", shape.length)
            if tag == "visual" and shape.color is not None:
                material = node.add("material")
                material.say("ambient", shape.color)
                material.say("diffuse", shape.color)
            if tag == "collision":
                _surface(node, shape, self.filtered)


def _surface(collision: XmlNode, shape: Shape, filtered: bool) -> None:
    """Add the surface parameters and bit masks of a shape; torsional friction has a patch radius of 1 m."""
    surface = XmlNode("surface")
    if shape.friction is not None or shape.torsional_friction or shape.rolling_friction:
        friction = surface.add("friction")
        if shape.friction is not None:
            ode = friction.add("ode")
            ode.say("mu", shape.friction)
            ode.say("mu2", shape.friction)
        if shape.torsional_friction:
            torsional = friction.add("torsional")
            torsional.say("coefficient", shape.torsional_friction * DISC)
            torsional.say("use_patch_radius", "true")
            torsional.say("patch_radius", 1.0)
        if shape.rolling_friction:
            friction.add("bullet").say("rolling_friction", shape.rolling_friction)
    if shape.restitution is not None:
        bounce = surface.add("bounce")
        bounce.say("restitution_coefficient", shape.restitution)
        bounce.say("threshold", 0.0)
    if shape.stiffness is not None or filtered:
        contact = surface.add("contact")
        if filtered:
            contact.say("category_bitmask", shape.contype)
            contact.say("collide_bitmask", shape.conaffinity)
        if shape.stiffness is not None:
            ode = contact.add("ode")
            ode.say("kp", shape.stiffness)
            ode.say("kd", shape.damping)
    if surface.children:
        collision.children.append(surface)
