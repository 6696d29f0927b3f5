"""Baumgarte's stabilization of closed loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array

Gains = tuple[float, float]
"""Baumgarte's gains (α, β) in 1/s."""


def checked_gains(stabilization: Any) -> Gains | None:
    """Return the gains after a check that they are two numbers that are not negative."""
    if stabilization is None:
        return None
    gains = tuple(stabilization) if isinstance(stabilization, (tuple, list)) else ()
    if len(gains) != 2 or not all(isinstance(g, (int, float)) and 0.0 <= g < np.inf for g in gains):
        raise InputError(f"stabilization is Baumgarte's (α, β), two numbers of 1/s, or None; got {stabilization!r}")
    return float(gains[0]), float(gains[1])


def stabilizing(gains: Gains | None, rate: Array, residual: Array) -> Array:
    """Return 2α φ̇ + β² φ (m,)."""
    if gains is None:
        return np.zeros(len(residual))
    alpha, beta = gains
    return 2.0 * alpha * rate + beta * beta * residual
