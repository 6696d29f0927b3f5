"""Draw the pictures of docs/topics/control that examples write: run each example with the palette of all pictures.

``python tools/draw_examples.py`` runs all, ``python tools/draw_examples.py observers`` one.
"""

from __future__ import annotations

import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib

from linkwright.visual import palette

matplotlib.use("Agg")
ROOT = Path(__file__).parent.parent
EXAMPLES = ("leg_proportions", "pd_to_impedance", "observers", "polish_a_plane", "optimal_control")


def draw(name: str) -> None:
    """Run an example and copy the pictures that it writes."""
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(palette.STYLE):
        sys.argv[1:] = [folder]
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
        for picture in Path(folder).glob("*.png"):
            shutil.copy(picture, ROOT / "docs" / "pictures" / picture.name)
            print(f"drew {picture.name}", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or EXAMPLES:
        draw(chosen)
