"""Exact inverse kinematics, by families of arms."""

from linkwright.inverse_kinematics.exact.solver import AnalyticSolver, Solutions, analytic_inverse_kinematics

__all__ = ["AnalyticSolver", "Solutions", "analytic_inverse_kinematics"]
