"""The program on NumPy arrays, one array operation an instruction: the reference of all back ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.compiler.ir.formats import DOUBLE, FORMATS, NumberFormat
from linkwright.compiler.ir.program import Each, Program, Steps
from linkwright.expression.loops.tables import MatrixLayout
from linkwright.expression.operations import OPERATIONS
from linkwright.spatial.arrays import as_numbers


def interpret(program: Program, *arrays: Any) -> tuple[np.ndarray, ...]:
    """Return the results for inputs of shape (…, *shape), which broadcast over their leading dimensions."""
    form = FORMATS[program.precision]
    inputs = [np.asarray(x, dtype=form.dtype) for x in arrays]
    leads = [x.shape[: x.ndim - len(slot.shape)] for x, slot in zip(inputs, program.inputs, strict=True)]
    batch = np.broadcast_shapes(*leads)
    flat = [x.reshape(*lead, slot.size) for x, lead, slot in zip(inputs, leads, program.inputs, strict=True)]
    with np.errstate(all="ignore"):
        values = _values(program, flat, form)
    results = []
    for slot, numbers in zip(program.outputs, program.results, strict=True):
        result = np.empty((*batch, slot.size), form.dtype)
        for entry, k in enumerate(numbers):
            result[..., entry] = values[k]
        results.append(result.reshape((*batch, *slot.shape)))
    return tuple(results)


def interpret_call(program: Program, *arrays: Any, out: Any = None) -> Any:
    """Return the results in the form of NumPy's universal functions, written to ``out`` if it is given."""
    results = interpret(program, *(as_numbers(slot.name, x) for slot, x in zip(program.inputs, arrays, strict=True)))
    if out is not None:
        outs = out if isinstance(out, tuple) else (out,)
        for target, result in zip(outs, results, strict=True):
            np.copyto(target, result)
        return outs[0] if len(outs) == 1 else outs
    results = tuple(x if x.ndim else x[()] for x in results)
    return results[0] if len(results) == 1 else results


def _values(program: Program, inputs: Sequence[Any], form: NumberFormat) -> list[Any]:
    """Return the values of all instructions; an input is an array, entries last, or a list of entries."""
    values: list[Any] = []
    for op, args, value in program.instructions:
        if op in OPERATIONS:
            values.append(OPERATIONS[op].evaluate(*[values[a] for a in args]))
        elif op == "constant":
            values.append(value if form is DOUBLE else form.dtype.type(form.rounded(value)))
        elif op == "input":
            given = inputs[args[0]]
            values.append(given[args[1]] if isinstance(given, list) else given[..., args[1]])
        elif op == "repeat":
            values.append(_repeated(value, [values[a] for a in args], form))
        elif op == "item":
            row = values[args[0]]
            values.append(row[value] if isinstance(row, _RepeatResults) else row[..., value])
        elif op == "kept":
            results = values[args[0]]
            values.append(_row(results[results.size + 1 + value :: results.size]))
        elif op == "array":
            given, first, size = inputs[value[0]], value[1], value[2]
            values.append(given[..., first : first + size])
        elif op == "numbers":
            values.append(value.entries if form is DOUBLE else _rounded(value.entries, form))
        elif op == "each":
            values.append(_each(value, form, *[values[a] for a in args]))
        else:
            values.append(_OF_ROWS[op](value, *[values[a] for a in args]))
        if form is not DOUBLE and not isinstance(values[-1], _RepeatResults):  # it may be a number of Python
            values[-1] = np.asarray(values[-1], form.dtype)
    return values


def _rounded(entries: np.ndarray, form: NumberFormat) -> np.ndarray:
    return np.array([form.rounded(x) for x in entries.tolist()], form.dtype)


def _row(entries: Sequence[Any]) -> np.ndarray:
    """Return a row of entries, each with its batch."""
    return np.stack(np.broadcast_arrays(*entries), axis=-1)


