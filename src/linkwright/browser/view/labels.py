"""Words in the panel: those from outside, and distances."""

from __future__ import annotations


def distance(x: float) -> str:
    """A distance, m, in the unit that suits it."""
    return f"{x:.2f} m" if x >= 1.0 else f"{1e3 * x:.0f} mm" if x >= 1e-3 else f"{1e3 * x:.1f} mm"


def literal(text: str) -> str:
    """Text as Markdown that shows it as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-.!|~$&:^" else c for c in text)
