"""Laws that know what the hand is pushed with: shaped impedance, admittance, hybrid position and force.

``wrench`` (6,) is what acts on the hand from outside, [f; n] at the frame's origin in world axes, as a sensor measures
it: ``Surroundings(sensor=frame)``. The error of a pose is x̃ = [p − p_d; Log(R R_dᵀ)].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.control.bounds import AXES, POSE, POSITIVE, POSTURE, WRENCH, Numbers, of_hand, of_joints, rules
from linkwright.control.hand import freely, of_rows, operational_space, pose_error
from linkwright.control.joint_space import Motors, lean, require_driven
from linkwright.control.nested import require_open
from linkwright.control.references import Wanted, at
from linkwright.dynamics import (
    bias_forces,
    constraint_jacobian,
    jacobian,
    jacobian_dot_times_v,
    joint_forces,
    kinematic_hessian,
    mass_matrix,
    passive_forces,
    pose,
)
from linkwright.dynamics.frames.manipulability import NAMES, rows_of
from linkwright.errors import InputError, ShapeError
from linkwright.ik_solvers.solver import inputs_named
from linkwright.model.derived import derived
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, as_numbers, clip, is_symbolic, mirror
from linkwright.spatial.linalg import semidefinite_factors, solve_symmetric
from linkwright.spatial.rotation import rotation_exp
from linkwright.spatial.systems import solve

FREE = {"posture": POSTURE, "posture_stiffness": of_joints(), "posture_damping": of_joints()}
"""Rules of what is bound for the joints as far as the hand leaves them free."""


def _at_rest(model: Model, **bound: Any) -> dict[str, Array]:
    return {"offset": np.zeros(6), "rate": np.zeros(6)}


def _nothing_learned(model: Model, **bound: Any) -> Array:
    return np.zeros(6)


@control_law(
    check=rules(
        wrench=WRENCH,
        reference=POSE,
        inertia=of_hand("above zero"),
        stiffness=of_hand(),
        damping=of_hand(),
        **FREE,
    )
)
@takes_model
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
    posture_stiffness: Any = None,
    posture_damping: Any = 2.0,
    actuated: Motors = None,
) -> Array:
    """τ (nv,) with which the hand answers as M_d x̃¨ + D x̃˙ + K x̃ = w, an inertia of your choice (Hogan 1985).

    With ẍ = ẍ_d + M_d⁻¹(w − D x̃˙ − K x̃) it is `operational_space`'s τ less Jᵀw. V = ½ x̃˙ᵀM_d x̃˙ + ½ x̃ᵀK x̃ has
    V̇ = −x̃˙ᵀD x̃˙ + x̃˙ᵀw. Gains are numbers, (6,) or symmetric (6, 6), in world axes. ``directions``, as in
    `operational_space`: the hand answers so in these, and is free in the others. Held over a time h the law acts h/2
    late: the hand then shows D − K h/2 and M_d − D h/2. An inertia far from the hand's own Λ is a force that w makes
    less another: it is shown the worse, the later w is known.
    """
    rows = rows_of(directions)
    weight, damper, spring = (_matrix(of_rows(x, rows)) for x in (inertia, damping, stiffness))
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
        actuated=actuated,
    )
    return tau - J[rows].T @ wrench[rows]


@control_law(
    _at_rest,
    rules(
        wrench=WRENCH,
        reference=POSE,
        inertia=of_hand(),
        stiffness=of_hand(),
        damping=of_hand(),
        step=POSITIVE,
        tracking_stiffness=of_hand(matrix=False),
        tracking_damping=of_hand(matrix=False),
        **FREE,
    ),
)
@takes_model
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
    posture_stiffness: Any = None,
    posture_damping: Any = 2.0,
    actuated: Motors = None,
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
        actuated=actuated,
    )
    return tau - joint_forces(model, q, frame, wrench), {"offset": offset + step * after, "rate": after}


def _pressed_at_all(model: Model, bound: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for a force along what is not pressed: nothing would exert it."""
    force, pressed = bound.get("force"), bound.get("pressed")
    if force is None or pressed is None or callable(force) or is_symbolic(force):
        return
    idle = [k for k in range(6) if k not in rows_of(pressed)]
    if np.asarray(force)[..., idle].any():
        names = [NAMES[k] for k in idle if np.asarray(force)[..., k].any()]
        raise InputError(f"force is told along {', '.join(map(repr, names))}, and pressed is {pressed!r} alone")


