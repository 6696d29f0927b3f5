"""Linearization of a simulation about a state: δ⁺ = A δ + B δτ, or its rate.

δ is (δq, δv): the configuration is q ⊕ Exp(δq), `integrate(model, q, δq)`, so that every joint has as many δ as
velocities. A step consists of accelerations, whose derivatives are known, and of placements, which are small matrices
joint by joint; the chain rule combines them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import positive
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.public import derivative, kernel_of, public
from linkwright.dynamics import (
    difference,
    forward_dynamics,
    forward_dynamics_derivatives,
    integrate,
    joint_forces,
    passive_forces,
    project,
)
from linkwright.dynamics.configuration import check, lie_bracket
from linkwright.dynamics.contact.smooth import pair_wrenches
from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import InputError, ShapeError
from linkwright.model.memo import kept
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step, constraints_of
from linkwright.simulation.integrators.methods import (
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
from linkwright.simulation.integrators.split_kernels import placing
from linkwright.simulation.preparation import suitable_method
from linkwright.simulation.setup import Integrator, integrator_of, takes_options
from linkwright.spatial.arrays import Array, as_numbers

Gradient = Callable[..., Array]

SWEEPS = 200
"""Number of sweeps of the contact solver, by default."""

TOLERANCE = 1e-6
"""m/s: its tolerance, by default"""

TOGETHER = 1
"""Number of directions of one forward pass through a step with impulses."""


@takes_options
@takes_numeric_model()
def linearize(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    step: float | None = None,
    method: IntegrationMethod | Integrator | None = None,
) -> tuple[Array, Array]:
    """Linearize a motion, or a step of its simulation, about a state.

    Parameters
    ----------
    model : Model
        Mechanism.
    q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
        Configuration, velocity and efforts.
    step : float, optional
        Step in s. Without it the result is that of the rate, δ̇ = A δ + B δτ; with it that of the state a step later,
        δ⁺ = A δ + B δτ, of the step of :func:`simulate` with the efforts held.
    method : str or Integrator, optional
        Method of integration of the step, its joint limits and its solver; by default the one of :func:`simulate`.

    Returns
    -------
    A : ndarray, shape (..., 2 nv, 2 nv)
        Derivative by the state δ = (δq, δv), with the configuration ``integrate(model, q, δq)``.
    B : ndarray, shape (..., 2 nv, nv)
        Derivative by the efforts.

    Raises
    ------
    InputError
        If q is no configuration, for "variational" and "dopri5", and for ``joint_limits`` without a step.

    Notes
    -----
    Springs, dampers, friction and closed loops are included. Contact of the model's pairs and joint limits act by
    impulses in steps of "semi_implicit"; in steps of Runge–Kutta methods and without ``step`` contact is a smooth
    force. At a switch the derivative is that of one side. Impulses take all iterations of the solver, 200 by default.
    Of a rotating joint δq is measured in its moving frame, as are velocities: δ̇q = δv − ad(v) δq at the velocity v
    ([v, δq] is ``lie_bracket``). At rest A = [[0, 1], [∂a/∂q, ∂a/∂v]].

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 8.2.

    Examples
    --------
    >>> import linkwright as lw
    >>> pendulum = lw.load("pendulum")
    >>> A, B = lw.linearize(pendulum, [0.1], [0.0], [0.0])
    >>> A.shape, B.shape
    ((2, 2), (2, 1))
    """
    integrator = integrator_of(method)
    integrator.require_double("linearize")
    solver, limits = integrator.solver, integrator.joint_limits
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
        if limits:
            raise InputError("joint limits act in steps: linearize(…, step=1e-3, method=Integrator(joint_limits=True))")
        if integrator.method is not None:
            raise InputError(f"method is for steps: linearize(…, step=1e-3, method={integrator.method!r})")
        J = _of_flow(model, q, v, tau)
        return J[..., : 2 * n], J[..., 2 * n :]
    h = positive("step", step, "s")
    used: str | None = integrator.method
    chosen = integrator.chosen
    explicit = used is not None and isinstance(chosen, Tableau)
    constraints = constraints_of(model, limits, solver or Solver(SWEEPS, TOLERANCE), not explicit)
    if constraints is not None and explicit:
        raise InputError(f"joint limits act in steps of 'semi_implicit'; got method={used!r}")
    if used is None:
        used = "semi_implicit" if constraints is not None else suitable_method(model, q, v, h)
        chosen = method_of(used)
    if isinstance(chosen, SemiImplicit) and constraints is not None:
        J = _of_impulses(model, constraints, q, v, tau, h)
    elif isinstance(chosen, SemiImplicit):
        J = _of_semi_implicit(model, q, v, tau, h)
    elif isinstance(chosen, Tableau):
        J = _of_stages(model, chosen, q, v, tau, h)
    else:
        raise InputError(f"a step of {used!r} is iterated, not a formula: take another method, or step=None")
    return J[..., : 2 * n], J[..., 2 * n :]


def _of_flow(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Return ∂(δ̇q, δ̇v)/∂x."""
    n = model.nv
    brackets = kernel_of(lie_bracket, model)(v[..., None, :], np.eye(n))  # [v, eᵢ] as rows
    rates = np.concatenate([-brackets.swapaxes(-1, -2), _wide(np.eye(n), v), _wide(np.zeros((n, n)), v)], axis=-1)
    return np.concatenate([rates, _accelerated_by(model)(q, v, tau)], axis=-2)


