"""A progress bar in the panel while the functions of a simulation are compiled."""

from __future__ import annotations

from math import exp
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import Any

from linkwright.status import CompileRate, compiled_code

SHARE, TYPICAL = 0.25, 6.0
"""Share of the bar for the time before machine code is made, and its typical duration, s."""
LONG = 5e5
"""Size in characters of functions with an estimate."""
COMPLETE = 0.97
"""Share of the bar at the expected end."""
REFRESH = 0.2
"""Time between two updates, s."""


class CompileProgress:
    """A context manager that shows a progress bar with the estimated remaining time in the open panel."""

    def __init__(self, gui: Any):
        self.bar = gui.add_progress_bar(0.0, animated=True)
        self.text = gui.add_markdown("Deriving the equations of motion …")
        self._began = self._code_began = perf_counter()
        self._size, self._expected, self._done = 0, 0.0, 0.0
        self._ended = Event()
        self._thread = Thread(target=self._run, name="linkwright progress", daemon=True)
        self._watch = compiled_code(self._compiling)

    def __enter__(self) -> CompileProgress:
        self._watch.__enter__()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._watch.__exit__(kind, error, at)
        self._ended.set()
        self._thread.join()
        self.bar.remove()
        self.text.remove()

    def _compiling(self, size: int) -> None:
        """Begin with a function of ``size`` characters, or end it (0)."""
        self._size = size
        if size:
            self._code_began, self._expected = perf_counter(), CompileRate.expected(size)

    @property
    def left(self) -> float:
        """Estimated time until the code of a long function is complete, s."""
        return max(self._expected - (perf_counter() - self._code_began), 0.0)

    @property
    def fraction(self) -> float:
        """Completed part, from 0 to 1; it never decreases."""
        elapsed = perf_counter() - self._began
        long = self._size >= LONG
        now = COMPLETE * elapsed / (elapsed + self.left) if long else SHARE * (1.0 - exp(-elapsed / TYPICAL))
        self._done = max(self._done, now)
        return self._done

    @property
    def words(self) -> str:
        """Description of the present stage, with the remaining time."""
        if self._size < LONG:
            return "Deriving the equations of motion …"
        return f"Compiling: about {self.left:.0f} s left." if self.left > 1.0 else "Compiling: almost done."

    def _run(self) -> None:
        while not self._ended.wait(REFRESH):
            self.bar.value = 100.0 * self.fraction
            if self.text.content != self.words:
                self.text.content = self.words
