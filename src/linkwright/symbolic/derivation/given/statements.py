"""Statements of a text with equations, as papers, programs and Maxima, MATLAB and Python print them.

A text is split into statements with a label ("M[1,2]") and entries; nothing is executed. Comments, prompts and declared
types are removed, lines that continue one another joined, matrices split into entries. Lines of programs that state
no equation (imports, function headers) are left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from linkwright.errors import InputError
from linkwright.symbolic.derivation.given.latex_reader import BREAK, is_latex, text_of_latex
from linkwright.symbolic.derivation.quantities import QUANTITIES

MOST_LETTERS, MOST_STATEMENTS, DEEPEST = 2_000_000, 10_000, 3
"""of a text, and of lists in lists"""

_COMMENTS = (
    re.compile(r"/\*.*?\*/", re.DOTALL),
    re.compile(r'("""|\'\'\').*?\1', re.DOTALL),
    re.compile(r"(?://|#|%(?!pi\b|[io]\d)|!(?!=))[^\n]*"),
)
"""of C and Maxima, texts of Python, and to the end of a line in C, Python, MATLAB and Fortran"""
_CONTINUED = re.compile(r"(?:\.\.\.|\\|&)[ \t]*\n(?:[ \t]*&)?")
_JOINT = "\0"
"""end of a line that is continued"""
_PROMPT = re.compile(r"^\s*(?:\(%[io]\d+\)|In\s*\[\d+\]:|Out\[\d+\]:|>>>?)\s*")
_TYPE = re.compile(r"^(?:const\s+)?(?:(?:double|float|real|auto)\s+|double precision\s*::\s*)")
_PROGRAM = re.compile(
    r"^(?:import|from|def|function|end\w*|subroutine|return|include|use|implicit|syms|[{}])(?=\W|$)(?!\s*=)"
)
_OTHERWISE = re.compile(r"\w+\[i(,j)?\] = 0 otherwise")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*(?:\s*\[[\d\s,]*\]){0,2})\s*:(?![=:])(.*)", re.DOTALL)
"""Maxima's M[1,2]: …"""
_ZERO = re.compile(r"\w\[\s*(?:\d+\s*(?:,|\]\s*\[)\s*)?0\s*[\],]")
_MATRIX = re.compile(
    r"(?:(?:np|numpy|sp|sympy|jnp)\.)?(?:array|asarray|matrix|Matrix|ImmutableMatrix)\s*\((.*)\)", re.DOTALL
)
_TRANSPOSED = re.compile(r"(?<=[\])])(?:\.T|\.?')$")
_LETTER = r"\s*([A-Za-z]+(?:_[A-Za-z]+)?)\s*"
_SQUARE = re.compile(_LETTER + r"\[\s*(\d{1,3})\s*(?:(?:,|\]\s*\[)\s*(\d{1,3})\s*)?\]\s*")
_ROUND = re.compile(_LETTER + r"\(\s*(\d{1,3})\s*(?:,\s*(\d{1,3})\s*)?\)\s*")
_SHORT = re.compile(r"\s*([MChgDKU])_?\{?(\d),?(\d)?\}?\s*")


class Statement(NamedTuple):
    """An equation of a text."""

    line: int
    """number of its first line"""
    letter: str
    """of the quantity that it gives, tau of a row, "" of an equation in any form"""
    indices: tuple[int, ...]
    """of an entry, from 1"""
    typed: Any
    """expression or equation, or nested lists of the entries of a matrix"""


class EquationText(NamedTuple):
    """Statements of a text, and the lines that were left out."""

    statements: list[Statement]
    first: int
    """first index in square brackets"""
    left_out: tuple[int, ...]


