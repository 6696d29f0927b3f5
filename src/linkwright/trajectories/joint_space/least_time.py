"""The least time from state to state, and the motion of a given time, of one coordinate: kernels."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.spatial.loops.repeats import until
from linkwright.trajectories.joint_space.extremes import (
    TINY,
    VelocityChange,
    at_speed,
    durations,
    length,
    longest,
    phases,
    time,
    unlimited,
)

STEPS = 100
"""of a search at most; Newton's take a few"""

CLOSE = 1e-9
"""A step of Newton's of so small a part of the duration is the last: what is left is of the size of its square."""

NEVER = 1e300
"""s"""


EXACT = 1e-12
"""Tolerance of the displacement, relative to its size."""

OVER = 1.0 + 1e-12
"""By how much states may be beyond limits: of rounding"""

ENDLESS = 1e150
"""From here on a limit is none."""

REACHED, BEYOND, WRONG = 0.0, 1.0, 2.0
"""Status returned by :func:`next_time`."""


def next_time(way: Any, of: VelocityChange, after: Any) -> tuple[Any, Any]:
    """Return the least feasible duration and REACHED; or T_g, from which the search must continue, and BEYOND.

    ``after`` is an infeasible duration, or 0; a larger one is searched. The sign of the displacement of the shortest
    motion selects which of the two extremes has to reach the end, and this one increases with the duration from there
    on, or decreases first: there is one root, and the displacement is too small to the left of it. Only while the
    acceleration keeps one sign the extreme may increase, decrease and increase again, at first concave: there Newton's
    method starts from the left and stops where the extreme has increased enough, or stops increasing. WRONG: invalid
    states or limits.
    """
    wrong, of = unfit(way, of), bounded(way, of)
    least, last, again = durations(of)
    start = maximum(after, least)
    first = (last < again) & (start <= last)
    start = where(first, start, maximum(start, again))
    lacking = way - length(of, longest(of, start))[0]
    sign = where(lacking < 0.0, -1.0, 1.0)
    of, way, lacking = of.mirrored(sign), sign * way, abs(lacking)
    quick = at_speed(of)
    fast, (far, _) = time(of, quick), length(of, quick)
    cruises = where(first, 0.0, where(way >= far, 1.0, 0.0))
    end = where(first, last, maximum(fast, start))
    guess = where(first, end, minimum(start + from_rest(of, lacking), end))
    bend = minimum(one_sided(of), end)

    # at T₀ and T_a there is one motion alone: what it lacks of the way may be of rounding
    slack = where(first, -1e-15 * size_of(way, of, end), 0.0)
    least = where(first, start - 1e-9 * (1.0 + start), start)

    def step(low: Any, high: Any, T: Any, early: Any, _: Any) -> tuple[Any, ...]:
        reached, slope = length(of, unlimited(of, T))
        off = reached - way
        short, rising = off < slack, slope > 0.0
        low, high = where(short, T, low), where(short, high, T)
        there = T - off / where(rising, slope, 1.0)
        over = (early > 0.5) & short & ((slope <= 0.0) | (there > bend))  # no root so soon
        well = rising & (there >= low) & (there <= high)
        middle = 0.5 * (low + high)
        moved = where(well, abs(there - T), where((middle > low) & (middle < high), NEVER, 0.0))
        there = where(over, maximum(guess, T), where(well, there, middle))
        return low, high, there, where(over | (off >= 0.0), 0.0, early), where(over, NEVER, moved)

    def done(low: Any, high: Any, T: Any, early: Any, moved: Any) -> Any:
        return moved <= CLOSE * T

    settled = maximum(cruises, wrong)
    early = where(start < bend, 1.0, 0.0)
    at = where(early > 0.5, start, guess)
    low, _, T, _, _, _ = until(done, step, least, end, at, early, where(settled > 0.5, 0.0, NEVER), limit=STEPS)
    missed = first & (low >= end)
    T = where(cruises > 0.5, maximum(fast + (way - far) / of.V, start), T)
    T = maximum(T, start)
    return where(missed, again, T), maximum(wrong, where(missed, BEYOND, REACHED))


