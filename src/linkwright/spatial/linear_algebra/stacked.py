"""Factorization of stacks of symmetric positive-semidefinite matrices of numbers; single ones are in `linalg.py`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import TOLERANCE, Tolerance


def times(A: Array, x: Array) -> Array:
    """Return A x (…, m), for A (…, m, n) and x (…, n)."""
    product: Array = (A @ x[..., None])[..., 0]
    return product


class Semidefinite:
    """Matrices A (…, m, m) with their independent rows."""

    def __init__(self, A: Array, kept: Array):
        """``kept`` (…, m): 1 for kept rows, 0 for rows that depend on them."""
        self.A, self.kept = A, kept

    @cached_property
    def inverse(self) -> Array:
        """Inverse (…, m, m) of the kept rows and columns, zeros elsewhere."""
        both = self.kept[..., :, None] * self.kept[..., None, :]
        A = self.A * both + (1.0 - self.kept)[..., None] * np.eye(self.A.shape[-1])
        with np.errstate(invalid="ignore"):  # rows with NaN
            size = 1.0 / np.sqrt(np.diagonal(A, axis1=-2, axis2=-1))
        sizes = size[..., :, None] * size[..., None, :]
        inverse: Array = sizes * both * np.linalg.inv(A * sizes)
        return inverse

    def solve(self, B: Array) -> Array:
        """Return X (…, m) with A X = B, zero in dependent rows."""
        return times(self.inverse, B)

    def null_space(self, weights: Array | None = None) -> Array:
        """Return orthonormal columns (…, m, m) of the null space of A, padded with zeros; ``weights`` (…, m) multiply
        its entries."""
        left = 1.0 - self.kept
        if not left.any():
            return np.zeros((*self.kept.shape, 0))
        N = left[..., None] * np.eye(self.A.shape[-1]) - self.inverse @ (self.A * left[..., None, :])
        order = np.argsort(-left, axis=-1, kind="stable")[..., : int(left.sum(axis=-1).max())]
        N = np.take_along_axis(N if weights is None else weights[..., None] * N, order[..., None, :], axis=-1)
        Q, _ = np.linalg.qr(N)
        found: Array = Q * np.take_along_axis(left, order, axis=-1)[..., None, :]
        return found

    def least_norm(self, X: Array, weights: Array | None = None) -> Array:
        """Return X (…, m) without its part in the null space of A: the shortest with the same A X.

        ``weights`` (…, m) are the weights of its entries in the norm.
        """
        N = self.null_space(weights)
        if not N.shape[-1]:
            return X
        X = X if weights is None else weights * X
        X = X - times(N, times(np.swapaxes(N, -1, -2), X))
        return X if weights is None else X / weights


def semidefinite(A: Array, scales: Array, tolerance: Tolerance = TOLERANCE) -> Semidefinite:
    """Return the independent rows of A (…, m, m), selected by pivoting as in
    :func:`linkwright.spatial.linear_algebra.linalg.semidefinite_factors`; ``scales`` (…, m): largest possible diagonal
    entries."""
    *lead, m, _ = A.shape
    count = math.prod(lead)
    rest = np.array(A).reshape(count, m, m)
    sizes = np.diagonal(rest, axis1=1, axis2=2).copy()
    could_be = np.broadcast_to(scales, A.shape[:-1]).reshape(count, m)
    least = np.maximum(tolerance.dependent * sizes, tolerance.nothing * could_be)
    kept, every = np.zeros(sizes.shape), np.arange(len(rest))
    for _ in range(m):
        pivots = np.diagonal(rest, axis1=1, axis2=2)
        clear = np.where(pivots > least, pivots / np.maximum(sizes, 1e-300), 0.0)
        k = np.argmax(clear, axis=1)
        found = every[clear[every, k] > 0.0]
        if not found.size:
            break
        k = k[found]
        kept[found, k] = 1.0
        column = rest[found, k]
        rest[found] -= column[:, :, None] * (column / column[np.arange(len(found)), k][:, None])[:, None, :]
        rest[found, k], rest[found, :, k] = 0.0, 0.0
    return Semidefinite(A, kept.reshape(*lead, m))
