"""Recorded sweeps: the steps of an algorithm traced once per kind of joint, for mechanisms of any size.

A :class:`Recorder` is a model whose sweeps do not iterate over the bodies. It calls each step once for every kind of
joint, on symbols for the data in which the bodies of a kind differ (placement, inertia, coordinates), for the state of
the parent, or for values sent by the children. Values that an algorithm passes from sweep to sweep are then
:class:`BodyRecords`: for each kind, the expressions of any body of it. Values that belong to no body (the state of a
single one, values received by the world, arguments that are not arrays of all joints) are ordinary expressions.

Entries of a state that are always the same number, or always equal to one another (a symmetric matrix, zeros of planar
motion), are found by assuming it for all that agree initially and dropping assumptions that a trace contradicts, until
none is contradicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import JointKind, SymbolSource, folded, groups_of, objects
from linkwright.compiler.front.records import COMPUTES, BodyRecords, BodyStates, JointVector, NotASweep
from linkwright.errors import LinkwrightError
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.symbols import comparable
from linkwright.model.sweeps import Step, like_columns
from linkwright.model.tree import Model

__all__ = ["NotASweep", "Recorder", "Recording", "record"]


class RecordedSweep(NamedTuple):
    """One sweep over the bodies, as recorded."""

    direction: str
    """"out", "in" or "columns": propagation of every column of a body inwards"""
    start: list[float]
    """what the world has (out), or what is added to (in), entry by entry"""
    classes: list[int]
    """the class of entries that are always equal to which each belongs; CONSTANT where it is the start's number"""
    results: list[list[Expr]]
    """for every kind, entry by entry: a body's state, or what it sends, or passes on of a column"""
    columns: list[list[list[Expr]]]
    """values sent inwards, for every kind and column, entry by entry"""
    found: list[list[list[Expr]]]
    """for every kind, and each array, what a column means to it"""

    @property
    def states(self) -> list[list[Expr]]:
        """Everything that a state may be."""
        return [*self.results, *(column for columns in self.columns for column in columns)]


CONSTANT = -1

WORLD = -1
"""The world, as a body whose state or sum is read."""


class UniformSymbols(NamedTuple):
    """Symbols for values that belong to no body: entries of single bodies' states, of sums and of arguments."""

    graph: Graph
    symbols: dict[tuple[SymbolSource, int], Expr]

    def symbol(self, source: SymbolSource, body: int = WORLD) -> Expr:
        """Return the symbol of an entry of a body's state, or of the world's."""
        if (source, body) not in self.symbols:
            name = f"{source.space}{source.number}[{source.entry}]"
            self.symbols[source, body] = self.graph.symbol(name if body == WORLD else f"{name} of {body}")
        return self.symbols[source, body]


class ColumnResult(NamedTuple):
    """One of the arrays that a sweep of columns found."""

    sweep: int
    which: int


class SquareMatrix(NamedTuple):
    """A matrix of all joints by all joints: each body's own block, and its rows over (columns under) those beyond."""

    own: BodyRecords
    above: ColumnResult
    below: ColumnResult | None

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotASweep(COMPUTES)


