"""Observers: external forces on a mechanism, estimated from its momentum. They contain the controller that they serve.

ṗ = τ + n + τ_ext for the momentum p = M v, n = Cᵀv − g and passive forces (`generalized_momentum`): the remaining
change of momentum is due to external forces, and no acceleration is measured (De Luca, Albu-Schäffer, Haddadin &
Hirzinger, IROS 2006).
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.public import public
from linkwright.control.nested_controllers import (
    ControlLaw,
    State,
    answer,
    begun,
    require_open,
    require_positive,
)
from linkwright.dynamics import generalized_momentum, jacobian, mass_matrix, passive_forces
from linkwright.dynamics.frames.manipulability import rows_of
from linkwright.errors import ArgumentError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import name_of_function, unwrap_partials
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, Shaped, clip, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric

LATEST = 200
"""Largest delay of efforts in steps: delayed efforts are part of the state."""


def _start(
    model: Model,
    *,
    controller: ControlLaw,
    gain: float | Array,
    step: float | Array,
    delay_steps: int = 0,
    limit: float | Array | None = None,
    compensate: bool = False,
) -> State:
    require_open(model, "the momentum observer")
    require_positive("gain", gain, model.nv)
    require_positive("step", step)
    if limit is not None:
        require_positive("limit", limit, model.nv)
    if compensate and callable(controller):
        _require_a_place_for_external(controller)
    still = np.zeros(model.nv)
    coming = (
        {"coming": np.zeros((delay_steps, model.nv))} if whole_number("delay_steps", delay_steps, 0, LATEST) else {}
    )
    inner = partial(controller, external=still) if compensate and callable(controller) else controller
    return {**begun(model, inner), "external": still, "past": still, "called": np.zeros(()), **coming}


def _require_a_place_for_external(controller: ControlLaw) -> None:
    """Raise :class:`ArgumentError` for a controller without a parameter for the estimate."""
    function, _ = unwrap_partials(controller)
    parameters = inspect.signature(function).parameters
    if "external" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "compensate=True is for controllers that take the estimate, controller(model, t, q, v, *, external, …); "
            f"{name_of_function(function)} takes ({', '.join(parameters)})"
        )


@control_law(_start)
@takes_model
def momentum_observer(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    gain: float | Array,
    step: float | Array,
    delay_steps: int = 0,
    limit: float | Array | None = None,
    compensate: bool = False,
    **measured: Array,
) -> tuple[Array, State]:
    """Return the efforts of a controller, and estimate the external efforts r by the momentum: ṙ = K_O (τ_ext − r).

    r⁺ = e^(−K_O h) r + (1 − e^(−K_O h)) (Δp/h − τ − n) is exact for forces that are constant over a step h, and stable
    for every gain. Wrong masses, velocity noise and unmodeled friction appear in r, too.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        State; "external" is r (nv,), "controller" the state of `controller`.
    controller : callable
        Inner controller.
    gain : float or ndarray, shape (nv,)
        K_O, 1/s: r reaches 99 % of a step force after 4.6/K_O.
    step : float
        Sampling time h of the controller, s.
    delay_steps : int, optional
        Samples between computing and applying efforts.
    limit : float or ndarray, shape (nv,), optional
        Effort limits, N m or N.
    compensate : bool, optional
        Whether `controller` is called with ``external=r``.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.
    """
    p, n = generalized_momentum(model, q, v)
    n = n + passive_forces(model, q, v)
    left = np.exp(-gain * step)
    found = (p - 0.5 * step * n - state["past"]) / step
    external = left * state["external"] + where(state["called"] > 0.5, (1.0 - left) * found, 0.0 * found)
    inputs = {**measured, "external": external} if compensate else measured
    tau, own = answer(controller, model, t, q, v, state, **inputs)
    acts = tau if limit is None else clip(tau, -limit, limit)
    if "coming" in state:
        acts, own["coming"] = state["coming"][0], np.concatenate([state["coming"][1:], acts[None]])
    past = p + 0.5 * step * n + step * acts
    return tau, {**own, "external": external, "past": past, "called": 0.0 * state["called"] + 1.0}


@public
def hand_wrench(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    tau: Shaped[Array, "nv"],
    directions: str | Sequence[str] = "all",
    regularization: float = 0.0,
) -> Array:
    """Compute the wrench at a frame that is equivalent to external efforts: J̄ᵀ τ, J̄ᵀ = (J M⁻¹Jᵀ)⁻¹ J M⁻¹.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : ndarray, shape (..., nq)
        Configuration.
    frame : str
        Name of the frame; the result is exact if the contact is there.
    tau : ndarray, shape (..., nv)
        External efforts, such as those of `momentum_observer`.
    directions : str or sequence of str, optional
        Directions of the contact, as for `operational_space`. A mechanism with few joints can observe few.
    regularization : float, optional
        Added to the diagonal of J M⁻¹ Jᵀ, 1/kg; it bounds the result near singular postures.

    Returns
    -------
    ndarray, shape (..., 6)
        Wrench [f; n], N and N m, world axes; with `directions` one row per direction.
    """
    rows = rows_of(directions)
    J = jacobian(model, q, frame)[rows]
    moved = solve_symmetric(mass_matrix(model, q), J.T)
    mobility = J @ moved + regularization * np.eye(len(rows))
    wrench: Array = solve_symmetric(mobility, moved.T @ tau)
    return wrench
