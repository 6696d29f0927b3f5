"""The program on NumPy arrays, one array operation an instruction: the reference of all back ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compiler.program import Program, Steps
from linkwright.expression.operations import OPERATIONS


def interpret(program: Program, *arrays: Any) -> tuple[np.ndarray, ...]:
    """The results for inputs of shape (…, *shape), which broadcast over their leading dimensions."""
    inputs = [np.asarray(x, dtype=np.float64) for x in arrays]
    leads = [x.shape[: x.ndim - len(slot.shape)] for x, slot in zip(inputs, program.inputs, strict=True)]
    batch = np.broadcast_shapes(*leads)
    flat = [x.reshape(*lead, slot.size) for x, lead, slot in zip(inputs, leads, program.inputs, strict=True)]
    with np.errstate(all="ignore"):
        values = _values(program, flat)
    results = []
    for slot, numbers in zip(program.outputs, program.results, strict=True):
        result = np.empty((*batch, slot.size))
        for entry, k in enumerate(numbers):
            result[..., entry] = values[k]
        results.append(result.reshape((*batch, *slot.shape)))
    return tuple(results)


def _values(program: Program, inputs: Sequence[Any]) -> list[Any]:
    """The values of all instructions; an input is an array, entries last, or a list of entries."""
    values: list[Any] = []
    for op, args, value in program.instructions:
        if op == "constant":
            values.append(value)
        elif op == "input":
            given = inputs[args[0]]
            values.append(given[args[1]] if isinstance(given, list) else given[..., args[1]])
        elif op == "repeat":
            values.append(_repeated(value, [values[a] for a in args]))
        elif op == "item":
            values.append(values[args[0]][value])
        else:
            values.append(OPERATIONS[op].evaluate(*(values[a] for a in args)))
    return values


def _repeated(steps: Steps, given: list[Any]) -> list[Any]:
    """The results of a repetition; a row that has stopped keeps its states."""
    states, fixed = given[: steps.size], given[steps.size :]
    taken: Any = 0.0 if steps.stops else float(steps.count)
    going: Any = True
    kept: list[Any] = []
    for k in range(steps.count):
        values = _values(steps.program, [[float(k)], states, fixed])
        after = [values[number] for number in steps.program.results[0]]
        if steps.stops:
            going = going & np.equal(values[steps.program.results[1][0]], 0.0)
            after = [np.where(going, x, y) for x, y in zip(after, states, strict=True)]
            taken = taken + going
        states = after
        if steps.keep and (k + 1) % steps.keep == 0:
            kept += states
    return [*states, taken, *kept]
