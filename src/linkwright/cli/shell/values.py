"""What a word of a command may be, for shells that ask."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter


def robots(_: Any = None) -> list[str]:
    """Names of mechanisms: those built in, "planar:" where a number follows, and those that are installed."""
    from linkwright.formats.named import example_robots
    from linkwright.model.library.built_in import NAMES

    return [*(name.removesuffix("N") for name in NAMES), *sorted(example_robots())]


Robot = Annotated[str, Parameter(completer=robots)]
RobotOrNone = Annotated[str | None, Parameter(completer=robots)]
