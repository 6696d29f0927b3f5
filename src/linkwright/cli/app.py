"""The program, and the reading of robots for all commands."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter
from rich.text import Text

from linkwright.cli.output import terminal
from linkwright.cli.shell.installing import offer
from linkwright.errors import FormatError, FormatWarning, InputError
from linkwright.model.tree import Model

DEMONSTRATION = "arm7"

HELP = """Robot kinematics and dynamics: arms, legged robots, humanoids, pendulums, closed linkages.

First command: ``linkwright simulate two_link``. Help for a command: ``linkwright simulate --help``. Check of the
installation: ``linkwright doctor``.
"""

app = cyclopts.App(name="linkwright", help=HELP, console=terminal.output, suppress_keyboard_interrupt=False)
offer(app)

Root = Annotated[Literal["fixed", "free"], Parameter(help="free: floating base.")]
Verbose = Annotated[bool, Parameter(negative="", help="List every remark about the robot file.")]


def _whole(_: Any, tokens: Sequence[Any]) -> int:
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is not an integer") from None


Whole = Annotated[int, Parameter(converter=_whole)]
"""An integer; cyclopts alone would round other numbers."""


def load_robot(robot: str, root: str, verbose: bool = False) -> Model:
    """Load a robot from a file, by its name, or from the standard input.

    Several remarks about a file are one line unless ``verbose``. Probable errors of units are reported.
    """
    from linkwright.formats.load import load
    from linkwright.robot_check.check import unit_findings

    with terminal.errors.status(Text(f"reading {robot}")), warnings.catch_warnings(record=True) as caught:
        source = standard_input() if robot == STANDARD_INPUT else robot
        model = load(source, root=None if root == "fixed" else root)
    for one in caught:
        text = str(one.message)
        if issubclass(one.category, FormatWarning) and not verbose and "\n" in text:
            text = f"{text.partition(chr(10))[0].rstrip(':')} (--verbose lists them)"
        warnings.showwarning(one.category(text), one.category, one.filename, one.lineno)
    if strange := unit_findings(model):
        name = "-" if robot == STANDARD_INPUT else robot
        text = f"{strange[0].message} More: linkwright check {name}"
        warnings.showwarning(FormatWarning(text), FormatWarning, name, 0)
    return model


STANDARD_INPUT = "standard input"
"""Name of a robot that is given as "-"."""


def with_standard_input(arguments: list[str]) -> list[str]:
    """Return the words of a command with the name of the standard input for a robot "-", which is no option."""
    if "-" not in arguments[1:]:
        return arguments
    at = arguments.index("-", 1)
    options = all(word.startswith("--") for word in arguments[1:at])
    return [*arguments[:at], STANDARD_INPUT, *arguments[at + 1 :]] if options else arguments


def standard_input() -> str:
    """Return the text of a robot on the standard input."""
    from linkwright.formats.xml import MAX_BYTES

    if sys.stdin is None or sys.stdin.isatty():
        raise InputError(f"- reads a robot from the standard input, and nothing is piped into it; example: {PIPE}")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if not data.strip():
        raise InputError(f"the standard input is empty; expected the text of a robot file; example: {PIPE}")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError("the standard input is not UTF-8 text; expected the text of a robot file") from None


PIPE = "ros2 param get --hide-type /robot_state_publisher robot_description | linkwright info -"


def file_name(name: str) -> str:
    """Return a name that can be part of a file name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "robot"
