"""Laws of control: functions (model, t, q, v) of what is bound to them, for ``simulate(…, law=…)`` and ``compile``.

Beside them what is best for a cost: ``lqr`` about a posture, ``ilqr`` along a motion.
"""

from linkwright.control.contacts import Contact
from linkwright.control.force import admittance, compliance, hybrid, shaped_impedance
from linkwright.control.hand import impedance, operational_space
from linkwright.control.joints import computed_torque, friction_compensation, pd, pid
from linkwright.control.optimal.costs import EffortCost, FrameCost, PostureCost, VelocityCost
from linkwright.control.optimal.found import OptimalMotion, feedback
from linkwright.control.optimal.problem import ilqr
from linkwright.control.optimal.regulator import Regulator, lqr, regulate
from linkwright.control.whole_body import WholeBody, WholeBodyAnswer

__all__ = [
    "Contact",
    "EffortCost",
    "FrameCost",
    "OptimalMotion",
    "PostureCost",
    "Regulator",
    "VelocityCost",
    "WholeBody",
    "WholeBodyAnswer",
    "admittance",
    "compliance",
    "computed_torque",
    "feedback",
    "friction_compensation",
    "hybrid",
    "ilqr",
    "impedance",
    "lqr",
    "operational_space",
    "pd",
    "pid",
    "regulate",
    "shaped_impedance",
]
