"""Planned motions: ``Trajectory``, and what plans them."""

from linkwright.trajectories.following import follow
from linkwright.trajectories.polynomials import polynomial
from linkwright.trajectories.poses import PoseTrajectory, arc, circle, straight
from linkwright.trajectories.s_curves import SCurves, s_curve, s_curves
from linkwright.trajectories.splines import spline
from linkwright.trajectories.time_optimal import TimeOptimal, time_optimal
from linkwright.trajectories.trajectory import Sample, Trajectory
from linkwright.trajectories.trapezoids import trapezoid

__all__ = [
    "PoseTrajectory",
    "SCurves",
    "Sample",
    "TimeOptimal",
    "Trajectory",
    "arc",
    "circle",
    "follow",
    "polynomial",
    "s_curve",
    "s_curves",
    "spline",
    "straight",
    "time_optimal",
    "trapezoid",
]
