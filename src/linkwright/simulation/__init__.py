"""Motion over time: integration, its record, controllers."""

from linkwright.simulation.controllers import hold, hold_joints
from linkwright.simulation.linearization import linearize
from linkwright.simulation.motion import Motion
from linkwright.simulation.running import simulate
from linkwright.simulation.starts import showing_start

__all__ = ["Motion", "hold", "hold_joints", "linearize", "showing_start", "simulate"]
