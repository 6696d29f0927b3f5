"""The terminal: names and paths come out as they are, never as markup, colors or commands to the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table

from linkwright.errors import printable


class PlainConsole(Console):
    """A console to which square brackets are text, and which shows control characters instead of sending them."""

    def __init__(self, **options: Any):
        super().__init__(highlight=False, markup=False, emoji=False, **options)
        if self._width == 0:  # of COLUMNS=0, which says nothing, as shutil.get_terminal_size has it
            self._width = None

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich does; into a file or a pipe lines and tables go whole, unless COLUMNS says how wide that is."""
        if not self.is_terminal and os.environ.get("COLUMNS", "0") == "0":
            options.setdefault("soft_wrap", all(isinstance(x, str) for x in objects))
            options.setdefault("crop", False)
            objects = tuple(_Whole(x) if isinstance(x, Table) else x for x in objects)
        super().print(*objects, **options)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; rich's own commands (colors, cursor) are kept apart from texts."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text, keep="\n"), style, control)


class _Whole:
    """A table of which nothing is wrapped."""

    def __init__(self, table: Table):
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.table, options.update(width=WIDEST))


WIDEST = 100_000
"""columns"""

output, errors = PlainConsole(), PlainConsole(stderr=True)
