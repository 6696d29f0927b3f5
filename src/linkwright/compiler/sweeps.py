"""Sweeps recorded: the steps of an algorithm traced once per kind of joint, for mechanisms of any size.

A :class:`Recorder` is a model whose sweeps do not go over the bodies. It calls each step once for every
kind of joint, on symbols for what differs between the bodies of a kind (placement, inertia, coordinates),
for the state of the parent, or for what the children sent. What an algorithm passes from sweep to sweep
are then :class:`Records`: for each kind, the expressions of any body of it.

Which entries of a state are always the same number, or always equal to one another (a symmetric matrix,
what stays zero in a plane), is found by assuming it of all that agree at the start and giving up what a
trace contradicts, until nothing is contradicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.compiler.kinds import Group, Kind, Source, groups_of, objects
from linkwright.errors import LinkwrightError, TooLargeError
from linkwright.expression.graph import Expr, Graph
from linkwright.model.tree import Model, Step


class NotASweep(TooLargeError):
    """An algorithm did with what was recorded something that is no step."""


class Sweep(NamedTuple):
    """One sweep over the bodies, as recorded."""

    direction: str
    """ "out" or "in" """
    start: list[float]
    """what the world has (out), or what is added to (in), entry by entry; NaN where it is not known in advance"""
    classes: list[int]
    """the class of entries that are always equal to which each belongs; CONSTANT where it is the start's number"""
    results: list[list[Expr]]
    """for every kind, entry by entry: a body's state, or what it sends"""


CONSTANT = -1

WORLD = -1
"""The world, as a body whose state or sum is looked at."""


_COMPUTES = "it computes with what all joints have between its sweeps"


class Whole:
    """An input, of all joints together: only the model can take it apart."""

    def __init__(self, number: int, size: int):
        self.number, self.shape = number, (size,)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotASweep(_COMPUTES)


class Records:
    """What one step gave, or what every body has: expressions for each kind."""

    def __init__(self, by_kind: Sequence[Any]):
        self.by_kind = by_kind

    def __len__(self) -> int:
        raise NotASweep("it looks at single bodies between its sweeps")

    def __getitem__(self, k: Any) -> Any:
        raise NotASweep("it looks at single bodies between its sweeps")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotASweep(_COMPUTES)


class States(Records):
    """The states that a sweep outwards left: those of single bodies can be looked at when all is done."""

    def __init__(self, recorder: Recorder, sweep: int, start: Any, by_kind: Sequence[Any]):
        super().__init__(by_kind)
        self.recorder, self.sweep, self.start = recorder, sweep, start

    def __getitem__(self, k: Any) -> Any:
        if not isinstance(k, (int, np.integer)) or not 0 <= k < len(self.recorder.links):
            raise NotASweep("it looks at several bodies between its sweeps")
        sweep, tail = self.recorder.sweeps[self.sweep], self.recorder.tail
        values = (
            tail.graph.constant(x) if c == CONSTANT else tail.symbol(Source("state", self.sweep, c), int(k))
            for x, c in zip(sweep.start, sweep.classes, strict=True)
        )
        return like(self.start, values)


class Tail(NamedTuple):
    """What is computed of single bodies' states, after all sweeps."""

    graph: Graph
    symbols: dict[tuple[Source, int], Expr]

    def symbol(self, source: Source, body: int) -> Expr:
        """The symbol of an entry of a body's state."""
        if (source, body) not in self.symbols:
            self.symbols[source, body] = self.graph.symbol(f"state{source.number}[{source.entry}] of {body}")
        return self.symbols[source, body]


class Assembled(NamedTuple):
    """What ``assemble`` gave: each body's part of a vector of all joints."""

    records: Records


