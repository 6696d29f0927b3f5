"""Singular values of small matrices: LAPACK for numbers, Jacobi rotations for symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, is_symbolic, where

SWEEPS = 8
"""Number of sweeps over all pairs of rows; six general rows are orthogonal to rounding after five or six."""


def triangle(A: Array) -> Array:
    """Return L (m, m), lower triangular, with A Aᵀ = L Lᵀ for A (m, n), by Gram–Schmidt on its rows without squaring.

    The product of its diagonal is √det(A Aᵀ). Dependent rows have a zero there.
    """
    rest, rows, m = [A[i] for i in range(len(A))], [], len(A)
    columns = []
    for k in range(m):
        square = rest[k] @ rest[k]
        none = square <= 0.0  # NaN is kept
        length = where(none, 0.0, np.sqrt(where(none, 1.0, square)))
        unit = where(none, 0.0, 1.0 / np.sqrt(where(none, 1.0, square))) * rest[k]
        column: list[Any] = [0.0] * k + [length]
        for i in range(k + 1, m):
            along = unit @ rest[i]
            rest[i] = rest[i] - along * unit
            column.append(along)
        columns.append(np.array(column))
        rows.append(unit)
    return np.stack(columns, axis=1)


def singular_values(A: Array) -> tuple[Array, Array]:
    """Return U (m, m) and s (m,) with A Aᵀ = U diag(s²) Uᵀ for A (m, n): s decreasing, columns orthonormal and
    oriented.

    For numbers A may be (…, m, n); the result is NaN where A is not finite. For symbols the method is a fixed number of
    one-sided rotations of the rows of the triangle (Hestenes 1958).
    """
    if not is_symbolic(A):
        return _of_numbers(A)
    m, rows = len(A), list(triangle(A))
    turned = list(np.eye(m))  # columns of U
    for _ in range(SWEEPS if m > 2 else 1):
        for i in range(m):
            for j in range(i + 1, m):
                a, b = rows[i], rows[j]
                twice, gap = 2.0 * (a @ b), b @ b - a @ a
                t = where(gap < 0.0, -twice, twice) / (abs(gap) + np.sqrt(gap * gap + twice * twice) + 1e-300)
                c = 1.0 / np.sqrt(1.0 + t * t)
                s = c * t
                rows[i], rows[j] = c * a - s * b, s * a + c * b
                turned[i], turned[j] = c * turned[i] - s * turned[j], s * turned[i] + c * turned[j]
    lengths = [np.sqrt(row @ row) for row in rows]
    for last in range(m - 1, 0, -1):  # move the shortest to the end
        for k in range(last):
            less = lengths[k] < lengths[k + 1]
            lengths[k], lengths[k + 1] = (
                where(less, lengths[k + 1], lengths[k]),
                where(less, lengths[k], lengths[k + 1]),
            )
            turned[k], turned[k + 1] = where(less, turned[k + 1], turned[k]), where(less, turned[k], turned[k + 1])
    return oriented(np.stack(turned, axis=1)), np.stack(lengths)


def _of_numbers(A: Array) -> tuple[Array, Array]:
    *batch, m, n = A.shape
    finite = np.isfinite(A).all(axis=(-2, -1))[..., None]
    square = np.concatenate([A, np.zeros((*batch, m, max(0, m - n)))], axis=-1)
    U, s, _ = np.linalg.svd(np.where(finite[..., None], square, 0.0), full_matrices=False)
    return np.where(finite[..., None], oriented(U), np.nan), np.where(finite, s, np.nan)


def oriented(U: Array) -> Array:
    """Return the columns (…, m, k) with signs such that the largest entry is positive; of equal ones, the first."""
    signs = []
    for column in np.moveaxis(U, -1, 0):
        largest, *others = np.moveaxis(column, -1, 0)
        for x in others:
            largest = where(abs(x) > (1.0 + 1e-9) * abs(largest), x, largest)
        signs.append(where(largest < 0.0, -1.0, 1.0))
    return np.stack(signs, axis=-1)[..., None, :] * U
