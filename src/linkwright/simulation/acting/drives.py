"""Between a law and the joints: what is measured with noise, asked for now and then, late, limited and lagging.

All of it is part of the law's formula, and so of the machine code of the steps; what must be remembered is appended to
the law's state. Each step, of length h:

1. The law is asked in every n-th step for its efforts u, from q ⊕ σ_q ε and v + σ_v ε, ε being normal numbers, and so
   is what a sensor of force measures.
2. u acts a number of steps later, times the ratio of the gear. Where it would speed a joint up, it fades over the last
   twentieth before the velocity's limit, and is nothing beyond; then it is cut to the effort's limits.
3. A drive that lags by T has τ̇ = (u − τ)/T. Over the step acts the mean of that, u + (τ − u)(1 − e^(−h/T)) T/h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics import integrate
from linkwright.dynamics.forces.actuation import joint_effort_limits, joint_velocity_limits
from linkwright.errors import ArgumentError, InputError, ShapeError, warn
from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import Formula, Ruled
from linkwright.simulation.acting.randomness import Random, checked_seed, seeds
from linkwright.spatial.arrays import Array, as_numbers, clip, maximum, where
from linkwright.spatial.repeats import when

if TYPE_CHECKING:
    from linkwright.simulation.setup import Actuation

FADING = 0.05
"""The share of a velocity's limit, below it, over which drives lose their power."""

LONGEST = 200
"""Steps of a delay at most: what is on the way is part of every state."""


@dataclass(frozen=True)
class Between:
    """What is between a law and the joints; nothing by default."""

    period: int = 1
    """steps from one question to the next"""
    delay: int = 0
    """steps until an answer acts"""
    lag: Array | None = None
    """(nv,), s"""
    limit: Array | None = None
    """(nv,), N m or N"""
    noise: tuple[Array, Array] | None = None
    """(nv,) each, of q and v"""
    noise_of_wrench: Array | None = None
    """(6,), of the sensor"""
    gear: Array | None = None
    """(nv,): what a joint gets of each unit that is asked of its motor"""
    fastest: Array | None = None
    """(nv,), rad/s or m/s"""
    seed: Any = 0
    """one, or one of each motion"""


def between(
    model: Model, h: float, actuation: Actuation, sensed: bool = False, batch: tuple[int, ...] = ()
) -> Between | None:
    """Return the path from a controller to the joints; None where it is direct. ``sensed``: a sensor measures."""
    seed = checked_seed(actuation.seed, batch)
    if not actuation.own_path:
        return None
    period, delay, gear, noise = actuation.period, actuation.delay, actuation.gear, actuation.noise
    effort_limits = actuation.effort_limits if actuation.servos is None else None  # servos have these limits
    velocity_limits = actuation.velocity_limits
    of_wrench = None
    if noise is not None and "wrench" in noise:
        if not sensed:
            raise ArgumentError("noise of the wrench is that of a sensor, and none is given: sensor=frame")
        of_wrench = as_numbers("noise of wrench", noise["wrench"])
        if of_wrench.shape not in ((), (6,)) or not (of_wrench >= 0.0).all():
            raise InputError(f"noise of wrench is a number or (6,), not negative; got {noise['wrench']!r}")
    _warn_of_none(model, "effort_limits", effort_limits, joint_effort_limits(model))
    _warn_of_none(model, "velocity_limits", velocity_limits, joint_velocity_limits(model))
    limit = None
    if effort_limits is not None and effort_limits is not False:
        limit = _per_velocity(
            model, "effort_limits", joint_effort_limits(model) if effort_limits is True else effort_limits
        )
    fastest = None
    if velocity_limits is not None and velocity_limits is not False:
        own = joint_velocity_limits(model) if velocity_limits is True else velocity_limits
        fastest = _per_velocity(model, "velocity_limits", own)
    lags = _per_velocity(model, "lag", actuation.lag)
    of_q, of_v = (_per_velocity(model, f"noise of {name}", (noise or {}).get(name, 0.0)) for name in "qv")
    told = Between(
        1 if period is None else _steps("period", period, h, 1),
        _steps("delay", delay, h, 0),
        lags if lags.any() else None,
        limit,
        (of_q, of_v) if noise else None,
        None if of_wrench is None else np.broadcast_to(of_wrench, (6,)).copy(),
        None if gear is None else _ratios(model, gear),
        fastest,
        seed,
    )
    if told.delay > LONGEST:
        raise InputError(
            f"delay is {delay:g} s, {told.delay} steps of {h:g} s; {LONGEST} steps are kept at most: take a longer step"
        )
    late = [
        x
        for x, given in (("lag", told.lag), ("gear", told.gear), ("velocity_limits", told.fastest))
        if given is not None
    ]
    if actuation.servos is not None and late:
        raise ArgumentError(f"{late[0]} acts on efforts, and with servos a controller returns targets: leave it away")
    others = (told.lag, told.limit, told.noise, told.gear, told.fastest)
    nothing = told.period == 1 and not told.delay and all(x is None for x in others)
    return None if nothing else told


def _warn_of_none(model: Model, name: str, told: Any, own: Array) -> None:
    """Say so where the joints' own limits are asked for, and there are none."""
    if told is True and np.isinf(own).all():
        warn(f"{name}=True changes nothing: no joint of {model.name!r} has such a limit; give numbers, or none")


