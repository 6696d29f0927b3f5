"""Output in encodings with fewer characters (cp1252, Latin-1, ASCII): missing characters are written in ASCII.

θ becomes theta, ² becomes ^2, the lines of a tree become |, + and -, and a character without a replacement becomes "?".
"""

from __future__ import annotations

import codecs
import sys
import unicodedata
from typing import Any

TRANSLITERATE = "linkwright.transliterate"
"""The name of the error handler of the encoder."""

_WRITTEN = {
    **dict.fromkeys("─━–—−‐‑┄╌", "-"),
    **dict.fromkeys("│┃║‖∥", "|"),
    **dict.fromkeys("├└┌┐┘┤┬┴┼╭╮╰╯┡┩┢┪╞╡╪", "+"),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("“”″", '"'),
    **dict.fromkeys("·⋅•●", "*"),
    **{"…": "...", "→": "->", "←": "<-", "⇒": "=>", "⇔": "<=>", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+/-"},
    **{"×": "x", "√": "sqrt", "∂": "d", "∫": "integral", "∞": "inf", "°": "deg", "½": "1/2", "¼": "1/4", "¾": "3/4"},
    **{"⊥": "perpendicular to", "∈": "in", "⊕": "(+)", "⊖": "(-)", "⚠": "!", "§": "section ", "µ": "u"},
    **{"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "ł": "l", "Ł": "L", "ı": "i", "ℓ": "l"},
    **{"\u0307": "'", "\u0308": "''", "\u0303": "~"},  # over letters, dots are derivatives with respect to time
}


def ascii_of(character: str) -> str:
    """Return the ASCII form of a character: "theta", "^2", "e" for é, "?" if there is none."""
    if character.isascii():
        return character
    if character in _WRITTEN:
        return _WRITTEN[character]
    name = unicodedata.name(character, "")
    if name.startswith("GREEK "):
        words = name.partition(" WITH ")[0].split()
        return words[-1].capitalize() if "CAPITAL" in words else words[-1].lower()
    if name.startswith("BRAILLE"):  # the spinner of rich
        return "*"
    kind, _, parts = unicodedata.decomposition(character).rpartition("> ")
    if parts:
        letters = "".join(ascii_of(chr(int(code, 16))) for code in parts.split())
        return f"^{letters}" if kind == "<super" else letters
    return "" if unicodedata.category(character) == "Mn" else "?"


def _transliterated(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(ascii_of, error.object[error.start : error.end])), error.end


codecs.register_error(TRANSLITERATE, _transliterated)


def accept_all_characters(stream: Any) -> None:
    """Let a text stream write every character, in ASCII where its encoding lacks it.

    A UTF-8 stream that passes the bytes of file names through (``surrogateescape``) stays as it is.
    """
    encoding = getattr(stream, "encoding", None)
    if encoding is None or not hasattr(
        stream, "reconfigure"
    ):  # neither a terminal nor a file: a widget, or a text buffer of a test
        return
    if stream.errors == "strict" or not codecs.lookup(encoding).name.startswith("utf"):
        stream.reconfigure(errors=TRANSLITERATE)


def accept_all_characters_in_output() -> None:
    """Let standard output and standard error write every character."""
    for stream in (sys.stdout, sys.stderr):
        accept_all_characters(stream)
