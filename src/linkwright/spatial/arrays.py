"""Functions of arrays that accept numbers and symbols.

Arithmetic, ``sin``, ``sqrt`` and similar functions are not needed here: NumPy applies them to object
arrays by calling the methods of the elements. Functions that NumPy implements by comparisons and truth values
(``where``, ``minimum``, ``sign``) do not accept symbols; the functions of this module call the
elements' methods of the same names instead.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, explained
from linkwright.provided import accepts_sympy, holds_sympy, numbers_of_sympy, symbols_of_sympy

Array = np.ndarray
"""Array of float64, or of objects that behave like numbers (symbols)."""

if TYPE_CHECKING:  # type checkers see arrays with shapes
    from typing import Annotated as Shaped

    __all__ = ["Shaped"]  # exports the imported name
elif "jaxtyping" in sys.modules:  # shape annotations are executed in tests only
    from jaxtyping import Shaped as Shaped
else:

    class Shaped:
        """Replacement of ``jaxtyping.Shaped`` where that is not loaded."""

        def __class_getitem__(cls, item: Any) -> Any:
            return item[0]


_where = np.frompyfunc(lambda c, a, b: c.where(a, b) if hasattr(c, "where") else (a if c else b), 3, 1)


def _elementwise(of_symbols: str, reflected: str, of_numbers: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of two arrays of symbols, some of whose entries are numbers."""

    def of_two(x: Any, y: Any) -> Any:
        if hasattr(x, of_symbols):
            return getattr(x, of_symbols)(y)
        return getattr(y, reflected)(x) if hasattr(y, reflected) else of_numbers(x, y)

    return np.frompyfunc(of_two, 2, 1)


_minimum = _elementwise("minimum", "minimum", np.minimum)
_maximum = _elementwise("maximum", "maximum", np.maximum)
_atan2 = _elementwise("arctan2", "rarctan2", np.arctan2)
_sign = np.frompyfunc(lambda x: x.sign() if hasattr(x, "sign") else np.sign(x), 1, 1)
_defined = np.frompyfunc(lambda x, y, c: x.defined(y, c) if hasattr(x, "defined") else x, 3, 1)
_held = np.frompyfunc(lambda x, how: x.held(how) if hasattr(x, "held") else x, 2, 1)
_inverse_root = np.frompyfunc(lambda x: x.inverse_root(), 1, 1)

SHOWN = 16
"""Entries up to which messages show a whole array."""


def as_numbers(name: str, x: Any) -> Array:
    """Return an argument as a float64 array; reject complex numbers, text and other types."""
    x = without_mask(name, x)
    try:
        array = np.asarray(x)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last of a library that records operations on it
        if (numbers := numbers_of_sympy(x)) is not x:
            return as_numbers(name, numbers)
        advice = ""
        if getattr(x, "requires_grad", False):  # of PyTorch
            advice = (
                "; lw.bridges.torch(function, model) returns functions with gradients, tensor.detach() a tensor without"
            )
        if is_symbolic(x) and any(map(_is_symbol_of_any, np.asarray(x).flat)):
            advice = ". It contains symbols: give their values"
        raise ArgumentError(f"{name} must be an array of real numbers; got {x!r:.2000}{advice}") from None


def without_mask(name: str, x: Any) -> Any:
    """Return a masked array without masked entries as a plain array, other objects as they are."""
    if type(x) is np.ndarray or not isinstance(x, np.ndarray) or not hasattr(x, "mask"):
        return x
    if count := np.count_nonzero(x.mask):
        raise ArgumentError(
            f"{name} is a masked array, and {count} of its entries have no value: give {name}.filled(value), or leave "
            "out their rows"
        )
    return np.asarray(x)


def numbers_or_symbols(name: str, x: Any) -> Array:
    """Return an argument with symbols as an array of objects, others as a float64 array; reject other types."""
    if not is_symbolic(x):
        return as_numbers(name, x)
    array = np.asarray(symbols_of_sympy(x) if holds_sympy(x) else x)
    if not all(hasattr(e, "__truediv__") for e in array.flat):
        raise ArgumentError(f"{name} must be an array of real numbers or symbols; got {x!r:.200}")
    return array


