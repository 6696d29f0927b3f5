"""A program as C99: self-contained, no allocation, one function."""

from __future__ import annotations

import re
from collections.abc import Iterable

from linkwright.compiler.program import Program

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_CALL = {"sqrt": "sqrt", "abs": "fabs"}

_TAKEN = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    asm bool true false main NAN INFINITY HUGE_VAL
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp2 expm1 fabs fdim finite
    floor fma fmax fmin fmod frexp gamma hypot ilogb isfinite isinf isnan isnormal j0 j1 jn ldexp lgamma llrint
    llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo
    rint round scalb scalbln scalbn signbit signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
RESERVED = frozenset(_TAKEN.split())
"""Names that C and math.h have taken; so have v0, v1, … for the values."""


def identifier(name: str) -> str:
    """A name as C allows it."""
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{cleaned}" if not cleaned or cleaned[0].isdigit() else cleaned


def _distinct(names: Iterable[str]) -> list[str]:
    """The names as C allows them, no two alike."""
    taken: set[str] = set(RESERVED)
    found = []
    for name in names:
        cleaned = identifier(name)
        while cleaned in taken or re.fullmatch(r"v\d+", cleaned):
            cleaned += "_"
        taken.add(cleaned)
        found.append(cleaned)
    return found


def source(program: Program) -> str:
    """The C source of a program: ``void name(const double q[7], …, double result[49])``.

    Matrices are stored row by row.
    """
    slots = (*program.inputs, *program.outputs)
    function, *names = _distinct([program.name, *(slot.name for slot in slots)])
    inputs, outputs = names[: len(program.inputs)], names[len(program.inputs) :]
    arguments = [
        *(f"const double {n}[{slot.size}]" for n, slot in zip(inputs, program.inputs, strict=True)),
        *(f"double {n}[{slot.size}]" for n, slot in zip(outputs, program.outputs, strict=True)),
    ]
    shapes = "\n".join(f" *   {name}: {list(slot.shape)}" for name, slot in zip(names, slots, strict=True))
    lines = [
        f"/* {function}: {program.operations}.\n * Arguments, arrays stored row by row:\n{shapes}\n */",
        "#include <math.h>",
        "",
        f"void {function}({', '.join(arguments)})",
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
    if op in ("min", "max"):  # NaN if either is, unlike fmin and fmax
        return f"({x[0]} {'<' if op == 'min' else '>'} {x[1]} || {x[0]} != {x[0]}) ? {x[0]} : {x[1]}"
    if op == "sign":
        return f"({x[0]} > 0.0) ? 1.0 : (({x[0]} < 0.0) ? -1.0 : {x[0]})"
    return f"{_CALL.get(op, op)}({', '.join(x)})"


def _number(value: float) -> str:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    return repr(value) if value >= 0 else f"({value!r})"
