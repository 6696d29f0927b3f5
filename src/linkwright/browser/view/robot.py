"""A mechanism as nodes of a scene in the browser."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from linkwright.browser.view.pictures import glb
from linkwright.browser.view.solids import BodySolid, Color, Solids, Strut, along, solids_of, touching_solids
from linkwright.errors import InputError
from linkwright.geometry import rotation
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.rendering.surfaces import turned

MOST_BODIES = 2000
"""Largest number of bodies."""
LONGEST_NAME = 40


def node_name(name: str) -> str:
    """Return a name for a node: letters, digits, "_" and "-", never empty."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:LONGEST_NAME] or "_"


class RobotNodes:
    """A mechanism in the browser: one node for each body, with its solids.

    ``server``: a viser server. ``name``: name in the scene. ``opacity``: below 1 for a transparent robot. ``color``
    (red, green, blue, 0 to 255): color of all solids. ``scale``: scale of each solid about the origin of its link.
    ``shapes``: "seen", or "touching" for collision shapes. Raises :class:`InputError` for more than
    :data:`MOST_BODIES` bodies.
    """

    def __init__(
        self,
        server: Any,
        model: Model,
        name: str = "robot",
        *,
        opacity: float = 1.0,
        color: Color | None = None,
        shapes: str = "seen",
        scale: float = 1.0,
        visible: bool = True,
    ):
        if len(model.links) > MOST_BODIES:
            raise InputError(f"the studio shows up to {MOST_BODIES} bodies; {model.name!r} has {len(model.links)}")
        self.server, self.model = server, model
        self.frames = [body.name for body in model.bodies]
        """the frame of the node of each body"""
        self.name = f"/{node_name(name)}"
        self.opacity, self.color, self.scale = opacity, color, scale
        self.poses: Array = np.tile(np.eye(4), (len(self.frames), 1, 1))
        """(n_bodies, 4, 4), poses of the bodies"""
        self.root = server.scene.add_frame(self.name, show_axes=False, visible=visible)
        self.nodes = [
            server.scene.add_frame(f"{self.name}/{k}_{node_name(body)}", show_axes=False)
            for k, body in enumerate(self.frames)
        ]
        """the node of each body"""
        self.solids: list[tuple[BodySolid, Any]] = []
        """solids and their nodes"""
        self.struts: list[tuple[Strut, Any]] = []
        shown = derived(model, solids_of) if shapes == "seen" else Solids(touching_solids(model), ())
        with server.atomic():
            self._add(shown)

    def _add(self, shown: Solids) -> None:
        for number, solid in enumerate(shown.solids):
            above = f"{self.name}/world" if solid.body < 0 else self.nodes[solid.body].name
            self.solids.append((solid, self._solid(f"{above}/solid_{number}", solid)))
        for number, strut in enumerate(shown.struts):
            mesh = turned([(0.0, 0.0), (strut.radius, 0.0), (strut.radius, 1.0), (0.0, 1.0)], 20)
            self.struts.append((strut, self._mesh(f"{self.name}/strut_{number}", mesh, strut.color, 1.0)))

    def _solid(self, name: str, solid: BodySolid) -> Any:
        if solid.picture is None or self.color is not None or self.opacity < 1.0:
            return self._mesh(name, solid.mesh, solid.color, solid.opacity)
        return self.server.scene.add_glb(
            name,
            glb_data=glb(solid.mesh, solid.picture),
            scale=self.scale,
            cast_shadow=True,
            receive_shadow=False,
        )

    def _mesh(self, name: str, mesh: Any, color: Color, opacity: float) -> Any:
        opacity = self.opacity * (opacity if self.color is None else 1.0)
        return self.server.scene.add_mesh_simple(
            name,
            np.asarray(mesh.vertices, dtype=np.float32),
            np.asarray(mesh.faces, dtype=np.uint32),
            color=color if self.color is None else self.color,
            opacity=None if opacity >= 1.0 else opacity,
            side="double",
            scale=self.scale,
            cast_shadow=opacity >= 0.9,
            receive_shadow=False,  # self-shadows would be striped
        )

    @property
    def visible(self) -> bool:
        """Whether the robot is visible."""
        return bool(self.root.visible)

    @visible.setter
    def visible(self, seen: bool) -> None:
        self.root.visible = seen

    def show(self, q: Array) -> None:
        """Show a configuration (nq,); all bodies move at once."""
        if self.frames:
            self.place(body_poses(self.model, q))

    def place(self, poses: Array) -> None:
        """Show all bodies at poses (n_bodies, 4, 4) of their link frames in the world."""
        turns = rotation.to_quaternion(poses[:, :3, :3])
        with self.server.atomic():
            for node, pose, turn in zip(self.nodes, poses, turns, strict=True):
                node.wxyz, node.position = turn, pose[:3, 3]
            for strut, node in self.struts:
                a, b = (_placed(poses, body, end) for body, end in zip(strut.bodies, strut.ends, strict=True))
                T = along(a, b)
                node.wxyz, node.position = rotation.to_quaternion(T[:3, :3]), a
                node.scale = (1.0, 1.0, max(float(np.linalg.norm(b - a)), 1e-9))
        self.poses = poses

    def hide_where(self, poses: Array) -> None:
        """Hide fixed bodies, and those at poses (n_bodies, 4, 4) of another robot."""
        for solid, node in self.solids:
            k = solid.body
            node.visible = k >= 0 and float(np.abs(poses[k] - self.poses[k]).max()) > 1e-6

    def remove(self) -> None:
        """Remove the robot from the scene."""
        self.root.remove()


def body_poses(model: Model, q: Array) -> Array:
    """Return the poses (n_bodies, 4, 4) of the link frames in the world."""
    import linkwright as lw

    poses: Array = lw.pose(model, q, frame=tuple(body.name for body in model.bodies))
    return poses


def _placed(poses: Array, body: int, point: Array) -> Array:
    place: Array = point if body < 0 else poses[body, :3, :3] @ point + poses[body, :3, 3]
    return place
