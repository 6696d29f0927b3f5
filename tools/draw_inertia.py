"""Draw docs/pictures/inertia_composites.gif and inertia_order.gif: the composite rigid body method on a small tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.visual.inertia import animate_inertia

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def tree() -> lw.Model:
    """Two links in a row, and two arms of two links each on the second: six hinges in a plane."""
    builder = lw.Builder("tree")
    parents = ("world", "link1", "link2", "link3", "link2", "link5")
    for k, (parent, length) in enumerate(zip(parents, (0.5, 0.5, 0.4, 0.4, 0.4, 0.4), strict=True), start=1):
        mass = 2.0 * length
        builder.body(f"link{k}", mass, [length / 2, 0, 0], [0.0, mass * length**2 / 12, mass * length**2 / 12])
        at = {"world": 0.0, "link1": 0.5, "link2": 0.5}.get(parent, 0.4)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[at, 0, 0])
        builder.frame(f"tip{k}", f"link{k}", xyz=[length, 0, 0])
    return builder.build()


def main() -> None:
    """Draw them."""
    q = np.radians([80.0, 20.0, 50.0, 35.0, -75.0, -30.0])
    for story in ("composites", "order"):  # "force" is drawn by docs/learn/composite_bodies.md
        path = animate_inertia(tree().with_gravity([0.0, -9.81, 0.0]), q, story, PICTURES / f"inertia_{story}.gif")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
