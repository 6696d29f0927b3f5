"""References of controllers: a posture or pose at rest, or a function of time with its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, ShapeError
from linkwright.spatial.arrays import Array

Wanted = Array | Callable[[Any], Any]
"""A posture (nq,), or t -> (q, v, a); a pose (4, 4), or t -> (pose, velocity (6,), acceleration (6,))"""


def at(reference: Any, t: float | Array, shape: tuple[int, ...], n: int) -> tuple[Array, Array, Array]:
    """Return the reference at time t, and its velocity and acceleration (n,), zero for a reference at rest."""
    if not callable(reference):
        values: Any = (reference, np.zeros(n), np.zeros(n))
    else:
        values = reference(t)
        if not (isinstance(values, (tuple, list)) and len(values) == 3):
            raise ArgumentError(
                "a reference is an array, or a function of time that returns three arrays: the reference, its velocity "
                f"and its acceleration; it returned {type(values).__name__}"
            )
    place, velocity, acceleration = (np.asarray(x) for x in values)
    found, wanted = [x.shape for x in (place, velocity, acceleration)], [shape, (n,), (n,)]
    if found != wanted:
        raise ShapeError(
            f"the reference has shapes {', '.join(map(str, found))}; expected {', '.join(map(str, wanted))}"
        )
    return place, velocity, acceleration
