"""Straight-line programs as statements of C, Rust, Python, Octave and Fortran: one writer, one table each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from linkwright.compiler.ir.program import Program


@dataclass(frozen=True)
class Language:
    """Syntax of a programming language."""

    item: Callable[[str, int], str]
    number: Callable[[float], str]
    assign: str
    """of a name and an expression"""
    functions: Mapping[str, str] = field(default_factory=dict)
    """names of functions, where they are others"""
    templates: Mapping[str, str] = field(default_factory=dict)
    """operations that are no functions, of their operands"""


def real(x: float) -> str:
    """A double, in brackets where it is negative."""
    return repr(x) if x >= 0.0 else f"({x!r})"


def _real(infinity: str) -> Callable[[float], str]:
    """The writer of doubles of a language with this name of infinity."""
    return lambda x: real(x) if math.isfinite(x) else infinity if x > 0.0 else f"(-{infinity})"


def _double(x: float) -> str:
    text = repr(abs(x)).replace("e", "d")
    text = text if "d" in text else f"{text}d0"
    return text if x >= 0.0 else f"(-{text})"


C = Language(
    lambda name, k: f"{name}[{k}]",
    _real("HUGE_VAL"),
    "    const double {} = {};",
    {"min": "fmin", "max": "fmax", "abs": "fabs", "round": "rint"},
    {
        "sign": "(({0} > 0) - ({0} < 0))",
        "less": "({0} < {1} ? 1.0 : 0.0)",
        "less_equal": "({0} <= {1} ? 1.0 : 0.0)",
        "where": "({0} != 0.0 ? {1} : {2})",
    },
)
RUST = Language(
    lambda name, k: f"{name}[{k}]",
    _real("f64::INFINITY"),
    "    let {}: f64 = {};",
    {name: f"f64::{name}" for name in ("sin", "cos", "sqrt", "atan2", "abs", "round", "min", "max")},
    {
        "sign": "(if {0} > 0.0 {{ 1.0 }} else if {0} < 0.0 {{ -1.0 }} else {{ 0.0 }})",
        "less": "(if {0} < {1} {{ 1.0 }} else {{ 0.0 }})",
        "less_equal": "(if {0} <= {1} {{ 1.0 }} else {{ 0.0 }})",
        "where": "(if {0} != 0.0 {{ {1} }} else {{ {2} }})",
    },
)
PYTHON = Language(
    lambda name, k: f"{name}[{k}]",
    _real("inf"),
    "    {} = {}",
    templates={
        "sign": "(int({0} > 0) - int({0} < 0))",
        "less": "({0} < {1})",
        "less_equal": "({0} <= {1})",
        "where": "({1} if {0} else {2})",
    },
)
OCTAVE = Language(lambda name, k: f"{name}({k + 1})", real, "  {} = {};", templates={"sign": "sign({0})"})
FORTRAN = Language(
    lambda name, k: f"{name}({k + 1})",
    _double,
    "  {} = {}",
    templates={"sign": "(merge(1.0d0, 0.0d0, {0} > 0.0d0) - merge(1.0d0, 0.0d0, {0} < 0.0d0))"},
)


def statements(program: Program, language: Language) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the assignments, the expression of every entry of each result, and the assigned names.

    Short expressions that are used once are inlined.
    """
    uses = program.uses
    texts: list[tuple[str, int]] = []  # and how strongly it binds: 1 a sum, 2 a product, 3 a name
    lines: list[str] = []
    assigned: list[str] = []

    def operand(k: int, weakest: int) -> str:
        text, strength = texts[k]
        return text if strength >= weakest else f"({text})"

    for k, (op, args, number) in enumerate(program.instructions):
        if op == "constant":
            assert number is not None
            texts.append((language.number(number), 3))
            continue
        if op == "input":
            slot = program.inputs[args[0]]
            text, strength = language.item(slot.name, args[1]) if slot.shape else slot.name, 3
        elif op in language.templates:
            text, strength = language.templates[op].format(*(operand(arg, 3) for arg in args)), 3
        elif op in ("add", "sub"):
            text = f"{operand(args[0], 1)} {'+' if op == 'add' else '-'} {operand(args[1], 2)}"
            strength = 1
        elif op in ("mul", "div"):
            text, strength = f"{operand(args[0], 2)} {'*' if op == 'mul' else '/'} {operand(args[1], 3)}", 2
        elif op == "neg":
            text, strength = f"-{operand(args[0], 3)}", 1
        else:
            name = language.functions.get(op, op)
            text, strength = f"{name}({', '.join(operand(arg, 1) for arg in args)})", 3
        if op != "input" and (uses[k] > 1 or len(text) > 50):
            name = f"t{len(assigned) + 1}"
            lines.append(language.assign.format(name, text))
            assigned.append(name)
            text, strength = name, 3
        texts.append((text, strength))
    results = [[texts[k][0] for k in numbers] for numbers in program.results]
    return lines, results, assigned
