"""Small factorisations, written out for symbols, handed to LAPACK for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, is_symbolic, mirror, where


def solve_symmetric(A: Array, B: Array) -> Array:
    """X with A X = B, for a symmetric positive-definite A (n, n) and B (n,) or (n, k).

    For symbols A = Lᵀ D L from the last row upwards: on the mass matrix of a tree, numbered
    parents first, this creates no new nonzeros, so what a branch does not touch folds away
    (Featherstone 2008, §6.5).
    """
    if not is_symbolic(A, B):
        return np.linalg.solve(A, B)
    L, inverse = _factors(A)
    n = len(A)
    X = [B[i] for i in range(n)]
    for i in reversed(range(n)):  # Lᵀ
        for j in range(i):
            X[j] = X[j] - L[i][j] * X[i]
    for i in range(n):  # D, then L
        X[i] = X[i] * inverse[i]
        for j in range(i):
            X[i] = X[i] - L[i][j] * X[j]
    return np.stack(X)


def factorise(A: Array) -> tuple[Array, Array]:
    """L (n, n), lower with ones on its diagonal, and the inverses (n,) of D, of a positive-definite A = Lᵀ D L.

    From the last row upwards: on the mass matrix of a tree, numbered parents first, L has no entries where A
    has none (Featherstone 2008, §6.5). Nothing is raised where A is not definite: D then shows it.
    """
    n = len(A)
    rows, inverses = [], []
    for k in reversed(range(n)):
        inverse = 1.0 / A[k, k]
        ratio = A[k, :k] * inverse
        rows.append(np.concatenate([ratio, np.eye(n)[k, k:]]))
        inverses.append(inverse)
        A = mirror(A[:k, :k] - ratio[:, None] * A[k, :k])
    return np.array(rows[::-1]).reshape(n, n), np.array(inverses[::-1])


def solve_above(L: Array, B: Array) -> Array:
    """L⁻ᵀ B, for an L of :func:`factorise` and B (n,) or (n, k)."""
    X: list[Array] = []  # from the last row upwards
    for i in reversed(range(len(L))):
        X.append(B[i] - L[i + 1 :, i] @ np.stack(X[::-1]) if X else B[i])
    return np.stack(X[::-1]) if X else B


def solve_below(L: Array, B: Array) -> Array:
    """L⁻¹ B, for an L of :func:`factorise` and B (n,) or (n, k)."""
    X: list[Array] = []
    for i in range(len(L)):
        X.append(B[i] - L[i, :i] @ np.stack(X) if X else B[i])
    return np.stack(X) if X else B


def solve_and_invert(A: Array, B: Array) -> tuple[Array, Array]:
    """A⁻¹B and A⁻¹, for a symmetric positive-definite A (n, n) and B (n, k).

    For symbols A⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, and L⁻¹ has the zeros of L: what a branch does not touch folds away.
    """
    if not is_symbolic(A, B):
        inverse = np.linalg.inv(A)
        return inverse @ B, mirror(inverse)
    L, D = _factors(A)
    n = len(A)
    rows: list[Array] = []  # of L⁻¹
    for i in range(n):
        row = np.array([1.0 * (j == i) for j in range(n)], dtype=object)
        for j in range(i):
            row = row - L[i][j] * rows[j]
        rows.append(row)
    Y = [B[i] for i in range(n)]
    for i in reversed(range(n)):  # L⁻ᵀ
        for j in range(i):
            Y[j] = Y[j] - L[i][j] * Y[i]
    outer = np.stack(rows) * np.array(D, dtype=object)  # L⁻¹ D⁻¹
    return outer @ np.stack(Y), mirror(outer @ np.stack(rows).T)


def semidefinite_root(A: Array) -> Array:
    """N (n, n), lower triangular, with A = N Nᵀ, for a symmetric positive-semidefinite A.

    Cholesky's; what is left of a diagonal entry when it is its turn counts as zero below 1e-13 of what it was.
    """
    n, rest, columns = len(A), A, []
    for k in range(n):
        d = rest[k, k]
        positive = d > 1e-13 * A[k, k]
        scale = where(positive, 1.0 / np.sqrt(where(positive, d, 1.0)), 0.0)
        column = np.concatenate([np.zeros(k), rest[k:, k] * scale])
        rest = rest - np.outer(column, column)
        columns.append(column)
    return np.stack(columns, axis=1) if columns else A


def _factors(A: Array) -> tuple[list[list[Any]], list[Any]]:
    """The rows of L (lower, its diagonal not to be used) and the inverses of D, with A = Lᵀ D L."""
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
    return rows, inverse
