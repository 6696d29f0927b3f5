"""The identifiable columns of the regressor, joint by joint, as one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import TooLargeError
from linkwright.identification.fitting.unknowns import PUBLIC, Unknowns, regressor
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

ENTRIES = 2**22
"""of regressors that are held at once, of mechanisms too large for one kernel"""

SMALL = 1e-9
"""Threshold of zero columns in random postures, relative to the largest."""


@dataclass(frozen=True, eq=False)
class RegressorColumns:
    """Base parameters β = K θ, and the columns of the regressor by which efforts depend on them: τ = Y_b β."""

    unknowns: Unknowns
    chosen: Array
    """(r,) of the p columns, which are Y_b"""
    matrix: Array
    """K (r, p)"""
    there: tuple[Array, ...]
    """of each velocity which of the r columns are not zero everywhere"""
    sizes: Array
    """(r,): the lengths of the columns in random motions, velocities and accelerations of about 1"""

    @staticmethod
    def of(unknowns: Unknowns, joints: tuple[int, ...] | None = None) -> RegressorColumns:
        """Return the columns that these indices of v (None: all) determine; cached with the model.

        For all parameters they are :func:`base_parameters`, for some of them those of random motions (Gautier 1991).
        """
        found: RegressorColumns = derived(
            unknowns.model,
            RegressorColumns.made,
            *(unknowns.links, unknowns.armature, unknowns.friction, joints),
            make=lambda: RegressorColumns.made(unknowns, joints),
        )
        return found

    @staticmethod
    def made(unknowns: Unknowns, joints: tuple[int, ...] | None = None) -> RegressorColumns:
        """Compute the columns, without the cache."""
        model, rng = unknowns.model, np.random.default_rng(1)
        rows = 4 * -(-len(unknowns.names) // max(1, model.nv if joints is None else len(joints))) + 8
        q = model.random(rows, seed=1)
        v, a = rng.standard_normal((2, rows, model.nv))
        Y = unknowns.columns_at(regressor, model, q, v, a)
        if unknowns.are_all and joints is None and not any(unknowns.compensated):
            base = dynamics.base_parameters(model, armature=unknowns.armature, friction=unknowns.friction)
            chosen, matrix = base.index, base.matrix
        else:
            measured = Y if joints is None else Y[:, list(joints)]
            chosen, matrix = independent(measured.reshape(-1, Y.shape[-1]), SMALL)
        largest = np.abs(Y[..., chosen]).max(axis=0)
        there = tuple(np.flatnonzero(row > SMALL * row.max(initial=0.0)) for row in largest)
        return RegressorColumns(
            unknowns, chosen, matrix, there, np.sqrt((Y[..., chosen] ** 2).sum(axis=1).mean(axis=0))
        )

    def dense(self, q: Array, v: Array, a: Array) -> Array:
        """Y_b (…, nv, r)."""
        u = self.unknowns
        return u.columns_at(regressor, u.model, q, v, a)[..., self.chosen]

    def rows(self, q: Array, v: Array, a: Array, tau: Array, out: tuple[Array, ...] | None = None) -> tuple[Array, ...]:
        """Return the columns (…, own + 1) of each velocity; the last one is the effort to explain."""
        if self._kernel is None:
            return self._from_dense(q, v, a, tau, out)
        if out is not None:
            found = self._kernel(q, v, a, tau, out=out if len(out) > 1 else out[0])
        else:
            found = self._kernel(q, v, a, tau)
        return found if isinstance(found, tuple) else (found,)

    @cached_property
    def _kernel(self) -> Kernel | None:
        """All of it as one; None of mechanisms too large for that."""

        def rows(model: Model, q: Array, v: Array, a: Array, tau: Array) -> tuple[Array, ...]:
            Y = self.unknowns.regressor(model, q, v, a)
            left = tau - self.unknowns.known(model, q, v, a)
            return tuple(np.concatenate([Y[k, self.chosen[own]], left[k : k + 1]]) for k, own in enumerate(self.there))

        try:
            return compile(rows, self.unknowns.model)
        except TooLargeError:
            return None

    def _from_dense(self, q: Array, v: Array, a: Array, tau: Array, out: tuple[Array, ...] | None) -> tuple[Array, ...]:
        """The same by kernels of the regressor and of what is known, some rows at once."""
        batch = np.shape(v)[:-1]
        q, v, a, tau = (np.reshape(x, (-1, np.shape(x)[-1])) for x in (q, v, a, tau))
        if out is None:
            out = tuple(np.empty((*batch, len(own) + 1)) for own in self.there)
        places = [x.reshape(len(v), -1) for x in out]
        u = self.unknowns
        at_once = max(1, ENTRIES // (u.model.nv * len(u.names)))
        for first in range(0, len(v), at_once):
            some = slice(first, first + at_once)
            Y = self.dense(q[some], v[some], a[some])
            left = tau[some] - u.known(u.model, q[some], v[some], a[some], PUBLIC)
            for k, (place, own) in enumerate(zip(places, self.there, strict=True)):
                place[some, :-1], place[some, -1] = Y[:, k, own], left[:, k]
        return out


def independent(W: Array, tolerance: float) -> tuple[Array, Array]:
    """Columns (r,) of W (n, p) that span the others, and K (r, p) with W = W[:, columns] K.

    Each column is left out that those before it span.
    """
    lengths = np.linalg.norm(W, axis=0)
    scale = np.where(lengths > tolerance * lengths.max(initial=0.0), lengths, np.inf)
    p = W.shape[1]
    R: Array = np.linalg.qr(W / scale, mode="r")  # type: ignore[assignment]
    found = np.zeros(p, dtype=bool)
    Q = np.zeros((len(R), 0))
    for k, column in enumerate(R.T):  # Gram and Schmidt, twice, on the triangle
        rest = column - Q @ (Q.T @ column)
        rest = rest - Q @ (Q.T @ rest)
        if (size := float(np.linalg.norm(rest))) > tolerance:
            found[k] = True
            Q = np.concatenate([Q, rest[:, None] / size], axis=1)
    chosen = np.flatnonzero(found)
    K = np.zeros((len(chosen), p))
    if len(chosen):
        usable = np.isfinite(scale)
        scaled = W[:, usable] / scale[usable]
        K[:, usable] = np.linalg.lstsq(W[:, chosen] / scale[chosen], scaled, rcond=None)[0] * scale[usable]
        K /= scale[chosen][:, None]
    K[:, chosen] = np.eye(len(chosen))
    K[np.abs(K) < 1e-10] = 0.0
    return chosen, K
