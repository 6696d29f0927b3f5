"""Functions that NumPy cannot apply to symbols, on numbers and on symbols alike.

Arithmetic, ``sin``, ``sqrt`` and the like need nothing from here: NumPy applies them to object
arrays by calling the elements' own methods. What NumPy does through comparisons and truth values
(``where``, ``minimum``, ``sign``) it cannot do on symbols; these functions call the elements'
methods of the same names instead.
"""

from __future__ import annotations

import math
import sys
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, explained

Array = np.ndarray
"""An array of float64, or of objects that behave like numbers (symbols)."""

if TYPE_CHECKING:  # whoever checks types sees arrays, with the shape beside them
    from typing import Annotated as Shaped

    __all__ = ["Shaped"]  # what is imported counts as this module's own only where it says so
elif "jaxtyping" in sys.modules:  # shape annotations are executed in tests only
    from jaxtyping import Shaped as Shaped
else:

    class Shaped:
        """Stands for ``jaxtyping.Shaped`` where that is not loaded."""

        def __class_getitem__(cls, item: Any) -> Any:
            return item[0]


_where = np.frompyfunc(lambda c, a, b: c.where(a, b) if hasattr(c, "where") else (a if c else b), 3, 1)
_minimum = np.frompyfunc(lambda x, y: x.minimum(y) if hasattr(x, "minimum") else y.minimum(x), 2, 1)
_maximum = np.frompyfunc(lambda x, y: x.maximum(y) if hasattr(x, "maximum") else y.maximum(x), 2, 1)
_sign = np.frompyfunc(lambda x: x.sign(), 1, 1)
_inverse_root = np.frompyfunc(lambda x: x.inverse_root(), 1, 1)
_atan2 = np.frompyfunc(lambda y, x: y.arctan2(x) if hasattr(y, "arctan2") else x.rarctan2(y), 2, 1)


def as_numbers(name: str, x: Any) -> Array:
    """An argument as a float64 array; complex numbers, text and the like are refused."""
    try:
        array = np.asarray(x)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} must be an array of real numbers; got {x!r}") from None


def is_finite_number(x: Any) -> bool:
    """Whether that is one finite real number, which float64 holds."""
    try:
        return isinstance(x, (int, float, np.number)) and math.isfinite(x)
    except (OverflowError, TypeError):  # 10**400; a complex number
        return False


def finite(name: str, x: Any, *shapes: tuple[int, ...]) -> Array:
    """A copy of finite numbers, of one of these shapes where any are given."""
    array = as_numbers(name, x).copy()
    if (shapes and array.shape not in shapes) or not np.isfinite(array).all():
        wanted = [f"finite numbers of shape {shape}" if shape else "a finite number" for shape in shapes]
        raise InputError(f"{name} must be {' or '.join(wanted) or 'finite'}; got {x!r}")
    return array


def entries(name: str, x: Any, *shapes: tuple[int, ...], infinite: bool = False) -> Array:
    """A copy of finite numbers, or infinite ones too, or of symbols, of one of these shapes."""
    if not is_symbolic(x) or not all(map(_is_entry, (array := np.array(x)).flat)):
        if not infinite:
            return finite(name, x, *shapes)
        array = as_numbers(name, x).copy()
    if array.shape not in shapes or any(np.isnan(e) for e in array.flat if not _is_symbol(e)):
        wanted = " or ".join(f"of shape {shape}" if shape else "one" for shape in shapes)
        raise InputError(f"{name} must be numbers or symbols, {wanted}; got {x!r}")
    return array


def _is_symbol(x: Any) -> bool:
    return hasattr(x, "where")


def _is_entry(x: Any) -> bool:
    """Whether it is a symbol, or a number among some."""
    return _is_symbol(x) or (isinstance(x, (int, float)) and not isinstance(x, bool))


def is_symbolic(*arrays: Any) -> bool:
    """Whether any of the arrays holds symbols rather than numbers; what is no array does not."""
    try:
        return any((x if hasattr(x, "dtype") else np.asarray(x)).dtype.kind == "O" for x in arrays)
    except ValueError:  # rows of several lengths
        return False


def is_zero(x: Any) -> bool:
    """Whether a number is zero, or a symbol whatever the inputs."""
    return _is(x, 0.0)


def is_one(x: Any) -> bool:
    """Whether a number is one, or a symbol whatever the inputs."""
    return _is(x, 1.0)


def _is(x: Any, number: float) -> bool:
    value = getattr(x, "value", x)
    return isinstance(value, (int, float)) and value == number