@control_law(
    _nothing_learned,
    rules(
        _pressed_at_all,
        wrench=WRENCH,
        reference=POSE,
        force=WRENCH,
        stiffness=of_hand(matrix=False),
        damping=of_hand(matrix=False),
        integral=of_hand(matrix=False),
        force_damping=of_hand(matrix=False),
        step=POSITIVE,
        proportional=of_hand(matrix=False),
        task=AXES,
        limit=Numbers(lambda model, bound: [(), (6,)], "a number or (6,)", "zero or more", infinite=True),
        **FREE,
    ),
)
@takes_model
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
    posture_stiffness: Any = None,
    posture_damping: Any = 2.0,
    actuated: Motors = None,
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
    require_open(model, "hybrid")
    require_driven(model, actuated, "hybrid")
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
    learned = integral * state if limit is None else clip(integral * state, -limit, limit)
    F = told + proportional * lacking + learned - force_damping * (turn.T @ moved)
    x = along @ (acceleration - damping * (moved - velocity) - stiffness * error)
    free = freely(model, q, v, posture, posture_stiffness, posture_damping)
    M = mass_matrix(lean(model), q)  # and the bias: steps of a simulation have them too
    mobility = mirror(J @ solve_symmetric(M, J.T))
    pulled = solve_symmetric(mobility, x - jacobian_dot_times_v(model, q, v, frame) - J @ free)
    tau = M @ free + bias_forces(lean(model), q, v) + J.T @ (pulled + across @ (turn @ F) - along @ wrench)
    return tau - passive_forces(model, q, v), state + step * lacking


@takes_model
def compliance(model: Model, q: Array, stiffness: Any, frame: str, wrench: Array | None = None) -> Array:
    """C_x = J (K_q − ∂(Jᵀw)/∂q)⁻¹ Jᵀ (6, 6): how far the hand gives way to a small push, m/N, rad/(N m), world axes.

    ``stiffness`` of the joints: a number, (nv,) or (nv, nv), N m/rad. ``wrench`` (6,) is what loads the hand, [f; n]
    from outside: it makes the hand stiffer where it pulls and softer where it pushes (Salisbury 1980; Chen & Kao 2000).
    Its inverse, where it has one, is the stiffness of the hand. q and wrench may be batches, (…, nq) and (…, 6).

    Closed loops stay closed: with Z the motions that they allow, C_x = J Z (Zᵀ K_q Z)⁻¹ Zᵀ Jᵀ, so that joints without
    a spring have zero. What loops carry under a load depends on how their springs were tightened, which K_q does not
    tell: ``wrench`` is for mechanisms without. Raises :class:`~linkwright.errors.ArgumentError` for that.
    """
    if wrench is not None:
        require_open(model, "compliance under a wrench")
    for name, x, shapes, words in (
        (
            "stiffness",
            stiffness,
            [(), (model.nv,), (model.nv, model.nv)],
            f"a number, ({model.nv},) or {(model.nv,) * 2}",
        ),
        ("wrench", np.zeros(6) if wrench is None else wrench, None, "(…, 6)"),
    ):
        shape = np.shape(x)
        if (shape not in shapes) if shapes is not None else shape[-1:] != (6,):
            raise ShapeError(f"{name} has shape {shape}; expected {words} for {model.name!r}")
    K = stiffness if np.ndim(stiffness) == 2 else stiffness * np.eye(model.nv)
    given = (q, K) if wrench is None else (q, K, wrench)
    if is_symbolic(*given) or model.holds_symbols or model.sweeps_are_recorded:
        return _given_way(model, *given, frame=frame)
    sizes: dict[str, Any] = {"q": (model.nq,), "K": (model.nv, model.nv)} | ({} if wrench is None else {"wrench": (6,)})

    def make() -> Callable[..., Array]:
        def hand_compliance(model: Model, *given: Array) -> Array:
            return _given_way(model, *given, frame=frame)

        return compile_or_not(inputs_named(hand_compliance, sizes), model, **sizes)

    kernel: Callable[..., Array] = derived(model, compliance, frame, wrench is None, make=make)
    return kernel(*(as_numbers(name, x) for name, x in zip(sizes, given, strict=True)))


def _given_way(model: Model, q: Array, K: Array, wrench: Array | None = None, *, frame: str) -> Array:
    """The formula of :func:`compliance`, for K (nv, nv).

    Of loops with rows A: with S = K + r AᵀA, which is K on what they allow and has an inverse where K has one there, it
    is J (S⁻¹ − S⁻¹Aᵀ (A S⁻¹Aᵀ)⁺ A S⁻¹) Jᵀ whatever r is.
    """
    if wrench is not None:
        slopes = kinematic_hessian(model, q, frame)
        K = K - sum(wrench[k] * slopes[k] for k in range(6))
    J = jacobian(model, q, frame)
    if not model.loops:
        return J @ solve(K, J.T)
    A = constraint_jacobian(model, q) / scale_of(model).rows[:, None]
    held = A * scale_of(model).velocities
    own = K * np.outer(*[scale_of(model).velocities] * 2)
    size = np.trace(own) / np.trace(held.T @ held)
    moved = solve(K + size * (A.T @ A), np.concatenate([J.T, A.T], axis=1))
    by_hand, by_loops = moved[:, :6], moved[:, 6:]
    bearing = semidefinite_factors(mirror(A @ by_loops))
    freed = by_hand - by_loops @ np.stack([bearing.solve(x) for x in (A @ by_hand).T], axis=1)
    return J @ freed


def _matrix(x: Any) -> Array:
    """A gain as (6, 6)."""
    matrix: Array = x if np.ndim(x) == 2 else x * np.eye(6)
    return matrix
