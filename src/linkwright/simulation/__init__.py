"""Motion over time: integration, its record, controllers."""

from linkwright.simulation.controllers import hold, hold_joints
from linkwright.simulation.linearization import linearize
from linkwright.simulation.motion import Motion
from linkwright.simulation.rollouts import Rollout, rollout
from linkwright.simulation.running import simulate
from linkwright.simulation.starts import showing_start

__all__ = [
    "Motion",
    "Rollout",
    "hold",
    "hold_joints",
    "linearize",
    "rollout",
    "showing_start",
    "simulate",
]
