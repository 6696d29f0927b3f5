"""Degenerate equilibria: where K has one zero eigenvalue, higher derivatives of the potential energy decide.

Along the curve q(s) that leaves q in the direction φ of the zero eigenvalue, with the forces in all other modes kept at
zero, the energy is a function of s alone (the splitting lemma; Poston & Stewart, *Catastrophe Theory and its
Applications*, ch. 4). If the first of its derivatives that does not vanish is of even order and positive, and all
other ω² are positive, the energy has a strict minimum, and the equilibrium is stable (Lagrange, Dirichlet).
Otherwise it has no minimum, and an equilibrium of an analytic potential is then unstable (Palamodov 1995).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from linkwright import dynamics
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

NODES, HIGHEST = 15, 9
"""Points on the curve, and the highest power of s that is fitted"""
LENGTHS = (0.2, 0.05)
"""of the curve to either side, rad or m: the second is tried where the first does not decide"""
VANISHES = 1e-5
"""of the leading term at the end of the curve: what a lower term is at most that vanishes"""
CORRECTIONS = 12
NOISE = 1e-14
"""of the largest force: the rounding error of a zero force"""
NEAR = 0.05
"""Points where Newton's method stalls near one degenerate equilibrium are no farther apart, rad or m."""


@dataclass(frozen=True)
class Leading:
    """The first derivative of the potential energy that does not vanish along one direction."""

    order: int
    value: float
    """of the derivative, by the length of φ with φᵀ M φ = 1"""

    @property
    def minimum(self) -> bool:
        """Whether the energy has a strict minimum along the direction."""
        return self.order % 2 == 0 and self.value > 0.0


def is_uncertain(square: float, force: float, mode: Array, curvature: Callable[[Array], float]) -> bool:
    """Whether ω² of a mode changes by half of itself within four of Newton's next steps: the zero is not simple.

    Newton's method is as far from a zero as its next step is long. This is Kantorovich's condition, mode by mode.
    ``force`` is that along the mode, with its rounding; ``curvature`` returns φᵀ K φ after a displacement.
    """
    step = min(4.0 * force / abs(square), NEAR / float(np.abs(mode).max())) * mode
    return max(abs(curvature(there) - square) for there in (step, -step)) > 0.5 * abs(square)


@dataclass(frozen=True)
class FlatCurve:
    """The curve along which the force is zero in all modes but one, whose eigenvalue is zero.

    ``force`` is the derivative of the energy, ``stiffness`` that of the force, ``mode`` φ (nv,), ``others`` the other
    modes (nv, nv - 1).
    """

    model: Model
    force: Callable[[Model, Array], Array]
    stiffness: Callable[[Model, Array], Array]
    mode: Array
    others: Array

    def leading_derivative(self, q: Array, movable: bool) -> tuple[Array, Leading | None]:
        """Find the leading derivative of the energy along the curve through q, and where the equilibrium is.

        A numeric q (``movable``) is only near a degenerate equilibrium; it is moved along φ to where the derivative
        below the leading one vanishes too. None in place of the derivative where it is not determined.
        """
        for length in LENGTHS:
            half = length / float(np.abs(self.mode).max())
            moved, found = q, self._fitted(q, half)
            order = int(np.argmax(np.abs(found)))
            if movable and order > 1:
                moved = self._at(q, -found[order - 1] / (order * found[order]) * half)
                found = self._fitted(moved, half)
                order = int(np.argmax(np.abs(found)))
            if order and (np.abs(found[:order]) <= VANISHES * np.abs(found[order])).all():
                return moved, Leading(order + 1, float(found[order]) * math.factorial(order) / half**order)
        return q, None

    def _fitted(self, q: Array, half: float) -> Array:
        """The coefficients of powers of s/half, |s| ≤ half, of the force along the curve."""
        nodes = chebyshev.chebpts1(NODES)
        along = [float(self.mode @ self.force(self.model, self._at(q, s * half))) for s in nodes]
        return chebyshev.cheb2poly(chebyshev.chebfit(nodes, along, HIGHEST))

    def _at(self, q: Array, s: float) -> Array:
        """The configuration that leaves q by s φ, moved along the other modes until the force in them is zero."""
        q = dynamics.integrate(self.model, q, s * self.mode)
        for _ in range(CORRECTIONS if self.others.size else 0):
            slope = self.others.T @ self.stiffness(self.model, q) @ self.others
            step = np.linalg.solve(slope, self.others.T @ self.force(self.model, q))
            q = dynamics.integrate(self.model, q, -self.others @ step)
        return q
