"""From recorded sweeps to loops: passes over the bodies, and the values that each body stores between them.

Consecutive sweeps in the same direction are one pass. Values of an earlier pass that a later one needs are stored in
the body's record or recomputed, whichever is cheaper: for each kind of joint and each pass this is a minimum cut
between available and needed values. Values that are never live simultaneously share an entry of the record.

In a chain, where each body is the child of the previous one, values exchanged between neighbors are in no record: one
buffer serves all, which every body overwrites after reading.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import JointKind
from linkwright.compiler.front.sweeps import Recording
from linkwright.compiler.ir.staged import Fragment, Place, Write, fragment_of
from linkwright.compiler.passes.minimum_cut import cheapest
from linkwright.compiler.passes.uniform_values import (
    COLUMN,
    DATA,
    FIRST_INPUT,
    OWN,
    PARENT,
    SHARED,
    RecordEntry,
    UniformValues,
    output_space,
    representatives,
)
from linkwright.expression.graph import Expr
from linkwright.expression.order import needed
from linkwright.model.tree import Model

STORE, LOAD = 3.0, 0.5
"""Costs of storing a number and of reading one, in operations."""
_COSTLY = {"div": 6.0, "sqrt": 6.0, "sin": 10.0, "cos": 10.0}


class BodyPass(NamedTuple):
    """One loop over the bodies."""

    outwards: bool
    sweeps: list[int]
    columns: bool = False
    """whether it is a sweep of columns"""


class BodyLoops(NamedTuple):
    """A recording as loops."""

    recording: Recording
    passes: list[BodyPass]
    steps: list[list[Fragment]]
    """for each pass and kind, what happens at a body"""
    begins: list[list[tuple[int, float]]]
    """for each pass, what is in the world's record before it"""
    chain: bool
    """whether each body hangs on the one before"""
    sizes: list[int]
    """of a record of each kind, in numbers"""
    shared: int
    """of the world's record, or of what neighbors in a chain leave for each other"""
    computed: int
    """values computed between passes"""
    between: list[Fragment]
    """for each pass, what is computed before it; and after all"""
    columns: list[list[Fragment]]
    """for each pass and kind, what happens to columns from beyond; none where the pass is of single bodies"""

    @property
    def world(self) -> int:
        """Numbers before the first body's record: the world's, then what is computed between passes."""
        return self.shared + self.computed

    @property
    def by_columns(self) -> bool:
        """Whether there are columns."""
        return any(self.columns)


def loops_of(recording: Recording) -> BodyLoops:
    """Divide a recording in passes, choose what is remembered and where."""
    shared = UniformValues(recording)
    passes = _passes(recording, shared)
    of_sweep = {s: p for p, one in enumerate(passes) for s in one.sweeps}
    chain = is_chain(recording.model) and not shared.looks_at_bodies
    kinds = [_KindPlan(recording, k, passes, of_sweep, chain, shared) for k in range(len(recording.kinds))]
    between = shared.computed(of_sweep, len(passes))
    ends: dict[RecordEntry, list[int]] = {}
    for plan in kinds:
        for item, (first, last) in plan.lifetimes().items():
            known = ends.setdefault(item, [first, last])
            known[0], known[1] = min(known[0], first), max(known[1], last)
    for p, nodes in enumerate(between):
        for source, _ in shared.looked_at(nodes):
            item = RecordEntry(-1, source.number, source.entry)
            first = 3 * of_sweep[source.number] + (1 if source.space == "state" else -2)
            known = ends.get(item, [first, 3 * p])
            ends[item] = [min(first, known[0]), max(3 * p, known[1])]
    places, kind_sizes = _placed(ends, len(kinds))
    if chain:
        size = _handed_on(recording, passes, places)
    else:
        size = max((place + 1 for item, place in places.items() if item.kind < 0), default=1)
        kind_sizes = [max(size, own) for own in kind_sizes]
    steps = [[plan.step(p, places) for plan in kinds] for p in range(len(passes))]
    columns = [[plan.column_step(p, places) for plan in kinds] if one.columns else [] for p, one in enumerate(passes)]
    begins = [_beginnings(recording, one, places) for one in passes]
    made = shared.bodies(between, places, size)
    computed = len(shared.places)
    recording.main.graph.release()
    return BodyLoops(recording, passes, steps, begins, chain, kind_sizes, size, computed, made, columns)


