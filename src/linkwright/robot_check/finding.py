"""FileFinding of a check: severity, rule, place and message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from linkwright.errors import counted

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the most to the least severe."""


class FileFinding(NamedTuple):
    """FileFinding of a check."""

    severity: Severity
    rule: str
    """subject of the check: "schema", "inertia", "mass", "limits", "units", "mesh", "overlap" or "base\""""
    place: str
    """file:line:column as far as known; "" if unknown"""
    message: str


SHOWN = 6
"""Largest number of names in a message."""


def few(names: Sequence[str]) -> str:
    """Return the first names, and their number if there are more."""
    more = f", … ({counted(len(names), 'name')})" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
