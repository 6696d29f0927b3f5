"""Passes: stored values of passes over bodies, and computations between passes."""
