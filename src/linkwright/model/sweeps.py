"""Sweeps over the bodies of a mechanism: the only places with a loop over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.spatial.arrays import Array, mirror

if TYPE_CHECKING:
    from linkwright.model.tree import Joint, Link

Step = Callable[..., Any]


class TreeSweeps:
    """What algorithms do with all bodies. Parents have lower numbers, and bodies are numbered depth first."""

    if TYPE_CHECKING:
        links: tuple[Link, ...]
        joints: tuple[Joint, ...]

        @property
        def has_couplings(self) -> bool: ...

        @property
        def coupling_matrix(self) -> Array: ...

    def each(self, step: Step, *per_body: Sequence[Any]) -> list[Any]:
        """``step(link, *this body's values) -> value`` for every body."""
        return [step(link, *(values[k] for values in per_body)) for k, link in enumerate(self.links)]

    def outward(self, step: Step, start: Any, *per_body: Sequence[Any]) -> list[Any]:
        """``step(link, parent's state, *this body's values) -> state`` for every body, parents first."""
        states: list[Any] = []
        for k, link in enumerate(self.links):
            parent = start if link.parent < 0 else states[link.parent]
            states.append(step(link, parent, *(values[k] for values in per_body)))
        return states

    def inward(self, step: Step, start: tuple[Any, ...], *per_body: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        """``step(link, received, *this body's values) -> (kept, sent)`` for every body, children first.

        ``received`` is ``start`` plus all that the children sent (tuples, added entry by entry).
        Returns what each body kept and what the world received.
        """
        received: list[tuple[Any, ...]] = [start] * (len(self.links) + 1)  # the last is the world's
        kept: list[Any] = [None] * len(self.links)
        for k in reversed(range(len(self.links))):
            link = self.links[k]
            kept[k], sent = step(link, received[k], *(values[k] for values in per_body))
            received[link.parent] = tuple(a + b for a, b in zip(received[link.parent], sent, strict=True))
        return kept, received[-1]

    def inward_columns(self, step: Step, sent: Sequence[tuple[Array, ...]], *per_body: Sequence[Any]) -> Any:
        """Columns of every body, carried inwards through all bodies that it hangs on.

        ``sent``: arrays (…, nv) of every body, a column for each of its coordinates, seen from its parent.
        ``step(link, outer, *this body's values) -> (found, passed)``: ``outer`` are the columns of all bodies beyond,
        joined in order, ``passed`` the same seen from the parent, ``found`` arrays (nv, columns). Each column must
        be treated by itself. Returned are lists of what every body found, one for each array.
        """
        beyond: list[list[tuple[Array, ...]]] = [[] for _ in self.links]
        found: list[Any] = [None] * len(self.links)
        for k in reversed(range(len(self.links))):
            link = self.links[k]
            outer = _joined(beyond[k][::-1]) if beyond[k] else like_columns(sent[k], [x[:, :0] for x in sent[k]])
            found[k], passed = step(link, outer, *(values[k] for values in per_body))
            beyond[k] = []
            if link.parent >= 0:
                beyond[link.parent].append(_joined([sent[k], passed]))
        return tuple(map(list, zip(*found, strict=True)))

    def square(self, own: Sequence[Array], above: Sequence[Array], below: Sequence[Array] | None = None) -> Array:
        """A matrix (nv, nv) from each joint's own block, its rows over those beyond it, and its columns under them.

        ``below`` has these columns as rows; without it the matrix is symmetric. What belongs to joints that follow
        others is added to what their leaders have, GᵀHG.
        """
        H = _upper(own, above)
        H = mirror(H) if below is None else H + _upper([np.zeros_like(block) for block in own], below).T
        return self.coupling_matrix.T @ H @ self.coupling_matrix if self.has_couplings else H

    def block_diagonal(self, blocks: Sequence[Array]) -> Array:
        """A matrix (nv, nv) of the joints' own blocks; what belongs to joints that follow others is left out."""
        own = [x for x, joint in zip(blocks, self.joints, strict=True) if joint.nv]
        n, at, rows = sum(map(len, own)), 0, [np.zeros((0, sum(map(len, own))))]
        for x in own:
            rows.append(np.concatenate([np.zeros((len(x), at)), x, np.zeros((len(x), n - at - len(x)))], axis=1))
            at += len(x)
        return np.concatenate(rows)

    def total(self, values: Sequence[Any]) -> Any:
        """The sum over all bodies."""
        total: Any = 0.0
        for value in values:
            total = total + value
        return total

    def on_bodies(self, values: Mapping[int, Any], zero: Any) -> Any:
        """A list of what some bodies have, the others zero."""
        return [values.get(k, zero) for k in range(len(self.links))]


def like_columns(arrays: tuple[Array, ...], values: Sequence[Array]) -> Any:
    """These arrays in a tuple of the same type."""
    return type(arrays)(*values) if hasattr(arrays, "_fields") else tuple(values)


def _joined(parts: Sequence[tuple[Array, ...]]) -> Any:
    """Columns one after the other."""
    return like_columns(parts[0], [np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)])


def _upper(own: Sequence[Array], above: Sequence[Array]) -> Array:
    """A block upper triangular matrix from each joint's own block and its rows over its subtree."""
    n = sum(len(block) for block in own)
    full, at = [np.zeros((0, n))], 0
    for block, rows in zip(own, above, strict=True):
        m, width = rows.shape
        full.append(np.concatenate([np.zeros((m, at)), block, rows, np.zeros((m, n - at - m - width))], axis=1))
        at += m
    return np.concatenate(full)
