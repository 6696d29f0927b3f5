"""Draw docs/pictures/study_*.png, the pictures of the examples of studies.

    python tools/draw_studies.py [--short] [--stores FOLDER] [NAME …]

Takes minutes of processor time unless ``--short``; an interrupted run resumes with the same ``--stores``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from linkwright.visual import palette

HERE = Path(__file__).parent.parent
PICTURES = HERE / "docs" / "pictures"
EXAMPLES = {
    "pick": "reliable_pick.py",
    "pushed": "pushed_quadruped.py",
    "workspace": "delta_workspace.py",
    "tolerances": "four_bar_tolerances.py",
}


def main() -> None:
    """Run the examples, and copy their pictures."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXAMPLES))
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--stores", type=Path, help="folder for the results")
    options = reader.parse_args()
    if unknown := [name for name in options.names if name not in EXAMPLES]:
        reader.error(f"there is no {unknown[0]!r}; there are {', '.join(EXAMPLES)}")
    with tempfile.TemporaryDirectory() as passing:
        stores = options.stores or Path(passing)
        look = Path(passing) / "matplotlibrc"  # the examples run as processes
        look.write_text("\n".join(f"{key}: {value}" for key, value in palette.STYLE.items()).replace("#", ""))
        environment = {**os.environ, "MATPLOTLIBRC": str(look)}
        for name in options.names or EXAMPLES:
            store = stores / name
            short = ["--short"] if options.short else []
            subprocess.run(
                [sys.executable, HERE / "examples" / EXAMPLES[name], *short, "--to", store], check=True, env=environment
            )
            shutil.copyfile(store.with_name(f"{name}.png"), PICTURES / f"study_{name}.png")


if __name__ == "__main__":
    main()
