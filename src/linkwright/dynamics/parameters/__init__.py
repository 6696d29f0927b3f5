"""Inertial parameters, regressors and base parameters."""
