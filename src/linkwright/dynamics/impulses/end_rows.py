"""Normal rows of contacts at the end of a step, which replace those at its beginning where contacts sink unseen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from linkwright.dynamics.impulses.constraints import Constraint, ConstraintGroup, PairContact
from linkwright.dynamics.impulses.impulse_laws import DiagonalBlock, reciprocal
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.jacobian_blocks import TwistTable, families_in_loops
from linkwright.spatial.arrays import Array, is_one, is_symbolic, where
from linkwright.spatial.entry_table import EntryTable
from linkwright.spatial.memory import read
from linkwright.spatial.repeats import repeat, symbol_among, when


class PositionRows(NamedTuple):
    """Constraints of a group on positions."""

    constraints: Sequence[Constraint]
    blocks: Sequence[DiagonalBlock]
    """(1, 1) of each constraint"""
    Y: Array
    """(s, k); undefined where the group is not near"""
    end: Array
    """(k,): gaps of contacts at the end of the step, displacements of coordinates with limits"""
    near: Any
    """whether any of it may need a shift; None: not tested"""

    def with_rows(self, Y: Array, squares: Array, inverses: Array, again: Any) -> PositionRows:
        """Return the group with other rows (s, k), which hold where ``again``; YᵀY and its inverse for each."""
        blocks = [
            DiagonalBlock(np.stack([[x]]), inverse, np.zeros(0)) for x, inverse in zip(squares, inverses, strict=True)
        ]
        return self._replace(blocks=blocks, Y=Y, near=None if self.near is None else self.near | again)

    @property
    def weight(self) -> Any:
        """1 where the group is near, else 0."""
        return 1.0 if self.near is None else where(self.near, 1.0, 0.0)

    def numbers(self, k: int) -> list[Any]:
        """Return Y, YᵀY and its inverse of one row."""
        return [*self.Y[:, k], self.blocks[k].B[0, 0], self.blocks[k].inverse]


class EndRows(NamedTuple):
    """Normal rows of some groups at the end of a step."""

    contacts: Callable[[], list[PairContact | None]]
    """contacts of the groups, in the axes at the beginning of the step"""
    normals: Callable[[int], Array]
    """(k, s) of the n-th group, in the axes at the end of the step"""
    to_initial_axes: Callable[[Array], Array]
    """transforms a row (nv,) from the axes at the end of the step to those at its beginning"""


def with_end_rows(
    groups: Sequence[ConstraintGroup],
    before: Sequence[PositionRows],
    ends: EndRows,
    factors: InertiaFactors,
    again: Any,
) -> list[PositionRows]:
    """Return the groups with their rows at the end of the step where ``again``."""
    found: dict[int, PositionRows] = {}
    if factors.N is None and is_symbolic(factors.L):
        found = _looped(groups, before, ends, factors, again)
    rest = [n for n in range(len(groups)) if n not in found]

    def row(n: int, there: Array) -> Array:
        whole: list[Any] = [0.0 * there[0]] * len(factors.roots)
        for k, x in zip(groups[n].support, there, strict=True):
            whole[k] = x
        return ends.to_initial_axes(np.stack(whole))[list(groups[n].support)]

    def at_end() -> Array:
        entries: list[Any] = []
        for n in rest:
            J = np.stack([row(n, there) for there in ends.normals(n)])
            for y in factors.to_factor_space(J.T, groups[n].support).T:
                entries += [*y, y @ y, reciprocal(y @ y, factors.least)]
        return np.stack(entries)

    if rest:
        start = np.stack([x for n in rest for k in range(len(before[n].blocks)) for x in before[n].numbers(k)])
        entries, at = when(again, at_end, start), 0
        for n in rest:
            count, width = len(before[n].blocks), len(groups[n].support) + 2
            own = entries[at : at + count * width].reshape(count, width)
            found[n], at = before[n].with_rows(own[:, :-2].T, own[:, -2], own[:, -1], again), at + count * width
    return [found[n] for n in range(len(groups))]


def _looped(
    groups: Sequence[ConstraintGroup],
    before: Sequence[PositionRows],
    ends: EndRows,
    factors: InertiaFactors,
    again: Any,
) -> dict[int, PositionRows]:
    """Compute the rows of contacts in loops, if there are enough of them."""
    contacts = [(n, k) for n, one in enumerate(before) if groups[n].contact is not None for k in range(len(one.blocks))]

    def kind(contact: tuple[int, int]) -> Any:
        group = groups[contact[0]]
        return len(group.support), group.contact is not None and min(group.contact.bodies) >= 0, group.near is None

    families = families_in_loops(contacts, kind)
    if not families:
        return {}
    graph = symbol_among([factors.L]).graph
    starts = []
    for family in families:
        depth = len(groups[family[0][0]].support)
        old = EntryTable(graph, [[before[n].weight, *before[n].numbers(k)] for n, k in family])

        def copied(k: Any, row: Any, old: EntryTable = old, depth: int = depth) -> Any:
            def put(first: int, last: int, row: Any = row) -> Any:
                for i in range(first, last):
                    row = graph.put(row, k * float(depth + 2) + float(i), old.one(k, 1 + i))
                return row

            near = old.one(k, 0)
            return put(
                depth, depth + 2, put(0, depth) if is_one(near) else when(near > 0.5, lambda: put(0, depth), row)
            )

        starts.append(repeat(len(family), copied, graph.room(len(family) * (depth + 2))))

    def at_end() -> Any:
        contacts = cast("list[PairContact]", ends.contacts())  # of the groups in loops none is missing
        rows = [
            _family_rows(graph, [(contacts[n], k, groups[n].support) for n, k in family], factors, row, again)
            for family, row in zip(families, starts, strict=True)
        ]
        return rows[0] if len(rows) == 1 else tuple(rows)

    rows = when(again, at_end, *starts)
    pieces: dict[int, list[Array]] = {}
    for family, row in zip(families, rows if len(families) > 1 else [rows], strict=True):
        width = len(groups[family[0][0]].support) + 2
        for place, (n, _) in enumerate(family):
            pieces.setdefault(n, []).append(read(row, float(place * width), width))
    found = {}
    for n, own in pieces.items():
        x = np.stack(own)
        found[n] = before[n].with_rows(x[:, :-2].T, x[:, -2], x[:, -1], again)
    return found


def _family_rows(
    graph: Any,
    contacts: Sequence[tuple[PairContact, int, tuple[int, ...]]],
    factors: InertiaFactors,
    row: Any,
    again: Any,
) -> Any:
    """Return the row with Y, YᵀY and its inverse of each contact, where ``again``; rows in memory have no condition."""
    depth, jacobians = len(contacts[0][2]), contacts[0][0].jacobians
    columns = EntryTable(graph, [[*one.points[k], *one.normals[k]] for one, k, _ in contacts])
    twists = TwistTable(graph, [(one, support) for one, _, support in contacts], factors)
    width = depth + 2

    def visit(k: Any, row: Any) -> Any:
        away, normal = columns.some(k, 0, 3) - jacobians.origin, columns.some(k, 3, 3)
        force = np.concatenate([normal, np.cross(away, normal)])
        Y = [twists.of_coordinate(k, j) @ force for j in range(depth)]
        square = sum(y * y for y in Y)
        for i, x in enumerate([*Y, square, reciprocal(square, factors.least)]):
            at = k * float(width) + float(i)
            row = graph.put(row, at, where(again, x, graph.entry(row, at)))
        return row

    return repeat(len(contacts), visit, row)
