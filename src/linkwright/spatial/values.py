"""Things that hold numbers, such as planned trajectories, as functions see them that are compiled once for all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from linkwright.spatial.arrays import Array


class ValueList(NamedTuple):
    """What a thing with a method ``as_values()`` tells of itself, so that others like it are not compiled again."""

    key: Hashable
    """equal for things that differ in their numbers alone"""
    arrays: Mapping[str, Array]
    """its numbers, each (*batch, *shape)"""
    batch: tuple[int, ...]
    make: Callable[..., Any]
    """(**arrays) -> the thing with these numbers, or with symbols, of no batch"""