@dataclass(frozen=True, eq=False)
class Recorder(Model):
    """A model that records the sweeps over it; on numbers it is as the model it was made from."""

    kinds: list[Kind] = field(default_factory=list)
    known: list[list[int]] = field(default_factory=list)
    """for each sweep, the classes of entries so far"""
    sweeps: list[Sweep] = field(default_factory=list)
    tail: Tail = field(default_factory=lambda: Tail(Graph(), {}))
    sweeps_are_recorded: ClassVar[bool] = True
    handed_on: bool = False
    """whether a body has what its one neighbour sent for what it receives, the last one the start"""

    def coordinates(self, q: Any) -> Any:
        """The coordinates of every joint."""
        return self._own(q, "nq") if isinstance(q, Whole) else super().coordinates(q)

    def rates(self, v: Any) -> Any:
        """The velocity coordinates of every joint."""
        return self._own(v, "nv") if isinstance(v, Whole) else super().rates(v)

    def _own(self, x: Whole, width: str) -> Records:
        if x.shape != (getattr(self, width),):
            raise NotASweep(f"it takes an array {x.shape} for one of {width}")
        sizes = [getattr(kind.link.motion, width) for kind in self.kinds]
        return Records(
            [
                objects([kind.symbol(Source("input", x.number, k)) for k in range(n)])
                for kind, n in zip(self.kinds, sizes, strict=True)
            ]
        )

    def assemble(self, pieces: Any) -> Any:
        """What each body has, together."""
        return Assembled(pieces) if isinstance(pieces, Records) else super().assemble(pieces)

    def each(self, step: Step, *per_body: Any) -> Any:
        """``step`` once per kind."""
        if not _recorded(per_body):
            return super().each(step, *per_body)
        return Records([step(kind.link, *_values(k, kind, per_body)) for k, kind in enumerate(self.kinds)])

    def outward(self, step: Step, start: Any, *per_body: Any) -> Any:
        """``step`` once per kind, on symbols for the parent's state."""
        if not _recorded(per_body):
            return super().outward(step, start, *per_body)
        entries, classes, given = self._given("parent", start)
        states = [step(kind.link, given(kind), *_values(k, kind, per_body)) for k, kind in enumerate(self.kinds)]
        results = [_entries(start, state, kind.graph) for kind, state in zip(self.kinds, states, strict=True)]
        self.sweeps.append(Sweep("out", entries, classes, results))
        return States(self, len(self.sweeps) - 1, start, states)

    def inward(self, step: Step, start: tuple[Any, ...], *per_body: Any) -> Any:
        """``step`` once per kind, on symbols for what was received."""
        if not _recorded(per_body):
            return super().inward(step, start, *per_body)
        entries, classes, given = self._given("received", start)
        made = [step(kind.link, given(kind), *_values(k, kind, per_body)) for k, kind in enumerate(self.kinds)]
        results = [_entries(start, sent, kind.graph) for kind, (_, sent) in zip(self.kinds, made, strict=True)]
        number = len(self.sweeps)
        self.sweeps.append(Sweep("in", entries, classes, results))
        sums = (  # what the world receives is known when all is done
            self.tail.graph.constant(x) if c == CONSTANT else self.tail.symbol(Source("sum", number, c), WORLD)
            for x, c in zip(entries, classes, strict=True)
        )
        return Records([kept for kept, _ in made]), like(start, sums)

    def _given(self, space: str, start: Any) -> tuple[list[float], list[int], Callable[[Kind], Any]]:
        """The numbers of the start, their classes, and a state of symbols for a kind."""
        number = len(self.sweeps)
        entries = [float(x) for leaf in _leaves(start) for x in np.ravel(leaf)]
        if number == len(self.known):
            self.known.append([CONSTANT if x == x else k for k, x in enumerate(entries)])
        classes = self.known[number]

        def given(kind: Kind) -> Any:
            values = [
                kind.graph.constant(x) if c == CONSTANT else kind.symbol(Source(space, number, c))
                for x, c in zip(entries, classes, strict=True)
            ]
            return like(start, iter(values))

        return entries, classes, given


def _recorded(per_body: tuple[Any, ...]) -> bool:
    return any(isinstance(x, Records) for x in per_body)


def _values(k: int, kind: Kind, per_body: tuple[Any, ...]) -> list[Any]:
    """What a step gets for a kind; lists of numbers must have the same for all its bodies."""
    values = []
    for x in per_body:
        if isinstance(x, Records):
            values.append(x.by_kind[k])
            continue
        first = x[kind.bodies[0]]
        if any(x[body] is not first for body in kind.bodies):
            raise NotASweep("it has numbers for single bodies that are neither placement nor inertia")
        values.append(first)
    return values


# states: arrays in tuples


def _leaves(state: Any) -> list[Any]:
    return [leaf for part in state for leaf in _leaves(part)] if isinstance(state, tuple) else [state]


def like(start: Any, values: Iterator[Any]) -> Any:
    """A state of the same form with other entries."""
    if isinstance(start, tuple):
        parts = [like(part, values) for part in start]
        return type(start)(*parts) if hasattr(start, "_fields") else tuple(parts)
    if np.ndim(start) == 0:
        return next(values)
    return objects([next(values) for _ in range(np.size(start))]).reshape(np.shape(start))


