"""Small factorizations: elimination for symbols, LAPACK for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, inverse_root, is_symbolic, is_zero, maximum, mirror, where


def solve_symmetric(A: Array, B: Array) -> Array:
    """Solve A X = B for a symmetric positive-definite A (n, n) and B (n,) or (n, k).

    For symbols A = Lᵀ D L from the last row upward: for the mass matrix of a tree, numbered
    parents first, this creates no new nonzeros, so that independent branches have no operations
    (Featherstone 2008, §6.5).
    """
    if not len(A):
        return B
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


def damped_least_squares(A: Array, b: Array, damping: Any) -> Array:
    """Compute the x (n,) that minimizes |A x − b|² + damping |x|², for A (m, n) and b (m,).

    Modified Gram–Schmidt orthogonalization of [A; √damping 1]: unlike AᵀA or AAᵀ it keeps all digits of small
    singular values. A Levenberg–Marquardt step is of this form.
    """
    n = A.shape[1]
    root = np.sqrt(damping)
    columns = [[*A[:, j], *(0.0 for _ in range(j)), root] for j in range(n)]
    rest = [*b, *(0.0 for _ in range(n))]
    upper: list[list[Any]] = []
    y: list[Any] = []
    for j in range(n):
        inverse = 1.0 / np.sqrt(sum(x * x for x in columns[j]))
        unit = [x * inverse for x in columns[j]]
        upper.append([inverse])
        for k in range(j + 1, n):
            part = sum(x * z for x, z in zip(unit, columns[k], strict=False))
            columns[k] = [z - part * x for x, z in zip(unit, columns[k], strict=False)] + columns[k][len(unit) :]
            upper[j].append(part)
        y.append(sum(x * z for x, z in zip(unit, rest, strict=False)))
        rest = [z - y[j] * x for x, z in zip(unit, rest, strict=False)] + rest[len(unit) :]
    x: list[Any] = [None] * n
    for j in reversed(range(n)):
        x[j] = (y[j] - sum(upper[j][k - j] * x[k] for k in range(j + 1, n))) * upper[j][0]
    return np.array(x)


def factorize(A: Array, roots: bool = False) -> tuple[Array, Array]:
    """Return L (n, n), unit lower triangular, and the inverses (n,) of D, of a positive-definite A = Lᵀ D L.

    From the last row upward: for the mass matrix of a tree, numbered parents first, L has no entries where A
    has none (Featherstone 2008, §6.5). No error is raised if A is not definite: D then shows it. ``roots``: return the
    square roots of the inverses.
    """
    n = len(A)
    rows, inverses = [], []
    for k in reversed(range(n)):
        root = inverse_root(A[k, k]) if roots else None
        inverse = 1.0 / A[k, k] if root is None else root * root
        ratio = A[k, :k] * inverse
        rows.append(np.concatenate([ratio, np.eye(n)[k, k:]]))
        inverses.append(inverse if root is None else root)
        A = mirror(A[:k, :k] - ratio[:, None] * A[k, :k])
    return np.array(rows[::-1]).reshape(n, n), np.array(inverses[::-1])


def solve_above(L: Array, B: Array) -> Array:
    """Return L⁻ᵀ B, for an L of :func:`factorize` and B (n,) or (n, k)."""
    X: list[Array] = []  # from the last row upward
    for i in reversed(range(len(L))):
        X.append(B[i] - L[i + 1 :, i] @ np.stack(X[::-1]) if X else B[i])
    return np.stack(X[::-1]) if X else B


def solve_below(L: Array, B: Array) -> Array:
    """Return L⁻¹ B, for an L of :func:`factorize` and B (n,) or (n, k)."""
    X: list[Array] = []
    for i in range(len(L)):
        X.append(B[i] - L[i, :i] @ np.stack(X) if X else B[i])
    return np.stack(X) if X else B


def negative_solution_and_inverse(A: Array, B: Array) -> tuple[Array, Array]:
    """Return −A⁻¹B and A⁻¹, for a symmetric positive-definite A (n, n) and B (n, k).

    For symbols A⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, and L⁻¹ has the zeros of L: independent branches have no operations. One column
    after the other, since its values stay in the cache in machine code.
    """
    if not len(A):
        return -B, A
    if not is_symbolic(A, B):
        inverse = np.linalg.inv(A)
        return -inverse @ B, mirror(inverse)
    L, D = _factors(A)
    n = len(A)
    rows: list[Array] = []  # of L⁻¹
    for i in range(n):
        row = np.array([1.0 * (j == i) for j in range(n)], dtype=object)
        for j in range(i):
            row = row - L[i][j] * rows[j]
        rows.append(row)
    outer = np.stack(rows) * np.array(D, dtype=object)  # L⁻¹ D⁻¹
    negative, columns = -outer, []
    for column in B.T:
        y = column.copy()
        for i in reversed(range(n)):  # L⁻ᵀ
            for j in range(i):
                y[j] = y[j] - L[i][j] * y[i]
        columns.append(negative @ y)
    return np.stack(columns, axis=1), mirror(outer @ np.stack(rows).T)


REGULAR = 1e-13
"""A pivot below this fraction of its diagonal entry has no significant digits."""


def inverse_of_definite(A: Array, sizes: Array) -> Array:
    """Return A⁻¹ (n, n) of a symmetric positive-definite A; NaN where A is singular to rounding.

    ``sizes`` (n,) are the references of the diagonal entries.
    """
    n = len(A)
    with np.errstate(all="ignore"):  # singular numbers divide by zero
        L, inverse = factorize(A)
        Y = solve_above(L, np.eye(n))
        found = mirror((Y.T * inverse) @ Y)
        regular: Any = True
        for k in range(n):
            d = A[k, k]
            regular = (d > REGULAR * sizes[k]) & (d * inverse[k] > 0.0) & (d * inverse[k] < 1.0 / REGULAR) & regular
        return where(regular, found, np.nan)


def semidefinite_root(A: Array) -> Array:
    """Return N (n, n), lower triangular, with A = N Nᵀ, for a symmetric positive-semidefinite A.

    Cholesky's factorization; a pivot below 1e-13 of its diagonal entry counts as zero.
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