def equation_text(text: str, known: Callable[[str], bool]) -> EquationText:
    """Split a text into statements; ``known`` returns whether a name has a meaning."""
    if len(text) > MOST_LETTERS:
        raise InputError(f"a text of equations has at most {MOST_LETTERS} letters; this one has {len(text)}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if is_latex(text):
        text = text_of_latex(text, known)
    for comment in _COMMENTS:
        text = comment.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = _CONTINUED.sub(_JOINT, text)
    first = 0 if _ZERO.search(text) else 1
    made: list[Statement] = []
    left_out: list[int] = []
    for line, piece in _pieces(text):
        stated = _TYPE.sub("", _PROMPT.sub("", piece)).strip(", \t\n")
        if _PROGRAM.match(stated):
            left_out.append(line)
        elif stated and not _OTHERWISE.fullmatch(stated):
            made.append(_statement(line, stated, first))
    if len(made) > MOST_STATEMENTS:
        raise InputError(f"a text has at most {MOST_STATEMENTS} equations; this one has {len(made)}")
    return EquationText(made, first, tuple(left_out))


def _pieces(text: str) -> list[tuple[int, str]]:
    """The statements and their lines: split at the ends of lines, at ; and $ outside of brackets."""
    pieces: list[tuple[int, list[str]]] = []
    now: list[str] = []
    depth, line, start, ended = 0, 1, 0, True
    for letter in text + "\n":
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth = max(0, depth - 1)
        if letter in "\n;$" + BREAK and not depth:
            piece = "".join(now).strip()
            if piece and not ended and _continues(pieces[-1][1][-1], piece):
                pieces[-1][1].append(piece)
            elif piece:
                pieces.append((start, [piece]))
            ended = (ended and not piece) or letter in ";$"
            now, start = [], 0
        else:
            if not start and not letter.isspace():
                start = line
            now.append(" " if letter == _JOINT else letter)
        if letter in "\n" + _JOINT:
            line += 1
    if now:  # a bracket that is not closed
        pieces.append((start, ["".join(now).strip()]))
    return [(number, " ".join(parts)) for number, parts in pieces]


def _continues(before: str, piece: str) -> bool:
    """Whether a line continues the one before it: an operator stands between them."""
    return before[-1] in "+-*/^=" or piece[0] in "+*/^)" or (piece[0] == "-" and "=" not in piece)


def _statement(line: int, text: str, first: int) -> Statement:
    if assigned := _ASSIGNED.fullmatch(text):
        left, right = assigned[1], assigned[2]
    else:
        left, _, right = text.partition("=")
        right = right.removeprefix("=")
    matrix = entries_of(right) if right else None
    place = place_of(left, first)
    if place and (place[0] in QUANTITIES or place[0] == "tau"):
        return Statement(line, *place, right if matrix is None else matrix)
    name = re.sub(r"_(vector|matrix)$", "", left.strip())  # as in our code for Maxima
    if name in (*QUANTITIES, "tau") and right and (name not in "gb" or matrix is not None):
        return Statement(line, name, (), right if matrix is None else matrix)
    return Statement(line, "", (), f"{left} = {right}" if assigned else text)


def place_of(text: str, first: int = 1) -> tuple[str, tuple[int, ...]] | None:
    """The letter and the indices, from 1, of M[1,2], M(1,2), M12, g[1] or tau[1]; None of what is no entry.

    ``first`` is the first index in square brackets.
    """
    if square := _SQUARE.fullmatch(text):
        return square[1], tuple(int(x) + 1 - first for x in square.groups()[1:] if x)
    found = _ROUND.fullmatch(text) or _SHORT.fullmatch(text)
    return (found[1], tuple(int(x) for x in found.groups()[1:] if x)) if found else None


def entries_of(text: str, depth: int = 0) -> list[Any] | None:
    """The entries of a list or matrix, rows as lists; None of an expression.

    Lists of Python and Maxima, matrix(…) of Maxima, SymPy and NumPy, [a, b; c, d] of MATLAB.
    """
    text = _TRANSPOSED.sub("", text.strip())
    if found := _MATRIX.fullmatch(text):
        inside = [one for one in _split(found[1], ",") if "=" not in one]  # dtype=float
        if len(inside) == 1 and inside[0].startswith("["):
            return entries_of(inside[0], depth)
        return [_entry(one, depth) for one in inside]
    if not (text.startswith("[") and text.endswith("]")) or len(_split(text, "]")) > 1:
        return None
    rows = _split(text[1:-1], ";")
    if len(rows) == 1 and not any(one.startswith("[") for one in _split(text[1:-1], ",")):
        rows = _rows_of_lines(text[1:-1])
    if len(rows) > 1:
        return [[_entry(one, depth) for one in _split(row, ",")] for row in rows]
    return [_entry(one, depth) for one in _split(text[1:-1], ",")]


def _rows_of_lines(text: str) -> list[str]:
    """Return the rows of a MATLAB matrix as separate lines; a line that continues the one before it is not separate."""
    rows: list[str] = []
    for line in filter(None, map(str.strip, _split(text, "\n"))):
        if rows and (rows[-1].endswith(",") or line.startswith(",") or _continues(rows[-1], line)):
            rows[-1] += f" {line}"
        else:
            rows.append(line)
    return rows


def _entry(text: str, depth: int) -> Any:
    if not text.startswith("["):
        return text
    if depth >= DEEPEST:
        raise InputError(f"lists of entries may be nested at most {DEEPEST} deep")
    found = entries_of(text, depth + 1)
    return text if found is None else found


def _split(text: str, mark: str) -> list[str]:
    """The parts between marks outside of brackets, empty ones left out; a closing bracket ends what it closes."""
    parts: list[str] = []
    start = depth = 0
    for k, letter in enumerate(text):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if letter == mark and depth <= 0:
            parts.append(text[start:k])
            start = k + 1
    return [one for one in map(str.strip, [*parts, text[start:]]) if one]


def flat(typed: Any) -> list[Any]:
    """The entries of a matrix or of nested lists, row by row."""
    if hasattr(typed, "tolist"):
        typed = typed.tolist()
    if isinstance(typed, Iterable) and not isinstance(typed, str):
        return [x for one in typed for x in flat(one)]
    return [typed]
