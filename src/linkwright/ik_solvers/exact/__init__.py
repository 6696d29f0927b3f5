"""Exact inverse kinematics, by families of arms."""

from linkwright.ik_solvers.exact.solutions import Solutions
from linkwright.ik_solvers.exact.solver import AnalyticSolver, analytic_inverse_kinematics

__all__ = ["AnalyticSolver", "Solutions", "analytic_inverse_kinematics"]