def is_finite_number(x: Any) -> bool:
    """Return whether an object is one finite real number in the range of float64."""
    try:
        return isinstance(x, (int, float, np.number)) and math.isfinite(x)
    except (OverflowError, TypeError):  # 10**400; a complex number
        return False


def finite(name: str, x: Any, *shapes: tuple[int, ...]) -> Array:
    """Return a copy of finite numbers, of one of these shapes if any are given."""
    array = as_numbers(name, x).copy()
    if (shapes and array.shape not in shapes) or not np.isfinite(array).all():
        wanted = [f"finite numbers of shape {shape}" if shape else "a finite number" for shape in shapes]
        raise InputError(f"{name} must be {' or '.join(wanted) or 'finite'}; got {_faulty(x, array)}")
    return array


def _faulty(x: Any, array: Array) -> str:
    """Return a value for a message: of a large array its shape, or the first entry that is not finite."""
    if array.size <= SHOWN:
        return repr(x)
    faults = np.argwhere(~np.isfinite(array))
    entry = f"{array[tuple(faults[0])]} at {faults[0].tolist()}" if len(faults) else ""
    shape = f"an array of shape {array.shape}"
    return f"{entry} of {shape}" if entry else shape


def entries(name: str, x: Any, *shapes: tuple[int, ...], infinite: bool = False) -> Array:
    """Return a copy of finite numbers (or also infinite ones) or symbols, of one of these shapes."""
    if is_symbolic(x) and not all(map(_is_entry, np.array(x).flat)):
        x = symbols_of_sympy(x)
    if not is_symbolic(x) or not all(map(_is_entry, (array := np.array(x)).flat)):
        if not infinite:
            return finite(name, x, *shapes)
        array = as_numbers(name, x).copy()
    if array.shape not in shapes or any(np.isnan(e) for e in array.flat if not is_symbol(e)):
        wanted = [f"numbers or symbols of shape {shape}" if shape else "a number or a symbol" for shape in shapes]
        raise InputError(f"{name} must be {' or '.join(wanted)}; got {x!r}")
    return array


def is_symbol(x: Any) -> bool:
    """Return whether an object is one symbolic expression."""
    return hasattr(x, "where")


def _is_symbol_of_any(x: Any) -> bool:
    """Return whether an object is an expression with symbols, of this library or of SymPy."""
    return is_symbol(x) or bool(getattr(x, "free_symbols", None))


def symbol_names(values: Iterable[Any]) -> list[str]:
    """Return the names of the symbols in scalars, in alphabetical order."""
    names, seen, waiting = set(), set(), [x for x in values if is_symbol(x)]
    while waiting:
        node = waiting.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        waiting.extend(node.args)
        if node.op == "symbol":
            names.add(str(node.name).removesuffix("[]"))
    return sorted(names)


def _is_entry(x: Any) -> bool:
    """Return whether an object is a symbol, or a number among symbols."""
    return is_symbol(x) or (isinstance(x, (int, float)) and not isinstance(x, bool))


def is_symbolic(*arrays: Any) -> bool:
    """Return whether any of the arrays contains symbols; other objects do not."""
    try:
        for x in arrays:  # without a generator: this is called for every value of a function on numbers
            if (x if hasattr(x, "dtype") else np.asarray(x)).dtype.kind == "O":
                return True
    except (ValueError, AttributeError):  # rows of different lengths; types of other libraries
        pass
    return False


def is_exact(x: Any) -> bool:
    """Return whether a scalar is an expression without rounding, which needs no series where closed forms round."""
    return bool(getattr(x, "exact", False))


def is_zero(x: Any) -> bool:
    """Return whether a number is zero, or a symbol that is zero for all inputs."""
    return _is(x, 0.0)


def is_one(x: Any) -> bool:
    """Return whether a number is one, or a symbol that is one for all inputs."""
    return _is(x, 1.0)


def _is(x: Any, number: float) -> bool:
    value = getattr(x, "value", x)
    return isinstance(value, (int, float)) and value == number


