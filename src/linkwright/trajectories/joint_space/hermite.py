"""Polynomials with given values and rates at both ends."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linkwright.spatial.arrays import Array


def between(first: Sequence[Array], last: Sequence[Array], T: Array) -> Array:
    """Coefficients (…, 2 n, nv) of the polynomial with these n values and rates (…, nv) at 0 and at T (…,)."""
    n = len(first)
    known = np.stack([x / math.factorial(k) for k, x in enumerate(first)], axis=-2)
    powers = T[..., None] ** np.arange(2 * n)
    rest = []
    for order, x in enumerate(last):  # what the known coefficients leave, times T^order
        own = sum(math.perm(k, order) * powers[..., k, None] * known[..., k, :] for k in range(order, n))
        rest.append(powers[..., order, None] * x - own)
    system = np.array([[math.perm(k, order) for k in range(n, 2 * n)] for order in range(n)], dtype=float)
    found = np.einsum("ij,...jv->...iv", np.linalg.inv(system), np.stack(rest, axis=-2))
    return np.concatenate([known, found / powers[..., n:, None]], axis=-2)
