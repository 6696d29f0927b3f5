"""Factors of the inertia matrix, A = J M̂⁻¹ Jᵀ without forming it.

With M̂ = Lᵀ D L (Featherstone 2008, §6.5) and Y = D^(−½) L⁻ᵀ Jᵀ, which keeps the zeros of the paths of Jᵀ,

    A = Yᵀ Y,     v⁺ = v_free + L⁻¹ D^(−½) z,  z = Y p,     u = r + Yᵀ z,     r = J v_free

z is an impulse in *factor space*. Closed loops are eliminated by a projection: with N = D^(−½) L⁻ᵀ Kᵀ of their rows K,
Y − N (Nᵀ N)⁺ Nᵀ Y replaces Y, so that loops stay closed under all impulses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.forces import whole_elimination
from linkwright.dynamics.closed_loops.independent import AS_THEY_COME, row_scales
from linkwright.dynamics.closed_loops.rows import constraint_jacobian
from linkwright.dynamics.impulses.supports import coupled_coordinates
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic, maximum
from linkwright.spatial.linear_algebra.linalg import (
    SemidefiniteFactors,
    factorize,
    semidefinite_factors,
    solve_above,
    solve_below,
)

TINY = 1e-300

IMMOBILE = 1e-10
"""Share of 1/mass below which an entry of A is rounding: the joints allow no motion along the row."""


class InertiaFactors(NamedTuple):
    """Factors of M̂, and of the closed loops."""

    L: Array
    """(nv, nv)"""
    roots: Array
    """(nv,), D^(−½)"""
    N: Array | None
    """D^(−½) L⁻ᵀ Kᵀ (nv, m) of the loops"""
    loops: SemidefiniteFactors | None
    """of Nᵀ N"""
    least: Any
    """1/kg: entries of A below it count as zero"""
    coupled: tuple[tuple[int, ...], ...] = ()
    """coordinates of closed loops (`coupled_coordinates`)"""

    def to_factor_space(self, x: Array, support: Sequence[int] | None = None) -> Array:
        """Return D^(−½) L⁻ᵀ x of momenta x (nv,) or (nv, k), projected on closed loops.

        ``support``: coordinates of the rows of x and of the result, with all their ancestors and closed loops.
        """
        L, roots = self.L, self.roots
        if support is not None and len(support) < len(L):
            L, roots = L[np.ix_(support, support)], roots[list(support)]
        return self.on_closed_loops(roots.reshape(-1, *[1] * (x.ndim - 1)) * solve_above(L, x), support)

    def on_closed_loops(self, y: Array, support: Sequence[int] | None = None) -> Array:
        """Return impulses in factor space (s,) or (s, k) on a support, projected so that loops stay closed."""
        if self.N is None or self.loops is None:
            return y
        N = self.N if support is None else self.N[list(support)]
        for _ in range(2):  # one step of refinement: loops may be ill-conditioned
            y = y - N @ self.loops.solve(N.T @ y)
        return y

    def loops_within(self, support: Sequence[int]) -> tuple[int, ...]:
        """Return the indices of the tuples of ``coupled`` within a support, which begins with them."""
        there = set(support)
        return tuple(n for n, loop in enumerate(self.coupled) if there.issuperset(loop))

    def loop_sizes(self, support: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of coordinates of these tuples."""
        return tuple(len(self.coupled[n]) for n in self.loops_within(support))

    def loop_projector(self, n: int) -> Array:
        """Return N (Nᵀ N)⁺ Nᵀ of the n-th tuple of coordinates of closed loops."""
        assert self.N is not None
        assert self.loops is not None
        N = self.N[list(self.coupled[n])]
        return N @ self.loops.solve(N.T)

    def from_factor_space(self, z: Array) -> Array:
        """Return the velocities L⁻¹ D^(−½) z (nv,)."""
        return solve_below(self.L, self.roots * z)

    def velocity_to_factor_space(self, v: Array) -> Array:
        """Return D^(½) L v (nv,), the inverse of :meth:`from_factor_space`."""
        return (self.L @ v) / self.roots

    def energy(self, v: Array) -> Any:
        """Return ½ vᵀM̂v."""
        y = self.velocity_to_factor_space(v)
        return 0.5 * (y @ y)

    def velocity(self, x: Array) -> Array:
        """Return M̂⁻¹ x (nv,) of momenta x (nv,), with loops closed."""
        return self.from_factor_space(self.to_factor_space(x))


def inertia_factors(model: Model, q: Array, M: Array) -> InertiaFactors:
    """Factorize a mass matrix (nv, nv), and the loops of the model with it."""
    L, roots = factorize(M, roots=True)
    least = IMMOBILE / maximum(sum(body.mass for body in model.bodies), TINY)
    if not model.loops:
        return InertiaFactors(L, roots, None, None, least)
    N = roots[:, None] * solve_above(L, constraint_jacobian(model, q).T)
    A = N.T @ N
    order, _ = whole_elimination(model) if is_symbolic(A) else AS_THEY_COME
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.by_mass for one in scales)])
    loops = semidefinite_factors(A, scales=whole, order=order)
    return InertiaFactors(L, roots, N, loops, least, coupled_coordinates(model))
