"""The program, and the reading of robots for all commands."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter
from rich.text import Text

from linkwright.cli.output import terminal
from linkwright.cli.shell.installing import offer
from linkwright.errors import FormatWarning
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
    """Load a robot from a file, or by its name. Several remarks about a file are one line unless ``verbose``."""
    from linkwright.formats.load import load

    with terminal.errors.status(Text(f"reading {robot}")), warnings.catch_warnings(record=True) as caught:
        model = load(robot, root=None if root == "fixed" else root)
    for one in caught:
        text = str(one.message)
        if issubclass(one.category, FormatWarning) and not verbose and "\n" in text:
            text = f"{text.partition(chr(10))[0].rstrip(':')} (--verbose lists them)"
        warnings.showwarning(one.category(text), one.category, one.filename, one.lineno)
    return model


def file_name(name: str) -> str:
    """Return a name that can be part of a file name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "robot"
