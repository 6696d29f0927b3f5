"""Strict XML reader with the position of every element, for files from any source.

DOCTYPE and entities are rejected (they can read files and grow without bound), and so are files that
are too large, too deep or have too many elements. Text between tags is optional.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from xml.parsers import expat

from linkwright.errors import FormatError, MissingFileError

TEXT = "<text>"
"""Name, in messages, of a robot that is given as text."""

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
MAX_ELEMENTS = 1_000_000
MAX_TEXT = 100_000
"""Largest number of stored characters between tags; names and numbers are shorter."""


class Element:
    """Element: tag, attributes, child elements, and its position (line and column from 1)."""

    __slots__ = ("attributes", "children", "column", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, column: int):
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.line = line
        self.column = column
        self.text = ""
        """text between its tags, if stored"""


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file. Raises :class:`FormatError` if it is missing or too large."""
    name = shortened(os.fspath(path), 300)
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISDIR(kind):
            raise FormatError(f"{name} is a directory; expected a file")
        if not stat.S_ISREG(kind):  # reading a pipe blocks until it is written
            raise FormatError(f"{name} is a pipe, a socket or a device; expected a file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {name!r}") from None
    except FormatError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise FormatError(f"{name} cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise FormatError(f"{name} is larger than {MAX_BYTES >> 20} MB, the most that is read of a file")
    return data


DECLARATION = re.compile(r"[\ufeff\s]*<\?xml\b.*?\?>", re.DOTALL)

BLANK = "\ufeff \t\r\n"
"""Characters that may precede XML: the byte order mark and white space."""


def is_xml(source: str) -> bool:
    """Return whether a text begins as XML does."""
    return source.lstrip(BLANK).startswith("<")


def without_declaration(source: str) -> str:
    """Return the text without its XML declaration: the text is decoded, and blank lines may precede it."""
    found = DECLARATION.match(source)
    return source.lstrip("\ufeff") if found is None else "\n" * found[0].count("\n") + source[found.end() :]


def parse_xml(data: bytes | str, name: str, text: bool = False) -> Element:
    """Return the root element of an XML document.

    ``name`` precedes the line and column in messages; ``text``: whether text between tags is stored.
    Raises :class:`FormatError` at the first violation.
    """
    open_elements: list[Element] = []
    roots: list[Element] = []
    count = 0

    def start(parser: expat.XMLParserType, tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        if len(open_elements) >= MAX_DEPTH:
            raise FormatError(f"{name}:{line}:{column}: elements are nested more than {MAX_DEPTH} deep")
        if count > MAX_ELEMENTS:
            raise FormatError(f"{name}:{line}:{column}: more than {MAX_ELEMENTS} elements")
        element = Element(tag, attributes, line, column)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    _run(data, name, start, open_elements, text)
    return roots[0]


def root_tag(data: bytes | str, name: str) -> str:
    """Return the tag of the root element, without reading the rest of the file."""

    class RootFound(Exception):
        pass

    tags: list[str] = []

    def start(parser: expat.XMLParserType, tag: str, attributes: dict[str, str]) -> None:
        tags.append(tag)
        raise RootFound

    with suppress(RootFound):
        _run(data, name, start, [])
    return tags[0]


def _run(
    data: bytes | str,
    name: str,
    start: Callable[[expat.XMLParserType, str, dict[str, str]], None],
    open_elements: list[Element],
    text: bool = False,
) -> None:
    if not data.strip():
        raise FormatError(f"{name}: the file is empty; expected XML")
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
        parser = expat.ParserCreate("utf-8")  # for any declared encoding
    else:
        parser = expat.ParserCreate()

    def refuse_doctype(*_: object) -> None:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        raise FormatError(f"{name}:{line}:{column}: DOCTYPE and entities are not allowed; remove the declaration")

    parser.StartElementHandler = lambda tag, attributes: start(parser, tag, attributes)
    parser.EndElementHandler = lambda tag: open_elements.pop()
    parser.StartDoctypeDeclHandler = refuse_doctype

    def keep(characters: str) -> None:
        if open_elements and len(open_elements[-1].text) <= MAX_TEXT:
            open_elements[-1].text += characters

    if text:
        parser.buffer_text = True
        parser.CharacterDataHandler = keep
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        place = f"{name}:{error.lineno}:{error.offset + 1}"
        raise FormatError(f"{place}: {_explained(error, data, open_elements)}") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{name}: the encoding it declares cannot be used; save it as UTF-8") from None


def _explained(error: expat.ExpatError, data: bytes, open_elements: list[Element]) -> str:
    reason = expat.errors.messages.get(error.code, str(error))
    inner = open_elements[-1] if open_elements else None
    opened = f"<{shortened(inner.tag)}> (line {inner.line}) is still open" if inner else ""
    if reason == expat.errors.XML_ERROR_TAG_MISMATCH:
        return f"a closing tag that does not match: {opened}"
    if reason == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "something follows the end of the root element"
    if reason == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
        return "an entity that is not defined; there are &amp; &lt; &gt; &quot; &apos;"
    if reason == expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
        return "an attribute is given twice"
    if reason in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN) and inner:
        return f"the file ends too early or a tag is cut short: {opened}"
    if reason == expat.errors.XML_ERROR_NO_ELEMENTS:
        return "the file holds no element"
    if reason == expat.errors.XML_ERROR_UNKNOWN_ENCODING:
        return "the encoding it declares cannot be used; save it as UTF-8"
    if reason in (expat.errors.XML_ERROR_INVALID_TOKEN, expat.errors.XML_ERROR_SYNTAX):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return "not well-formed XML; it is not UTF-8 text either: is this another kind of file?"
        if b"<" not in data:
            return "not well-formed XML: there is no tag in it"
        return "not well-formed XML (a stray < or &, an attribute without quotes, …)"
    return f"not well-formed XML: {reason}"


def not_utf_8(name: str, error: UnicodeDecodeError) -> FormatError:
    """Return the error of a file with a text that is not UTF-8, from its native parser."""
    wrong, start = error.object, error.start
    around = wrong[max(0, start - 20) : start + 20].decode("utf-8", "replace")
    return FormatError(
        f"{name}: a name or another text in it is not UTF-8: byte 0x{wrong[start]:02x} in {around!r}; "
        "save the file as UTF-8"
    )


def shortened(text: str, length: int = 60) -> str:
    """Return the text with its middle omitted if it is long, for messages."""
    return text if len(text) <= length else f"{text[: length // 2]}…{text[-length // 3 :]}"