class Tolerance(NamedTuple):
    """Tolerances for omitted rows B of A = B Bᵀ, squared."""

    dependent: float
    """of the sine of a row's angle to the previous rows"""
    nothing: float
    """of the norm of a row relative to its largest possible norm, or to the longest row"""


TOLERANCE = Tolerance(dependent=1e-9, nothing=1e-11)


class SemidefiniteFactors(NamedTuple):
    """Symmetric positive-semidefinite A = Σ lₛ dₛ lₛᵀ, one term for every eliminated row; the other rows are dependent.

    Numbers are pivoted. Symbols are eliminated in a given order without branches. A pivot
    that is small relative to the row's diagonal entry or its scale (:class:`Tolerance`) counts as zero, and its inverse
    is set to zero. Structural zeros are therefore eliminated, and A x = b has a basic
    solution.
    """

    rows: list[int]
    """row that each step eliminates; rows that are always omitted have none"""
    L: Array
    """(steps, m): lₛ, without its own entry, which is 1; zeros for a step without elimination"""
    inverse: Array
    """(steps,): 1/dₛ, or zero"""

    def order(self) -> list[int]:
        """Return the rows in the order of elimination, then omitted ones."""
        return self.rows + [k for k in range(self.L.shape[1]) if k not in self.rows]

    def half(self, B: Array) -> Array:
        """Return Y (steps, …) with BᵀA⁺B = YᵀD⁻¹Y, for B (m,) or (m, k) in the range of A."""
        X, Y = list(B), []
        for k, column in zip(self.rows, self.L, strict=True):
            Y.append(X[k])
            for i in range(len(X)):
                if i != k:
                    X[i] = X[i] - column[i] * X[k]
        return np.stack(Y) if Y else np.zeros((0, *B.shape[1:]))

    def back(self, Y: Array) -> Array:
        """Return a solution X (m, …) of A X = B, from a half-solved B."""
        X = [np.zeros(Y.shape[1:])] * self.L.shape[1]
        for k, column, y in reversed(list(zip(self.rows, self.L, (Y.T * self.inverse).T, strict=True))):
            X[k] = X[k] + y
            for i in range(len(X)):
                if i != k:
                    X[k] = X[k] - column[i] * X[i]
        return np.stack(X) if X else np.zeros((0, *Y.shape[1:]))

    def solve(self, B: Array) -> Array:
        """Return X with A X = B, if it exists."""
        return self.back(self.half(B))

    def least_norm(self, X: Array, most: int | None = None, weights: Array | None = None) -> Array:
        """Return X (m,) without its part in the null space of A: the shortest with the same A X, and the nearest in its
        range.

        ``most``: number of omitted rows that are checked, the first ones; by default all.
        ``weights`` (m,): weights of the entries of X in the norm (all rows are then checked).
        """
        m = len(X)
        eliminated = [0.0] * m
        for k, inverse in zip(self.rows, self.inverse, strict=True):
            eliminated[k] = where(inverse > 0.0, 1.0, eliminated[k])
        if most is not None and most < m and is_symbolic(self.L):
            return self._less_null_vectors(X, 1.0 - np.array(eliminated), most - m + len(self.rows))
        rest = 1.0 - np.array(eliminated)
        null = list(np.diag(rest))  # columns of the null space, or zeros
        for k, column in reversed(list(zip(self.rows, self.L, strict=True))):
            for i in _nonzero(column):
                null[k] = null[k] - column[i] * null[i]
        if not m:
            return X
        N = np.stack(null)
        if weights is not None:
            N, X = weights[:, None] * N, weights * X
        return self._less(N, X, rest) if weights is None else self._less(N, X, rest) / weights

    @staticmethod
    def _less(N: Array, X: Array, rest: Array) -> Array:
        """Return X (m,) without its part along the columns of N (m, m), which are zero except where ``rest`` is 1."""
        if not is_symbolic(N, X):  # rows differ in units, so that NᵀN may be singular to rounding
            found: list[Array] = []
            for n in N.T[rest > 0.0].astype(float):
                for e in found:
                    n = n - e * ((e @ n) / (e @ e))
                found.append(n)
                X = X - n * ((n @ X) / (n @ n))
            return X
        some = [k for k, one in enumerate(rest) if not is_zero(one)]
        if not some:
            return X
        N, rest = N[:, some], rest[some]
        return X - N @ solve_symmetric(_gram_matrix(N) + np.diag(1.0 - rest), N.T @ X)

    def _less_null_vectors(self, X: Array, rest: Array, most: int) -> Array:
        """Do the same for a vector of each always omitted row and ``most`` others: ``rest`` (m,) is 1 at both."""
        m = len(X)
        starts = [np.eye(m)[k] for k in range(m) if k not in self.rows]
        left = list(rest)
        for _ in range(most):
            found: Any = 0.0
            start = [0.0] * m
            for k in self.rows:
                start[k] = left[k] * (1.0 - found)
                left[k], found = left[k] - start[k], found + start[k]
            starts.append(np.array(start))
        orthogonal: list[tuple[Array, Any]] = []
        for start in starts:
            null = list(start)
            for k, column in reversed(list(zip(self.rows, self.L, strict=True))):
                for i in _nonzero(column):
                    null[k] = null[k] - column[i] * null[i]
            n = np.stack(null)
            for e, inverse in orthogonal:
                n = n - e * (inverse * (e @ n))
            square = n @ n  # 1 or more, or zero
            orthogonal.append((n, where(square > 0.5, 1.0 / where(square > 0.5, square, 1.0), 0.0)))
        for e, inverse in orthogonal:
            X = X - e * (inverse * (e @ X))
        return X


