"""Source code of the equations of motion, with shared subexpressions: C, Python, Octave and Fortran.

Two programs are made and the shorter is written: the printed equations, bracket by bracket, and the
recursive algorithms on the same exact numbers. Small mechanisms take fewer operations the first way,
large ones the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.program import Program, program_of
from linkwright.equations.closure import with_rows_only, without_loops
from linkwright.equations.derive import Coordinates
from linkwright.equations.plan import Plan, realised
from linkwright.equations.surd import Surd
from linkwright.equations.writing import Order, Sum, grouped
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.harmonics import Wave

PRINTED_LIMIT = 3_000
"""Terms up to which the printed equations are tried as code; of more they never are the shorter one."""


@dataclass(frozen=True)
class Code:
    """The program of M, h and g, or of what else was asked for, and what its arguments are called."""

    name: str
    letters: tuple[str, ...]
    """of the results, in order"""
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
        lines = [f"{self.name}: {self._law()}; {self.program.operations}", ""]
        lines += [f"q: {', '.join(self.coordinates.q)}", f"v: {', '.join(self.coordinates.v)}"]
        lines += [f"p: {name} = {value:.6g}, {self.meanings[name]}" for name, value in self.values.items()]
        ascii_only = str.maketrans({"²": "^2", "·": " ", "×": "x"})
        return [line.translate(ascii_only) for line in lines]

    def _law(self) -> str:
        """What the results are terms of."""
        terms = [text for letter, text in TERMS.items() if letter in MAIN or letter in self.letters]
        closed = " + A(q)^T lambda, A(q) a + b(q, v) = 0" if {"A", "b"} & {*self.letters} else ""
        return f"{' + '.join(terms)} = tau{closed}"

    @property
    def results(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the results by their letters."""
        return {letter: slot.shape for letter, slot in zip(self.letters, self.program.outputs, strict=True)}


TERMS = {"M": "M(q) a", "h": "h(q, v)", "g": "g(q)", "D": "D(v)", "K": "K(q)"}
MAIN = ("M", "h", "g")
ALGORITHMS = (*MAIN, "A", "b")
"""What the library has algorithms for."""


def code_of(
    plan: Plan,
    coordinates: Coordinates,
    order: Order,
    letters: tuple[str, ...],
    exact: Callable[[str], np.ndarray | None],
    kept: Sequence[int],
) -> Code:
    """The shorter program of the two for what the letters name.

    ``exact(letter)`` gives the polynomials, or None where those of M, h and g would be too large; of the rows of
    closed loops those ``kept`` are written.
    """
    name = re.sub(r"\W+", "_", plan.model.name).strip("_") or "mechanism"
    name = (name if name[0].isalpha() else f"m_{name}") + "_equations"
    programs = []
    forms = {letter: exact(letter) for letter in letters}
    by_algorithms = [letter for letter in letters if letter in ALGORITHMS]
    known = [form for form in forms.values() if form is not None]
    if by_algorithms:
        programs.append(_program(name, plan, coordinates, order, {**forms, **dict.fromkeys(by_algorithms)}, kept))
    if len(known) == len(forms) and sum(len(p) for form in known for p in form.flat) <= PRINTED_LIMIT:
        programs.append(_program(name, plan, coordinates, order, forms, kept))
    shortest = min(programs, key=lambda program: program.operations.total)
    return Code(name, letters, shortest, coordinates, plan.values, plan.meanings)


def _inputs(graph: Graph, plan: Plan, coordinates: Coordinates) -> tuple[dict[str, np.ndarray], dict[str, Expr]]:
    names = {"q": coordinates.q, "v": coordinates.v, "p": tuple(plan.values)}
    arrays = {key: graph.symbols(key, len(own)) for key, own in names.items()}
    return arrays, {name: x for key, own in names.items() for name, x in zip(own, arrays[key], strict=True)}


