"""Controlled mechanisms: controllers on exact polynomials, proved Lyapunov functions, equilibria, eigenvalues."""
