"""Programs, and what runs them on NumPy arrays: the reference for all code."""
