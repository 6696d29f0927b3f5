"""Runge–Kutta methods on the configuration manifold (Munthe-Kaas 1999).

A method is a tableau. Stages lie at q ⊕ Exp(u); the rate of u that gives the body velocity v is
dexp⁻¹, whose series v + ½[u, v] + ¹⁄₁₂[u, [u, v]] suffices up to order four. For plain coordinates the
brackets vanish and the classical method is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.dynamics import configuration
from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta method: stage i starts from the rates of earlier stages weighted by row i."""

    order: int
    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]


METHODS = {
    "rk4": Tableau(4, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    "midpoint": Tableau(2, ((), (1 / 2,)), (0.0, 1.0)),
    "euler": Tableau(1, ((),), (1.0,)),
}
"""By name; "rk4" is Kutta's classical method of order four."""


def tableau(method: str) -> Tableau:
    """The method of that name; :class:`InputError` where there is none."""
    if method not in METHODS:
        raise InputError(f"method is {method!r}; it may be {', '.join(map(repr, METHODS))}")
    return METHODS[method]


def total_acceleration(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """The acceleration (nv,) under efforts and the joints' own springs, dampers and friction."""
    return dynamics.forward_dynamics(model, q, v, tau + dynamics.passive_forces(model, q, v))


def inverse_exponential_rate(model: Model, u: Array, v: Array) -> Array:
    """u̇ (nv,) for which q ⊕ Exp(u) moves at the body velocity v, up to terms of fourth order in u."""
    first = configuration.lie_bracket(model, u, v)
    return v + 0.5 * first + (1.0 / 12.0) * configuration.lie_bracket(model, u, first)


def stage(model: Model, q: Array, v: Array, u: Array, w: Array, tau: Array) -> tuple[Array, Array]:
    """The rates (u̇, v̇) at the configuration q ⊕ Exp(u) and the velocity v + w."""
    velocity = v + w
    a = total_acceleration(model, configuration.integrate(model, q, u), velocity, tau)
    return inverse_exponential_rate(model, u, velocity), a


def advance(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array]:
    """The end of a step: q ⊕ Exp(u) and v + w."""
    return configuration.integrate(model, q, u), v + w


def increments(coefficients: tuple[float, ...], h: Any, rates: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """h Σ c (u̇, v̇)."""
    u, w = np.zeros(rates[0][0].shape), np.zeros(rates[0][1].shape)
    for c, (u_rate, v_rate) in zip(coefficients, rates, strict=True):
        if c:
            u, w = u + (h * c) * u_rate, w + (h * c) * v_rate
    return u, w


def step(model: Model, q: Array, v: Array, tau: Array, h: Any, method: str = "rk4") -> tuple[Array, Array]:
    """(q, v) after a time h (s) under constant efforts tau (nv,)."""
    chosen = tableau(method)
    rates = [(v, total_acceleration(model, q, v, tau))]
    for row in chosen.stages[1:]:
        rates.append(stage(model, q, v, *increments(row, h, rates), tau))
    return advance(model, q, v, *increments(chosen.weights, h, rates))
