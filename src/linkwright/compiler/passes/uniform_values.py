"""Values that belong to no body: computed between passes from single bodies' states, sums and arguments.

They are computed once, as soon as their arguments are known, and stored next to the world's record, where steps and
later computations read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from linkwright.compiler.front.kinds import SymbolSource
from linkwright.compiler.front.sweeps import CONSTANT, Recording
from linkwright.compiler.ir.staged import Fragment, Place, Write, fragment_of
from linkwright.expression.graph import Expr
from linkwright.expression.order import needed

OWN, PARENT, DATA, SHARED, COLUMN, RECORDS, FIRST_INPUT = 0, 1, 2, 3, 4, 5, 6
"""Where bodies of code read: the record, the parent's (in a chain, what the neighbor left), the constant data, what is
computed between passes, a column, the record of a body that is named (-1: the world's), the inputs. They write in the
record, the parent's, a column, and in outputs."""


def output_space(number: int) -> int:
    """Return the space of an output."""
    return -1 - number


class RecordEntry(NamedTuple):
    """A number in the records: of a sweep's states and sums (the same place for all kinds), or of one kind's own."""

    kind: int
    """-1 where all kinds share it"""
    owner: int
    """the number of the sweep, or the index of the expression"""
    entry: int = 0


def representatives(classes: list[int]) -> dict[int, int]:
    """For each class the first of its entries."""
    first: dict[int, int] = {}
    for entry, c in enumerate(classes):
        if c != CONSTANT:
            first.setdefault(c, entry)
    return first


class UniformValues:
    """Which expressions belong to no body, and where those are that steps read. Holds what it owns."""

    def __init__(self, recording: Recording):
        self.recording = recording
        self._main = {symbol.index: key for key, symbol in recording.main.symbols.items()}
        self._of_body: dict[int, bool] = {}
        self._nodes: dict[int, Expr] = {}
        self._earliest: dict[int, int] = {}
        self.places: dict[int, int] = {}
        """by index of the expression"""

    def owns(self, node: Expr) -> bool:
        """Return whether an expression depends on no body of a group."""
        if node.value is not None:
            return False
        known = self._of_body.get(node.index)
        if known is None:
            near = all(a.value is not None or a.index in self._of_body for a in node.args)  # as of most
            for one in (node,) if near else needed([node], self._of_body):
                if one.index not in self._of_body:
                    if one.op == "symbol":
                        self._of_body[one.index] = one.index not in self._main
                    else:
                        self._of_body[one.index] = any(self._of_body[a.index] for a in one.args if a.value is None)
            known = self._of_body[node.index]
        if not known:
            self._nodes[node.index] = node
        return not known

    def __contains__(self, index: object) -> bool:
        return index in self._nodes

    def earliest(self, node: Expr, of_sweep: Mapping[int, int]) -> int:
        """The first pass before which all is known that belongs to no body and that an expression follows from."""
        if node.index in self._earliest:
            return self._earliest[node.index]
        for one in needed([node], self._earliest):
            if one.index in self._earliest:
                continue
            if one.index in self._main:
                source, _ = self._main[one.index]
                self._earliest[one.index] = 0 if source.space == "input" else of_sweep[source.number] + 1
            else:
                known = (self._earliest[a.index] for a in one.args if a.value is None)
                self._earliest[one.index] = max(known, default=0)
            self.owns(one)
        return self._earliest[node.index]

    @property
    def looks_at_bodies(self) -> bool:
        """Whether a value depends on a single body or the world."""
        used = {*self._results(), *self._nodes.values()}
        symbols = {node.index for node in needed(used)}
        return any(symbol.index in symbols for symbol in self.recording.main.symbols.values() if self._sweep(symbol))

    def _sweep(self, symbol: Expr) -> bool:
        return self._main[symbol.index][0].space != "input"

    def _results(self) -> list[Expr]:
        return [x for one in self.recording.outputs if one.of == "main" for x in one.results[0]]

    def place(self, node: Expr) -> int:
        """Return the entry from which a step reads a value."""
        return self.places.setdefault(node.index, len(self.places))

    def computed(self, of_sweep: Mapping[int, int], passes: int) -> list[list[Expr]]:
        """Return the values computed before each pass, and after all."""
        made: list[list[Expr]] = [[] for _ in range(passes + 1)]
        for index in self.places:
            made[self.earliest(self._nodes[index], of_sweep)].append(self._nodes[index])
        for node in self._results():
            self.earliest(node, of_sweep)
        made[-1] += [x for x in self._results() if x.value is None and x.index not in self.places]
        return made

    def looked_at(self, nodes: Iterable[Expr]) -> list[tuple[SymbolSource, int]]:
        """Return the entries of single bodies' states, and of sums, that these expressions need."""
        return [key for one in self._inputs(nodes) if (key := self._main.get(one.index)) and self._sweep(one)]

    def _inputs(self, nodes: Iterable[Expr]) -> list[Expr]:
        """Return the arguments of these values: symbols, and values computed before."""
        nodes = list(nodes)
        given = set(self.places) - {node.index for node in nodes}
        return [x for x in needed(nodes, given) if x.op == "symbol" or x.index in given]

    def bodies(self, computed: list[list[Expr]], places: Mapping[RecordEntry, int], size: int) -> list[Fragment]:
        """Return the fragments computed before each pass, and after all; ``size``: of the world's record."""
        at = {index: size + place for index, place in self.places.items()}
        made = []
        for number, nodes in enumerate(computed):
            results = [(Write(OWN, at[x.index]), x) for x in nodes if x.index in at]
            given = set(at) - {x.index for _, x in results}
            if number == len(computed) - 1:
                for k, one in enumerate(self.recording.outputs):
                    if one.of == "main":
                        results += [(Write(output_space(k), entry), x) for entry, x in enumerate(one.results[0])]

            def read(node: Expr, given: set[int] = given) -> Place | None:
                if node.index in given:
                    return OWN, at[node.index]
                if node.op != "symbol":
                    return None
                source, body = self._main[node.index]
                if source.space == "input":
                    return FIRST_INPUT + source.number, source.entry
                return RECORDS, places[RecordEntry(-1, source.number, source.entry)], body

            made.append(fragment_of(f"between_{number}", needed([x for _, x in results], given), read, results))
        return made
