"""Where one looks from: views of the whole robot by buttons, and a camera that goes along with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock, Timer
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np

from linkwright.browser.scene import BrowserScene
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import skeleton

View = Literal["Front", "Side", "Top", "Whole"]
VIEWS: tuple[View, ...] = get_args(View)
LEASH = 0.1
"""How far, in sizes of it, the robot goes before the camera goes along: what it does in place does not shake it."""
ROOM = 1.25
"""How much more than the robot is in view."""
TURNING = 0.3
"""s after the mouse turned the picture in which the camera is the mouse's alone"""
ECHO = 0.5
"""s in which a page may still answer what was asked of it before"""
TILT = 1e-3
"""rad from straight above: there a camera would not know which way is up"""


@dataclass
class Eye:
    """The camera of one page, while it goes along."""

    target: Array
    """(3,), m, what it looks at; the page's own answer comes later, and tells what was asked before"""
    away: Array
    """(3,), m, from there to the camera"""
    moved: float = -np.inf
    """s, when it was told to move"""
    turned: float = -np.inf
    """s, when the mouse turned it"""
    owed: bool = False
    """whether it is to move once the mouse rests"""


class CameraControls:
    """Buttons for views, and a tick to go along, in the panel that is open now.

    It goes along with whatever moves the robot, unless that moves less than :data:`LEASH` of its size; at first only
    with what floats. While the mouse turns the picture it waits.
    """

    def __init__(self, server: Any, scene: BrowserScene):
        self.server, self.scene = server, scene
        self._bones = skeleton(scene.model)
        self._eyes: dict[int, Eye] = {}
        self._lock = RLock()
        self._held = False
        self.busy: Callable[[], bool] = lambda: False
        """whether the mouse drags something just now: then the picture stays"""
        self._first = self._at = self._middle()
        gui = server.gui
        self.views = gui.add_button_group(
            "View", VIEWS, hint="From +x, from −y, from above; or all of it, from where you look. Keys 1, 2, 3, 4"
        )
        self.views.on_click(lambda event: self.look(event.client, event.target.value))
        self.follow = gui.add_checkbox(
            "Camera follows", any(joint.motion.floating for joint in scene.model.joints), hint="The robot. Key F"
        )
        self.follow.on_update(lambda _: self._begin())
        for number, view in enumerate(VIEWS, 1):
            command = gui.add_command(f"View: {view.lower()}", hotkey=str(number))
            command.on_trigger(lambda event, view=view: self.look(event.client, view))
        gui.add_command("Camera follows, or stays", hotkey="F").on_trigger(lambda _: self._toggle())
        server.on_client_connect(self._joined)
        server.on_client_disconnect(lambda client: self._eyes.pop(client.client_id, None))
        scene.listen(self._shown)

    def look(self, client: Any, view: View) -> None:
        """Let a page see all of the robot, from one side or, "Whole", from where it looks."""
        camera = client.camera
        near, up = self._direction(view, camera)
        points = self._points()
        right = np.cross(up, near)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(near, right), near])
        seen = points @ axes.T
        middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
        high = np.tan(0.5 * float(camera.fov))
        wide = high * float(camera.image_width) / max(float(camera.image_height), 1.0)
        x, y, depth = (seen - middle).T
        distance = float((depth + ROOM * np.maximum(np.abs(x) / wide, np.abs(y) / high)).max())
        target, distance = middle @ axes, max(distance, ROOM * 0.25 * self.scene.size / high)
        with self._lock, client.atomic():
            camera.up_direction = up
            camera.position = target + distance * near
            camera.look_at = target
            self._eyes[client.client_id] = Eye(target, distance * near, perf_counter())

    def _direction(self, view: View, camera: Any) -> tuple[Array, Array]:
        """Towards the viewer, and up: unit vectors (3,)."""
        view_of = self.scene.view
        up = view_of.axes[1] if view_of.flat else view_of.up
        if view == "Whole":
            away = np.asarray(camera.position) - np.asarray(camera.look_at)
            return away / np.linalg.norm(away), np.asarray(camera.up_direction)
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

    # going along

    @contextmanager
    def still(self) -> Iterator[None]:
        """Meanwhile the robot is moved elsewhere, and whoever moves it also moves the cameras."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._begin()

    def _points(self) -> Array:
        """(n, 3), of the robot as it is shown."""
        places: Array = self._bones.along(self.scene.poses[None])[0]
        moving = self._bones.body >= 0
        return places[moving] if moving.any() else places

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
        """The robot is elsewhere."""
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
        """Let a page's camera go along by a step (3,), m, as soon as the mouse does not turn it."""
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
        """What the mouse has kept from going along does so now, if it rests."""
        with self._lock:
            eye = self._eyes.get(client.client_id)
            if eye is not None and eye.owed and client.client_id in self.server.get_clients():
                eye.owed = False
                eye.moved = perf_counter()  # its target is still the right one
                self._go(client, np.zeros(3))

    def _joined(self, client: Any) -> None:
        """A page that is opened later looks where the robot is by now."""
        moved = self._at - self._first
        if self.follow.value and np.linalg.norm(moved) > 0.0:
            camera = client.camera
            with client.atomic():
                camera.position = np.asarray(camera.position) + moved
