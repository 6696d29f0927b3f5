"""From recorded sweeps to loops: which passes over the bodies there are, and what each body remembers between them.

Sweeps in the same direction one after the other are one pass. What a later pass needs of an earlier one is
remembered in the body's record or computed again, whichever costs less: for each kind of joint and each
pass that choice is a minimum cut between what is at hand and what is needed. Places in the record are shared
by what is never needed at the same time.

In a chain, where each body hangs on the one before, what neighbours tell each other is in no record: one place for
all serves, which every body overwrites when it has read it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwright.compiler.kinds import Kind, Source
from linkwright.compiler.program import Instruction, Program, Slot, program_of
from linkwright.compiler.sweeps import CONSTANT, Recording
from linkwright.expression.graph import Expr
from linkwright.expression.order import needed
from linkwright.model.tree import Model

STORE, LOAD = 3.0, 0.5
"""What remembering a number and reading one cost, in operations."""
_COSTLY = {"div": 6.0, "sqrt": 6.0, "sin": 10.0, "cos": 10.0}

OWN, PARENT, DATA, FIRST_INPUT = 0, 1, 2, 3
"""Where a step reads: the body's record, its parent's (in a chain, what the neighbour left), its data, the inputs."""


class Pass(NamedTuple):
    """One loop over the bodies."""

    outwards: bool
    sweeps: list[int]


class Item(NamedTuple):
    """A number in the records: of a sweep's states and sums (the same place for all kinds), or of one kind's own."""

    kind: int
    """-1 where all kinds share it"""
    owner: int
    """the number of the sweep, or the index of the expression"""
    entry: int = 0


class Step(NamedTuple):
    """What a pass does at a body of one kind."""

    program: Program
    """reads its own record, its parent's, its data and the inputs; gives what the rest tells where to put"""
    own: list[int]
    """places of its own record, written"""
    sent: list[int]
    """places of its parent's record, added to; in a chain, places for the neighbour, written"""
    results: list[list[int]]
    """for every output, the entries of the body's part of it"""


class Loops(NamedTuple):
    """A recording as loops."""

    recording: Recording
    passes: list[Pass]
    steps: list[list[Step]]
    """for each pass and kind"""
    begins: list[list[tuple[int, float]]]
    """for each pass, what is in the world's record before it"""
    chain: bool
    """whether each body hangs on the one before"""
    sizes: list[int]
    """of a record of each kind, in numbers"""
    shared: int
    """of the world's record, or of what neighbours in a chain leave for each other"""
    end: Step
    """what is computed of single bodies' states after all passes"""
    looked_at: list[int]
    """the body of each number that this reads"""


def loops_of(recording: Recording, names: Iterable[str], sizes: Iterable[int]) -> Loops:
    """Divide a recording in passes, choose what is remembered and where."""
    passes = _passes(recording)
    of_sweep = {s: p for p, one in enumerate(passes) for s in one.sweeps}
    seen = _looked_at(recording)
    chain = is_chain(recording.model) and not seen
    kinds = [_KindPlan(recording, k, passes, of_sweep, chain) for k in range(len(recording.kinds))]
    ends: dict[Item, list[int]] = {}
    for plan in kinds:
        for item, (first, last) in plan.lifetimes().items():
            known = ends.setdefault(item, [first, last])
            known[0], known[1] = min(known[0], first), max(known[1], last)
    for source, _ in seen:
        item = Item(-1, source.number, source.entry)
        first = 3 * of_sweep[source.number] + (1 if source.space == "state" else -2)
        ends[item] = [min(first, ends.get(item, [first])[0]), 3 * len(passes)]
    places, kind_sizes = _placed(ends, len(kinds))
    if chain:
        shared = _handed_on(recording, passes, places)
    else:
        shared = max((place + 1 for item, place in places.items() if item.kind < 0), default=1)
        kind_sizes = [max(shared, size) for size in kind_sizes]
    inputs = [Slot(name, (n,)) for name, n in zip(names, sizes, strict=True)]
    steps = [[plan.step(p, places, max(*kind_sizes, shared), inputs) for plan in kinds] for p in range(len(passes))]
    begins = [_beginnings(recording, one, places) for one in passes]
    return Loops(recording, passes, steps, begins, chain, kind_sizes, shared, *_end(recording, places, shared))


def is_chain(model: Model) -> bool:
    """Whether each body hangs on the one before."""
    return all(link.parent == k - 1 for k, link in enumerate(model.links))


