"""Exhibits: published results, our results, and errata of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

Origin = Literal["printed", "formula", "said", "known", "found", "measured"]

ORIGINS: dict[Origin, str] = {
    "printed": "printed",
    "formula": "its formula",
    "said": "said in words",
    "known": "not printed",
    "found": "found here",
    "measured": "compared",
}
"""Origins of the compared values, as named in tables."""

MEANINGS: dict[Origin, str] = {
    "printed": "a number of the source, reproduced to its last digit",
    "formula": "the source's formula, evaluated with numbers, compared with the library's algorithm",
    "said": "a statement of the source, also about a figure",
    "known": "the source has no number; the given one was computed by hand or by another program",
    "found": "an open question of the source, answered here; the table states whether the claim is true",
    "measured": "times and counts of operations, which depend on machine and program",
}
"""Meanings of these names."""

NOTHING = 1e-12
"""a difference of numbers that are equal as far as they can be"""

ROUNDING = 1e-11
"""of a formula evaluated in another order, relative to its numbers"""


@dataclass(frozen=True, eq=False)
class Finding:
    """One line of a table: what is given, and what we get."""

    what: str
    given: Any
    """a text, a truth, or numbers of any shape"""
    ours: Any
    origin: Origin
    digits: int = 6
    """decimals that are given, or shown"""
    tolerance: float | None = None
    """the largest difference that is none; half of the last decimal that is given, or rounding, unless given"""

    @property
    def difference(self) -> float | None:
        """The largest difference of the numbers; None where these are words."""
        return _difference(self.given, self.ours)

    @property
    def allowed(self) -> float:
        """The largest difference that is none."""
        if self.tolerance is not None:
            return self.tolerance
        if self.origin in ("printed", "known"):
            return 0.5 * 10.0**-self.digits * (1.0 + 1e-6)
        size = np.abs(np.asarray(self.given, dtype=float)).max(initial=0.0) if self.difference is not None else 0.0
        return float(ROUNDING * (1.0 + size))

    @property
    def holds(self) -> bool:
        """Whether our value equals the given one; times and counts always hold."""
        if self.origin == "measured":
            return True
        if self.difference is None:
            return _equal(self.given, self.ours)
        return bool(self.difference <= self.allowed)

    def cells(self) -> tuple[str, str, str, str, str]:
        """The line of the table: what, where it is from, given, ours, difference."""
        given = "" if self.origin == "found" else shown(self.given, self.digits)
        ours = shown(self.ours, self.digits)
        return self.what, ORIGINS[self.origin], given, ours, self._deviation()

    def _deviation(self) -> str:
        if self.difference is None:
            return "" if self.origin == "measured" else "none" if self.holds else "differs"
        if self.origin == "measured":
            return shown(self.difference, self.digits)
        if self.origin in ("formula", "said") and self.holds and self.digits:
            return f"below {_power(self.allowed)}"
        return "0" if self.difference < NOTHING else f"{self.difference:.0e}"


@dataclass(frozen=True, eq=False)
class Erratum:
    """An erratum of a source: the printed text, the correct one, and an example that decides."""

    where: str
    printed: str
    right: str
    example: str
    """what the values are of"""
    as_printed: Any
    """None where what is printed cannot be evaluated: a letter that stands for nothing"""
    corrected: Any
    ours: Any
    """what the library computes, by another way"""
    digits: int = 6

    @property
    def proved(self) -> bool:
        """Whether our value equals the corrected one, and not the printed one."""
        right, wrong = _difference(self.corrected, self.ours), _difference(self.as_printed, self.ours)
        if right is None:
            return _equal(self.corrected, self.ours) and not _equal(self.as_printed, self.ours)
        agrees = right <= ROUNDING * (1.0 + float(np.abs(np.asarray(self.ours, dtype=float)).max(initial=0.0)))
        if self.as_printed is None:
            return agrees
        return agrees and (wrong is None or wrong > 1e-3)

    def cells(self) -> tuple[str, str, str]:
        """The values: as printed, corrected, ours."""
        printed = "has no value" if self.as_printed is None else shown(self.as_printed, self.digits)
        return printed, shown(self.corrected, self.digits), shown(self.ours, self.digits)


@dataclass(frozen=True)
class PublishedSource:
    """A publication."""

    letter: str
    title: str
    by: str
    about: str


@dataclass(frozen=True)
class Exhibit:
    """One system, experiment or chapter of a source, run again."""

    number: str
    """the letter of the source and the number in it: "S3.5" """
    name: str
    title: str
    place: str
    """where in the source"""
    gives: str
    """what the source gives, prints and draws there"""
    compute: Callable[[], Iterable[Finding | Erratum]]
    draw: Callable[[Path], Path]
    """writes the picture"""
    caption: str
    code: str
    """the same in a few lines, to be run by a reader"""
    more: tuple[tuple[str, str], ...] = ()
    """what to read on: a title, and the page, from the folder of the documentation"""
    studio: str = ""
    """the page of ``linkwright studio --page`` that has it to touch"""

    def run(self) -> ExhibitResult:
        """Compute all there is to compare."""
        made = list(self.compute())
        return ExhibitResult(
            self,
            tuple(one for one in made if isinstance(one, Finding)),
            tuple(one for one in made if isinstance(one, Erratum)),
        )


@dataclass(frozen=True, eq=False)
class ExhibitResult:
    """An exhibit that was run."""

    exhibit: Exhibit
    findings: tuple[Finding, ...]
    errata: tuple[Erratum, ...]

    @property
    def wrong(self) -> tuple[Finding | Erratum, ...]:
        """Findings and errata that do not hold."""
        return (
            *(one for one in self.findings if not one.holds),
            *(one for one in self.errata if not one.proved),
        )

    @property
    def holds(self) -> bool:
        """Whether all findings hold, and each erratum is proved."""
        return not self.wrong

    def table(self) -> Table:
        """Return a table of given values and ours, for a terminal."""
        from rich.table import Table

        table = Table(*HEADS, title=f"{self.exhibit.number}  {self.exhibit.title}", box=None, title_justify="left")
        for one in self.findings:
            table.add_row(*one.cells())
        return table

    def __str__(self) -> str:
        lines = [f"{self.exhibit.number} {self.exhibit.title}"]
        lines += [
            f"  {what}: {given} {origin}, {ours} here" for what, origin, given, ours, _ in map(_cells, self.findings)
        ]
        lines += [f"  erratum, {one.where}: {one.printed}; right is {one.right}" for one in self.errata]
        return "\n".join(lines)


HEADS = ("what", "given as", "given", "here", "difference")


def _cells(one: Finding) -> tuple[str, str, str, str, str]:
    return one.cells()


def shown(value: Any, digits: int) -> str:
    """A value as tables show it: words, yes or no, a number, (a, b), [a, b; c, d]."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    x = np.asarray(value, dtype=float)
    if x.ndim == 0:
        return _number(float(x), digits)
    if x.ndim == 1:
        return f"({', '.join(_number(entry, digits) for entry in x)})"
    if x.size > MOST_ENTRIES:
        return f"{' × '.join(map(str, x.shape))}, norm {_number(float(np.linalg.norm(x)), max(digits, 3))}"
    return f"[{'; '.join(', '.join(_number(entry, digits) for entry in row) for row in x)}]"


