"""The rows of all parts; in machine code those of contacts with what rests are made in loops.

Of a body b with its twist seen from a point o, Ψ_b = D^(−½) L⁻ᵀ J_bᵀ is found once, from body to body outwards. The
rows of a contact at x on it are, of each axis a, Y = Ψ_b (a, (x − o) × a): where contacts are alike a loop goes over
them that writes Y, r = Yᵀ D^(½) L v_free and the block Yᵀ Y into one row of memory, as `alike.py` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes import contact_frame
from linkwright.dynamics.impulses.alike import ALIKE, Columns
from linkwright.dynamics.impulses.laws import Block, Rows, block_of, rows_of
from linkwright.dynamics.impulses.rows import Group, Meeting, Touch
from linkwright.dynamics.impulses.system import Inertia
from linkwright.spatial.arrays import Array, is_symbolic, where
from linkwright.spatial.repeats import repeat, symbol_among, when

MANY = 12
"""Contacts that are like others from which loops are worth it"""


def all_rows(
    groups: Sequence[Group],
    inertia: Inertia,
    v_free: Array,
    softness: Sequence[Sequence[Any]],
) -> list[Rows]:
    """The rows of each group; ``softness``: γ of their parts."""
    found: dict[int, Rows] = {}
    if inertia.N is None and is_symbolic(inertia.L, v_free):
        found = _in_loops(groups, inertia, v_free, softness)
    return [
        found[k] if k in found else rows_of(group, inertia, v_free, soft)
        for k, (group, soft) in enumerate(zip(groups, softness, strict=True))
    ]


class _Point(NamedTuple):
    """One contact."""

    group: int
    part: int
    meeting: Meeting
    touch: Touch
    support: tuple[int, ...]
    near: Any
    soft: Any

    @property
    def kind(self) -> Any:
        """What contacts in one loop have in common."""
        return (
            len(self.support),
            self.meeting.rows,
            tuple(one.rows for one in self.touch.frictions),
            self.near is None,
        )

    @property
    def numbers(self) -> list[Any]:
        """What tells it from others: place, normal, side, softness, reach of frictions, and whether it is near."""
        meeting = self.meeting
        near = [] if self.near is None else [where(self.near, 1.0, 0.0)]
        away = meeting.points[self.part] - meeting.moves.origin
        reaches = [one.reach for one in self.touch.frictions]
        return [*away, *meeting.normals[self.part], meeting.sign, self.soft, *reaches, *near]


def _in_loops(
    groups: Sequence[Group], inertia: Inertia, v_free: Array, softness: Sequence[Sequence[Any]]
) -> dict[int, Rows]:
    """The rows of those groups whose contacts are like those of enough others."""
    kinds: dict[Any, list[_Point]] = {}
    for k, (group, soft) in enumerate(zip(groups, softness, strict=True)):
        if group.meeting is not None:
            for i, (part, one) in enumerate(zip(group.parts, soft, strict=True)):
                assert isinstance(part, Touch)
                point = _Point(k, i, group.meeting, part, group.support, group.near, one)
                kinds.setdefault(point.kind, []).append(point)
    chosen = [points for points in kinds.values() if len(points) >= ALIKE]
    if sum(map(len, chosen)) < MANY:
        return {}
    graph = symbol_among([inertia.L, v_free]).graph
    free = graph.row((inertia.L @ v_free) / inertia.roots)
    pieces: dict[tuple[int, int], tuple[Array, Any, Block]] = {}
    for points in chosen:
        pieces |= _made(graph, points, inertia, free)
    found = {}
    for k in dict.fromkeys(k for k, _ in pieces):
        group = groups[k]
        own = [pieces[k, i] for i in range(len(group.parts))]
        Y, r = (np.concatenate([one[n] for one in own], axis=-1) for n in (0, 1))
        found[k] = Rows(Y, r, tuple(block for *_, block in own))
    return found


def _made(
    graph: Any, points: Sequence[_Point], inertia: Inertia, free: Any
) -> dict[tuple[int, int], tuple[Array, Any, Block]]:
    """Y (s, k), r (k,) and the block of each contact, by its group and place in it."""
    first = points[0]
    size, depth, count = first.touch.size, len(first.support), len(first.touch.frictions)
    columns = Columns(graph, [point.numbers for point in points])
    bodies = list(dict.fromkeys(point.meeting.body for point in points))
    carried = graph.row([x for body in bodies for x in first.meeting.moves.carried(inertia, body).reshape(-1)])
    places = [[6 * depth * bodies.index(point.meeting.body), *point.support] for point in points]
    index = graph.row([float(place) for row in places for place in row])
    upper = [(i, j) for i in range(size) for j in range(i, size)]
    width = size * depth + size + len(upper) + 1 + count

    def rows_at(k: Any) -> Array:
        away, normal, sign, soft = columns.some(k, 0, 3), columns.some(k, 3, 3), columns.one(k, 6), columns.one(k, 7)
        touch = replace(
            first.touch,
            frictions=tuple(replace(one, reach=columns.one(k, 8 + i)) for i, one in enumerate(first.touch.frictions)),
        )
        axes = (normal, *contact_frame(normal))
        forces = [
            np.concatenate([normal, np.cross(away, normal)])
        ]  # of a unit impulse, and its moment about the origin
        for row in first.meeting.rows:
            axis = axes[row.axis]
            forces.append(np.concatenate([0.0 * axis, axis] if row.turns else [axis, np.cross(away, axis)]))
        at = k * float(depth + 1)
        begin = graph.entry(index, at)
        Y = []
        for j in range(depth):
            own = np.stack([graph.entry(carried, begin + float(6 * j + c)) for c in range(6)])
            Y.append(np.stack([sign * (own @ force) for force in forces]))
        B = [sum(Y[j][a] * Y[j][b] for j in range(depth)) for a, b in upper]
        whole = np.stack([np.stack([B[upper.index((min(a, b), max(a, b)))] for b in range(size)]) for a in range(size)])
        block = block_of(touch, whole, soft, inertia.least)
        speeds = [graph.entry(free, graph.entry(index, at + float(1 + j))) for j in range(depth)]
        r = [sum(Y[j][a] * speeds[j] for j in range(depth)) for a in range(size)]
        told = [Y[j][a] for a in range(size) for j in range(depth)]
        return np.stack([*told, *r, *B, block.inverse, *block.steps])

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
        block = Block(own[square].reshape(size, size), rest[0], rest[1:])
        result[point.group, point.part] = (Y.reshape(size, depth).T, r, block)
    return result
