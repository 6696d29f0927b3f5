"""Programs in the notation of C, Python, Octave and Fortran."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from linkwright.compiler.ir.program import ArraySpec
from linkwright.symbolic.output.code import GeneratedFunction


@dataclass(frozen=True)
class Language:
    """Syntax of a programming language."""

    item: Callable[[str, int], str]
    number: Callable[[float], str]
    assign: str
    """of a name and an expression"""
    sign: str = "(({0} > 0) - ({0} < 0))"
    functions: Mapping[str, str] = field(default_factory=dict)
    """names of functions, where they are others"""


def real(x: float) -> str:
    """A double, in brackets where it is negative."""
    return repr(x) if x >= 0.0 else f"({x!r})"


def _double(x: float) -> str:
    text = repr(abs(x)).replace("e", "d")
    text = text if "d" in text else f"{text}d0"
    return text if x >= 0.0 else f"(-{text})"


C = Language(
    lambda name, k: f"{name}[{k}]", real, "    const double {} = {};", functions={"min": "fmin", "max": "fmax"}
)
PYTHON = Language(lambda name, k: f"{name}[{k}]", real, "    {} = {}", "(int({0} > 0) - int({0} < 0))")
OCTAVE = Language(lambda name, k: f"{name}({k + 1})", real, "  {} = {};", "sign({0})")
FORTRAN = Language(
    lambda name, k: f"{name}({k + 1})",
    _double,
    "  {} = {}",
    "(merge(1.0d0, 0.0d0, {0} > 0.0d0) - merge(1.0d0, 0.0d0, {0} < 0.0d0))",
)


def body(code: GeneratedFunction, language: Language) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the assignments, the expression of every entry of each result, and the assigned names.

    Short expressions that are used once are inlined.
    """
    program, uses = code.program, code.program.uses
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
            text, strength = language.item(program.inputs[args[0]].name, args[1]), 3
        elif op in ("add", "sub"):
            text = f"{operand(args[0], 1)} {'+' if op == 'add' else '-'} {operand(args[1], 2)}"
            strength = 1
        elif op in ("mul", "div"):
            text, strength = f"{operand(args[0], 2)} {'*' if op == 'mul' else '/'} {operand(args[1], 3)}", 2
        elif op == "neg":
            text, strength = f"-{operand(args[0], 3)}", 1
        elif op == "sign":
            text, strength = language.sign.format(operand(args[0], 3)), 3
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


def _rows(slot: ArraySpec, entries: Sequence[str]) -> list[list[str]]:
    rows, columns = slot.shape
    return [list(entries[k * columns : (k + 1) * columns]) for k in range(rows)]


def python_source(codes: Sequence[GeneratedFunction]) -> str:
    """Functions of plain Python that return vectors as lists, matrices as lists of rows."""
    used = sorted({op for code in codes for op, *_ in code.program.instructions} & {"cos", "sin", "sqrt"})
    text = [f"from math import {', '.join(used)}", ""] if used else []
    named: dict[tuple[float, ...], str] = {}
    for code in codes:
        values = tuple(code.values.values())
        if values and values not in named:
            named[values] = f"PARAMETERS{'_' + str(len(named) + 1) if named else ''}"
            text += [f"{named[values]} = {values!r}", ""]
        lines, results, _ = body(code, PYTHON)
        defaults = {"tau": "tau=None", "p": f"p={named.get(values, '')}"}
        arguments = ", ".join(defaults.get(slot.name, slot.name) for slot in code.arguments)
        first, *rest = code.header()
        text += ["", f"def {code.name}({arguments}):", f'    """{first}']
        text += [f"    {line}".rstrip() for line in rest] + ['    """']
        if tau := [slot for slot in code.arguments if slot.name == "tau"]:
            text += ["    if tau is None:", f"        tau = {tau[0].size} * (0.0,)"]
        text += lines
        shown = []
        for slot, entries in zip(code.outputs, results, strict=True):
            if len(slot.shape) == 2:
                rows = [f"        [{', '.join(row)}]," for row in _rows(slot, entries)]
                text += [f"    {slot.name} = [", *rows, "    ]"]
                shown.append(slot.name)
            else:
                shown.append(f"[{', '.join(entries)}]")
        text += [f"    return {', '.join(shown)}", ""]
    return "\n".join(text)


def octave_source(code: GeneratedFunction) -> str:
    """A function file of Octave or MATLAB; efforts not given are zero, parameters not given the model's."""
    lines, results, _ = body(code, OCTAVE)
    names = [slot.name for slot in code.arguments]
    outputs = ", ".join(slot.name for slot in code.outputs)
    text = [f"function {f'[{outputs}]' if len(results) > 1 else outputs} = {code.name}({', '.join(names)})"]
    text += [f"  % {line}".rstrip() for line in code.header()]
    for name, default in (("tau", "zeros({n}, 1)"), ("p", f"[{' '.join(map(repr, code.values.values()))}]")):
        if name in names:
            n = code.arguments[names.index(name)].size
            text += [f"  if nargin < {names.index(name) + 1}", f"    {name} = {default.format(n=n)};", "  end"]
    text += lines
    for slot, entries in zip(code.outputs, results, strict=True):
        rows, columns = (*slot.shape, 1)[:2]
        text.append(f"  {slot.name} = zeros({rows}, {columns});")
        if len(slot.shape) == 2:
            filled = [(f"{k // columns + 1}, {k % columns + 1}", entry) for k, entry in enumerate(entries)]
        else:
            filled = [(f"{k + 1}", entry) for k, entry in enumerate(entries)]
        text += [f"  {slot.name}({place}) = {entry};" for place, entry in filled]
    return "\n".join([*text, "end", ""])


def fortran_source(codes: Sequence[GeneratedFunction]) -> str:
    """Subroutines of free-form Fortran."""
    return "\n".join(_fortran_subroutine(code) for code in codes)


def _fortran_subroutine(code: GeneratedFunction) -> str:
    lines, results, assigned = body(code, FORTRAN)
    taken = {slot.name.lower() for slot in code.arguments}
    outputs = []
    for slot in code.outputs:  # capitals and small letters are the same there
        name = slot.name if slot.name.lower() not in taken else f"{slot.name}_out"
        taken.add(name.lower())
        outputs.append((name, slot))
    text = [f"! {line}".rstrip()[:130] for line in code.header()]
    names = [*(slot.name for slot in code.arguments), *(name for name, _ in outputs)]
    text += [f"subroutine {code.name}({', '.join(names)})", "  implicit none"]
    for slot in code.arguments:
        text.append(f"  double precision, intent(in) :: {slot.name}{_extent(slot)}")
    text += [f"  double precision, intent(out) :: {name}{_extent(slot)}" for name, slot in outputs]
    text += [f"  double precision :: {', '.join(assigned[k : k + 12])}" for k in range(0, len(assigned), 12)]
    text += lines
    for (name, slot), entries in zip(outputs, results, strict=True):
        columns = slot.shape[1] if len(slot.shape) == 2 else 0
        for k, entry in enumerate(entries):
            place = f"{k // columns + 1}, {k % columns + 1}" if columns else f"{k + 1}"
            text.append(f"  {name}({place}) = {entry}")
    return "\n".join([*text, f"end subroutine {code.name}", ""])


def _extent(slot: ArraySpec) -> str:
    return f"({', '.join(map(str, slot.shape))})" if slot.shape else ""
