"""Root finding: zeros, and minima below zero."""

from __future__ import annotations

from collections.abc import Callable

GOLDEN = 0.5 * (3.0 - 5.0**0.5)

SEARCHED = 40
"""Golden-section steps: the minimum is found to 4e-9 of the interval."""

EVALUATIONS = 100
"""Largest number of evaluations; bisection alone needs 50."""


def brent_root(f: Callable[[float], float], a: float, fa: float, b: float, fb: float, tolerance: float) -> float:
    """Return a zero of f between a, where f is positive, and b, where it is not.

    f is positive at a point at most 2 ``tolerance`` before it. Brent's method: inverse quadratic interpolation where
    that converges, else bisection (Brent, Algorithms for Minimization without Derivatives, 1973, ch. 4).
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
    return c if fb > 0.0 else b


def find_dip(f: Callable[[float], float], length: float, zero: float) -> float | None:
    """Return a point in (0, length] at which f is below −zero, near its minimum; None if there is none.

    Golden-section search, which ends at the first such point.
    """
    a, b = 0.0, length
    x, y = GOLDEN * length, (1.0 - GOLDEN) * length
    fx, fy = f(x), f(y)
    for _ in range(SEARCHED):
        if min(fx, fy) < -zero:
            return x if fx < fy else y
        if fx < fy:
            b, y, fy = y, x, fx
            x = a + GOLDEN * (b - a)
            fx = f(x)
        else:
            a, x, fx = x, y, fy
            y = b - GOLDEN * (b - a)
            fy = f(y)
        if b - a < 1e-9 * length:
            break
    return None
