"""Several solutions of one target, and the one nearest the start: from many starts, those alike left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import kernel_of
from linkwright.ik_solvers.search.solver import NumericalSolver, SearchOptions, SearchResult
from linkwright.ik_solvers.search.steps import TURN
from linkwright.ik_solvers.tasks import Joints
from linkwright.model.memo import derived
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

ALIKE = 1e-3
"""Solutions are one whose coordinates differ by less, in the mechanism's units, turns left out."""

NEAR = 0.4
"""Distance of other starts from a start, in units of the mechanism: once, twice and three times this value."""

DRAWS, PER_SOLUTION = 16, 16
"""Starts that are tried, and further ones for every solution asked for."""

TOGETHER, AT_ONCE = 8, 50_000
"""Starts that are tried at once, of every row; and of all"""

ISOLATED = 48
"""Starts for the nearest where nothing is left free: half of them anywhere, since no way leads to another solution."""


def with_posture(problem: NumericalSolver) -> NumericalSolver:
    """The problem with the start as what comes last, where its tasks leave the mechanism free to go there."""
    held = sum(len(task.scales(problem.model)) for task in problem.tasks)
    if held >= len(problem.moves[1]):
        return problem
    last = 1 + max(task.priority for task in problem.tasks)
    changed = (*problem.tasks, Joints(priority=last))
    made: NumericalSolver = derived(problem.model, with_posture, problem, make=lambda: replace(problem, tasks=changed))
    return made


def many(
    problem: NumericalSolver, rows: list[Array], search: SearchOptions, count: int, alone: bool
) -> tuple[SearchResult, Array, SearchResult]:
    """Return up to ``count`` different solutions of every row (n, …), a mask (n, count), and the first results.

    The first results (n, …) may be no solutions. With a start solutions are in the order of their distance from it,
    otherwise in the order in which they were found. Angles are shifted by whole turns within the limits to be nearest
    to the start, or to zero. A row whose first search failed is not searched further.
    """
    model, (start, *targets), n = problem.model, rows, len(rows[0])
    beside = np.zeros_like(start) if search.stored else start
    first = problem.answers(start, targets, search, alone)
    best = SearchResult(
        np.full((n, count, model.nq), np.nan), np.full((n, count, 5), np.inf), np.full((n, count, len(targets)), np.inf)
    )
    counts, steps = np.zeros(n, dtype=int), first.told[:, 2:4].copy()
    _add(problem, best, counts, np.arange(n), first._replace(q=unturned(problem, beside, first.q)), search.tolerance)
    draws = min(int(search.restarts), DRAWS + PER_SOLUTION * count)
    for k in range(1, 1 + draws, TOGETHER):
        at = np.flatnonzero((counts > 0) & (counts < count))
        if not len(at):
            break
        drawn = range(k, min(k + TOGETHER, 1 + draws))
        for found in _attempts(problem, [x[at] for x in rows], beside[at], search, drawn, alone):
            steps[at] += found.told[:, 2:4]
            _add(problem, best, counts, at, found, search.tolerance)
    best.told[:, :, 2:4] = steps[:, None]
    if not search.stored:
        far = distance(problem, start[:, None], best.q)
        order = np.argsort(np.where(np.isnan(far), np.inf, far), axis=1, kind="stable")
        best = SearchResult(*(np.take_along_axis(x, order[..., None], axis=1) for x in best))
    return best, np.arange(count) < counts[:, None], first


def _add(
    problem: NumericalSolver, best: SearchResult, counts: Array, at: Array, found: SearchResult, tolerance: float
) -> None:
    """Put solutions found of rows ``at`` (n,) behind those that there are, unless they are alike."""
    most = best.q.shape[1]
    new = found.there(tolerance) & (counts[at] < most)
    for other in range(most):
        known = counts[at] > other
        if known.any():
            new &= ~(known & (_apart(problem, best.q[at, other], found.q) < ALIKE))
    for into, x in zip(best, found, strict=True):
        into[at[new], counts[at[new]]] = x[new]
    counts[at[new]] += 1


