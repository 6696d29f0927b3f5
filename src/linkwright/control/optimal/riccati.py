"""Algebraic Riccati equations, discrete and continuous, in batches, by doubling.

Doubling (Chu, Fan, Lin & Wang, Int. J. Control 77, 2004) combines two steps of the recursion P ← Q + Aᵀ P (A − B K)
into one, so that k steps look 2ᵏ ahead. The continuous equation is brought to the discrete form by Cayley's transform
(Chu, Fan & Lin, Linear Algebra Appl. 396, 2005).
"""

from __future__ import annotations

import numpy as np

from linkwright.spatial.arrays import Array

DOUBLINGS = 60
"""At most: 2⁶⁰ steps ahead."""


def discrete(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """Return the stabilizing P (…, n, n) = Q + Aᵀ P A − Aᵀ P B (R + Bᵀ P B)⁻¹ Bᵀ P A; not finite if none exists."""
    G = B @ np.linalg.solve(R, B.swapaxes(-1, -2))
    return _doubled(A, G, np.broadcast_to(Q, A.shape))


def continuous(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """Return the stabilizing P (…, n, n) of Aᵀ P + P A − P B R⁻¹ Bᵀ P + Q = 0; not finite if none exists."""
    G = B @ np.linalg.solve(R, B.swapaxes(-1, -2))
    H = np.broadcast_to(Q, A.shape)
    one = np.eye(A.shape[-1])
    g = (1.0 + np.linalg.norm(A, axis=(-2, -1)))[..., None, None]
    shifted = A - g * one
    with np.errstate(all="ignore"):
        W = shifted.swapaxes(-1, -2) + H @ np.linalg.solve(shifted, G)
        inverse = np.linalg.inv(W)
        started = one + 2.0 * g * inverse.swapaxes(-1, -2)
        G0 = 2.0 * g * np.linalg.solve(shifted, G) @ inverse
        H0 = 2.0 * g * inverse @ H @ np.linalg.inv(shifted)
    return _doubled(started, _even(G0), _even(H0))


def _doubled(A: Array, G: Array, H: Array) -> Array:
    one = np.eye(A.shape[-1])
    with np.errstate(all="ignore"):
        for _ in range(DOUBLINGS):
            try:
                W = np.linalg.inv(one + G @ H)
            except np.linalg.LinAlgError:
                return np.full_like(H, np.nan)
            AW = A @ W
            At = A.swapaxes(-1, -2)
            more = _even(At @ H @ W @ A)
            G, H, A = G + _even(AW @ G @ At), H + more, AW @ A
            if not np.isfinite(H).all() or np.abs(more).max() <= 1e-16 * np.abs(H).max():
                break
    return H


def _even(X: Array) -> Array:
    even: Array = 0.5 * (X + X.swapaxes(-1, -2))
    return even


def gain(A: Array, B: Array, R: Array, P: Array, hold: bool) -> Array:
    """Return the gain K (…, m, n) of the cost to go P; ``hold``: of the discrete equation."""
    BtP = B.swapaxes(-1, -2) @ P
    if hold:
        return np.linalg.solve(R + BtP @ B, BtP @ A)
    return np.linalg.solve(np.broadcast_to(R, (*BtP.shape[:-2], *R.shape[-2:])), BtP)
