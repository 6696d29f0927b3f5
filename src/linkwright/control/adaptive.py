"""Adaptive control: estimate inertial parameters while the mechanism follows its reference.

Slotine & Li (Int. J. Robotics Research 6(3), 1987), with the prediction error of the efforts (composite adaptation,
IEEE Trans. AC 33(11), 1988). Efforts are linear in the inertial parameters π, M a_r + C v_r + g = Y π, so that an error
π̃ of the estimate is an effort Y π̃; with Ṁ − 2C skew, V = ½ sᵀM s + ½ π̃ᵀΓ⁻¹π̃ decreases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.control.joint_space import Motors, require_driven
from linkwright.control.nested_controllers import State, require_open, require_positive
from linkwright.control.references import Wanted, at
from linkwright.dynamics import (
    difference,
    difference_derivatives,
    generalized_momentum,
    inertial_parameters,
    integrate_derivatives,
    lie_bracket,
    momentum_regressor,
    passive_forces,
)
from linkwright.dynamics.forces.joint_reactions import efforts_of
from linkwright.dynamics.kinematics import body_velocities
from linkwright.dynamics.parameters.inertial import public_placements
from linkwright.dynamics.parameters.regressor import body_reference_regressors, momentum_change_regressor
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError
from linkwright.model.elements import Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, as_numbers, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.transform import force_to_parent, motion_to_child


def _start(
    model: Model,
    *,
    bodies: str | Sequence[str],
    reference: Wanted,
    convergence: float | Array,
    damping: float | Array,
    rate: float | Array,
    step: float | Array,
    prediction: float | Array = 0.0,
    cutoff: float | Array = 20.0,
    actuated: Motors = None,
) -> State:
    """Return the initial state: the parameters of the model, and empty filters where predictions are used."""
    require_open(model, "adaptive control")
    require_driven(model, actuated, "adaptive control")
    places = _places(model, bodies)
    n = len(places)
    require_positive("convergence", convergence, model.nv)
    require_positive("damping", damping, model.nv)
    require_positive("step", step)
    require_positive("cutoff", cutoff)
    rates = as_numbers("rate", rate)
    if rates.shape not in ((), (n,), (n, n)):
        raise ShapeError(f"rate has shape {rates.shape}; expected a number, ({n},) or ({n}, {n}) for {bodies!r}")
    if rates.ndim < 2:
        require_positive("rate", rates, n, zero=True)
    elif not (np.allclose(rates, rates.T) and np.linalg.eigvalsh(rates)[0] >= -1e-12 * np.abs(rates).max()):
        raise InputError("rate is a matrix that is not symmetric and positive semi-definite")
    state: State = {"parameters": inertial_parameters(model)[places]}
    if np.any(require_positive("prediction", prediction, zero=True)):
        empty = np.zeros((model.nv, n + 1))
        state |= {"seen": empty, "past": empty, "called": np.zeros(())}
    return state


@control_law(_start)
@takes_model
def adaptive(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State,
    *,
    bodies: str | Sequence[str],
    reference: Wanted,
    convergence: float | Array,
    damping: float | Array,
    rate: float | Array,
    step: float | Array,
    prediction: float | Array = 0.0,
    cutoff: float | Array = 20.0,
    actuated: Motors = None,
) -> tuple[Array, State]:
    """Compute efforts that track a reference with unknown masses, and update the estimate of the masses.

    τ = Y(q, v, v_r, a_r) π̂ − K_D s − passive, with v_r = v_d + Λ e, e = q_d ⊖ q, s = v − v_r, and the estimate
    π̂ ← π̂ − h Γ Yᵀs. V = ½ sᵀM s + ½ π̃ᵀΓ⁻¹π̃ has V̇ = −sᵀK_D s, so that s → 0 (Barbalat's lemma) and e → 0. π̃ → 0
    only where the motion excites the parameters.

    Parameters
    ----------
    model : Model
        Mechanism. Its parameters are the initial estimate.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        State of the controller. "parameters" (k,) contains m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz of each body, about
        the body's origin in its axes.
    bodies : str or sequence of str
        Names of the bodies whose ten parameters are estimated, or "all".
    reference : ndarray or callable
        Posture (nq,), or function t -> (q_d, v_d, a_d). Orientations are compared in the axes of the body.
    convergence : float or ndarray, shape (nv,)
        Λ, 1/s.
    damping : float or ndarray, shape (nv,)
        K_D, N m s.
    rate : float or ndarray, shape (k,) or (k, k)
        Γ for k parameters. A good choice is the square of the expected error of each parameter, times a factor.
    step : float
        Sampling time of the controller, s.
    prediction : float, optional
        R ≥ 0, weight of the prediction error W (π − π₀) − r: r is the estimate of a momentum observer with the model's
        masses π₀, W its regressor, both filtered at `cutoff`. The correction −h Γ R Wᵀ(W (π̂ − π₀) − r) is added
        implicitly, so that every rate is stable.
    cutoff : float, optional
        Bandwidth of the prediction filter, 1/s.
    actuated : sequence of str, optional
        Names of the joints that have motors; all joints must have one. By default all but free joints.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.

    Raises
    ------
    InputError
        If a joint has no motor, or a gain is out of its range.
    """
    places = _places(model, bodies)
    own, found = inertial_parameters(model), state["parameters"]
    nominal = own[places]
    tens = [own[10 * k : 10 * k + 10] for k in range(len(model.bodies))]
    for at_place, k in enumerate(places[::10] // 10):
        tens[k] = found[10 * at_place : 10 * at_place + 10]
    v_r, a_r = _followed(model, t, q, v, reference, convergence)
    s = v - v_r

    def force(link: Link, W: Array, ten: Array, placement: Array) -> Array:
        return force_to_parent(placement, W @ ten)

    def learned(link: Link, W: Array, slip: Array, placement: Array) -> Array:
        return W.T @ motion_to_child(placement, slip)

    W, placements = body_reference_regressors(model, q, v, v_r, a_r), public_placements(model)
    forces = model.each(force, W, tens, placements)
    passive = passive_forces(model, q, v)
    tau = efforts_of(model, q, forces) + model.armature * a_r - damping * s - passive
    slips = np.concatenate(model.each(learned, W, body_velocities(model, q, s), placements))
    after = found - step * _times(rate, slips[places])
    if "seen" not in state:
        return tau, {"parameters": after}
    # [W, r]: columns of what the estimated parameters add to the momentum, and the model's momentum itself
    p, n = generalized_momentum(model, q, v)
    momenta = np.concatenate([momentum_regressor(model, q, v)[:, places], p[:, None]], axis=1)
    changes = np.concatenate([momentum_change_regressor(model, q, v)[:, places], (n + passive)[:, None]], axis=1)
    left = np.exp(-cutoff * step)
    # the columns tell what more mass takes, the last one what came besides efforts
    now = (momenta - 0.5 * step * changes - state["past"]) / step
    seen = left * state["seen"] + where(state["called"] > 0.5, (1.0 - left) * now, 0.0)
    acted = np.concatenate([np.zeros((model.nv, len(places))), tau[:, None]], axis=1)
    past = momenta + 0.5 * step * changes + step * acted
    W, r = seen[:, :-1], -seen[:, -1]
    weighted = step * prediction * _times(rate, W.T)
    wrong = W @ (after - nominal) - r
    after = after - weighted @ solve_symmetric(np.eye(model.nv) + W @ weighted, wrong)
    return tau, {"parameters": after, "seen": seen, "past": past, "called": 0.0 * state["called"] + 1.0}


def _followed(
    model: Model, t: float | Array, q: Array, v: Array, reference: Wanted, convergence: float | Array
) -> tuple[Array, Array]:
    """Return v_r = v_d + Λ e and its time derivative a_r (nv,), with the reference velocity in the axes of the body."""
    posture, velocity, acceleration = at(reference, t, (model.nq,), model.nv)
    e = difference(model, q, posture)
    carry, _ = integrate_derivatives(model, q, -e)  # Ad(Exp(e))
    by_own, by_wanted = difference_derivatives(model, q, posture)
    there = carry @ velocity
    rate = carry @ acceleration - lie_bracket(model, v, there)
    return there + convergence * e, rate + convergence * (by_own @ v + by_wanted @ velocity)


def _times(rate: Any, x: Array) -> Array:
    """Return Γ x for a number, a diagonal or a matrix Γ, and x (k,) or (k, n)."""
    if np.ndim(rate) == 2:
        return rate @ x
    return (rate if np.ndim(rate) == 0 or x.ndim == 1 else rate[:, None]) * x


def _places(model: Model, bodies: str | Sequence[str]) -> Array:
    """Return the indices of the named bodies' parameters in the vector of all parameters (10 bodies)."""
    known = [body.name for body in model.bodies]
    names = known if bodies == "all" else [bodies] if isinstance(bodies, str) else list(bodies)
    if not names or len({*names}) < len(names):
        raise ArgumentError(f"bodies are names of bodies, one or more, each once; got {bodies!r}")
    if unknown := [name for name in names if name not in known]:
        raise UnknownNameError("body", unknown[0], known)
    return np.concatenate([10 * known.index(name) + np.arange(10) for name in names])