def _handed_on(recording: Recording, passes: list[Pass], places: dict[Item, int]) -> int:
    """Give a place to everything that neighbours in a chain tell each other, anew in every pass; how many there are."""
    most = 0
    for one in passes:
        items = [Item(-1, s, c) for s in one.sweeps for c in representatives(recording.sweeps[s].classes)]
        places.update(zip(items, range(len(items)), strict=True))
        most = max(most, len(items))
    return most


def _end(recording: Recording, places: dict[Item, int], size: int) -> tuple[Step, list[int]]:
    """What is computed of single bodies' states, and which bodies' each input is."""
    graph, symbols = recording.tail.graph, _looked_at(recording)
    names = {str(k): _array(symbol) for k, symbol in enumerate(symbols.values())}
    wanted = [output.results[0] if output.of == "end" else [] for output in recording.outputs]
    results = tuple(_array(*nodes) for nodes in ([], [], *wanted))
    program = program_of("end", graph, names, results)
    places_read = [places[Item(-1, source.number, source.entry)] for source, _ in symbols]
    instructions = [
        Instruction("input", (i.args[0], places_read[i.args[0]])) if i.op == "input" else i
        for i in program.instructions
    ]
    slots = tuple(Slot(slot.name, (size,)) for slot in program.inputs)
    program = replace(program, inputs=slots, instructions=tuple(instructions))
    return Step(program, [], [], [list(range(len(nodes))) for nodes in wanted]), [body for _, body in symbols]


def _looked_at(recording: Recording) -> dict[tuple[Source, int], Expr]:
    """The entries of states and sums that results depend on, with their bodies."""
    used = {node.index for node in needed(x for o in recording.outputs if o.of == "end" for x in o.results[0])}
    return {key: symbol for key, symbol in recording.tail.symbols.items() if symbol.index in used}


def _array(*nodes: Expr) -> np.ndarray:
    array = np.empty(len(nodes), dtype=object)
    array[:] = nodes
    return array


def _passes(recording: Recording) -> list[Pass]:
    passes: list[Pass] = []
    for number, sweep in enumerate(recording.sweeps):
        outwards = sweep.direction == "out"
        if not passes and not outwards:
            passes.append(Pass(True, []))  # where the sums begin
        unknown = any(x != x for x in sweep.start)  # something happens before it
        if not passes or passes[-1].outwards != outwards or unknown:
            passes.append(Pass(outwards, []))
        passes[-1].sweeps.append(number)
    return passes or [Pass(True, [])]


def representatives(classes: list[int]) -> dict[int, int]:
    """For each class the first of its entries."""
    first: dict[int, int] = {}
    for entry, c in enumerate(classes):
        if c != CONSTANT:
            first.setdefault(c, entry)
    return first


def _beginnings(recording: Recording, one: Pass, places: dict[Item, int]) -> list[tuple[int, float]]:
    """What the world's record holds before a pass: the starts of its sweeps."""
    found = []
    for s in one.sweeps:
        sweep = recording.sweeps[s]
        for c, entry in representatives(sweep.classes).items():
            place = places.get(Item(-1, s, c))
            if place is not None and sweep.start[entry] == sweep.start[entry]:  # else it is put there by others
                found.append((place, sweep.start[entry]))
    return found