def _program(
    name: str,
    plan: Plan,
    coordinates: Coordinates,
    order: Order,
    forms: Mapping[str, np.ndarray | None],
    kept: Sequence[int],
) -> Program:
    """What the letters name: printed bracket by bracket, or by the algorithms where no form is given."""
    graph = Graph()
    arrays, symbols = _inputs(graph, plan, coordinates)
    written = _Written(graph, symbols, coordinates, order)
    algorithms = _algorithms(plan, symbols, arrays["q"], arrays["v"], list(kept))
    results = []
    for letter, form in forms.items():
        results.append(algorithms[letter]() if form is None else written.array(form, symmetric=letter == "M"))
    return program_of(name, graph, arrays, tuple(results))


def _algorithms(
    plan: Plan, symbols: Mapping[str, Expr], q: np.ndarray, v: np.ndarray, kept: list[int]
) -> dict[str, Callable[[], np.ndarray]]:
    """The recursive algorithms on the same exact numbers."""

    def make(coefficient: Surd, parameter: str) -> Any:
        number = float(coefficient)
        return number * symbols[parameter] if parameter else number

    closed = realised(plan, make)
    model, closed = without_loops(closed), with_rows_only(closed)
    inertia, second_moment = model, model
    if not plan.rigid_names:  # numbers: regrouped inertias take fewer operations
        inertia, second_moment = model.minimal("inertia"), model.minimal("second moment")
    still, weightless = np.zeros(model.nv), replace(second_moment, gravity=np.zeros(3), memo={})
    return {
        "M": lambda: dynamics.mass_matrix(inertia, q),
        "h": lambda: dynamics.inverse_dynamics(weightless, q, v, still),
        "g": lambda: dynamics.gravity_forces(second_moment, q),
        "A": lambda: dynamics.constraint_jacobian(closed, q)[kept],
        "b": lambda: dynamics.constraint_bias(closed, q, v)[kept],
    }


class _Written:
    """Printed equations as expressions, equal brackets once."""

    def __init__(self, graph: Graph, symbols: Mapping[str, Expr], coordinates: Coordinates, order: Order):
        self.graph, self.order = graph, order
        known = {"1/pi": graph.constant(1.0 / np.pi), "sqrt2": graph.constant(2**0.5), "sqrt3": graph.constant(3**0.5)}
        known |= {f"sign({name})": symbols[name].sign() for name in coordinates.v}
        self.symbols = {**symbols, **known}
        self.made: dict[Sum, Expr] = {}

    def array(self, form: np.ndarray, symmetric: bool) -> np.ndarray:
        """An array of polynomials; of a symmetric one the upper half is written."""
        array = np.empty(form.shape, dtype=object)
        for place in np.ndindex(*form.shape):
            array[place] = self.value(grouped(form[tuple(sorted(place)) if symmetric else place], self.order))
        return array

    def value(self, terms: Sum) -> Expr:
        if terms not in self.made:
            total = self.graph.zero
            for one in terms:
                product = self.graph.constant(float(one.coefficient))
                for atom, e in one.factors:
                    product = product * self.factor(atom) ** e
                for bracket in one.brackets:
                    product = product * self.value(bracket)
                total = total + product
            self.made[terms] = total
        return self.made[terms]

    def factor(self, atom: Any) -> Expr:
        if not isinstance(atom, Wave):
            return self.symbols[atom]
        angle = self.graph.zero
        for angle_name, n in atom.angles:
            angle = angle + float(n) * self.symbols[angle_name]
        return angle.cos() if atom.function == "cos" else angle.sin()


@dataclass(frozen=True)
class Language:
    """How a programming language writes what programs are made of."""

    item: Callable[[str, int], str]
    number: Callable[[float], str]
    assign: str
    """of a name and an expression"""
    sign: str = "(({0} > 0) - ({0} < 0))"


def _real(x: float) -> str:
    return repr(x) if x >= 0.0 else f"({x!r})"


def _double(x: float) -> str:
    text = repr(abs(x)).replace("e", "d")
    text = text if "d" in text else f"{text}d0"
    return text if x >= 0.0 else f"(-{text})"


