"""Public functions as objects that Python calls through machine code.

``mass_matrix(arm, q)`` looks the kernel of ``arm`` up and calls it. For arrays of the kernel's type machine code does
both (`call_public` of `c/call.c`), without a frame of Python; every other call goes to the function in Python.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from linkwright.compiler.native.entry import Entered, KernelLayout, keep_entry
from linkwright.compiler.native.runtime import addresses


class PublicTable(ctypes.Structure):
    """`PublicTable` of `c/table.h`."""

    _fields_ = (
        ("model_type", ctypes.c_void_p),
        ("kernel_type", ctypes.c_void_p),
        ("memo", ctypes.c_void_p),
        ("identity", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("inputs", "options", "positional")),
        *((name, ctypes.POINTER(ctypes.c_void_p)) for name in ("names", "defaults")),
        ("alone", ctypes.c_int64),
        ("from_python", ctypes.c_void_p),
    )


class PublicFunction(Entered):
    """Function of a model, arrays and options that calls the model's kernel.

    ``function``: the same function in Python; ``identity``: the key of kernels in ``model.memo``, in a tuple with the
    options or, if ``alone``, without them where all have their default values; ``inputs``: number of arrays after the
    model; ``options``: those after the arrays, of which the first ``positional`` may be given without a name.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        model: type,
        kernel: type,
        identity: Any,
        inputs: int,
        options: Sequence[inspect.Parameter],
        positional: int,
        alone: bool,
    ):
        functools.update_wrapper(self, function)
        self._name = function.__qualname__
        self.__signature__ = function.__signature__  # type: ignore[attr-defined]
        names = [sys.intern(p.name) for p in options]
        defaults = [p.default for p in options]
        self._objects = (model, kernel, sys.intern("memo"), identity, function, names, defaults)  # as long as the table
        required = inspect.Parameter.empty
        self._table = PublicTable(
            *map(id, self._objects[:4]),
            *(inputs, len(options), positional),
            (ctypes.c_void_p * len(names))(*map(id, names)),
            (ctypes.c_void_p * len(names))(*(None if x is required else id(x) for x in defaults)),
            alone,
            id(function),
        )
        self.__class__ = _BeforeFirstCall

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind to an object, as functions do; `inspect.isroutine` recognizes functions by it."""
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<function {self._name} at {id(self):#x}>"


keep_entry(PublicFunction)


class _BeforeFirstCall(PublicFunction):
    """Public function whose first call loads the machine code of further ones: imports and equations need none."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        layout = KernelLayout.from_address(id(self))
        layout.table = ctypes.cast(ctypes.pointer(self._table), type(layout.table))
        layout.vectorcall = addresses()["call_public"]
        self.__class__ = PublicFunction  # type: ignore[assignment]
        return self(*args, **named)
