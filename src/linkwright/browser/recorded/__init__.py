"""Motions that were recorded, and trajectories that are planned, in the browser."""
