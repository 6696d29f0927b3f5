"""Rows that failed: checked again, moved as close to the target as possible, and given a reason."""

from __future__ import annotations

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not
from linkwright.errors import InputError
from linkwright.ik_solvers.search.multiple_solutions import unturned
from linkwright.ik_solvers.search.solver import (
    BEYOND,
    DONE,
    LARGEST,
    NEAREST,
    PATIENT,
    NumericalSolver,
    SearchOptions,
    SearchResult,
    inputs_named,
)
from linkwright.ik_solvers.tasks import ROTATION
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

LIMITS, OUT_OF_REACH, SINGULAR, NOT_FOUND, NO_MORE, DISTANCE = 1, 2, 3, 4, 5, 6
REASONS = ("", "limits", "out of reach", "singular", "not found", "no more", "minimum distance")
"""Why a row did not converge, by number."""

CLOSER = 0.01
"""Share of the tolerance for rows that were reported as converged and are not."""

PATIENT_RESTARTS = 10.0
"""of attempts that are given up late"""

DESCENTS = 4
"""Starts from which the nearest is looked for."""

WITHOUT_LIMITS = 20.0
"""Restarts without limits, to see whether it is they."""

AT_REST = 1e-2
"""The slope of the error over what it could be, below which nothing near is better."""

NEAR_EDGE, FLAT = 1e-3, 1e-3
"""An error (m, rad), and a singular value over the largest, of targets at the edge of reach."""


def wrong_row(problem: NumericalSolver, row: dict[str, Array], place: str) -> InputError:
    """Return the error for an invalid target or start of a row, whose position is described by ``place``."""
    for k, task in enumerate(problem.tasks):
        target = row[f"target{k}"]
        given = f"got\n{np.array2string(target, precision=6, suppress_small=True)}"
        if not np.isfinite(target).all():
            return InputError(f"the target for {task.words} is not finite{place}; {given}")
        if not np.abs(target).sum() < LARGEST:
            return InputError(f"the target for {task.words} is too large{place}; {given}")
        if not task.flaw(target) < ROTATION**2:
            wanted = f"expected {task.wanted(problem.model)}"
            if target.ndim == 2:
                flaw = np.sqrt(float(task.flaw(target)))
                wanted += f"; the rotation deviates from an orthonormal matrix by {flaw:.2g} (at most {ROTATION:g})"
            return InputError(f"the target for {task.words}: {wanted}{place}; {given}")
    try:
        dynamics.check(problem.model, row["initial_guess"])
    except InputError as error:
        return InputError(f"initial_guess: {error}{place}")
    return InputError(f"initial_guess: the numbers given are too large{place}: {row['initial_guess'].tolist()}")


def look_again(
    problem: NumericalSolver, rows: list[Array], search: SearchOptions, found: SearchResult, alone: bool
) -> tuple[Array, Array]:
    """Improve the answers of rows that did not converge; whether they did now (n,), and the reasons (n,).

    ``rows``: the starts (n, nq) and the targets; ``alone``: of a call of one target.
    """
    tolerance = search.tolerance
    start, *targets = rows
    missed = np.flatnonzero((found.told[:, 4] == DONE) & (found.first > tolerance))
    if len(missed) and not problem.uses_start:
        closer = search._replace(tolerance=CLOSER * tolerance, stored=0.0)
        found.take_over(missed, problem.answers(found.q[missed], [x[missed] for x in targets], closer, alone))
    rest = np.flatnonzero(~found.there(tolerance) & (found.told[:, 4] != BEYOND))
    if len(rest):
        few = search._replace(restarts=min(PATIENT_RESTARTS, search.restarts), manner=PATIENT)
        found.take_over(rest, problem.answers(start[rest], [x[rest] for x in targets], few, alone))
    converged = found.there(tolerance)
    reasons = np.zeros(len(converged), dtype=np.uint8)
    rest = np.flatnonzero(~converged)
    if len(rest):
        _descend(problem, start[rest], [x[rest] for x in targets], search, rest, found, alone)
        closed = found.first[rest] <= tolerance  # a descent may arrive where attempts were given up
        converged[rest[closed]] = True
        rest = rest[~closed]
    if len(rest):
        given = start[rest], [x[rest] for x in targets]
        reasons[rest] = _reasons(problem, *given, search, found.q[rest], found.first[rest], alone)
    return converged, reasons