def is_chain(model: Model) -> bool:
    """Return whether each body is the child of the previous one."""
    return all(link.parent == k - 1 for k, link in enumerate(model.links))


def _handed_on(recording: Recording, passes: list[BodyPass], places: dict[RecordEntry, int]) -> int:
    """Assign entries to all values exchanged between neighbors of a chain, per pass; return their number."""
    most = 0
    for one in passes:
        if one.columns:
            continue
        items = [RecordEntry(-1, s, c) for s in one.sweeps for c in representatives(recording.sweeps[s].classes)]
        places.update(zip(items, range(len(items)), strict=True))
        most = max(most, len(items))
    return most


def _passes(recording: Recording, shared: UniformValues) -> list[BodyPass]:
    """Sweeps in the same direction one after the other are one pass, unless something must be known between them."""
    passes: list[BodyPass] = []
    of_sweep: dict[int, int] = {}
    for number, sweep in enumerate(recording.sweeps):
        outwards, columns = sweep.direction == "out", sweep.direction == "columns"
        if not passes and not outwards:
            passes.append(BodyPass(True, []))  # where the sums begin
        follows = max((shared.earliest(x, of_sweep) for state in sweep.states for x in state), default=0)
        follows = max([follows, *(shared.earliest(x, of_sweep) for kind in sweep.found for row in kind for x in row)])
        last = len(passes) - 1
        if not passes or passes[-1].outwards != outwards or columns or passes[-1].columns or follows > last:
            passes.append(BodyPass(outwards, [], columns))
        passes[-1].sweeps.append(number)
        of_sweep[number] = len(passes) - 1
    last = max(
        (
            shared.earliest(x, of_sweep)
            for one in recording.outputs
            for row in one.results
            for x in row
            if one.of != "main"
        ),
        default=0,
    )
    if not passes or passes[-1].columns or last >= len(passes):
        passes.append(BodyPass(True, []))
    return passes


def _beginnings(recording: Recording, one: BodyPass, places: dict[RecordEntry, int]) -> list[tuple[int, float]]:
    """Return the contents of the world's record before a pass: the initial values of its sweeps."""
    found: list[tuple[int, float]] = []
    for s in () if one.columns else one.sweeps:
        sweep = recording.sweeps[s]
        for c, entry in representatives(sweep.classes).items():
            place = places.get(RecordEntry(-1, s, c))
            if place is not None:
                found.append((place, sweep.start[entry]))
    return found