def _entries(start: Any, state: Any, graph: Graph) -> list[Expr]:
    """The entries of a state; of a part that has the joint's own shape (which no child can rely on), the start's."""
    entries: list[Expr] = []
    for first, leaf in zip(_leaves(start), _leaves(state), strict=True):
        chosen = leaf if np.shape(leaf) == np.shape(first) else first
        entries += [graph.coerce(x) for x in np.asarray(chosen, dtype=object).flat]
    return entries


# recording


class Output(NamedTuple):
    """A result: some entries for every body, one body after the other."""

    of: str
    """ "joints" (each joint's part of an array (nv,)), "bodies" (every body's array of the same shape) or "end" """
    shape: tuple[int, ...]
    """of the whole result"""
    results: list[list[Expr]]
    """for every kind, entry by entry; at the end, the entries themselves as if of one kind"""


class Recording(NamedTuple):
    """An algorithm as the steps of its sweeps."""

    model: Model
    kinds: list[Kind]
    sweeps: list[Sweep]
    outputs: list[Output]
    tail: Tail
    single: bool


def record(
    function: Callable[..., Any],
    model: Model,
    sizes: Sequence[int],
    groups: Sequence[Group] | None = None,
    handed_on: bool = False,
) -> Recording:
    """Run ``function(model, *arrays)`` on a recorder, arrays of these sizes being symbols.

    ``groups``: the bodies that are concerned, if not all are.
    Raises :class:`NotASweep` (a :class:`TooLargeError`) where it does more than sweeps.
    """
    if model.has_couplings:
        raise NotASweep("joints follow others, which sweeps over single joints cannot serve")
    known: list[list[int]] = []
    groups = groups_of(model) if groups is None else groups
    while True:
        own = {f.name: getattr(model, f.name) for f in fields(Model) if f.init}
        recorder = Recorder(**own, kinds=[group.kind() for group in groups], known=known, handed_on=handed_on)
        recorder.__dict__.update(memo=model.memo, earlier=model.earlier)  # it is that model
        try:
            result = function(recorder, *(Whole(k, n) for k, n in enumerate(sizes)))
        except LinkwrightError:
            raise
        except (TypeError, AttributeError, ValueError) as error:
            raise NotASweep(f"it is more than sweeps over the bodies: {error}") from error
        refined = [_refined(sweep, handed_on) for sweep in recorder.sweeps]
        if refined == known:
            break
        known = refined
    single = not isinstance(result, tuple) or isinstance(result, Assembled)
    outputs = [_output(recorder, x) for x in ((result,) if single else result)]
    for graph in (recorder.tail.graph, *(kind.graph for kind in recorder.kinds)):
        if graph.failure is not None:
            raise graph.failure
    return Recording(model, recorder.kinds, recorder.sweeps, outputs, recorder.tail, single)


def _refined(sweep: Sweep, handed_on: bool) -> list[int]:
    """The classes that the results allow: those of one class before that are one expression in every kind."""
    numbers: dict[Any, int] = {}
    classes = []
    for k, (start, old) in enumerate(zip(sweep.start, sweep.classes, strict=True)):
        found = tuple(results[k].value if results[k].value is not None else results[k] for results in sweep.results)
        constant = start if sweep.direction == "out" or handed_on else 0.0
        if (
            old == CONSTANT
            and all(x == constant for x in found if not isinstance(x, Expr))
            and not any(isinstance(x, Expr) for x in found)
        ):
            classes.append(CONSTANT)
            continue
        key = (
            old,
            start if start == start else ("unknown", k),
            *(("symbolic", x.index) if isinstance(x, Expr) else x for x in found),
        )
        classes.append(numbers.setdefault(key, len(numbers)))
    return classes


def _output(recorder: Recorder, result: Any) -> Output:
    records = result.records if isinstance(result, Assembled) else result
    if not isinstance(records, Records):
        array = np.asarray(result)
        if array.dtype != object or not all(isinstance(x, Expr) for x in array.flat):
            raise NotASweep(f"it returns {type(result).__name__}, which is no result of a sweep")
        return Output("end", array.shape, [[recorder.tail.graph.coerce(x) for x in array.flat]])
    shapes = {np.shape(x) for x in records.by_kind}
    results = [
        [kind.graph.coerce(x) for x in np.asarray(value, dtype=object).flat]
        for kind, value in zip(recorder.kinds, records.by_kind, strict=True)
    ]
    if isinstance(result, Assembled):
        return Output("joints", (recorder.nv,), results)
    if len(shapes) > 1:
        raise NotASweep("it returns arrays of different shapes for different joints")
    return Output("bodies", (len(recorder.links), *shapes.pop()), results)
