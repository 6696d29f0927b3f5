"""Derivatives of programs: what algorithms give of themselves, else the chain rule over the program played again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.call_stack import with_room
from linkwright.compiler.front import trace
from linkwright.compiler.front.algorithms import POSITIONS, Derivative, facts
from linkwright.compiler.front.bind import regrouped
from linkwright.compiler.ir.program import ROWS, Each, Program, Steps, program_of
from linkwright.compiler.ir.rerolling import rerolled
from linkwright.dynamics.configuration import configuration_rate
from linkwright.errors import ArgumentError, TooLargeError
from linkwright.expression.derivative import jacobian
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.loops import tables
from linkwright.expression.loops.repeats import of_step, own_symbols
from linkwright.model.tree import Model
from linkwright.status import with_status_message

SHORT = 600
"""Instructions of an algorithm up to which differentiating its trace may beat its analytical derivative."""


def given_derivative(known: Derivative, model: Model | None, arrays: Sequence[Any], wrenches: Any) -> Any:
    """Return the derivative that an algorithm provides, by one or more arguments of inverse dynamics."""
    assert model is not None
    q, v, a = (list(arrays) + [np.zeros(model.nv)] * 3)[:3]
    own = model if model.sweeps_are_recorded else regrouped(known.book, model, {})
    return known.book(own, q, v, a, wrenches)[known.which]


def replay(program: Program, graph: Graph, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return the program's results on other expressions."""
    values = _replayed(program, graph, [np.asarray(x, dtype=object).reshape(-1) for x in inputs])
    results = []
    for slot, numbers in zip(program.outputs, program.results, strict=True):
        array = np.empty(slot.size, dtype=object)
        array[:] = [values[k] for k in numbers]
        results.append(array.reshape(slot.shape))
    return tuple(results)


def _replayed(program: Program, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    values: list[Any] = []
    for op, args, value in program.instructions:
        if op == "constant":
            values.append(graph.constant(value))
        elif op == "input":
            values.append(graph.coerce(inputs[args[0]][args[1]]))
        elif op == "repeat":
            values.append(_repeated(value, graph, [values[a] for a in args]))
        elif op == "item":
            row = values[args[0]]
            values.append(row[value] if isinstance(row, list) else tables.entry(row, value))
        elif op == "array":
            number, first, size = value
            values.append(tables.table(graph, [graph.coerce(x) for x in inputs[number][first : first + size]]))
        elif op == "kept":
            values.append(tables.kept(values[args[0]][0].args[0], value))
        elif op == "each":
            values.append(_each(value, graph, [values[a] for a in args]))
        elif op in ROWS:
            values.append(tables.again(graph, op, [values[a] for a in args], value))
        else:
            values.append(graph.apply(op, *(values[a] for a in args)))
    return values


def _each(each: Each, graph: Graph, given: list[Expr]) -> Expr:
    """Return a row of equal entries, one by one."""
    entries, (result,) = zip(*map(tables.entries, given[: each.rows]), strict=True), each.program.results[0]
    made = [_replayed(each.program, graph, [row, given[each.rows :]])[result] for row in entries]
    return tables.in_memory(graph, made)


def _repeated(steps: Steps, graph: Graph, given: list[Expr]) -> list[Expr]:
    """Return a repetition's results in another graph."""
    with own_symbols(graph, steps.count, given[: steps.size]) as (number, state):
        values = _replayed(steps.program, graph, [[number], state, given[steps.size :]])
    after, *stop = ([values[k] for k in numbers] for numbers in steps.program.results)
    start, condition = given[: steps.size], stop[0][0] if stop else None
    return of_step(graph, steps.count, number, state, after, start, condition, steps.keep)


BACKWARDS = (
    "; through loops the derivative of few numbers, such as the cost of a motion, goes backwards and is short however "
    "many it is taken by, that of many goes forwards and grows with each"
)


@with_room
@with_status_message(lambda program: f"differentiating {program.name}")
@trace.uncollected()
def differentiate(program: Program, wrt: str, model: Model | None) -> Program:
    """:func:`_differentiated`; where it becomes too large through loops, the error says which do not."""
    loops = any(i.op in ("repeat", "product", "each") for i in program.instructions)
    try:
        derived = _differentiated(program, wrt, model)
    except TooLargeError as error:
        raise TooLargeError(f"{error}{BACKWARDS}") if loops else error from None
    if loops and derived.length > trace.OPERATION_LIMIT:
        raise TooLargeError(
            f"the derivative of {program.name} by {wrt} has {derived.length} operations, more than "
            f"{trace.OPERATION_LIMIT}{BACKWARDS}"
        )
    return derived


def _differentiated(program: Program, wrt: str, model: Model | None) -> Program:
    """Return the program of the derivative by an argument, which is added as last axis.

    The derivative by a configuration of a model is that by δ in ``integrate(model, q, δ)`` at 0: its last axis is nv.
    Derivatives that an algorithm provides are used.
    """
    names = [slot.name for slot in program.inputs]
    if wrt not in names:
        raise ArgumentError(f"{program.name} has no array {wrt!r} to differentiate by; it has {', '.join(names)}")
    known = facts(program.algorithm).derivatives.get(wrt)
    graph = Graph(trace.NODE_LIMIT)
    inputs = {slot.name: graph.symbols(slot.name, slot.shape) for slot in program.inputs}
    if known:
        arrays = list(inputs.values())
        frames = [name.removeprefix("wrench ") for name in names if name.startswith("wrench ")]
        n = len(arrays) - len(frames)
        wrenches = dict(zip(frames, arrays[n:], strict=True)) or None
        derived = given_derivative(known, model, arrays[:n], wrenches)
        analytical = _released(f"{program.name}_{wrt}", graph, inputs, derived)
        if len(program.instructions) > SHORT:
            return analytical
        plain = _differentiated(replace(program, algorithm=None), wrt, model)
        return min(plain, analytical, key=lambda one: one.operations.total)
    symbols = inputs[wrt].reshape(-1)
    derivatives = []
    for result in replay(program, graph, list(inputs.values())):
        D = jacobian(result, list(symbols))
        if model is not None and wrt in POSITIONS and model.nq:
            units = [configuration_rate(model, inputs[wrt], unit) for unit in np.eye(model.nv)]
            D = D @ np.stack(units, axis=1) if units else D[..., :0]
        else:
            D = D.reshape((*result.shape, *inputs[wrt].shape))
        derivatives.append(D)
    return _released(f"{program.name}_{wrt}", graph, inputs, derivatives[0] if program.single else tuple(derivatives))


def _released(name: str, graph: Graph, inputs: dict[str, Any], results: Any) -> Program:
    """Return the program of results; the expressions are let go of at once, without the garbage collector."""
    program = program_of(name, graph, inputs, results)
    graph.release()
    return rerolled(program.as_derivative())
