"""What is simulated, linear about a state: δ⁺ = A δ + B δτ, or its rate.

δ is (δq, δv): the configuration is q ⊕ Exp(δq), `integrate(model, q, δq)`, so that every joint has as many δ as it has
velocities. A step is taken apart as it is made: into accelerations, whose derivatives are known, and placements, which
are small, joint by joint. Their chain rule is matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.compiler.public import derivative, kernel_of, public
from linkwright.dynamics import (
    difference,
    forward_dynamics,
    forward_dynamics_derivatives,
    integrate,
    passive_forces,
    project,
)
from linkwright.dynamics.configuration import check, lie_bracket
from linkwright.dynamics.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, explained
from linkwright.model.derived import kept
from linkwright.model.tree import Model
from linkwright.simulation.integrators import (
    IntegrationMethod,
    SemiImplicit,
    Tableau,
    implicit_acceleration,
    implicit_terms,
    increments,
    inverse_exponential_rate,
    method_of,
    total_acceleration,
)
from linkwright.simulation.parts import placing
from linkwright.simulation.running import suitable_method
from linkwright.spatial.arrays import Array, as_numbers

Gradient = Callable[..., Array]


@explained
def linearize(
    model: Model, q: Any, v: Any, tau: Any, step: float | None = None, method: IntegrationMethod | None = None
) -> tuple[Array, Array]:
    """(A, B) of small changes of a motion: A (…, 2 nv, 2 nv) by the state and B (…, 2 nv, nv) by the efforts.

    The state is δ = (δq, δv) about ``q`` (…, nq), ``v`` (…, nv), with the configuration ``integrate(model, q, δq)``,
    and efforts about ``tau`` (…, nv). Without ``step`` A and B give its rate, δ̇ = A δ + B δτ; with one (s) they give
    the state a step later, δ⁺ = A δ + B δτ, of the step that :func:`simulate` takes: its ``method`` if none is named,
    the efforts held. Springs, dampers, friction and closed loops are part of it, as in ``simulate``.

    Of a joint that turns about a point δq is seen from its own moving frame, as are velocities: at a velocity v
    δ̇q = δv − ad(v) δq (Lynch & Park 2017, §8.2; [v, δq] is ``lie_bracket``). At rest A = [[0, 1], [∂a/∂q, ∂a/∂v]].

    Raises :class:`~linkwright.errors.InputError` for what is no state, for "variational", which is no formula, and
    for steps that are not positive.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"linearize: the first argument is a Model; got {model!r}")
    check(model, q)
    arrays = [as_numbers(name, x) for name, x in (("q", q), ("v", v), ("tau", tau))]
    for name, x in zip(("v", "tau"), arrays[1:], strict=True):
        if x.shape[-1:] != (model.nv,):
            raise ShapeError(f"{name} has shape {x.shape}; expected (…, {model.nv}) for {model.name!r}")
        if not np.isfinite(x).all():
            raise InputError(f"{name} is not finite")
    require_mass(model)
    try:
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    except ValueError:
        raise ShapeError(f"q, v and tau do not broadcast: {[x.shape for x in arrays]}") from None
    q, v, tau = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays)
    n = model.nv
    if step is None:
        if method is not None:
            raise InputError(f"method is for steps: linearize(…, step=1e-3, method={method!r})")
        J = _of_flow(model, q, v, tau)
        return J[..., : 2 * n], J[..., 2 * n :]
    if not (isinstance(step, (int, float, np.number)) and np.isfinite(step) and step > 0):
        raise InputError(f"step must be a positive number of seconds; got {step!r}")
    h = float(step)
    chosen = method_of(method or suitable_method(model, q, v, h))
    if isinstance(chosen, SemiImplicit):
        J = _of_semi_implicit(model, q, v, tau, h)
    elif isinstance(chosen, Tableau):
        J = _of_stages(model, chosen, q, v, tau, h)
    else:
        raise InputError(f"a step of {method!r} is iterated, not a formula: take another method, or step=None")
    return J[..., : 2 * n], J[..., 2 * n :]


