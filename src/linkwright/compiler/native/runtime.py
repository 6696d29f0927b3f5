"""The machine code that all kernels share: calls from Python, signals, calls in sequence.

Its source is the C in `c/`. The package contains LLVM's intermediate representation of it (`c/runtime.ll`, written by
`tools/write_runtime.py`), which becomes machine code of this processor when it is first needed.
"""

from __future__ import annotations

import ctypes
import hashlib
import pkgutil
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from linkwright.compiler.native import cache as files
from linkwright.compiler.native import machine
from linkwright.compiler.native.call import numpy_table
from linkwright.compiler.native.layout import TUPLE_ITEMS

MOST_STOPPED_THREADS = 4096


class SignalState(ctypes.Structure):
    """`SignalState` of `c/python.h`, where its fields are explained."""

    _fields_ = (
        ("main_thread", ctypes.c_uint64),
        *((name, ctypes.c_void_p) for name in ("exception", "value", "traceback")),
        ("work", ctypes.c_uint64),
        ("work_of_others", ctypes.c_uint64),
        ("stopped_count", ctypes.c_uint64),
        ("stopped", ctypes.c_uint64 * MOST_STOPPED_THREADS),
    )


signals = SignalState(main_thread=threading.main_thread().ident or 0)
"""The state of this process, which `interrupts.py` changes."""

_OBJECTS = ("ndarray", "float64", "tuple", "float_type", "float64_type", "out")
_NUMPYS = {"PyArray_NewFromDescr": 94, "PyArray_Scalar": 60}
"""Places in NumPy's table of functions."""
_PYTHONS = (
    *("PyObject_Vectorcall", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef"),
    *("Py_DecRef", "PyThread_get_thread_ident", "PyGILState_Ensure", "PyGILState_Release"),
    *("PyGILState_Check", "PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals", "PyErr_Fetch"),
    *("PyErr_Restore", "PyErr_Clear", "PyObject_GetAttr", "PyDict_GetItemWithError"),
)


class PythonTable(ctypes.Structure):
    """`Python` of `c/python.h`: objects and functions of this interpreter."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*_OBJECTS, *_NUMPYS, *_PYTHONS)),
        ("tuple_items", ctypes.c_int64),
        ("thread_mask", ctypes.c_uint64),
        ("signals", ctypes.POINTER(SignalState)),
    )


def python_table() -> PythonTable:
    """Return the objects and functions of this interpreter."""
    objects = (np.ndarray, np.dtype(np.float64), tuple, float, np.float64, sys.intern("out"))
    table = numpy_table("multiarray", max(_NUMPYS.values()))
    return PythonTable(
        *map(id, objects),
        *(table[place] for place in _NUMPYS.values()),
        *(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _PYTHONS),
        TUPLE_ITEMS,
        2 ** (8 * ctypes.sizeof(ctypes.c_ulong)) - 1,
        ctypes.pointer(signals),
    )


FUNCTIONS = (
    *("call_kernel", "call_public", "poll_signals", "raise_pending", "release_gil", "acquire_gil", "run_sequence"),
    "set_python",
)


def load(
    package: str, name: str, functions: Sequence[str], symbols: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int]:
    """Load functions of LLVM's intermediate representation in a file of a package, for the rest of the process.

    ``symbols``: addresses of functions that they call. Returns their addresses.
    """
    content = pkgutil.get_data(package, name)
    assert content is not None
    key = files.key(hashlib.sha256(content).hexdigest(), machine.target(), 1)
    code, _ = files.code(key, content.decode, symbols, functions)
    machine.stay(code)
    return code.exported


@cache
def addresses() -> dict[str, int]:
    """Return the addresses of the functions, which the first call of a process loads."""
    found = load(__name__, "c/runtime.ll", FUNCTIONS)
    ctypes.CFUNCTYPE(None, ctypes.POINTER(PythonTable))(found["set_python"])(ctypes.pointer(python_table()))
    return found
