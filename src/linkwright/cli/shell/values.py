"""Values of positional arguments, for shell completion."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter


def robots(_: Any = None) -> list[str]:
    """Return the names of the built-in mechanisms ("planar:" needs a number after it) and of the installed robots."""
    from linkwright.formats.lookup.installed_robots import example_robots
    from linkwright.model.library.built_in import NAMES

    return [*(name.removesuffix("N") for name in NAMES), *sorted(example_robots())]


Robot = Annotated[str, Parameter(completer=robots)]
RobotOrNone = Annotated[str | None, Parameter(completer=robots)]
