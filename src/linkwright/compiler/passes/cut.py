"""What to compute and what to read instead, as a minimum cut of a network."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from linkwright.expression.graph import Expr


class Choice(NamedTuple):
    """What a program computes, and what it reads."""

    computed: list[Expr]
    loaded: list[Expr]


def cheapest(
    wanted: Iterable[Expr],
    nodes: Sequence[Expr],
    computing: Callable[[Expr], float],
    reading: Callable[[Expr], float],
) -> Choice:
    """The cheapest choice by which all that is wanted is known.

    ``nodes``: all expressions that it may follow from, without constants, each after those it follows from.
    ``computing``, ``reading``: what either costs, of computing beside what it follows from; infinite where impossible.
    """
    cut = Cut(2 * len(nodes) + 2)
    place = {node.index: 2 * k for k, node in enumerate(nodes)}
    source, sink = 2 * len(nodes), 2 * len(nodes) + 1
    for node in nodes:
        first, last, cost = place[node.index], place[node.index] + 1, computing(node)
        cut.edge(source, first, cost)
        cut.edge(first, last, reading(node))
        if cost < np.inf:
            for a in node.args:
                if a.value is None:
                    cut.edge(place[a.index] + 1, first, np.inf)
    for node in wanted:
        cut.edge(place[node.index] + 1, sink, np.inf)
    near = cut.near(source, sink)
    asked = [node for node in nodes if not near[place[node.index] + 1]]
    computed = [node for node in asked if not near[place[node.index]]]
    return Choice(computed, [node for node in asked if near[place[node.index]]])


class Cut:
    """A minimum cut, by blocking flows (Dinic 1970)."""

    def __init__(self, n: int):
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.head: list[int] = []
        self.left: list[float] = []

    def edge(self, a: int, b: int, capacity: float) -> None:
        for start, end, c in ((a, b, capacity), (b, a, 0.0)):
            self.out[start].append(len(self.head))
            self.head.append(end)
            self.left.append(c)

    def _levels(self, source: int) -> list[int]:
        level = [-1] * len(self.out)
        level[source] = 0
        queue = deque([source])
        while queue:
            a = queue.popleft()
            for e in self.out[a]:
                if self.left[e] > 0.0 and level[self.head[e]] < 0:
                    level[self.head[e]] = level[a] + 1
                    queue.append(self.head[e])
        return level

    def near(self, source: int, sink: int) -> list[bool]:
        """Which nodes are on the source's side."""
        left, head, out = self.left, self.head, self.out
        while (level := self._levels(source))[sink] >= 0:
            at = [0] * len(out)
            path: list[int] = []
            a = source
            while True:
                if a == sink:
                    flow = min(left[e] for e in path)
                    for e in path:
                        left[e] -= flow
                        left[e ^ 1] += flow
                    full = next(i for i, e in enumerate(path) if left[e] <= 0.0)
                    a = head[path[full] ^ 1]
                    del path[full:]
                    continue
                while at[a] < len(out[a]):
                    e = out[a][at[a]]
                    if left[e] > 0.0 and level[head[e]] == level[a] + 1:
                        break
                    at[a] += 1
                if at[a] < len(out[a]):
                    path.append(e)
                    a = head[e]
                elif path:
                    a = head[path.pop() ^ 1]
                    at[a] += 1
                else:
                    break
        return [x >= 0 for x in level]