def _of_semi_implicit(model: Model, q: Array, v: Array, tau: Array, h: float) -> Array:
    """Return ∂δ⁺/∂x of a step that ends at v + h a and q ⊕ Exp(h (v + h a))."""
    n, x = model.nv, _wide(np.eye(3 * model.nv), v)
    end = v + h * kernel_of(implicitly_accelerated, model, x=(3 * n,), h=())(np.zeros(3 * n), q, v, tau, h)
    by_x = x[..., n : 2 * n, :] + h * _by_x(model, implicitly_accelerated, ("tau", n), ("h", 0))(q, v, tau, h)
    u = h * end
    by_q = _placing(model)(q, v, u, 0.0 * v)[..., :n, :] @ np.concatenate([x[..., :n, :], h * by_x, by_x], axis=-2)
    return _projected(model, integrating(model, q, u), end, np.concatenate([by_q, by_x], axis=-2))


def _of_impulses(model: Model, constraints: Constraints, q: Array, v: Array, tau: Array, h: float) -> Array:
    """Return ∂δ⁺/∂x of a step with impulses, some directions in each pass."""
    n = model.nv
    taken, changed = _with_impulses(model, replace(constraints, solver=replace(constraints.solver, tolerance=0.0)))
    end, velocity, p = taken(q, v, tau, h)
    count = -(-3 * n // TOGETHER)
    directions = np.eye(count * TOGETHER)[:, : 3 * n].reshape(count, *(1 for _ in q.shape[:-1]), TOGETHER, 3 * n)
    columns = changed(q, v, tau, h, p, end, velocity, directions, np.zeros(TOGETHER))
    return _projected(model, end, velocity, np.concatenate([*columns], axis=-1)[..., : 3 * n])


@kept
def _with_impulses(model: Model, constraints: Constraints) -> tuple[Kernel, Kernel]:
    """Return the kernel (q, v, tau, h) -> (q, v, impulses) of a step, and that of its derivative along directions."""
    n, size = model.nv, constraints.size(model)

    def taken(model: Model, q: Array, v: Array, tau: Array, h: Any) -> tuple[Array, Array, Array]:
        return constrained_step(model, q, v, tau, h, np.zeros(size), constraints)

    def along(
        model: Model,
        q: Array,
        v: Array,
        tau: Array,
        h: Any,
        p: Array,
        end: Array,
        velocity: Array,
        directions: Array,
        by: Array,
    ) -> Array:
        q, v, tau = _changed(model, by @ directions, q, v, tau)
        q, v, _ = constrained_step(model, q, v, tau, h, p, constraints)
        return np.concatenate([difference(model, end, q), v - velocity])

    sizes: dict[str, Any] = dict(h=(), p=(size,), end=(model.nq,), velocity=(n,))
    sizes |= dict(directions=(TOGETHER, 3 * n), by=(TOGETHER,))
    return compile(taken, model, h=()), compile(along, model, **sizes).derivative("by")


def _of_stages(model: Model, method: Tableau, q: Array, v: Array, tau: Array, h: float) -> Array:
    """Return ∂δ⁺/∂x of a Runge–Kutta step, stage by stage."""
    n, x = model.nv, _wide(np.eye(3 * model.nv), v)
    place, placed_by, accelerated_by = placing(model), _placing(model), _accelerated_by(model)
    accelerating = _accelerating(model)
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
            a = accelerating(there, velocity, tau)
            by_a = accelerated_by(there, velocity, tau) @ np.concatenate([state, x[..., 2 * n :, :]], axis=-2)
            rates.append((rate, a))
            changes.append((moved[..., n:, :], by_a))
    return _projected(model, there, velocity, state)


def _projected(model: Model, q: Array, v: Array, by_x: Array) -> Array:
    """Return the derivative of the state after projection on the loops."""
    return _by_x(model, closed)(q, v)[..., : 2 * model.nv] @ by_x if model.loops else by_x


def _wide(matrix: Array, v: Array) -> Array:
    """Return a matrix, broadcast to the batch."""
    return np.broadcast_to(matrix, (*v.shape[:-1], *matrix.shape))


integrating, forward, passive = public(integrate), public(forward_dynamics), public(passive_forces)
forward_derivatives = public(forward_dynamics_derivatives)
passive_by_q, passive_by_v = derivative(passive_forces, "q"), derivative(passive_forces, "v")


def _accelerated_by(model: Model) -> Gradient:
    """Return (q, v, tau) -> ∂a/∂x (…, nv, 3 nv) of ``touching_acceleration``."""
    if model.pairs:
        return _by_x(model, accelerated_touching, ("tau", model.nv))
    if model.loops:
        return _by_x(model, accelerated, ("tau", model.nv))

    def gradient(q: Array, v: Array, tau: Array) -> Array:
        by_q, by_v, by_tau = forward_derivatives(model, q, v, tau + passive(model, q, v))
        by_q = by_q + by_tau @ passive_by_q(model, q, v)
        by_v = by_v + by_tau @ passive_by_v(model, q, v)
        return np.concatenate([by_q, by_v, by_tau], axis=-1)

    return gradient


def _accelerating(model: Model) -> Gradient:
    """Return (q, v, tau) -> acceleration (…, nv) of ``touching_acceleration``."""
    if model.pairs:
        return kernel_of(touching_acceleration, model)
    return lambda q, v, tau: forward(model, q, v, tau + passive(model, q, v))


def _placing(model: Model) -> Gradient:
    """Return (q, v, u, w) -> derivative (…, 2 nv, 3 nv) of :func:`placed`."""
    return _by_x(model, placed, ("u", model.nv), ("w", model.nv))


@kept
def _by_x(model: Model, function: Callable[..., Array], *more: tuple[str, int]) -> Gradient:
    """Return the derivative of a function of (model, x, q, v, …) by x (3 nv,) at x = 0."""
    shapes: dict[str, Any] = {name: (n,) if n else () for name, n in more}
    kernel = compile(function, model, x=(3 * model.nv,), **shapes).derivative("x")
    still = np.zeros(3 * model.nv)
    return lambda *arrays: kernel(still, *arrays)


# functions of a change x


def accelerated(model: Model, x: Array, q: Array, v: Array, tau: Array) -> Array:
    """Return the acceleration (nv,) after a change x = (δq, δv, δτ) of a state and its efforts."""
    return total_acceleration(model, *_changed(model, x, q, v, tau))


def accelerated_touching(model: Model, x: Array, q: Array, v: Array, tau: Array) -> Array:
    """Return :func:`touching_acceleration` (nv,) after a change x = (δq, δv, δτ)."""
    return touching_acceleration(model, *_changed(model, x, q, v, tau))


def touching_acceleration(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Return the acceleration (nv,) under efforts, passive forces and smooth contact."""
    for frame, wrench in pair_wrenches(model, q, v).items():
        tau = tau + joint_forces(model, q, frame, wrench)
    return total_acceleration(model, q, v, tau)


def implicitly_accelerated(model: Model, x: Array, q: Array, v: Array, tau: Array, h: Any) -> Array:
    """Return the acceleration (nv,) of a step of "semi_implicit" after a change x = (δq, δv, δτ)."""
    q, v, tau = _changed(model, x, q, v, tau)
    terms = implicit_terms(model, q, v, h)
    return implicit_acceleration(model, q, v, tau + passive_forces(model, q, v) - terms.pull, terms)


def placed(model: Model, x: Array, q: Array, v: Array, u: Array, w: Array) -> Array:
    """Return the change of q ⊕ Exp(u), and the rate u̇ at the velocity v + w, after a change x = (δq, δu, δv)."""
    n = model.nv
    there = integrate(model, q, u)
    moved = integrate(model, integrate(model, q, x[:n]), u + x[n : 2 * n])
    rate = inverse_exponential_rate(model, u + x[n : 2 * n], v + w + x[2 * n :])
    return np.concatenate([difference(model, there, moved), rate])


def closed(model: Model, x: Array, q: Array, v: Array) -> Array:
    """Return the change (2 nv,) of the projected state after a change x = (δq, δv, 0)."""
    q0, v0 = project(model, q, v)
    q1, v1 = project(model, *_changed(model, x, q, v, v)[:2])
    return np.concatenate([difference(model, q0, q1), v1 - v0])


def _changed(model: Model, x: Array, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
    n = model.nv
    return integrate(model, q, x[:n]), v + x[n : 2 * n], tau + x[2 * n :]
