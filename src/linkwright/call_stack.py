"""Room on Python's call stack.

Python keeps the frames of calls in chunks of memory of 16 KB and returns a chunk to the operating system when the call
that needed it ends. A loop whose calls happen to cross the end of a chunk gets a new one for each of them: a call then
takes microseconds, and a simulation or a trace up to twice as long, depending on the depth at which it was called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

ROOM = 270_000
"""Size of the frame of a call with room, bytes: more than half of a chunk of 512 KB, of which the rest is free."""


def _call(function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    return function(*args, **named)


# a frame that claims to need much memory gets a large chunk; it uses none of it
_call.__code__ = _call.__code__.replace(co_stacksize=ROOM // 8)


def with_room(function: F) -> F:
    """Decorate a function that runs long: the calls that it makes share one chunk of memory."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        return _call(function, args, named)

    return call  # type: ignore[return-value]
