"""The kernel of inverse kinematics: from a target, and optionally a start, to coordinates, in one compiled loop.

A row runs until its target is reached or its attempts are used up. An attempt ends as soon as it stalls, and the next
one starts elsewhere, in the same loop: every step of every lane serves an unfinished row. The loop ends when the next
step is expected to reach the target; errors are computed after that step, so that convergence is always verified.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import UNIT_TOLERANCE
from linkwright.errors import InputError
from linkwright.expression.derivative import jacobian
from linkwright.ik_solvers.implicit import RowFactors, at_limits, factorized, is_regular, newton_step
from linkwright.ik_solvers.problem import TaskProblem
from linkwright.ik_solvers.search.seeds import nearest
from linkwright.ik_solvers.search.steps import (
    FLOOR,
    LOW_FLOOR,
    TURN,
    Level,
    Step,
    damping_of,
    damping_of_rest,
    masked,
    prioritised_step,
    single_step,
)
from linkwright.ik_solvers.tasks import ROTATION
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, defined, held, is_symbolic, maximum, minimum, where
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above, solve_below
from linkwright.spatial.loops.repeats import repeat, until, when

AGE = 20
"""An attempt's steps, at most."""
SLOW_AGE = 400
"""The same for several priorities, of which later ones may converge slowly, and for the search of the nearest."""

LOOK, LESS, NEAR = 3, 0.5, 1e-4
"""Number of steps after which the squared error must have decreased, and the factor, unless it is small."""

AT_REST = 1e-18
"""The square of a step that leads nowhere."""

AT_MINIMUM, SHORT = 1e-6, 1e-12
"""Squares of the steps of Newton's method at a minimum: without damping, and the last one with damping."""

MINIMIZING, STIFF, SUPPLE = 100, 1e-2, 1e-6
"""Steps to a minimum, at most; the damping of the first one, relative to the bound of the curvature, and the least."""

STEPS = 100_000
"""of a row, at most"""

SEARCHING, DONE, WRONG, BEYOND, RESTING = 0.0, 1.0, 2.0, 3.0, 4.0
"""States: attempts used up; done; the target is none; no posture can reach it, by what is known of distances; at what
is nearest, in compiled functions."""

QUICK, PATIENT, NEAREST = 0.0, 1.0, 2.0
"""Manners: attempts are given up soon; or late, and damped little at the end; or never, to come to what is nearest."""

ROUNDING = 1e-18
"""Relative increase of squared errors that is rounding, of steps that lead nowhere."""

CREEPING = 1e-4
"""Relative decrease of the squared error over :data:`LOOK` steps below which a descent under inequalities ends."""

SETTLED = 1e-6
"""Errors of later priorities that change by less, by squares, while that of the first is less."""

NEVER = 1e300
"""An error is never so large."""

LARGEST = 1e100
"""Bound of sums of inputs, so that squares and products of these are finite."""

CURVED_VELOCITIES = 16
"""Number of velocities up to which second derivatives of errors that stay are part of a kernel."""

POLISHED = 4
"""Steps of the first priority alone, at the end."""


class SearchResult(NamedTuple):
    """Answers of rows (n, …)."""

    q: Array
    """(n, nq)"""
    told: Array
    """(n, 5): the errors of all tasks and of the first priority, steps, starts, state"""
    errors: Array
    """(n, tasks)"""

    @property
    def first(self) -> Array:
        """(n,): the error of the first priority."""
        return self.told[:, 1]

    def there(self, tolerance: float) -> Array:
        """(n,): which targets are reached."""
        return (self.first <= tolerance) & (self.told[:, 4] == DONE)

    def take_over(self, rows: Array, other: SearchResult) -> None:
        """Put the answers of another in place of these rows' (n,); steps add up, attempts stay those before."""
        other.told[:, 2] += self.told[rows, 2]
        other.told[:, 3] = self.told[rows, 3]
        for mine, its in zip(self, other, strict=True):
            mine[rows] = its


class SearchOptions(NamedTuple):
    """In what way a target is looked for: numbers, or symbols of a kernel, which is the same for all of them."""

    tolerance: Any
    restarts: Any
    seed: Any = 0.0
    stored: Any = 0.0
    """1.0 to begin at the stored posture that is most alike, else at the start"""
    manner: Any = QUICK
    free: Any = 0.0
    """1.0 to ignore limits of the problem"""


