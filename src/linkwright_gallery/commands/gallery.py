"""``linkwright gallery``: results published in the sources of this library, computed again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from linkwright.cli.output import terminal
from linkwright.errors import InputError, counted
from linkwright.files import folder_at, replacing_together, write_text

if TYPE_CHECKING:
    from linkwright_gallery import ExhibitResult


def exhibits(_: Any = None) -> list[str]:
    """Return the names and numbers of the exhibits, and the sources."""
    from linkwright_gallery import EXHIBITS, SOURCES

    names = [exhibit.name.replace("_", "-") for exhibit in EXHIBITS]
    return [*names, *(exhibit.number for exhibit in EXHIBITS), *(source.letter for source in SOURCES)]


Exhibit = Annotated[str, Parameter(completer=exhibits)]


def gallery(
    *names: Exhibit,
    every: Annotated[bool, Parameter(name="--all", negative="")] = False,
    pictures: bool = True,
    out: Path | None = None,
) -> None:
    """Compute published examples again: published result, own result, difference, remarks, a picture and a page.

    Without names the command lists all examples.

    Examples: ``linkwright gallery statics``; ``linkwright gallery S3.9 --out results``; ``linkwright gallery --all``

    Parameters
    ----------
    names
        Examples by number (S3.5) or name (statics), or all of a source (S3).
    every
        Run all examples (about half a minute).
    pictures
        Draw pictures.
    out
        Folder for pages and pictures. Default: linkwright_gallery.
    """
    from linkwright_gallery import EXHIBITS, chosen

    if names and every:
        raise InputError("--all runs all exhibits; leave out the names, or --all")
    if not names and not every:
        return _list()
    folder, made = out or Path("linkwright_gallery"), []
    exhibits = EXHIBITS if every else chosen(names)
    folder_at(folder)  # raises early for an unusable folder
    for exhibit in exhibits:
        with terminal.errors.status(Text(f"running {exhibit.number} {exhibit.title}")):
            shown = exhibit.run()
        _tell(shown)
        _write(shown, folder, pictures)
        made.append(shown)
    if len(made) > 1:
        _conclude(made, folder)
    if any(not shown.holds for shown in made):
        sys.exit(1)


def _list() -> None:
    from linkwright_gallery import SOURCES

    for source, exhibits in SOURCES.items():
        table = Table("number", "name", "what it is", "in the source", box=None, title_justify="left")
        table.title = f"{source.letter}  {source.title}"
        for exhibit in exhibits:
            table.add_row(exhibit.number, exhibit.name.replace("_", "-"), exhibit.title, exhibit.place)
        terminal.output.print(table)
        terminal.output.print(source.by, soft_wrap=True)
        terminal.output.print()
    terminal.output.print("linkwright gallery NUMBER or NAME runs one, linkwright gallery S3 all of a source.")


def _tell(shown: ExhibitResult) -> None:
    from linkwright_gallery.exhibit import Erratum

    terminal.output.print(shown.table())
    for one in shown.errata:
        as_printed, corrected, ours = one.cells()
        terminal.output.print(f"  wrong in print, {one.where}: {one.printed}; right {one.right}", soft_wrap=True)
        found = f"as printed {as_printed}; corrected {corrected}; here {ours}"
        terminal.output.print(f"    {one.example}: {found}", soft_wrap=True)
    for point in shown.open_points:
        terminal.output.print(f"  {point.kind}, {point.where}: {point.printed}; here: {point.reading}", soft_wrap=True)
        terminal.output.print(f"    {': '.join(point.cells())}", soft_wrap=True)
    for bad in shown.wrong:
        what = bad.where if isinstance(bad, Erratum) else bad.what
        terminal.errors.print(Text.assemble(("does not hold: ", "bold red"), what), soft_wrap=True)


def _write(shown: ExhibitResult, folder: Path, pictures: bool) -> None:
    from linkwright_gallery import source_of
    from linkwright_gallery.page import page, section

    exhibit = shown.exhibit
    name = exhibit.name
    with replacing_together(folder) as place:
        if pictures:
            with terminal.errors.status("drawing"):
                exhibit.draw(place / f"{name}.png")
        text = section(shown, f"{name}.png" if pictures else "")
        write_text(place / f"{name}.md", page(exhibit.title, source_of(exhibit), [text]))
    for ending in (("png",) if pictures else ()) + ("md",):
        terminal.output.print(f"  {folder / f'{name}.{ending}'}", soft_wrap=True)


def _conclude(made: list[ExhibitResult], folder: Path) -> None:
    from linkwright_gallery import SOURCES
    from linkwright_gallery.page import index, tally

    rows = [
        (source, [(shown, f"{shown.exhibit.name}.md") for shown in made if shown.exhibit in exhibits])
        for source, exhibits in SOURCES.items()
    ]
    write_text(folder / "index.md", index([(source, some) for source, some in rows if some]))
    good = sum(shown.holds for shown in made)
    text = f"{good} of {counted(len(made), 'exhibit')} confirmed: {tally(made)}"
    terminal.output.print(text, soft_wrap=True)
    terminal.output.print(f"  {folder / 'index.md'}", soft_wrap=True)
