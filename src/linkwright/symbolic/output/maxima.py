"""Equations in Maxima: matrices with the names of the equations."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

KEYWORDS = (
    *("and", "at", "diff", "do", "else", "elseif", "false", "for", "from", "if", "in", "integrate", "limit", "next"),
    *("not", "or", "product", "return", "step", "sum", "then", "thru", "true", "unless", "while"),
)
"""Words that Maxima reserves"""

_KEYWORD = re.compile(rf"\b({'|'.join(KEYWORDS)})\b")


def maxima_source(title: str, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> str:
    """Return assignments of matrices of texts, after a comment with the values of the parameters.

    Names that Maxima reserves get an underscore: the symbol ``if`` is ``if_``.
    """
    text = [f"/* {title}", *(f"   {_escaped(name)} = {value!r}" for name, value in parameters.items()), "*/"]
    text += [f"{_escaped(letter)}: {_assigned(array)}$" for letter, array in arrays.items()]
    return "\n".join([*text, ""])


def _assigned(array: np.ndarray) -> str:
    if not array.ndim:
        return _spelled(array.item())
    rows = array if array.ndim == 2 else array[:, np.newaxis]
    return "matrix(\n" + ",\n".join(f"  [{', '.join(map(_spelled, row))}]" for row in rows) + ")"


def _spelled(text: str) -> str:
    return re.sub(r"\bsign\(", "signum(", re.sub(r"\bpi\b", "%pi", _escaped(text)))


def _escaped(text: str) -> str:
    return _KEYWORD.sub(r"\1_", text)
