"""Kinds of joint: which bodies a step is traced for at once, and the numbers in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ModelError
from linkwright.expression.graph import Expr, Graph
from linkwright.model.elements import Link
from linkwright.model.joints.joint_type import JointType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia

KINDS_LIMIT = 6
"""Largest number of kinds for which bodies are distinguished by the zeros of their placements and inertias too."""


class SymbolSource(NamedTuple):
    """Meaning of a symbol."""

    space: str
    """ "data", "input", "parent" (its state) or "received" (from the children)"""
    number: int
    """of the input, or of the sweep"""
    entry: int


class JointKind(NamedTuple):
    """Bodies with one kind of joint, traced as one."""

    link: Link
    """with symbols"""
    graph: Graph
    symbols: dict[SymbolSource, Expr]
    bodies: list[int]
    columns: Array
    """(bodies, …): the numbers in which they differ"""

    def symbol(self, source: SymbolSource) -> Expr:
        """Return the symbol for this source."""
        if source not in self.symbols:
            self.symbols[source] = self.graph.symbol(f"{source.space}{source.number}[{source.entry}]")
        return self.symbols[source]


class BodyGroup(NamedTuple):
    """Bodies of one kind."""

    bodies: list[int]
    first: Link
    constants: Array
    """the numbers of any of them: placement, mass, first moment, inertia, armature, the joint's own"""
    places: list[int]
    """for each number the column that holds it, or -1 where it is the same for all"""
    columns: Array
    """(bodies, …)"""

    def kind(self, beside: JointKind | None = None, number: int = 0, graph: Graph | None = None) -> JointKind:
        """Return the kind: values that are equal in all bodies are numbers, values that are always equal one symbol.

        With a separate graph, or in one graph with another kind (``beside``), their data distinguished by a number.
        """
        graph, symbols = (graph or Graph(), {}) if beside is None else (beside.graph, beside.symbols)
        kind = JointKind(self.first, graph, symbols, self.bodies, self.columns)
        values: list[Expr] = [
            graph.constant(x) if place < 0 else kind.symbol(SymbolSource("data", number, place))
            for x, place in zip(self.constants, self.places, strict=True)
        ]
        placement = pose_of(graph, values[:12])
        xx, xy, xz, yy, yz, zz = values[16:22]
        inertia = objects([xx, xy, xz, xy, yy, yz, xz, yz, zz]).reshape(3, 3)
        n, motion = len(self.first.armature), self.first.motion
        motion = motion.with_numbers(values[22 + n :])
        rigid = RigidInertia(values[12], objects(values[13:16]), inertia)
        return kind._replace(link=Link(-1, motion, placement, rigid, objects(values[22 : 22 + n])))


def groups_of(model: Model, bodies: Sequence[int] | None = None, by_zeros: bool = True) -> list[BodyGroup]:
    """Return the bodies by kind of joint, and by zeros of their numbers where that makes few kinds."""
    chosen = range(len(model.links)) if bodies is None else bodies
    if not chosen:
        raise ModelError(f"{model.name!r} has no moving bodies")
    by_motion: dict[tuple[JointType, bool], list[int]] = {}
    for k in chosen:
        motion, follows = model.links[k].motion, model.joints[k].coupling is not None
        by_motion.setdefault((motion.kind, follows), []).append(k)
    coarse, fine = [], []
    for members in by_motion.values():
        numbers = _numbers([model.links[k] for k in members])
        coarse.append((members, numbers))
        turned = numbers[:, :9]
        pattern = np.where(np.isin(turned, (0.0, 1.0, -1.0)), turned, 2.0)
        pattern = np.concatenate([pattern, numbers[:, 9:] == 0.0], axis=1)
        _, first, which = np.unique(pattern, axis=0, return_index=True, return_inverse=True)
        for number in np.argsort(first):
            place = np.flatnonzero(which.reshape(-1) == number)
            fine.append(([members[k] for k in place], numbers[place]))
    divided = fine if by_zeros and len(fine) <= KINDS_LIMIT else coarse
    return [_group(model.links[members[0]], members, numbers) for members, numbers in divided]


def _numbers(links: Sequence[Link]) -> Array:
    """Rotation and position of the placement, mass, first moment, inertia, armature, the joint's own; a row a link."""
    T = np.array([link.placement for link in links])
    m = np.array([link.rigid_inertia.mass for link in links])
    h = np.array([link.rigid_inertia.first_moment for link in links])
    I = np.array([link.rigid_inertia.inertia for link in links])
    armature = np.array([link.armature for link in links]).reshape(len(links), -1)
    parts = [T[:, :3, :3].reshape(-1, 9), T[:, :3, 3], m[:, None], h, I[(slice(None), *np.triu_indices(3))], armature]
    parts.append(np.array([link.motion.numbers for link in links]).reshape(len(links), -1))
    return np.concatenate(parts, axis=1)


def _group(first: Link, bodies: list[int], rows: Array) -> BodyGroup:
    return BodyGroup(bodies, first, rows[0], *folded(rows))


def kind_of_each(kinds: Sequence[JointKind | BodyGroup]) -> dict[int, int]:
    """For every body the number of its kind."""
    return {body: number for number, kind in enumerate(kinds) for body in kind.bodies}


def folded(rows: Array) -> tuple[list[int], Array]:
    """For each number of every row the column that holds it, or -1 where it is the same in all; and the columns."""
    columns: list[Array] = []
    places: list[int] = []
    for column in rows.T:
        if (column == column[0]).all():
            places.append(-1)
            continue
        place = next((k for k, known in enumerate(columns) if (known == column).all()), len(columns))
        if place == len(columns):
            columns.append(column)
        places.append(place)
    return places, np.stack(columns, axis=1) if columns else rows[:, :0]


def pose_of(graph: Graph, values: Sequence[Any]) -> Array:
    """Return a pose (4, 4) from the nine numbers of its rotation and the three of its position."""
    pose = objects([graph.zero] * 16).reshape(4, 4)
    pose[:3, :3], pose[:3, 3] = objects(values[:9]).reshape(3, 3), objects(values[9:])
    pose[3, 3] = graph.constant(1.0)
    return pose


def pose_from(values: Sequence[Any]) -> Array:
    """Return a pose (4, 4) from the twelve numbers of its upper rows, of which some may be symbols."""
    upper = objects(values).reshape(3, 4)
    return plain(np.concatenate([upper, np.array([[0.0, 0.0, 0.0, 1.0]], dtype=object)]))


def plain(A: Array) -> Array:
    """Return an array of numbers, where all its entries are."""
    return A.astype(float) if all(isinstance(x, (int, float)) for x in A.flat) else A


def objects(values: Sequence[Any]) -> Array:
    """Return a vector of any objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def coordinates(kind: JointKind, member: int = 0, still: bool = False) -> tuple[Array, Array, Array]:
    """Symbols for q, v and τ of a joint; ``member``: which of several kinds in one graph.

    ``still``: v and τ are zero.
    """
    motion = kind.link.motion
    q, v, tau = (
        objects([kind.symbol(SymbolSource("input", 3 * member + number, k)) for k in range(n)])
        for number, n in enumerate((motion.nq, motion.nv, motion.nv))
    )
    return (q, np.zeros(motion.nv), np.zeros(motion.nv)) if still else (q, v, tau)