def nearest(problem: NumericalSolver, rows: list[Array], search: SearchOptions, alone: bool) -> SearchResult:
    """Return the found solution of every row (n, …) that is nearest to the start; without a solution any result."""
    posture, start = with_posture(problem), rows[0]
    more = [start] if posture is not problem else []
    best = problem.answers(start, rows[1:], search, alone)
    draws, elsewhere = (DRAWS, 4) if more else (ISOLATED, 2)
    draws = 1 + min(int(search.restarts), draws)
    there = np.flatnonzero(best.there(search.tolerance))
    for at in np.array_split(there, 1 + len(there) * draws // AT_ONCE):
        some = [x[at] for x in rows]
        mine = SearchResult(*(x[at] for x in best))
        mine = mine._replace(q=unturned(problem, some[0], mine.q))
        far = distance(problem, some[0], mine.q)
        for found in _attempts(
            posture, [*some, *(x[at] for x in more)], some[0], search, range(draws), alone, elsewhere
        ):
            answers = found._replace(errors=found.errors[:, : len(problem.tasks)])
            answers.told[:, 0] = np.sqrt((answers.errors**2).sum(axis=1))
            away = np.where(found.there(search.tolerance), distance(problem, some[0], found.q), np.inf)
            nearer = np.flatnonzero(away < far)
            for into, x in zip(mine, answers, strict=True):
                into[nearer] = x[nearer]
            far = np.minimum(far, away)
        for into, x in zip(best, mine, strict=True):
            into[at] = x
    return best


def _around(problem: NumericalSolver, start: Array, moved: Array) -> Array:
    """Configurations (n, nq) so far (n, nv) from the start, in the mechanism's units, where it may move."""
    moved = moved * scale_of(problem.model).velocities
    moved[:, np.setdiff1d(np.arange(problem.model.nv), problem.moves[1])] = 0.0
    move: Any = kernel_of(dynamics.integrate, problem.model)
    return np.asarray(move(start, moved))


def _attempts(
    problem: NumericalSolver,
    rows: list[Array],
    beside: Array,
    search: SearchOptions,
    drawn: range,
    alone: bool,
    elsewhere: int = 1,
) -> list[SearchResult]:
    """Return one attempt for all rows, without restarts: from the start (0), then from others.

    Each ``elsewhere``-th start is random, the others are around the start; angles are shifted by whole turns to be
    nearest to the postures ``beside`` (n, nq).
    """
    (start, *targets), n, model = rows, len(rows[0]), problem.model
    starts = []
    for k in drawn:
        generator = np.random.default_rng([int(search.seed), k])
        if k == 0:
            starts.append(start)
        elif k % elsewhere:
            starts.append(_around(problem, start, NEAR * (k % 4) * generator.normal(size=(n, model.nv))))
        else:
            begin = model.random(n, seed=generator)
            begin[:, problem.still] = start[:, problem.still]
            starts.append(begin)
    times = len(starts)
    repeated = [np.tile(x, (times,) + (1,) * (x.ndim - 1)) for x in targets]
    once = search._replace(restarts=0.0, stored=0.0)
    found = problem.answers(np.concatenate(starts), repeated, once, alone)
    found = found._replace(q=unturned(problem, np.tile(beside, (times, 1)), found.q))
    return [SearchResult(*(x[k * n : (k + 1) * n] for x in found)) for k in range(times)]


def distance(problem: NumericalSolver, a: Array, b: Array) -> Array:
    """Return the distance of configurations, in units of the mechanism."""
    return np.sqrt(((_difference(problem.model, a, b) / scale_of(problem.model).velocities) ** 2).sum(axis=-1))


def _difference(model: Model, a: Array, b: Array) -> Array:
    difference: Any = kernel_of(dynamics.difference, model)
    return np.asarray(difference(a, b))


def _apart(problem: NumericalSolver, a: Array, b: Array) -> Array:
    """Return the largest difference of coordinates modulo whole turns."""
    apart = _difference(problem.model, a, b)
    for _, rate in problem.circular:
        turns = apart[..., rate]
        apart[..., rate] = turns - TURN * np.rint(turns / TURN)
    return np.abs(apart / scale_of(problem.model).velocities).max(axis=-1)


def unturned(problem: NumericalSolver, near: Array, q: Array) -> Array:
    """The same postures with angles as near to others as whole turns within the limits bring them."""
    model, q = problem.model, q.copy()
    for place, _ in problem.circular:
        x = q[:, place]
        turns = np.rint((near[:, place] - x) / TURN)
        if problem.limits:
            lower, upper = model.lower[place], model.upper[place]
            least, most = np.ceil((lower - x) / TURN), np.floor((upper - x) / TURN)
            turns = np.where(least <= most, np.clip(turns, least, np.maximum(least, most)), 0.0)
        q[:, place] = x + TURN * turns
    return q