class _KindPlan:
    """Computations of the steps of one kind in each pass."""

    def __init__(
        self,
        recording: Recording,
        k: int,
        passes: list[BodyPass],
        of_sweep: dict[int, int],
        chain: bool,
        shared: UniformValues,
    ):
        self.recording, self.k, self.passes, self.of_sweep, self.chain = recording, k, passes, of_sweep, chain
        self.shared = shared
        self.kind: JointKind = recording.kinds[k]
        self.source = {symbol.index: source for source, symbol in self.kind.symbols.items()}
        self.origins: dict[int, int] = {}
        self.states: list[dict[RecordEntry, Expr]] = [{} for _ in passes]
        self.sent: list[dict[RecordEntry, Expr]] = [{} for _ in passes]
        self.outputs: list[list[list[tuple[int, Expr]]]] = [[[] for _ in recording.outputs] for _ in passes]
        self.columns: list[dict[tuple[int, int], Expr]] = [{} for _ in passes]
        """what it sends inwards, by column and class of entry"""
        self.remembered: list[dict[int, Expr]] = [{} for _ in passes]
        """by the pass that computes them"""
        self._gather()
        self.held: dict[int, RecordEntry] = {}
        """own states, by expression: in the record from their pass on"""
        for wanted in () if chain else self.states:
            for item, node in wanted.items():
                self.held.setdefault(node.index, item)
        self.computed: list[list[Expr]] = [[] for _ in passes]
        self.loaded: list[dict[int, tuple[int, int] | RecordEntry]] = [{} for _ in passes]
        for p in reversed(range(len(passes))):
            self._decide(p)

    def _gather(self) -> None:
        """Collect the results of every pass."""
        for s, sweep in enumerate(self.recording.sweeps):
            results, p = sweep.results[self.k], self.of_sweep[s]
            if sweep.direction == "columns":
                self._gather_columns(s, p)
                continue
            target = self.states if sweep.direction == "out" else self.sent
            for c, entry in representatives(sweep.classes).items():
                target[p][RecordEntry(-1, s, c)] = results[entry]
        for number, output in enumerate(self.recording.outputs):
            if output.of != "main":
                for entry, node in zip(output.places[self.k], output.results[self.k], strict=True):
                    self.origin(node)
                    self.outputs[-1][number].append((entry, node))  # last: a result may lie where an input does

    def _gather_columns(self, s: int, p: int) -> None:
        """Collect the values that a pass over columns needs: the body's columns, and those that other columns meet."""
        sweep = self.recording.sweeps[s]
        chosen = representatives(sweep.classes)
        for number, column in enumerate(sweep.columns[self.k]):
            for c, entry in chosen.items():
                self.columns[p][number, c] = column[entry]
        for node in self._met(s):
            if self._at_hand(node) is None:
                self.origin(node)
                self.remembered[p].setdefault(node.index, node)

    def _at_hand(self, node: Expr) -> tuple[int, int] | None:
        """Return the source of values of columns that are in no record."""
        if self.shared.owns(node):
            return SHARED, self.shared.place(node)
        if node.op == "symbol" and (source := self.source[node.index]).space in ("data", "input"):
            return (DATA, source.entry) if source.space == "data" else (FIRST_INPUT + source.number, source.entry)
        return None

    def _of_columns(self, s: int) -> tuple[list[list[Expr]], list[Expr]]:
        """Return inputs and results of columns at a body, by class."""
        sweep = self.recording.sweeps[s]
        passed = [sweep.results[self.k][entry] for entry in representatives(sweep.classes).values()]
        return sweep.found[self.k], passed

    def _met(self, s: int) -> list[Expr]:
        """Return values that columns read and that do not depend on them."""
        found, passed = self._of_columns(s)
        wanted = [*passed, *(x for row in found for x in row)]
        depends: set[int] = set()
        met: dict[int, Expr] = {}
        nodes = needed(wanted, self.shared)
        own = {index for index, source in self.source.items() if source.space == "column"}
        for node in nodes:
            if node.index in own or any(a.index in depends for a in node.args):
                depends.add(node.index)
        for node in nodes:
            if node.index in depends:
                met |= {a.index: a for a in node.args if a.index not in depends and a.value is None}
        met |= {x.index: x for x in wanted if x.index not in depends and x.value is None}
        return list(met.values())

    def column_step(self, p: int, places: dict[RecordEntry, int]) -> Fragment:
        """Return the step of pass p for columns from outer bodies: they propagate inwards and contribute to outputs."""
        (s,) = self.passes[p].sweeps
        found, passed = self._of_columns(s)
        met = {x.index: x for x in self._met(s)}

        def read(node: Expr) -> Place | None:
            if node.index in met:
                return self._at_hand(node) or (OWN, places[RecordEntry(self.k, node.index)])
            return (COLUMN, self.source[node.index].entry) if node.op == "symbol" else None

        chosen = representatives(self.recording.sweeps[s].classes)
        results = [(Write(COLUMN, entry), x) for entry, x in zip(chosen, passed, strict=True)]
        for number, row in enumerate(found):
            results += [(Write(output_space(number), entry), x) for entry, x in enumerate(row)]
        return fragment_of(f"columns_{p}_{self.k}", needed([x for _, x in results], met), read, results)

    def origin(self, node: Expr) -> int:
        """Return the first pass in which it can be computed."""
        rest = [node]
        while rest:
            one = rest[-1]
            if one.index in self.origins:
                rest.pop()
            elif self.shared.owns(one):
                self.origins[one.index] = self.shared.earliest(one, self.of_sweep)
            elif one.op == "symbol":
                source = self.source[one.index]
                self.origins[one.index] = self.of_sweep[source.number] if source.space in ("parent", "received") else 0
            elif ahead := [a for a in one.args if a.index not in self.origins]:
                rest += ahead
            else:
                self.origins[one.index] = max((self.origins[a.index] for a in one.args), default=0)
        return self.origins[node.index]

    def _needs(self, p: int) -> list[Expr]:
        wanted = [*self.states[p].values(), *self.sent[p].values(), *self.remembered[p].values()]
        wanted += self.columns[p].values()
        wanted += [node for entries in self.outputs[p] for _, node in entries]
        return [node for node in wanted if node.value is None]

    def _decide(self, p: int) -> None:
        """Decide which values pass p computes, and which it reads from earlier passes."""
        wanted = self._needs(p)
        every = [x for x in needed(wanted, self.shared) if x.value is None]
        new = [x for x in every if self.origin(x) >= p and not self._leaf(x, p)]
        self.computed[p] += new  # what no earlier pass could compute
        known = {x.index for x in new}
        targets = [x for x in (*wanted, *(a for one in new for a in one.args)) if x.value is None]
        targets = list({x.index: x for x in targets if x.index not in known}.values())
        nodes = [node for node in needed(targets, self.shared) if node.value is None]

        def computing(node: Expr) -> float:
            return np.inf if node.op == "symbol" or self._leaf(node, p) else _COSTLY.get(node.op, 1.0)

        def reading(node: Expr) -> float:
            if self._leaf(node, p) or any(node.index in self.remembered[e] for e in range(p)):
                return LOAD
            at_hand = node.index in self.held and self._pass_of(self.held[node.index]) < p
            return LOAD if at_hand else STORE

        choice = cheapest(targets, nodes, computing, reading)
        self.computed[p] += choice.computed
        for node in choice.loaded:
            self.loaded[p][node.index] = self._place(node, p)

    def _leaf(self, node: Expr, p: int) -> bool:
        """Return whether pass p can read a value directly."""
        return self.shared.owns(node) or (node.op == "symbol" and not self._overwritten(node, p))

    def _overwritten(self, symbol: Expr, p: int) -> bool:
        """Return whether a value exchanged between neighbors of a chain is overwritten before pass p."""
        if self.shared.owns(symbol):
            return False
        source = self.source[symbol.index]
        return self.chain and source.space in ("parent", "received") and self.of_sweep[source.number] < p

    def _pass_of(self, item: RecordEntry) -> int:
        return self.of_sweep[item.owner]

    def _place(self, node: Expr, p: int) -> tuple[int, int] | RecordEntry:
        """Return the position from which pass p reads a value; mark values that must be stored for that."""
        if (place := self._at_hand(node)) is not None:
            return place
        if node.op == "symbol" and not self._overwritten(node, p):
            source = self.source[node.index]
            return RecordEntry(-1, source.number, source.entry)
        if node.index in self.held and self._pass_of(self.held[node.index]) < p:
            return self.held[node.index]
        self.remembered[self.origins[node.index]].setdefault(node.index, node)
        return RecordEntry(self.k, node.index)

    def _from_parent(self, node: Expr) -> bool:
        if node.op != "symbol" or self.shared.owns(node):
            return False
        space = self.source[node.index].space
        return space == "parent" or (self.chain and space == "received")

    def lifetimes(self) -> dict[RecordEntry, tuple[int, int]]:
        """From when to when every number is in a record; pass p begins at 3 p, is at the body itself at 3 p + 1."""
        found: dict[RecordEntry, tuple[int, int]] = {}

        def use(item: RecordEntry, first: int, last: int) -> None:
            known = found.get(item, (first, last))
            found[item] = (min(first, known[0]), max(last, known[1]))

        for p, one in enumerate(self.passes):
            for item in () if self.chain else self.states[p]:
                use(item, 3 * p + 1, 3 * p + 2)
            for item in () if self.chain else self.sent[p]:
                use(item, 3 * (p - 1) + 1, 3 * p + 1)
            for index in self.remembered[p] if one.columns else ():
                use(RecordEntry(self.k, index), 3 * p + 1, 3 * p + 2)
            for index, place in self.loaded[p].items():
                if not isinstance(place, RecordEntry) or (self.chain and place.kind == -1):
                    continue
                if place.kind >= 0:
                    use(place, 3 * self.origins[index] + 1, 3 * p + 1)
                elif self._from_parent(self._expressions[index]):
                    use(place, 3 * self._pass_of(place) + 1, 3 * p + (2 if one.outwards else 1))
                else:
                    use(place, 3 * p + 1, 3 * p + 1)
        return found

    @cached_property
    def _expressions(self) -> dict[int, Expr]:
        """All that is computed or read, by index."""
        wanted = [node for p in range(len(self.passes)) for node in self._needs(p)]
        return {node.index: node for node in needed(wanted, self.shared)}

    def step(self, p: int, places: dict[RecordEntry, int]) -> Fragment:
        """Return the step of pass p at a body."""

        def read(node: Expr) -> Place | None:
            place = self.loaded[p].get(node.index)
            if isinstance(place, RecordEntry):
                return PARENT if place.kind == -1 and self._from_parent(node) else OWN, places[place]
            return place

        leaving = self.states[p] | self.sent[p] if self.chain else self.sent[p]
        sent = [(places[item], node) for item, node in leaving.items() if self.chain or node.value != 0.0]
        own = {} if self.chain else {places[item]: node for item, node in self.states[p].items()}
        own |= {places[RecordEntry(self.k, index)]: node for index, node in self.remembered[p].items()}
        for s in self.passes[p + 1].sweeps if p + 1 < len(self.passes) and not self.chain else ():
            sweep = self.recording.sweeps[s]
            if sweep.direction == "in":  # where the next pass sums, the sums begin
                for c, entry in representatives(sweep.classes).items():
                    if RecordEntry(-1, s, c) in places:
                        own[places[RecordEntry(-1, s, c)]] = self.kind.graph.constant(sweep.start[entry])
        results = [(Write(PARENT, place, add=not self.chain), node) for place, node in sent]
        results += [(Write(OWN, place), node) for place, node in own.items()]
        for number, given in enumerate(self.outputs[p]):
            add = self.recording.outputs[number].summed
            results += [(Write(output_space(number), entry, add=add), node) for entry, node in given]
        results += [(Write(COLUMN, entry, column), node) for (column, entry), node in self.columns[p].items()]
        order = [*self.computed[p], *(self._expressions[i] for i in self.loaded[p])]
        return fragment_of(f"step_{p}_{self.k}", sorted(order, key=lambda node: node.index), read, results)


def _placed(ends: dict[RecordEntry, list[int]], kinds: int) -> tuple[dict[RecordEntry, int], list[int]]:
    """A place in the record for every item, the first that is free for as long as it is needed; how many there are."""
    taken: list[list[list[tuple[int, int]]]] = []  # of every place, for every kind, from when to when
    places: dict[RecordEntry, int] = {}
    for item, (first, last) in sorted(ends.items(), key=lambda one: (one[0].kind >= 0, one[1][0], one[0])):
        concerned = range(kinds) if item.kind < 0 else (item.kind,)
        free = (
            n for n, spans in enumerate(taken) if all(last <= a or b <= first for k in concerned for a, b in spans[k])
        )
        place = next(free, len(taken))
        if place == len(taken):
            taken.append([[] for _ in range(kinds)])
        for k in concerned:
            taken[place][k].append((first, last))
        places[item] = place
    return places, [1 + max((n for n, spans in enumerate(taken) if spans[k]), default=0) for k in range(kinds)]
