"""How far a study is: rows, rows a second, and the time that is left; on a terminal or in a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from linkwright.status import terminal, told_elsewhere


class Progress:
    """A line that is shown while a study runs, unless a function is to be told instead."""

    def __init__(self, title: str, rows: int, done: int, tell: Callable[[float], None] | None):
        self._title, self._rows, self._done, self._tell = title, rows, done, tell
        self._failed = 0
        self._bar: Any = None
        self._task: Any = None
        self._silence: Any = None

    def __enter__(self) -> Progress:
        if self._tell is None and (stream := terminal()) is not None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._silence = told_elsewhere()
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
        """So many more rows are done, of which so many failed."""
        self._done += rows
        self._failed += failed
        if self._tell is not None:
            self._tell(self._done / self._rows)
        if self._bar is not None:
            rate = (self._done - self._first) / max(time.monotonic() - self._began, 1e-9)
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
            self._silence.__exit__(None, None, None)


def _short(x: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.3g}"
