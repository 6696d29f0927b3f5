"""Records of what is proved of a control law, and the few functions on matrices that all proofs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.spatial.arrays import Array
from linkwright.symbolic.closed_loop_control.controller_efforts import LawPolynomials
from linkwright.symbolic.interpretation.structure import Structure


@dataclass
class Proof:
    """A proof about a control law."""

    kind: str
    """ "pd" (gravity made up for at every configuration), "constant" (PD, without or with constant gravity), "linear"
    (computed torque), "potential" (any force of a potential, and dampers), "pid", "adaptive",
        "impedance"; "" where nothing is recognized"""
    identity: bool = False
    """whether V̇ is what is claimed, identically"""
    lyapunov: Polynomial | None = None
    """V"""
    rate: Polynomial | None = None
    """V̇ along motions of the closed loop"""
    left: Polynomial | None = None
    """V̇ less what is claimed: zero where the identity holds"""
    stiffness: Array | None = None
    damping: Array | None = None
    """the gains K and K_d (nv, nv), in numbers"""
    target: Array | None = None
    """the posture that is kept, or None where it moves or is none"""
    run: LawPolynomials | None = None
    structure: Structure | None = None
    """of the mechanism, in the ring of the proof"""
    epsilon: float = 0.0
    looped: bool = False
    """whether loops are closed, which can hold the mechanism elsewhere"""
    remark: str = ""
    """what the proof leaves out"""
    why_not: str = ""
    """why there is no proof"""
    force: np.ndarray | None = None
    """of "potential": the controller's force at rest; V consists of ½ vᵀMv, U and its potential"""
    structural: bool = False
    """whether the controller's formula was used instead of its code"""
    steepest: float = 0.0
    """of "constant": the largest ‖∂g/∂q‖ of the sampled configurations"""
    steepness_bound: float = 0.0
    """of "constant": what ‖∂g/∂q‖ exceeds nowhere; inf where no bound is known"""
    friction: Array | None = None
    """Coulomb friction (nv,) that the controller does not compensate; None without"""
    adaptation: Array | None = None
    """of "adaptive": Γ, whose inverse V has"""
    closed: tuple[Polynomial, ...] = ()
    """right-hand sides of the closed loop's rows, whose left-hand sides are M v̇ + h"""

    @property
    def definite(self) -> bool:
        """Whether V is positive definite about the target, by the gains' values and, for "constant", by samples."""
        adapts = self.adaptation is None or smallest(self.adaptation) > 0.0
        return self.stiffness is not None and smallest(self.stiffness) > self.steepest and adapts

    @property
    def sampled(self) -> bool:
        """Whether ``definite`` was tested at sampled configurations only."""
        return self.definite and self.stiffness is not None and smallest(self.stiffness) <= self.steepness_bound

    @property
    def damped(self) -> bool:
        """Whether V̇ < 0 for all v ≠ 0."""
        return self.damping is not None and smallest(self.damping) > 0.0

    @property
    def proved(self) -> bool:
        """Whether the target is proved to be stable.

        V has its minimum at the target (for all configurations, not only sampled ones), V̇ is proved, V decreases
        during every motion, and no friction can hold the mechanism elsewhere. False for PID control, for which no
        Lyapunov function is known.
        """
        return self.identity and self.definite and not self.sampled and self.damped and self.friction is None


def smallest(A: Array) -> float:
    """The least eigenvalue of the symmetric part."""
    return float(np.linalg.eigvalsh(0.5 * (A + A.T)).min(initial=np.inf))


def symmetric(A: np.ndarray) -> bool:
    """Return whether A = Aᵀ, entry by entry."""
    return all(A[i, j] == A[j, i] for i, j in np.ndindex(*A.shape))


def errors(n: int) -> tuple[str, ...]:
    """The names of e, ė and ε."""
    return (*(f"e{k + 1}" for k in range(n)), *(f"e{k + 1}_dot" for k in range(n)), "epsilon")


def matrix(ring: Ring, x: Any, n: int) -> np.ndarray:
    """A gain of one number or of one for each velocity, as a matrix."""
    x = np.asarray(x, dtype=object)
    return ring.array(x if x.ndim == 2 else np.diag(np.broadcast_to(x, (n,))))
