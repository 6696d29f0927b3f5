"""Tables of numbers as text with 17 digits, from which the same numbers are read."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, BinaryIO

import numpy as np

from linkwright.compiler.native import runtime
from linkwright.spatial.arrays import Array

ROWS_AT_ONCE = 1000
"""of a table that are text at the same time"""
LONGEST = 25
"""characters of a number and the comma after it: -1.2345678901234567e-308,"""
LEAST_POWER, GREATEST_POWER = -293, 341
"""of ten, with which numbers are multiplied"""


class Power(ctypes.Structure):
    """`Power` of `decimal.c`, where its fields are explained."""

    _fields_ = (
        ("high", ctypes.c_uint64),
        ("low", ctypes.c_uint64),
        ("exponent", ctypes.c_int64),
        ("exact", ctypes.c_int64),
    )


def _power(p: int) -> tuple[int, int, int, int]:
    """Return 10^p as a :class:`Power`."""
    numerator, denominator = (10**p, 1) if p >= 0 else (1, 10**-p)
    exponent = numerator.bit_length() - denominator.bit_length() - 128
    whole, rest = divmod(numerator << max(-exponent, 0), denominator << max(exponent, 0))
    if whole >> 128:  # one bit too many
        exponent += 1
        whole, rest = whole >> 1, rest or whole & 1
    return whole >> 64, whole & 0xFFFF_FFFF_FFFF_FFFF, exponent, int(not rest)


@cache
def _writer() -> tuple[Any, Any]:
    """Return the function of `decimal.c` and its powers of ten, which the first table of a process loads."""
    found = runtime.load(__name__, "decimal.ll", ("write_numbers",))
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    kind = ctypes.CFUNCTYPE(number, pointer, number, number, number, pointer, ctypes.POINTER(pointer))
    numbers = range(LEAST_POWER, GREATEST_POWER + 1)
    powers = (Power * len(numbers))(*(Power(*_power(p)) for p in numbers))
    return kind(found["write_numbers"]), powers


def write_rows(file: BinaryIO, *columns: Array) -> None:
    """Write a table of numbers (n, …), the columns of each row after each other, with commas between them."""
    for first in range(0, len(columns[0]), ROWS_AT_ONCE):  # a table of all would double the memory
        rows = [x[first : first + ROWS_AT_ONCE] for x in columns]
        file.write(_text(np.column_stack([x.reshape(len(x), -1) for x in rows])))


def _text(table: Array) -> bytes:
    """Return the text of a table (n, m)."""
    write, powers = _writer()
    table = np.ascontiguousarray(table, dtype=np.float64)
    count, columns = table.size, table.shape[1]
    text = np.empty(LONGEST * count, np.uint8)
    end = ctypes.c_void_p(text.ctypes.data)
    k = write(table.ctypes.data, 0, count, columns, powers, ctypes.byref(end))
    while k < count:  # its last digit needs more digits of a power
        word = f"{table.flat[k]:.17g}{',' if (k + 1) % columns else chr(10)}".encode()
        place = (end.value or 0) - text.ctypes.data
        text[place : place + len(word)] = np.frombuffer(word, np.uint8)
        end.value = (end.value or 0) + len(word)
        k = write(table.ctypes.data, k + 1, count, columns, powers, ctypes.byref(end))
    return text[: (end.value or 0) - text.ctypes.data].tobytes()
