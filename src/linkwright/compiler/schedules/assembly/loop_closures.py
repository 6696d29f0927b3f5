"""Closed loops as joins of the assembly, on lanes: each way round, with what its two sides are, is traced once.

Loops are alike when joints of the same kinds lead from the nearest common ancestor to both of their ends. The pose and
the twist of one end relative to the other follow from these joints' coordinates, so that nothing is lost in mechanisms
that are long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import (
    JointKind,
    SymbolSource,
    coordinates,
    folded,
    groups_of,
    kind_of_each,
    pose_of,
)
from linkwright.compiler.schedules.assembly.sides import JoinSide, JoinSides, handed_down, response_of, symbols
from linkwright.dynamics.assembly.loops import Closing, closing_terms, known_length
from linkwright.dynamics.assembly.schedule import GROUND, Join, Schedule
from linkwright.dynamics.assembly.subassembly import HandlePlacement, close, free_sizes, open_again
from linkwright.dynamics.closed_loops.rows import Pace, branches, loop_ends, walk_along
from linkwright.expression.graph import Graph
from linkwright.model.elements import Frame
from linkwright.model.joints.loop import Loop, LoopType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


class LoopVariant(NamedTuple):
    """Loops that are the same program."""

    kind: LoopType
    """with 1 for its numbers"""
    outwards: tuple[int, ...]
    """the kinds of joints from the common ancestor to the first end"""
    inwards: tuple[int, ...]
    """and to the second"""
    first: JoinSide
    """the body of the first end alone, or the ground"""
    second: JoinSide
    parent: JoinSide
    child: JoinSide
    """what the loop is joined between; "same" where it closes within one node, the parent's side"""
    place: HandlePlacement


class LoopClosures:
    """The loops of a schedule."""

    def __init__(self, model: Model, schedule: Schedule, closing: Closing | None, orders: Mapping[int, Sequence[int]]):
        self.model, self.closing, self.orders = model, closing, orders
        self.first_number = len(model.links)
        self.ends: list[tuple[Frame, Frame]] = []
        if schedule.loops:
            self.ends = [loop_ends(model, loop) for loop in model.loops if isinstance(loop, Loop)]
        self.kinds_of = kind_of_each(groups_of(model)) if self.ends else {}

    @property
    def bodies(self) -> list[int]:
        """Those at which loops end."""
        return sorted({end.body for ends in self.ends for end in ends if end.body != GROUND})

    def variant(self, join: Join, alone: Mapping[int, JoinSide], parent: JoinSide, child: JoinSide) -> LoopVariant:
        """Return the variant of a loop; ``alone``: single bodies, as sides."""
        first, second = ends = self.ends[join.joint - self.first_number]
        outwards, inwards = (tuple(self.kinds_of[k] for k in bodies) for bodies in self._ways(*ends))
        kind = self.kind(join.joint).kind
        child = JoinSide("same", 0) if join.parent_node == join.child_node else child
        return LoopVariant(kind, outwards, inwards, alone[first.body], alone[second.body], parent, child, join.place)

    def kind(self, loop: int) -> LoopType:
        """That of a loop."""
        return self.model.loops[loop - self.first_number].kind  # type: ignore[union-attr]

    def _ways(self, first: Frame, second: Frame) -> tuple[list[int], list[int]]:
        return branches(self.model, first.body, second.body)

    def members(self, loop: int) -> list[int]:
        """Return the bodies on the paths of a loop: to the first end, then to the second."""
        outwards, inwards = self._ways(*self.ends[loop - self.first_number])
        return outwards + inwards


class TracedLoop:
    """A loop's closing and opening as expressions."""

    def __init__(self, closings: LoopClosures, sides: JoinSides, variant: LoopVariant, loops: Sequence[int]):
        self.closings, self.variant, self.loops = closings, variant, loops
        model, closing = closings.model, closings.closing
        assert closing is not None
        self.kind = JointKind(model.links[0], Graph(), {}, [], np.zeros((0, 0)))
        """the graph and its symbols"""
        self.graph = self.kind.graph
        self.columns: list[Array] = []
        """of every body that is gone by, then of the two ends and the kind, the numbers in which loops differ"""
        paces = []
        for number, alike in enumerate(zip(*(closings.members(loop) for loop in loops), strict=True)):
            (group,) = groups_of(model, alike, by_zeros=False)
            kind = group.kind(self.kind, number)
            self.columns.append(group.columns)
            q, v, _ = coordinates(kind, number)
            paces.append(Pace(number, kind.link, q, v))
        places = []
        for which in range(2):
            ends = [closings.ends[loop - closings.first_number][which].placement for loop in loops]
            rows = np.array([np.append(T[:3, :3], T[:3, 3]) for T in ends])
            places.append(pose_of(self.graph, self._numbers(rows)))
        given = np.array([[*closings.kind(loop).numbers.values()] for loop in loops])
        loop_kind = variant.kind.with_numbers(self._numbers(given) if given.size else [])
        walk = walk_along(paces[: len(variant.outwards)], paces[len(variant.outwards) :], places[0], places[1])
        w = [
            np.zeros(3) if side.what == "ground" else sides.angular_velocity(self.kind, space)
            for side, space in ((variant.first, "parent"), (variant.second, "own"))
        ]
        first, second = places
        length = known_length(model)
        terms = closing_terms(loop_kind, first, second, walk.pose, walk.twist, w[0], w[1], closing, length)
        free = [
            np.zeros((6, 6)) if side.what == "ground" else sides.inertia(self.kind, side.number, space).compliance
            for side, space in ((variant.first, "parent leaf"), (variant.second, "leaf"))
        ]
        same, place = variant.child.what == "same", variant.place
        found = sides.found(self.kind, variant.parent, "A", w[0])
        other = found if same else sides.found(self.kind, variant.child, "B", w[1])
        sizes = len(found.bias) // 6, len(other.bias) // 6
        order = closings.orders.get(loops[0])
        made, closed = close(found, other, place, terms, same, free_sizes(free[0], free[1], terms), order)
        self.handles = len(made.bias) // 6
        outer = symbols(self.kind, "outer", 6 * self.handles)
        self.result = response_of(self.graph, made)
        _, *forces = open_again(place, sizes, terms, closed, outer, same)
        self.torn = handed_down(self.graph, (variant.parent, variant.child), forces)

    def _numbers(self, rows: Array) -> list[Any]:
        """Numbers of each loop (loops, …)."""
        places, columns = folded(rows)
        number = len(self.columns)
        self.columns.append(columns)
        return [
            self.graph.constant(x) if place < 0 else self.kind.symbol(SymbolSource("data", number, place))
            for x, place in zip(rows[0], places, strict=True)
        ]
