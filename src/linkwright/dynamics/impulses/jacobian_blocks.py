"""Jacobian blocks of all groups; in machine code those of contacts are computed in loops.

A contact at x has the columns of J of the joints that move it, f·(s_v + s_ω × (x − o)) for an axis f and the twist s of
a joint at a point o. A loop over contacts of the same kind solves for Y, and writes Y, the free velocity
r = Yᵀ D^(½) L v_free and the block Yᵀ Y into a table, which `looped_gauss_seidel.py` reads. Y is written of contacts
that are near only: most of a robot's shapes are not, and the table is larger than the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import contact_frame
from linkwright.dynamics.impulses.constraints import (
    ConstraintGroup,
    ContactConstraint,
    PairContact,
    has_restitution,
)
from linkwright.dynamics.impulses.impulse_laws import (
    DiagonalBlock,
    JacobianBlock,
    diagonal_block,
    jacobian_block,
    reciprocal,
)
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.looped_gauss_seidel import ALIKE
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.spatial.arrays import Array, is_symbolic, is_zero
from linkwright.spatial.entry_table import EntryTable, MarkedRows, pass_over
from linkwright.spatial.memory import read, write
from linkwright.spatial.repeats import repeat, symbol_among, when

LONG = 16
"""Number of coordinates of a contact from which its rows are computed in loops: their code is short"""

Contact = TypeVar("Contact")

MANY = 12
"""Number of contacts in loops from which loops are faster"""


def jacobian_blocks(
    groups: Sequence[ConstraintGroup],
    factors: InertiaFactors,
    v_free: Array,
    softness: Sequence[Sequence[Any]],
) -> list[JacobianBlock]:
    """Compute the rows of each group; ``softness``: γ of their constraints."""
    found: dict[int, JacobianBlock] = {}
    if is_symbolic(factors.L, v_free):
        found = _looped_blocks(groups, factors, v_free, softness)
    return [
        found[k] if k in found else jacobian_block(group, factors, v_free, soft)
        for k, (group, soft) in enumerate(zip(groups, softness, strict=True))
    ]


class _LoopedContact(NamedTuple):
    """Contact in a loop."""

    number: int
    """of its group"""
    constraint: int
    group: ConstraintGroup
    points: PairContact
    contact: ContactConstraint
    soft: Any

    @property
    def kind(self) -> Any:
        """Key shared by the contacts of a loop."""
        return (
            len(self.group.support),
            self.group.between_bodies,
            self.points.rows,
            tuple(one.rows for one in self.contact.frictions),
            self.group.near is None,
        )

    @property
    def numbers(self) -> list[Any]:
        """Numbers of the contact: position, normal, softness, coefficients of friction, proximity."""
        point, normal = self.points.points[self.constraint], self.points.normals[self.constraint]
        near = [] if self.group.near is None else [self.group.near]
        return [*point, *normal, self.soft, *(one.reach for one in self.contact.frictions), *near]


def families_in_loops(contacts: Sequence[Contact], kind: Callable[[Contact], Any]) -> list[list[Contact]]:
    """Return the contacts of the same kind that are computed in loops: none if there are few."""
    kinds: dict[Any, list[Contact]] = {}
    for contact in contacts:
        kinds.setdefault(kind(contact), []).append(contact)
    chosen = [some for some in kinds.values() if len(some) >= ALIKE]
    return chosen if sum(map(len, chosen)) >= MANY else []


class ContactRows:
    """Rows Y = D^(−½) L⁻ᵀ Jᵀ of contacts of the same depth, computed by the index of a contact.

    Tables hold the columns of all joints, the entries of L and D^(−½), and where those of the support of each contact
    are.
    """

    def __init__(
        self, graph: Any, jacobians: PointJacobians, groups: Sequence[ConstraintGroup], factors: InertiaFactors
    ):
        """``groups``: those of the contacts."""
        self._graph, self._two = graph, groups[0].between_bodies
        signs = (1.0, 1.0 if self._two else -1.0)
        entries: list[Any] = [0.0] * 6  # of coordinates that do not move a body
        known: dict[tuple[int, float], int] = {}

        def place(body: int, sign: float, k: int) -> int:
            column = jacobians.columns(body).get(k) if body >= 0 else None
            if column is None:
                return 0
            if (id(column), sign) not in known:
                known[id(column), sign] = len(entries)
                entries.extend(sign * column)
            return known[id(column), sign]

        lower: list[Any] = [0.0]
        factor_places: dict[tuple[int, int], int] = {}
        triangles: dict[tuple[int, ...], int] = {}
        triangle: list[int] = []
        rows = []
        for group in groups:
            sides = [
                [place(body, sign, k) for k in group.support] for body, sign in zip(group.bodies, signs, strict=True)
            ]
            columns = zip(*sides, strict=True) if self._two else ((max(both),) for both in zip(*sides, strict=True))
            if group.support not in triangles:
                triangles[group.support] = len(triangle)
                for i, row in enumerate(group.support):
                    for column in group.support[:i]:
                        x = factors.L[row, column]
                        if not is_zero(x) and (row, column) not in factor_places:
                            factor_places[row, column] = len(lower)
                            lower.append(x)
                        triangle.append(factor_places.get((row, column), 0))
            places = [x for own, k in zip(columns, group.support, strict=True) for x in (*own, k)]
            rows.append([float(x) for x in (triangles[group.support], *places)])
        self._columns, self._lower, self._roots = graph.row(entries), graph.row(lower), graph.row(list(factors.roots))
        self._triangle = graph.row([float(x) for x in (*triangle, 0)])
        self._places = EntryTable(graph, rows)
        depth = len(groups[0].support)
        if depth >= LONG:
            self._width = len(rows[0])
            self._all_places = graph.row([x for row in rows for x in row])
            self._steps = graph.row(
                [
                    float(x)
                    for i in reversed(range(depth))
                    for n in reversed(range(i + 1, depth))
                    for x in (i, n, n * (n - 1) // 2 + i)
                ]
            )

    def coordinate(self, k: Any, j: int) -> Any:
        """Return the index in v of the j-th coordinate of the support of contact k."""
        return self._place(k, j, 1 + self._two)

    def of_forces(self, k: Any, forces: Sequence[Array], depth: int) -> Array:
        """Return the rows of Y (depth, n) of contact k with open loops, for n unit impulses (6,) about the origin."""
        if depth >= LONG:
            return self._in_loop(k, forces, depth)
        found: list[Array] = []  # from the last coordinate to the first
        for i in reversed(range(depth)):
            own = self._column(k, i)
            y = np.stack([own @ force for force in forces])
            for n, below in enumerate(found):
                y = y - self._factor(k, depth - 1 - n, i) * below
            found.append(y)
        roots = [self._graph.entry(self._roots, self.coordinate(k, j)) for j in range(depth)]
        return np.stack([root * y for root, y in zip(roots, reversed(found), strict=True)])

    def _in_loop(self, k: Any, forces: Sequence[Array], depth: int) -> Array:
        """Do the same in loops over the coordinates and the entries of L, with the rows in memory."""
        graph, count = self._graph, len(forces)

        def column(j: Any, ys: Any) -> Any:
            own = self._column_at(k, j)
            return write(ys, j * float(count), [own @ force for force in forces])

        def eliminated(t: Any, ys: Any) -> Any:
            at, below, place = read(self._steps, t * 3.0, 3)
            factor = graph.entry(self._lower, graph.entry(self._triangle, self._places.one(k, 0) + place))
            old, solved = (read(ys, first * float(count), count) for first in (at, below))
            return write(ys, at * float(count), old - factor * solved)

        ys = repeat(depth, column, graph.room(depth * count))
        ys = repeat(depth * (depth - 1) // 2, eliminated, ys)
        roots = [graph.entry(self._roots, self.coordinate(k, j)) for j in range(depth)]
        return np.stack([root * read(ys, float(j * count), count) for j, root in enumerate(roots)])

    def _column_at(self, k: Any, j: Any) -> Array:
        """Return the column (6,) of the relative twist for the coordinate whose index j is a symbol."""
        first = k * float(self._width) + 1.0 + j * (2.0 + self._two)
        found = read(self._columns, self._graph.entry(self._all_places, first), 6)
        if not self._two:
            return found
        return found - read(self._columns, self._graph.entry(self._all_places, first + 1.0), 6)

    def _column(self, k: Any, j: int) -> Array:
        """Return the column (6,) of the relative twist for the j-th coordinate."""
        first = read(self._columns, self._place(k, j, 0), 6)
        return first - read(self._columns, self._place(k, j, 1), 6) if self._two else first

    def _factor(self, k: Any, i: int, j: int) -> Any:
        """Return the entry of L for the i-th and the j-th coordinate, i > j."""
        at = self._graph.entry(self._triangle, self._places.one(k, 0) + float(i * (i - 1) // 2 + j))
        return self._graph.entry(self._lower, at)

    def _place(self, k: Any, j: int, which: int) -> Any:
        return self._places.one(k, 1 + j * (2 + self._two) + which)


def _looped_blocks(
    groups: Sequence[ConstraintGroup], factors: InertiaFactors, v_free: Array, softness: Sequence[Sequence[Any]]
) -> dict[int, JacobianBlock]:
    """Compute the rows of groups with enough contacts of the same kind."""
    contacts: list[_LoopedContact] = []
    for k, (group, soft) in enumerate(zip(groups, softness, strict=True)):
        if group.contact is not None:
            for i, (constraint, one) in enumerate(zip(group.constraints, soft, strict=True)):
                assert isinstance(constraint, ContactConstraint)
                contacts.append(_LoopedContact(k, i, group, group.contact, constraint, one))
    chosen = families_in_loops(contacts, lambda contact: contact.kind)
    if not chosen:
        return {}
    graph = symbol_among([factors.L, v_free]).graph
    free = graph.row((factors.L @ v_free) / factors.roots)
    bounce = any(has_restitution(one.contact.pair) for one in contacts)
    pieces: dict[tuple[int, int], tuple[Array, Any, DiagonalBlock, Any]] = {}
    for points in chosen:
        pieces |= _computed_blocks(graph, points, factors, free, bounce)
    found = {}
    for k in dict.fromkeys(k for k, _ in pieces):
        group = groups[k]
        own = [pieces[k, i] for i in range(len(group.constraints))]
        Y, r = (np.concatenate([one[n] for one in own], axis=-1) for n in (0, 1))
        found[k] = JacobianBlock(Y, r, tuple(one[2] for one in own), np.stack([one[3] for one in own]))
    return found


def _computed_blocks(
    graph: Any, points: Sequence[_LoopedContact], factors: InertiaFactors, free: Any, bounce: bool
) -> dict[tuple[int, int], tuple[Array, Any, DiagonalBlock, Any]]:
    """Return Y (s, k), r (k,), the diagonal block and 1/B of its first row of each contact, by group and index.

    ``bounce``: whether any contact has restitution: impacts read r of all.
    """
    first = points[0]
    size, depth, count = first.contact.size, len(first.group.support), len(first.contact.frictions)
    columns = EntryTable(graph, [point.numbers for point in points])
    rows = ContactRows(graph, first.points.jacobians, [point.group for point in points], factors)
    upper = [(i, j) for i in range(size) for j in range(i, size)]
    wide, narrow = size * depth, size + len(upper) + 2 + count

    def rows_at(k: Any) -> tuple[list[Any], Array]:
        """Return the entries of Y, and the others."""
        away, normal = columns.some(k, 0, 3) - first.points.jacobians.origin, columns.some(k, 3, 3)
        soft = columns.one(k, 6)
        contact = replace(
            first.contact,
            frictions=tuple(replace(one, reach=columns.one(k, 7 + i)) for i, one in enumerate(first.contact.frictions)),
        )
        axes = (normal, *contact_frame(normal))
        forces = [
            np.concatenate([normal, np.cross(away, normal)])
        ]  # of a unit impulse, and its moment about the origin
        for row in first.points.rows:
            axis = axes[row.axis]
            forces.append(np.concatenate([0.0 * axis, axis] if row.turns else [axis, np.cross(away, axis)]))
        open_rows = rows.of_forces(k, forces, depth)
        Y = factors.on_closed_loops(open_rows)
        B = [sum(Y[j][a] * Y[j][b] for j in range(depth)) for a, b in upper]
        whole = np.stack([np.stack([B[upper.index((min(a, b), max(a, b)))] for b in range(size)]) for a in range(size)])
        block = diagonal_block(contact, whole, soft, factors.least)
        speeds = [graph.entry(free, rows.coordinate(k, j)) for j in range(depth)]
        r = [sum(open_rows[j][a] * speeds[j] for j in range(depth)) for a in range(size)]
        return [Y[j][a] for a in range(size) for j in range(depth)], np.stack(
            [*r, *B, reciprocal(B[0], factors.least), block.inverse, *block.steps]
        )

    def visit(k: Any, ys: Any, others: Any) -> tuple[Any, Any]:
        def computed() -> tuple[Array, Any]:
            entries, rest = rows_at(k)
            return rest, write(ys, k * float(wide), entries)

        near = None if first.group.near is None else columns.one(k, 7 + count) > 0.5
        rest, ys = computed() if near is None else when(near, computed, np.zeros(narrow), ys)
        return ys, write(others, k * float(narrow), rest)

    def visit_near(k: Any, ys: Any, others: Any) -> tuple[Any, Any]:
        """Do the same for one of so many contacts that nothing of those that are not near is read."""

        def computed() -> tuple[Any, Any]:
            entries, rest = rows_at(k)
            return write(ys, k * float(wide), entries), write(others, k * float(narrow), rest)

        return when(marked.mark(k) > 0.5, computed, ys, others)  # type: ignore[no-any-return]

    rooms = graph.room(len(points) * wide), graph.room(len(points) * narrow)
    if first.group.near is not None and pass_over(len(points)) and not bounce:
        marked = MarkedRows(graph, len(points), lambda k: columns.one(k, 7 + count))
        ys, others = marked.each(visit_near, *rooms)
    else:
        ys, others = repeat(len(points), visit, *rooms)
    result = {}
    for k, point in enumerate(points):
        Y = read(ys, float(k * wide), wide)
        r, own, rest = np.split(read(others, float(k * narrow), narrow), np.cumsum([size, len(upper)]))
        square = [upper.index((min(a, b), max(a, b))) for a in range(size) for b in range(size)]
        block = DiagonalBlock(own[square].reshape(size, size), rest[1], rest[2:])
        result[point.number, point.constraint] = (Y.reshape(size, depth).T, r, block, rest[0])
    return result
