"""Motion over time: integration, its record, controllers."""

from linkwright.simulation.controllers import hold, hold_joints
from linkwright.simulation.motion import simulate
from linkwright.simulation.starts import showing_start
from linkwright.simulation.trajectory import Trajectory

__all__ = ["Trajectory", "hold", "hold_joints", "showing_start", "simulate"]
