"""Controllers with a force sensor: shaped impedance, admittance, hybrid position and force control.

``wrench`` (6,) is the external wrench on the hand, [f; n] at the frame's origin in world axes, as a sensor measures
it: ``Surroundings(sensor=frame)``. The pose error is x̃ = [p − p_d; Log(R R_dᵀ)].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.control.bounds import AXES, POSE, POSITIVE, POSTURE, WRENCH, Numbers, of_hand, of_joints, rules
from linkwright.control.hand import freely, of_rows, operational_space, pose_error
from linkwright.control.joint_space import Motors, lean, require_driven
from linkwright.control.nested_controllers import require_open
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
from linkwright.errors import ArgumentError, InputError, ShapeError, explained
from linkwright.ik_solvers.search.solver import inputs_named
from linkwright.model.equality import ByValue
from linkwright.model.memo import derived
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.provided import accepts_sympy
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, as_numbers, clip, is_symbolic, mirror
from linkwright.spatial.linear_algebra.linalg import semidefinite_factors, solve_symmetric
from linkwright.spatial.linear_algebra.systems import solve
from linkwright.spatial.rotation import rotation_exp
from linkwright.spatial.values import ValueList

FORCE_LOOP = {
    **{name: of_hand(matrix=False) for name in ("integral", "damping", "proportional")},
    "limit": Numbers(lambda model, bound: [(), (6,)], "a number or (6,)", "zero or more", infinite=True),
    "axes": AXES,
}
"""Rules of the numbers of a force loop."""

FREE = {"posture": POSTURE, "posture_stiffness": of_joints(), "posture_damping": of_joints()}
"""Rules of the values bound for the null space of the hand."""


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
    t: float | Array,
    q: Array,
    v: Array,
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    inertia: float | Array,
    stiffness: float | Array,
    damping: float | Array,
    directions: str | Sequence[str] = "all",
    posture: Array | None = None,
    posture_stiffness: float | Array | None = None,
    posture_damping: float | Array = 2.0,
    actuated: Motors = None,
) -> Array:
    """Compute impedance control with a chosen inertia: M_d x̃¨ + D x̃˙ + K x̃ = w.

    τ is that of `operational_space` with ẍ = ẍ_d + M_d⁻¹(w − D x̃˙ − K x̃), minus Jᵀw. V = ½ x̃˙ᵀM_d x̃˙ + ½ x̃ᵀK x̃
    has V̇ = −x̃˙ᵀD x̃˙ + x̃˙ᵀw. A controller with sampling time h acts h/2 late: the hand then shows D − K h/2 and M_d
    − D h/2. The farther M_d is from the hand's own inertia Λ, the larger is the effect of a delay of w.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    wrench : ndarray, shape (6,)
        Measured external wrench [f; n], world axes.
    frame : str
        Name of the controlled frame.
    reference : ndarray or callable
        Pose (4, 4), or function t -> (pose, velocity (6,), acceleration (6,)).
    inertia, stiffness, damping : float or ndarray, shape (6,) or (6, 6)
        M_d, K and D in world axes; matrices are symmetric.
    directions : str or sequence of str, optional
        Controlled directions, as for `operational_space`; the others are free.
    posture : ndarray, shape (nq,), optional
        Posture for the null space.
    posture_stiffness : float or ndarray, shape (nv,), optional
        Null-space stiffness, 1/s².
    posture_damping : float or ndarray, shape (nv,), optional
        Null-space damping, 1/s.
    actuated : sequence of str, optional
        Names of the joints that have motors; all joints must have one. By default all but free joints.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.

    References
    ----------
    Hogan, J. Dynamic Systems, Measurement, and Control 107 (1985).
    """
    rows = rows_of(directions)
    weight, damper, spring = (_matrix(of_rows(x, rows)) for x in (inertia, damping, stiffness))
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    J = jacobian(model, q, frame)
    error = pose_error(pose(model, q, frame), wanted)
    demanded = (wrench - damper @ (J @ v - velocity) - spring @ error)[rows]
    given = solve_symmetric(weight[np.ix_(rows, rows)], demanded)
    acceleration = acceleration + np.eye(6)[:, rows] @ given

    def moving(t: float | Array) -> tuple[Array, Array, Array]:
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
    t: float | Array,
    q: Array,
    v: Array,
    state: dict[str, Array],
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    inertia: float | Array,
    stiffness: float | Array,
    damping: float | Array,
    step: float | Array,
    tracking_stiffness: float | Array,
    tracking_damping: float | Array,
    posture: Array | None = None,
    posture_stiffness: float | Array | None = None,
    posture_damping: float | Array = 2.0,
    actuated: Motors = None,
) -> tuple[Array, dict[str, Array]]:
    """Compute admittance control: track a reference offset by x̃ with M_d x̃¨ + D x̃˙ + K x̃ = w.

    The offset is integrated by implicit steps, so that M_d may be zero where D is not. `operational_space` tracks the
    pose offset by x̃, and Jᵀw is subtracted from the efforts.

    On a surface of stiffness k with a total delay T: without M_d and K, stable for k T/D < π/2; with M_d, stable for
    D > k sin(ωT)/ω at the ω of k cos ωT = M_d ω². A stiffer surface needs more damping.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        "offset" x̃ and "rate" x̃˙, (6,) each, initially zero.
    wrench : ndarray, shape (6,)
        Measured external wrench [f; n], world axes.
    frame : str
        Name of the controlled frame.
    reference : ndarray or callable
        Pose (4, 4), or function t -> (pose, velocity (6,), acceleration (6,)).
    inertia, stiffness, damping : float or ndarray, shape (6,) or (6, 6)
        M_d, K and D in world axes.
    step : float
        Sampling time of the controller, s.
    tracking_stiffness, tracking_damping : float or ndarray, shape (6,)
        Gains of `operational_space`, 1/s² and 1/s.
    posture : ndarray, shape (nq,), optional
        Posture for the null space.
    posture_stiffness : float or ndarray, shape (nv,), optional
        Null-space stiffness, 1/s².
    posture_damping : float or ndarray, shape (nv,), optional
        Null-space damping, 1/s.
    actuated : sequence of str, optional
        Names of the joints that have motors; all joints must have one. By default all but free joints.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.
    """
    weight, damper, spring = (_matrix(x) for x in (inertia, damping, stiffness))
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    offset, rate = state["offset"], state["rate"]
    pushed = weight @ rate + step * (wrench - spring @ offset)
    after = solve_symmetric(weight + step * damper + step * step * spring, pushed)
    turned = rotation_exp(offset[3:]) @ wanted[:3, :3]
    shifted = (wanted[:3, 3] + offset[:3]).reshape(3, 1)
    place = np.concatenate([np.concatenate([turned, shifted], axis=1), np.array([[0.0, 0.0, 0.0, 1.0]])])

    def moving(t: float | Array) -> tuple[Array, Array, Array]:
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


@explained
@dataclass(frozen=True, eq=False)
class ForceLoop(ByValue):
    """Force control of some directions of a hand: F = F_d + k_p (F_d − F) + k_i z − d ẋ, ż = F_d − F.

    Parameters
    ----------
    directions : str or sequence of str
        Directions in which the hand exerts a force, some of "x", "y", "z", "rx", "ry", "rz".
    integral : float or array_like, shape (6,)
        Integral gain k_i in 1/s.
    damping : float or array_like, shape (6,)
        Damping d, N s/m and N m s/rad. Without delay, the loop is stable on surfaces of any stiffness for k_i < d/λ_n,
        λ_n = 1/(Λ⁻¹)_nn.
    proportional : float or array_like, shape (6,), optional
        Proportional gain k_p.
    limit : float or array_like, shape (6,), optional
        Bound of k_i z in N and N m; by default none.
    axes : array_like, shape (3, 3), optional
        Axes of the directions as columns; by default those of the world.
    """

    directions: str | Sequence[str]
    _: KW_ONLY
    integral: float | Array
    damping: float | Array
    proportional: float | Array = 1.0
    limit: float | Array | None = None
    axes: Any = None

    def __post_init__(self) -> None:
        rows_of(self.directions)

    @property
    def numbers(self) -> dict[str, Any]:
        """The gains, the limit and the axes, where they are given."""
        return {name: x for name in FORCE_LOOP if (x := getattr(self, name)) is not None}

    def as_values(self) -> ValueList:
        """Return the numbers of the loop and a function of them, so that other numbers need no compilation.

        Returns
        -------
        ValueList
            Numbers and function.
        """
        numbers = {name: as_numbers(name, x) for name, x in self.numbers.items()}
        key = (ForceLoop, tuple(rows_of(self.directions)), tuple(numbers))
        return ValueList(key, numbers, (), partial(replace, self))


def _exerted_at_all(model: Model, bound: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for a force along directions that are not force-controlled."""
    force, loop = bound.get("force"), bound.get("force_loop")
    if not isinstance(loop, ForceLoop):
        if loop is not None:
            raise ArgumentError(f"force_loop is lw.control.ForceLoop(…); got {loop!r}")
        return
    for name, x in loop.numbers.items():
        FORCE_LOOP[name].look(model, f"force_loop.{name}", x)
    if force is None or callable(force) or is_symbolic(force):
        return
    idle = [k for k in range(6) if k not in rows_of(loop.directions)]
    if np.asarray(force)[..., idle].any():
        names = [NAMES[k] for k in idle if np.asarray(force)[..., k].any()]
        raise InputError(
            f"force is along {', '.join(map(repr, names))}, and force_loop.directions is {loop.directions!r}"
        )


