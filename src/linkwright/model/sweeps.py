"""Sweeps over the bodies of a mechanism: the only loops over bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import explained
from linkwright.spatial.arrays import Array, mirror

if TYPE_CHECKING:
    from linkwright.model.elements import Joint, Link

Step = Callable[..., Any]


class TreeSweeps:
    """Operations on all bodies. Parents have lower indices, and bodies are numbered depth first."""

    if TYPE_CHECKING:
        links: tuple[Link, ...]
        joints: tuple[Joint, ...]

        @property
        def has_couplings(self) -> bool: ...

        @property
        def coupling_matrix(self) -> Array: ...

    def each(self, step: Step, *per_body: Sequence[Any]) -> list[Any]:
        """Apply ``step(link, *values) -> value`` to every body.

        Parameters
        ----------
        step : callable
            Function of a link and its values.
        *per_body : sequence
            Values of all bodies.

        Returns
        -------
        list
            Results of all bodies.
        """
        return [step(link, *(values[k] for values in per_body)) for k, link in enumerate(self.links)]

    def outward(self, step: Step, start: Any, *per_body: Sequence[Any]) -> list[Any]:
        """Apply ``step(link, parent's state, *values) -> state`` to every body, parents first.

        Parameters
        ----------
        step : callable
            Function of a link, its parent's state and its values.
        start : object
            State of the world.
        *per_body : sequence
            Values of all bodies.

        Returns
        -------
        list
            States of all bodies.
        """
        states: list[Any] = []
        for k, link in enumerate(self.links):
            parent = start if link.parent < 0 else states[link.parent]
            states.append(step(link, parent, *(values[k] for values in per_body)))
        return states

    def inward(self, step: Step, start: tuple[Any, ...], *per_body: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        """Apply ``step(link, received, *values) -> (kept, sent)`` to every body, children first.

        Parameters
        ----------
        step : callable
            Function of a link, the received values and its values.
        start : tuple
            Initial received values, to which the values sent by the children are added entry by entry.
        *per_body : sequence
            Values of all bodies.

        Returns
        -------
        kept : list
            First results of all bodies.
        received : tuple
            Values received by the world.
        """
        received: list[tuple[Any, ...]] = [start] * (len(self.links) + 1)  # the last is that of the world
        kept: list[Any] = [None] * len(self.links)
        for k in reversed(range(len(self.links))):
            link = self.links[k]
            kept[k], sent = step(link, received[k], *(values[k] for values in per_body))
            received[link.parent] = tuple(a + b for a, b in zip(received[link.parent], sent, strict=True))
        return kept, received[-1]

    def inward_columns(self, step: Step, sent: Sequence[tuple[Array, ...]], *per_body: Sequence[Any]) -> Any:
        """Propagate columns of every body inward through all its ancestors.

        Parameters
        ----------
        step : callable
            ``step(link, outer, *values) -> (found, passed)``: ``outer`` are the columns of all descendants, joined in
            order, ``passed`` the columns relative to the parent, ``found`` arrays (nv, columns). It must treat columns
            independently.
        sent : sequence of tuple of ndarray
            Arrays (…, nv) of every body, a column for each of its coordinates, relative to its parent.
        *per_body : sequence
            Values of all bodies.

        Returns
        -------
        tuple of list
            Arrays found at every body, one list for each array.
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

    @explained
    def square(self, own: Sequence[Array], above: Sequence[Array], below: Sequence[Array] | None = None) -> Array:
        """Assemble a matrix (nv, nv) from blocks of joints, rows to their descendants, and columns below them.

        Parameters
        ----------
        own : sequence of ndarray
            Diagonal block of each joint.
        above : sequence of ndarray
            Rows of each joint over its descendants.
        below : sequence of ndarray, optional
            Columns of each joint below its block, as rows. By default the matrix is symmetric.

        Returns
        -------
        ndarray, shape (nv, nv)
            Matrix GᵀHG, in which entries of mimic joints are added to those of their leaders.
        """
        H = _upper(own, above)
        H = mirror(H) if below is None else H + _upper([np.zeros_like(block) for block in own], below).T
        return self.coupling_matrix.T @ H @ self.coupling_matrix if self.has_couplings else H

    @explained
    def block_diagonal(self, blocks: Sequence[Array]) -> Array:
        """Assemble a block-diagonal matrix of the joints; blocks of mimic joints are omitted.

        Parameters
        ----------
        blocks : sequence of ndarray
            Block of each joint.

        Returns
        -------
        ndarray, shape (nv, nv)
            Matrix.
        """
        own = [x for x, joint in zip(blocks, self.joints, strict=True) if joint.nv]
        n, at, rows = sum(map(len, own)), 0, [np.zeros((0, sum(map(len, own))))]
        for x in own:
            rows.append(np.concatenate([np.zeros((len(x), at)), x, np.zeros((len(x), n - at - len(x)))], axis=1))
            at += len(x)
        return np.concatenate(rows)

    @explained
    def total(self, values: Sequence[Any]) -> Any:
        """Compute the sum over all bodies.

        Parameters
        ----------
        values : sequence
            Values of all bodies.

        Returns
        -------
        object
            Sum.
        """
        total: Any = 0.0
        for value in values:
            total = total + value
        return total

    @explained
    def on_bodies(self, values: Mapping[int, Any], zero: Any) -> Any:
        """Return a list of values of all bodies, from those of some.

        Parameters
        ----------
        values : dict of int to object
            Values by body.
        zero : object
            Value of the other bodies.

        Returns
        -------
        list
            Values of all bodies.
        """
        return [values.get(k, zero) for k in range(len(self.links))]


def like_columns(arrays: tuple[Array, ...], values: Sequence[Array]) -> Any:
    """Return values in a tuple of the same type as `arrays`."""
    return type(arrays)(*values) if hasattr(arrays, "_fields") else tuple(values)


def _joined(parts: Sequence[tuple[Array, ...]]) -> Any:
    """Join columns."""
    return like_columns(parts[0], [np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)])


def _upper(own: Sequence[Array], above: Sequence[Array]) -> Array:
    """Return a block upper triangular matrix from each joint's block and its rows over its subtree."""
    n = sum(len(block) for block in own)
    full, at = [np.zeros((0, n))], 0
    for block, rows in zip(own, above, strict=True):
        m, width = rows.shape
        full.append(np.concatenate([np.zeros((m, at)), block, rows, np.zeros((m, n - at - m - width))], axis=1))
        at += m
    return np.concatenate(full)
