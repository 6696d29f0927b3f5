"""Sweeps in machine code as loops over the parts that are alike: one piece of code for dozens of contacts.

Written out, a sweep over the contacts of a humanoid is a hundred kilobytes of code, which processors fetch at some
fifteen bytes in a cycle; and so long it takes. Here parts of one law, on as many coordinates, are a *family*: what
their laws and rows are lies in a table, member by member, and impulses p and z = Y p lie in one row of memory, which
the members read and change at the places that another table tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.laws import LEAP, NOTHING, SURE, Law, Sweeps, Task
from linkwright.spatial.arrays import Array, clip, maximum, where
from linkwright.spatial.repeats import repeat, symbol_among, until, when

MANY = 24
"""Parts in families from which loops are worth it"""

ALIKE = 3
"""Parts of one kind from which they are a family in a loop"""

STRIDE = 4
"""Entries that are taken at once where all impulses are gone through"""


class Member(NamedTuple):
    """One part."""

    task: Task
    law: Law
    rows: list[int]
    """its rows among those of its task"""

    @property
    def kind(self) -> Any:
        """What its family has in common."""
        return (*self.law.kind, len(self.rows), len(self.task.support), self.task.near is None)

    @property
    def places(self) -> list[int]:
        """Its first row among all impulses, and its coordinates."""
        return [self.task.at[self.rows[0]], *self.task.support]

    @property
    def numbers(self) -> list[Any]:
        """Of its table."""
        Y, r = self.task.Y[:, self.rows], self.task.r[self.rows]
        near = [] if self.task.near is None else [where(self.task.near, 1.0, 0.0)]
        return [*near, *Y.T.reshape(-1), *r, *self.law.numbers]


def in_families(tasks: Sequence[Task]) -> list[list[Member]]:
    """All parts, those that are alike beside each other, in the order of the first of each kind."""
    found: dict[Any, list[Member]] = {}
    for task in tasks:
        for law, rows in zip(task.laws, task.places, strict=True):
            member = Member(task, law, rows)
            found.setdefault(member.kind, []).append(member)
    return list(found.values())


def is_worth_it(tasks: Sequence[Task]) -> bool:
    """Whether there are enough parts that are alike, and their laws are known.

    Those of one row, as in shifts, do not count: written out they are as quick (measured).
    """
    if not all(task.laws for task in tasks):
        return False
    return sum(len(some) for some in in_families(tasks) if len(some) >= ALIKE and len(some[0].rows) > 1) >= MANY


class Columns:
    """Numbers of many things that are alike, read by the number of one.

    What all have in common is no table; what lies evenly spaced in a row of memory is read where it is.
    """

    def __init__(self, graph: Any, rows: Sequence[Sequence[Any]]):
        self.graph, self.width = graph, len(rows[0])
        found: list[Any] = []
        own: list[int] = []
        for k in range(self.width):
            column = [row[k] for row in rows]
            known = column[0] if all(_same(column[0], x) for x in column) else _spaced(column)
            found.append(known)
            if known is None:
                own.append(k)
        self.found = found
        table = graph.row([row[k] for row in rows for k in own]) if own else None
        for i, k in enumerate(own):
            found[k] = _Column(table, i, len(own))

    def one(self, k: Any, column: int, turn: int = 0) -> Any:
        """A number of the k-th; ``turn``: read anew."""
        found = self.found[column]
        if not isinstance(found, _Column):
            return found
        return self.graph.entry(found.row, k * float(found.step) + float(found.first), turn)

    def some(self, k: Any, first: int, count: int) -> Array:
        """Several, one after the other."""
        return np.stack([self.one(k, column) for column in range(first, first + count)])


class _Column(NamedTuple):
    """Where a number lies, of one after the other."""

    row: Any
    first: int
    step: int


def _spaced(column: Sequence[Any]) -> _Column | None:
    """Where entries lie that are evenly spaced in one row of memory."""
    if len(column) < 2 or any(getattr(x, "op", "") != "item" for x in column):
        return None
    row = column[0].args[0]
    if row.index not in row.graph.rows or any(x.args[0] is not row for x in column):
        return None
    places = [int(x.args[1].value) for x in column]
    step = places[1] - places[0]
    return _Column(row, places[0], step) if np.all(np.diff(places) == step) else None


class Family:
    """Parts that are alike, and their tables."""

    def __init__(self, graph: Any, members: Sequence[Member], first: int):
        """``first``: where z begins in the row of all."""
        self.graph, self.members = graph, members
        self.law, self.size = members[0].law, len(members[0].rows)
        self.depth = len(members[0].task.support)
        self.asked = members[0].task.near is not None
        self.columns = Columns(graph, [member.numbers for member in members])
        places = [[member.places[0], *(first + k for k in member.places[1:])] for member in members]
        self.index = graph.row([float(k) for row in places for k in row])

    def each(self, visit: Callable[[Any, Any, Any], tuple[Any, Any]], x: Any, most: Any) -> tuple[Any, Any]:
        """(x, most) after ``visit(k, x, most)`` of one member after the other."""
        if len(self.members) < ALIKE:
            for k in range(len(self.members)):
                x, most = visit(float(k), x, most)
            return x, most
        found: tuple[Any, Any] = repeat(len(self.members), visit, x, most)
        return found

    def places(self, k: Any) -> tuple[list[Any], list[Any]]:
        """Of its impulses in the row of all, and of its coordinates."""
        at = k * float(self.depth + 1)
        first = self.graph.entry(self.index, at)
        support = [self.graph.entry(self.index, at + float(j + 1)) for j in range(self.depth)]
        return [first + float(i) if i else first for i in range(self.size)], support

    def near(self, k: Any) -> Any:
        """Whether it may act; None where that is not asked."""
        return self.columns.one(k, 0) > 0.5 if self.asked else None

    def rows(self, k: Any) -> Array:
        """Yᵀ (size, depth)."""
        first = int(self.asked)
        return self.columns.some(k, first, self.size * self.depth).reshape(self.size, self.depth)

    def row(self, k: Any, i: int, j: int, turn: int = 0) -> Any:
        """An entry of Yᵀ; ``turn``: read anew."""
        return self.columns.one(k, int(self.asked) + i * self.depth + j, turn)

    def free(self, k: Any) -> Array:
        """r (size,)."""
        first = int(self.asked) + self.size * self.depth
        return self.columns.some(k, first, self.size)

    def law_of(self, k: Any) -> Law:
        """Its law."""
        first = int(self.asked) + self.size * (self.depth + 1)
        return self.law.of_numbers(list(self.columns.some(k, first, self.columns.width - first)))


@dataclass(frozen=True, eq=False)
class Looped:
    """All parts, in families; ``size``: of p, ``coordinates``: of z."""

    graph: Any
    families: Sequence[Family]
    size: int
    coordinates: int

    @classmethod
    def of(cls, tasks: Sequence[Task], size: int, coordinates: int) -> Looped:
        """Of tasks of which some number is a symbol."""
        symbol = symbol_among([x for task in tasks for x in (task.Y, task.r)])
        graph = symbol.graph
        return cls(graph, [Family(graph, some, size) for some in in_families(tasks)], size, coordinates)

    @cached_property
    def whole(self) -> int:
        """Entries of the row of all: p, z, and zeros up to a number that can be gone through at once."""
        return -(-(self.size + self.coordinates) // STRIDE) * STRIDE

    def row(self, p: Array, z: Array) -> Any:
        """The row of all."""
        return self.graph.row([*p, *z, *[0.0] * (self.whole - len(p) - len(z))], True)

    def apart(self, x: Any) -> tuple[Array, Array]:
        """(p, z) of it."""
        found = self.graph.array([self.graph.entry(x, float(k)) for k in range(self.size + self.coordinates)])
        return found[: self.size], found[self.size :]

    def carried(self, p: Array) -> Array:
        """z = Y p."""
        x: Any = self.row(p, np.zeros(self.coordinates))
        for family in self.families:

            def visit(k: Any, x: Any, most: Any, family: Family = family) -> tuple[Any, Any]:
                at, support = family.places(k)
                own = np.stack([self.graph.entry(x, i) for i in at])
                held = np.stack([self.graph.entry(x, j) for j in support])
                near = family.near(k)

                def more() -> Array:
                    return held + own @ family.rows(k)

                after = more() if near is None else when(near, more, held)
                for j, y in zip(support, after, strict=True):
                    x = self.graph.put(x, j, y)
                return x, most

            x, _ = family.each(visit, x, 0.0 * p[0])
        return self.apart(x)[1]

    def once(self, x: Any, on: Any, asked: bool, nil: Any) -> tuple[Any, Any]:
        """All parts once: the row of all, and by how much a velocity changed; ``on``: what still goes on, or None."""
        most = nil
        for family in self.families:

            def visit(k: Any, x: Any, most: Any, family: Family = family) -> tuple[Any, Any]:
                near = family.near(k)
                acts = on if near is None else near if on is None else near & on

                def solved() -> tuple[Any, Any]:
                    return self._solved(family, k, x, most, acts, asked)

                return solved() if acts is None else when(acts, solved, x, most)

            x, most = family.each(visit, x, most)
        return x, most

    def _solved(self, family: Family, k: Any, x: Any, most: Any, acts: Any, asked: bool) -> tuple[Any, Any]:
        """One part: the row of all and the most, with it. Numbers are read where they are needed, in their order."""
        entry, put = self.graph.entry, self.graph.put
        at, support = family.places(k)
        own = np.stack([entry(x, i) for i in at])
        halves: list[Any] = [family.free(k), np.zeros(family.size)]  # sums wait for each other less
        for j, place in enumerate(support):
            z = entry(x, place)
            halves[j % 2] = np.stack([y + family.row(k, i, j) * z for i, y in enumerate(halves[j % 2])])
        law = family.law_of(k)
        after = law.solve(own, (halves[0] - law.block.B @ own) + halves[1])
        change = after - own
        moved = maximum(most, law.moves(change)) if asked else most

        def new(now: Any, old: Any) -> Any:
            return now if acts is None else where(acts, now, old)

        for i, now, old in zip(at, after, own, strict=True):
            x = put(x, i, new(now, old))
        for j, place in enumerate(support):
            z = old = entry(x, place)
            for i, y in enumerate(change):
                z = z + family.row(k, i, j, 1) * y
            x = put(x, place, new(z, old))
        return x, moved

    def swept(self, p: Array, z: Array, sweeps: Sweeps) -> tuple[Array, Array]:
        """See :func:`linkwright.dynamics.impulses.sweeps.swept`."""
        nil, least = 0.0 * p[0], sweeps.tolerance
        x = self.row(p, z)
        more: tuple[Any, ...] = ()
        if sweeps.leaps:
            more = (self.row(p, z), self.row(p, z), self.graph.row([0.0] * self.whole, True), nil, nil)

        def step(k: Any, x: Any, *state: Any) -> tuple[Any, ...]:
            *trail, left = state
            on = None if least is None else left >= least
            x, moved = self.once(x, on, least is not None, nil)
            if not sweeps.leaps:
                return x, moved
            x, *trail, beyond = self._continued(x, *trail, on=on)
            return (x, *trail, SURE * moved * (1.0 + abs(beyond)))

        if least is None:
            found = repeat(sweeps.times, step, x, *more, nil)
        else:
            found = until(lambda *state: state[-1] < least, step, x, *more, 2.0 * least + nil, limit=sweeps.times)
        if not sweeps.leaps:
            return self.apart(found[0])
        (p, z), last, leapt = self.apart(found[0]), self.apart(found[2]), found[4]
        return where(leapt < -0.5, p, last[0]), where(leapt < -0.5, z, last[1])

    def _continued(
        self, x: Any, start: Any, end: Any, before: Any, leapt: Any, square: Any, *, on: Any
    ) -> tuple[Any, ...]:
        """After a sweep: what :func:`linkwright.dynamics.impulses.sweeps._continued` does, of rows in memory.

        ``before``: the step of the sweep before. What does not go on any more stays as it is.
        """
        graph, zeros = self.graph, np.zeros(STRIDE)

        def blocks(size: int, visit: Callable[..., Any], *state: Any) -> Any:
            return repeat(
                size // STRIDE, lambda k, *state: visit([k * STRIDE + i for i in range(STRIDE)], *state), *state
            )

        def new(now: Any, old: Any) -> Any:
            return now if on is None else where(on, now, old)

        def measured(places: list[Any], before: Any, squares: Array, bends: Array, turns: Array) -> tuple[Any, ...]:
            x_, start_, old, weight = (
                np.stack([graph.entry(row, k) for k in places]) for row in (x, start, before, self.weights)
            )
            step = x_ - start_
            bend, heavy = step - old, weight * step
            for k, a, b in zip(places, step, old, strict=True):
                before = graph.put(before, k, new(a, b))
            return before, squares + heavy * step, bends + heavy * bend, turns + weight * bend * bend

        nil = 0.0 * square
        begin = nil + zeros
        found = blocks(self.whole, measured, before, begin, begin, begin)
        before, (now, bent, turned) = found[0], (sums.sum() for sums in found[1:])
        grown, some = ~(now < square), turned > NOTHING
        least = where(some, clip(bent / where(some, turned, 1.0), -LEAP, LEAP), 0.0)
        failed = where(grown, leapt, 0.0) > 0.5
        back = where(failed, 1.0, where(grown, 0.0, least))

        def begun(places: list[Any], x: Any, start: Any, end: Any) -> tuple[Any, ...]:
            x_, end_ = ([graph.entry(row, k) for k in places] for row in (x, end))
            for k, a, b in zip(places, x_, end_, strict=True):
                beyond = new(a - back * (a - b), a)
                x, start, end = graph.put(x, k, beyond), graph.put(start, k, beyond), graph.put(end, k, new(a, b))
            return x, start, end

        x, start, end = blocks(self.whole, begun, x, start, end)
        leapt = where(failed, -1.0, where(grown, 0.0, 1.0))
        return x, start, end, before, leapt, now, back

    @cached_property
    def weights(self) -> Any:
        """B_kk of all impulses, and zeros."""
        found: list[Any] = [0.0] * self.whole
        for member in (one for family in self.families for one in family.members):
            for i, k in enumerate(member.rows):
                found[member.task.at[k]] = member.law.block.B[i, i]
        return self.graph.row(found)


def _same(x: Any, y: Any) -> bool:
    """Whether two entries are one number."""
    return x is y or (isinstance(x, (int, float)) and isinstance(y, (int, float)) and x == y)
