"""Draw docs/pictures/running.png and write the tables of docs/how_to/run_humanoid.md: run examples/running.py.

python tools/draw_running.py
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib

from linkwright.visual import palette

matplotlib.use("Agg")
ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how_to" / "run_humanoid.md"
TABLES = re.compile(r"(<!-- The two tables that follow: [^\n]*-->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Run the example, and copy what it writes."""
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(palette.STYLE):
        sys.argv[1:] = ["--to", folder]
        runpy.run_path(str(ROOT / "examples" / "running.py"), run_name="__main__")
        shutil.copy(Path(folder, "running.png"), ROOT / "docs" / "pictures" / "running.png")
        tables = Path(folder, "running.md").read_text(encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLES.sub(lambda found: f"{found[1]}\n{tables}\n{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
