"""Degenerate equilibria: where K has zero eigenvalues, higher derivatives of the potential energy decide.

On the surface q(s) that leaves q in the directions Φ s of the zero eigenvalues, with the forces in all other modes kept
at zero, the energy is a function V of s alone (the splitting lemma; Poston & Stewart, *Catastrophe Theory and its
Applications*, ch. 4). Let P be the homogeneous polynomial of lowest order p in V that does not vanish. If p is even, P
positive on the whole unit sphere, and all other ω² positive, the energy has a strict minimum, and the equilibrium is
stable (Lagrange, Dirichlet). If P is negative somewhere, as every polynomial of odd order is, the energy has no
minimum, and an equilibrium of an analytic potential is then unstable (Palamodov 1995). With one zero eigenvalue that
decides. With several P may vanish along some directions without being negative, which leaves it undecided.

P is fitted to the forces along many rays. That it is positive on the sphere is then proved from its values on a grid:
along a great circle it is a trigonometric polynomial of degree p, whose slope is nowhere larger than p max |P|
(Bernstein's inequality).

The force along a mode may be measured in a frame that turns along the surface, as that of closed loops does: of order
p it then differs by nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from linkwright.spatial.arrays import Array

NODES, HIGHEST = 15, 9
"""Points on a ray, and the highest power of s that is fitted"""
LENGTHS = (0.2, 0.05)
"""of a ray to either side, rad or m: the second is tried where the first does not decide"""
VANISHES = 1e-5
"""of the leading term at the end of the ray: what a lower term is at most that vanishes"""
CORRECTIONS = 12
MOVES = 2
"""Number of Newton corrections of a numerical configuration: its error decreases quadratically"""
NOISE = 1e-14
"""of the largest force: the rounding error of a zero force"""
NEAR = 0.05
"""Points where Newton's method stalls near one degenerate equilibrium are no farther apart, rad or m."""
MOST_DIRECTIONS = 3
"""With zero eigenvalue, of which all rays are examined"""
RAYS = {2: 24, 3: 120}
"""For each number of these directions: more than the coefficients of P, so that a wrong order does not fit"""
GRID = {2: 4000, 3: 300}
"""Points on a half circle: of m directions about as many to the power of m − 1 are on the sphere"""
FITS, NEGATIVE = 1e-4, 1e-3
"""of the largest value of P: what P may differ from the rays it was fitted to, and how far below zero it is negative"""


@dataclass(frozen=True)
class Leading:
    """The derivatives of lowest order of the potential energy that do not vanish along directions with ω² = 0."""

    order: int
    value: float
    """of the derivative, by the length of φ with φᵀ M φ = 1; of several directions that of the least"""
    directions: int = 1
    """how many there are"""

    @property
    def minimum(self) -> bool:
        """Whether the energy has a strict minimum along the directions."""
        return self.order % 2 == 0 and self.value > 0.0


def is_uncertain(square: float, force: float, mode: Array, curvature: Callable[[Array], float]) -> bool:
    """Return whether ω² of a mode changes by half of its value within four Newton steps: the zero is not simple.

    The distance of Newton's method from a zero is about its next step. This is Kantorovich's condition, mode by mode.
    ``force`` is that along the mode, with its rounding; ``curvature`` returns φᵀ K φ after a displacement.
    """
    step = min(4.0 * force / abs(square), NEAR / float(np.abs(mode).max())) * mode
    return max(abs(curvature(there) - square) for there in (step, -step)) > 0.5 * abs(square)


