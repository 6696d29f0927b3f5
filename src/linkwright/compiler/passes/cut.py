"""Minimum cuts of networks: what to remember and what to compute again."""

from __future__ import annotations

from collections import deque


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
