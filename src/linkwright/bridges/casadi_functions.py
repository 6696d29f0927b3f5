"""A program as a function of CasADi: SX for straight-line code, MX for loops.

Matrices of CasADi are stored by columns, arrays of this library by rows: every argument and result is a column of its
entries in row-major order in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from linkwright.compiler.ir.program import ArraySpec, Each, Program, Steps
from linkwright.errors import TooLargeError
from linkwright.expression.loops.tables import MatrixLayout
from linkwright.expression.operations import HELD

MOST_STEPS = 100_000
"""Steps of a loop that may stop earlier; CasADi runs all of them."""

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sqrt": ca.sqrt,
    "inverse_root": lambda x: 1.0 / ca.sqrt(x),
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan2": ca.atan2,
    "exp": ca.exp,
    "log": ca.log,
    "tanh": ca.tanh,
    "pow": lambda x, y: x**y,
    "abs": ca.fabs,
    "sign": ca.sign,
    "floor": ca.floor,
    "round": lambda x: x - ca.remainder(x, 1.0),  # halves to even numbers, as NumPy
    "min": ca.fmin,
    "max": ca.fmax,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "where": ca.if_else,
    **dict.fromkeys(HELD, lambda x, *_: x),
}

_ONLY_MX = frozenset(("repeat", "take", "put", "added"))
"""Loops, and entries at computed indices, which SX does not have."""


def function(program: Program, names: Sequence[str]) -> Any:
    """Return a ``casadi.Function`` of a program; ``names``: of its inputs, as identifiers."""
    kind = _kind(program)
    given = _names([*names, *(slot.name for slot in program.outputs)])
    inputs, outputs = given[: len(names)], given[len(names) :]
    arguments = [kind.sym(name, *_size(slot)) for name, slot in zip(inputs, program.inputs, strict=True)]
    values = _values(program, [ca.vec(x.T) for x in arguments], kind)
    results = []
    for slot, numbers in zip(program.outputs, program.results, strict=True):
        rows, columns = _size(slot)
        results.append(ca.reshape(_column([values[k] for k in numbers], kind), columns, rows).T)
    (name,) = _names([program.name])
    return ca.Function(name, arguments, results, inputs, outputs)


def _kind(program: Program) -> Any:
    return ca.MX if any(i.op in _ONLY_MX for i in program.instructions) else ca.SX


def _size(slot: ArraySpec) -> tuple[int, int]:
    """Return the rows and columns of an array; the first axes of more than two are one."""
    if len(slot.shape) < 2:
        return slot.size, 1
    return int(np.prod(slot.shape[:-1])), slot.shape[-1]


def _names(wanted: Collection[str]) -> list[str]:
    """Return different names that CasADi accepts: letters, digits and single underscores."""
    names: list[str] = []
    for given in wanted:
        name = re.sub(r"__+", "_", re.sub(r"[^A-Za-z0-9_]", "_", given)).strip("_") or "x"
        name = name if name[0].isalpha() and name not in ("null", "jac", "hess") else f"x_{name}"
        own = name
        while own in names:
            own = f"{own}_out"
        names.append(own)
    return names


def _column(entries: Sequence[Any], kind: Any) -> Any:
    return ca.vertcat(*entries) if entries else kind(0, 1)


def _values(program: Program, inputs: Sequence[Any], kind: Any) -> list[Any]:
    """Return the values of all instructions: scalars, and columns for rows of numbers; inputs are columns."""
    values: list[Any] = []
    for op, args, value in program.instructions:
        if op in _OPERATIONS:
            values.append(_OPERATIONS[op](*(values[a] for a in args)))
        elif op == "constant":
            values.append(kind(float(value)))
        elif op == "input":
            values.append(inputs[args[0]][args[1]])
        elif op == "repeat":
            values.append(_repeated(value, [values[a] for a in args]))
        elif op == "item":
            row = values[args[0]]
            values.append(row.item(value) if isinstance(row, _LoopResults) else row[value])
        elif op == "kept":
            values.append(values[args[0]].kept(value))
        elif op == "array":
            number, first, size = value
            values.append(inputs[number][first : first + size])
        elif op == "each":
            values.append(_each(value, [values[a] for a in args], kind))
        else:
            values.append(_ROWS[op](kind, value, *(values[a] for a in args)))
    return values


def _put(kind: Any, value: Any, row: Any, place: Any, x: Any) -> Any:
    changed = kind(row)
    changed[place] = x
    return changed


def _layout(layout: MatrixLayout) -> list[int]:
    """Return the indices of a matrix's entries in its row, column by column."""
    return [
        layout.first + column * layout.right + row * layout.down
        for column in range(layout.width)
        for row in range(layout.height)
    ]


def _outer(kind: Any, layout: MatrixLayout, row: Any, y: Any, x: Any) -> Any:
    places = _layout(layout)
    changed = kind(row)
    changed[places] = row[places] + ca.vec(ca.mtimes(y, x.T))
    return changed


