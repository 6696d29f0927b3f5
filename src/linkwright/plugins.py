"""Commands and pages that other installed packages add: entry points of the groups ``linkwright.commands`` and
``linkwright.pages``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def plugins(kind: Literal["commands", "pages"]) -> dict[str, EntryPoint]:
    """Return the entry points of a group by their names, in alphabetical order; none of them is imported."""
    from importlib.metadata import entry_points  # takes long to load

    return {one.name: one for one in sorted(entry_points(group=f"linkwright.{kind}"))}
