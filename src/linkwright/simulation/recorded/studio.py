"""The studio, seen from below: it stands floors above and is asked for only where a motion is to be seen in it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def is_studio_there() -> bool:
    """Whether its extra is installed."""
    return find_spec("viser") is not None


def studio_of_motions() -> Any:
    """Its module that shows motions: ``show`` and ``save_page``."""
    return import_module("linkwright.studio.recorded.shown")