class _KindPlan:
    """What the steps of one kind compute in each pass."""

    def __init__(self, recording: Recording, k: int, passes: list[Pass], of_sweep: dict[int, int], chain: bool):
        self.recording, self.k, self.passes, self.of_sweep, self.chain = recording, k, passes, of_sweep, chain
        self.kind: Kind = recording.kinds[k]
        self.source = {symbol.index: source for source, symbol in self.kind.symbols.items()}
        self.origins: dict[int, int] = {}
        self.states: list[dict[Item, Expr]] = [{} for _ in passes]
        self.sent: list[dict[Item, Expr]] = [{} for _ in passes]
        self.outputs: list[list[list[tuple[int, Expr]]]] = [[[] for _ in recording.outputs] for _ in passes]
        self._gather()
        self.held: dict[int, Item] = {}
        """own states, by expression: in the record from their pass on"""
        for wanted in () if chain else self.states:
            for item, node in wanted.items():
                self.held.setdefault(node.index, item)
        self.remembered: list[dict[int, Expr]] = [{} for _ in passes]
        """by the pass that computes them"""
        self.computed: list[list[Expr]] = [[] for _ in passes]
        self.loaded: list[dict[int, tuple[int, int] | Item]] = [{} for _ in passes]
        for p in reversed(range(len(passes))):
            self._decide(p)

    def _gather(self) -> None:
        """What every pass has to give."""
        for s, sweep in enumerate(self.recording.sweeps):
            results, p = sweep.results[self.k], self.of_sweep[s]
            target = self.states if sweep.direction == "out" else self.sent
            for c, entry in representatives(sweep.classes).items():
                target[p][Item(-1, s, c)] = results[entry]
        for number, output in enumerate(self.recording.outputs):
            for entry, node in enumerate(output.results[self.k] if output.of != "end" else ()):
                self.origin(node)
                self.outputs[-1][number].append((entry, node))  # last: a result may lie where an input does

    def origin(self, node: Expr) -> int:
        """The first pass in which it can be computed."""
        for one in needed([node]):
            if one.index in self.origins:
                continue
            if one.op == "symbol":
                source = self.source[one.index]
                self.origins[one.index] = self.of_sweep[source.number] if source.space in ("parent", "received") else 0
            else:
                self.origins[one.index] = max((self.origins[a.index] for a in one.args), default=0)
        return self.origins[node.index]

    def _needs(self, p: int) -> list[Expr]:
        wanted = [*self.states[p].values(), *self.sent[p].values(), *self.remembered[p].values()]
        wanted += [node for entries in self.outputs[p] for _, node in entries]
        return [node for node in wanted if node.value is None]

    def _decide(self, p: int) -> None:
        """What pass p computes, and what it reads that earlier passes computed."""
        wanted = self._needs(p)
        nodes = [node for node in needed(wanted) if node.value is None]
        number = {node.index: 2 * i for i, node in enumerate(nodes)}
        source, sink = 2 * len(nodes), 2 * len(nodes) + 1
        cut = Cut(2 * len(nodes) + 2)
        for node in nodes:
            first, last = number[node.index], number[node.index] + 1
            self.origin(node)
            if node.op == "symbol" and not self._overwritten(node, p):
                cut.edge(source, last, LOAD)
                continue
            cut.edge(source, first, np.inf if node.op == "symbol" else _COSTLY.get(node.op, 1.0))
            if self.origins[node.index] >= p:
                cut.edge(first, last, np.inf)
            else:
                at_hand = node.index in self.held and self._pass_of(self.held[node.index]) < p
                at_hand = at_hand or any(node.index in self.remembered[e] for e in range(p))
                cut.edge(first, last, LOAD if at_hand else STORE)
            for a in node.args:
                if a.value is None:
                    cut.edge(number[a.index] + 1, first, np.inf)
        for node in wanted:
            cut.edge(number[node.index] + 1, sink, np.inf)
        near = cut.near(source, sink)
        for node in nodes:
            first, last = number[node.index], number[node.index] + 1
            if near[last]:
                continue  # not needed at all
            if node.op != "symbol" and not near[first]:
                self.computed[p].append(node)
                continue
            self.loaded[p][node.index] = self._place(node, p)

    def _overwritten(self, symbol: Expr, p: int) -> bool:
        """Whether it is gone by pass p, having been a neighbour's word in a chain."""
        source = self.source[symbol.index]
        return self.chain and source.space in ("parent", "received") and self.of_sweep[source.number] < p

    def _pass_of(self, item: Item) -> int:
        return self.of_sweep[item.owner]

    def _place(self, node: Expr, p: int) -> tuple[int, int] | Item:
        """Where pass p reads what it does not compute; notes what must be remembered for that."""
        if node.op == "symbol" and not self._overwritten(node, p):
            source = self.source[node.index]
            if source.space == "data":
                return DATA, source.entry
            if source.space == "input":
                return FIRST_INPUT + source.number, source.entry
            return Item(-1, source.number, source.entry)
        if node.index in self.held and self._pass_of(self.held[node.index]) < p:
            return self.held[node.index]
        self.remembered[self.origins[node.index]].setdefault(node.index, node)
        return Item(self.k, node.index)

    def _from_parent(self, node: Expr) -> bool:
        if node.op != "symbol":
            return False
        space = self.source[node.index].space
        return space == "parent" or (self.chain and space == "received")

    def lifetimes(self) -> dict[Item, tuple[int, int]]:
        """From when to when every number is in a record; pass p begins at 3 p, is at the body itself at 3 p + 1."""
        found: dict[Item, tuple[int, int]] = {}

        def use(item: Item, first: int, last: int) -> None:
            known = found.get(item, (first, last))
            found[item] = (min(first, known[0]), max(last, known[1]))

        for p, one in enumerate(self.passes):
            for item in () if self.chain else self.states[p]:
                use(item, 3 * p + 1, 3 * p + 2)
            for item in () if self.chain else self.sent[p]:
                use(item, 3 * (p - 1) + 1, 3 * p + 1)
            for index, place in self.loaded[p].items():
                if not isinstance(place, Item) or (self.chain and place.kind == -1):
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
        return {node.index: node for node in needed(wanted)}

    def step(self, p: int, places: dict[Item, int], size: int, inputs: list[Slot]) -> Step:
        """The step of pass p."""
        instructions: list[Instruction] = []
        numbers: dict[int, int] = {}

        def value(node: Expr) -> int:
            if node.index not in numbers:
                assert node.value is not None
                numbers[node.index] = len(instructions)
                instructions.append(Instruction("constant", (), node.value))
            return numbers[node.index]

        order = sorted(
            [*self.computed[p], *(self._expressions[i] for i in self.loaded[p])], key=lambda node: node.index
        )
        for node in order:
            if (place := self.loaded[p].get(node.index)) is not None:
                if isinstance(place, Item):
                    place = (PARENT if place.kind == -1 and self._from_parent(node) else OWN, places[place])
                instruction = Instruction("input", place)
            else:
                instruction = Instruction(node.op, tuple(value(a) for a in node.args))
            numbers[node.index] = len(instructions)
            instructions.append(instruction)
        own: dict[int, int] = {}
        for item, node in () if self.chain else self.states[p].items():
            own[places[item]] = value(node)
        for index, node in self.remembered[p].items():
            own[places[Item(self.k, index)]] = value(node)
        for s in self.passes[p + 1].sweeps if p + 1 < len(self.passes) and not self.chain else ():
            sweep = self.recording.sweeps[s]
            if sweep.direction == "in":  # where the next pass sums, the sums begin
                for c, entry in representatives(sweep.classes).items():
                    if Item(-1, s, c) in places:
                        own[places[Item(-1, s, c)]] = value(self.kind.graph.constant(sweep.start[entry]))
        if self.chain:
            sent = {places[item]: value(node) for item, node in (self.states[p] | self.sent[p]).items()}
        else:
            sent = {places[item]: value(node) for item, node in self.sent[p].items() if node.value != 0.0}
        results = [tuple(own.values()), tuple(sent.values())]
        outputs = [Slot("own", (len(own),)), Slot("sent", (len(sent),))]
        for number, given in enumerate(self.outputs[p]):
            results.append(tuple(value(node) for _, node in given))
            outputs.append(Slot(f"result{number}", (len(given),)))
        slots = (Slot("own", (size,)), Slot("parent", (size,)), Slot("data", (self.kind.columns.shape[1],)), *inputs)
        program = Program(f"step_{p}_{self.k}", slots, tuple(outputs), tuple(instructions), tuple(results), False)
        return Step(program, list(own), list(sent), [[entry for entry, _ in given] for given in self.outputs[p]])


