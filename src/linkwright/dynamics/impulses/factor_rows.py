"""Rows in factor space, computed in loops by the index of a row.

With closed loops, supports begin with the coordinates of these (`supports.py`). Rows on the same loops are projected by
constant rows of N; rows on different loops of the same sizes, by tables of the projectors N (Nᵀ N)⁺ Nᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.supports import LONG
from linkwright.spatial.arrays import Array, is_zero
from linkwright.spatial.loops.entry_table import EntryTable, NumberTable
from linkwright.spatial.loops.memory import read, write
from linkwright.spatial.loops.repeats import repeat


class FactorRows:
    """Rows Y = D^(−½) L⁻ᵀ Jᵀ on supports of the same number of coordinates; long ones in loops, whose code is short.

    Tables hold the entries of L and D^(−½), and where those of each support are.
    """

    def __init__(
        self,
        graph: Any,
        supports: Sequence[tuple[int, ...]],
        factors: InertiaFactors,
        numbers: Sequence[Sequence[float]],
    ):
        """``numbers``: constants of each row, which :meth:`number` returns; supports have loops of the same sizes."""
        self._graph, self.depth, self._factors = graph, len(supports[0]), factors
        self._loop_sizes, self._support = factors.loop_sizes(supports[0]), supports[0]
        loops = [factors.loops_within(support) for support in supports]
        self._projectors = self._projector_table(loops) if len(set(loops)) > 1 else None
        lower: list[Any] = [0.0]
        places: dict[tuple[int, int], int] = {}
        triangles: dict[tuple[int, ...], int] = {}
        triangle: list[int] = []
        rows: list[list[float]] = []
        for support, own in zip(supports, numbers, strict=True):
            if support not in triangles:
                triangles[support] = len(triangle)
                for i, row in enumerate(support):
                    for column in support[:i]:
                        x = factors.L[row, column]
                        if not is_zero(x) and (row, column) not in places:
                            places[row, column] = len(lower)
                            lower.append(x)
                        triangle.append(places.get((row, column), 0))
            placed = [] if self._projectors is None else [self._projectors[1][n] for n in loops[len(rows)]]
            rows.append([float(x) for x in (triangles[support], *support, *placed, *own)])
        self._own = 1 + self.depth + (0 if self._projectors is None else len(self._loop_sizes))
        self._lower, self._roots = graph.row(lower), graph.row(list(factors.roots))
        self._triangle = graph.row([float(x) for x in (*triangle, 0)])
        self._long = self.depth >= LONG
        self._numbers = (NumberTable if self._long else EntryTable)(graph, rows)

    def coordinate(self, k: Any, j: int) -> Any:
        """Return the index in v of the j-th coordinate of the support of row k."""
        return self._numbers.one(k, 1 + j)

    def number(self, k: Any, j: Any) -> Any:
        """Return the j-th constant of row k; j may be a symbol in rows of many coordinates."""
        return self._numbers.one(k, self._own + j)

    def _projector_table(self, loops: Sequence[tuple[int, ...]]) -> tuple[Any, dict[int, int]]:
        """Return a row of memory with the projectors of some loops, and the position of each."""
        entries: list[Any] = []
        places: dict[int, int] = {}
        for n in sorted({n for own in loops for n in own}):
            places[n] = len(entries)
            entries += list(self._factors.loop_projector(n).ravel())
        return self._graph.row(entries), places

    def projected(self, k: Any, Y: Array) -> Array:
        """Return rows Y (depth, count) of row k with closed loops."""
        most = sum(self._loop_sizes)
        if self._projectors is None:
            closed = self._factors.on_closed_loops(Y[:most], self._support[:most]) if most else Y[:0]
            return np.concatenate([closed, Y[most:]])
        found, start = [], 0
        for n, size in enumerate(self._loop_sizes):
            P = read(self._projectors[0], self._numbers.one(k, 1 + self.depth + n), size * size).reshape(size, size)
            y, start = Y[start : start + size], start + size
            for _ in range(2):  # one step of refinement: loops may be ill-conditioned
                y = y - P @ y
            found.append(y)
        return np.concatenate([*found, Y[most:]])

    def solved(self, k: Any, row: Callable[[Any], Sequence[Any]], count: int) -> Array:
        """Return Y (depth, count) of row k with open loops; ``row``: returns the j-th row (count,) of Jᵀ."""
        if self._long:
            return self._solved_in_loop(k, row, count)
        found: list[Array] = []  # from the last coordinate to the first
        for i in reversed(range(self.depth)):
            y = np.stack(list(row(i)))
            for n, below in enumerate(found):
                y = y - self._factor(k, self.depth - 1 - n, i) * below
            found.append(y)
        return np.stack([self._root(k, j) * y for j, y in enumerate(reversed(found))])

    def _solved_in_loop(self, k: Any, row: Callable[[Any], Sequence[Any]], count: int) -> Array:
        """Do the same in loops over the coordinates and the entries of L, with the rows in memory."""
        graph, depth = self._graph, self.depth
        order = [(i, n, n * (n - 1) // 2 + i) for i in reversed(range(depth)) for n in reversed(range(i + 1, depth))]
        steps = NumberTable(graph, order)

        def written(j: Any, ys: Any) -> Any:
            return write(ys, j * float(count), row(j))

        def eliminated(t: Any, ys: Any) -> Any:
            at, below, place = (steps.one(t, float(i)) for i in range(3))
            factor = graph.entry(self._lower, graph.entry(self._triangle, self._numbers.one(k, 0) + place))
            old, solved = (read(ys, first * float(count), count) for first in (at, below))
            return write(ys, at * float(count), old - factor * solved)

        ys = repeat(depth, written, graph.room(depth * count))
        ys = repeat(len(order), eliminated, ys)
        return np.stack([self._root(k, j) * read(ys, float(j * count), count) for j in range(depth)])

    def _root(self, k: Any, j: int) -> Any:
        return self._graph.entry(self._roots, self.coordinate(k, j))

    def _factor(self, k: Any, i: int, j: int) -> Any:
        """Return the entry of L for the i-th and the j-th coordinate, i > j."""
        at = self._graph.entry(self._triangle, self._numbers.one(k, 0) + float(i * (i - 1) // 2 + j))
        return self._graph.entry(self._lower, at)
