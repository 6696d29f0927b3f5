"""Projected Gauss–Seidel: iterations through the laws of all constraints (`impulse_laws.py`).

Of few rows the matrix A is formed; of many z = Y p is updated instead. In machine code constraints of the same kind are
loops (`looped_gauss_seidel.py`). Iterations are accelerated by Anderson mixing of depth one (Walker & Ni 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.constraint_families import constraint_families, loops_pay_off
from linkwright.dynamics.impulses.impulse_laws import (
    LARGEST_EXTRAPOLATION,
    SAFETY,
    TINY_SQUARE,
    ProjectedGaussSeidel,
    Subproblem,
    initial_change,
    velocity_change,
)
from linkwright.dynamics.impulses.looped_gauss_seidel import LoopedGaussSeidel, warm_start_factor
from linkwright.spatial.arrays import Array, clip, is_symbolic, maximum, mirror, where
from linkwright.spatial.loops.memory import plain, read, write
from linkwright.spatial.loops.repeats import repeat, until, when

UNROLLED = 120
"""Constraints times iterations up to which code is unrolled; longer code is a loop."""


def solve_subproblems(
    subproblems: Sequence[Subproblem], p: Array, z: Array, settings: ProjectedGaussSeidel, moved: Any = None
) -> tuple[Array, Array, Any]:
    """Return p (m,) and z = Y p (nv,) after the iterations, and their number, from an initial guess of both.

    ``moved``: the change of a velocity by the first iteration, if it is known; there are no iterations where it is 0.
    """
    if not subproblems or not settings.iterations:
        return p, z, 0.0
    if _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, len(p), len(z)).solve_subproblems(p, z, settings)
    if loops_pay_off(subproblems):  # numbers, in the order of the loops
        subproblems = list(
            {id(one.subproblem): one.subproblem for some in constraint_families(subproblems) for one in some}.values()
        )
    if _dense_is_cheaper(subproblems, settings.iterations):
        A, r = _dense_matrix(subproblems, len(p)), velocities(subproblems, len(p))
        iterate = partial(_dense_iteration, subproblems, A, r)
        p, _, count = _iterated(iterate, subproblems, settings, p, np.zeros(0), moved)
        return p, factor_impulses(subproblems, p, len(z)), count
    iterate = partial(_iteration, subproblems, settings.tolerance is not None)
    return _iterated(iterate, subproblems, settings, p, z, moved)


def solve_from(
    subproblems: Sequence[Subproblem], p: Array, coordinates: int, settings: ProjectedGaussSeidel
) -> tuple[Array, Array, Any]:
    """Do the same from a warm start (m,), which is scaled by the factor of least work; ``coordinates``: size of z.

    Impulses of groups that are not near are zero.
    """
    if subproblems and settings.iterations and _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, len(p), coordinates).solve_from(p, settings)
    p = p.copy()
    for one in subproblems:
        if one.near is not None:
            p[one.at] = where(one.near > 0.5, p[one.at], 0.0)
    p, z = rescaled_by_work(subproblems, p, factor_impulses(subproblems, p, coordinates))
    return solve_subproblems(subproblems, p, z, settings)


def solve_in_row(
    subproblems: Sequence[Subproblem], x: Any, size: int, coordinates: int, settings: ProjectedGaussSeidel
) -> tuple[Any, Array, Any]:
    """Do the same with the impulses (size,) at the beginning of a row in memory, which is returned with the results."""
    if subproblems and settings.iterations and _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, size, coordinates).solve_in_row(x, settings)
    p, z, count = solve_from(subproblems, read(x, 0.0, size), coordinates, settings)
    return write(x, 0.0, p), z, count


def solve_from_zero(subproblems: Sequence[Subproblem], size: int, nil: Array, settings: ProjectedGaussSeidel) -> Array:
    """Return z = Y p after the iterations from p = 0 (size,); ``nil``: z = 0.

    There are none if p = 0 is the solution.
    """
    if subproblems and settings.iterations and _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, size, len(nil)).solve_from_zero(nil[0], settings)
    p = np.stack([nil[0]] * size)
    moved = largest_residual(subproblems, p, None)
    return solve_subproblems(subproblems, p, nil, settings, moved)[1]


def rescaled_by_work(subproblems: Sequence[Subproblem], p: Array, z: Array) -> tuple[Array, Array]:
    """Scale impulses (m,) by the factor in [0, 1] of least work, pᵀr + ½ pᵀAp; it is 0 after an impact."""
    s = warm_start_factor(p @ velocities(subproblems, len(p)), z)
    return s * p, s * z


def _uses_loops(subproblems: Sequence[Subproblem]) -> bool:
    """Return whether iterations are loops over constraints: of symbols, with enough constraints of the same kind."""
    return is_symbolic(*(subproblem.Y for subproblem in subproblems)) and loops_pay_off(subproblems)


Iteration = Callable[[Array, Array], tuple[Array, Array, Any]]
"""(p, z) -> (p, z, largest change of a velocity in m/s)"""


class _AndersonState(NamedTuple):
    """State of Anderson mixing between two iterations."""

    start: tuple[Array, Array]
    """(p, z) from which the next iteration starts"""
    extrapolated: Any
    """1: ``start`` is extrapolated from ``end``; −1: an extrapolation was rejected; else 0"""
    end: tuple[Array, Array]
    """(p, z) after the last iteration"""
    step: Array
    """(m,), change of p by the last iteration"""
    square: Any
    """square of ``step``, weighted by B_kk: an energy"""

    @property
    def found(self) -> tuple[Array, Array]:
        """Result (p, z) of an iteration; where an extrapolation was rejected, that before it."""
        p, z = (where(self.extrapolated < -0.5, *two) for two in zip(self.start, self.end, strict=True))
        return p, z


def _iterated(
    iterate: Iteration,
    subproblems: Sequence[Subproblem],
    settings: ProjectedGaussSeidel,
    p: Array,
    z: Array,
    moved: Any = None,
) -> tuple[Array, Array, Any]:
    """Repeat iterations, with Anderson mixing of depth one where settings ask for it (Walker & Ni 2011)."""
    weights, nil = _weights(subproblems, len(p)), 0.0 * p[0]
    count: Any = float(settings.iterations)

    def step(*state: Any) -> tuple[Any, ...]:
        """Return the state, (p, z) or that of Anderson mixing, and the largest change of a velocity."""
        if not settings.accelerated:
            return iterate(*state[:-1])
        *end, moved = iterate(*state[0])
        mixed, beyond = _extrapolated(_AndersonState(*state[:-1]), (end[0], end[1]), weights)
        return (*mixed, SAFETY * moved * (1.0 + abs(beyond)))  # estimate of the remaining change at this rate

    state: tuple[Any, ...] = (p, z)
    if settings.accelerated:
        state = tuple(_AndersonState((p, z), nil, (p, z), 0.0 * p, nil))
    if (least := settings.tolerance) is not None:

        def settled(*state: Any) -> Any:
            return state[-1] < least

        limit = settings.iterations
        first = (initial_change(subproblems, least) if moved is None else where(moved > 0.0, 2.0 * least, 0.0)) + nil
        *taken, count = until(settled, lambda k, *state: step(*state), *state, first, limit=limit)
        state = tuple(taken)
    elif sum(len(subproblem.laws) for subproblem in subproblems) * settings.iterations <= UNROLLED:
        state = (*state, nil)
        for _ in range(settings.iterations):
            state = step(*state)
    else:
        state = (*repeat(settings.iterations, lambda k, *state: step(*state, nil)[:-1], *state), nil)
    found = state[:2] if not settings.accelerated else _AndersonState(*state[:-1]).found
    return found[0], found[1], count


def _extrapolated(state: _AndersonState, end: tuple[Array, Array], weights: Array) -> tuple[_AndersonState, Any]:
    """Extrapolate to the start of the next iteration: the point of least step, if steps change linearly.

    The second result is the extrapolation relative to the distance between the last two ends. Where the step has grown,
    nothing is extrapolated, and the extrapolation that led there is rejected.
    """
    step = end[0] - state.start[0]
    bend = step - state.step
    square, turned, bent = weights @ (step * step), weights @ (bend * bend), weights @ (step * bend)
    grown, some = ~(square < state.square), turned > TINY_SQUARE
    least = where(some, clip(bent / where(some, turned, 1.0), -LARGEST_EXTRAPOLATION, LARGEST_EXTRAPOLATION), 0.0)
    failed = where(grown, state.extrapolated, 0.0) > 0.5
    back = where(failed, 1.0, where(grown, 0.0, least))
    start = tuple(x - back * (x - before) for x, before in zip(end, state.end, strict=True))
    extrapolated = where(failed, -1.0, where(grown, 0.0, 1.0))
    return _AndersonState((start[0], start[1]), extrapolated, end, step, square), back


def _weights(subproblems: Sequence[Subproblem], size: int) -> Array:
    """Return B_kk (m,) of all rows; 0 where a group is not near."""
    found: list[Any] = [0.0] * size
    for subproblem in subproblems:
        near = subproblem.near
        for law, places in zip(subproblem.laws, subproblem.places, strict=True):
            for i, k in enumerate(places):
                B = law.block.B[i, i]
                found[subproblem.at[k]] = B if near is None else where(near > 0.5, B, 0.0)
    return np.stack(found)


def _dense_is_cheaper(subproblems: Sequence[Subproblem], settings: int) -> bool:
    """Return whether iterations with the dense matrix A need fewer products."""
    if any(subproblem.near is not None for subproblem in subproblems):
        return False
    sizes = [len(subproblem.at) for subproblem in subproblems]
    m, own = sum(sizes), sum(len(rows) ** 2 for subproblem in subproblems for rows in subproblem.places)
    common = [
        n * k * len(set(one.support) & set(other.support))
        for i, (one, n) in enumerate(zip(subproblems, sizes, strict=True))
        for other, k in zip(subproblems[:i], sizes, strict=False)
    ]
    by_factors = sum(2 * len(subproblem.support) * n for subproblem, n in zip(subproblems, sizes, strict=True))
    return sum(common) + settings * (m * m - own) < settings * (by_factors + own)


def _dense_matrix(subproblems: Sequence[Subproblem], size: int) -> Array:
    """Return A (m, m)."""
    A = np.zeros((size, size), dtype=object)
    for subproblem in subproblems:
        for other in subproblems:
            common = [k for k in subproblem.support if k in other.support]
            if common:
                one, two = (plain(x.Y)[[x.support.index(k) for k in common]] for x in (subproblem, other))
                A[np.ix_(subproblem.at, other.at)] = one.T @ two
    return mirror(A) if is_symbolic(*(subproblem.Y for subproblem in subproblems)) else A.astype(float)


def _dense_iteration(
    subproblems: Sequence[Subproblem], A: Array, r: Array, p: Array, z: Array
) -> tuple[Array, Array, Any]:
    moved: Any = 0.0
    now = list(p)
    for subproblem in subproblems:
        for law, places in zip(subproblem.laws, subproblem.places, strict=True):
            rows = [subproblem.at[k] for k in places]
            others = [*range(rows[-1] + 1, len(now)), *range(rows[0])]  # the latest results are added last
            c = r[rows] + (A[np.ix_(rows, others)] @ np.stack([now[k] for k in others]) if others else 0.0)
            before = np.stack([now[k] for k in rows])
            after = law.solve(before, c)
            moved = maximum(moved, law.moves(after - before))
            for k, x in zip(rows, after, strict=True):
                now[k] = x
    return np.stack(now), z, moved


def _iteration(subproblems: Sequence[Subproblem], measure: bool, p: Array, z: Array) -> tuple[Array, Array, Any]:
    """Iterate once; ``measure``: compute the largest change of a velocity."""
    moved: Any = 0.0
    now, there = list(p), list(z)
    for subproblem in subproblems:
        own, held = np.stack([now[k] for k in subproblem.at]), np.stack([there[k] for k in subproblem.support])
        compute = _group_iteration(subproblem, own, held, measure)
        otherwise = (own, held, 0.0 * own[0]) if measure else (own, held)
        own, held, *most = compute() if subproblem.near is None else when(subproblem.near > 0.5, compute, *otherwise)
        if measure:
            moved = maximum(moved, most[0])
        for places, values, target in ((subproblem.at, own, now), (subproblem.support, held, there)):
            for k, x in zip(places, values, strict=True):
                target[k] = x
    return np.stack(now), np.stack(there), moved


def _group_iteration(subproblem: Subproblem, own: Array, held: Array, measure: bool) -> Callable[[], tuple[Any, ...]]:
    """Return a function that iterates once through a group: its impulses (k,), and its entries of z (s,)."""

    whole = plain(subproblem.Y)

    def solved() -> tuple[Any, ...]:
        p, z = own, held
        moved: Any = 0.0
        for law, rows in zip(subproblem.laws, subproblem.places, strict=True):
            Y, before = whole[:, rows], p[rows]
            after = law.solve(before, subproblem.r[rows] + Y.T @ z - law.block.B @ before, measure)
            z = z + Y @ (after - before)
            p = np.stack([after[rows.index(k)] if k in rows else p[k] for k in range(len(p))])
            if measure:
                moved = maximum(moved, law.moves(after - before))
        return (p, z, moved) if measure else (p, z)

    return solved


def factor_impulses(subproblems: Sequence[Subproblem], p: Array, size: int) -> Array:
    """Return z = Y p (size,)."""
    if _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, len(p), size).factor_impulses(p)
    z: list[Any] = [0.0] * size
    for subproblem in subproblems:
        held = np.stack([z[k] for k in subproblem.support]) if subproblem.support else np.zeros(0)
        compute = partial(_added, held, plain(subproblem.Y), p[subproblem.at])
        held = compute() if subproblem.near is None else when(subproblem.near > 0.5, compute, held)
        for k, x in zip(subproblem.support, held, strict=True):
            z[k] = x
    return np.stack(z) if size else np.zeros(0)


def largest_residual(subproblems: Sequence[Subproblem], p: Array, z: Array | None) -> Any:
    """Return the largest change of a velocity by which the impulses p (m,) do not fulfill a law, m/s or rad/s.

    ``z``: Y p; None if r is the velocity with impulses.
    """
    if _uses_loops(subproblems):
        return LoopedGaussSeidel.of(subproblems, len(p), 0 if z is None else len(z)).residual(p, z)
    most: Any = 0.0
    for subproblem in subproblems:
        u = subproblem.r
        if z is not None:
            u = u + velocity_change(subproblem.Y, z[subproblem.support], subproblem.near)
        for law, places in zip(subproblem.laws, subproblem.places, strict=True):
            own = p[[subproblem.at[i] for i in places]]
            moved = law.moves(law.solve(own, u[places] - law.block.B @ own) - own)
            most = maximum(most, moved if subproblem.near is None else where(subproblem.near > 0.5, moved, 0.0))
    return most


def _added(z: Array, Y: Array, p: Array) -> Array:
    return z + Y @ p


def velocities(subproblems: Sequence[Subproblem], size: int) -> Array:
    """Return r (m,) of all rows, zero for rows of no subproblem."""
    r: list[Any] = [0.0] * size
    for subproblem in subproblems:
        for k, x in zip(subproblem.at, subproblem.r, strict=True):
            r[k] = x
    return np.stack(r) if r else np.zeros(0)
