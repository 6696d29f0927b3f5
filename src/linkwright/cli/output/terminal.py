"""The terminal: names and paths are printed verbatim, never as markup, colors or control sequences."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table

from linkwright.errors import printable


class PlainConsole(Console):
    """A console that prints square brackets as text, and symbols instead of control characters."""

    def __init__(self, **options: Any):
        super().__init__(highlight=False, markup=False, emoji=False, **options)
        if self._width == 0:  # COLUMNS=0 means an unknown width, as in shutil.get_terminal_size
            self._width = None

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, but without wrapping into a file or a pipe, unless COLUMNS gives a width."""
        if not self.is_terminal and os.environ.get("COLUMNS", "0") == "0":
            options.setdefault("soft_wrap", all(isinstance(x, str) for x in objects))
            options.setdefault("crop", False)
            objects = tuple(_Whole(x) if isinstance(x, Table) else x for x in objects)
        super().print(*objects, **options)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the printed segments; the control sequences of rich (colors, cursor) are passed on."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text, keep="\n"), style, control)


class _Whole:
    """A table that is not wrapped."""

    def __init__(self, table: Table):
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.table, options.update(width=WIDEST))


WIDEST = 100_000
"""columns"""

output, errors = PlainConsole(), PlainConsole(stderr=True)
