"""Springs and dampers between points of two bodies, along tendons: massless.

With the length l of the tendon (along all points in order), the elongation x beyond the free
length, the stiffness k and the damping d, the tension is k x + d l̇ and the energy ½ k x². Limits of the length and its
friction act as those of joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwright.model.parts.tendon import Tendon, coefficients_of, frames_of, points_of, renamed_tendon
from linkwright.spatial.arrays import maximum, minimum

ROUNDED = 1e-9
"""Fraction of the free length below which lengths are smoothed, since a spring of zero length has no direction."""

LEAST = 1e-150
"""The same for springs without a free length, in m: its square is a normal number."""


@dataclass(frozen=True)
class Spring:
    """Spring and damper along a tendon."""

    name: str
    tendon: Tendon
    """frames whose origins it connects in order; it slides through inner ones without friction, and around wrapping
    bodies; or joints with coefficients"""
    stiffness: float = 0.0
    """N/m"""
    damping: float = 0.0
    """N s/m"""
    length: tuple[float, float] | None = None
    """shortest and longest relaxed length in m; in a description None is the length at the neutral
    configuration"""
    place: str = field(default="", compare=False)
    limits: tuple[float, float] | None = None
    """shortest and longest length in m"""
    friction: float = 0.0
    """N: dry friction against a change of the length"""

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the frames that it passes through."""
        return points_of(self.tendon)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all its frames, also those of wrapping bodies."""
        return frames_of(self.tendon)

    @property
    def coefficients(self) -> tuple[tuple[str, float], ...]:
        """Joints with coefficients."""
        return coefficients_of(self.tendon)

    @property
    def is_straight(self) -> bool:
        """Whether it goes straight from frame to frame."""
        return len(self.points) == len(self.tendon)

    def renamed(self, name: Callable[[str], str], frame: Callable[[str], str]) -> Spring:
        """Change the names of spring and joints, and of frames."""
        return replace(self, name=name(self.name), tendon=renamed_tendon(self.tendon, name, frame))

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
        if np.isfinite(low) and (low > 0.0 or self.coefficients):
            x = x + minimum(length - low, 0.0)
        return x