@accepts_sympy
@explained
def where(condition: Any, a: Any, b: Any) -> Any:
    """Select ``a`` where the condition holds, else ``b``; both are evaluated.

    Parameters
    ----------
    condition : array_like of bool
        Condition, such as ``(x > 0.0) & (x < 1.0)``.
    a, b : array_like
        Values.

    Returns
    -------
    ndarray
        Selected values.

    Notes
    -----
    NumPy warns about the unselected values too, as of ``np.sqrt(x)`` for negative numbers and ``1.0 / x`` for zero;
    kernels do not. ``with np.errstate(all="ignore"):`` suppresses the warnings, and ``np.sqrt(where(x > 0.0, x, 0.0))``
    avoids them. The derivative of a kernel selects as well: that of ``where(x > 0.0, np.sqrt(x), 0.0)`` at 0 is 0.
    NumPy evaluates truth values of comparisons in plain object arrays, as ``np.array`` returns them; use
    ``stack`` for arrays of symbols.
    """
    if not is_symbolic(condition):
        return np.where(condition, a, b)
    if all(isinstance(c, (bool, np.bool_)) for c in np.asarray(condition).flat):  # numbers compared as objects
        return np.where(np.asarray(condition, dtype=bool), a, b)
    with np.errstate(invalid="ignore"):  # simplification compares constants, which may be NaN
        return _where(condition, a, b)


@accepts_sympy
@explained
def minimum(x: Any, y: Any) -> Any:
    """Compute the elementwise minimum.

    Parameters
    ----------
    x, y : array_like
        Numbers or symbols.

    Returns
    -------
    ndarray
        Minimum.
    """
    return _minimum(x, y) if is_symbolic(x, y) else np.minimum(x, y)


@accepts_sympy
@explained
def maximum(x: Any, y: Any) -> Any:
    """Compute the elementwise maximum.

    Parameters
    ----------
    x, y : array_like
        Numbers or symbols.

    Returns
    -------
    ndarray
        Maximum.
    """
    return _maximum(x, y) if is_symbolic(x, y) else np.maximum(x, y)


def largest(x: Any) -> Any:
    """Return the largest magnitude of the entries (n,), n ≥ 1."""
    return reduce(maximum, [abs(entry) for entry in x])


@accepts_sympy
@explained
def sign(x: Any) -> Any:
    """Compute the elementwise sign: -1, 0 or 1.

    Parameters
    ----------
    x : array_like
        Numbers or symbols.

    Returns
    -------
    ndarray
        Sign.
    """
    return _sign(x) if is_symbolic(x) else np.sign(x)


@accepts_sympy
@explained
def atan2(y: Any, x: Any) -> Any:
    """Compute the angle of the point (x, y).

    Parameters
    ----------
    y, x : array_like
        Coordinates.

    Returns
    -------
    ndarray
        Angle in rad, in (-π, π].
    """
    return _atan2(y, x) if is_symbolic(y, x) else np.arctan2(y, x)


def inverse_root(x: Any) -> Any:
    """Return 1/√x of positive finite numbers above 1e-300, elementwise; kernels compute it without a division."""
    return _inverse_root(x) if is_symbolic(x) else 1.0 / np.sqrt(x)


def held(x: Any, how: str = "held") -> Any:
    """Return the values as constants for derivatives: what is computed of them must be exact to first order.

    ``how``: "held", or "held_twice" where it is exact to second order, or "held_once" where second derivatives are NaN.
    """
    return _held(x, how) if is_symbolic(x) else x


def defined(x: Any, y: Any, condition: Any) -> Any:
    """Return the values, with derivatives that are NaN where the condition does not hold, by what y depends on.

    Second derivatives are NaN where y has second derivatives.
    """
    return _defined(x, y, condition) if is_symbolic(x) else x


def plain_norm(x: Array) -> Any:
    """Return √(x·x) of a vector, or along the last axis, where the squares neither underflow nor overflow."""
    return np.sqrt(_square(x))


def _square(x: Array) -> Any:
    return x @ x if x.ndim == 1 else (x * x).sum(axis=-1)


SMALL_SQUARE, LARGE_SQUARE = 1e-280, 1e280
SMALL_SCALE, LARGE_SCALE = 2.0**-600, 2.0**600
"""Scales of vectors whose squares would overflow or underflow: powers of two, which are exact."""


