"""Polynomials of time between two states, of every joint type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import exp_gradient_inverse, exp_rates
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.boundary_conditions import EndStates
from linkwright.trajectories.joint_space.hermite import between
from linkwright.trajectories.trajectory import Trajectory


@takes_model
def polynomial(
    model: Model,
    start: ArrayLike,
    end: ArrayLike,
    duration: ArrayLike,
    *,
    degree: int = 5,
    start_velocity: ArrayLike | None = None,
    start_acceleration: ArrayLike | None = None,
    start_jerk: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    end_acceleration: ArrayLike | None = None,
    end_jerk: ArrayLike | None = None,
    actuated: Iterable[str] | None = None,
) -> Trajectory:
    """Plan a polynomial of degree 3, 5 or 7 between configurations.

    This works for every joint type: for rotations and poses the polynomial is that of the rotation vector or twist from
    the start, and velocities are in the convention of the model. From rest to rest the peak velocity is 1.5 (cubic),
    1.875 (quintic) or 2.1875 (septic) times the mean.

    Parameters
    ----------
    model : Model
        Mechanism.
    start, end : array_like, shape (..., nq)
        Configurations.
    duration : float or array_like, shape (...)
        Duration, s.
    degree : {3, 5, 7}, optional
        Degree. A cubic has given velocities at both ends, a quintic also accelerations, a septic also jerks.
    start_velocity, start_acceleration, start_jerk : array_like, shape (..., nv), optional
        Derivatives at the start; zero by default.
    end_velocity, end_acceleration, end_jerk : array_like, shape (..., nv), optional
        Derivatives at the end; zero by default.
    actuated : iterable of str, optional
        Planned joints of a mechanism with closed loops, as for :func:`s_curve`.

    Returns
    -------
    Trajectory
        The trajectory.

    Raises
    ------
    InputError
        If an end is beyond the position limits, or the degree has no such derivative.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.trajectories.polynomial(arm, [0.0, 0.0], [1.0, 0.5], 2.0)
    <Trajectory of 'two_link': 2 s, 1 piece of degree 5>
    """
    if isinstance(degree, float) or degree not in (3, 5, 7):
        raise InputError(f"degree is 3, 5 or 7; got {degree!r}")
    options: dict[str, Any] = {
        "start_velocity": start_velocity,
        "end_velocity": end_velocity,
        "start_acceleration": start_acceleration,
        "end_acceleration": end_acceleration,
        "start_jerk": start_jerk,
        "end_jerk": end_jerk,
    }
    n = (degree + 1) // 2
    for name in list(options)[2 * (n - 1) :]:
        if options[name] is not None:
            raise InputError(f"a polynomial of degree {degree} has no {name}")
    ends = EndStates(
        model, start, end, duration, actuated=actuated, **{name: options[name] for name in list(options)[: 2 * (n - 1)]}
    )
    if ends.duration is None or not (ends.duration > 0.0).all():
        raise InputError(f"duration is above zero, s; got {duration!r}")
    batch = ends.batch
    T = np.broadcast_to(ends.duration, batch)
    rates = list(ends.rates.values())
    zero = np.zeros(ends.way.shape)
    first = [zero, *tangent_rates(model, zero, *rates[0::2])]
    last = [ends.way, *tangent_rates(model, ends.way, *rates[1::2])]
    with np.errstate(all="ignore"):
        c = between([np.broadcast_to(x, (*batch, model.nv)) for x in first], [*last], T)
    if not np.isfinite(c).all():
        raise InputError(f"no motion is computed of so short or so long a duration: {duration!r} s")
    return ends.trajectory(np.stack([np.zeros(batch), T], axis=-1), c[..., None, :, :])


def tangent_rates(model: Model, u: Array, *rates: Array) -> list[Array]:
    """Return u̇, ü, … (…, nv) for which q ⊕ Exp(u) has the given velocity, acceleration etc. (…, nv)."""
    if not rates:
        return []
    all_rates = np.stack(np.broadcast_arrays(*rates), axis=-2)
    return list(np.moveaxis(_tangents(model, len(rates))(u, all_rates), -2, 0))


def _tangents(model: Model, count: int) -> Callable[..., Any]:
    """The kernel of :func:`tangent_rates`: (u, rates (count, nv)) -> (count, nv)."""

    def tangents(model: Model, u: Array, rates: Array) -> Array:
        inverse, found = _inverse(model, u), [u]
        for k in range(count):
            found.append(inverse @ (rates[k] - exp_rates(model, *found, np.zeros(model.nv))[k]))
        return np.stack(found[1:])

    def make() -> Callable[..., Any]:
        return compile_or_not(tangents, model, u=(model.nv,), rates=(count, model.nv))

    kernel: Callable[..., Any] = derived(model, tangent_rates, count, make=make)
    return kernel


def _inverse(model: Model, u: Array) -> Array:
    """J_r(u)⁻¹ (nv, nv): u̇ = J_r⁻¹ v."""
    return np.stack([exp_gradient_inverse(model, u, row) for row in np.eye(model.nv)])
