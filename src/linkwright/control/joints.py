"""Joint-space controllers: PD with gravity compensation, PID, computed torque, friction compensation.

The error is e = q_d ⊖ q, `difference(model, q, q_d)`: a rotation vector for spherical joints. Gains are numbers or
(nv,). M v̇ + C v + g = τ + passive is the mechanism; `passive` contains springs, dampers and friction of the joints,
and model-based controllers compensate it. Joints without a motor get no effort: ``actuated`` names the joints that
have one, by default all but free joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.control.bounds import POSITIVE, POSTURE, VELOCITY, of_joints, rules
from linkwright.control.joint_space import Motors, by_motors, inverse_by_motors, lean
from linkwright.control.references import Wanted, at
from linkwright.dynamics import difference, gravity_forces, passive_forces
from linkwright.dynamics.configuration import exp_gradient_inverse
from linkwright.dynamics.forces.springs import FRICTION_SPEED
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, clip


@control_law(check=rules(target=POSTURE, stiffness=of_joints(), damping=of_joints()))
@takes_model
def pd(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    *,
    target: Array,
    stiffness: float | Array,
    damping: float | Array,
    actuated: Motors = None,
) -> Array:
    """Compute PD control with gravity compensation: τ = g(q) + Dᵀ K e − K_d v, e = target ⊖ q.

    D = −∂e/∂δ is 1 for plain coordinates, so that Dᵀ K e is the force of the potential ½ eᵀ K e for every joint type.
    V = ½ vᵀ M v + ½ eᵀ K e has V̇ = −vᵀ K_d v: every motion ends at e = 0, where rotations stay below π.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    target : ndarray, shape (nq,)
        Desired configuration.
    stiffness : float or ndarray, shape (nv,)
        K, N m/rad or N/m.
    damping : float or ndarray, shape (nv,)
        K_d, N m s/rad or N s/m.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all but free joints: a floating base gets no effort, and the
        ground must carry the robot.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.

    References
    ----------
    Takegaki & Arimoto, J. Dynamic Systems, Measurement, and Control 103 (1981).
    """
    e = difference(model, q, target)
    tau = gravity_forces(lean(model), q) + exp_gradient_inverse(model, -e, stiffness * e) - damping * v
    return by_motors(model, tau, actuated)


def _nothing_integrated(model: Model, **bound: Any) -> Array:
    return np.zeros(model.nv)


@control_law(
    _nothing_integrated,
    rules(
        target=POSTURE,
        stiffness=of_joints(),
        integral=of_joints(),
        damping=of_joints(),
        step=POSITIVE,
        limit=of_joints(infinite=True),
        anti_windup=POSITIVE,
    ),
)
@takes_model
def pid(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: Array,
    *,
    target: Array,
    stiffness: float | Array,
    integral: float | Array,
    damping: float | Array,
    step: float | Array,
    limit: float | Array | None = None,
    anti_windup: float | Array = 0.1,
    actuated: Motors = None,
) -> tuple[Array, Array]:
    """Compute PID control, τ = K e − K_d v + z, and the next integral z: no model of the mechanism is used.

    About a posture at rest, λ_min(K_d) λ_min(K + ∂g/∂q) > λ_max(K_i) λ_max(M) is sufficient for stability (cf. Rocco
    1996).

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : ndarray, shape (nv,)
        Integral z, with ż = K_i e; initially zero.
    target : ndarray, shape (nq,)
        Desired configuration.
    stiffness, integral, damping : float or ndarray, shape (nv,)
        Gains K, K_i and K_d.
    step : float
        Sampling time of the controller, s.
    limit : float or ndarray, shape (nv,), optional
        Effort limits, N m or N. τ is clipped, and z follows ż = K_i e + (clipped τ − τ)/T, which prevents windup (back
        calculation: Åström & Hägglund 1995).
    anti_windup : float, optional
        T, s.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all but free joints.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : ndarray, shape (nv,)
        Next state.
    """
    e = difference(model, q, target)
    unlimited = by_motors(model, stiffness * e - damping * v + state, actuated)
    growth = by_motors(model, integral * e, actuated)
    if limit is None:
        return unlimited, state + step * growth
    cut = clip(unlimited, -limit, limit)
    return cut, state + step * (growth + (cut - unlimited) / anti_windup)


@control_law(check=rules(reference=POSTURE, stiffness=of_joints(), damping=of_joints()))
@takes_model
def computed_torque(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    *,
    reference: Wanted,
    stiffness: float | Array,
    damping: float | Array,
    actuated: Motors = None,
) -> Array:
    """Compute the efforts with which the tracking error satisfies ë + K_d ė + K e = 0.

    τ = M (v̇_d + K_d (v_d − v) + K e) + C v + g − passive. Exponentially stable for all K, K_d > 0 (Slotine & Li 1991,
    section 9.1). Coordinates without a motor move freely; the actuated ones track whatever that motion is.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    reference : ndarray or callable
        Posture (nq,), or function t -> (q_d, v_d, v̇_d).
    stiffness : float or ndarray, shape (nv,)
        K, 1/s².
    damping : float or ndarray, shape (nv,)
        K_d, 1/s.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all but free joints.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.
    """
    posture, velocity, acceleration = at(reference, t, (model.nq,), model.nv)
    wanted = acceleration + damping * (velocity - v) + stiffness * difference(model, q, posture)
    return inverse_by_motors(model, q, v, wanted, passive_forces(model, q, v), actuated)


OF_FRICTION = of_joints()
"""Rule for friction coefficients."""


@control_law(check=rules(velocity=VELOCITY, friction=OF_FRICTION, damping=OF_FRICTION))
@takes_model
def friction_compensation(
    model: Model, t: float | Array, q: Array, v: Array, *, velocity: Wanted, friction: Any, damping: Any = 0.0
) -> Array:
    """Compute the joint friction at the desired velocity, to be added to another controller.

    F_c sign(v_d) + F_v v_d. The sign of the measured velocity would be late and chatter; the sign is smoothed as in
    `passive_forces`.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    velocity : ndarray or callable
        Desired velocity v_d (nv,), or a function of time.
    friction : float or ndarray, shape (nv,)
        Coulomb friction F_c, N m or N.
    damping : float or ndarray, shape (nv,), optional
        Viscous friction F_v, N m s/rad or N s/m.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.
    """
    wanted = velocity(t) if callable(velocity) else velocity
    OF_FRICTION.look(model, "friction", friction)  # it stands within other laws
    OF_FRICTION.look(model, "damping", damping)
    return friction * (wanted / np.sqrt(wanted * wanted + FRICTION_SPEED**2)) + damping * wanted