@dataclass(frozen=True, eq=False)
class Recorder(Model):
    """A model that records the sweeps over it; on numbers it is as the model it was made from."""

    kinds: list[JointKind] = field(default_factory=list)
    known: list[list[int]] = field(default_factory=list)
    """for each sweep, the classes of entries so far"""
    sweeps: list[RecordedSweep] = field(default_factory=list)
    main: UniformSymbols = field(default_factory=lambda: UniformSymbols(Graph(), {}))
    sweeps_are_recorded: ClassVar[bool] = True

    @property
    def follow(self) -> list[bool]:
        """Whether the joints of each kind are mimic joints."""
        return [self.joints[kind.bodies[0]].coupling is not None for kind in self.kinds]

    # arrays of all joints

    def coordinates(self, q: Any) -> Any:
        """Return the coordinates of every joint."""
        return self._own(q, "nq") if isinstance(q, JointVector) else super().coordinates(q)

    def rates(self, v: Any) -> Any:
        """Return the velocity coordinates of every joint."""
        return self._own(v, "nv") if isinstance(v, JointVector) else super().rates(v)

    def _own(self, x: JointVector, width: str) -> BodyRecords:
        if x.shape != (getattr(self, width),):
            raise NotASweep(f"it takes an array {x.shape} for one of {width}")
        if x.followers == "own" or not any(self.follow):
            return BodyRecords(x.by_kind)
        if x.summed:
            raise NotASweep("joints follow others, and what their leaders sum up is known when all is done")
        couplings = [joint.coupling for joint in self.joints]
        multipliers = self._values([1.0 if c is None else c.multiplier for c in couplings])
        offsets = self._values([0.0 if c is None or width == "nv" else c.offset for c in couplings])
        return BodyRecords(
            [
                multiplier * part + offset if follows else part
                for part, multiplier, offset, follows in zip(x.by_kind, multipliers, offsets, self.follow, strict=True)
            ]
        )

    def assemble(self, pieces: Any, rows: tuple[int, ...] = ()) -> Any:
        """Return the values of all bodies as one; those of mimic joints are added to those of their leaders."""
        if not isinstance(pieces, BodyRecords):
            return super().assemble(pieces, rows)
        if not any(self.follow):
            return JointVector(self, pieces.by_kind, "nv")
        multipliers = self._values([1.0 if j.coupling is None else j.coupling.multiplier for j in self.joints])
        by_kind = [
            multiplier * x if follows else x
            for x, multiplier, follows in zip(pieces.by_kind, multipliers, self.follow, strict=True)
        ]
        return JointVector(self, by_kind, "nv", followers="added")

    def positions(self, pieces: Any) -> Any:
        """Return the coordinates that each body has, together."""
        if not isinstance(pieces, BodyRecords):
            return super().positions(pieces)
        return JointVector(self, pieces.by_kind, "nq", followers="own")

    def velocities(self, pieces: Any) -> Any:
        """Return the velocity coordinates that each body has, together."""
        if not isinstance(pieces, BodyRecords):
            return super().velocities(pieces)
        return JointVector(self, pieces.by_kind, "nv", followers="own")

    def parts(self, x: Any, width: str, summed: bool) -> list[Any]:
        """Return each kind's part of an operand of vectors of all joints: a vector, numbers, or shared values."""
        if isinstance(x, JointVector):
            return x.own() if summed and not x.summed else list(x.by_kind)
        if np.ndim(x) == 0:
            return [x] * len(self.kinds)
        array, total = np.asarray(x), getattr(self, width)
        if array.shape[-1] != total:
            raise NotASweep(f"it combines arrays of all joints ({total},) with one of shape {array.shape}")
        if array.dtype == object:
            raise NotASweep("it concatenates arrays of all joints")
        pieces = np.split(array, np.cumsum([getattr(joint, width) for joint in self.joints])[:-1], axis=-1)
        if any(self.follow):  # followers have their leaders' part, or none
            for k, joint in enumerate(self.joints):
                if joint.coupling is not None:
                    pieces[k] = pieces[joint.coupling.leader][..., : 0 if summed else None]
        return self._values(pieces)

    def entries(self, number: int, size: int) -> Any:
        """Return the entries of an argument, as what belongs to no body."""
        return objects([self.main.symbol(SymbolSource("input", number, k)) for k in range(size)])

    def product(self, x: Any, y: Any) -> Any:
        """Return the matrix product of an array and a matrix of all joints, or the sum over all joints of two."""
        if isinstance(x, JointVector) and isinstance(y, JointVector) and y.ndim == 1:
            if any(self.follow) and (x.followers, y.followers).count("leaders") == 0:
                raise NotASweep("joints follow others, and their efforts are known when all are summed")
            pairs = zip(*((a.by_kind if x.summed or y.summed else a.own()) for a in (x, y)), strict=True)
            return self.total(BodyRecords([a @ b if b.size else np.zeros(x.lead)[()] for a, b in pairs]))
        if isinstance(y, JointVector) and y.ndim == 2 and not isinstance(x, JointVector):
            return JointVector(self, [np.asarray(x) @ part for part in y.by_kind], y.width, followers=y.followers)
        raise NotASweep("it multiplies arrays of all joints other than entry by entry, summed, or by a matrix before")

    # sweeps

    def each(self, step: Step, *per_body: Any) -> Any:
        """``step`` once per kind."""
        if not _recorded(per_body):
            return super().each(step, *per_body)
        values = self._each_values(per_body)
        return BodyRecords([step(kind.link, *own) for kind, own in zip(self.kinds, values, strict=True)])

    def outward(self, step: Step, start: Any, *per_body: Any) -> Any:
        """``step`` once per kind, on symbols for the parent's state."""
        if not _recorded(per_body):
            return super().outward(step, start, *per_body)
        number, (entries, classes, given) = len(self.sweeps), self._given("parent", start)
        values = self._each_values(per_body)
        states = [step(kind.link, given(kind), *own) for kind, own in zip(self.kinds, values, strict=True)]
        results = [_entries(start, state, self.main.graph) for state in states]
        self.sweeps.append(RecordedSweep("out", entries, classes, results, [], []))

        def look(body: int) -> Any:
            return like(start, self._read("state", number, body))

        return BodyStates(states, len(self.links), look)

    def inward(self, step: Step, start: tuple[Any, ...], *per_body: Any) -> Any:
        """``step`` once per kind, on symbols for what was received."""
        if not _recorded(per_body):
            return super().inward(step, start, *per_body)
        number, (entries, classes, given) = len(self.sweeps), self._given("received", start)
        values = self._each_values(per_body)
        made = [step(kind.link, given(kind), *own) for kind, own in zip(self.kinds, values, strict=True)]
        results = [_entries(start, sent, self.main.graph) for _, sent in made]
        self.sweeps.append(RecordedSweep("in", entries, classes, results, [], []))
        return BodyRecords([kept for kept, _ in made]), like(start, self._read("sum", number, WORLD))

    def inward_columns(self, step: Step, sent: Any, *per_body: Any) -> Any:
        """``step`` once per kind, on symbols for one column from beyond."""
        if not _recorded((sent, *per_body)):
            return super().inward_columns(step, sent, *per_body)
        one = like_columns(sent.by_kind[0], [np.zeros((len(x), 1)) for x in sent.by_kind[0]])
        number, (entries, classes, given) = len(self.sweeps), self._given("column", one)
        values = self._each_values(per_body)
        made = [step(kind.link, given(kind), *own) for kind, own in zip(self.kinds, values, strict=True)]
        results = [_entries(one, passed, self.main.graph) for _, passed in made]
        found = [[_expressions(self.main.graph, x) for x in arrays] for arrays, _ in made]
        columns = [
            [
                _entries(one, like_columns(arrays, [x[:, [k]] for x in arrays]), self.main.graph)
                for k in range(kind.link.motion.nv)
            ]
            for kind, arrays in zip(self.kinds, sent.by_kind, strict=True)
        ]
        self.sweeps.append(RecordedSweep("columns", entries, classes, results, columns, found))
        return tuple(ColumnResult(number, k) for k in range(len(found[0])))

    def square(self, own: Any, above: Any, below: Any = None) -> Any:
        """Return a matrix of all joints by all joints."""
        return SquareMatrix(own, above, below) if isinstance(own, BodyRecords) else super().square(own, above, below)

    def total(self, values: Any) -> Any:
        """Return the sum over all bodies."""
        if not isinstance(values, BodyRecords):
            return super().total(values)
        zero = np.zeros(np.shape(values.by_kind[0]))[()]

        def inward(link: Any, received: tuple[Any], own: Any) -> tuple[None, tuple[Any]]:
            return None, (received[0] + own,)

        return self.inward(inward, (zero,), values)[1][0]

    def on_bodies(self, values: Mapping[int, Any], zero: Any) -> Any:
        """Return values of some bodies, given by their numbers, with zeros for the others."""
        graph = self.main.graph
        if not any(isinstance(x, Expr) for value in values.values() for x in np.asarray(value).flat):
            return super().on_bodies(values, zero)
        total: list[Any] = [zero] * len(self.kinds)
        for body, value in values.items():
            here = self._values([1.0 if k == body else 0.0 for k in range(len(self.links))])
            value = objects([graph.coerce(x) for x in np.asarray(value).flat]).reshape(np.shape(value))
            total = [x + own * value for x, own in zip(total, here, strict=True)]
        return BodyRecords(total)

    def _read(self, space: str, number: int, body: int) -> Iterator[Expr]:
        """Return the entries of a single body's state, or of what the world received."""
        sweep, main = self.sweeps[number], self.main
        for x, c in zip(sweep.start, sweep.classes, strict=True):
            yield main.graph.constant(x) if c == CONSTANT else main.symbol(SymbolSource(space, number, c), body)

    def _given(self, space: str, start: Any) -> tuple[list[float], list[int], Callable[[JointKind], Any]]:
        """Return the numbers of the start, their classes, and a state of symbols for a kind."""
        number, graph = len(self.sweeps), self.main.graph
        if any(isinstance(x, Expr) and x.value is None for leaf in _leaves(start) for x in np.ravel(leaf)):
            raise NotASweep("a sweep starts from something that is not known in advance")
        entries = [float(x) for leaf in _leaves(start) for x in np.ravel(leaf)]
        if number == len(self.known):
            self.known.append([CONSTANT if x == x else k for k, x in enumerate(entries)])
        classes = self.known[number]

        def given(kind: JointKind) -> Any:
            values = [
                graph.constant(x) if c == CONSTANT else kind.symbol(SymbolSource(space, number, c))
                for x, c in zip(entries, classes, strict=True)
            ]
            return like(start, iter(values))

        return entries, classes, given

    # what bodies have

    def _each_values(self, per_body: tuple[Any, ...]) -> list[list[Any]]:
        """Return the arguments of a step for each kind."""
        columns = [x.by_kind if isinstance(x, BodyRecords) else self._values(x) for x in per_body]
        return [list(own) for own in zip(*columns, strict=True)] if columns else [[] for _ in self.kinds]

    def _values(self, x: Sequence[Any]) -> list[Any]:
        """Numbers of every body as each kind has them: the same for all its bodies, or data of theirs."""
        return [self._of_kind(k, [x[body] for body in kind.bodies]) for k, kind in enumerate(self.kinds)]

    def _of_kind(self, k: int, rows: list[Any]) -> Any:
        first = rows[0]
        if all(row is first for row in rows):
            return first
        if isinstance(first, tuple):
            parts = [self._of_kind(k, list(column)) for column in zip(*rows, strict=True)]
            return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
        shapes = {np.shape(row) for row in rows}
        numbers = np.array([np.ravel(row) for row in rows]) if len(shapes) == 1 else None
        if numbers is None or numbers.dtype.kind not in "fiub":
            raise NotASweep("it has for single bodies what are no numbers")
        kind, graph = self.kinds[k], self.main.graph
        places, columns = folded(numbers.astype(float))
        at = []
        for column in columns.T:  # those that are there already are not kept twice
            same = np.flatnonzero((kind.columns == column[:, None]).all(axis=0))
            at.append(int(same[0]) if same.size else kind.columns.shape[1])
            if not same.size:
                kind = kind._replace(columns=np.concatenate([kind.columns, column[:, None]], axis=1))
        self.kinds[k] = kind
        values = [
            graph.constant(number) if place < 0 else kind.symbol(SymbolSource("data", 0, at[place]))
            for number, place in zip(numbers[0], places, strict=True)
        ]
        return like(first if np.ndim(first) else 0.0, iter(values))


