"""Resolved rates: velocities with which frames move as they shall (Whitney 1969), one priority after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import at_least, positive, truth
from linkwright.compiler.public import compile_or_not
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.ik_solvers.minimum_distance import MinimumDistance, constrained
from linkwright.ik_solvers.search.solver import inputs_named
from linkwright.ik_solvers.search.steps import DEPENDENT, extend, is_identity, without
from linkwright.ik_solvers.task import fitting
from linkwright.ik_solvers.tasks import Pose, Position, Task
from linkwright.model.memo import Identity, identity, keep
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.provided import accepts_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, is_zero, maximum, minimum, where
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above, solve_below
from linkwright.spatial.loops.repeats import until

REFINED = 4
"""Number of refinements of damped solutions: the error of a singular value σ is λ²/(σ² + λ²) to this power."""

GAINS = 1e-4
"""Least gain of releasing a velocity from its bound, relative to the missing rate."""

CHANGES = 3
"""Times as many velocities as have bounds may come to their bounds, or leave them."""

LATER, REST = 1e-4, 1e-2
"""Weights of the rates of each next priority, and of velocities, where a minimum distance changes the velocities."""

LEAST = 1e-12
"""of damping, squared: rows that depend on others divide by it"""


@accepts_sympy
@takes_model
def resolved_rate(
    model: Model,
    q: ArrayLike,
    rates: Mapping[Any, Any],
    *,
    damping: float = 0.02,
    period: float | None = None,
    velocity_limits: bool = True,
) -> Array:
    """Compute joint velocities with which tasks move at given rates (resolved motion rate control).

    The error of each priority is minimized strictly within the solutions of the previous ones. Remaining freedom is
    used by the last tasks: :class:`~linkwright.tasks.AwayFromLimits`, :class:`~linkwright.tasks.Manipulability`, or
    :class:`~linkwright.tasks.Joints` with a velocity toward a posture.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    rates : mapping
        Rates by task: by the name of a frame its twist [v; ω] (..., 6) or linear velocity (..., 3) in world axes; by a
        task of :mod:`linkwright.tasks` its velocity; by :class:`~linkwright.tasks.MinimumDistance` the poses of its
        obstacles.
    damping : float, optional
        Dimensionless damping, which bounds velocities near singularities: |v| is at most about |rate|/damping. It
        changes components with a singular value σ by (damping/σ)⁸, which is negligible at regular configurations. Zero
        gives J⁻¹ times the rate at regular configurations, and velocities of up to 1e6 |rate| near singularities.
    period : float, optional
        Time, s, within which no joint exceeds its position limits. By default they are not considered.
    velocity_limits : bool, optional
        Whether velocity limits of the joints hold. Limits have priority over all tasks: where they are active, the
        error is the smallest possible, and a frame may move in another direction than requested.

    Returns
    -------
    ndarray, shape (..., nv)
        Joint velocities.
    """
    try:
        ((name, rate),) = rates.items()
        made = model.memo[_RATES, name, np.shape(rate)[-1:] == (6,), velocity_limits, period is None]
        given = (rate,)
    except (AttributeError, KeyError, TypeError, ValueError):
        made, given = _rates(model, rates, velocity_limits, period)
    try:
        settings = _SETTINGS[damping, period]
    except (KeyError, TypeError):
        settings = _settings(damping, period)
    try:
        v: Array = made.kernel(q, *given, settings)
    except (ArgumentError, ShapeError):
        if not is_symbolic(q, *given):
            _rates(model, rates, velocity_limits, period)  # says it in words of the tasks
            raise
        return made.velocities(model, np.asarray(q), [np.asarray(x) for x in given], *settings.tolist())
    if not (v @ v < np.inf if v.ndim == 1 else np.isfinite(v).all()):
        raise _not_finite(made, q, given)
    return v


_RATES: Identity = identity(resolved_rate)
_SETTINGS: dict[tuple[float, float | None], Array] = {}


def _settings(damping: Any, period: Any) -> Array:
    """[damping², 1 / period] as the kernel takes them."""
    at_least("damping", damping, 0.0)
    positive("period", 1.0 if period is None else period, "s")
    if len(_SETTINGS) > 100:
        _SETTINGS.clear()
    settings = _SETTINGS[damping, period] = np.array([float(damping) ** 2, 1.0 / (period or 1.0)])
    settings.setflags(write=False)
    return settings


def _rates(model: Any, rates: Any, velocity_limits: Any, period: Any) -> tuple[Rates, tuple[Any, ...]]:
    """Return the function that computes velocities for these tasks, and their arrays."""
    if not isinstance(rates, Mapping) or not rates:
        raise ArgumentError(f"rates are a dict, such as {{frame: twist}}, of at least one frame or task; got {rates!r}")
    truth("velocity_limits", velocity_limits)
    tasks = tuple(_task(key, x) for key, x in rates.items())
    given = [task.default if x is None else x for task, x in zip(tasks, rates.values(), strict=True)]
    key = (tasks, velocity_limits, period is None)
    made = model.memo.get((_RATES, *key))
    if made is None:
        for task in tasks:
            task.check(model)
        made = Rates(model, tasks, velocity_limits, period is not None)
        keep(model, made, _RATES, *key)
    arrays = [fitting("rate", task, x, task.rate_shape(model)) for task, x in zip(tasks, given, strict=True)]
    constraints = [task for task in tasks if isinstance(task, MinimumDistance)]
    for task in constraints:
        task.check_period(period)
    if len(tasks) == 1 and not constraints:  # the period of these is checked at each call
        name = next(iter(rates))
        keep(model, made, _RATES, name, np.shape(arrays[0])[-1:] == (6,), velocity_limits, period is None)
    return made, tuple(arrays)


def _task(key: Any, rate: Any) -> Task:
    """Return the task of a key of the rates."""
    if isinstance(key, Task):
        return key
    if not isinstance(key, str):
        raise ArgumentError(f"keys of rates are names of frames and tasks; got {key!r}")
    shape = np.shape(rate if is_symbolic(rate) else as_numbers(f"the rate of {key!r}", rate))
    if shape[-1:] == (6,):
        return Pose(key)
    if shape[-1:] == (3,):
        return Position(key)
    raise ShapeError(f"the rate of {key!r} has shape {shape}; expected a twist (…, 6) or a velocity (…, 3)")


def _not_finite(made: Rates, q: Any, given: tuple[Any, ...]) -> InputError:
    """Which of the arrays is not finite."""
    for name, x in (("q", q), *((f"the rate of {task}", x) for task, x in zip(made.tasks, given, strict=True))):
        if not np.isfinite(np.asarray(x, dtype=float)).all():
            return InputError(f"{name} is not finite: {np.asarray(x).tolist()}")
    return InputError("the velocities are not finite: the numbers given are too large")


@dataclass(frozen=True)
class Rates:
    """Which tasks, and which limits."""

    model: Model
    tasks: tuple[Task, ...]
    velocity_limits: bool
    position_limits: bool

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """(q, rates, [damping², 1 / period]) -> v (nv,)."""
        shapes = {f"rate{k}": task.rate_shape(self.model) for k, task in enumerate(self.tasks)}
        inputs = {"q": (self.model.nq,), **shapes, "settings": (2,)}

        def resolved_rate(model: Model, q: Array, *arrays: Array) -> Array:
            *rates, settings = arrays
            return self.velocities(model, q, rates, *settings)

        return compile_or_not(inputs_named(resolved_rate, inputs), self.model, **inputs)

    def levels(self, model: Model, q: Array, rates: list[Array]) -> list[tuple[Array, Array]]:
        """J (m, nv) and the rates (m,) of each priority, in the mechanism's units; loops come before all."""
        units = scale_of(self.model).velocities
        found = []
        if model.loops:
            K = dynamics.constraint_jacobian(model, q) / scale_of(self.model).rows[:, None]
            found.append((K * units, np.zeros(len(K))))
        goals = [(task, x) for task, x in zip(self.tasks, rates, strict=True) if not task.is_constraint]
        for number in sorted({task.priority for task, _ in goals}):
            rows = []
            for task, rate in goals:
                if task.priority == number:
                    scale = np.sqrt(task.weight) / task.scales(self.model)
                    J, x = task.rate_jacobian(model, q), task.followed(model, q, rate)
                    rows.append((scale[:, None] * J * units, scale * x))
            found.append((np.concatenate([J for J, _ in rows]), np.concatenate([x for _, x in rows])))
        return found

    def bounds(self, q: Array, frequency: Any) -> list[tuple[Any, Any]]:
        """The least and the largest velocity of every coordinate, in the mechanism's units; zero is always allowed."""
        limits = np.concatenate([np.zeros(0), *(x.velocity_limit for x in self.model.joints if x.nv)])
        units = scale_of(self.model).velocities
        found: list[tuple[Any, Any]] = [(-x, x) if self.velocity_limits else (-np.inf, np.inf) for x in limits]
        at_q = at_v = 0
        for joint in self.model.joints:
            if joint.nq and self.position_limits:
                for place, rate in joint.motion.plain:
                    low, high = found[at_v + rate]
                    at = at_q + place
                    if np.isfinite(self.model.lower[at]):
                        low = maximum(low, minimum((self.model.lower[at] - q[at]) * frequency, 0.0))
                    if np.isfinite(self.model.upper[at]):
                        high = minimum(high, maximum((self.model.upper[at] - q[at]) * frequency, 0.0))
                    found[at_v + rate] = low, high
            at_q, at_v = at_q + joint.nq, at_v + joint.nv
        return [(low / unit, high / unit) for (low, high), unit in zip(found, units, strict=True)]

    def velocities(self, model: Model, q: Array, rates: list[Array], damping: Any, frequency: Any) -> Array:
        """v (nv,), in SI units."""
        levels, bounds = self.levels(model, q, rates), self.bounds(q, frequency)
        bound = [k for k, pair in enumerate(bounds) if not all(np.ndim(x) == 0 and _infinite(x) for x in pair)]
        v = np.zeros(model.nv)
        if not levels:
            v = v + where(q @ q < np.inf, 0.0, np.nan)  # no task carries NaN of q into the result
        for k, (J, rate) in enumerate(levels):
            above = [one for one, _ in levels[:k]]
            v = (
                bounded(J, rate, above, v, [bounds[j] for j in bound], bound, damping)
                if bound
                else v + added(J, rate - J @ v, above, damping)
            )
        units = scale_of(self.model).velocities
        blocks = []
        for task, poses in zip(self.tasks, rates, strict=True):
            if isinstance(task, MinimumDistance):
                count, row = task.inequalities(model, q, poses)
                blocks.append((count, lambda k, row=row: (row(k)[0] * units, row(k)[1])))
        if not blocks:
            return v * units
        H: Array = REST * np.eye(model.nv)
        for k, (J, _) in enumerate(levels):  # changes of the first tasks cost most
            H = H + LATER ** (k - bool(model.loops)) * (J.T @ J)
        return constrained(v, H, blocks, [(k, *bounds[k]) for k in bound]) * units


