"""Motion over time: integration, its record, controllers."""

from linkwright.simulation.controllers import hold, hold_joints
from linkwright.simulation.motion import simulate
from linkwright.simulation.trajectory import Trajectory

__all__ = ["Trajectory", "hold", "hold_joints", "simulate"]
