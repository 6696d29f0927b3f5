"""Schedules of programs: loops over bodies, assembly on SIMD lanes, and algorithms composed of several kernels."""
