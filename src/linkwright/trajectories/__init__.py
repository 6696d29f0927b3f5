"""Trajectories: ``Trajectory``, and the planners that return one.

``joints/`` plans from configuration to configuration, ``hands/`` paths of a frame and the joint trajectories that
follow them, ``timing/`` time-optimal trajectories along a path. This folder has the result: ``trajectory``, its
evaluation (``reading``), ``files`` and ``pictures``.
"""

from linkwright.trajectories.joint_space.polynomials import polynomial
from linkwright.trajectories.joint_space.s_curves import SCurves, s_curve, s_curves
from linkwright.trajectories.joint_space.splines import spline
from linkwright.trajectories.joint_space.trapezoids import trapezoid
from linkwright.trajectories.smallest_distance import SmallestDistance
from linkwright.trajectories.task_space.inverse_kinematics_path import follow
from linkwright.trajectories.task_space.pose_paths import PoseTrajectory, arc, circle, straight
from linkwright.trajectories.timing.motion import TimeOptimal
from linkwright.trajectories.timing.planning import time_optimal
from linkwright.trajectories.trajectory import Trajectory, TrajectorySample

__all__ = [
    "PoseTrajectory",
    "SCurves",
    "SmallestDistance",
    "TimeOptimal",
    "Trajectory",
    "TrajectorySample",
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


def __dir__() -> list[str]:
    return __all__
