"""The way in from Python for single rows: a function in the kernel's own machine code.

It has the signature of Python's vectorcall, checks that every argument is a plain contiguous float64
array of exactly the kernel's shape (or, of none, a float), and calls the one-row body on their memory. Anything else
is handed to the way in for batches (`batches.py`), and what that does not take, to a function written in Python.

What it reads of Python objects is read as compiled extensions read it: the type and NumPy's array
fields, at offsets that are NumPy 2's binary interface; :func:`supported` compares them with what
Python says of an array before anything relies on them.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler.emit.code import FunctionBuilder
from linkwright.compiler.ir.program import ProgramSignature

# fields of objects and arrays, in bytes
ARRAY_FIELDS = (8, 16, 24, 32, 40, 56, 64)
"""Where an array keeps its type, the address of its entries, dimensions, lengths, strides, type of entries, flags."""
_TYPE, _DATA, _NDIM, _SHAPE, _STRIDES, _DTYPE, _FLAGS = ARRAY_FIELDS
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
NUMBER_AT = 16
"""Where a float, Python's or NumPy's, keeps its number."""
# places in NumPy's table of functions
_SCALAR, _NEW_FROM_DESCR = 60, 94
_OUT = sys.intern("out")

DECLARATIONS = """
@ndarray = external global i8
@float64 = external global i8
@tuple = external global i8
@out = external global i8
@float = external global i8
@number = external global i8
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @PyArray_Scalar(ptr, ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @otherwise(ptr, ptr, i64, ptr)
"""


def entry_text(program: ProgramSignature, stops: bool = False) -> str:
    """``entry(kernel, args, n, names)``, around the function ``single`` and the constants of ``lengths_text``.

    ``stops``: whether that may have been stopped by a signal's handler, whose exception is ``raised`` then.
    """
    inputs, outputs = program.inputs, program.outputs
    n_in, n_out = len(inputs), len(outputs)
    code = FunctionBuilder("%e")
    code.lines.append("define ptr @entry(ptr %kernel, ptr %args, i64 %count, ptr %names) #1 {")
    code.do("start:")
    rows = code.emit(f"alloca ptr, i64 {n_in + n_out}")
    n = code.emit(f"and i64 %count, {2**63 - 1}")  # the top bit is the caller's
    _require(code, code.emit(f"icmp eq i64 {n}, {n_in}"))
    for k, slot in enumerate(inputs):
        array = code.load("ptr", "%args", k)
        data = _checked(code, array, k, slot.shape, CONTIGUOUS | ALIGNED) if slot.shape else _number(code, array, k)
        code.do(f"store ptr {data}, ptr {code.item('ptr', rows, k)}")
    given = code.emit("icmp ne ptr %names, null")
    code.do(f"br i1 {given}, label %given, label %made")

    code.do("given:")
    _require(code, code.emit(f"icmp eq i64 {code.emit('call i64 @PyTuple_Size(ptr %names)')}, 1"))
    name = code.emit("call ptr @PyTuple_GetItem(ptr %names, i64 0)")
    _require(code, code.emit(f"icmp eq ptr {name}, @out"))
    out = code.load("ptr", "%args", n_in)
    if n_out > 1:
        _require(code, code.emit(f"icmp eq ptr {_field(code, 'ptr', out, _TYPE)}, @tuple"))
        _require(code, code.emit(f"icmp eq i64 {code.emit(f'call i64 @PyTuple_Size(ptr {out})')}, {n_out}"))
    for k, slot in enumerate(outputs):
        array = out if n_out == 1 else code.emit(f"call ptr @PyTuple_GetItem(ptr {out}, i64 {k})")
        data = _checked(code, array, n_in + k, slot.shape, CONTIGUOUS | ALIGNED | WRITEABLE)
        code.do(f"store ptr {data}, ptr {code.item('ptr', rows, n_in + k)}")
    code.emit(f"call i1 @single(ptr {rows}, ptr @plain)")
    if stops:
        _give_up_if_raised(code, [], "stopped_given")
    code.do(f"call void @Py_IncRef(ptr {out})")
    code.do(f"ret ptr {out}")

    code.do("made:")
    made: list[str] = []
    for k, slot in enumerate(outputs):
        if slot.shape:
            code.do("call void @Py_IncRef(ptr @float64)")  # which the next call takes over
            array = code.emit(
                f"call ptr @PyArray_NewFromDescr(ptr @ndarray, ptr @float64, i32 {len(slot.shape)}, "
                f"ptr @lengths{n_in + k}, ptr null, ptr null, i32 0, ptr null)"
            )
            _give_up_without(code, array, made, f"made{k}")
            made.append(array)
            data = _field(code, "ptr", array, _DATA)
        else:
            made.append("")  # a number, of what `single` leaves here
            data = code.emit("alloca double")
        code.do(f"store ptr {data}, ptr {code.item('ptr', rows, n_in + k)}")
    code.emit(f"call i1 @single(ptr {rows}, ptr @plain)")
    if stops:
        _give_up_if_raised(code, made, "stopped_made")
    for k in range(n_out):
        if not made[k]:
            data = code.load("ptr", rows, n_in + k)
            scalar = code.emit(f"call ptr @PyArray_Scalar(ptr {data}, ptr @float64, ptr null)")
            _give_up_without(code, scalar, [x for x in made if x], f"scalar{k}")
            made[k] = scalar
    if n_out == 1:
        code.do(f"ret ptr {made[0]}")
    else:
        result = code.emit(f"call ptr @PyTuple_New(i64 {n_out})")
        _give_up_without(code, result, made, "all")
        for k, x in enumerate(made):
            code.emit(f"call i32 @PyTuple_SetItem(ptr {result}, i64 {k}, ptr {x})")
        code.do(f"ret ptr {result}")

    code.do("slow:")
    code.do(f"{code.new()} = tail call ptr @otherwise(ptr %kernel, ptr %args, i64 {n}, ptr %names)")
    code.do(f"ret ptr {code.last}")
    code.lines.append("}")
    return "\n".join(code.lines)


def _field(code: FunctionBuilder, type: str, item: str, offset: int) -> str:
    return code.emit(f"load {type}, ptr {code.emit(f'getelementptr i8, ptr {item}, i64 {offset}')}")


def _require(code: FunctionBuilder, condition: str) -> None:
    """Leave for the slow way unless the condition holds."""
    go_on = code.label()
    code.do(f"br i1 {condition}, label %{go_on}, label %slow, !prof !1")
    code.do(f"{go_on}:")


def _checked(code: FunctionBuilder, array: str, argument: int, shape: tuple[int, ...], flags: int) -> str:
    """Where the entries of an array are; leave for the slow way unless it is one as the body needs it."""
    _require(code, code.emit(f"icmp eq ptr {_field(code, 'ptr', array, _TYPE)}, @ndarray"))
    dtype = code.emit(f"icmp eq ptr {_field(code, 'ptr', array, _DTYPE)}, @float64")
    ndim = code.emit(f"icmp eq i32 {_field(code, 'i32', array, _NDIM)}, {len(shape)}")
    present = code.emit(f"and i32 {_field(code, 'i32', array, _FLAGS)}, {flags}")
    flagged = code.emit(f"icmp eq i32 {present}, {flags}")
    _require(code, code.emit(f"and i1 {dtype}, {code.emit(f'and i1 {ndim}, {flagged}')}"))
    if shape:
        lengths = _field(code, "ptr", array, _SHAPE)
        same = "1"
        for d, length in enumerate(shape):
            equal = code.emit(f"icmp eq i64 {code.load('i64', lengths, d)}, {length}")
            same = code.emit(f"and i1 {same}, {equal}")
        _require(code, same)
    return _field(code, "ptr", array, _DATA)


def _number(code: FunctionBuilder, given: str, argument: int) -> str:
    """Where a single number is: an array of no dimensions, or a float of Python's or NumPy's."""
    number, array, go_on = f"number{argument}", f"array{argument}", f"either{argument}"
    type = _field(code, "ptr", given, _TYPE)
    plain, numpys = code.emit(f"icmp eq ptr {type}, @float"), code.emit(f"icmp eq ptr {type}, @number")
    code.do(f"br i1 {code.emit(f'or i1 {plain}, {numpys}')}, label %{number}, label %{array}")
    code.do(f"{number}:")
    inside = code.item("i8", given, NUMBER_AT)
    code.do(f"br label %{go_on}")
    code.do(f"{array}:")
    data = _checked(code, given, argument, (), CONTIGUOUS | ALIGNED)
    code.do(f"br label %checked_{go_on}")
    code.do(f"checked_{go_on}:")
    code.do(f"br label %{go_on}")
    code.do(f"{go_on}:")
    return code.emit(f"phi ptr [{inside}, %{number}], [{data}, %checked_{go_on}]")


def _give_up_without(code: FunctionBuilder, made: str, before: list[str], name: str) -> None:
    """Where an object could not be made, release those made before and return the error."""
    _give_up_if(code, code.emit(f"icmp eq ptr {made}, null"), before, name)


def _give_up_if_raised(code: FunctionBuilder, made: list[str], name: str) -> None:
    """Where there was an exception meanwhile, release what was made and return the error."""
    _give_up_if(code, code.emit("call i1 @raised()"), made, name)


def _give_up_if(code: FunctionBuilder, condition: str, made: list[str], name: str) -> None:
    code.do(f"br i1 {condition}, label %no_{name}, label %has_{name}, !prof !0")
    code.do(f"no_{name}:")
    for x in made:
        if x:
            code.do(f"call void @Py_DecRef(ptr {x})")
    code.do("ret ptr null")
    code.do(f"has_{name}:")


@cache
def supported() -> bool:
    """Whether objects and arrays are laid out in memory as the entry reads them."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or hasattr(sys, "gettotalrefcount"):
        return False
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    whole = np.arange(24.0).reshape(2, 3, 4)
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    for x in (whole, whole[:, ::2], whole.astype(np.float32), frozen):
        address = id(x)

        def field(offset: int, kind: Any, start: int = address) -> Any:
            return kind.from_address(start + offset).value

        shape = (ctypes.c_int64 * x.ndim).from_address(field(_SHAPE, ctypes.c_void_p))
        strides = (ctypes.c_int64 * x.ndim).from_address(field(_STRIDES, ctypes.c_void_p))
        flags = field(_FLAGS, ctypes.c_int)
        if (
            field(_TYPE, ctypes.c_void_p) != id(np.ndarray)
            or field(_DATA, ctypes.c_void_p) != x.ctypes.data
            or field(_NDIM, ctypes.c_int) != x.ndim
            or tuple(shape) != x.shape
            or tuple(strides) != x.strides
            or field(_DTYPE, ctypes.c_void_p) != id(x.dtype)
            or bool(flags & CONTIGUOUS) != x.flags.c_contiguous
            or bool(flags & ALIGNED) != x.flags.aligned
            or bool(flags & WRITEABLE) != x.flags.writeable
        ):
            return False
    for number in (0.1, np.float64(0.1)):
        if ctypes.c_double.from_address(id(number) + NUMBER_AT).value != 0.1:
            return False
    return whole.dtype is np.dtype(np.float64)


def address(array: np.ndarray) -> int:
    """Where an array's entries begin: what ``array.ctypes.data`` tells, in a fifth of the time."""
    if not supported():
        return array.ctypes.data
    return ctypes.c_void_p.from_address(id(array) + _DATA).value or 0


@cache
def addresses() -> dict[str, int]:
    """What the entries refer to, except where they hand on what they do not take."""
    from linkwright.compiler.native.call import numpy_table

    table = numpy_table("multiarray", _NEW_FROM_DESCR)
    found = {
        "ndarray": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "tuple": id(tuple),
        "float": id(float),
        "number": id(np.float64),
        "out": id(_OUT),
        "PyArray_NewFromDescr": table[_NEW_FROM_DESCR] or 0,
        "PyArray_Scalar": table[_SCALAR] or 0,
    }
    for name in (
        *("PyObject_Vectorcall", "PyTuple_New", "PyTuple_SetItem", "PyTuple_GetItem", "PyTuple_Size"),
        *("Py_IncRef", "Py_DecRef"),
    ):
        found[name] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return found


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


_TP_CALL, _TP_MEMBERS = 50, 72
_DEFAULT_FLAGS, _BASE_TYPE, _VECTORCALL = 1 << 18, 1 << 10, 1 << 11
_SSIZE, _READ_ONLY = 19, 1
_POINTER_AT = 16  # after the count of references and the type
WAY_AT = _POINTER_AT + 8
"""Where an entered object keeps what the way in for batches must know of it."""


def _entered_type() -> type:
    """The type of objects that are called through a pointer they carry, as Python's stable interface makes it."""
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, _POINTER_AT, _READ_ONLY, None))
    call = ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p).value
    slots = (_Slot * 3)(_Slot(_TP_CALL, call), _Slot(_TP_MEMBERS, ctypes.addressof(members)))
    name = b"linkwright.compiler.native.entry.Entered"
    flags = _DEFAULT_FLAGS | _BASE_TYPE | _VECTORCALL
    spec = _Spec(name, WAY_AT + 8, 0, flags, ctypes.addressof(slots))
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

elif supported():
    Entered = _entered_type()
else:

    class Entered:
        """Called like any object."""


def enter_through(instance: Entered, address: int, way: int | None = None) -> None:
    """From now on a call of the instance is a call of the machine code at the address.

    ``way``: where the way in for batches finds what it must know, to be told before the first call.
    """
    if way is not None:
        ctypes.c_void_p.from_address(id(instance) + WAY_AT).value = way
    ctypes.c_void_p.from_address(id(instance) + _POINTER_AT).value = address


_TP_FLAGS = 168  # where a type keeps its flags


def keep_entry(kind: type[Entered]) -> None:
    """Let Python 3.11 call the class's objects directly too: newer ones see by themselves that they may."""
    if sys.version_info >= (3, 12) or not supported():
        return
    flags = ctypes.c_ulong.from_address(id(kind) + _TP_FLAGS)
    if flags.value == kind.__flags__:
        flags.value |= _VECTORCALL