def _placed(ends: dict[Item, list[int]], kinds: int) -> tuple[dict[Item, int], list[int]]:
    """A place in the record for every item, the first that is free for as long as it is needed; how many there are."""
    taken: list[list[list[tuple[int, int]]]] = []  # of every place, for every kind, from when to when
    places: dict[Item, int] = {}
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


class Cut:
    """A minimum cut, by blocking flows (Dinic 1970)."""

    def __init__(self, n: int):
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.head: list[int] = []
        self.left: list[float] = []

    def edge(self, a: int, b: int, capacity: float) -> None:
        for start, end, c in ((a, b, capacity), (b, a, 0.0)):
            self.out[start].append(len(self.head))
            self.head.append(end)
            self.left.append(c)

    def _levels(self, source: int) -> list[int]:
        level = [-1] * len(self.out)
        level[source] = 0
        queue = deque([source])
        while queue:
            a = queue.popleft()
            for e in self.out[a]:
                if self.left[e] > 0.0 and level[self.head[e]] < 0:
                    level[self.head[e]] = level[a] + 1
                    queue.append(self.head[e])
        return level

    def near(self, source: int, sink: int) -> list[bool]:
        """Which nodes are on the source's side."""
        left, head, out = self.left, self.head, self.out
        while (level := self._levels(source))[sink] >= 0:
            at = [0] * len(out)
            path: list[int] = []
            a = source
            while True:
                if a == sink:
                    flow = min(left[e] for e in path)
                    for e in path:
                        left[e] -= flow
                        left[e ^ 1] += flow
                    full = next(i for i, e in enumerate(path) if left[e] <= 0.0)
                    a = head[path[full] ^ 1]
                    del path[full:]
                    continue
                while at[a] < len(out[a]):
                    e = out[a][at[a]]
                    if left[e] > 0.0 and level[head[e]] == level[a] + 1:
                        break
                    at[a] += 1
                if at[a] < len(out[a]):
                    path.append(e)
                    a = head[e]
                elif path:
                    a = head[path.pop() ^ 1]
                    at[a] += 1
                else:
                    break
        return [x >= 0 for x in level]
