"""The fastest motion on a grid, by one kernel.

It is found again where damping is not yet what it is at the speed found, or limits are exceeded between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.forces.statics import passive_forces
from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.repeats import repeat
from linkwright.spatial.loops.tables import take
from linkwright.trajectories.evaluation import moved
from linkwright.trajectories.timing.grid import TimeOptimalProblem, some
from linkwright.trajectories.timing.infeasibility import failing
from linkwright.trajectories.timing.limits import SCHEMES, Limited, coulomb, damped, damping_efforts, path_lines
from linkwright.trajectories.timing.motion import exerted, limited_of
from linkwright.trajectories.timing.speed_profile import FASTEST, Lines, fastest

BETWEEN = tuple(((1.0 - np.cos(np.linspace(0.0, np.pi, 17))) / 2.0).tolist())
"""Points of each interval at which limits are checked in the result, denser at its ends."""

EXCEEDED = 1e-7
"""Tolerance of limits there, relative."""

DRAWN = 12
"""Times that limits are drawn in where they are exceeded."""


PIECES = 8
"""Least number of pieces of a kernel; larger numbers are rounded up to a power of two."""

PASSES = 25
"""Times at most that damping is made linear about what was found; near the solution each doubles the digits."""

SETTLED = 1e-9
"""Convergence of damping: largest change of x, relative to the largest x."""

SLOWER = 0.25
"""Factor of x about which damping is linearized, if the end is infeasible."""

ROOM = 1e-3
"""Least share of an effort limit that is available for damping."""


def speeds(problem: TimeOptimalProblem, check: bool) -> tuple[Array, Array, Array]:
    """x (B, N + 1) of the fastest motions, and the sets (B, N) of x from which the end can be reached: low and high."""
    room = np.ones_like(problem.grid.span)
    x, low, high = _settled(problem, room, _guess(problem))
    if not check or problem.scheme != "hull":
        return x, low, high
    left = np.flatnonzero(~failing(problem, low, high))
    for _ in range(DRAWN):
        if not len(left):
            break
        over = _excess(some(problem, left), x[left])
        exceeded = (over > EXCEEDED).any(axis=-1)
        if not exceeded.any():
            break
        left = left[exceeded]
        room[left] /= 1.0 + over[exceeded]
        x[left], low[left], high[left] = _settled(some(problem, left), room[left], x[left])
        left = left[~failing(some(problem, left), low[left], high[left])]
    return x, low, high


def _settled(problem: TimeOptimalProblem, room: Array, before: Array) -> tuple[Array, Array, Array]:
    """The same of limits of which parts may be used, damping at first linear about ``before`` (B, N + 1)."""
    x, low, high = _once(problem, room, before)
    if not (damped(problem.model) and problem.limits.effort.any()):
        return x, low, high
    left, before = np.arange(len(x)), before.copy()
    for _ in range(PASSES):
        wrong = failing(some(problem, left), low[left], high[left])
        changing = np.abs(x[left] - before[left]).max(axis=1) > SETTLED * x[left].max(axis=1)
        before[left] = np.where(wrong[:, None], SLOWER * before[left], x[left])
        left = left[changing | wrong]
        if not len(left):
            break
        x[left], low[left], high[left] = _once(some(problem, left), room[left], before[left])
    return x, low, high


def _guess(problem: TimeOptimalProblem) -> Array:
    """x (B, N + 1) about which damping is made linear first: half of what holding leaves of each effort drives it."""
    model, path, grid, limits, start, end, _ = problem
    x = np.zeros_like(grid.s)
    if damped(model):
        kernel = _driven(model, path.degree)
        found = kernel(grid.q, grid.coefficients, grid.begin, limits.velocity[:, None], limits.effort[:, None])
        x[:, 1:-1], x[:, 0], x[:, -1] = found[:, 1:], start, end
        x[:, grid.rests] = 0.0
    return x


def _driven(model: Model, degree: int) -> Callable[..., Any]:
    """The kernel of the greatest x at which half of what holding leaves drives all dampers, within velocities."""

    def driven(model: Model, q: Array, coefficients: Array, s: Any, velocity: Array, effort: Array) -> Any:
        here, v = moved(model, q, coefficients, s, 1)
        zero = np.zeros(model.nv)
        holding = abs(inverse_dynamics(model, here, zero, zero) - passive_forces(model, here, zero)) + coulomb(model)
        lost = abs(damping_efforts(model, here, v))
        most = FASTEST
        for k in range(model.nv):
            root = 0.5 * maximum(1.0 - holding[k] * effort[k], ROOM) / (lost[k] * effort[k] + 1.0 / FASTEST)
            most = minimum(most, minimum(root * root, 1.0 / ((v[k] * velocity[k]) ** 2 + 1.0 / FASTEST)))
        return most

    n = (model.nv,)
    shapes = {"q": (model.nq,), "coefficients": (degree + 1, model.nv), "s": (), "velocity": n, "effort": n}
    return derived(model, _driven, degree, make=lambda: compile_or_not(driven, model, **shapes))


def _once(problem: TimeOptimalProblem, room: Array, before: Array) -> tuple[Array, Array, Array]:
    model, path, grid, limits, start, end, scheme = problem
    top = np.where(grid.rests[:-1], 0.0, FASTEST)
    count = path.q.shape[1]
    pieces = max(PIECES, 1 << (count - 1).bit_length())
    table = np.minimum(np.arange(pieces), count - 1)
    kernel = _fastest(model, path.degree, pieces, len(grid.piece), scheme, limited_of(limits))
    found: tuple[Array, Array, Array] = kernel(
        path.q[:, table],
        path.coefficients[:, table],
        grid.piece,
        grid.begin,
        grid.span,
        room,
        before,
        top,
        *limits,
        start,
        end,
    )
    return found


def _fastest(
    model: Model, degree: int, pieces: int, intervals: int, scheme: str, limited: Limited
) -> Callable[..., Any]:
    """The kernel of a whole problem."""
    how = SCHEMES[scheme]

    def solve(
        model: Model,
        q: Array,
        coefficients: Array,
        piece: Array,
        begin: Array,
        span: Array,
        room: Array,
        before: Array,
        top: Array,
        velocity: Array,
        acceleration: Array,
        effort: Array,
        start: Any,
        end: Any,
    ) -> tuple[Any, ...]:
        def lines_of(i: Any) -> Lines:
            k, limits = take(piece, i), (velocity, acceleration, effort)
            own = take(q, k), take(coefficients, k)
            begins, long, part = (take(x, i) for x in (begin, span, room))
            about = take(before, i), take(before, i + 1.0)
            those = path_lines(model, how, limited, *own, begins, long, part, about, *limits)
            return those._replace(ceiling=minimum(those.ceiling, take(top, i)))

        return fastest(lines_of, intervals, limited.count(how), start, end)

    n, N = (model.nv,), (intervals,)
    shapes: dict[str, tuple[int, ...]] = {"q": (pieces, model.nq), "coefficients": (pieces, degree + 1, model.nv)}
    shapes |= {**dict.fromkeys(("piece", "begin", "span", "room"), N), "before": (intervals + 1,), "top": N}
    shapes |= {"velocity": n, "acceleration": n, "effort": n, "start": (), "end": ()}
    key = (degree, pieces, intervals, scheme, limited)
    return derived(model, _fastest, *key, make=lambda: compile_or_not(solve, model, **shapes))


def _excess(problem: TimeOptimalProblem, x: Array) -> Array:
    """By which part of a limit the motion exceeds it at most in each interval (B, N); not below 0."""
    model, path, grid, limits, *_ = problem
    pieces = (grid.q, grid.coefficients, grid.begin, grid.span)
    kernel = _most_used(model, path.degree)
    over: Array = np.maximum(kernel(*pieces, x[:, :-1], x[:, 1:], *(y[:, None] for y in limits)) - 1.0, 0.0)
    return over


def _most_used(model: Model, degree: int) -> Callable[..., Any]:
    """The kernel of what part of its limit is used at most in an interval."""

    def most_used(
        model: Model,
        q: Array,
        coefficients: Array,
        s: Any,
        span: Any,
        x: Any,
        w: Any,
        velocity: Array,
        acceleration: Array,
        effort: Array,
    ) -> Any:
        def step(k: Any, most: Any) -> Any:
            theta = take(BETWEEN, k)
            here, v, a = moved(model, q, coefficients, s + theta * span, 2)
            speed = maximum((1.0 - theta) * x + theta * w, 0.0)
            v, a = v * np.sqrt(speed), v * ((w - x) / (2.0 * span)) + a * speed
            for part in (*(v * velocity), *(a * acceleration), *(exerted(model, here, v, a) * effort)):
                most = maximum(most, abs(part))
            return most

        return repeat(len(BETWEEN), step, 0.0 * x)

    n = (model.nv,)
    shapes = {"q": (model.nq,), "coefficients": (degree + 1, model.nv), "s": (), "span": (), "x": (), "w": ()}
    shapes |= {"velocity": n, "acceleration": n, "effort": n}
    return derived(model, _most_used, degree, make=lambda: compile_or_not(most_used, model, **shapes))
