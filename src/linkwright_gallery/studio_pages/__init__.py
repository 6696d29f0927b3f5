"""Pages of the studio that run the programs of the robotics tutorial (S3)."""

from __future__ import annotations

from linkwright.errors import UnknownNameError
from linkwright.studio.pages.double_pendulum import DoublePendulum
from linkwright.studio.pages.forward_kinematics import ForwardKinematics
from linkwright.studio.pages.program import Program
from linkwright.studio.pages.statics import Statics

PAGES: dict[str, type[Program]] = {
    "forward-kinematics": ForwardKinematics,
    "statics": Statics,
    "double-pendulum": DoublePendulum,
}
"""By the names that ``linkwright studio --page`` has for them."""


def open_page(name: str, *, host: str = "127.0.0.1", port: int | None = None) -> Program:
    """Show one of the tutorial's programs in the browser: "forward-kinematics", "statics" or "double-pendulum".

    ``host`` and ``port`` as of :func:`linkwright.studio`. Raises :class:`~linkwright.errors.UnknownNameError` for
    another name, :class:`~linkwright.errors.MissingExtraError` without viser.
    """
    if name not in PAGES:
        error = UnknownNameError("page", name, list(PAGES))
        error.args = (f'{error}; a robot is shown by lw.studio(lw.load("arm7"))',)
        raise error
    return PAGES[name](host=host, port=port)