@control_law(
    _nothing_learned,
    rules(
        _exerted_at_all,
        wrench=WRENCH,
        reference=POSE,
        force=WRENCH,
        stiffness=of_hand(matrix=False),
        damping=of_hand(matrix=False),
        step=POSITIVE,
        **FREE,
    ),
)
@takes_model
def hybrid(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: Array,
    *,
    wrench: Array,
    frame: str,
    reference: Wanted,
    force: Array | Callable[[Any], Array],
    force_loop: ForceLoop,
    stiffness: float | Array,
    damping: float | Array,
    step: float | Array,
    posture: Array | None = None,
    posture_stiffness: float | Array | None = None,
    posture_damping: float | Array = 2.0,
    actuated: Motors = None,
) -> tuple[Array, Array]:
    """Compute the efforts that exert a force in some directions and follow a path in the others (hybrid control).

    With Ω the projection on the directions of the path and Ω̄ = 1 − Ω, in world axes,

        τ = Jᵀ(Λ(Ω ẍ − J̇ v) + Ω̄ F_f + J̄ᵀ(C v + g) − Ω w) + N τ₀ − passive,   ẍ = ẍ_d − K_d (ẋ − ẋ_d) − K x̃

    with F_f of the :class:`ForceLoop`, F = −w being the force that the hand exerts.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : ndarray, shape (6,)
        Integral z of the force error, in the axes of the loop; it starts at zero.
    wrench : ndarray, shape (6,)
        Measured wrench w on the hand, [f; n] in world axes.
    frame : str
        Frame of the hand.
    reference : array_like, shape (4, 4), or callable
        Desired pose, or a function of time, as of :func:`operational_space`.
    force : array_like, shape (6,), or callable
        Desired force F_d that the hand exerts, [f; n] in the axes of the loop, or a function of time.
    force_loop : ForceLoop
        Directions and gains of the force control.
    stiffness, damping : float or array_like, shape (6,)
        Gains K in 1/s² and K_d in 1/s of the path.
    step : float
        Control period in s.
    posture, posture_stiffness, posture_damping, actuated : optional
        As for :func:`operational_space`.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : ndarray, shape (6,)
        Next state.

    References
    ----------
    Raibert & Craig, *J. Dyn. Sys. Meas. Control* 103 (1981); Khatib, *IEEE J. Robotics and Automation* 3 (1987).
    """
    require_open(model, "hybrid")
    require_driven(model, actuated, "hybrid")
    R = np.eye(3) if force_loop.axes is None else force_loop.axes
    pushing = force(t) if callable(force) else force
    if np.shape(pushing) != (6,):
        raise ShapeError(f"force has shape {np.shape(pushing)}; expected (6,), [f; n] in the axes of the loop")
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    pressing = np.zeros(6)
    pressing[rows_of(force_loop.directions)] = 1.0
    turn = np.concatenate(
        [np.concatenate([R, np.zeros((3, 3))], axis=1), np.concatenate([np.zeros((3, 3)), R], axis=1)]
    )
    across = turn @ (pressing[:, None] * turn.T)
    along = turn @ ((1.0 - pressing)[:, None] * turn.T)
    J = jacobian(model, q, frame)
    moved = J @ v
    error = pose_error(pose(model, q, frame), wanted)
    lacking = pressing * (pushing + turn.T @ wrench)
    limit, learned = force_loop.limit, force_loop.integral * state
    learned = learned if limit is None else clip(learned, -limit, limit)
    F = pushing + force_loop.proportional * lacking + learned - force_loop.damping * (turn.T @ moved)
    x = along @ (acceleration - damping * (moved - velocity) - stiffness * error)
    free = freely(model, q, v, posture, posture_stiffness, posture_damping)
    M = mass_matrix(lean(model), q)  # and the bias: steps of a simulation have them too
    mobility = mirror(J @ solve_symmetric(M, J.T))
    pulled = solve_symmetric(mobility, x - jacobian_dot_times_v(model, q, v, frame) - J @ free)
    tau = M @ free + bias_forces(lean(model), q, v) + J.T @ (pulled + across @ (turn @ F) - along @ wrench)
    return tau - passive_forces(model, q, v), state + step * lacking


