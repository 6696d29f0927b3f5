"""Loops in a trace: a step is traced once, and invariant values are computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from linkwright.errors import TooLargeError
from linkwright.expression.graph import Expr, Graph, Repeat
from linkwright.expression.loops import tables
from linkwright.expression.order import needed

Step = Callable[[Expr, list[Expr]], Sequence[Expr]]


def repeated(
    graph: Graph,
    count: int,
    step: Step,
    start: Sequence[Expr],
    stop: Callable[[list[Expr]], Expr] | None = None,
    keep: int = 0,
    whole: bool = False,
    independent: bool = False,
) -> list[Expr]:
    """Return the states after ``count`` steps, the number of steps, and the states stored every ``keep`` steps, as a
    list.

    ``step(number, states)`` returns the next states; ``stop(states)``, where it is not zero, ends the loop.
    ``whole``: all new values of a step are computed in it, including invariant ones, for loops that may have no steps.
    ``independent``: whether steps may run together.
    """
    if whole:
        number, state = counter(graph, count), states_like(graph, start)
        after = tuple(step(number, state))
        return of_step(
            graph, count, number, state, after, start, None if stop is None else stop(state), keep, True, True
        )
    with own_symbols(graph, count, start) as (number, state):
        between = range(number.index + 1, graph.count)  # of a loop whose symbols are shared
        condition = None if stop is None else stop(state)
        after = tuple(step(number, state))
    return of_step(graph, count, number, state, after, start, condition, keep, between=between, independent=independent)


@contextmanager
def own_symbols(graph: Graph, count: int, start: Sequence[Expr]) -> Iterator[tuple[Expr, list[Expr]]]:
    """Yield the number of previous steps, and states, as symbols with which a step is traced.

    A loop with the same initial states as an existing one uses that one's symbols: common expressions of both are then
    shared, and the shorter loop, such as that of a motion, is replaced by the longer one, such as that of its
    derivative.
    """
    same, known = 0, None
    for what, begun in graph.begun.values():
        length = min(len(start), len(begun))
        if (
            what.count == count
            and what.number.index not in graph.traced
            and length > same
            and all(x is y for x, y in zip(start, begun, strict=False))
        ):
            same, known = length, what
    number = counter(graph, count) if known is None else known.number
    state = [] if known is None else list(known.state[:same])
    state += states_like(graph, start[len(state) :], len(state))
    graph.traced.add(number.index)
    try:
        yield number, state
    finally:
        graph.traced.discard(number.index)


def superseded(order: Sequence[Expr]) -> dict[int, Expr]:
    """Return loops that are part of others, by index: all their states are the first ones of those."""
    found: dict[int, Expr] = {}
    nodes = [node for node in order if node.op == "repeat"]
    for node in nodes:
        what = node.graph.repeats[node.index]
        for other in nodes:
            longer = node.graph.repeats[other.index]
            if (
                other is not node
                and other.index not in found
                and longer.number is what.number
                and longer.count == what.count
                and longer.stop is what.stop
                and (not what.keep or longer.keep == what.keep)
                and _begins(longer.state, what.state)
                and _begins(longer.after, what.after)
                and _begins(other.args, node.args[: len(what.state)])
                and node.index not in {behind.index for behind in needed([other])}
            ):
                found[node.index] = other
                break
    return {index: _last(found, node) for index, node in found.items()}


def _last(found: dict[int, Expr], node: Expr) -> Expr:
    return _last(found, found[node.index]) if node.index in found else node


def _begins(longer: Sequence[Expr], shorter: Sequence[Expr]) -> bool:
    return len(longer) >= len(shorter) and all(x is y for x, y in zip(longer, shorter, strict=False))


def instead(item: Expr, other: Expr) -> Expr:
    """Return the result of a superseding loop in place of that of a superseded one."""
    graph, which = item.graph, item.args[-1].value
    if item.op == "kept":
        return tables.kept(other, graph.rows[item.index].data)
    assert which is not None
    size, longer = len(graph.repeats[item.args[0].index].state), len(graph.repeats[other.index].state)
    if which < size:
        return graph.item(other, int(which))
    row, state = divmod(int(which) - size - 1, size)
    return graph.item(other, longer if which == size else longer + 1 + row * longer + state)


def counter(graph: Graph, count: int) -> Expr:
    """Return the symbol of the number of previous steps."""
    number = graph.symbol("step")
    graph.spans[number.index] = (0.0, max(count - 1.0, 0.0))
    return number


def states_like(graph: Graph, start: Sequence[Expr], first: int = 0) -> list[Expr]:
    """Return symbols of states, rows for initial rows."""
    return [
        tables.symbol(graph, f"state[{k}]", tables.size_of(x)) if tables.is_row(x) else graph.symbol(f"state[{k}]")
        for k, x in enumerate(start, first)
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
    with_stored: bool = True,
    whole: bool = False,
    between: range = range(0),
    independent: bool = False,
) -> list[Expr]:
    """Do the same for a step given as expressions; ``with_stored``: whether the list includes the stored states.

    ``between``: indices of nodes that are newer than the symbols, and not of the step.
    """
    results = [*after] if stop is None else [*after, stop]
    captured = tuple(outside(results, [number, *state], whole, between))
    what = Repeat(number, tuple(state), tuple(after), stop, captured, count, keep, independent)
    items = len(state) * (1 + (count // keep if keep and with_stored else 0)) + 1
    if graph.limit is not None and graph.count + items > graph.limit:
        raise TooLargeError(f"{items - len(state) - 1} numbers are stored; the limit is {graph.limit} expressions")
    return graph.repeat(what, (*start, *captured), items)


def outside(results: Iterable[Expr], own: Sequence[Expr], whole: bool = False, between: range = range(0)) -> list[Expr]:
    """Return the nodes of the results that do not depend on the step's symbols, without constants.

    Row accumulators in memory start again in every step and are part of it, but for those ``between``. With ``whole``,
    so are all nodes that are newer than its symbols.
    """
    results = list(results)
    depending = {symbol.index for symbol in own}
    used = list(results)
    for node in needed(results, range(min(depending))):  # older ones do not depend on any
        new = node.op in ("zeros", "room", "added", "put", "outer") or (whole and node.args)
        begun = new and node.index > own[0].index and node.index not in between
        if begun or any(a.index in depending for a in node.args):
            depending.add(node.index)
            used += node.args
    found = {node.index: node for node in used if node.index not in depending and node.value is None}
    return [found[index] for index in sorted(found)]
