"""Reverse-mode derivatives by the chain rule over the graph.

A loop is differentiated from its last step to its first, each with its initial state. For a long loop only some states
are stored, and the steps between them are computed again, so that the memory grows with the square root of the number
of steps.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.expression.graph import Expr, Graph
from linkwright.expression.loops import repeats, tables
from linkwright.expression.loops.tables import MatrixLayout
from linkwright.expression.operations import CONSTANT, OPERATIONS, SINGULAR
from linkwright.expression.order import needed

TAPE = 4096
"""Size in numbers up to which the states of all steps are stored."""


class Irreversible(Exception):
    """Raised where reverse mode is impossible: loops that stop by a condition, and loops of reverse mode."""


def reverse(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """Return ∂ outputs / ∂ inputs, one output after the other; through loops all outputs together."""
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    targets = {symbol.index for symbol in inputs}
    entries: list[tuple[tuple[int, ...], Any]] = [(place, outputs[place]) for place in np.ndindex(*outputs.shape)]
    found = [(place, x) for place, x in entries if isinstance(x, Expr)]
    loops = any(node.op == "repeat" for node in needed((x for _, x in found), stop=CONSTANT))
    for group in [found] if loops else [[one] for one in found]:
        several = [_Adjoints(x.graph, targets) for _, x in group]
        _pull(several, [[(x, 1.0)] for _, x in group])
        for (place, _), adjoints in zip(group, several, strict=True):
            for k, symbol in enumerate(inputs):
                result[(*place, k)] = adjoints.numbers.get(symbol.index, 0.0)
    return result


def pullback(outputs: Sequence[Expr], adjoints: Sequence[Expr], inputs: Sequence[Expr]) -> list[Any]:
    """Return the adjoints of the inputs from those of the outputs: the product of adjoints and Jacobian matrix."""
    behind = _Adjoints(inputs[0].graph, {symbol.index for symbol in inputs})
    _pull([behind], [list(zip(outputs, adjoints, strict=True))])
    return [behind.numbers.get(symbol.index, 0.0) for symbol in inputs]


def _pull(several: Sequence[_Adjoints], seeds: Sequence[Sequence[tuple[Expr, Any]]]) -> None:
    """Propagate adjoints backward from results, of all results at once through loops."""
    first = several[0]
    order = needed((x for some in seeds for x, _ in some), first.leaves, CONSTANT)
    for node in order:  # arguments come first
        if node.index not in first.leaves and first.is_behind(node):
            first.depends.add(node.index)
    for adjoints, some in zip(several, seeds, strict=True):
        adjoints.depends = first.depends
        for x, adjoint in some:
            adjoints.add(x, adjoint)
    for node in reversed(order):
        if node.index not in first.depends or node.index in first.leaves:
            continue
        if node.op == "repeat":
            _pull_repetition([adjoints for adjoints in several if adjoints.meets(node)], node)
            continue
        for adjoints in several:
            adjoints.pull_one(node)


def _pull_repetition(several: Sequence[_Adjoints], node: Expr) -> None:
    graph = node.graph
    what = graph.repeats[node.index]
    if not several or not (back := _Back(several, node)).active:
        return
    every = what.keep or (1 if what.count * len(what.state) <= TAPE else _divisor(what.count))
    graph.repeats[node.index] = replace(what, keep=every)
    try:
        back.run(every)
    except Irreversible:  # of a step
        graph.repeats[node.index] = what
        raise


class _Adjoints:
    """Adjoints of results with respect to nodes, down to the targets."""

    def __init__(self, graph: Graph, targets: Iterable[int], leaves: Container[int] = ()):
        self.graph, self.leaves = graph, leaves
        self.depends = set(targets)
        """indices of nodes that depend on targets, including these"""
        self.numbers: dict[int, Any] = {}
        self.rows: dict[int, Expr] = {}
        """adjoints of rows"""
        self.entries: dict[int, dict[int, Any]] = {}
        """contributions that are not yet added, by index"""
        self.ends: dict[int, dict[int, Any]] = {}
        """adjoints of the results of loops"""
        self.selected: dict[int, Any] = {}
        """conditions without which adjoints are zero, since the number is not selected"""
        self.always: set[int] = set()
        """indices of numbers that are also used without a condition"""

    def is_behind(self, node: Expr) -> bool:
        """Return whether a node depends on targets."""
        if node.op == "array":
            return any(symbol.index in self.depends for symbol in self.graph.rows[node.index].data)
        args = node.args[:1] if node.op in ("take", "item") else node.args
        return any(a.index in self.depends for a in args)

    def meets(self, repetition: Expr) -> bool:
        """Return whether any result of a loop has an adjoint here."""
        graph = self.graph
        states = range(len(graph.repeats[repetition.index].state))
        kept = (tables.known_kept(repetition, i) for i in states)
        return repetition.index in self.ends or any(x is not None and self.has_row(x) for x in kept)

    def has_row(self, root: Expr) -> bool:
        """Return whether a row has an adjoint."""
        return root.index in self.rows or root.index in self.entries

    def add(self, x: Expr, adjoint: Any, condition: Any = None) -> None:
        """Add to the adjoint of a number; ``condition``: that without which the adjoint is zero."""
        if x.index in self.depends and not _is_zero(adjoint):
            self.numbers[x.index] = self.numbers[x.index] + adjoint if x.index in self.numbers else adjoint
            if condition is None:
                self.always.add(x.index)
            else:
                known = self.selected.get(x.index)
                self.selected[x.index] = condition if known is None or known is condition else known | condition

    def _condition(self, node: Expr) -> Any:
        """Return the condition without which the adjoint of a number is zero, or None."""
        return None if node.index in self.always else self.selected.get(node.index)

    def _add_entry(self, row: Expr, place: Any, adjoint: Any) -> None:
        """Add to the adjoint of an entry of a row."""
        if row.index in self.depends and not _is_zero(adjoint):
            coerce = self.graph.coerce
            if isinstance(place, Expr) and place.value is not None:
                place = int(place.value)
            root, place = tables.rooted(row, place)
            if isinstance(place, int):
                entries = self.entries.setdefault(root.index, {})
                entries[place] = entries[place] + adjoint if place in entries else adjoint
            else:
                self.rows[root.index] = tables.added(self.row(root), place, coerce(adjoint))

    def _add_row(self, row: Expr, adjoint: Expr) -> None:
        """Add to all entries of a row's adjoint, from an adjoint with no other use."""
        root, _ = tables.rooted(row, 0)
        if row.index not in self.depends:
            return
        if root is row and not self.has_row(root):
            self.rows[root.index] = adjoint
            return
        for k, x in enumerate(tables.entries(adjoint)):
            self._add_entry(row, k, x)

    def row(self, root: Expr) -> Expr:
        """Return the adjoint of a row to be modified, initially zero."""
        coerce = self.graph.coerce
        known = self.rows.get(root.index)
        known = tables.nothing(root) if known is None else known
        for place, x in self.entries.pop(root.index, {}).items():
            known = tables.added(known, coerce(place), coerce(x))
        self.rows[root.index] = known
        return known

    def _whole_row(self, root: Expr) -> Expr:
        """Return the adjoint of a row to be read; similar entries are computed in a loop."""
        entries, size = self.entries.get(root.index, {}), tables.size_of(root)
        if 2 * len(entries) < size:
            return self.row(root)
        coerce, known = self.graph.coerce, self.rows.get(root.index)
        before = [self.graph.zero] * size if known is None else tables.entries(known)
        return tables.in_memory(self.graph, [x + coerce(entries.get(k, 0.0)) for k, x in enumerate(before)])

    def pull_one(self, node: Expr) -> None:
        """Propagate the adjoint of a node to its arguments."""
        if tables.is_row(node):
            if self.has_row(node):
                self._pull_row(node)
        elif (dx := self.numbers.get(node.index)) is None or not node.args:
            return
        elif node.op == "take" or (node.op == "item" and tables.is_row(node.args[0])):
            row, place = node.args
            self._add_entry(row, place, dx)
        elif node.op == "item":
            which = node.args[1].value
            assert which is not None
            self.ends.setdefault(node.args[0].index, {})[int(which)] = dx
        else:
            self._pull_operation(node, dx)

    def _pull_operation(self, node: Expr, dx: Any) -> None:
        operation, outer = OPERATIONS[node.op], self._condition(node)
        if operation.selection is not None:
            own = self.graph.coerce(dx)
            condition, first, second = operation.selection(*node.args)
            for number, selected, adjoint in (
                (first, condition, condition.where(own, 0.0)),
                (second, ~condition, condition.where(0.0, own)),
            ):
                self.add(node.args[number], adjoint, selected if outer is None else outer & selected)
            return
        assert operation.partials is not None
        guarded = outer is not None and _has_infinite_partials(node)  # 0 · inf of a number that is not selected is NaN
        for a, partial in zip(node.args, operation.partials(node, *node.args), strict=True):
            if a.index in self.depends:
                product = partial * dx
                self.add(a, outer.where(product, 0.0) if guarded else product, outer)

    def _pull_row(self, node: Expr) -> None:
        data = self.graph.rows[node.index].data
        if node.op == "array":  # an argument whose entries may have other uses
            for k, symbol in enumerate(data):
                if symbol.index in self.numbers:
                    self._add_entry(node, k, self.numbers.pop(symbol.index))
            adjoint = self.row(node)
        else:
            adjoint = self._whole_row(node)
        if node.op == "table":
            for k, a in enumerate(node.args):
                if a.index in self.depends:
                    self.add(a, tables.entry(adjoint, k))
        elif node.op == "array":
            for k, symbol in enumerate(data):
                if symbol.index in self.depends:
                    self.add(symbol, tables.entry(adjoint, k))
        elif node.op == "product":
            A, x = node.args
            if x.index in self.depends:
                turned = MatrixLayout(data.width, data.height, data.right, data.down, data.first)
                self._add_row(x, tables.product(A, adjoint, turned))
            if A.index in self.depends:
                root, first = tables.rooted(A, data.first)
                step = 1 if root is A else self.graph.rows[A.index].data.step
                sides = MatrixLayout(data.height, data.width, data.down * step, data.right * step, first)
                self.rows[root.index] = tables.outer(self.row(root), adjoint, x, sides)
        elif node.op == "kept":
            pass  # its loop reads it
        elif node.op != "symbol":
            raise Irreversible


