"""Status messages: one line on the terminal during operations that last longer than a second.

The line is written to standard error if that is a terminal or a notebook, and is removed at the end. The environment
variable LINKWRIGHT_STATUS=off and the context manager :func:`status_elsewhere` suppress it.
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
"""Duration in s after which an operation is shown."""


MEASURED, LARGE = 5e4, 4e7
"""Sizes in characters: of functions whose compile time is measured, and of those that take twice as long per character
as small ones."""
LAST_SECOND = 1.5
"""Remaining time in s below which no number is shown."""


class CompileRate:
    """Estimated compile time of a function: its size, times the time per character of the functions compiled before."""

    rate = 6e-7
    """Time per character of code, s, of this process."""

    @classmethod
    def expected(cls, size: int) -> float:
        """Return the estimated compile time in s of a function of ``size`` characters."""
        return cls.rate * size * (1.0 + size / LARGE)

    @classmethod
    def measure(cls, size: int, seconds: float) -> None:
        """Take the compile time of a function into account."""
        if size > MEASURED:
            cls.rate *= seconds / cls.expected(size)


class _Work(NamedTuple):
    what: str
    since: float


class _StatusReporter:
    """Writes and clears the status line from a thread."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.at_work: list[_Work] = []
        """current operations, the outermost first"""
        self.silent = 0
        self.shown = ""
        self.stream: Any = None
        """stream of the line"""
        self.thread: threading.Thread | None = None
        self.code_ends: float | None = None
        """expected end of the compilation of machine code, s"""

    def compile_until(self, end: float | None) -> None:
        """Show the time that remains until the expected end of a compilation; None: it is over."""
        with self.changed:
            self.code_ends = end
            self.changed.notify()

    def begin(self, what: str) -> _Work:
        """Register an operation."""
        work = _Work(what, time.monotonic())
        with self.changed:
            self.at_work.append(work)
            if self.thread is None or not self.thread.is_alive():  # after a fork the thread does not run
                self.thread = threading.Thread(target=self._watch, name="linkwright status", daemon=True)
                self.thread.start()
            self.changed.notify()
        return work

    def end(self, work: _Work) -> None:
        """Remove an operation and its line."""
        with self.changed:
            if work in self.at_work:  # a child process does not have it
                self.at_work.remove(work)
            self._tell()

    def _watch(self) -> None:
        with self.changed:
            while True:
                self.changed.wait(self._tell())

    def _tell(self) -> float | None:
        """Show the innermost slow operation; return the time in s until the next check."""
        now = time.monotonic()
        late = [work.what for work in self.at_work if now - work.since >= PATIENCE]
        waits = [PATIENCE - (now - work.since) for work in self.at_work if now - work.since < PATIENCE]
        left = ""
        if late and self.code_ends is not None and self.code_ends - now > LAST_SECOND:
            left = f": about {self.code_ends - now:.0f} s left"
            waits.append(1.0)
        self._show(late[-1] + left if late else "")
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


_reporter = _StatusReporter()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reporter.__init__)  # type: ignore[misc]


def _columns(stream: Any) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):  # a notebook
        return 80


def terminal() -> Any:
    """Return standard error where it is a terminal or a notebook and messages are enabled; else None."""
    stream = sys.stderr
    if stream is None or os.environ.get("LINKWRIGHT_STATUS") in ("", "off", "0"):
        return None
    try:
        seen = stream.isatty() or type(stream).__module__.startswith("ipykernel.")
    except (AttributeError, ValueError):  # another object, or closed
        return None
    return stream if seen else None


@contextmanager
def status_message(what: str) -> Iterator[None]:
    """Show a status message while the block runs, if it lasts longer than a second."""
    if _reporter.silent or terminal() is None:
        yield
        return
    work = _reporter.begin(what)
    try:
        yield
    finally:
        _reporter.end(work)


def with_status_message(what: Callable[[Any], str]) -> Callable[[F], F]:
    """Decorate a function with the status message ``what(first argument)``."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(first: Any, *args: Any, **named: Any) -> Any:
            with status_message(what(first)):
                return function(first, *args, **named)

        return call  # type: ignore[return-value]

    return decorate


_listeners: list[Callable[[int], None]] = []


@contextmanager
def compiled_code(listener: Callable[[int], None]) -> Iterator[None]:
    """Call ``listener`` with the size in characters of each function before it is compiled, and with 0 after it."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def compiling_code(size: int) -> Iterator[None]:
    """Report the compilation of a function of ``size`` characters to listeners, and its expected end to the line."""
    for listener in tuple(_listeners):
        listener(size)
    began = time.monotonic()
    _reporter.compile_until(began + CompileRate.expected(size))
    try:
        yield
        CompileRate.measure(size, time.monotonic() - began)
    finally:
        _reporter.compile_until(None)
        for listener in tuple(_listeners):
            listener(0)


@contextmanager
def status_elsewhere() -> Iterator[None]:
    """Suppress status messages while the block runs."""
    _reporter.silent += 1
    try:
        yield
    finally:
        _reporter.silent -= 1
