"""What a law is to follow: a posture or a pose, at rest, or a function of time that tells how it moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, ShapeError
from linkwright.spatial.arrays import Array

Wanted = Array | Callable[[Any], Any]
"""A posture (nq,), or t -> (q, v, a); a pose (4, 4), or t -> (pose, velocity (6,), acceleration (6,))"""


def at(reference: Any, t: Any, shape: tuple[int, ...], n: int) -> tuple[Array, Array, Array]:
    """Where the reference is, and its velocity and acceleration (n,): zero where it rests."""
    if not callable(reference):
        told: Any = (reference, np.zeros(n), np.zeros(n))
    else:
        told = reference(t)
        if not (isinstance(told, (tuple, list)) and len(told) == 3):
            raise ArgumentError(
                "a reference is what is to be kept, or a function of time that returns three arrays, where it is and "
                f"its velocity and acceleration; it returned {type(told).__name__}"
            )
    place, velocity, acceleration = (np.asarray(x) for x in told)
    found, wanted = [x.shape for x in (place, velocity, acceleration)], [shape, (n,), (n,)]
    if found != wanted:
        raise ShapeError(
            f"the reference has shapes {', '.join(map(str, found))}; expected {', '.join(map(str, wanted))}"
        )
    return place, velocity, acceleration
