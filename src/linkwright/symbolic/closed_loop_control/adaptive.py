"""The proof of adaptive control (Slotine & Li 1991, §9.2), of the controller's code or of its formula."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.expression.polynomials.polynomial import Ring, rational
from linkwright.model.tree import Model
from linkwright.symbolic.closed_loop_control.controller_efforts import Law, quadratic, run
from linkwright.symbolic.closed_loop_control.lyapunov import Proof, matrix, smallest
from linkwright.symbolic.derivation.plan import DerivationPlan
from linkwright.symbolic.interpretation.linear_parameters import LinearForm, inertial_plan
from linkwright.symbolic.interpretation.structure import Structure


def wanted(n: int) -> tuple[tuple[str, ...], Callable[[Ring], dict[str, Any]]]:
    """Names for where a moving reference is, its velocity and its acceleration; and the reference that gives them."""
    names = [[f"{letters}d{k + 1}" for k in range(n)] for letters in ("q", "v", "a")]

    def bind(ring: Ring) -> dict[str, Any]:
        wanted = tuple(np.array([ring[name] for name in own], dtype=object) for own in names)
        return {"reference": lambda t: wanted}

    return tuple(name for own in names for name in own), bind


def proof_of_adaptive(plan: DerivationPlan, law: Law, term_limit: int) -> Proof | None:
    """Return V̇ of V = ½ sᵀM s + ½ δᵀΓ⁻¹δ, δ = π̂ − π, for the controller's code; its update of π̂ is h times a rate.

    The proof checks that τ = M a_r + C v_r + g + Y δ − K_D s with Y = ∂τ/∂π̂, that π̂ changes by −h Γ Yᵀ s, and then
    ½ sᵀṀ s + sᵀ(τ − C v − g − M a_r) − δᵀYᵀ s = −sᵀ K_D s. None if the controller is too large for polynomials.
    """
    n = law.model.nv
    plain = Law(law.model, partial(law.function, **{**law.bound, "prediction": 0.0}))
    more, bind = wanted(n)
    made = run(inertial_plan(plan), plain, term_limit, True, more, bind)
    if isinstance(made, str):
        return None
    mechanism, ring = made.mechanism, made.mechanism.ring
    q, v = mechanism.q, mechanism.v
    qd, vd, ad = made.bound["reference"](ring["t"])
    L, D = (matrix(ring, made.bound[key], n) for key in ("convergence", "damping"))
    v_r, a_r = vd + L @ (qd - q), ad + L @ (vd - v)
    s = v - v_r
    structure = Structure(mechanism, mechanism.recursive)
    M, _, g = mechanism.recursive
    C = structure.coriolis
    estimates = [f"z{k + 1}" for k in range(len(made.state))]
    z = np.array([ring[name] for name in estimates], dtype=object)
    Y = np.array([[ring.derivative(p, name) for name in estimates] for p in made.efforts], dtype=object)
    delta = z - ring.array(_estimated(mechanism.model, law))
    wrong = [*(made.efforts - (M @ a_r + C @ v_r + g + Y @ delta - D @ s))]
    gain = _gain(made.bound["rate"])
    wrong += [*(made.state - z + gain(Y.T @ s) * rational(law.value("step")))]
    ring.check()
    if any(bool(p) for p in wrong):
        return Proof("", why_not="it is not τ = Y π̂ − K_D s with the update −Γ Yᵀ s of π̂")
    turned = np.array([[ring.rate(M.item(i, j), structure.in_time) for j in range(n)] for i in range(n)], dtype=object)
    rate = s @ (turned @ s) * Fraction(1, 2) + s @ (made.efforts - C @ v - g - M @ a_r) - delta @ (Y.T @ s)
    left = ring.coerce(rate) + quadratic(D, s)
    ring.check()
    proof = Proof(
        "adaptive", not left, None, None, left, law.gain("convergence"), law.gain("damping"), None, made, structure
    )
    return _of_the_estimates(proof, law)


def _of_the_estimates(proof: Proof, law: Law) -> Proof:
    """The proof with Γ, and with the reason why V is no Lyapunov function where Γ is singular."""
    rate = np.asarray(law.value("rate"), dtype=float)
    proof.adaptation = rate if rate.ndim == 2 else np.diag(np.atleast_1d(rate))
    if smallest(proof.adaptation) <= 0.0:
        proof.why_not = "Γ is singular: some estimates are never updated, and V contains the inverse of Γ"
    proof.remark = _predicting(law)
    return proof


def _predicting(law: Law) -> str:
    text = "The prediction error of the efforts (prediction) is not part of this proof."
    return text if np.any(law.value("prediction")) else ""


def adaptive_by_its_formula(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    """V̇ = sᵀ(½Ṁ − C) s − sᵀK_D s for any s, where Ṁ − 2C is skew and efforts are linear in the parameters."""
    form = LinearForm(plan, term_limit)
    structure = Structure(form.mechanism, form.mechanism.recursive)
    holds = structure.is_skew and form.holds
    proof = Proof("adaptive", holds, None, None, None, law.gain("convergence"), law.gain("damping"))
    proof.structure, proof.structural = structure, True
    return _of_the_estimates(proof, law)


def _estimated(model: Model, law: Law) -> np.ndarray:
    """The parameters that are estimated, as they are."""
    known = [body.name for body in model.bodies]
    bodies = law.value("bodies")
    names = known if bodies == "all" else [bodies] if isinstance(bodies, str) else list(bodies)
    places = [10 * known.index(name) + k for name in names for k in range(10)]
    found: np.ndarray = np.asarray(dynamics.inertial_parameters(model), dtype=object)[places]
    return found


def _gain(rate: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Γ x."""
    return lambda x: np.asarray(rate) @ x if np.ndim(rate) == 2 else rate * x
