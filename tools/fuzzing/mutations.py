"""Mutations of files: bytes, tokens, numbers, lines, trees, duplications, names. Each is a function of bytes."""

from __future__ import annotations

import copy
import io
import random
import re
import zipfile
from collections.abc import Callable
from xml.etree import ElementTree

NUMBER = re.compile(rb"(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
TOKEN = re.compile(rb"[A-Za-z_][\w:.-]*")

NUMBERS = (
    *(b"0", b"-0.0", b"1", b"-1", b"1e-200", b"1e-320", b"1e-170", b"1e50", b"1e51", b"-1e300", b"1e400", b"nan"),
    *(b"inf", b"-inf", b"1_0", b"0x10", b"2147483648", b"9" * 30, b"9" * 5000, b"1e", b"", b"1,5", b"\xd9\xa1"),
)
TOKENS = (
    *(b"", b"world", b"__model__", b"a" * 300, b"a" * 2000, b"::", b"..", b"/", b"../../x", b"\x00", b"\xff\xfe"),
    *(b"\xf0\x9f\xa6\xbe", b"%s%n", b"{0}", b"$(env HOME)", b"package://", b"\xe2\x80\xae", b"\x1b[31m", b"fixed"),
)


LARGEST = 2**20
"""Bytes of a file that is mutated further."""


def mutate(data: bytes, generator: random.Random, kind: str) -> bytes:
    """Return a file with one to five mutations of those that fit its kind: "xml", "text", "zip" or "binary"."""
    for _ in range(generator.choice((1, 1, 1, 2, 3, 5))):
        if len(data) < LARGEST:
            data = generator.choice(MUTATIONS[kind])(data, generator)
    return data


# bytes


def flip(data: bytes, generator: random.Random) -> bytes:
    """Replace a few bytes."""
    changed = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 8)) if data else 0):
        changed[generator.randrange(len(data))] = generator.choice((0, 1, 127, 255, generator.randrange(256)))
    return bytes(changed)


def cut(data: bytes, generator: random.Random) -> bytes:
    """Remove a slice, or the end."""
    first, last = _slice(data, generator)
    return data[:first] if generator.random() < 0.3 else data[:first] + data[last:]


def double(data: bytes, generator: random.Random) -> bytes:
    """Insert a copy of a slice somewhere."""
    first, last = _slice(data, generator)
    at = generator.randrange(len(data) + 1)
    return data[:at] + data[first:last] * generator.choice((1, 1, 2, 50)) + data[at:]


def integers(data: bytes, generator: random.Random) -> bytes:
    """Overwrite a little-endian integer: a count, an offset or a length in a binary file."""
    size = generator.choice((2, 4, 8))
    if len(data) < size:
        return data
    at = generator.randrange(len(data) - size + 1)
    value = generator.choice((0, 1, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63, generator.randrange(2**16)))
    return data[:at] + (value % 2 ** (8 * size)).to_bytes(size, "little") + data[at + size :]


def _slice(data: bytes, generator: random.Random) -> tuple[int, int]:
    first = generator.randrange(len(data) + 1)
    return first, min(len(data), first + generator.choice((1, 4, 32, 256)))


# texts


def numbers(data: bytes, generator: random.Random) -> bytes:
    """Replace a number."""
    return _replaced(data, NUMBER, generator, generator.choice(NUMBERS))


def tokens(data: bytes, generator: random.Random) -> bytes:
    """Replace a word by a hostile one."""
    return _replaced(data, TOKEN, generator, generator.choice(TOKENS))


def names(data: bytes, generator: random.Random) -> bytes:
    """Replace a word by another word of the file: names become equal, unknown or of another kind."""
    found = TOKEN.findall(data)
    return _replaced(data, TOKEN, generator, generator.choice(found)) if found else data


def rename(data: bytes, generator: random.Random) -> bytes:
    """Replace a word everywhere."""
    found = TOKEN.findall(data)
    if not found:
        return data
    old, new = generator.choice(found), generator.choice((*found[:50], *TOKENS))
    return re.sub(rb"(?<![\w:.-])" + re.escape(old) + rb"(?![\w:.-])", lambda _: new, data)


def lines(data: bytes, generator: random.Random) -> bytes:
    """Remove, double, move or swap lines."""
    rows = data.split(b"\n")
    k, j = generator.randrange(len(rows)), generator.randrange(len(rows))
    how = generator.randrange(4)
    if how == 0:
        del rows[k : k + generator.choice((1, 1, 5))]
    elif how == 1:
        rows[j:j] = rows[k : k + generator.choice((1, 1, 5))] * generator.choice((1, 1, 20))
    elif how == 2:
        rows[k], rows[j] = rows[j], rows[k]
    else:
        rows.insert(j, rows.pop(k))
    return b"\n".join(rows)


def _replaced(data: bytes, pattern: re.Pattern[bytes], generator: random.Random, by: bytes) -> bytes:
    places = [found.span() for found in pattern.finditer(data)]
    if not places:
        return data
    first, last = generator.choice(places)
    return data[:first] + by + data[last:]


# trees


def tree(data: bytes, generator: random.Random) -> bytes:
    """Move, copy, remove or nest elements of XML; remove, copy, rename and swap attributes."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return data
    elements = list(root.iter())
    one, other = generator.choice(elements), generator.choice(elements)
    how = generator.randrange(7)
    if how == 0 and len(one):
        one.remove(generator.choice(list(one)))
    elif how == 1:
        one.insert(generator.randrange(len(one) + 1), copy.deepcopy(other))
    elif how == 2:
        copied = copy.deepcopy(other)  # before it is inserted: it may contain the place
        one.extend([copied] * generator.choice((2, 30)))
    elif how == 3:
        one.tag = other.tag
    elif how == 4 and one.attrib:
        del one.attrib[generator.choice(list(one.attrib))]
    elif how == 5 and other.attrib:
        name = generator.choice(list(other.attrib))
        one.attrib[name] = other.attrib[name]
    else:
        one.text, other.text = other.text, one.text
    return ElementTree.tostring(root)


# archives


def member(data: bytes, generator: random.Random) -> bytes:
    """Mutate a member of an archive, or remove, copy or rename one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # it is damaged already
        return flip(data, generator)
    if not members:
        return data
    k = generator.randrange(len(members))
    name, content = members[k]
    how = generator.randrange(6)
    if how == 0:
        del members[k]
    elif how == 1:
        members[k] = (generator.choice(members)[0], content)
    elif how == 2:
        members[k] = (name, generator.choice(members)[1])
    elif how == 3:
        members[k] = (name, names(content[:128], generator) + content[128:])
    elif how == 4:
        members[k] = (name, numbers(content[:128], generator) + content[128:])
    else:
        members[k] = (name, generator.choice((flip, cut, double, integers))(content, generator))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", generator.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in {name: content for name, content in members}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return written.getvalue()


_TEXT: tuple[Callable[[bytes, random.Random], bytes], ...] = (flip, cut, double, numbers, numbers, tokens, names)

MUTATIONS: dict[str, tuple[Callable[[bytes, random.Random], bytes], ...]] = {
    "xml": (*_TEXT, rename, lines, tree, tree, tree),
    "text": (*_TEXT, rename, lines, lines),
    "zip": (member, member, member, flip, cut, double, integers),
    "binary": (flip, flip, cut, double, integers, integers),
}
