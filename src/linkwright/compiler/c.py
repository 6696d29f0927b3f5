"""A program as C99: self-contained, no allocation, one function."""

from __future__ import annotations

import re

from linkwright.compiler.program import Program

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_CALL = {"sqrt": "sqrt", "abs": "fabs", "min": "fmin", "max": "fmax"}


def identifier(name: str) -> str:
    """A name as C allows it."""
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{cleaned}" if not cleaned or cleaned[0].isdigit() else cleaned


def source(program: Program) -> str:
    """The C source of a program: ``void name(const double q[7], …, double result[49])``.

    Matrices are stored row by row.
    """
    inputs = [identifier(slot.name) for slot in program.inputs]
    outputs = [identifier(slot.name) for slot in program.outputs]
    arguments = [
        *(f"const double {n}[{slot.size}]" for n, slot in zip(inputs, program.inputs, strict=True)),
        *(f"double {n}[{slot.size}]" for n, slot in zip(outputs, program.outputs, strict=True)),
    ]
    shapes = "\n".join(f" *   {slot.name}: {list(slot.shape)}" for slot in (*program.inputs, *program.outputs))
    lines = [
        f"/* {program.name}: {program.operations}.\n * Arguments, arrays stored row by row:\n{shapes}\n */",
        "#include <math.h>",
        "",
        f"void {identifier(program.name)}({', '.join(arguments)})",
        "{",
    ]
    values: list[str] = []
    for k, (op, args, value) in enumerate(program.instructions):
        if op == "input":
            # read before anything is written, so that an output may be an input
            lines.append(f"    const double v{k} = {inputs[args[0]]}[{args[1]}];")
            values.append(f"v{k}")
        elif op == "constant":
            assert value is not None
            values.append(_number(value))
        else:
            lines.append(f"    const double v{k} = {_expression(op, [values[a] for a in args])};")
            values.append(f"v{k}")
    for name, numbers in zip(outputs, program.results, strict=True):
        lines += [f"    {name}[{entry}] = {values[k]};" for entry, k in enumerate(numbers)]
    lines += ["}", ""]
    return "\n".join(lines)


def _expression(op: str, x: list[str]) -> str:
    if op in _INFIX:
        return f"{x[0]} {_INFIX[op]} {x[1]}"
    if op == "neg":
        return f"-{x[0]}"
    if op in ("less", "less_equal"):
        return f"({x[0]} {'<' if op == 'less' else '<='} {x[1]}) ? 1.0 : 0.0"
    if op == "where":
        return f"({x[0]} != 0.0) ? {x[1]} : {x[2]}"
    if op == "sign":
        return f"({x[0]} > 0.0) ? 1.0 : (({x[0]} < 0.0) ? -1.0 : {x[0]})"
    return f"{_CALL.get(op, op)}({', '.join(x)})"


def _number(value: float) -> str:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    return repr(value) if value >= 0 else f"({value!r})"
