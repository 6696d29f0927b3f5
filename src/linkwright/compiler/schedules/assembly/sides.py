"""Sides of a join of the assembly: the ground, single bodies that are leaves, nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import JointKind, SymbolSource, folded, objects
from linkwright.compiler.ir.staged import Write
from linkwright.compiler.schedules.assembly.rematerialization import A, B
from linkwright.dynamics.assembly.subassembly import LeafInertia, Subassembly, ground, leaf, leaf_inertia
from linkwright.expression.graph import Expr, Graph
from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

LEAF_KINDS = 2
"""Largest number of kinds up to which bodies are distinguished by the zeros of their inertias."""


class JoinSide(NamedTuple):
    """One side of a join."""

    what: str
    """ "ground", "leaf" or "node" """
    number: int
    """the kind of leaf, or how many handles"""


class LeafKind(NamedTuple):
    """Bodies that are leaves of one kind."""

    bodies: list[int]
    constants: Array
    """the numbers of a :class:`LeafInertia` of any of them"""
    places: list[int]
    """for each number the column that holds it, or -1 where it is the same for all"""
    columns: Array
    """(bodies, …)"""


def leaf_kinds(model: Model, bodies: Sequence[int]) -> list[LeafKind]:
    """These bodies by kind."""
    known: dict[bytes, Array] = {}  # long mechanisms mostly repeat few bodies
    numbers = []
    for link in (model.links[k] for k in bodies):
        own = b"".join(np.asarray(x, dtype=float).tobytes() for x in link.rigid_inertia)
        if own not in known:
            known[own] = _leaf_numbers(link)
        numbers.append(known[own])
    if not numbers:
        return []
    rows = np.array(numbers)
    patterns: dict[bytes, list[int]] = {}
    for k, row in enumerate(rows):
        patterns.setdefault((row == 0.0).tobytes(), []).append(k)
    groups = list(patterns.values()) if len(patterns) <= LEAF_KINDS else [list(range(len(rows)))]
    found = []
    for members in groups:
        places, columns = folded(rows[members])
        found.append(LeafKind([bodies[k] for k in members], rows[members[0]], places, columns))
    return found


_UPPER_6, _UPPER_3 = np.triu_indices(6), np.triu_indices(3)


def _leaf_numbers(link: Link) -> Array:
    compliance, center, moment = leaf_inertia(link)
    return np.concatenate([compliance[_UPPER_6], center, moment[_UPPER_3]])


def response_size(handles: int) -> int:
    """Return the size of a response: the upper half of Φ, then b."""
    return 3 * handles * (6 * handles + 1) + 6 * handles


def _symmetric(graph: Graph, values: Sequence[Any], n: int) -> Array:
    matrix = objects([graph.zero] * (n * n)).reshape(n, n)
    rows, columns = np.triu_indices(n)
    for i, j, x in zip(rows, columns, values, strict=True):
        matrix[i, j] = matrix[j, i] = x
    return matrix


def symbols(kind: JointKind, space: str, n: int) -> Array:
    """So many numbers of a space (n,)."""
    return objects([kind.symbol(SymbolSource(space, 0, k)) for k in range(n)])


def expressions(graph: Graph, values: Iterable[Any]) -> list[Expr]:
    """Each as an expression, what is a number too."""
    return [graph.coerce(x) for x in values]


def response_of(graph: Graph, made: Subassembly) -> list[Expr]:
    """Return the response of a node, :func:`response_size` numbers."""
    n = len(made.bias)
    upper: Any = made.compliance[np.triu_indices(n)] if n else []
    return expressions(graph, [*upper, *made.bias])


def handed_down(graph: Graph, sides: Sequence[JoinSide], forces: Sequence[Array]) -> list[tuple[Write, Expr]]:
    """Return the forces (6n,) on the handles of the parent's and the child's side, where these are nodes."""
    return [
        (Write(space, k), x)
        for space, side, on_side in zip((A, B), sides, forces, strict=True)
        if side.what == "node"
        for k, x in enumerate(expressions(graph, on_side))
    ]


class JoinSides(NamedTuple):
    """The sides of all joins."""

    gravity: Array
    leaf_kinds: list[LeafKind]
    entries: Mapping[int, Sequence[int]]
    """by the number of handles, which entries of a node's response are stored; the others are zero"""
    still: bool
    """whether nothing moves and nothing is driven"""

    def angular_velocity(self, kind: JointKind, space: str) -> Array:
        """ω (3,) of the joint's own body or its parent."""
        return np.zeros(3) if self.still else symbols(kind, space, 3)

    def found(self, kind: JointKind, side: JoinSide, space: str, w: Array) -> Subassembly:
        """Return a side in symbols; ``space``: "A" for the parent's, "B" for the child's; ω (3,) is that of a leaf."""
        if side.what == "ground":
            return ground(self.gravity)
        if side.what == "leaf":
            return leaf(self.inertia(kind, side.number, "parent leaf" if space == "A" else "leaf"), w, np.zeros(6))
        known, size, n = set(self.entries[side.number]), response_size(side.number), 6 * side.number
        graph = kind.graph
        values = [kind.symbol(SymbolSource(space, side.number, k)) if k in known else graph.zero for k in range(size)]
        return Subassembly(_symmetric(graph, values[: size - n], n), objects(values[size - n :]))

    def inertia(self, kind: JointKind, number: int, space: str) -> LeafInertia:
        """That of a kind of leaf; ``space``: where its numbers are."""
        one, graph = self.leaf_kinds[number], kind.graph
        x = [
            graph.constant(x) if place < 0 else kind.symbol(SymbolSource(space, number, place))
            for x, place in zip(one.constants, one.places, strict=True)
        ]
        return LeafInertia(_symmetric(graph, x[:21], 6), objects(x[21:24]), _symmetric(graph, x[24:], 3))