@explained
def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; both are evaluated.

    On numbers NumPy warns of the one that is not taken, too: ``np.sqrt(x)`` of negative numbers, ``1.0 / x`` of zero.
    Kernels do not. ``with np.errstate(all="ignore"):`` keeps it quiet, and ``np.sqrt(where(x > 0.0, x, 0.0))`` asks
    nothing that it could warn of.

    ``(x > 0.0) & (x < 1.0)`` is a condition, of numbers, of symbols and of arrays of either; but NumPy asks
    for truth values where it compares a plain array of symbols, such as ``np.array`` makes: ``stack`` makes others.
    """
    if not is_symbolic(condition):
        return np.where(condition, a, b)
    if all(isinstance(c, (bool, np.bool_)) for c in np.asarray(condition).flat):  # numbers compared as objects
        return np.where(np.asarray(condition, dtype=bool), a, b)
    with np.errstate(invalid="ignore"):  # what simplifies symbols compares their constants, of which one may be NaN
        return _where(condition, a, b)


@explained
def minimum(x: Any, y: Any) -> Any:
    """The smaller of two, element by element."""
    return _minimum(x, y) if is_symbolic(x, y) else np.minimum(x, y)


@explained
def maximum(x: Any, y: Any) -> Any:
    """The larger of two, element by element."""
    return _maximum(x, y) if is_symbolic(x, y) else np.maximum(x, y)


def largest(x: Any) -> Any:
    """The largest size of the entries (n,), of which there are some."""
    return reduce(maximum, [abs(entry) for entry in x])


@explained
def sign(x: Any) -> Any:
    """-1, 0 or 1, element by element."""
    return _sign(x) if is_symbolic(x) else np.sign(x)


@explained
def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), in (-π, π]."""
    return _atan2(y, x) if is_symbolic(y, x) else np.arctan2(y, x)


def inverse_root(x: Any) -> Any:
    """1/√x of positive numbers, neither below 1e-300 nor infinite, element by element; kernels do not divide for it."""
    return _inverse_root(x) if is_symbolic(x) else 1.0 / np.sqrt(x)


def plain_norm(x: Array) -> Any:
    """Return √(x·x) of a vector, or of each along the last axis, whose squares neither underflow nor overflow."""
    return np.sqrt(_square(x))


def _square(x: Array) -> Any:
    return x @ x if x.ndim == 1 else (x * x).sum(axis=-1)


SMALL_SQUARE, LARGE_SQUARE = 1e-280, 1e280
SMALL_SCALE, LARGE_SCALE = 2.0**-600, 2.0**600
"""What vectors are multiplied by whose squares would overflow, or underflow: powers of two, which do not round"""


@explained
def norm(x: Any) -> Any:
    """Compute the Euclidean length of a vector (of each, along the last axis).

    The squares of entries below 1e-140 or above 1e140 are computed at another scale, a power of two, so that neither
    the length nor its derivatives underflow or overflow. ``np.sqrt(x @ x)`` is the length without that, in fewer
    operations. At zero the length has no derivative.

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
    with np.errstate(over="ignore", under="ignore"):
        square = _square(x)
        scale = where(square < SMALL_SQUARE, LARGE_SCALE, where(square > LARGE_SQUARE, SMALL_SCALE, 1.0))
    return plain_norm(x * np.asarray(scale)[..., None]) / scale


def unit_vector(x: Array) -> Array:
    """Return x / |x| of a vector (n,) of numbers, not all zero, whose squares may underflow or overflow."""
    x = x / np.abs(x).max()
    unit: Array = x / np.linalg.norm(x)
    return unit


@explained
def clip(x: Any, low: Any, high: Any) -> Any:
    """``x``, but not below ``low`` and not above ``high`` (None: no limit), element by element.

    >>> import linkwright as lw
    >>> lw.clip([-2.0, 0.5, 3.0], -1.0, 1.0)
    array([-1. ,  0.5,  1. ])
    """
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


@cache
def _upper_places(n: int) -> tuple[Array, Array]:
    """For every entry of a matrix (n, n), where its equal in the upper triangle is."""
    row, column = np.indices((n, n))
    return np.minimum(row, column), np.maximum(row, column)


def mirror(A: Array) -> Array:
    """A symmetric matrix, its lower triangle taken from the upper one.

    In a trace the lower triangle is then never computed.
    """
    return A[_upper_places(len(A))]


def snap(A: Any, tolerance: float = 1e-10) -> Array:
    """A rotation (3, 3) or a unit vector (3,) with entries within ``tolerance`` of 0 made exactly so.

    Angles in files are decimals; the zeros of a rotation must survive them, for they are what folds
    away in compiled code. The other entries are made orthonormal again: a rotation that is none by
    1e-10 would make the algorithms disagree by that much times the condition of the mass matrix.
    What is no rotation to begin with is only rounded.
    """
    A = np.array(A, dtype=float)
    A[np.abs(A) <= tolerance] = 0.0
    if np.abs(A @ A.T - (1.0 if A.ndim == 1 else np.eye(3))).max() <= 2e-15:  # mostly so; the rest takes long
        return A
    zeros = (A == 0.0).sum(axis=-1)
    if not zeros.any() or not A.any(axis=-1).all():
        return A
    if A.ndim == 1:
        exact = A / np.linalg.norm(A)
    else:  # Gram-Schmidt from the row with most zeros keeps all of them: a rotation has one, four or six
        i, j, k = np.argsort(-zeros, kind="stable")
        exact = np.empty((3, 3))
        exact[i] = A[i] / np.linalg.norm(A[i])
        rest = A[j] - (A[j] @ exact[i]) * exact[i]
        exact[j] = rest / (np.linalg.norm(rest) or 1.0)
        exact[k] = np.cross(exact[i], exact[j]) * (1.0 if (j - i) % 3 == 1 else -1.0)
    return exact + 0.0 if np.abs(exact - A).max() <= 4.0 * tolerance else A
