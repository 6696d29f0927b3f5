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
from linkwright.dynamics.impulses.constraint_families import ALIKE
from linkwright.dynamics.impulses.constraints import (
    ConstraintGroup,
    ContactConstraint,
    PairContact,
    has_restitution,
)
from linkwright.dynamics.impulses.coordinate_rows import CoordinateRows
from linkwright.dynamics.impulses.factor_rows import FactorRows
from linkwright.dynamics.impulses.impulse_laws import (
    DiagonalBlock,
    JacobianBlock,
    diagonal_block,
    jacobian_block,
    reciprocal,
)
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.loops.entry_table import EntryTable, MarkedRows, in_order_of_marks, pass_over
from linkwright.spatial.loops.memory import MemoryArray, joined, read, write
from linkwright.spatial.loops.repeats import repeat, symbol_among, when

Contact = TypeVar("Contact")

MANY = 12
"""Number of contacts in loops from which loops are faster"""


def jacobian_blocks(
    groups: Sequence[ConstraintGroup],
    factors: InertiaFactors,
    v_free: Array,
    softness: Sequence[Sequence[Any]],
    coordinates: CoordinateRows | None,
) -> list[JacobianBlock]:
    """Compute the rows of each group; ``softness``: γ of their constraints, ``coordinates``: rows in memory."""
    found = {} if coordinates is None else coordinates.blocks(v_free)
    if is_symbolic(factors.L, v_free):
        found |= _looped_blocks(groups, factors, v_free, softness)
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


class ContactRows(FactorRows):
    """Rows Y of contacts of the same depth; a table holds the columns of all joints."""

    def __init__(
        self, graph: Any, jacobians: PointJacobians, groups: Sequence[ConstraintGroup], factors: InertiaFactors
    ):
        """``groups``: those of the contacts."""
        two = groups[0].between_bodies
        signs = (1.0, 1.0 if two else -1.0)
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

        rows = []
        for group in groups:
            sides = [
                [place(body, sign, k) for k in group.support] for body, sign in zip(group.bodies, signs, strict=True)
            ]
            rows.append([*sides[0], *sides[1]] if two else [max(both) for both in zip(*sides, strict=True)])
        super().__init__(graph, [group.support for group in groups], factors, rows)
        self._two, self._columns = two, graph.row(entries)

    def of_forces(self, k: Any, forces: Sequence[Array]) -> Array:
        """Return the rows of Y (depth, n) of contact k with open loops, for n unit impulses (6,) about the origin."""

        def row(j: Any) -> list[Any]:
            own = self._column(k, j)
            return [own @ force for force in forces]

        return self.solved(k, row, len(forces))

    def _column(self, k: Any, j: Any) -> Array:
        """Return the column (6,) of the relative twist for the j-th coordinate."""
        first = read(self._columns, self.number(k, j), 6)
        return first - read(self._columns, self.number(k, j + self.depth), 6) if self._two else first


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
    chosen = families_in_loops(contacts, lambda contact: (*contact.kind, *factors.loop_sizes(contact.group.support)))
    if not chosen:
        return {}
    graph = symbol_among([factors.L, v_free]).graph
    free = graph.row((factors.L @ v_free) / factors.roots)
    bounce = any(has_restitution(one.contact.pair) for one in contacts)
    families = [
        _ContactFamily(graph, in_order_of_marks(points, lambda one: one.group.near), factors, bounce)
        for points in chosen
    ]
    sizes = [(len(one.points) * one.wide, len(one.points) * one.narrow) for one in families]
    *starts, whole = np.cumsum([(0, 0), *sizes], axis=0).tolist()
    rooms = graph.room(whole[0]), graph.room(whole[1])  # one of all families: later loops read both in place
    for one, (wide, narrow) in zip(families, starts, strict=True):
        rooms = one.written(free, rooms, float(wide), float(narrow))
    pieces: dict[tuple[int, int], tuple[MemoryArray, Any, DiagonalBlock, Any]] = {}
    for one, (wide, narrow) in zip(families, starts, strict=True):
        pieces |= one.pieces(rooms, float(wide), float(narrow))
    found = {}
    for k in dict.fromkeys(k for k, _ in pieces):
        group = groups[k]
        own = [pieces[k, i] for i in range(len(group.constraints))]
        Y, r = joined([one[0] for one in own]), np.concatenate([one[1] for one in own])
        found[k] = JacobianBlock(Y, r, tuple(one[2] for one in own), np.stack([one[3] for one in own]))
    return found


