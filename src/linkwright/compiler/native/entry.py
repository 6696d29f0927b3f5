"""Objects that Python calls through machine code, and the table with which each describes its arguments.

One function in machine code serves all of them (`call_kernel` of `c/call.c`). Plain arrays of the kernel's type, of one
row or of a short batch, go from there to the kernel's own code; every other call goes to a function in Python.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from linkwright.compiler.emit.rows import plain_steps
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import ProgramSignature
from linkwright.compiler.native.layout import supported
from linkwright.compiler.native.runtime import addresses


class SlotLayout(ctypes.Structure):
    """`Slot` of `c/call.c`: one argument or result."""

    _fields_ = (
        ("ndim", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", ctypes.c_void_p),
    )


class CallTable(ctypes.Structure):
    """`CallTable` of `c/call.c`: what the machine code that all kernels share reads of one of them."""

    _fields_ = (
        ("row", ctypes.c_void_p),
        ("loop", ctypes.c_void_p),
        ("most_rows", ctypes.c_int64),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("step_count", ctypes.c_int64),
        ("steps", ctypes.POINTER(ctypes.c_int64)),
        ("slots", ctypes.POINTER(SlotLayout)),
        ("from_python", ctypes.c_void_p),
        ("stops", ctypes.c_int64),
    )


def call_table(program: ProgramSignature, stops: bool, from_python: Callable[..., Any]) -> CallTable:
    """Describe the calls of a program; neither rows nor batches are compiled yet.

    ``stops``: whether a row may end early, with an exception of a handler of a signal; ``from_python``: the function
    for calls that machine code does not take, with the kernel as first argument.
    """
    slots, form = (*program.inputs, *program.outputs), FORMATS[program.precision]
    described = (SlotLayout * len(slots))()
    for slot, layout in zip(slots, described, strict=True):
        strides = [form.bytes * math.prod(slot.shape[d + 1 :]) for d in range(len(slot.shape))]
        layout.ndim, layout.bytes = len(slot.shape), form.bytes * slot.size
        layout.shape, layout.strides = _integers(slot.shape), _integers(strides)
        layout.dtype = id(form.dtype)
    steps = plain_steps(program)
    return CallTable(
        inputs=len(program.inputs),
        outputs=len(program.outputs),
        step_count=len(steps),
        steps=_integers(steps),
        slots=described,
        from_python=id(from_python),
        stops=stops,
    )


def _integers(numbers: Sequence[int]) -> Any:
    return (ctypes.c_int64 * len(numbers))(*numbers)


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("item_size", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


class KernelLayout(ctypes.Structure):
    """`Kernel` of `c/call.c`: an object that is called through a pointer it carries."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("vectorcall", ctypes.c_void_p),
        ("table", ctypes.POINTER(CallTable)),
    )


_TP_CALL, _TP_MEMBERS = 50, 72
_DEFAULT_FLAGS, _BASE_TYPE, _VECTORCALL = 1 << 18, 1 << 10, 1 << 11
_SSIZE, _READ_ONLY = 19, 1


def _entered_type() -> type:
    """Make the type of such objects, by Python's stable interface."""
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, KernelLayout.vectorcall.offset, _READ_ONLY, None))
    call = ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p).value
    slots = (_Slot * 3)(_Slot(_TP_CALL, call), _Slot(_TP_MEMBERS, ctypes.addressof(members)))
    name = b"linkwright.compiler.native.entry.Entered"
    flags = _DEFAULT_FLAGS | _BASE_TYPE | _VECTORCALL
    spec = _Spec(name, ctypes.sizeof(KernelLayout), 0, flags, ctypes.addressof(slots))
    _KEPT.extend((members, slots, name, spec))
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
    made: type = make(ctypes.addressof(spec))
    return made


_KEPT: list[Any] = []  # read by the type as long as it lives

if TYPE_CHECKING:

    class Entered:
        """Called through machine code."""

        def __call__(self, *arrays: Any, out: Any = None) -> Any: ...

else:
    Entered = _entered_type() if supported() else type("Entered", (), {"__doc__": "Called like any object."})


def enter_through(instance: Entered, table: CallTable) -> None:
    """From now on a call of the instance is a call of machine code; the table must live as long as the instance."""
    layout = KernelLayout.from_address(id(instance))
    layout.table = ctypes.pointer(table)
    layout.vectorcall = addresses()["call_kernel"]


_TP_FLAGS = 168  # where a type keeps its flags


def keep_entry(kind: type[Entered]) -> None:
    """Enable direct calls of the class's objects in Python 3.11; newer versions detect them."""
    if sys.version_info >= (3, 12) or not supported():
        return
    flags = ctypes.c_ulong.from_address(id(kind) + _TP_FLAGS)
    if flags.value == kind.__flags__:
        flags.value |= _VECTORCALL
