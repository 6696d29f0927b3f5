"""Exhibits: published results, our results, and errata of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

Origin = Literal["printed", "formula", "said", "derived", "known", "found", "measured"]
Basis = Literal["printed", "derived", "measured"]
OpenKind = Literal["left open", "ambiguous", "a matter of words", "perhaps a misprint of our copy"]

ORIGINS: dict[Origin, str] = {
    "printed": "printed value",
    "formula": "printed formula",
    "said": "statement in words",
    "derived": "our formula",
    "known": "our calculation",
    "found": "our claim",
    "measured": "measurement",
}
"""Bases of comparison, as named in tables."""

MEANINGS: dict[Origin, str] = {
    "printed": "a number or a term that the source prints, reproduced to its last digit",
    "formula": "a formula of the source, evaluated with our numbers, compared with the library's algorithm",
    "said": "a statement of the source, also about a figure, tested on an example",
    "derived": "a formula that the source does not print, or another method, compared with the library's algorithm",
    "known": "the source prints no value; the given one was computed by hand or by another program",
    "found": "a claim of this library about what the source leaves open; the table states whether it is true",
    "measured": "times and counts of operations; a published ratio stands next to ours, and decides nothing",
}
"""Meanings of these names."""

BASES: dict[Basis, tuple[str, tuple[Origin, ...]]] = {
    "printed": ("compared with printed values", ("printed",)),
    "derived": ("derived and proved", ("formula", "said", "derived", "known", "found")),
    "measured": ("measured", ("measured",)),
}
"""Kinds of lines that are counted apart: the name in an index, and the origins that belong to it."""

NOTHING = 1e-12
"""a difference of numbers that are equal as far as they can be"""

ROUNDING = 1e-11
"""of a formula evaluated in another order, relative to its numbers"""


class Spread(NamedTuple):
    """The smallest and the largest of several measurements."""

    low: float
    high: float


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
    def basis(self) -> Basis:
        """The kind of line, which is counted apart."""
        return next(basis for basis, (_, origins) in BASES.items() if self.origin in origins)

    @property
    def holds(self) -> bool | None:
        """Whether our value equals the given one; None of measurements."""
        if self.origin == "measured":
            return None
        if self.difference is None:
            return _equal(self.given, self.ours)
        return bool(self.difference <= self.allowed)

    def cells(self) -> tuple[str, str, str, str, str]:
        """The line of the table: what, what it is compared with, given, ours, difference."""
        given = "" if self.origin == "found" else shown(self.given, self.digits)
        ours = shown(self.ours, self.digits)
        return self.what, ORIGINS[self.origin], given, ours, self._deviation()

    def _deviation(self) -> str:
        if self.origin == "measured":
            return ""
        if self.difference is None:
            return "none" if self.holds else "differs"
        if self.origin in ("formula", "said", "derived") and self.holds and self.digits:
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


@dataclass(frozen=True, eq=False)
class OpenPoint:
    """A passage of a source that is no error: left open, ambiguous, or perhaps a misprint of our copy."""

    where: str
    kind: OpenKind
    printed: str
    reading: str
    """how it is read here, and why"""
    example: str
    """what the value is of"""
    ours: Any
    digits: int = 6

    def cells(self) -> tuple[str, str]:
        """The example, and its value."""
        return self.example, shown(self.ours, self.digits)


Remark = Finding | Erratum | OpenPoint
"""Results of an exhibit."""


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
    compute: Callable[[], Iterable[Remark]]
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
            tuple(one for one in made if isinstance(one, OpenPoint)),
        )


@dataclass(frozen=True, eq=False)
class ExhibitResult:
    """An exhibit that was run."""

    exhibit: Exhibit
    findings: tuple[Finding, ...]
    errata: tuple[Erratum, ...]
    open_points: tuple[OpenPoint, ...] = ()

    @property
    def counts(self) -> dict[Basis, int]:
        """The number of lines that rest on printed values, on derivations, and on measurements."""
        return {basis: sum(one.basis == basis for one in self.findings) for basis in BASES}

    @property
    def wrong(self) -> tuple[Finding | Erratum, ...]:
        """Findings and errata that do not hold."""
        return (
            *(one for one in self.findings if one.holds is False),
            *(one for one in self.errata if not one.proved),
        )

    @property
    def holds(self) -> bool:
        """Whether all findings but measurements hold, and each erratum is proved."""
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
            f"  {what}: {given} ({origin}), {ours} here" for what, origin, given, ours, _ in map(_cells, self.findings)
        ]
        lines += [f"  wrong in print, {one.where}: {one.printed}; right is {one.right}" for one in self.errata]
        lines += [f"  {one.kind}, {one.where}: {one.printed}; read as {one.reading}" for one in self.open_points]
        return "\n".join(lines)


HEADS = ("what", "compared with", "given", "here", "difference")


def _cells(one: Finding) -> tuple[str, str, str, str, str]:
    return one.cells()


def shown(value: Any, digits: int) -> str:
    """A value as tables show it: words, yes or no, a number, a spread, (a, b), [a, b; c, d]."""
    if isinstance(value, str):
        return value
    if isinstance(value, Spread):
        low, high = (_number(x, digits) for x in value)
        return low if low == high else f"{low} to {high}"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    x = np.asarray(value, dtype=float)
    if x.ndim == 0:
        return _number(float(x), digits)
    if x.ndim == 1 and x.size <= MOST_ENTRIES:
        return f"({', '.join(_number(entry, digits) for entry in x)})"
    if x.size > MOST_ENTRIES:
        size = f"{x.size} entries" if x.ndim == 1 else " × ".join(map(str, x.shape))
        return f"{size}, norm {_number(float(np.linalg.norm(x)), max(digits, 3))}"
    return f"[{'; '.join(', '.join(_number(entry, digits) for entry in row) for row in x)}]"


MOST_ENTRIES = 12
"""Larger arrays are shown by their norm, and compared entry by entry all the same."""


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


def derived(what: str, given: Any, ours: Any, digits: int = 6, tolerance: float | None = None) -> Finding:
    """Compare a formula or a method of ours, which the source does not print, with the library's algorithm."""
    return Finding(what, given, ours, "derived", digits, tolerance)


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
    """Set a published time, count of operations, or ratio of such, next to ours, which may be a :class:`Spread`."""
    return Finding(what, given, ours, "measured", digits)
