"""The choice of computed and stored values for each program of assembly–disassembly.

Values that depend on a body's coordinates and data alone may be precomputed and stored in its record; values that a
split needs of its join may be stored. Minimum cuts decide whether storing is cheaper than recomputing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np

from linkwright.compiler.front.kinds import JointKind, SymbolSource
from linkwright.compiler.ir.staged import Fragment, Place, Write, fragment_of
from linkwright.compiler.passes.minimum_cut import Choice, cheapest
from linkwright.expression.graph import Expr
from linkwright.expression.order import demanded, needed

OWN, PARENT, OWN_DATA, PARENT_DATA, MEMBER_DATA, LOOP_DATA, A, B, KEPT, OUTER, Q, V, TAU, RESULT, RATES = range(15)
"""Where programs read and write: the records of the joint's body and its parent (of a loop, of its second and its first
body), their constant data, those of a block's bodies and of a loop; the nodes on both sides of a join (their responses
in the upward pass, the forces on them in the downward pass), what a join keeps, the forces on its result; the inputs;
the response of a join's result, and the joint's acceleration."""

FETCH, KEEP = 3.0, 3.0
"""Costs of reading a number from a record, and of storing one for the split, in operations."""
_COSTS = {"div": 6.0, "sqrt": 6.0, "sin": np.inf, "cos": np.inf}
_CHEAP = ("add", "sub", "mul", "div", "neg", "sqrt", "abs", "min", "max", "where", "less", "less_equal", "sign")


class RecordPlan:
    """The programs of one kind of joint and its variants, of one kind of block, or of loops that are alike.

    ``data``: where their constant data are. Records remember what depends on a body's own coordinates and data alone.
    """

    def __init__(self, kind: JointKind, data: int = OWN_DATA):
        self.kind, self.data = kind, data
        self.own = ("data", "input") if data == OWN_DATA else ()
        self.source = {symbol.index: source for source, symbol in kind.symbols.items()}
        self.early: dict[int, bool] = {}
        """whether an expression depends on the body's own coordinates and data alone"""
        self.remembered: dict[int, Expr] = {}
        """what is found beforehand, in the order of the record"""
        self.columns: list[SymbolSource] = []
        """which columns of data are used; their numbers say whose"""
        self.begin = 0
        """where in bodies' rows of data these columns begin"""

    def note(self, nodes: Sequence[Expr]) -> None:
        """Note of expressions, in the order of their creation, whether ``prepare`` can compute them."""
        for one in nodes:
            if one.op == "symbol":
                self.early[one.index] = self.source[one.index].space in self.own
            else:
                self.early[one.index] = all(self.early[a.index] for a in one.args if a.value is None)

    def chosen(
        self, wanted: Sequence[Expr], load: Callable[[Expr], float], fetch: float = FETCH, thorough: bool = True
    ) -> Choice:
        """Return the values to compute and to read, at the least cost.

        ``load``: the cost of reading values that are not early. Without ``thorough`` these are always read, if
        possible.
        """
        reachable = [node for node in needed(wanted) if node.value is None]
        self.note(reachable)
        costs = {node.index: self._reading(node, load, fetch) for node in reachable}
        # what cannot be read is computed; the choice is about what that takes
        ahead = {node.index for node in wanted}
        computed, loaded, frontier = [], [], []
        for node in reversed(reachable):
            if node.index not in ahead:
                continue
            if costs[node.index] == np.inf:
                computed.append(node)
                ahead |= {a.index for a in node.args}
            elif node.op == "symbol" or not (thorough or self.early[node.index]):
                loaded.append(node)
            else:
                frontier.append(node)
        nodes = [node for node in needed(frontier) if node.value is None]

        def computing(node: Expr) -> float:
            return _COSTS.get(node.op, 1.0) if node.op in _CHEAP else np.inf

        choice = cheapest(frontier, nodes, computing, lambda node: costs[node.index])
        known = {node.index for node in loaded}
        computed += choice.computed
        loaded += [node for node in choice.loaded if node.index not in known]
        for node in loaded:
            if node.op == "symbol" and self.source[node.index].space == "data":
                self.use(self.source[node.index])
            elif self.early[node.index]:
                self.remembered.setdefault(node.index, node)
        return Choice(computed, loaded)

    def _reading(self, node: Expr, load: Callable[[Expr], float], fetch: float) -> float:
        """Return the cost of reading a number."""
        if node.op == "symbol" and self.source[node.index].space == "data":
            return fetch
        if self.early[node.index]:
            return fetch if node.index in self.remembered else 2.0 * fetch
        return load(node)

    def place(self, column: SymbolSource) -> Place:
        """Return the position of a column of data: in a body's row, or for all bodies in a loop's row."""
        if self.data == LOOP_DATA:
            return LOOP_DATA, self.columns.index(column)
        return self.data, self.begin + self.used(column.number).index(column.entry), column.number

    def used(self, number: int) -> list[int]:
        """Return the used columns of a body."""
        return [column.entry for column in self.columns if column.number == number]

    def use(self, column: SymbolSource) -> None:
        """Note that a column of data is read."""
        if column not in self.columns:
            self.columns.append(column)


