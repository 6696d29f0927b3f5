"""Base parameters by weighted least squares, their covariance, and weights that wild samples do not sway."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.errors import InputError, counted
from linkwright.identification.fitting.columns import RegressorColumns, independent
from linkwright.identification.fitting.normal import Gathered, MeasurementSource, gather
from linkwright.spatial.arrays import Array

HUBER = 1.345
"""Threshold of Huber's weights in σ: 95 % efficiency for normal noise."""

UNSEEN = 1e-5
"""Threshold of observability: singular values of the unit columns, relative to the largest."""

REWEIGHTED = 20
"""Largest number of reweightings of the joints by their residuals."""

PASSES = 30
"""Over all measurements at most, with robust weights."""

SETTLED = 1e-2
"""Convergence: change relative to a standard error."""

MEDIAN = 0.6744897501960817
"""of |z| of a normal variable"""

DIGITS = 1e-15
"""Rounding of residuals, relative to the squared efforts of a joint."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterEstimate:
    """The combinations β = K θ that measurements show."""

    matrix: Array
    """K (r, p)"""
    kept: Array
    """(r,) of the columns that the kernel gives, whose coefficients β are"""
    values: Array
    """β (r,)"""
    covariance: Array
    """(r, r)"""
    sigma: Array
    """(joints,): standard deviations of the residuals; with robust weights of those that are not wild"""
    variances: Array
    """(joints,): variances by which the joints are weighted"""
    plain: Gathered
    """the sums over all samples, each counted fully"""
    measured: Array
    """(joints,): root mean squares of what was to be explained"""
    samples: int
    passes: int
    """readings of the measurements"""
    wild: Array
    """(joints,): the share of samples that counted less than fully"""
    condition: float
    """of the columns at unit length"""

    def coefficients(self, theta: Array) -> Array:
        """Return the coefficients of all columns of the kernel for parameters θ (p,)."""
        return self.plain.columns.matrix @ theta

    def rms(self, theta: Array) -> Array:
        """(joints,): root mean squares of what parameters θ (p,) leave of the efforts."""
        return np.sqrt(self.plain.squares(self.coefficients(theta)) / self.samples)

    def information(self, least: float) -> Array:
        """Return the inverse (r, r) of the covariance of β for efforts with standard deviations of at least `least`."""
        G, _ = self.plain.embedded(1.0 / np.maximum(self.variances, least**2))
        return G[np.ix_(self.kept, self.kept)]

    @property
    def own_rms(self) -> Array:
        """(joints,): the same of what β leaves."""
        beta = np.zeros(len(self.plain.columns.chosen))
        beta[self.kept] = self.values
        return np.sqrt(np.maximum(self.plain.squares(beta), 0.0) / self.samples)


def estimate(columns: RegressorColumns, joints: Array, source: MeasurementSource, robust: bool) -> ParameterEstimate:
    """Weighted least squares, joints by their own residuals, from one reading; with robust weights from several."""
    plain = gather(columns, joints, source)
    r, n = len(columns.chosen), plain.samples
    if n * len(joints) <= r:
        raise _too_few(n, joints, r)
    totals = np.array([gram[-1, -1] for gram in plain.grams])
    if not (totals > 0.0).any():
        raise InputError("there is no effort in the measurements but what is known: nothing to find anything by")
    totals = np.maximum(totals, DIGITS * totals.max())
    kept, matrix, condition = _shown(plain, n / totals)
    beta, variances = np.zeros(r), totals / n
    freedom = np.full(len(joints), float(n))
    if n * len(joints) <= len(kept):
        raise _too_few(n, joints, len(kept))
    # a joint with as many parameters as samples: the noise is that of all joints, relative to the efforts
    few = n <= max(np.isin(kept, columns.there[j]).sum() for j in joints)
    for _ in range(REWEIGHTED):
        G, c = plain.embedded(1.0 / variances)
        beta[kept] = _solved(G[np.ix_(kept, kept)], c[kept])
        before, squares = variances, np.maximum(plain.squares(beta), DIGITS * totals)
        freedom = np.maximum(n - _used(plain, kept, variances), 1e-3 * n)
        variances = squares / freedom
        if few:
            variances = totals * float(np.sum(squares / totals)) / (n * len(joints) - len(kept))
        if (np.abs(variances - before) <= 1e-6 * before).all():
            break
    sigma, passes, wild = np.sqrt(variances), 1, np.zeros(len(joints))
    if robust:
        beta, sigma, variances, wild, passes = _robustly(columns, joints, source, plain, kept, beta, sigma, freedom / n)
    G, _ = plain.embedded(1.0 / variances)
    inverse = _inverse(G[np.ix_(kept, kept)])
    return ParameterEstimate(
        matrix=matrix,
        kept=kept,
        values=beta[kept],
        covariance=inverse,
        sigma=sigma,
        variances=variances,
        plain=plain,
        measured=np.sqrt(totals / n),
        samples=n,
        passes=passes,
        wild=wild,
        condition=condition,
    )


def _too_few(n: int, joints: Array, r: int) -> InputError:
    return InputError(
        f"{counted(n, 'sample')} of {counted(len(joints), 'joint')} for {counted(r, 'base parameter')} are too few: "
        "no residuals are left to estimate the noise; measure more"
    )


def _robustly(
    columns: RegressorColumns,
    joints: Array,
    source: MeasurementSource,
    plain: Gathered,
    kept: Array,
    beta: Array,
    sigma: Array,
    freedom: Array,
) -> tuple[Array, Array, Array, Array, int]:
    """β, σ, the variances that β's covariance is of, the share of wild samples, and the readings.

    Huber's weights min(1, k σ/|r|); σ by the median of |r|; the variance that a joint counts with is σ² E[ψ²]/E[ψ′]²,
    that of the estimate's (Huber 1964).
    """
    if not source.again:
        raise InputError(
            "robust weights need several passes: give arrays, a list of parts, or a function that returns an iterator"
        )
    least = np.sqrt(DIGITS) * np.sqrt(np.array([gram[-1, -1] for gram in plain.grams]) / plain.samples)
    beta, passes, factor = beta.copy(), 1, np.ones(len(joints))
    while True:
        found = gather(columns, joints, source, (beta, sigma, HUBER))
        passes += 1
        assert found.left is not None
        assert found.bounded is not None
        squares, share = (found.bounded / found.samples).T
        factor = squares / np.maximum(share, 0.1) ** 2
        variances = np.maximum(sigma**2 * factor, least**2)
        G, c = found.embedded(1.0 / variances)
        before = beta.copy()
        beta[kept] = _solved(G[np.ix_(kept, kept)], c[kept])
        spread = np.array([np.median(np.abs(r)) for r in found.left]) / (MEDIAN * np.sqrt(freedom))
        spread = np.maximum(spread, least)
        G, _ = plain.embedded(1.0 / variances)
        errors = np.sqrt(np.diag(_inverse(G[np.ix_(kept, kept)])))
        same = (np.abs(spread - sigma) <= 0.01 * sigma).all()
        if (same and (np.abs(beta - before)[kept] <= SETTLED * errors).all()) or passes > PASSES:
            return beta, sigma, variances, 1.0 - share, passes
        sigma = spread


def _shown(plain: Gathered, weights: Array) -> tuple[Array, Array, float]:
    """Return the identifiable combinations K (r, p) of the columns, and the condition number."""
    G, _ = plain.embedded(weights)
    there, _ = plain.embedded(np.ones(len(weights)))
    moved = np.sqrt(np.diag(there) / plain.samples) > UNSEEN**2 * plain.columns.sizes
    scale = np.where(moved, np.sqrt(np.diag(G)), np.inf)
    values, axes = np.linalg.eigh(G / scale[:, None] / scale)
    large = values > UNSEEN**2 * values[-1]
    root = np.sqrt(np.where(large, values, 0.0))[:, None] * axes.T
    condition = float(np.sqrt(values[-1] / values[large][0]))
    if large.all():
        return np.arange(len(G)), plain.columns.matrix, condition
    kept, combined = independent(root * np.where(np.isfinite(scale), scale, 0.0), UNSEEN)
    return kept, combined @ plain.columns.matrix, condition


def _used(plain: Gathered, kept: Array, variances: Array) -> Array:
    """(joints,): how many parameters each joint's samples pay for; r of all together."""
    G, _ = plain.embedded(1.0 / variances)
    inverse = np.zeros_like(G)
    inverse[np.ix_(kept, kept)] = _inverse(G[np.ix_(kept, kept)])
    used = []
    for joint, gram, variance in zip(plain.joints, plain.grams, variances, strict=True):
        own = plain.columns.there[joint]
        used.append(float(np.sum(gram[:-1, :-1] * inverse[np.ix_(own, own)])) / variance)
    return np.array(used)


def _solved(G: Array, c: Array) -> Array:
    """G⁻¹c, in units in which G has a diagonal of ones."""
    scale = 1.0 / np.sqrt(np.diag(G))
    x: Array = scale * np.linalg.solve(G * scale[:, None] * scale, scale * c)
    return x


def _inverse(G: Array) -> Array:
    scale = 1.0 / np.sqrt(np.diag(G))
    inverse: Array = np.linalg.inv(G * scale[:, None] * scale) * scale[:, None] * scale
    return 0.5 * (inverse + inverse.T)