def _descend(
    problem: NumericalSolver,
    start: Array,
    targets: list[Array],
    search: SearchOptions,
    rows: Array,
    found: SearchResult,
    alone: bool,
) -> None:
    """Replace these rows by the best of some descents."""
    descent = search._replace(manner=NEAREST)
    best = problem.answers(start, targets, descent, alone)
    if not problem.uses_start:
        for k in range(1, DESCENTS):
            other = problem.model.random(len(rows), seed=k)
            other[:, problem.still] = start[:, problem.still]
            again = problem.answers(other, targets, descent._replace(stored=0.0), alone)
            nearer = np.flatnonzero(again.first < best.first)
            for into, x in zip(best, again, strict=True):
                into[nearer] = x[nearer]
        if not search.stored:
            best = best._replace(q=unturned(problem, start, best.q))
    found.take_over(rows, best)


def _reasons(
    problem: NumericalSolver,
    start: Array,
    targets: list[Array],
    search: SearchOptions,
    q: Array,
    error: Array,
    alone: bool,
) -> Array:
    """Why rows (n,) whose nearest answers are these did not converge."""
    reasons = np.full(len(q), NOT_FOUND, dtype=np.uint8)
    J, e = _rows(problem, q, targets, start, alone)
    sizes = np.linalg.svd(J, compute_uv=False)
    slope = np.einsum("...ij,...i->...j", J, e)
    at_v = problem.moves[1].tolist()
    for one in problem.ranges[0]:
        if one.rate in at_v:
            k = at_v.index(one.rate)
            slope[:, k] = np.where(one.leaves(q[:, one.place], slope[:, k]), 0.0, slope[:, k])
    steep = np.linalg.norm(slope, axis=-1) / np.maximum(sizes[:, 0] * np.linalg.norm(e, axis=-1), 1e-300)
    beyond = np.zeros(len(q), dtype=bool)
    for apart in problem.apart_without_limits:
        beyond |= apart.beyond(targets, search.tolerance)
    reasons[beyond | (steep < AT_REST)] = OUT_OF_REACH
    flat = sizes[:, -1] < FLAT * sizes[:, 0]
    reasons[flat & (error < NEAR_EDGE)] = SINGULAR
    open_ = np.flatnonzero(~beyond)
    if problem.ranges[0] and len(open_):
        free = search._replace(restarts=WITHOUT_LIMITS, free=1.0)
        there = problem.answers(start[open_], [x[open_] for x in targets], free, alone).there(search.tolerance)
        reasons[open_[there]] = LIMITS
    tasks = [k for k, task in enumerate(problem.tasks) if not task.is_constraint]
    if 0 < len(tasks) < len(problem.tasks) and len(open_):
        nearer = _without_constraints(problem)
        there = nearer.answers(start[open_], [targets[k][open_] for k in tasks], search, alone).there(search.tolerance)
        reasons[open_[there]] = DISTANCE
    return reasons


def _without_constraints(problem: NumericalSolver) -> NumericalSolver:
    """Return the problem without inequalities."""
    tasks = tuple(task for task in problem.tasks if not task.is_constraint)
    make = lambda: NumericalSolver(problem.model, tasks, problem.limits, problem.fixed)  # noqa: E731
    return derived(problem.model, _without_constraints, problem, make=make)  # type: ignore[no-any-return]


def _rows(problem: NumericalSolver, q: Array, targets: list[Array], start: Array, alone: bool) -> tuple[Array, Array]:
    """The rows of the first priority at configurations (n, nq): J (n, m, k) and e (n, m)."""

    def rows(model: Model, q: Array, start: Array, *targets: Array) -> tuple[Array, Array]:
        first = problem.levels(model, q, targets, start)[0]
        return first.J[:, problem.moves[1]], first.e

    if alone and not any(task.is_constraint for task in problem.tasks):  # distances of shapes take seconds in Python
        found = [rows(problem.model, *row) for row in zip(q, start, *targets, strict=True)]
        return np.array([J for J, _ in found], dtype=float), np.array([e for _, e in found], dtype=float)
    shapes = {f"target{k}": task.shape(problem.model) for k, task in enumerate(problem.tasks)}
    inputs = {"q": (problem.model.nq,), "start": (problem.model.nq,), **shapes}
    kernel = derived(
        problem.model,
        _rows,
        problem,
        make=lambda: compile_or_not(inputs_named(rows, inputs), problem.model, **inputs),
    )
    J, e = kernel(q, start, *targets)
    return J, e