class SearchState:
    """One target, or several at once, being reached: of numbers or of symbols."""

    def __init__(
        self, problem: TaskProblem, model: Model, start: Array, targets: Sequence[Array], search: SearchOptions
    ):
        self.problem, self.model, self.start, self.targets, self.search = problem, model, start, targets, search
        self.at_q, self.at_v = (one.tolist() for one in problem.moves)
        self.several = len(problem.priorities) > 1
        self.constrained = any(task.is_constraint for task in problem.tasks)
        self.wider = _either(search.free > 0.5, np.inf, 0.0)
        self._set_manner(search.manner)
        self.begin = self.whole(self._first())

    def _of_manner(self, manner: Any) -> SearchState:
        """The same with another manner."""
        other = copy(self)
        other._set_manner(manner)
        return other

    def _set_manner(self, manner: Any) -> None:
        self.to_rest, self.seeks = manner > NEAREST - 0.5, manner < NEAREST - 0.5
        self.jumps = _either(self.to_rest, np.inf, 1.0)
        self.floor = _either(abs(manner - PATIENT) < 0.5, LOW_FLOOR, FLOOR)
        slow = self.several or self.problem.uses_start
        self.oldest = SLOW_AGE if slow else _either(manner > 0.5, SLOW_AGE, AGE)

    def _first(self) -> Array:
        """The moving coordinates (n,) to begin with."""
        problem, stored = self.problem, self.search.stored
        kept = {one.place: one.kept(self.start[one.place], self.wider) for one in problem.ranges[0]}
        started = np.stack([kept.get(k, self.start[k]) for k in self.at_q])
        if not is_symbolic(stored) and not stored:
            return started
        alike = [task.likeness(target) for task, target in zip(problem.tasks, self.targets, strict=True)]
        return _either(stored > 0.5, nearest(*problem.stored, np.concatenate(alike)), started)  # type: ignore[no-any-return]

    def whole(self, x: Array) -> Array:
        """All coordinates (nq,)."""
        places = {place: k for k, place in enumerate(self.at_q)}
        return np.stack([x[places[k]] if k in places else self.start[k] for k in range(self.model.nq)])

    def levels(self, q: Array) -> list[Level]:
        """The rows of every priority, of what moves."""
        found = self.problem.levels(self.model, q, self.targets, self.begin)
        return [Level(J[:, self.at_v], e) for J, e in found]

    def wrong(self) -> Any:
        """``WRONG`` where the target is none or a number not finite, ``BEYOND`` reach, else ``SEARCHING``."""
        state: Any = SEARCHING
        sought = self.seeks & (self.search.free < 0.5)
        for one in self.problem.apart if self.model is self.problem.model else ():  # bounds of numbers
            state = where(sought & one.beyond(self.targets, self.search.tolerance), BEYOND, state)
        for task, target in zip(self.problem.tasks, self.targets, strict=True):
            state = where((task.flaw(target) < ROTATION**2) & (task.magnitude(target) < LARGEST), state, WRONG)
        for k in self.model.quaternion_starts:
            x = self.start[k : k + 4]
            state = where(abs(x @ x - 1.0) < 2.0 * UNIT_TOLERANCE, state, WRONG)
        return where(abs(self.start).sum() < LARGEST, state, WRONG)

    def step(self, levels: list[Level], x: Array) -> Step:
        """The velocity of the moving coordinates that leads nearer."""
        outside = self._outside(x)

        def damping(e: Array) -> Any:
            return _either(self.to_rest, damping_of_rest(e), damping_of(e, self.floor))

        if len(levels) == 1:
            return single_step(levels[0], outside, damping)
        return prioritised_step(levels, outside, damping)

    def moved(self, q: Array, v: Array) -> tuple[Array, Any]:
        """The moving coordinates a step later, within their limits, and whether these changed nothing."""
        moved, kept = list(self._integrated(q, v)), np.bool_(True)
        for one in self.problem.ranges[0]:
            if one.place in self.at_q:
                kept = kept & one.holds(moved[one.place], self.wider)
                moved[one.place] = one.kept(moved[one.place], self.wider, self.jumps)
        return np.stack([moved[k] for k in self.at_q]), kept

    def searched(self, descends: bool = False) -> tuple[Array, Any, Any, Any]:
        """The moving coordinates in the end, the starts before the last, the state, the steps.

        ``descends``: whether in the end, or if no posture can reach the target, one more attempt, from the first start,
        goes to what is nearest. It is part of the same loop, so that lanes serve other rows meanwhile.
        """
        problem, (tolerance, restarts, seed, *_) = self.problem, self.search
        fine = tolerance * problem.finest
        first, before, state = self.begin[self.at_q], np.full(len(problem.priorities), NEVER), self.wrong()
        attempt: Any = 0.0
        if descends:
            attempt = where(abs(state - BEYOND) < 0.5, restarts + 1.0, 0.0)
            state = where(abs(state - BEYOND) < 0.5, SEARCHING, state)

        def step(x: Array, age: Any, before: Array, attempt: Any, state: Any) -> Any:
            way = self._of_manner(where(attempt > restarts, NEAREST, self.search.manner)) if descends else self
            q = self.whole(x)
            levels = self.levels(q)
            squares = np.stack([level.e @ level.e for level in levels])
            taken = way.step(levels, x)
            moved, kept = way.moved(q, taken.v)
            due = age - LOOK * np.floor((age + 0.5) / LOOK) > LOOK - 1.5
            old = age >= way.oldest
            over = (taken.v @ taken.v < 0.25 * fine) & (taken.left < 0.06 * fine * fine) & kept
            if problem.uses_start:  # of which the way is part: it is approached step by step, not foreseen
                over = over & (squares.sum() < 0.25 * fine * fine)
            if self.several:
                rest, rest_before = squares[1:].sum(), before[1:].sum()
                settled = (due & (abs(rest - rest_before) < SETTLED * rest)) | old
                over = over | ((squares[0] < SETTLED) & settled)
            still = taken.v @ taken.v < AT_REST
            if self.constrained:  # along edges of the distances the steps alternate, and do not become small
                still = still | (due & (squares[0] > (1.0 - CREEPING) * before[0]))
            resting = way.to_rest & ~over & (old | still)
            over = over | resting
            stalled = due & (squares[0] > LESS * before[0]) & (squares[0] > NEAR)
            again = (stalled | old) & ~over & way.seeks
            fresh = problem.starts.draw(attempt + 1.0 + seed)
            ends: Any = DONE
            if descends:
                fresh = where(attempt + 1.0 > restarts, first, fresh)
                ends = where(resting, RESTING, DONE)
            return (
                where(again, fresh, moved),
                where(again, 0.0, age + 1.0),
                where(again, NEVER, where(due, squares, before)),
                where(again, attempt + 1.0, attempt),
                where(over, ends, state),
            )

        def stops(x: Array, age: Any, before: Array, attempt: Any, state: Any) -> Any:
            return (state > 0.5 * DONE) | (attempt > restarts + float(descends))

        x, _, _, attempt, state, steps = until(stops, step, first, 0.0, before, attempt, state, limit=STEPS)
        return x, attempt, state, steps

    def solved(self, differentiable: bool = False) -> tuple[Array, Array, Array]:
        """Return q (nq,), the report (5,) and errors (tasks,); ``differentiable``: whether q has derivatives."""
        problem = self.problem
        x, attempt, state, steps = self.searched(descends=differentiable)

        resting = abs(state - RESTING) < 0.5
        way = self._of_manner(where(resting, NEAREST, self.search.manner)) if differentiable else self
        if more := POLISHED if self.several else int(differentiable):
            x = way._descended(x, more)
        if differentiable:
            x = self._differentiable(x, abs(state - DONE) < 0.5, resting)
        q = self._wrapped(self.whole(x))
        squares = [left @ left for left in problem.left(self.model, q, self.targets, self.begin)]
        of_tasks, of_loops = squares[: len(problem.tasks)], squares[len(problem.tasks) :]
        order = zip(problem.tasks, of_tasks, strict=True)
        first = [one for task, one in order if task.priority == problem.priorities[0]]
        starts = attempt + where(abs(state - DONE) < 0.5, 1.0, 0.0)
        told = np.stack([np.sqrt(sum(squares)), np.sqrt(sum(first + of_loops)), steps, starts, state])
        return q, told, np.stack([np.sqrt(one) for one in of_tasks])

    def at_minimum(self, x: Array, how: str = "held") -> tuple[Array, Any]:
        """Return the moving coordinates of a minimum near ``x``, to first order, and 1 if it is one, else 0."""
        x, state = self._of_manner(NEAREST)._minimized(held(x, how))
        after = held(x, how)
        there, _, _ = self.to_first_order(after, 0, how=how)
        moved = held(there, how) - after
        return there, where((state > 0.5 * DONE) & (moved @ moved < AT_MINIMUM), 1.0, 0.0)

    def _minimized(self, x: Array) -> tuple[Array, Any]:
        """Return the moving coordinates of a minimum of the squared errors, and the state, DONE if it is one.

        Newton's method: (H + λ) v = Jᵀe, λ = 4 μ |e|, where μ becomes smaller with each step that reduces the errors,
        and larger with each other one, which is not taken: λ instead of the bound of the curvature, μ = 1, leads along
        flat valleys. The decrease is (Jᵀe + J₊ᵀe₊)·v/2, without differences of nearly equal errors, and also of
        rotations, whose errors are 2 sin(θ/2) with squares of 4 sin(θ/4).
        """

        def step(x: Array, mu: Any, state: Any) -> Any:
            q = self.whole(x)
            (level,) = self.levels(q)
            G = level.e @ level.J
            out = [None if one is None else one(G[k]) for k, one in enumerate(self._outside(x))]
            H = masked(masked(-jacobian(G, list(x)) @ self._rates(q), out).T, out)
            L, inverse = factorize(H + mu * damping_of_rest(level.e) * np.eye(len(x)))
            v = solve_below(L, inverse * solve_above(L, masked(G[None], out)[0]))
            there, _ = self.moved(q, v)
            after = self.whole(there)
            (rest,) = self.levels(after)
            moved = dynamics.difference(self.model, q, after)[self.at_v] / self._units()
            taken: Any = (G + rest.e @ rest.J) @ moved >= -ROUNDING * (level.e @ level.e)
            for pivot in inverse:
                taken = taken & (pivot > 0.0)
            over = taken & (v @ v < SHORT) & (mu < 2.0 * SUPPLE)
            return (
                where(taken, there, x),
                where(taken, maximum(0.1 * mu, SUPPLE), 10.0 * mu),
                where(over, DONE, SEARCHING),
            )

        x, _, state, _ = until(lambda x, mu, state: state > 0.5 * DONE, step, x, STIFF, SEARCHING, limit=MINIMIZING)
        return x, state

    def _outside(self, x: Array) -> list[Any]:
        """Return of each velocity a function of its value, whether it leaves the range, or None without limits."""
        outside: list[Any] = [None] * len(self.at_v)
        for one in self.problem.ranges[0]:
            if one.rate in self.at_v and one.place in self.at_q:
                here = x[self.at_q.index(one.place)]
                outside[self.at_v.index(one.rate)] = partial(one.leaves, here, wider=self.wider)
        return outside

    def _rates(self, q: Array) -> Array:
        """Return the rates (k, n) of the moving coordinates by the moving velocities, in the mechanism's units."""
        unit = np.eye(self.model.nv)[self.at_v] * self._units()[:, None]
        return np.stack([dynamics.configuration_rate(self.model, q, one) for one in unit], axis=1)[self.at_q]

    def _units(self) -> Array:
        """Return the units (n,) of the moving velocities."""
        return scale_of(self.problem.model).velocities[self.at_v]

    def _descended(self, x: Array, count: int) -> Array:
        """Return the moving coordinates after some steps of the first priority."""

        def step(_: Any, x: Array) -> Array:
            q = self.whole(x)
            return self.moved(q, self.step(self.levels(q)[:1], x).v)[0]

        return repeat(count, step, x)

    def _differentiable(self, x: Array, reached: Any, resting: Any) -> Array:
        """Return the moving coordinates as functions of the inputs; derivatives that do not exist are NaN.

        With one priority derivatives are those of the map in :meth:`to_second_order`, with two those of
        :meth:`to_first_order`. With more than two, or two of more than :data:`CURVED_VELOCITIES`, they are those of the
        search. Rows at a minimum of the errors have first derivatives with one priority, few velocities and no minimum
        distance.
        """
        curved, problem = len(self.at_v) <= CURVED_VELOCITIES, self.problem
        if self.several:
            if len(problem.priorities) > 2 or not curved:
                return self.undefined_unless(reached, x, self.levels(self.whole(held(x))))
            there, exists, levels = self.to_first_order(x, 1)
            return self.undefined_unless(reached & exists, where(reached, there, held(x)), levels)
        there, exists, levels = self.to_second_order(x)
        exists = reached & exists
        rest = held(x, "held_twice")
        if curved and not self.constrained:
            after, found = when(resting, lambda: self.at_minimum(x, "held_twice"), rest, 0.0)
            minimal = resting & (found > 0.5)
            rest = where(minimal, after + self._undefined_twice(x, after), rest)
            exists = exists | minimal
        return self.undefined_unless(exists, where(reached, there, rest), levels)

    def to_second_order(self, x: Array) -> tuple[Array, Any, list[Level]]:
        """Return the moving coordinates of a solution of one priority, whether they have derivatives, and the rows.

        They are a function of the inputs, exact to second order: the limit of the steps q ⊕ J⁺e from the found solution
        q, which moves with the initial guess. After the first step the errors are zero to first order, so that J⁺ of
        the second step may be held. In the first step J counts as a function of the inputs, where it leaves freedom:
        steps are in the rows of J, and these turn. Where rows depend on others, second derivatives are NaN.
        """
        how = "held_twice"
        x = held(self.to_first_order(x, 1, 1)[0], how)
        out = at_limits(self.problem.ranges[0], self.at_q, self.at_v, x)
        begin = self._follows(x, out)
        (level,) = self.levels(self.whole(begin))
        J = masked(level.J, out)
        factors = factorized(held(J, how), sizes=self.problem.sizes(1))
        v = factors.solve(level.e)
        exists = self._is_regular(factors, level.e, v, 1, out)
        if self.problem.leaves_freedom:
            v = v + factors.multipliers(level.e) @ (J - held(J, how))
        first = self._integrated(self.whole(begin), v)[self.at_q]
        (after,) = self.levels(self.whole(first))
        second = self._integrated(self.whole(first), factors.solve(after.e))[self.at_q]
        return where(factors.dependent > 0.5, first + self._undefined_twice(x, first), second), exists, [level]

    def undefined_unless(self, condition: Any, x: Array, levels: Sequence[Level]) -> Array:
        """Return the moving coordinates, with derivatives that are NaN where a condition does not hold.

        ``levels``: rows that depend on the inputs.
        """
        given = sum(level.e.sum() for level in levels) + (0.0 if self.search.stored else self.begin.sum())
        return defined(x, given * given, condition)  # type: ignore[no-any-return]

    def _undefined_twice(self, x: Array, of: Array) -> Any:
        """Return a zero with first derivatives of zero and second ones of NaN, by what a function ``of`` depends on."""
        errors = self.levels(self.whole(held(x, "held_twice")))[0].e
        return held(minimum(errors @ errors, 0.0), "held_once") * of.sum()

    def to_first_order(
        self, x: Array, reached: int, refinements: int = 2, how: str = "held"
    ) -> tuple[Array, Any, list[Level]]:
        """Return the moving coordinates of a solution, whether they have derivatives, and the rows.

        They are a function of the inputs, exact to first order. ``reached``: number of priorities without errors; of
        the next one the errors are minimal; ``refinements``: number of Newton steps before; ``how`` the solution is
        held.
        """

        def step(x: Array, follows: bool) -> tuple[Array, Any, list[Level]]:
            x = held(x, how)
            out = at_limits(self.problem.ranges[0], self.at_q, self.at_v, x)
            x = self._follows(x, out) if follows else x
            q = self.whole(x)
            levels, sizes = self.levels(q), self.problem.sizes(reached)
            v, factors = newton_step(levels, out, reached, x, self._rates(q), how, sizes)
            exists: Any = np.bool_(True)
            if factors is not None:
                e = np.concatenate([level.e for level in levels[:reached]])
                exists = self._is_regular(factors, e, factors.solve(e), reached, out)
            return self._integrated(q, v)[self.at_q], exists, levels

        return step(repeat(refinements, lambda _, x: step(x, False)[0], x), True)

    def _is_regular(self, factors: RowFactors, e: Array, v: Array, reached: int, out: Sequence[Any]) -> Any:
        """Return whether the found solution is regular, of the first priorities, with some coordinates at limits."""
        free = len(out) - sum((where(one, 1.0, 0.0) for one in out if one is not None), 0.0)
        return is_regular(factors, e, v, self.problem.sizes(reached), self.problem.ranks[reached - 1], free)

    def _follows(self, x: Array, out: Sequence[Any]) -> Array:
        """Return a found solution that moves with the initial guess, which only matters where targets leave freedom."""
        if not self.problem.leaves_freedom or not is_symbolic(self.start) or self.search.stored:
            return x
        moved = dynamics.difference(self.model, held(self.begin, "held_twice"), self.begin)
        v = moved[self.at_v] / self._units()
        return self._integrated(self.whole(x), masked(v[None], out)[0])[self.at_q]

    def _integrated(self, q: Array, v: Array) -> Array:
        """Return the configuration (nq,) after a displacement of what moves, in the mechanism's units."""
        v = v * self._units()
        rates = {place: k for k, place in enumerate(self.at_v)}
        full = np.stack([v[rates[k]] if k in rates else 0.0 * v[0] for k in range(self.model.nv)])
        return dynamics.integrate(self.model, q, full)

    def _wrapped(self, q: Array) -> Array:
        """Return periodic angles shifted into their ranges: with a start to the nearest value.

        Where a whole turn is another configuration for the tasks, with a start only those that left their ranges are
        shifted.
        """
        entries, same = list(q), {place for place, _ in self.problem.circular}
        for k in set(self.problem.ranges[1]).intersection(self.at_q):
            lower, upper = self.problem.model.lower[k], self.problem.model.upper[k]
            if np.isfinite(lower) and np.isfinite(upper):
                low = 0.5 * (lower + upper) - np.pi
            else:
                low = lower if np.isfinite(lower) else upper - TURN if np.isfinite(upper) else -np.pi
            turn = (entries[k] >= max(lower, low)) & (entries[k] <= min(upper, low + TURN))
            inside = turn | ((self.search.stored < 0.5) & (entries[k] >= lower) & (entries[k] <= upper))
            turned = where(inside, entries[k], entries[k] - TURN * np.floor((entries[k] - low) / TURN))
            entries[k] = where(self.search.stored < 0.5, self._beside(k, entries[k]), turned) if k in same else turned
        return np.stack(entries)

    def _beside(self, k: int, x: Any) -> Any:
        """Return the angle shifted by whole turns to the value nearest to the start within a range of at least 2π."""
        lower, upper = self.problem.model.lower[k], self.problem.model.upper[k]
        start = self.start[k]
        start = maximum(start, lower) if np.isfinite(lower) else start
        start = minimum(start, upper) if np.isfinite(upper) else start
        x = x - TURN * np.floor((x - start) / TURN + 0.5)
        x = where(x > upper, x - TURN, x) if np.isfinite(upper) else x
        return where(x < lower, x + TURN, x) if np.isfinite(lower) else x


