"""Small systems of equations for user functions: LAPACK for numbers, elimination for symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError, explained
from linkwright.provided import accepts_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, numbers_or_symbols, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric


@accepts_sympy
@explained
def solve(A: Any, b: Any, *, symmetric: bool = False, damping: Any = None) -> Array:
    """Solve A x = b for numbers and symbols.

    Parameters
    ----------
    A : array_like, shape (..., n, n) or (..., m, n)
        Matrix; with `damping` it may be rectangular.
    b : array_like, shape (..., m) or (..., m, k)
        Right-hand side.
    symmetric : bool, optional
        Whether A is symmetric and positive definite, which halves the operations.
    damping : float or Expr, optional
        Damping d ≥ 0 of the least-squares problem: x minimizes |A x − b|² + d² |x|². For d = 0 the columns of A must be
        independent, or its rows if there are fewer; x is then of least norm.

    Returns
    -------
    ndarray, shape (..., n) or (..., n, k)
        Solution. In a kernel a singular matrix gives NaN or infinities.

    Raises
    ------
    InputError
        If a matrix of numbers is singular.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 4.0])
    array([1., 1.])
    """
    A, b = numbers_or_symbols("A", A), numbers_or_symbols("b", b)
    vector = b.ndim == max(A.ndim - 1, 1)
    rows = b.shape[-1:] if vector else b.shape[-2:-1]
    if A.ndim < 2 or rows != A.shape[-2:-1] or (damping is None and A.shape[-2] != A.shape[-1]):
        wanted = "(n, n)" if damping is None else "(m, n)"
        raise ShapeError(
            f"solve takes A {wanted} and b ({wanted[1]},) or ({wanted[1]}, k); got {A.shape} and {b.shape}"
        )
    B = b[..., None] if vector else b
    if damping is not None:
        if not is_symbolic(damping) and not as_numbers("damping", damping) >= 0.0:
            raise InputError(f"damping is a number d ≥ 0; got {damping!r}")
        X = _damped(A, B, damping)
    elif not is_symbolic(A, B):
        X = _of_numbers(A, B)
    else:
        X = solve_symmetric(A, B) if symmetric else _eliminated(A, B)
    return X[..., 0] if vector else X


@accepts_sympy
@explained
def cholesky(A: Any) -> Array:
    """Compute the Cholesky factor L of a symmetric positive-definite A = L Lᵀ, for numbers and symbols.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        Matrix; symbols without leading dimensions.

    Returns
    -------
    ndarray, shape (..., n, n)
        Lower triangular factor.

    Raises
    ------
    InputError
        If a matrix of numbers is not positive definite.
    """
    A = numbers_or_symbols("A", A)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ShapeError(f"A is a matrix (n, n); got shape {A.shape}")
    if not is_symbolic(A):
        try:
            return np.linalg.cholesky(A)
        except np.linalg.LinAlgError:
            raise InputError("the matrix is not positive definite") from None
    n = len(A)
    L: list[list[Any]] = []
    for i in range(n):
        row: list[Any] = []
        for j in range(i):
            row.append((A[i, j] - sum(row[k] * L[j][k] for k in range(j))) / L[j][j])
        row.append(np.sqrt(A[i, i] - sum(x * x for x in row)))
        L.append(row)
    return np.stack([np.array([*row, *[0.0 * row[0]] * (n - 1 - i)]) for i, row in enumerate(L)]) if n else A


def _of_numbers(A: Array, B: Array) -> Array:
    try:
        return np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        raise InputError("the matrix is singular") from None


def _damped(A: Array, B: Array, damping: Any) -> Array:
    """Solve by the normal equations of the smaller side."""
    m, n = A.shape[-2:]
    T = np.swapaxes(A, -1, -2)
    square, right = (T @ A, T @ B) if n <= m else (A @ T, B)
    square = square + damping * damping * np.eye(min(m, n))
    X = solve_symmetric(square, right) if is_symbolic(square, right) else _of_numbers(square, right)
    return X if n <= m else T @ X


def _eliminated(A: Array, B: Array) -> Array:
    """Solve by Gaussian elimination; pivots are selected row by row, since symbols cannot be sorted."""
    n = len(A)
    rows = [[*A[i], *B[i]] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            larger = abs(rows[i][k]) > abs(rows[k][k])
            pairs = [(where(larger, y, x), where(larger, x, y)) for x, y in zip(rows[k], rows[i], strict=True)]
            rows[k], rows[i] = ([pair[side] for pair in pairs] for side in (0, 1))
        inverse = 1.0 / rows[k][k]
        rows[k] = [x * inverse for x in rows[k]]
        for i in range(k + 1, n):
            factor = rows[i][k]
            rows[i] = [y - factor * x for x, y in zip(rows[k], rows[i], strict=True)]
    X: list[Any] = [None] * n
    for i in reversed(range(n)):
        X[i] = np.array(rows[i][n:])
        for j in range(i + 1, n):
            X[i] = X[i] - rows[i][j] * X[j]
    return np.stack(X) if n else B
