"""The variational midpoint rule: symplectic, on the configuration manifold.

A step goes from q₀ to q₁ = q₀ ⊕ Exp(h v) through the middle q̄ = q₀ ⊕ Exp(h v/2) at the constant velocity v. With the
Lagrangian ℓ = ½ vᵀMv − V, p̄ = M(q̄) v and f̄ = ∂ℓ/∂q (q̄, v), the discrete Lagrangian h ℓ(q̄, v) has the momenta

    p₀ = J_l(hv)⁻ᵀ (p̄ − ½h J_l(hv/2)ᵀ f̄)        p₁ = J_r(hv)⁻ᵀ (p̄ + ½h J_r(hv/2)ᵀ f̄)

at its ends (minus and plus its derivatives there; p = M v), with J_l and J_r the left and the right Jacobian of Exp.
The first is solved for v. Efforts, dampers and friction are added to f̄ (discrete Lagrange–d'Alembert principle). Closed
loops push at the ends of a step: along K(q₀)ᵀ so that q₁ is closed, along K(q₁)ᵀ so that the velocity there is allowed.

Sources: Marsden & West, "Discrete mechanics and variational integrators", Acta Numerica 2001 (the midpoint rule, forces
and constraints); Lee, Leok & McClamroch, "Lie group variational integrators for the full body problem", 2007; Hairer,
Lubich & Wanner, "Geometric Numerical Integration", 2006, ch. VI and IX. For plain coordinates without loops it is the
implicit midpoint rule in (q, p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.closed_loops.forces import constrained
from linkwright.dynamics.configuration import exp_gradient, exp_gradient_inverse, integrate
from linkwright.dynamics.kinematics import body_velocities
from linkwright.errors import warn
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import Options, with_added_armature
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import force_to_parent, motion_to_child
from linkwright.spatial.vectors import motion_cross

ITERATIONS = 100
"""Largest number of iterations of a step; five to ten are usual."""

EXACT, STALLED = 1e-15, 1e-10
"""Convergence: relative change of the velocity below the first number, or below the second and no longer decreasing."""


def momentum_and_force(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """p = M v and ∂ℓ/∂q (nv,), ℓ = ½ vᵀMv − V of gravity, v held: by δ in integrate(q, δ).

    A joint that moves by S δ turns and carries all velocities beyond it against the twist V_p of its parent: by
    V_p × S δ, of P, the momentum beyond, ½ vᵀMv changes by P·(V_p × S δ + ∂(S v)/∂δ).
    """
    x, rates = model.coordinates(q), model.rates(v)
    T, S = model.each(transform, x), model.each(motion_subspace, x)

    def outward(link: Link, parent: Array, T: Array) -> Array:
        return motion_to_child(T, parent)

    def inward(
        link: Link, received: tuple[Array, Array], T: Array, S: Array, q: Array, v: Array, V: Array, g: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        P, W = link.rigid_inertia.times(V) + received[0], link.rigid_inertia.times(g) + received[1]
        moved = motion_cross(V - S @ v) @ S
        own = [link.motion_subspace_rate(q, unit) @ v for unit in np.eye(link.motion.nv)]
        moved = moved + np.stack(own, axis=1) if own else moved
        kept = S.T @ P + link.armature * v, moved.T @ P + S.T @ W
        return kept, (force_to_parent(T, P), force_to_parent(T, W))

    V = body_velocities(model, q, v)
    g = model.outward(outward, np.concatenate([model.gravity, np.zeros(3)]), T)
    kept, _ = model.inward(inward, (np.zeros(6), np.zeros(6)), T, S, x, rates, V, g)
    return model.assemble([p for p, _ in kept]), model.assemble([f for _, f in kept])


def momentum(model: Model, q: Array, v: Array) -> Array:
    """Return p = M v (nv,)."""
    return momentum_and_force(model, q, v)[0]


def in_the_middle(model: Model, q: Array, v: Array, tau: Array, h: Any) -> tuple[Array, Array, Array]:
    """Return q̄, p̄ and f̄ of the step from q at the velocity v, forces included."""
    middle = integrate(model, q, (0.5 * h) * v)
    p, f = momentum_and_force(model, middle, v)
    return middle, p, f + tau + dynamics.passive_forces(model, middle, v) - rotor_turning(model, v)


def rotor_turning(model: Model, v: Array) -> Array:
    """Return A v · [v, δ] (nv,), with the armature A: the change of the rotors' momentum by the rotation of their axes.

    This applies to joints with several axes. By convention (`docs/reference/conventions.md`) armature is not in the
    bias, so this term is subtracted; it does no work.
    """
    turning = []
    for joint, v_k in zip(model.joints, model.rates(v), strict=True):
        if joint.motion.nv > 1 and np.any(joint.armature):
            axes = [joint.motion.bracket(v_k, unit) for unit in np.eye(joint.motion.nv)]
            turning.append(np.stack(axes) @ (joint.armature * v_k))
        else:
            turning.append(np.zeros(joint.motion.nv))
    return model.assemble(turning)


def missing_momentum(model: Model, p0: Array, p: Array, f: Array, v: Array, h: Any) -> Array:
    """Return J_l(hv)ᵀ p₀ − p̄ + ½h J_l(hv/2)ᵀ f̄ (nv,), zero at the solution. J_l(u) = J_r(−u)."""
    return exp_gradient(model, -h * v, p0) - p + (0.5 * h) * exp_gradient(model, (-0.5 * h) * v, f)


def improve(model: Model, q: Array, p0: Array, v: Array, tau: Array, h: Any, options: Options) -> Array:
    """Return one simplified Newton iteration for v, with M + ½h D + ¼h² K as the derivative."""
    middle, p, f = in_the_middle(model, q, v, tau, h)
    heavy = _heavier(model, middle, v, h)
    return v + dynamics.forward_dynamics(
        heavy, middle, np.zeros(model.nv), missing_momentum(model, p0, p, f, v, h), **options
    )


def improve_closing(
    model: Model, q: Array, p0: Array, multipliers: Array, v: Array, tau: Array, h: Any
) -> tuple[Array, Array]:
    """Return the same with loops, for v and the multipliers (m,) at q that close the loops at the end of the step."""
    _, p, f = in_the_middle(model, q, v, tau, h)
    pushed = p0 + dynamics.constraint_jacobian(model, q).T @ multipliers
    opening = dynamics.constraint_residual(model, integrate(model, q, h * v)) / h
    system = constrained(_heavier(model, q, v, h), q, missing_momentum(model, pushed, p, f, v, h), opening)
    return v + system.motion(), multipliers + system.multipliers()


def arrive(model: Model, q: Array, v: Array, tau: Array, h: Any, options: Options) -> tuple[Array, Array]:
    """Return q₁ and the velocity there: M v₁ = p₁, and with loops + Kᵀλ so that K v₁ = 0."""
    _, p, f = in_the_middle(model, q, v, tau, h)
    u = h * v
    p1 = exp_gradient_inverse(model, u, p + (0.5 * h) * exp_gradient(model, 0.5 * u, f))
    end = integrate(model, q, u)
    return end, dynamics.forward_dynamics(weightless(model), end, np.zeros(model.nv), p1, **options)


def weightless(model: Model) -> Model:
    """Return the model without gravity, whose accelerations at rest are M⁻¹ times efforts."""
    return with_added_armature(replace(model, gravity=np.zeros(3)), [0.0 * joint.armature for joint in model.joints])


def _heavier(model: Model, q: Array, v: Array, h: Any) -> Model:
    """Return the model without gravity, with ½h D + ¼h² K of dampers, friction and joint springs."""
    added = [
        (0.5 * h) * dynamics.damping_coefficient(joint, v_k) + (0.25 * h * h) * dynamics.spring_stiffness(joint, q_k)
        for joint, q_k, v_k in zip(model.joints, model.coordinates(q), model.rates(v), strict=True)
    ]
    return with_added_armature(replace(model, gravity=np.zeros(3)), added)


def variational_step_function(
    model: Model, options: Options
) -> Callable[[Array, Array, Array, float], tuple[Array, Array]]:
    """Return the step function (q, v, tau, h) -> (q, v) for any batch. Rows that do not converge become NaN, with a
    warning."""
    nv, loops = model.nv, bool(model.loops)
    rows = len(dynamics.constraint_residual(model, model.neutral())) if loops else 0

    def better(model: Model, q: Array, p0: Array, v: Array, tau: Array, h: Any) -> Array:
        return improve(model, q, p0, v, tau, h, options)

    def end(model: Model, q: Array, v: Array, tau: Array, h: Any) -> tuple[Array, Array]:
        return arrive(model, q, v, tau, h, options)

    begin = compile_or_not(momentum, model)
    if loops:
        closing = compile_or_not(improve_closing, model, p0=(nv,), multipliers=(rows,), h=())
    else:
        free = compile_or_not(better, model, p0=(nv,), h=())
    finish = compile_or_not(end, model, h=())

    def take(q: Array, v: Array, tau: Array, h: float) -> tuple[Array, Array]:
        p0, rate, push = begin(q, v), v, np.zeros((*v.shape[:-1], rows))
        there = np.isfinite(v).all(axis=-1) & np.isfinite(q).all(axis=-1)  # others have ended before
        going = there
        before, first = np.full(v.shape[:-1], np.inf), None
        for _ in range(ITERATIONS):
            found, pushed = closing(q, p0, push, rate, tau, h) if loops else (free(q, p0, rate, tau, h), push)
            change = np.abs(found - rate).max(axis=-1, initial=0.0)
            first = change if first is None else first
            rate = np.where(going[..., None], found, rate)
            push = np.where(going[..., None], pushed, push)
            size = np.abs(rate).max(axis=-1, initial=0.0) + first
            done = (change <= EXACT * size) | ((change <= STALLED * size) & (change >= 0.5 * before))
            going = going & ~done & np.isfinite(change)
            before = change
            if not going.any():
                break
        q_next, v_next = finish(q, rate, tau, h)
        going = there & (going | ~np.isfinite(rate).all(axis=-1))
        if going.any():
            warn(
                f"{going.sum()} of {going.size} steps of {h:g} s of {model.name!r} did not converge in {ITERATIONS} "
                "iterations of method 'variational': the motion is too fast, or its friction too stiff, for so long a "
                "step, and ends here; take a smaller one",
            )
            lost = np.where(going, np.nan, 0.0)[..., None]
            q_next, v_next = q_next + lost, v_next + lost
        return q_next, v_next

    return take