_ROWS: dict[str, Callable[..., Any]] = {
    "numbers": lambda kind, value: kind(ca.DM(value.entries)),
    "table": lambda kind, value, *entries: ca.vertcat(*entries),
    "part": lambda kind, part, row: row[[part.first + part.step * k for k in range(part.size)]],
    "zeros": lambda kind, size: kind(ca.DM.zeros(size)),
    "room": lambda kind, size: kind(ca.DM.zeros(size)),
    "added": lambda kind, value, row, place, x: _put(kind, value, row, place, row[place] + x),
    "put": _put,
    "product": lambda kind, layout, A, x: ca.mtimes(ca.reshape(A[_layout(layout)], layout.height, layout.width), x),
    "outer": _outer,
    "take": lambda kind, value, row, place: row[place],
}


def _each(each: Each, given: Sequence[Any], kind: Any) -> Any:
    """Return a row of equal entries: a mapped function of the entries of the rows."""
    rows, fixed = given[: each.rows], given[each.rows :]
    of_one = _kind(each.program)
    entry = [of_one.sym("entries", each.rows), of_one.sym("fixed", len(fixed))]
    values = _values(each.program, entry, of_one)
    one = ca.Function("entry", entry, [values[each.program.results[0][0]]])
    numbers = _column(fixed, kind)
    if kind is ca.SX:
        return ca.vertcat(*(one(_column([row[k] for row in rows], kind), numbers) for k in range(each.size)))
    entries = ca.horzcat(*rows).T if rows else kind(0, each.size)
    return one.map(each.size)(entries, ca.repmat(numbers, 1, each.size)).T


class _LoopResults:
    """Results of a loop: the states at the end, the number of steps, the stored states."""

    def __init__(self, places: Sequence[slice], end: Any, kept: Any, size: int):
        self.places, self.end, self.stored, self.size = places, end, kept, size

    def item(self, which: int) -> Any:
        """Return a state at the end, the number of steps, or a stored state."""
        if which <= self.size:
            return self.end[self.places[which]]
        row, state = divmod(which - self.size - 1, self.size)
        return self.stored[self.places[state], row]

    def kept(self, state: int) -> Any:
        """Return the stored values of a state that is a number."""
        return self.stored[self.places[state], :].T


def _repeated(steps: Steps, given: Sequence[Any]) -> _LoopResults:
    """Return the results of a loop: the states are one column, with the step number and whether it goes on."""
    if steps.stops and steps.count > MOST_STEPS:
        raise TooLargeError(
            f"a loop of at most {steps.count} steps that may stop earlier: CasADi runs all steps, of which there may "
            f"be {MOST_STEPS}; give until() a smaller limit"
        )
    kind = _kind(steps.program)
    states, fixed = given[: steps.size], given[steps.size :]
    sizes = [*(x.numel() for x in states), 1, 1, 1]  # the number of steps taken, whether it goes on, the step number
    ends = np.cumsum([0, *sizes])
    places = [slice(int(a), int(b)) for a, b in pairwise(ends)]
    state = kind.sym("state", int(ends[-1]))
    constants = kind.sym("fixed", sum(x.numel() for x in fixed))
    bounds = np.cumsum([0, *(x.numel() for x in fixed)])
    taken, going, number = (state[places[k]] for k in range(steps.size, steps.size + 3))
    before = [state[place] for place in places[: steps.size]]
    values = _values(
        steps.program,
        [[number], before, [constants[int(a) : int(b)] for a, b in pairwise(bounds)]],
        kind,
    )
    after = [values[k] for k in steps.program.results[0]]
    if steps.stops:
        going = ca.if_else(values[steps.program.results[1][0]], 0.0, going)
        after = [
            ca.vertcat(*(ca.if_else(going, x[k], y[k]) for k in range(y.numel())))
            for x, y in zip(after, before, strict=True)
        ]
    column = ca.vertcat(*after, taken + going, going, number + 1.0)
    step = ca.Function("step", [state, constants], [column])
    start = ca.vertcat(*map(ca.MX, states), 0.0, 1.0, 0.0)
    numbers = _column(list(map(ca.MX, fixed)), ca.MX)
    if not steps.count:
        return _LoopResults(places, start, None, steps.size)
    if not steps.rows:
        return _LoopResults(places, _fold(step, steps.count, start, numbers), None, steps.size)
    stored = _several(step, steps.keep).mapaccum(steps.rows)(start, ca.repmat(numbers, 1, steps.rows))
    end = stored[:, -1]
    if rest := steps.count - steps.rows * steps.keep:
        end = _fold(step, rest, end, numbers)
    return _LoopResults(places, end, stored, steps.size)


def _several(step: Any, count: int) -> Any:
    """Return a function of several steps."""
    if count == 1:
        return step
    state, fixed = ca.MX.sym("state", step.size1_in(0)), ca.MX.sym("fixed", step.size1_in(1))
    return ca.Function("steps", [state, fixed], [_fold(step, count, state, fixed)])


def _fold(step: Any, count: int, state: Any, fixed: Any) -> Any:
    return step(state, fixed) if count == 1 else step.fold(count)(state, ca.repmat(fixed, 1, count))
