"""The controls of a simulation in the browser: buttons, sliders, the mouse, and curves."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.browser.live.clock import Clock
from linkwright.browser.live.live import Live, LiveState
from linkwright.browser.live.plots import Plots
from linkwright.browser.recorded.page import CRIMSON, FORCES, GREEN
from linkwright.browser.recorded.page import PUSH as PUSH_ARROW
from linkwright.browser.view.labels import literal
from linkwright.browser.view.scene import BrowserScene
from linkwright.errors import LinkwrightError
from linkwright.spatial.arrays import Array

CURVES = 8.0
"""Update rate of the curves, Hz."""

TWICE = 0.3
"""Time within which a repeated key counts once, s."""

BACK = "Reset"
STEPS = ("1 step", "0.1 s", BACK)

MOST_NAMES = 4
"""Largest number of joints in the list of those at their limits."""

MODES = {"hold posture": "hold", "bend and stretch": "bend", "passive": "free"}

PUSH, PUSH_TIME = 0.35, 0.25
"""Displacement of the target of a push, relative to the size of the robot, and its duration, s."""


class LivePanel:
    """A simulation in a scene; its controls are in the open panel.

    ``moved(q)`` is called with each shown configuration, to update other displays of the posture.
    """

    def __init__(self, server: Any, scene: BrowserScene, live: Live, moved: Callable[[Array], None] | None = None):
        self.server, self.scene, self.live, self.moved = server, scene, live, moved
        self.clock = Clock(live, self._shown, self._failed)
        self.seen: float | None = None
        """the shown time, s; None for the present"""
        weight = sum(float(body.mass) for body in live.model.bodies) * float(np.linalg.norm(live.model.gravity))
        self._scale = 0.35 * scene.size / weight if weight > 0.0 else 0.01 * scene.size
        """m/N, of arrows"""
        self._push_ends = np.inf
        self._gestures: deque[tuple[str, str, Array]] = deque()
        self._drawn_to = live.now.t
        self._drawn, self._text, self._quiet, self._pressed_at = 0.0, "", False, -TWICE
        self._controls()
        self.curves: Plots | None = None

    # controls

    def _controls(self) -> None:
        gui, live = self.server.gui, self.live
        self.play_button = gui.add_button("Play", color="green", icon="player-play", hint="Key: space")
        self.play_button.on_click(lambda _: self._pressed())
        self.step_buttons = gui.add_button_group(
            "Step", STEPS, hint="Reset: return to the initial state. Key: backspace"
        )
        self.step_buttons.on_click(lambda event: self._stepped(event.target.value))
        self.time = gui.add_slider("Time, s", 0.0, 1.0, 1e-2, 0.0, hint="Drag to look back; Play continues from there")
        self.time.on_update(self._scrubbed)
        self.state = gui.add_markdown("")
        with gui.add_folder("Joints and world"):
            modes = [name for name, mode in MODES.items() if mode != "bend" or live.bend is not None]
            now = next(name for name, mode in MODES.items() if mode == live.mode)
            self.mode = gui.add_dropdown(
                "Joint mode",
                modes,
                initial_value=now,
                hint="Hold posture: hold the present posture within effort limits",
            )
            self.mode.on_update(self._another_mode)
            self.stiffness = gui.add_slider("Stiffness ×", 0.05, 4.0, 0.05, 1.0, hint="Stiffness of held joints")
            self.damping = gui.add_slider("Damping ×", 0.05, 4.0, 0.05, 1.0, hint="Damping of held joints")
            for slider in (self.stiffness, self.damping):
                slider.on_update(lambda _: self._do(lambda: live.set_gains(self.stiffness.value, self.damping.value)))
            g = float(np.linalg.norm(live.gravity))
            self.gravity = gui.add_slider("Gravity, m/s²", 0.0, max(25.0, 2.0 * g), 0.01, round(g, 2))
            self.gravity.on_update(lambda _: self._do(lambda: live.set_gravity(self.gravity.value)))
            if live.friction is not None:
                self.friction = gui.add_slider("Friction", 0.0, 1.5, 0.01, min(live.friction, 1.5))
                self.friction.on_update(lambda _: self._do(lambda: live.set_friction(self.friction.value)))
            if live.masses:
                names = list(live.masses)
                self.link = gui.add_dropdown("Link", names, initial_value=names[-1])
                own = live.mass(names[-1])
                self.mass = gui.add_number("Mass, kg", round(own, 6), min=1e-6, step=_step(own))
                self.link.on_update(lambda _: self._another_link())
                self.mass.on_update(lambda _: self._massed())
            self.speed = gui.add_slider("Speed ×", 0.05, 1.0, 0.05, 1.0, hint="Relative to real time")
            self.speed.on_update(lambda _: setattr(self.clock, "speed", float(self.speed.value)))
        with gui.add_folder("Forces"):
            self.pushes = gui.add_checkbox("Mouse pushes", True, hint="Drag a link to push it")
            self.pushes.on_update(lambda _: self._bind_mouse())
            self.strength = gui.add_slider("Strength ×", 0.1, 5.0, 0.1, 1.0, hint="Strength of a push")
            self.forces = gui.add_checkbox("Contact forces", True, visible=bool(live.model.pairs))
            self.forces.on_update(lambda _: self._arrows())
        gui.add_command("Play or pause", hotkey="space").on_trigger(lambda _: self._pressed())
        gui.add_command(BACK, hotkey="backspace").on_trigger(lambda _: self._stepped(BACK))
        self._bind_mouse()
        self._tell()

    def add_curves(self) -> Plots:
        """Add the curves to the open panel."""
        self.curves = Plots(self.server, self.live.model, moving=self.live.bend)
        self.curves.update(list(self.live.history))
        return self.curves

    def start(self) -> None:
        """Start the clock."""
        self.server.on_client_disconnect(self._left)
        self.clock.start()

    def _left(self, client: Any) -> None:
        """Pause after the last page was closed."""
        if self.clock.playing and not self.server.get_clients().keys() - {client.client_id}:
            self.pause()

    def stop(self) -> None:
        """Stop the clock."""
        self.clock.stop()

    # actions of the user

    def _pressed(self) -> None:
        """Handle the button and its key; a browser may send both for one press."""
        last, self._pressed_at = self._pressed_at, perf_counter()
        if self._pressed_at - last > TWICE:
            self.toggle()
            self._pressed_at = perf_counter()  # compilation may take time

    def toggle(self) -> None:
        """Play or pause."""
        if self.clock.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Simulate in real time from the shown state."""
        if self.seen is not None:
            self.live.go_back(self.seen)
            self.seen = None
        elif self.live.lost:
            self.live.reset()
        self.play_button.label, self.play_button.disabled = "Compiling …", True
        self._do(self.live.prepare)
        self.clock.play()
        self._button()

    def pause(self) -> None:
        """Pause."""
        self.clock.pause()
        self._button()

    def placed(self, q: Array) -> None:
        """Set the held posture (nq,) while the simulation plays, else the present configuration."""
        if self.clock.playing:
            self.live.posture = np.array(q)
            return
        self.seen = None
        self._do(lambda: self.live.place(q))
        self.live.posture = np.array(q)
        self._tell()

    def push_once(self, hold: bool = False) -> None:
        """Push the floating base, or the last link, for a short time; with ``hold`` the joints are held first."""
        joints = self.live.model.joints
        frame = next((j.child for j in joints if j.motion.floating), joints[-1].child)
        if hold:
            self.mode.value = next(name for name, mode in MODES.items() if mode == "hold")
            self.live.hold_here()
        with self.live.lock:
            place = self.scene.poses[self.scene.robot.frames.index(frame)][:3, 3]
            self.live.grab(frame, place)
            sideways = np.asarray(self.scene.view.axes[0])
            self.live.pull(place + PUSH * self.scene.size * sideways, float(self.strength.value))
            self._push_ends = self.live.t + PUSH_TIME
        self.play()

    def _another_mode(self, event: Any) -> None:
        mode = MODES[self.mode.value]
        if mode == "hold" and event.client is not None:
            self._do(self.live.hold_here)
        else:
            self._do(lambda: self.live.set_mode(mode))

    def _stepped(self, what: str) -> None:
        self.pause()
        if what == BACK:
            self.live.reset()
            self.seen = None
        else:
            if self.seen is not None:
                self.live.go_back(self.seen)
                self.seen = None
            self._do(lambda: self.live.take(1 if what == "1 step" else max(1, round(0.1 / self.live.step))))
        self._show(self.live.now)
        self._draw()

    def _scrubbed(self, event: Any) -> None:
        if event.client is None:  # moved by the program
            return
        self.pause()
        sample = self.live.sample_at(float(self.time.value))
        self.seen = sample.t
        self._show(sample)
        self.server.flush()

    def _massed(self) -> None:
        if not self._quiet and self.mass.value > 0.0:
            self._do(lambda: self.live.set_mass(self.link.value, float(self.mass.value)))

    def _another_link(self) -> None:
        self._quiet = True
        self.mass.value = round(self.live.mass(self.link.value), 6)
        self._quiet = False

    def _do(self, action: Callable[[], object]) -> None:
        """Do an action and show its error, if any."""
        try:
            action()
        except LinkwrightError as error:
            self._failed(error)

    def again(self) -> None:
        """Show the present state again after a film."""
        self._show(self.live.now if self.seen is None else self.live.sample_at(self.seen))

    # pushing

    def _bind_mouse(self) -> None:
        """Let the mouse push links, or only rotate the view."""
        for solid, node in self.scene.robot.solids:
            if solid.body < 0:
                continue
            if not self.pushes.value:
                node.remove_drag_callback("all")
                continue

            async def dragged(event: Any, frame: str = self.scene.robot.frames[solid.body]) -> None:
                place = event.start_position if event.phase == "start" else event.end_position
                self._gestures.append((event.phase, frame, np.array(place, dtype=float)))

            node.on_drag("left")(dragged)
        if not self.pushes.value:
            self.live.release()

    def _gesture(self) -> bool:
        """Handle the drags of the mouse; return whether there were any."""
        was = bool(self._gestures)
        while self._gestures:
            phase, frame, place = self._gestures.popleft()
            if phase == "start":
                if self.seen is not None:
                    self.live.go_back(self.seen)
                    self.seen = None
                self.live.grab(frame, place)
            elif phase == "end":
                self.live.release()
            elif self.live.push is not None:
                self.live.pull(place, float(self.strength.value))
        return was

    # display

    def _shown(self, moved: bool) -> None:
        """Update the display after each group of steps, in the thread of the clock."""
        did = self._gesture()
        if self.live.t >= self._push_ends:
            self._push_ends = np.inf
            self.live.release()
        if moved:
            self._show(self.live.now)
            now = perf_counter()
            if now - self._drawn > 1.0 / CURVES:
                self._drawn = now
                self._draw()
        elif did:
            self._arrows()
        elif not self.clock.playing and self._drawn_to != self.live.now.t:
            now = perf_counter()
            if now - self._drawn > 1.0 / CURVES:
                self._drawn = now
                self._draw()
        if self.play_button.label != ("Pause" if self.clock.playing else "Play") and not self.play_button.disabled:
            self._button()

    def _show(self, sample: LiveState) -> None:
        with self.server.atomic():
            self.scene.show(sample.q)
            self._arrows()
        if self.moved is not None:
            self.moved(sample.q)
        self._tell()

    def _arrows(self) -> None:
        """Show the push and the contact forces of the shown time."""
        none = np.zeros((0, 3))
        seen = None if self.seen is None else self.live.sample_at(self.seen)
        pulled = self.live.pulled() if seen is None else seen.push
        if pulled is None:
            self.scene.arrows(PUSH_ARROW, none, none)
        else:
            self.scene.arrows(PUSH_ARROW, pulled[0][None], (pulled[1] - pulled[0])[None], CRIMSON)
        if not self.live.model.pairs:
            return
        found = self.live.touching() if seen is None else seen.touching
        if self.forces.value and found is not None:
            self.scene.arrows(FORCES, found.points, self._scale * found.forces, GREEN)
        else:
            self.scene.arrows(FORCES, none, none)

    def _draw(self) -> None:
        """Update the curves and the time slider."""
        samples = list(self.live.history)
        self._drawn_to = samples[-1].t
        first, last = samples[0].t, samples[-1].t
        with self.server.atomic():
            self.time.min = min(first, last - 1e-3)
            self.time.max = max(last, first + 1e-3)
            if self.seen is None:
                self.time.value = float(np.clip(last, self.time.min, self.time.max))
            if self.curves is not None:
                if not self.curves.update(samples):
                    self._drawn_to = np.nan  # again, soon

    def _tell(self) -> None:
        live, clock = self.live, self.clock
        sample = live.now if self.seen is None else live.sample_at(self.seen)
        text = f"**t = {sample.t:.2f} s** · energy {_number(sample.kinetic + sample.potential)} J"
        if live.lost:
            text += "  \n⚠ The simulation diverged and stopped. Reset it, or go back in time."
        elif clock.slower:
            text += f"  \n⚠ {100.0 * clock.ratio:.0f} % of real time: this computer is too slow."
        elif self.seen is not None and sample.t < live.now.t:
            text += " · looking back"
        if live.push is not None and (pulled := live.pulled()) is not None:
            text += f"  \npush: {_number(float(np.linalg.norm(pulled[2])))} N"
        if self.seen is None and (names := live.at_limits):
            text += f"  \nat joint limits, which absorb energy: {literal(', '.join(names[:MOST_NAMES]))}"
        if text != self._text:
            self._text = text
            self.state.content = text

    def _button(self) -> None:
        playing = self.clock.playing
        self.play_button.disabled = False
        self.play_button.label = "Pause" if playing else "Play"
        self.play_button.icon = "player-pause" if playing else "player-play"
        self.play_button.color = "blue" if playing else "green"
        if not playing:
            self._draw()
            self._tell()

    def _failed(self, error: Exception) -> None:
        with suppress(Exception):
            self._button()
        self.state.content = f"⚠ {literal(str(error))}"
        self._text = ""
        if not isinstance(error, LinkwrightError):
            raise error


def _number(x: float) -> str:
    """Return a number with three significant digits."""
    return f"{x:.0f}" if abs(x) >= 1000.0 else f"{x:.3g}"


def _step(x: float) -> float:
    """Return a step for a number: a power of ten, about a tenth of the number."""
    return float(10.0 ** (np.floor(np.log10(max(x, 1e-6))) - 1.0))
