"""The tab *Simulate* of the studio, and the panels with curves and equations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.browser.live.live import Live
from linkwright.browser.live.panel import LivePanel
from linkwright.browser.posture import Posture
from linkwright.browser.progress import CompileProgress
from linkwright.browser.recorded.page import Playable, playable, with_arrows
from linkwright.browser.view.camera import CameraControls, free_share
from linkwright.browser.view.equation_view import Typeset, may_be_typeset, typeset
from linkwright.browser.view.labels import literal
from linkwright.browser.view.robot import body_poses
from linkwright.browser.view.scene import FIELD_OF_VIEW, BrowserScene
from linkwright.errors import LinkwrightError
from linkwright.model.tree import Model
from linkwright.simulation.ground import floating
from linkwright.simulation.initial_state import is_built_in
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.standing_posture import standing_configuration
from linkwright.spatial.arrays import Array

FOLLOWED = 8.0
"""Update rate of the sliders and the hand during a simulation, Hz."""
WIDTH, SLIM = 380, 280
"""Width of the curves, pixels; SLIM on small screens."""

SMALL_SCREEN = 1100
"""Width of the picture of a small screen, pixels."""

LEAST_ASPECT = 0.65
"""Smallest ratio of width to height of the picture next to open curves."""

BACK = 1.4
"""Factor of the camera distance when the simulation begins."""

RAISED = 0.02
"""Height, relative to its size, above which a raised base is dropped."""

ACROSS = 0.8
"""Ratio of width to height of a picture that contains a fallen robot."""

ROUND, REACH, FARTHEST = 1.4, 0.95, 1.6
"""Visible radius around a fixed base, relative to the size of a mechanism: of planar mechanisms, and the least and the
largest of other ones, in between their reach."""

TEXT = "Simulate the robot in real time: push it with the mouse; change masses, joint stiffness and gravity."
TOO_LONG = "The equations of this robot are too long for the panel; `linkwright equations` writes them to a file."
LOOPS = "The panel has no equations of closed loops; `linkwright equations` writes them to a file."
STEPS = {
    "Simulate": "The simulation runs. Drag a link to push it. Pause is on the tab Simulate.",
    "Push": "A push has moved the robot. Drag a link with the mouse to push it yourself.",
    "Equations": "The equations of motion are at the left. The colors show the present size of each term.",
}


class Simulating:
    """A button that starts a simulation and is then replaced by its controls.

    Nothing is compiled before the button is pressed.
    """

    def __init__(
        self,
        server: Any,
        scene: BrowserScene,
        posture: Posture,
        began: Callable[[], object] = lambda: None,
        camera: CameraControls | None = None,
        progress: Any = None,
    ):
        """``began`` is called at the begin; ``camera`` follows the robot; ``progress``: folder of the progress bar."""
        self._began, self._camera, self._progress = began, camera, progress
        self.server, self.scene, self.posture = server, scene, posture
        self.model: Model = scene.model
        self.live: Live | None = None
        self.panel: LivePanel | None = None
        self.typeset: Typeset | None = None
        self._equations: Any = None
        self._sides: list[Any] = []
        self._followed, self._lock = 0.0, Lock()
        gui = server.gui
        self._place = gui.add_folder(None)
        with self._place:
            self.text = gui.add_markdown(TEXT)
            self.button = gui.add_button("Simulate", color="green", icon="player-play")
            self.button.on_click(lambda _: self.begin())

    def begin(self, play: bool = True) -> LivePanel | None:
        """Start the simulation and show its controls; return None if that fails, with a message in the panel."""
        with self._lock:
            if self.panel is not None:
                return self.panel
            self.button.disabled, self.button.label = True, "Compiling …"
            try:
                with self._place if self._progress is None else self._progress:
                    progress = CompileProgress(self.server.gui)
                with progress:
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
                side.dock_left()
                side.set_width(self._width())
                self._sides = [side]
                self.typeset = typeset(self.model)
                if self.typeset is not None:
                    below = gui.add_panel()
                    with below.add_tab("Equations"):
                        self._equations = gui.add_html("")
                    below.dock_below(side)
                    self._sides.append(below)
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

    def start_with(self, what: str) -> str:
        """Begin a simulation to "Simulate", to "Push" the robot or to show "Equations"; return a sentence."""
        if what == "Equations" and not may_be_typeset(self.model):
            return LOOPS if self.model.loops else TOO_LONG
        begins = self.panel is None
        panel = self.begin(what != "Equations")
        if panel is None:
            return ""
        if what == "Equations":
            if self.typeset is None:
                return TOO_LONG
            for side in self._sides:
                side.expand()
        elif what == "Push":
            panel.push_once(hold=begins)
        else:
            panel.play()
        return STEPS[what]

    def _crowded(self) -> bool:
        """Return whether the curves would leave too little room for the picture on one of the pages."""
        cameras = [client.camera for client in self.server.get_clients().values()]
        return any(camera.image_width - self._width() < LEAST_ASPECT * camera.image_height for camera in cameras)

    def _width(self) -> int:
        cameras = [client.camera for client in self.server.get_clients().values()]
        return SLIM if any(camera.image_width < SMALL_SCREEN for camera in cameras) else WIDTH

    def _made(self) -> Live:
        """Return the simulation from the shown posture.

        From the initial posture of built-in, floating and closed mechanisms it starts in the default state.
        """
        live, q = Live(self.model), self.posture.q
        typical = live.stands or is_built_in(self.model) or floating(self.model) or self.model.loops
        if not typical or not np.array_equal(q, self.posture.start):
            live.start = (self._on_its_ground(live, q) if live.stands else q), np.zeros(self.model.nv)
            live.reset()
        return live

    def _on_its_ground(self, live: Live, q: Array) -> Array:
        """Return the posture with its floating base on the ground, or as high above it as the base was raised."""
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
        """Show the ground of a standing robot; move the cameras with the robot, and away from it."""
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
        beside = 0.0 if self._crowded() else self._width()
        across = ACROSS if self.live.stands else 1.0
        for client in self.server.get_clients().values():
            at = client.camera
            telephone = free_share(at.image_width, at.image_height) < 1.0  # its picture is filled already
            more = 1.0 if telephone else narrow(at.image_width - beside, at.image_height, across)
            cameras.append((at, more))
        for camera, more in cameras:
            middle = np.asarray(camera.look_at) + shift
            away = np.asarray(camera.position) - np.asarray(camera.look_at)
            if floating(self.live.model):
                away = BACK * more * away
            else:  # it may swing in full circles
                middle, size = self.scene.poses[0][:3, 3], self.scene.size
                around = float(np.clip(reach(self.model), REACH * size, FARTHEST * size))
                half = (ROUND * size if self.scene.view.flat else around) / np.tan(0.5 * FIELD_OF_VIEW)
                away = more * max(half / float(np.linalg.norm(away)), 1.0) * away
            camera.position = middle + away
            camera.look_at = middle

    def stop(self) -> None:
        """Stop the simulation."""
        if self.panel is not None:
            self.panel.stop()

    def motion(self) -> Motion:
        """Return the recorded motion, or the shown posture before a simulation."""
        if self.live is not None:
            return self.live.motion()
        none = np.zeros((1, self.model.nv))
        return Motion(model=self.model, t=np.zeros(1), q=self.posture.q[None], v=none, tau=none, step=1e-3)

    def playable(self) -> Playable:
        """Return the recorded motion with the arrows of contact forces and pushes."""
        if self.live is None:
            return playable(self.motion())
        samples = self.live.record()
        return with_arrows(playable(self.live.motion(samples)), samples)

    def again(self) -> None:
        """Show the present state again after a film."""
        if self.panel is not None:
            self.panel.again()
        else:
            self.scene.show(self.posture.q)

    def _placed(self, q: Array) -> None:
        if self.panel is not None:
            self.panel.placed(q)

    def _moved(self, q: Array) -> None:
        """Update the other displays of the posture, at a lower rate."""
        assert self.live is not None
        now = perf_counter()
        playing = self.panel is not None and self.panel.clock.playing
        if playing and now - self._followed < 1.0 / FOLLOWED:
            return
        self._followed = now
        self.posture.move(q, by=self)
        if self.typeset is not None:
            self._equations.content = self.typeset.html(values_now(self.typeset, self.live, q))


def narrow(width: float, height: float, across: float = ACROSS) -> float:
    """Return the factor of the camera distance for a picture in which a fallen or swinging robot is visible."""
    return float(np.clip(across * height / max(width, 1.0), 1.0, 2.0))


def level_of(model: Model) -> float | None:
    """Return the height of the ground that a mechanism can touch, m; None without one."""
    for pair in model.pairs:
        for place in (pair.first, pair.second):
            shape = model.shapes[place]
            frame = model.frame(shape.body)
            if shape.kind == "plane" and frame.body < 0:
                return float((frame.placement @ shape.placement)[2, 3])
    return None


def values_now(made: Typeset, live: Live, q: Array) -> dict[str, float]:
    """Return the present values of the names in the equations."""
    times = {link: live.mass(link) / float(ten[0]) for link, ten in live.masses.items()}
    return made.values(q, live.now.v, times, float(np.linalg.norm(live.gravity)))


def reach(model: Model) -> float:
    """Return the largest distance of a frame from the first joint, m, by the lengths of the links between them."""
    lengths: list[float] = []
    for link in model.links:
        own = float(np.linalg.norm(link.placement[:3, 3]))
        lengths.append(own + lengths[link.parent] if link.parent >= 0 else 0.0)
    tips = (frame for frame in model.frames.values() if frame.body >= 0)
    return max((lengths[tip.body] + float(np.linalg.norm(tip.placement[:3, 3])) for tip in tips), default=0.0)
