"""Planned motions: ``Trajectory``, and what plans them."""

from linkwright.trajectories.polynomials import polynomial
from linkwright.trajectories.s_curves import SCurves, s_curve, s_curves
from linkwright.trajectories.trajectory import Sample, Trajectory
from linkwright.trajectories.trapezoids import trapezoid

__all__ = ["SCurves", "Sample", "Trajectory", "polynomial", "s_curve", "s_curves", "trapezoid"]
