"""Simulation: integrators, actuation, recording, events and rollouts."""

from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.simulation.actuation.servos import Servos
from linkwright.simulation.episode import Episode
from linkwright.simulation.initial_state import default_configuration
from linkwright.simulation.linearization import linearize
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.rollouts import Batch, Rollout, rollout, rollout_derivatives
from linkwright.simulation.sensor_readings import sensor_readings
from linkwright.simulation.setup import Actuation, Integrator, Surroundings
from linkwright.simulation.simulator import simulate
from linkwright.simulation.standing_posture import standing_configuration

__all__ = [
    "Actuation",
    "Batch",
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
    "sensor_readings",
    "simulate",
    "standing_configuration",
]
