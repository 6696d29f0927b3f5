"""Arrays of expressions: object arrays whose comparisons are conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.expression.numpy_functions import every, numpy_function, some


class SymbolArray(np.ndarray):
    """Object array of expressions. Its comparisons are conditions, where NumPy would evaluate truth values."""

    __array_priority__ = 1.0  # results that NumPy joins with such an array have its type

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return numpy_function(function, args, kwargs)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return NumPy's result as for plain arrays: an expression if it has no axis."""
        return array[()] if return_scalar else array.view(SymbolArray)

    def __matmul__(self, y: Any) -> Any:
        return _product(self, y)

    def __rmatmul__(self, y: Any) -> Any:
        return _product(y, self)

    def __bool__(self) -> bool:
        for x in self.flat:
            bool(x)  # of an expression raises an error that explains it, where NumPy proposes any() and all()
        return bool(self.view(np.ndarray))

    def all(self, axis: Any = None) -> Any:  # type: ignore[override]
        return every(self, axis)

    def any(self, axis: Any = None) -> Any:  # type: ignore[override]
        return some(self, axis)

    def sympy(self) -> Any:
        """Return a matrix of SymPy, a vector as a column; of more than two axes an array of SymPy."""
        from linkwright.expression.sympy.conversion import array_of_sympy

        return array_of_sympy(self)

    def dot(self, y: Any) -> Any:  # type: ignore[override]
        return np.dot(self, y)

    def __lt__(self, y: Any) -> Any:
        return np.less(self, y, dtype=object)

    def __le__(self, y: Any) -> Any:
        return np.less_equal(self, y, dtype=object)

    def __gt__(self, y: Any) -> Any:
        return np.greater(self, y, dtype=object)

    def __ge__(self, y: Any) -> Any:
        return np.greater_equal(self, y, dtype=object)


def _product(A: Any, B: Any, otherwise: Any = np.matmul) -> Any:
    """Return a product of arrays: a loop for a large matrix, else unrolled."""
    from linkwright.expression.loops.products import product

    found = product(A, B)
    return otherwise(A, B) if found is None else found


def comparable(x: Any) -> Any:
    """Return an array of expressions as one that supports comparisons; other objects are unchanged."""
    return x.view(SymbolArray) if isinstance(x, np.ndarray) and x.dtype == object else x
