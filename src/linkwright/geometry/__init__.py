"""Rotations, quaternions and poses, for numbers in batches, symbols and compiled functions."""
