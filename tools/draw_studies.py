"""Draw docs/pictures/study_*.png: what the examples of studies find.

    python tools/draw_studies.py [--short] [--stores FOLDER] [NAME …]

Minutes of processor time unless ``--short``; stopped, it goes on where the stores are kept.
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
    """Run the examples, and take their pictures."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXAMPLES))
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--stores", type=Path, help="the folder where results are kept")
    told = reader.parse_args()
    if unknown := [name for name in told.names if name not in EXAMPLES]:
        reader.error(f"there is no {unknown[0]!r}; there are {', '.join(EXAMPLES)}")
    with tempfile.TemporaryDirectory() as passing:
        stores = told.stores or Path(passing)
        look = Path(passing) / "matplotlibrc"  # of the examples, which are programs of their own
        look.write_text("\n".join(f"{key}: {value}" for key, value in palette.STYLE.items()).replace("#", ""))
        environment = {**os.environ, "MATPLOTLIBRC": str(look)}
        for name in told.names or EXAMPLES:
            store = stores / name
            short = ["--short"] if told.short else []
            subprocess.run(
                [sys.executable, HERE / "examples" / EXAMPLES[name], *short, "--to", store], check=True, env=environment
            )
            shutil.copyfile(store.with_name(f"{name}.png"), PICTURES / f"study_{name}.png")


if __name__ == "__main__":
    main()
