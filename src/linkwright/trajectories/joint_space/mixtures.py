"""Convex combinations of two motions, each in phases with a constant highest derivative."""

from __future__ import annotations

import math

import numpy as np

from linkwright.spatial.arrays import Array


def pieces(T: Array, phases: Array, levels: Array, part: Array, starts: list[Array]) -> tuple[Array, Array]:
    """Times (…, pieces + 1) and coefficients (…, pieces, degree + 1, n) of n coordinates together.

    ``T`` (…,); ``phases`` (…, n, 2, m), how long each phase of either motion lasts; ``levels`` (…, n, 2, m), its
    highest rate; ``part`` (…, n) of the first; ``starts``: position, velocity and so on at the beginning, each (…, n).
    """
    begins = np.concatenate([np.zeros((*phases.shape[:-1], 1)), np.cumsum(phases, axis=-1)[..., :-1]], axis=-1)
    begins = np.minimum(begins, T[..., None, None, None])
    states = _states(phases, levels, starts)
    pure = np.stack([part == 0.0, part == 1.0], axis=-1)  # where one of the two is not there
    own = np.where(pure[..., None], begins[..., ::-1, :], begins)
    knots = own[..., 1:].reshape(*T.shape, math.prod(own.shape[T.ndim : -1]) * (own.shape[-1] - 1))
    times = _distinct(np.concatenate([knots, np.zeros((*T.shape, 1)), T[..., None]], axis=-1), T)
    t = times[..., None, None, :-1]
    phase = np.zeros(np.broadcast_shapes(t.shape, (*begins.shape[:-1], 1)), dtype=np.int64)
    for k in range(1, begins.shape[-1]):
        phase += begins[..., k : k + 1] <= t
    s = t - np.take_along_axis(begins, phase, axis=-1)
    found = [np.take_along_axis(x, phase, axis=-1) for x in (*states, levels)]
    weights = np.stack([part, 1.0 - part], axis=-1)[..., None]
    coefficients = []
    for order in range(len(found)):
        rate = sum(found[k] * s ** (k - order) / math.factorial(k - order) for k in range(order, len(found)))
        coefficients.append((weights * rate).sum(axis=-2) / math.factorial(order))
    stacked = np.stack(coefficients, axis=-1)  # (…, n, pieces, degree + 1)
    return times, np.moveaxis(stacked, -3, -1)


def _states(phases: Array, levels: Array, starts: list[Array]) -> list[Array]:
    """Position, velocity and so on (…, n, 2, m) where phases begin."""
    now = [np.repeat(x[..., None], 2, axis=-1) for x in starts]
    found = [now]
    for k in range(phases.shape[-1] - 1):
        span, all_of = phases[..., k], [*now, levels[..., k]]
        now = [
            sum(all_of[j] * span ** (j - i) / math.factorial(j - i) for j in range(i, len(all_of)))
            for i in range(len(now))
        ]
        found.append(now)
    return [np.stack(x, axis=-1) for x in zip(*found, strict=True)]


def _distinct(times: Array, T: Array) -> Array:
    """Times in order, those alike once; of a batch as many as the most need, the end repeated."""
    times = np.sort(times, axis=-1)
    last = T[..., None]
    new = np.diff(times, axis=-1) > 1e-12 * last  # this one is before the next
    count = int(new.sum(axis=-1).max(initial=1)) or 1
    kept = np.sort(np.where(new, times[..., :-1], last), axis=-1)[..., :count]
    kept[..., 0] = 0.0
    return np.concatenate([kept, last], axis=-1)
