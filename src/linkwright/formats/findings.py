"""Findings of a reader: problems, which reject a file, and remarks, which do not."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from linkwright.errors import FormatError, InputError, ModelError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.description import Description
from linkwright.model.tree import Model

LARGEST = 1e50
"""Largest number in a file; products of larger numbers overflow."""

LONGEST_NAME = 1000

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Placed(Protocol):
    """Object with its position in a file: line and column from 1."""

    line: int
    column: int


class Findings:
    """Collects problems (the file is rejected) and remarks (the file is read)."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[str] = []
        self.remarks: dict[str, list[tuple[str, str]]] = {}
        self.owner = ""
        """link or joint being read, for messages"""
        self.folders = () if file.startswith("<") else (os.path.dirname(os.path.abspath(file)),)
        """folders of the files that it names"""

    def place(self, item: Placed) -> str:
        """file:line:column"""
        return f"{self.file}:{item.line}:{item.column}"

    def problem(self, item: Placed, message: str) -> None:
        """Add a problem, which rejects the file."""
        owner = f"{self.owner}: " if self.owner else ""
        self.problems.append(f"{self.place(item)}: {owner}{message}")

    def remark(self, item: Placed, message: str, name: str = "") -> None:
        """Add a remark; equal remarks are combined, with the names that they concern."""
        self.remarks.setdefault(message, []).append((self.place(item), name))

    @contextmanager
    def leniently(self, consequence: str) -> Iterator[None]:
        """Turn problems inside the block into remarks, since they do not affect the motion."""
        before = len(self.problems)
        yield
        for problem in self.problems[before:]:
            self.remarks.setdefault(f"{problem}; {consequence}", [])
        del self.problems[before:]

    def notes(self) -> list[str]:
        """Return the remarks, one line each."""
        lines = []
        for message, uses in self.remarks.items():
            if not uses:
                lines.append(message)
                continue
            place = uses[0][0]
            names = [name for _, name in uses if name]
            if names:
                more = f", … ({len(names)} in all)" if len(names) > 6 else ""
                others = "".join(f", {name.partition(' ')[2]}" for name in names[1:6])
                lines.append(f"{place}: {names[0]}{others}{more}: {message}")
            else:
                lines.append(f"{place}: {message}" + (f" ({len(uses)} times)" if len(uses) > 1 else ""))
        return lines

    def assembled(self, description: Description, root: str | None) -> Model:
        """Return the model, with a floating base (``root="free"``) or a base that is welded to the world.

        Raises :class:`FormatError` with all problems of the file, and :class:`InputError` for an invalid ``root``;
        problems of the file are reported first.
        """
        unusable: InputError | None = None
        try:
            description = description.rooted(root)
        except InputError as error:
            if root not in (None, "fixed", "free"):
                raise
            unusable = error
        model = assembled(description, self.notes(), self.problems)
        if unusable:
            raise unusable
        return model


def assembled(description: Description, notes: Iterable[str] = (), problems: Iterable[str] = ()) -> Model:
    """Return the model of a description from a file; its problems are raised as :class:`FormatError`."""
    try:
        return assemble(description, notes, problems)
    except ModelError as error:
        raise FormatError(error.problems) from None


def near(word: str, known: tuple[str, ...]) -> str:
    """Return a hint at a similar known word."""
    found = difflib.get_close_matches(word[:100], known, n=1, cutoff=0.8)
    return f" (did you mean {found[0]!r}?)" if found else ""
