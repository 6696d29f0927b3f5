"""The camera: views of the whole robot by buttons, and a camera that follows the robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from threading import RLock, Timer
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np

from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.solids import solids_of
from linkwright.browser.view.style import NARROW, SHEET
from linkwright.model.memo import derived
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import skeleton

View = Literal["Front", "Side", "Top", "Fit"]
VIEWS: tuple[View, ...] = get_args(View)
LEASH = 0.1
"""Distance, relative to its size, that the robot moves before the camera follows."""
ROOM = 1.25
"""Size of the view, relative to the robot."""
TURNING = 0.3
"""Time after a rotation by the mouse in which the camera does not follow, s."""
ECHO = 0.5
"""Time within which a page may still report an earlier camera, s."""
TILT = 1e-3
"""Tilt of the top view, rad: the up direction of an exactly vertical camera is undefined."""


@dataclass
class Eye:
    """The following camera of one page."""

    target: Array
    """(3,), m, target point of the camera; the report of the page comes later"""
    away: Array
    """(3,), m, from that point to the camera"""
    moved: float = -np.inf
    """time of the last command, s"""
    turned: float = -np.inf
    """time of the last rotation by the mouse, s"""
    owed: bool = False
    """whether a movement waits for the mouse"""


class CameraControls:
    """Buttons for views and a check box for the following camera, in the open panel.

    The camera follows movements above :data:`LEASH`, by default those of a floating base. It waits while the mouse
    rotates the view.
    """

    def __init__(self, server: Any, scene: BrowserScene):
        self.server, self.scene = server, scene
        self._bones = skeleton(scene.model)
        self._eyes: dict[int, Eye] = {}
        self._lock = RLock()
        self._held = False
        self.busy: Callable[[], bool] = lambda: False
        """whether the mouse drags something: then the camera does not move"""
        self.extent: Callable[[], Array] = lambda: np.zeros((0, 3))
        """returns points (n, 3) of the gizmo, which the views contain"""
        self._first = self._at = self._middle()
        gui = server.gui
        self.views = gui.add_button_group(
            "View",
            VIEWS,
            hint="Front: from +x. Side: from −y. Fit: whole robot from the present direction. Keys: 1, 2, 3, 4",
        )
        self.views.on_click(lambda event: self.look(event.client, event.target.value))
        self.follow = gui.add_checkbox(
            "Follow robot",
            any(joint.motion.floating for joint in scene.model.joints),
            hint="The camera follows. Key: F",
        )
        self.follow.on_update(lambda _: self._begin())
        for number, view in enumerate(VIEWS, 1):
            command = gui.add_command(f"View: {view.lower()}", hotkey=str(number))
            command.on_trigger(lambda event, view=view: self.look(event.client, view))
        gui.add_command("Follow robot", hotkey="F").on_trigger(lambda _: self._toggle())
        server.on_client_connect(self._joined)
        server.on_client_disconnect(lambda client: self._eyes.pop(client.client_id, None))
        scene.listen(self._shown)

    def look(self, client: Any, view: View, present: Any = None) -> None:
        """Show the whole robot and its gizmo, from one side or ("Fit") from the direction of the camera ``present``."""
        camera = client.camera
        near, up = self._direction(view, camera if present is None else present)
        points = np.concatenate([self._points(), self._corners(), self.extent()])
        right = np.cross(up, near)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(near, right), near])
        seen = points @ axes.T
        middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
        high = np.tan(0.5 * float(camera.fov))
        wide = high * float(camera.image_width) / max(float(camera.image_height), 1.0)
        free = free_share(camera.image_width, camera.image_height)
        x, y, depth = (seen - middle).T
        distance = float((depth + ROOM * np.maximum(np.abs(x) / wide, np.abs(y) / (free * high))).max())
        distance = max(distance, ROOM * 0.25 * self.scene.size / high)
        target = middle @ axes - (1.0 - free) * high * distance * axes[1]
        with self._lock, client.atomic():
            camera.up_direction = up
            camera.position = target + distance * near
            camera.look_at = target
            self._eyes[client.client_id] = Eye(target, distance * near, perf_counter())

    def _direction(self, view: View, camera: Any) -> tuple[Array, Array]:
        """Return the unit vectors (3,) to the viewer and up."""
        view_of = self.scene.view
        up = view_of.axes[1] if view_of.flat else view_of.up
        if view == "Fit":
            away = np.asarray(camera.position) - np.asarray(camera.look_at)
            own = camera.up if camera is self.server.initial_camera else camera.up_direction
            return away / np.linalg.norm(away), np.asarray(own)
        if view_of.flat:
            front = view_of.axes[2]
        else:
            x = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
            front = (x - (x @ up) * up) / np.linalg.norm(x - (x @ up) * up)
        left = np.cross(up, front)
        if view == "Front":
            return front, up
        if view == "Side":
            return -left, up
        return np.cos(TILT) * up - np.sin(TILT) * left, up

    # following

    @contextmanager
    def still(self) -> Iterator[None]:
        """Do not follow while the caller moves the robot and the cameras."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._begin()

    def _points(self) -> Array:
        """Return points (n, 3) of the robot."""
        places: Array = self._bones.along(self.scene.poses[None])[0]
        moving = self._bones.body >= 0
        return places[moving] if moving.any() else places

    def _corners(self) -> Array:
        """Return the corners (n, 3) of boxes around the moving solids."""
        boxes: list[Array] = [np.zeros((0, 3))]
        for solid in derived(self.scene.model, solids_of).solids:
            if solid.body >= 0:
                T = self.scene.poses[solid.body]
                boxes.append(_box(solid.mesh.vertices) @ T[:3, :3].T + T[:3, 3])
        return np.concatenate(boxes)

    def _middle(self) -> Array:
        points = self._points()
        return np.asarray(0.5 * (points.min(axis=0) + points.max(axis=0)))

    def _begin(self) -> None:
        with self._lock:
            self._at = self._middle()
            self._eyes.clear()

    def _toggle(self) -> None:
        self.follow.value = not self.follow.value
        self._begin()

    def _shown(self) -> None:
        """Follow the robot."""
        if self._held or not self.follow.value or self.busy():
            return
        with self._lock:
            way = self._middle() - self._at
            far, leash = float(np.linalg.norm(way)), LEASH * self.scene.size
            if far <= leash:
                return
            step = (1.0 - leash / far) * way
            self._at = self._at + step
            for client in self.server.get_clients().values():
                self._go(client, step)

    def _go(self, client: Any, step: Array) -> None:
        """Move the camera of a page by a step (3,), m, when the mouse does not rotate it."""
        now, camera = perf_counter(), client.camera
        away = np.asarray(camera.position) - np.asarray(camera.look_at)
        eye = self._eyes.get(client.client_id)
        if eye is None or (now - eye.moved > ECHO and not eye.owed):
            turned = -np.inf if eye is None else eye.turned
            eye = self._eyes[client.client_id] = Eye(np.array(camera.look_at, dtype=float), away, turned=turned)
        eye.target = eye.target + step
        if np.linalg.norm(away - eye.away) > 1e-3 * np.linalg.norm(away):
            eye.away, eye.turned = away, now
        if now - eye.turned < TURNING:
            if not eye.owed:
                eye.owed = True
                later = Timer(TURNING, self._settle, (client,))
                later.daemon = True
                later.start()
            return
        eye.moved, eye.owed = now, False
        with client.atomic():
            camera.position = eye.target + eye.away
            camera.look_at = eye.target

    def _settle(self, client: Any) -> None:
        """Do the movements that waited for the mouse."""
        with self._lock:
            eye = self._eyes.get(client.client_id)
            if eye is not None and eye.owed and client.client_id in self.server.get_clients():
                eye.owed = False
                eye.moved = perf_counter()  # its target is still valid
                self._go(client, np.zeros(3))

    def _joined(self, client: Any) -> None:
        """Fit the robot into the free part of a telephone; direct later pages at the present position."""
        if free_share(client.camera.image_width, client.camera.image_height) < 1.0:
            self._fit(client)
            client.camera.on_update(lambda camera: self._fit(client) if self._is_initial(camera) else None)
            return
        moved = self._at - self._first
        if self.follow.value and np.linalg.norm(moved) > 0.0:
            camera = client.camera
            with client.atomic():
                camera.position = np.asarray(camera.position) + moved

    def _fit(self, client: Any) -> None:
        """Show the whole robot from the initial direction, before the page has reported its camera."""
        client.camera.fov = self.server.initial_camera.fov
        self.look(client, "Fit", self.server.initial_camera)

    def _is_initial(self, camera: Any) -> bool:
        """Return whether a page has set its camera to the initial one, which it may do after :meth:`_fit`."""
        return bool(np.allclose(camera.position, self.server.initial_camera.position, atol=1e-3))


def _box(points: Array) -> Array:
    """Return the corners (8, 3) of the box around points (n, 3)."""
    ends = points.min(axis=0), points.max(axis=0)
    return np.array([[ends[i][0], ends[j][1], ends[k][2]] for i, j, k in product(range(2), repeat=3)])


def free_share(width: float, height: float) -> float:
    """Return the part of the height of a picture above the sheet of controls of a telephone."""
    return 1.0 - min(SHEET / max(height, 1.0), 0.5) if 0 < width <= NARROW else 1.0
