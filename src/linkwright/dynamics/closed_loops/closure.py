"""Closure of loops, and mobility; for numbers and single configurations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright.dynamics.closed_loops.rows import (
    constraint_residual,
    loop_groups,
    open_by,
    rows_of_groups,
)
from linkwright.dynamics.configuration import check, integrate
from linkwright.errors import ArgumentError, ClosureError, InputError
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, largest, maximum, minimum, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.loops.repeats import until

CLOSED = 1e-10
"""Residual of closed loops, relative to the mechanism's length and to 1 rad."""

NEARLY_CLOSED = 1e-6
"""Residual up to which a configuration counts as closed, in the same units."""

SINGULAR = 1e-7
"""Constraints are independent if their singular values exceed this times the largest."""

ITERATIONS, FEWER = 200, 50
LEAST_DAMPING = 1e-13
LONGEST_STEP = 0.5
"""Largest step of a joint in one iteration, in the same units."""

SAMPLES = 2
"""Configurations for the generic number of independent constraints; one is almost always sufficient."""


@takes_model
def close_loops(model: Model, initial_guess: ArrayLike, fixed: Iterable[str] = ()) -> Array:
    """Compute a configuration near an initial guess in which all loops are closed.

    Parameters
    ----------
    model : Model
        Mechanism.
    initial_guess : array_like, shape (..., nq)
        Initial configuration.
    fixed : iterable of str, optional
        Names of joints whose positions do not change.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration with residuals below 1e-10, mostly 1e-14, relative to the mechanism's length and to 1 rad. Where
        constraints depend on each other, up to 1e-6 may remain, such as the distance between the planes of a planar
        loop in a file with rounded placements. Joint limits are not checked.

    Raises
    ------
    ClosureError
        If the iteration does not converge; the error contains the residual.

    Notes
    -----
    The method is Levenberg–Marquardt on the configuration manifold, with least-norm steps.
    """
    check(model, initial_guess)
    q = as_numbers("initial_guess", initial_guess)
    free = _free(model, fixed)
    if q.ndim == 1:
        return _closed(model, q, free)
    rows = [_closed(model, row, free) for row in q.reshape(-1, model.nq)]
    return np.reshape(np.array(rows), q.shape)


def _free(model: Model, fixed: Iterable[str]) -> Array:
    """Return (nv,): 0 for the velocities of fixed joints, 1 for the others."""
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        raise ArgumentError(f"fixed is a list of joint names; got {fixed!r}")
    free = np.ones(model.nv)
    for name in fixed:
        free[model.slice(name).v] = 0.0
    return free


def _closed(model: Model, q: Array, free: Array) -> Array:
    model.require_numbers("a search of configurations with closed loops", placements_only=True)
    error, units = _error(model, q), scale_of(model).velocities
    damping, limit, factored = 1e-3, CLOSED, _factored(model, q, free)
    for _ in range(ITERATIONS):
        if np.abs(error).max(initial=0.0) <= 1e-15:
            break
        scale = max((float(sizes.max(initial=0.0)) for _, (_, sizes, _) in factored), default=0.0) or 1.0
        step, remains = np.zeros(model.nv), 0.0
        for part, (U, sizes, Vt) in factored:
            independent = sizes > SINGULAR * scale
            along = independent * sizes / (sizes**2 + max(damping, 1e-14) * scale**2)
            reached = U.T @ error[part.rows]
            step[part.columns] = -Vt.T @ (along * reached)
            remains = max(remains, np.abs(reached[independent]).max(initial=0.0))
        limit = NEARLY_CLOSED if remains <= CLOSED else CLOSED
        step = step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        moved = integrate(model, q, units * step)
        left = _error(model, moved)
        if left @ left < error @ error:
            q, error, damping = moved, left, 0.1 * damping
            factored = _factored(model, q, free)
        elif np.abs(error).max() <= limit:  # converged to rounding, of numbers or of the file
            break
        else:
            damping = max(10.0 * damping, 1e-8)
            if damping > 1e12:
                break
    if not np.abs(error).max(initial=0.0) <= limit:
        raise ClosureError(_what_is_open(model, q), constraint_residual(model, q), q)
    return q


def _factored(model: Model, q: Array, free: Array) -> list[tuple[LoopRowGroup, Any]]:
    """Return the independent parts of K in the mechanism's units, and their singular value decompositions."""
    parts = _separate_in_units(model, q)
    return [(part, np.linalg.svd(part.K * free[part.columns], full_matrices=False)) for part in parts]


