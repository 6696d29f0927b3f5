"""Exact polynomials in sines and cosines, their factors and short forms."""
