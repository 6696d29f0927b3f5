"""The clock of a simulation in real time: a thread that takes the due steps."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter

from linkwright.browser.live.live import Live

PICTURES = 50.0
"""Largest number of pictures per second."""

AT_ONCE = 8
"""Steps per call, divided by 4."""

BEHIND = 0.1
"""Delay above which a slow simulation does not catch up, s."""

MEASURED = 0.5
"""Duration over which the speed is measured, s."""


class Clock:
    """Advances a :class:`Live` in real time while ``playing``.

    ``shown(moved)`` is called periodically from this thread, also while the simulation pauses, so that events of the
    page are handled there. Its errors go to ``failed`` and pause the simulation.
    """

    def __init__(self, live: Live, shown: Callable[[bool], None], failed: Callable[[Exception], None] | None = None):
        self.live, self.shown, self.failed = live, shown, failed
        self.playing = False
        self.speed = 1.0
        """wanted speed relative to real time, at most 1"""
        self.ratio = 0.0
        """measured speed relative to real time"""
        self._ended = Event()
        self._again = True
        self._thread: Thread | None = None

    def play(self) -> None:
        """Start the simulation."""
        self._again, self.playing = True, True

    def pause(self) -> None:
        """Pause; events of the page are still handled."""
        self.playing = False

    def start(self) -> None:
        """Start the thread."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="linkwright studio", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    @property
    def slower(self) -> bool:
        """Whether the simulation is slower than its speed setting."""
        return self.playing and 0.0 < self.ratio < 0.95 * self.speed

    def _run(self) -> None:
        period, began, from_t, speed = 1.0 / PICTURES, 0.0, 0.0, 0.0
        marks: list[tuple[float, float]] = []
        while not self._ended.is_set():
            woke = perf_counter()
            try:
                moved = False
                if self.playing:
                    speed_now = min(max(self.speed, 0.0), 1.0)
                    if self._again or speed_now != speed:
                        began, from_t, speed, self._again = woke, self.live.t, speed_now, False
                        marks = []
                    moved = self._due(began, from_t, speed)
                    late = (perf_counter() - began) * speed - (self.live.t - from_t)
                    if late > BEHIND * speed:
                        began, from_t = perf_counter(), self.live.t
                    marks.append((woke, self.live.t))
                    while len(marks) > 2 and marks[1][0] < woke - MEASURED:
                        marks.pop(0)
                    if woke - marks[0][0] >= 0.5 * MEASURED:
                        self.ratio = (marks[-1][1] - marks[0][1]) / (woke - marks[0][0])
                    if self.live.lost:
                        self.playing = False
                self.shown(moved)
            except Exception as error:  # an error in a thread would be lost
                self.playing = False
                if self.failed is not None:
                    self.failed(error)
            self._ended.wait(max(period - (perf_counter() - woke), 0.002))

    def _due(self, began: float, from_t: float, speed: float) -> bool:
        """Take the due steps, for at most two picture periods; return whether there were any."""
        live, moved, before = self.live, False, self.live.t
        enough = perf_counter() + 2.0 / PICTURES
        while not live.lost:
            due = int(((perf_counter() - began) * speed - (live.t - from_t)) / live.step + 1e-6)
            if due < 1 or perf_counter() > enough:
                break
            live.take(min(due, AT_ONCE * 4))
            moved = True
        if moved:
            live.thin(before)  # one sample per picture
        return moved
