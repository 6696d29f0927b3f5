"""Draw the badges of the README, docs/pictures/badge_*.svg, from pyproject.toml and the version of the library.

``python tools/draw_badges.py``; the badges load nothing from the network.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import linkwright
from linkwright.visual import palette

ROOT = Path(__file__).parent.parent
LETTER, MARGIN, HEIGHT = 6.6, 7.0, 20
"""pixels: mean width of a letter, space about the words, and height"""


def badges() -> dict[str, str]:
    """Return the text of each file by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shown = {
        "version": linkwright.__version__,
        "python": f"{project['requires-python'].removeprefix('>=')}+",
        "license": project["license"],
    }
    return {f"badge_{name}.svg": badge(name, value) for name, value in shown.items()}


def badge(name: str, value: str) -> str:
    """Return a badge with a name and a value."""
    left, right = (len(word) * LETTER + 2 * MARGIN for word in (name, value))
    words = "".join(
        f'<text x="{x:.1f}" y="14" text-anchor="middle">{word}</text>'
        for x, word in ((left / 2, name), (left + right / 2, value))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.1f}" height="{HEIGHT}" role="img" '
        f'aria-label="{name}: {value}">\n'
        f'  <rect width="{left + right:.1f}" height="{HEIGHT}" rx="3" fill="{palette.COLORS[0]}"/>\n'
        f'  <path d="M3 0h{left - 3:.1f}v{HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3" fill="{palette.TICK}"/>\n'
        f'  <g fill="#fff" font-family="{palette.FONT}, Verdana, sans-serif" font-size="11">{words}</g>\n'
        f"</svg>\n"
    )


if __name__ == "__main__":
    for file_name, text in badges().items():
        (ROOT / "docs" / "pictures" / file_name).write_text(text, encoding="utf-8")