def _error(model: Model, q: Array) -> Array:
    """Return the residuals (m,) in the mechanism's units.

    Rotational residuals are extended, so that opposite axes do not count as closed.
    """
    errors = [np.zeros(0)]
    for loop, (error, pose) in zip(model.loops, open_by(model, q), strict=True):
        if pose is not None and not isinstance(loop, CoordinateLoop) and (turns := loop.kind.turns()).any():
            cosine = loop.kind.alignment(pose)
            no_way = cosine < -1.0 + 1e-12  # the direction of correction is undefined
            longer = np.sqrt(2.0 / where(no_way, 1.0, 1.0 + cosine))
            made_longer = [where(no_way, 2.0, longer * x) for x in error]
            error = np.stack([y if turn else x for x, y, turn in zip(error, made_longer, turns, strict=True)])
        errors.append(error)
    return np.concatenate(errors) / scale_of(model).rows


def steps_to_closed(model: Model, q: Array, fixed: tuple[str, ...]) -> tuple[Array, Any]:
    """Compute the result of :func:`close_loops` for numbers or symbols: a configuration (nq,) and the largest residual.

    The damped equations are solved by factorization instead of singular values, and damping is a fraction of the trace.
    The number of steps is small; configurations that have not converged are left to :func:`close_loops`.
    """
    free, units, groups = _free(model, fixed) > 0.5, scale_of(model), loop_groups(model)

    def step(q: Array, error: Array, damping: Any, stuck: Any) -> tuple[Array, Array, Any, Any]:
        along: list[Any] = [0.0 * q[0]] * model.nv
        for group, K in zip(groups, rows_of_groups(model, q, groups), strict=True):
            moving = [k for k, column in enumerate(group.columns) if free[column]]
            columns = [group.columns[k] for k in moving]
            A = K[:, moving] * units.velocities[columns] / units.rows[group.rows][:, None]
            e, wide = error[group.rows], len(group.rows) <= len(columns)
            square = A @ A.T if wide else A.T @ A
            damped = square + maximum(damping, LEAST_DAMPING) * np.trace(square) * np.eye(len(square))
            found = A.T @ solve_symmetric(damped, e) if wide else solve_symmetric(damped, A.T @ e)
            for column, x in zip(columns, found, strict=True):
                along[column] = -x
        way = np.stack(along)
        way = way * minimum(1.0, LONGEST_STEP / maximum(largest(way), 1e-300))
        moved = integrate(model, q, units.velocities * way)
        left = _error(model, moved)
        better = left @ left < error @ error
        return (
            where(better, moved, q),
            where(better, left, error),
            where(better, 0.1 * damping, maximum(10.0 * damping, 1e-8)),
            where(better, 0.0, where(largest(error) <= CLOSED, 1.0, 0.0)),  # converged to rounding
        )

    def stops(q: Array, error: Array, damping: Any, stuck: Any) -> Any:
        return (largest(error) <= 1e-14) | (stuck > 0.5) | (damping > 1e12)

    q, error, *_ = until(stops, step, q, _error(model, q), 1e-3, 0.0, limit=FEWER)
    return q, largest(error)


def _what_is_open(model: Model, q: Array) -> str:
    off, at, units = [], 0, scale_of(model).rows
    for loop, (error, _) in zip(model.loops, open_by(model, q), strict=True):
        sizes = np.abs(error)
        size = float((sizes / units[at : at + len(sizes)]).max())
        at += len(sizes)
        if size > CLOSED:
            off.append((size, f"{loop.name!r} ({loop.type}) is off by {sizes.max():.3g}"))
    shown = "; ".join(text for _, text in sorted(off, reverse=True)[:6]) or "axes point in opposite directions"
    return (
        f"the loops of {model.name!r} could not be closed from this guess: {shown} (m or rad). Use a closer guess, fix "
        "fewer joints, or check that the loops can be closed"
    )


@dataclass(frozen=True)
class Mobility:
    """Mobility of a mechanism with loops, which is printed as a sentence.

    Parameters
    ----------
    degrees_of_freedom : int
        Degrees of freedom at regular configurations.
    constraints : int
        Number of rows of all loops.
    independent : int
        Number of independent rows at regular configurations.
    at_configuration : int
        Degrees of freedom of the velocities at the given configuration.
    """

    degrees_of_freedom: int
    constraints: int
    independent: int
    at_configuration: int

    @property
    def redundant(self) -> int:
        """Number of constraints that depend on others."""
        return self.constraints - self.independent

    @property
    def singular(self) -> bool:
        """Whether the configuration has more degrees of freedom than regular ones."""
        return self.at_configuration > self.degrees_of_freedom

    def __str__(self) -> str:
        n, m = self.degrees_of_freedom, self.constraints
        text = (
            f"{n} degree{'' if n == 1 else 's'} of freedom; {m} constraint{'' if m == 1 else 's'}, "
            f"{self.independent} independent, {self.redundant} redundant"
        )
        if self.singular:
            text += f"; singular here: {self.at_configuration} velocities are free"
        return text


