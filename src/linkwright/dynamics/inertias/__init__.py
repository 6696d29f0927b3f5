"""Inertias, the mass matrix, momentum and energy."""
