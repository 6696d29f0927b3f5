"""Equations to read: exact, printed, generated as code. The module may be called: it is ``equations`` itself."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from linkwright.equations.result import Equations, equations

__all__ = ["Equations", "equations"]


class _Callable(ModuleType):
    """``linkwright.equations`` names a function and the package that holds it: whichever is imported first is both."""

    def __call__(self, *arguments: Any, **options: Any) -> Equations:
        return equations(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
