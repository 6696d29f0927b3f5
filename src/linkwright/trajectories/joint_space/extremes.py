"""Jerk-limited changes of one coordinate with a given duration and the largest displacement.

Where the velocity goes from v₀ to v₁ and the acceleration from a₀ to a₁ within |v| ≤ V, |a| ≤ A, |jerk| ≤ J, all
motions of one duration T are a convex set, so that their displacements are an interval. Its ends belong to
jerk + 0 − 0 − 0 + (the largest displacement: a up to a_p, hold, down, at V a cruise, down to a_t, hold, up to a₁) and
to its mirror image. With τ = J T + a₀ − a₁ and c = J (v₁ − v₀) + (a₀² − a₁²)/2 both have closed forms:

    a_p − a_t = τ/2,  a_p² − a_t² = c              where no limit is active,
    (A − a_t)² = A τ − c,  (a_p + A)² = A τ + c    where the acceleration is held at A, at −A.

The displacement grows with the duration by v_A + a_p t₃/2, where v_A is the velocity at which the acceleration starts
to decrease and t₃ the duration of the decrease (the Hamiltonian of Pontryagin's principle, evaluated there), and by V
in a cruise. All functions accept numbers and symbols. Cf. Berscheid & Kröger, Robotics: Science and Systems 2021, whose
durations agree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import is_zero, maximum, minimum, where

TINY = 1e-150
"""below which a number that divides is taken for it"""


class VelocityChange(NamedTuple):
    """Change of velocity and acceleration, and its limits."""

    v0: Any
    a0: Any
    v1: Any
    a1: Any
    V: Any
    A: Any
    J: Any

    def mirrored(self, sign: Any) -> VelocityChange:
        """The same for sign 1, its mirror image for −1."""
        return VelocityChange(sign * self.v0, sign * self.a0, sign * self.v1, sign * self.a1, self.V, self.A, self.J)


class Longest(NamedTuple):
    """The motion that leads furthest."""

    peak: Any
    """a_p"""
    trough: Any
    """a_t"""
    high: Any
    """J times how long a_p is held"""
    low: Any
    """J times how long a_t is held"""
    cruise: Any
    """s, at the velocity V"""


def unlimited(of: VelocityChange, T: Any) -> Longest:
    """:func:`longest`, where that does not reach the velocity V."""
    v0, a0, v1, a1, _, A, J = of
    tau = J * T + (a0 - a1)
    c = J * (v1 - v0) + 0.5 * (a0 * a0 - a1 * a1)
    h = maximum(0.5 * tau, TINY)
    ratio = c / h
    peak, trough = 0.5 * (ratio + h), 0.5 * (ratio - h)
    upwards = c >= 0.0
    root = np.sqrt(maximum(A * tau - abs(c), 0.0))
    first = where(upwards, peak > A, trough < -A)  # which is met first
    second = first & (root > 2.0 * A)
    over, under = where(upwards, first, second), where(upwards, second, first)
    peak = where(over, A, where(under, root - A, peak))
    trough = where(under, -A, where(over, A - root, trough))
    held = maximum(tau - 2.0 * (peak - trough), 0.0)
    high = where(over, where(under, 0.5 * (held + c / A), held), 0.0)
    low = where(under, where(over, 0.5 * (held - c / A), held), 0.0)
    return Longest(peak, trough, high, low, 0.0)


def longest(of: VelocityChange, T: Any) -> Longest:
    """The motion of that duration which leads furthest; there must be one (:func:`durations`)."""
    way, quick = unlimited(of, T), at_speed(of)
    fastest = of.v0 + (way.peak * (way.peak + way.high) - 0.5 * of.a0 * of.a0) / of.J
    cruises = (way.peak > 0.0) & (way.trough < 0.0) & (fastest > of.V)
    return Longest(
        where(cruises, quick.peak, way.peak),
        where(cruises, quick.trough, way.trough),
        where(cruises, quick.high, way.high),
        where(cruises, quick.low, way.low),
        where(cruises, maximum(T - time(of, quick), 0.0), 0.0),
    )


def at_speed(of: VelocityChange) -> Longest:
    """The shortest motion that reaches the velocity V, without a cruise."""
    up = of.J * (of.V - of.v0) + 0.5 * of.a0 * of.a0
    down = of.J * (of.V - of.v1) + 0.5 * of.a1 * of.a1
    peak = minimum(np.sqrt(maximum(up, 0.0)), of.A)
    trough = -minimum(np.sqrt(maximum(down, 0.0)), of.A)
    return Longest(
        peak, trough, maximum(up - peak * peak, 0.0) / of.A, maximum(down - trough * trough, 0.0) / of.A, 0.0
    )


def time(of: VelocityChange, way: Longest) -> Any:
    """Return the duration."""
    return (2.0 * (way.peak - way.trough) + (of.a1 - of.a0) + way.high + way.low) / of.J + way.cruise


def length(of: VelocityChange, way: Longest) -> tuple[Any, Any]:
    """Return the displacement, and its derivative by the duration."""
    unit = 1.0 / of.J
    t1, t2, t3 = (way.peak - of.a0) * unit, way.high * unit, (way.peak - way.trough) * unit
    t4, t5 = way.low * unit, (of.a1 - way.trough) * unit
    vA = of.v0 + 0.5 * (of.a0 + way.peak) * t1
    before = t1 * (of.v0 + t1 * (2.0 * of.a0 + way.peak) * (1.0 / 6.0)) + t2 * (vA + 0.5 * way.peak * t2)
    vA = vA + way.peak * t2
    vB = of.v1 - 0.5 * (of.a1 + way.trough) * t5
    after = t5 * (of.v1 - t5 * (2.0 * of.a1 + way.trough) * (1.0 / 6.0)) + t4 * (vB - 0.5 * way.trough * t4)
    falling = t3 * (vA + t3 * (2.0 * way.peak + way.trough) * (1.0 / 6.0))
    slope = vA + 0.5 * way.peak * t3
    if is_zero(way.cruise):  # of an unlimited motion
        return before + falling + after, slope
    return before + falling + after + of.V * way.cruise, where(way.cruise > 0.0, of.V, slope)


def phases(of: VelocityChange, way: Longest) -> list[Any]:
    """Return the durations of the seven phases with jerk + 0 − 0 − 0 +."""
    unit = 1.0 / of.J
    cruises = way.cruise > 0.0
    return [
        maximum((way.peak - of.a0) * unit, 0.0),
        maximum(way.high * unit, 0.0),
        maximum(where(cruises, way.peak, way.peak - way.trough) * unit, 0.0),
        way.cruise,
        where(cruises, maximum(-way.trough * unit, 0.0), 0.0),
        maximum(way.low * unit, 0.0),
        maximum((of.a1 - way.trough) * unit, 0.0),
    ]


def durations(of: VelocityChange) -> tuple[Any, Any, Any]:
    """(T₀, T_a, T_g): motions take at least T₀; where T_a < T_g, none takes a time between."""
    a0, a1, A = of.a0, of.a1, of.A
    c = of.J * (of.v1 - of.v0) + 0.5 * (a0 * a0 - a1 * a1)
    turned = c < 0.0  # backwards in time: what holds of the one holds of the other
    first, last = where(turned, -a1, a0), where(turned, -a0, a1)
    c = abs(c)
    square = last * last + c
    root = np.sqrt(square)
    plain = 2.0 * where(last > 0.0, c / maximum(root + last, TINY), root - last)
    held = ((A - last) * (A - last) + c) / A
    least = where(square > A * A, held, plain)
    inside = first * first - c
    r = np.sqrt(maximum(inside, 0.0))
    gap = (first > 0.0) & (inside > 0.0)
    below, above = 2.0 * c / maximum(first + r, TINY), 2.0 * (first + r)
    split = gap & (last > 0.0) & (square >= first * first)
    start = where(gap, where(split, least, maximum(least, above)), least)
    shift = a1 - a0

    def at(tau: Any) -> Any:
        return maximum((tau + shift) / of.J, 0.0)

    return at(start), at(where(split, maximum(below, least), start)), at(where(split, above, start))
