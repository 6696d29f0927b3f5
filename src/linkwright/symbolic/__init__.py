"""Equations to read: exact, printed, generated as code. The module may be called: it is ``equations`` itself."""

from __future__ import annotations

from linkwright.equations.result import Equations, equations
from linkwright.naming import callable_package

__all__ = ["Equations", "equations"]

callable_package(__name__, "linkwright.equations.result")
