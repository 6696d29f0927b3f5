"""The greatest speed along a path under linear limits: one problem, on numbers and in kernels alike.

With x = ṡ² and u = s̈ limits on velocities, accelerations and efforts of a motion along q(s) are lines in (x, u)
(Bobrow, Dubowsky & Gibson 1985). On a grid s₀ … s_N with u constant between its points x is linear in s, and with
w = x_{i+1} for u each interval has lines in (x, w). Two passes give the fastest motion (TOPP-RA: Pham & Pham 2018):
backwards the sets K_i of x from which the end can be reached, intervals [low, high], and forwards the greatest w in
K_{i+1} that the lines allow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.spatial.loops.repeats import repeat, until
from linkwright.spatial.loops.tables import take

FASTEST = 1e12
"""x above which nothing limits it."""

ROUNDS = 40
"""Steps of Newton's method in a set at most; each goes on to another pair of lines, and few are needed."""

SAME = 1e-14
"""By how much of itself x changes at most where it does not."""


class Lines(NamedTuple):
    """Constraints of (x, w) in an interval: low + slope x ≤ w ≤ high + slope x, (lines,) each, and bounds of both."""

    slope: Array
    low: Array
    high: Array
    floor: Any
    """≤ x"""
    ceiling: Any
    """≥ x"""
    after: Any
    """≥ w"""


def highest(those: Lines, x: Any, w: Any) -> tuple[Any, Any, Any]:
    """The least line from above at x, of which w is one: its value there, its slope, its value at 0."""
    found = (w, 0.0, w)
    for slope, above in zip(those.slope, those.high, strict=True):
        value = slope * x + above
        less = value < found[0]
        found = (where(less, value, found[0]), where(less, slope, found[1]), where(less, above, found[2]))
    return found


def lowest(those: Lines, x: Any, w: Any) -> tuple[Any, Any, Any]:
    """The greatest line from below at x."""
    slope, low, high, *bounds = those
    value, down, below = highest(Lines(-slope, -high, -low, *bounds), x, -w)
    return -value, -down, -below


def inwards(those: Lines, x: Any, w_low: Any, w_high: Any, side: float) -> Any:
    """The next x of Newton's method, from which no w can be taken: where the two lines cross that say so.

    From above (``side`` 1) or from below (−1); x itself where some w can be taken, below 0 where lines do not cross.
    """
    most, up, above = highest(those, x, w_high)
    least, down, below = lowest(those, x, w_low)
    turn = down - up
    crossing = (above - below) / where(turn * side > 0.0, turn, 1.0)
    return where(most >= least, x, where(turn * side > 0.0, crossing, -1.0))


def reachable(those: Lines, w_low: Any, w_high: Any) -> tuple[Any, Any]:
    """All x with a w in [w_low, w_high] between the lines: [low, high], or [0, −1] where there is none.

    The room between the lines is concave in x: from either side Newton's method finds its zero in finitely many steps
    and never passes it.
    """
    w_high = minimum(w_high, those.after)

    def moving(x: Any, before: Any) -> Any:
        return abs(x - before) <= SAME * abs(x)

    def side(start: Any, towards: float) -> Any:
        def step(x: Any, before: Any) -> tuple[Any, Any]:
            return inwards(those, x, w_low, w_high, towards), x

        found, _, _ = until(moving, step, start, start - 1.0, limit=ROUNDS)
        return found

    high = side(those.ceiling, 1.0)
    low = side(those.floor, -1.0)
    none = (high < low * (1.0 - 1e-12)) | (high < 0.0) | (low < 0.0) | (w_high < w_low)
    return where(none, 0.0, low), where(none, -1.0, high)


def fastest(lines_of: Callable[[Any], Lines], N: int, wide: int, start: Any, end: Any) -> tuple[Any, Any, Any]:
    """Return x (N + 1,) of the fastest motion, and the intervals (N,) from which the end can be reached: low and high.

    ``lines_of(i)``: the constraints of interval i, ``wide`` of them; ``start``, ``end``: x at the ends. The interval is
    [0, −1] where the end cannot be reached. Whether ``start`` is in the first is not checked.
    """

    def backwards(k: Any, low: Any, high: Any, *before: Any) -> tuple[Any, ...]:
        those = lines_of(N - 1 - k)
        return *reachable(those, low, high), those.slope, those.low, those.high, those.after

    none = np.zeros(wide)
    _, (lows, highs, *kept) = repeat(N, backwards, end, end, none, none, none, 0.0, keep=1)

    def forwards(i: Any, x: Any) -> Any:
        last, k = i > N - 1.5, N - 1 - i
        slope, low, high, after = (take(one, k) for one in kept)
        those = Lines(slope, low, high, 0.0, FASTEST, after)
        w_low = where(last, end, take(lows, k - 1))
        w_high = where(last, end, take(highs, k - 1))
        return maximum(highest(those, x, minimum(w_high, after))[0], w_low)

    _, x = repeat(N, forwards, start, keep=1)
    return np.concatenate([np.reshape(start, 1), x]), lows[::-1], highs[::-1]
