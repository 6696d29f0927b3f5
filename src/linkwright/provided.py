"""Functions of upper layers that lower layers call.

The package, which is above all layers, sets them when it is imported (`linkwright/__init__.py`). No lower layer imports
an upper layer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.errors import LinkwrightError


class Provided:
    """A function of an upper layer."""

    def __init__(self, purpose: str):
        self.purpose = purpose
        self.function: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self.function is None:
            raise LinkwrightError(f"no function is provided that {self.purpose}: import the package 'linkwright' first")
        return self.function(*arguments, **options)


save_model = Provided("writes a model to a file")
hull_of_mesh = Provided("reads the convex hull of a mesh")
always_overlapping = Provided("finds shapes that overlap in all configurations")
disabled_collisions = Provided("reads the disabled collisions of an SRDF file")
show_in_studio = Provided("shows a motion in the browser")
save_motion_page = Provided("writes a motion as a page")
save_motion_log = Provided("writes a motion as a log of Foxglove or Rerun")
written_equations = Provided("writes out the equations of a block")
symbols_of_sympy = Provided("converts expressions of SymPy")
casadi_function = Provided("converts a program to a function of CasADi")
