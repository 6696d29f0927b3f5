"""Laws that see a frame, the hand: operational space and impedance.

The error of a pose is x̃ = [p − p_d; Log(R R_dᵀ)], in world axes as velocities are; ẋ = J v is the basic Jacobian's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.control.joint_space import lean
from linkwright.control.limits import limits_of, within
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
from linkwright.dynamics.manipulability import rows_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linalg import factorise, solve_above, solve_symmetric
from linkwright.spatial.rotation import rotation_log, translation_of_log


def pose_error(T: Array, wanted: Array) -> Array:
    """x̃ (6,) of a pose (4, 4) from the one that is wanted."""
    return np.concatenate([T[:3, 3] - wanted[:3, 3], rotation_log(T[:3, :3] @ wanted[:3, :3].T)])


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
    posture_stiffness: Any = 0.0,
    posture_damping: Any = 2.0,
    directions: str | Sequence[str] = "all",
    regularisation: float = 0.0,
    effort_limits: Any = None,
) -> Array:
    """τ (nv,) with which the hand has ẍ = ẍ_d − K_d (ẋ − ẋ_d) − K x̃, whatever the joints do besides (Khatib 1987).

    With J̄ = M⁻¹JᵀΛ, Λ = (J M⁻¹ Jᵀ)⁻¹, the joints' acceleration is a = J̄ (ẍ − J̇ v) + (1 − J̄ J) a₀, of which a₀ does not
    move the hand: a₀ = K₀ (posture ⊖ q) − D₀ v, without ``posture`` −D₀ v. Then τ = M a + C v + g − passive, which is
    Khatib's Jᵀ[Λ (ẍ − J̇ v) + J̄ᵀ(C v + g)] + N τ₀ for τ₀ = M a₀ + C v + g. K in 1/s², K_d in 1/s, numbers or (6,).

    ``reference``: a pose (4, 4), or t -> (pose, velocity (6,), acceleration (6,)). ``directions``: "all", "linear",
    "angular" or some of "x", "y", "z", "rx", "ry", "rz"; the others are free. Near singular postures J M⁻¹ Jᵀ loses
    rank: a ``regularisation`` (1/kg, added to its diagonal) bounds the efforts and gives up the lost direction.

    ``effort_limits``: True for the joints' own, or numbers, one or (nv,). Where τ is beyond them, what does not move
    the hand is given up first: of all efforts within the limits those are taken with which the hand's acceleration
    misses that of τ by the least eᵀ Λ e, e being what it misses; of these the nearest to τ, each counted by its limit.
    """
    rows = rows_of(directions)
    wanted, velocity, acceleration = at(reference, t, (4, 4), 6)
    J = jacobian(model, q, frame)
    error = pose_error(pose(model, q, frame), wanted)
    x = acceleration - damping * (J @ v - velocity) - stiffness * error
    free = -posture_damping * v
    if posture is not None:
        free = free + posture_stiffness * difference(model, q, posture)
    J, x = J[rows], (x - jacobian_dot_times_v(model, q, v, frame))[rows]
    M = mass_matrix(lean(model), q)
    moved = solve_symmetric(M, J.T)
    mobility = J @ moved + regularisation * np.eye(len(rows))
    a = free + moved @ solve_symmetric(mobility, x - J @ free)
    efforts = M @ a + bias_forces(lean(model), q, v) - passive_forces(model, q, v)
    if effort_limits is None or effort_limits is False:
        return efforts
    L, inverses = factorise(mobility)  # Λ = L⁻¹ D⁻¹ L⁻ᵀ
    by_inertia = solve_above(L, moved.T) * np.sqrt(inverses)[:, None]
    return within(efforts, by_inertia, limits_of(model, effort_limits))


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
) -> Array:
    """τ = g + Jᵀ(−D ẋ − F(x̃)) − D₀ v − passive (nv,): a spring and a damper from the hand to a pose (4, 4).

    The hand keeps its own inertia, and what pushes it need not be measured (Ott 2008, ch. 3): V = ½ vᵀ M v + U(x̃) has
    V̇ = −ẋᵀ D ẋ − vᵀ D₀ v + ẋᵀ w, so that it is passive towards whatever it touches, w being the wrench from outside.
    ``stiffness`` and ``damping``: a number, (6,) or symmetric (6, 6), in N/m, N m/rad and N s/m, N m s/rad, world axes.
    The moment of a rotational spring ½ eᵀ K e, e = Log(R R_dᵀ), is −J_l(e)⁻ᵀ K e. ``joint_damping`` (a number or
    (nv,)) damps what the hand does not feel: a redundant arm needs some.
    """
    J, eye = jacobian(model, q, frame), np.eye(6)
    error = pose_error(pose(model, q, frame), target)
    K, D = (x if np.ndim(x) == 2 else x * eye for x in (stiffness, damping))
    pull = K @ error
    turn = translation_of_log(error[3:], np.eye(3)).T @ pull[3:]
    wrench = -np.concatenate([pull[:3], turn]) - D @ (J @ v)
    return gravity_forces(lean(model), q) + J.T @ wrench - joint_damping * v - passive_forces(model, q, v)
