"""Optimal control: linear quadratic regulators, and trajectories by iterative LQR."""
