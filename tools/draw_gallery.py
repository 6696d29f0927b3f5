"""Write docs/gallery: its pages, and their pictures in docs/pictures; run it when the gallery changes.

python tools/draw_gallery.py [--pages]      with --pages the pictures stay as they are
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib

from linkwright.visual import palette
from linkwright_gallery import EXHIBITS, SOURCES
from linkwright_gallery.exhibit import ExhibitResult
from linkwright_gallery.page import index, page, section

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {
    "composite_bodies": ("Composite rigid bodies", "S0", EXHIBITS[:4]),
    "hybrid_assembly": ("Assembly of blocks with explicit equations", "S1", EXHIBITS[4:9]),
    "momentum_jacobians": ("Momentum Jacobians", "S2", EXHIBITS[9:11]),
    "tutorial_frames": ("The tutorial: rotations and frames", "S3", EXHIBITS[11:13]),
    "tutorial_hand": ("The tutorial: the hand", "S3", EXHIBITS[13:16]),
    "tutorial_equations": ("The tutorial: equations of motion", "S3", (*EXHIBITS[16:19], EXHIBITS[21])),
    "tutorial_motion": ("The tutorial: a motion and its animation", "S3", EXHIBITS[19:21]),
    "tutorial_further": ("The tutorial: further topics", "S3", EXHIBITS[22:23]),
    "jacobian_rate": ("Time derivative of the Jacobian", "S4", EXHIBITS[23:26]),
    "humanoid_h5": ("One robot through all five sources", "H5", EXHIBITS[26:]),
}
"""Title, source and exhibits of each page"""
LEGEND = "The tables are explained on [the first page](index.md) of the gallery."


def text_of(name: str, run: Callable[[str], ExhibitResult]) -> str:
    """A page of docs/gallery; ``run`` runs an exhibit, by its number."""
    title, letter, exhibits = PAGES[name]
    source = next(source for source in SOURCES if source.letter == letter)
    sections = [section(run(one.number), f"../pictures/gallery_{one.name}.png", "../") for one in exhibits]
    return page(title, source, sections, LEGEND)


def index_text(run: Callable[[str], ExhibitResult]) -> str:
    """docs/gallery/index.md, which leads to the others."""
    page_of = {one.number: name for name, (_, _, exhibits) in PAGES.items() for one in exhibits}
    rows = [
        (source, [(run(one.number), f"{page_of[one.number]}.md") for one in exhibits])
        for source, exhibits in SOURCES.items()
    ]
    return index(rows, "../pictures/thumbnails/gallery_{}.webp")


def main() -> None:
    """Write them all."""
    made = {one.number: one.run() for one in EXHIBITS}
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name in PAGES:
        (DOCS / "gallery" / f"{name}.md").write_text(text_of(name, made.__getitem__), encoding="utf-8")
    (DOCS / "gallery" / "index.md").write_text(index_text(made.__getitem__), encoding="utf-8")
    if "--pages" not in sys.argv[1:]:
        for one in EXHIBITS:
            with matplotlib.rc_context(palette.STYLE):
                path = one.draw(DOCS / "pictures" / f"gallery_{one.name}.png")
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
    for one, shown in zip(EXHIBITS, made.values(), strict=True):
        if not shown.holds:
            print(f"{one.number} does not hold")


if __name__ == "__main__":
    main()
