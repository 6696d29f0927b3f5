"""Layouts of CPython's objects and NumPy's arrays in memory, as compiled extensions read them.

The machine code that kernels share (`c/`) reads the same fields. :func:`supported` compares them with real objects
before anything relies on them.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from typing import Any

import numpy as np

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Flags of an array."""


class ArrayLayout(ctypes.Structure):
    """The fields of ``numpy.ndarray``."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int32),
    )


class FloatLayout(ctypes.Structure):
    """The fields of a float, Python's or NumPy's."""

    _fields_ = (("references", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("value", ctypes.c_double))


class TupleLayout(ctypes.Structure):
    """The fields of a tuple of any version of Python, without its items."""

    _fields_ = (("references", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("size", ctypes.c_ssize_t))


TUPLE_ITEMS = tuple.__basicsize__
"""Offset of the items of a tuple."""


@cache
def supported() -> bool:
    """Return whether objects and arrays have these layouts; free-threaded and debug builds of Python have others."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or hasattr(sys, "gettotalrefcount"):
        return False
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    whole = np.arange(24.0).reshape(2, 3, 4)
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    if not all(map(_has_layout, (whole, whole[:, ::2], whole.astype(np.float32), frozen))):
        return False
    numbers: tuple[Any, ...] = (0.1, np.float64(0.1))
    if any(FloatLayout.from_address(id(x)).value != x for x in numbers):
        return False
    pair = (whole, frozen)
    items = (ctypes.c_void_p * 2).from_address(id(pair) + TUPLE_ITEMS)
    if (TupleLayout.from_address(id(pair)).size, *items) != (2, id(whole), id(frozen)):
        return False
    return whole.dtype is np.dtype(np.float64)


def _has_layout(x: np.ndarray) -> bool:
    read = ArrayLayout.from_address(id(x))
    fields = (read.type, read.data, read.ndim, read.dtype)
    if fields != (id(np.ndarray), x.ctypes.data, x.ndim, id(x.dtype)):
        return False
    if (tuple(read.shape[: x.ndim]), tuple(read.strides[: x.ndim])) != (x.shape, x.strides):
        return False
    flags = ((CONTIGUOUS, x.flags.c_contiguous), (ALIGNED, x.flags.aligned), (WRITEABLE, x.flags.writeable))
    return all(bool(read.flags & flag) == given for flag, given in flags)


_DATA = ArrayLayout.data.offset


def address(array: np.ndarray) -> int:
    """Return the address of an array's entries: ``array.ctypes.data`` in a fifth of the time."""
    if not supported():
        return array.ctypes.data
    return ctypes.c_void_p.from_address(id(array) + _DATA).value or 0
