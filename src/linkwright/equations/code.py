"""Source code of the equations of motion, with shared subexpressions: C, Python, Octave and Fortran.

Two programs are made and the shorter is written: the printed equations, bracket by bracket, and the
recursive algorithms on the same exact numbers. Small mechanisms take fewer operations the first way,
large ones the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.program import Program, program_of
from linkwright.equations.derive import Coordinates, Forms
from linkwright.equations.plan import Plan, realised
from linkwright.equations.surd import Surd
from linkwright.equations.writing import Order, Sum, grouped
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.harmonics import Wave

PRINTED_LIMIT = 3_000
"""Terms up to which the printed equations are tried as code; of more they never are the shorter one."""


@dataclass(frozen=True)
class Code:
    """The program of M, h and g, and what its arguments are called."""

    name: str
    program: Program
    coordinates: Coordinates
    values: Mapping[str, float]
    meanings: Mapping[str, str]

    @property
    def sizes(self) -> dict[str, int]:
        """The arguments and their lengths."""
        sizes = {"q": len(self.coordinates.q), "v": len(self.coordinates.v), "p": len(self.values)}
        return {name: n for name, n in sizes.items() if n or name != "p"}

    def header(self) -> list[str]:
        """What the function computes, line by line."""
        lines = [f"{self.name}: M(q) a + h(q, v) + g(q) = tau; {self.program.operations}", ""]
        lines += [f"q: {', '.join(self.coordinates.q)}", f"v: {', '.join(self.coordinates.v)}"]
        lines += [f"p: {name} = {value:.6g}, {self.meanings[name]}" for name, value in self.values.items()]
        ascii_only = str.maketrans({"²": "^2", "·": " ", "×": "x"})
        return [line.translate(ascii_only) for line in lines]


def code_of(plan: Plan, coordinates: Coordinates, forms: Callable[[], Forms | None], order: Order) -> Code:
    """The shorter program of the two; ``forms`` gives None where they would be too large."""
    name = re.sub(r"\W+", "_", plan.model.name).strip("_") or "mechanism"
    name = (name if name[0].isalpha() else f"m_{name}") + "_equations"
    programs = [_recursive(name, plan, coordinates)]
    exact = forms()
    if exact is not None and exact.terms <= PRINTED_LIMIT:
        programs.append(_printed(name, plan, coordinates, exact, order))
    shortest = min(programs, key=lambda program: program.operations.total)
    return Code(name, shortest, coordinates, plan.values, plan.meanings)


def _inputs(graph: Graph, plan: Plan, coordinates: Coordinates) -> tuple[dict[str, np.ndarray], dict[str, Expr]]:
    names = {"q": coordinates.q, "v": coordinates.v, "p": tuple(plan.values)}
    arrays = {key: graph.symbols(key, len(own)) for key, own in names.items()}
    return arrays, {name: x for key, own in names.items() for name, x in zip(own, arrays[key], strict=True)}


def _recursive(name: str, plan: Plan, coordinates: Coordinates) -> Program:
    graph = Graph()
    arrays, symbols = _inputs(graph, plan, coordinates)

    def make(coefficient: Surd, parameter: str) -> Any:
        number = float(coefficient)
        return number * symbols[parameter] if parameter else number

    model = realised(plan, make)
    inertia, second_moment = model, model
    if not plan.values:  # numbers: regrouped inertias take fewer operations
        inertia, second_moment = model.minimal("inertia"), model.minimal("second moment")
    q, v, still = arrays["q"], arrays["v"], np.zeros(model.nv)
    M = dynamics.mass_matrix(inertia, q)
    g = dynamics.gravity_forces(second_moment, q)
    h = dynamics.inverse_dynamics(replace(second_moment, gravity=np.zeros(3), memo={}), q, v, still)
    return program_of(name, graph, arrays, (M, h, g))


def _printed(name: str, plan: Plan, coordinates: Coordinates, forms: Forms, order: Order) -> Program:
    graph = Graph()
    arrays, symbols = _inputs(graph, plan, coordinates)
    known = {"1/pi": graph.constant(1.0 / np.pi), "sqrt2": graph.constant(2**0.5), "sqrt3": graph.constant(3**0.5)}
    symbols = {**symbols, **known}
    made: dict[Sum, Expr] = {}

    def value(terms: Sum) -> Expr:
        if terms not in made:
            total = graph.zero
            for one in terms:
                product = graph.constant(float(one.coefficient))
                for atom, e in one.factors:
                    product = product * factor(atom) ** e
                for bracket in one.brackets:
                    product = product * value(bracket)
                total = total + product
            made[terms] = total
        return made[terms]

    def factor(atom: Any) -> Expr:
        if not isinstance(atom, Wave):
            return symbols[atom]
        angle = graph.zero
        for angle_name, n in atom.angles:
            angle = angle + float(n) * symbols[angle_name]
        return angle.cos() if atom.function == "cos" else angle.sin()

    results = []
    for form in forms:
        array = np.empty(form.shape, dtype=object)
        for place in np.ndindex(*form.shape):
            mirrored = tuple(sorted(place))
            array[place] = value(grouped(form[mirrored], order))
        results.append(array)
    return program_of(name, graph, arrays, tuple(results))


@dataclass(frozen=True)
class Language:
    """How a programming language writes what programs are made of."""

    item: Callable[[str, int], str]
    number: Callable[[float], str]
    assign: str
    """of a name and an expression"""


def _real(x: float) -> str:
    return repr(x) if x >= 0.0 else f"({x!r})"


def _double(x: float) -> str:
    text = repr(abs(x)).replace("e", "d")
    text = text if "d" in text else f"{text}d0"
    return text if x >= 0.0 else f"(-{text})"


C = Language(lambda name, k: f"{name}[{k}]", _real, "    const double {} = {};")
PYTHON = Language(lambda name, k: f"{name}[{k}]", _real, "    {} = {}")
OCTAVE = Language(lambda name, k: f"{name}({k + 1})", _real, "  {} = {};")
FORTRAN = Language(lambda name, k: f"{name}({k + 1})", _double, "  {} = {}")


def _body(code: Code, language: Language) -> tuple[list[str], list[list[str]], list[str]]:
    """The assignments, the expression of every entry of each result, and the names assigned to.

    What is used once and short is written where it is used.
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
        else:
            text, strength = f"{op}({operand(args[0], 1)})", 3
        if op != "input" and (uses[k] > 1 or len(text) > 50):
            name = f"t{len(assigned) + 1}"
            lines.append(language.assign.format(name, text))
            assigned.append(name)
            text, strength = name, 3
        texts.append((text, strength))
    results = [[texts[k][0] for k in numbers] for numbers in program.results]
    return lines, results, assigned


