"""Task-space controllers of a frame (the hand): operational space control and impedance control.

The pose error is x̃ = [p − p_d; Log(R R_dᵀ)], in world axes as velocities are; ẋ = J v is the basic Jacobian's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.control.bounds import NUMBER, POSE, POSTURE, of_hand, of_joints, rules
from linkwright.control.effort_limits import limits_of, within
from linkwright.control.joint_space import Motors, by_motors, lean, require_driven
from linkwright.control.nested_controllers import require_open
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
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above, solve_symmetric
from linkwright.spatial.rotation import rotation_log, translation_of_log


def pose_error(T: Array, wanted: Array) -> Array:
    """Return the pose error x̃ (6,) of a pose (4, 4) from the desired one."""
    return np.concatenate([T[:3, 3] - wanted[:3, 3], rotation_log(T[:3, :3] @ wanted[:3, :3].T)])


def of_rows(x: Any, rows: Sequence[int]) -> Any:
    """Expand a gain given for the controlled directions alone, with zeros in the others."""
    if np.shape(x) != (len(rows),) or len(rows) == 6:
        return x
    return np.eye(6)[:, rows] @ x


def freely(
    model: Model, q: Array, v: Array, posture: Array | None, stiffness: float | Array | None, damping: Any
) -> Array:
    """Return a₀ (nv,), the joint acceleration in the null space of the hand."""
    if posture is None:
        if stiffness is not None:
            raise ArgumentError("posture_stiffness needs a posture: posture=…")
        return -damping * v
    own = 0.25 * damping * damping if stiffness is None else stiffness
    return own * difference(model, q, posture) - damping * v


def _limits_there(model: Model, bound: Mapping[str, Any]) -> None:
    limits = limits_of(model, given := bound.get("effort_limits"))
    if given is True and np.isinf(limits).all():
        warn(f"effort_limits=True has no effect: no joint of {model.name!r} has an effort limit; give numbers")


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
    t: float | Array,
    q: Array,
    v: Array,
    *,
    frame: str,
    reference: Wanted,
    stiffness: float | Array,
    damping: float | Array,
    posture: Array | None = None,
    posture_stiffness: float | Array | None = None,
    posture_damping: float | Array = 2.0,
    directions: str | Sequence[str] = "all",
    regularization: float = 0.0,
    effort_limits: ArrayLike | None = None,
    actuated: Motors = None,
) -> Array:
    """Compute the efforts with which a frame has ẍ = ẍ_d − K_d (ẋ − ẋ_d) − K x̃ (operational space control).

    With J̄ = M⁻¹JᵀΛ, Λ = (J M⁻¹ Jᵀ)⁻¹, the joint acceleration is a = J̄ (ẍ − J̇ v) + (1 − J̄ J) a₀, where
    a₀ = K₀ (posture ⊖ q) − D₀ v does not move the frame. Then τ = M a + C v + g − passive, which is Khatib's
    Jᵀ[Λ (ẍ − J̇ v) + J̄ᵀ(C v + g)] + N τ₀ for τ₀ = M a₀ + C v + g.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    frame : str
        Name of the controlled frame.
    reference : ndarray or callable
        Pose (4, 4), or function t -> (pose, velocity (6,), acceleration (6,)).
    stiffness, damping : float or ndarray
        K, 1/s², and K_d, 1/s: a number for all directions, (6,), or one number per element of `directions`.
    posture : ndarray, shape (nq,), optional
        Posture for the null space. By default a₀ = −D₀ v.
    posture_stiffness : float or ndarray, shape (nv,), optional
        K₀, 1/s². By default D₀²/4.
    posture_damping : float or ndarray, shape (nv,), optional
        D₀, 1/s.
    directions : str or sequence of str, optional
        "all", "linear", "angular" or some of "x", "y", "z", "rx", "ry", "rz"; the other directions are free.
    regularization : float, optional
        Added to the diagonal of J M⁻¹ Jᵀ, 1/kg. It bounds the efforts near singular postures, where the error of the
        lost direction is accepted.
    effort_limits : bool, float or ndarray, shape (nv,), optional
        True for the limits of the joints, or numbers. If τ exceeds them, the null-space motion is given up first: of
        all efforts within the limits, those with the smallest error eᵀ Λ e of the frame's acceleration are used, and of
        these the nearest to τ, relative to the limits.
    actuated : sequence of str, optional
        Names of the joints that have motors; all joints must have one. By default all but free joints.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.

    Raises
    ------
    ArgumentError
        If the model has closed loops.
    InputError
        If a joint has no motor, such as a floating base.

    References
    ----------
    Khatib, IEEE J. Robotics and Automation 3(1) (1987).
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
    t: float | Array,
    q: Array,
    v: Array,
    *,
    frame: str,
    target: Array,
    stiffness: float | Array,
    damping: float | Array,
    joint_damping: float | Array = 0.0,
    actuated: Motors = None,
) -> Array:
    """Compute impedance control: a spring and a damper between a frame and a desired pose.

    τ = g + Jᵀ(−D ẋ − F(x̃)) − D₀ v − passive. The hand keeps its own inertia, and no force sensor is needed (Ott 2008,
    ch. 3): V = ½ vᵀ M v + U(x̃) has V̇ = −ẋᵀ D ẋ − vᵀ D₀ v + ẋᵀ w with the external wrench w, so that the hand is
    passive toward every environment. The moment of a rotational spring ½ eᵀ K e, e = Log(R R_dᵀ), is −J_l(e)⁻ᵀ K e.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    frame : str
        Name of the controlled frame.
    target : ndarray, shape (4, 4)
        Desired pose.
    stiffness, damping : float or ndarray, shape (6,) or (6, 6)
        K in N/m and N m/rad, D in N s/m and N m s/rad, in world axes; matrices are symmetric. A single number is used
        for both units, which is rarely intended: give six.
    joint_damping : float or ndarray, shape (nv,), optional
        D₀, damping of the joints, N m s/rad or N s/m. A redundant arm needs some in its null space.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all but free joints: a floating base gets no effort.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.
    """
    J, eye = jacobian(model, q, frame), np.eye(6)
    error = pose_error(pose(model, q, frame), target)
    K, D = (x if np.ndim(x) == 2 else x * eye for x in (stiffness, damping))
    pull = K @ error
    turn = translation_of_log(error[3:], np.eye(3)).T @ pull[3:]
    wrench = -np.concatenate([pull[:3], turn]) - D @ (J @ v)
    tau = gravity_forces(lean(model), q) + J.T @ wrench - joint_damping * v - passive_forces(model, q, v)
    return by_motors(model, tau, actuated)
