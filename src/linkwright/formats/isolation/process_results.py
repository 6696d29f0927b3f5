"""Results of a child process as data: JSON and raw arrays, decoded against declared types.

An encoded result is one line of JSON and then the bytes of its arrays. Numbers, texts and None are JSON's own. Every
other value is a list that begins with its kind: ``["tuple", …]``, ``["list", …]``, ``["array", type, shape, offset]``,
or the name of a class in :data:`CLASSES` and the values of its fields in their order. The decoder imports nothing and
calls only these classes. It requires the types that their annotations declare and the array shapes in
:data:`SHAPES`. A malformed result raises :class:`FormatError`.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from linkwright.errors import FormatError
from linkwright.model.build.description import BodySpec, Description, FrameSpec, JointSpec, Mimic
from linkwright.model.joints.joint import JOINT_TYPES, JointPart
from linkwright.model.joints.loop import LOOP_TYPES, CoordinateLoop, Loop
from linkwright.model.parts.actuator import Actuator, Muscle
from linkwright.model.parts.keyframe import ActuatorState, JointState, KeyframeSpec
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.sensor import Sensor
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import Wrap

_MODEL = (
    Description,
    BodySpec,
    JointSpec,
    Mimic,
    FrameSpec,
    Loop,
    CoordinateLoop,
    Spring,
    Shape,
    Pair,
    JointPart,
    KeyframeSpec,
    JointState,
    ActuatorState,
    Actuator,
    Muscle,
    Wrap,
    Sensor,
)

CLASSES: dict[str, Any] = {
    **{kind.__name__: kind for kind in (*_MODEL, *JOINT_TYPES)},
    **{f"loop:{name}": kind for name, kind in LOOP_TYPES.items()},
}
"""The classes whose objects may be in a result, by the names under which they are encoded."""

SHAPES: dict[tuple[str, str], tuple[int, ...]] = {
    ("BodySpec", "center_of_mass"): (3,),
    ("BodySpec", "inertia"): (3, 3),
    ("JointSpec", "placement"): (4, 4),
    ("JointSpec", "alignment"): (3, 3),
    ("JointSpec", "anchor"): (3,),
    ("FrameSpec", "placement"): (4, 4),
    ("Loop", "placement"): (4, 4),
    ("Loop", "alignment"): (3, 3),
    ("Shape", "placement"): (4, 4),
}
"""The shapes of the arrays in those fields; the shapes of other arrays are checked when they are used."""

Row = tuple[float, float, float, float]
POSES = (("JointPart", "placement"), ("Compound", "end"), ("Universal", "end"))
"""Fields that are poses (4, 4) as nested tuples."""

ARRAY_TYPES = ("<f8", "<f4", "<i8", "<i4", "<u8", "<u4", "|u1", "|b1")

_NAMES = {kind: name for name, kind in CLASSES.items()}


# encoding


def encoded(value: Any) -> bytes:
    """Encode a result: descriptions, texts, numbers, arrays, lists and tuples of these."""
    arrays: list[bytes] = []
    size = 0

    def plain(x: Any) -> Any:
        nonlocal size
        if x is None or isinstance(x, (str, bool)):
            return x
        if isinstance(x, np.generic):
            return x.item()
        if isinstance(x, (int, float)):
            return x
        if isinstance(x, (tuple, list)):
            return ["tuple" if isinstance(x, tuple) else "list", *map(plain, x)]
        if isinstance(x, np.ndarray):
            if x.dtype.newbyteorder("<").str not in ARRAY_TYPES:
                raise FormatError(f"an array of type {x.dtype} cannot be in a description")
            data = np.ascontiguousarray(x, dtype=x.dtype.newbyteorder("<"))
            at, size = size, size + data.nbytes
            arrays.append(data.tobytes())
            return ["array", data.dtype.str, list(x.shape), at]
        name = _NAMES.get(type(x))
        if name is None:
            raise FormatError(f"{type(x).__name__} cannot be in a description")
        return [name, *(plain(getattr(x, field.name)) for field in fields(x))]

    return b"".join([json.dumps(plain(value), separators=(",", ":")).encode("ascii"), b"\n", *arrays])


# decoding

Decoder = Callable[[Any, memoryview], Any]
"""Makes the value of its JSON and of the bytes of all arrays."""


class _MismatchError(Exception):
    """A value is not of the declared type."""


def decoded(data: bytes, declared: Any) -> Any:
    """Decode a result that must be of the declared type.

    Raises :class:`FormatError` for anything else.
    """
    head, newline, arrays = data.partition(b"\n")
    try:
        if not newline:
            raise _MismatchError("it is incomplete")
        return _decoder(declared)(json.loads(head.decode("ascii")), memoryview(arrays))
    except _MismatchError as error:
        raise FormatError(f"malformed result of a child process: {error}") from None
    except (ValueError, RecursionError, OverflowError) as error:
        raise FormatError(f"malformed result of a child process: {str(error)[:200]}") from None


@cache
def _decoder(declared: Any) -> Decoder:
    """Return the decoder of a declared type."""
    origin, arguments = get_origin(declared), get_args(declared)
    if declared is Any:
        return _alternatives((_none, _number, _array(None)))
    if declared is None or declared is type(None):
        return _none
    if declared is float:
        return _number
    if declared in (str, int, bool):
        return _exactly(declared)
    if declared is np.ndarray:
        return _array(None)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (types.UnionType, Union):
        return _alternatives(tuple(map(_decoder, arguments)))
    if origin in (tuple, list):
        return _sequence(origin, arguments)
    return _object(declared)


def _none(x: Any, arrays: memoryview) -> None:
    if x is not None:
        raise _mismatch("None", x)


def _number(x: Any, arrays: memoryview) -> float | int:
    if not isinstance(x, (float, int)) or isinstance(x, bool):
        raise _mismatch("a number", x)
    float(x)  # an integer may be too large
    return x


def _exactly(kind: type) -> Decoder:
    def decode(x: Any, arrays: memoryview) -> Any:
        if type(x) is not kind:
            raise _mismatch(kind.__name__, x)
        return x

    return decode


def _one_of(values: tuple[Any, ...]) -> Decoder:
    def decode(x: Any, arrays: memoryview) -> Any:
        if not isinstance(x, str) or x not in values:
            raise _mismatch(f"one of {values}", x)
        return x

    return decode


def _alternatives(decoders: tuple[Decoder, ...]) -> Decoder:
    def decode(x: Any, arrays: memoryview) -> Any:
        text = ""
        for one in decoders:
            try:
                return one(x, arrays)
            except _MismatchError as error:
                text = str(error)
        raise _MismatchError(text)

    return decode


def _array(shape: tuple[int, ...] | None) -> Decoder:
    def decode(x: Any, arrays: memoryview) -> Any:
        _, kind, sizes, at = _items(x, "array", 4)
        if kind not in ARRAY_TYPES:
            raise _mismatch("a type of arrays", kind)
        if not isinstance(sizes, list) or not all(type(n) is int and n >= 0 for n in [*sizes, at]) or len(sizes) > 8:
            raise _mismatch("a shape and an offset", x)
        if shape is not None and tuple(sizes) != shape:
            raise _mismatch(f"an array of shape {shape}", sizes)
        dtype = np.dtype(kind)
        size = math.prod(sizes) * dtype.itemsize
        if at + size > len(arrays):
            raise _MismatchError("an array is incomplete")
        found = np.frombuffer(bytes(arrays[at : at + size]), dtype).reshape(sizes)
        if kind == "|b1" and (found.view(np.uint8) > 1).any():
            raise _MismatchError("a truth value is neither 0 nor 1")
        return found  # read-only, as bytes are

    return decode


def _sequence(kind: type, arguments: tuple[Any, ...]) -> Decoder:
    """Of lists, and of tuples of one length or of any length."""
    name = kind.__name__
    if kind is list or arguments[1:] == (...,):
        item = _decoder(arguments[0])

        def every(x: Any, arrays: memoryview) -> Any:
            return kind([item(one, arrays) for one in _items(x, name)[1:]])

        return every
    each = tuple(map(_decoder, arguments))

    def fixed(x: Any, arrays: memoryview) -> Any:
        found = _items(x, name, 1 + len(each))[1:]
        return tuple(one(value, arrays) for one, value in zip(each, found, strict=True))

    return fixed


def _object(declared: Any) -> Decoder:
    """Of the classes in the table that are the declared one or derived from it."""
    allowed = {name: kind for name, kind in CLASSES.items() if issubclass(kind, declared)}

    def decode(x: Any, arrays: memoryview) -> Any:
        found = _items(x, declared.__name__)
        kind = allowed.get(found[0]) if isinstance(found[0], str) else None
        if kind is None:
            raise _mismatch(declared.__name__, found[0])
        decoders = _fields(kind)
        if len(found) != 1 + len(decoders):
            raise _MismatchError(f"{found[0]} has {len(decoders)} fields, not {len(found) - 1}")
        values = zip(decoders.items(), found[1:], strict=True)
        return kind(**{name: one(value, arrays) for (name, one), value in values})

    return decode


@cache
def _fields(kind: Any) -> dict[str, Decoder]:
    """Return the decoders of the fields of a class."""
    hints, name = get_type_hints(kind), _NAMES[kind]
    hints |= {field: tuple[Row, Row, Row, Row] for owner, field in POSES if owner == name}
    return {
        field.name: _array(SHAPES[name, field.name]) if (name, field.name) in SHAPES else _decoder(hints[field.name])
        for field in fields(kind)
    }


def _items(x: Any, kind: str, count: int | None = None) -> list[Any]:
    """Return a list that begins with its kind, of ``count`` entries where given."""
    if not isinstance(x, list) or not x or (count is not None and len(x) != count):
        raise _mismatch(kind, x)
    if kind in ("tuple", "list", "array") and x[0] != kind:
        raise _mismatch(kind, x)
    return x


def _mismatch(expected: str, found: Any) -> _MismatchError:
    return _MismatchError(f"expected {expected}, got {found!r:.100}")
