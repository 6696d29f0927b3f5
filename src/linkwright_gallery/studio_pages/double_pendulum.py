"""The tutorial's double pendulum: its motion in real time, its energy, its equations, and a published mistake.

S3, chapters 7, 9 and 10.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from linkwright.browser.live.live import Live
from linkwright.browser.live.panel import LivePanel
from linkwright.browser.live.simulation_tab import values_now
from linkwright.browser.view.equation_view import typeset
from linkwright.browser.view.robot import RobotNodes
from linkwright.compiler.public import public
from linkwright.dynamics import bias_forces, mass_matrix, pose
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright_gallery.studio_pages.program import TutorialPage

TEXT = (
    """Two links of 1 m and 1 kg, released at 30°, 30°. Drag a link, or change gravity or a mass during the motion."""
)
MISTAKE = "As printed in Python"
TRAIL = 150
"""points"""
EQUATIONS_EVERY = 6
"""pictures"""

mass_matrix_of, bias_forces_of, pose_of = public(mass_matrix), public(bias_forces), public(pose)


class DoublePendulum(TutorialPage):
    """Simulation of ``two_link``, its equations of motion, and the motion of the published Python program."""

    MODEL, TITLE = "two_link", "Double pendulum"
    START = (np.pi / 6.0, np.pi / 6.0)
    MIDDLE, SEEN = (0.0, -0.2, 0.0), 2.9

    def _program(self, gui: Any) -> None:
        gui.add_markdown(TEXT)
        self.live = Live(self.model, self.posture.q)
        self.ghost = RobotNodes(self.server, self.model, "as_printed", opacity=0.25, color=(200, 70, 60), visible=False)
        self.wrong = Wrong(self.model, self.posture.q)
        self._trail: deque[Array] = deque(maxlen=TRAIL)
        self._line: Any = None
        self._pictures = 0
        with gui.add_folder("Initial angles, at rest"):
            self.angles = [self.angle_slider(k, x, 1.0) for k, x in enumerate(self.posture.q)]
            for slider in self.angles:
                slider.on_update(self._started)
        self.panel = LivePanel(self.server, self.scene, self.live, self._moved)
        with gui.add_folder("Comparison"):
            self.mistake = gui.add_checkbox(
                MISTAKE,
                False,
                hint="Ghost: motion of the published program, which multiplies by M⁻¹ entry by entry",
            )
            self.mistake.on_update(lambda _: self._ghost())
            self.trail = gui.add_checkbox("Path of the tip", True)
        self.typeset = typeset(self.model)
        side = self.server.gui.add_panel()
        with side.add_tab("Curves"):
            self.panel.add_curves()
        side.dock_left()
        side.set_width(400)
        below = self.server.gui.add_panel()
        with below.add_tab("Equations"):
            self.equations = self.server.gui.add_html("")
        below.dock_below(side)
        self._moved(self.live.q)
        self.panel.start()

    def start_at(self, q: Array) -> None:
        """Restart at rest at angles (2,), rad."""
        self.panel.pause()
        self.live.start = np.array(q), np.zeros(2)
        self.live.reset()
        self._trail.clear()
        self.wrong = Wrong(self.model, q)
        self._set(self.angles, np.degrees(q))
        self.panel.placed(np.asarray(q))
        self._moved(self.live.q)

    def stop(self) -> None:
        """Stop the simulation and the server."""
        if hasattr(self, "panel"):
            self.panel.stop()
        super().stop()

    def _started(self, event: Any) -> None:
        if event.client is not None:
            q = np.radians([slider.value for slider in self.angles])
            self.newest.run(lambda: self.start_at(q))

    def _moved(self, q: Array) -> None:
        """Update the displays."""
        self._pictures += 1
        sample = self.live.now
        if len(self.live.history) == 1:
            self._trail.clear()
            self.wrong = Wrong(self.model, sample.q)
        tip = pose_of(self.model, q, "tip")[:3, 3]
        self._trail.append(np.array(tip))
        self._draw_trail()
        self._ghost()
        if self._pictures % EQUATIONS_EVERY == 1 or not self.panel.clock.playing:
            self._typeset(q)

    def _typeset(self, q: Array) -> None:
        assert self.typeset is not None
        self.equations.content = self.typeset.html(values_now(self.typeset, self.live, q))

    def _ghost(self) -> None:
        seen = bool(self.mistake.value)
        if seen:
            self.ghost.show(self.wrong.at(self.live.now.t))
        if self.ghost.visible != seen:
            self.ghost.visible = seen

    def _draw_trail(self) -> None:
        points = np.array(self._trail, dtype=np.float32)
        if len(points) < 2 or not self.trail.value:
            if self._line is not None:
                self._line.remove()
                self._line = None
            return
        pairs = np.stack([points[:-1], points[1:]], axis=1)
        fade = np.linspace(0.15, 1.0, len(pairs))[:, None]
        colors = (255.0 + fade * (np.array([213.0, 94.0, 0.0]) - 255.0)).astype(np.uint8)
        pairs = np.concatenate([np.repeat(pairs[:1], TRAIL - 1 - len(pairs), axis=0), pairs])  # one size: no new node
        colors = np.concatenate([np.repeat(colors[:1], TRAIL - 1 - len(colors), axis=0), colors])
        shaded = np.repeat(colors[:, None], 2, axis=1)
        if self._line is None:
            self._line = self.server.scene.add_line_segments(
                "/path_of_the_tip", pairs, shaded, thickness=2.0, thickness_units="screen"
            )
        else:
            self._line.points, self._line.colors = pairs, shaded


class Wrong:
    """The motion of the published Python program, which multiplies M⁻¹ and τ − h − g entry by entry."""

    STEP = 2e-3
    """s, of Runge and Kutta's method of order four"""

    def __init__(self, model: Model, q: Array):
        self.model, self.t = model, 0.0
        self.x: Array = np.concatenate([np.asarray(q, dtype=float), np.zeros(2)])

    def acceleration(self, q: Array, v: Array) -> Array:
        """(2,), rad/s²: the first row of the product entry by entry, as the program takes it."""
        inverse = np.linalg.inv(mass_matrix_of(self.model, q))
        return np.asarray((inverse * -bias_forces_of(self.model, q, v))[0])

    def at(self, t: float) -> Array:
        """Return the angles (2,) at the time, s, which is not before the previous one."""
        while self.t < t - 0.5 * self.STEP:
            self.x = self._step(self.x)
            self.t += self.STEP
        return self.x[:2]

    def _step(self, x: Array) -> Array:
        h = self.STEP

        def rate(x: Array) -> Array:
            return np.concatenate([x[2:], self.acceleration(x[:2], x[2:])])

        a = rate(x)
        b = rate(x + 0.5 * h * a)
        c = rate(x + 0.5 * h * b)
        d = rate(x + h * c)
        return np.asarray(x + h / 6.0 * (a + 2.0 * b + 2.0 * c + d))
