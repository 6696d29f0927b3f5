"""Laws that see the joints: PD with gravity, PID, computed torque, and friction made up for.

All keep e = q_d ⊖ q small, `difference(model, q, q_d)`: for joints that turn about a point a rotation vector. Gains are
numbers or (nv,). M v̇ + C v + g = τ + passive is the mechanism; springs, dampers and friction of the joints are in
`passive`, and laws that know the mechanism make up for them. What has no motor gets nothing: ``actuated`` names the
joints that have one, all but free ones by themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.control.bounds import POSITIVE, POSTURE, VELOCITY, of_joints, rules
from linkwright.control.joint_space import Motors, by_motors, inverse_by_motors, lean
from linkwright.control.references import Wanted, at
from linkwright.dynamics import difference, gravity_forces, passive_forces
from linkwright.dynamics.configuration import exp_gradient_inverse
from linkwright.dynamics.forces.statics import FRICTION_SPEED
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.controller import control_law
from linkwright.spatial.arrays import Array, clip


@control_law(check=rules(target=POSTURE, stiffness=of_joints(), damping=of_joints()))
@takes_model
def pd(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    *,
    target: Array,
    stiffness: Any,
    damping: Any,
    actuated: Motors = None,
) -> Array:
    """τ = g(q) + Dᵀ K e − K_d v (nv,), e = target ⊖ q: springs and dampers about a posture (nq,), gravity made up for.

    D = −∂e/∂δ is 1 for plain coordinates, so that Dᵀ K e is the force of the potential ½ eᵀ K e for every joint. Then
    V = ½ vᵀ M v + ½ eᵀ K e has V̇ = −vᵀ K_d v: every motion ends at e = 0, where turns stay below π (Takegaki & Arimoto
    1981, with LaSalle's theorem). Where a base floats it gets nothing: then the ground must carry it.
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
    t: Any,
    q: Array,
    v: Array,
    state: Array,
    *,
    target: Array,
    stiffness: Any,
    integral: Any,
    damping: Any,
    step: Any,
    limit: Any = None,
    anti_windup: Any = 0.1,
    actuated: Motors = None,
) -> tuple[Array, Array]:
    """τ = K e − K_d v + z (nv,) and the next ``state`` z (nv,), ż = K_i e, from zero: no knowledge of the mechanism.

    ``step`` (s) is how often the law is asked. With ``limit`` (N m; a number or (nv,)) τ is cut to it, and z follows
    with ż = K_i e + (cut τ − τ)/T, T being ``anti_windup`` in seconds, so that it does not wind up (back calculation:
    Åström & Hägglund 1995). About a posture at rest λ_min(K_d) λ_min(K + ∂g/∂q) > λ_max(K_i) λ_max(M) suffices for it
    to be stable (cf. Rocco 1996).
    """
    e = difference(model, q, target)
    asked = by_motors(model, stiffness * e - damping * v + state, actuated)
    growth = by_motors(model, integral * e, actuated)
    if limit is None:
        return asked, state + step * growth
    cut = clip(asked, -limit, limit)
    return cut, state + step * (growth + (cut - asked) / anti_windup)


@control_law(check=rules(reference=POSTURE, stiffness=of_joints(), damping=of_joints()))
@takes_model
def computed_torque(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    *,
    reference: Wanted,
    stiffness: Any,
    damping: Any,
    actuated: Motors = None,
) -> Array:
    """τ (nv,) with which ë + K_d ė + K e = 0: the mechanism's own dynamics are made up for, passive forces too.

    τ = M (v̇_d + K_d (v_d − v) + K e) + C v + g − passive; K in 1/s², K_d in 1/s. ``reference`` is a posture (nq,) or a
    function t -> (q_d, v_d, v̇_d). Exponentially stable for all K, K_d > 0 (Slotine & Li 1991, §9.1). What has no motor
    moves as it must, and the rest is driven so whatever that does.
    """
    posture, velocity, acceleration = at(reference, t, (model.nq,), model.nv)
    wanted = acceleration + damping * (velocity - v) + stiffness * difference(model, q, posture)
    return inverse_by_motors(model, q, v, wanted, passive_forces(model, q, v), actuated)


OF_FRICTION = of_joints()
"""The rule of coefficients of friction."""


@control_law(check=rules(velocity=VELOCITY, friction=OF_FRICTION, damping=OF_FRICTION))
@takes_model
def friction_compensation(
    model: Model, t: Any, q: Array, v: Array, *, velocity: Wanted, friction: Any, damping: Any = 0.0
) -> Array:
    """F_c sign(v_d) + F_v v_d (nv,), to be added to another law: friction as the wanted velocity would feel it.

    Of the velocity that is measured the sign would come late and chatter. ``velocity`` is (nv,) or a function of time;
    the sign is smoothed as in `passive_forces`.
    """
    wanted = velocity(t) if callable(velocity) else velocity
    OF_FRICTION.look(model, "friction", friction)  # it stands within other laws
    OF_FRICTION.look(model, "damping", damping)
    return friction * (wanted / np.sqrt(wanted * wanted + FRICTION_SPEED**2)) + damping * wanted
