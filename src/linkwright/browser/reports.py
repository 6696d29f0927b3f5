"""Connections that fail and messages that cannot be read: one line each, and few of them, instead of tracebacks.

Whoever can connect chooses what is sent. The lines are records of the logger ``linkwright.browser``; at its level DEBUG
they come with their tracebacks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Any

from linkwright.errors import printable

PAUSE = 60.0
"""seconds after a line in which there is no other of its kind; the next one counts those in between"""
LONGEST = 100
"""characters that are shown of an error"""

_KINDS = {
    "opening handshake failed": "a connection was closed: it did not send a request",
    "connection handler failed": "a connection was closed: a message on it cannot be read",
    "Task exception was never retrieved": "a message of a page was ignored",
}
"""what websockets and asyncio report, in words of the studio"""


class BriefReports(logging.Filter):
    """Turns records with tracebacks into lines; what comes too often is counted."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, float] = {}
        self.missed: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record; False where it is not shown."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return True
        kind, now = record.getMessage(), time.monotonic()
        if kind == "opening handshake failed" and any(isinstance(e, EOFError) for e in _causes(error)):
            return False  # closed before a request, as browsers do with connections that they do not need
        if now - self.shown.get(kind, -PAUSE) < PAUSE:
            self.missed[kind] = self.missed.get(kind, 0) + 1
            return False
        self.shown[kind] = now
        told = printable(" ".join(str(error).split()), keep="")
        told = f"{type(error).__name__}: {told}" if told else type(error).__name__
        told = told if len(told) <= LONGEST else f"{told[:LONGEST]}…"
        count = self.missed.pop(kind, 0)
        record.msg = f"studio: {_KINDS.get(kind, kind)} ({told})" + (f"; {count} more since the last" if count else "")
        record.args = ()
        if not logging.getLogger(record.name).isEnabledFor(logging.DEBUG):
            record.exc_info = None
        return True


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def report_briefly(loop: asyncio.AbstractEventLoop, port: int) -> logging.Logger:
    """Return a logger for the connections of a server, which the errors of its event loop go to as well."""
    logger = logging.getLogger(f"linkwright.browser.{port}")
    for old in list(logger.filters):  # of an earlier server at this port
        logger.removeFilter(old)
    logger.addFilter(BriefReports())

    def report(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        logger.error(context["message"], exc_info=context.get("exception"))

    loop.set_exception_handler(report)
    return logger
