"""The choice between computing and reading values, as a minimum cut of a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from linkwright.expression.graph import Expr


class Choice(NamedTuple):
    """Values that a program computes, and values that it reads."""

    computed: list[Expr]
    loaded: list[Expr]


def cheapest(
    wanted: Iterable[Expr],
    nodes: Sequence[Expr],
    computing: Callable[[Expr], float],
    reading: Callable[[Expr], float],
) -> Choice:
    """Return the cheapest choice that provides all wanted values.

    ``nodes``: all expressions that they may follow from, without constants, in dependency order. ``computing``,
    ``reading``: costs, of computing without the arguments; infinite where impossible.
    """
    cut = Cut(2 * len(nodes) + 2)
    place = {node.index: 2 * k for k, node in enumerate(nodes)}
    source, sink = 2 * len(nodes), 2 * len(nodes) + 1
    for node in nodes:
        first, cost = place[node.index], computing(node)
        if cost == np.inf:  # not computed: its first node is the source
            cut.edge(source, first + 1, reading(node))
            continue
        cut.edge(source, first, cost)
        cut.edge(first, first + 1, reading(node))
        for a in node.args:
            if a.value is None:
                cut.edge(place[a.index] + 1, first, np.inf)
    for node in wanted:
        cut.edge(place[node.index] + 1, sink, np.inf)
    near = cut.near(source, sink)
    computed: list[Expr] = []
    loaded: list[Expr] = []
    for node in nodes:
        first = place[node.index]
        if not near[first + 1]:
            (loaded if near[first] or computing(node) == np.inf else computed).append(node)
    return Choice(computed, loaded)


class Cut:
    """A minimum cut, by blocking flows (Dinic 1970)."""

    def __init__(self, n: int):
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.head: list[int] = []
        self.left: list[float] = []

    def edge(self, a: int, b: int, capacity: float) -> None:
        self.out[a].append(len(self.head))
        self.out[b].append(len(self.head) + 1)
        self.head += (b, a)
        self.left += (capacity, 0.0)

    def _distances(self, source: int, sink: int) -> list[int]:
        """Return the distances to the sink in the residual network, for nodes no farther than the source, else -1."""
        left, head, out = self.left, self.head, self.out
        distance = [-1] * len(out)
        distance[sink] = 0
        nearest = [sink]
        while nearest and distance[source] < 0:
            farther = []
            for b in nearest:
                next = distance[b] + 1
                for e in out[b]:
                    if distance[head[e]] < 0 and left[e ^ 1] > 0.0:
                        distance[head[e]] = next
                        farther.append(head[e])
            nearest = farther
        return distance

    def _reached(self, source: int) -> list[bool]:
        """Return the nodes reached by edges with residual capacity."""
        left, head, out = self.left, self.head, self.out
        reached = [False] * len(out)
        reached[source] = True
        rest = [source]
        while rest:
            for e in out[rest.pop()]:
                if left[e] > 0.0 and not reached[head[e]]:
                    reached[head[e]] = True
                    rest.append(head[e])
        return reached

    def near(self, source: int, sink: int) -> list[bool]:
        """Return which nodes are on the source's side: of all minimum cuts the one nearest to it."""
        left, head, out = self.left, self.head, self.out
        while (distance := self._distances(source, sink))[source] >= 0:
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
                edges, k, ahead = out[a], at[a], distance[a] - 1
                while k < len(edges) and not (left[edges[k]] > 0.0 and distance[head[edges[k]]] == ahead):
                    k += 1
                at[a] = k
                if k < len(edges):
                    path.append(edges[k])
                    a = head[edges[k]]
                elif path:
                    a = head[path.pop() ^ 1]
                    at[a] += 1
                else:
                    break
        return self._reached(source)
