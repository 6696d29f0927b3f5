"""Equations to read: exact, printed, generated as code."""

from linkwright.symbolic.result import Equations, equations

__all__ = ["Equations", "equations"]
