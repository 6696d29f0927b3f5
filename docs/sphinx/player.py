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


def load_panda() -> lw.Model:
    """Load the robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        return lw.load("panda")


def circle_of(panda: lw.Model) -> lw.trajectories.PoseTrajectory:
    """Plan a circle of the hand with a constant orientation."""
    hand = lw.pose(panda, np.array(START), HAND)
    return lw.trajectories.circle(hand, hand[:3, 3] + [0.0, 0.0, 0.12], [1.0, 0.0, 0.0], duration=5.0)


def circling() -> lw.trajectories.Trajectory:
    """Plan the motion of the joints."""
    panda = load_panda()
    return lw.trajectories.follow(panda, HAND, circle_of(panda), START)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page of the player."""
    page = Path(app.outdir) / PAGE
    if error is None and app.builder.format == "html" and not page.exists():
        save_page(circling(), page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event handler."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
