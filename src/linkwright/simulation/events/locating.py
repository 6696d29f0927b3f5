"""Where a function that changes its sign is zero."""

from __future__ import annotations

from collections.abc import Callable

EVALUATIONS = 100
"""Bisection alone takes 50 from a step to rounding."""


def root(f: Callable[[float], float], a: float, fa: float, b: float, fb: float, tolerance: float) -> float:
    """A place between a and b, where f has opposite signs, from which a sign change is ``tolerance`` away at most.

    Brent's method: inverse quadratic interpolation where that converges, else bisection (Brent, Algorithms for
    Minimization without Derivatives, 1973, ch. 4).
    """
    if fb == 0.0:
        return b
    c, fc = a, fa
    d = e = b - a
    for _ in range(EVALUATIONS):
        if abs(fc) < abs(fb):
            a, fa, b, fb, c, fc = b, fb, c, fc, b, fb
        half = 0.5 * (c - b)
        if abs(half) <= tolerance or fb == 0.0:
            break
        if abs(e) < tolerance or abs(fa) <= abs(fb):
            d = e = half
        else:
            s = fb / fa
            if a == c:
                p, q = 2.0 * half * s, 1.0 - s
            else:
                q, r = fa / fc, fb / fc
                p, q = s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0)), (q - 1.0) * (r - 1.0) * (s - 1.0)
            p, q = (p, -q) if p > 0.0 else (-p, q)
            if 2.0 * p < min(3.0 * half * q - abs(tolerance * q), abs(e * q)):
                e, d = d, p / q
            else:
                d = e = half
        a, fa = b, fb
        b += d if abs(d) > tolerance else (tolerance if half > 0.0 else -tolerance)
        fb = f(b)
        if (fb > 0.0) == (fc > 0.0):
            c, fc, d, e = a, fa, b - a, b - a
    return b