def _has_infinite_partials(node: Expr) -> bool:
    """Return whether a partial derivative of an operation may be inf or NaN; those of products are their factors."""
    return _is_singular(node) or (node.op == "mul" and any(map(_may_be_infinite, node.args)))


def _may_be_infinite(x: Expr, depth: int = 6) -> bool:
    """Return whether a number contains a singular operation in sums and products."""
    if not depth or x.op not in ("add", "sub", "mul", "neg"):
        return _is_singular(x)
    return any(_may_be_infinite(a, depth - 1) for a in x.args)


def _is_singular(node: Expr) -> bool:
    return node.op in SINGULAR and not (node.op in _OF_POSITIVE and _is_positive(node.args[-1]))


_OF_POSITIVE = ("div", "sqrt", "inverse_root", "log")
"""Operations whose partial derivatives are finite where the last argument is positive."""


def _is_positive(x: Expr, depth: int = 6) -> bool:
    """Return whether a number is positive by its form: a sum of squares and a positive constant, or a selection."""
    if x.value is not None:
        return x.value > 0.0
    if not depth:
        return False
    if x.op == "add":
        one, other = x.args
        return any(
            _is_positive(a, depth - 1) and _is_not_negative(b, depth - 1) for a, b in ((one, other), (other, one))
        )
    if x.op == "max":
        return any(_is_positive(a, depth - 1) for a in x.args)
    # a denominator that is selected beside a positive constant is one where it is not zero
    return x.op == "where" and any(a.value is not None and a.value > 0.0 for a in x.args[1:])


