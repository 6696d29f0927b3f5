"""Explanations of equations: kinds of terms, symmetries, rest, stability, in words and formulas."""
