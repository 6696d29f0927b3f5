"""Memory layout of assembly–disassembly on lanes: tables for the code of `levels.py`.

Joins, and blocks of bodies that are leaves, run in chunks: as many of one level and variant as there are lanes, or a
single one. The data of a side of a join are in a *port*, lane by lane in the order of reading. Chunks run depth first,
so that few ports are in use simultaneously: a response is in the nearest cache when it is needed, for any size of the
mechanism.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.compiler.emit.stages import ALIGNMENT
from linkwright.compiler.schedules.assembly.blocks import BlockVariant
from linkwright.compiler.schedules.assembly.programs import AssemblyPrograms
from linkwright.dynamics.assembly.schedule import GROUND, Join, Schedule

GROUND_RECORD = 4
"""Numbers in the record of the ground: it does not turn."""


class Chunk(NamedTuple):
    """A row of the table of chunks: places in the scratch memory, in bytes, and in other tables."""

    function: int
    """2 · variant, and 1 if on lanes"""
    ids: int
    """where in the table of lanes"""
    A: int
    B: int
    result: int
    scatter: int
    """where in the table of copies it says where results go, -1 if they are in place"""
    kept: int
    A_down: int
    B_down: int
    outer: int
    gather: int
    """where in the table of copies it says where forces come from, -1 if they are in place"""


COLUMNS = len(Chunk._fields)


class AssemblyTables(NamedTuple):
    """Tables for one schedule."""

    chunks: np.ndarray
    """(chunks, 11), in the order of assembly: see :class:`Chunk`"""
    ids: np.ndarray
    """for every chunk, lane by lane, offsets of data. Joins: records of the joints' bodies and of their parents, data
    of both, the joints' rates. Loops: the same of the second and first bodies, data of the loops, then data, q, v and
    rates of every body. Blocks: records of the first bodies, then as loops
    """
    copies: np.ndarray
    """between a chunk's lanes and ports: how many lanes, entries, bytes from entry to entry, then for each lane the
    place in the port and the bytes from entry to entry there"""
    bodies: np.ndarray
    """(those that are moved, 4): where the parent's record begins, the kind, where the own record and data begin"""
    groups: np.ndarray
    """for every kind, by groups of lanes, offsets of its bodies' records, data, q and v; unused lanes: the last body"""
    sizes: np.ndarray
    """how many bodies are moved, how many chunks; then how many blocks of lanes of every kind"""
    bytes: int
    """of scratch memory"""
    used: frozenset[int]
    """which functions the chunks call"""


Port = tuple[int, int]
"""A chunk and one of its sides: 0 the parent's, 1 the child's."""


