"""Motion over time: integration, its record, controllers."""

from linkwright.dynamics.impulses.solving import Solver
from linkwright.simulation.acting.controllers import hold, hold_joints
from linkwright.simulation.acting.servos import Servos
from linkwright.simulation.episode import Episode
from linkwright.simulation.linearization import linearize
from linkwright.simulation.recorded.motion import Motion
from linkwright.simulation.rollouts import Rollout, rollout, rollout_derivatives
from linkwright.simulation.running import simulate
from linkwright.simulation.setup import Actuation, Integrator, Surroundings
from linkwright.simulation.standing import stand
from linkwright.simulation.starts import showing_start
from linkwright.simulation.structure.changes import (
    Changed,
    carry_over,
    connect,
    cut,
    grasp,
    lock_joints,
    unlock_joints,
)

__all__ = [
    "Actuation",
    "Changed",
    "Episode",
    "Integrator",
    "Motion",
    "Rollout",
    "Servos",
    "Solver",
    "Surroundings",
    "carry_over",
    "connect",
    "cut",
    "grasp",
    "hold",
    "hold_joints",
    "linearize",
    "lock_joints",
    "rollout",
    "rollout_derivatives",
    "showing_start",
    "simulate",
    "stand",
    "unlock_joints",
]
