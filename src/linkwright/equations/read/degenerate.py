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


def leading_derivative(
    model: Model,
    force: Callable[[Model, Array], Array],
    stiffness: Callable[[Model, Array], Array],
    q: Array,
    mode: Array,
    others: Array,
    movable: bool,
) -> tuple[Array, Leading | None]:
    """Find the leading derivative of the energy along the mode of a zero eigenvalue, and where the equilibrium is.

    ``force`` is the derivative of the energy, ``stiffness`` that of the force, ``mode`` φ (nv,), ``others`` the other
    modes (nv, nv - 1). A numeric q (``movable``) is only near a degenerate equilibrium; it is moved along φ to where
    the derivative below the leading one vanishes too. None in place of the derivative where it is not determined.
    """
    for length in LENGTHS:
        half = length / float(np.abs(mode).max())
        place, found = q, _fitted(model, force, stiffness, q, mode, others, half)
        order = int(np.argmax(np.abs(found)))
        if movable and order > 1:
            shift = -found[order - 1] / (order * found[order]) * half
            place = _on_curve(model, force, stiffness, dynamics.integrate(model, q, shift * mode), others)
            found = _fitted(model, force, stiffness, place, mode, others, half)
            order = int(np.argmax(np.abs(found)))
        if order and (np.abs(found[:order]) <= VANISHES * np.abs(found[order])).all():
            return place, Leading(order + 1, float(found[order]) * math.factorial(order) / half**order)
    return q, None


def _fitted(
    model: Model,
    force: Callable[[Model, Array], Array],
    stiffness: Callable[[Model, Array], Array],
    q: Array,
    mode: Array,
    others: Array,
    half: float,
) -> Array:
    """The coefficients of powers of s/half, |s| ≤ half, of the force along the curve."""
    nodes = chebyshev.chebpts1(NODES)
    along = []
    for s in nodes:
        there = _on_curve(model, force, stiffness, dynamics.integrate(model, q, s * half * mode), others)
        along.append(float(mode @ force(model, there)))
    return chebyshev.cheb2poly(chebyshev.chebfit(nodes, along, HIGHEST))


def _on_curve(
    model: Model,
    force: Callable[[Model, Array], Array],
    stiffness: Callable[[Model, Array], Array],
    q: Array,
    others: Array,
) -> Array:
    """q moved along the other modes until the force in them is zero."""
    for _ in range(CORRECTIONS if others.size else 0):
        slope = others.T @ stiffness(model, q) @ others
        q = dynamics.integrate(model, q, -others @ np.linalg.solve(slope, others.T @ force(model, q)))
    return q
