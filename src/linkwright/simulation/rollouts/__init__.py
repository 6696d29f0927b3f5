"""Rollouts: motions of a batch in one call of machine code."""

from linkwright.simulation.rollouts.batch import Batch
from linkwright.simulation.rollouts.derivatives import rollout_derivatives
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.rollout_loop import rollout

__all__ = ["Batch", "Rollout", "rollout", "rollout_derivatives"]
