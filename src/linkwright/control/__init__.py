"""Controllers: functions (model, t, q, v) with bound gains, for ``simulate(…, controller=…)`` and ``compile``.

Optimal controllers: ``lqr`` about a posture, ``ilqr`` along a motion.
"""

from linkwright.control.adaptive import adaptive
from linkwright.control.compiled_controller import compiled
from linkwright.control.force import ForceLoop, admittance, compliance, hybrid, shaped_impedance
from linkwright.control.hand import impedance, operational_space
from linkwright.control.joints import computed_torque, friction_compensation, pd, pid
from linkwright.control.nested_controllers import with_model, with_policy
from linkwright.control.observers import hand_wrench, momentum_observer
from linkwright.control.optimal.costs import EffortCost, FrameCost, PostureCost, VelocityCost
from linkwright.control.optimal.optimal_motion import OptimalMotion, feedback
from linkwright.control.optimal.problem import StoppingCriterion, ilqr
from linkwright.control.optimal.regulator import Regulator, lqr, regulate
from linkwright.control.policy import observation
from linkwright.control.velocities import encoders, filtered_velocity, kalman_velocity
from linkwright.control.whole_body.contacts import StanceContact
from linkwright.control.whole_body.whole_body import WholeBody, WholeBodyAnswer
from linkwright.simulation.actuation.law_controller import initial_state_of
from linkwright.simulation.actuation.posture_control import hold_joints, hold_posture

__all__ = [
    "EffortCost",
    "ForceLoop",
    "FrameCost",
    "OptimalMotion",
    "PostureCost",
    "Regulator",
    "StanceContact",
    "StoppingCriterion",
    "VelocityCost",
    "WholeBody",
    "WholeBodyAnswer",
    "adaptive",
    "admittance",
    "compiled",
    "compliance",
    "computed_torque",
    "encoders",
    "feedback",
    "filtered_velocity",
    "friction_compensation",
    "hand_wrench",
    "hold_joints",
    "hold_posture",
    "hybrid",
    "ilqr",
    "impedance",
    "initial_state_of",
    "kalman_velocity",
    "lqr",
    "momentum_observer",
    "observation",
    "operational_space",
    "pd",
    "pid",
    "regulate",
    "shaped_impedance",
    "with_model",
    "with_policy",
]


def __dir__() -> list[str]:
    return __all__
