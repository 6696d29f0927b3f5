"""Small factorisations, written out for symbols, handed to LAPACK for numbers."""

from __future__ import annotations

import numpy as np

from linkwright.spatial.arrays import Array, is_symbolic


def solve_symmetric(A: Array, B: Array) -> Array:
    """X with A X = B, for a symmetric positive-definite A (n, n) and B (n,) or (n, k).

    For symbols A = Lᵀ D L from the last row upwards: on the mass matrix of a tree, numbered
    parents first, this creates no new nonzeros, so what a branch does not touch folds away
    (Featherstone 2008, §6.5).
    """
    if not is_symbolic(A, B):
        return np.linalg.solve(A, B)
    n = len(A)
    rows = [[A[i, j] for j in range(i + 1)] for i in range(n)]  # lower triangle, becomes L and D
    inverse = [None] * n
    for k in reversed(range(n)):
        inverse[k] = 1.0 / rows[k][k]
        for i in reversed(range(k)):
            ratio = rows[k][i] * inverse[k]
            for j in range(i + 1):
                rows[i][j] = rows[i][j] - ratio * rows[k][j]
            rows[k][i] = ratio
    X = [B[i] for i in range(n)]
    for i in reversed(range(n)):  # Lᵀ
        for j in range(i):
            X[j] = X[j] - rows[i][j] * X[i]
    for i in range(n):  # D, then L
        X[i] = X[i] * inverse[i]
        for j in range(i):
            X[i] = X[i] - rows[i][j] * X[j]
    return np.stack(X)