class TracedNode(Protocol):
    """Join and split of a node of the assembly as expressions."""

    @property
    def handles(self) -> int:
        """Number of handles of the node."""

    @property
    def result(self) -> list[Expr]:
        """The response of the node, of Φ the upper half"""

    @property
    def torn(self) -> list[tuple[Write, Expr]]:
        """Results of the split: accelerations of joints, forces on the sides."""


def split_choice(plan: RecordPlan, one: TracedNode, thorough: bool) -> tuple[Choice, list[Expr]]:
    """Return the computations of a split, and the values that its join must store for it."""
    wanted = [node for _, node in one.torn]
    nodes = needed(wanted)
    late = {node.index for node in nodes if node.op == "symbol" and plan.source[node.index].space == "outer"}
    for node in nodes:
        if any(a.index in late for a in node.args):
            late.add(node.index)

    def at_hand(node: Expr) -> float | None:
        return _fetched(plan.source[node.index], joining=False) if node.op == "symbol" else None

    def reading(node: Expr) -> float:
        found = at_hand(node)
        return found if found is not None else np.inf if node.index in late else KEEP

    choice = plan.chosen(wanted, reading, thorough=thorough)
    return choice, [node for node in choice.loaded if not plan.early[node.index] and at_hand(node) is None]


def join_choice(plan: RecordPlan, one: TracedNode, stored: Sequence[int], kept: list[Expr]) -> Choice:
    """Return the computations of a join with the values stored for the split; ``stored``: the entries of its result."""

    def reading(node: Expr) -> float:
        found = _fetched(plan.source[node.index], joining=True) if node.op == "symbol" else None
        return np.inf if found is None else found

    return plan.chosen([*(one.result[k] for k in stored), *kept], reading)


def _fetched(source: SymbolSource, joining: bool) -> float | None:
    """Return the cost of reading a symbol, where a split (or a join) can read it."""
    if source.space in ("own", "parent", "leaf", "parent leaf", "input", "data"):
        return FETCH
    if source.space in ("A", "B"):
        return 1.0 if joining else None
    return 1.0 if source.space == "outer" else None


ITEMS = 4
"""Offset of stored values in a record: after the angular velocity, since four numbers are read together."""


def rounded(numbers: int) -> int:
    """Return a number rounded up for reads of four numbers."""
    return -(-numbers // 4) * 4


class FragmentWriter:
    """Programs from what is to be computed and read."""

    def __init__(self, entries: dict[int, list[int]]):
        self.places = {h: {entry: k for k, entry in enumerate(stored)} for h, stored in entries.items()}

    def prepare(self, name: str, plan: RecordPlan) -> Fragment:
        """Return the fragment of a body's precomputed terms."""
        remembered = list(plan.remembered.values())
        inside = [node for node in needed(remembered) if node.value is None]
        symbols = [node for node in inside if node.op == "symbol"]
        choice = Choice([node for node in inside if node.op != "symbol"], symbols)
        inputs = {}
        for node in symbols:
            source = plan.source[node.index]
            if source.space == "input":
                inputs[node.index] = input_place(source)
        results = [(Write(OWN, ITEMS + k), node) for k, node in enumerate(remembered)]
        return self.part(name, plan, choice, results, inputs)

    def part(
        self,
        name: str,
        plan: RecordPlan,
        choice: Choice,
        results: Sequence[tuple[Write, Expr]],
        places: Mapping[int, Place] = MappingProxyType({}),
    ) -> Fragment:
        """Return a fragment, in which every number is read when it is first needed; ``places``: positions of some."""
        read = {node.index for node in choice.loaded}
        remembered = {index: k for k, index in enumerate(plan.remembered)}

        def place(node: Expr) -> Place | None:
            if node.index in places:
                return places[node.index]
            if node.index not in read:
                return None
            if node.op == "symbol":
                source = plan.source[node.index]
                if source.space == "data":
                    return plan.place(source)
                if source.space in ("A", "B"):
                    return (A if source.space == "A" else B), self.places[source.number][source.entry]
                if source.space in _SYMBOLS:
                    return _SYMBOLS[source.space], source.entry
                if not plan.early[node.index]:
                    return input_place(source)
            return OWN, ITEMS + remembered[node.index]

        return fragment_of(name, demanded(choice.computed, [node for _, node in results]), place, results)


_SYMBOLS = {"own": OWN, "parent": PARENT, "leaf": OWN_DATA, "parent leaf": PARENT_DATA, "outer": OUTER}


def input_place(source: SymbolSource) -> Place:
    """Return the position of an input; inputs are numbered q, v, τ of the first body, then of the next."""
    member, which = divmod(source.number, 3)
    return (Q, V, TAU)[which], source.entry, member
