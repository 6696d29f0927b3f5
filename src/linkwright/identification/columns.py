"""The columns of the regressor that measurements can tell apart, joint by joint, as one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.identification.unknowns import Unknowns, regressor
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

SMALL = 1e-9
"""Of the largest: what is smaller in random postures is nothing."""


@dataclass(frozen=True, eq=False)
class Columns:
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
    def of(unknowns: Unknowns, joints: tuple[int, ...] | None = None) -> Columns:
        """Those that these places in v (None: all) show; kept with the model.

        Of all parameters they are :func:`base_parameters`, of some those of random motions (Gautier 1991).
        """
        found: Columns = derived(
            unknowns.model,
            Columns.made,
            *(unknowns.links, unknowns.armature, unknowns.friction, joints),
            make=lambda: Columns.made(unknowns, joints),
        )
        return found

    @staticmethod
    def made(unknowns: Unknowns, joints: tuple[int, ...] | None = None) -> Columns:
        """The same anew."""
        model, rng = unknowns.model, np.random.default_rng(1)
        rows = 4 * -(-len(unknowns.names) // max(1, model.nv if joints is None else len(joints))) + 8
        q = model.random(rows, seed=1)
        v, a = rng.standard_normal((2, rows, model.nv))
        Y = unknowns.columns(regressor(model, q, v, a, unknowns.armature, unknowns.friction))
        if unknowns.are_all and joints is None:
            base = dynamics.base_parameters(model, unknowns.armature, unknowns.friction)
            chosen, matrix = base.index, base.matrix
        else:
            measured = Y if joints is None else Y[:, list(joints)]
            chosen, matrix = independent(measured.reshape(-1, Y.shape[-1]), SMALL)
        largest = np.abs(Y[..., chosen]).max(axis=0)
        there = tuple(np.flatnonzero(row > SMALL * row.max(initial=0.0)) for row in largest)
        return Columns(unknowns, chosen, matrix, there, np.sqrt((Y[..., chosen] ** 2).sum(axis=1).mean(axis=0)))

    @property
    def names(self) -> tuple[str, ...]:
        """(r,): each base parameter as a sum, its own first."""
        return tuple(sum_of(row, self.unknowns.names, k) for row, k in zip(self.matrix, self.chosen, strict=True))

    def dense(self, q: Array, v: Array, a: Array) -> Array:
        """Y_b (…, nv, r)."""
        u = self.unknowns
        return u.columns(regressor(u.model, q, v, a, u.armature, u.friction))[..., self.chosen]

    @cached_property
    def kernel(self) -> Kernel:
        """(q, v, a, tau) -> of each velocity its own columns, and last what they explain: τ less what is known."""

        def rows(model: Model, q: Array, v: Array, a: Array, tau: Array) -> tuple[Array, ...]:
            Y = self.unknowns.regressor(model, q, v, a)
            left = tau - self.unknowns.known(model, q, v, a)
            return tuple(np.concatenate([Y[k, self.chosen[own]], left[k : k + 1]]) for k, own in enumerate(self.there))

        return compile(rows, self.unknowns.model)


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


def sum_of(row: Array, names: tuple[str, ...], first: int) -> str:
    """A combination of parameters as text, one of them first: "link2.Iyy + link3.m - 0.25 link3.mcx"."""
    text = ""
    for k in [first, *(int(k) for k in np.flatnonzero(row) if k != first)]:
        x = float(row[k])
        size = "" if abs(abs(x) - 1.0) < 1e-9 else f"{abs(x):.6g} "
        sign = ("-" if x < 0.0 else "") if not text else (" - " if x < 0.0 else " + ")
        text += f"{sign}{size}{names[k]}"
    return text
