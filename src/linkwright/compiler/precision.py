"""Precision of a program's numbers: double (binary64) or single (binary32)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native.result_memory import result_array
from linkwright.errors import ArgumentError, TooLargeError

P = TypeVar("P", Program, Staged, Program | Staged)


def checked_precision(precision: Any) -> str:
    """Return the precision, after a check."""
    if not isinstance(precision, str) or precision not in FORMATS:
        raise ArgumentError(f"precision is {' or '.join(map(repr, FORMATS))}; got {precision!r}")
    return precision


def precision_of(dtype: np.dtype) -> str:
    """Return the precision of arrays of a type of floating-point numbers."""
    return next(name for name, form in FORMATS.items() if form.dtype == dtype)


def in_precision(program: P, precision: str) -> P:
    """Return the same program with numbers of this precision.

    Loops over bodies have no single precision; and a number of steps or an index must be exact.
    """
    if precision == program.precision:
        return program
    if isinstance(program, Staged):
        raise TooLargeError(
            f"{program.name} runs as {program.form}, which has double precision only; for precision={precision!r} "
            "use compile(…, unroll=True), which compiles straight-line code, unless it is too long"
        )
    most = FORMATS[precision].most_counted
    for what, count in _counts(program):
        if count > most:
            raise ArgumentError(
                f"{program.name} has {what} {count}; in {precision} precision whole numbers are exact up to {most}, "
                "so use at most that many, or precision='double'"
            )
    return replace(program, precision=precision)


def _counts(program: Program) -> Iterator[tuple[str, int]]:
    """Return the numbers of steps, and the lengths of rows with computed indices."""
    for op, _, value in program.instructions:
        if op == "repeat":
            yield "a repetition with a limit of steps of", value.count
            yield from _counts(value.program)
        elif op == "each":
            yield from _counts(value.program)
        elif op == "numbers":
            yield "a table with a number of entries of", len(value.entries)
    for size in program.sizes.values():
        yield "a row with a number of entries of", size


def in_range(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return an array of this type; what is finite stays finite: a limit of 1e300 becomes the largest number."""
    if x.dtype == dtype:
        return x
    largest = np.finfo(dtype).max
    return np.where(np.isfinite(x), np.clip(x, -largest, largest), x).astype(dtype)


def in_type(x: Any, dtype: np.dtype) -> Any:
    """Return real numbers as an array of this type; NumPy itself converts more slowly, and to larger types only."""
    given = np.asarray(x)
    if given.dtype == dtype:
        return given if isinstance(x, (list, tuple, float)) else x
    if given.dtype.kind not in "fiub" or given.dtype.itemsize > dtype.itemsize == 8:  # more than double precision
        return x
    made = result_array(given.shape, dtype)
    if dtype.itemsize == 8:
        made[...] = given
    else:
        with np.errstate(over="ignore"):  # infinite
            made[...] = given
    return made
