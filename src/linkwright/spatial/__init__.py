"""Spatial algebra on plain arrays, numbers or symbols: rotations, poses, 6-vectors, inertias."""