MOST_ENTRIES = 12
"""Larger matrices are shown by their norm, and compared entry by entry all the same."""


def _number(x: float, digits: int) -> str:
    if np.isnan(x):
        return "–"
    text = f"{x:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def _power(x: float) -> str:
    """The power of ten above x, "1e-10"."""
    return f"1e{int(np.ceil(np.log10(x) - 1e-9)):d}"


def _is_words(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | np.bool_)


def _difference(a: Any, b: Any) -> float | None:
    if _is_words(a) or _is_words(b):
        return None
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        return float("inf")
    return float(np.abs(a - b).max(initial=0.0))


def _equal(a: Any, b: Any) -> bool:
    return _is_words(a) and _is_words(b) and bool(a == b)


def printed(what: str, given: Any, ours: Any, digits: int = 6) -> Finding:
    """Compare with numbers or words printed in the source, to a number of decimals."""
    return Finding(what, given, ours, "printed", digits)


def formula(what: str, given: Any, ours: Any, digits: int = 6, tolerance: float | None = None) -> Finding:
    """Compare the source's formula, evaluated with numbers, with the library's algorithm."""
    return Finding(what, given, ours, "formula", digits, tolerance)


def said(what: str, true: bool) -> Finding:
    """A claim of the source that is true, and whether it is found to be."""
    return Finding(what, True, bool(true), "said")


def stated(what: str, given: Any, ours: Any, digits: int = 0) -> Finding:
    """Compare with a statement of the text or of a caption of the source."""
    return Finding(what, given, ours, "said", digits)


def found(what: str, true: bool) -> Finding:
    """A claim of ours, on what the source leaves open, and whether it is true."""
    return Finding(what, True, bool(true), "found")


def known(what: str, given: Any, ours: Any, digits: int = 6) -> Finding:
    """Compare with numbers that the source omits, known from elsewhere, to a number of decimals."""
    return Finding(what, given, ours, "known", digits)


def measured(what: str, given: Any, ours: Any, digits: int = 2) -> Finding:
    """A time or a count of operations, or a ratio of such."""
    return Finding(what, given, ours, "measured", digits)
