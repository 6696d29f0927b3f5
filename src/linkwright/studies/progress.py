"""Progress of a study: rows, rows per second and remaining time, on a terminal or in a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from linkwright.status import status_elsewhere, terminal


class Progress:
    """A line that is shown while a study runs, unless a progress function is given."""

    def __init__(self, title: str, rows: int, done: int, tell: Callable[[float], None] | None):
        self._title, self._rows, self._done, self._tell = title, rows, done, tell
        self._failed = 0
        self._bar: Any = None
        self._task: Any = None
        self._silence: Any = None
        self._line: NotebookLine | None = None

    def __enter__(self) -> Progress:
        stream = terminal() if self._tell is None else None
        if stream is not None and not stream.isatty():
            self._silence = status_elsewhere()
            self._silence.__enter__()
            self._line = NotebookLine()
        elif stream is not None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._silence = status_elsewhere()
            self._silence.__enter__()
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:5.1f} %  {task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[failed]}"),
                console=Console(file=stream),
            )
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=self._rows, completed=self._done, rate="", failed="")
        self._began, self._first = time.monotonic(), self._done
        return self

    def add(self, rows: int, failed: int) -> None:
        """Add numbers of computed and failed rows."""
        self._done += rows
        self._failed += failed
        if self._tell is not None:
            self._tell(self._done / self._rows)
        rate = (self._done - self._first) / max(time.monotonic() - self._began, 1e-9)
        if self._line is not None:
            left = (self._rows - self._done) / max(rate, 1e-9)
            lines = [f"{self._title}: {self._done / self._rows:.1%}", f"{_short(rate)} rows/s", f"{_clock(left)} left"]
            self._line.show(", ".join([*lines, *([f"{self._failed} failed"] if self._failed else [])]))
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=self._done,
                rate=f"{_short(rate)} rows/s",
                failed=f"{self._failed} failed" if self._failed else "",
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._silence is not None:
            self._silence.__exit__(None, None, None)


class NotebookLine:
    """A line below a notebook's cell that changes; bars of ``rich`` need widgets there, which may not be installed."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = -1.0

    def show(self, text: str) -> None:
        """Show this in place of what was shown, some times a second."""
        from IPython.display import display  # which a notebook has

        now = time.monotonic()
        if self._handle is None:
            self._handle = display({"text/plain": text}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        elif now - self._last > 0.2 or " 0:00 left" in text:
            self._handle.update({"text/plain": text}, raw=True)
        else:
            return
        self._last = now


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _short(x: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.3g}"
