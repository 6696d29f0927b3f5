"""Fingerprints of functions with all values that they read; functions with equal fingerprints are traced once.

A controller that reads a global number, a variable of an enclosing function or an attribute of its object has another
fingerprint when that value has changed. Functions that it calls are included, except those of installed packages.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from linkwright.model.memo import exact
from linkwright.model.tree import Model

STANDARD = sysconfig.get_paths()["stdlib"]


class SameObject:
    """Compare an object by identity."""

    def __init__(self, thing: Any):
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def fingerprint(x: Any) -> Hashable:
    """Return a key, equal for equal functions and values; raises :class:`TypeError` for values that may change
    unnoticed."""
    return _of(x, frozenset())


def _of(x: Any, around: frozenset[int]) -> Hashable:
    if id(x) in around:  # recursion
        return "again"
    if isinstance(x, (Model, ModuleType)) or _is_installed(x):
        return SameObject(x)
    inner = around | {id(x)}
    if isinstance(x, type):
        return SameObject(x), *_of_class(x, inner)
    if isinstance(x, partial):
        return partial, _of(x.func, inner), _of(x.args, inner), _of(x.keywords, inner)
    if isinstance(x, MethodType):
        return MethodType, _of(x.__func__, inner), _of(x.__self__, inner)
    if isinstance(x, FunctionType):
        cells = [cell.cell_contents for cell in x.__closure__ or ()]
        read = {name: x.__globals__[name] for name in sorted({*names_looked_up(x.__code__)}) if name in x.__globals__}
        return x.__code__, _of([x.__defaults__, x.__kwdefaults__, cells], inner), _of(read, inner)
    if isinstance(x, dict):
        return dict, *((exact(name), _of(value, inner)) for name, value in x.items())
    if isinstance(x, (list, tuple)):
        return type(x), *(_of(one, inner) for one in x)
    if hasattr(x, "__dict__"):
        return _of(type(x), inner), _of(vars(x), inner)
    return exact(x)


def _of_class(kind: type, around: frozenset[int]) -> Iterator[Hashable]:
    """Yield keys of the methods and values of a class and its bases."""
    for one in kind.__mro__:
        if _is_installed(one):
            continue
        for name, value in vars(one).items():
            parts = [getattr(value, part, None) for part in ("__func__", "fget", "func")]  # of methods, properties
            for function in [part for part in parts if isinstance(part, FunctionType)] or [value]:
                with suppress(TypeError):  # attributes of the class may change
                    yield name, _of(function, around)


def names_looked_up(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and its inner functions look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_looked_up(constant)


def _is_installed(x: Any) -> bool:
    """Whether an object belongs to an installed package or Python itself, whose source is constant at run time."""
    home = str(getattr(x, "__module__", None) or "")
    if home.partition(".")[0] in ("linkwright", "builtins"):
        return True
    place = getattr(sys.modules.get(home), "__file__", None) or ""
    return "site-packages" in place or place.startswith(STANDARD)
