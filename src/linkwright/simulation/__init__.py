"""Motion over time: integration, its record, controllers."""

from linkwright.dynamics.impulses.solving import Solver
from linkwright.simulation.acting.servos import Servos
from linkwright.simulation.episode import Episode
from linkwright.simulation.linearization import linearize
from linkwright.simulation.recorded.motion import Motion
from linkwright.simulation.rollouts import Rollout, rollout, rollout_derivatives
from linkwright.simulation.running import simulate
from linkwright.simulation.setup import Actuation, Integrator, Surroundings
from linkwright.simulation.standing import standing_configuration
from linkwright.simulation.starts import default_configuration

__all__ = [
    "Actuation",
    "Episode",
    "Integrator",
    "Motion",
    "Rollout",
    "Servos",
    "Solver",
    "Surroundings",
    "default_configuration",
    "linearize",
    "rollout",
    "rollout_derivatives",
    "simulate",
    "standing_configuration",
]