def _infinite(x: Any) -> bool:
    return isinstance(x, (float, np.floating)) and bool(np.isinf(x))


def added(J: Array, rate: Array, above: list[Array], damping: Any) -> Array:
    """Return the velocity (n,) with which J follows the rate in the null space of the matrices above, damped, refined.

    x ← x + Pᵀ(P Pᵀ + λ² 1)⁻¹(rate − P x) with P = J N: the damped part is added again, so that regular directions are
    exact and singular ones bounded (iterated Tikhonov regularization).
    """
    basis: list[Array] = []
    for one in above:
        extend(basis, one)
    if is_identity(J):
        return without(rate, basis)
    P = np.stack([without(row, basis) for row in J])
    m, n = P.shape
    size = damping + LEAST
    L, D = factorize(P.T @ P + size * np.eye(n) if m > n else P @ P.T + size * np.eye(m))
    if m > n:
        x = _solved(L, D, rate @ P)
        for _ in range(REFINED - 1):
            x = x + _solved(L, D, (rate - P @ x) @ P)
        x = _reached(L, D, x, size)
    else:
        rate = _reached(L, D, rate, size)
        x = _solved(L, D, rate) @ P
        for _ in range(REFINED - 1):
            x = x + _solved(L, D, rate - P @ x) @ P
    return without(x, basis)


