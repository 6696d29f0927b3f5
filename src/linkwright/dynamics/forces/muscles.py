"""The muscle of MuJoCo: force by length and velocity, and the rate of its activation."""

from __future__ import annotations

from typing import Any

from linkwright.model.parts.actuator import Muscle
from linkwright.spatial.arrays import clip, where

SMALLEST = 1e-15
"""Smallest denominator."""


def muscle_gain_and_bias(muscle: Muscle, length: Any, velocity: Any) -> tuple[Any, Any]:
    """Return g and b of the force g z + b at an activation z."""
    (low, high), (start, end) = muscle.length_range, muscle.operating_range
    L0 = (high - low) / max(end - start, SMALLEST)
    L = start + (length - low) / max(L0, SMALLEST)
    V = velocity / max(L0 * muscle.fastest, SMALLEST)
    active = _by_length(L, *muscle.active_range) * _by_velocity(V, muscle.lengthening_force)
    return -muscle.force * active, -muscle.force * _passive(L, muscle)


def _by_length(L: Any, low: float, high: float) -> Any:
    """Return f_L: four parabolas between ``low`` and ``high``, with the maximum 1 at L = 1."""
    a, b = 0.5 * (low + 1.0), 0.5 * (1.0 + high)

    def square(x: Any, width: float) -> Any:
        return 0.5 * (x / max(width, SMALLEST)) ** 2

    rising = where(a < L, 1.0 - square(1.0 - L, 1.0 - a), square(L - low, a - low))
    falling = where(b < L, square(high - L, high - b), 1.0 - square(L - 1.0, b - 1.0))
    within = where(L > 1.0, falling, rising)
    return where(low > L, 0.0 * L, where(high < L, 0.0 * L, within))


def _by_velocity(V: Any, largest: float) -> Any:
    """Return f_V, from 0 at V = −1 over 1 at rest to ``largest``."""
    y = largest - 1.0
    lengthening = where(y < V, largest + 0.0 * V, largest - (y - V) ** 2 / max(y, SMALLEST))
    return where(V > 0.0, lengthening, where(V > -1.0, (V + 1.0) ** 2, 0.0 * V))


def _passive(L: Any, muscle: Muscle) -> Any:
    """Return f_P: a parabola beyond L = 1, and a line beyond half the way to the end of the active range."""
    b = 0.5 * (1.0 + muscle.active_range[1])
    width = max(b - 1.0, SMALLEST)
    beyond = where(b < L, 0.5 + (L - b) / width, 0.5 * ((L - 1.0) / width) ** 2)
    return muscle.passive_force * where(L > 1.0, beyond, 0.0 * L)


def muscle_activation_rate(muscle: Muscle, control: Any, activation: Any) -> Any:
    """Return ż = (u − z)/T, where T depends on z and on the sign of u − z."""
    excess, z = clip(control, 0.0, 1.0) - activation, clip(activation, 0.0, 1.0)
    rising, falling = muscle.activation_times
    T_up, T_down = rising * (0.5 + 1.5 * z), falling / (0.5 + 1.5 * z)
    if muscle.smoothing < SMALLEST:
        T = where(excess > 0.0, T_up, T_down)
    else:
        s = clip(excess / muscle.smoothing + 0.5, 0.0, 1.0)
        T = T_down + (T_up - T_down) * s * s * s * (s * (6.0 * s - 15.0) + 10.0)
    return excess / where(T > SMALLEST, T, SMALLEST)
