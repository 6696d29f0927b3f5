"""Derivatives of expressions by the chain rule over the graph, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from linkwright.expression.adjoint import Irreversible, reverse
from linkwright.expression.graph import Expr
from linkwright.expression.loops import repeats, tables
from linkwright.expression.operations import CONSTANT, OPERATIONS
from linkwright.expression.order import elements, needed

BACKWARDS = 4
"""Inputs per output from which loops are differentiated in reverse mode, whose steps take several times as long."""


def jacobian(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """Return ∂ outputs / ∂ inputs, shape ``outputs.shape + (len(inputs),)``.

    Forward mode is used, or, for fewer outputs than inputs, reverse mode if it has fewer expressions.
    Loops and tables with few outputs and many inputs use only reverse mode, if possible, since in forward mode
    each input adds its own states to the loops.
    """
    outputs = np.asarray(outputs, dtype=object)
    if any(node.op in _LONG for node in needed(_expressions(outputs), stop=CONSTANT)):
        if BACKWARDS * outputs.size <= len(inputs):
            try:
                return reverse(outputs, inputs)
            except Irreversible:
                pass
        return forward(outputs, inputs)
    result = forward(outputs, inputs)
    if outputs.size >= len(inputs):
        return result
    return min(result, reverse(outputs, inputs), key=_size)


_LONG = ("repeat", "product", "take")
"""Operations of which one expression stands for many."""


def _size(entries: np.ndarray) -> int:
    return len(needed(x for x in elements(entries) if isinstance(x, Expr)))


def forward(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """Compute :func:`jacobian` in forward mode: each node has derivatives by the inputs on which it depends."""
    tangents = _tangents(_expressions(outputs), {x.index: {k: 1.0} for k, x in enumerate(inputs)})
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if isinstance(x, Expr):
            for k, dx in tangents.get(x.index, {}).items():
                result[(*place, k)] = dx
    return result


def directional(outputs: np.ndarray, inputs: Sequence[Expr], direction: Sequence[Expr]) -> np.ndarray:
    """Return the derivative of the outputs along a direction of the inputs, in forward mode: their shape is kept."""
    seeds = {x.index: {0: dx} for x, dx in zip(inputs, direction, strict=True)}
    tangents = _tangents(_expressions(outputs), seeds)
    result = np.zeros(outputs.shape, dtype=object)
    for place in np.ndindex(*outputs.shape):
        if isinstance(x := outputs[place], Expr):
            result[place] = tangents.get(x.index, {}).get(0, 0.0)
    return result


Tangent = dict[int, Any]
"""Derivatives of an expression by the inputs on which it depends."""


def _tangents(outputs: Sequence[Expr], known: dict[int, Tangent], given: Container[int] = ()) -> dict[int, Tangent]:
    """Return the tangents of all nodes behind the outputs; ``given`` are nodes at which the search stops."""
    tangents = dict(known)
    for node in needed(outputs, given, CONSTANT):
        if node.index in tangents or node.index in given:
            continue
        if node.op == "array":
            tangents[node.index] = _of_argument(node, tangents)
            continue
        depends = [(i, tangents[a.index]) for i, a in enumerate(node.args) if tangents.get(a.index)]
        if not depends:
            continue
        if node.op == "repeat":
            tangents |= _of_repetition(node, tangents)
            continue
        if node.op in _OF_ROWS:
            tangents[node.index] = _OF_ROWS[node.op](node, *(tangents.get(a.index, {}) for a in node.args))
            continue
        operation = OPERATIONS[node.op]
        if operation.selection is not None:
            selected = operation.selection(*node.args)
            tangents[node.index] = _of_selection(node, *selected, [tangents.get(a.index, {}) for a in node.args])
            continue
        assert operation.partials is not None
        partials = operation.partials(node, *node.args)
        total: Tangent = {}
        for i, tangent in depends:
            for k, dx in tangent.items():
                term = partials[i] * dx
                total[k] = total[k] + term if k in total else term
        tangents[node.index] = {k: dx for k, dx in total.items() if not _is_zero(dx)}
    return tangents


def _of_repetition(node: Expr, tangents: dict[int, Tangent]) -> dict[int, Tangent]:
    """Return the tangents of a loop's results, from another loop with the tangents of its states as further states."""
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
    for i, k in places:  # a row without a tangent that the step writes, and its state, have one row of tangents
        if tables.is_row(start[i]) and k not in tangents.get(start[i].index, {}):
            tangents[start[i].index] = {**tangents.get(start[i].index, {}), k: tables.nothing(start[i])}
            fixed |= {start[i].index: tangents[start[i].index]} if start[i].index in fixed else {}
    between = range(node.index, graph.count)  # of other tangents
    symbols = dict(zip(places, repeats.states_like(graph, [start[i] for i, _ in places]), strict=True))
    seeds = {x.index: {k: symbols[i, k] for k in inputs[i]} for i, x in enumerate(what.state)}
    of_step = _tangents(what.after, {what.number.index: {}, **fixed, **seeds}, fixed)

    def tangent(found: dict[int, Tangent], x: Expr, k: int) -> Expr:
        known = found.get(x.index, {}).get(k)
        return graph.coerce(known) if known is not None else tables.nothing(x)

    later = [tangent(of_step, what.after[i], k) for i, k in places]
    begin = [tangent(tangents, start[i], k) for i, k in places]
    results = repeats.of_step(
        graph,
        what.count,
        what.number,
        [*what.state, *symbols.values()],
        [*what.after, *later],
        [*start, *begin],
        what.stop,
        what.keep,
        between=between,
    )
    found: dict[int, Tangent] = {}
    both = size + len(places)
    for row in range(1 + (what.count // what.keep if what.keep else 0)):
        before, after = (row * n + bool(row) for n in (size, both))  # the number of steps follows the first row
        for place, (i, k) in enumerate(places, size):
            item = graph.item(node, before + i)
            found.setdefault(item.index, {})[k] = results[after + place]
    if what.keep and what.count >= what.keep:
        for place, (i, k) in enumerate(places, size):
            found.setdefault(tables.kept(node, i).index, {})[k] = tables.kept(results[0].args[0], place)
    return found


def _of_selection(node: Expr, condition: Expr, first: int, second: int, of_args: Sequence[Tangent]) -> Tangent:
    """Return the tangent of an operation that selects an argument: that of the argument."""
    (a, b), coerce = (of_args[first], of_args[second]), node.graph.coerce
    found = {k: condition.where(coerce(a.get(k, 0.0)), coerce(b.get(k, 0.0))) for k in dict.fromkeys([*a, *b])}
    return {k: dx for k, dx in found.items() if not _is_zero(dx)}


def _of_argument(node: Expr, tangents: dict[int, Tangent]) -> Tangent:
    """Return the tangent of a row that is an argument with some inputs among its entries."""
    graph, symbols = node.graph, node.graph.rows[node.index].data
    along: dict[int, dict[int, Any]] = {}
    for place, symbol in enumerate(symbols):
        for k, dx in tangents.get(symbol.index, {}).items():
            along.setdefault(k, {})[place] = dx
    found = {}
    for k, entries in along.items():
        (place, dx), *more = entries.items()
        if not more and not isinstance(dx, Expr) and dx == 1.0:
            found[k] = tables.unit(graph, len(symbols), place)
        else:
            found[k] = tables.table(graph, [graph.coerce(entries.get(place, 0.0)) for place in range(len(symbols))])
    return found


def _of_table(node: Expr, *entries: Tangent) -> Tangent:
    inputs = {k: None for tangent in entries for k in tangent}
    coerce = node.graph.coerce
    return {k: tables.table(node.graph, [coerce(tangent.get(k, 0.0)) for tangent in entries]) for k in inputs}


def _of_product(node: Expr, of_A: Tangent, of_x: Tangent) -> Tangent:
    (A, x), sides = node.args, node.graph.rows[node.index].data
    found = {k: tables.product(dA, x, sides) for k, dA in of_A.items()}
    for k, dx in of_x.items():
        more = tables.product(A, dx, sides)
        if k in found:
            pairs = zip(tables.entries(found[k]), tables.entries(more), strict=True)
            more = tables.table(node.graph, [a + b for a, b in pairs])
        found[k] = more
    return found


def _known(found: Tangent, k: int, row: Expr) -> Expr:
    return found[k] if k in found else tables.nothing(row)


def _of_added(node: Expr, of_row: Tangent, of_place: Tangent, of_x: Tangent) -> Tangent:
    place, coerce = node.args[1], node.graph.coerce
    found = dict(of_row)
    for k, dx in of_x.items():
        found[k] = tables.added(_known(found, k, node), place, coerce(dx))
    return found


def _of_put(node: Expr, of_row: Tangent, of_place: Tangent, of_x: Tangent) -> Tangent:
    place, coerce = node.args[1], node.graph.coerce
    return {
        k: tables.put(_known(of_row, k, node), place, coerce(of_x.get(k, 0.0))) for k in dict.fromkeys([*of_row, *of_x])
    }


def _of_outer(node: Expr, of_row: Tangent, of_y: Tangent, of_x: Tangent) -> Tangent:
    (_, y, x), sides = node.args, node.graph.rows[node.index].data
    found = dict(of_row)
    for k, dy in of_y.items():
        found[k] = tables.outer(_known(found, k, node), dy, x, sides)
    for k, dx in of_x.items():
        found[k] = tables.outer(_known(found, k, node), y, dx, sides)
    return found


def _of_item(node: Expr, of_row: Tangent, of_place: Tangent) -> Tangent:
    number = node.args[1].value
    assert number is not None
    return {k: x for k, row in of_row.items() if not _is_zero(x := tables.entry(row, int(number)))}


_OF_ROWS: dict[str, Callable[..., Tangent]] = {
    "table": _of_table,
    "part": lambda node, of_row: {k: tables.part(x, node.graph.rows[node.index].data) for k, x in of_row.items()},
    "added": _of_added,
    "put": _of_put,
    "product": _of_product,
    "outer": _of_outer,
    "take": lambda node, of_row, of_place: {k: tables.take(x, node.args[1]) for k, x in of_row.items()},
    "item": _of_item,
}
"""Tangents of rows and of their entries, from those of their arguments."""


def _expressions(outputs: np.ndarray) -> list[Expr]:
    return [x for x in elements(outputs) if isinstance(x, Expr)]


def _is_zero(x: Any) -> bool:
    return (x.value if isinstance(x, Expr) else x) == 0.0
