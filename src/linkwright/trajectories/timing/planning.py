"""The fastest motion along a path that limits of velocity, acceleration and effort allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import truth
from linkwright.compiler.kernel import compile
from linkwright.compiler.public import public
from linkwright.dynamics.forces.actuation import joint_effort_limits
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, is_choice
from linkwright.model.coordinates import velocity_names
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.trajectories.joint_space.boundary_conditions import velocity_limits
from linkwright.trajectories.joint_space.splines import spline
from linkwright.trajectories.timing.grid import Limits, TimeOptimalProblem, grid_of
from linkwright.trajectories.timing.infeasibility import failing, refuse, require_motors
from linkwright.trajectories.timing.limits import SCHEMES
from linkwright.trajectories.timing.motion import TimeOptimal, along, each_of
from linkwright.trajectories.timing.solver import speeds
from linkwright.trajectories.trajectory import Trajectory, finite

_difference = public(dynamics.difference)


@takes_model
def time_optimal(
    model: Model,
    path: Any,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    points: int = 100,
    start_speed: ArrayLike = 0.0,
    end_speed: ArrayLike = 0.0,
    scheme: str = "hull",
    check: bool = True,
    actuated: Sequence[str] | None = None,
) -> TimeOptimal:
    """Plan the fastest motion along a path within limits of velocity, acceleration and effort.

    Efforts are those of inverse dynamics with armature, of springs, damping and friction. Damping is evaluated at the
    speed found; Coulomb friction counts only where it increases an effort, not where it helps to brake. Position limits
    are not checked. The motion comes to rest where the direction of the path jumps.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    path : array_like, shape (..., n, nq), or Trajectory
        Configurations, connected by a natural spline with s from 0 to 1 in proportion to the distances; or a trajectory
        whose time is the path parameter s, such as that of :func:`spline` or :func:`follow`.
    velocity, acceleration, effort : float or array_like, shape (..., nv), optional
        Symmetric limits, infinite allowed. By default the model's velocity and effort limits, and no acceleration
        limit.
    points : int, optional
        Least number of intervals of the grid on the path, finer at its ends and at corners.
    start_speed, end_speed : float or array_like, shape (...), optional
        Path speeds ds/dt at the ends.
    scheme : {"hull", "interpolation", "collocation"}, optional
        Where limits hold: in each whole interval, at its ends, or at its beginning.
    check : bool, optional
        Whether limits are checked at 17 points of each interval of the result, and reduced where they are exceeded.
    actuated : sequence of str, optional
        Names of the joints that have motors; the others must need no effort along the path, unless `effort` is infinite
        for all. By default all but free joints.

    Returns
    -------
    TimeOptimal
        The trajectory; a batch of paths gives a batch.

    Raises
    ------
    ModelError
        If the mechanism has closed loops.
    InputError
        If the path is infeasible within the limits, or a joint without a motor needs effort; the message states the
        joint and the position on the path.

    References
    ----------
    TOPP-RA: Pham & Pham, IEEE Trans. Robotics 34(3) (2018); limits hold between grid points by Bernstein coefficients.
    """
    if model.loops:
        raise ModelError(f"{model.name!r} has closed loops, for which time-optimal motions are not made")
    if not is_choice(scheme, SCHEMES):
        raise ArgumentError(f"scheme is one of {', '.join(map(repr, SCHEMES))}; got {scheme!r}")
    truth("check", check)
    path = _path(model, path)
    given = [as_numbers(name, x) for name, x in (("start_speed", start_speed), ("end_speed", end_speed))]
    for name, x in zip(("start_speed", "end_speed"), given, strict=True):
        if not ((x >= 0.0) & (x < np.inf)).all():
            raise InputError(f"{name} is a speed along the path, ds/dt, not below 0; got {x!r}")
    planned = _limits(model, velocity, acceleration, effort)
    batch = _batch(
        {"the path": path.batch}
        | {kind: x.shape[:-1] for kind, x in planned.items()}
        | {name: x.shape for name, x in zip(("start_speed", "end_speed"), given, strict=True)}
    )
    flat, count = each_of(path, batch), int(np.prod(batch, dtype=int))
    allowed = {kind: np.broadcast_to(x, (*batch, model.nv)) for kind, x in planned.items()}
    limits = Limits(*(1.0 / x.reshape(count, model.nv) for x in allowed.values()))
    start, end = (np.broadcast_to(x, batch).reshape(count) ** 2 for x in given)
    grid = grid_of(flat, points)
    problem = TimeOptimalProblem(model, flat, grid, limits, start, end, scheme)
    if effort is None or limits.effort.any():
        require_motors(problem, actuated, batch)
    x, low, high = speeds(problem, check)
    refuse(problem, low, high, batch, lambda problem: failing(problem, *speeds(problem, check)[1:]))
    times, coefficients = _composed(problem, x)
    motion = flat._like(times, grid.q, coefficients)
    motion = motion._like(*(y.reshape(*batch, *y.shape[1:]) for y in (motion.times, motion.q, motion.coefficients)))
    own = flat._like(*(y.reshape(*batch, *y.shape[1:]) for y in (flat.times, flat.q, flat.coefficients)))
    return along(motion, own, grid.s.reshape(*batch, *x.shape[1:]), np.sqrt(x).reshape(*batch, *x.shape[1:]), allowed)


def _batch(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of all problems."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        text = ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
        raise ShapeError(f"time_optimal: batches do not broadcast: {text}") from None


def _path(model: Model, path: Any) -> Trajectory:
    if isinstance(path, Trajectory):
        if path.model is not model:
            raise ArgumentError(f"time_optimal: the path is of another model, {path.model.name!r}")
        return path
    q = finite("the path", path)
    if q.ndim < 2 or q.shape[-1] != model.nq or q.shape[-2] < 2:
        raise ShapeError(
            f"the path is a Trajectory or configurations (…, n, {model.nq}), two or more; got shape {q.shape}"
        )
    ways = np.abs(_difference(model, q[..., :-1, :], q[..., 1:, :])).max(axis=-1, initial=0.0)
    if not (ways > 0.0).all():
        k = int(np.argwhere(~(ways > 0.0))[0][-1])
        raise InputError(f"waypoints {k} and {k + 1} of the path are equal: leave one of them out")
    return spline(model, q, 1.0, ends="natural")


def _limits(model: Model, velocity: Any, acceleration: Any, effort: Any) -> dict[str, Array]:
    """Return the given limits, or those of the model, (…, nv) each."""
    found = {}
    free = np.full(model.nv, np.inf)
    usual = {"velocity": velocity_limits(model), "acceleration": free, "effort": joint_effort_limits(model)}
    for (kind, own), x in zip(usual.items(), (velocity, acceleration, effort), strict=True):
        limit = own if x is None else as_numbers(kind, x)
        try:
            if limit.ndim and limit.shape[-1] != model.nv:
                raise ValueError
            found[kind] = np.broadcast_to(limit, (*limit.shape[:-1], model.nv))
        except ValueError:
            raise ShapeError(f"{kind} is a number or an array (…, {model.nv}); got shape {limit.shape}") from None
        if not (found[kind] > 0.0).all():
            k = int(np.argwhere(~(found[kind] > 0.0))[0][-1])
            whose = "the model's limit" if x is None else "the limit"
            raise InputError(
                f"{whose} of {kind} is above 0; of {velocity_names(model)[k]!r} it is {found[kind][..., k].min():g}"
            )
    return found


# the motion


def _composed(problem: TimeOptimalProblem, x: Array) -> tuple[Array, Array]:
    """When intervals begin (B, N + 1), and the polynomials of time (B, N, 2 degree + 1, nv) of them."""
    path, grid = problem.path, problem.grid
    speed = np.sqrt(x)
    steps = 2.0 * grid.span / (speed[:, 1:] + speed[:, :-1])
    times = np.concatenate([np.zeros((len(x), 1)), np.cumsum(steps, axis=1)], axis=1)
    half = np.diff(x) / (4.0 * grid.span)
    kernel = _composition(path.degree, path.model.nv)
    return times, kernel(grid.coefficients, grid.begin, speed[:, :-1], half)


@cache
def _composition(degree: int, nv: int) -> Callable[..., Any]:
    """The kernel of Σ c_k (s + p t + h t²)^k as a polynomial of t."""

    def composed(c: Array, s: Any, p: Any, h: Any) -> Array:
        powers = [np.zeros(nv)] * (2 * degree + 1)
        for j in range(degree + 1):
            there = np.zeros(nv)
            for k in reversed(range(j, degree + 1)):
                there = there * s + comb(k, j) * c[k]
            for m in range(j + 1):
                powers[j + m] = powers[j + m] + there * (comb(j, m) * p ** (j - m) * h**m)
        return np.stack(powers)

    return compile(composed, c=(degree + 1, nv), s=(), p=(), h=())
