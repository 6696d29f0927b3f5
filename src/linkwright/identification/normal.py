"""Normal equations of least squares, joint by joint, gathered while measurements stream by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError, InputError
from linkwright.identification.columns import Columns
from linkwright.identification.measurements import Measurements, checked
from linkwright.identification.smoothing import derivatives, edge_of, step_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

BLOCK = 512
"""Samples whose columns are held at once: they stay in a core's own memory."""

SPREAD = 2**16
"""Residuals of each joint at most by which their spread is told."""

SHOWN = 2000
"""Samples of the beginning that are kept to be drawn."""


class Rows(NamedTuple):
    """Samples that can be used."""

    q: Array
    v: Array
    a: Array
    tau: Array
    t: Array
    """s, or the numbers of the samples where there are no times"""


@dataclass(frozen=True, eq=False)
class Source:
    """Measurements, as arrays or in parts; what is to be read again must begin anew each time."""

    model: Model
    parts: Callable[[], Iterable[Measurements]]
    again: bool
    """whether they can be read a second time"""
    cutoff: float | None

    def chunks(self) -> Iterator[Rows]:
        """The arrays of each part, checked, with derivatives where they are missing."""
        for part in self.parts():
            if not isinstance(part, Measurements):
                raise ArgumentError(f"parts of measurements are Measurements(q, v, a, tau, t); got {part!r:.200}")
            yield whole(self.model, part, self.cutoff)


def whole(model: Model, part: Measurements, cutoff: float | None) -> Rows:
    """q, v, a and tau, checked; v and a by differences where they are missing, without the ends that those know badly."""
    q, v, a, tau, t = part
    if tau is None:
        raise InputError("measurements have efforts tau: nothing else tells of masses")
    if v is not None and a is not None:
        rows = checked(model, q, v, a, tau)
        return Rows(*rows, np.arange(float(len(rows[0]))) if t is None else np.asarray(t, dtype=float))
    if t is None:
        raise InputError("without velocities and accelerations measurements need times t, to compute them")
    rates = v if v is not None else np.zeros((len(np.atleast_1d(t)), model.nv))
    checked(model, q, rates, np.zeros_like(rates), tau)
    v, a = derivatives(model, t, q, v, cutoff)
    edge = edge_of(step_of(t), cutoff)
    if len(a) < 2 * edge + 1:
        raise InputError(
            f"{len(a)} samples are too few to compute accelerations: the filter of {cutoff} Hz takes {edge} at each end"
        )
    inner = slice(edge, len(a) - edge)
    return Rows(*checked(model, *(np.asarray(x)[inner] for x in (q, v, a, tau))), np.asarray(t, dtype=float)[inner])


@dataclass(eq=False)
class Gathered:
    """Of each measured joint Σ w [y; τ][y; τ]ᵀ (own columns + 1 square), and how many samples."""

    columns: Columns
    joints: Array
    """the places in v of those whose efforts count"""
    grams: list[Array]
    samples: int = 0
    first: Rows | None = None
    """some samples of the beginning"""
    left: list[Array] | None = None
    """of each joint residuals of some samples, where asked for"""
    bounded: Array | None = None
    """(joints, 2): Σ ψ², Σ ψ′ of robust weights"""

    def embedded(self, weights: Array) -> tuple[Array, Array]:
        """Σ w_j Y_jᵀY_j (r, r) and Σ w_j Y_jᵀτ_j (r,) of joints' weights."""
        r = len(self.columns.chosen)
        G, c = np.zeros((r, r)), np.zeros(r)
        for joint, gram, w in zip(self.joints, self.grams, weights, strict=True):
            own = self.columns.there[joint]
            G[np.ix_(own, own)] += w * gram[:-1, :-1]
            c[own] += w * gram[:-1, -1]
        return G, c

    def squares(self, beta: Array) -> Array:
        """Σ w (τ − yᵀβ)² of each joint, and never less than the digits of the sums tell."""
        found = []
        for joint, gram in zip(self.joints, self.grams, strict=True):
            x = np.append(-beta[self.columns.there[joint]], 1.0)
            found.append(max(float(x @ gram @ x), 1e-15 * float(gram[-1, -1])))
        return np.array(found)


def gather(
    columns: Columns, joints: Array, source: Source, robust: tuple[Array, Array, float] | None = None
) -> Gathered:
    """One reading of all measurements.

    ``robust``: β, σ (joints,) and k: weights are then min(1, k σ/|r|) (Huber 1964), and residuals are sampled.
    """
    kernel, nv = columns.kernel, columns.unknowns.model.nv
    widths = [len(own) + 1 for own in columns.there]
    grams = [np.zeros((widths[j], widths[j])) for j in joints]
    found = Gathered(columns, joints, grams, bounded=np.zeros((len(joints), 2)))
    places = [np.empty((BLOCK, width)) for width in widths]
    kept: list[list[Array]] = [[] for _ in joints]
    every, count = 1, 0
    for rows in source.chunks():
        q, v, a, tau, _ = rows
        if found.first is None and len(q):
            found.first = Rows(*(x[:SHOWN].copy() for x in rows))
        for first in range(0, len(q), BLOCK):
            part = slice(first, first + BLOCK)
            n = min(BLOCK, len(q) - first)
            out: Any = tuple(place[:n] for place in places)
            kernel(q[part], v[part], a[part], tau[part], out=out if nv > 1 else out[0])
            for i, joint in enumerate(joints):
                A = out[joint]
                if robust is not None:
                    beta, sigma, bound = robust
                    r = A[:, -1] - A[:, :-1] @ beta[columns.there[joint]]
                    kept[i].append(r[::every].copy())
                    z = np.abs(r) / sigma[i]
                    assert found.bounded is not None
                    found.bounded[i] += np.minimum(z * z, bound * bound).sum(), (z <= bound).sum()
                    A = A * np.sqrt(np.minimum(1.0, bound / np.maximum(z, 1e-300)))[:, None]
                grams[i] += A.T @ A
            found.samples += n
            if robust is not None:
                count += -(-n // every)
                if count > SPREAD:
                    kept = [[np.concatenate(x)[::2]] for x in kept]
                    every, count = 2 * every, len(kept[0][0])
    if found.first is None:
        raise InputError("there are no samples")
    if robust is not None:
        found.left = [np.concatenate(x) if x else np.zeros(0) for x in kept]
    return found
