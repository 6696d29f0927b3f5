"""Actuator model between a controller and the joints: sampling, noise, delay, gear, saturation and lag.

All of it is part of the effort function, and so of the machine code of the steps; its memory is appended to the state
of the controller. In each step of length h:

1. The controller is evaluated in every n-th step for its efforts u, from q ⊕ σ_q ε and v + σ_v ε with standard normal
   ε; the wrench of a sensor is measured with noise likewise.
2. u acts after a number of steps of delay, multiplied by the gear ratio. An effort that accelerates a joint fades over
   the last twentieth before the velocity limit, and is zero beyond; then it is clipped to the effort limits.
3. A drive with time constant T has τ̇ = (u − τ)/T. Its mean over the step acts: u + (τ − u)(1 − e^(−h/T)) T/h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics import integrate
from linkwright.dynamics.forces.actuation import joint_effort_limits, joint_velocity_limits
from linkwright.errors import ArgumentError, InputError, ShapeError, warn
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import EffortFunction, LawController
from linkwright.simulation.actuation.random_numbers import RandomGenerator, checked_seed, seeds
from linkwright.spatial.arrays import Array, as_numbers, clip, maximum, where
from linkwright.spatial.loops.repeats import when

if TYPE_CHECKING:
    from linkwright.simulation.setup import Actuation

FADING = 0.05
"""Share of the velocity limit over which efforts fade."""

LONGEST = 200
"""Largest number of steps of a delay; delayed efforts are part of the state."""


@dataclass(frozen=True)
class ActuatorModel:
    """Actuator model; ideal by default."""

    period: int = 1
    """steps between evaluations"""
    delay: int = 0
    """steps until efforts act"""
    lag: Array | None = None
    """(nv,), s"""
    limit: Array | None = None
    """(nv,), N m or N"""
    noise: tuple[Array, Array] | None = None
    """(nv,) each, of q and v"""
    noise_of_wrench: Array | None = None
    """(6,), of the sensor"""
    gear: Array | None = None
    """(nv,): gear ratios"""
    fastest: Array | None = None
    """(nv,), rad/s or m/s"""
    seed: Any = 0
    """one, or one of each motion"""


def actuator_model(
    model: Model, h: float, actuation: Actuation, sensed: bool = False, batch: tuple[int, ...] = ()
) -> ActuatorModel | None:
    """Return the actuator model of ``Actuation``; None for an ideal one. ``sensed``: the controller has a sensor."""
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
    actuators = ActuatorModel(
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
    if actuators.delay > LONGEST:
        raise InputError(
            f"delay is {delay:g} s, {actuators.delay} steps of {h:g} s; {LONGEST} steps are kept at most: take a "
            "longer step"
        )
    late = [
        x
        for x, given in (("lag", actuators.lag), ("gear", actuators.gear), ("velocity_limits", actuators.fastest))
        if given is not None
    ]
    if actuation.servos is not None and late:
        raise ArgumentError(f"{late[0]} acts on efforts, and with servos a controller returns targets: leave it away")
    others = (actuators.lag, actuators.limit, actuators.noise, actuators.gear, actuators.fastest)
    nothing = actuators.period == 1 and not actuators.delay and all(x is None for x in others)
    return None if nothing else actuators


def _warn_of_none(model: Model, name: str, actuators: Any, own: Array) -> None:
    """Warn where limits of the joints are requested and no joint has any."""
    if actuators is True and np.isinf(own).all():
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
    """Return a time as a number of steps."""
    count = round(time / h)
    if count < least or abs(count * h - time) > 1e-6 * h * max(1, count):
        raise InputError(f"{name} is a whole number of steps of {h:g} s; {time:g} s is {time / h:.6g} of them")
    return count


def with_actuator_model(
    model: Model, law: LawController, actuators: ActuatorModel, h: float, batch: tuple[int, ...], controls: bool = False
) -> LawController:
    """Return a controller with the actuator model; ``controls``: it returns controls (nu,) instead of efforts."""
    inner, n, own = law.effort_function, model.nv, law.effort_function.state
    size = model.nu if controls else n
    values: dict[str, Array] = {"period": np.array(float(actuators.period))}
    pieces: dict[str, Array] = {"law": law.state, "count": np.zeros((*batch, 1)), "commanded": np.zeros((*batch, size))}
    if actuators.noise is not None:
        values["of_q"], values["of_v"] = actuators.noise
        pieces["random"] = seeds(actuators.seed, batch)
    if actuators.noise_of_wrench is not None:
        values["of_wrench"] = actuators.noise_of_wrench
    if actuators.gear is not None:
        values["gear"] = actuators.gear
    if actuators.delay:
        pieces["delayed"] = np.zeros((*batch, actuators.delay * size))
    if actuators.fastest is not None:
        values["fastest"] = np.minimum(actuators.fastest, np.finfo(float).max)
    if actuators.limit is not None:
        values["limit"] = np.minimum(actuators.limit, np.finfo(float).max)
    if actuators.limit is not None or actuators.fastest is not None:
        pieces["saturated"] = np.zeros((*batch, n))
    if actuators.lag is not None:
        ratio = h / np.where(actuators.lag > 0.0, actuators.lag, 1.0)
        decay = np.where(actuators.lag > 0.0, np.exp(-ratio), 0.0)
        values["decay"], values["mean"] = decay, np.where(actuators.lag > 0.0, (1.0 - decay) / ratio, 0.0)
        pieces["actual"] = np.zeros((*batch, n))
    ends = np.cumsum([x.shape[-1] for x in pieces.values()])
    places = {name: slice(end - x.shape[-1], end) for (name, x), end in zip(pieces.items(), ends, strict=True)}

    def efforts(
        model: Model, t: Any, q: Array, v: Array, state: Array, *given: Array, **measured: Array
    ) -> tuple[Array, Array]:
        x, speed = {name: state[place] for name, place in places.items()}, v
        parameters = dict(zip(values, given, strict=False))
        if "random" in x:
            random = RandomGenerator(x["random"])
            normal = random.normal(shape=2 * n + (6 if "of_wrench" in parameters else 0))
            x["random"] = random.state
            q, v = integrate(model, q, parameters["of_q"] * normal[:n]), v + parameters["of_v"] * normal[n : 2 * n]
            if "of_wrench" in parameters:
                measured = {"wrench": measured["wrench"] + parameters["of_wrench"] * normal[2 * n :]}
        kept = ["commanded", "law"] if own else ["commanded"]

        def evaluated() -> Any:
            return inner.function(model, t, q, v, *(x[name] for name in kept[1:]), *given[len(values) :], **measured)

        found = (
            when(x["count"][0] < 0.5, evaluated, *(x[name] for name in kept)) if actuators.period > 1 else evaluated()
        )
        x |= dict(zip(kept, found if own else [found], strict=True))
        u = x["commanded"]
        x["count"] = np.stack([where(x["count"][0] > parameters["period"] - 1.5, 0.0, x["count"][0] + 1.0)])
        if "delayed" in x:
            u, x["delayed"] = x["delayed"][:size], np.concatenate([x["delayed"][size:], u])
        if "gear" in parameters:
            u = parameters["gear"] * u
        unlimited = u
        if "fastest" in parameters:
            room = (parameters["fastest"] - abs(speed)) / maximum(FADING * parameters["fastest"], np.finfo(float).tiny)
            u = where(u * speed > 0.0, clip(room, 0.0, 1.0) * u, u)
        if "limit" in parameters:
            u = clip(u, -parameters["limit"], parameters["limit"])
        if "saturated" in x:
            x["saturated"] = x["saturated"] + where(abs(u - unlimited) > 0.0, 1.0, 0.0 * u)
        if "decay" in parameters:
            before = x["actual"]
            x["actual"] = u + parameters["decay"] * (before - u)
            u = u + parameters["mean"] * (before - u)
        return u, np.concatenate(list(x.values()))

    key = (
        with_actuator_model,
        inner.key,
        inner.shapes,
        tuple(pieces),
        tuple(values),
        actuators.delay,
        actuators.period > 1,
        own,
        controls,
    )
    effort_function = EffortFunction(
        efforts,
        key,
        (*values.values(), *inner.values),
        (*(x.shape for x in values.values()), *inner.shapes),
        int(ends[-1]),
    )
    state = np.concatenate(list(pieces.values()), axis=-1)
    actuated = LawController(
        model, effort_function, state, law.shapes, law.name, places.get("saturated"), actuators.period
    )
    actuated.random = places.get("random")
    return actuated
