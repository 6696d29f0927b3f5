"""Equality by value of objects with arrays, so that a model equals its unpickled copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


class ByValue:
    """Base class of frozen dataclasses (``eq=False``) with equality of fields, and of arrays entry by entry."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self._compared())

    def __hash__(self) -> int:
        """Hash the names, since arrays rarely add information."""
        own = (getattr(self, name) for name in self._compared())
        return hash((type(self), *(x for x in own if isinstance(x, str))))

    def _compared(self) -> list[str]:
        return [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for x in state.values():
            if isinstance(x, np.ndarray):
                x.setflags(write=False)  # pickles lose this flag
        self.__dict__.update(state)


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal: arrays, and tuples and mappings with arrays, entry by entry."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(x, b[key]) for key, x in a.items())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)
