"""Repetition in a trace: a step is traced once, and what it does not change is computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from linkwright.errors import TooLargeError
from linkwright.expression import tables
from linkwright.expression.graph import Expr, Graph, Repeat, needed

Step = Callable[[Expr, list[Expr]], Sequence[Expr]]


def repeated(
    graph: Graph,
    count: int,
    step: Step,
    start: Sequence[Expr],
    stop: Callable[[list[Expr]], Expr] | None = None,
    keep: int = 0,
) -> list[Expr]:
    """The states after ``count`` steps, the number of steps, and the states kept every ``keep`` steps, as one list.

    ``step(number, states)`` gives the states a step later; ``stop(states)``, where it is not zero, ends the steps.
    """
    number = counter(graph, count)
    state = states_like(graph, start)
    after = tuple(step(number, state))
    condition = None if stop is None else stop(state)
    return of_step(graph, count, number, state, after, start, condition, keep)


def counter(graph: Graph, count: int) -> Expr:
    """The symbol of the number of steps before."""
    number = graph.symbol("step")
    graph.spans[number.index] = (0.0, max(count - 1.0, 0.0))
    return number


def states_like(graph: Graph, start: Sequence[Expr]) -> list[Expr]:
    """Symbols of states, rows where they start as rows."""
    return [
        tables.symbol(graph, f"state[{k}]", tables.size_of(x)) if tables.is_row(x) else graph.symbol(f"state[{k}]")
        for k, x in enumerate(start)
    ]


def of_step(
    graph: Graph,
    count: int,
    number: Expr,
    state: Sequence[Expr],
    after: Sequence[Expr],
    start: Sequence[Expr],
    stop: Expr | None = None,
    keep: int = 0,
    told: bool = True,
) -> list[Expr]:
    """The same, of a step that is expressions already; ``told``: whether the states kept are in the list, too."""
    results = [*after] if stop is None else [*after, stop]
    captured = tuple(outside(results, [number, *state]))
    what = Repeat(number, tuple(state), tuple(after), stop, captured, count, keep)
    items = len(state) * (1 + (count // keep if keep and told else 0)) + 1
    if graph.limit is not None and graph.count + items > graph.limit:
        raise TooLargeError(f"{items - len(state) - 1} numbers are kept, and there may be {graph.limit} expressions")
    return graph.repeat(what, (*start, *captured), items)


def outside(results: Iterable[Expr], own: Sequence[Expr]) -> list[Expr]:
    """What the results use of values that depend on none of a step's own symbols, constants excepted.

    What is added to, row by row in memory, begins anew in every step: it is the step's own, too.
    """
    results = list(results)
    depending = {symbol.index for symbol in own}
    used = list(results)
    for node in needed(results, range(min(depending))):  # older ones depend on none
        begun = node.op in ("zeros", "added", "outer") and node.index > own[0].index
        if begun or any(a.index in depending for a in node.args):
            depending.add(node.index)
            used += node.args
    found = {node.index: node for node in used if node.index not in depending and node.value is None}
    return [found[index] for index in sorted(found)]
