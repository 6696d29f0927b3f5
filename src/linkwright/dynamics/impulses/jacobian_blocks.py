"""Jacobian blocks of all groups; in machine code those of contacts are computed in loops.

For the twist of body b at a point o, Ψ_b = D^(−½) L⁻ᵀ J_bᵀ is computed once, from parent to child. A contact at x on b
has the rows Y = Ψ_b (a, (x − o) × a), one for each axis a. A loop over contacts of the same kind writes Y, the free
velocity r = Yᵀ D^(½) L v_free and the block Yᵀ Y into a table, which `looped_gauss_seidel.py` reads. Y is written of
contacts that are near only: most of a robot's shapes are not, and the table is larger than the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linkwright.dynamics.contact.shapes import contact_frame
from linkwright.dynamics.impulses.constraints import ConstraintGroup, ContactConstraint, PairContact
from linkwright.dynamics.impulses.impulse_laws import DiagonalBlock, JacobianBlock, diagonal_block, jacobian_block
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.looped_gauss_seidel import ALIKE
from linkwright.spatial.arrays import Array, is_symbolic, where
from linkwright.spatial.entry_table import EntryTable
from linkwright.spatial.memory import read, write
from linkwright.spatial.repeats import repeat, symbol_among, when

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
    if factors.N is None and is_symbolic(factors.L, v_free):
        found = _looped_blocks(groups, factors, v_free, softness)
    return [
        found[k] if k in found else jacobian_block(group, factors, v_free, soft)
        for k, (group, soft) in enumerate(zip(groups, softness, strict=True))
    ]


class _LoopedContact(NamedTuple):
    """Contact in a loop."""

    group: int
    constraint: int
    points: PairContact
    contact: ContactConstraint
    support: tuple[int, ...]
    near: Any
    soft: Any

    @property
    def kind(self) -> Any:
        """Key shared by the contacts of a loop."""
        return (
            len(self.support),
            min(self.points.bodies) >= 0,
            self.points.rows,
            tuple(one.rows for one in self.contact.frictions),
            self.near is None,
        )

    @property
    def numbers(self) -> list[Any]:
        """Numbers of the contact: position, normal, softness, coefficients of friction, proximity."""
        point, normal = self.points.points[self.constraint], self.points.normals[self.constraint]
        near = [] if self.near is None else [where(self.near, 1.0, 0.0)]
        return [*point, *normal, self.soft, *(one.reach for one in self.contact.frictions), *near]


def families_in_loops(contacts: Sequence[Contact], kind: Callable[[Contact], Any]) -> list[list[Contact]]:
    """Return the contacts of the same kind that are computed in loops: none if there are few."""
    kinds: dict[Any, list[Contact]] = {}
    for contact in contacts:
        kinds.setdefault(kind(contact), []).append(contact)
    chosen = [some for some in kinds.values() if len(some) >= ALIKE]
    return chosen if sum(map(len, chosen)) >= MANY else []


class TwistTable:
    """Ψ of the first body of contacts relative to the second, all of the same depth, read by the index of a contact."""

    def __init__(self, graph: Any, contacts: Sequence[tuple[PairContact, tuple[int, ...]]], factors: InertiaFactors):
        self._graph, self._depth, self._two = graph, len(contacts[0][1]), min(contacts[0][0].bodies) >= 0
        jacobians, signs = contacts[0][0].jacobians, (1.0, 1.0 if self._two else -1.0)
        entries: list[Any] = [0.0] * 6  # of coordinates that do not move a body
        rows: dict[Any, dict[int, int]] = {}
        places: list[int] = []
        for one, support in contacts:
            sides = []
            for side in zip(one.bodies, signs, strict=True):
                if side not in rows:
                    known = jacobians.factor_jacobian(factors, side[0]) if side[0] >= 0 else {}
                    rows[side] = {k: len(entries) + 6 * i for i, k in enumerate(known)}
                    entries += [side[1] * x for row in known.values() for x in row]
                sides.append(rows[side])
            first, second = sides
            for k in support:
                places += [first.get(k, 0), second.get(k, 0), k] if self._two else [first.get(k, second.get(k, 0)), k]
        self._twists = graph.row(entries)
        self._index = graph.row([float(place) for place in places])

    def of_coordinate(self, k: Any, j: int) -> Array:
        """Return the row (6,) of contact k for the j-th coordinate of its support."""
        first = self._row(self._place(k, j, 0))
        return first - self._row(self._place(k, j, 1)) if self._two else first

    def coordinate(self, k: Any, j: int) -> Any:
        """Return the index in v of that coordinate."""
        return self._place(k, j, 1 + self._two)

    def _place(self, k: Any, j: int, which: int) -> Any:
        width = 2 + self._two
        return self._graph.entry(self._index, k * float(self._depth * width) + float(j * width + which))

    def _row(self, begin: Any) -> Array:
        return read(self._twists, begin, 6)


def _looped_blocks(
    groups: Sequence[ConstraintGroup], factors: InertiaFactors, v_free: Array, softness: Sequence[Sequence[Any]]
) -> dict[int, JacobianBlock]:
    """Compute the rows of groups with enough contacts of the same kind."""
    contacts: list[_LoopedContact] = []
    for k, (group, soft) in enumerate(zip(groups, softness, strict=True)):
        if group.contact is not None:
            for i, (constraint, one) in enumerate(zip(group.constraints, soft, strict=True)):
                assert isinstance(constraint, ContactConstraint)
                contacts.append(_LoopedContact(k, i, group.contact, constraint, group.support, group.near, one))
    chosen = families_in_loops(contacts, lambda contact: contact.kind)
    if not chosen:
        return {}
    graph = symbol_among([factors.L, v_free]).graph
    free = graph.row((factors.L @ v_free) / factors.roots)
    pieces: dict[tuple[int, int], tuple[Array, Any, DiagonalBlock]] = {}
    for points in chosen:
        pieces |= _computed_blocks(graph, points, factors, free)
    found = {}
    for k in dict.fromkeys(k for k, _ in pieces):
        group = groups[k]
        own = [pieces[k, i] for i in range(len(group.constraints))]
        Y, r = (np.concatenate([one[n] for one in own], axis=-1) for n in (0, 1))
        found[k] = JacobianBlock(Y, r, tuple(block for *_, block in own))
    return found


def _computed_blocks(
    graph: Any, points: Sequence[_LoopedContact], factors: InertiaFactors, free: Any
) -> dict[tuple[int, int], tuple[Array, Any, DiagonalBlock]]:
    """Return Y (s, k), r (k,) and the diagonal block of each contact, by its group and index in it."""
    first = points[0]
    size, depth, count = first.contact.size, len(first.support), len(first.contact.frictions)
    columns = EntryTable(graph, [point.numbers for point in points])
    twists = TwistTable(graph, [(point.points, point.support) for point in points], factors)
    upper = [(i, j) for i in range(size) for j in range(i, size)]
    wide, narrow = size * depth, size + len(upper) + 1 + count

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
        Y = []
        for j in range(depth):
            own = twists.of_coordinate(k, j)
            Y.append(np.stack([own @ force for force in forces]))
        B = [sum(Y[j][a] * Y[j][b] for j in range(depth)) for a, b in upper]
        whole = np.stack([np.stack([B[upper.index((min(a, b), max(a, b)))] for b in range(size)]) for a in range(size)])
        block = diagonal_block(contact, whole, soft, factors.least)
        speeds = [graph.entry(free, twists.coordinate(k, j)) for j in range(depth)]
        r = [sum(Y[j][a] * speeds[j] for j in range(depth)) for a in range(size)]
        return [Y[j][a] for a in range(size) for j in range(depth)], np.stack([*r, *B, block.inverse, *block.steps])

    def visit(k: Any, ys: Any, others: Any) -> tuple[Any, Any]:
        def computed() -> tuple[Array, Any]:
            entries, rest = rows_at(k)
            return rest, write(ys, k * float(wide), entries)

        near = None if first.near is None else columns.one(k, 7 + count) > 0.5
        rest, ys = computed() if near is None else when(near, computed, np.zeros(narrow), ys)
        return ys, write(others, k * float(narrow), rest)

    ys, others = repeat(len(points), visit, graph.room(len(points) * wide), graph.room(len(points) * narrow))
    result = {}
    for k, point in enumerate(points):
        Y = read(ys, float(k * wide), wide)
        r, own, rest = np.split(read(others, float(k * narrow), narrow), np.cumsum([size, len(upper)]))
        square = [upper.index((min(a, b), max(a, b))) for a in range(size) for b in range(size)]
        block = DiagonalBlock(own[square].reshape(size, size), rest[0], rest[1:])
        result[point.group, point.constraint] = (Y.reshape(size, depth).T, r, block)
    return result
