"""Normal equations of least squares, joint by joint, gathered while measurements stream by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.native.threads import default_threads
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.identification.fitting.columns import RegressorColumns
from linkwright.identification.measurements.record import Measurements, checked
from linkwright.identification.measurements.smoothing import edge_of, smooth_derivatives, step_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

BLOCK = 448
"""Samples whose columns are held at once: they stay in a core's own memory."""

SLICE = 18 * BLOCK
"""Samples that one thread sums."""

ALONE = 2**18
"""Multiplications of a product of matrices up to which BLAS takes one thread."""

SPREAD = 2**16
"""Largest number of residuals of each joint from which their spread is computed."""

SHOWN = 2000
"""Samples of the beginning that are kept to be drawn."""


class MeasuredRows(NamedTuple):
    """Samples that can be used."""

    q: Array
    v: Array
    a: Array
    tau: Array
    t: Array
    """s, or the numbers of the samples where there are no times"""


@dataclass(frozen=True, eq=False)
class MeasurementSource:
    """Measurements, as arrays or in parts; a source that is read repeatedly must restart each time."""

    model: Model
    parts: Callable[[], Iterable[Measurements]]
    again: bool
    """whether they can be read a second time"""
    cutoff: float | None

    def chunks(self) -> Iterator[MeasuredRows]:
        """The arrays of each part, checked, with derivatives where they are missing."""
        for part in self.parts():
            if not isinstance(part, Measurements):
                raise ArgumentError(f"parts of measurements are Measurements(q, v, a, tau, t); got {part!r:.200}")
            yield whole(self.model, part, self.cutoff)


def whole(model: Model, part: Measurements, cutoff: float | None) -> MeasuredRows:
    """q, v, a and tau, checked; v and a by differences where they are missing, without the ends."""
    q, v, a, tau, t = part
    if tau is None:
        raise InputError("measurements must have efforts tau, from which masses are estimated")
    if v is not None and a is not None:
        rows = checked(model, q, v, a, tau)
        times = np.arange(float(len(rows[0]))) if t is None else as_numbers("t", t)
        if times.shape != rows[0].shape[:1]:
            raise ShapeError(f"t has shape {times.shape}; expected ({len(rows[0])},): a time for each sample")
        return MeasuredRows(*rows, times)
    if t is None:
        raise InputError("without velocities and accelerations measurements need times t, to compute them")
    rates = v if v is not None else np.zeros((len(np.atleast_1d(t)), model.nv))
    checked(model, q, rates, np.zeros_like(rates), tau)
    v, a = smooth_derivatives(model, t, q, v, cutoff)
    edge = edge_of(step_of(t), cutoff)
    if len(a) < 2 * edge + 1:
        raise InputError(
            f"{len(a)} samples are too few to compute accelerations: the filter of {cutoff} Hz takes {edge} at each end"
        )
    inner = slice(edge, len(a) - edge)
    return MeasuredRows(
        *checked(model, *(np.asarray(x)[inner] for x in (q, v, a, tau))), np.asarray(t, dtype=float)[inner]
    )


@dataclass(eq=False)
class Gathered:
    """Σ w [y; τ][y; τ]ᵀ (own columns + 1 square) of each measured joint, and the number of samples."""

    columns: RegressorColumns
    joints: Array
    """the places in v of those whose efforts count"""
    grams: list[Array]
    efforts: Array
    """(joints,): Σ τ², with what of them is known"""
    samples: int = 0
    first: MeasuredRows | None = None
    """some samples of the beginning"""
    left: list[Array] | None = None
    """residuals of some samples of each joint, if requested"""
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
        """Return Σ w (τ − yᵀβ)² of each joint, not below the rounding of the sums."""
        found = []
        for joint, gram in zip(self.joints, self.grams, strict=True):
            x = np.append(-beta[self.columns.there[joint]], 1.0)
            found.append(max(float(x @ gram @ x), 1e-15 * float(gram[-1, -1])))
        return np.array(found)


