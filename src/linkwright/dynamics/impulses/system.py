"""From impulses to velocities: A = J M̂⁻¹ Jᵀ, as a matrix or by way of the factors of M̂.

With M̂ = Lᵀ D L (Featherstone 2008, §6.5) and Y = L⁻ᵀ Jᵀ, which keeps the zeros of the paths of Jᵀ,

    A = Yᵀ D⁻¹ Y,     v⁺ = v_free + L⁻¹ D⁻¹ Y p,     u = r + A p,     r = J v_free

Of few rows A itself is made; of many z = D⁻¹ Y p is carried along, and u = r + Yᵀ z. Loops are left out of both by a
projection: with N = L⁻ᵀ Kᵀ of their rows K, Y − N (Nᵀ D⁻¹ N)⁺ Nᵀ D⁻¹ Y takes the place of Y, so that they stay closed
under all impulses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.forces import row_orders
from linkwright.dynamics.closed_loops.independent import AS_THEY_COME, row_scales
from linkwright.dynamics.closed_loops.rows import constraint_jacobian
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic, is_zero, mirror
from linkwright.spatial.linalg import (
    SemidefiniteFactors,
    factorise,
    semidefinite_factors,
    solve_above,
    solve_below,
)

FIXED = 1e-14
"""What moves by less than this share of what its bodies would by themselves is held, up to rounding."""

SIDEWAYS = 1e-12
"""The square of a row's entry that is nothing but rounding."""


class Inertia(NamedTuple):
    """M̂ factorised, with what loops keep still."""

    L: Array
    """(nv, nv)"""
    inverse: Array
    """(nv,), of D"""
    N: Array | None
    """L⁻ᵀ Kᵀ (nv, m) of the loops"""
    loops: SemidefiniteFactors | None
    """of Nᵀ D⁻¹ N"""

    def carried(self, x: Array) -> Array:
        """L⁻ᵀ x of momenta x (nv,) or (nv, k), without what the loops bear of them."""
        y = solve_above(self.L, x)
        if self.N is None or self.loops is None:
            return y
        for _ in range(2):  # corrected once: the rows of loops may be badly conditioned
            y = y - self.N @ self.loops.solve((self.N.T * self.inverse) @ y)
        return y

    def moved(self, z: Array) -> Array:
        """The velocities (nv,) of z = D⁻¹ L⁻ᵀ x."""
        return solve_below(self.L, z)

    def velocity(self, x: Array) -> Array:
        """M̂⁻¹ x (nv,), of momenta (nv,) where no loop opens."""
        return self.moved(self.inverse * self.carried(x))


def inertia(model: Model, q: Array, M: Array) -> Inertia:
    """The factors of a mass matrix (nv, nv), and of the model's loops by it."""
    L, inverse = factorise(M)
    if not model.loops:
        return Inertia(L, inverse, None, None)
    N = solve_above(L, constraint_jacobian(model, q).T)
    A = (N.T * inverse) @ N
    order, _ = row_orders(model).whole if is_symbolic(A) else AS_THEY_COME
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.by_mass for one in scales)])
    return Inertia(L, inverse, N, semidefinite_factors(A, scales=whole, order=order))


class System(NamedTuple):
    """Rows and what impulses along them do to their velocities."""

    Y: Array
    """L⁻ᵀ Jᵀ (nv, m)"""
    scaled: Array
    """D⁻¹ Y"""
    r: Array
    """J v_free (m,)"""
    least: Array
    """(m,): what impulses along a row must move it by, each; rows that they move by less, joints or loops hold"""
    A: Array | None
    """(m, m); None where it is not made"""

    def block(self, rows: list[int]) -> Array:
        """A (k, k) of some rows."""
        if self.A is not None:
            return self.A[np.ix_(rows, rows)]
        return self.Y[:, rows].T @ self.scaled[:, rows]

    def carried(self, p: Array) -> Array:
        """z (nv,) = D⁻¹ Y p."""
        return self.scaled @ p

    def velocities(self, rows: list[int], p: Array, z: Array) -> Array:
        """u (k,) of some rows; z is looked at where A is not made."""
        if self.A is not None:
            return self.r[rows] + self.A[rows] @ p
        return self.r[rows] + self.Y[:, rows].T @ z

    def without(self, rows: list[int], p: Array, z: Array) -> Array:
        """What the velocities (k,) of some rows are without their own impulses."""
        if self.A is None:
            return self.velocities(rows, p, z) - self.block(rows) @ p[rows]
        others = [k for k in range(len(p)) if k not in rows]
        return self.r[rows] + self.A[np.ix_(rows, others)] @ p[others] if others else self.r[rows]

    def after(self, z: Array, rows: list[int], change: Array) -> Array:
        """z when the impulses of some rows have changed; it stays where A is made."""
        return z if self.A is not None else z + self.scaled[:, rows] @ change

    def work(self, p: Array, q: Array) -> Any:
        """pᵀ A q."""
        return (self.Y @ p) @ (self.scaled @ q)


def system(inertia: Inertia, J: Array, r: Array, blocks: Sequence[list[int]], sweeps: int) -> System:
    """The system of rows J (m, nv) with velocities r (m,), in blocks; ``sweeps``: how often each is gone through."""
    Y = inertia.carried(J.T)
    scaled = inertia.inverse[:, None] * Y
    m, own = len(J), sum(len(rows) ** 2 for rows in blocks)
    there = np.array([[not is_zero(x) for x in column] for column in Y.T]).reshape(m, len(Y))
    making = sum(int((there[k] & there[: k + 1]).sum()) for k in range(m))  # products of A's lower triangle
    by_factors = sweeps * (2 * int(there.sum()) + own)
    A = mirror(Y.T @ scaled) if making + sweeps * (m * m - own) <= by_factors else None
    least = FIXED * ((J * J + SIDEWAYS) @ inertia.inverse)
    return System(Y, scaled, r, least, A)
