"""Checks of obstacles: shapes of the world."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.geometry.checks import require_poses
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import as_numbers


def checked_obstacles(given: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return the obstacles after a check, each with a name."""
    if isinstance(given, Shape) or not isinstance(given, Iterable):
        raise ArgumentError(f"obstacles is a list of shapes, lw.Shape('world', …); got {given!r:.200}")
    found = [_checked_obstacle(k, shape) for k, shape in enumerate(given)]
    names = [shape.name for shape in found]
    if len(set(names)) < len(names):
        raise InputError(f"names of obstacles are unique; got {', '.join(names)}")
    return tuple(found)


class _CheckedObstacle(NamedTuple):
    """Shape that is checked, with the placement of the check, and with a name."""

    shape: weakref.ref[Shape]
    placement: bytes
    named: Shape | None
    """the shape with a name, if it has none"""


_CHECKED: dict[tuple[int, int], _CheckedObstacle] = {}
"""Checked obstacles by identity and index: a check takes longer than the distances of a few pairs."""


def _checked_obstacle(k: int, shape: Any) -> Shape:
    """Return the obstacle of index k with a name, after a check, which is not repeated for the same shape."""
    if not isinstance(shape, Shape):
        raise ArgumentError(f"obstacles is a list of shapes, lw.Shape('world', …); got {shape!r:.200}")
    key, placement = (id(shape), k), shape.placement
    known = _CHECKED.get(key)
    if known is not None and known.shape() is shape and known.placement == _bytes(placement):
        return shape if known.named is None else known.named
    for problem in shape.problems():
        raise InputError(f"obstacle {k}: {problem}")
    if np.shape(as_numbers(f"the placement of obstacle {k}", placement)) != (4, 4):
        raise ShapeError(f"the placement of obstacle {k} is a pose (4, 4); got shape {np.shape(placement)}")
    require_poses(f"the placement of obstacle {k}", placement)
    if shape.body != "world":
        raise InputError(f"obstacle {k} is a shape of 'world'; got one of {shape.body!r}")
    named = None if shape.name else replace(shape, name=f"obstacle{k}")
    _CHECKED[key] = _CheckedObstacle(weakref.ref(shape, lambda _: _CHECKED.pop(key, None)), _bytes(placement), named)
    return shape if named is None else named


def _bytes(placement: Any) -> bytes:
    return placement.tobytes() if isinstance(placement, np.ndarray) else np.asarray(placement).tobytes()