class _ContactFamily:
    """Contacts of the same kind: their rows in the memory of all families.

    ``bounce``: whether any contact has restitution: impacts read r of all.
    """

    def __init__(self, graph: Any, points: Sequence[_LoopedContact], factors: InertiaFactors, bounce: bool):
        first = self._first = points[0]
        self._graph, self.points, self._factors = graph, points, factors
        self._size, self._depth, self._count = (
            first.contact.size,
            len(first.group.support),
            len(first.contact.frictions),
        )
        self._columns = EntryTable(graph, [point.numbers for point in points])
        self._rows = ContactRows(graph, first.points.jacobians, [point.group for point in points], factors)
        self._upper = [(i, j) for i in range(self._size) for j in range(i, self._size)]
        self.wide = self._size * self._depth
        """number of entries of Y of a contact"""
        self.narrow = self._size + len(self._upper) + 2 + self._count
        """number of its other entries: r, the block, and reciprocals"""
        self._passes_over = first.group.near is not None and pass_over(len(points)) and not bounce

    def written(self, free: Any, rooms: tuple[Any, Any], wide: float, narrow: float) -> tuple[Any, Any]:
        """Write Y and the other entries from these places of two rows of memory; ``free``: D^(½) L v_free."""
        first = self._first

        def visit(k: Any, ys: Any, others: Any) -> tuple[Any, Any]:
            def computed() -> tuple[Array, Any]:
                entries, rest = self._rows_at(k, free)
                return rest, write(ys, k * float(self.wide) + wide, entries)

            near = None if first.group.near is None else self._near(k) > 0.5
            rest, ys = computed() if near is None else when(near, computed, np.zeros(self.narrow), ys)
            return ys, write(others, k * float(self.narrow) + narrow, rest)

        def visit_near(k: Any, ys: Any, others: Any) -> tuple[Any, Any]:
            """Do the same for one of many contacts, where nothing of contacts that are not near is read."""

            def computed() -> tuple[Any, Any]:
                entries, rest = self._rows_at(k, free)
                placed = k * float(self.wide) + wide, k * float(self.narrow) + narrow
                return write(ys, placed[0], entries), write(others, placed[1], rest)

            return when(marked.mark(k) > 0.5, computed, ys, others)  # type: ignore[no-any-return]

        if self._passes_over:
            marked = MarkedRows.of_column(self._columns, 7 + self._count, len(self.points))
            return marked.each(visit_near, *rooms)  # type: ignore[no-any-return]
        return repeat(len(self.points), visit, *rooms)  # type: ignore[no-any-return]

    def pieces(
        self, rooms: tuple[Any, Any], wide: float, narrow: float
    ) -> dict[tuple[int, int], tuple[MemoryArray, Any, DiagonalBlock, Any]]:
        """Return Y (s, k), r (k,), the block and 1/B of its first row of each contact, by group and index."""
        size, upper = self._size, self._upper
        square = [upper.index((min(a, b), max(a, b))) for a in range(size) for b in range(size)]
        found = {}
        for k, point in enumerate(self.points):
            places = np.arange(self.wide) + int(wide) + k * self.wide
            entries = read(rooms[1], narrow + k * self.narrow, self.narrow)
            r, own, rest = np.split(entries, np.cumsum([size, len(upper)]))
            block = DiagonalBlock(own[square].reshape(size, size), rest[1], rest[2:])
            found[point.number, point.constraint] = (
                MemoryArray(rooms[0], places.reshape(size, self._depth).T),
                r,
                block,
                rest[0],
            )
        return found

    def _near(self, k: Any) -> Any:
        return self._columns.one(k, 7 + self._count)

    def _rows_at(self, k: Any, free: Any) -> tuple[list[Any], Array]:
        """Return the entries of Y, and the others."""
        first, columns, size, depth = self._first, self._columns, self._size, self._depth
        away, normal = columns.some(k, 0, 3) - first.points.jacobians.origin, columns.some(k, 3, 3)
        frictions = tuple(replace(one, reach=columns.one(k, 7 + i)) for i, one in enumerate(first.contact.frictions))
        axes = (normal, *contact_frame(normal))
        forces = [np.concatenate([normal, np.cross(away, normal)])]  # of unit impulses, and moments about the origin
        for row in first.points.rows:
            axis = axes[row.axis]
            forces.append(np.concatenate([0.0 * axis, axis] if row.turns else [axis, np.cross(away, axis)]))
        open_rows = self._rows.of_forces(k, forces)
        Y = self._rows.projected(k, open_rows)
        B = [sum(Y[j][a] * Y[j][b] for j in range(depth)) for a, b in self._upper]
        whole = np.stack(
            [np.stack([B[self._upper.index((min(a, b), max(a, b)))] for b in range(size)]) for a in range(size)]
        )
        least = self._factors.least
        block = diagonal_block(replace(first.contact, frictions=frictions), whole, columns.one(k, 6), least)
        speeds = [self._graph.entry(free, self._rows.coordinate(k, j)) for j in range(depth)]
        r = [sum(open_rows[j][a] * speeds[j] for j in range(depth)) for a in range(size)]
        rest = np.stack([*r, *B, reciprocal(B[0], least), block.inverse, *block.steps])
        return [Y[j][a] for a in range(size) for j in range(depth)], rest