def gather(
    columns: RegressorColumns,
    joints: Array,
    source: MeasurementSource,
    robust: tuple[Array, Array, float] | None = None,
) -> Gathered:
    """One reading of all measurements.

    ``robust``: β, σ (joints,) and k: weights are then min(1, k σ/|r|) (Huber 1964), and residuals are sampled. Parts of
    :data:`SLICE` samples are summed apart, on several threads, and put together in their order.
    """
    widths = [len(columns.there[j]) + 1 for j in joints]
    found = Gathered(columns, joints, [np.zeros((width, width)) for width in widths], np.zeros(len(joints)))
    sampled = _Sampled(len(joints))
    with ThreadPoolExecutor(default_threads()) as pool:
        for rows in source.chunks():
            if found.first is None and len(rows.q):
                found.first = MeasuredRows(*(x[:SHOWN].copy() for x in rows))
            slices = [MeasuredRows(*(x[at : at + SLICE] for x in rows)) for at in range(0, len(rows.q), SLICE)]
            for grams, bounded, left in pool.map(lambda part: _sums(columns, joints, part, robust), slices):
                for gram, own in zip(found.grams, grams, strict=True):
                    gram += own
                found.bounded = bounded if found.bounded is None else found.bounded + bounded
                sampled.add(left)
            found.samples += len(rows.q)
            with np.errstate(over="ignore"):
                found.efforts += np.square(rows.tau[:, joints]).sum(axis=0)
    if found.first is None:
        raise InputError("there are no samples")
    if not all(np.isfinite(gram).all() for gram in found.grams):
        raise InputError(
            "measurements are too large: squares of what efforts depend on are beyond 1e308; of the first samples "
            + ", ".join(
                f"{name} is up to {np.abs(x).max():.3g}" for name, x in found.first._asdict().items() if name != "t"
            )
        )
    found.left = sampled.gathered()
    return found


@np.errstate(over="ignore", invalid="ignore")  # reported after reading
def _sums(
    columns: RegressorColumns, joints: Array, rows: MeasuredRows, robust: tuple[Array, Array, float] | None
) -> tuple[list[Array], Array, list[Array]]:
    """Return the sums of some samples, and with robust weights the residuals of each joint."""
    widths = [len(own) + 1 for own in columns.there]
    places = [np.empty((BLOCK, width)) for width in widths]
    grams = [np.zeros((widths[j], widths[j])) for j in joints]
    bounded, left = np.zeros((len(joints), 2)), [np.zeros(len(rows.q) if robust else 0) for _ in joints]
    products = [np.empty((widths[j] - 1, widths[j])) for j in joints]
    # one thread of BLAS for products of this size: other processes share the cores
    at_once = [max(64, min(BLOCK, int(ALONE / (widths[j] * widths[j])) // 8 * 8)) for j in joints]
    for first in range(0, len(rows.q), BLOCK):
        q, v, a, tau, _ = (x[first : first + BLOCK] for x in rows)
        n = len(q)
        out: Any = tuple(place[:n] for place in places)
        columns.rows(q, v, a, tau, out)
        for i, joint in enumerate(joints):
            A = out[joint]
            if robust is not None:
                beta, sigma, bound = robust
                r = A[:, -1] - A[:, :-1] @ beta[columns.there[joint]]
                left[i][first : first + n] = r
                z = np.abs(r) / sigma[i]
                bounded[i] += np.minimum(z * z, bound * bound).sum(), (z <= bound).sum()
                A = A * np.sqrt(np.minimum(1.0, bound / np.maximum(z, 1e-300)))[:, None]
            gram = grams[i]
            for at in range(0, n, at_once[i]):
                some = A[at : at + at_once[i]]
                gram[:-1] += np.matmul(some[:, :-1].T, some, out=products[i])
            gram[-1, -1] += A[:, -1] @ A[:, -1]
    for gram in grams:
        gram[-1, :-1] = gram[:-1, -1]
    return grams, bounded, left


class _Sampled:
    """Every k-th residual of each joint, at most :data:`SPREAD`."""

    def __init__(self, joints: int):
        self.kept: list[list[Array]] = [[] for _ in range(joints)]
        self.every, self.count = 1, 0

    def add(self, left: list[Array]) -> None:
        for kept, r in zip(self.kept, left, strict=True):
            kept.append(r[:: self.every].copy())
        self.count += -(-len(left[0]) // self.every)
        while self.count > SPREAD:
            self.kept = [[np.concatenate(x)[::2]] for x in self.kept]
            self.every, self.count = 2 * self.every, len(self.kept[0][0])

    def gathered(self) -> list[Array]:
        return [np.concatenate(x) for x in self.kept]
