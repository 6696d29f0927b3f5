"""A live motion by the clock: a thread that takes the steps that are due, and never more."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter

from linkwright.browser.live.live import Live

PICTURES = 50.0
"""a second, at most, that are made"""

AT_ONCE = 8
"""steps between two looks at the clock"""

BEHIND = 0.1
"""s: a motion that is later than this is slower than the clock, and does not catch up"""

MEASURED = 0.5
"""s, over which the speed is measured"""


class Clock:
    """Steps a :class:`Live` in real time while ``playing``; a picture after each piece.

    ``shown`` is called after every piece, from this thread, with whether the mechanism moved; also while it stands
    still, so that what came from the page meanwhile is done there. What it raises goes to ``failed``, and ends playing.
    """

    def __init__(self, live: Live, shown: Callable[[bool], None], failed: Callable[[Exception], None] | None = None):
        self.live, self.shown, self.failed = live, shown, failed
        self.playing = False
        self.speed = 1.0
        """how many seconds of motion a second may be: at most 1"""
        self.ratio = 0.0
        """how many they were lately"""
        self._ended = Event()
        self._again = True
        self._thread: Thread | None = None

    def play(self) -> None:
        """Go on, from now."""
        self._again, self.playing = True, True

    def pause(self) -> None:
        """Stop; the thread goes on looking after what comes from the page."""
        self.playing = False

    def start(self) -> None:
        """Begin to look at the clock, in a thread of its own."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="linkwright studio", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    @property
    def slower(self) -> bool:
        """Whether the motion is slower than it was asked to be."""
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
            except Exception as error:  # of a thread nobody else hears
                self.playing = False
                if self.failed is not None:
                    self.failed(error)
            self._ended.wait(max(period - (perf_counter() - woke), 0.002))

    def _due(self, began: float, from_t: float, speed: float) -> bool:
        """Take the steps that are due; whether there were any. Not for longer than a picture may take."""
        live, moved, before = self.live, False, self.live.t
        enough = perf_counter() + 2.0 / PICTURES
        while not live.lost:
            due = int(((perf_counter() - began) * speed - (live.t - from_t)) / live.step + 1e-6)
            if due < 1 or perf_counter() > enough:
                break
            live.take(min(due, AT_ONCE * 4))
            moved = True
        if moved:
            live.thin(before)  # one sample a picture: so much is remembered
        return moved
