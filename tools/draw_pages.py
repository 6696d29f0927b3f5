"""Draw the pictures that pages of docs/start, docs/learn and docs/how_to draw themselves.

``python tools/draw_pages.py`` runs all of these pages, ``python tools/draw_pages.py statics parallel_axes`` some.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib

from linkwright.visual import palette

matplotlib.use("Agg")
DOCS = Path(__file__).parent.parent / "docs"


def draw(page: Path) -> None:
    """Run the code of a page in its own folder, and copy the pictures that the page shows."""
    import matplotlib.pyplot as plt

    text = page.read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(\.\./pictures/([^)]+)\)", text))
    drawn = {name for name in shown if f'"{name}"' in text}
    if not drawn:
        return
    scope: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with matplotlib.rc_context(palette.STYLE):
            for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
                exec(compile(block, page.name, "exec"), scope)
        for name in sorted(drawn):
            shutil.copy(name, DOCS / "pictures" / name)
            print(f"drew {name}")
        os.chdir(DOCS)
    plt.close("all")


if __name__ == "__main__":
    for room in ("start", "learn", "how_to"):
        for path in sorted((DOCS / room).glob("*.md")):
            if len(sys.argv) == 1 or path.stem in sys.argv[1:]:
                draw(path)
