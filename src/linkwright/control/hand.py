"""Laws that see a frame, the hand: operational space and impedance.

The error of a pose is x̃ = [p − p_d; Log(R R_dᵀ)], in world axes as velocities are; ẋ = J v is the basic Jacobian's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.control.bounds import NUMBER, POSE, POSTURE, of_hand, of_joints, rules
from linkwright.control.joint_space import Motors, by_motors, lean, require_driven
from linkwright.control.limits import limits_of, within
from linkwright.control.nested import require_open
from linkwright.control.references import Wanted, at
from linkwright.dynamics import (
    bias_forces,
    difference,
    gravity_forces,
    jacobian,
    jacobian_dot_times_v,
    mass_matrix,
    passive_forces,
    pose,
)
from linkwright.dynamics.frames.manipulability import rows_of
from linkwright.errors import ArgumentError, warn
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array
from linkwright.spatial.linalg import factorize, solve_above, solve_symmetric
from linkwright.spatial.rotation import rotation_log, translation_of_log


def pose_error(T: Array, wanted: Array) -> Array:
    """x̃ (6,) of a pose (4, 4) from the one that is wanted."""
    return np.concatenate([T[:3, 3] - wanted[:3, 3], rotation_log(T[:3, :3] @ wanted[:3, :3].T)])


def of_rows(x: Any, rows: Sequence[int]) -> Any:
    """A gain of the hand, where it is told of some directions alone with zeros in the others."""
    if np.shape(x) != (len(rows),) or len(rows) == 6:
        return x
    return np.eye(6)[:, rows] @ x


def freely(model: Model, q: Array, v: Array, posture: Array | None, stiffness: Any, damping: Any) -> Array:
    """a₀ (nv,), the joints' acceleration as far as the hand leaves them free."""
    if posture is None:
        if stiffness is not None:
            raise ArgumentError("posture_stiffness draws to a posture, and none is given: posture=…")
        return -damping * v
    own = 0.25 * damping * damping if stiffness is None else stiffness
    return own * difference(model, q, posture) - damping * v


def _limits_there(model: Model, bound: Mapping[str, Any]) -> None:
    limits = limits_of(model, given := bound.get("effort_limits"))
    if given is True and np.isinf(limits).all():
        warn(f"effort_limits=True changes nothing: no joint of {model.name!r} has such a limit; give numbers, or none")


