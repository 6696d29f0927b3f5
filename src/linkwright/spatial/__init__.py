"""Spatial algebra on arrays of numbers or symbols: rotations, poses, 6-vectors and inertias."""
