"""What did not reach its target: looked at once more, brought as near as it comes, and told why."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not
from linkwright.errors import InputError
from linkwright.inverse_kinematics.problem import Problem
from linkwright.inverse_kinematics.solver import DONE, LARGEST, Solver, inputs_named
from linkwright.inverse_kinematics.tasks import ROTATION
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

LIMITS, OUT_OF_REACH, SINGULAR, NOT_FOUND, NO_MORE = 1, 2, 3, 4, 5
REASONS = ("", "limits", "out of reach", "singular", "not found", "no more")
"""Why a row did not converge, by number."""

CLOSER = 0.01
"""Of the tolerance: to what rows are brought that were thought to reach their targets, and did not."""

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


class Found(NamedTuple):
    """Answers of rows (n, …)."""

    q: Array
    told: Array
    errors: Array

    @property
    def first(self) -> Array:
        """(n,): the error of the first priority."""
        return self.told[:, 1]

    def take_over(self, rows: Array, other: Found) -> None:
        """Put the answers of another in place of these rows' (n,); steps add up, attempts stay those before."""
        other.told[:, 2] += self.told[rows, 2]
        other.told[:, 3] = self.told[rows, 3]
        for mine, its in zip(self, other, strict=True):
            mine[rows] = its


def variant(problem: Solver, **changes: Any) -> Solver:
    """The problem with some of its fields changed; kept with its model."""
    key = {one.name: getattr(problem, one.name) for one in fields(problem) if one.name != "model"} | changes
    made: Solver = derived(problem.model, Solver, *key.values(), make=lambda: replace(problem, **changes))
    return made


def wrong_row(problem: Solver, row: dict[str, Array]) -> InputError:
    """What is wrong with the target or the start of a row."""
    for k, task in enumerate(problem.tasks):
        target = row[f"target{k}"]
        if not np.isfinite(target).all():
            return InputError(f"the target of {task} is not finite: {target.tolist()}")
        if not np.abs(target).sum() < LARGEST:
            return InputError(f"the target of {task} is too large: {target.tolist()}")
        if not task.flaw(target) < ROTATION**2:
            return InputError(f"the target of {task} is {target.tolist()}; expected {task.wanted(problem.model)}")
    try:
        dynamics.check(problem.model, row["start"])
    except InputError as error:
        return InputError(f"start: {error}")
    return InputError(f"start: the numbers given are too large: {row['start'].tolist()}")


def look_again(problem: Solver, given: list[Array], settings: Array, found: Found) -> tuple[Array, Array]:
    """Improve the answers of rows that did not converge; whether they did now (n,), and the reasons (n,)."""
    tolerance = settings[0]
    targets = given[1:] if problem.started else given
    missed = np.flatnonzero((found.told[:, 4] == DONE) & (found.first > tolerance))
    if len(missed) and not problem.uses_start:
        closer = np.array([CLOSER * tolerance, *settings[1:]])
        started = variant(problem, started=True)
        again = Found(*started.kernel(found.q[missed], *(x[missed] for x in targets), closer))
        found.take_over(missed, again)
    converged = (found.first <= tolerance) & (found.told[:, 4] == DONE)
    reasons = np.zeros(len(converged), dtype=np.uint8)
    rest = np.flatnonzero(~converged)
    if len(rest) and problem.manner == "quick":
        few = np.array([tolerance, min(PATIENT_RESTARTS, settings[1]), settings[2]])
        found.take_over(rest, Found(*variant(problem, manner="patient").kernel(*(x[rest] for x in given), few)))
        converged = (found.first <= tolerance) & (found.told[:, 4] == DONE)
        rest = np.flatnonzero(~converged)
    if len(rest):
        _descend(problem, [x[rest] for x in given], settings, rest, found)
        closed = found.first[rest] <= tolerance  # a descent may arrive where attempts were given up
        converged[rest[closed]] = True
        rest = rest[~closed]
    if len(rest):
        reasons[rest] = _reasons(problem, [x[rest] for x in given], settings, found.q[rest], found.first[rest])
    return converged, reasons


def _descend(problem: Solver, given: list[Array], settings: Array, rows: Array, found: Found) -> None:
    """Put the nearest of some descents in the place of these rows."""
    best = Found(*variant(problem, manner="nearest").kernel(*given, settings))
    if not problem.uses_start:
        targets = given[1:] if problem.started else given
        descent = variant(problem, manner="nearest", started=True)
        for k in range(1, DESCENTS):
            start = problem.model.random(len(rows), seed=k)
            if problem.started:
                start[:, problem.still] = given[0][:, problem.still]
            else:
                start[:, problem.still] = problem.rest[problem.still]
            other = Found(*descent.kernel(start, *targets, settings))
            nearer = np.flatnonzero(other.first < best.first)
            for into, x in zip(best, other, strict=True):
                into[nearer] = x[nearer]
    found.take_over(rows, best)


def _reasons(problem: Solver, given: list[Array], settings: Array, q: Array, error: Array) -> Array:
    """Why rows (n,) whose nearest answers are these did not converge."""
    reasons = np.full(len(q), NOT_FOUND, dtype=np.uint8)
    start = [given[0]] if problem.started else []
    J, e = derived(problem.model, _rows, problem)(q, *given[len(start) :], *(start or [q]))
    sizes = np.linalg.svd(J, compute_uv=False)
    slope = np.einsum("...ij,...i->...j", J, e)
    at_v = problem.moves[1].tolist()
    for one in problem.ranges[0]:
        if one.rate in at_v:
            x, k = q[:, one.place], at_v.index(one.rate)
            out = ((x >= one.upper) & (slope[:, k] > 0.0)) | ((x <= one.lower) & (slope[:, k] < 0.0))
            slope[:, k] = np.where(out, 0.0, slope[:, k])
    steep = np.linalg.norm(slope, axis=-1) / np.maximum(sizes[:, 0] * np.linalg.norm(e, axis=-1), 1e-300)
    reasons[steep < AT_REST] = OUT_OF_REACH
    flat = sizes[:, -1] < FLAT * sizes[:, 0]
    reasons[flat & (error < NEAR_EDGE)] = SINGULAR
    if problem.limits and problem.ranges[0]:
        free = variant(problem, limits=False)
        _, told, _ = free.kernel(*given, np.array([settings[0], WITHOUT_LIMITS, settings[2]]))
        reasons[(told[:, 1] <= settings[0]) & (told[:, 4] == DONE)] = LIMITS
    return reasons


def _rows(model: Model, problem: Problem) -> Any:
    """The kernel of the rows of the first priority at a configuration: J (m, n) and e (m,)."""

    def rows(model: Model, q: Array, *arrays: Array) -> tuple[Array, Array]:
        *targets, start = arrays
        first = problem.levels(model, q, targets, start)[0]
        return first.J[:, problem.moves[1]], first.e

    shapes = {f"target{k}": task.shape(model) for k, task in enumerate(problem.tasks)}
    inputs = {"q": (model.nq,), **shapes, "start": (model.nq,)}
    return compile_or_not(inputs_named(rows, inputs), model, **inputs)
