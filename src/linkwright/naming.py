"""Packages that are named as the function for which they exist."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(import_module(self.home), self.__name__.rpartition(".")[2])(*arguments, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


def callable_package(name: str, home: str) -> None:
    """Let the package ``name`` be called as the function of the same name in the module ``home``.

    Importing any part of a package binds the package itself under its name, above the function of that name.
    """
    package = sys.modules[name]
    package.__class__ = _Callable
    package.home = home  # type: ignore[attr-defined]
