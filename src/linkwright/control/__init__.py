"""Laws of control: functions (model, t, q, v) of what is bound to them, for ``simulate(…, law=…)`` and ``compile``."""

from linkwright.control.contacts import Contact
from linkwright.control.hand import impedance, operational_space
from linkwright.control.joints import computed_torque, friction_compensation, pd, pid
from linkwright.control.whole_body import WholeBody, WholeBodyAnswer

__all__ = [
    "Contact",
    "WholeBody",
    "WholeBodyAnswer",
    "computed_torque",
    "friction_compensation",
    "impedance",
    "operational_space",
    "pd",
    "pid",
]
