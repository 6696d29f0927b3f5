"""Functions of Python, Octave and Fortran."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.compiler.emit.languages import FORTRAN, OCTAVE, PYTHON, statements
from linkwright.compiler.ir.program import ArraySpec
from linkwright.symbolic.output.code import GeneratedFunction


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
        lines, results, _ = statements(code.program, PYTHON)
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
    lines, results, _ = statements(code.program, OCTAVE)
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
    lines, results, assigned = statements(code.program, FORTRAN)
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