def _recorded(per_body: tuple[Any, ...]) -> bool:
    return any(isinstance(x, BodyRecords) for x in per_body)


# states: arrays in tuples


def _leaves(state: Any) -> list[Any]:
    return [leaf for part in state for leaf in _leaves(part)] if isinstance(state, tuple) else [state]


def like(start: Any, values: Iterator[Any]) -> Any:
    """Return a state of the same form with other entries."""
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


def _expressions(graph: Graph, x: Any) -> list[Expr]:
    return [graph.coerce(entry) for entry in np.asarray(x, dtype=object).flat]


# recording


class Output(NamedTuple):
    """A result: some entries for every body, one body after the other."""

    of: str
    """ "nq" or "nv" (each joint's part of an array whose last axis is all joints'), "bodies" (every body's array of the
    same shape), "square" (of all joints by all joints) or "main" """
    shape: tuple[int, ...]
    """of the whole result"""
    results: list[list[Expr]]
    """for every kind, entry by entry; of what belongs to no body, the entries themselves as if of one kind"""
    places: list[list[int]]
    """where each of them is, from the first on that is the body's own"""
    summed: bool = False
    """whether parts of several bodies are added"""
    above: ColumnResult | None = None
    """of a square matrix, what its rows beyond a body's own block are"""
    below: ColumnResult | None = None
    """and its columns; None where it is symmetric"""


