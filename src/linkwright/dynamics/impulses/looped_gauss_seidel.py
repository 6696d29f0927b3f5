"""Projected Gauss–Seidel as loops over constraints of the same kind, for machine code.

Unrolled, one iteration over the contacts of a humanoid is 100 kB of code, and its time is that of fetching the code,
about 15 bytes a cycle. Here constraints with the same law and the same number of coordinates form a *family*. A table
holds the numbers of their laws and rows. The impulses p and z = Y p lie in one row of memory; a second table holds the
indices in it that each constraint reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.impulse_laws import (
    LARGEST_EXTRAPOLATION,
    SAFETY,
    TINY_SQUARE,
    ImpulseLaw,
    ProjectedGaussSeidel,
    Subproblem,
    initial_change,
)
from linkwright.spatial.arrays import Array, clip, maximum, where
from linkwright.spatial.entry_table import EntryTable
from linkwright.spatial.repeats import repeat, symbol_among, until, when

MANY = 24
"""Number of constraints in families from which loops are faster"""

MANY_ROWS = 64
"""The same for constraints of one row"""

ALIKE = 3
"""Number of constraints of one kind from which they are a loop"""

STRIDE = 4
"""Number of entries processed together in loops over all impulses"""


class LoopedConstraint(NamedTuple):
    """Constraint of a family."""

    subproblem: Subproblem
    law: ImpulseLaw
    rows: list[int]
    """its rows among those of its subproblem"""

    @property
    def kind(self) -> Any:
        """Key of its family."""
        return (*self.law.kind, len(self.rows), len(self.subproblem.support), self.subproblem.near is None)

    @property
    def places(self) -> list[int]:
        """Index of its first impulse, and its coordinates."""
        return [self.subproblem.at[self.rows[0]], *self.subproblem.support]

    @property
    def numbers(self) -> list[Any]:
        """Its row of the table of numbers."""
        Y, r = self.subproblem.Y[:, self.rows], self.subproblem.r[self.rows]
        near = [] if self.subproblem.near is None else [where(self.subproblem.near, 1.0, 0.0)]
        return [*near, *Y.T.reshape(-1), *r, *self.law.numbers]


def constraint_families(subproblems: Sequence[Subproblem]) -> list[list[LoopedConstraint]]:
    """Group all constraints by kind, in the order of the first of each kind."""
    found: dict[Any, list[LoopedConstraint]] = {}
    for subproblem in subproblems:
        for law, rows in zip(subproblem.laws, subproblem.places, strict=True):
            entry_of = LoopedConstraint(subproblem, law, rows)
            found.setdefault(entry_of.kind, []).append(entry_of)
    return list(found.values())


def loops_pay_off(subproblems: Sequence[Subproblem]) -> bool:
    """Return whether there are enough constraints of the same kind, with known laws.

    Of constraints of one row, as in position shifts, more are needed: unrolled code of some dozen is as fast.
    """
    if not all(subproblem.laws for subproblem in subproblems):
        return False
    alike = [some for some in constraint_families(subproblems) if len(some) >= ALIKE]
    return (
        sum(len(some) for some in alike if len(some[0].rows) > 1) >= MANY
        or sum(len(some) for some in alike if len(some[0].rows) == 1) >= MANY_ROWS
    )


class ConstraintFamily:
    """Constraints of one kind, and their tables."""

    def __init__(self, graph: Any, members: Sequence[LoopedConstraint], first: int):
        """``first``: index of z in the row of all impulses."""
        self.graph, self.members = graph, members
        self.law, self.size = members[0].law, len(members[0].rows)
        self.depth = len(members[0].subproblem.support)
        self.has_near = members[0].subproblem.near is not None
        self.columns = EntryTable(graph, [entry_of.numbers for entry_of in members])
        places = [[entry_of.places[0], *(first + k for k in entry_of.places[1:])] for entry_of in members]
        self.index = graph.row([float(k) for row in places for k in row])

    def each(self, visit: Callable[[Any, Any, Any], tuple[Any, Any]], x: Any, most: Any) -> tuple[Any, Any]:
        """Return (x, most) after ``visit(k, x, most)`` for each constraint in turn."""
        if len(self.members) < ALIKE:
            for k in range(len(self.members)):
                x, most = visit(float(k), x, most)
            return x, most
        found: tuple[Any, Any] = repeat(len(self.members), visit, x, most)
        return found

    def places(self, k: Any) -> tuple[list[Any], list[Any]]:
        """Return the indices of the impulses of constraint k, and of its coordinates."""
        at = k * float(self.depth + 1)
        first = self.graph.entry(self.index, at)
        support = [self.graph.entry(self.index, at + float(j + 1)) for j in range(self.depth)]
        return [first + float(i) if i else first for i in range(self.size)], support

    def near(self, k: Any) -> Any:
        """Return whether constraint k may be active; None where that is not tested."""
        return self.columns.one(k, 0) > 0.5 if self.has_near else None

    def rows(self, k: Any) -> Array:
        """Return Yᵀ (size, depth)."""
        first = int(self.has_near)
        return self.columns.some(k, first, self.size * self.depth).reshape(self.size, self.depth)

    def row(self, k: Any, i: int, j: int, turn: int = 0) -> Any:
        """Return an entry of Yᵀ; ``turn``: a count that forces another read."""
        return self.columns.one(k, int(self.has_near) + i * self.depth + j, turn)

    def free(self, k: Any) -> Array:
        """Return r (size,)."""
        first = int(self.has_near) + self.size * self.depth
        return self.columns.some(k, first, self.size)

    def law_of(self, k: Any) -> ImpulseLaw:
        """Return the law of constraint k."""
        first = int(self.has_near) + self.size * (self.depth + 1)
        return self.law.of_numbers(list(self.columns.some(k, first, self.columns.width - first)))


@dataclass(frozen=True, eq=False)
class LoopedGaussSeidel:
    """Projected Gauss–Seidel over families; ``size``: of p, ``coordinates``: of z."""

    graph: Any
    families: Sequence[ConstraintFamily]
    size: int
    coordinates: int

    @classmethod
    def of(cls, subproblems: Sequence[Subproblem], size: int, coordinates: int) -> LoopedGaussSeidel:
        """Return the iteration of subproblems with symbols."""
        symbol = symbol_among([x for subproblem in subproblems for x in (subproblem.Y, subproblem.r)])
        graph = symbol.graph
        return cls(
            graph, [ConstraintFamily(graph, some, size) for some in constraint_families(subproblems)], size, coordinates
        )

    @cached_property
    def whole(self) -> int:
        """Length of the row of p and z, padded to a multiple of STRIDE."""
        return -(-(self.size + self.coordinates) // STRIDE) * STRIDE

    def row(self, p: Array, z: Array) -> Any:
        """Return the row of p, z and padding."""
        return self.graph.row([*p, *z, *[0.0] * (self.whole - len(p) - len(z))], True)

    def split(self, x: Any) -> tuple[Array, Array]:
        """Return (p, z) of the row."""
        found = self.graph.array([self.graph.entry(x, float(k)) for k in range(self.size + self.coordinates)])
        return found[: self.size], found[self.size :]

    def factor_impulses(self, p: Array) -> Array:
        """Return z = Y p."""
        x: Any = self.row(p, np.zeros(self.coordinates))
        for family in self.families:

            def visit(k: Any, x: Any, most: Any, family: ConstraintFamily = family) -> tuple[Any, Any]:
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
        return self.split(x)[1]

    def iterate(self, x: Any, on: Any, measure: bool, nil: Any) -> tuple[Any, Any]:
        """Return the row of p and z, and the largest change of a velocity; ``on``: rows that continue, or None."""
        most = nil
        for family in self.families:

            def visit(k: Any, x: Any, most: Any, family: ConstraintFamily = family) -> tuple[Any, Any]:
                near = family.near(k)
                acts = on if near is None else near if on is None else near & on

                def solved() -> tuple[Any, Any]:
                    return self._solved(family, k, x, most, acts, measure)

                return solved() if acts is None else when(acts, solved, x, most)

            x, most = family.each(visit, x, most)
        return x, most

    def _solved(self, family: ConstraintFamily, k: Any, x: Any, most: Any, acts: Any, measure: bool) -> tuple[Any, Any]:
        """Solve for constraint k. Numbers are read where they are needed, in their order."""
        entry, put = self.graph.entry, self.graph.put
        at, support = family.places(k)
        own = np.stack([entry(x, i) for i in at])
        halves: list[Any] = [family.free(k), np.zeros(family.size)]  # two sums are independent
        for j, place in enumerate(support):
            z = entry(x, place)
            halves[j % 2] = np.stack([y + family.row(k, i, j) * z for i, y in enumerate(halves[j % 2])])
        law = family.law_of(k)
        after = law.solve(own, (halves[0] - law.block.B @ own) + halves[1])
        change = after - own
        moved = maximum(most, law.moves(change)) if measure else most

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

    def solve_subproblems(self, p: Array, z: Array, settings: ProjectedGaussSeidel) -> tuple[Array, Array]:
        """See :func:`linkwright.dynamics.impulses.projected_gauss_seidel.solve_subproblems`."""
        nil, least = 0.0 * p[0], settings.tolerance
        x = self.row(p, z)
        more: tuple[Any, ...] = ()
        if settings.accelerated:
            more = (self.row(p, z), self.row(p, z), self.graph.row([0.0] * self.whole, True), nil, nil)

        def step(k: Any, x: Any, *state: Any) -> tuple[Any, ...]:
            *mixing, left = state
            on = None if least is None else left >= least
            x, moved = self.iterate(x, on, least is not None, nil)
            if not settings.accelerated:
                return x, moved
            x, *mixing, beyond = self._extrapolated(x, *mixing, on=on)
            return (x, *mixing, SAFETY * moved * (1.0 + abs(beyond)))

        if least is None:
            found = repeat(settings.iterations, step, x, *more, nil)
        else:
            subproblems = [one.subproblem for family in self.families for one in family.members]
            first = initial_change(subproblems, least) + nil
            found = until(lambda *state: state[-1] < least, step, x, *more, first, limit=settings.iterations)
        if not settings.accelerated:
            return self.split(found[0])
        (p, z), last, extrapolated = self.split(found[0]), self.split(found[2]), found[4]
        return where(extrapolated < -0.5, p, last[0]), where(extrapolated < -0.5, z, last[1])

    def _extrapolated(
        self, x: Any, start: Any, end: Any, before: Any, extrapolated: Any, square: Any, *, on: Any
    ) -> tuple[Any, ...]:
        """Extrapolate after an iteration, with rows in memory, as `projected_gauss_seidel.py` does with arrays.

        ``before``: the previous step. Rows that do not continue stay unchanged.
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
        grown, some = ~(now < square), turned > TINY_SQUARE
        least = where(some, clip(bent / where(some, turned, 1.0), -LARGEST_EXTRAPOLATION, LARGEST_EXTRAPOLATION), 0.0)
        failed = where(grown, extrapolated, 0.0) > 0.5
        back = where(failed, 1.0, where(grown, 0.0, least))

        def begun(places: list[Any], x: Any, start: Any, end: Any) -> tuple[Any, ...]:
            x_, end_ = ([graph.entry(row, k) for k in places] for row in (x, end))
            for k, a, b in zip(places, x_, end_, strict=True):
                beyond = new(a - back * (a - b), a)
                x, start, end = graph.put(x, k, beyond), graph.put(start, k, beyond), graph.put(end, k, new(a, b))
            return x, start, end

        x, start, end = blocks(self.whole, begun, x, start, end)
        extrapolated = where(failed, -1.0, where(grown, 0.0, 1.0))
        return x, start, end, before, extrapolated, now, back

    @cached_property
    def weights(self) -> Any:
        """B_kk of all impulses, and zeros."""
        found: list[Any] = [0.0] * self.whole
        for entry_of in (one for family in self.families for one in family.members):
            for i, k in enumerate(entry_of.rows):
                found[entry_of.subproblem.at[k]] = entry_of.law.block.B[i, i]
        return self.graph.row(found)
