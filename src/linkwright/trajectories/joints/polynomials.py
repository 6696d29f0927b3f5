"""Polynomials of time between two states, of every joint type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import exp_gradient_inverse, exp_rates
from linkwright.errors import InputError
from linkwright.model.derived import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joints.ends import EndStates
from linkwright.trajectories.joints.hermite import between
from linkwright.trajectories.trajectory import Trajectory


@takes_model
def polynomial(
    model: Model,
    start: Any,
    end: Any,
    duration: Any,
    *,
    degree: int = 5,
    start_velocity: Any = None,
    start_acceleration: Any = None,
    start_jerk: Any = None,
    end_velocity: Any = None,
    end_acceleration: Any = None,
    end_jerk: Any = None,
    actuated: Iterable[str] | None = None,
) -> Trajectory:
    """From one configuration (…, nq) to another in ``duration`` (…,), s, by a polynomial of degree 3, 5 or 7.

    A cubic has the velocities (…, nv) that are told at both ends, a quintic the accelerations too, a septic the jerks;
    what is not told is zero. For every joint type: of rotations and poses the polynomial is that of the rotation vector
    or twist from the start, and velocities are in the model's convention. From rest to rest a cubic's velocity peaks at
    1.5, a quintic's at 1.875, a septic's at 2.1875 of the mean one. ``actuated``: as of :func:`s_curve`.

    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.trajectories.polynomial(arm, [0.0, 0.0], [1.0, 0.5], 2.0)
    <Trajectory of 'two_link': 2 s, 1 piece of degree 5>
    """
    if isinstance(degree, float) or degree not in (3, 5, 7):
        raise InputError(f"degree is 3, 5 or 7; got {degree!r}")
    told = {
        "start_velocity": start_velocity,
        "end_velocity": end_velocity,
        "start_acceleration": start_acceleration,
        "end_acceleration": end_acceleration,
        "start_jerk": start_jerk,
        "end_jerk": end_jerk,
    }
    n = (degree + 1) // 2
    for name in list(told)[2 * (n - 1) :]:
        if told[name] is not None:
            raise InputError(f"a polynomial of degree {degree} has no place for {name}")
    ends = EndStates(
        model, start, end, duration, actuated=actuated, **{name: told[name] for name in list(told)[: 2 * (n - 1)]}
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
    """u̇, ü, … (…, nv) where q ⊕ Exp(u) has the velocity v, the acceleration and so on (…, nv) that are told."""
    if not rates:
        return []
    told = np.stack(np.broadcast_arrays(*rates), axis=-2)
    return list(np.moveaxis(_tangents(model, len(rates))(u, told), -2, 0))


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
