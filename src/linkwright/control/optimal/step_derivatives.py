"""Derivatives of a simulation step by state and efforts, in a trace.

They are those of `simulation/linearization.py`, but on symbols, to be part of a kernel: analytical derivatives of
accelerations are used where they exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.differentiation import differentiate, replay
from linkwright.compiler.front.trace import trace
from linkwright.dynamics import forward_dynamics_derivatives, integrate_derivatives, passive_forces
from linkwright.dynamics.configuration import difference, integrate
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import (
    SemiImplicit,
    Tableau,
    driven_step,
    implicit_acceleration,
    implicit_terms,
    increments,
    method_of,
    total_acceleration,
    with_added_armature,
)
from linkwright.simulation.linearization import accelerated, closed, implicitly_accelerated, placed
from linkwright.spatial.arrays import Array, mirror


def factors(model: Model, method: str, q: Array, v: Array, tau: Array, h: Any) -> list[Array]:
    """Return matrices whose product, last times … times first, is ∂δ⁺/∂(δq, δv, δτ), (2 nv, 3 nv), of a step."""
    chosen = method_of(method)
    if isinstance(chosen, SemiImplicit):
        found, there, velocity = _of_semi_implicit(model, q, v, tau, h)
    elif isinstance(chosen, Tableau):
        found, there, velocity = _of_stages(model, chosen, q, v, tau, h)
    else:
        raise InputError(f"a step of {method!r} is iterated, not a formula: take 'semi_implicit' or 'rk4'")
    if model.loops:
        found.append(_slope(model, closed)(there, velocity)[:, : 2 * model.nv])
    return found


def pulled_back(gradient: Array, hessian: Array, factors: list[Array]) -> tuple[Array, Array]:
    """Pull a second-order cost in δ⁺ back through the factors."""
    for F in reversed(factors):
        gradient, hessian = F.T @ gradient, mirror(F.T @ (hessian @ F))
    return gradient, hessian


def curvature(
    model: Model, method: str, controls: tuple[int, ...], q: Array, v: Array, tau: Array, h: Any, weights: Array
) -> Array:
    """Return ∂²(weightsᵀ δ⁺)/∂(δq, δv, u)² (2 nv + m, 2 nv + m) of a step, with the controlled efforts u."""
    n, m = model.nv, len(controls)

    def weighed(model: Model, x: Array, q: Array, v: Array, tau: Array, h: Any, weights: Array, to: Array) -> Any:
        driven = [tau[k] + (x[2 * n + controls.index(k)] if k in controls else 0.0) for k in range(n)]
        effort, start = np.array(driven, dtype=object), integrate(model, q, x[:n])
        there, velocity, _ = driven_step(model, 0.0, start, v + x[n : 2 * n], lambda t, q, v: effort, h, method)
        return weights[:n] @ difference(model, to, there) + weights[n:] @ velocity

    def make() -> Any:
        shapes = {"x": (2 * n + m,), "tau": (n,), "h": (), "weights": (2 * n,), "to": (model.nq,)}
        once = trace(bind(weighed, model, shapes))
        return differentiate(differentiate(once, "x", model), "x", model)

    program = derived(model, curvature, method, controls, make=make)
    to, _, _ = driven_step(model, 0.0, q, v, lambda t, q, v: tau, h, method)
    arrays = (np.zeros(2 * n + m), q, v, tau, np.asarray(h, dtype=object), weights, to)
    result: Array = replay(program, weights[0].graph, [np.asarray(x, dtype=object) for x in arrays])[0]
    return mirror(result)


def _of_semi_implicit(model: Model, q: Array, v: Array, tau: Array, h: Any) -> tuple[list[Array], Array, Array]:
    """Return the factors of a semi-implicit step: δq and δv⁺ by (δq, δv, δτ), then q ⊕ Exp(h v⁺) by δq and δv⁺."""
    n, terms = model.nv, implicit_terms(model, q, v, h)
    effort = tau + passive_forces(model, q, v) - terms.pull
    a = implicit_acceleration(model, q, v, effort, terms)
    if model.loops or model.springs:
        by_x = _slope(model, implicitly_accelerated, ("tau", n), ("h", 0))(q, v, tau, h)
    else:
        heavier = with_added_armature(model, terms.joints)
        by_q, by_v, by_tau = forward_dynamics_derivatives(heavier, q, v, effort)
        resisting = _slope(model, resistance, ("a", n), ("h", 0))(q, v, a, h)
        by_q, by_v = by_q + by_tau @ resisting[:, :n], by_v + by_tau @ resisting[:, n : 2 * n]
        by_x = np.concatenate([by_q, by_v, by_tau], axis=1)
    one, zero = np.eye(n), np.zeros((n, n))
    velocity = v + h * a
    first = np.concatenate([np.eye(n, 3 * n), h * by_x + np.concatenate([zero, one, zero], axis=1)])
    turned, moved = integrate_derivatives(model, q, h * velocity)
    second = np.concatenate([np.concatenate([turned, h * moved], axis=1), np.eye(n, 2 * n, n)])
    return [first, second], integrate(model, q, h * velocity), velocity


def _of_stages(
    model: Model, method: Tableau, q: Array, v: Array, tau: Array, h: Any
) -> tuple[list[Array], Array, Array]:
    """Return the factor of a Runge–Kutta step, stage by stage."""
    n = model.nv
    x = np.eye(3 * n)
    rates: list[tuple[Array, Array]] = []
    changes: list[tuple[Array, Array]] = []
    for row in (*method.stages, method.weights):
        none = not rates
        u, w = (0.0 * v, 0.0 * v) if none else increments(row, h, rates)
        by_u, by_w = (0.0 * x[:n], 0.0 * x[:n]) if none else increments(row, h, changes)
        state = placed(model, np.zeros(3 * n), q, v, u, w)
        there, velocity, rate = integrate(model, q, u), v + w, state[n:]
        by_v = x[n : 2 * n] + by_w
        moved = _slope(model, placed, ("u", n), ("w", n))(q, v, u, w) @ np.concatenate([x[:n], by_u, by_v])
        both = np.concatenate([moved[:n], by_v])
        if len(rates) < len(method.stages):
            a = total_acceleration(model, there, velocity, tau)
            by_a = _accelerating(model, there, velocity, tau) @ np.concatenate([both, x[2 * n :]])
            rates.append((rate, a))
            changes.append((moved[n:], by_a))
    return [both], there, velocity


def _accelerating(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Return ∂a/∂x (nv, 3 nv) of ``total_acceleration``."""
    n = model.nv
    if model.loops:
        return _slope(model, accelerated, ("tau", n))(q, v, tau)
    by_q, by_v, by_tau = forward_dynamics_derivatives(model, q, v, tau + passive_forces(model, q, v))
    passive = _slope(model, passively)(q, v)
    by_q, by_v = by_q + by_tau @ passive[:, :n], by_v + by_tau @ passive[:, n : 2 * n]
    return np.concatenate([by_q, by_v, by_tau], axis=1)


