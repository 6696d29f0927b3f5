"""Controlled mechanisms: laws on exact polynomials, Lyapunov functions proved, rest and its eigenvalues."""
