"""Derivatives from the results backwards, by the chain rule over the graph (the adjoint).

Through a repetition they go back over its steps, from the last to the first, each undone with the state that it began
with. Of a long one these states are not all kept: some are, and the steps from one to the next are taken again when
they are needed, so that the memory grows with the square root of the number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.expression import repeats, tables
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.operations import OPERATIONS
from linkwright.expression.order import needed
from linkwright.expression.tables import Sides

TAPE = 4096
"""Numbers up to which the states of all steps are kept."""


class Irreversible(Exception):
    """Raised where there is no way back: steps that stop by a condition, or what itself goes back."""


def reverse(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """∂ outputs / ∂ inputs, one output after the other."""
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    targets = {symbol.index for symbol in inputs}
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if isinstance(x, Expr):
            adjoints = _Adjoints(x.graph, targets)
            adjoints.pull([(x, 1.0)])
            for k, symbol in enumerate(inputs):
                result[(*place, k)] = adjoints.numbers.get(symbol.index, 0.0)
    return result


class _Adjoints:
    """How results change with what they depend on, down to the targets."""

    def __init__(self, graph: Graph, targets: Iterable[int], leaves: Container[int] = ()):
        self.graph, self.leaves = graph, leaves
        self.depends = set(targets)
        """indices of what depends on targets, those included"""
        self.numbers: dict[int, Any] = {}
        self.rows: dict[int, Expr] = {}
        """of rows, those that others are parts of"""
        self.ends: dict[int, dict[int, Any]] = {}
        """of the results of repetitions"""

    def pull(self, seeds: Sequence[tuple[Expr, Any]]) -> None:
        """Go back from results with these adjoints."""
        order = needed([x for x, _ in seeds], self.leaves)
        for node in order:  # arguments come first
            if node.index not in self.leaves and self._is_behind(node):
                self.depends.add(node.index)
        for x, adjoint in seeds:
            self._add(x, adjoint)
        for node in reversed(order):
            if node.index in self.depends and node.index not in self.leaves:
                self._pull_one(node)

    def _is_behind(self, node: Expr) -> bool:
        """Whether a node depends on targets."""
        if node.op == "array":
            return any(symbol.index in self.depends for symbol in self.graph.rows[node.index].told)
        args = node.args[:1] if node.op in ("take", "item") else node.args
        return any(a.index in self.depends for a in args)

    def _add(self, x: Expr, adjoint: Any) -> None:
        if x.index in self.depends and not _is_zero(adjoint):
            self.numbers[x.index] = self.numbers[x.index] + adjoint if x.index in self.numbers else adjoint

    def _add_entry(self, row: Expr, place: Any, adjoint: Any) -> None:
        """To an entry of a row."""
        if row.index in self.depends and not _is_zero(adjoint):
            root, place = tables.rooted(row, place)
            coerce = self.graph.coerce
            self.rows[root.index] = tables.added(self.row(root), coerce(place), coerce(adjoint))

    def _add_row(self, row: Expr, adjoint: Expr) -> None:
        """To all entries of a row, from an adjoint that nobody else uses."""
        root, _ = tables.rooted(row, 0)
        if row.index not in self.depends:
            return
        if root is row and root.index not in self.rows:
            self.rows[root.index] = adjoint
            return
        for k, x in enumerate(tables.entries(adjoint)):
            self._add_entry(row, k, x)

    def row(self, root: Expr) -> Expr:
        """The adjoint of a row, zeros at first."""
        known = self.rows.get(root.index)
        return tables.nothing(root) if known is None else known

    def _pull_one(self, node: Expr) -> None:
        if node.op == "repeat":
            self._pull_repetition(node)
        elif tables.is_row(node):
            if node.index in self.rows:
                self._pull_row(node, self.rows[node.index])
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
            for a, partial in zip(node.args, OPERATIONS[node.op].partials(node, *node.args), strict=True):
                if a.index in self.depends:
                    self._add(a, partial * dx)

    def _pull_row(self, node: Expr, adjoint: Expr) -> None:
        told = self.graph.rows[node.index].told
        if node.op == "table":
            for k, a in enumerate(node.args):
                if a.index in self.depends:
                    self._add(a, tables.entry(adjoint, k))
        elif node.op == "array":
            for k, symbol in enumerate(told):
                if symbol.index in self.depends:
                    self._add(symbol, tables.entry(adjoint, k))
        elif node.op == "product":
            A, x = node.args
            if x.index in self.depends:
                turned = Sides(told.width, told.height, told.right, told.down, told.first)
                self._add_row(x, tables.product(A, adjoint, turned))
            if A.index in self.depends:
                root, first = tables.rooted(A, told.first)
                step = 1 if root is A else self.graph.rows[A.index].told.step
                sides = Sides(told.height, told.width, told.down * step, told.right * step, first)
                self.rows[root.index] = tables.outer(self.row(root), adjoint, x, sides)
        elif node.op == "kept":
            pass  # its repetition asks for it
        elif node.op != "symbol":
            raise Irreversible

    def _pull_repetition(self, node: Expr) -> None:
        graph, what = self.graph, self.graph.repeats[node.index]
        back = _Back(self, node, self.ends.pop(node.index, {}))
        if not back.active:
            return
        every = what.keep or (1 if what.count * len(what.state) <= TAPE else _divisor(what.count))
        graph.repeats[node.index] = replace(what, keep=every)
        try:
            back.run(every)
        except Irreversible:  # of a step
            graph.repeats[node.index] = what
            raise


def _divisor(count: int) -> int:
    """About the square root, and if possible what divides the number."""
    root = math.isqrt(count)
    near = (n for d in range(root // 2) for n in (root + d, root - d) if count % n == 0)
    return next(near, root)


class _Back:
    """The way back through a repetition: adjoints of states and of what is captured, carried from step to step."""

    def __init__(self, around: _Adjoints, node: Expr, ends: Mapping[int, Any]):
        graph = self.graph = around.graph
        what = self.what = graph.repeats[node.index]
        self.around, self.node, self.size = around, node, len(what.state)
        self.start = node.args[: self.size]
        if what.stop is not None or any(map(tables.is_row, what.state)):
            raise Irreversible
        self.captured = {c.index for c in what.captured}
        self.numbers = [c for c in what.captured if c.index in around.depends and not tables.is_row(c)]
        rows = [c for c in what.captured if c.index in around.depends and tables.is_row(c)]
        self.roots = list({root.index: root for root, _ in (tables.rooted(c, 0) for c in rows)}.values())
        self.targets = {c.index for c in (*self.numbers, *rows)} | {root.index for root in self.roots}
        self.active = self._active()
        self.kept = self._of_kept(ends)
        self.ends = [graph.coerce(ends.get(i, 0.0)) for i in self.active]

    def _active(self) -> list[int]:
        """The states that depend on targets."""
        what, place = self.what, {x.index: i for i, x in enumerate(self.what.state)}
        behind = [{n.index for n in needed([after], self.captured)} for after in what.after]
        active = {i for i in range(self.size) if self.start[i].index in self.around.depends}
        active |= {i for i in range(self.size) if not behind[i].isdisjoint(self.targets)}
        while more := {
            i for i in range(self.size) if i not in active and any(place.get(n) in active for n in behind[i])
        }:
            active |= more
        return sorted(active)

    def _of_kept(self, ends: Mapping[int, Any]) -> dict[int, Expr]:
        """The adjoints of states that were kept: a row of each."""
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
            known = None if node is None else self.around.rows.get(node.index)
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
        """Go back, and tell the adjoints around of what comes out."""
        graph, around, count, n = self.graph, self.around, self.what.count, len(self.active)
        carried = [
            *self.ends,
            *(graph.coerce(around.numbers.get(c.index, 0.0)) for c in self.numbers),
            *map(around.row, self.roots),
        ]
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
        for i, x in zip(self.active, carried, strict=False):
            around._add(self.start[i], x)
        for c, x in zip(self.numbers, carried[n:], strict=False):
            around.numbers[c.index] = x
        for root, x in zip(self.roots, carried[n + len(self.numbers) :], strict=True):
            around.rows[root.index] = x

    def _segments(self, segments: int, every: int, states: list[Expr], carried: list[Expr]) -> list[Expr]:
        """Back over all full segments, whose states at the end were kept."""
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
        """Back over some steps, the first of which has this number and begins with these states.

        ``states``: what they are after each step, where that is known; else these steps are taken once more.
        """
        graph, what = self.graph, self.what
        last = list(begin)
        if steps > 1 and states is None:
            own = [what.number, *what.state]
            number = repeats.counter(graph, steps - 1)
            after = [what.number + 1.0, *what.after]
            again = repeats.of_step(graph, steps - 1, number, own, after, [first, *begin], keep=1, told=False)
            last = again[1 : 1 + self.size]
            states = [tables.kept(again[0].args[0], 1 + i) for i in range(self.size)]
        elif steps > 1 and states is not None:
            last = [tables.entry(x, steps - 2) for x in states]
        number = repeats.counter(graph, steps)
        symbols = repeats.states_like(graph, carried)
        after = self._undone(symbols)
        used = {node.index for node in needed(after, self.captured)}
        read = [i for i, x in enumerate(what.state) if x.index in used]
        before = steps - 3.0 - number  # place of the state before the step before
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
        """What is carried, a step earlier: expressions of the state that the step began with, and of its number."""
        graph, what, n = self.graph, self.what, len(self.active)
        of_states = list(symbols[:n])
        for place, i in enumerate(self.active):
            if i in self.kept:
                of_states[place] = of_states[place] + self._at_step(self.kept[i])
        own = {what.state[i].index for i in self.active}
        adjoints = _Adjoints(graph, own | self.targets, self.captured)
        for c, x in zip(self.numbers, symbols[n:], strict=False):
            adjoints.numbers[c.index] = x
        for root, x in zip(self.roots, symbols[n + len(self.numbers) :], strict=True):
            adjoints.rows[root.index] = x
        adjoints.pull([(what.after[i], x) for i, x in zip(self.active, of_states, strict=True)])
        return [
            *(graph.coerce(adjoints.numbers.get(what.state[i].index, 0.0)) for i in self.active),
            *(adjoints.numbers[c.index] for c in self.numbers),
            *(adjoints.rows[root.index] for root in self.roots),
        ]

    def _at_step(self, row: Expr) -> Expr:
        """The entry of what was kept after the step of this number; 0 where nothing was."""
        steps, every = self.what.number + 1.0, float(self.what.keep)
        if every == 1.0:
            return tables.take(row, self.what.number)
        which = (steps * (1.0 / every)).rint()
        found = tables.take(row, tables.placed(which - 1.0, tables.size_of(row)))
        return (abs(steps - which * every) <= 0.5).where(found, 0.0)


def _is_zero(x: Any) -> bool:
    return (x.value if isinstance(x, Expr) else x) == 0.0
