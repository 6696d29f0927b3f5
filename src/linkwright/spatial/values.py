"""Objects with numbers, such as planned trajectories, as inputs of functions that are compiled once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from linkwright.spatial.arrays import Array


class ValueList(NamedTuple):
    """Numbers of an object with a method ``as_values()``, so that similar objects share a compiled function."""

    key: Hashable
    """equal for objects that differ only in their numbers"""
    arrays: Mapping[str, Array]
    """its numbers, each (*batch, *shape)"""
    batch: tuple[int, ...]
    make: Callable[..., Any]
    """(**arrays) -> the object with these numbers or symbols, without a batch"""
