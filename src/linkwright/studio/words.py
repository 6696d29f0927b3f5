"""Words from outside, in the panel."""

from __future__ import annotations


def literal(text: str) -> str:
    """Text as Markdown that shows it as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-.!|~$&:^" else c for c in text)
