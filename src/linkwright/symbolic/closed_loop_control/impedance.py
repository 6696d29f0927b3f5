"""The proof that impedance control is passive: V̇ ≤ 0 for any spring whose force is a gradient."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.spatial.arrays import Array
from linkwright.symbolic.closed_loop_control.controller_efforts import Law, LawPolynomials, quadratic
from linkwright.symbolic.closed_loop_control.lyapunov import Proof, smallest
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.plan import DerivationPlan, with_frame
from linkwright.symbolic.interpretation.structure import Structure


def proof_of_impedance(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    """V̇ of V = ½ vᵀMv + U(x̃) where the force F of the spring is the gradient of U: U̇ = Fᵀ ẋ."""
    n, frame = law.model.nv, law.value("frame")
    forces, gains = [f"F{k + 1}" for k in range(6)], [f"D{k + 1}" for k in range(6)]
    own = [f"c{k + 1}" for k in range(n)]
    mechanism = LagrangianMechanism(with_frame(plan, frame), term_limit, (*forces, *gains, *own, "U"))
    ring, v = mechanism.ring, mechanism.v
    structure = Structure(mechanism, mechanism.recursive)
    M, h, _ = mechanism.recursive
    J = ring.array(dynamics.jacobian(mechanism.model, mechanism.q, frame))
    F, D, c = (np.array([ring[name] for name in names], dtype=object) for names in (forces, gains, own))
    x = J @ v
    drive = -(J.T @ (F + D * x)) - c * v
    half = quadratic(M, v) * Fraction(1, 2)
    rate = ring.coerce(ring.rate(half, structure.in_time) + v @ (drive - h) + F @ x)
    ring.check()
    left = rate + ring.coerce((D * x) @ x + (c * v) @ v)
    ring.check()
    K, damping, joint = law.value("stiffness"), law.value("damping"), law.gain("joint_damping")
    return Proof(
        "impedance",
        not left,
        half + ring["U"],
        rate,
        left,
        _of_hand(K),
        _of_hand(damping),
        None,
        LawPolynomials(mechanism, drive, {}, {**plan.values}),
        structure,
        structural=True,
        epsilon=smallest(joint),
    )


def _of_hand(x: Any) -> Array:
    x = np.asarray(x, dtype=float)
    return x if x.ndim == 2 else np.diag(np.broadcast_to(x, (6,)))
