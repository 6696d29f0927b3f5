"""Evaluation of piecewise trajectories: by one kernel for numbers, in a trace for symbols.

Piece i goes from its configuration q_i along φ_i(s) = Σ c_k s^k, s from its beginning: q = q_i ⊕ Exp(φ_i(s)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import exp_rates, integrate
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.spatial.loops.tables import take

ORDERS = 3
"""Number of derivatives: velocity, acceleration, jerk."""


def padded(times: Array) -> Array:
    """When pieces begin (…, a power of two), from times (…, pieces + 1): infinite beyond the last."""
    pieces = times.shape[-1] - 1
    starts = np.full((*times.shape[:-1], 1 << (pieces - 1).bit_length()), np.inf)
    starts[..., :pieces] = times[..., :-1]
    return starts


def piece(starts: Array, t: Any) -> Any:
    """Which piece the time is in, from :func:`padded` starts (2ⁿ,): n comparisons."""
    k: Any = 0.0
    step = len(starts) // 2
    while step:
        k = where(take(starts, k + step) <= t, k + step, k)
        step //= 2
    return k


def pieces(starts: Array, t: Array) -> Array:
    """The same of numbers: for times (…, *batch) of starts (*batch, 2ⁿ)."""
    if starts.ndim == 1:
        found: Array = np.maximum(np.searchsorted(starts, t, side="right") - 1, 0)
        return found
    k = np.zeros(t.shape, dtype=np.int64)
    table = np.broadcast_to(starts, (*t.shape, starts.shape[-1]))
    step = starts.shape[-1] // 2
    while step:
        later = np.take_along_axis(table, (k + step)[..., None], axis=-1)[..., 0] <= t
        k += step * later
        step //= 2
    return k


def polynomial(coefficients: Array, s: Any, order: int) -> Any:
    """The derivative of that order of Σ c_k s^k, coefficients (degree + 1, …)."""
    total: Any = np.zeros(coefficients.shape[1:])
    for k in reversed(range(order, len(coefficients))):
        total = total * s + math.perm(k, order) * coefficients[k]
    return total


def moved(model: Model, q: Array, coefficients: Array, s: Any, orders: int = ORDERS) -> tuple[Array, ...]:
    """q, v, a, … of one piece, s after it began, from where it began and its coefficients (degree + 1, nv)."""
    u = [polynomial(coefficients, s, order) for order in range(orders + 1)]
    return integrate(model, q, u[0]), *exp_rates(model, *u)


def read(model: Model, t: Any, starts: Array, end: Any, q: Array, coefficients: Array) -> tuple[Array, Array, Array]:
    """Return q (nq,), v and a (nv,) at one time, a number or symbol; at rest before the beginning and after the end."""
    inside = minimum(maximum(t, starts[0]), end)
    k = piece(starts, inside)
    s = inside - take(starts, k)
    here, v, a = moved(model, take(q, k), take(coefficients, k), s, 2)
    moving = where((t >= starts[0]) & (t <= end), 1.0, 0.0)
    return here, moving * v, moving * a


def mover(model: Model, degree: int) -> Callable[..., Any]:
    """The kernel of :func:`moved`: (q, coefficients, s) of any batch -> q, v, a, jerk."""

    def positions(model: Model, q: Array, coefficients: Array, s: Any) -> tuple[Array, ...]:
        return moved(model, q, coefficients, s)

    def make() -> Callable[..., Any]:
        return compile_or_not(positions, model, q=(model.nq,), coefficients=(degree + 1, model.nv), s=())

    kernel: Callable[..., Any] = derived(model, moved, degree, make=make)
    return kernel
