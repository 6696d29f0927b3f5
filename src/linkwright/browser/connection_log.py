"""Reports of failed connections and malformed messages: one line each instead of tracebacks, at a limited rate.

The lines are records of the logger ``linkwright.browser``; at its level DEBUG they include tracebacks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Any

from linkwright.errors import printable

PAUSE = 60.0
"""Time without further lines of a kind after a line, s; the next line counts them."""
LONGEST = 100
"""Largest number of characters of an error."""

_KINDS = {
    "opening handshake failed": "connection closed: it sent no valid request",
    "connection handler failed": "connection closed: malformed message",
    "Task exception was never retrieved": "message of a page ignored",
}
"""Messages of websockets and asyncio, and those of the studio."""


class BriefReports(logging.Filter):
    """Shortens records with tracebacks to one line, and counts repeated ones."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, float] = {}
        self.missed: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record; return whether it is shown."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return True
        kind, now = record.getMessage(), time.monotonic()
        if kind == "opening handshake failed" and any(isinstance(e, EOFError) for e in _causes(error)):
            return False  # closed before a request: a port probe, or an unused connection of a browser
        if now - self.shown.get(kind, -PAUSE) < PAUSE:
            self.missed[kind] = self.missed.get(kind, 0) + 1
            return False
        self.shown[kind] = now
        text = printable(" ".join(str(error).split()), keep="")
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
        text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        count = self.missed.pop(kind, 0)
        record.msg = f"studio: {_KINDS.get(kind, kind)} ({text})" + (f"; {count} more since the last" if count else "")
        record.args = ()
        if not logging.getLogger(record.name).isEnabledFor(logging.DEBUG):
            record.exc_info = None
        return True


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def report_briefly(loop: asyncio.AbstractEventLoop, port: int) -> logging.Logger:
    """Return a logger for the connections of a server and the errors of its event loop."""
    logger = logging.getLogger(f"linkwright.browser.{port}")
    for old in list(logger.filters):  # of a previous server at this port
        logger.removeFilter(old)
    logger.addFilter(BriefReports())

    def report(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        logger.error(context["message"], exc_info=context.get("exception"))

    loop.set_exception_handler(report)
    return logger