@dataclass(frozen=True)
class NumericalSolver(TaskProblem):
    """A problem with its kernel."""

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """Return the kernel (start, targets, search) -> q (nq,), report (5,), errors (tasks,)."""
        if not len(self.moves[0]):
            told = " or ".join(task.words for task in self.tasks)
            raise InputError(f"no free joint of {self.model.name!r} moves {told}")

        def inverse_kinematics(model: Model, *arrays: Array) -> Any:
            start, *targets, settings = arrays
            return SearchState(self, model, start, targets, SearchOptions(*settings)).solved()

        assert self.stored  # computed by another kernel, before this one is traced
        return compile_or_not(inputs_named(inverse_kinematics, self.inputs), self.model, **self.inputs)

    def answers(self, start: Array, targets: Sequence[Array], search: SearchOptions, alone: bool) -> SearchResult:
        """Those of rows (n, …); of a call of one target ``alone`` one by one, for which there is code already."""
        settings = np.array(search, dtype=float)
        if not alone:
            return SearchResult(*self.kernel(start, *targets, settings))
        rows = [self.kernel(*row, settings) for row in zip(start, *targets, strict=True)]
        shapes = (self.model.nq,), (5,), (len(self.tasks),)
        return SearchResult(*(np.array([row[k] for row in rows]).reshape(-1, *shape) for k, shape in enumerate(shapes)))


def inputs_named(function: Callable[..., Any], inputs: Iterable[str]) -> Callable[..., Any]:
    """The function of a model and any number of arrays, with names for these."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in ("model", *inputs)])
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _either(condition: Any, a: Any, b: Any) -> Any:
    """One of two, where the condition is known; else both, and where it holds the first."""
    return where(condition, a, b) if is_symbolic(condition) else a if condition else b
