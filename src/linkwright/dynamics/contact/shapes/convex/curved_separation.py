"""Separation of two convex shapes of which one is curved, with a normal that is smooth where they touch.

The separation along a unit vector n is s(n) = min over A of n·a − max over B of n·b; the distance or minus the depth is
its maximum. With A moved by (m − s(n)) n the shapes are apart by m or more, and GJK returns the direction n' with the
largest s(n') + (m − s(n)) n'·n: a step of the proximal point method, which never decreases s. For a sum of the radii of
curvature H, less the depth, and t = m − s, a step reduces the angle to the maximum by t/(H + t); corners of s are found
at once.

Rockafellar, "Monotone operators and the proximal point algorithm", 1976.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import either, unit
from linkwright.dynamics.distance import cores, expanding_polytope, gjk, separation
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.repeats import until, when

MARGIN = 1e-2
"""Distance m, relative to the size of the shapes."""

COARSE = 1e-3
"""Difference of both bounds of the depth, relative to the size of the shapes, at which the first normal is taken."""

STEPS = 8
"""Largest number of steps."""

SETTLED = 1e-10
"""Increase of the separation in a step, relative to the size of the shapes, at which the iteration stops."""


def curved_separation(A: cores.ConvexCore, B: cores.ConvexCore, size: Any, limit: Any = None) -> separation.Separation:
    """Return the separation of two convex shapes, of which one is curved; ``size``: a length of both, m.

    A distance larger than ``limit``, m, may be any number larger than it.
    """
    support, margin = separation.difference(A, B), MARGIN * size
    limit = separation.limit_of_cores(A, B, limit)
    near = gjk.nearest_points(support, A.center - B.center, size, limit, exact_within=True)
    length, normal = unit(near.v, separation.UP)
    overlap = near.overlap > 0.5

    def first_normal() -> Array:
        return -expanding_polytope.penetration(support, size, COARSE).normal

    def refined() -> Array:
        n = when(overlap, first_normal, normal)
        n, s, a, _, _ = until(ends, step, n, support(-n)[0] @ n, near.a, size, limit=STEPS)
        return separation.Separation(s, n, a).numbers

    def ends(*state: Any) -> Any:
        return state[-1] <= SETTLED * size

    def step(_: Any, n: Array, s: Any, a: Array, increase: Any) -> tuple[Any, ...]:
        shift = maximum(margin - s, 0.0) * n

        def shifted(d: Array) -> tuple[Array, Array]:
            w, a = support(d)
            return w + shift, a

        found = gjk.nearest_points(shifted, n, size)
        _, direction = unit(found.v, separation.UP)
        higher = support(-direction)[0] @ direction
        better = higher > s
        after = np.stack([either(better, x, y) for x, y in zip(direction, n, strict=True)])
        return after, maximum(higher, s), found.a, higher - s

    apart = separation.Separation(length, normal, near.a).numbers
    touching = margin if limit is None else minimum(margin, limit)
    found = separation.Separation.of_numbers(when(overlap | (length < touching), refined, apart))
    return separation.rounded(found, A.radius, B.radius)
