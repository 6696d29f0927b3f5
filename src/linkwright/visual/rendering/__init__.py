"""Solids as pixels."""
