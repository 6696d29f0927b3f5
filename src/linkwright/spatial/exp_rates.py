"""Velocity of q ⊕ Exp(u(t)) and its rates, from u, u̇, ü, ….

All formulas consist of a few functions of θ² and Leibniz's rule: lists contain a value and its time derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, where
from linkwright.spatial.rotation import HALF_TURN, TERMS, skew


def turn_rates(r: Sequence[Array]) -> list[Array]:
    """Return ω, ω̇, … (3,) of Exp(r(t)) in body axes from r, ṙ, r̈, …: ω = ṙ − b r×ṙ + c r×(r×ṙ)."""
    n = len(r) - 1
    _, b, c = _coefficients(r, n)
    once = _product(_cross, r, r[1:], n)
    twice = _product(_cross, r, once, n)
    return _sum(r[1:], _product(_scaled, b, once, n), _product(_scaled, c, twice, n), sign=-1.0)


def twist_rates(u: Sequence[Array]) -> list[Array]:
    """Return the body twist [v; ω] (6,) of Exp(u(t)) and its rates, in body axes, from u = [w; r], u̇, ü, …

    The position is p = w + b r×w + c r×(r×w), and v = Rᵀ ṗ.
    """
    n = len(u) - 1
    w, r = [x[:3] for x in u], [x[3:] for x in u]
    a, b, c = _coefficients(r, n + 1)
    once = _product(_cross, r, w, n + 1)
    twice = _product(_cross, r, once, n + 1)
    p = _sum(w, _product(_scaled, b, once, n + 1), _product(_scaled, c, twice, n + 1))
    once = _product(_cross, r, p[1:], n)
    twice = _product(_cross, r, once, n)
    v = _sum(p[1:], _product(_scaled, a, once, n), _product(_scaled, b, twice, n), sign=-1.0)
    return [np.concatenate(both) for both in zip(v, turn_rates(r), strict=True)]


def _cross(x: Array, y: Array) -> Array:
    return skew(x) @ y


def _scaled(x: Any, y: Array) -> Array:
    return x * y


def _dot(x: Array, y: Array) -> Any:
    return x @ y


def _product(times: Callable[[Any, Any], Any], x: Sequence[Any], y: Sequence[Any], n: int) -> list[Any]:
    """Return the product of two functions and n − 1 derivatives of it."""
    return [
        sum((math.comb(k, i) * times(x[i], y[k - i]) for i in range(1, k + 1)), start=times(x[0], y[k]))
        for k in range(n)
    ]


def _sum(x: Sequence[Array], y: Sequence[Array], z: Sequence[Array], sign: float = 1.0) -> list[Array]:
    return [a + sign * b + c for a, b, c in zip(x, y, z, strict=True)]


def _coefficients(r: Sequence[Array], n: int) -> list[list[Any]]:
    """Return (sin θ)/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ of r(t), each with n − 1 time derivatives."""
    x = _product(_dot, r, r, n)
    return [_along([slopes[k] for slopes in _slopes(x[0], n)], x, n) for k in (1, 2, 3)]


def _along(slopes: Sequence[Any], x: Sequence[Any], n: int) -> list[Any]:
    """Return f(x(t)) and n − 1 time derivatives from f, f′, … at x(t)."""
    if n == 1:
        return [slopes[0]]
    return [slopes[0], *_product(_scaled, _along(slopes[1:], x, n - 1), x[1:], n - 1)]


def _slopes(square: Any, n: int) -> list[list[Any]]:
    """Return S₀ … S₃ (cos θ, (sin θ)/θ, …) from θ², and n − 1 derivatives of each by θ².

    2x S_k′ = S_k−1 − k S_k for angles above π, series below.
    """
    near = square <= HALF_TURN
    x, far = where(near, square, 1.0), where(near, 1.0, square)
    angle = np.sqrt(far)
    s, half = np.sin(angle), np.sin(0.5 * angle)
    beyond = [[np.cos(angle), s / angle, 2.0 * half * half / far, (angle - s) / (far * angle)]]
    for m in range(n - 1):
        last = beyond[-1]
        beyond.append([-0.5 * last[1], *((last[k - 1] - (k + 2.0 * m) * last[k]) / (2.0 * far) for k in (1, 2, 3))])
    return [[where(near, _series(x, k, m), beyond[m][k]) for k in range(4)] for m in range(n)]


def _series(x: Any, k: int, m: int) -> Any:
    """Return the m-th derivative of 1/k! − x/(k+2)! + x²/(k+4)! − …"""
    total: Any = 0.0
    for j in reversed(range(TERMS)):
        total = math.factorial(j + m) / (math.factorial(j) * math.factorial(k + 2 * (j + m))) - x * total
    return total if m % 2 == 0 else -total
