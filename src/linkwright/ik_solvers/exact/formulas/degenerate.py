"""Answers to degenerate targets, at which the formulas of a family lose some.

At a degenerate target (an arm straight, a point on an axis, parallel axes) a subproblem has a double solution, or does
not determine its rotation. Targets nearby have well-defined answers, each close to an answer of the degenerate target
or to a curve of such answers. They are the initial guesses of a damped Newton method (Levenberg–Marquardt), which
converges at double solutions, too, where the error quarters with each step.

An arm whose file rounds its axes keeps the curves of answers of the exact arm only nearly: along them the error changes
by 1e-6 of what it does elsewhere, and the method advances by small steps. There the directions of small singular values
get a step of Newton's method for minima, with second derivatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.user import stack
from linkwright.ik_solvers.exact.chain import Arm
from linkwright.ik_solvers.exact.compiled import FINE, Branches, resting
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.general import RaghavanRothElimination
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine
from linkwright.ik_solvers.exact.postures import into_limits, without_turns
from linkwright.ik_solvers.exact.tasks import PoseTarget
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

DISTANCES = (0.0, 1e-2, 1e-2, 1e-2, 1e-2, 1e-4, 1e-4, 1e-4, 1e-4)
"""Distances of the nearby targets from a degenerate one, rad and parts of the arm's length."""

MORE = (1e-2,) * 8
"""The same where an answer is singular: more initial guesses near a curve of answers."""

STEPS = 6
"""Levenberg–Marquardt steps in a kernel."""

CALLS = 20
"""Calls of that kernel at most."""

SETTLED = 1e-9
"""An initial guess has converged, to an answer or to a minimum of the error, where its last step is shorter (rad or m).
"""

STALLED = 3e-3
"""An initial guess has converged to a minimum where its last step is shorter than this part of its error, too.

To an answer it is at least about half the error away.
"""

RANDOM = 80
"""Random initial guesses where an answer is singular or nearly reached, or none is known.

Next to a curve of answers the error has minima along the curve that are no answers: few of them find the others.
"""

SINGULAR = 1e-5
"""A singular answer: the smallest singular value of its Jacobian is below this part of the largest."""

NEARLY_SINGULAR = 1e-3
"""The same for an answer next to which others may lie along a nearly free motion.

A curve of answers that an error ε of the arm's axes breaks up has answers up to √ε from it, with singular values up to
√ε.
"""

ALONG_MOTION = (-2.5, -1.0, -0.4, 0.4, 1.0, 2.5)
"""Steps along such a motion, rad or m of the joint that moves most.

The short ones lead to an answer between two that are 0.4 to 1 rad apart.
"""

NEARLY = 1e-5
"""Initial guesses that converge to a smaller error (m and rad together) that is no answer are near a curve of such."""

SEPARATE = 1e-4
"""Answers closer than this (rad or m) to one that is known count as the same multiple solution."""

ALONG = 3
"""Directions, those of the smallest singular values, in which second derivatives count."""

MINIMIZATIONS = 80
"""Largest number of steps with second derivatives."""

DIFFERENCE = 1e-5
"""Step of the central differences of the Jacobian, rad or m."""

LONGEST = 0.3
"""Longest step of these in each direction, rad or m."""

CLOSE = 0.1
"""Two answers this close (rad or m) next to a triple solution have a third between them."""

EQUAL = 1e-6
"""Answers of the formulas closer than this are one."""

SHARP = 1e-2
"""An answer is added if its error is below this part of what counts as exact: others may be far from multiple ones."""

ROWS = 200
"""Targets that are solved together."""


