"""Checks that the first argument of a function is a model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from linkwright.errors import ArgumentError, explained
from linkwright.model.tree import Model

F = TypeVar("F", bound=Callable[..., Any])


def require_model(given: Any, function: str, argument: str = "the first argument") -> None:
    """Raise :class:`ArgumentError` if an argument of a function is not a :class:`Model`."""
    if isinstance(given, Model):
        return
    advice = f"; lw.load({str(given)!r:.200}) gives a model" if isinstance(given, (str, Path)) else ""
    raise ArgumentError(f"{function}: {argument} is a Model; got {given!r:.200}{advice}")


def takes_model(function: F) -> F:
    """Decorate a function of a model: other first arguments and wrong calls raise :class:`ArgumentError`."""
    explaining = explained(function)
    parameters = list(inspect.signature(function).parameters)
    place = int(parameters[0] == "self")
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if len(args) > place:
            require_model(args[place], name)
        elif parameters[place] in named:
            require_model(named[parameters[place]], name)
        return explaining(*args, **named)

    return call  # type: ignore[return-value]
