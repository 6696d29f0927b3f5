"""Planned motions: ``Trajectory``, and what plans them."""

from linkwright.trajectories.trajectory import Sample, Trajectory

__all__ = ["Sample", "Trajectory"]
