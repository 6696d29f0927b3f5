"""Adaptive control: masses that are not known are found while the mechanism follows its reference.

Slotine & Li (Int. J. Robotics Research 6(3), 1987), with what the efforts tell besides (their composite adaptation,
IEEE Trans. AC 33(11), 1988). Efforts are linear in the inertial parameters π, M a_r + C v_r + g = Y π, so that an error
π̃ of the estimate is an effort Y π̃; with Ṁ − 2C skew that makes V = ½ sᵀM s + ½ π̃ᵀΓ⁻¹π̃ fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.control.joint_space import Motors, require_driven
from linkwright.control.nested import State, require_open, require_positive
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
from linkwright.dynamics.forces.borne import efforts_of
from linkwright.dynamics.kinematics import body_velocities
from linkwright.dynamics.parameters.inertial import public_placements
from linkwright.dynamics.parameters.regressor import body_reference_regressors, momentum_change_regressor
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Link, Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, as_numbers, where
from linkwright.spatial.linalg import solve_symmetric
from linkwright.spatial.transform import force_to_parent, motion_to_child


def _start(
    model: Model,
    *,
    bodies: str | Sequence[str],
    reference: Wanted,
    convergence: Any,
    damping: Any,
    rate: Any,
    step: Any,
    prediction: Any = 0.0,
    cutoff: Any = 20.0,
    actuated: Motors = None,
) -> State:
    """The parameters that the model has; and where predictions count nothing that was filtered."""
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
        state |= {"seen": empty, "past": empty, "asked": np.zeros(())}
    return state


@control_law(_start)
@takes_model
def adaptive(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State,
    *,
    bodies: str | Sequence[str],
    reference: Wanted,
    convergence: Any,
    damping: Any,
    rate: Any,
    step: Any,
    prediction: Any = 0.0,
    cutoff: Any = 20.0,
    actuated: Motors = None,
) -> tuple[Array, State]:
    """τ = Y(q, v, v_r, a_r) π̂ − K_D s − passive (nv,), and the next estimate: follows though masses are not known.

    v_r = v_d + Λ e with e = q_d ⊖ q, s = v − v_r, and π̂ ← π̂ − h Γ Yᵀs: V = ½ sᵀM s + ½ π̃ᵀΓ⁻¹π̃ has V̇ = −sᵀK_D s, so
    that s → 0 (by Barbalat's lemma) and with it e; π̃ → 0 where the motion excites it, and not otherwise.

    ``bodies``: names of those whose ten parameters are estimated, or "all"; those of the others are the model's, which
    are the first estimate, too. ``reference`` is a posture (nq,) or t -> (q_d, v_d, a_d); turns are compared where the
    body is. ``convergence`` Λ in 1/s and ``damping`` K_D in N m s: numbers or (nv,). ``rate`` Γ: a number, (k,) or
    (k, k) for k parameters; squares of how wrong each of them may be, times a factor, are a good choice. ``step`` (s)
    is how often the law is asked.

    With ``prediction`` R > 0 the efforts tell of π, too: W (π − π₀) = r, r being what a momentum observer with the
    model's masses π₀ finds, and W the regressor of that, both filtered at ``cutoff`` (1/s). Then −h Γ R Wᵀ(W (π̂ − π₀)
    − r) is added, implicitly, so that no rate is too large.

    Every joint is driven: where a base floats that is refused, unless ``actuated`` names it and all others. The state
    is a dict; its "parameters" (k,) are, of each body, m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the
    body's origin in its axes.
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
    seen = left * state["seen"] + where(state["asked"] > 0.5, (1.0 - left) * now, 0.0)
    acted = np.concatenate([np.zeros((model.nv, len(places))), tau[:, None]], axis=1)
    past = momenta + 0.5 * step * changes + step * acted
    W, r = seen[:, :-1], -seen[:, -1]
    weighted = step * prediction * _times(rate, W.T)
    wrong = W @ (after - nominal) - r
    after = after - weighted @ solve_symmetric(np.eye(model.nv) + W @ weighted, wrong)
    return tau, {"parameters": after, "seen": seen, "past": past, "asked": 0.0 * state["asked"] + 1.0}


def _followed(model: Model, t: Any, q: Array, v: Array, reference: Wanted, convergence: Any) -> tuple[Array, Array]:
    """v_r = v_d + Λ e and its rate a_r (nv,), the reference's velocity as it is in the axes of what follows."""
    posture, velocity, acceleration = at(reference, t, (model.nq,), model.nv)
    e = difference(model, q, posture)
    carry, _ = integrate_derivatives(model, q, -e)  # Ad(Exp(e))
    by_own, by_wanted = difference_derivatives(model, q, posture)
    there = carry @ velocity
    rate = carry @ acceleration - lie_bracket(model, v, there)
    return there + convergence * e, rate + convergence * (by_own @ v + by_wanted @ velocity)


def _times(rate: Any, x: Array) -> Array:
    """Γ x of Γ as a number, a diagonal or a matrix, for x (k,) or (k, n)."""
    if np.ndim(rate) == 2:
        return rate @ x
    return (rate if np.ndim(rate) == 0 or x.ndim == 1 else rate[:, None]) * x


def _places(model: Model, bodies: str | Sequence[str]) -> Array:
    """Where in the parameters (10 bodies) those of the named bodies are."""
    known = [body.name for body in model.bodies]
    names = known if bodies == "all" else [bodies] if isinstance(bodies, str) else list(bodies)
    if not names or len({*names}) < len(names):
        raise ArgumentError(f"bodies are names of bodies, one or more, each once; got {bodies!r}")
    if unknown := [name for name in names if name not in known]:
        raise UnknownNameError("body", unknown[0], known)
    return np.concatenate([10 * known.index(name) + np.arange(10) for name in names])
