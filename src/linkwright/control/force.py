"""Laws that know what the hand is pushed with: shaped impedance, admittance, hybrid position and force.

``wrench`` (6,) is what acts on the hand from outside, [f; n] at the frame's origin in world axes, as a sensor measures
it: ``simulate(…, sensor=frame)``. The error of a pose is x̃ = [p − p_d; Log(R R_dᵀ)].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.control.hand import operational_space, pose_error
from linkwright.control.joint_space import lean
from linkwright.control.references import Wanted, at
from linkwright.dynamics import (
    bias_forces,
    difference,
    jacobian,
    jacobian_dot_times_v,
    joint_forces,
    kinematic_hessian,
    mass_matrix,
    passive_forces,
    pose,
)
from linkwright.dynamics.manipulability import rows_of
from linkwright.errors import ShapeError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, clip, mirror
from linkwright.spatial.linalg import solve_symmetric
from linkwright.spatial.rotation import rotation_exp
from linkwright.spatial.systems import solve


def shaped_impedance(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    inertia: Any,
    stiffness: Any,
    damping: Any,
    directions: str | Sequence[str] = "all",
    posture: Array | None = None,
    posture_stiffness: Any = 0.0,
    posture_damping: Any = 2.0,
) -> Array:
    """τ (nv,) with which the hand answers as M_d x̃¨ + D x̃˙ + K x̃ = w, an inertia of your choice (Hogan 1985).

    With ẍ = ẍ_d + M_d⁻¹(w − D x̃˙ − K x̃) it is `operational_space`'s τ less Jᵀw. V = ½ x̃˙ᵀM_d x̃˙ + ½ x̃ᵀK x̃ has
    V̇ = −x̃˙ᵀD x̃˙ + x̃˙ᵀw. Gains are numbers, (6,) or symmetric (6, 6), in world axes. ``directions``, as in
    `operational_space`: the hand answers so in these, and is free in the others. Held over a time h the law acts h/2
    late: the hand then shows D − K h/2 and M_d − D h/2. An inertia far from the hand's own Λ is a force that w makes
    less another: it is shown the worse, the later w is known.
    """
    rows = rows_of(directions)
    weight, damper, spring = (_matrix(x) for x in (inertia, damping, stiffness))
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    J = jacobian(model, q, frame)
    error = pose_error(pose(model, q, frame), wanted)
    asked = (wrench - damper @ (J @ v - velocity) - spring @ error)[rows]
    given = solve_symmetric(weight[np.ix_(rows, rows)], asked)
    acceleration = acceleration + np.eye(6)[:, rows] @ given

    def moving(t: Any) -> tuple[Array, Array, Array]:
        return wanted, velocity, acceleration

    tau = operational_space(
        model,
        t,
        q,
        v,
        frame=frame,
        reference=moving,
        stiffness=0.0,
        damping=0.0,
        posture=posture,
        posture_stiffness=posture_stiffness,
        posture_damping=posture_damping,
        directions=directions,
    )
    return tau - J[rows].T @ wrench[rows]


def admittance(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: dict[str, Array],
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    inertia: Any,
    stiffness: Any,
    damping: Any,
    step: Any,
    tracking_stiffness: Any,
    tracking_damping: Any,
    posture: Array | None = None,
    posture_stiffness: Any = 0.0,
    posture_damping: Any = 2.0,
) -> tuple[Array, dict[str, Array]]:
    """τ (nv,) with which the hand tracks a reference that gives way, M_d x̃¨ + D x̃˙ + K x̃ = w; and the next state.

    The state is {"offset": x̃, "rate": x̃˙}, (6,) each, and starts at zero; it is integrated by implicit steps of
    ``step`` (s), how often the law is asked, so that M_d may be zero where D is not. `operational_space` tracks the
    pose that is off by x̃ with ``tracking_stiffness`` (1/s²) and ``tracking_damping`` (1/s), and Jᵀw is taken off.

    On a surface of stiffness k, all lags T together: without M_d and K it is stable where k T/D < π/2; with M_d where
    D > k sin(ωT)/ω at the ω of k cos ωT = M_d ω². That asks for the more damping the harder the surface is.
    """
    weight, damper, spring = (_matrix(x) for x in (inertia, damping, stiffness))
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    offset, rate = state["offset"], state["rate"]
    pushed = weight @ rate + step * (wrench - spring @ offset)
    after = solve_symmetric(weight + step * damper + step * step * spring, pushed)
    turned = rotation_exp(offset[3:]) @ wanted[:3, :3]
    shifted = (wanted[:3, 3] + offset[:3]).reshape(3, 1)
    place = np.concatenate([np.concatenate([turned, shifted], axis=1), np.array([[0.0, 0.0, 0.0, 1.0]])])

    def moving(t: Any) -> tuple[Array, Array, Array]:
        return place, velocity + rate, acceleration + (after - rate) / step

    tau = operational_space(
        model,
        t,
        q,
        v,
        frame=frame,
        reference=moving,
        stiffness=tracking_stiffness,
        damping=tracking_damping,
        posture=posture,
        posture_stiffness=posture_stiffness,
        posture_damping=posture_damping,
    )
    return tau - joint_forces(model, q, frame, wrench), {"offset": offset + step * after, "rate": after}


def hybrid(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: Array,
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    force: Array | Callable[[Any], Array],
    pressed: str | Sequence[str],
    stiffness: Any,
    damping: Any,
    integral: Any,
    force_damping: Any,
    step: Any,
    proportional: Any = 1.0,
    task: Array | None = None,
    limit: Any = None,
    posture: Array | None = None,
    posture_stiffness: Any = 0.0,
    posture_damping: Any = 2.0,
) -> tuple[Array, Array]:
    """τ (nv,) with which the hand presses in some directions and follows a path in the others; and the next state.

    ``pressed`` are the directions of the task frame, some of "x", "y", "z", "rx", "ry", "rz", in which the hand exerts
    ``force`` (6,), [f; n] in axes of the task, or t -> (6,); in the others it has ẍ = ẍ_d − K_d (ẋ − ẋ_d) − K x̃, as in
    `operational_space` (Raibert & Craig 1981; Khatib 1987). ``task`` (3, 3) has the task's axes as columns; None: the
    world's. With Ω what selects the directions of the path and Ω̄ = 1 − Ω, in world axes,

        τ = Jᵀ(Λ(Ω ẍ − J̇ v) + Ω̄ F_f + J̄ᵀ(C v + g) − Ω w) + N τ₀ − passive,   F_f = F_d + k_p (F_d − F) + k_i z − d ẋ

    F = −w being what the hand exerts and ż = F_d − F (z (6,), the state, in axes of the task, starts at zero; ``limit``
    bounds k_i z). On a surface of any stiffness it is stable where k_i < d/λ_n, λ_n = 1/(Λ⁻¹)_nn, without delay.
    ``proportional`` is k_p, ``integral`` k_i (1/s), ``force_damping`` d (N s/m, N m s/rad), ``step`` (s) how often the
    law is asked.
    """
    R = np.eye(3) if task is None else task
    if np.shape(R) != (3, 3):
        raise ShapeError(f"task has shape {np.shape(R)}; expected (3, 3), its axes as columns")
    told = force(t) if callable(force) else force
    if np.shape(told) != (6,):
        raise ShapeError(f"force has shape {np.shape(told)}; expected (6,), [f; n] in axes of the task")
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    pressing = np.zeros(6)
    pressing[rows_of(pressed)] = 1.0
    turn = np.concatenate(
        [np.concatenate([R, np.zeros((3, 3))], axis=1), np.concatenate([np.zeros((3, 3)), R], axis=1)]
    )
    across = turn @ (pressing[:, None] * turn.T)
    along = turn @ ((1.0 - pressing)[:, None] * turn.T)
    J = jacobian(model, q, frame)
    moved = J @ v
    error = pose_error(pose(model, q, frame), wanted)
    lacking = pressing * (told + turn.T @ wrench)
    learnt = integral * state if limit is None else clip(integral * state, -limit, limit)
    F = told + proportional * lacking + learnt - force_damping * (turn.T @ moved)
    x = along @ (acceleration - damping * (moved - velocity) - stiffness * error)
    free = -posture_damping * v
    if posture is not None:
        free = free + posture_stiffness * difference(model, q, posture)
    M = mass_matrix(lean(model), q)  # and the bias: steps of a simulation have them too
    mobility = mirror(J @ solve_symmetric(M, J.T))
    pulled = solve_symmetric(mobility, x - jacobian_dot_times_v(model, q, v, frame) - J @ free)
    tau = M @ free + bias_forces(lean(model), q, v) + J.T @ (pulled + across @ (turn @ F) - along @ wrench)
    return tau - passive_forces(model, q, v), state + step * lacking


def _at_rest(model: Model, **bound: Any) -> dict[str, Array]:
    return {"offset": np.zeros(6), "rate": np.zeros(6)}


def _nothing_learnt(model: Model, **bound: Any) -> Array:
    return np.zeros(6)


admittance.start = _at_rest  # type: ignore[attr-defined]
hybrid.start = _nothing_learnt  # type: ignore[attr-defined]


def compliance(model: Model, q: Array, stiffness: Any, frame: str, wrench: Array | None = None) -> Array:
    """C_x = J (K_q − ∂(Jᵀw)/∂q)⁻¹ Jᵀ (6, 6): how far the hand gives way to a small push, m/N, rad/(N m), world axes.

    ``stiffness`` of the joints: a number, (nv,) or (nv, nv), N m/rad. ``wrench`` (6,) is what loads the hand, [f; n]
    from outside: it makes the hand stiffer where it pulls and softer where it pushes (Salisbury 1980; Chen & Kao 2000).
    Its inverse, where it has one, is the stiffness of the hand.
    """
    K = stiffness if np.ndim(stiffness) == 2 else stiffness * np.eye(model.nv)
    if wrench is not None:
        slopes = kinematic_hessian(model, q, frame)
        K = K - sum(wrench[k] * slopes[k] for k in range(6))
    J = jacobian(model, q, frame)
    return J @ solve(K, J.T)


def _matrix(x: Any) -> Array:
    """A gain as (6, 6)."""
    matrix: Array = x if np.ndim(x) == 2 else x * np.eye(6)
    return matrix
