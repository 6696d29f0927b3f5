"""Playback of a motion or a trajectory in the browser."""

from __future__ import annotations

from threading import Event, Thread
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.bounds import positive
from linkwright.browser.live.live import LiveState
from linkwright.browser.live.plots import Plots
from linkwright.browser.recorded.page import Playable, force_scale, show_arrows
from linkwright.browser.view.scene import BrowserScene
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import resample

PICTURES = 50.0
"""Largest number of pictures per second."""
SPEEDS = ("0.1 ×", "0.25 ×", "0.5 ×", "1 ×", "2 ×", "4 ×")


class MotionPlayer:
    """Plays a record in a scene; its controls are in the open panel."""

    def __init__(self, server: Any, scene: BrowserScene, play: Playable, speed: float = 1.0):
        self.server, self.scene, self.what = server, scene, play
        self.speed, self.playing, self.at = positive("speed", speed), False, float(play.t[0])
        self._scale = force_scale(play.model, scene.size)
        self._ended, self._anchor = Event(), (0.0, 0.0)
        self._shown: float | None = None
        self.curves: Plots | None = None
        self.samples: list[LiveState] = []
        gui = server.gui
        first, last = float(play.t[0]), float(play.t[-1])
        self.play_button = gui.add_button("Play", color="green", icon="player-play")
        self.play_button.on_click(lambda _: self.toggle())
        step = 10.0 ** np.floor(np.log10(max(last - first, 1e-3) / 1000.0))
        self.time = gui.add_slider("Time, s", first, max(last, first + 1e-3), step, first)
        self.time.on_update(self._scrubbed)
        names = list(SPEEDS)
        if (own := f"{speed:g} ×") not in names:
            names.append(own)
        self.speeds = gui.add_dropdown("Speed", names, initial_value=own)
        self.speeds.on_update(lambda _: self.set_speed(float(self.speeds.value.split()[0])))
        self.again = gui.add_checkbox("Loop", True)
        self.state = gui.add_markdown("")
        self._thread = Thread(target=self._run, name="linkwright player", daemon=True)
        self.show(self.at)

    def add_curves(self) -> Plots | None:
        """Add the curves of joints, energies and efforts to the open panel; None for a trajectory."""
        motion = self.what.motion
        if motion is None:
            return None
        last = np.append(np.diff(motion.t) > 0.0, True)
        rows = zip(*(x[last] for x in (motion.q, motion.v, motion.tau, motion.kinetic, motion.potential)), strict=True)
        self.samples = [
            LiveState(float(t), q, v, tau, float(kinetic), float(potential))
            for t, (q, v, tau, kinetic, potential) in zip(self.what.t, rows, strict=True)
        ]
        self.curves = Plots(self.server, self.what.model, whole=True)
        self.curves.update(self.samples, self.at)
        return self.curves

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._ended.set()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Play from the shown time, or from the beginning after the end."""
        if self.at >= self.what.t[-1] - 1e-9:
            self.at = float(self.what.t[0])
        self._anchor = (perf_counter(), self.at)
        self.playing = True
        self._button()

    def pause(self) -> None:
        """Pause."""
        self.playing = False
        self._button()

    def set_speed(self, speed: float) -> None:
        """Set the playback speed relative to real time."""
        self._anchor = (perf_counter(), self.at)
        self.speed = speed

    def seek(self, t: float) -> None:
        """Show a time, s, and continue from there."""
        self.at = float(np.clip(t, self.what.t[0], self.what.t[-1]))
        self._anchor = (perf_counter(), self.at)
        self.show(self.at)

    def configuration(self, t: float) -> Array:
        """Return the configuration (nq,) at time t, s."""
        return resample(self.what.model, self.what.t, self.what.q, np.array([t]))[0]

    def show(self, t: float) -> None:
        """Show a time, s."""
        with self.server.atomic():
            self.scene.show(self.configuration(t))
            show_arrows(self.scene, self.what, t, self._scale)
            if abs(self.time.value - t) > 1e-9:
                self.time.value = t
            text = f"**t = {t:.2f} s** of {self.what.t[-1]:.4g} s"
            if self.samples:
                sample = self.samples[int(np.clip(np.searchsorted(self.what.t, t), 0, len(self.samples) - 1))]
                text += f" · energy {sample.kinetic + sample.potential:.4g} J"
            self.state.content = text
        self._shown = t

    def _run(self) -> None:
        drawn = 0.0
        while not self._ended.is_set():
            woke = perf_counter()
            if self.playing:
                began, at = self._anchor
                t, last = at + (woke - began) * self.speed, float(self.what.t[-1])
                if t >= last and self.again.value:
                    t = float(self.what.t[0])
                    self._anchor = (woke, t)
                t = min(t, last)
                self.at = t
                self.show(t)
                if t == last:  # after the end is shown: whoever waits for the pause finds it there
                    self.pause()
                if self.curves is not None and woke - drawn > 0.15:
                    drawn = woke
                    self.curves.update(self.samples, t)
            self._ended.wait(max(1.0 / PICTURES - (perf_counter() - woke), 0.002))

    def _scrubbed(self, event: Any) -> None:
        if event.client is None:  # moved by the program
            return
        self.pause()
        self.seek(float(self.time.value))
        if self.curves is not None:
            self.curves.update(self.samples, self.at)

    def _button(self) -> None:
        self.play_button.label = "Pause" if self.playing else "Play"
        self.play_button.icon = "player-pause" if self.playing else "player-play"
        self.play_button.color = "blue" if self.playing else "green"
