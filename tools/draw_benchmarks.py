"""Draw docs/pictures/bench_*.png: the tables of docs/internals/benchmarks.md as bars.

``python tools/draw_benchmarks.py``
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from linkwright.visual import palette

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "internals" / "benchmarks.md"
LIBRARIES = {"Pinocchio": palette.COLORS[0], "MuJoCo": palette.COLORS[1], "heyoka.py": palette.COLORS[2]}
TITLES = {"arm7": "arm7, 7 joints, batches of 4096", "humanoid": "humanoid, 35 degrees of freedom, batches of 64"}
BAR = 0.26
"""height of a bar; functions are 1 apart"""


def tables(text: str) -> list[list[list[str]]]:
    """Return the cells of the two tables of batches."""
    section = text.split("## Dynamics in batches", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)[: len(TITLES)]
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "---" not in line]
        for table in found
    ]


def draw(name: str, table: list[list[str]]) -> None:
    """Draw the ratios of one table."""
    heads, rows = table[0], table[1:]
    figure, axes = plt.subplots(figsize=(8.0, 0.45 * len(rows) + 1.2), layout="constrained")
    for place, row in enumerate(rows):
        ratios = {
            library: float(match.group(1))
            for library in LIBRARIES
            if library in heads and (match := re.search(r"\(([\d.]+)×\)", row[heads.index(library)]))
        }
        for k, (library, ratio) in enumerate(ratios.items()):
            y = place + BAR * (k - 0.5 * (len(ratios) - 1))
            axes.barh(y, ratio - 1.0, 0.9 * BAR, left=1.0, color=LIBRARIES[library])
            axes.text(1.04 * ratio, y, f"{ratio:g}×", va="center", fontsize=0.85 * palette.SIZE)
    axes.set_xscale("log")
    axes.set_xlim(1.0, 400.0 if name == "arm7" else 60.0)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time relative to Linkwright")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.set_title(TITLES[name])
    handles = [plt.Rectangle((0, 0), 1, 1, color=color) for library, color in LIBRARIES.items() if library in heads]
    axes.legend(handles, [library for library in LIBRARIES if library in heads], loc="lower right")
    figure.savefig(DOCS / "pictures" / f"bench_{name}.png", dpi=130)
    plt.close(figure)


def main() -> None:
    """Draw both pictures."""
    matplotlib.use("Agg")
    with matplotlib.rc_context(palette.STYLE):
        for name, table in zip(TITLES, tables(PAGE.read_text(encoding="utf-8")), strict=True):
            draw(name, table)


if __name__ == "__main__":
    main()
