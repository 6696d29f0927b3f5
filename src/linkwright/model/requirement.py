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
    return _checking(function, require_model)


def takes_numeric_model(placements_only: bool = False) -> Callable[[F], F]:
    """Return :func:`takes_model` of functions that compute with numbers only: models with symbols are rejected.

    ``placements_only``: whether masses and other parameters than placements may be symbols.
    """

    def check(given: Any, function: str) -> None:
        require_model(given, function)
        given.require_numbers(function, placements_only)

    return lambda function: _checking(function, check)


def _checking(function: F, check: Callable[[Any, str], None]) -> F:
    """Return a function that checks its first argument, and explains wrong calls."""
    explaining = explained(function)
    parameters = list(inspect.signature(function).parameters)
    place = int(parameters[0] == "self")
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if len(args) > place:
            check(args[place], name)
        elif parameters[place] in named:
            check(named[parameters[place]], name)
        return explaining(*args, **named)

    return call  # type: ignore[return-value]