def unfit(way: Any, of: VelocityChange) -> Any:
    """WRONG where states or limits are not finite, limits not above zero, states beyond them, or carried there."""
    v0, a0, v1, a1, V, A, J = of
    half, most, strongest = 0.5 / J, OVER * V, OVER * A
    fits = (J > 0.0) & (J < ENDLESS) & (A > 0.0) & (V > 0.0) & (abs(way) < ENDLESS)
    fits = fits & (abs(v0) <= most) & (abs(v1) <= most) & (abs(a0) <= strongest) & (abs(a1) <= strongest)
    fits = fits & (abs(v0 + a0 * abs(a0) * half) <= most) & (abs(v1 - a1 * abs(a1) * half) <= most)
    finite = (abs(v0) + abs(a0) + abs(v1) + abs(a1)) < ENDLESS
    return where(fits & finite, REACHED, WRONG)


def bounded(way: Any, of: VelocityChange) -> VelocityChange:
    """The same with limits of velocity and acceleration that are finite: what no shortest motion reaches."""
    v0, a0, v1, a1, V, A, J = of
    squares = a0 * a0 + a1 * a1
    fastest = 4.0 * (abs(v0) + abs(v1) + squares / J + maximum(J * way * way, 1.0))
    V = where(V < ENDLESS, V, fastest)
    return VelocityChange(v0, a0, v1, a1, V, where(A < ENDLESS, A, 2.0 * np.sqrt(2.0 * J * V + squares)), J)


def size_of(way: Any, of: VelocityChange, T: Any) -> Any:
    """Return the scale of displacements, m or rad."""
    return abs(way) + T * (abs(of.v0) + abs(of.v1) + T * (abs(of.a0) + abs(of.a1))) + TINY


def one_sided(of: VelocityChange) -> Any:
    """The duration up to which the acceleration of the longest motion keeps one sign: a_p or a_t becomes 0."""
    c = abs(of.J * (of.v1 - of.v0) + 0.5 * (of.a0 * of.a0 - of.a1 * of.a1))
    square = of.A * of.A
    return (where(c > square, (square + c) / of.A, 2.0 * np.sqrt(c)) + (of.a1 - of.a0)) / of.J


def from_rest(of: VelocityChange, way: Any) -> Any:
    """Return an estimate of the duration of a further displacement: from rest to rest, or at the present velocity."""
    unit = of.A / of.J
    slow = unit + np.sqrt(unit * unit + 4.0 * way / of.A)
    quick = np.exp(np.log(maximum(32.0 * way / of.J, TINY)) * (1.0 / 3.0))
    taken = where(quick < 4.0 * unit, quick, slow)
    speed = maximum(0.5 * (of.v0 + of.v1), 0.0)
    return taken * way / maximum(way + speed * taken, TINY)


def motion(way: Any, of: VelocityChange, T: Any) -> Array:
    """Return (16,): phases (7) of the largest and of the smallest displacement, and the weight of the first (1: none).

    The motion of duration T with the given displacement is the convex combination of both.
    """
    size = EXACT * size_of(way, of, T)
    of = bounded(way, of)
    turned = of.mirrored(-1.0)
    least, last, again = durations(of)
    most, fewest = longest(of, T), longest(turned, T)
    longer, shorter = length(of, most)[0], -length(turned, fewest)[0]
    span = longer - shorter
    part = where(span > 0.0, minimum(maximum((way - shorter) / where(span > 0.0, span, 1.0), 0.0), 1.0), 1.0)
    short = maximum(way - longer, shorter - way) > size
    between = (last * OVER < T) & (again > T * OVER)
    lacking = where(short | between | (least > T * OVER), 1.0, 0.0)
    return np.stack([*phases(of, most), *phases(turned, fewest), part, lacking])


def _next_time(p0: Any, v0: Any, a0: Any, p1: Any, v1: Any, a1: Any, V: Any, A: Any, J: Any, T: Any) -> tuple[Any, Any]:
    return next_time(p1 - p0, VelocityChange(v0, a0, v1, a1, V, A, J), T)


def _motion(p0: Any, v0: Any, a0: Any, p1: Any, v1: Any, a1: Any, V: Any, A: Any, J: Any, T: Any) -> Array:
    return motion(p1 - p0, VelocityChange(v0, a0, v1, a1, V, A, J), T)


@cache
def kernels() -> tuple[Kernel, Kernel]:
    """:func:`next_time` and :func:`motion` of (p₀, v₀, a₀, p₁, v₁, a₁, V, A, J, T), compiled."""
    numbers: dict[str, Any] = dict.fromkeys(("p0", "v0", "a0", "p1", "v1", "a1", "V", "A", "J", "T"), ())
    return compile(_next_time, **numbers), compile(_motion, **numbers)
