"""Velocities from encoders: controllers that pass estimates instead of measurements to an inner controller.

Encoders tell the configuration alone, in steps. Differences of it are a velocity, late and noisy: a filter trades one
for the other, a Kalman filter by how large noise and jerk are said to be. Both go along the configuration manifold,
q ⊕ Exp(h v), and so are made for joints of every type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.control.nested import ControlLaw, State, answer, begun, require_positive
from linkwright.dynamics import difference, integrate
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, where

HIGHEST = 4
"""order of a filter"""


def _start_of_encoders(model: Model, *, controller: ControlLaw, resolution: Any) -> State | None:
    require_positive("resolution", resolution, model.nv)
    return begun(model, controller) or None


@control_law(_start_of_encoders)
@takes_model
def encoders(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State | None = None,
    *,
    controller: ControlLaw,
    resolution: Any,
    **measured: Array,
) -> Any:
    """Quantize q in steps of ``resolution`` (rad or m; a number or (nv,)), along ``difference`` from neutral."""
    zero = model.neutral()
    seen = integrate(model, zero, resolution * np.floor(difference(model, zero, q) / resolution + 0.5))
    tau, own = answer(controller, model, t, seen, v, state or {}, **measured)
    return tau if state is None else (tau, own)


def _start_of_filter(model: Model, *, controller: ControlLaw, cutoff: Any, step: Any, order: int = 1) -> State:
    require_positive("cutoff", cutoff, model.nv)
    require_positive("step", step)
    stages = np.zeros((whole_number("order", order, 1, HIGHEST), model.nv))
    return {**begun(model, controller), "position": model.neutral(), "velocity": stages, "asked": np.zeros(())}


@control_law(_start_of_filter)
@takes_model
def filtered_velocity(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    cutoff: Any,
    step: Any,
    order: int = 1,
    **measured: Array,
) -> tuple[Array, State]:
    """Estimate v by differences of q over ``step`` h (s), filtered at ``cutoff`` ω (1/s; a number or (nv,)).

    v⁺ = e^(−ωh) v + (1 − e^(−ωh)) (q ⊖ q⁻)/h, as often in a row as ``order`` says: exact for constant velocities, and
    late by order/ω + h/2. Of noise σ of q about σ ω √(1/(ω h)) is left for order one. "velocity" (order, nv) of the
    state has what each stage tells, the last one what the controller sees.
    """
    asked = state["asked"] > 0.5
    x = difference(model, state["position"], q) / step
    x = where(asked, x, 0.0 * x)
    left, stages = np.exp(-cutoff * step), []
    for before in state["velocity"]:
        x = left * before + (1.0 - left) * x
        stages.append(x)
    tau, own = answer(controller, model, t, q, x, state, **measured)
    return tau, {**own, "position": q, "velocity": np.stack(stages), "asked": 0.0 * state["asked"] + 1.0}


def _start_of_kalman(
    model: Model,
    *,
    controller: ControlLaw,
    noise: Any,
    jerk: Any,
    step: Any,
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
        "asked": np.zeros(()),
    }


@control_law(_start_of_kalman)
@takes_model
def kalman_velocity(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    noise: Any,
    jerk: Any,
    step: Any,
    initial_std: tuple[Any, Any] = (1.0, 10.0),
    **measured: Array,
) -> tuple[Array, State]:
    """Estimate q and v by a Kalman filter from q alone, on the configuration manifold.

    Between two questions, ``step`` h (s) apart, accelerations change by a jerk that is constant and of the standard
    deviation ``jerk`` (rad/s³ or m/s³), another one each time; q is measured with normal ``noise`` (rad or m; of an
    encoder its resolution/√12). Numbers or (nv,). The estimate moves on by q ⊕ (h v + ½ h² a + …); what is measured
    tells δ = q_measured ⊖ q, and gains follow from the covariances (Kalman 1960; Bar-Shalom, Li & Kirubarajan 2001,
    §6.3), coordinate by coordinate. ``initial_std``: standard deviations of velocity and acceleration at the start.

    The state has "position" (nq,), "velocity" and "acceleration" (nv,), and "covariance" (6, nv) of the three: qq, qv,
    qa, vv, va, aa.
    """
    h = step
    speed, a = state["velocity"], state["acceleration"]
    ahead = integrate(model, state["position"], h * speed + (0.5 * h * h) * a)
    place = where(state["asked"] > 0.5, ahead, q)
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
        "asked": 0.0 * state["asked"] + 1.0,
    }
