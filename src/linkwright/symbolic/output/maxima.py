"""Equations in Maxima: matrices with the names of the equations."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from linkwright.errors import InputError

KEYWORDS = (
    *("and", "at", "diff", "do", "else", "elseif", "false", "for", "from", "if", "in", "integrate", "limit", "next"),
    *("not", "or", "product", "return", "step", "sum", "then", "thru", "true", "unless", "while"),
)
"""Words that Maxima reserves"""

FUNCTIONS = frozenset(
    "abs acos acosh asin asinh atan atan2 atanh ceiling cos cosh exp floor log max min signum sin sinh sqrt tan "
    "tanh".split()
)
"""Functions of Maxima that definitions may contain"""

_KEYWORD = re.compile(rf"\b({'|'.join(KEYWORDS)})\b")


def maxima_source(title: str, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> str:
    """Return assignments of matrices of texts, after a comment with the values of the parameters.

    Names that Maxima reserves get an underscore: the symbol ``if`` is ``if_``.
    """
    text = [f"/* {title}", *(f"   {_escaped(name)} = {value!r}" for name, value in parameters.items()), "*/"]
    text += [f"{_escaped(letter)}: {_assigned(array)}$" for letter, array in arrays.items()]
    return "\n".join([*text, ""])


def maxima_text(text: str, name: str) -> str:
    """Return the text of a definition by SymPy in Maxima; raise an error for functions that Maxima does not have."""
    text = re.sub(r"\b(Max|Min)\(", lambda found: found[0].lower(), _spelled(text))
    unknown = [called for called in re.findall(r"\b(\w+)\(", text) if called not in FUNCTIONS]
    if unknown:
        raise InputError(
            f"{name} = {text} cannot be written for Maxima, which has no function {unknown[0]!r}: "
            "write another language, or give numbers for its symbols"
        )
    return text


def _assigned(array: np.ndarray) -> str:
    if not array.ndim:
        return _spelled(array.item())
    rows = array if array.ndim == 2 else array[:, np.newaxis]
    return "matrix(\n" + ",\n".join(f"  [{', '.join(map(_spelled, row))}]" for row in rows) + ")"


def _spelled(text: str) -> str:
    return re.sub(r"\bsign\(", "signum(", re.sub(r"(?<!%)\bpi\b", "%pi", _escaped(text)))


def _escaped(text: str) -> str:
    return _KEYWORD.sub(r"\1_", text)
