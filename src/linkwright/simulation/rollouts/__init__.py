"""Rollouts: the whole motion of a batch, with all that happens in it, in machine code."""

from linkwright.simulation.rollouts.derivatives import rollout_derivatives
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.run import rollout

__all__ = ["Rollout", "rollout", "rollout_derivatives"]
