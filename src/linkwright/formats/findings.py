"""What a reader finds in a file: problems, for which it is refused, and remarks, with which it is read all the same."""

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
"""No number in a file may exceed this: its products would overflow."""

LONGEST_NAME = 1000

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Placed(Protocol):
    """Anything that knows where in its file it starts, line and column from 1."""

    line: int
    column: int


class Findings:
    """Collects problems (the file is refused) and remarks (it is read all the same)."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[str] = []
        self.remarks: dict[str, list[tuple[str, str]]] = {}
        self.owner = ""
        """the link or joint being read, for messages"""
        self.folders = () if file.startswith("<") else (os.path.dirname(os.path.abspath(file)),)
        """where the files that it names are looked for"""

    def place(self, item: Placed) -> str:
        """file:line:column"""
        return f"{self.file}:{item.line}:{item.column}"

    def problem(self, item: Placed, message: str) -> None:
        """Something for which the file is refused."""
        owner = f"{self.owner}: " if self.owner else ""
        self.problems.append(f"{self.place(item)}: {owner}{message}")

    def remark(self, item: Placed, message: str, name: str = "") -> None:
        """Equal messages are told once, with the names they are about."""
        self.remarks.setdefault(message, []).append((self.place(item), name))

    @contextmanager
    def leniently(self, consequence: str) -> Iterator[None]:
        """What is a problem within is a remark, for nothing that moves depends on it."""
        before = len(self.problems)
        yield
        for problem in self.problems[before:]:
            self.remarks.setdefault(f"{problem}; {consequence}", [])
        del self.problems[before:]

    def notes(self) -> list[str]:
        """The remarks, one line each."""
        lines = []
        for message, told in self.remarks.items():
            if not told:
                lines.append(message)
                continue
            place = told[0][0]
            names = [name for _, name in told if name]
            if names:
                more = f", … ({len(names)} in all)" if len(names) > 6 else ""
                others = "".join(f", {name.partition(' ')[2]}" for name in names[1:6])
                lines.append(f"{place}: {names[0]}{others}{more}: {message}")
            else:
                lines.append(f"{place}: {message}" + (f" ({len(told)} times)" if len(told) > 1 else ""))
        return lines

    def assembled(self, description: Description, root: str | None) -> Model:
        """The model of what was read, its base set afloat (``root="free"``) or welded to the world.

        Raises :class:`FormatError` with all that is wrong with the file, and :class:`InputError` for a ``root`` that
        there is not or that this mechanism cannot have; what is wrong with the file comes first.
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
    """The model of what a file describes; what is wrong with it, a :class:`FormatError`, is wrong with the file."""
    try:
        return assemble(description, notes, problems)
    except ModelError as error:
        raise FormatError(error.problems) from None


def near(word: str, known: tuple[str, ...]) -> str:
    """A hint at the known word that this may be meant for."""
    found = difflib.get_close_matches(word[:100], known, n=1, cutoff=0.8)
    return f" (did you mean {found[0]!r}?)" if found else ""
