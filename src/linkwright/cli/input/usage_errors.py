"""Messages for wrong commands: the given argument, and the accepted ones."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import cyclopts
from cyclopts import exceptions

KINDS = {int: "an integer", float: "a number", bool: "yes or no", Path: "a file or folder"}


def message(error: cyclopts.CycloptsError) -> str:
    """Return the message of an error."""
    command = " ".join(error.command_chain or ())
    match error:
        case exceptions.UnusedCliTokensError():
            return f"{_takes(error, command)}; unexpected: {_listed(error.unused_tokens or [])}{_see(command)}"
        case exceptions.UnknownCommandError():
            return _unknown_command(error)
        case exceptions.UnknownOptionError():
            given = (error.token.keyword or error.token.value).partition("=")[0]
            names = [name for one in error.argument_collection if one.parse for name in one.names if name[:1] == "-"]
            names += error.app.help_flags if error.app is not None else ()
            return f"{command} has no option {given!r}{_meant(given, names)}{_see(command)}"
        case exceptions.MissingArgumentError() if error.argument is not None:
            return _missing(error, command)
        case exceptions.CoercionError() if error.argument is not None:
            return _no_value(error, error.argument)
        case exceptions.RepeatArgumentError():
            return f"{error.token.keyword or error.token.value} is given twice"
        case _:
            return f"{' '.join(str(error).split()).rstrip('.')}{_see(command)}"


def _takes(error: cyclopts.CycloptsError, command: str) -> str:
    """Return the positional arguments of a command: ``convert takes ROBOT and FILE``."""
    words = [
        (parameter.name.upper(), parameter.default is not parameter.empty)
        for parameter in (inspect.signature(error.target).parameters.values() if error.target else ())
        if parameter.kind is parameter.POSITIONAL_ONLY
    ]
    if not words:
        return f"{command} takes only options"
    some = "at most " if any(optional for _, optional in words) else ""
    return f"{command} takes {some}{' and '.join(name for name, _ in words)}"


def _listed(words: list[str]) -> str:
    return ", ".join(map(repr, words[:4])) + (", …" if len(words) > 4 else "")


def _unknown_command(error: cyclopts.CycloptsError) -> str:
    given = (error.unused_tokens or [""])[0]
    every = list(error.app or ())
    what = f"unknown option {given!r} before a command" if given.startswith("-") else f"unknown command {given!r}"
    commands = sorted(name for name in every if not name.startswith("-"))
    return f"{what}{_meant(given, every) or '.'} The commands are {', '.join(commands)}"


def _missing(error: exceptions.MissingArgumentError, command: str) -> str:
    name = error.keyword or error.argument.name  # type: ignore[union-attr]
    if name.startswith("-"):
        return f"{name} needs {_expected(error.argument)}{_see(command)}"
    return f"{_takes(error, command)}; {name} is missing{_see(command)}"


def _no_value(error: exceptions.CoercionError, argument: Any) -> str:
    token = error.token
    name = (token.keyword if token is not None else None) or argument.name
    given = token.value if token is not None else None
    if given is None:
        return " ".join(str(error).split()).rstrip(".")
    if given.startswith("--"):
        return f"{name} needs {_expected(argument)}; the option {given} follows it"
    return f"{name} takes {_expected(argument)}; got {given!r}"


def _expected(argument: Any) -> str:
    choices = argument.get_choices()
    if choices:
        return f"one of {', '.join(choices)}"
    hints = {argument.hint, *get_args(argument.hint)}  # the parts of "int | None"
    return next((what for kind, what in KINDS.items() if kind in hints), "a value")


def _meant(given: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(given[:100], list(names), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _see(command: str) -> str:
    return f" (linkwright {command} --help)" if command and not command.startswith("-") else ""
