"""Several solutions of one target, and the one nearest the start: from many starts, those alike left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import kernel_of
from linkwright.inverse_kinematics.failures import Found, variant
from linkwright.inverse_kinematics.solver import DONE, Solver
from linkwright.inverse_kinematics.steps import TURN
from linkwright.inverse_kinematics.tasks import Joints
from linkwright.model.derived import derived
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

ALIKE = 1e-3
"""Solutions are one whose coordinates differ by less, in the mechanism's units, turns left out."""

NEAR = 0.4
"""How far from a start others are, in the mechanism's units: once, twice and three times so much."""

DRAWS, PER_SOLUTION = 16, 16
"""Starts that are tried, and further ones for every solution asked for."""

ISOLATED = 48
"""Starts for the nearest where nothing is left free: half of them anywhere, since no way leads to another solution."""


def with_posture(problem: Solver) -> Solver:
    """The problem with the start as what comes last, where its tasks leave the mechanism free to go there."""
    held = sum(len(task.scales(problem.model)) for task in problem.tasks)
    if held >= len(problem.moves[1]):
        return problem
    last = 1 + max(task.priority for task in problem.tasks)
    changed = (*problem.tasks, Joints(priority=last))
    made: Solver = derived(
        problem.model, with_posture, problem, make=lambda: replace(problem, tasks=changed, started=True)
    )
    return made


def many(problem: Solver, rows: list[Array], start: Array | None, settings: Array, count: int) -> tuple[Found, Array]:
    """Up to so many different solutions of every row (n, …): answers (n, count, …), and which there are (n, count).

    With a start they are in the order of their distance from it, else in that in which they were found. Angles are as
    near to the start, or to zero, as whole turns within the limits bring them.
    """
    model, n = problem.model, len(rows[0])
    best = Found(
        np.full((n, count, model.nq), np.nan), np.full((n, count, 5), np.inf), np.full((n, count, len(rows)), np.inf)
    )
    counts = np.zeros(n, dtype=int)
    steps = np.zeros((n, 2))
    for k in range(1 + min(int(settings[1]), DRAWS + PER_SOLUTION * count)):
        open_rows = np.flatnonzero(counts < count)
        if not len(open_rows):
            break
        found = _attempt(
            problem, [x[open_rows] for x in rows], None if start is None else start[open_rows], settings, k
        )
        steps[open_rows] += found.told[:, 2:4]
        beside = np.zeros((1, model.nq)) if start is None else start[open_rows]
        found = found._replace(q=_unturned(problem, beside, found.q))
        new = (found.first <= settings[0]) & (found.told[:, 4] == DONE)
        for other in range(count):
            known = counts[open_rows] > other
            if known.any():
                apart = _apart(problem, best.q[open_rows, other], found.q)
                new &= ~(known & (apart < ALIKE))
        at, places = open_rows[new], counts[open_rows[new]]
        for into, x in zip(best, found, strict=True):
            into[at, places] = x[new]
        counts[at] += 1
    best.told[:, :, 2:4] = steps[:, None]
    if start is not None:
        far = distance(problem, start[:, None], best.q)
        order = np.argsort(np.where(np.isnan(far), np.inf, far), axis=1, kind="stable")
        best = Found(*(np.take_along_axis(x, order[..., None], axis=1) for x in best))
    return best, np.arange(count) < counts[:, None]


def nearest(problem: Solver, rows: list[Array], start: Array, settings: Array) -> Found:
    """Of every row (n, …) the solution found that is nearest the start; where there is none, any answer."""
    posture = with_posture(problem)
    more = [start] if posture is not problem else []
    best: Found | None = None
    far = np.full(len(start), np.inf)
    draws, elsewhere = (DRAWS, 4) if more else (ISOLATED, 2)
    for k in range(1 + min(int(settings[1]), draws)):
        found = _attempt(posture, [*rows, *more], start, settings, k, elsewhere)
        found = found._replace(q=_unturned(problem, start, found.q), errors=found.errors[:, : len(problem.tasks)])
        there = (found.first <= settings[0]) & (found.told[:, 4] == DONE)
        away = np.where(there, distance(problem, start, found.q), np.inf)
        if best is None:
            best, far = found, away
        else:
            nearer = np.flatnonzero(away < far)
            for into, x in zip(best, found, strict=True):
                into[nearer] = x[nearer]
            far = np.minimum(far, away)
    assert best is not None
    best.told[:, 0] = np.sqrt((best.errors**2).sum(axis=1))
    return best


def _around(problem: Solver, start: Array | None, moved: Array) -> Array:
    """Configurations (n, nq) so far (n, nv) from the start, in the mechanism's units, where it may move."""
    moved = moved * scale_of(problem.model).velocities
    moved[:, np.setdiff1d(np.arange(problem.model.nv), problem.moves[1])] = 0.0
    move: Any = kernel_of(dynamics.integrate, problem.model)
    return np.asarray(move(start, moved))


def _attempt(
    problem: Solver, rows: list[Array], start: Array | None, settings: Array, k: int, elsewhere: int = 1
) -> Found:
    """The k-th attempt of every row: from the start, then from others, each ``elsewhere``-th random, else around it."""
    once = np.array([settings[0], 0.0, settings[2]])
    if k == 0 and start is None:
        return Found(*variant(problem, started=False).kernel(*rows, once))
    if k:
        generator = np.random.default_rng([int(settings[2]), k])
        if k % elsewhere:
            start = _around(problem, start, NEAR * (k % 4) * generator.normal(size=(len(rows[0]), problem.model.nv)))
        else:
            begin = problem.model.random(len(rows[0]), seed=generator)
            begin[:, problem.still] = (problem.rest if start is None else start)[..., problem.still]
            start = begin
    return Found(*variant(problem, started=True).kernel(start, *rows, once))


def distance(problem: Solver, a: Array, b: Array) -> Array:
    """How far apart configurations are, in the mechanism's units."""
    return np.sqrt(((_difference(problem.model, a, b) / scale_of(problem.model).velocities) ** 2).sum(axis=-1))


def _difference(model: Model, a: Array, b: Array) -> Array:
    difference: Any = kernel_of(dynamics.difference, model)
    return np.asarray(difference(a, b))


def _apart(problem: Solver, a: Array, b: Array) -> Array:
    """The largest difference of coordinates, a turn counting as none."""
    apart = _difference(problem.model, a, b)
    for _, rate in problem.circular:
        turns = apart[..., rate]
        apart[..., rate] = turns - TURN * np.rint(turns / TURN)
    return np.abs(apart / scale_of(problem.model).velocities).max(axis=-1)


def _unturned(problem: Solver, near: Array, q: Array) -> Array:
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
