"""Conversion of words in text files to numbers, rotations and names, for all readers of text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from linkwright.formats.findings import LARGEST, LONGEST_NAME, NUMBER, Findings, Placed
from linkwright.formats.xml import Element, shortened
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import quaternion_matrix

INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)

QUATERNION_LENGTH = 1e-3
"""Deviation of the length of a quaternion from 1 above which it is rejected; smaller ones are rounded decimals."""


class WordFindings(Findings):
    """Converts words and collects invalid ones."""

    def hint(self, text: str) -> str:
        """Return a hint for a text that contains no number."""
        return ""

    def reals(
        self, what: str, words: Sequence[tuple[str, Placed]], expected: str, infinite: bool = False
    ) -> list[float] | None:
        """Return the numbers of words; None, with a problem at the position of a word, for invalid ones."""
        found, verb = [], "is" if len(words) == 1 else "has"
        for word, place in words:
            if infinite and INFINITE.fullmatch(word):
                found.append(-np.inf if word[0] == "-" else np.inf)
                continue
            if not NUMBER.fullmatch(word):
                self.problem(place, f"{what} {verb} {shortened(word)!r}; expected {expected}{self.hint(word)}")
                return None
            found.append(float(word))
            if abs(found[-1]) > LARGEST:
                self.problem(place, f"{what} {verb} {shortened(word)!r}; no number may exceed {LARGEST:g}")
                return None
        return found

    def rotation(self, item: Placed, what: str, xyzw: Sequence[float]) -> Array | None:
        """Return the rotation (3, 3) of a quaternion (x, y, z, w); None, with a problem, if it is not unit."""
        length = float(np.linalg.norm(xyzw))
        if abs(length - 1.0) > QUATERNION_LENGTH:
            self.problem(item, f"{what} has length {length:.6g}; expected a unit quaternion")
            return None
        x, y, z, w = (part / length for part in xyzw)
        return quaternion_matrix(np.array([w, x, y, z]))

    def bounded_name(self, item: Placed, what: str, name: str) -> str:
        """Return a name, shortened with a problem if it is too long."""
        if len(name) > LONGEST_NAME:
            self.problem(item, f"{what} has {len(name)} characters: {shortened(name)}")
        return name[:LONGEST_NAME]

    def second(self, element: Element, first: Element) -> None:
        """Add a problem: a second element of this tag."""
        self.problem(element, f"a second <{element.tag}> (the first is in line {first.line}); expected one")
