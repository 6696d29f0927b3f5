"""Solutions exact to first or second order: their derivatives by targets, by the implicit function theorem.

A solution satisfies e₁(q) = 0, its priorities that are reached, and, of the first one that is not, the condition of a
minimum: G = J₂ᵀe₂ + J₁ᵀλ = 0 in the coordinates that may move. One Newton step of these equations from the solution,
in which only e₁ and G count as functions of the targets, has the derivatives of the solution (Krantz & Parks, *The
Implicit Function Theorem*, 2002). With one priority that is reached, a second step with the same J⁺ from the
configuration after the first one makes them exact to second order. Coordinates at active limits stay there. Where the
equations leave freedom, the steps are the shortest ones, J⁺ of the errors, from a solution that moves with the initial
guess; to second order, J of the first step changes with the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.expression.derivative import jacobian
from linkwright.ik_solvers.search.steps import Level, Range, masked, without
from linkwright.spatial.arrays import Array, held, is_zero, maximum, minimum, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric

WITHIN = 1e-9
"""Distance from a limit at which a coordinate is at it, rad or m."""

RANK = 1e-20
"""A row counts as dependent on others if its part apart from them is shorter, relative to the longest row, squared."""

SINGULAR = 1e-10
"""The same of rows that make a configuration singular: errors of 1e-16 change its derivatives by 1e-6 of their size."""

INEXACT = 1e-6
"""Largest relative change of first derivatives by the Newton step from a solution: |J⁺e|² relative to |e|."""

FLAT = 1e-12
"""The same of second derivatives at a minimum: those of free directions vanish only as exactly as it was found."""


def at_limits(ranges: Sequence[Range], at_q: Sequence[int], at_v: Sequence[int], x: Array) -> list[Any]:
    """Return for each moving velocity whether its coordinate is at a limit, or None without limits."""
    found: list[Any] = [None] * len(at_v)
    for one in ranges:
        if one.rate in at_v and one.place in at_q:
            here = x[at_q.index(one.place)]
            found[at_v.index(one.rate)] = (here >= one.upper - WITHIN) | (here <= one.lower + WITHIN)
    return found


class RowFactors(NamedTuple):
    """Factors of a matrix A = L Q (m, n) with orthonormal rows of Q, or zero ones."""

    Q: Array
    L: Array
    square: Array
    """LᵀL, with ones on the diagonal for rows of zeros"""
    dependent: Any
    """the number of rows that depend on others here, but not everywhere"""
    nearly: Any
    """the number of rows that depend on others to :data:`SINGULAR`, or everywhere"""

    def solve(self, b: Array) -> Array:
        """Return A⁺ b."""
        return solve_symmetric(self.square, self.L.T @ b) @ self.Q

    def multipliers(self, b: Array) -> Array:
        """Return (A Aᵀ)⁺ b."""
        return self.L @ solve_symmetric(self.square, solve_symmetric(self.square, self.L.T @ b))


def factorized(A: Array, rank: float = RANK, sizes: Array | None = None) -> RowFactors:
    """Return the factors of a matrix (m, n).

    ``rank``: largest square, relative to the longest row, of a row that depends on others; ``sizes`` (m,): weights of
    the rows, by which these are divided before they are counted as nearly dependent.
    """
    squares = [row @ row for row in A]
    weights = np.ones(len(A)) if sizes is None else sizes**-2.0
    longest: Any = 0.0
    longest_weighted: Any = 0.0
    for square, weight in zip(squares, weights, strict=True):
        longest, longest_weighted = maximum(longest, square), maximum(longest_weighted, weight * square)
    basis: list[Array] = []
    missing, nearly = [], []
    for row, weight in zip(A, weights, strict=True):
        for _ in range(2):  # the second pass removes the rounding of the first
            row = without(row, basis)
        square = row @ row
        there = square > rank * longest
        basis.append(row * where(there, 1.0 / np.sqrt(where(there, square, 1.0)), 0.0))
        missing.append(where(there, 0.0, 1.0))
        nearly.append(where(weight * square > SINGULAR * longest_weighted, 0.0, 1.0))
    Q = np.stack(basis)
    L = A @ Q.T
    dependent = sum((x for x, square in zip(missing, squares, strict=True) if not is_zero(square)), 0.0)
    return RowFactors(Q, L, L.T @ L + np.diag(np.stack(missing)), dependent, sum(nearly, 0.0))


def is_regular(factors: RowFactors, e: Array, v: Array, sizes: Array, rank: int, free: Any) -> Any:
    """Return whether a solution is known well enough for its derivatives: Newton's method converges fast, J has rank.

    Parameters
    ----------
    factors : RowFactors
        Factors of J (m, n).
    e, v : ndarray, shapes (m,) and (n,)
        Errors, and the Newton step J⁺e. Its square relative to the errors is the number of Kantorovich's theorem.
    sizes : ndarray, shape (m,)
        Weights of the rows.
    rank : int
        Rank of J at most configurations; 0 if it is not known.
    free : int
        Number of coordinates that are not at their limits.
    """
    own = e / sizes
    exact = (v @ v) ** 2 <= INEXACT**2 * (own @ own)
    return exact & (len(e) - factors.nearly >= minimum(float(rank), free) - 0.5) if rank else exact


def newton_step(
    levels: Sequence[Level], out: Sequence[Any], reached: int, x: Array, units: Array, how: str, sizes: Array
) -> tuple[Array, RowFactors | None]:
    """Return the Newton step (n,) of the equations of a solution, in which matrices are constants, and their factors.

    ``levels``: functions of the moving coordinates ``x`` (k,); ``out``: of each velocity whether it is zero;
    ``reached``: number of priorities that are equations, the next one is minimized; ``units`` (k, n): rates of the
    coordinates per velocity; ``how`` matrices are held; ``sizes``: weights of the rows of the equations.
    """
    n = len(out)
    v = np.zeros(n)
    project = np.eye(n)
    equations = [Level(masked(level.J, out), level.e) for level in levels[:reached]]
    factors = None
    if equations:
        J = np.concatenate([level.J for level in equations])
        factors = factorized(A := held(J, how), sizes=sizes)
        v = factors.solve(np.concatenate([level.e for level in equations]))
        project = project - np.stack([factors.solve(column) for column in A.T], axis=1)
    if reached == len(levels):
        return v, factors
    objective = levels[reached]
    G = objective.e @ masked(objective.J, out)
    if equations:
        pull = factorized(A.T).solve
        G = G - held(pull(held(G, how)), how) @ J
    H = held(-jacobian(G, list(x)) @ units, how)
    square = project @ masked(H, out) @ project
    return v + project @ factorized(square, FLAT).solve(project @ (G - H @ v)), factors