class ChunkPlan:
    """Which joins (and blocks) run together, and in which order. They are numbered as nodes of the schedule."""

    def __init__(self, schedule: Schedule, parts: AssemblyPrograms, width: int):
        self.schedule, self.parts, self.width = schedule, parts, width
        self.members: list[list[int]] = []
        """the nodes of every chunk, lane by lane"""
        nodes = len(schedule.handles)
        self.chunk_of = [-1] * nodes
        self.lane_of = [0] * nodes
        self.consumer = [(-1, 0)] * nodes
        """of every node the join that takes it, and as which side; -1 where none does"""
        for number, one in enumerate(schedule.joins, len(schedule.blocks)):
            for side, node in ((1, one.child_node), (0, one.parent_node)):
                if node != GROUND:  # a loop within one node takes it as the parent's side
                    self.consumer[node] = (number, side)
        levels: dict[int, list[int]] = {}
        for node, variant in enumerate(parts.variant_of):
            if variant >= 0:
                levels.setdefault(schedule.level_of[node], []).append(node)
        for level in sorted(levels, reverse=True):
            self._divide(levels[level])
        self.order = self._depth_first()

    def _divide(self, nodes: list[int]) -> None:
        """Chunks of the nodes of a level; those of one variant whose results go to the same port together."""
        groups: dict[tuple[int, Port], list[tuple[int, int]]] = {}
        for number in nodes:
            by, side = self.consumer[number]
            port, lane = ((self.chunk_of[by], side), self.lane_of[by]) if by >= 0 else ((-1, 0), number)
            groups.setdefault((self.parts.variant_of[number], port), []).append((lane, number))
        left: dict[int, list[int]] = {}
        first = len(self.members)
        for (variant, _), group in groups.items():
            ordered = [number for _, number in sorted(group)]
            whole = len(ordered) // self.width * self.width
            self.members += [ordered[k : k + self.width] for k in range(0, whole, self.width)]
            left.setdefault(variant, []).extend(ordered[whole:])
        for rest in left.values():
            self.members += [rest[k : k + self.width] for k in range(0, len(rest), self.width)]
        for chunk in range(first, len(self.members)):
            for lane, number in enumerate(self.members[chunk]):
                self.chunk_of[number], self.lane_of[number] = chunk, lane

    def _depth_first(self) -> list[int]:
        """Return the chunks, each after those whose results it needs."""
        order: list[int] = []
        begun = [False] * len(self.members)
        for root in range(len(self.members)):
            stack = [(root, False)]
            while stack:
                chunk, done = stack.pop()
                if done:
                    order.append(chunk)
                elif not begun[chunk]:
                    begun[chunk] = True
                    stack.append((chunk, True))
                    stack += [(one, False) for one in self._needed(chunk) if not begun[one]]
        return order

    def join(self, node: int) -> Join | None:
        """Return the join of a node; None for a block."""
        number = node - len(self.schedule.blocks)
        return self.schedule.joins[number] if number >= 0 else None

    def _needed(self, chunk: int) -> list[int]:
        made = [self.join(number) for number in reversed(self.members[chunk])]
        members = [one for one in made if one is not None]
        nodes = [one.child_node for one in members] + [one.parent_node for one in members]
        return [self.chunk_of[node] for node in nodes if node != GROUND and self.chunk_of[node] >= 0]

    def lanes(self, chunk: int) -> int:
        """Return the number of lanes of a chunk."""
        return self.width if len(self.members[chunk]) > 1 else 1

    def variant(self, chunk: int) -> int:
        """Return the variant of a chunk's joins."""
        return self.parts.variant_of[self.members[chunk][0]]

    def handles(self, port: Port) -> int:
        """Return the number of handles of the nodes in a port; none for a side of leaves or the ground."""
        variant = self.parts.variants[self.variant(port[0])]
        if isinstance(variant, BlockVariant):
            return 0
        side = (variant.parent, variant.child)[port[1]]
        return side.number if side.what == "node" else 0

    def result_handles(self, chunk: int) -> int:
        """Return the number of handles of a chunk's results."""
        return len(self.schedule.handles[self.members[chunk][0]])

    def targets(self, chunk: int) -> list[tuple[Port, int]]:
        """Return the port and the lane of each lane's result."""
        found = []
        for number in self.members[chunk]:
            by, side = self.consumer[number]
            if by >= 0:
                found.append(((self.chunk_of[by], side), self.lane_of[by]))
        return found

    def in_place(self, chunk: int) -> bool:
        """Return whether a chunk's lanes are all used lanes of a port; unused ones are written too."""
        targets = self.targets(chunk)
        port = targets[0][0]
        return targets == [(port, lane) for lane in range(len(self.members[port[0]]))]


class _PortAllocator:
    """Memory of ports, given and taken back in blocks of many sizes; the one given back last is given first."""

    def __init__(self, plan: ChunkPlan, sizes: dict[int, int]):
        self.plan, self.sizes = plan, sizes
        self.place: dict[Port, int] = {}
        self.free: dict[int, list[int]] = {}
        """by size"""
        self.total = 0

    def _size(self, port: Port) -> int:
        return _rounded(8 * self.plan.lanes(port[0]) * self.sizes[self.plan.handles(port)])

    def open(self, port: Port) -> int:
        """Return the address of a port; allocate it if needed."""
        if port not in self.place:
            size = self._size(port)
            free = self.free.get(size)
            if free:
                self.place[port] = free.pop()
            else:
                self.place[port] = self.total
                self.total += size
        return self.place[port]

    def close(self, port: Port) -> None:
        """Give a port's memory back."""
        self.free.setdefault(self._size(port), []).append(self.place[port])


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _padded(numbers: np.ndarray, width: int) -> np.ndarray:
    """Return the numbers with the last one repeated until lanes are full."""
    return np.concatenate([numbers, np.repeat(numbers[-1:], -len(numbers) % width)])