C = Language(lambda name, k: f"{name}[{k}]", _real, "    const double {} = {};")
PYTHON = Language(lambda name, k: f"{name}[{k}]", _real, "    {} = {}", "(int({0} > 0) - int({0} < 0))")
OCTAVE = Language(lambda name, k: f"{name}({k + 1})", _real, "  {} = {};", "sign({0})")
FORTRAN = Language(
    lambda name, k: f"{name}({k + 1})",
    _double,
    "  {} = {}",
    "(merge(1.0d0, 0.0d0, {0} > 0.0d0) - merge(1.0d0, 0.0d0, {0} < 0.0d0))",
)


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
        elif op == "sign":
            text, strength = language.sign.format(operand(args[0], 3)), 3
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
    lines, results, _ = _body(code, C)
    arguments = [f"const double {name}[{size}]" for name, size in code.sizes.items()]
    arguments += [f"double {letter}[{prod(shape)}]" for letter, shape in code.results.items()]
    text = ["/*", *(f" * {line}".rstrip() for line in code.header())]
    text += [f" * {letter} is stored row by row." for letter, shape in code.results.items() if len(shape) == 2]
    text += [" */", "#include <math.h>", ""]
    if code.values:
        numbers = ", ".join(_real(value) for value in code.values.values())
        text += [f"const double {code.name}_parameters[{len(code.values)}] = {{{numbers}}};", ""]
    text += [f"void {code.name}({', '.join(arguments)})", "{", *lines]
    for letter, entries in zip(code.letters, results, strict=True):
        text += [f"    {letter}[{k}] = {entry};" for k, entry in enumerate(entries)]
    return "\n".join([*text, *(f"    (void){name};" for name in code.sizes), "}", ""])


def python_source(code: Code) -> str:
    """A function of plain Python that returns lists, of matrices nested ones."""
    lines, results, _ = _body(code, PYTHON)
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
    returned = []
    for (letter, shape), entries in zip(code.results.items(), results, strict=True):
        if len(shape) == 2:
            n = shape[1]
            rows = [f"[{', '.join(entries[i * n : (i + 1) * n])}]" for i in range(shape[0])]
            text += [f"    {letter} = [", *(f"        {row}," for row in rows), "    ]"]
            returned.append(letter)
        else:
            returned.append(f"[{', '.join(entries)}]")
    return "\n".join([*text, f"    return {', '.join(returned)}", ""])


def octave_source(code: Code) -> str:
    """A function file of Octave or MATLAB."""
    lines, results, _ = _body(code, OCTAVE)
    text = [f"function [{', '.join(code.letters)}] = {code.name}({', '.join(code.sizes)})"]
    text += [f"  % {line}".rstrip() for line in code.header()] + lines
    for (letter, shape), entries in zip(code.results.items(), results, strict=True):
        text += [f"  {letter} = zeros({shape[0]}, {(*shape, 1)[1]});", *_items(letter, shape, entries, ";")]
    return "\n".join([*text, "end", ""])


def fortran_source(code: Code) -> str:
    """A subroutine of free-form Fortran."""
    lines, results, assigned = _body(code, FORTRAN)
    shapes = [f"{letter}({', '.join(map(str, shape))})" for letter, shape in code.results.items()]
    text = [f"! {line}".rstrip()[:130] for line in code.header()]
    text += [f"subroutine {code.name}({', '.join([*code.sizes, *code.letters])})", "  implicit none"]
    text += [f"  double precision, intent(in) :: {name}({size})" for name, size in code.sizes.items()]
    text += [f"  double precision, intent(out) :: {', '.join(shapes)}"]
    text += [f"  double precision :: {', '.join(assigned[k : k + 12])}" for k in range(0, len(assigned), 12)]
    text += lines
    for (letter, shape), entries in zip(code.results.items(), results, strict=True):
        text += _items(letter, shape, entries, "")
    return "\n".join([*text, f"end subroutine {code.name}", ""])


def _items(letter: str, shape: tuple[int, ...], entries: list[str], end: str) -> list[str]:
    """An assignment to every entry of an array, its places counted from one."""
    places = [", ".join(str(i + 1) for i in place) for place in np.ndindex(*shape)]
    return [f"  {letter}({place}) = {entry}{end}" for place, entry in zip(places, entries, strict=True)]
