"""Physically consistent parameters near a prior, which determines the unidentifiable ones.

A body's ten parameters π belong to a mass distribution exactly if its pseudo-inertia (Wensing, Kim & Slotine 2018)

    J(π) = [[½ tr(I) 1 − I,  m c], [(m c)ᵀ,  m]]  =  ∫ [r; 1][r; 1]ᵀ dm

is positive definite. The distance from a prior J⁰ is the divergence d(J‖J⁰) = tr(J⁰⁻¹J) − log det(J⁰⁻¹J) − 4, which is
independent of axes and units and tends to infinity as J becomes singular (Lee, Wensing & Park 2020).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array

THIN = 1e-3
"""A prior body's second moments are at least so large a part of its largest: bodies of files may be flat or points."""

STEPS = 200
"""largest number of Newton steps for each weight of the continuation"""

CLOSE = 1e-7
"""The decrement that ends them: by its square the minimum is missed, in units of the weight."""

MOST = 1e30
"""The largest weight that is begun with."""

NEARLY = 1e-6
"""Initial value of a parameter whose prior is zero, relative to its usual size."""

TOWARDS = 0.9
"""Largest relative decrease of a number in one step."""


def pseudo_inertia(parameters: Array) -> Array:
    """J (…, 4, 4) of m, m c (3), Ixx Ixy Iyy Ixz Iyz Izz (…, 10)."""
    J: Array = np.tensordot(parameters, UNITS, axes=(-1, 0))
    return J


def _units() -> Array:
    """J of every unit vector (10, 4, 4)."""
    units = np.zeros((10, 4, 4))
    units[0, 3, 3] = 1.0
    for k in range(3):
        units[1 + k, k, 3] = units[1 + k, 3, k] = 1.0
    for k, (i, j) in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)), start=4):
        if i == j:
            units[k, :3, :3] = 0.5 * np.eye(3)
            units[k, i, i] = -0.5
        else:
            units[k, i, j] = units[k, j, i] = -1.0
    return units


UNITS = _units()


def is_physical(parameters: Array) -> Array:
    """(…,) bool of ten parameters (…, 10): whether some distribution of mass has them."""
    J = pseudo_inertia(np.asarray(parameters, dtype=float))
    scale = np.sqrt(np.abs(np.einsum("...ii->...i", J)))
    scale = np.where(scale == 0.0, 1.0, scale)
    least: Array = np.linalg.eigvalsh(J / (scale[..., :, None] * scale[..., None, :]))[..., 0]
    return least > 0.0


def inside(parameters: Array, length: float) -> Array:
    """Ten parameters (10,) with a mass above zero, made those of a body: second moments about the center raised.

    To :data:`THIN` of the largest, or to those of a ball of a hundredth of ``length`` where all vanish.
    """
    m, h = parameters[0], parameters[1:4]
    J = pseudo_inertia(parameters)
    about = J[:3, :3] - np.outer(h, h) / m
    values, axes = np.linalg.eigh(about)
    least = max(THIN * values[-1], 0.2 * m * (1e-2 * length) ** 2 * THIN)
    if values[0] >= least:
        return parameters
    about = (axes * np.maximum(values, least)) @ axes.T
    second = about + np.outer(h, h) / m
    I = np.trace(second) * np.eye(3) - second
    return np.concatenate([parameters[:4], I[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]])


class Near(NamedTuple):
    """Result of :func:`near_prior`."""

    parameters: Array
    """(p,)"""
    share: Array
    """(p,): share of each parameter that is determined by measurements, from 0 (the prior alone) to 1"""
    steps: int
    """Newton's, of all weights"""
    weight: float
    """weight that was reached: above the requested one if the measurements are far from physical consistency"""


def near_prior(
    combinations: Array,
    measured: Array,
    information: Array,
    prior: Array,
    bodies: int,
    weight: float,
    usual: Array | None = None,
) -> Near:
    """Minimize ½ (K π − β)ᵀ Λ (K π − β) + weight · Σ d(Jᵢ‖Jᵢ⁰) over π (p,), convex, by Newton's method.

    K (r, p) ``combinations``, β (r,) ``measured``, Λ (r, r) ``information``: the inverse of its covariance. ``prior``
    (p,): ten parameters of each of the ``bodies``, physically consistent, then single numbers, whose divergence is x/x⁰
    − log(x/x⁰) − 1; for x⁰ = 0 it is x/s with the ``usual`` size s (p − 10 bodies,): the number stays zero unless it is
    measured. The weight decreases to the requested one in few steps. If the measurements fit only inconsistent
    parameters, the weight ends where rounding prevents further steps.
    """
    problem = _Problem(combinations, measured, information, prior, bodies, usual)
    x, steps = problem.first, 0
    reached = weight
    while problem.decrement(x, reached) > 1.0 and reached < MOST:
        reached *= 10.0
    following = reached
    while True:
        there, taken = problem.least(x, following)
        steps += taken
        if there is None:
            break
        x, reached = there, following
        if reached <= weight:
            break
        following = max(reached / 10.0, weight)
    H = reached * problem.curvature(x, spread=True)
    scale = 1.0 / np.sqrt(np.diag(H))
    alone = np.linalg.inv(H * scale[:, None] * scale)
    both = np.linalg.inv((H + problem.quadratic) * scale[:, None] * scale)
    share = np.clip(1.0 - np.diag(both) / np.diag(alone), 0.0, 1.0)
    return Near(problem.rounded(x), share, steps, reached)


