"""The light and the floor that the MJCF writer adds. The reader leaves both out.

The floor of a robot with a floating base touches its collision shapes, as the ground does that a simulation adds to it.
Below other mechanisms the floor is only seen.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.mjcf.contact_elements import signed
from linkwright.formats.writing import XmlNode, downwards
from linkwright.model.build.assembly import fixed_at
from linkwright.model.build.description import WORLD, Description
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

FLOOR = "floor"
"""The name of the geom."""

MARK = "floor_added_by_linkwright"
"""The name of the text in files whose floor touches, by which the reader distinguishes it from a floor of the model."""


def add_scenery(root: XmlNode, world: XmlNode, assets: XmlNode, description: Description) -> None:
    """Add a light and, where gravity is along −z and the world has no ground, a floor beneath all shapes."""
    if not any(shape.is_seen for shape in description.shapes):
        return
    world.children.insert(0, XmlNode("light", {"pos": "0 0 4", "dir": "0.2 0.3 -1", "directional": "true"}))
    x, y, z = description.gravity
    grounded = any(shape.body == WORLD and shape.kind in ("plane", "height_field") for shape in description.shapes)
    if grounded or any(shape.name == FLOOR for shape in description.shapes) or (x, y) != (0.0, 0.0) or not z < 0.0:
        return
    colors = {"rgb1": (0.86, 0.88, 0.9), "rgb2": (0.78, 0.8, 0.83)}
    assets.add("texture", name=FLOOR, type="2d", builtin="checker", width=300.0, height=300.0, **colors)
    assets.add("material", name=FLOOR, texture=FLOOR, texrepeat=(2.0, 2.0), texuniform="true", reflectance=0.1)
    options: dict[str, Any] = {"contype": 0, "conaffinity": 0}
    if touching := _standing_on(description):
        # MuJoCo uses the larger friction and condim of two geoms, which are then those of the robot's shape
        options = {"friction": (0.0, 0.0, 0.0), "condim": 1}
        options["contype"] = signed(reduce(or_, (shape.conaffinity for shape in touching)))
        options["conaffinity"] = signed(reduce(or_, (shape.contype for shape in touching)))
        root.add("custom").add("text", name=MARK, data="the geom named floor")
    options |= {"mass": 0.0, "material": FLOOR}
    height = _lowest(description)
    world.add("geom", name=FLOOR, type="plane", pos=(0.0, 0.0, height), size=(0.0, 0.0, 0.05), **options)


def is_added(reader: MjcfReader, touches: bool) -> bool:
    """Return whether a plane of the name :data:`FLOOR` was added by the writer."""
    mark = reader.mujoco.mj_name2id(reader.m, reader.mujoco.mjtObj.mjOBJ_TEXT, MARK)
    return not touches or mark >= 0


def _standing_on(description: Description) -> list[Shape]:
    """Return the shapes that touch the floor: collision shapes on the moving bodies of a robot with a floating base."""
    if not any(j.parent == WORLD and j.motion is not None and j.motion.floating for j in description.joints):
        return []
    return [shape for shape in description.shapes if shape.touches and shape.body != WORLD]


def _lowest(description: Description) -> float:
    """Return the height of the lowest point of all shapes when neutral; of a mesh in a file, its origin."""
    poses = {WORLD: np.eye(4)}
    for joint in downwards(description, WORLD):
        neutral = joint.motion is None or joint.mimic is not None or joint.neutral is None
        placed = joint if neutral else fixed_at(joint, np.asarray(joint.neutral))
        poses[joint.child] = poses[joint.parent] @ placed.placement
    return min(_lowest_of(shape, poses[shape.body] @ shape.placement) for shape in description.shapes)


def _lowest_of(shape: Shape, T: Array) -> float:
    """Return the height of the lowest point of one shape at a pose (4, 4)."""
    up, height = T[2, :3], float(T[2, 3])
    along, across = abs(float(up[2])), float(np.hypot(up[0], up[1]))
    if shape.kind == "box":
        return height - 0.5 * float(np.abs(up) @ shape.size)
    if shape.kind == "ellipsoid":
        return height - 0.5 * float(np.linalg.norm(up * shape.size))
    if shape.kind in ("sphere", "capsule"):
        return height - shape.radius - 0.5 * shape.length * along
    if shape.kind in ("cylinder", "cone"):
        return height - shape.radius * across - 0.5 * shape.length * along
    if shape.vertices is not None:
        return height + float((np.asarray(shape.vertices) * shape.scale @ up).min())
    return height