def _is_not_negative(x: Expr, depth: int) -> bool:
    if (x.op == "mul" and x.args[0] is x.args[1]) or x.op in ("abs", "exp", "sqrt") or x.value == 0.0:
        return True
    if x.op == "add" and depth:
        return all(_is_not_negative(a, depth - 1) for a in x.args)
    return _is_positive(x, depth)


def _divisor(count: int) -> int:
    """Return an integer near the square root, if possible a divisor of the number."""
    root = math.isqrt(count)
    near = (n for d in range(root // 2) for n in (root + d, root - d) if count % n == 0)
    return next(near, root)


class _Back:
    """Reverse loop: adjoints of states and of captured values, propagated from step to step."""

    def __init__(self, several: Sequence[_Adjoints], node: Expr):
        around = several[0]
        graph = self.graph = around.graph
        what = self.what = graph.repeats[node.index]
        self.several, self.depends, self.node, self.size = several, around.depends, node, len(what.state)
        self.start = node.args[: self.size]
        if what.stop is not None or any(map(tables.is_row, what.state)):
            raise Irreversible
        self.captured = {c.index for c in what.captured}
        self.numbers = [c for c in what.captured if c.index in around.depends and not tables.is_row(c)]
        rows = [c for c in what.captured if c.index in around.depends and tables.is_row(c)]
        self.roots = list({root.index: root for root, _ in (tables.rooted(c, 0) for c in rows)}.values())
        self.targets = {c.index for c in (*self.numbers, *rows)} | {root.index for root in self.roots}
        self.active = self._active()
        ends = [one.ends.pop(node.index, {}) for one in several]
        self.kept = [self._of_kept(one, some) for one, some in zip(several, ends, strict=True)]
        self.ends = [[graph.coerce(some.get(i, 0.0)) for i in self.active] for some in ends]

    def _active(self) -> list[int]:
        """Return the indices of states that depend on targets."""
        what, place = self.what, {x.index: i for i, x in enumerate(self.what.state)}
        behind = [{n.index for n in needed([after], self.captured)} for after in what.after]
        active = {i for i in range(self.size) if self.start[i].index in self.depends}
        active |= {i for i in range(self.size) if not behind[i].isdisjoint(self.targets)}
        while more := {
            i for i in range(self.size) if i not in active and any(place.get(n) in active for n in behind[i])
        }:
            active |= more
        return sorted(active)

    def _of_kept(self, around: _Adjoints, ends: Mapping[int, Any]) -> dict[int, Expr]:
        """Return the adjoints of stored states: a row for each."""
        graph, what, found = self.graph, self.what, {}
        if not what.keep:
            return {}
        single: dict[int, list[tuple[int, Any]]] = {}
        for which, adjoint in ends.items():
            if which > self.size:
                row, i = divmod(which - self.size - 1, self.size)
                single.setdefault(i, []).append((row, adjoint))
        for i in self.active:
            node = tables.kept(self.node, i) if what.count >= what.keep else None
            known = around.row(node) if node is not None and around.has_row(node) else None
            if known is None and i in single:
                entries = [graph.zero] * (what.count // what.keep)
                for row, adjoint in single.pop(i):
                    entries[row] = graph.coerce(adjoint)
                known = tables.table(graph, entries)
            for row, adjoint in single.get(i, ()):
                assert known is not None
                known = tables.added(known, graph.constant(row), graph.coerce(adjoint))
            if known is not None:
                found[i] = known
        return found

    def run(self, every: int) -> None:
        """Run the reverse loop and add its results to the outer adjoints."""
        graph, count, n = self.graph, self.what.count, len(self.active)
        carried = []
        for around, ends in zip(self.several, self.ends, strict=True):
            carried += ends
            carried += [graph.coerce(around.numbers.get(c.index, 0.0)) for c in self.numbers]
            carried += map(around.row, self.roots)
        segments, rest = divmod(count, every)
        states = [tables.kept(self.node, i) for i in range(self.size)] if segments else []
        if every == 1 and count:
            carried = self._segment(graph.zero, list(self.start), count, carried, states)
        else:
            if rest:
                begin = [tables.entry(x, segments - 1) for x in states] if segments else list(self.start)
                carried = self._segment(graph.constant(segments * every), begin, rest, carried)
            if segments:
                carried = self._segments(segments, every, states, carried)
        for around, found in zip(self.several, self._apart(carried), strict=True):
            for i, x in zip(self.active, found, strict=False):
                around.add(self.start[i], x)
            for c, x in zip(self.numbers, found[n:], strict=False):
                around.numbers[c.index] = x
            for root, x in zip(self.roots, found[n + len(self.numbers) :], strict=True):
                around.rows[root.index] = x

    def _apart(self, carried: list[Expr]) -> list[list[Expr]]:
        """Split the propagated values by result."""
        size = len(carried) // len(self.several)
        return [carried[k : k + size] for k in range(0, len(carried), size)]

    def _segments(self, segments: int, every: int, states: list[Expr], carried: list[Expr]) -> list[Expr]:
        """Run backward over all full segments, whose final states were stored."""
        graph = self.graph
        number = repeats.counter(graph, segments)
        symbols = repeats.states_like(graph, carried)
        which = segments - 1.0 - number
        place = tables.placed(which - 1.0, segments)
        begin = [
            (which <= 0.5).where(start, tables.take(x, place)) for start, x in zip(self.start, states, strict=True)
        ]
        after = self._segment(every * which, begin, every, symbols)
        return repeats.of_step(graph, segments, number, symbols, after, carried)[: len(carried)]

    def _segment(
        self, first: Expr, begin: list[Expr], steps: int, carried: list[Expr], states: list[Expr] | None = None
    ) -> list[Expr]:
        """Run backward over several steps; the first has this number and these initial states.

        ``states``: the states after each step, if stored; otherwise the steps are computed again.
        """
        graph, what = self.graph, self.what
        last = list(begin)
        if steps > 1 and states is None:
            own = [what.number, *what.state]
            number = repeats.counter(graph, steps - 1)
            after = [what.number + 1.0, *what.after]
            again = repeats.of_step(graph, steps - 1, number, own, after, [first, *begin], keep=1, with_stored=False)
            last = again[1 : 1 + self.size]
            states = [tables.kept(again[0].args[0], 1 + i) for i in range(self.size)]
        elif steps > 1 and states is not None:
            last = [tables.entry(x, steps - 2) for x in states]
        number = repeats.counter(graph, steps)
        symbols = repeats.states_like(graph, carried)
        after = self._undone(symbols)
        used = {node.index for node in needed(after, self.captured)}
        read = [i for i, x in enumerate(what.state) if x.index in used]
        before = steps - 3.0 - number  # index of the state before the previous step
        place = tables.placed(before, max(steps - 1, 1))
        earlier = []
        for i in read:
            found = begin[i] if states is None else tables.take(states[i], place)
            earlier.append((before <= -0.5).where(begin[i], found))
        state = [what.number, *(what.state[i] for i in read), *symbols]
        later = [what.number - 1.0, *earlier, *after]
        start = [first + (steps - 1.0), *(last[i] for i in read), *carried]
        results = repeats.of_step(graph, steps, number, state, later, start)
        return results[1 + len(read) : len(state)]

    def _undone(self, symbols: list[Expr]) -> list[Expr]:
        """Return the propagated values one step earlier: expressions of the step's initial state and number."""
        graph, what, n = self.graph, self.what, len(self.active)
        own = {what.state[i].index for i in self.active}
        several, seeds = [], []
        for some, kept in zip(self._apart(symbols), self.kept, strict=True):
            adjoints = _Adjoints(graph, own | self.targets, self.captured)
            adjoints.numbers |= {c.index: x for c, x in zip(self.numbers, some[n:], strict=False)}
            adjoints.rows |= {c.index: x for c, x in zip(self.roots, some[n + len(self.numbers) :], strict=True)}
            of_states = zip(self.active, some, strict=False)
            seeds.append([(what.after[i], x + self._at_step(kept[i]) if i in kept else x) for i, x in of_states])
            several.append(adjoints)
        _pull(several, seeds)
        earlier: list[Expr] = []
        for adjoints in several:
            earlier += [graph.coerce(adjoints.numbers.get(what.state[i].index, 0.0)) for i in self.active]
            earlier += [adjoints.numbers[c.index] for c in self.numbers]
            earlier += map(adjoints.row, self.roots)
        return earlier

    def _at_step(self, row: Expr) -> Expr:
        """Return the stored entry after the step of this number, or 0."""
        steps, every = self.what.number + 1.0, float(self.what.keep)
        if every == 1.0:
            return tables.take(row, self.what.number)
        which = (steps * (1.0 / every)).rint()
        found = tables.take(row, tables.placed(which - 1.0, tables.size_of(row)))
        return (abs(steps - which * every) <= 0.5).where(found, 0.0)


def _is_zero(x: Any) -> bool:
    return (x.value if isinstance(x, Expr) else x) == 0.0