@dataclass(frozen=True)
class FlatSurface:
    """The surface on which the force is zero in all modes but those whose eigenvalue is zero.

    ``move`` is a configuration after a displacement (nv,), ``force`` the derivative of the energy (nv,), ``stiffness``
    that of the force (nv, nv); ``modes`` are Φ (nv, m), ``others`` the other modes (nv, n − m).
    """

    move: Callable[[Array, Array], Array]
    force: Callable[[Array], Array]
    stiffness: Callable[[Array], Array]
    modes: Array
    others: Array

    def leading_derivative(self, q: Array, movable: bool) -> tuple[Array, Leading | str]:
        """Find the leading derivatives of the energy on the surface through q, and where the equilibrium is.

        A numeric q (``movable``) is only near a degenerate equilibrium; it is moved along Φ to where the derivatives
        below the leading ones vanish too. In place of the derivatives why they decide nothing.
        """
        m = self.modes.shape[1]
        if m == 1:
            return self._along_one(q, movable)
        if m > MOST_DIRECTIONS:
            return q, f"of more than {MOST_DIRECTIONS} directions higher derivatives are not computed"
        return self._along_several(q, m, movable)

    def _along_one(self, q: Array, movable: bool) -> tuple[Array, Leading | str]:
        mode = self.modes[:, 0]
        for length in LENGTHS:
            half = length / float(np.abs(mode).max())
            moved, found = q, self._fitted(q, mode, half)
            order = int(np.argmax(np.abs(found)))
            if movable and order > 1:
                moved = self._at(q, -found[order - 1] / (order * found[order]) * half * mode)
                found = self._fitted(moved, mode, half)
                order = int(np.argmax(np.abs(found)))
            if order and _vanish(found[:order], found[order]):
                return moved, Leading(order + 1, float(found[order]) * math.factorial(order) / half**order)
        return q, "no derivative of the potential energy along the direction stands out from the others"

    def _along_several(self, q: Array, m: int, movable: bool) -> tuple[Array, Leading | str]:
        rays, half = _rays(m), LENGTHS[-1] / float(np.abs(self.modes).max())

        def fitted(q: Array) -> Array:
            return np.array([self._fitted(q, self.modes @ ray, half) for ray in rays])

        slopes = fitted(q)
        for _ in range(MOVES if movable else 0):
            q = self._at(q, half * self.modes @ _offset(rays, slopes))
            slopes = fitted(q)
        return q, self._decided(rays, slopes, half)

    @staticmethod
    def _decided(rays: Array, slopes: Array, half: float) -> Leading | str:
        """Decide by the coefficients (rays, k) of the powers of s/half of the force along the rays."""
        m = rays.shape[1]
        grid, radius = _grid(m)
        sizes = np.abs(slopes).max(axis=0)
        leading = np.flatnonzero(sizes > VANISHES * sizes.max(initial=0.0))
        order = int(leading[0]) + 1 if len(leading) else 0
        if order < 3:
            return "its configuration, which is numeric, is not exact enough for higher derivatives"
        lowest = slopes[:, order - 1]
        powers = _powers(m, order)
        factors, *_ = np.linalg.lstsq(_monomials(rays, powers), lowest, rcond=None)
        values, largest = _monomials(grid, powers) @ factors, float(np.abs(lowest).max())
        if np.abs(_monomials(rays, powers) @ factors - lowest).max() > FITS * largest:
            return "the terms of lowest order of the potential energy are not separated from those above"
        size = float(np.abs(values).max())
        unit = math.factorial(order - 1) / half ** (order - 1)
        if order % 2 or values.min() < -NEGATIVE * size:
            return Leading(order, float(values.min()) * unit, m)
        bound = float(values.min()) - order * radius * size / (1.0 - order * radius) - FITS * size
        if bound > 0.0:
            return Leading(order, float(values.min()) * unit, m)
        return f"the derivatives of order {order} of the potential energy vanish, or nearly, along some direction"

    def _fitted(self, q: Array, ray: Array, half: float) -> Array:
        """The coefficients of powers of s/half, |s| ≤ half, of the force along the ray."""
        nodes = chebyshev.chebpts1(NODES)
        along = [float(ray @ self.force(self._at(q, s * half * ray))) for s in nodes]
        return chebyshev.cheb2poly(chebyshev.chebfit(nodes, along, HIGHEST))

    def _at(self, q: Array, displacement: Array) -> Array:
        """The configuration after a displacement, moved along the other modes until the force in them is zero."""
        q = self.move(q, displacement)
        for _ in range(CORRECTIONS if self.others.size else 0):
            slope = self.others.T @ self.stiffness(q) @ self.others
            step = np.linalg.solve(slope, self.others.T @ self.force(q))
            q = self.move(q, -self.others @ step)
        return q


def _vanish(lower: Array, leading: float) -> bool:
    return bool((np.abs(lower) <= VANISHES * np.abs(leading)).all())


def _offset(rays: Array, slopes: Array) -> Array:
    """Return the distance, in s/half (m,), of the point at which the derivatives below the leading ones vanish.

    The terms of order p − 1 of P(s − s₀) are −∇P · s₀.
    """
    order = int(np.argmax(np.abs(slopes).max(axis=0))) + 1
    if order < 3:
        return np.zeros(rays.shape[1])
    powers = _powers(rays.shape[1], order)
    factors, *_ = np.linalg.lstsq(_monomials(rays, powers), slopes[:, order - 1] / order, rcond=None)
    gradient = np.zeros(rays.shape)
    for one, factor in zip(powers, factors, strict=True):
        for k in np.flatnonzero(one):
            lower = [power - (k == at) for at, power in enumerate(one)]
            gradient[:, k] += factor * one[k] * _monomials(rays, [tuple(lower)])[:, 0]
    found: Array = np.linalg.lstsq(-(order - 1) * gradient, slopes[:, order - 2], rcond=None)[0]
    return found


def _powers(m: int, order: int) -> list[tuple[int, ...]]:
    """The exponents of all monomials of m variables of an order."""
    return [one for one in itertools.product(range(order + 1), repeat=m) if sum(one) == order]


def _monomials(points: Array, powers: list[tuple[int, ...]]) -> Array:
    return np.stack([np.prod(points ** np.array(one), axis=1) for one in powers], axis=1)


def _rays(m: int) -> Array:
    """Unit vectors (rays, m), one of each opposite two."""
    if m == 2:
        angles = math.pi * np.arange(RAYS[2]) / RAYS[2]
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.random.default_rng(0).normal(size=(RAYS[m], m))
    unit: Array = points / np.linalg.norm(points, axis=1, keepdims=True)
    return unit


def _grid(m: int) -> tuple[Array, float]:
    """Unit vectors (points, m) of half of the sphere, and the angle within which each vector has one of them."""
    step = math.pi / GRID[m]
    angles = step * np.arange(GRID[m])
    if m == 2:
        return np.stack([np.cos(angles), np.sin(angles)], axis=1), 0.5 * step
    latitude, longitude = (x.ravel() for x in np.meshgrid(angles + 0.5 * step, angles))
    return np.stack(
        [np.sin(latitude) * np.cos(longitude), np.sin(latitude) * np.sin(longitude), np.cos(latitude)], axis=1
    ), step / math.sqrt(2.0)
