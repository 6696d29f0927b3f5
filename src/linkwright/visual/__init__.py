"""Plots and animations from plain arrays."""
