"""Velocities from encoders: controllers that pass estimates instead of measurements to an inner controller.

Encoders measure the configuration alone, quantized. Its differences are a velocity, delayed and noisy: a filter trades
delay for noise, a Kalman filter by the given noise and jerk. Both integrate along the configuration manifold,
q ⊕ Exp(h v), and work for every joint type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.control.nested_controllers import ControlLaw, State, answer, begun, require_positive
from linkwright.dynamics import difference, integrate
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, where

HIGHEST = 4
"""largest order of a filter"""


def _start_of_encoders(model: Model, *, controller: ControlLaw, resolution: float | Array) -> State | None:
    require_positive("resolution", resolution, model.nv)
    return begun(model, controller) or None


@control_law(_start_of_encoders)
@takes_model
def encoders(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State | None = None,
    *,
    controller: ControlLaw,
    resolution: float | Array,
    **measured: Array,
) -> Any:
    """Quantize q as an encoder does, and return the efforts of a controller for it.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict, optional
        State of the inner controller.
    controller : callable
        Inner controller.
    resolution : float or ndarray, shape (nv,)
        Step of the encoder, rad or m, along ``difference`` from the neutral configuration.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    ndarray or tuple
        Result of `controller`.
    """
    zero = model.neutral()
    seen = integrate(model, zero, resolution * np.floor(difference(model, zero, q) / resolution + 0.5))
    tau, own = answer(controller, model, t, seen, v, state or {}, **measured)
    return tau if state is None else (tau, own)


def _start_of_filter(
    model: Model, *, controller: ControlLaw, cutoff: float | Array, step: Any, order: int = 1
) -> State:
    require_positive("cutoff", cutoff, model.nv)
    require_positive("step", step)
    stages = np.zeros((whole_number("order", order, 1, HIGHEST), model.nv))
    return {**begun(model, controller), "position": model.neutral(), "velocity": stages, "called": np.zeros(())}


@control_law(_start_of_filter)
@takes_model
def filtered_velocity(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    cutoff: float | Array,
    step: float | Array,
    order: int = 1,
    **measured: Array,
) -> tuple[Array, State]:
    """Estimate v by filtered differences of q, and return the efforts of a controller for it.

    v⁺ = e^(−ωh) v + (1 − e^(−ωh)) (q ⊖ q⁻)/h, `order` times in series: exact for constant velocities, with a delay of
    order/ω + h/2. Noise σ of q leaves about σ ω √(1/(ω h)) for order one.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        State; "velocity" (order, nv) is the output of each stage, the last one is passed to `controller`.
    controller : callable
        Inner controller.
    cutoff : float or ndarray, shape (nv,)
        Cutoff frequency ω, 1/s.
    step : float
        Sampling time h of the controller, s.
    order : int, optional
        Number of stages, 1 to 4.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.
    """
    called = state["called"] > 0.5
    x = difference(model, state["position"], q) / step
    x = where(called, x, 0.0 * x)
    left, stages = np.exp(-cutoff * step), []
    for before in state["velocity"]:
        x = left * before + (1.0 - left) * x
        stages.append(x)
    tau, own = answer(controller, model, t, q, x, state, **measured)
    return tau, {**own, "position": q, "velocity": np.stack(stages), "called": 0.0 * state["called"] + 1.0}


def _start_of_kalman(
    model: Model,
    *,
    controller: ControlLaw,
    noise: float | Array,
    jerk: float | Array,
    step: float | Array,
    initial_std: tuple[Any, Any] = (1.0, 10.0),
) -> State:
    n = model.nv
    require_positive("step", step)
    require_positive("jerk", jerk, n)
    noise = require_positive("noise", noise, n)
    first, second = (require_positive("initial_std", x, n, zero=True) for x in initial_std)
    rows = (noise**2, 0.0, 0.0, first**2, 0.0, second**2)
    return {
        **begun(model, controller),
        "position": model.neutral(),
        "velocity": np.zeros(n),
        "acceleration": np.zeros(n),
        "covariance": np.stack([np.broadcast_to(x, (n,)) for x in rows]),
        "called": np.zeros(()),
    }


@control_law(_start_of_kalman)
@takes_model
def kalman_velocity(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    noise: float | Array,
    jerk: float | Array,
    step: float | Array,
    initial_std: tuple[Any, Any] = (1.0, 10.0),
    **measured: Array,
) -> tuple[Array, State]:
    """Estimate q and v from q alone by a Kalman filter, and return the efforts of a controller for them.

    The acceleration changes by a jerk that is constant within a step and independent between steps. The prediction is q
    ⊕ (h v + ½ h² a + …), the innovation δ = q_measured ⊖ q; gains follow from the covariances, coordinate by
    coordinate.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        State: "position" (nq,), "velocity" and "acceleration" (nv,), and "covariance" (6, nv) with rows qq, qv, qa, vv,
        va, aa.
    controller : callable
        Inner controller.
    noise : float or ndarray, shape (nv,)
        Standard deviation of q, rad or m; for an encoder its resolution/√12.
    jerk : float or ndarray, shape (nv,)
        Standard deviation of the jerk, rad/s³ or m/s³.
    step : float
        Sampling time h of the controller, s.
    initial_std : tuple, optional
        Initial standard deviations of velocity and acceleration.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.

    References
    ----------
    Bar-Shalom, Li & Kirubarajan, *Estimation with Applications to Tracking and Navigation* (2001), section 6.3.
    """
    h = step
    speed, a = state["velocity"], state["acceleration"]
    ahead = integrate(model, state["position"], h * speed + (0.5 * h * h) * a)
    place = where(state["called"] > 0.5, ahead, q)
    speed = speed + h * a
    qq, qv, qa, vv, va, aa = state["covariance"]
    Q = (jerk * jerk) * h * h
    # F P Fᵀ + σ² g gᵀ, F = [1 h h²/2; 0 1 h; 0 0 1], g = [h³/6; h²/2; h]
    qq = qq + h * (2.0 * qv + h * (qa + vv + h * (va + 0.25 * h * aa))) + Q * (h**4 / 36.0)
    qv = qv + h * (vv + qa + h * (1.5 * va + 0.5 * h * aa)) + Q * (h**3 / 12.0)
    qa = qa + h * (va + 0.5 * h * aa) + Q * (h * h / 6.0)
    vv = vv + h * (2.0 * va + h * aa) + Q * (0.25 * h * h)
    va = va + h * aa + Q * (0.5 * h)
    aa = aa + Q
    error = difference(model, place, q)
    sure = 1.0 / (qq + noise * noise)
    k_q, k_v, k_a = qq * sure, qv * sure, qa * sure
    place, speed, a = integrate(model, place, k_q * error), speed + k_v * error, a + k_a * error
    rest = noise * noise * sure  # 1 − k_q, without cancellation
    after = [rest * qq, rest * qv, rest * qa, vv - k_v * qv, va - k_v * qa, aa - k_a * qa]
    tau, own = answer(controller, model, t, place, speed, state, **measured)
    return tau, {
        **own,
        "position": place,
        "velocity": speed,
        "acceleration": a,
        "covariance": np.stack(after),
        "called": 0.0 * state["called"] + 1.0,
    }
