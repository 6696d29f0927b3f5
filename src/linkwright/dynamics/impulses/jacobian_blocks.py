"""Jacobian blocks of all groups; in machine code those of contacts with bodies at rest are computed in loops.

For the twist of body b at a point o, Ψ_b = D^(−½) L⁻ᵀ J_bᵀ is computed once, from parent to child. A contact at x on b
has the rows Y = Ψ_b (a, (x − o) × a), one for each axis a. A loop over contacts of the same kind writes Y, the free
velocity r = Yᵀ D^(½) L v_free and the block Yᵀ Y into a table, which `looped_gauss_seidel.py` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes import contact_frame
from linkwright.dynamics.impulses.constraints import ConstraintGroup, ContactConstraint, EnvironmentContact
from linkwright.dynamics.impulses.impulse_laws import DiagonalBlock, JacobianBlock, diagonal_block, jacobian_block
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.looped_gauss_seidel import ALIKE, EntryTable
from linkwright.spatial.arrays import Array, is_symbolic, where
from linkwright.spatial.repeats import repeat, symbol_among, when

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
    environment: EnvironmentContact
    contact: ContactConstraint
    support: tuple[int, ...]
    near: Any
    soft: Any

    @property
    def kind(self) -> Any:
        """Key shared by the contacts of a loop."""
        return (
            len(self.support),
            self.environment.rows,
            tuple(one.rows for one in self.contact.frictions),
            self.near is None,
        )

    @property
    def numbers(self) -> list[Any]:
        """Numbers of the contact: position, normal, sign, softness, coefficients of friction, proximity."""
        environment = self.environment
        near = [] if self.near is None else [where(self.near, 1.0, 0.0)]
        away = environment.points[self.constraint] - environment.jacobians.origin
        reaches = [one.reach for one in self.contact.frictions]
        return [*away, *environment.normals[self.constraint], environment.sign, self.soft, *reaches, *near]


def _looped_blocks(
    groups: Sequence[ConstraintGroup], factors: InertiaFactors, v_free: Array, softness: Sequence[Sequence[Any]]
) -> dict[int, JacobianBlock]:
    """Compute the rows of groups with enough contacts of the same kind."""
    kinds: dict[Any, list[_LoopedContact]] = {}
    for k, (group, soft) in enumerate(zip(groups, softness, strict=True)):
        if group.environment is not None:
            for i, (constraint, one) in enumerate(zip(group.constraints, soft, strict=True)):
                assert isinstance(constraint, ContactConstraint)
                point = _LoopedContact(k, i, group.environment, constraint, group.support, group.near, one)
                kinds.setdefault(point.kind, []).append(point)
    chosen = [points for points in kinds.values() if len(points) >= ALIKE]
    if sum(map(len, chosen)) < MANY:
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
    bodies = list(dict.fromkeys(point.environment.body for point in points))
    twists = graph.row(
        [x for body in bodies for x in first.environment.jacobians.factor_jacobian(factors, body).reshape(-1)]
    )
    places = [[6 * depth * bodies.index(point.environment.body), *point.support] for point in points]
    index = graph.row([float(place) for row in places for place in row])
    upper = [(i, j) for i in range(size) for j in range(i, size)]
    width = size * depth + size + len(upper) + 1 + count

    def rows_at(k: Any) -> Array:
        away, normal, sign, soft = columns.some(k, 0, 3), columns.some(k, 3, 3), columns.one(k, 6), columns.one(k, 7)
        contact = replace(
            first.contact,
            frictions=tuple(replace(one, reach=columns.one(k, 8 + i)) for i, one in enumerate(first.contact.frictions)),
        )
        axes = (normal, *contact_frame(normal))
        forces = [
            np.concatenate([normal, np.cross(away, normal)])
        ]  # of a unit impulse, and its moment about the origin
        for row in first.environment.rows:
            axis = axes[row.axis]
            forces.append(np.concatenate([0.0 * axis, axis] if row.turns else [axis, np.cross(away, axis)]))
        at = k * float(depth + 1)
        begin = graph.entry(index, at)
        Y = []
        for j in range(depth):
            own = np.stack([graph.entry(twists, begin + float(6 * j + c)) for c in range(6)])
            Y.append(np.stack([sign * (own @ force) for force in forces]))
        B = [sum(Y[j][a] * Y[j][b] for j in range(depth)) for a, b in upper]
        whole = np.stack([np.stack([B[upper.index((min(a, b), max(a, b)))] for b in range(size)]) for a in range(size)])
        block = diagonal_block(contact, whole, soft, factors.least)
        speeds = [graph.entry(free, graph.entry(index, at + float(1 + j))) for j in range(depth)]
        r = [sum(Y[j][a] * speeds[j] for j in range(depth)) for a in range(size)]
        entries = [Y[j][a] for a in range(size) for j in range(depth)]
        return np.stack([*entries, *r, *B, block.inverse, *block.steps])

    def visit(k: Any, row: Any) -> Any:
        if first.near is None:
            entries = rows_at(k)
        else:
            entries = when(columns.one(k, 8 + count) > 0.5, lambda: rows_at(k), np.zeros(width))
        for i, x in enumerate(entries):
            row = graph.put(row, k * float(width) + float(i), x)
        return row

    found = repeat(len(points), visit, graph.room(len(points) * width))
    result = {}
    for k, point in enumerate(points):
        entries = graph.array([graph.entry(found, float(k * width + i)) for i in range(width)])
        Y, r, own, rest = np.split(entries, np.cumsum([size * depth, size, len(upper)]))
        square = [upper.index((min(a, b), max(a, b))) for a in range(size) for b in range(size)]
        block = DiagonalBlock(own[square].reshape(size, size), rest[0], rest[1:])
        result[point.group, point.constraint] = (Y.reshape(size, depth).T, r, block)
    return result
