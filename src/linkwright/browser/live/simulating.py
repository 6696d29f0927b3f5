"""The tab of the studio that sets the mechanism going, with curves and equations beside the picture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.browser.camera import CameraControls
from linkwright.browser.live.live import Live
from linkwright.browser.live.panel import LivePanel
from linkwright.browser.posture import Posture
from linkwright.browser.robot import body_poses
from linkwright.browser.scene import FIELD_OF_VIEW, BrowserScene
from linkwright.browser.typeset import Typeset, typeset
from linkwright.browser.words import literal
from linkwright.errors import LinkwrightError
from linkwright.model.tree import Model
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.standing_posture import standing_configuration
from linkwright.spatial.arrays import Array

FOLLOWED = 8.0
"""a second: how often sliders and the hand follow a mechanism that moves by itself"""
WIDTH = 380
"""pixels, of what is beside the picture"""

LEAST_ACROSS = 0.65
"""How wide the picture is beside its height, at least, with the curves open at first."""

BACK = 1.4
"""How many times as far away one looks from: it moves, and what is beside the picture takes its room."""

RAISED = 0.02
"""of its size: a base that is higher than that above where it began is dropped"""

ACROSS = 0.8
"""How wide a picture is beside its height where what has fallen is still in it."""

ROUND = 1.4
"""How far from its base one sees of what swings in a plane, in sizes of it."""

TEXT = "Let it move by itself, in real time: push it with the mouse, change what it weighs, what holds it, and gravity."


class Simulating:
    """A button at first; once it is pressed the controls of a live motion take its place.

    Nothing is compiled before, for most who open the studio only look.
    """

    def __init__(
        self,
        server: Any,
        scene: BrowserScene,
        posture: Posture,
        began: Callable[[], object] = lambda: None,
        camera: CameraControls | None = None,
    ):
        """``began`` is called once it is set going; ``camera`` goes along with it."""
        self._began, self._camera = began, camera
        self.server, self.scene, self.posture = server, scene, posture
        self.model: Model = scene.model
        self.live: Live | None = None
        self.panel: LivePanel | None = None
        self.typeset: Typeset | None = None
        self._equations: Any = None
        self._followed, self._lock = 0.0, Lock()
        gui = server.gui
        self._place = gui.add_folder(None)
        with self._place:
            self.text = gui.add_markdown(TEXT)
            self.button = gui.add_button("Simulate", color="green", icon="player-play")
            self.button.on_click(lambda _: self.begin())

    def begin(self, play: bool = True) -> LivePanel | None:
        """Make the motion and its controls, and play; None where it cannot be simulated, which is told."""
        with self._lock:
            if self.panel is not None:
                return self.panel
            self.button.disabled, self.button.label = True, "compiling …"
            try:
                self.live = self._made()
                self.live.prepare()
            except LinkwrightError as error:
                self.button.disabled, self.button.label = False, "Simulate"
                self.text.content = literal(str(error))
                return None
            gui = self.server.gui
            with self.server.atomic():
                self.button.remove()
                self.text.remove()
                with self._place:
                    self.panel = LivePanel(self.server, self.scene, self.live, self._moved)
                side = gui.add_panel()
                with side.add_tab("Curves"):
                    self.panel.add_curves()
                self.typeset = typeset(self.model)
                if self.typeset is not None:
                    with side.add_tab("Equations"):
                        self._equations = gui.add_html("")
                side.dock_left()
                side.set_width(WIDTH)
                if self._crowded():
                    side.minimize()
            self._began()
            with self._camera.still() if self._camera is not None else nullcontext():
                self._in_view()
            self.posture.listen(self._placed, self)
            self._moved(self.live.q)
            self.panel.start()
        if play:
            self.panel.play()
        return self.panel

    def _crowded(self) -> bool:
        """Whether what is beside the picture would leave it too little room, on one of the pages."""
        cameras = [client.camera for client in self.server.get_clients().values()]
        return any(camera.image_width - WIDTH < LEAST_ACROSS * camera.image_height for camera in cameras)

    def _made(self) -> Live:
        """As it is shown; where nobody has moved it yet, as it shows what it can do."""
        live, q = Live(self.model), self.posture.q
        if not np.array_equal(q, self.posture.start):
            live.start = (self._on_its_ground(live, q) if live.stands else q), np.zeros(self.model.nv)
            live.reset()
        return live

    def _on_its_ground(self, live: Live, q: Array) -> Array:
        """What floats, on the ground; whose base was raised over where it began is as high above it, and falls."""
        up = np.asarray(self.scene.view.up)
        standing = np.array(standing_configuration(live.model, q))
        raised = float((body_poses(self.model, np.stack([q, self.posture.start]))[:, 0, :3, 3] @ up) @ [1.0, -1.0])
        if raised > RAISED * self.scene.size:
            for joint in self.model.joints:
                if joint.motion.floating:
                    place = self.model.slice(joint.name).q.start
                    standing[place : place + 3] += raised * up
        return standing

    def _in_view(self) -> None:
        """What floats is put on its ground, which is drawn there; whoever looks goes along, and steps back."""
        assert self.live is not None
        shift = np.zeros(3)
        if self.live.stands:
            before = self.scene.poses[0][:3, 3].copy()
            self.scene.show(self.live.q)
            shift = self.scene.poses[0][:3, 3] - before
            level = level_of(self.live.model)
            if level is not None:
                self.scene.ground.position = level * np.asarray(self.scene.view.up)
        cameras = [(self.server.initial_camera, 1.0)]
        beside = 0.0 if self._crowded() else WIDTH
        for client in self.server.get_clients().values():
            at = client.camera
            cameras.append((at, narrow(at.image_width - beside, at.image_height) if self.live.stands else 1.0))
        for camera, more in cameras:
            middle = np.asarray(camera.look_at) + shift
            away = BACK * more * (np.asarray(camera.position) - np.asarray(camera.look_at))
            if self.scene.view.flat and not self.live.stands:  # it may swing all round
                middle = self.scene.poses[0][:3, 3]
                half = ROUND * self.scene.size / np.tan(0.5 * FIELD_OF_VIEW)
                away = max(half / float(np.linalg.norm(away)), 1.0) * away
            camera.position = middle + away
            camera.look_at = middle

    def stop(self) -> None:
        """End the clock."""
        if self.panel is not None:
            self.panel.stop()

    def motion(self) -> Motion:
        """What happened, or, where nothing moves yet, the posture that is shown."""
        if self.live is not None:
            return self.live.motion()
        none = np.zeros((1, self.model.nv))
        return Motion(model=self.model, t=np.zeros(1), q=self.posture.q[None], v=none, tau=none, step=1e-3)

    def again(self) -> None:
        """Show what is looked at, after something else was shown."""
        if self.panel is not None:
            self.panel.again()
        else:
            self.scene.show(self.posture.q)

    def _placed(self, q: Array) -> None:
        if self.panel is not None:
            self.panel.placed(q)

    def _moved(self, q: Array) -> None:
        """With each picture: those that show the posture in other ways follow now and then."""
        assert self.live is not None
        now = perf_counter()
        playing = self.panel is not None and self.panel.clock.playing
        if playing and now - self._followed < 1.0 / FOLLOWED:
            return
        self._followed = now
        self.posture.move(q, by=self)
        if self.typeset is not None:
            self._equations.content = self.typeset.html(values_now(self.typeset, self.live, q))


def narrow(width: float, height: float) -> float:
    """How many times further one steps back from what may fall, for a picture of so many pixels: it lies across."""
    return float(np.clip(ACROSS * height / max(width, 1.0), 1.0, 2.0))


def level_of(model: Model) -> float | None:
    """How high the level ground is that a mechanism touches, m; None without one."""
    for pair in model.pairs:
        for place in (pair.first, pair.second):
            shape = model.shapes[place]
            frame = model.frame(shape.body)
            if shape.kind == "plane" and frame.body < 0:
                return float((frame.placement @ shape.placement)[2, 3])
    return None


def values_now(made: Typeset, live: Live, q: Array) -> dict[str, float]:
    """The values of the names in the equations, of what moves now."""
    times = {link: live.mass(link) / float(ten[0]) for link, ten in live.masses.items()}
    return made.values(q, live.now.v, times, float(np.linalg.norm(live.gravity)))
