"""The SDF reader (specification: sdformat.org, versions 1.4 to 1.12): one model, with the models nested in it.

Supported are links with their inertias and shapes, joints with axes, limits, dynamics and mimics, frames, and poses
relative to any of them. At zero coordinates every link is at its pose. Conventions:

* A model without a joint to the world is fixed by its first link, which is welded at its pose;
  ``root="free"`` makes it float, as in Gazebo.
* A link that is the child of two joints closes a loop: the second joint becomes one of ``model.loops``.
* Elements of nested models are named "inner::link".
* A link without inertia has SDF's default: 1 kg and 1 kg m².

Everything wrong with a file is reported together, each with file:line:column. Other files (<include>) are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import FormatError, InputError
from linkwright.formats.findings import near
from linkwright.formats.sdf.frames import Frames, Item
from linkwright.formats.sdf.shapes import USES, shape_of
from linkwright.formats.xml import Element, parse_xml, read_bytes, shortened
from linkwright.model.build.checks import unknown_name
from linkwright.model.build.description import (
    STANDARD_GRAVITY,
    WORLD,
    BodySpec,
    Description,
    FrameSpec,
    JointSpec,
    Mimic,
    motion_of,
)
from linkwright.model.joints.joint import Compound, JointPart, Revolute, nested
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import Loop, loop_type
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, snap
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import inverse_pose, pose_matrix

JOINT_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "compound",
    "screw": "helical",
}
LOOPS = {"fixed": "weld", "continuous": "revolute", "spherical": "ball"}
"""Loop types of joints that close loops, if they have another name."""

UNLIMITED = 1e16
"""Limits of this size and larger are infinite."""

LINK_KNOWN = (
    *("pose", "inertial", "visual", "collision", "sensor", "gravity", "enable_wind", "self_collide", "kinematic"),
    *("must_be_base_link", "velocity_decay", "light", "projector", "audio_source", "audio_sink", "battery"),
    *("particle_emitter", "frame"),
)
JOINT_KNOWN = (
    *("pose", "parent", "child", "axis", "axis2", "physics", "sensor", "frame", "thread_pitch", "screw_thread_pitch"),
    *("gearbox_ratio", "gearbox_reference_body"),
)
MODEL_KNOWN = (
    *("pose", "link", "joint", "frame", "model", "include", "static", "self_collide", "allow_auto_disable", "plugin"),
    *("enable_wind", "gripper"),
)


def read_sdf(path: str | os.PathLike[str], root: str | None = None) -> Model:
    """Read a model from an SDF file, with a floating base for ``root="free"``, else welded to the world.

    Raises :class:`FormatError` with all problems, and issues one :class:`FormatWarning` with ignored and repaired
    elements.
    """
    return parse_sdf(read_bytes(path), root, os.fspath(path), Path(path).stem)


def parse_sdf(text: str | bytes, root: str | None = None, place: str = "<text>", name: str = "robot") -> Model:
    """Read a model as :func:`read_sdf` from the text.

    ``place`` is the name of the file in messages, ``name`` the default name of the robot.
    """
    reader = _SdfReader(place)
    reader.filtered = (b"_bitmask>" if isinstance(text, bytes) else "_bitmask>") in text  # type: ignore[operator]
    return reader.assembled(reader.sdf(parse_xml(text, place, text=True), name), root)


class _SdfReader(Frames):
    """Reader of a file, with its problems."""

    def __init__(self, file: str):
        super().__init__(file)
        self.version = (1, 12)
        self.joints: list[Item] = []

    # elements

    def sdf(self, element: Element, name: str) -> Description:
        """Read the whole file."""
        if element.tag != "sdf":
            raise FormatError(f"{self.place(element)}: the root element is <{shortened(element.tag)}>; expected <sdf>")
        found = re.fullmatch(r"1\.(\d+)(\.\d+)?", element.attributes.get("version", "").strip())
        if found is None:
            version = element.attributes.get("version")
            self.problem(element, f"the version of <sdf> is {version!r}; expected 1.4 to 1.12")
        else:
            self.version = (1, int(found[1]))
        worlds = [one for one in element.children if one.tag == "world"]
        models = [one for place in [element, *worlds] for one in place.children if one.tag in ("model", "include")]
        if len(models) != 1:
            names = ", ".join(repr(one.attributes.get("name", one.tag)) for one in models[:10])
            text = f"it has {len(models)} models ({names})" if models else "it has no <model>"
            self.problem(models[1] if models else element, f"{text}; expected one")
        gravity = self.gravity(worlds)
        for model in models[:1]:
            if model.tag == "include":
                self.problem(model, "<include> names another file, which is not read; give the path of that one")
            else:
                name = model.attributes.get("name") or name
                self.model(model, "")
        return self.description(name, models[0] if models else element, gravity)

    def gravity(self, worlds: list[Element]) -> tuple[float, float, float]:
        for world in worlds:
            element = self.child(world, "gravity")
            x = self.numbers(element, (3,)) if element is not None else None
            if x is not None:
                return (x[0], x[1], x[2])
        return STANDARD_GRAVITY if not worlds else (0.0, 0.0, -9.8)

    def model(self, element: Element, scope: str) -> None:
        """Read a model and its nested models; their elements are stored under its scope."""
        stack = [(element, scope)]
        while stack:
            element, scope = stack.pop()
            self.owner = ""
            name = self.name(element)
            if name is None:
                continue
            own = self.full(name, scope)
            self.unknown(element, MODEL_KNOWN)
            if element.attributes.get("placement_frame"):
                self.problem(element, "placement_frame is not read; give the pose of the model itself")
            self.node(own, element, "model", scope, scope)
            for one in element.children:
                if one.tag in ("link", "joint", "frame"):
                    self.member(one, own)
                elif one.tag == "model":
                    stack.append((one, own))
                elif one.tag == "include":
                    self.problem(one, "<include> names another file, which is not read; replace it by its model")
                elif one.tag == "static" and one.text.strip().lower() in ("true", "1"):
                    self.remark(one, "the model is static; its joints are read all the same")

    def member(self, element: Element, scope: str) -> None:
        self.owner = ""
        name = self.name(element)
        if name is None:
            return
        full = self.full(name, scope)
        self.owner = f"{element.tag} {name!r}"
        if element.tag == "link":
            self.unknown(element, LINK_KNOWN)
            if self.node(full, element, "link", scope, scope):
                self.links.append(Item(full, element, scope))
        elif element.tag == "frame":
            attached_to = element.attributes.get("attached_to", "")
            attached = self.full(attached_to, scope) if attached_to else scope
            self.node(full, element, "frame", scope, attached, attached)
        else:
            self.unknown(element, JOINT_KNOWN)
            ends = {tag: self.word(element, tag) for tag in ("parent", "child")}
            child = self.full(ends["child"], scope) if ends["child"] else ""
            new = self.node(full, element, "joint", scope, child, child)
            if new and ends["parent"] and ends["child"]:
                self.joints.append(Item(full, element, scope, {"child": child, "parent": ends["parent"]}))

    def description(self, name: str, element: Element, gravity: tuple[float, float, float]) -> Description:
        self.owner = ""
        self.place_all()
        bodies = [self.body(link) for link in self.links]
        if not bodies and not self.problems:
            self.problem(element, "the model has no links")
        joints: list[JointSpec] = []
        loops: list[Loop] = []
        frames = self.frames()
        moved: set[str] = set()
        for joint in self.joints:
            spec = self.joint(joint)
            if spec is None:  # reported before; a weld avoids further messages
                below = self.nodes.get(joint.more["child"])
                if below is None or below.kind != "link" or self.short(joint.more["child"]) in moved:
                    continue
                spec = JointSpec(
                    self.short(joint.name), WORLD, self.short(joint.more["child"]), place=self.place(joint.element)
                )
            if spec.child in moved and spec.child != WORLD:
                loops += self.loop(joint, spec, frames)
            else:
                moved.add(spec.child)
                joints.append(spec)
        shapes = [shape for link in self.links for shape in self.shapes(link)]
        self.owner = ""
        loose = [link for link in self.links if self.short(link.name) not in moved]
        if loose:
            base = self.short(loose[0].name)
            taken = {joint.name for joint in joints}
            weld = f"{base}_to_world"
            while weld in taken:
                weld += "_"
            T = self.world[loose[0].name]
            joints.insert(0, JointSpec(weld, WORLD, base, None, T, place=self.place(loose[0].element)))
        for link in loose[1:]:
            self.problem(
                link.element,
                f"link {self.short(link.name)!r} is the child of no joint; only {self.short(loose[0].name)!r}, the "
                "first, may have no joint",
            )
            joints.append(JointSpec(f"{self.short(link.name)}_to_world_", WORLD, self.short(link.name)))
        return Description(name, tuple(bodies), tuple(joints), tuple(frames), tuple(loops), gravity, (), tuple(shapes))

    def body(self, link: Item) -> BodySpec:
        name, element = self.short(link.name), link.element
        self.owner = f"link {name!r}"
        inertial = self.child(element, "inertial")
        if inertial is None:
            self.remark(element, "no <inertial>: SDF's default of 1 kg and 1 kg m² is taken", self.owner)
            return BodySpec(name, 1.0, np.zeros(3), np.eye(3), self.place(element))
        T = self.pose(self.child(inertial, "pose"))
        mass = self.value(inertial, "mass", 1.0)
        inertia = self.child(inertial, "inertia")
        values = [
            self.value(inertia, key, float(key[1] == key[2])) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        ]
        xx, xy, xz, yy, yz, zz = (0.0 if x is None else x for x in values)
        I = T[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ T[:3, :3].T
        if inertia is None:
            self.remark(inertial, "no <inertia>: SDF's default of 1 kg m² is taken", self.owner)
        self.unknown(
            inertial, ("pose", "mass", "inertia", "frame", "density", "auto_inertia_params", "fluid_added_mass")
        )
        if inertial.attributes.get("auto", "false").strip().lower() in ("true", "1"):
            self.problem(inertial, 'inertias of shapes (auto="true") are not read; give mass and inertia')
        if self.child(inertial, "fluid_added_mass") is not None:
            self.remark(inertial, "fluid_added_mass is not used", self.owner)
        place = self.place(inertial)
        return BodySpec(name, 1.0 if mass is None else mass, T[:3, 3], 0.5 * (I + I.T), self.place(element), place)

    def shapes(self, link: Item) -> Iterator[Shape]:
        """Yield the shapes of a link."""
        self.owner = f"link {self.short(link.name)!r}"
        for one in link.element.children:
            if one.tag not in USES:
                continue
            with self.leniently("the shape is left out"):
                frame = self.pose_frame(one, link)
                shape = None if frame is None else shape_of(self, one, self.short(link.name), frame)
                if shape is not None:
                    yield shape

    def pose_frame(self, element: Element, link: Item) -> Array | None:
        """Return the pose (4, 4) in a link of the frame in which the pose of an element on the link is given; None,
        with a problem, for an unknown frame."""
        pose = self.child(element, "pose")
        relative_to = pose.attributes.get("relative_to", "") if pose is not None else ""
        full = self.full(relative_to, link.scope) if relative_to else link.name
        if pose is not None and full and full not in self.world:
            self.unknown_frame(pose, "relative_to", relative_to)
            return None
        return inverse_pose(self.world[link.name]) @ (self.world[full] if full else np.eye(4))

    def frames(self) -> list[FrameSpec]:
        found = []
        for full, node in self.nodes.items():
            if node.kind != "frame":
                continue
            self.owner = f"frame {self.short(full)!r}"
            link = self.attached_link(node.attached, node.element)
            if link is not None:
                above = self.world[link] if link else np.eye(4)
                T = inverse_pose(above) @ self.world[full]
                body = self.short(link) if link else WORLD
                found.append(FrameSpec(self.short(full), body, T, place=self.place(node.element)))
        return found

    # joints

    def joint(self, joint: Item) -> JointSpec | None:
        name, element = self.short(joint.name), joint.element
        self.owner = f"joint {name!r}"
        ends = []
        for tag in ("parent", "child"):
            full = self.full(joint.more["parent"], joint.scope) if tag == "parent" else joint.more["child"]
            ends.append(self.attached_link(full, self.child(element, tag) or element))
        kind = element.attributes.get("type", "")
        if kind not in JOINT_TYPES:
            hint = near(kind.lower(), tuple(JOINT_TYPES))
            text = f"unknown type {shortened(kind)!r}{hint}" if kind else "the type is missing"
            self.problem(element, f"{text}; there are {', '.join(JOINT_TYPES)}")
            return None
        parent, child = ends
        if parent is None or child is None or joint.name not in self.world:
            return None
        above = self.world[parent] if parent else np.eye(4)
        below = self.world[child] if child else np.eye(4)
        J = inverse_pose(below) @ self.world[joint.name]  # the joint's frame in the child's
        motion, R = self.motion(joint, JOINT_TYPES[kind], inverse_pose(below))
        options: dict[str, Any] = {}
        if motion is not None:
            options = self.options(joint, motion, kind)
        return JointSpec(
            name,
            self.short(parent) if parent else WORLD,
            self.short(child) if child else WORLD,
            motion,
            inverse_pose(above) @ below,
            R,
            anchor=J[:3, 3],
            place=self.place(element),
            **options,
        )

    def motion(self, joint: Item, type: str, to_child: Array) -> tuple[JointType | None, Array]:
        """Return the joint type, and the rotation (3, 3) of its canonical axes to those of the child."""
        element = joint.element
        axes = [self.axis(joint, tag) for tag in ("axis", "axis2")]
        if type in ("fixed", "spherical"):
            return motion_of(type)
        needed = 2 if type in ("universal", "compound") else 1
        for tag, found in zip(("axis", "axis2")[:needed], axes, strict=False):
            if found is None and self.child(element, tag) is None:
                self.problem(element, f"a {element.attributes['type']} joint needs an <{tag}>")
        first, second = (None if x is None else to_child[:3, :3] @ x for x in axes)
        if first is None or (needed == 2 and second is None):
            return motion_of("revolute")
        try:
            if needed == 1:
                pitch = self.pitch(element) if type == "helical" else None
                return motion_of(type, first, pitch=pitch)
            assert second is not None
            if type == "universal" and abs(first @ second) < 1e-9:
                return motion_of("universal", first, second)
        except InputError as error:
            self.problem(element, str(error))
            return motion_of("revolute")
        A, B = (pose_matrix(rotation_from_z(snap(x))) for x in (first, second))
        parts = (
            JointPart(nested(A), Revolute(), "first"),
            JointPart(nested(inverse_pose(A) @ B), Revolute(), "second"),
        )
        return Compound(parts, nested(inverse_pose(B))), np.eye(3)

    def pitch(self, element: Element) -> float:
        """Return the pitch of a screw in meters per turn."""
        pitch = self.value(element, "screw_thread_pitch", None)
        if pitch is not None:
            return pitch
        old = self.value(element, "thread_pitch", None)  # rad/m, for a left-handed thread
        if not old:
            self.problem(element, "a screw joint needs <screw_thread_pitch>, in meters per turn, not zero")
            return 1.0
        return -2.0 * np.pi / old

    def axis(self, joint: Item, tag: str) -> Array | None:
        """Return the direction (3,) of an axis in the world."""
        axis = self.child(joint.element, tag)
        if axis is None:
            return None
        self.unknown(axis, ("xyz", "limit", "dynamics", "use_parent_model_frame", "initial_position", "mimic"))
        xyz = self.child(axis, "xyz")
        x = self.numbers(xyz, (3,)) if xyz is not None else [0.0, 0.0, 1.0]
        if x is None:
            return None
        length = float(np.linalg.norm(x))
        if length < 1e-12:
            self.problem(xyz or axis, f"the axis is {shortened((xyz or axis).text.strip())!r}; expected a direction")
            return None
        if abs(length - 1.0) > 1e-3:
            self.remark(xyz or axis, f"the axis has length {length:.6g}, not 1; its direction is taken", self.owner)
        old = self.child(axis, "use_parent_model_frame")
        in_model = self.version < (1, 5) if old is None else old.text.strip().lower() in ("true", "1")
        frame = joint.scope if in_model and self.version < (1, 7) else joint.name
        expressed_in = xyz.attributes.get("expressed_in", "") if xyz is not None else ""
        if expressed_in:
            frame = self.full(expressed_in, joint.scope)
        if frame and frame not in self.world:
            self.unknown_frame(xyz or axis, "expressed_in", expressed_in)
            return None
        R = self.world[frame][:3, :3] if frame else np.eye(3)
        turned: Array = R @ np.array(x) / length
        return turned

    def options(self, joint: Item, motion: JointType, kind: str) -> dict[str, Any]:
        """Return limits, springs and friction of a joint's axes."""
        tags = ("axis", "axis2")[: motion.nv] if kind != "ball" else ()
        axes = [self.child(joint.element, tag) for tag in tags]
        found: dict[str, list[Any]] = {}
        for axis in axes:
            limit = self.child(axis, "limit") if axis is not None else None
            dynamics = self.child(axis, "dynamics") if axis is not None else None
            for ours, tag in (("lower", "lower"), ("upper", "upper"), ("effort_limit", "effort")):
                x = self.value(limit, tag, None, infinite=True)
                found.setdefault(ours, []).append(_limited(ours, x))
            x = self.value(limit, "velocity", None, infinite=True)
            found.setdefault("velocity_limit", []).append(_limited("velocity_limit", x))
            for ours, tag in (("damping", "damping"), ("friction", "friction"), ("stiffness", "spring_stiffness")):
                found.setdefault(ours, []).append(self.value(dynamics, tag, 0.0))
            found.setdefault("rest", []).append(self.value(dynamics, "spring_reference", 0.0))
        options: dict[str, Any] = {name: np.array(values, dtype=float) for name, values in found.items()}
        if kind == "continuous":
            options.pop("lower", None)
            options.pop("upper", None)
        mimic = next((self.child(axis, "mimic") for axis in axes if axis is not None), None)
        if mimic is not None:
            options["mimic"] = self.mimic(mimic, joint)
        return options

    def mimic(self, element: Element, joint: Item) -> Mimic | None:
        leader = element.attributes.get("joint", "")
        full = self.full(leader, joint.scope)
        if self.nodes.get(full) is None or self.nodes[full].kind != "joint":
            known = (self.short(one.name) for one in self.joints)
            self.problem(element, f"mimic: {unknown_name('joint', leader, known, self.problems)}")
            return None
        multiplier = self.value(element, "multiplier", 1.0) or 0.0
        offset, reference = (self.value(element, tag, 0.0) or 0.0 for tag in ("offset", "reference"))
        return Mimic(self.short(full), multiplier, offset - multiplier * reference)

    @cached_property
    def taken(self) -> set[str]:
        """Names of all nodes, and of the frames of loops."""
        return set(map(self.short, self.nodes))

    def loop(self, joint: Item, spec: JointSpec, frames: list[FrameSpec]) -> list[Loop]:
        """Return a loop for a joint to a link that another joint moves."""
        type = JOINT_TYPES[joint.element.attributes["type"]]
        if type == "compound":
            self.problem(
                joint.element, f"link {spec.child!r} has a joint already, and a revolute2 joint closes no loop"
            )
            return []
        pitch = spec.motion.pitch if spec.motion is not None and type == "helical" else None
        names = []
        for ending, body, T in (
            ("first", spec.parent, spec.placement @ spec.axes),
            ("second", spec.child, spec.axes),
        ):
            name = f"{spec.name}_{ending}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            frames.append(FrameSpec(name, body, T, place=spec.place))
            names.append(name)
        return [Loop(spec.name, names[0], names[1], loop_type(LOOPS.get(type, type), pitch), place=spec.place)]


def _limited(name: str, x: float | None) -> float:
    """Return a limit, infinite if missing, at 1e16, or negative for effort and velocity."""
    unlimited = -np.inf if name == "lower" else np.inf
    if x is None or abs(x) >= UNLIMITED or (name.endswith("_limit") and x < 0.0):
        return unlimited
    return x
