"""Write the code of each page of the documentation as a program: examples/<room>/<page>.py.

``python tools/write_examples.py`` writes them again; ``--check`` only lists those that are not up to date. The programs
consist of cells (``# %%``), which notebooks and editors show one by one, with the page's sentences between them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("start", "learn", "how_to", "how_to/other_libraries")


def programs() -> dict[Path, str]:
    """Return each program by its path."""
    found = {}
    for room in ROOMS:
        for page in sorted((ROOT / "docs" / room).glob("*.md")):
            text = page.read_text(encoding="utf-8")
            if "```python\n" in text:
                found[ROOT / "examples" / room / f"{page.stem}.py"] = program(text, f"docs/{room}/{page.name}")
    return found


def program(text: str, page: str) -> str:
    """The program of a page."""
    title = re.sub(r"[`*]", "", text.split("\n", 1)[0].lstrip("# "))
    cells = [f'"""{title}. Written by tools/write_examples.py from {page}: change that page."""']
    for k, part in enumerate(re.split(r"```python\n(.*?)```\n?", text, flags=re.DOTALL)):
        if k % 2:
            cells.append(f"# %%\n{part.rstrip()}")
        elif said := part.strip():
            lines = [f"# {line}".rstrip() for line in said.split("\n")]
            cells.append("# %% [markdown]\n" + "\n".join(lines))
    return "\n\n".join(cells) + "\n"


def main() -> int:
    """Write the programs, or list those that are not up to date."""
    texts = programs()
    there = {path for room in ROOMS for path in (ROOT / "examples" / room).glob("*.py")}
    old = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    gone = sorted(there - set(texts))
    if "--check" in sys.argv:
        for path in (*old, *gone):
            print(f"{path.relative_to(ROOT)} is not up to date: run python tools/write_examples.py")
        return bool(old or gone)
    for path in gone:
        path.unlink()
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
