"""The MJCF writer: bodies, joints with limits, springs and friction, frames as sites, loops as equality constraints.

Several joints between two bodies stay on one body. Elements that MuJoCo lacks are approximated, with one
warning: mimic and helical joints become equality constraints, a planar joint becomes two slides and a
hinge, whose velocities are in the axes of the parent. q of a free joint is the pose in the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from linkwright.formats.mjcf.actuators import file_joints, write_actuators
from linkwright.formats.mjcf.contact_elements import contacts, height_field, pairs_of, surface
from linkwright.formats.mjcf.free_joints import as_free
from linkwright.formats.mjcf.keyframes import write_keyframes
from linkwright.formats.mjcf.scenery import add_scenery
from linkwright.formats.mjcf.sensors import write_sensors
from linkwright.formats.mjcf.tendons import GROUP, add_tendon, write_springs
from linkwright.formats.writing import (
    Losses,
    Names,
    Simple,
    XmlNode,
    all_equal,
    downwards,
    file_beside,
    mesh_found,
    simple,
    slides,
    still,
)
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec
from linkwright.model.joints.joint import Free, Planar, Prismatic, Revolute, Spherical
from linkwright.model.joints.loop import Ball, CoordinateLoop, Loop, RevolutePair, Weld
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.tendon import Wrap
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright.spatial.transform import inverse_pose, pose_matrix

LEAST = 1e-14
"""Mass and moments of moving bodies without any, since MuJoCo requires positive values."""

MOST = 1e10
"""Replacement of a missing limit if the other limit exists."""

ROUNDED = 1e-12
"""Relative excess of a moment over the sum of the others that is rounding."""

SIZES: dict[str, Callable[[Shape], Any]] = {
    "sphere": lambda shape: shape.radius,
    "capsule": lambda shape: (shape.radius, 0.5 * shape.length),
    "cylinder": lambda shape: (shape.radius, 0.5 * shape.length),
    "box": lambda shape: 0.5 * np.array(shape.size),
    "ellipsoid": lambda shape: 0.5 * np.array(shape.size),
    "plane": lambda shape: (0.0, 0.0, 1.0),
}
"""Sizes of MuJoCo's geoms."""

TYPES = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free"}


def mjcf_text(description: Description, path: str = "<text>") -> tuple[str, Losses]:
    """Return the MJCF file of a mechanism, and its losses."""
    writer = _MjcfWriter(description, Losses(path, "MJCF"))
    root = writer.mujoco()
    return root.text(), writer.losses


