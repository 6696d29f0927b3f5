"""Rollouts: motions of a batch in one call of machine code."""

from linkwright.simulation.rollouts.derivatives import rollout_derivatives
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.rollout_loop import rollout

__all__ = ["Rollout", "rollout", "rollout_derivatives"]
