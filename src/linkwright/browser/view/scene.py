"""The scene: a mechanism, its ground, light, and arrows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.browser.view.robot import RobotNodes, node_name
from linkwright.browser.view.solids import Color, solids_of
from linkwright.errors import InputError, ShapeError
from linkwright.geometry import rotation
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.view import View, choose_view, round_step

FIELD_OF_VIEW = np.radians(40.0)
MARGIN = 1.4
"""Size of the first view, relative to the mechanism."""
LIGHT = {"cell_color": (214, 217, 222), "section_color": (176, 181, 189), "plane_color": (247, 248, 250)}
DARK = {"cell_color": (52, 56, 62), "section_color": (86, 92, 101), "plane_color": (16, 17, 19)}
"""Colors of the ground on a light and on a dark page."""
RED: Color = (204, 38, 56)


class BrowserScene:
    """A mechanism in the browser, with ground and light.

    ``server``: a viser server. ``q`` (nq,): first configuration; default: neutral. Raises
    :class:`~linkwright.errors.InputError` for a mechanism without bodies, or with too many.

        scene = Scene(server, model)
        scene.show(q)
        scene.arrows("contact", places, forces)
    """

    def __init__(self, server: Any, model: Model, q: Any = None, seen: Array | None = None):
        """``seen`` (n, nq): configurations that the first view contains."""
        self.server, self.model = server, model
        self.q: Array = configurations(model, model.neutral() if q is None else q)[-1]
        """(nq,), the present configuration"""
        self.view = _view(model, self.q, seen)
        self.size = self.view.size
        """of the mechanism, m"""
        self._named: dict[str, Any] = {}
        self._listening: list[Callable[[], None]] = []
        with server.atomic():
            self._light()
            self._ground()
            self._camera()
        self.robot = RobotNodes(server, model)
        """its nodes"""
        self.show(self.q)

    @property
    def poses(self) -> Array:
        """Poses (n_bodies, 4, 4) of the links in the world."""
        return self.robot.poses

    def show(self, q: Array) -> None:
        """Show a configuration (nq,); all bodies move at once."""
        self.robot.show(q)
        self.q = np.array(q, dtype=float)
        for listener in self._listening:
            listener()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener()`` after each shown configuration."""
        self._listening.append(listener)

    def arrows(self, name: str, at: Any, vectors: Any, color: Color = RED) -> None:
        """Show arrows from points (n, 3) along vectors (n, 3), m in the world, instead of previous ones of this name.

        With n = 0 the arrows are removed. Raises :class:`~linkwright.errors.InputError` for numbers that are not
        finite.
        """
        at, vectors = np.reshape(np.asarray(at, dtype=float), (-1, 3)), np.reshape(np.asarray(vectors, float), (-1, 3))
        if at.shape != vectors.shape:
            raise ShapeError(f"each arrow needs a point and a vector; got {len(at)} points and {len(vectors)} vectors")
        for what, rows in (("point", at), ("vector", vectors)):
            if (bad := np.flatnonzero(~np.isfinite(rows).all(axis=1))).size:
                raise InputError(f"arrows {name!r}: {what} {bad[0]} is not finite: {rows[bad[0]].tolist()}")
        long = np.linalg.norm(vectors, axis=1) > 1e-4 * self.size
        points = np.stack([at, at + vectors], axis=1)[long].astype(np.float32)
        old = self._named.get(name)
        if not len(points):
            self.remove(name)
        elif old is not None and len(old.points) == len(points):
            old.points = points
        else:
            r = 0.008 * self.size
            self._named[name] = self.server.scene.add_arrows(
                f"/arrows/{node_name(name)}", points, color, shaft_radius=r, head_radius=2.4 * r, head_length=6.0 * r
            )

    def remove(self, name: str) -> None:
        """Remove the arrows of a name, if there are any."""
        node = self._named.pop(name, None)
        if node is not None:
            node.remove()

    def set_dark(self, dark: bool) -> None:
        """Color the ground for a dark or a light page."""
        with self.server.atomic():
            for name, color in (DARK if dark else LIGHT).items():
                setattr(self.ground, name, color)

    def _light(self) -> None:
        """Add a light with shadows over the viewer's left shoulder, and light from the sky.

        An environment map would be ten times slower without a graphics card.
        """
        scene, (right, above, near) = self.server.scene, self.view.axes
        up = above if self.view.flat else self.view.up
        scene.set_up_direction(tuple(map(float, up)))
        scene.configure_environment_map(None)
        scene.configure_default_lights(False)
        key, fill = near + 1.6 * up - 0.7 * right, 0.5 * up + right - 0.4 * near
        scene.add_light_directional(
            "/light/key", intensity=2.6, cast_shadow=True, position=tuple(10.0 * self.size * key)
        )
        scene.add_light_directional("/light/fill", intensity=0.9, position=tuple(10.0 * self.size * fill))
        scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 195, 205), intensity=2.1)

    def hide_ground_without_contact(self, model: Model) -> bool:
        """Hide a ground that a simulated mechanism would fall through; return whether it is hidden."""
        hidden = not model.pairs and not self.view.flat
        if hidden:
            self.ground.visible = False
        return hidden

    def _ground(self) -> None:
        """Add the ground, or a grid behind a planar mechanism."""
        view = self.view
        normal = view.axes[2] if view.flat else view.up
        self.level = -0.35 * self.size if view.flat else _level(view, self)
        """m, height of the ground along ``view.up``, or position of the grid towards the viewer"""
        cell = round_step(0.2 * self.size)
        turn = _turn_to(normal)
        wide = 40.0 * cell
        self.ground = self.server.scene.add_grid(
            "/ground",
            width=wide,
            height=wide,
            plane="xy",
            cell_size=cell,
            section_size=5.0 * cell,
            cell_thickness=0.8,
            section_thickness=1.2,
            infinite_grid=True,
            fade_distance=22.0 * self.size,
            fade_strength=1.6,
            plane_opacity=0.0,
            shadow_opacity=0.0 if view.flat else 0.18,
            wxyz=rotation.to_quaternion(turn),
            position=self.level * normal,
            **LIGHT,
        )

    def _camera(self) -> None:
        view, camera = self.view, self.server.initial_camera
        low, high = view.window
        middle = 0.5 * (low + high)
        center = view.center + view.axes[0] * middle[0] + view.axes[1] * middle[1]
        half = 0.5 * MARGIN * max(float(high[1] - low[1]), float(high[0] - low[0]))
        away = half / np.tan(0.5 * FIELD_OF_VIEW)
        camera.fov = float(FIELD_OF_VIEW)
        camera.look_at = center
        camera.position = center + away * view.axes[2]
        camera.up = view.axes[1] if view.flat else view.up
        camera.near, camera.far = 0.01 * away, 100.0 * away


def _view(model: Model, q: Array, seen: Array | None) -> View:
    bones = skeleton(model)
    poses = poses_along(model, q[None] if seen is None else seen)
    reach = bones.along(poses_along(model, nearby(model, q)))
    return choose_view(
        bones.along(poses), bones.center_of_mass_along(poses), model.gravity, reach=reach, floors=floors_of(model)
    )


def _level(view: View, scene: BrowserScene) -> float:
    """Return the height of the ground along ``up``: that of the model, or the origin or the lowest point."""
    if view.ground is not None:
        return view.ground
    bones = skeleton(scene.model)
    points = bones.along(poses_along(scene.model, scene.q[None]))[0]
    fixed = [one.mesh.vertices @ view.up for one in derived(scene.model, solids_of).solids if one.body < 0]
    return min(0.0, float((points @ view.up).min()), *(float(heights.min()) for heights in fixed))


def _turn_to(normal: Array) -> Array:
    """Return the rotation (3, 3) of z to a direction."""
    z = normal / np.linalg.norm(normal)
    x = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)