@accepts_sympy
@takes_model
def compliance(model: Model, q: Array, frame: str, stiffness: float | Array, wrench: Array | None = None) -> Array:
    """Compute the compliance of a frame, C_x = J (K_q − ∂(Jᵀw)/∂q)⁻¹ Jᵀ.

    C_x is the displacement of the hand per small force, m/N and rad/(N m), in world axes; its inverse, if it exists, is
    the stiffness of the hand. With closed loops, C_x = J Z (Zᵀ K_q Z)⁻¹ Zᵀ Jᵀ with the motions Z that the loops allow;
    joints without a spring have stiffness zero.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : ndarray, shape (..., nq)
        Configuration.
    frame : str
        Name of the frame.
    stiffness : float or ndarray, shape (nv,) or (nv, nv)
        K_q, stiffness of the joints, N m/rad or N/m.
    wrench : ndarray, shape (..., 6), optional
        External load w = [f; n] on the hand. The hand is stiffer if the load pulls and softer if it pushes (Salisbury
        1980; Chen & Kao 2000).

    Returns
    -------
    ndarray, shape (..., 6, 6)
        C_x.

    Raises
    ------
    ArgumentError
        If a wrench is given for a mechanism with closed loops: the internal forces of the loops depend on the preload
        of the springs, which K_q does not determine.
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
    """Return the compliance for K (nv, nv), by the formula of :func:`compliance`.

    For loops with rows A, S = K + r AᵀA equals K on the allowed motions and is invertible where K is on these; then
    C_x = J (S⁻¹ − S⁻¹Aᵀ (A S⁻¹Aᵀ)⁺ A S⁻¹) Jᵀ for every r.
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
    """Return a gain as (6, 6)."""
    matrix: Array = x if np.ndim(x) == 2 else x * np.eye(6)
    return matrix
