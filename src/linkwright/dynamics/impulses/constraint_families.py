"""Families of constraints of the same kind and with the same number of coordinates, and their tables in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from linkwright.dynamics.impulses.impulse_laws import ImpulseLaw, Subproblem
from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.spatial.loops.entry_table import BLOCK, EntryTable, MarkedRows, in_order_of_marks, pass_over
from linkwright.spatial.loops.memory import entries_of
from linkwright.spatial.loops.repeats import repeat, when

MANY = 24
"""Number of constraints in families from which loops are faster"""

MANY_ROWS = 64
"""The same for constraints of one row"""

ALIKE = 3
"""Number of constraints of one kind from which they are a loop"""


class LoopedConstraint(NamedTuple):
    """Constraint of a family."""

    subproblem: Subproblem
    law: ImpulseLaw
    rows: list[int]
    """its rows among those of its subproblem"""

    @property
    def kind(self) -> Any:
        """Key of its family."""
        own = self.subproblem
        return (*self.law.kind, len(self.rows), len(own.support), own.near is None, own.table)

    @property
    def places(self) -> list[int]:
        """Index of its first impulse, and its coordinates."""
        return [self.subproblem.at[self.rows[0]], *self.subproblem.support]

    @property
    def numbers(self) -> list[Any]:
        """Its row of the table of numbers."""
        Y, r = self.subproblem.Y[:, self.rows], self.subproblem.r[self.rows]
        near = [] if self.subproblem.near is None else [self.subproblem.near]
        return [*near, *entries_of(Y.T), *r, *self.law.numbers]


def constraint_families(subproblems: Sequence[Subproblem]) -> list[list[LoopedConstraint]]:
    """Group all constraints by kind, in the order of the first of each kind."""
    found: dict[Any, list[LoopedConstraint]] = {}
    for subproblem in subproblems:
        for law, rows in zip(subproblem.laws, subproblem.places, strict=True):
            entry_of = LoopedConstraint(subproblem, law, rows)
            found.setdefault(entry_of.kind, []).append(entry_of)
    return [in_order_of_marks(some, lambda one: one.subproblem.near) for some in found.values()]


def loops_pay_off(subproblems: Sequence[Subproblem]) -> bool:
    """Return whether there are enough constraints of the same kind, with known impulse laws.

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
        self.marked: MarkedRows | None = None

    def each(self, visit: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
        """Return the state after ``visit(k, *state)`` for each constraint in turn; it has several parts."""
        if len(self.members) < ALIKE:
            for k in range(len(self.members)):
                state = visit(float(k), *state)
            return state
        found: tuple[Any, ...] = repeat(len(self.members), visit, *state)
        return found

    def each_near(self, visit: Callable[..., tuple[Any, ...]], *state: Any, on: Any = None) -> tuple[Any, ...]:
        """Do the same, but pass over blocks of constraints of which none is near; ``on``: rows that continue."""
        if self.marked is None:
            return self.each(visit, *state)
        found: tuple[Any, ...] = self.marked.each(visit, *state, on=on)
        return found

    def find_near(self, x: Any) -> None:
        """Find the blocks of constraints that are near, and those of other impulses that are not zero in a row x."""
        if not self.has_near or not pass_over(len(self.members)):
            return
        self.marked = MarkedRows.known(self.columns, 0, len(self.members))
        if self.marked is not None:
            return

        def mark(k: Any) -> Any:
            near = self.columns.one(k, 0)
            if x is None:
                return near
            left = self.graph.entry(x, self.places(k)[0][0])
            return where(near > 0.5, 1.0, where(abs(left) > 0.0, 0.5, 0.0))

        self.marked = MarkedRows.computed(self.graph, len(self.members), mark)

    def largest_near(self) -> Any:
        """Return 1 where any constraint may be active, else 0."""
        if not self.has_near:
            return 1.0
        if self.marked is not None:
            return where(self.marked.largest() > 0.5, 1.0, 0.0)
        return reduce(maximum, (entry_of.subproblem.near for entry_of in self.members))

    def places(self, k: Any) -> tuple[list[Any], list[Any]]:
        """Return the indices of the impulses of constraint k, and of its coordinates."""
        at = k * float(self.depth + 1)
        first = self.graph.entry(self.index, at)
        support = [self.graph.entry(self.index, at + float(j + 1)) for j in range(self.depth)]
        return [first + float(i) if i else first for i in range(self.size)], support

    def near(self, k: Any) -> Any:
        """Return whether constraint k may be active; None where that is not tested."""
        if not self.has_near:
            return None
        return (self.columns.one(k, 0) if self.marked is None else self.marked.mark(k)) > 0.5

    @property
    def flags(self) -> int:
        """Number of flags of the family in a row of memory that lasts: of each block, whether any impulse may be."""
        return self.marked.blocks if self.marked is not None and self.marked.shared else 0

    def each_left(self, visit: Callable[..., tuple[Any, ...]], flags: int | None, x: Any, unused: Any) -> Any:
        """Return the state after ``visit(k, left, x, unused)`` for the constraints of a row x of impulses in turn.

        ``left``: whether constraint k is not near, and may have an impulse of the previous step; ``flags``: index of
        the first flag in the row, None if it has none. The flags are updated.
        """
        graph, marked = self.graph, self.marked

        def one(k: Any, x: Any, unused: Any) -> Any:
            used = abs(graph.entry(x, self.places(k)[0][0])) > 0.0
            return visit(k, used & ~(self.columns.one(k, 0) > 0.5), x, unused)

        def one_marked(k: Any, x: Any, unused: Any) -> Any:
            assert marked is not None
            return visit(k, (marked.mark(k) > 0.0) & (marked.mark(k) < 1.0), x, unused)

        def block(b: Any, x: Any, unused: Any) -> Any:
            assert marked is not None
            assert flags is not None

            def rows() -> Any:
                return repeat(BLOCK, lambda i, *state: one(minimum(b * BLOCK + i, last), *state), x, unused)

            place, last = b + float(flags), len(self.members) - 1.0
            x, unused = when(graph.entry(x, place) > 0.0, rows, x, unused)
            return graph.put(x, place, marked.block_mark(b)), unused

        if marked is not None and not marked.shared:
            return self.each_near(one_marked, x, unused)
        return repeat(self.flags, block, x, unused) if flags is not None and self.flags else self.each(one, x, unused)

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