class Recording(NamedTuple):
    """An algorithm as the steps of its sweeps."""

    model: Model
    kinds: list[JointKind]
    sweeps: list[RecordedSweep]
    outputs: list[Output]
    main: UniformSymbols
    single: bool


class Argument(NamedTuple):
    """An array that an algorithm takes."""

    of: str
    """ "nq" or "nv" where it is of all joints, "bodies" where it is six numbers of every body, else "" """
    shape: tuple[int, ...]


def record(
    function: Callable[..., Any],
    model: Model,
    arguments: Sequence[Argument],
) -> Recording:
    """Run ``function(model, *arrays)`` on a recorder, arrays being symbols.

    ``groups``: the bodies that are concerned, if not all are.
    Raises :class:`NotASweep` (a :class:`TooLargeError`) where it does more than sweeps.
    """
    known: list[list[int]] = []
    groups = groups_of(model)
    while True:
        own = {f.name: getattr(model, f.name) for f in fields(Model) if f.init}
        graph = Graph()
        kinds, main = [group.kind(graph=graph) for group in groups], UniformSymbols(graph, {})
        recorder = Recorder(**own, kinds=kinds, known=known, main=main)
        recorder.__dict__.update(memo=model.memo, earlier=model.earlier)  # it is that model
        try:
            result = function(recorder, *(_argument(recorder, k, one) for k, one in enumerate(arguments)))
        except LinkwrightError:
            graph.release()
            raise
        except (TypeError, AttributeError, ValueError, IndexError) as error:
            graph.release()
            raise NotASweep(f"it is more than sweeps over the bodies: {error}") from error
        refined = [_refined(sweep) for sweep in recorder.sweeps]
        if refined == known:
            break
        known = refined
        graph.release()
    single = not isinstance(result, tuple) or isinstance(result, SquareMatrix)
    outputs = [_output(recorder, x) for x in ((result,) if single else result)]
    if graph.failure is not None:
        raise graph.failure
    return Recording(model, recorder.kinds, recorder.sweeps, outputs, main, single)


