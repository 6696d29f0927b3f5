"""Normal rows of contacts at the end of a step, which replace those at its beginning where contacts sink unseen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.points_after import MovedPoint, PointsAfter
from linkwright.dynamics.contact.shapes.candidate import DISTANT
from linkwright.dynamics.impulses.constraints import Constraint, ConstraintGroup
from linkwright.dynamics.impulses.impulse_laws import DiagonalBlock, reciprocal
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.jacobian_blocks import ContactRows, families_in_loops
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.spatial.arrays import Array, is_one, is_symbolic, maximum, where
from linkwright.spatial.loops.entry_table import EntryTable
from linkwright.spatial.loops.memory import MemoryArray, entries_of, plain, read
from linkwright.spatial.loops.repeats import for_each, repeat, symbol_among, when


class PositionRows(NamedTuple):
    """Constraints of a group on positions."""

    constraints: Sequence[Constraint]
    blocks: Sequence[DiagonalBlock]
    """(1, 1) of each constraint"""
    Y: Array | MemoryArray
    """(s, k); undefined where the group is not near"""
    end: Array
    """(k,): gaps of contacts at the end of the step, displacements of coordinates with limits"""
    near: Any
    """1 where any of it may need a shift, else 0; None: not tested"""
    table: Any = None
    """key of the groups whose rows are in the same table"""

    def with_rows(self, Y: Array, squares: Array, inverses: Array, again: Any) -> PositionRows:
        """Return the group with other rows (s, k), near also where ``again`` is 1; YᵀY and its inverse for each."""
        blocks = [
            DiagonalBlock(np.stack([[x]]), inverse, np.zeros(0)) for x, inverse in zip(squares, inverses, strict=True)
        ]
        return self._replace(blocks=blocks, Y=Y, near=None if self.near is None else maximum(self.near, again))

    @property
    def weight(self) -> Any:
        """1 where the group is near, else 0."""
        return 1.0 if self.near is None else self.near

    def numbers(self, k: int) -> list[Any]:
        """Return Y, YᵀY and its inverse of one row."""
        return [*entries_of(self.Y[:, k]), self.blocks[k].B[0, 0], self.blocks[k].inverse]


class EndRows(NamedTuple):
    """Normal rows of some groups at the end of a step."""

    after: PointsAfter
    """points of all groups, in order"""
    jacobians: Callable[[], PointJacobians]
    """of points at the end of the step, on factors in the axes at its beginning"""
    to_initial_axes: Callable[[Array], Array]
    """transforms a row (nv,) from the axes at the end of the step to those at its beginning"""


class _EndContact(NamedTuple):
    """Contact whose normal row is computed at the end of the step."""

    group: int
    row: int
    """its row in the group"""
    point: MovedPoint


def with_end_rows(
    groups: Sequence[ConstraintGroup],
    before: Sequence[PositionRows],
    ends: EndRows,
    factors: InertiaFactors,
    again: Any,
) -> list[PositionRows]:
    """Return the groups with their rows at the end of the step where ``again`` is 1."""
    places = [(n, k) for n, one in enumerate(before) for k in range(len(one.blocks))]
    contacts = [_EndContact(*place, point) for place, point in zip(places, ends.after.points, strict=True)]
    found: dict[int, PositionRows] = {}
    if is_symbolic(factors.L):
        found = _looped(groups, before, contacts, ends, factors, again)
    rest = [one for one in contacts if one.group not in found]

    def row(one: _EndContact, jacobians: PointJacobians) -> Array:
        group = groups[one.group]
        _, point, normal = ends.after.candidate(one.point.kind, np.stack(one.point.numbers))
        there = normal @ jacobians.at(*group.bodies, point, group.support)[0]
        whole: list[Any] = [0.0 * there[0]] * len(factors.roots)
        for k, x in zip(group.support, there, strict=True):
            whole[k] = x
        return ends.to_initial_axes(np.stack(whole))[list(group.support)]

    def at_end() -> Array:
        entries: list[Any] = []
        jacobians = ends.jacobians()
        for one in rest:
            y = factors.to_factor_space(row(one, jacobians), groups[one.group].support)
            y = where(one.point.numbers[0] < DISTANT, y, np.zeros(len(y)))
            entries += [*y, y @ y, reciprocal(y @ y, factors.least)]
        return np.stack(entries)

    if rest:
        start = np.stack([plain(x) for one in rest for x in before[one.group].numbers(one.row)])
        entries, at = when(again > 0.5, at_end, start), 0
        for n in dict.fromkeys(one.group for one in rest):
            count, width = len(before[n].blocks), len(groups[n].support) + 2
            own = entries[at : at + count * width].reshape(count, width)
            found[n], at = before[n].with_rows(own[:, :-2].T, own[:, -2], own[:, -1], again), at + count * width
    tables = {one.group: (groups[one.group].between_bodies, one.point.kind) for one in contacts}
    return [found[n]._replace(table=tables[n]) for n in range(len(groups))]


def _looped(
    groups: Sequence[ConstraintGroup],
    before: Sequence[PositionRows],
    contacts: Sequence[_EndContact],
    ends: EndRows,
    factors: InertiaFactors,
    again: Any,
) -> dict[int, PositionRows]:
    """Compute the rows of contacts in loops, if there are enough of them."""

    def kind(contact: _EndContact) -> Any:
        group = groups[contact.group]
        sizes = factors.loop_sizes(group.support)
        return len(group.support), sizes, group.near is None, group.between_bodies, contact.point.kind

    families = families_in_loops([one for one in contacts if groups[one.group].contact is not None], kind)
    if not families:
        return {}
    graph = symbol_among([factors.L]).graph
    widths = [len(groups[family[0].group].support) + 2 for family in families]
    *starts, size = np.cumsum([0, *(len(family) * width for family, width in zip(families, widths, strict=True))])
    row = graph.room(int(size))
    for family, start, width in zip(families, starts, widths, strict=True):
        row = _copied(graph, before, family, row, start, width)

    def at_end() -> Any:
        jacobians, found = ends.jacobians(), row
        for family, start in zip(families, starts, strict=True):
            found = _family_rows(graph, groups, family, ends.after, jacobians, factors, found, start, again)
        return found

    row = when(again > 0.5, at_end, row)
    pieces: dict[int, list[Array]] = {}
    for family, start, width in zip(families, starts, widths, strict=True):
        for place, one in enumerate(family):
            pieces.setdefault(one.group, []).append(read(row, float(start + place * width), width))
    found = {}
    for n, own in pieces.items():
        x = np.stack(own)
        found[n] = before[n].with_rows(x[:, :-2].T, x[:, -2], x[:, -1], again)
    return found


def _copied(
    graph: Any, before: Sequence[PositionRows], family: Sequence[_EndContact], row: Any, start: int, width: int
) -> Any:
    """Return the row of memory with the rows at the beginning of the step, from the index ``start`` on."""
    old = EntryTable(graph, [[before[n].weight, *before[n].numbers(k)] for n, k, _ in family])

    def copied(k: Any, row: Any) -> Any:
        def put(first: int, last: int, row: Any = row) -> Any:
            for i in range(first, last):
                row = graph.put(row, k * float(width) + float(start + i), old.one(k, 1 + i))
            return row

        near, depth = old.one(k, 0), width - 2
        return put(depth, width, put(0, depth) if is_one(near) else when(near > 0.5, lambda: put(0, depth), row))

    return for_each(len(family), copied, row)


def _family_rows(
    graph: Any,
    groups: Sequence[ConstraintGroup],
    family: Sequence[_EndContact],
    after: PointsAfter,
    jacobians: PointJacobians,
    factors: InertiaFactors,
    row: Any,
    start: int,
    again: Any,
) -> Any:
    """Return the row of memory with Y, YᵀY and its inverse of each contact where ``again``; ``start``: the first index.

    Rows in memory have no condition.
    """
    kind, depth = family[0].point.kind, len(groups[family[0].group].support)
    columns = EntryTable(graph, [one.point.numbers for one in family])
    rows = ContactRows(graph, jacobians, [groups[one.group] for one in family], factors)
    width = depth + 2

    def at_end(k: Any) -> Array:
        _, point, normal = after.candidate(kind, columns.some(k, 0, columns.width))
        force = np.concatenate([normal, np.cross(point - jacobians.origin, normal)])
        Y = list(rows.projected(k, rows.of_forces(k, [force]))[:, 0])
        square = sum(y * y for y in Y)
        return np.stack([*Y, square, reciprocal(square, factors.least)])

    def visit(k: Any, row: Any) -> Any:
        # the other numbers of distant points are undefined
        found = when(columns.one(k, 0) < DISTANT, lambda: at_end(k), np.zeros(width))
        for i, x in enumerate(found):
            at = k * float(width) + float(start + i)
            row = graph.put(row, at, where(again > 0.5, x, graph.entry(row, at)))
        return row

    return repeat(len(family), visit, row)