@control_law(
    check=rules(
        _limits_there,
        reference=POSE,
        stiffness=of_hand(matrix=False),
        damping=of_hand(matrix=False),
        posture=POSTURE,
        posture_stiffness=of_joints(),
        posture_damping=of_joints(),
        regularization=NUMBER,
    )
)
@takes_model
def operational_space(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    *,
    frame: str,
    reference: Wanted,
    stiffness: Any,
    damping: Any,
    posture: Array | None = None,
    posture_stiffness: Any = None,
    posture_damping: Any = 2.0,
    directions: str | Sequence[str] = "all",
    regularization: float = 0.0,
    effort_limits: Any = None,
    actuated: Motors = None,
) -> Array:
    """τ (nv,) with which the hand has ẍ = ẍ_d − K_d (ẋ − ẋ_d) − K x̃, whatever the joints do besides (Khatib 1987).

    With J̄ = M⁻¹JᵀΛ, Λ = (J M⁻¹ Jᵀ)⁻¹, the joints' acceleration is a = J̄ (ẍ − J̇ v) + (1 − J̄ J) a₀, of which a₀ does not
    move the hand: a₀ = K₀ (posture ⊖ q) − D₀ v, without ``posture`` −D₀ v; K₀ is D₀²/4 unless it is told. Then
    τ = M a + C v + g − passive, which is Khatib's Jᵀ[Λ (ẍ − J̇ v) + J̄ᵀ(C v + g)] + N τ₀ for τ₀ = M a₀ + C v + g. K in
    1/s², K_d in 1/s: a number for all directions, (6,) or one for each of ``directions``.

    ``reference``: a pose (4, 4), or t -> (pose, velocity (6,), acceleration (6,)). ``directions``: "all", "linear",
    "angular" or some of "x", "y", "z", "rx", "ry", "rz"; the others are free. Near singular postures J M⁻¹ Jᵀ loses
    rank: a ``regularization`` (1/kg, added to its diagonal) bounds the efforts and gives up the lost direction.

    ``effort_limits``: True for the joints' own, or numbers, one or (nv,). Where τ is beyond them, what does not move
    the hand is given up first: of all efforts within the limits those are taken with which the hand's acceleration
    misses that of τ by the least eᵀ Λ e, e being what it misses; of these the nearest to τ, each counted by its limit.

    Raises :class:`~linkwright.errors.ArgumentError` for closed loops, :class:`~linkwright.errors.InputError` where a
    base floats: every joint is driven, ``actuated`` names those that have motors (all but free ones by themselves).
    """
    require_open(model, "operational_space")
    require_driven(model, actuated, "operational_space")
    rows = rows_of(directions)
    stiffness, damping = of_rows(stiffness, rows), of_rows(damping, rows)
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    J = jacobian(model, q, frame)
    error = pose_error(pose(model, q, frame), wanted)
    x = acceleration - damping * (J @ v - velocity) - stiffness * error
    free = freely(model, q, v, posture, posture_stiffness, posture_damping)
    J, x = J[rows], (x - jacobian_dot_times_v(model, q, v, frame))[rows]
    M = mass_matrix(lean(model), q)
    moved = solve_symmetric(M, J.T)
    mobility = J @ moved + regularization * np.eye(len(rows))
    a = free + moved @ solve_symmetric(mobility, x - J @ free)
    efforts = M @ a + bias_forces(lean(model), q, v) - passive_forces(model, q, v)
    if effort_limits is None or effort_limits is False:
        return efforts
    L, inverses = factorize(mobility)  # Λ = L⁻¹ D⁻¹ L⁻ᵀ
    by_inertia = solve_above(L, moved.T) * np.sqrt(inverses)[:, None]
    return within(efforts, by_inertia, limits_of(model, effort_limits))


@control_law(check=rules(target=POSE, stiffness=of_hand(), damping=of_hand(), joint_damping=of_joints()))
@takes_model
def impedance(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    *,
    frame: str,
    target: Array,
    stiffness: Any,
    damping: Any,
    joint_damping: Any = 0.0,
    actuated: Motors = None,
) -> Array:
    """τ = g + Jᵀ(−D ẋ − F(x̃)) − D₀ v − passive (nv,): a spring and a damper from the hand to a pose (4, 4).

    The hand keeps its own inertia, and what pushes it need not be measured (Ott 2008, ch. 3): V = ½ vᵀ M v + U(x̃) has
    V̇ = −ẋᵀ D ẋ − vᵀ D₀ v + ẋᵀ w, so that it is passive towards whatever it touches, w being the wrench from outside.
    ``stiffness`` and ``damping``: a number, (6,) or symmetric (6, 6), in N/m, N m/rad and N s/m, N m s/rad, world axes.
    One number is so many N/m and as many N m/rad, which is seldom meant: give six. A base that floats gets nothing.
    The moment of a rotational spring ½ eᵀ K e, e = Log(R R_dᵀ), is −J_l(e)⁻ᵀ K e. ``joint_damping`` (a number or
    (nv,)) damps what the hand does not feel: a redundant arm needs some.
    """
    J, eye = jacobian(model, q, frame), np.eye(6)
    error = pose_error(pose(model, q, frame), target)
    K, D = (x if np.ndim(x) == 2 else x * eye for x in (stiffness, damping))
    pull = K @ error
    turn = translation_of_log(error[3:], np.eye(3)).T @ pull[3:]
    wrench = -np.concatenate([pull[:3], turn]) - D @ (J @ v)
    tau = gravity_forces(lean(model), q) + J.T @ wrench - joint_damping * v - passive_forces(model, q, v)
    return by_motors(model, tau, actuated)