def _argument(recorder: Recorder, number: int, argument: Argument) -> Any:
    """Return the symbols of an array."""
    if not argument.of:
        size = int(np.prod(argument.shape, dtype=int))
        x = recorder.entries(number, size).reshape(argument.shape)
        return comparable(x) if x.shape else x[()]
    parts = []
    for kind in recorder.kinds:
        n = 6 if argument.of == "bodies" else getattr(kind.link.motion, argument.of)
        parts.append(comparable(objects([kind.symbol(SymbolSource("input", number, k)) for k in range(n)])))
    return BodyRecords(parts) if argument.of == "bodies" else JointVector(recorder, parts, argument.of, number)


def _refined(sweep: RecordedSweep) -> list[int]:
    """Return the classes that the results allow: those of one class before that are one expression in every kind."""
    numbers: dict[Any, int] = {}
    classes, states = [], sweep.states
    for k, (start, old) in enumerate(zip(sweep.start, sweep.classes, strict=True)):
        found = tuple(state[k].value if state[k].value is not None else state[k] for state in states)
        constant = start if sweep.direction != "in" else 0.0
        if (
            old == CONSTANT
            and all(x == constant for x in found if not isinstance(x, Expr))
            and not any(isinstance(x, Expr) for x in found)
        ):
            classes.append(CONSTANT)
            continue
        key = (
            old,
            start,
            *(("symbolic", x.index) if isinstance(x, Expr) else x for x in found),
        )
        classes.append(numbers.setdefault(key, len(numbers)))
    return classes


def _output(recorder: Recorder, result: Any) -> Output:
    graph = recorder.main.graph
    if isinstance(result, SquareMatrix):
        return _square(recorder, result)
    if isinstance(result, JointVector):
        parts, total = result.own(), result.shape[-1]
        places = []
        for part in parts:
            rows, n = int(np.prod(np.shape(part)[:-1], dtype=int)), np.shape(part)[-1]
            places.append([row * total + k for row in range(rows) for k in range(n)])
        results = [_expressions(graph, part) for part in parts]
        return Output(result.width, result.shape, results, places, result.summed)
    if isinstance(result, BodyRecords):
        shapes = {np.shape(x) for x in result.by_kind}
        if len(shapes) > 1:
            raise NotASweep("it returns arrays of different shapes for different joints")
        results = [_expressions(graph, value) for value in result.by_kind]
        shape = (len(recorder.links), *shapes.pop())
        return Output("bodies", shape, results, [list(range(len(one))) for one in results])
    array = np.asarray(result)
    if not all(isinstance(x, (Expr, float, int, np.number)) for x in array.flat):
        raise NotASweep(f"it returns {type(result).__name__}, which is no result of a sweep")
    entries = _expressions(graph, array)
    return Output("main", array.shape, [entries], [list(range(len(entries)))])


def _square(recorder: Recorder, matrix: SquareMatrix) -> Output:
    """Return a matrix of all joints, those that follow others included, which are summed up in the end."""
    widths = [kind.link.motion.nv for kind in recorder.kinds]
    total = sum(joint.motion.nv for joint in recorder.joints)
    results = [_expressions(recorder.main.graph, block) for block in matrix.own.by_kind]
    places = [[row * total + k for row in range(n) for k in range(n)] for n in widths]
    shape = (recorder.nv, recorder.nv)
    return Output("square", shape, results, places, any(recorder.follow), matrix.above, matrix.below)
