"""What takes long says what it does: one line on the terminal, after a second, which goes when it is done.

It is written to standard error and only where that is a terminal, or a notebook's. LINKWRIGHT_STATUS=off in the
environment keeps it silent; so does :func:`told_elsewhere`, where a program tells what it does itself.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar
from unicodedata import east_asian_width

from linkwright.errors import printable

F = TypeVar("F", bound=Callable[..., Any])

PATIENCE = 1.0
"""Seconds that something may take unsaid."""


class _Work(NamedTuple):
    what: str
    since: float


class _Teller:
    """Writes the line, and takes it away; a thread of its own waits meanwhile."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.at_work: list[_Work] = []
        """what is done now; what each takes part in before it"""
        self.silent = 0
        self.shown = ""
        self.stream: Any = None
        """where it is shown"""
        self.thread: threading.Thread | None = None

    def begin(self, what: str) -> _Work:
        """Something is begun."""
        work = _Work(what, time.monotonic())
        with self.changed:
            self.at_work.append(work)
            if self.thread is None or not self.thread.is_alive():  # after a fork it is not
                self.thread = threading.Thread(target=self._watch, name="linkwright status", daemon=True)
                self.thread.start()
            self.changed.notify()
        return work

    def end(self, work: _Work) -> None:
        """It is done, and with it the line that told it."""
        with self.changed:
            if work in self.at_work:  # in a child process it is not
                self.at_work.remove(work)
            self._tell()

    def _watch(self) -> None:
        with self.changed:
            while True:
                self.changed.wait(self._tell())

    def _tell(self) -> float | None:
        """Show what has gone on for long, the innermost; how long until there may be more to say, s."""
        now = time.monotonic()
        late = [work.what for work in self.at_work if now - work.since >= PATIENCE]
        self._show(late[-1] if late else "")
        waits = [PATIENCE - (now - work.since) for work in self.at_work if now - work.since < PATIENCE]
        return min(waits, default=None)

    def _show(self, what: str) -> None:
        if what == self.shown:
            return
        stream = self.stream if self.shown else terminal()
        if stream is None:
            return
        width = _columns(stream) - 1
        text = f"linkwright: {printable(what, keep='')} …" if what else ""
        taken = accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
        fitting = text[: sum(end <= width for end in taken)]
        try:
            stream.write(f"\r{' ' * width}\r{fitting}")
            stream.flush()
        except (OSError, ValueError):  # closed meanwhile
            pass
        self.stream, self.shown = stream, what


_teller = _Teller()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_teller.__init__)  # type: ignore[misc]


def _columns(stream: Any) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):  # a notebook
        return 80


def terminal() -> Any:
    """Standard error, where somebody sees it who wants to be told; else None."""
    stream = sys.stderr
    if stream is None or os.environ.get("LINKWRIGHT_STATUS") in ("", "off", "0"):
        return None
    try:
        seen = stream.isatty() or type(stream).__module__.startswith("ipykernel.")
    except (AttributeError, ValueError):  # it is something else, or closed
        return None
    return stream if seen else None


@contextmanager
def told(what: str) -> Iterator[None]:
    """While this lasts, what is done is said on the terminal, if it takes longer than a second."""
    if _teller.silent or terminal() is None:
        yield
        return
    work = _teller.begin(what)
    try:
        yield
    finally:
        _teller.end(work)


def telling(what: Callable[[Any], str]) -> Callable[[F], F]:
    """A function that is :func:`told` while it runs, as ``what`` says of its first argument."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(first: Any, *args: Any, **named: Any) -> Any:
            with told(what(first)):
                return function(first, *args, **named)

        return call  # type: ignore[return-value]

    return decorate


@contextmanager
def told_elsewhere() -> Iterator[None]:
    """While this lasts nothing is said here."""
    _teller.silent += 1
    try:
        yield
    finally:
        _teller.silent -= 1