class DegenerateTargets:
    """Kernels for the degenerate targets of one arm, compiled when the first of these is met."""

    def __init__(
        self,
        model: Model,
        arm: Arm,
        plan: Decomposition | RaghavanRothElimination,
        task: PoseTarget,
        answers: Branches,
        linearized: Kernel,
    ):
        self._model, self._arm, self._task, self._answers, self._linearized = model, arm, task, answers, linearized
        self._way = plan if isinstance(plan, Decomposition) else plan.way
        self._closed = isinstance(plan, Decomposition)
        self._places = list(arm.places)
        self._hinges = ~np.array(arm.chain.slides)
        self._moving = [k for k in range(len(arm.chain)) if k != self._way.held]
        self._candidates = self._compiled_candidates() if self._closed else None
        self._steps = self._compiled_steps()

    def _compiled_candidates(self) -> Any:
        way, task = self._way, self._task

        def candidates(target: Array, given: Any) -> Any:
            rows = []
            for answer in way.solve(task.motion(task.cleaned(target)), given):
                parts = [x.angle() if isinstance(x, SineCosine) else x for x in answer.turns]
                rows.append(stack([given if k == way.held else x for k, x in enumerate(parts)]))
            return stack(rows)

        with np.errstate(all="ignore"):
            if way.asks:
                return compile(candidates, target=task.shape, given=())
            return compile(lambda target: candidates(target, None), target=task.shape)

    def _compiled_steps(self) -> Any:
        task, held = self._task, self._way.held

        def steps(guess: Array, target: Array, given: Any, damping: Any) -> Any:
            before, _ = task.converged(list(guess), target, held, given, STEPS - 1, damping)
            parts, error = task.converged(before, target, held, given, 1, damping)
            last = stack(parts) - stack(before)
            return stack(parts), error, np.sqrt(last @ last)

        return compile(steps, guess=len(self._arm.chain), target=task.shape, given=(), damping=())

    def __call__(self, q: Array, error: Array, arrays: list[Array]) -> None:
        """Add the missing answers to those of degenerate targets (n, …), in place."""
        for at in range(0, len(q), ROWS):
            some = slice(at, at + ROWS)
            with np.errstate(invalid="ignore"):
                self._some(q[some], error[some], [x[some] for x in arrays])

    def _some(self, q: Array, error: Array, arrays: list[Array]) -> None:
        fine = FINE * max(1.0, self._arm.length)
        random = np.random.default_rng(0)
        known = np.asarray(error <= fine)
        own = q[..., self._places]
        guesses = np.concatenate([own, *self._nearby(arrays, random, DISTANCES)], axis=1)
        parts, left = self._converged(guesses, arrays, fine)
        # where a solution is multiple an answer may be far from it, though its error is small
        known &= self._gap(parts[:, : own.shape[1]], own) <= SEPARATE
        known = self._apart(own, known, EQUAL)
        self._add(q, error, known, parts, left, fine)
        nearly = ((left > SHARP * fine) & (left < NEARLY)).any(axis=1)
        known = self._with_places(q[..., self._places], error <= fine)
        ratios, along = self._singular(q, known, arrays)
        open_rows = ~known.all(axis=1)
        rows = np.flatnonzero((ratios < NEARLY_SINGULAR).any(axis=1) & open_rows)
        if len(rows):
            self._search(q, error, rows, arrays, fine, [self._along(q[rows], ratios[rows], along[rows])])
        nearly |= ~known.any(axis=1) | (ratios < SINGULAR).any(axis=1)
        rows = np.flatnonzero(nearly & open_rows)
        if len(rows):
            few = [x[rows] for x in arrays]
            near = self._nearby(few, random, MORE)
            between = self._between(q[rows], error[rows] <= fine)
            self._search(q, error, rows, arrays, fine, [*near, self._random(few, random), between])

    def _search(
        self, q: Array, error: Array, rows: Array, arrays: list[Array], fine: float, guesses: list[Array]
    ) -> None:
        """Add the answers to targets of some rows to which initial guesses converge, in place."""
        parts, left = self._converged(np.concatenate(guesses, axis=1), [x[rows] for x in arrays], fine)
        some, errors = q[rows], error[rows]
        self._add(some, errors, errors <= fine, parts, left, fine)
        q[rows], error[rows] = some, errors

    def _with_places(self, own: Array, known: Array) -> Array:
        """Known answers (n, branches); where all places are taken, without those that count as the same as another."""
        known, full = np.array(known), known.all(axis=1)
        if full.any():
            known[full] = self._apart(own[full], known[full], SEPARATE)
        return known

    def _apart(self, own: Array, known: Array, distance: float) -> Array:
        """Known answers (n, branches) without those closer than a distance to one before them."""
        known = np.array(known)
        for k in np.flatnonzero(known.any(axis=0)):
            known[:, k] &= ~(known[:, :k] & (self._gap(own[:, :k], own[:, k : k + 1]) < distance)).any(axis=1)
        return known

    def _singular(self, q: Array, known: Array, arrays: list[Array]) -> tuple[Array, Array]:
        """The ratio (n, branches) of the singular values of known answers, and the motion of the smallest one."""
        ratios, along = np.full(known.shape, np.inf), np.zeros((*known.shape, len(self._moving)))
        rows, _ = at = np.nonzero(known)
        given = arrays[1] if len(arrays) > 1 else np.zeros(len(q))
        J = self._linearized(q[at][:, self._places], arrays[0][rows], given[rows])[1]
        _, values, V = np.linalg.svd(J, full_matrices=False)
        ratios[at], along[at] = values[:, -1] / values[:, 0], V[:, -1]
        return ratios, along

    def _along(self, q: Array, ratios: Array, along: Array) -> Array:
        """Initial guesses (n, m, joints) along the nearly free motions of answers (n, branches, nq)."""
        own = np.where(ratios[..., None] < NEARLY_SINGULAR, q[..., self._places], np.nan)
        guesses = np.repeat(own[:, None], len(ALONG_MOTION), axis=1)
        steps = np.array(ALONG_MOTION)[:, None, None]
        guesses[..., self._moving] += steps * (along / np.abs(along).max(axis=-1, keepdims=True))[:, None]
        return guesses.reshape(len(q), -1, own.shape[-1])

    def _nearby(
        self, arrays: list[Array], random: np.random.Generator, distances: tuple[float, ...]
    ) -> Iterator[Array]:
        """Answers, exact or not, to targets at some distances from these: (n, m, joints)."""
        for distance in distances:
            near = [self._task.moved(arrays[0], distance, random), *arrays[1:]]
            if self._candidates is not None:
                yield self._candidates(*near)
            else:
                yield self._answers(*near)[0][..., self._places]

    def _between(self, q: Array, known: Array) -> Array:
        """The middles of known answers (n, branches, nq) that are close to each other; others are NaN."""
        own = np.where(known[..., None], q[..., self._places], np.nan)
        i, j = np.triu_indices(own.shape[1], 1)
        middles = own[:, i] + 0.5 * np.where(self._hinges, without_turns(own[:, j] - own[:, i]), own[:, j] - own[:, i])
        middles[~(self._gap(own[:, i], own[:, j]) < CLOSE)] = np.nan
        return middles

    def _random(self, arrays: list[Array], random: np.random.Generator) -> Array:
        """Random postures, the same for each target: (n, m, joints)."""
        postures = random.uniform(-np.pi, np.pi, (RANDOM, len(self._arm.chain)))
        postures = np.where(self._hinges, postures, self._arm.length / np.pi * postures)
        postures = np.repeat(postures[None], len(arrays[0]), axis=0)
        if self._way.held is not None:
            postures[..., self._way.held] = arrays[1][:, None]
        return postures

    def _converged(self, parts: Array, arrays: list[Array], fine: float) -> tuple[Array, Array]:
        """Where initial guesses (n, m, joints) converge, and what is left there."""
        left, settled = np.full(parts.shape[:-1], np.inf), np.zeros(parts.shape[:-1], dtype=bool)
        target, given = arrays[0], arrays[1] if len(arrays) > 1 else np.zeros(len(parts))
        damping = np.where(np.isfinite(parts).all(axis=-1), 1.0, np.inf)
        for call in range(CALLS):
            at: tuple[Array, ...] = np.nonzero((damping < 1e6) & ~settled & ((left > 1e-3 * fine) | (call < 2)))
            if not len(at[0]):
                break
            better, now, moved = self._steps(parts[at], target[at[0]], given[at[0]], damping[at])
            kept = np.asarray(now < left[at])
            damping[at] *= np.where(kept, 0.3, 10.0)
            settled[at] = (moved < SETTLED) | ((moved < STALLED * now) & (now > NEARLY) & (damping[at] <= 1.0))
            at = tuple(i[kept] for i in at)
            parts[at], left[at] = better[kept], now[kept]
        self._minimize(parts, left, ~settled & (left > SHARP * fine) & (left < NEARLY), target, given, fine)
        return parts, left

    def _minimize(self, parts: Array, left: Array, slow: Array, target: Array, given: Array, fine: float) -> None:
        """Converge slow initial guesses next to nearly free motions, in place, by second derivatives.

        Rows whose best one has a single small singular value need none: Levenberg–Marquardt steps suffice.
        """
        rows = np.flatnonzero(slow.any(axis=1))
        best = np.argmin(np.where(slow[rows], left[rows], np.inf), axis=1)
        values = np.linalg.svd(self._linearized(parts[rows, best], target[rows], given[rows])[1], compute_uv=False)
        rows = rows[values[:, -2] < SINGULAR * values[:, 0]]
        at, guess = np.nonzero(slow[rows])
        row = rows[at]
        q, target, given = parts[row, guess], target[row], given[row]
        for _ in range(MINIMIZATIONS):
            e, J, error = self._linearized(q, target, given)
            better = error < left[row, guess]
            parts[row[better], guess[better]], left[row[better], guess[better]] = q[better], error[better]
            step = self._step(q, e, J, target, given)
            on = (error > 1e-3 * fine) & (np.abs(step).max(axis=-1) > SETTLED)
            if not on.any():
                break
            q, row, guess, target, given = q[on], row[on], guess[on], target[on], given[on]
            q[:, self._moving] += step[on]

    def _step(self, q: Array, e: Array, J: Array, target: Array, given: Array) -> Array:
        """Steps (n, joints that move) towards minima of the error: Gauss–Newton, and Newton in the last directions."""
        U, values, V = np.linalg.svd(J, full_matrices=False)
        c = np.einsum("nij,ni->nj", U, e)
        step = np.clip(c / np.maximum(values, 1e-16), -LONGEST, LONGEST)
        along, least = V[:, -ALONG:], values[:, -ALONG:]
        H = least[:, :, None] * np.eye(least.shape[1]) * least[:, None]
        for k in range(along.shape[1]):
            d = np.zeros_like(q)
            d[:, self._moving] = DIFFERENCE * along[:, k]
            change = self._linearized(q + d, target, given)[1] - self._linearized(q - d, target, given)[1]
            bent = np.einsum("ni,nim,nkm->nk", e, change / (4.0 * DIFFERENCE), along)
            H[:, k] -= bent
            H[:, :, k] -= bent
        curvatures, axes = np.linalg.eigh(H)
        slopes = np.einsum("nkl,nk->nl", axes, least * c[:, -ALONG:])
        steps = np.clip(slopes / np.maximum(np.abs(curvatures), 1e-30), -LONGEST, LONGEST)
        step[:, -ALONG:] = np.einsum("nkl,nl->nk", axes, steps)
        return np.asarray(np.einsum("nj,njk->nk", step, V))

    def _add(self, q: Array, error: Array, known: Array, parts: Array, left: Array, fine: float) -> None:
        """Add the answers reached to the known ones, in place: always the one farthest from all that are there.

        Where there is no place left, it replaces one of two known answers that count as the same.
        """
        reached = left <= SHARP * fine
        some = np.flatnonzero(reached.any(axis=1))
        known, parts, left = known[some], parts[some], left[some]
        mine, errors = np.where(known[..., None], q[some], np.nan), np.where(known, error[some], np.nan)
        apart = np.where(reached[some], np.inf, -1.0)
        for k in np.flatnonzero(known.any(axis=0)):
            apart = np.fmin(apart, self._gap(parts, mine[:, k : k + 1, self._places]))
        known = self._with_places(mine[..., self._places], known)
        while True:
            best, place = np.argmax(apart, axis=1), np.argmin(known, axis=1)
            rows = np.flatnonzero((apart[np.arange(len(some)), best] > SEPARATE) & ~known.all(axis=1))
            if not len(rows):
                break
            chosen = rows, best[rows]
            into = rows, place[rows]
            mine[into], errors[into], known[into] = self._postures(parts[chosen]), left[chosen], True
            apart[rows] = np.fmin(apart[rows], self._gap(parts[rows], parts[chosen][:, None]))
        q[some], error[some] = mine, errors

    def _gap(self, a: Array, b: Array) -> Array:
        gap: Any = 0.0
        for k, hinge in enumerate(self._hinges):  # faster than a maximum over the short last axis
            d = a[..., k] - b[..., k]
            gap = np.maximum(gap, np.abs(without_turns(d) if hinge else d))
        return np.asarray(gap)

    def _postures(self, parts: Array) -> Array:
        q = np.tile(resting(self._model), (len(parts), 1))
        for k, (place, x) in enumerate(zip(self._places, parts.T, strict=True)):
            if self._hinges[k] and k != self._way.held:
                x = into_limits(without_turns(x), self._model.lower[place], self._model.upper[place])
            q[:, place] = x
        return q