@takes_model
def mobility(model: Model, q: ArrayLike | None = None) -> Mobility:
    """Compute degrees of freedom, and independent and redundant constraints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,), optional
        Configuration with closed loops. By default one is computed from the neutral configuration.

    Returns
    -------
    Mobility
        Degrees of freedom at regular configurations near `q`, and at `q`. Constraints are independent if their singular
        values, in units of the mechanism's length and rad, exceed 1e-7 of the largest.

    Raises
    ------
    ClosureError
        If no closed configuration was found.
    InputError
        If the loops are not closed at `q`.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.mobility(lw.load("four_bar")).degrees_of_freedom
    1
    """
    if q is None:
        q = some_closed_configuration(model)
    check(model, q)
    q = as_numbers("q", q)
    residual = np.abs(constraint_residual(model, q))
    if (residual > NEARLY_CLOSED * scale_of(model).rows).any():
        raise InputError(
            f"the loops of {model.name!r} are not closed at this q: residual {residual.max():.3g} (m or rad); use "
            "close_loops"
        )
    here = _rank(_separate_in_units(model, q))
    generic = max([here, *(_rank(_separate_in_units(model, sample)) for sample in _nearby(model, q))])
    return Mobility(model.nv - generic, len(constraint_residual(model, q)), generic, model.nv - here)


class LoopRowGroup(NamedTuple):
    """Rows of K and the velocities that they depend on."""

    rows: list[int]
    """indices among the m rows"""
    columns: list[int]
    """indices among the nv velocities"""
    K: Array


def separate(model: Model, q: Array) -> list[LoopRowGroup]:
    """Return independent parts of K: groups of loops without common joints."""
    groups = loop_groups(model)
    return [
        LoopRowGroup(one.rows, one.columns, K) for one, K in zip(groups, rows_of_groups(model, q, groups), strict=True)
    ]


def _separate_in_units(model: Model, q: Array) -> list[LoopRowGroup]:
    """Return the same parts, with residuals and velocities in the mechanism's units."""
    velocities, rows = scale_of(model).velocities, scale_of(model).rows
    return [
        part._replace(K=part.K * velocities[part.columns] / rows[part.rows][:, None]) for part in separate(model, q)
    ]


def _rank(parts: list[LoopRowGroup]) -> int:
    sizes = np.concatenate([np.zeros(0), *(np.linalg.svd(part.K, compute_uv=False) for part in parts)])
    return int((sizes > SINGULAR * sizes.max(initial=0.0)).sum())


def _nearby(model: Model, q: Array, samples: int = SAMPLES) -> list[Array]:
    """Return closed configurations at some distance along free motions, as far as they can be reached."""
    rng = np.random.default_rng(0)
    found: list[Array] = []
    units = scale_of(model).velocities
    for _ in range(samples):
        direction = rng.normal(size=model.nv)
        factored = [(part, np.linalg.svd(part.K)) for part in _separate_in_units(model, q)]
        largest = max((float(sizes.max(initial=0.0)) for _, (_, sizes, _) in factored), default=0.0)
        for part, (_, sizes, Vt) in factored:
            null = Vt[int((sizes > SINGULAR * largest).sum()) :]
            direction[part.columns] = null.T @ (null @ direction[part.columns])
        if not direction.any():
            return found
        step = integrate(model, q, 0.2 / max(float(np.abs(direction).max()), 1e-12) * direction * units)
        try:
            found.append(_closed(model, step, np.ones(model.nv)))
        except ClosureError:
            continue
    return found


def generic_configuration(model: Model) -> Array:
    """Return a closed regular configuration (nq,), or a singular one if all are."""
    q = some_closed_configuration(model)
    return next(iter(_nearby(model, q, 1)), q)


def some_closed_configuration(model: Model) -> Array:
    """Return a closed configuration (nq,) near the neutral one (moved into the limits), or near random variations."""
    rng = np.random.default_rng(0)
    start, units = np.clip(model.neutral(), model.lower, model.upper), scale_of(model).velocities
    for attempt in range(8):
        try:
            turned = integrate(model, start, 0.15 * attempt * units * rng.normal(size=model.nv))
            return _closed(model, turned, np.ones(model.nv))
        except ClosureError as error:
            failure = error
    raise failure
