"""Solutions exact to first or second order: their derivatives by targets, by the implicit function theorem.

A solution satisfies e₁(q) = 0, its priorities that are reached, and, of the first one that is not, the condition of a
minimum: G = J₂ᵀe₂ + J₁ᵀλ = 0 in the coordinates that may move. One Newton step of these equations from the solution,
in which only e₁ and G count as functions of the targets, has the derivatives of the solution (Krantz & Parks, *The
Implicit Function Theorem*, 2002). With one priority that is reached, a second step with the same J⁺ from the
configuration after the first one makes them exact to second order. Coordinates at active limits stay there. Where the
equations leave freedom, the step is the shortest one: J⁺ of the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.expression.derivative import jacobian
from linkwright.ik_solvers.search.steps import Level, Range, masked, without
from linkwright.spatial.arrays import Array, held, is_zero, maximum, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric

WITHIN = 1e-9
"""Distance from a limit at which a coordinate is at it, rad or m."""

RANK = 1e-20
"""A row counts as dependent on others if its part apart from them is shorter, relative to the longest row, squared."""

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


def pseudoinverse(A: Array, rank: float = RANK) -> Callable[[Array], Array]:
    """Return the function b -> A⁺ b, for A (m, n): A = L Q with orthonormal rows of Q, or zero ones.

    ``rank``: largest square, relative to the longest row, of a row that depends on others.
    """
    return factorized(A, rank)[0]


def factorized(A: Array, rank: float = RANK) -> tuple[Callable[[Array], Array], Any]:
    """Return :func:`pseudoinverse`, and the number of rows that depend on others here, but not everywhere."""
    squares = [row @ row for row in A]
    longest: Any = 0.0
    for square in squares:
        longest = maximum(longest, square)
    basis: list[Array] = []
    missing = []
    for row in A:
        for _ in range(2):  # the second pass removes the rounding of the first
            row = without(row, basis)
        square = row @ row
        there = square > rank * longest
        basis.append(row * where(there, 1.0 / np.sqrt(where(there, square, 1.0)), 0.0))
        missing.append(where(there, 0.0, 1.0))
    Q = np.stack(basis)
    L = A @ Q.T
    square = L.T @ L + np.diag(np.stack(missing))
    dependent = sum((x for x, square in zip(missing, squares, strict=True) if not is_zero(square)), 0.0)
    return lambda b: solve_symmetric(square, L.T @ b) @ Q, dependent


def newton_step(
    levels: Sequence[Level], out: Sequence[Any], reached: int, x: Array, units: Array, how: str = "held"
) -> Array:
    """Return the Newton step (n,) of the equations of a solution, in which matrices are constants.

    ``levels``: functions of the constants ``x``, the moving coordinates (k,); ``out``: of each velocity whether it is
    zero; ``reached``: number of priorities that are equations, the next one is minimized; ``units`` (k, n): rates of
    the coordinates per velocity; ``how`` matrices are held.
    """
    n = len(out)
    v = np.zeros(n)
    project = np.eye(n)
    equations = [Level(masked(level.J, out), level.e) for level in levels[:reached]]
    solve = None
    if equations:
        J = np.concatenate([level.J for level in equations])
        solve = pseudoinverse(A := held(J, how))
        v = solve(np.concatenate([level.e for level in equations]))
        project = project - np.stack([solve(column) for column in A.T], axis=1)
    if reached == len(levels):
        return v
    objective = levels[reached]
    G = objective.e @ masked(objective.J, out)
    if solve is not None:
        pull = pseudoinverse(A.T)
        G = G - held(pull(held(G, how)), how) @ J
    H = held(-jacobian(G, list(x)) @ units, how)
    square = project @ masked(H, out) @ project
    return v + project @ pseudoinverse(square, FLAT)(project @ (G - H @ v))
