"""What a word of a command may be, for shells that ask."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter


def robots(_: Any = None) -> list[str]:
    """Names of mechanisms: those built in, "planar:" where a number follows, and those that are installed."""
    from linkwright.formats.named import example_robots
    from linkwright.model.library.built_in import NAMES

    return [*(name.removesuffix("N") for name in NAMES), *sorted(example_robots())]


def exhibits(_: Any = None) -> list[str]:
    """Exhibits of the gallery by name and by number, and its sources."""
    from linkwright.gallery import EXHIBITS, SOURCES

    names = [exhibit.name.replace("_", "-") for exhibit in EXHIBITS]
    return [*names, *(exhibit.number for exhibit in EXHIBITS), *(source.letter for source in SOURCES)]


Robot = Annotated[str, Parameter(completer=robots)]
RobotOrNone = Annotated[str | None, Parameter(completer=robots)]
Exhibit = Annotated[str, Parameter(completer=exhibits)]