def _per_velocity(model: Model, name: str, x: Any) -> Array:
    x = as_numbers(name, x)
    if x.shape not in ((), (1,), (model.nv,)):
        raise ShapeError(f"{name} has shape {x.shape}; expected one number or ({model.nv},)")
    if not (x >= 0.0).all():
        raise InputError(f"{name} must not be negative; got {x.min():g}")
    return np.broadcast_to(x, (model.nv,)).copy()


def _ratios(model: Model, gear: Any) -> Array:
    x = as_numbers("gear", gear)
    if x.shape not in ((), (model.nv,)) or not np.isfinite(x).all() or not np.all(x):
        raise InputError(f"gear is a finite ratio, not zero, or ({model.nv},) of them; got {gear!r}")
    return np.broadcast_to(x, (model.nv,)).copy()


def _steps(name: str, time: float, h: float, least: int) -> int:
    """A time as so many steps."""
    count = round(time / h)
    if count < least or abs(count * h - time) > 1e-6 * h * max(1, count):
        raise InputError(f"{name} must be a whole number of steps of {h:g} s; {time:g} s is {time / h:.6g} of them")
    return count


def driving(model: Model, rule: Ruled, told: Between, h: float, batch: tuple[int, ...]) -> Ruled:
    """The law with all that is between it and the joints."""
    inner, n, own = rule.formula, model.nv, rule.formula.state
    values: dict[str, Array] = {"period": np.array(float(told.period))}
    pieces: dict[str, Array] = {"law": rule.state, "count": np.zeros((*batch, 1)), "asked": np.zeros((*batch, n))}
    if told.noise is not None:
        values["of_q"], values["of_v"] = told.noise
        pieces["random"] = seeds(told.seed, batch)
    if told.noise_of_wrench is not None:
        values["of_wrench"] = told.noise_of_wrench
    if told.gear is not None:
        values["gear"] = told.gear
    if told.delay:
        pieces["coming"] = np.zeros((*batch, told.delay * n))
    if told.fastest is not None:
        values["fastest"] = np.minimum(told.fastest, np.finfo(float).max)
    if told.limit is not None:
        values["limit"] = np.minimum(told.limit, np.finfo(float).max)
    if told.limit is not None or told.fastest is not None:
        pieces["cut"] = np.zeros((*batch, n))
    if told.lag is not None:
        ratio = h / np.where(told.lag > 0.0, told.lag, 1.0)
        left = np.where(told.lag > 0.0, np.exp(-ratio), 0.0)
        values["left"], values["meanwhile"] = left, np.where(told.lag > 0.0, (1.0 - left) / ratio, 0.0)
        pieces["driven"] = np.zeros((*batch, n))
    ends = np.cumsum([x.shape[-1] for x in pieces.values()])
    places = {name: slice(end - x.shape[-1], end) for (name, x), end in zip(pieces.items(), ends, strict=True)}

    def efforts(
        model: Model, t: Any, q: Array, v: Array, state: Array, *given: Array, **measured: Array
    ) -> tuple[Array, Array]:
        x, speed = {name: state[place] for name, place in places.items()}, v
        said = dict(zip(values, given, strict=False))
        if "random" in x:
            random = Random(x["random"])
            normal = random.normal(shape=2 * n + (6 if "of_wrench" in said else 0))
            x["random"] = random.state
            q, v = integrate(model, q, said["of_q"] * normal[:n]), v + said["of_v"] * normal[n : 2 * n]
            if "of_wrench" in said:
                measured = {"wrench": measured["wrench"] + said["of_wrench"] * normal[2 * n :]}
        kept = ["asked", "law"] if own else ["asked"]

        def asked() -> Any:
            return inner.function(model, t, q, v, *(x[name] for name in kept[1:]), *given[len(values) :], **measured)

        found = when(x["count"][0] < 0.5, asked, *(x[name] for name in kept)) if told.period > 1 else asked()
        x |= dict(zip(kept, found if own else [found], strict=True))
        u = x["asked"]
        x["count"] = np.stack([where(x["count"][0] > said["period"] - 1.5, 0.0, x["count"][0] + 1.0)])
        if "coming" in x:
            u, x["coming"] = x["coming"][:n], np.concatenate([x["coming"][n:], u])
        if "gear" in said:
            u = said["gear"] * u
        whole = u
        if "fastest" in said:
            room = (said["fastest"] - abs(speed)) / maximum(FADING * said["fastest"], np.finfo(float).tiny)
            u = where(u * speed > 0.0, clip(room, 0.0, 1.0) * u, u)
        if "limit" in said:
            u = clip(u, -said["limit"], said["limit"])
        if "cut" in x:
            x["cut"] = x["cut"] + where(abs(u - whole) > 0.0, 1.0, 0.0 * u)
        if "left" in said:
            driven = x["driven"]
            x["driven"] = u + said["left"] * (driven - u)
            u = u + said["meanwhile"] * (driven - u)
        return u, np.concatenate(list(x.values()))

    key = (driving, inner.key, inner.shapes, tuple(pieces), tuple(values), told.delay, told.period > 1, own)
    formula = Formula(
        efforts,
        key,
        (*values.values(), *inner.values),
        (*(x.shape for x in values.values()), *inner.shapes),
        int(ends[-1]),
    )
    state = np.concatenate(list(pieces.values()), axis=-1)
    driven = Ruled(model, formula, state, rule.shapes, rule.name, places.get("cut"), told.period)
    driven.random = places.get("random")
    return driven