class _Problem:
    """The function that is minimized, its slope and curvature."""

    def __init__(self, K: Array, measured: Array, information: Array, prior: Array, bodies: int, usual: Array | None):
        self.K, self.measured, self.information, self.bodies = K, measured, information, bodies
        self.quadratic = K.T @ information @ K
        self.start = self._inertias(prior)
        numbers = prior[10 * bodies :]
        self.zero = (numbers == 0.0) & (usual is not None)
        self.scales = numbers if usual is None else np.where(self.zero, usual, numbers)
        if (bodies and not (np.linalg.eigvalsh(self.start)[:, 0] > 0.0).all()) or not (self.scales > 0.0).all():
            raise InputError("the prior is of bodies that exist: positive masses and moments")
        self.barrier = np.where(self.zero, NEARLY, 1.0)
        self.first = np.concatenate([prior[: 10 * bodies], self.barrier * self.scales])
        self.inverse = np.linalg.inv(self.start)

    def _inertias(self, x: Array) -> Array:
        return pseudo_inertia(_of_bodies(x, self.bodies))

    def rounded(self, x: Array) -> Array:
        """With zero where a number that was zero has hardly left it."""
        numbers = x[10 * self.bodies :]
        return np.concatenate(
            [x[: 10 * self.bodies], np.where(self.zero & (numbers < 100.0 * NEARLY * self.scales), 0.0, numbers)]
        )

    def inside(self, x: Array) -> bool:
        """Return whether bodies and numbers are physically consistent."""
        return bool(
            np.isfinite(x).all()
            and is_physical(_of_bodies(x, self.bodies)).all()
            and (x[10 * self.bodies :] > 0.0).all()
        )

    def slope(self, x: Array, weight: float) -> Array:
        inverse = np.linalg.inv(self._inertias(x))
        of_bodies = np.einsum("bij,kji->bk", self.inverse - inverse, UNITS).reshape(-1)
        of_numbers = 1.0 / self.scales - self.barrier / x[10 * self.bodies :]
        data: Array = self.K.T @ (self.information @ (self.K @ x - self.measured))
        return data + weight * np.concatenate([of_bodies, of_numbers])

    def curvature(self, x: Array, spread: bool = False) -> Array:
        """Return the Hessian of the divergences: tr(J⁻¹ E_i J⁻¹ E_k) of each body.

        ``spread``: for numbers with prior zero that of their usual size.
        """
        H = np.zeros((len(x), len(x)))
        turned = np.einsum("bij,kjl->bkil", np.linalg.inv(self._inertias(x)), UNITS)
        blocks = np.einsum("bkil,bmli->bkm", turned, turned)
        for b, block in enumerate(blocks):
            H[10 * b : 10 * b + 10, 10 * b : 10 * b + 10] = block
        rest = np.arange(10 * self.bodies, len(x))
        H[rest, rest] = self.barrier / x[rest] ** 2
        if spread:
            H[rest[self.zero], rest[self.zero]] = 1.0 / self.scales[self.zero] ** 2
        return H

    def step(self, x: Array, weight: float) -> tuple[Array, float]:
        """Newton's step and the decrement √(gᵀH⁻¹g / weight): how far the minimum is, as its divergence sees it."""
        H, g = self.quadratic + weight * self.curvature(x), self.slope(x, weight)
        scale = 1.0 / np.sqrt(np.diag(H))
        p = -scale * np.linalg.solve(H * scale[:, None] * scale, scale * g)
        return p, float(np.sqrt(max(0.0, -(p @ g) / weight)))

    def decrement(self, x: Array, weight: float) -> float:
        return self.step(x, weight)[1]

    def least(self, x: Array, weight: float) -> tuple[Array | None, int]:
        """The minimum from x, None where numbers have no room to find it, and the steps taken.

        Divided by the weight the function is self-concordant: steps of length 1/(1 + λ), λ the decrement, stay inside
        and go down, and from λ < ¼ whole ones converge quadratically (Boyd & Vandenberghe 2004, §9.6). Numbers whose
        barrier is weaker go a part of their way to zero at most.
        """
        decrement = np.inf
        for taken in range(STEPS):
            try:
                p, decrement = self.step(x, weight)
            except np.linalg.LinAlgError:
                return None, taken
            if decrement <= CLOSE:
                return x, taken
            length = 1.0 if decrement < 0.25 else 1.0 / (1.0 + decrement)
            ratio = float(np.max(-p[10 * self.bodies :] / x[10 * self.bodies :], initial=0.0))
            x = x + min(length, TOWARDS / max(ratio, TOWARDS)) * p
            if not self.inside(x):
                return None, taken
        return (x if decrement < 0.25 else None), STEPS


def _of_bodies(x: Array, bodies: int) -> Array:
    return x[: 10 * bodies].reshape(bodies, 10)
