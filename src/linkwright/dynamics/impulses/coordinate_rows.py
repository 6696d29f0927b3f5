"""Rows of joint limits, dry friction and servos in machine code: loops over tables, as those of contacts.

The Jacobians of these constraints are constant: most select one coordinate. Constraints on the same coordinate share a
row, Y and the block Yᵀ Y. It is computed where one of them may be active, which few limits are. A limit that is passed
within a step adds its row before the position shift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.constraints import ConstraintGroup, ContactConstraint
from linkwright.dynamics.impulses.factor_rows import FactorRows
from linkwright.dynamics.impulses.impulse_laws import DiagonalBlock, JacobianBlock, reciprocal
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.spatial.arrays import Array, is_one, is_symbolic, maximum
from linkwright.spatial.loops.entry_table import EntryTable
from linkwright.spatial.loops.memory import read, write
from linkwright.spatial.loops.repeats import repeat, symbol_among, when

MANY = 24
"""Number of constraints from which their rows are computed in loops, where all of them may always be active"""


class _RowFamily(NamedTuple):
    """Rows on supports of the same number of coordinates."""

    rows: FactorRows
    groups: list[list[int]]
    """numbers of the groups that share each row"""
    first: int
    """place in memory of the first row"""
    always: bool
    """whether each row has a constraint that may always be active"""


class CoordinateRows:
    """Rows of groups of one constraint with a constant Jacobian."""

    def __init__(self, graph: Any, groups: Mapping[int, ConstraintGroup], factors: InertiaFactors):
        self._graph, self._groups, self._factors = graph, groups, factors
        self._families: list[_RowFamily] = []
        self._places: dict[int, int] = {}
        size = 0
        for (depth, _, always), rows in _kinds(groups, factors).items():
            supports = [groups[own[0]].support for own in rows]
            numbers = [list(groups[own[0]].jacobian()[0]) for own in rows]
            self._families.append(_RowFamily(FactorRows(graph, supports, factors, numbers), rows, size, always))
            for own in rows:
                self._places |= dict.fromkeys(own, size)
                size += depth + 2
        self._memory = graph.room(size)
        marks = {k: 1.0 if group.near is None else group.near for k, group in groups.items()}
        self._memory = self._computed([one for one in self._families if one.always], marks)
        self.add(marks)

    def add(self, marks: Mapping[int, Any]) -> None:
        """Compute the rows of groups whose mark is 1; those of mark 0 stay as they are."""
        families = [one for one in self._families if not one.always]
        if families:
            most = reduce(maximum, (marks[k] for one in families for own in one.groups for k in own))
            self._memory = when(most > 0.5, lambda: self._computed(families, marks), self._memory)

    def blocks(self, v_free: Array) -> dict[int, JacobianBlock]:
        """Return the rows of each group, with the free velocities v_free (nv,)."""
        found = {}
        for k, group in self._groups.items():
            Y, block = self.row(k)
            r = group.jacobian() @ v_free[list(group.support)]
            found[k] = JacobianBlock(Y, r, (block,), np.stack([block.inverse]))
        return found

    def row(self, k: int) -> tuple[Array, DiagonalBlock]:
        """Return Y (s, 1) of a group and its block; undefined where it is not near."""
        *Y, square, inverse = read(self._memory, float(self._places[k]), len(self._groups[k].support) + 2)
        return np.stack(Y)[:, None], DiagonalBlock(np.stack([[square]]), inverse, np.zeros(0))

    def _computed(self, families: Sequence[_RowFamily], marks: Mapping[int, Any]) -> Any:
        """Return the memory with the rows of some families, where they are marked."""
        memory = self._memory
        for family in families:
            memory = self._with_family(memory, family, marks)
        return memory

    def _with_family(self, memory: Any, family: _RowFamily, marks: Mapping[int, Any]) -> Any:
        rows, factors = family.rows, self._factors
        any_marked = [[1.0 if family.always else reduce(maximum, (marks[k] for k in own))] for own in family.groups]
        columns = EntryTable(self._graph, any_marked)

        def visit(k: Any, memory: Any) -> Any:
            def computed() -> Any:
                Y = rows.projected(k, rows.solved(k, lambda j: [rows.number(k, j)], 1))[:, 0]
                square = sum(y * y for y in Y)
                at = k * float(rows.depth + 2) + float(family.first)
                return write(memory, at, [*Y, square, reciprocal(square, factors.least)])

            mark = columns.one(k, 0)
            return computed() if is_one(mark) else when(mark > 0.5, computed, memory)

        return repeat(len(family.groups), visit, memory)


def coordinate_rows(groups: Sequence[ConstraintGroup], factors: InertiaFactors) -> CoordinateRows | None:
    """Return the rows of all constraints with constant Jacobians; None of few constraints, and of numbers."""
    if not is_symbolic(factors.L):
        return None
    found = {k: group for k, group in enumerate(groups) if _is_constant(group)}
    if len(found) < MANY and all(group.near is None for group in found.values()):
        return None
    return CoordinateRows(symbol_among([factors.L]).graph, found, factors)


def _is_constant(group: ConstraintGroup) -> bool:
    """Return whether the Jacobian of a group, of one row, is constant."""
    return not isinstance(group.constraints[0], ContactConstraint) and not is_symbolic(group.jacobian())


def _kinds(
    groups: Mapping[int, ConstraintGroup], factors: InertiaFactors
) -> dict[tuple[int, tuple[int, ...], bool], list[list[int]]]:
    """Return the groups that share each row, by the size of the support and those of its closed loops, and whether a
    row may always be active."""
    shared: dict[Any, list[int]] = {}
    for k, group in groups.items():
        shared.setdefault((group.support, group.jacobian().tobytes()), []).append(k)
    found: dict[tuple[int, tuple[int, ...], bool], list[list[int]]] = {}
    for (support, _), own in shared.items():
        kind = len(support), factors.loop_sizes(support), any(groups[k].near is None for k in own)
        found.setdefault(kind, []).append(own)
    return found
