"""Integrators: methods, the step function, and its kernels."""
