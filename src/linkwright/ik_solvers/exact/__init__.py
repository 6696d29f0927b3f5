"""Exact inverse kinematics, by families of arms."""

from linkwright.inverse_kinematics.exact.solutions import Solutions
from linkwright.inverse_kinematics.exact.solver import AnalyticSolver, analytic_inverse_kinematics

__all__ = ["AnalyticSolver", "Solutions", "analytic_inverse_kinematics"]