def _of_flow(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """∂(δ̇q, δ̇v)/∂x."""
    n = model.nv
    brackets = kernel_of(lie_bracket, model)(v[..., None, :], np.eye(n))  # [v, eᵢ] as rows
    rates = np.concatenate([-brackets.swapaxes(-1, -2), _wide(np.eye(n), v), _wide(np.zeros((n, n)), v)], axis=-1)
    return np.concatenate([rates, _accelerating(model)(q, v, tau)], axis=-2)


def _of_semi_implicit(model: Model, q: Array, v: Array, tau: Array, h: float) -> Array:
    """∂δ⁺/∂x of a step that ends at v + h a and q ⊕ Exp(h (v + h a))."""
    n, x = model.nv, _wide(np.eye(3 * model.nv), v)
    end = v + h * kernel_of(implicitly_accelerated, model, x=(3 * n,), h=())(np.zeros(3 * n), q, v, tau, h)
    by_x = x[..., n : 2 * n, :] + h * _by_x(model, implicitly_accelerated, ("tau", n), ("h", 0))(q, v, tau, h)
    u = h * end
    by_q = _placing(model)(q, v, u, 0.0 * v)[..., :n, :] @ np.concatenate([x[..., :n, :], h * by_x, by_x], axis=-2)
    return _projected(model, integrating(model, q, u), end, np.concatenate([by_q, by_x], axis=-2))


def _of_stages(model: Model, method: Tableau, q: Array, v: Array, tau: Array, h: float) -> Array:
    """∂δ⁺/∂x of a Runge–Kutta step, stage by stage."""
    n, x = model.nv, _wide(np.eye(3 * model.nv), v)
    place, placed_by, accelerated_by = placing(model), _placing(model), _accelerating(model)
    rates: list[tuple[Array, Array]] = []
    changes: list[tuple[Array, Array]] = []
    for row in (*method.stages, method.weights):
        u, w = increments(row, h, rates) if rates else (0.0 * v, 0.0 * v)
        by_u, by_w = increments(row, h, changes) if changes else (0.0 * x[..., :n, :], 0.0 * x[..., :n, :])
        there, velocity, rate = place(q, v, u, w)
        by_v = x[..., n : 2 * n, :] + by_w
        moved = placed_by(q, v, u, w) @ np.concatenate([x[..., :n, :], by_u, by_v], axis=-2)
        state = np.concatenate([moved[..., :n, :], by_v], axis=-2)
        if len(rates) < len(method.stages):
            a = forward(model, there, velocity, tau + passive(model, there, velocity))
            by_a = accelerated_by(there, velocity, tau) @ np.concatenate([state, x[..., 2 * n :, :]], axis=-2)
            rates.append((rate, a))
            changes.append((moved[..., n:, :], by_a))
    return _projected(model, there, velocity, state)


def _projected(model: Model, q: Array, v: Array, by_x: Array) -> Array:
    """The same of the state with its loops closed, as after every step."""
    return _by_x(model, closed)(q, v)[..., : 2 * model.nv] @ by_x if model.loops else by_x


def _wide(matrix: Array, v: Array) -> Array:
    """A matrix for every row of a batch."""
    return np.broadcast_to(matrix, (*v.shape[:-1], *matrix.shape))


integrating, forward, passive = public(integrate), public(forward_dynamics), public(passive_forces)
forward_derivatives = public(forward_dynamics_derivatives)
passive_by_q, passive_by_v = derivative(passive_forces, "q"), derivative(passive_forces, "v")


def _accelerating(model: Model) -> Gradient:
    """(q, v, tau) -> ∂a/∂x (…, nv, 3 nv) of ``total_acceleration``."""
    if model.loops:
        return _by_x(model, accelerated, ("tau", model.nv))

    def gradient(q: Array, v: Array, tau: Array) -> Array:
        by_q, by_v, by_tau = forward_derivatives(model, q, v, tau + passive(model, q, v))
        by_q = by_q + by_tau @ passive_by_q(model, q, v)
        by_v = by_v + by_tau @ passive_by_v(model, q, v)
        return np.concatenate([by_q, by_v, by_tau], axis=-1)

    return gradient


def _placing(model: Model) -> Gradient:
    """(q, v, u, w) -> the derivative (…, 2 nv, 3 nv) of :func:`placed`."""
    return _by_x(model, placed, ("u", model.nv), ("w", model.nv))


@kept
def _by_x(model: Model, function: Callable[..., Array], *more: tuple[str, int]) -> Gradient:
    """The derivative of a function of (model, x, q, v, …) by x (3 nv,) at x = 0."""
    shapes: dict[str, Any] = {name: (n,) if n else () for name, n in more}
    kernel = compile(function, model, x=(3 * model.nv,), **shapes).derivative("x")
    still = np.zeros(3 * model.nv)
    return lambda *arrays: kernel(still, *arrays)


# functions of a change x


def accelerated(model: Model, x: Array, q: Array, v: Array, tau: Array) -> Array:
    """The acceleration (nv,) a change x = (δq, δv, δτ) from a state and its efforts."""
    return total_acceleration(model, *_changed(model, x, q, v, tau))


def implicitly_accelerated(model: Model, x: Array, q: Array, v: Array, tau: Array, h: Any) -> Array:
    """The same of a step of "semi_implicit"."""
    q, v, tau = _changed(model, x, q, v, tau)
    terms = implicit_terms(model, q, v, h)
    return implicit_acceleration(model, q, v, tau + passive_forces(model, q, v) - terms.pull, terms)


def placed(model: Model, x: Array, q: Array, v: Array, u: Array, w: Array) -> Array:
    """How a change x = (δq, δu, δv) changes q ⊕ Exp(u), as seen there, and the rate u̇ at the velocity v + w."""
    n = model.nv
    there = integrate(model, q, u)
    moved = integrate(model, integrate(model, q, x[:n]), u + x[n : 2 * n])
    rate = inverse_exponential_rate(model, u + x[n : 2 * n], v + w + x[2 * n :])
    return np.concatenate([difference(model, there, moved), rate])


def closed(model: Model, x: Array, q: Array, v: Array) -> Array:
    """How a change x = (δq, δv, 0) changes the state with its loops closed (2 nv,)."""
    q0, v0 = project(model, q, v)
    q1, v1 = project(model, *_changed(model, x, q, v, v)[:2])
    return np.concatenate([difference(model, q0, q1), v1 - v0])


def _changed(model: Model, x: Array, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
    n = model.nv
    return integrate(model, q, x[:n]), v + x[n : 2 * n], tau + x[2 * n :]