def _nonzero(entries: Sequence[Any]) -> list[int]:
    """Return the indices of entries that are not zero for all inputs: of many loops, most entries are zero."""
    return [k for k, x in enumerate(entries) if not is_zero(x)]


def _gram_matrix(N: Array) -> Array:
    """Return NᵀN (k, k) for symbols N (m, k), without products of zeros."""
    columns = [{k: column[k] for k in _nonzero(column)} for column in N.T]
    G = np.zeros((len(columns),) * 2).astype(object)
    for i, x in enumerate(columns):
        for j, y in enumerate(columns):
            G[i, j] = sum((x[k] * y[k] for k in sorted(x.keys() & y.keys())), 0.0)
    return G


def semidefinite_factors(
    A: Array,
    sizes: Array | None = None,
    order: Sequence[int] | None = None,
    scales: Array | None = None,
    tolerance: Tolerance = TOLERANCE,
) -> SemidefiniteFactors:
    """Return the factors of a symmetric positive-semidefinite A (m, m).

    ``sizes`` (m,): references of the pivots if A is a small difference of larger numbers; by default its diagonal.
    ``scales`` (m,): largest possible diagonal entries, for the detection of entries that are rounding; by default
    their largest.
    ``order``: elimination order of symbolic rows; independent rows should be first.
    """
    m = len(A)
    sizes = np.diagonal(A) if sizes is None else sizes
    if scales is None:
        largest: Any = 0.0
        for size in sizes:
            largest = maximum(largest, size)
        scales = np.array([largest] * m)
    least = [
        maximum(tolerance.dependent * size, tolerance.nothing * scale)
        for size, scale in zip(sizes, scales, strict=True)
    ]
    if not is_symbolic(A):
        return _pivoted(A, sizes, least)
    steps = list(range(m) if order is None else order)
    rest = {(i, j): A[max(i, j), min(i, j)] for n, i in enumerate(steps) for j in steps[: n + 1]}
    rows, columns, inverses = [], [], []
    for n, k in enumerate(steps):
        pivot = rest[k, k]
        clear = pivot > least[k]
        if is_zero(clear):
            continue
        inverse = where(clear, 1.0 / where(clear, pivot, 1.0), 0.0)
        column = np.zeros(m).astype(object)
        coupled = [i for i in steps[n + 1 :] if not is_zero(rest[i, k])]
        for later, i in enumerate(coupled):
            column[i] = rest[i, k] * inverse
            for j in coupled[: later + 1]:
                rest[i, j] = rest[i, j] - column[i] * rest[j, k]
        rows.append(k)
        columns.append(column)
        inverses.append(inverse)
    L = np.array(columns, dtype=object).reshape(len(rows), m)
    return SemidefiniteFactors(rows, L, np.array(inverses, dtype=object))


