"""Quadratic programs in a box, ½ kᵀ H k + gᵀ k for low ≤ k ≤ high, in a trace.

Projected Newton steps (Bertsekas 1982; Tassa, Mansard & Todorov 2014, §III): entries at a limit toward which the
function decreases are fixed, the others take a Newton step with a line search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, clip, where
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above, solve_below
from linkwright.spatial.loops.repeats import until

ENOUGH = 1e-24
"""Convergence: expected decrease, relative to the value of the function."""

SHORTEST = 30
"""Largest number of halvings of a step."""


def least(H: Array, g: Array, low: Array, high: Array, B: Array) -> tuple[Array, Array, Array, Any]:
    """Return the minimizer k (m,), the mask of its free entries, the feedback K and the smallest pivot of H.

    K = −H⁻¹ B (m, n) of the free entries has zero rows for the others. The pivot is positive if H is positive-definite.
    """
    m = len(g)
    L, D = factorize(H)
    whole = _solved(L, D, -g)
    start = clip(whole, low, high)
    inside: Any = 0.0
    for x, y in zip(whole, start, strict=True):
        inside = inside + abs(x - y)
    done = where(inside > 0.0, 0.0, 1.0)

    def step(i: Any, k: Array, done: Any) -> tuple[Array, Any]:
        slope = H @ k + g
        free = _free(k, slope, low, high)
        move = -free * _solved(*factorize(_held(H, free)), free * slope)
        promised = -(slope @ move)
        small = promised <= ENOUGH * abs(k @ (0.5 * (slope + g)))

        def shorter(i: Any, length: Any) -> Any:
            return 0.5 * length

        def enough(length: Any) -> Any:
            by = clip(k + length * move, low, high) - k
            return (slope @ by) + 0.5 * (by @ (H @ by)) <= 0.1 * (slope @ by)

        length, _ = until(enough, shorter, 1.0 + 0.0 * done, limit=SHORTEST)
        return where(small, k, clip(k + length * move, low, high)), where(small, 1.0, 0.0)

    k, _, _ = until(lambda k, done: done > 0.5, step, start, done, limit=10 + 3 * m)
    free = _free(k, H @ k + g, low, high)
    held = factorize(_held(H, free))
    K = -free[:, None] * _solved(*held, free[:, None] * B)
    smallest = D[0]
    for d in D[1:]:
        smallest = where(d < smallest, d, smallest)
    return k, free, K, smallest


def unlimited(H: Array, g: Array, B: Array) -> tuple[Array, Array, Any]:
    """Return k = −H⁻¹ g, K = −H⁻¹ B, and the smallest inverse pivot of H, positive if H is positive-definite."""
    L, D = factorize(H)
    both = -_solved(L, D, np.concatenate([B, g[:, None]], axis=1))
    smallest = D[0]
    for d in D[1:]:
        smallest = where(d < smallest, d, smallest)
    return both[:, -1], both[:, :-1], smallest


def _free(k: Array, slope: Array, low: Array, high: Array) -> Array:
    """Return 1 for entries that may move, 0 for those at a limit toward which the function decreases."""
    return where(((k <= low) & (slope > 0.0)) | ((k >= high) & (slope < 0.0)), 0.0, 1.0)


def _held(H: Array, free: Array) -> Array:
    """Return H with unit rows and columns for fixed entries."""
    m = len(H)
    return np.array(
        [
            [H[i, j] * (free[i] * free[j]) if i != j else where(free[i] > 0.5, H[i, i], 1.0) for j in range(m)]
            for i in range(m)
        ]
    )


def _solved(L: Array, D: Array, b: Array) -> Array:
    y = solve_above(L, b)
    return solve_below(L, (y.T * D).T)
