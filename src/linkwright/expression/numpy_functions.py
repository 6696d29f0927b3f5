"""NumPy functions of arrays of symbols: applied, replaced for conditions, or rejected with the alternative."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ExpressionError


def numpy_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Apply a NumPy function to symbols, or raise an error with the alternative."""
    name = function.__name__
    if function in _OF_CONDITIONS:
        return _OF_CONDITIONS[function](*args, **kwargs)
    if name.startswith("nan"):
        raise ExpressionError(f"numpy.{name} tests for NaN, which symbols do not have")
    if function.__module__ == "numpy.linalg" and (ours := _LINEAR_ALGEBRA.get(name)):
        raise ExpressionError(f"numpy.linalg.{name} takes numbers only; {ours}")
    if name == "dot" and len(args) == 2 and not kwargs:
        from linkwright.expression.loops.products import product

        return function._implementation(*args) if (found := product(*args)) is None else found
    if name == "einsum" and not kwargs:
        from linkwright.expression.loops.products import summed

        if (found := summed(*args)) is not None:
            return found
    try:
        return function._implementation(*args, **kwargs)
    except (ExpressionError, TypeError) as error:
        if name not in _BY_TRUTH:
            raise
        raise ExpressionError(f"numpy.{name} needs truth values of symbols; {_BY_TRUTH[name]}") from error


_and, _or = np.frompyfunc(lambda x, y: x & y, 2, 1), np.frompyfunc(lambda x, y: x | y, 2, 1)


def every(conditions: Any, axis: Any = None) -> Any:
    """Return whether all conditions hold, along an axis."""
    return _and.reduce(np.asarray(conditions, dtype=object), axis=axis, initial=None if np.size(conditions) else True)


def some(conditions: Any, axis: Any = None) -> Any:
    """Return whether any condition holds, along an axis."""
    return _or.reduce(np.asarray(conditions, dtype=object), axis=axis, initial=None if np.size(conditions) else False)


_OF_CONDITIONS: dict[Any, Any] = {np.all: every, np.any: some}

_LARGEST, _SMALLEST = (f"functools.reduce(linkwright.{name}, x) does not" for name in ("maximum", "minimum"))
_CHOICE = "linkwright.where(condition, a, b) does not"
_ORDER = "selections by order of symbols use linkwright.where, minimum and maximum"

_BY_TRUTH = {
    "clip": "linkwright.clip(x, low, high) does not",
    "max": _LARGEST,
    "amax": _LARGEST,
    "min": _SMALLEST,
    "amin": _SMALLEST,
    "where": _CHOICE,
    "select": _CHOICE,
    "piecewise": _CHOICE,
    **dict.fromkeys(("sort", "argsort", "median", "argmax", "argmin", "ptp", "searchsorted", "digitize"), _ORDER),
}

_OTHERS = "of symbols there are linkwright.solve, cholesky and norm"

_LINEAR_ALGEBRA = {
    "solve": "linkwright.solve(A, b) takes symbols too",
    "inv": "linkwright.solve(A, np.eye(n)) takes symbols too",
    "pinv": "linkwright.solve(A, np.eye(n), damping=…) takes symbols too",
    "lstsq": "linkwright.solve(A, b, damping=0.0) takes symbols too",
    "cholesky": "linkwright.cholesky(A) takes symbols too",
    "det": "the square of the product of the diagonal of linkwright.cholesky(A), of a definite A, takes symbols too",
    **dict.fromkeys(("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "qr", "slogdet"), _OTHERS),
    **dict.fromkeys(("cond", "matrix_rank", "tensorsolve", "tensorinv"), _OTHERS),
}
