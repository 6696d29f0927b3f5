"""Entering machine code from Python: a NumPy generalized universal function made in process.

NumPy then does what it is good at: broadcasting, casting, ``out=``, allocation, and releasing the GIL.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from linkwright.compiler.ir.program import ArraySpec, ProgramSignature

_FROM_LOOP_AND_SIGNATURE = 31  # index of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of functions
_TYPES = {"single": 11, "double": 12}  # NPY_FLOAT, NPY_DOUBLE
_NO_IDENTITY = -1


@cache
def numpy_table(which: str, last: int) -> Any:
    """Return the addresses of NumPy's C API: its table "multiarray" or "ufunc", up to an index."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = _multiarray_umath._ARRAY_API if which == "multiarray" else _multiarray_umath._UFUNC_API
    return (ctypes.c_void_p * (last + 1)).from_address(pointer(capsule, None))


@cache
def _constructor() -> Callable[..., Any]:
    """NumPy's constructor of generalized universal functions."""
    string, whole, address = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    types = (address, address, address, whole, whole, whole, whole, string, string, whole, string)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, *types)
    return prototype(numpy_table("ufunc", _FROM_LOOP_AND_SIGNATURE)[_FROM_LOOP_AND_SIGNATURE] or 0)


def signature(program: ProgramSignature) -> str:
    """The core dimensions as NumPy writes them: "(7),(7)->(7,7)"."""

    def group(slots: tuple[ArraySpec, ...]) -> str:
        return ",".join(f"({','.join(map(str, slot.shape))})" for slot in slots)

    return f"{group(program.inputs)}->{group(program.outputs)}"


def universal_function(program: ProgramSignature, loop: int) -> tuple[Any, Any]:
    """The function around a loop at this address, and what must live as long as it does."""
    n_in, n_out = len(program.inputs), len(program.outputs)
    loops = (ctypes.c_void_p * 1)(loop)
    data = (ctypes.c_void_p * 1)(None)
    types = (ctypes.c_char * (n_in + n_out))(*[bytes([_TYPES[program.precision]])] * (n_in + n_out))
    texts = (program.name.encode(), b"", signature(program).encode())
    function = _constructor()(
        ctypes.addressof(loops),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        n_in,
        n_out,
        _NO_IDENTITY,
        texts[0],
        texts[1],
        0,
        texts[2],
    )
    return function, (loops, data, types, texts, np.float64)