def resistance(model: Model, x: Array, q: Array, v: Array, a: Array, h: Any) -> Array:
    """Return the passive forces of a semi-implicit step with acceleration a, at a displacement x of the state."""
    q, v = integrate(model, q, x[: model.nv]), v + x[model.nv : 2 * model.nv]
    terms = implicit_terms(model, q, v, h)
    return passive_forces(model, q, v) - terms.pull - terms.resistance(model, a)


def passively(model: Model, x: Array, q: Array, v: Array) -> Array:
    """Return the passive forces at a displacement x of the state."""
    return passive_forces(model, integrate(model, q, x[: model.nv]), v + x[model.nv : 2 * model.nv])


def _slope(model: Model, function: Callable[..., Array], *more: tuple[str, int]) -> Callable[..., Array]:
    """Return the derivative, on symbols, of a function of (model, x, q, v, …) by x (3 nv,) at x = 0."""
    shapes: dict[str, Any] = {name: (n,) if n else () for name, n in more}

    def make() -> Any:
        return differentiate(trace(bind(function, model, {"x": (3 * model.nv,), **shapes})), "x", model)

    program = derived(model, _slope, function.__name__, make=make)

    def gradient(*arrays: Any) -> Array:
        graph = next(e.graph for x in arrays for e in np.asarray(x, dtype=object).flat if hasattr(e, "graph"))
        given = [np.zeros(3 * model.nv), *(np.asarray(x, dtype=object) for x in arrays)]
        result: Array = replay(program, graph, given)[0]
        return result

    return gradient
