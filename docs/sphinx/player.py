"""The 3D player of the landing page: a motion written as one static page next to the built pages."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

import linkwright as lw
from linkwright.browser.recorded.page import save_page

PAGE = "_static/player.html"
HAND = "panda_hand_tcp"
START = (0.0, -0.1, 0.0, -2.3, 0.0, 2.2, 0.785, 0.03)
"""rad; the last is a finger, m"""


def circle() -> lw.trajectories.Trajectory:
    """Plan a motion of a Panda whose hand moves along a circle with a constant orientation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        panda = lw.load("panda")
    hand = lw.pose(panda, np.array(START), HAND)
    path = lw.trajectories.circle(hand, hand[:3, 3] + [0.0, 0.0, 0.12], [1.0, 0.0, 0.0], duration=5.0)
    return lw.trajectories.follow(panda, HAND, path, START)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page of the player."""
    page = Path(app.outdir) / PAGE
    if error is None and app.builder.format == "html" and not page.exists():
        save_page(circle(), page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event handler."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
