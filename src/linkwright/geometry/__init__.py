"""Rotations, quaternions and poses: of one row or many, of numbers, of symbols and in functions that are compiled."""