def _solved(L: Array, D: Array, b: Array) -> Array:
    return solve_below(L, D * solve_above(L, b))


def _reached(L: Array, D: Array, b: Array, size: Any) -> Array:
    """b without its part in the null space of P Pᵀ or Pᵀ P, of which the factors of that + λ² 1 are given.

    That part, which no x reaches, has no influence in exact arithmetic. But a solution grows by it as 1/λ², and
    rounding with it: of λ² = 1e-9 a rate beyond the bounds left seven digits of sixteen. (λ² (P Pᵀ + λ² 1)⁻¹)ᵏ b
    is that part, but for what regular directions lose by damping.
    """
    lost = b
    for _ in range(REFINED):
        lost = size * _solved(L, D, lost)
    return b - lost


def bounded(
    J: Array, rate: Array, above: list[Array], v: Array, bounds: list[tuple[Any, Any]], bound: list[int], damping: Any
) -> Array:
    """Return velocities v (n,) within bounds that minimize |rate − J v| in the null space of the matrices above.

    Velocities that reach a bound are fixed there. When the free ones are optimal, the fixed one with the largest gain
    is released, until there is none (Lawson & Hanson 1974, bounded least squares). Every step is in the null space of
    the matrices above with the fixed velocities, and is as long as the bounds allow: no previous priority is affected.
    """
    whole = is_identity(J)

    def step(v: Array, free: Array, _: Any) -> tuple[Array, Array, Any]:
        left = (rate - v) * free if whole else rate - J @ v
        w = added(J if whole else J * free, left, [one * free for one in above], damping) * free
        share: Any = 1.0
        shares = []
        for (low, high), k in zip(bounds, bound, strict=True):
            room = where(w[k] > 0.0, high - v[k], v[k] - low)
            size = abs(w[k])
            one = where(size > 1e-12, maximum(room, 0.0) / maximum(size, 1e-12), 2.0)
            shares.append(one)
            share = minimum(share, one)
        v = v + share * w
        left = rate - v if whole else rate - J @ v
        gains = _gains(left if whole else left @ J, above, free)
        best: Any = GAINS * np.sqrt(left @ left)
        released: Any = 0.0
        for (low, high), k in zip(bounds, bound, strict=True):
            room = where(gains[k] > 0.0, high - v[k], v[k] - low)
            better = (share >= 1.0) & (free[k] < 0.5) & (abs(gains[k]) > best) & (room > 1e-12)
            best, released = where(better, abs(gains[k]), best), where(better, k + 1.0, released)
        now = list(free)
        for one, k in zip(shares, bound, strict=True):
            kept = where(one <= share, where(share < 1.0, 0.0, free[k]), free[k])
            now[k] = where(abs(released - (k + 1.0)) < 0.5, 1.0, kept)
        return v, np.stack(now), where((share >= 1.0) & (released < 0.5), 1.0, 0.0)

    most = CHANGES * len(bound) + 1
    v, _, _, _ = until(lambda v, free, done: done > 0.5, step, v, np.ones(len(v)), 0.0, limit=most)
    return v


def _gains(slope: Array, above: list[Array], free: Array) -> Array:
    """Return the decrease of the slope (n,) per velocity; the free ones move in the null space of matrices above."""
    basis: list[Array] = []
    for row in (row for one in above for row in one):
        size = (row * free) @ row
        if is_zero(size):
            continue
        for _ in range(2):
            for b in basis:
                row = row - ((row * free) @ b) * b
        square = (row * free) @ row
        clear = square > DEPENDENT * size
        basis.append(row * where(clear, 1.0 / np.sqrt(where(clear, square, 1.0)), 0.0))
    for b in basis:
        slope = slope - ((slope * free) @ b) * b
    return slope