class _MjcfWriter:
    def __init__(self, description: Description, losses: Losses):
        self.description, self.losses = description, losses
        self.bodies = {body.name: body for body in description.bodies}
        self.sites = Names({frame.name for frame in description.frames} | {*self.bodies, WORLD})
        self.joints = Names({joint.name for joint in description.joints})
        self.names = Names({loop.name for loop in description.loops})
        self.hinges: dict[str, str] = {}
        """joint in the file of each coordinate that equality constraints may couple"""
        self.references: dict[str, float] = {}
        """neutral coordinates of joints in the file that are not zero: polynomials of equality constraints are in
        displacements from them"""
        self.ties: list[dict[str, Any]] = []
        self.tendon_ties: list[dict[str, Any]] = []
        """couplings of more than two coordinates"""
        self.geoms: dict[int, str] = {}
        """name in the file of each named shape, by its index"""
        self.wraps: dict[Wrap, str] = {}
        """names of the geoms of wrapping bodies"""
        self.changed: list[str] = []
        """joints that are others in the file, with other coordinates"""
        self.at_rest = {WORLD}
        """the world and all welded links"""

    def mujoco(self) -> XmlNode:
        description = self.description
        root = XmlNode("mujoco", {"model": description.name or "robot"})
        root.add("compiler", angle="radian", autolimits="true")
        root.add("option", gravity=description.gravity)
        self.nodes = {WORLD: root.add("worldbody")}
        for joint in downwards(description, WORLD):
            self.body(joint)
        for frame in description.frames:
            self.nodes[frame.body].add("site", name=frame.name, **_placed(frame.placement))
        self.shapes(root)
        self.loops(root)
        joints = file_joints(description, self.changed)
        write_springs(root, description.springs, self.losses, joints, self.site_of, self.wrapping)
        actuators = write_actuators(root, description, self.losses, self.changed, self.wrapping)
        write_keyframes(root, description, self.losses, self.changed, actuators)
        names = {actuator.name for actuator in actuators}
        write_sensors(root, description, self.losses, joints, names)
        return root

    def shapes(self, root: XmlNode) -> None:
        """Add geoms without mass: visual ones in group 2 without contact, collision ones in group 3."""
        first = {shape.name for shape in self.description.shapes if shape.name}
        names, assets = Names({*first}), XmlNode("asset")
        paired = {place for pair in pairs_of(self.description) for place in (pair.first, pair.second)}
        alone = all(shape.friction is None for shape in self.description.shapes if shape.touches)
        for place, shape in enumerate(self.description.shapes):
            if shape.kind in ("plane", "height_field") and shape.body not in self.at_rest:
                self.losses.add(f"shapes of the kind {shape.kind} are lost on bodies that move", shape.body)
                continue
            options: dict[str, Any] = {}
            if shape.name or place in paired:
                options["name"] = shape.name if shape.name in first else names.free(shape.name or f"geom{place + 1}")
                first.discard(shape.name)
                self.geoms[place] = options["name"]
            T = shape.placement
            if shape.kind == "mesh":
                mesh = self.mesh(assets, shape)
                if not mesh:
                    self.geoms.pop(place, None)
                    continue
                options |= {"type": "mesh", "mesh": mesh}
            elif shape.kind == "height_field":
                field, low = height_field(shape)
                options |= {"type": "hfield", "hfield": f"heights{len(assets.children) + 1}"}
                assets.add("hfield", name=options["hfield"], **field)
                T = T @ pose_matrix(p=np.array([0.0, 0.0, low]))
            elif shape.kind in SIZES:
                options |= {"type": shape.kind, "size": SIZES[shape.kind](shape)}
            else:
                self.losses.add(f"shapes of the kind {shape.kind} are lost", shape.body)
                self.geoms.pop(place, None)
                continue
            options |= _placed(T) | {"mass": 0.0}
            if shape.color is not None:
                options["rgba"] = shape.color
            if shape.use == "visual":
                options |= {"contype": 0, "conaffinity": 0, "group": 2}
            else:
                options |= surface(shape, alone, self.losses)
                if shape.use == "collision":
                    options["group"] = 3
            self.nodes[shape.body].add("geom", **options)
        add_scenery(root, self.nodes[WORLD], assets, self.description)
        if assets.children:
            root.children.append(assets)
        contacts(root, self.description, self.geoms, self.losses)

    def mesh(self, assets: XmlNode, shape: Shape) -> str:
        """Return the name of a new mesh among the assets; "" if MuJoCo cannot read it."""
        options: dict[str, Any] = {"name": f"mesh{len(assets.children) + 1}", "scale": shape.scale, "inertia": "shell"}
        if shape.vertices is not None and shape.faces is not None:
            options |= {"vertex": shape.vertices, "face": shape.faces}
        elif not shape.file.lower().endswith((".stl", ".obj", ".msh")):
            self.losses.add("meshes are lost that are neither STL, OBJ nor MSH", shape.file)
            return ""
        else:
            if not mesh_found(shape, self.losses):
                return ""  # MuJoCo rejects a file with missing meshes
            options["file"] = file_beside(shape, self.losses, packages=False)
        assets.add("mesh", **options)
        return str(options["name"])

    def body(self, joint: JointSpec) -> None:
        """Add a body to its parent, with the joints between them."""
        body = self.bodies[joint.child]
        above = self.nodes[joint.parent]
        lifted = {"gravcomp": body.gravity_compensation} if body.gravity_compensation else {}
        if joint.motion is None:
            node = above.add("body", name=body.name, **_placed(joint.placement), **lifted)
            if joint.parent in self.at_rest:
                self.at_rest.add(body.name)
            self.inertial(node, body, moves=False)
            self.nodes[body.name] = node
            return
        parts, end = simple(as_free(joint))
        plain = [*map(type, (part.motion for part in parts))]
        parts = self._split(joint, parts)
        if plain != [*map(type, (part.motion for part in parts))] or any(part.follows for part in parts):
            self.changed.append(joint.name)
        T = np.eye(4)
        for part in parts:
            T = T @ part.placement @ self.at_neutral(joint, part)
        axes: list[Array] = []  # of each part in the frame of the body, the others neutral
        behind = end
        for part in reversed(parts):
            axes.insert(0, inverse_pose(behind))
            behind = part.placement @ self.at_neutral(joint, part) @ behind
        turned = parts[-1].motion.quaternions and not np.allclose(axes[-1][:3, :3], np.eye(3), atol=1e-14)
        name = body.name
        if turned:  # the quaternion is in the axes of the joint: a body of its own has them
            name = self.sites.free(f"{body.name}_axes")
            axes = [end @ one for one in axes]
            behind_all, end = end, np.eye(4)
        else:
            behind_all = np.eye(4)
        free = parts[-1].motion.floating
        if free and not still(parts[0].placement):
            self.losses.add("coordinates of a free joint count from the world's origin", joint.name)
        node = above.add("body", name=name, **_placed(T @ end), **({} if turned else lifted))
        for part, own in zip(parts, axes, strict=True):
            self.joint(node, joint, part, own, len(parts))
        if joint.mimic is not None:
            leader = next(one for one in self.description.joints if one.name == joint.mimic.joint)
            start = 0.0 if leader.neutral is None else float(np.ravel(leader.neutral)[0])
            offset = joint.mimic.offset + joint.mimic.multiplier * start
            self.tie(joint.name, leader.name, (offset, joint.mimic.multiplier))
            self.losses.add("a mimic joint is coupled to its leader by an equality constraint", joint.name)
        if turned:
            self.inertial(node, BodySpec(name), moves=True)
            node = node.add("body", name=body.name, **_placed(behind_all), **lifted)
            self.inertial(node, body, moves=False)
        else:
            on_world = len(parts) == 1 and parts[0].motion.hinge and joint.parent in self.at_rest
            self.inertial(node, body, moves=True, hinge=axes[0][:3, 2] if on_world else None)
        self.nodes[body.name] = node

    def _split(self, joint: JointSpec, parts: list[Simple]) -> list[Simple]:
        """Return the joints, with those that MuJoCo lacks replaced."""
        found: list[Simple] = []
        for part in parts:
            if isinstance(part.motion, Planar):
                self.losses.add("a planar joint is two slides and a hinge: velocities in the parent's axes", joint.name)
                found += slides(part, 2)
            elif part.motion.floating and joint.parent != WORLD:
                self.losses.add(
                    "a free joint on a body is three slides and a ball: velocities in the parent's axes", joint.name
                )
                found += slides(part, 3)
            else:
                found.append(part)
        return found

    def at_neutral(self, joint: JointSpec, part: Simple) -> Array:
        """Return the pose (4, 4) of a part's motion at its neutral coordinates, at which bodies are in the file."""
        q = part.values.get("neutral", part.motion.neutral)
        if joint.mimic is not None or part.follows is not None or np.array_equal(q, part.motion.neutral):
            return np.eye(4)
        if isinstance(part.motion, Spherical):
            self.losses.add("neutral orientations of ball joints are lost", joint.name)
            return np.eye(4)
        return np.asarray(part.motion.transform(q))

    def joint(self, node: XmlNode, joint: JointSpec, part: Simple, axes: Array, count: int) -> None:
        """Add one joint of a body, with axes (4, 4) in the body's frame."""
        motion, values = part.motion, part.values
        one = not part.name or (count == 1)
        name = joint.name if one else self.part_name(joint, part.name)
        options: dict[str, Any] = {"name": name, "type": TYPES[type(motion)]}
        if "m" not in motion.units and np.abs(axes[:3, 3]).max() > 1e-15:
            options["pos"] = axes[:3, 3]
        if motion.hinge or motion.slide:
            options["axis"] = axes[:3, 2]
            self.hinges[joint.name if one else f"{joint.name}.{part.name}"] = name
            if joint.mimic is None and part.follows is None and "neutral" in values and values["neutral"].any():
                self.references[name] = options["ref"] = float(values["neutral"][0])
        options |= self.limits(name, part)
        for what, ours in (("stiffness", "stiffness"), ("damping", "damping"), ("armature", "armature")):
            options |= self.scalar(name, what, values.get(ours))
        options |= self.scalar(name, "frictionloss", values.get("friction"))
        rest = values.get("rest")
        if rest is not None and "stiffness" in options and not np.array_equal(rest, motion.neutral):
            if motion.nq == 1:
                options["springref"] = rest
            else:
                self.losses.add("rest positions of springs of ball and free joints are lost", name)
        node.add("joint", **options)
        if part.follows is not None:
            offset = part.follows[1] * self.references.get(joint.name, 0.0)
            self.tie(name, joint.name, (offset, part.follows[1]))
            self.losses.add("a helical joint is a hinge and a slide tied by an equality constraint", joint.name)

    def part_name(self, joint: JointSpec, part: str) -> str:
        """Return the name of one of several joints: its own if that is free."""
        own = part.isdigit() or part in ("x", "y", "z", "turn", "slide", "displacement", "angle", "first", "second")
        return self.joints.free(f"{joint.name}_{part}" if own else part)

    def scalar(self, name: str, what: str, x: Any) -> dict[str, Any]:
        """Return a parameter that MuJoCo has once per joint."""
        if x is None or not np.any(x):
            return {}
        if not all_equal(x):
            self.losses.add(f"{what} differs between the coordinates of a joint; their mean is written", name)
            return {what: float(np.mean(x))}
        return {what: float(np.ravel(x)[0])}

    def limits(self, name: str, part: Simple) -> dict[str, Any]:
        values, limits = part.values, {}
        lower, upper = values.get("lower"), values.get("upper")
        low, high = (
            -np.inf if lower is None else float(np.max(lower)),
            np.inf if upper is None else float(np.min(upper)),
        )
        if np.isfinite([low, high]).any():
            if part.motion.nq != 1:
                self.losses.add("limits of joints of several coordinates are lost", name)
            elif low == high:
                self.losses.add("limits without room between them are lost", name)
            else:
                if not np.isfinite([low, high]).all():
                    self.losses.add(f"a missing limit is written as {MOST:g}", name)
                limits["range"] = (max(low, -MOST), min(high, MOST))
        effort = values.get("effort_limit")
        if effort is not None and np.isfinite(effort).any():
            if part.motion.nv == 1 and effort[0] > 0.0:
                limits["actuatorfrcrange"] = (-effort[0], effort[0])
            else:
                self.losses.add("effort limits that are zero, or of joints of several coordinates, are lost", name)
        if np.isfinite(values.get("velocity_limit", np.inf)).any():
            self.losses.add("velocity limits are lost", name)
        return limits

    def inertial(self, node: XmlNode, body: BodySpec, moves: bool, hinge: Array | None = None) -> None:
        """Add mass and principal moments in MuJoCo's limits: for moving bodies none may be zero, and no moment may
        exceed the sum of the others.

        For a body on a ``hinge`` (3,) at the world only the moment about that axis matters; for a body at rest, none.
        """
        mass, I = float(body.mass), np.asarray(body.inertia, dtype=float)
        if not mass and not I.any() and not moves:
            return
        moments, Q = _principal(I)
        if hinge is not None and _excess(moments) > ROUNDED * np.abs(moments).max():
            moments, Q = np.full(3, hinge @ I @ hinge), np.eye(3)
        k, excess = int(np.argmax(moments)), _excess(moments)
        if excess > ROUNDED * moments[k]:
            moments = np.maximum(moments + excess / 3.0, 0.0)
            moments[k] -= 2.0 / 3.0 * excess
            if body.name not in self.at_rest:
                self.losses.add(
                    "no rigid body has these moments of inertia: the nearest valid ones are written, since MuJoCo "
                    "rejects others",
                    body.name,
                )
        if moves and (mass < LEAST or moments.min() < LEAST):
            mass, moments = max(mass, LEAST), np.maximum(moments, LEAST)
            what = f"a moving body without mass or inertia gets {LEAST:g}, since MuJoCo requires positive values"
            self.losses.add(what, body.name)
        k = int(np.argmax(moments))  # by rounding the largest may still exceed the sum of the others
        moments[k] = min(moments[k], moments[k - 1] + moments[k - 2])
        options: dict[str, Any] = {"pos": body.center_of_mass, "mass": mass, "diaginertia": moments}
        if not np.array_equal(Q, np.eye(3)):
            options["quat"] = quaternion_from_matrix(Q)
        node.add("inertial", **options)

    # loops and springs

    def tie(self, first: str, second: str, coefficients: tuple[float, ...], name: str | None = None) -> None:
        padded = (*coefficients, 0.0, 0.0, 0.0, 0.0)[:5]
        tied: dict[str, Any] = {} if name is None else {"name": name}
        tied["joint1"] = first
        tied |= {"joint2": second} if second else {}
        self.ties.append(tied | {"polycoef": padded})

    def place(self, frame: str) -> tuple[str, Array]:
        """Return the body of a frame, and its pose (4, 4) there."""
        for one in self.description.frames:
            if one.name == frame:
                return one.body, one.placement
        return frame, np.eye(4)

    def site(self, name: str, frame: str, T: Array) -> str:
        """Add a site at the pose T (4, 4) in a frame and return its name."""
        body, placement = self.place(frame)
        name = self.sites.free(name)
        self.nodes[body].add("site", name=name, **_placed(placement @ T))
        return name

    def loops(self, root: XmlNode) -> None:
        ends: list[tuple[str, dict[str, Any]]] = []
        for loop in self.description.loops:
            if isinstance(loop, CoordinateLoop):
                self.coordinate_loop(root, loop)
            elif isinstance(loop.kind, Weld | Ball):
                kind = "weld" if isinstance(loop.kind, Weld) else "connect"
                ends.append((kind, {"name": loop.name, **self.ends(loop, np.zeros(3), "")}))
            elif isinstance(loop.kind, RevolutePair):
                self.losses.add("a revolute loop is written as two points of its axis", loop.name)
                for k, along in enumerate((-0.5, 0.5)):
                    p = loop.second_axes[:3, 2] * along
                    name = self.names.free(f"{loop.name}_{k}")
                    ends.append(("connect", {"name": name, **self.ends(loop, p, f"_{k}")}))
            else:
                self.losses.add(f"loops of the kind {loop.type} are lost", loop.name)
        if ends or self.ties or self.tendon_ties:
            equality = root.add("equality")
            for kind, attributes in ends:
                equality.add(kind, **attributes)
            for attributes in self.ties:
                equality.add("joint", **attributes)
            for attributes in self.tendon_ties:
                equality.add("tendon", **attributes)

    def ends(self, loop: Loop, p: Array, ending: str) -> dict[str, Any]:
        """Return the two sites that coincide when closed, at p (3,) in the second frame."""
        T = pose_matrix(p=p)
        one = self.site(f"{loop.name}{ending}_1", loop.first, loop.placement @ T)
        return {"site1": one, "site2": self.site(f"{loop.name}{ending}_2", loop.second, T)}

    def coordinate_loop(self, root: XmlNode, loop: CoordinateLoop) -> None:
        named = [self.hinges.get(one, "") for one in (loop.first, loop.second)]
        wrong = (loop.second and not named[1]) or not named[0] or len(loop.coefficients) > 5
        others = [(self.hinges.get(name, ""), -factor) for name, factor in loop.others]
        if wrong or not all(name for name, _ in others):
            self.losses.add("a coupling of coordinates without joints of one coordinate in MuJoCo is lost", loop.name)
            return
        start = self.references.get(named[0], 0.0)
        start += sum(factor * self.references.get(name, 0.0) for name, factor in others)
        coefficients = np.zeros(5)
        shifted = Polynomial(loop.coefficients)(Polynomial([self.references.get(named[1], 0.0), 1.0])) - start
        coefficients[: len(shifted.coef)] = shifted.coef
        if others:
            tendons = [((named[0], 1.0), *others), *([((named[1], 1.0),)] if named[1] else [])]
            tied: dict[str, Any] = {"name": loop.name}
            for k, tendon in enumerate(tendons, start=1):
                tied[f"tendon{k}"] = f"{loop.name}_tendon{k}"
                add_tendon(root, tendon, {"name": tied[f"tendon{k}"]}, self.site_of, self.wrapping)
            self.tendon_ties.append(tied | {"polycoef": tuple(coefficients.tolist())})
        else:
            self.tie(named[0], named[1], tuple(coefficients.tolist()), loop.name)

    def site_of(self, frame: str, name: str) -> str:
        """Return the site of a frame; the origin of a body gets a new one."""
        known = {one.name for one in self.description.frames}
        return frame if frame in known else self.site(name, frame, np.eye(4))

    def wrapping(self, wrap: Wrap) -> str:
        """Return the name of the geom of a wrapping body, which is added where it is new."""
        body, placement = self.place(wrap.frame)
        if (known := self.wraps.get(replace(wrap, side=""))) is not None:
            return known
        for number, name in self.geoms.items():
            shape = self.description.shapes[number]
            if (shape.kind, shape.radius, shape.body) == (wrap.kind, wrap.radius, body) and np.allclose(
                shape.placement, placement, rtol=0.0, atol=1e-12
            ):
                return name
        taken = {*self.geoms.values(), *self.wraps.values()}
        name = wrap.frame
        while name in taken:
            name += "_"
        self.wraps[replace(wrap, side="")] = name
        size = wrap.radius if wrap.kind == "sphere" else (wrap.radius, 10.0 * wrap.radius)
        still = {"mass": 0.0, "contype": 0, "conaffinity": 0, "group": GROUP}
        self.nodes[body].add("geom", name=name, type=wrap.kind, size=size, **_placed(placement), **still)
        return name


def _principal(I: Array) -> tuple[Array, Array]:
    """Return the principal moments (3,) of an inertia (3, 3) and the axes (3, 3) they are about."""
    if np.allclose(I, np.diag(np.diag(I)), rtol=0.0, atol=1e-16 * np.abs(I).max()):
        return np.diag(I).copy(), np.eye(3)
    moments, Q = np.linalg.eigh(I)
    return moments, Q if np.linalg.det(Q) > 0.0 else Q * np.array([1.0, 1.0, -1.0])


def _excess(moments: Array) -> float:
    """Return the excess of the largest moment over the sum of the others."""
    return float(2.0 * moments.max() - moments.sum())


def _placed(T: Array) -> dict[str, Any]:
    """Return pos and quat of a pose (4, 4), if they are not zero."""
    options: dict[str, Any] = {}
    if T[:3, 3].any():
        options["pos"] = T[:3, 3]
    if not np.array_equal(T[:3, :3], np.eye(3)):
        options["quat"] = quaternion_from_matrix(T[:3, :3])
    return options
