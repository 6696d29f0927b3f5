"""Repetition in a trace: a step is traced once, and what it does not change is computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from linkwright.errors import TooLargeError
from linkwright.expression import tables
from linkwright.expression.graph import Expr, Graph, Repeat
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
) -> list[Expr]:
    """The states after ``count`` steps, the number of steps, and the states kept every ``keep`` steps, as one list.

    ``step(number, states)`` gives the states a step later; ``stop(states)``, where it is not zero, ends the steps.
    ``whole``: all that is new in a step is computed in it, be it the same in all steps, as where there may be none.
    """
    if whole:
        number, state = counter(graph, count), states_like(graph, start)
        after = tuple(step(number, state))
        return of_step(
            graph, count, number, state, after, start, None if stop is None else stop(state), keep, True, True
        )
    with own_symbols(graph, count, start) as (number, state):
        condition = None if stop is None else stop(state)
        after = tuple(step(number, state))
    return of_step(graph, count, number, state, after, start, condition, keep)


@contextmanager
def own_symbols(graph: Graph, count: int, start: Sequence[Expr]) -> Iterator[tuple[Expr, list[Expr]]]:
    """The number of steps before, and states, as symbols that a step is traced with.

    Where there is a repetition that starts alike they are that one's: of what is the same in both expressions are the
    same, and the shorter one, of a motion perhaps, need not run beside the longer one, of its derivative.
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
    """Which repetitions are part of which others, by their indices: all their states are the first ones of those."""
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
    """The result of a repetition that supersedes another, for one of that."""
    graph, which = item.graph, item.args[-1].value
    if item.op == "kept":
        return tables.kept(other, graph.rows[item.index].told)
    assert which is not None
    size, longer = len(graph.repeats[item.args[0].index].state), len(graph.repeats[other.index].state)
    if which < size:
        return graph.item(other, int(which))
    row, state = divmod(int(which) - size - 1, size)
    return graph.item(other, longer if which == size else longer + 1 + row * longer + state)


def counter(graph: Graph, count: int) -> Expr:
    """The symbol of the number of steps before."""
    number = graph.symbol("step")
    graph.spans[number.index] = (0.0, max(count - 1.0, 0.0))
    return number


def states_like(graph: Graph, start: Sequence[Expr], first: int = 0) -> list[Expr]:
    """Symbols of states, rows where they start as rows."""
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
    told: bool = True,
    whole: bool = False,
) -> list[Expr]:
    """The same, of a step that is expressions already; ``told``: whether the states kept are in the list, too."""
    results = [*after] if stop is None else [*after, stop]
    captured = tuple(outside(results, [number, *state], whole))
    what = Repeat(number, tuple(state), tuple(after), stop, captured, count, keep)
    items = len(state) * (1 + (count // keep if keep and told else 0)) + 1
    if graph.limit is not None and graph.count + items > graph.limit:
        raise TooLargeError(f"{items - len(state) - 1} numbers are kept, and there may be {graph.limit} expressions")
    return graph.repeat(what, (*start, *captured), items)


def outside(results: Iterable[Expr], own: Sequence[Expr], whole: bool = False) -> list[Expr]:
    """What the results use of values that depend on none of a step's own symbols, constants excepted.

    What is added to, row by row in memory, begins anew in every step: it is the step's own, too. ``whole``: and so is
    all that is newer than its symbols.
    """
    results = list(results)
    depending = {symbol.index for symbol in own}
    used = list(results)
    for node in needed(results, range(min(depending))):  # older ones depend on none
        new = node.op in ("zeros", "room", "added", "put", "outer") or (whole and node.args)
        begun = new and node.index > own[0].index
        if begun or any(a.index in depending for a in node.args):
            depending.add(node.index)
            used += node.args
    found = {node.index: node for node in used if node.index not in depending and node.value is None}
    return [found[index] for index in sorted(found)]
