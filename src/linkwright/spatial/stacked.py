"""Stacks of symmetric positive-semidefinite matrices of numbers, taken apart all at once; one by one in `linalg.py`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from linkwright.spatial.arrays import Array
from linkwright.spatial.linalg import TOLERANCE, Tolerance


def times(A: Array, x: Array) -> Array:
    """A x (…, m), of A (…, m, n) and x (…, n)."""
    product: Array = (A @ x[..., None])[..., 0]
    return product


class Semidefinite:
    """Matrices A (…, m, m), and which of their rows are independent of each other."""

    def __init__(self, A: Array, kept: Array):
        """``kept`` (…, m): 1, or 0 for rows that depend on those kept."""
        self.A, self.kept = A, kept

    @cached_property
    def inverse(self) -> Array:
        """(…, m, m), of the rows and columns kept, zeros elsewhere."""
        both = self.kept[..., :, None] * self.kept[..., None, :]
        A = self.A * both + (1.0 - self.kept)[..., None] * np.eye(self.A.shape[-1])
        with np.errstate(invalid="ignore"):  # rows of numbers that are not
            size = 1.0 / np.sqrt(np.diagonal(A, axis1=-2, axis2=-1))
        sizes = size[..., :, None] * size[..., None, :]
        inverse: Array = sizes * both * np.linalg.inv(A * sizes)
        return inverse

    def solve(self, B: Array) -> Array:
        """X (…, m) with A X = B, zero in the rows that depend on others."""
        return times(self.inverse, B)

    def null_space(self, weights: Array | None = None) -> Array:
        """Orthonormal columns (…, m, m), zeros where there are fewer, of what A takes to zero; ``weights`` (…, m): of
        that times the weights."""
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
        """X (…, m) less what A takes to zero: the shortest with the same A X, and the nearest that is some A Y.

        ``weights`` (…, m): by which its entries are multiplied to be measured.
        """
        N = self.null_space(weights)
        if not N.shape[-1]:
            return X
        X = X if weights is None else weights * X
        X = X - times(N, times(np.swapaxes(N, -1, -2), X))
        return X if weights is None else X / weights


def semidefinite(A: Array, scales: Array, tolerance: Tolerance = TOLERANCE) -> Semidefinite:
    """The independent rows of A (…, m, m), chosen by pivoting as :func:`linkwright.spatial.linalg.semidefinite_factors`
    does; ``scales`` (…, m): how large diagonal entries could be."""
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
