"""From impulses to velocities: A = J M̂⁻¹ Jᵀ, by way of the factors of M̂.

With M̂ = Lᵀ D L (Featherstone 2008, §6.5) and Y = D^(−½) L⁻ᵀ Jᵀ, which keeps the zeros of the paths of Jᵀ,

    A = Yᵀ Y,     v⁺ = v_free + L⁻¹ D^(−½) z,  z = Y p,     u = r + Yᵀ z,     r = J v_free

Loops are left out by a projection: with N = D^(−½) L⁻ᵀ Kᵀ of their rows K, Y − N (Nᵀ N)⁺ Nᵀ Y takes the place of Y, so
that they stay closed under all impulses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.forces import row_orders
from linkwright.dynamics.closed_loops.independent import AS_THEY_COME, row_scales
from linkwright.dynamics.closed_loops.rows import constraint_jacobian
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic, maximum
from linkwright.spatial.linalg import (
    SemidefiniteFactors,
    factorize,
    semidefinite_factors,
    solve_above,
    solve_below,
)

TINY = 1e-300

HELD = 1e-10
"""What an impulse moves by less than this share of what it would move all of the mechanism by is held by its joints."""


class Inertia(NamedTuple):
    """M̂ factorized, with what loops keep still."""

    L: Array
    """(nv, nv)"""
    roots: Array
    """(nv,), D^(−½)"""
    N: Array | None
    """D^(−½) L⁻ᵀ Kᵀ (nv, m) of the loops"""
    loops: SemidefiniteFactors | None
    """of Nᵀ N"""
    least: Any
    """1/kg: a row that impulses along it move by less, each, does not move; its entry of A is rounding"""

    def carried(self, x: Array, support: Sequence[int] | None = None) -> Array:
        """D^(−½) L⁻ᵀ x of momenta x (nv,) or (nv, k), without what the loops bear of them.

        ``support``: the coordinates on which x is given, and the result, with all on which they hang.
        """
        L, roots = self.L, self.roots
        if support is not None and len(support) < len(L):
            L, roots = L[np.ix_(support, support)], roots[list(support)]
        y = roots.reshape(-1, *[1] * (x.ndim - 1)) * solve_above(L, x)
        if self.N is None or self.loops is None:
            return y
        for _ in range(2):  # corrected once: the rows of loops may be badly conditioned
            y = y - self.N @ self.loops.solve(self.N.T @ y)
        return y

    def moved(self, z: Array) -> Array:
        """The velocities (nv,) of what is carried (nv,)."""
        return solve_below(self.L, self.roots * z)

    def carried_velocity(self, v: Array) -> Array:
        """D^(½) L v (nv,) of velocities v (nv,): what :meth:`moved` undoes."""
        return (self.L @ v) / self.roots

    def energy(self, v: Array) -> Any:
        """½ vᵀM̂v of velocities v (nv,)."""
        y = self.carried_velocity(v)
        return 0.5 * (y @ y)

    def velocity(self, x: Array) -> Array:
        """M̂⁻¹ x (nv,), of momenta (nv,) where no loop opens."""
        return self.moved(self.carried(x))


def inertia(model: Model, q: Array, M: Array) -> Inertia:
    """The factors of a mass matrix (nv, nv), and of the model's loops by it."""
    L, roots = factorize(M, roots=True)
    least = HELD / maximum(sum(body.mass for body in model.bodies), TINY)
    if not model.loops:
        return Inertia(L, roots, None, None, least)
    N = roots[:, None] * solve_above(L, constraint_jacobian(model, q).T)
    A = N.T @ N
    order, _ = row_orders(model).whole if is_symbolic(A) else AS_THEY_COME
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.by_mass for one in scales)])
    return Inertia(L, roots, N, semidefinite_factors(A, scales=whole, order=order), least)