def _batch(first: tuple[int, ...], *others: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which all shapes broadcast."""
    return first if all(shape == first for shape in others) else np.broadcast_shapes(first, *others)


def _broadcast(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return x if x.shape == shape else np.broadcast_to(x, shape)


@lru_cache(100)
def _grid(batch: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return the indices of the elements of a batch, which broadcast."""
    return tuple(np.ogrid[tuple(map(slice, batch))])


def _places(batch: tuple[int, ...], place: Any) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return, for each element of a batch, its index in a row of the batch, and whether it is valid."""
    there = np.equal(place, place)
    return (*_grid(batch), np.where(there, place, 0.0).astype(np.int64)), there


def _take(value: Any, row: np.ndarray, place: Any) -> Any:
    if not np.ndim(place) or row.ndim == 1:  # no copies of long rows
        whole = np.where(np.isnan(place), 0.0, place).astype(np.int64)
        return np.where(np.isnan(place), np.nan, row[..., whole])
    batch = _batch(row.shape[:-1], np.shape(place))
    places, there = _places(batch, place)
    return np.where(there, _broadcast(row, (*batch, row.shape[-1]))[places], np.nan)


def _added(value: Any, row: np.ndarray, place: Any, x: Any) -> np.ndarray:
    batch = _batch(row.shape[:-1], np.shape(place), np.shape(x))
    places, there = _places(batch, place)
    row = _broadcast(row, (*batch, row.shape[-1])).copy()
    row[places] += np.where(there, x, np.nan)
    return row


def _put(value: Any, row: np.ndarray, place: Any, x: Any) -> np.ndarray:
    batch = _batch(row.shape[:-1], np.shape(place), np.shape(x))
    places, _ = _places(batch, place)
    row = _broadcast(row, (*batch, row.shape[-1])).copy()
    row[places] = x
    return row


def _product(sides: MatrixLayout, A: np.ndarray, x: np.ndarray) -> np.ndarray:
    y: Any = 0.0
    for column in range(sides.width):
        y = y + A[..., _of_column(sides, column)] * x[..., column, None]
    return np.asarray(y)


def _each(each: Each, form: NumberFormat, *given: Any) -> np.ndarray:
    rows, fixed = list(given[: each.rows]), [np.asarray(x)[..., None] for x in given[each.rows :]]
    (result,) = each.program.results[0]
    return np.asarray(_values(each.program, [rows, fixed], form)[result])


def _outer(sides: MatrixLayout, row: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    batch = np.broadcast_shapes(row.shape[:-1], y.shape[:-1], x.shape[:-1])
    row = np.broadcast_to(row, (*batch, row.shape[-1])).copy()
    for column in range(sides.width):
        row[..., _of_column(sides, column)] += y * x[..., column, None]
    return row


def _of_column(sides: MatrixLayout, column: int) -> np.ndarray:
    """Return the indices of a column's entries."""
    return sides.first + column * sides.right + sides.down * np.arange(sides.height)


_OF_ROWS: dict[str, Callable[..., Any]] = {
    "table": lambda value, *entries: _row(entries),
    "part": lambda part, row: row[..., part.first + part.step * np.arange(part.size)],
    "zeros": lambda size: np.zeros(size),
    "room": lambda size: np.zeros(size),
    "added": _added,
    "put": _put,
    "product": _product,
    "outer": _outer,
    "take": _take,
}


class _RepeatResults(list[Any]):
    """Results of a repetition: ``size`` states, the number of steps, the stored states."""

    size: int


def _repeated(steps: Steps, given: list[Any], form: NumberFormat) -> list[Any]:
    """Return the results of a repetition; a row that has stopped keeps its states."""
    states, fixed = given[: steps.size], given[steps.size :]
    taken: Any = 0.0 if steps.stops else float(steps.count)
    going: Any = True
    kept: list[Any] = []
    for k in range(steps.count):
        values = _values(steps.program, [[float(k)], states, fixed], form)
        after = [values[number] for number in steps.program.results[0]]
        if steps.stops:
            going = going & np.equal(values[steps.program.results[1][0]], 0.0)
            if not np.any(going):  # all rows keep their states
                kept += states * ((steps.count // steps.keep - k // steps.keep) if steps.keep else 0)
                break
            some = [np.asarray(going)[..., None] if row else going for row in steps.in_rows]
            after = [np.where(so, x, y) for so, x, y in zip(some, after, states, strict=True)]
            taken = taken + going
        states = after
        if steps.keep and (k + 1) % steps.keep == 0:
            kept += states
    results = _RepeatResults([*states, taken, *kept])
    results.size = steps.size
    return results