def c_source(code: Code) -> str:
    """A function of C99 that allocates nothing."""
    lines, (M, h, g), _ = _body(code, C)
    n = len(h)
    arguments = [f"const double {name}[{size}]" for name, size in code.sizes.items()]
    arguments += [f"double M[{n * n}]", f"double h[{n}]", f"double g[{n}]"]
    text = ["/*", *(f" * {line}".rstrip() for line in code.header()), " * M is stored row by row.", " */"]
    text += ["#include <math.h>", ""]
    if code.values:
        numbers = ", ".join(_real(value) for value in code.values.values())
        text += [f"const double {code.name}_parameters[{len(code.values)}] = {{{numbers}}};", ""]
    text += [f"void {code.name}({', '.join(arguments)})", "{", *lines]
    for name, entries in (("M", M), ("h", h), ("g", g)):
        text += [f"    {name}[{k}] = {entry};" for k, entry in enumerate(entries)]
    return "\n".join([*text, *(f"    (void){name};" for name in code.sizes), "}", ""])


def python_source(code: Code) -> str:
    """A function of plain Python that returns M (nested lists), h and g."""
    lines, (M, h, g), _ = _body(code, PYTHON)
    n = len(h)
    rows = [f"[{', '.join(M[i * n : (i + 1) * n])}]" for i in range(n)]
    used = sorted({op for op, *_ in code.program.instructions} & {"cos", "sin", "sqrt"})
    text = [f"from math import {', '.join(used)}", ""] if used else []
    arguments = ["q", "v"]
    if code.values:
        numbers = ", ".join(repr(value) for value in code.values.values())
        text += [f"PARAMETERS = ({numbers},)", ""]
        arguments.append("p=PARAMETERS")
    first, *rest = code.header()
    text += ["", f"def {code.name}({', '.join(arguments)}):", f'    """{first}']
    text += [f"    {line}".rstrip() for line in rest] + ['    """', *lines]
    text += ["    M = [", *(f"        {row}," for row in rows), "    ]"]
    return "\n".join([*text, f"    return M, [{', '.join(h)}], [{', '.join(g)}]", ""])


def octave_source(code: Code) -> str:
    """A function file of Octave or MATLAB."""
    lines, (M, h, g), _ = _body(code, OCTAVE)
    n = len(h)
    text = [f"function [M, h, g] = {code.name}({', '.join(code.sizes)})"]
    text += [f"  % {line}".rstrip() for line in code.header()] + lines + [f"  M = zeros({n}, {n});"]
    text += [f"  M({k // n + 1}, {k % n + 1}) = {entry};" for k, entry in enumerate(M)]
    for name, entries in (("h", h), ("g", g)):
        text += [f"  {name} = zeros({n}, 1);", *(f"  {name}({k + 1}) = {e};" for k, e in enumerate(entries))]
    return "\n".join([*text, "end", ""])


def fortran_source(code: Code) -> str:
    """A subroutine of free-form Fortran."""
    lines, (M, h, g), assigned = _body(code, FORTRAN)
    n = len(h)
    text = [f"! {line}".rstrip()[:130] for line in code.header()]
    text += [f"subroutine {code.name}({', '.join([*code.sizes, 'M', 'h', 'g'])})", "  implicit none"]
    text += [f"  double precision, intent(in) :: {name}({size})" for name, size in code.sizes.items()]
    text += [f"  double precision, intent(out) :: M({n}, {n}), h({n}), g({n})"]
    text += [f"  double precision :: {', '.join(assigned[k : k + 12])}" for k in range(0, len(assigned), 12)]
    text += lines + [f"  M({k // n + 1}, {k % n + 1}) = {entry}" for k, entry in enumerate(M)]
    for name, entries in (("h", h), ("g", g)):
        text += [f"  {name}({k + 1}) = {entry}" for k, entry in enumerate(entries)]
    return "\n".join([*text, f"end subroutine {code.name}", ""])
