"""What all commands share: the program they are commands of, and how a mechanism is named and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter
from rich.text import Text

from linkwright.cli.shell.installing import offer
from linkwright.cli.told import terminal
from linkwright.model.tree import Model

DEMONSTRATION = "arm7"

HELP = """Kinematics and dynamics of linked mechanisms: robots, humanoids, pendulums, closed linkages.

Begin with: ``linkwright simulate two_link``. Explain a command: ``linkwright simulate --help``. Is something wrong?
``linkwright doctor``.
"""

app = cyclopts.App(name="linkwright", help=HELP, console=terminal.output, suppress_keyboard_interrupt=False)
offer(app)

Root = Annotated[Literal["fixed", "free"], Parameter(help="'free' sets the base afloat.")]


def _whole(_: Any, tokens: Sequence[Any]) -> int:
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is not a whole number") from None


Whole = Annotated[int, Parameter(converter=_whole)]
"""A whole number; cyclopts alone would round another."""


def load_robot(robot: str, root: str) -> Model:
    """The mechanism a user named, from a file or built in."""
    from linkwright.formats.load import load

    with terminal.errors.status(Text(f"reading {robot}")):
        return load(robot, root=None if root == "fixed" else root)


def file_name(name: str) -> str:
    """A name as part of that of a file."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "robot"
