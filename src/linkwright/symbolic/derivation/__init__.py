"""Derivation of equations: exact numbers, names, two derivations, loops, friction and springs, base parameters."""
