"""Derivatives of expressions by the chain rule over the graph: the result is expressions again."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from linkwright.expression import repeats
from linkwright.expression.graph import Expr, elements, needed
from linkwright.expression.operations import OPERATIONS


def jacobian(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """∂ outputs / ∂ inputs, shape ``outputs.shape + (len(inputs),)``.

    By the forward mode, or, of fewer outputs than inputs, by the reverse one where that makes fewer expressions.
    Through repetitions, the forward mode: tangents are further states.
    """
    outputs = np.asarray(outputs, dtype=object)
    result = forward(outputs, inputs)
    if outputs.size >= len(inputs) or any(node.op == "repeat" for node in needed(_expressions(outputs))):
        return result
    return min(result, reverse(outputs, inputs), key=_size)


def _size(entries: np.ndarray) -> int:
    return len(needed(x for x in elements(entries) if isinstance(x, Expr)))


def reverse(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """:func:`jacobian` from the outputs to the inputs, one output after the other (the adjoint)."""
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if not isinstance(x, Expr):
            continue
        order = needed([x])
        depends = {symbol.index for symbol in inputs}
        depends.update(node.index for node in order if any(a.index in depends for a in node.args))  # args come first
        adjoints: dict[int, Any] = {x.index: 1.0}
        for node in reversed(order):
            dx = adjoints.get(node.index, 0.0)
            if not node.args or node.index not in depends or _is_zero(dx):
                continue
            for a, partial in zip(node.args, OPERATIONS[node.op].partials(node, *node.args), strict=True):
                if a.index in depends:
                    term = partial * dx
                    adjoints[a.index] = adjoints[a.index] + term if a.index in adjoints else term
        for k, symbol in enumerate(inputs):
            result[(*place, k)] = adjoints.get(symbol.index, 0.0)
    return result


def forward(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """:func:`jacobian` from the inputs to the outputs: a node carries derivatives by the inputs it depends on."""
    tangents = _tangents(_expressions(outputs), {x.index: {k: 1.0} for k, x in enumerate(inputs)})
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if isinstance(x, Expr):
            for k, dx in tangents.get(x.index, {}).items():
                result[(*place, k)] = dx
    return result


Tangent = dict[int, Any]
"""Derivatives of one expression by the inputs it depends on."""


def _tangents(outputs: Sequence[Expr], known: dict[int, Tangent], given: Container[int] = ()) -> dict[int, Tangent]:
    """The tangents of all nodes behind the outputs; ``given``: nodes behind which nobody looks."""
    tangents = dict(known)
    for node in needed(outputs, given):
        if node.index in tangents or node.index in given:
            continue
        depends = [(i, tangents[a.index]) for i, a in enumerate(node.args) if tangents.get(a.index)]
        if not depends:
            continue
        if node.op == "repeat":
            tangents |= _of_repetition(node, tangents)
            continue
        partials = OPERATIONS[node.op].partials(node, *node.args)
        total: Tangent = {}
        for i, tangent in depends:
            for k, dx in tangent.items():
                term = partials[i] * dx
                total[k] = total[k] + term if k in total else term
        tangents[node.index] = {k: dx for k, dx in total.items() if not _is_zero(dx)}
    return tangents


def _of_repetition(node: Expr, tangents: dict[int, Tangent]) -> dict[int, Tangent]:
    """The tangents of a repetition's results: of another one, whose further states are the tangents of its states."""
    graph, what = node.graph, node.graph.repeats[node.index]
    size = len(what.state)
    start, fixed = node.args[:size], {x.index: tangents.get(x.index, {}) for x in what.captured}
    own = {symbol.index: i for i, symbol in enumerate(what.state)}

    inputs = [set(tangents.get(x.index, {})) for x in start]
    reached = [{n.index for n in needed([after], fixed) if n.index in own or n.index in fixed} for after in what.after]
    growing = True
    while growing:
        growing = False
        for i, behind in enumerate(reached):
            more = set().union(*(inputs[own[j]] if j in own else fixed[j].keys() for j in behind)) - inputs[i]
            inputs[i] |= more
            growing = growing or bool(more)

    places = [(i, k) for i in range(size) for k in sorted(inputs[i])]
    symbols = {place: graph.symbol(f"tangent{place}") for place in places}
    seeds = {x.index: {k: symbols[i, k] for k in inputs[i]} for i, x in enumerate(what.state)}
    of_step = _tangents(what.after, {what.number.index: {}, **fixed, **seeds}, fixed)
    later = [of_step.get(what.after[i].index, {}).get(k, 0.0) for i, k in places]
    begin = [tangents.get(start[i].index, {}).get(k, 0.0) for i, k in places]
    results = repeats.of_step(
        graph,
        what.count,
        what.number,
        [*what.state, *symbols.values()],
        [*what.after, *map(graph.coerce, later)],
        [*start, *map(graph.coerce, begin)],
        what.stop,
        what.keep,
    )
    found: dict[int, Tangent] = {}
    both = size + len(places)
    for row in range(1 + (what.count // what.keep if what.keep else 0)):
        before, after = (row * n + bool(row) for n in (size, both))  # the number of steps comes after the first row
        for place, (i, k) in enumerate(places, size):
            item = graph.item(node, before + i)
            found.setdefault(item.index, {})[k] = results[after + place]
    return found


def _expressions(outputs: np.ndarray) -> list[Expr]:
    return [x for x in elements(outputs) if isinstance(x, Expr)]


def _is_zero(x: Any) -> bool:
    return (x.value if isinstance(x, Expr) else x) == 0.0
