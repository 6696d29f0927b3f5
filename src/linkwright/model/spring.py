"""Springs and dampers between points of two bodies: massless, straight from point to point.

With l the length between the points (of several, along them in their order), x the elongation beyond the free
length, k the stiffness and d the damping, the pull is k x + d l̇ at both ends and the energy ½ k x².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.spatial.arrays import maximum, minimum

ROUNDED = 1e-9
"""Where its ends meet a spring has no direction: up to about this much of its free length, lengths are rounded off."""

LEAST = 1e-150
"""The same of springs without a free length, m: its square is still a number."""


@dataclass(frozen=True)
class Spring:
    """A spring and damper between frames."""

    name: str
    frames: tuple[str, ...]
    """whose origins it joins: two, or more that it slides through without friction, in order"""
    stiffness: float = 0.0
    """N/m"""
    damping: float = 0.0
    """N s/m"""
    length: tuple[float, float] | None = None
    """the shortest and the longest that it is relaxed at, m; in a description None is what it has at the neutral
    configuration"""
    place: str = field(default="", compare=False)

    @property
    def relaxed(self) -> tuple[float, float]:
        """The shortest and the longest that it is relaxed at, m."""
        assert self.length is not None, "models know their springs' free lengths"
        return self.length

    @property
    def rounded(self) -> float:
        """ε of the length √(r² + ε²) of a straight piece r (3,), m: so small that it shows only where ends meet."""
        low, high = self.relaxed
        return max(ROUNDED * (high if np.isfinite(high) else low), LEAST)

    def elongation(self, length: Any) -> Any:
        """By how much it is longer than relaxed (shorter, where negative) at a length, m."""
        low, high = self.relaxed
        if low == high:
            return length - low
        x: Any = 0.0
        if np.isfinite(high):
            x = x + maximum(length - high, 0.0)
        if low > 0.0:
            x = x + minimum(length - low, 0.0)
        return x
