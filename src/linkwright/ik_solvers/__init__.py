"""Where the hand should be: postures from targets, velocities from rates. The module may be called, as its function."""

from linkwright.naming import callable_package

callable_package(__name__, "linkwright.inverse_kinematics.reach")