def records_at(nv: int, width: int) -> int:
    """Return the offset of the records in the scratch memory: after the accelerations, and room for unused lanes."""
    return _rounded(8 * (nv + width))


def layout_of(schedule: Schedule, parts: AssemblyPrograms, width: int) -> AssemblyTables:
    """Return the tables of a schedule for registers of ``width`` lanes."""
    plan = ChunkPlan(schedule, parts, width)
    places = _places(schedule, parts)
    nv = int(parts.widths[:, 1].sum())
    up = _PortAllocator(plan, {handles: len(stored) for handles, stored in parts.entries.items()})
    down = _PortAllocator(plan, {handles: 6 * handles for handles in parts.entries})
    # memory: the joints' accelerations, records, a chunk's lanes before they are copied; ports; the kept
    largest = max((*up.sizes.values(), *down.sizes.values()), default=0)
    lanes_at = records_at(nv, width) + _rounded(8 * places.total)
    used = lanes_at + _rounded(8 * width * largest)

    rows = np.full((len(plan.order), COLUMNS), -1, dtype=np.int64)
    column = {name: k for k, name in enumerate(Chunk._fields)}
    copies: list[int] = []
    copied: list[tuple[int, _PortAllocator]] = []
    ids: list[np.ndarray] = []

    def reach(row: int, chunk: int, ports: _PortAllocator, direct: str, indirect: str) -> None:
        """Where a chunk's results go, or the forces on them come from."""
        if not (targets := plan.targets(chunk)):
            return
        begins = [ports.open(port) for port, _ in targets]
        if plan.in_place(chunk):
            rows[row, column[direct]] = begins[0]
            return
        rows[row, column[indirect]] = len(copies)
        copied.append((len(copies), ports))
        copies.extend((len(begins), ports.sizes[plan.result_handles(chunk)], 8 * plan.lanes(chunk)))
        for place, (port, lane) in zip(begins, targets, strict=True):
            copies.extend((place + 8 * lane, 8 * plan.lanes(port[0])))

    kept = at = 0
    for row, chunk in enumerate(plan.order):
        lanes, variant = plan.lanes(chunk), plan.variant(chunk)
        begins = _begins(plan, places, chunk, lanes, nv)
        ids += begins
        rows[row, :2] = 2 * variant + (lanes > 1), at
        at += len(begins) * lanes
        reach(row, chunk, up, "result", "scatter")
        for side, name in enumerate(("A", "B")):
            if plan.handles((chunk, side)):
                rows[row, column[name]] = up.open((chunk, side))
                up.close((chunk, side))
        rows[row, column["kept"]] = kept
        kept += _rounded(8 * lanes * parts.kept[variant])
    unread: dict[Port, int] = {}
    for row, chunk in reversed(list(enumerate(plan.order))):
        for side, name in enumerate(("A_down", "B_down")):
            if plan.handles((chunk, side)):
                rows[row, column[name]] = down.open((chunk, side))
                unread[chunk, side] = len(plan.members[chunk])
        reach(row, chunk, down, "outer", "gather")
        for port, _ in plan.targets(chunk):
            unread[port] -= 1
            if not unread[port]:
                down.close(port)

    begin = {up: used, down: used + up.total}
    keeps = used + up.total + down.total
    table = np.array(copies or [0], dtype=np.int64)
    for start, ports in copied:
        table[start + 3 : start + 3 + 2 * table[start] : 2] += begin[ports]
    # what a chunk does not read or write is anywhere
    for names, offset, instead in (
        (("A", "B", "result"), begin[up], lanes_at),
        (("kept",), keeps, lanes_at),
        (("A_down", "B_down", "outer"), begin[down], lanes_at),
    ):
        for name in names:
            found = rows[:, column[name]]
            rows[:, column[name]] = np.where(found < 0, instead, found + offset)
    groups: list[np.ndarray] = []
    blocks = []
    for kind in parts.kinds:
        members = _padded(np.array(kind.bodies), width)
        begins = [places.record[members + 1], places.data[members + 1], places.q[members], places.v[members]]
        groups.append(np.stack(begins).reshape(4, -1, width).transpose(1, 0, 2).ravel())
        blocks.append(len(members) // width)
    moved = np.flatnonzero(places.kind >= 0)
    sizes = [len(moved), len(rows), *blocks]
    data = places.data[1 : len(places.kind) + 1]
    bodies = np.stack([places.record[places.parent], places.kind, places.record[1:], data], axis=1)[moved]
    return AssemblyTables(
        rows,
        np.concatenate(ids),
        table,
        bodies,
        np.concatenate([np.zeros(0, dtype=np.int64), *groups]),
        np.array(sizes, dtype=np.int64),
        keeps + kept,
        frozenset(rows[:, 0].tolist()),
    )


def _begins(plan: ChunkPlan, places: _BodyOffsets, chunk: int, lanes: int, unused: int) -> list[np.ndarray]:
    """Return the offsets for every lane of a chunk (:attr:`Layout.ids`); rates of unused lanes go to a dummy."""
    nodes = plan.members[chunk]
    joints = [one.joint for one in map(plan.join, nodes) if one is not None]

    def rates(bodies: np.ndarray) -> np.ndarray:
        begins = places.v[bodies]
        begins[len(nodes) :] = unused
        return begins

    if joints and joints[0] < len(plan.schedule.parents):
        body = _padded(np.array(joints), lanes)
        parent = places.parent[body]
        begins = [places.record[body + 1], places.record[parent], places.data[body + 1], places.data[parent]]
        return [*begins, rates(body)]
    if joints:
        loop = _padded(np.array(joints), lanes)
        first, second = np.array([plan.schedule.ends(k) for k in loop.tolist()]).T + 1
        begins = [places.record[second], places.record[first], places.data[second], places.data[first]]
        begins.append(places.data[loop + 1])
        groups = [tuple(plan.parts.members[k]) for k in joints]
    else:
        groups = [plan.schedule.blocks[node] for node in nodes]
        begins = [places.record[_padded(np.array([bodies[0] for bodies in groups]), lanes) + 1]]
    for members in zip(*groups, strict=True):
        bodies = _padded(np.array(members), lanes)
        begins += [places.data[bodies + 1], places.q[bodies], places.v[bodies], rates(bodies)]
    return begins


class _BodyOffsets(NamedTuple):
    """Offsets of the data of bodies; records and data of the ground come first."""

    parent: np.ndarray
    """(n,), the number of the parent's record"""
    kind: np.ndarray
    """-1 of bodies that are not moved beforehand"""
    record: np.ndarray
    """(n + 1,)"""
    data: np.ndarray
    """(n + 1 + loops,)"""
    q: np.ndarray
    v: np.ndarray
    total: int
    """numbers in all records"""


def _places(schedule: Schedule, parts: AssemblyPrograms) -> _BodyOffsets:
    n = len(schedule.parents)
    kinds, sizes = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for number, (kind, size) in enumerate(zip(parts.kinds, parts.records, strict=True)):
        kinds[kind.bodies], sizes[kind.bodies] = number, size
    nq, nv = parts.widths.T
    ends = GROUND_RECORD + np.cumsum(sizes)
    return _BodyOffsets(
        np.array(schedule.parents, dtype=np.int64) + 1,
        kinds,
        np.concatenate([[0], ends - sizes]),
        np.arange(len(parts.data), dtype=np.int64) * parts.data.shape[1],
        np.cumsum(nq) - nq,
        np.cumsum(nv) - nv,
        int(ends[-1]),
    )
