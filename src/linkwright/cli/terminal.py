"""The terminal: names and paths come out as they are, never as markup, colours or commands to the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from linkwright.errors import printable


class PlainConsole(Console):
    """A console to which square brackets are text, and which shows control characters instead of sending them."""

    def __init__(self, **options: Any):
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; rich's own commands (colours, cursor) are kept apart from texts."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text, keep="\n"), style, control)


output, errors = PlainConsole(), PlainConsole(stderr=True)
