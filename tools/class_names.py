"""Class names are unique: exit with 1 where a name is shared by several classes of the library, and list these.

A leading underscore does not count.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"


def shared_names(folder: Path) -> dict[str, list[str]]:
    """The names of several classes, and their files."""
    files = defaultdict(list)
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                files[node.name.lstrip("_")].append(str(file.relative_to(folder)))
    return {name: places for name, places in sorted(files.items()) if len(places) > 1}


if __name__ == "__main__":
    shared = shared_names(SOURCE)
    for name, places in shared.items():
        print(f"{name}: {', '.join(places)}")
    print(f"{len(shared)} class names are shared by several classes")
    sys.exit(bool(shared))