def _pivoted(A: Array, sizes: Array, least: Sequence[Any]) -> SemidefiniteFactors:
    """Factorize with the least dependent row as the next pivot."""
    rows: list[int] = []
    columns, inverses, rest = [], [], A
    scale = np.maximum(np.asarray(sizes, dtype=float), 1e-300)
    for _ in range(len(A)):
        clear = np.where(np.diagonal(rest) > least, np.diagonal(rest) / scale, 0.0)
        k = int(np.argmax(clear))
        if not clear[k] > 0.0:
            break
        rows.append(k)
        inverses.append(1.0 / rest[k, k])
        column = rest[:, k] * inverses[-1]
        rest = rest - np.outer(column, rest[k])
        rest[k], rest[:, k], column[k] = 0.0, 0.0, 0.0
        columns.append(column)
    return SemidefiniteFactors(rows, np.array(columns).reshape(len(rows), len(A)), np.array(inverses))


def _factors(A: Array) -> tuple[list[list[Any]], list[Any]]:
    """Return the rows of L (lower, without its diagonal) and the inverses of D, with A = Lᵀ D L."""
    n = len(A)
    rows = [[A[i, j] for j in range(i + 1)] for i in range(n)]  # lower triangle, becomes L and D
    inverse = [None] * n
    for k in reversed(range(n)):
        inverse[k] = 1.0 / rows[k][k]
        coupled = _nonzero(rows[k][:k])
        for later, i in reversed(list(enumerate(coupled))):
            ratio = rows[k][i] * inverse[k]
            for j in coupled[: later + 1]:
                rows[i][j] = rows[i][j] - ratio * rows[k][j]
            rows[k][i] = ratio
    return rows, inverse
