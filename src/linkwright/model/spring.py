"""Springs and dampers between points of two bodies: massless and straight.

With the length l between the points (along all points in order), the elongation x beyond the free
length, the stiffness k and the damping d, the tension is k x + d l̇ and the energy ½ k x².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.spatial.arrays import maximum, minimum

ROUNDED = 1e-9
"""Fraction of the free length below which lengths are smoothed, since a spring of zero length has no direction."""

LEAST = 1e-150
"""The same for springs without a free length, in m: its square is a normal number."""


@dataclass(frozen=True)
class Spring:
    """Spring and damper between frames."""

    name: str
    frames: tuple[str, ...]
    """frames whose origins it connects in order; it slides through inner ones without friction"""
    stiffness: float = 0.0
    """N/m"""
    damping: float = 0.0
    """N s/m"""
    length: tuple[float, float] | None = None
    """shortest and longest relaxed length in m; in a description None is the length at the neutral
    configuration"""
    place: str = field(default="", compare=False)

    @property
    def relaxed(self) -> tuple[float, float]:
        """Shortest and longest relaxed length in m."""
        assert self.length is not None, "models have the free lengths of springs"
        return self.length

    @property
    def rounded(self) -> float:
        """ε in m of the length √(r² + ε²) of a segment r (3,); it matters only where the ends meet."""
        low, high = self.relaxed
        return max(ROUNDED * (high if np.isfinite(high) else low), LEAST)

    def elongation(self, length: Any) -> Any:
        """Return the elongation in m at a length; negative for compression."""
        low, high = self.relaxed
        if low == high:
            return length - low
        x: Any = 0.0
        if np.isfinite(high):
            x = x + maximum(length - high, 0.0)
        if low > 0.0:
            x = x + minimum(length - low, 0.0)
        return x
