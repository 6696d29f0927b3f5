"""Exhibits written down as pages of Markdown: prose, code to run, tables, remarks, the picture."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from linkwright_gallery.exhibit import (
    BASES,
    HEADS,
    MEANINGS,
    ORIGINS,
    Erratum,
    ExhibitResult,
    OpenPoint,
    PublishedSource,
)


def section(shown: ExhibitResult, picture: str, docs: str = "", level: int = 2) -> str:
    """One exhibit that was run; ``picture`` and ``docs``: where its picture is, and the pages to read on (with "/")."""
    one = shown.exhibit
    parts = [
        f"{'#' * level} {one.number} {one.title}",
        _wrapped(f"*In the source: {one.place}.* {one.gives}"),
        *([f"![{one.title}]({picture})", one.caption] if picture else []),
        f"```python\n{one.code}\n```",
        _table(HEADS, [[_safe(cell) for cell in finding.cells()] for finding in shown.findings]),
    ]
    if shown.errata:
        parts += [f"{'#' * (level + 1)} Wrong in print: {one.number}", *map(_erratum, shown.errata)]
    if shown.open_points:
        parts += [f"{'#' * (level + 1)} Left open or ambiguous: {one.number}", *map(_open_point, shown.open_points)]
    if shown.wrong:
        named = "; ".join(bad.where if isinstance(bad, Erratum) else bad.what for bad in shown.wrong)
        parts.append(f"**Not confirmed: {_safe(named)}.**")
    if one.more and docs:
        links = ", ".join(f"[{title}]({docs}{page})" for title, page in one.more)
        parts.append(f"See also: {links}.")
    parts.append(f"Run it: `linkwright gallery {one.number}`")
    if one.studio:
        parts.append(f"Interactive, with sliders in a browser: `linkwright studio --page {one.studio}`")
    return "\n\n".join(parts) + "\n"


def page(title: str, source: PublishedSource, sections: Sequence[str], legend: str = "") -> str:
    """Return a page with several exhibits of a source; ``legend`` explains the tables, or links to an explanation."""
    named = _wrapped(f"The source, here called {source.letter}: {source.by}.")
    return "\n\n".join([f"# {title}", named, _wrapped(source.about), legend or words()]) + "\n\n" + "\n".join(sections)


def words() -> str:
    """Return the explanation of the tables."""
    lines = ["Each line of a table states what our result is compared with:", ""]
    lines += [f"- *{ORIGINS[origin]}*: {meaning}" for origin, meaning in MEANINGS.items()]
    return "\n".join([*lines, "", _wrapped(REMARKS)])


REMARKS = (
    "Remarks are of two kinds. *Wrong in print*: an example is computed as printed, as corrected, and by the library "
    "with another method. *Left open or ambiguous*: the source is not wrong there. It leaves something open, it can be "
    "read in two ways, or our copy of the text may have a misprint; the remark states how it is read here. Our copies "
    "contain text only: statements about figures rest on their captions and on the text around them."
)


def _wrapped(text: str) -> str:
    """A paragraph in lines of readable length, unless one of them would look like a list."""
    lines = textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)
    return text if any(re.match(r"[-+*=#>]|\d+[.)]\s", line) for line in lines[1:]) else "\n".join(lines)


def index(rows: Sequence[tuple[PublishedSource, Sequence[tuple[ExhibitResult, str]]]], thumbnails: str = "") -> str:
    """Return an index page: the exhibits of each source with their addresses.

    ``thumbnails`` is the address of their small pictures, with ``{}`` for the name of an exhibit.
    """
    everything = [one for _, made in rows for one, _ in made]
    lines = ["# Gallery", _wrapped(INTRODUCTION), words(), _wrapped(f"All exhibits: {tally(everything)}.")]
    for source, made in rows:
        lines += [f"## {source.letter}: {source.title}", _wrapped(f"{_capital(source.by)}.")]
        cells = []
        for one, place in made:
            link = f"[{one.exhibit.number} {one.exhibit.title}]({place})"
            result = "" if one.holds else f" **{len(one.wrong)} not confirmed.**"
            cell = f"{link}. {_capital(tally([one]))}.{result}"
            picture = f"[![{one.exhibit.title}]({thumbnails.format(one.exhibit.name)})]({place})"
            cells.append([picture, cell] if thumbnails else [cell])
        lines.append(_table(["", ""] if thumbnails else ["exhibit"], cells))
    return "\n\n".join(lines) + "\n"


def tally(made: Sequence[ExhibitResult]) -> str:
    """Return the numbers of lines by what they rest on, and of remarks of both kinds."""
    lines = [(sum(one.counts[basis] for one in made), name) for basis, (name, _) in BASES.items()]
    remarks = [
        (sum(len(one.errata) for one in made), "wrong in print"),
        (sum(len(one.open_points) for one in made), "left open or ambiguous"),
    ]
    parts = [", ".join(f"{count} {name}" for count, name in some if count) for some in (lines, remarks)]
    return "; ".join(part for part in parts if part)


INTRODUCTION = (
    "Published systems on which this library is based, reproduced. For each one: the published result, our result, and "
    "the difference. Three kinds of lines are counted apart: those that are compared with a printed value, those that "
    "are derived and proved, and measurements."
)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _erratum(one: Erratum) -> str:
    as_printed, corrected, ours = one.cells()
    text = f"**{_safe(_capital(one.where))}.** Printed: {_safe(one.printed)}. Correct: {_safe(one.right)}. "
    lines = [
        _wrapped(text + f"Example: {_safe(one.example)}."),
        "",
        f"| as printed | {_safe(as_printed)} |",
        "|---|---|",
        f"| corrected | {_safe(corrected)} |",
        f"| here | {_safe(ours)} |",
    ]
    return "\n".join(lines)


def _open_point(one: OpenPoint) -> str:
    example, ours = one.cells()
    text = (
        f"**{_safe(_capital(one.where))}** ({one.kind}). The source: {_safe(one.printed)}. Here: {_safe(one.reading)}."
    )
    return _wrapped(f"{text} Example: {_safe(example)}: {_safe(ours)}.")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _safe(text: str) -> str:
    """Return text with Markdown characters escaped."""
    for mark in "\\`*|<>":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("](", "]\\(")