@accepts_sympy
@explained
def norm(x: Any) -> Any:
    """Compute the Euclidean norm along the last axis.

    Parameters
    ----------
    x : array_like, shape (..., n)
        Vector.

    Returns
    -------
    ndarray, shape (...)
        Norm.

    Notes
    -----
    The squares of entries below 1e-140 or above 1e140 are computed at another scale, a power of two, so that neither
    the norm nor its derivatives underflow or overflow. ``np.sqrt(x @ x)`` is the norm without scaling, in fewer
    operations. At zero the norm has no derivative.

    Examples
    --------
    >>> import linkwright as lw
    >>> float(lw.norm([3.0, 4.0]))
    5.0
    >>> float(lw.norm([3e-200, 4e-200]))
    5e-200
    """
    x = np.asarray(x)
    if not x.ndim:
        return abs(x[()])
    if not is_symbolic(x):
        x = x.astype(float)
    elif any(getattr(entry, "unlimited", False) for entry in x.flat):
        return plain_norm(x)
    with np.errstate(over="ignore", under="ignore"):
        square = _square(x)
        scale = where(square < SMALL_SQUARE, LARGE_SCALE, where(square > LARGE_SQUARE, SMALL_SCALE, 1.0))
    return plain_norm(x * np.asarray(scale)[..., None]) / scale


def unit_vector(x: Array) -> Array:
    """Return x / |x| of a nonzero vector (n,) of numbers, whose squares may underflow or overflow."""
    x = x / np.abs(x).max()
    unit: Array = x / np.linalg.norm(x)
    return unit


@accepts_sympy
@explained
def clip(x: Any, low: Any, high: Any) -> Any:
    """Clip values to an interval, elementwise.

    Parameters
    ----------
    x : array_like
        Numbers or symbols.
    low, high : array_like or None
        Bounds; None: no bound.

    Returns
    -------
    ndarray
        Clipped values.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.clip([-2.0, 0.5, 3.0], -1.0, 1.0)
    array([-1. ,  0.5,  1. ])
    """
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


@cache
def _upper_places(n: int) -> tuple[Array, Array]:
    """Return for every entry of a matrix (n, n) the indices of the equal entry in the upper triangle."""
    row, column = np.indices((n, n))
    return np.minimum(row, column), np.maximum(row, column)


def mirror(A: Array) -> Array:
    """Return a symmetric matrix with the lower triangle copied from the upper one.

    In a trace the lower triangle is then not computed.
    """
    return A[_upper_places(len(A))]


def snap(A: Any, tolerance: float = 1e-10) -> Array:
    """Return a rotation (3, 3) or a unit vector (3,) with entries within ``tolerance`` of 0 set to zero.

    Angles in files are decimals, but zeros of a rotation must be exact, since they are eliminated
    from compiled code. The other entries are made orthonormal: with a deviation of
    1e-10 the algorithms would differ by this times the condition number of the mass matrix.
    Other matrices are only rounded.
    """
    A = np.array(A, dtype=float)
    A[np.abs(A) <= tolerance] = 0.0
    if np.abs(A @ A.T - (1.0 if A.ndim == 1 else np.eye(3))).max() <= 2e-15:  # the usual case
        return A
    zeros = (A == 0.0).sum(axis=-1)
    if not zeros.any() or not A.any(axis=-1).all():
        return A
    if A.ndim == 1:
        exact = A / np.linalg.norm(A)
    else:  # Gram-Schmidt from the row with most zeros keeps them: a rotation has one, four or six
        i, j, k = np.argsort(-zeros, kind="stable")
        exact = np.empty((3, 3))
        exact[i] = A[i] / np.linalg.norm(A[i])
        rest = A[j] - (A[j] @ exact[i]) * exact[i]
        exact[j] = rest / (np.linalg.norm(rest) or 1.0)
        exact[k] = np.cross(exact[i], exact[j]) * (1.0 if (j - i) % 3 == 1 else -1.0)
    return exact + 0.0 if np.abs(exact - A).max() <= 4.0 * tolerance else A
