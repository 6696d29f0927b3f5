"""Entry points of other installed packages: the groups ``linkwright.commands`` and ``linkwright.pages``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def plugins(kind: Literal["commands", "pages"]) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, in alphabetical order, without importing them."""
    from importlib.metadata import entry_points  # slow to import

    return {one.name: one for one in sorted(entry_points(group=f"linkwright.{kind}"))}
