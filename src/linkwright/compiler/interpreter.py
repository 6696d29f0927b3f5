"""The program on NumPy arrays, one array operation an instruction: the reference of all back ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.program import Program
from linkwright.expression.operations import OPERATIONS


def interpret(program: Program, *arrays: Any) -> tuple[np.ndarray, ...]:
    """The results for inputs of shape (…, *shape), which broadcast over their leading dimensions."""
    inputs = [np.asarray(x, dtype=np.float64) for x in arrays]
    leads = [x.shape[: x.ndim - len(slot.shape)] for x, slot in zip(inputs, program.inputs, strict=True)]
    batch = np.broadcast_shapes(*leads)
    flat = [x.reshape(*lead, slot.size) for x, lead, slot in zip(inputs, leads, program.inputs, strict=True)]
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for op, args, value in program.instructions:
            if op == "constant":
                values.append(value)
            elif op == "input":
                values.append(flat[args[0]][..., args[1]])
            else:
                values.append(OPERATIONS[op].evaluate(*(values[a] for a in args)))
    results = []
    for slot, numbers in zip(program.outputs, program.results, strict=True):
        result = np.empty((*batch, slot.size))
        for entry, k in enumerate(numbers):
            result[..., entry] = values[k]
        results.append(result.reshape((*batch, *slot.shape)))
    return tuple(results)
