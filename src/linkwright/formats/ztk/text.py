"""Tokens of a ZTK file ("Z's tag-and-key"): sections [tag] of keys with values, each with its position.

Commas, semicolons, braces, brackets and line ends only separate values, as in RoKi: the values of a key end
at the next key. A comment starts with % or # and ends with its line; within a word these are letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from linkwright.errors import FormatError
from linkwright.formats.findings import Findings
from linkwright.formats.xml import shortened

MAX_WORDS = 5_000_000

_TOKEN = re.compile(
    r"(?P<comment>[%#][^\n]*)"
    r"|(?P<tag>\[[^\[\]\n]*\])"
    r"|(?P<open>\[)"
    r'|"(?P<quoted>[^"\n]*)"'
    r"|(?P<key>[^\s,;:{}()\[\]\"%#][^\s,;:{}()\[\]\"]*+)[ \t]*+:"
    r"|(?P<word>[^\s,;:{}()\[\]\"]+)"
    r"|(?P<stray>[\":])"
    r"|(?P<line>\n)"
)


@dataclass
class Word:
    """Value with its position."""

    text: str
    line: int
    column: int


@dataclass
class Key:
    """Key with its values."""

    name: str
    line: int
    column: int
    values: list[Word] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return the values as shown in messages."""
        return shortened(" ".join(value.text for value in self.values))


@dataclass
class ZtkSection:
    """Tag with its keys."""

    tag: str
    line: int
    column: int
    keys: list[Key] = field(default_factory=list)

    def all(self, name: str) -> list[Key]:
        """Return every key of that name."""
        return [key for key in self.keys if key.name == name]

    def get(self, name: str) -> Key | None:
        """Return the first key of that name."""
        return next((key for key in self.keys if key.name == name), None)


def sections(data: bytes | str, findings: Findings) -> list[ZtkSection]:
    """Return the sections of a file; values outside sections are reported.

    Raises :class:`FormatError` for data that are not text.
    """
    text = _decoded(data, findings.file)
    if not text.strip():
        raise FormatError(f"{findings.file}: the file is empty; expected [roki::chain] and [roki::link]")
    found: list[ZtkSection] = []
    homeless = False
    for kind, value, line, column in _tokens(text, findings.file):
        word = Word(value, line, column)
        if kind == "tag":
            found.append(ZtkSection(value[1:-1].strip(), line, column))
        elif kind in ("open", "stray"):
            meant = {
                "[": "a tag that is not closed on its line by ]",
                ":": "a colon without a key before it",
                '"': "a quotation mark that is not closed on its line",
            }
            findings.problem(word, meant[value])
        elif not found:
            if not homeless:
                findings.problem(word, f"{shortened(value)!r} stands before the first tag; expected [roki::chain]")
            homeless = True
        elif kind == "key":
            found[-1].keys.append(Key(value, line, column))
        elif found[-1].keys:
            found[-1].keys[-1].values.append(word)
        else:
            findings.problem(word, f"{shortened(value)!r} in [{shortened(found[-1].tag)}] has no key before it")
    return found


def _decoded(data: bytes | str, name: str) -> str:
    if isinstance(data, str):
        return data
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}:{line}: not UTF-8 text; is this another kind of file?") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _tokens(text: str, name: str) -> Iterator[tuple[str, str, int, int]]:
    line, start, count = 1, 0, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "line":
            line, start = line + 1, match.end()
            continue
        if kind is None or kind == "comment":
            continue
        count += 1
        if count > MAX_WORDS:
            raise FormatError(f"{name}:{line}: more than {MAX_WORDS} words; a robot description has fewer")
        yield "word" if kind == "quoted" else kind, match[kind], line, match.start() - start + 1
